/* inspect.c -- `ferrite inspect`: any stage as text, from an archive or from the text of an earlier
 * stage. */
#include "cli/cli.h"

typedef struct inspect_call {
    cli_call call;
    const char *stage, *plot;
} inspect_call;

static void show_pass(void *data, const char *pass, const char *graph, size_t length)
{
    (void)data;
    printf("# after %s\n", pass);
    fwrite(graph, 1, length, stdout);
}

static int write_plot(cli_call *call, const char *path)
{
    const char *svg;
    size_t length;
    if (fe_inspect_file(call->session, call->paths.at[0], "plot", &svg, &length) != FE_OK)
        return cli_failed(call->session);
    FILE *to = fopen(path, "w");
    bool good = to && fwrite(svg, 1, length, to) == length;
    if (to) good &= fclose(to) == 0;
    return good ? 0 : cli_mistake(&cli_inspect, "cannot write %s", path);
}

static int inspect(cli_call *call)
{
    const inspect_call *o = (inspect_call *)call;
    bool shows_passes = api_options(call->session)->dump_after;
    const char *shown;
    size_t length;
    fe_observe(call->session, &(fe_observer){.dump = show_pass});
    if (fe_inspect_file(call->session, call->paths.at[0], o->stage ? o->stage : "fx", &shown,
                        &length) != FE_OK)
        return cli_failed(call->session);
    if (!shows_passes) fwrite(shown, 1, length, stdout);
    return o->plot ? write_plot(call, o->plot) : 0;
}

static const cli_option options[] = {
    {"--stage", CLI_TEXT, offsetof(inspect_call, stage), "STAGE",
     "read: as exported; fx: after the passes (default); loop; sched; kern; legal: kernels with "
     "the functions that the target needs; plan; plot: the plan as SVG; wrap; c; device: kernels "
     "of other devices; python: as a module; graph: as one for torch.fx; provenance: lines, "
     "kernels and nodes as JSON"},
    {"--plot", CLI_TEXT, offsetof(inspect_call, plot), "FILE",
     "write a picture of memory over time, as SVG"},
};

const cli_command cli_inspect = {
    .name = "inspect",
    .what = "shows a stage of the compiler as text",
    .usage = "inspect MODEL.pt2|FILE.fx|- --stage "
             "read|fx|loop|sched|kern|legal|plan|plot|wrap|c|device|python|graph|provenance\n"
             "inspect MODEL.pt2|FILE.fx --stage plan --plot FILE.svg\n"
             "inspect FILE|- --from fx|loop|sched|kern|wrap --stage STAGE\n"
             "inspect MODEL.pt2 --dump-after PASS|all\n",
    .options = options,
    .option_count = COUNT_OF(options),
    .session_options = "isa name device device-ports place cuda-arch model from ops max-arena "
                       "direct-convolution quantize donate "
                       "memory-budget sizes nan-check "
                       "inf-check split part "
                       "passes verify dump-after tune tune-budget-ms cc cache jobs",
    .fewest = 1,
    .most = 1,
    .run = inspect,
    .bytes = sizeof(inspect_call),
};
