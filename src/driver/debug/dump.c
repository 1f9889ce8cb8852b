/* dump.c -- a result of a run as a line, and as a file. Runs may be several at once: files are written
 * by a session of their own.
 */
#include "driver/debug/values.h"
#include "driver/inputs.h"

#include <stdio.h>

void values_show(const char *name, const char *from, const value_tensor *t, const value_facts *f)
{
    char shape[400];
    int used = 0;
    for (uint32_t d = 0; d < t->rank && used < (int)sizeof shape; d++)
        used += snprintf(shape + used, sizeof shape - (size_t)used, "%s%lld", d ? "," : "",
                         (long long)t->sizes[d]);
    fprintf(stderr, "%s %s[%.*s] min %g max %g mean %g nan %lld inf %lld  %s\n", name,
            ty_dtype_name(t->dtype), used, shape, f->min, f->max, f->mean, (long long)f->nans,
            (long long)f->infinities, from);
}

typedef struct file_job {
    const char *folder, *name;
    const value_tensor *tensor;
} file_job;

static fe_status write_file(fe_session *session, void *data)
{
    const file_job *job = data;
    const value_tensor *from = job->tensor;
    fe_tensor t = {.data = (void *)(uintptr_t)from->data,
                   .dtype = (uint32_t)ty_dtype_number(from->dtype),
                   .rank = from->rank,
                   .sizes = (int64_t *)(uintptr_t)from->sizes,
                   .strides = (int64_t *)(uintptr_t)from->strides};
    tensor_entry entry = output_entry(session->memory, &t, "");
    char *name = arena_strdup(session->memory, job->name);
    for (char *c = name; *c; c++)
        if (*c == '/') *c = '_';
    FE_TRY(file_make_dirs(session, job->folder));
    return npy_write(session, arena_printf(session->memory, "%s/%s.npy", job->folder, name),
                     &entry);
}

bool values_write(const char *folder, const char *name, const value_tensor *t, char *message,
                  size_t message_bytes)
{
    fe_session *session = session_new();
    file_job job = {folder, name, t};
    bool is_written = session && session_guard(session, write_file, &job) == FE_OK;
    const diag *d = session ? session->first_diag : NULL;
    if (!is_written)
        snprintf(message, message_bytes, "%s.npy: %s", name, d ? d->message : "no memory");
    session_free(session);
    return is_written;
}
