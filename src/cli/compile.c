/* compile.c -- `ferrite compile`: a shared library with its header, or what else there is. */
#include "cli/cli.h"

#include <string.h>

typedef struct compile_call {
    cli_call call;
    const char *output, *emit, *provenance;
    bool quiet;
} compile_call;

static int report(const compile_call *o, const fe_program *program)
{
    fe_figures f;
    if (o->quiet) return 0;
    fe_figures_of(program, &f);
    cli_print_figures(&f, stdout);
    if (api_options(o->call.session)->quantize.count) cli_print_quantised(program, stdout);
    if (fe_thread_bytes(program)) {
        printf("threads: %lld bytes each", (long long)fe_thread_bytes(program));
        if (fe_threads_within(program))
            printf("; up to %u of them within the arena and outputs", fe_threads_within(program));
        putchar('\n');
    }
    if (fe_table_bytes(program)) printf("tables: %lld bytes\n", (long long)fe_table_bytes(program));
    int64_t donated = fe_donated_bytes(program);
    if (donated > 0) printf("donated inputs: %lld bytes more\n", (long long)donated);
    if (donated < 0) printf("donated inputs: more by their sizes\n");
    printf("wrote %s\n", o->output);
    return 0;
}

/* What can be made. */
typedef struct emission {
    const char *name, *made;
    const char *ending; /* of an output's name, that says so where --emit does not */
    fe_status (*write)(fe_program *program, const char *path);
} emission;
static const emission emissions[] = {
    {"so", "library", ".so", fe_write_library},
    {"a", "archive", ".a", fe_write_library},
    {"c", "folder", "/", fe_write_sources},
    {"python", "module, or its folder,", ".py", fe_write_python},
    {"fx", "graph, or its folder,", ".json", fe_write_fx},
};

static bool ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), end = strlen(ending);
    return length >= end && strcmp(name + length - end, ending) == 0;
}

static const emission *find_emission(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(emissions); i++)
        if (strcmp(emissions[i].name, name) == 0) return &emissions[i];
    return NULL;
}

static const emission *by_ending(const char *output)
{
    for (size_t i = 0; output && i < COUNT_OF(emissions); i++)
        if (ends_in(output, emissions[i].ending)) return &emissions[i];
    return &emissions[0];
}

static int compile(cli_call *call)
{
    const compile_call *o = (compile_call *)call;
    const emission *to = o->emit ? find_emission(o->emit) : by_ending(o->output);
    fe_program *program;
    if (!to)
        return cli_mistake(&cli_compile, "--emit is so, a, c, python or fx, not '%s'", o->emit);
    if (!o->output) return cli_mistake(&cli_compile, "-o is missing: the %s to make", to->made);
    if (!o->emit && ends_in(o->output, ".c"))
        return cli_mistake(&cli_compile, "C sources are a folder with a Makefile: -o DIR/");
    cli_show_progress(call->session);
    fe_status status = fe_compile_file(call->session, call->paths.at[0], &program);
    if (status == FE_OK) status = to->write(program, o->output);
    if (status == FE_OK && o->provenance) status = fe_write_provenance(program, o->provenance);
    cli_clear_progress();
    int result = status == FE_OK ? report(o, program) : cli_failed(call->session);
    fe_program_free(program);
    return result;
}

#define FIELD(name) offsetof(compile_call, name)
static const cli_option options[] = {
    {"-o", CLI_TEXT, FIELD(output), "PATH", "what is to be made"},
    {"--emit", CLI_TEXT, FIELD(emit), "so|a|c|python|fx",
     "so: a shared library, and a header beside it; a: an archive to link into a program, with "
     "weights beside it; c: C sources, weights and a Makefile (default "
     "for DIR/); python: a module, its kernels and what it imports (for .py); fx: the same as a "
     "graph for torch.fx (for .json)"},
    {"--provenance", CLI_TEXT, FIELD(provenance), "FILE",
     "also writes what each line and kernel comes from, as JSON (inspect --stage provenance)"},
    {"--quiet", CLI_FLAG, FIELD(quiet), NULL, "says nothing of what was made"},
};

const cli_command cli_compile = {
    .name = "compile",
    .what = "makes a shared library, C sources, a Python module or an FX graph of a program",
    .usage = "compile MODEL.pt2 -o MODEL.so\n"
             "compile MODEL.pt2 -o libMODEL.a\n"
             "compile MODEL.pt2 -o DIR/\n"
             "compile MODEL.pt2 -o MODEL.py\n"
             "compile MODEL.pt2 -o MODEL.json\n",
    .options = options,
    .option_count = COUNT_OF(options),
    .session_options =
        "isa name device device-ports place cc cache lapack jobs model from ops max-arena "
        "direct-convolution quantize donate "
        "memory-budget profile "
        "nan-check inf-check "
        "split part passes verify tune tune-budget-ms "
        "dump-after",
    .fewest = 1,
    .most = 1,
    .run = compile,
    .bytes = sizeof(compile_call),
};
