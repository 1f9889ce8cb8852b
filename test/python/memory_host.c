/* memory_host.c -- a C program that loads an artifact and calls it, and says what it had resident: what
 * measure_memory.py compares with hosts in Python.
 *
 *     memory_host ./MODEL.so CALLS FILE [DTYPE:OFFSET:SIZE,SIZE,...]...
 *
 * Inputs are read from FILE, one argument each, contiguous; a DTYPE is a number of ferrite_abi.h. Says
 * {"base": KiB before it loads, "peak": the most, "run": what calls added to what it had then}. */
#define _GNU_SOURCE
#include "ferrite_abi.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANK = 25, MOST_BYTES = 16 /* of an element */ };

static long resident(const char *field)
{
    char line[256];
    long kilobytes = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && kilobytes < 0 && fgets(line, sizeof line, status))
        if (strncmp(line, field, strlen(field)) == 0) kilobytes = atol(line + strlen(field) + 1);
    if (status) fclose(status);
    return kilobytes;
}

/* From now on VmHWM is the most since now, without what was freed before. */
static void forget_peak(void)
{
    malloc_trim(0);
    FILE *control = fopen("/proc/self/clear_refs", "w");
    if (!control) return;
    fputs("5", control);
    fclose(control);
}

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "memory_host: %s: %s\n", what, why ? why : "");
    return 1;
}

static size_t element_bytes(uint32_t dtype)
{
    switch (dtype) {
    case FE_U8:
    case FE_I8:
    case FE_BOOL: return 1;
    case FE_I16:
    case FE_U16:
    case FE_F16:
    case FE_BF16: return 2;
    case FE_I32:
    case FE_U32:
    case FE_F32:
    case FE_C32: return 4;
    case FE_C128: return MOST_BYTES;
    default: return 8;
    }
}

/* DTYPE:OFFSET:SIZE,SIZE,... */
static int read_input(FILE *file, const char *what, fe_tensor *out)
{
    char *at;
    int64_t *sizes = calloc(MOST_RANK, sizeof *sizes), elements = 1;
    if (!sizes) return 0;
    *out = (fe_tensor){.sizes = sizes};
    out->dtype = (uint32_t)strtoul(what, &at, 10);
    long offset = strtol(at + 1, &at, 10);
    for (at++; *at && out->rank < MOST_RANK; at += *at == ',') {
        sizes[out->rank] = strtoll(at, &at, 10);
        elements *= sizes[out->rank++];
    }
    size_t bytes = (size_t)elements * element_bytes(out->dtype);
    out->data = aligned_alloc(64, (bytes + 64) / 64 * 64);
    return out->data && fseek(file, offset, SEEK_SET) == 0 &&
           fread(out->data, 1, bytes, file) == bytes;
}

int main(int argc, char **argv)
{
    if (argc < 4) return fail("usage", "memory_host ./MODEL.so CALLS FILE [INPUT]...");
    uint32_t count = (uint32_t)(argc - 4);
    FILE *file = fopen(argv[3], "rb");
    if (!file) return fail(argv[3], "cannot be read");
    long base = resident("VmRSS");
    void *library = dlopen(argv[1], RTLD_NOW);
    const fe_artifact *(*entry)(void);
    if (!library) return fail(argv[1], dlerror());
    *(void **)&entry = dlsym(library, "ferrite_artifact");
    const fe_artifact *a = entry();
    fe_model *model;
    fe_context *context;
    if (a->open(NULL, &model) || a->context_new(model, 0, &context))
        return fail(argv[1], a->error(NULL));
    fe_tensor *inputs = calloc(count + 1, sizeof *inputs);
    fe_tensor *outputs = calloc(a->output_count + 1, sizeof *outputs);
    for (uint32_t k = 0; k < count; k++)
        if (!read_input(file, argv[4 + k], &inputs[k])) return fail(argv[3], "is too short");
    fclose(file);
    long load = resident("VmHWM");
    forget_peak();
    long loaded = resident("VmRSS");
    for (int call = atoi(argv[2]); call > 0; call--) {
        memset(outputs, 0, a->output_count * sizeof *outputs);
        if (a->run(context, inputs, count, outputs, a->output_count))
            return fail(argv[1], a->error(context));
    }
    long run = resident("VmHWM");
    printf("{\"base\": %ld, \"peak\": %ld, \"run\": %ld}\n", base, run > load ? run : load,
           run - loaded);
    return 0;
}
