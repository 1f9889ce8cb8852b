/* rt_entry.c - loading: the fe_artifact of a program and its models (weights).
 *
 * Weights lie in the artifact's own file behind the machine code, or in a file of their own beside
 * it; they are mapped, never copied, so that all processes share their pages. The last 40 bytes of
 * either file are a footer: magic, key, offset, bytes.
 */
#define _GNU_SOURCE
#include "rt_entry.h"
#include "rt_kernels.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char RT_MAGIC[16] = "ferrite weights";

typedef struct rt_footer {
    char magic[16];
    uint64_t key;
    uint64_t offset; /* of the weights in the file; a multiple of 4096 */
    uint64_t bytes;
} rt_footer;

/* This thread's message of the last failed open. Asked for where one failed alone: the loader allocates
 * a thread's copy when it is first asked for, and keeps it behind the library's end. */
#if defined __GNUC__ || !defined __STDC_NO_THREADS__
RT_OUTLINE char *open_error(void)
{
    static _Thread_local char message[RT_ERROR_BYTES];
    char *at = message;
    RT_FORGET(at); /* or clang asks in front of the branch that wants it */
    return at;
}
#else
static pthread_once_t error_once = PTHREAD_ONCE_INIT;
static pthread_key_t error_key;

static void make_error_key(void)
{
    pthread_key_create(&error_key, free);
}

static char *open_error(void)
{
    static char none[RT_ERROR_BYTES];
    pthread_once(&error_once, make_error_key);
    char *message = pthread_getspecific(error_key);
    if (!message && (message = calloc(1, RT_ERROR_BYTES))) pthread_setspecific(error_key, message);
    return message ? message : none;
}
#endif

static int open_failed(int code, const char *what, const char *path)
{
    snprintf(open_error(), RT_ERROR_BYTES, "%s: %s", path, what);
    return code;
}

static void model_close(fe_model *model)
{
    if (!model) return;
    if (model->program && model->program->device_support)
        model->program->device_support->close(model);
    if (model->mapping) munmap(model->mapping, model->mapping_bytes);
    free(model->weights);
    free(model->ops);
    free(model);
}

/* Maps the file and finds the weights in it by the footer. */
static int map_weights(fe_model *model, const char *path)
{
    const rt_program *program = model->program;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return open_failed(FE_RUN_BAD_WEIGHTS, strerror(errno), path);
    struct stat facts;
    rt_footer footer;
    int ok = fstat(file, &facts) == 0 && facts.st_size >= (off_t)sizeof footer &&
             pread(file, &footer, sizeof footer, facts.st_size - (off_t)sizeof footer) ==
                 (ssize_t)sizeof footer;
    if (!ok || memcmp(footer.magic, RT_MAGIC, sizeof RT_MAGIC) != 0) {
        close(file);
        return open_failed(FE_RUN_BAD_WEIGHTS, "holds no weights", path);
    }
    uint64_t file_bytes = (uint64_t)facts.st_size;
    if (footer.key != program->weights_key || footer.bytes != (uint64_t)program->weights_bytes ||
        footer.offset % 4096 || footer.offset > file_bytes ||
        footer.bytes > file_bytes - footer.offset) {
        close(file);
        return open_failed(FE_RUN_BAD_WEIGHTS, "its weights belong to another artifact", path);
    }
    model->mapping_bytes = footer.bytes;
    model->mapping = mmap(NULL, footer.bytes, PROT_READ, MAP_SHARED, file, (off_t)footer.offset);
    close(file);
    if (model->mapping == MAP_FAILED) {
        model->mapping = NULL;
        return open_failed(FE_RUN_BAD_WEIGHTS, strerror(errno), path);
    }
    return 0;
}

/* The artifact's own file; when it has no weights, NAME.weights in the same folder. */
static int map_own_weights(fe_model *model)
{
    const char *name = model->program->weights_name;
    if (!name) name = model->program->name;
    Dl_info self;
    if (!dladdr((void *)(uintptr_t)map_own_weights, &self) || !self.dli_fname)
        return open_failed(FE_RUN_BAD_WEIGHTS, "cannot tell which file this program is in",
                           model->program->name);
    char path[4096], program[2048];
    const char *file = self.dli_fname, *slash = strrchr(file, '/');
    /* a program that was found by PATH knows its name alone */
    ssize_t length = slash ? -1 : readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
        program[length] = '\0';
        file = program;
        slash = strrchr(file, '/');
    }
    if (map_weights(model, file) == 0) return 0;
    int folder = slash ? (int)(slash - file) + 1 : 0;
    snprintf(path, sizeof path, "%.*s%s.weights", folder, file, name);
    return map_weights(model, path);
}

static fe_model *model_new(const rt_program *program)
{
    fe_model *model = calloc(1, sizeof *model);
    if (model) {
        model->weights = calloc(program->weight_count + 1, sizeof *model->weights);
        model->ops = calloc(program->op_count + 1, sizeof *model->ops);
    }
    if (model && model->weights && model->ops) {
        model->program = program;
        return model;
    }
    model_close(model);
    open_failed(FE_RUN_NO_MEMORY, "no memory", program->name);
    return NULL;
}

static void point_weights(fe_model *model, const char *base)
{
    for (uint32_t k = 0; k < model->program->weight_count; k++)
        model->weights[k] = (void *)(uintptr_t)(base + model->program->weights[k].offset);
}

static int cannot_run(const rt_entry *entry)
{
    return open_failed(FE_RUN_BAD_PROCESSOR, entry->obstacle, entry->program->name);
}

int rt_open(const rt_entry *entry, const char *weights_path, fe_model **out)
{
    *out = NULL;
    if (entry->obstacle) return cannot_run(entry);
    fe_model *model = model_new(entry->program);
    if (!model) return FE_RUN_NO_MEMORY;
    if (model->program->weights_bytes > 0) {
        int code = weights_path ? map_weights(model, weights_path) : map_own_weights(model);
        if (code) {
            model_close(model);
            return code;
        }
        point_weights(model, model->mapping);
    }
    *out = model;
    return 0;
}

int rt_open_memory(const rt_entry *entry, const void *weights, int64_t bytes, fe_model **out)
{
    const rt_program *program = entry->program;
    *out = NULL;
    if (entry->obstacle) return cannot_run(entry);
    if (bytes < program->weights_bytes || (uintptr_t)weights % 64)
        return open_failed(FE_RUN_BAD_WEIGHTS,
                           "the weights given are too short or not aligned to 64 bytes",
                           program->name);
    fe_model *model = model_new(program);
    if (!model) return FE_RUN_NO_MEMORY;
    if (program->weights_bytes > 0) point_weights(model, weights);
    *out = model;
    return 0;
}

static int context_new(const fe_model *model, uint32_t threads, fe_context **out)
{
    char message[RT_ERROR_BYTES / 2];
    int code = rt_context_new(model, threads, message, sizeof message, out);
    if (code && message[0])
        open_failed(code, message, model->program->name);
    else if (code)
        open_error()[0] = '\0';
    return code;
}

static const char *last_error(const fe_context *context)
{
    return context ? context->error : open_error();
}

const fe_artifact *rt_artifact(rt_entry *entry)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!entry->is_described) {
        entry->obstacle = rt_isa_choose(entry->program->isa);
        rt_describe(entry->program, &entry->artifact);
        entry->artifact.open = entry->open;
        entry->artifact.open_memory = entry->open_memory;
        entry->artifact.close = model_close;
        entry->artifact.context_new = context_new;
        entry->artifact.error = last_error;
        entry->is_described = 1;
    }
    pthread_mutex_unlock(&lock);
    return &entry->artifact;
}
