/* report.c -- `ferrite report`: a page about a program, its memory and the time of its kernels; a trace of a
 * run. */
#include "cli/cli.h"

typedef struct report_call {
    cli_call call;
    const char *output, *trace;
    bool quick;
} report_call;

static int report(cli_call *call)
{
    const report_call *o = (report_call *)call;
    fe_program *program = NULL;
    if (!o->output && !o->trace)
        return cli_mistake(&cli_report, "-o is missing: the page to write; or --trace");
    if (o->quick && o->trace)
        return cli_mistake(&cli_report, "a trace is of a run, and with --quick there is none");
    if (o->trace && api_options(call->session)->sizes)
        return cli_mistake(&cli_report,
                           "a trace is of a run at the example's sizes: leave --sizes out");
    cli_show_progress(call->session);
    /* a run would be one at the example's sizes */
    bool has_times = o->trace || (!o->quick && !api_options(call->session)->sizes);
    fe_status status = fe_set(call->session, "profile", has_times ? "on" : "off");
    if (status == FE_OK) status = fe_compile_file(call->session, call->paths.at[0], &program);
    if (status == FE_OK && o->output) status = fe_write_report(program, o->output);
    if (status == FE_OK && o->trace) status = fe_write_trace(program, o->trace);
    cli_clear_progress();
    int result = status == FE_OK ? 0 : cli_failed(call->session);
    if (status == FE_OK && o->output) printf("wrote %s\n", o->output);
    if (status == FE_OK && o->trace) printf("wrote %s\n", o->trace);
    fe_program_free(program);
    return result;
}

#define FIELD(name) offsetof(report_call, name)
static const cli_option options[] = {
    {"-o", CLI_TEXT, FIELD(output), "PAGE.html", "the page to write"},
    {"--trace", CLI_TEXT, FIELD(trace), "FILE.json",
     "when each step of a run was begun and done, on the host and on devices: for chrome://tracing "
     "or "
     "ui.perfetto.dev"},
    {"--quick", CLI_FLAG, FIELD(quick), NULL,
     "no times: neither a C compiler nor a call of the program"},
};

const cli_command cli_report = {
    .name = "report",
    .what = "writes a page about a program: memory over time, kernels, provenance",
    .usage = "report MODEL.pt2 -o REPORT.html [--quick] [--donate INPUT|all] [--sizes NAME=N,...]\n"
             "       ferrite report MODEL.pt2 --trace FILE.json\n",
    .options = options,
    .option_count = COUNT_OF(options),
    .session_options = "isa device device-ports place devices cuda-arch cc cache lapack jobs model "
                       "from ops max-arena "
                       "direct-convolution quantize donate memory-budget "
                       "sizes passes tune tune-budget-ms",
    .fewest = 1,
    .most = 1,
    .run = report,
    .bytes = sizeof(report_call),
};
