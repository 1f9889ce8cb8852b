/* compile.c -- `ferrite compile`: a shared library with its header, or a folder of C sources. */
#include "cli/cli.h"

#include <string.h>

typedef struct compile_call {
    cli_call call;
    const char *output, *emit;
    bool quiet;
} compile_call;

static int report(const compile_call *o, const fe_program *program)
{
    fe_figures f;
    if (o->quiet) return 0;
    fe_figures_of(program, &f);
    cli_print_figures(&f, stdout);
    printf("wrote %s\n", o->output);
    return 0;
}

static int compile(cli_call *call)
{
    const compile_call *o = (compile_call *)call;
    bool to_sources = o->emit && strcmp(o->emit, "c") == 0;
    fe_program *program;
    if (o->emit && !to_sources && strcmp(o->emit, "so") != 0)
        return cli_mistake(&cli_compile, "--emit is so or c, not '%s'", o->emit);
    if (!o->output)
        return cli_mistake(&cli_compile, "-o is missing: the %s to make",
                           to_sources ? "folder" : "library");
    cli_show_progress(call->session);
    fe_status status = fe_compile_file(call->session, call->paths.at[0], &program);
    if (status == FE_OK)
        status = to_sources ? fe_write_sources(program, o->output)
                            : fe_write_library(program, o->output);
    cli_clear_progress();
    int result = status == FE_OK ? report(o, program) : cli_failed(call->session);
    fe_program_free(program);
    return result;
}

#define FIELD(name) offsetof(compile_call, name)
static const cli_option options[] = {
    {"-o", CLI_TEXT, FIELD(output), "PATH", "library, or folder of sources, to make"},
    {"--emit", CLI_TEXT, FIELD(emit), "so|c",
     "so: a shared library, and a header beside it (default); c: C sources, weights and a "
     "Makefile"},
    {"--quiet", CLI_FLAG, FIELD(quiet), NULL, "says nothing of what was made"},
};

const cli_command cli_compile = {
    .name = "compile",
    .what = "makes a shared library, or C sources, of a program",
    .usage = "compile MODEL.pt2 -o MODEL.so\n"
             "compile MODEL.pt2 --emit c -o DIR/\n",
    .options = options,
    .option_count = COUNT_OF(options),
    .session_options =
        "isa cc cache lapack jobs model from ops max-arena memory-budget profile split part passes verify "
        "dump-after",
    .fewest = 1,
    .most = 1,
    .run = compile,
    .bytes = sizeof(compile_call),
};
