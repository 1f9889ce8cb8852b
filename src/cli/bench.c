/* bench.c -- `ferrite bench`: what a program costs from compile to call.
 *
 * Compiles twice, with an empty cache and again with what that left; loads the artifact as its user
 * would; then calls it with one thread, two, four, ... up to what was asked for.
 */
#define _GNU_SOURCE
#include "cli/run.h"

#include <dlfcn.h>
#include <sched.h>

enum { MOST_ROWS = 16, FEWEST_CALLS = 5, MOST_CALLS = 100000 };
static const double SECONDS = 1; /* of calls for each number of threads */

typedef struct bench_call {
    cli_call call;
    run_inputs inputs;
    uint32_t threads;
    double seconds;
    bool json;
} bench_call;

typedef struct bench_row {
    uint32_t threads;
    run_times times;
} bench_row;

typedef struct bench_job {
    const bench_call *options;
    const char *folder; /* the cache, and the artifact */
    fe_program *cold, *warm;
    void *library;
    const char *input_kind;
    double load_ms, first_us;
    bench_row rows[MOST_ROWS];
    uint32_t row_count;
    run_state state;
} bench_job;

/* ---- measuring ---- */

static const char *path_in(const bench_job *job, const char *name)
{
    return arena_printf(job->options->call.session->memory, "%s/%s", job->folder, name);
}

static fe_status load_failed(bench_job *job, const char *path, const char *why)
{
    return diag_fail(job->options->call.session,
                     (diag){.status = FE_TOOLCHAIN, .stage = "load", .place = path}, "%s", why);
}

/* The file opened, its weights mapped, a context made. */
static fe_status measure_load(bench_job *job, const char *path)
{
    run_state *r = &job->state;
    const fe_artifact *(*entry)(void);
    double begin = clock_seconds();
    job->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!job->library) return load_failed(job, path, dlerror());
    *(void **)&entry = dlsym(job->library, "ferrite_artifact");
    r->program = job->warm;
    r->artifact = entry();
    if (r->artifact->open(NULL, &r->model) != FE_RUN_OK)
        return load_failed(job, path, r->artifact->error(NULL));
    FE_TRY(run_open(r, 1));
    job->load_ms = (clock_seconds() - begin) * 1e3;
    run_end(r);
    return FE_OK;
}

static fe_status read_inputs(bench_job *job)
{
    const run_inputs *from = &job->options->inputs;
    bool given = from->file || from->files.count;
    job->input_kind = given ? "given" : inputs_have_samples(job->warm) ? "recorded" : "random";
    return given || inputs_have_samples(job->warm)
               ? run_read_inputs(job->warm, from, job->state.inputs)
               : inputs_at_random(job->warm, job->state.inputs);
}

static fe_status measure_calls(bench_job *job, uint32_t threads)
{
    run_state *r = &job->state;
    double *us = NEW_ARRAY(r->program->memory, double, MOST_CALLS), first_us;
    double limit = job->options->seconds > 0 ? job->options->seconds : SECONDS;
    uint32_t count = 0;
    FE_TRY(run_open(r, threads));
    FE_TRY(run_once(r, &first_us));
    if (job->row_count == 0) job->first_us = first_us;
    double end = clock_seconds() + limit;
    while (count < MOST_CALLS && (count < FEWEST_CALLS || clock_seconds() < end))
        FE_TRY(run_once(r, &us[count++]));
    job->rows[job->row_count++] = (bench_row){threads, run_times_of(us, count)};
    run_end(r);
    return FE_OK;
}

static uint32_t processors(void)
{
    cpu_set_t mine;
    return sched_getaffinity(0, sizeof mine, &mine) == 0 ? (uint32_t)CPU_COUNT(&mine) : 1;
}

static fe_status bench_body(fe_session *session, void *data)
{
    bench_job *job = data;
    uint32_t most = job->options->threads ? job->options->threads : processors();
    (void)session;
    FE_TRY(measure_load(job, path_in(job, "warm.so")));
    run_prepare(&job->state);
    FE_TRY(read_inputs(job));
    for (uint32_t threads = 1; threads < most && job->row_count < MOST_ROWS - 1; threads *= 2)
        FE_TRY(measure_calls(job, threads));
    return measure_calls(job, most);
}

/* ---- saying it ---- */

static void print_table(const bench_job *job)
{
    fe_figures cold, warm;
    fe_figures_of(job->cold, &cold);
    fe_figures_of(job->warm, &warm);
    printf("compile, cold   %10.1f ms  (C compiler %.1f)\n", cold.compile_ms,
           job->cold->ms[STAGE_CC]);
    printf("compile, warm   %10.1f ms\n", warm.compile_ms);
    printf("load            %10.2f ms\n", job->load_ms);
    printf("first call      %10.1f us  (%s inputs)\n", job->first_us, job->input_kind);
    printf("\nthreads    calls   median us      min us\n");
    for (uint32_t i = 0; i < job->row_count; i++) {
        const bench_row *row = &job->rows[i];
        printf("%7u %8u %11.1f %11.1f\n", row->threads, row->times.calls, row->times.median_us,
               row->times.min_us);
    }
    if (warm.arena_bytes >= 0)
        printf("\narena     %12lld bytes  (lower bound %lld)\n", (long long)warm.arena_bytes,
               (long long)warm.arena_lower_bound);
    else
        printf("\narena     by the sizes of the inputs\n");
    printf("artifact  %12lld bytes  (weights %lld)\n", (long long)warm.artifact_bytes,
           (long long)warm.weights_bytes);
    printf("kernels   %12u calls  (%u distinct)\n", warm.kernels, warm.unique_kernels);
}

static void print_json(const bench_job *job)
{
    fe_figures cold, warm;
    fe_figures_of(job->cold, &cold);
    fe_figures_of(job->warm, &warm);
    printf("{\"compile_ms\": {\"cold\": ");
    cli_print_stages_json(&cold, stdout);
    printf(", \"warm\": ");
    cli_print_stages_json(&warm, stdout);
    printf(
        "}, \"load_ms\": %.3f, \"inputs\": \"%s\", \"call_us\": {\"first\": %.3f, \"threads\": [",
        job->load_ms, job->input_kind, job->first_us);
    for (uint32_t i = 0; i < job->row_count; i++) {
        const bench_row *row = &job->rows[i];
        printf("%s{\"threads\": %u, \"calls\": %u, \"median\": %.3f, \"min\": %.3f}", i ? ", " : "",
               row->threads, row->times.calls, row->times.median_us, row->times.min_us);
    }
    printf("]}, ");
    cli_print_sizes_json(&warm, stdout);
    printf("}\n");
}

/* ---- the command ---- */

static fe_status make_folder(fe_session *session, void *data)
{
    bench_job *job = data;
    return file_make_temporary_dir(session, session->memory, &job->folder);
}

static fe_status compile(bench_job *job, const char *name, fe_program **out)
{
    FE_TRY(fe_compile_file(job->options->call.session, job->options->call.paths.at[0], out));
    return fe_write_library(*out, path_in(job, name));
}

static fe_status measure(bench_job *job)
{
    fe_session *session = job->options->call.session;
    FE_TRY(api_call(session, make_folder, job));
    FE_TRY(fe_set(session, "cache", job->folder));
    FE_TRY(compile(job, "cold.so", &job->cold));
    FE_TRY(compile(job, "warm.so", &job->warm));
    cli_clear_progress();
    return api_call(session, bench_body, job);
}

static int bench(cli_call *call)
{
    bench_job job = {.options = (bench_call *)call};
    int failed = 0;
    cli_show_progress(call->session);
    if (measure(&job) != FE_OK)
        failed = cli_failed(call->session);
    else if (job.options->json)
        print_json(&job);
    else
        print_table(&job);
    run_end(&job.state);
    if (job.state.model) job.state.artifact->close(job.state.model);
    if (job.library) dlclose(job.library);
    fe_program_free(job.cold);
    fe_program_free(job.warm);
    if (job.folder) file_remove_tree(job.folder);
    return failed;
}

#define FIELD(name) offsetof(bench_call, name)
static const cli_option options[] = {
    RUN_INPUT_OPTIONS(bench_call),
    {"--threads", CLI_NUMBER, FIELD(threads), "N",
     "most threads (default: one for each processor)"},
    {"--seconds", CLI_REAL, FIELD(seconds), "S",
     "to spend on calls for each number of threads (default: 1)"},
    {"--json", CLI_FLAG, FIELD(json), NULL, "times and sizes as one JSON object"},
};

const cli_command cli_bench = {
    .name = "bench",
    .what = "times a program: compile, load, calls on 1 to N threads",
    .usage = "bench MODEL.pt2 [--inputs IN.safetensors | --input A.npy ...] [--threads N]\n"
             "    [--seconds S] [--json]\n",
    .options = options,
    .option_count = COUNT_OF(options),
    .session_options =
        "isa device device-ports place devices cuda-arch cc lapack jobs model from ops max-arena "
        "direct-convolution quantize "
        "donate memory-budget split "
        "part passes tune tune-budget-ms",
    .fewest = 1,
    .most = 1,
    .run = bench,
    .bytes = sizeof(bench_call),
};
