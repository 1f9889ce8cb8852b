/* api.c -- ferrite.h as its users have it: what is given back, what is said of mistakes, and that two
 * threads may compile at once. */
#include "ferrite.h"
#include "ferrite_passes.h"
#include "unit.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char DIGITS[] = "demo/digits.pt2";
static const char STATEFUL[] = "test/cases/programs/input_mutation.pt2";
static const char RELU[] = "graph main {\n  placeholder %x user \"x\" : f32[2,3]\n"
                           "  %y = aten.relu.default(%x) : f32[2,3]\n  output (user %y)\n}\n";

static char *slurp(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    if (!in) return NULL;
    fseek(in, 0, SEEK_END);
    *size = (size_t)ftell(in);
    rewind(in);
    char *bytes = malloc(*size + 1);
    *size = fread(bytes, 1, *size, in);
    fclose(in);
    return bytes;
}

/* The first number that the program gives for its samples. */
static float first_output(fe_program *program)
{
    const fe_artifact *a;
    fe_model *model;
    fe_context *context;
    fe_tensor inputs[8], outputs[8] = {{0}};
    float first = NAN;
    if (!EXPECT(fe_load(program, &a, &model) == FE_OK)) return first;
    EXPECT_INT(fe_sample_inputs(program, inputs), FE_OK);
    if (!EXPECT(a->context_new(model, 2, &context) == FE_RUN_OK)) return first;
    if (EXPECT(a->run(context, inputs, a->input_count, outputs, a->output_count) == FE_RUN_OK))
        first = *(float *)outputs[0].data;
    a->context_free(context);
    return first;
}

/* ---- passes of the caller's ---- */

/* relu becomes what `data` names, and counts. */
typedef struct renaming {
    const char *to;
    int count;
} renaming;

static int rename_relu(fe_graph *graph, const fe_graph_calls *c, void *data)
{
    renaming *r = data;
    int changed = 0;
    for (fe_node *next, *n = c->first(graph); n; n = next) {
        fe_tensor_facts facts;
        next = c->next(n);
        if (!c->is_call(n, "aten.relu.default")) continue;
        EXPECT(c->tensor(graph, n, &facts) && facts.rank == 2 && facts.sizes[1] == 3);
        fe_operand x = c->operand_named(graph, n, "self");
        fe_node *made = c->call(graph, n, r->to, &x, 1);
        if (!made) return -1;
        c->replace_uses(graph, n, made);
        EXPECT_INT(c->erase(graph, n), 0);
        changed = 1;
        r->count++;
    }
    return changed;
}

TEST(a_pass_of_the_callers_runs_in_its_session_alone)
{
    fe_session *session = fe_session_new(), *other = fe_session_new();
    const char *shown;
    renaming r = {"aten.neg.default", 0};
    fe_pass pass = {.name = "rename", .run = rename_relu, .data = &r};
    EXPECT_INT(fe_add_pass(session, &pass), FE_OK);
    fe_set(session, "from", "fx");
    fe_set(other, "from", "fx");
    EXPECT_INT(fe_inspect_memory(session, "r.fx", RELU, sizeof RELU - 1, "fx", &shown, NULL),
               FE_OK);
    EXPECT(shown && strstr(shown, "aten.neg.default"));
    EXPECT_INT(fe_inspect_memory(other, "r.fx", RELU, sizeof RELU - 1, "fx", &shown, NULL), FE_OK);
    EXPECT(shown && strstr(shown, "aten.relu.default"));
    EXPECT_INT(r.count, 1);
    r.to = "aten.isnan.default"; /* of another dtype */
    EXPECT_INT(fe_inspect_memory(session, "r.fx", RELU, sizeof RELU - 1, "fx", &shown, NULL),
               FE_USAGE);
    EXPECT(strstr(fe_error(session), "rename"));
    EXPECT_INT(fe_add_pass(session, NULL), FE_OK);
    EXPECT_INT(fe_inspect_memory(session, "r.fx", RELU, sizeof RELU - 1, "fx", &shown, NULL),
               FE_OK);
    EXPECT(shown && strstr(shown, "aten.relu.default"));
    fe_session_free(session);
    fe_session_free(other);
}

/* ---- what a call gives ---- */

TEST(a_program_compiles_loads_and_runs)
{
    fe_session *session = fe_session_new();
    fe_program *program;
    const fe_artifact *first, *second;
    fe_model *model, *same;
    fe_figures f;
    EXPECT_INT(fe_compile_file(session, DIGITS, &program), FE_OK);
    fe_figures_of(program, &f);
    EXPECT_INT(f.artifact_bytes, 0);
    EXPECT(isfinite(first_output(program)));
    EXPECT_INT(fe_load(program, &first, &model), FE_OK);
    EXPECT_INT(fe_load(program, &second, &same), FE_OK);
    EXPECT(first == second && model == same && first->input_count == 1);
    fe_figures_of(program, &f);
    EXPECT(f.compile_ms > 0 && f.stage_ms[0] > 0 && f.artifact_bytes > f.weights_bytes);
    EXPECT_TEXT(f.stage_names[0], "read");
    EXPECT(f.input_count == 1 && f.output_count == 1 && f.kernels >= f.unique_kernels);
    EXPECT(f.weights_bytes > 0 && f.arena_bytes >= f.arena_lower_bound);
    EXPECT_TEXT(fe_error(session), "");
    fe_program_free(program);
    fe_session_free(session);
}

TEST(memory_and_file_give_the_same_program)
{
    size_t size = 0, length, other;
    char *bytes = slurp(DIGITS, &size), *moved = malloc(size + 100);
    fe_session *session = fe_session_new();
    fe_program *program;
    const char *shown;
    fe_compile_file(session, DIGITS, &program);
    float wanted = first_output(program);
    fe_program_free(program);
    for (size_t shift = 0; shift < 3; shift++) { /* aligned or not */
        memcpy(moved + shift, bytes, size);
        EXPECT_INT(fe_compile_memory(session, "digits.pt2", moved + shift, size, &program), FE_OK);
        EXPECT(first_output(program) == wanted);
        fe_program_free(program);
    }
    EXPECT_INT(fe_inspect_file(session, DIGITS, "c", &shown, &length), FE_OK);
    char *first = strdup(shown);
    EXPECT_INT(fe_inspect_memory(session, "digits.pt2", bytes, size, "c", &shown, &other), FE_OK);
    EXPECT_TEXT(shown, first);
    EXPECT_INT(other, length);
    EXPECT_INT(strlen(first), length);
    free(first);
    free(bytes);
    free(moved);
    fe_session_free(session);
}

TEST(text_goes_in_and_comes_out)
{
    fe_session *session = fe_session_new();
    const char *shown;
    fe_program *program;
    fe_tensor input;
    EXPECT_INT(fe_inspect_memory(session, "net.fx", RELU, sizeof RELU - 1, "loop", &shown, NULL),
               FE_OK);
    EXPECT(shown && strstr(shown, "program net"));
    char *loops = strdup(shown);
    EXPECT_INT(fe_set(session, "from", "loop"), FE_OK);
    EXPECT_INT(fe_inspect_memory(session, "net", loops, strlen(loops), "loop", &shown, NULL),
               FE_OK);
    EXPECT_TEXT(shown, loops);
    EXPECT_INT(fe_inspect_memory(session, "net", loops, strlen(loops), "fx", &shown, NULL),
               FE_USAGE);
    EXPECT(shown == NULL);
    EXPECT_INT(fe_set(session, "from", NULL), FE_OK);
    EXPECT_INT(fe_compile_memory(session, "net.fx", RELU, sizeof RELU - 1, &program), FE_OK);
    EXPECT_INT(fe_sample_inputs(program, &input), FE_USAGE);
    fe_program_free(program);
    free(loops);
    fe_session_free(session);
}

TEST(each_load_has_its_own_inputs)
{
    fe_session *session = fe_session_new();
    fe_program *program;
    EXPECT_INT(fe_compile_file(session, STATEFUL, &program), FE_OK);
    float first = first_output(program); /* writes into its inputs */
    EXPECT(first_output(program) == first);
    fe_program_free(program);
    fe_session_free(session);
}

/* ---- mistakes ---- */

static void expect_mistake(fe_session *session, fe_status status, fe_status wanted,
                           const char *word)
{
    fe_diagnostic d = {0};
    EXPECT_INT(status, wanted);
    EXPECT(strstr(fe_error(session), word) != NULL);
    EXPECT(fe_diagnostic_at(session, 0, &d) && d.status == wanted && d.message);
    EXPECT(!fe_diagnostic_at(session, 1, &d));
}

TEST(mistakes_are_told_once_and_forgotten)
{
    fe_session *session = fe_session_new();
    fe_program *program = (fe_program *)session;
    const char *shown = "";
    fe_diagnostic d;
    expect_mistake(session, fe_compile_file(session, "missing.pt2", &program), FE_IO,
                   "missing.pt2");
    EXPECT(program == NULL);
    expect_mistake(session, fe_compile_memory(session, "x.pt2", "PK", 2, &program), FE_CORRUPT,
                   "x.pt2");
    expect_mistake(session, fe_compile_memory(session, "x.pt2", NULL, 0, &program), FE_CORRUPT,
                   "x.pt2");
    expect_mistake(session, fe_inspect_file(session, DIGITS, "lop", &shown, NULL), FE_USAGE,
                   "'loop'");
    EXPECT(shown == NULL);
    expect_mistake(session, fe_set(session, "threads", "1"), FE_USAGE, "threads");
    expect_mistake(session, fe_set(session, "isa", "v4"), FE_USAGE, "x86-64-v4");
    expect_mistake(session, fe_set(session, "jobs", "many"), FE_USAGE, "many");
    expect_mistake(session, fe_set(session, "verify", "yes"), FE_USAGE, "on");
    EXPECT_INT(fe_compile_file(session, DIGITS, &program), FE_OK);
    EXPECT_TEXT(fe_error(session), "");
    EXPECT(!fe_diagnostic_at(session, 0, &d));
    expect_mistake(session, fe_write_library(program, "no/such/folder/x.so"), FE_IO, "no/such");
    expect_mistake(session, fe_write_sources(program, "demo/digits.pt2/x"), FE_IO, "digits.pt2");
    expect_mistake(session, fe_write_library(program, "/dev/null"), FE_IO, "/dev/null");
    fe_program_free(program);
    EXPECT(strstr(fe_error(session), "/dev/null") != NULL);
    fe_program_free(NULL);
    fe_session_free(session);
    fe_session_free(NULL);
}

TEST(a_list_grows_and_is_emptied)
{
    fe_session *session = fe_session_new();
    const char *shown;
    for (int i = 0; i < 40; i++) EXPECT_INT(fe_set(session, "ops", "missing.so"), FE_OK);
    expect_mistake(session, fe_inspect_file(session, DIGITS, "read", &shown, NULL), FE_USAGE,
                   "missing.so");
    EXPECT_INT(fe_set(session, "ops", NULL), FE_OK);
    EXPECT_INT(fe_inspect_file(session, DIGITS, "read", &shown, NULL), FE_OK);
    fe_session_free(session);
}

TEST(a_broken_compiler_is_named)
{
    fe_session *session = fe_session_new();
    fe_program *program;
    const fe_artifact *artifact;
    fe_model *model;
    static const char *const compilers[] = {"/no/such/cc", "false", "", "cc --no-such-option"};
    EXPECT_INT(fe_set(session, "cache", ""), FE_OK);
    for (size_t i = 0; i < COUNT_OF(compilers); i++) {
        EXPECT_INT(fe_set(session, "cc", compilers[i]), FE_OK);
        EXPECT_INT(fe_compile_file(session, DIGITS, &program), FE_OK);
        fe_status status = fe_load(program, &artifact, &model);
        EXPECT(status == (*compilers[i] ? FE_TOOLCHAIN : FE_USAGE) && !artifact && !model);
        EXPECT(strstr(fe_error(session), compilers[i]) != NULL);
        fe_program_free(program);
    }
    fe_session_free(session);
}

TEST(statuses_have_names)
{
    EXPECT_TEXT(fe_status_name(FE_OK), "ok");
    EXPECT_TEXT(fe_status_name(FE_STOPPED), "stopped");
    EXPECT_TEXT(fe_status_name((fe_status)77), "unknown");
    EXPECT_TEXT(fe_version(), FE_VERSION);
}

TEST(operators_of_the_library_are_known_by_name)
{
    EXPECT_INT(fe_knows("aten::add.Tensor"), 1);
    EXPECT_INT(fe_knows("aten.relu_.default"), 1);
    EXPECT_INT(fe_knows("aten::relu"), 1);
    EXPECT_INT(fe_knows("quantized_decomposed::quantize_per_tensor.tensor"), 1);
    EXPECT_INT(fe_knows("aten::add.Nothing"), 0);
    EXPECT_INT(fe_knows("shop::add"), 0);
    EXPECT_INT(fe_knows(""), 0);
}

/* Whatever the compiler holds when memory ends, it comes back with a word about it. */
TEST(lack_of_memory_comes_back)
{
    fe_session *session = fe_session_new();
    fe_program *program;
    fe_status status = FE_NO_MEMORY;
    size_t before = session->bytes_in_arenas;
    for (size_t limit = 1 << 12; status == FE_NO_MEMORY; limit += limit / 4) {
        session->memory_limit = session->bytes_in_arenas + limit;
        status = fe_compile_file(session, DIGITS, &program);
        EXPECT(status == FE_OK || (!program && strstr(fe_error(session), "out of memory")));
    }
    EXPECT_INT(status, FE_OK);
    fe_program_free(program);
    session->memory_limit = 0;
    EXPECT_INT(fe_set(session, "isa", "native"), FE_OK); /* and nothing is held */
    EXPECT(session->bytes_in_arenas < before + (1 << 20));
    fe_session_free(session);
}

/* ---- the observer ---- */

typedef struct watch {
    char stages[400];
    uint32_t calls, stop_at; /* 0: never */
    size_t dumped;
} watch;

static int see_progress(void *data, const char *stage, uint32_t done, uint32_t total)
{
    watch *w = data;
    EXPECT(done <= total);
    if (done == 0) {
        size_t length = strlen(w->stages);
        snprintf(w->stages + length, sizeof w->stages - length, "%s ", stage);
    }
    return ++w->calls == w->stop_at;
}

static void see_dump(void *data, const char *pass, const char *shown, size_t length)
{
    watch *w = data;
    EXPECT_TEXT(pass, "cse");
    EXPECT_INT(strlen(shown), length);
    w->dumped += length;
}

static fe_status compile_watched(fe_session *session, watch *w)
{
    fe_program *program;
    const fe_artifact *artifact;
    fe_model *model;
    fe_observer observer = {.data = w, .progress = see_progress, .dump = see_dump};
    fe_observe(session, &observer);
    fe_status status = fe_compile_file(session, DIGITS, &program);
    EXPECT((status == FE_OK) == (program != NULL));
    if (status == FE_OK) status = fe_load(program, &artifact, &model);
    fe_program_free(program);
    fe_observe(session, NULL);
    return status;
}

TEST(the_observer_sees_the_stages_and_may_stop_at_each)
{
    fe_session *session = fe_session_new();
    watch all = {.stages = ""};
    EXPECT_INT(fe_set(session, "dump-after", "cse"), FE_OK);
    EXPECT_INT(fe_set(session, "cache", ""), FE_OK);
    EXPECT_INT(compile_watched(session, &all), FE_OK);
    EXPECT_TEXT(all.stages, "read infer pass lower sched kern wrap emit cc weights ");
    EXPECT(all.dumped > 100);
    for (uint32_t stop = 1; stop <= all.calls; stop++) {
        watch w = {.stop_at = stop};
        EXPECT_INT(compile_watched(session, &w), FE_STOPPED);
        EXPECT_INT(w.calls, stop);
    }
    fe_session_free(session);
}

static uint32_t split_at_relu(void *data, const fe_node_info *node)
{
    uint32_t *asked = data;
    ++*asked;
    EXPECT(*node->name && node->module_path);
    EXPECT_TEXT(node->device, "cpu");
    return strcmp(node->op, "aten.relu.default") == 0;
}

TEST(the_observer_cuts_the_program)
{
    fe_session *session = fe_session_new();
    fe_program *program;
    const fe_artifact *artifact;
    fe_model *model;
    uint32_t asked = 0;
    EXPECT_INT(fe_set(session, "split", "observer"), FE_OK);
    EXPECT_INT(fe_compile_file(session, DIGITS, &program), FE_USAGE);
    fe_observe(session, &(fe_observer){.data = &asked, .split = split_at_relu});
    EXPECT_INT(fe_compile_file(session, DIGITS, &program), FE_OK);
    EXPECT_INT(fe_load(program, &artifact, &model), FE_OK);
    EXPECT(asked > 0);
    EXPECT_INT(artifact->part_count, 9);
    EXPECT_TEXT(artifact->parts[0].name, "class 0");
    EXPECT_TEXT(artifact->parts[7].name, "class 1");
    EXPECT_INT(artifact->parts[7].input_count, 1);
    EXPECT_INT(artifact->parts[0].constant_count, artifact->parts[2].constant_count);
    fe_program_free(program);
    fe_session_free(session);
}

static int own_relu(void *data, const fe_tensor *inputs, fe_tensor *outputs, const int64_t *symbols)
{
    int64_t elements = 1;
    (void)symbols;
    for (uint32_t d = 0; d < inputs[0].rank; d++) elements *= inputs[0].sizes[d];
    for (int64_t i = 0; i < elements; i++) {
        float x = ((const float *)inputs[0].data)[i];
        ((float *)outputs[0].data)[i] = x > 0 ? x : 0;
    }
    ++*(int *)data;
    return 0;
}

/* The first number of a run in which somebody else ran a part, and how often he did. */
static float run_with_own_relu(const char *target, int *calls)
{
    fe_session *session = fe_session_new();
    fe_program *program;
    const fe_artifact *a;
    fe_model *model;
    fe_context *context;
    float pixels[64];
    fe_tensor x = {pixels, FE_F32, 4, (int64_t[]){1, 1, 8, 8}, NULL}, y = {0};
    for (int i = 0; i < 64; i++) pixels[i] = (float)(i % 16);
    EXPECT_INT(fe_set(session, "split", "op=relu"), FE_OK);
    EXPECT_INT(fe_set(session, "target", target), FE_OK);
    EXPECT_INT(fe_compile_file(session, DIGITS, &program), FE_OK);
    EXPECT_INT(fe_load(program, &a, &model), FE_OK);
    EXPECT_INT(a->context_new(model, 1, &context), 0);
    EXPECT_INT(a->part_count, 9);
    EXPECT(a->parts[1].can_be_replaced && a->parts[1].input_count == 1);
    EXPECT_INT(a->replace_part(context, 1, own_relu, calls), 0);
    EXPECT_INT(a->replace_part(context, 9, own_relu, calls), FE_RUN_BAD_INPUT);
    EXPECT_INT(a->run(context, &x, 1, &y, 1), 0);
    float first = ((const float *)y.data)[0];
    EXPECT_INT(a->replace_part(context, 1, NULL, NULL), 0);
    EXPECT_INT(a->run(context, &x, 1, &y, 1), 0);
    EXPECT(((const float *)y.data)[0] == first);
    a->context_free(context);
    fe_program_free(program);
    fe_session_free(session);
    return first;
}

TEST(a_part_is_replaced_in_both_targets_of_this_process)
{
    int calls = 0;
    EXPECT(run_with_own_relu("c", &calls) == run_with_own_relu("process", &calls));
    EXPECT_INT(calls, 2);
}

/* ---- files ---- */

static int entries_of(const char *path)
{
    DIR *folder = opendir(path);
    int count = -2; /* . and .. */
    while (folder && readdir(folder)) count++;
    if (folder) closedir(folder);
    return count;
}

TEST(without_a_cache_nothing_is_left_behind)
{
    char folder[] = "/tmp/ferrite-unit-XXXXXX";
    const char *before = getenv("TMPDIR");
    char *usual = before ? strdup(before) : NULL;
    if (!EXPECT(mkdtemp(folder) != NULL)) return;
    setenv("TMPDIR", folder, 1);
    fe_session *session = fe_session_new();
    fe_program *program;
    EXPECT_INT(fe_set(session, "cache", ""), FE_OK);
    EXPECT_INT(fe_compile_file(session, DIGITS, &program), FE_OK);
    EXPECT(isfinite(first_output(program)));
    EXPECT_INT(entries_of(folder), 1);
    fe_program_free(program);
    EXPECT_INT(entries_of(folder), 0);
    fe_session_free(session);
    if (usual)
        setenv("TMPDIR", usual, 1);
    else
        unsetenv("TMPDIR");
    free(usual);
    rmdir(folder);
}

/* ---- threads ---- */

typedef struct worker {
    pthread_t thread;
    const char *cache;
    float results[2];
    char *text;
    bool good;
} worker;

/* The same two programs as the other thread, into the same cache. */
static void *work(void *data)
{
    static const char *const paths[] = {DIGITS, STATEFUL};
    worker *w = data;
    fe_session *session = fe_session_new();
    fe_program *program;
    const fe_artifact *a;
    fe_model *model;
    const char *shown = NULL;
    w->good = session && fe_set(session, "cache", w->cache) == FE_OK;
    for (size_t i = 0; i < COUNT_OF(paths) && w->good; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/shared-%zu.so", w->cache, i);
        fe_tensor inputs[8], outputs[8] = {{0}};
        fe_context *context = NULL;
        w->good = fe_compile_file(session, paths[i], &program) == FE_OK &&
                  fe_write_library(program, path) == FE_OK &&
                  fe_load(program, &a, &model) == FE_OK &&
                  fe_sample_inputs(program, inputs) == FE_OK &&
                  a->context_new(model, 2, &context) == FE_RUN_OK &&
                  a->run(context, inputs, a->input_count, outputs, a->output_count) == FE_RUN_OK;
        if (w->good) w->results[i] = *(float *)outputs[0].data;
        if (context) a->context_free(context);
        fe_program_free(program);
    }
    if (w->good) w->good = fe_inspect_file(session, DIGITS, "c", &shown, NULL) == FE_OK;
    w->text = strdup(w->good ? shown : fe_error(session));
    fe_session_free(session);
    return NULL;
}

TEST(threads_compile_at_once)
{
    char cache[] = "/tmp/ferrite-unit-XXXXXX";
    worker workers[4];
    if (!EXPECT(mkdtemp(cache) != NULL)) return;
    for (size_t i = 0; i < COUNT_OF(workers); i++) {
        workers[i] = (worker){.cache = cache};
        EXPECT_INT(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < COUNT_OF(workers); i++) pthread_join(workers[i].thread, NULL);
    for (size_t i = 0; i < COUNT_OF(workers); i++) {
        if (!EXPECT(workers[i].good)) puts(workers[i].text);
        EXPECT_TEXT(workers[i].text, workers[0].text);
        EXPECT(memcmp(workers[i].results, workers[0].results, sizeof workers[0].results) == 0);
    }
    for (size_t i = 0; i < COUNT_OF(workers); i++) free(workers[i].text);
    file_remove_tree(cache);
}
