/* run.c -- `ferrite run`: compiles a program, calls it in this process, writes its outputs. */
#include "cli/run.h"

#include "driver/debug/bisect.h"

#include <stdlib.h>
#include <string.h>

typedef struct run_call {
    cli_call call;
    run_inputs inputs;
    const char *outputs, *output_dir;
    uint32_t threads, repeat;
    bool json;
} run_call;

/* ---- inputs and calls, as `ferrite bench` has them too ---- */

fe_status run_read_inputs(fe_program *d, const run_inputs *from, fe_tensor *inputs)
{
    if (from->file && from->files.count)
        return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "run"},
                         "inputs come from --inputs or from --input, not from both");
    if (from->files.count) return inputs_from_files(d, from->files.at, from->files.count, inputs);
    if (!from->file) return inputs_from_samples(d, inputs);
    tensor_file file;
    fe_status status = tensor_file_open(d->session, d->memory, from->file, &file);
    if (status == FE_OK) status = inputs_from_file(d, &file, "", inputs);
    tensor_file_close(&file);
    return status;
}

fe_status run_once(run_state *r, double *us)
{
    const fe_artifact *a = r->artifact;
    if (r->kept.artifact)
        inputs_refill(&r->kept);
    else
        r->kept = inputs_keep(r->program, a, r->inputs);
    for (uint32_t k = 0; k < a->output_count; k++) r->outputs[k] = (fe_tensor){0};
    if (!r->device.artifact) call_begin(&r->device, a, r->context, r->program->memory);
    double seconds;
    int result = call_run(&r->device, r->inputs, r->outputs, &seconds);
    *us = seconds * 1e6;
    if (result == FE_RUN_OK) return FE_OK;
    return diag_fail(r->program->session, (diag){.status = FE_MISMATCH, .stage = "run"}, "%s",
                     a->error(r->context));
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

run_times run_times_of(double *us, uint32_t count)
{
    qsort(us, count, sizeof *us, by_value);
    return (run_times){count, us[count / 2], us[0]};
}

void run_prepare(run_state *r)
{
    r->inputs = NEW_ARRAY(r->program->memory, fe_tensor, r->artifact->input_count + 1);
    r->outputs = NEW_ARRAY(r->program->memory, fe_tensor, r->artifact->output_count + 1);
}

fe_status run_open(run_state *r, uint32_t threads)
{
    return driver_context(r->program, r->artifact, r->model, threads, &r->context);
}

void run_end(run_state *r)
{
    call_end(&r->device);
    if (r->context) r->artifact->context_free(r->context);
    r->context = NULL;
}

/* ---- the command ---- */

static fe_status write_outputs(fe_session *s, const run_call *o, const run_state *r)
{
    uint32_t count = r->artifact->output_count;
    arena *memory = r->program->memory;
    tensor_entry *entries = NEW_ARRAY(memory, tensor_entry, count + 1);
    if (o->output_dir) FE_TRY(file_make_dirs(s, o->output_dir));
    for (uint32_t k = 0; k < count; k++) {
        entries[k] = output_entry(memory, &r->outputs[k], arena_printf(memory, "out.%u", k));
        if (o->output_dir)
            FE_TRY(npy_write(s, arena_printf(memory, "%s/%u.npy", o->output_dir, k), &entries[k]));
    }
    return o->outputs ? safetensors_write(s, o->outputs, entries, count) : FE_OK;
}

typedef struct run_job {
    const run_call *options;
    run_state state;
    double first_us;
    run_times times;
} run_job;

static fe_status read_again(fe_program *d, void *data, fe_tensor *inputs)
{
    return run_read_inputs(d, data, inputs);
}

/* The outputs are those of the first call: later ones may find inputs and buffers changed by it. */
static fe_status call_body(fe_session *session, void *data)
{
    run_job *job = data;
    run_state *r = &job->state;
    const run_call *o = job->options;
    run_prepare(r);
    FE_TRY(run_read_inputs(r->program, &o->inputs, r->inputs));
    FE_TRY(run_open(r, o->threads));
    FE_TRY(run_once(r, &job->first_us));
    FE_TRY(write_outputs(session, o, r));
    if (r->program->options.bisect)
        FE_TRY(bisect_passes(r->program, read_again, (void *)(uintptr_t)&o->inputs));
    uint32_t count = o->repeat > 1 ? o->repeat : 1;
    double *us = NEW_ARRAY(r->program->memory, double, count);
    us[0] = job->first_us;
    for (uint32_t i = 0; i < count && count > 1; i++) FE_TRY(run_once(r, &us[i]));
    job->times = run_times_of(us, count);
    return FE_OK;
}

static void report(const run_job *job)
{
    fe_figures f;
    cli_clear_progress();
    fe_figures_of(job->state.program, &f);
    if (!job->options->json) {
        cli_print_figures(&f, stdout);
        printf("call: %.1f us (median of %u), %.1f us at best, %.1f us the first\n",
               job->times.median_us, job->times.calls, job->times.min_us, job->first_us);
        return;
    }
    printf("{\"compile_ms\": ");
    cli_print_stages_json(&f, stdout);
    printf(", \"call_us\": {\"median\": %.3f, \"min\": %.3f, \"first\": %.3f}, ",
           job->times.median_us, job->times.min_us, job->first_us);
    cli_print_sizes_json(&f, stdout);
    printf("}\n");
}

static int run(cli_call *call)
{
    const run_call *o = (run_call *)call;
    run_job job = {.options = o};
    run_state *r = &job.state;
    int status = 0;
    driver_options *session_options = api_options(call->session);
    if (!session_options->target) session_options->target = "process"; /* no C around the kernels */
    cli_show_progress(call->session);
    if (fe_compile_file(call->session, call->paths.at[0], &r->program) != FE_OK ||
        fe_load(r->program, &r->artifact, &r->model) != FE_OK ||
        api_call(call->session, call_body, &job) != FE_OK)
        status = cli_failed(call->session);
    else
        report(&job);
    run_end(r);
    fe_program_free(r->program);
    return status;
}

#define FIELD(name) offsetof(run_call, name)
static const cli_option options[] = {
    RUN_INPUT_OPTIONS(run_call),
    {"--outputs", CLI_TEXT, FIELD(outputs), "OUT.safetensors", "writes out.0, out.1, ..."},
    {"--output-dir", CLI_TEXT, FIELD(output_dir), "DIR", "writes DIR/0.npy, DIR/1.npy, ..."},
    {"--threads", CLI_NUMBER, FIELD(threads), "N", "of a call (default: one for each processor)"},
    {"--repeat", CLI_NUMBER, FIELD(repeat), "N", "calls to time after the first one"},
    {"--json", CLI_FLAG, FIELD(json), NULL, "times and sizes as one JSON object"},
};

const cli_command cli_run = {
    .name = "run",
    .what = "compiles a program, runs it, writes its outputs",
    .usage = "run MODEL.pt2 [--inputs IN.safetensors | --input A.npy ...] [--outputs "
             "OUT.safetensors]\n"
             "    [--output-dir DIR] [--threads N] [--repeat N] [--json]\n",
    .options = options,
    .option_count = COUNT_OF(options),
    .session_options =
        "isa device device-ports place devices cuda-arch cc target artifact no-cc nan-check "
        "inf-check lifecycle-check "
        "bisect dump-buffers "
        "dump-dir cache lapack "
        "jobs model from ops tune tune-budget-ms "
        "max-arena direct-convolution quantize donate memory-budget split part "
        "passes verify dump-after",
    .fewest = 1,
    .most = 1,
    .run = run,
    .bytes = sizeof(run_call),
};
