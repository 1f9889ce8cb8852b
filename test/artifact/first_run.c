/* first_run.c -- first_run FOLDER PROGRAM.pt2...: makes a library of each program in the folder, makes a
 * context of it and runs it twice, with the inputs of the recorded case or those that the archive has as an
 * example, and with memory for outputs whose sizes do not change. Prints the programs of which a run
 * allocates: memory of the process, or pages of the system. Programs some of whose sizes are symbols, or are
 * found during the run, may do so in the first run. option=VALUE before them is an option of the compiler.
 *
 * Linked with libferrite and -rdynamic, so that the artifact's calls are those of this file.
 */
#define _GNU_SOURCE
#include "counting.h"
#include "ferrite.h"
#include "recorded.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { RUNS = 2, THREADS = 2, MOST_ELEMENT_BYTES = 16 };

static atomic_long maps;
static int bounded;

void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    atomic_fetch_add(&maps, 1);
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}

typedef struct subject {
    const char *path;
    fe_program *program;
    const fe_artifact *artifact;
    fe_tensor *inputs, *outputs;
} subject;

static long asked(void)
{
    return atomic_load(&allocations) + atomic_load(&maps);
}

static void *zeroed(size_t bytes)
{
    return calloc(bytes + 1, 1);
}

/* ---- runs ---- */

/* Memory for an output whose sizes do not change, in the layout declared. */
static fe_tensor output_of(const fe_port *port)
{
    int64_t elements = 1;
    for (uint32_t d = 0; d < port->rank; d++) {
        if (port->sizes[d] < 0 || port->strides[d] < 0) return (fe_tensor){0};
        elements += (port->sizes[d] > 0 ? port->sizes[d] - 1 : 0) * port->strides[d];
    }
    return (fe_tensor){calloc((size_t)elements, MOST_ELEMENT_BYTES), port->dtype, port->rank,
                       port->sizes, port->strides};
}

static int run(const subject *s, fe_context *context, long *counts)
{
    int status = 0;
    uint32_t outputs = s->artifact->output_count;
    fe_tensor *given = calloc(outputs + 1, sizeof *given);
    for (uint32_t k = 0; k < outputs; k++) given[k] = output_of(&s->artifact->outputs[k]);
    for (int k = 0; k < RUNS && !status; k++) {
        memcpy(s->outputs, given, outputs * sizeof *given);
        long before = asked();
        status = s->artifact->run(context, s->inputs, s->artifact->input_count, s->outputs,
                                  s->artifact->output_count);
        counts[k] = asked() - before;
    }
    for (uint32_t k = 0; k < outputs; k++) free(given[k].data);
    free(given);
    return status;
}

static int changes(const fe_port *ports, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t d = 0; d < ports[k].rank; d++)
            if (ports[k].sizes[d] < 0) return 1;
    return 0;
}

/* Without one arena for all sizes (option max-arena). */
static int sizes_change(const fe_artifact *a)
{
    return !bounded && (a->arena_bytes < 0 || changes(a->inputs, a->input_count) ||
                        changes(a->outputs, a->output_count));
}

static int measure(const subject *s)
{
    fe_model *model = NULL;
    fe_context *context = NULL;
    long counts[RUNS] = {0};
    int is_open = s->artifact->open(NULL, &model) == 0 &&
                  s->artifact->context_new(model, THREADS, &context) == 0;
    int status = is_open ? run(s, context, counts) : -1;
    int is_wrong = !is_open || status;
    for (int k = sizes_change(s->artifact); k < RUNS; k++) is_wrong |= counts[k] != 0;
    if (is_wrong)
        printf("%s: %ld in the first run, %ld in the second, status %d %s\n", s->path, counts[0],
               counts[1], status, context && status ? s->artifact->error(context) : "");
    if (context) s->artifact->context_free(context);
    if (model) s->artifact->close(model);
    return is_wrong;
}

/* -1: this program is not measured. */
static int measure_library(subject *s, const char *folder)
{
    char file[4096];
    static int number;
    snprintf(file, sizeof file, "%s/p%d.so", folder, number++);
    if (fe_write_library(s->program, file)) return -1;
    void *library = dlopen(file, RTLD_NOW);
    const fe_artifact *(*entry)(void);
    *(void **)&entry = library ? dlsym(library, "ferrite_artifact") : NULL;
    if (!entry) return -1;
    s->artifact = entry();
    s->inputs = calloc(s->artifact->input_count + 1, sizeof *s->inputs);
    s->outputs = calloc(s->artifact->output_count + 1, sizeof *s->outputs);
    int has_inputs = read_inputs(s->path, s->artifact, zeroed, s->inputs) ||
                     fe_sample_inputs(s->program, s->inputs) == FE_OK;
    int wrong = has_inputs ? measure(s) : -1;
    free(s->inputs);
    free(s->outputs);
    dlclose(library);
    unlink(file);
    return wrong;
}

/* Options first: a program whose sizes have no bounds cannot have one arena. */
static fe_session *session_new(int count, char **arguments, int *first)
{
    fe_session *session = fe_session_new();
    for (*first = 2; *first < count && strchr(arguments[*first], '='); (*first)++) {
        char option[64];
        snprintf(option, sizeof option, "%s", arguments[*first]);
        char *value = strchr(option, '=');
        *value++ = 0;
        bounded |= strcmp(option, "max-arena") == 0;
        if (fe_set(session, option, value)) printf("%s", fe_error(session));
    }
    return session;
}

int main(int count, char **arguments)
{
    int first, tally[3] = {0};
    fe_session_free(session_new(count, arguments, &first));
    for (int k = first; k < count; k++) {
        fe_session *session = session_new(count, arguments, &first);
        subject s = {.path = arguments[k]};
        int is_there = fe_compile_file(session, s.path, &s.program) == FE_OK;
        int result = is_there ? measure_library(&s, arguments[1]) : -1;
        int is_refused = !is_there && bounded && strstr(fe_error(session), "max-arena");
        if (result < 0 && !is_refused) printf("%s: not measured: %s\n", s.path, fe_error(session));
        tally[is_refused ? 2 : result != 0]++;
        fe_program_free(s.program);
        fe_session_free(session);
    }
    printf("%d passed, %d failed, %d skipped\n", tally[0], tally[1], tally[2]);
    return tally[1] != 0;
}
