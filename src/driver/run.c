/* run.c -- an artifact in this process: loaded, given inputs, called; and `ferrite run`. */
#define _GNU_SOURCE
#include "driver/run.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- loading ---- */

fe_status program_load(driver_program *d, const char *library, loaded_program *out)
{
    *out = (loaded_program){0};
    diag where = {.status = FE_TOOLCHAIN, .stage = "load", .place = library};
    out->handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!out->handle) return diag_fail(d->session, where, "%s", dlerror());
    const fe_artifact *(*entry)(void);
    *(void **)&entry = dlsym(out->handle, "ferrite_artifact");
    if (!entry) return diag_fail(d->session, where, "it has no entry point ferrite_artifact");
    out->artifact = entry();
    if (out->artifact->abi_version != FE_ABI_VERSION)
        return diag_fail(d->session, where, "it has ABI version %u, this ferrite has %u",
                         out->artifact->abi_version, FE_ABI_VERSION);
    double begin = clock_seconds();
    size_t bytes = (size_t)d->wrapper->weights_bytes;
    if (bytes) {
        out->weights =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (out->weights == MAP_FAILED) {
            out->weights = NULL;
            return diag_fail(d->session, (diag){.status = FE_NO_MEMORY, .stage = "load"},
                             "no memory for %zu bytes of weights", bytes);
        }
        out->weights_bytes = bytes;
        madvise(out->weights, bytes, MADV_HUGEPAGE);
        FE_TRY(weights_fill(d->wrapper, out->weights, 0));
    }
    d->seconds[STAGE_WEIGHTS] = clock_seconds() - begin;
    if (out->artifact->open_memory(out->weights, (int64_t)bytes, &out->model) != FE_RUN_OK)
        return diag_fail(d->session, where, "%s", out->artifact->error(NULL));
    return FE_OK;
}

void program_unload(loaded_program *p)
{
    if (p->model) p->artifact->close(p->model);
    if (p->handle) dlclose(p->handle);
    if (p->weights) munmap(p->weights, p->weights_bytes);
    *p = (loaded_program){0};
}

fe_status program_make(driver_program *d, loaded_program *out)
{
    const char *library;
    double begin = clock_seconds();
    *out = (loaded_program){0};
    FE_TRY(toolchain_build(d, &library));
    d->seconds[STAGE_CC] = clock_seconds() - begin;
    return program_load(d, library, out);
}

/* ---- ferrite run ---- */

typedef struct run_options {
    driver_options driver;
    const char *inputs, *outputs, *output_dir;
    const char *input_files[256];
    uint32_t input_file_count;
    uint32_t threads, repeat;
    bool json;
} run_options;

static fe_status read_inputs(driver_program *d, const run_options *o, const fe_artifact *a,
                             fe_tensor *inputs)
{
    tensor_file file;
    if (o->inputs) {
        FE_TRY(tensor_file_open(d->session, d->memory, o->inputs, &file));
        fe_status status = inputs_from_file(d, a, &file, "", inputs);
        tensor_file_close(&file);
        return status;
    }
    if (o->input_file_count)
        return inputs_from_files(d, a, o->input_files, o->input_file_count, inputs);
    return a->input_count ? inputs_from_samples(d, a, inputs) : FE_OK;
}

static fe_status write_outputs(driver_program *d, const run_options *o, const fe_tensor *outputs,
                               uint32_t count)
{
    tensor_entry *entries = NEW_ARRAY(d->memory, tensor_entry, count + 1);
    if (o->output_dir) FE_TRY(file_make_dirs(d->session, o->output_dir));
    for (uint32_t k = 0; k < count; k++) {
        entries[k] = output_entry(d->memory, &outputs[k], arena_printf(d->memory, "out.%u", k));
        if (o->output_dir)
            FE_TRY(npy_write(d->session, arena_printf(d->memory, "%s/%u.npy", o->output_dir, k),
                             &entries[k]));
    }
    return o->outputs ? safetensors_write(d->session, o->outputs, entries, count) : FE_OK;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

typedef struct call_times {
    double first_us, median_us, min_us;
    uint32_t calls;
} call_times;

static fe_status call_repeatedly(driver_program *d, const run_options *o, loaded_program *p,
                                 const fe_tensor *inputs, fe_tensor *outputs, call_times *times,
                                 fe_context **context)
{
    const fe_artifact *a = p->artifact;
    if (a->context_new(p->model, o->threads, context) != FE_RUN_OK)
        return diag_fail(d->session, (diag){.status = FE_NO_MEMORY, .stage = "run"},
                         "no memory for the arena");
    uint32_t n = o->repeat ? o->repeat : 1;
    double *seconds = NEW_ARRAY(d->memory, double, n + 1);
    for (uint32_t i = 0; i <= n; i++) {
        for (uint32_t k = 0; k < a->output_count; k++) outputs[k] = (fe_tensor){0};
        double begin = clock_seconds();
        if (a->run(*context, inputs, a->input_count, outputs, a->output_count) != FE_RUN_OK)
            return diag_fail(d->session, (diag){.status = FE_MISMATCH, .stage = "run"}, "%s",
                             a->error(*context));
        seconds[i] = clock_seconds() - begin;
        if (n == 1 && i == 0) break; /* a single call is the first one */
    }
    times->first_us = seconds[0] * 1e6;
    times->calls = n;
    double *timed = n > 1 ? seconds + 1 : seconds;
    qsort(timed, n, sizeof *timed, by_value);
    times->median_us = timed[n / 2] * 1e6;
    times->min_us = timed[0] * 1e6;
    return FE_OK;
}

static double total_ms(const driver_program *d)
{
    double total = 0;
    for (int i = 0; i < STAGE_COUNT; i++) total += d->seconds[i];
    return total * 1e3;
}

static int64_t artifact_size(const driver_program *d, const char *library)
{
    FILE *file = fopen(library, "rb");
    int64_t bytes = d->wrapper->weights_bytes;
    if (file) {
        fseek(file, 0, SEEK_END);
        bytes += ftell(file);
        fclose(file);
    }
    return bytes;
}

static void print_json(const driver_program *d, const call_times *t, int64_t artifact_bytes)
{
    printf("{\"compile_ms\": {");
    for (int i = 0; i < STAGE_COUNT; i++)
        printf("\"%s\": %.3f, ", driver_stage_names[i], d->seconds[i] * 1e3);
    printf("\"total\": %.3f}, ", total_ms(d));
    printf("\"call_us\": {\"median\": %.3f, \"min\": %.3f, \"first\": %.3f}, ", t->median_us,
           t->min_us, t->first_us);
    printf("\"arena_bytes\": %lld, \"arena_lower_bound\": %lld, \"weights_bytes\": %lld, "
           "\"artifact_bytes\": %lld, ",
           (long long)d->wrapper->arena_bytes, (long long)d->wrapper->lower_bound,
           (long long)d->wrapper->weights_bytes, (long long)artifact_bytes);
    printf("\"kernels\": %u, \"unique_kernels\": %u}\n", d->wrapper->kernel_calls,
           d->wrapper->unique_kernels);
}

void print_summary(const driver_program *d, FILE *to)
{
    fprintf(to, "compiled in %.0f ms:", total_ms(d));
    for (int i = 0; i < STAGE_COUNT; i++)
        fprintf(to, " %s %.1f", driver_stage_names[i], d->seconds[i] * 1e3);
    fprintf(to, "\nkernels: %u calls, %u distinct\n", d->wrapper->kernel_calls,
            d->wrapper->unique_kernels);
    if (d->wrapper->arena_bytes >= 0)
        fprintf(to, "arena: %lld bytes, lower bound %lld\n", (long long)d->wrapper->arena_bytes,
                (long long)d->wrapper->lower_bound);
    fprintf(to, "weights: %lld bytes\n", (long long)d->wrapper->weights_bytes);
}

typedef struct run_job {
    const run_options *options;
    driver_program *program;
    loaded_program loaded;
    fe_context *context;
} run_job;

static fe_status run_body(fe_session *session, void *data)
{
    run_job *job = data;
    const run_options *o = job->options;
    const char *library;
    arena *memory = arena_new(session);
    FE_TRY(driver_compile(session, &o->driver, STAGE_EMIT, memory, &job->program));
    driver_program *d = job->program;
    FE_TRY(program_make(d, &job->loaded));
    FE_TRY(toolchain_build(d, &library));
    const fe_artifact *a = job->loaded.artifact;
    fe_tensor *inputs = NEW_ARRAY(memory, fe_tensor, a->input_count + 1);
    fe_tensor *outputs = NEW_ARRAY(memory, fe_tensor, a->output_count + 1);
    call_times times = {0};
    FE_TRY(read_inputs(d, o, a, inputs));
    FE_TRY(call_repeatedly(d, o, &job->loaded, inputs, outputs, &times, &job->context));
    FE_TRY(write_outputs(d, o, outputs, a->output_count));
    int64_t bytes = artifact_size(d, library);
    if (o->json) {
        print_json(d, &times, bytes);
        return FE_OK;
    }
    print_summary(d, stdout);
    printf(
        "artifact: %lld bytes\ncall: %.1f us (median of %u), %.1f us at best, %.1f us the first\n",
        (long long)bytes, times.median_us, times.calls, times.min_us, times.first_us);
    return FE_OK;
}

static bool number_option(int argc, char **argv, int *i, const char *name, uint32_t *out)
{
    if (strcmp(argv[*i], name) != 0 || *i + 1 >= argc) return false;
    *out = (uint32_t)strtoul(argv[++*i], NULL, 10);
    return true;
}

static bool text_option(int argc, char **argv, int *i, const char *name, const char **out)
{
    if (strcmp(argv[*i], name) != 0 || *i + 1 >= argc) return false;
    *out = argv[++*i];
    return true;
}

static int parse_run(int argc, char **argv, run_options *o)
{
    driver_default_options(&o->driver);
    for (int i = 0; i < argc; i++) {
        const char *file = NULL;
        int eaten = cli_common_option(&o->driver, argc, argv, i);
        if (eaten < 0) return -1;
        if (eaten > 0) {
            i += eaten - 1;
        } else if (strcmp(argv[i], "--json") == 0) {
            o->json = true;
        } else if (text_option(argc, argv, &i, "--input", &file)) {
            if (o->input_file_count < COUNT_OF(o->input_files))
                o->input_files[o->input_file_count++] = file;
        } else if (!number_option(argc, argv, &i, "--threads", &o->threads) &&
                   !number_option(argc, argv, &i, "--repeat", &o->repeat) &&
                   !text_option(argc, argv, &i, "--inputs", &o->inputs) &&
                   !text_option(argc, argv, &i, "--outputs", &o->outputs) &&
                   !text_option(argc, argv, &i, "--output-dir", &o->output_dir)) {
            fprintf(stderr, "ferrite run: unknown option or missing value: %s\n", argv[i]);
            return -1;
        }
    }
    if (o->driver.input) return 0;
    fprintf(stderr, "usage: ferrite run MODEL.pt2 [--inputs IN.safetensors | --input A.npy ...] "
                    "[--outputs OUT.safetensors]\n"
                    "       [--output-dir DIR] [--threads N] [--repeat N] [--json]\n");
    return -1;
}

int command_run(int argc, char **argv)
{
    run_options options = {0};
    if (parse_run(argc, argv, &options) != 0) return 2;
    fe_session *session = session_new();
    if (!session) return 1;
    run_job job = {.options = &options};
    int status = session_guard(session, run_body, &job) == FE_OK ? 0 : cli_failed(session);
    if (job.context) job.loaded.artifact->context_free(job.context);
    program_unload(&job.loaded);
    driver_close(job.program);
    session_free(session);
    return status;
}
