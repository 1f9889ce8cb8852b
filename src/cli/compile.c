/* compile.c -- `ferrite compile`: a shared library with its header, or what else there is. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct compile_call {
    cli_call call;
    const char *output, *emit, *provenance;
    bool quiet;
} compile_call;

static void report(const compile_call *o, const fe_program *program)
{
    fe_figures f;
    if (o->quiet) return;
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
}

static int wrote(const compile_call *o)
{
    if (!o->quiet) printf("wrote %s\n", o->output);
    return 0;
}

/* What can be made. */
typedef struct emission {
    const char *name, *made;
    const char *ending; /* of an output's name, that says so where --emit does not */
    fe_status (*write)(fe_program *program, const char *path);
    bool takes_several; /* programs */
} emission;
static const emission emissions[] = {
    {"so", "library", ".so", fe_write_library, true},
    {"a", "archive", ".a", fe_write_library, true},
    {"c", "folder", "/", fe_write_sources, true},
    {"python", "module, or its folder,", ".py", fe_write_python, false},
    {"fx", "graph, or its folder,", ".json", fe_write_fx, false},
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

/* ---- several programs ---- */

/* One of them: a program of an archive, or the only one of a file. */
typedef struct member {
    const char *path, *model;
    fe_program *program;
} member;

/* "out/decode-step.pt2": decode_step */
static const char *name_of(fe_session *session, const member *m)
{
    if (m->model) return emit_identifier(session->memory, m->model);
    const char *slash = strrchr(m->path, '/'), *from = slash ? slash + 1 : m->path;
    const char *dot = strrchr(from, '.');
    int length = dot ? (int)(dot - from) : (int)strlen(from);
    return emit_identifier(session->memory, arena_printf(session->memory, "%.*s", length, from));
}

static fe_status compile_member(fe_session *session, member *m)
{
    fe_status status = fe_set(session, "name", name_of(session, m));
    if (status == FE_OK) status = fe_set(session, "model", m->model);
    return status == FE_OK ? fe_compile_file(session, m->path, &m->program) : status;
}

/* A folder is one by its name. */
static fe_status write_members(const compile_call *o, const emission *to,
                               fe_program *const *programs, uint32_t count)
{
    if (to->write != fe_write_sources) return fe_write_programs(programs, count, o->output);
    char *folder = calloc(strlen(o->output) + 2, 1);
    strcat(strcpy(folder, o->output), "/");
    fe_status status = fe_write_programs(programs, count, folder);
    free(folder);
    return status;
}

static fe_status compile_members(const compile_call *o, const emission *to, member *members,
                                 uint32_t count)
{
    fe_program **programs = calloc(count, sizeof(fe_program *));
    fe_status status = FE_OK;
    for (uint32_t k = 0; k < count && status == FE_OK; k++) {
        status = compile_member(o->call.session, &members[k]);
        programs[k] = members[k].program;
    }
    if (status == FE_OK) status = write_members(o, to, programs, count);
    free(programs);
    return status;
}

static int compile_several(const compile_call *o, const emission *to, member *members,
                           uint32_t count)
{
    const driver_options *given = api_options(o->call.session);
    if (!to->takes_several)
        return cli_mistake(
            &cli_compile,
            "several programs make a library (.so, .a or C sources); for one, --model NAME");
    if (given->name || o->provenance)
        return cli_mistake(&cli_compile, "--%s is for one program",
                           given->name ? "name" : "provenance");
    cli_show_progress(o->call.session);
    fe_status status = compile_members(o, to, members, count);
    cli_clear_progress();
    int result = status == FE_OK ? 0 : cli_failed(o->call.session);
    for (uint32_t k = 0; k < count; k++) {
        if (status == FE_OK && !o->quiet) printf("%s\n", fe_program_name(members[k].program));
        if (status == FE_OK) report(o, members[k].program);
        fe_program_free(members[k].program);
    }
    return status == FE_OK ? wrote(o) : result;
}

/* Those of the archives that are named, which are at least two; else 0. The caller's to free. */
static uint32_t list_members(const compile_call *o, member **out)
{
    bool is_named = api_options(o->call.session)->model != NULL;
    uint32_t count = 0;
    *out = NULL;
    for (uint32_t i = 0; i < o->call.paths.count; i++) {
        const char *path = o->call.paths.at[i], *const * names;
        uint32_t models = 0;
        if (is_named || fe_model_names(o->call.session, path, &names, &models) != FE_OK ||
            models < 2)
            models = 1;
        *out = realloc(*out, (count + models) * sizeof **out);
        for (uint32_t k = 0; k < models; k++)
            (*out)[count++] = (member){path, models > 1 ? names[k] : NULL, NULL};
    }
    return count;
}

/* ---- the command ---- */

static int compile_one(const compile_call *o, const emission *to)
{
    fe_program *program;
    cli_show_progress(o->call.session);
    fe_status status = fe_compile_file(o->call.session, o->call.paths.at[0], &program);
    if (status == FE_OK) status = to->write(program, o->output);
    if (status == FE_OK && o->provenance) status = fe_write_provenance(program, o->provenance);
    cli_clear_progress();
    if (status == FE_OK) report(o, program);
    int result = status == FE_OK ? wrote(o) : cli_failed(o->call.session);
    fe_program_free(program);
    return result;
}

static int compile(cli_call *call)
{
    const compile_call *o = (compile_call *)call;
    const emission *to = o->emit ? find_emission(o->emit) : by_ending(o->output);
    member *members;
    if (!to)
        return cli_mistake(&cli_compile, "--emit is so, a, c, python or fx, not '%s'", o->emit);
    if (!o->output) return cli_mistake(&cli_compile, "-o is missing: the %s to make", to->made);
    if (!o->emit && ends_in(o->output, ".c"))
        return cli_mistake(&cli_compile, "C sources are a folder with a Makefile: -o DIR/");
    uint32_t count = list_members(o, &members);
    int result = count > 1 ? compile_several(o, to, members, count) : compile_one(o, to);
    free(members);
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
             "compile PROMPT.pt2 STEP.pt2 -o MODEL.so\n"
             "compile MODEL.pt2 -o DIR/\n"
             "compile MODEL.pt2 -o MODEL.py\n"
             "compile MODEL.pt2 -o MODEL.json\n",
    .options = options,
    .option_count = COUNT_OF(options),
    .session_options = "isa name device device-ports place cuda-arch cc cache lapack jobs model "
                       "from ops max-arena "
                       "direct-convolution quantize donate "
                       "memory-budget profile "
                       "nan-check inf-check "
                       "split part passes verify tune tune-budget-ms "
                       "dump-after",
    .fewest = 1,
    .most = UINT32_MAX,
    .run = compile,
    .bytes = sizeof(compile_call),
};
