/* graph.c -- graphs built call by call (ferrite_graph.h): their text is read back as it is, they run,
 * mistakes are refused where they are made, and no sequence of calls brings the library down.
 */
#include "ferrite_graph.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODE fe_operand_node
#define LIST(...) \
    fe_operand_list((fe_operand[]){__VA_ARGS__}, COUNT_OF(((fe_operand[]){__VA_ARGS__})))
#define CALL(g, name, op, ...) \
    fe_graph_call(g, name, op, (fe_operand[]){__VA_ARGS__}, COUNT_OF(((fe_operand[]){__VA_ARGS__})))

/* Kernels are interpreted: no compiler runs. */
static fe_session *new_session(void)
{
    fe_session *session = fe_session_new();
    EXPECT_INT(fe_set(session, "no-cc", "on"), FE_OK);
    return session;
}

static fe_node *input(fe_graph *g, const char *name, uint32_t rank, const int64_t *sizes)
{
    return fe_graph_input(g, name, fe_meta_tensor(FE_F32, rank, sizes));
}

/* Its text, which is read back as it is; the caller frees it. */
static char *text_of(fe_session *session, fe_graph *g)
{
    const char *shown, *again;
    size_t length;
    if (!EXPECT(fe_graph_print(g, &shown, &length) == FE_OK)) return strdup(fe_error(session));
    char *kept = strdup(shown);
    EXPECT_INT(strlen(kept), length);
    EXPECT_INT(fe_inspect_memory(session, "g.fx", kept, length, "read", &again, NULL), FE_OK);
    EXPECT_TEXT(again, kept);
    EXPECT_TEXT(fe_error(session), "");
    return kept;
}

typedef struct running {
    fe_program *program;
    const fe_artifact *a;
    fe_context *context;
} running;

static bool start(fe_session *session, fe_graph *g, running *r)
{
    fe_model *model;
    *r = (running){0};
    bool good = fe_compile_graph(g, &r->program) == FE_OK &&
                fe_load(r->program, &r->a, &model) == FE_OK &&
                r->a->context_new(model, 1, &r->context) == FE_RUN_OK;
    EXPECT_TEXT(fe_error(session), "");
    return EXPECT(good);
}

static void stop(running *r)
{
    if (r->context) r->a->context_free(r->context);
    fe_program_free(r->program);
}

static int run(running *r, const fe_tensor *inputs, uint32_t count, fe_tensor *outputs)
{
    EXPECT_INT(r->a->input_count, count);
    return r->a->run(r->context, inputs, count, outputs, r->a->output_count);
}

static float at(const fe_tensor *t, size_t i)
{
    return ((const float *)t->data)[i];
}

/* ---- graphs that run ---- */

TEST(a_graph_that_is_built_prints_compiles_and_runs)
{
    static float x[] = {-1, 2, -3, 4, -5, 6};
    static const int64_t sizes[] = {2, 3};
    fe_session *session = new_session();
    fe_graph *g = fe_graph_new(session, "pointwise");
    fe_node *in = input(g, "x", 2, sizes);
    fe_node *relu = CALL(g, NULL, "aten.relu", NODE(in));
    fe_node *sum = CALL(g, "sum", "aten::add.Tensor", NODE(relu), fe_operand_float(0.5),
                        fe_operand_int(2)); /* relu + 2 * 0.5 */
    EXPECT_INT(fe_graph_output(g, NODE(sum)), FE_OK);
    EXPECT_INT(fe_graph_output(g, fe_operand_int(7)), FE_OK);
    char *shown = text_of(session, g);
    EXPECT_TEXT(shown, "graph pointwise {\n"
                       "  placeholder %x user \"x\" : f32[2,3]\n"
                       "  %relu = aten.relu.default(%x)\n"
                       "  %sum = aten.add.Tensor(%relu, 0.5, 2)\n"
                       "  output (user %sum, user 7)\n"
                       "}\n");
    free(shown);
    running r;
    fe_tensor given = {x, FE_F32, 2, sizes, NULL}, got[2] = {{0}};
    if (start(session, g, &r)) {
        EXPECT_TEXT(r.a->name, "pointwise");
        EXPECT_INT(run(&r, &given, 1, got), FE_RUN_OK);
        for (size_t i = 0; i < 6; i++) EXPECT(at(&got[0], i) == (x[i] > 0 ? x[i] : 0) + 1);
        EXPECT_INT(*(int64_t *)got[1].data, 7);
    }
    stop(&r);
    fe_graph_free(g);
    fe_session_free(session);
}

TEST(weights_are_read_where_they_are_and_a_graph_is_compiled_again)
{
    static float weight[] = {1, 2, 3, 4, 5, 6}, bias[] = {0.5f, -0.5f}, x[] = {1, 0, -1};
    static const int64_t in[] = {1, 3}, w[] = {3, 2}, turned[] = {1, 3}, b[] = {2};
    fe_session *session = new_session();
    fe_graph *g = fe_graph_new(session, "linear");
    fe_node *input_node = input(g, "x", 2, in);
    fe_node *p = fe_graph_weight(g, FE_WEIGHT_PARAMETER, "fc.weight",
                                 &(fe_tensor){weight, FE_F32, 2, w, turned});
    fe_node *c =
        fe_graph_weight(g, FE_WEIGHT_CONSTANT, "bias", &(fe_tensor){bias, FE_F32, 1, b, NULL});
    fe_node *mm = CALL(g, "mm", "aten.mm.default", NODE(input_node), NODE(p));
    fe_graph_output(g, NODE(CALL(g, "y", "aten.add.Tensor", NODE(mm), NODE(c))));
    char *shown = text_of(session, g);
    EXPECT(strstr(shown, "%fc.weight param \"fc.weight\" : f32[3,2]{1,3}\n") != NULL);
    EXPECT(strstr(shown, "%bias constant \"bias\" : f32[2] data [0.5, -0.5]\n") != NULL);
    running first, second;
    fe_tensor given = {x, FE_F32, 2, in, NULL}, got = {0};
    bool good = start(session, g, &first);
    fe_graph_output(g, NODE(mm)); /* of the second program alone */
    good = start(session, g, &second) && good;
    fe_graph_free(g); /* programs hold what they need of it */
    if (good) {
        fe_tensor both[2] = {{0}};
        EXPECT_INT(first.a->output_count, 1);
        EXPECT_INT(run(&first, &given, 1, &got), FE_RUN_OK);
        EXPECT(at(&got, 0) == 1 - 3 + 0.5f && at(&got, 1) == 4 - 6 - 0.5f);
        EXPECT_INT(run(&second, &given, 1, both), FE_RUN_OK);
        EXPECT(at(&both[0], 1) == at(&got, 1) && at(&both[1], 1) == -2);
    }
    stop(&first);
    stop(&second);
    free(shown);
    fe_session_free(session);
}

TEST(sizes_are_symbols_and_guards_hold)
{
    static float x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    fe_session *session = new_session();
    fe_graph *g = fe_graph_new(session, "dynamic");
    int64_t n = fe_graph_symbol(g, "n", 1, 64, 4), m = fe_graph_symbol(g, "m", 1, INT64_MAX, 2);
    int64_t rows[] = {n, 2}, half[] = {m, 2};
    int64_t flat = fe_graph_size(g, "2*n + 2*m");
    fe_node *a = input(g, "a", 2, rows), *b = input(g, "b", 2, half);
    EXPECT_INT(fe_graph_require(g, "n == 2*m", "a has twice the rows of b"), FE_OK);
    fe_node *both = CALL(g, "both", "aten.cat.default", LIST(NODE(a), NODE(b)));
    fe_node *view = CALL(g, "flat", "aten.view.default", NODE(both), LIST(fe_operand_size(flat)));
    fe_graph_output(g, NODE(view));
    fe_graph_output(g, fe_operand_size(flat));
    char *shown = text_of(session, g);
    EXPECT(strstr(shown, "symbols {\n  n in [1, 64] hint 4\n  m in [1, inf] hint 2\n}\n") == shown);
    EXPECT(strstr(shown, "  require n == 2*m \"a has twice the rows of b\"\n") != NULL);
    free(shown);
    running r;
    if (start(session, g, &r)) {
        int64_t four[] = {4, 2}, two[] = {2, 2};
        fe_tensor given[] = {{x, FE_F32, 2, four, NULL}, {x + 8, FE_F32, 2, two, NULL}};
        fe_tensor got[2] = {{0}};
        EXPECT_INT(run(&r, given, 2, got), FE_RUN_OK);
        EXPECT_INT(got[0].sizes[0], 12);
        EXPECT(at(&got[0], 11) == 12);
        EXPECT_INT(*(int64_t *)got[1].data, 12);
        four[0] = 3;
        EXPECT_INT(run(&r, given, 2, got), FE_RUN_ASSERTION);
        EXPECT(strstr(r.a->error(r.context), "a has twice the rows of b") != NULL);
    }
    stop(&r);
    fe_graph_free(g);
    fe_session_free(session);
}

TEST(a_branch_is_a_graph_of_its_own)
{
    static float x[] = {3};
    static const int64_t one[] = {1};
    fe_session *session = new_session();
    fe_graph *g = fe_graph_new(session, "branches");
    fe_graph *yes = fe_graph_subgraph(g, "yes"), *no = fe_graph_subgraph(g, "no");
    fe_node *p = fe_graph_input(g, "p", fe_meta_tensor(FE_BOOL, 0, NULL)),
            *v = input(g, "x", 1, one);
    fe_node *taken = CALL(g, "c", "higher_order.cond", NODE(p), fe_operand_graph(yes),
                          fe_operand_graph(no), LIST(NODE(v)));
    fe_node *given = input(yes, "x", 1, one);
    fe_graph_output(yes, NODE(CALL(yes, "r", "aten.neg.default", NODE(given))));
    given = input(no, "x", 1, one);
    fe_graph_output(no, NODE(CALL(no, "r", "aten.mul.Tensor", NODE(given), NODE(given))));
    fe_graph_output(g, NODE(CALL(g, "y", "_operator.getitem", NODE(taken), fe_operand_int(0))));
    char *shown = text_of(session, g);
    EXPECT(strstr(shown, "  %c = higher_order.cond(%p, @yes, @no, [%x])\n") != NULL);
    EXPECT(strstr(shown, "graph no {\n  placeholder %x user \"\" : f32[1]\n") != NULL);
    free(shown);
    running r;
    if (start(session, g, &r)) {
        for (uint8_t way = 0; way < 2; way++) {
            fe_tensor in[] = {{&way, FE_BOOL, 0, NULL, NULL}, {x, FE_F32, 1, one, NULL}}, got = {0};
            EXPECT_INT(run(&r, in, 2, &got), FE_RUN_OK);
            EXPECT(at(&got, 0) == (way ? -3 : 9));
        }
    }
    stop(&r);
    fe_graph_free(yes); /* nothing: it goes with its program's */
    fe_graph_free(g);
    fe_session_free(session);
}

TEST(an_input_that_is_mutated_holds_its_new_value)
{
    static const int64_t two[] = {2};
    float x[] = {1, 2}, state[] = {5, 6};
    fe_session *session = new_session();
    fe_graph *g = fe_graph_new(session, "mutation");
    fe_node *in = input(g, "x", 1, two);
    fe_node *buffer =
        fe_graph_weight(g, FE_WEIGHT_BUFFER, "state", &(fe_tensor){state, FE_F32, 1, two, NULL});
    fe_node *doubled = CALL(g, "doubled", "aten.mul.Tensor", NODE(in), fe_operand_int(2));
    fe_node *sum = CALL(g, "sum", "aten.add.Tensor", NODE(buffer), NODE(in));
    EXPECT_INT(fe_graph_mutate(g, buffer, sum), FE_OK);
    EXPECT_INT(fe_graph_mutate(g, in, doubled), FE_OK);
    fe_graph_output(g, NODE(sum));
    char *shown = text_of(session, g);
    EXPECT(strstr(shown, "output (buffer_mutation \"state\" %sum, user_input_mutation \"x\" "
                         "%doubled, user %sum)") != NULL);
    free(shown);
    running r;
    if (start(session, g, &r)) {
        fe_tensor given = {x, FE_F32, 1, two, NULL}, got = {0};
        EXPECT_INT(run(&r, &given, 1, &got), FE_RUN_OK);
        EXPECT(at(&got, 0) == 6 && x[0] == 2 && x[1] == 4);
        EXPECT_INT(run(&r, &given, 1, &got), FE_RUN_OK);
        EXPECT(at(&got, 0) == 8 && x[0] == 4 && state[0] == 5); /* the program has a copy */
    }
    stop(&r);
    fe_graph_free(g);
    fe_session_free(session);
}

TEST(a_call_of_several_results_and_one_of_all_kinds_of_operand)
{
    static const int64_t sizes[] = {2, 2};
    float x[] = {1, 4, 3, 2};
    fe_session *session = new_session();
    fe_graph *g = fe_graph_new(session, "kinds");
    fe_node *in = input(g, "x", 2, sizes);
    fe_node *most = CALL(g, "most", "aten.max.dim", NODE(in), fe_operand_int(-1));
    fe_node *values = CALL(g, "values", "_operator.getitem", NODE(most), fe_operand_int(0));
    fe_node *places = CALL(g, "places", "_operator.getitem", NODE(most), fe_operand_int(1));
    fe_node *made =
        CALL(g, "made", "aten.full.default", LIST(fe_operand_int(2)), fe_operand_bool(1),
             fe_operand_dtype(FE_F32), fe_operand_word("torch.strided"), fe_operand_word("cpu"),
             fe_operand_default());
    fe_node *copy =
        CALL(g, "copy", "aten.clone.default", NODE(in), fe_operand_word("torch.contiguous_format"));
    fe_node *wave = CALL(g, "wave", "aten.full.default", LIST(fe_operand_int(1)),
                         fe_operand_complex((double[]){1.5, -2}), fe_operand_dtype(FE_C64));
    fe_node *gelu = CALL(g, "gelu", "aten.gelu.default", NODE(copy), fe_operand_string("tanh"));
    fe_graph_set_meta(
        g, most,
        fe_meta_tuple(
            (fe_meta[]){fe_meta_tensor(FE_F32, 1, sizes), fe_meta_tensor(FE_I64, 1, sizes)}, 2));
    EXPECT_INT(fe_graph_set_source(g, gelu, "dir/net.py", 12, "forward", "block.0"), FE_OK);
    fe_node *const all[] = {values, places, made, wave, gelu};
    for (size_t i = 0; i < COUNT_OF(all); i++) fe_graph_output(g, NODE(all[i]));
    fe_graph_output(g, fe_operand_none());
    char *shown = text_of(session, g);
    EXPECT(strstr(shown, "%most = aten.max.dim(%x, -1, False) : (f32[2], i64[2])\n") != NULL);
    EXPECT(strstr(shown, "%made = aten.full.default([2], True, torch.float32, torch.strided, cpu, "
                         "None)\n") != NULL);
    EXPECT(strstr(shown, "%wave = aten.full.default([1], complex(1.5, -2.0), torch.complex64, ") !=
           NULL);
    free(shown);
    running r;
    if (start(session, g, &r)) {
        fe_tensor given = {x, FE_F32, 2, sizes, NULL}, got[6] = {{0}};
        EXPECT_INT(run(&r, &given, 1, got), FE_RUN_OK);
        EXPECT(at(&got[0], 0) == 4 && at(&got[0], 1) == 3);
        EXPECT(((int64_t *)got[1].data)[0] == 1 && ((int64_t *)got[1].data)[1] == 0);
        EXPECT(at(&got[2], 1) == 1 && at(&got[3], 0) == 1.5f && at(&got[3], 1) == -2);
    }
    stop(&r);
    fe_graph_free(g);
    fe_session_free(session);
}

TEST(a_size_that_the_run_finds_out_is_said_in_metadata)
{
    static const int64_t four[] = {4};
    float x[] = {0, 1, 0, 2};
    fe_session *session = new_session();
    fe_graph *g = fe_graph_new(session, "found");
    int64_t u = fe_graph_unbacked(g, "u0", 0, 4), sizes[] = {u, 1}, strides[] = {1, 4};
    fe_node *found = CALL(g, "found", "aten.nonzero.default", NODE(input(g, "x", 1, four)));
    fe_meta meta = fe_meta_tensor(FE_I64, 2, sizes);
    meta.tensor.strides = strides;
    EXPECT_INT(fe_graph_set_meta(g, found, meta), FE_OK);
    fe_graph_output(g, NODE(found));
    free(text_of(session, g));
    running r;
    if (start(session, g, &r)) {
        fe_tensor given = {x, FE_F32, 1, four, NULL}, got = {0};
        EXPECT_INT(run(&r, &given, 1, &got), FE_RUN_OK);
        EXPECT_INT(got.sizes[0], 2);
        EXPECT_INT(((int64_t *)got.data)[1], 3);
    }
    stop(&r);
    fe_graph_free(g);
    fe_session_free(session);
}

/* ---- mistakes ---- */

/* What each mistake is made with: a graph with an input, a symbol and a subgraph, and another graph. */
typedef struct scene {
    fe_session *session;
    fe_graph *g, *sub, *other;
    fe_node *x, *inner, *foreign;
    int64_t n, foreign_size;
} scene;

static const int64_t FOUR[] = {4};

static void open_scene(scene *s)
{
    *s = (scene){.session = fe_session_new()};
    s->g = fe_graph_new(s->session, "main");
    s->other = fe_graph_new(s->session, "other");
    s->x = input(s->g, "x", 1, FOUR);
    s->n = fe_graph_symbol(s->g, "n", 2, 9, FE_NOT_KNOWN);
    s->sub = fe_graph_subgraph(s->g, "sub");
    s->inner = input(s->sub, "x", 1, FOUR);
    s->foreign = input(s->other, "x", 1, FOUR);
    s->foreign_size = fe_graph_symbol(s->other, "n", 2, 9, FE_NOT_KNOWN);
}

static void close_scene(scene *s)
{
    fe_graph_free(s->g);
    fe_graph_free(s->other);
    fe_session_free(s->session);
}

static scene *opened(void)
{
    scene *s = malloc(sizeof *s);
    open_scene(s);
    return s;
}

static bool says(const scene *s, const char *wanted)
{
    fe_diagnostic d;
    return EXPECT(strstr(fe_error(s->session), wanted) != NULL) &&
           EXPECT(fe_diagnostic_at(s->session, 0, &d) && strstr(d.message, wanted)) &&
           EXPECT(!fe_diagnostic_at(s->session, 1, &d));
}

/* What was refused first is what is told, by the call and when all is to be compiled. */
static void close_refused(scene *s, const char *wanted)
{
    const char *shown;
    fe_program *program = (fe_program *)s;
    if (!says(s, wanted)) EXPECT_TEXT(fe_error(s->session), wanted);
    EXPECT(input(s->g, "", 1, FOUR) == NULL && fe_graph_output(s->g, NODE(s->x)) != FE_OK);
    EXPECT(fe_graph_size(s->sub, "") == FE_NOT_KNOWN && fe_graph_subgraph(s->g, "z") == NULL);
    says(s, wanted);
    EXPECT(fe_set(s->session, "no-cc", "on") == FE_OK && !*fe_error(s->session));
    EXPECT(fe_compile_graph(s->g, &program) != FE_OK && program == NULL);
    says(s, wanted);
    EXPECT(fe_graph_print(s->g, &shown, NULL) == FE_OK && strstr(shown, "placeholder %x"));
    EXPECT(input(s->other, "y", 1, FOUR) != NULL);
    close_scene(s);
    free(s);
}

#define REFUSED(wanted, condition) \
    do {                           \
        scene *s = opened();       \
        EXPECT(condition);         \
        close_refused(s, wanted);  \
    } while (0)

TEST(operands_that_do_not_fit_are_refused_at_the_call)
{
    REFUSED("operand self of aten.relu.default is no node of this graph",
            CALL(s->g, "y", "aten.relu", NODE(s->foreign)) == NULL);
    REFUSED("operand self of aten.relu.default is no node of this graph",
            CALL(s->g, "y", "aten.relu", NODE(s->inner)) == NULL);
    REFUSED("operand self of aten.relu.default is no node of this graph",
            CALL(s->sub, "y", "aten.relu", NODE(s->x)) == NULL);
    REFUSED("operand self of aten.relu.default is no node of this graph",
            CALL(s->g, "y", "aten.relu", NODE((fe_node *)s->session)) == NULL);
    REFUSED("operand self of aten.relu.default is no node of this graph",
            CALL(s->g, "y", "aten.relu", NODE(NULL)) == NULL);
    REFUSED("operand self of aten.relu.default is of another kind",
            CALL(s->g, "y", "aten.relu", fe_operand_string("x")) == NULL);
    REFUSED("operand dim of aten.unsqueeze.default is of another kind",
            CALL(s->g, "y", "aten.unsqueeze", NODE(s->x), fe_operand_float(1)) == NULL);
    REFUSED("operand dim of aten.unsqueeze.default is missing",
            CALL(s->g, "y", "aten.unsqueeze", NODE(s->x)) == NULL);
    REFUSED("operand dim of aten.unsqueeze.default is missing",
            CALL(s->g, "y", "aten.unsqueeze", NODE(s->x), fe_operand_default()) == NULL);
    REFUSED("too many operands for aten.relu.default, which takes 1",
            CALL(s->g, "y", "aten.relu", NODE(s->x), NODE(s->x)) == NULL);
    REFUSED("aten.relu.default without its operands",
            fe_graph_call(s->g, "y", "aten.relu", NULL, 1) == NULL);
    REFUSED("there is no operator aten.relo", CALL(s->g, "y", "aten.relo", NODE(s->x)) == NULL);
    REFUSED("there is no operator ", CALL(s->g, "y", NULL, NODE(s->x)) == NULL);
    REFUSED("operand self of aten.relu.default is of no kind",
            CALL(s->g, "y", "aten.relu", (fe_operand){.kind = (fe_operand_kind)99}) == NULL);
    REFUSED("operand self of aten.relu.default is nothing that a graph which is built can hold",
            CALL(s->g, "y", "aten.relu", (fe_operand){.kind = FE_OPERAND_OTHER, .other = s->g}) ==
                NULL);
    REFUSED("operand size of aten.view.default is no size of this graph",
            CALL(s->g, "y", "aten.view", NODE(s->x), LIST(fe_operand_size(s->foreign_size))) ==
                NULL);
    REFUSED("operand size of aten.view.default is not known",
            CALL(s->g, "y", "aten.view", NODE(s->x), LIST(fe_operand_size(FE_NOT_KNOWN))) == NULL);
    REFUSED("operand size of aten.view.default is no size of this graph",
            CALL(s->g, "y", "aten.view", NODE(s->x), LIST(fe_operand_size(s->n + 1))) == NULL);
    REFUSED("operand size of aten.view.default is a list without its items",
            CALL(s->g, "y", "aten.view", NODE(s->x), fe_operand_list(NULL, 1)) == NULL);
    REFUSED("operand size of aten.view.default is of another kind",
            CALL(s->g, "y", "aten.view", NODE(s->x), LIST(fe_operand_graph(s->sub))) == NULL);
    REFUSED("operand 0 of higher_order.cond is no subgraph of this graph",
            CALL(s->g, "y", "higher_order.cond", fe_operand_graph(s->g)) == NULL);
    REFUSED("operand 0 of higher_order.cond is no subgraph of this graph",
            CALL(s->sub, "y", "higher_order.cond", fe_operand_graph(s->sub)) == NULL);
    REFUSED("operand 0 of higher_order.cond is no subgraph of this graph",
            CALL(s->g, "y", "higher_order.cond", fe_operand_graph(s->other)) == NULL);
    REFUSED("operand dtype of aten.to.dtype is no dtype",
            CALL(s->g, "y", "aten.to.dtype", NODE(s->x), fe_operand_dtype(99)) == NULL);
    REFUSED(
        "operand dtype of aten.to.dtype is no word for a dtype, device, layout or memory format",
        CALL(s->g, "y", "aten.to.dtype", NODE(s->x), fe_operand_word("torch.float")) == NULL);
    REFUSED(
        "operand dtype of aten.to.dtype is no word for a dtype, device, layout or memory format",
        CALL(s->g, "y", "aten.to.dtype", NODE(s->x), fe_operand_word(NULL)) == NULL);
    REFUSED("operand approximate of aten.gelu.default is a string without its text",
            CALL(s->g, "y", "aten.gelu", NODE(s->x), fe_operand_string(NULL)) == NULL);
}

TEST(inputs_and_weights_that_are_none_are_refused)
{
    REFUSED("an input without a name", input(s->g, "", 1, FOUR) == NULL);
    REFUSED("there is an input of this name", input(s->g, "x", 1, FOUR) == NULL);
    REFUSED("the input has a size or stride that is negative",
            input(s->g, "y", 1, (int64_t[]){-2}) == NULL);
    REFUSED("the input has a size or stride that is no size of this graph",
            input(s->g, "y", 1, &s->foreign_size) == NULL);
    REFUSED("the input is a tensor without its sizes", input(s->g, "y", 1, NULL) == NULL);
    REFUSED("the input has too many dimensions", input(s->g, "y", 26, FOUR) == NULL);
    REFUSED("the input does not fit in any memory",
            input(s->g, "y", 1, (int64_t[]){INT64_MAX}) == NULL);
    REFUSED("the input is of no dtype",
            fe_graph_input(s->g, "y", fe_meta_tensor(99, 1, FOUR)) == NULL);
    REFUSED("the input is of no kind",
            fe_graph_input(s->g, "y", fe_meta_of((fe_meta_kind)9)) == NULL);
    REFUSED("an input is a tensor, a number or None",
            fe_graph_input(s->g, "y", fe_meta_tuple(NULL, 0)) == NULL);
    REFUSED("the input is a tuple without its items",
            fe_graph_input(s->g, "y", fe_meta_tuple(NULL, 1)) == NULL);
    REFUSED("a weight without its kind or tensor",
            fe_graph_weight(s->g, FE_WEIGHT_BUFFER, "w", NULL) == NULL);
    REFUSED("a weight without its kind or tensor",
            fe_graph_weight(s->g, (fe_weight_kind)9, "w",
                            &(fe_tensor){NULL, FE_F32, 0, NULL, NULL}) == NULL);
    REFUSED("sizes and strides of a weight are numbers",
            fe_graph_weight(s->g, FE_WEIGHT_BUFFER, "w",
                            &(fe_tensor){NULL, FE_F32, 1, &s->n, NULL}) == NULL);
    REFUSED("a subgraph has no weights",
            fe_graph_weight(s->sub, FE_WEIGHT_BUFFER, "w",
                            &(fe_tensor){NULL, FE_F32, 0, NULL, NULL}) == NULL);
}

TEST(sizes_of_no_symbol_are_refused)
{
    static const char *const NO_NAMES[] = {"u0",  "i0",  "None", "cpu", "f32",
                                           "inf", "a b", "",     NULL};
    for (size_t i = 0; i < COUNT_OF(NO_NAMES); i++)
        REFUSED("this is no name for a symbol of its kind",
                fe_graph_symbol(s->g, NO_NAMES[i], 0, 9, 1) == FE_NOT_KNOWN);
    REFUSED("this is no name for a symbol of its kind",
            fe_graph_unbacked(s->g, "s0", 0, 9) == FE_NOT_KNOWN);
    REFUSED("there is a symbol of this name", fe_graph_symbol(s->g, "n", 0, 9, 1) == FE_NOT_KNOWN);
    REFUSED("a range with nothing in it", fe_graph_symbol(s->g, "m", 9, 0, 1) == FE_NOT_KNOWN);
    REFUSED("the hint is not in the range", fe_graph_symbol(s->g, "m", 2, 9, 1) == FE_NOT_KNOWN);
    REFUSED("no symbol is called m", fe_graph_size(s->g, "n + m") == FE_NOT_KNOWN);
    REFUSED("a condition is no size", fe_graph_size(s->g, "n == 3") == FE_NOT_KNOWN);
    REFUSED("a size without its expression", fe_graph_size(s->g, NULL) == FE_NOT_KNOWN);
    REFUSED("expected", fe_graph_size(s->g, "n +") == FE_NOT_KNOWN);
    REFUSED("no symbol is called m", fe_graph_require(s->g, "n == m", NULL) != FE_OK);
    REFUSED("a guard is a condition of the program",
            fe_graph_require(s->sub, "n == 3", NULL) != FE_OK);
    REFUSED("a guard is a condition of the program", fe_graph_require(s->g, NULL, NULL) != FE_OK);
}

TEST(results_that_are_none_are_refused)
{
    REFUSED("the output is no node of this graph", fe_graph_output(s->g, NODE(s->inner)) != FE_OK);
    REFUSED("the output is no tensor, number or None",
            fe_graph_output(s->g, fe_operand_string("x")) != FE_OK);
    REFUSED("the output is left to its default and has none",
            fe_graph_output(s->g, fe_operand_default()) != FE_OK);
    REFUSED("the token is no node of this graph", fe_graph_output_token(s->g, s->foreign) != FE_OK);
    REFUSED("what is no node of this graph is not mutated",
            fe_graph_mutate(s->g, s->foreign, s->x) != FE_OK);
    REFUSED("what is no node of this graph is not mutated",
            fe_graph_mutate(s->g, s->x, NULL) != FE_OK);
    REFUSED("a subgraph returns what it computes",
            fe_graph_mutate(s->sub, s->inner, s->inner) != FE_OK);
    REFUSED("what is mutated is a tensor: an input, parameter or buffer",
            fe_graph_mutate(s->g, CALL(s->g, "y", "aten.relu", NODE(s->x)), s->x) != FE_OK);
    REFUSED("metadata of what is no call of this graph",
            fe_graph_set_meta(s->g, s->x, fe_meta_of(FE_META_NONE)) != FE_OK);
    REFUSED("the result has a size or stride that is no size of this graph",
            fe_graph_set_meta(s->g, CALL(s->g, "y", "aten.relu", NODE(s->x)),
                              fe_meta_tensor(FE_F32, 1, &s->foreign_size)) != FE_OK);
    REFUSED("the source of what is no node of this graph",
            fe_graph_set_source(s->g, s->foreign, "m.py", 1, NULL, NULL) != FE_OK);
}

TEST(a_graph_that_is_not_there_is_refused)
{
    const char *shown = "";
    fe_program *program = (fe_program *)&shown;
    EXPECT(input(NULL, "x", 1, FOUR) == NULL && fe_graph_size(NULL, "1") == FE_NOT_KNOWN);
    EXPECT_INT(fe_graph_output(NULL, fe_operand_none()), FE_USAGE);
    EXPECT_INT(fe_graph_print(NULL, &shown, NULL), FE_USAGE);
    EXPECT_INT(fe_compile_graph(NULL, &program), FE_USAGE);
    EXPECT(shown == NULL && program == NULL);
    fe_graph_free(NULL);
}

/* What only the whole shows is said when it is compiled, and may be mended then. */
TEST(a_graph_that_is_not_whole_is_refused_and_may_be_mended)
{
    scene s;
    fe_program *program;
    open_scene(&s);
    fe_set(s.session, "no-cc", "on");
    fe_node *p = fe_graph_input(s.g, "p", fe_meta_tensor(FE_BOOL, 0, NULL));
    fe_node *c = CALL(s.g, "c", "higher_order.cond", NODE(p), fe_operand_graph(s.sub),
                      fe_operand_graph(s.sub), LIST(NODE(s.x)));
    EXPECT_INT(fe_compile_graph(s.sub, &program), FE_USAGE);
    says(&s, "a subgraph is compiled with its program");
    EXPECT_INT(fe_compile_graph(s.g, &program), FE_USAGE);
    says(&s, "a graph that is called has an output");
    EXPECT_INT(fe_graph_output(s.sub, NODE(s.inner)), FE_OK);
    fe_node *y = CALL(s.g, "y", "_operator.getitem", NODE(c), fe_operand_int(0));
    fe_node *wide = CALL(s.g, "wide", "aten.expand.default", NODE(y),
                         LIST(fe_operand_int(3), fe_operand_int(4)));
    int64_t sizes[] = {s.n, 4};
    fe_graph_set_meta(s.g, wide, fe_meta_tensor(FE_F32, 2, sizes));
    fe_graph_output(s.g, NODE(wide));
    EXPECT_INT(fe_compile_graph(s.g, &program), FE_CORRUPT);
    says(&s, "its size n is one that no input has");
    sizes[0] = 3;
    EXPECT_INT(fe_graph_set_meta(s.g, wide, fe_meta_tensor(FE_F32, 2, sizes)), FE_OK);
    EXPECT_INT(fe_compile_graph(s.g, &program), FE_OK);
    fe_program_free(program);
    close_scene(&s);
}

/* ---- calls at random ---- */

enum { POOL = 24, NODES = 40, SEQUENCES = 300 };

typedef struct dice {
    uint64_t state;
    uint32_t nonsense; /* one in so many is none; 0: none */
    fe_session *session;
    fe_graph *graphs[3]; /* the main one, a subgraph, another one */
    fe_node *nodes[NODES];
    fe_graph *owners[NODES];
    uint32_t node_count;
    int64_t sizes[8];
    fe_operand pool[POOL][4];
    uint32_t pool_used;
} dice;

static uint32_t draw(dice *d, uint32_t below)
{
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(d->state >> 33) % below;
}

static bool is_nonsense(dice *d)
{
    return d->nonsense && draw(d, d->nonsense) == 0;
}

/* A node that the graph has, mostly. */
static fe_node *draw_node(dice *d, const fe_graph *g)
{
    if (is_nonsense(d)) return draw(d, 2) ? NULL : (fe_node *)d;
    for (uint32_t tries = 0; tries < 2 * NODES; tries++) {
        uint32_t k = draw(d, d->node_count);
        if (d->owners[k] == g || is_nonsense(d)) return d->nodes[k];
    }
    return NULL;
}

static int64_t draw_size(dice *d)
{
    static const int64_t ODD[] = {-1, 0, INT64_MAX, INT64_MIN, INT64_MIN + 5, 1 << 20};
    return is_nonsense(d) ? ODD[draw(d, COUNT_OF(ODD))]
           : draw(d, 3)   ? d->sizes[draw(d, COUNT_OF(d->sizes))]
                          : draw(d, 4) + 1;
}

/* n node, i integer, f number, b bool, d dtype, 0 None, g graph; N, I, S: lists of nodes, numbers, sizes. */
static fe_operand draw_operand(dice *d, const fe_graph *g, char kind)
{
    if (is_nonsense(d)) return (fe_operand){.kind = (fe_operand_kind)draw(d, 16)};
    switch (kind) {
    case 'n': return NODE(draw_node(d, g));
    case 'i': return fe_operand_int((int64_t)draw(d, 4) - 1);
    case 's': return fe_operand_size(draw_size(d));
    case 'f': return fe_operand_float(0.25 * draw(d, 9));
    case 'b': return fe_operand_bool((int)draw(d, 2));
    case 'd': return fe_operand_dtype(draw(d, 14));
    case 'g': return fe_operand_graph(d->graphs[is_nonsense(d) ? draw(d, 3) : 1]);
    case '0': return fe_operand_none();
    default: break;
    }
    fe_operand *items = d->pool[d->pool_used++ % POOL];
    uint32_t count = draw(d, 3) + 1;
    char item = kind == 'N' ? 'n' : kind == 'I' ? 'i' : 's';
    for (uint32_t i = 0; i < count; i++) items[i] = draw_operand(d, g, item);
    return fe_operand_list(items, count);
}

static const char *const OPERATIONS[][2] = {
    {"aten.relu", "n"},
    {"aten.add.Tensor", "nni"},
    {"aten.mul.Tensor", "nf"},
    {"aten.add_.Tensor", "nn"},
    {"aten.mm", "nn"},
    {"aten.cat", "Ni"},
    {"aten.view", "nS"},
    {"aten.expand", "nS"},
    {"aten.permute", "nI"},
    {"aten.max.dim", "nib"},
    {"aten.sum.dim_IntList", "nIbd"},
    {"aten.to.dtype", "nd"},
    {"aten.full", "Sfd"},
    {"aten.select.int", "nii"},
    {"aten.as_strided", "nSSs"},
    {"aten.nonzero", "n"},
    {"aten.index.Tensor", "nN"},
    {"aten._local_scalar_dense", "n"},
    {"aten.sym_size.int", "ni"},
    {"_operator.getitem", "ni"},
    {"_operator.add", "ns"},
    {"higher_order.cond", "nggN"},
    {"higher_order.while_loop", "ggNN"},
    {"higher_order.with_effects", "n0n"},
    {"aten.frobnicate", "n"},
};

static fe_meta draw_meta(dice *d, int64_t sizes[3])
{
    if (draw(d, 6) == 0) return fe_meta_int(draw_size(d));
    for (int i = 0; i < 3; i++) sizes[i] = draw_size(d);
    fe_meta m = fe_meta_tensor(is_nonsense(d) ? 99
                               : draw(d, 4)   ? FE_F32
                                              : draw(d, 14),
                               draw(d, 4), sizes);
    if (is_nonsense(d)) m.kind = (fe_meta_kind)draw(d, 9);
    return m;
}

static void keep_node(dice *d, fe_graph *g, fe_node *n)
{
    if (!n && !is_nonsense(d)) return;
    uint32_t k = d->node_count < NODES ? d->node_count++ : draw(d, NODES);
    d->nodes[k] = n;
    d->owners[k] = g;
}

static void random_call(dice *d, fe_graph *g)
{
    uint32_t which = draw(d, COUNT_OF(OPERATIONS) - !d->nonsense);
    const char *kinds = OPERATIONS[which][1];
    fe_operand operands[6];
    uint32_t count = (uint32_t)strlen(kinds);
    for (uint32_t i = 0; i < count; i++) operands[i] = draw_operand(d, g, kinds[i]);
    if (is_nonsense(d)) count = draw(d, 6);
    keep_node(d, g,
              fe_graph_call(g, draw(d, 2) ? "y" : NULL, OPERATIONS[which][0], operands, count));
}

static void random_step(dice *d)
{
    static const char *const NAMES[] = {"a", "b", "c", "d.e", "f\n\"g", "", "h", "i", "j", "k"};
    static const char *const SIZES[] = {"n",      "2*n + m", "n // 3", "min(n, m) % 4",
                                        "n == m", "z",       "(("};
    static float elements[4096];
    fe_graph *g = d->graphs[draw(d, 8) ? draw(d, 2) : 2];
    const char *name = NAMES[draw(d, COUNT_OF(NAMES))];
    int64_t sizes[3];
    fe_meta m = draw_meta(d, sizes);
    m.tensor.data = elements;
    switch (draw(d, 16)) {
    case 0:
    case 1: keep_node(d, g, fe_graph_input(g, name, m)); break;
    case 2:
        for (int i = 0; i < 3; i++) sizes[i] = draw(d, 4);
        if (d->nonsense || g != d->graphs[1])
            keep_node(d, g, fe_graph_weight(g, (fe_weight_kind)draw(d, 3), name, &m.tensor));
        break;
    case 3:
        d->sizes[draw(d, COUNT_OF(d->sizes))] =
            fe_graph_size(d->graphs[0], SIZES[draw(d, d->nonsense ? COUNT_OF(SIZES) : 4)]);
        break;
    case 4: fe_graph_output(g, draw_operand(d, g, draw(d, 4) ? 'n' : 's')); break;
    case 5:
        if (is_nonsense(d)) fe_graph_mutate(g, draw_node(d, g), draw_node(d, g));
        break;
    case 6: fe_graph_set_source(g, draw_node(d, g), "m.py", 3, "f", name); break;
    case 7:
        if (is_nonsense(d)) fe_graph_set_meta(g, draw_node(d, g), m);
        break;
    case 8:
        if (is_nonsense(d)) fe_graph_require(g, SIZES[draw(d, COUNT_OF(SIZES))], name);
        break;
    case 9:
        if (is_nonsense(d)) keep_node(d, g, fe_graph_token(g, name));
        break;
    default: random_call(d, g);
    }
}

static void open_dice(dice *d, uint32_t seed)
{
    *d = (dice){.state = seed, .nonsense = seed % 3 ? 20 * (seed % 3) : 0};
    d->session = new_session();
    d->graphs[0] = fe_graph_new(d->session, "main");
    d->graphs[1] = fe_graph_subgraph(d->graphs[0], "sub");
    d->graphs[2] = fe_graph_new(d->session, "other");
    for (uint32_t i = 0; i < COUNT_OF(d->sizes); i++) d->sizes[i] = i % 4 + 1;
    d->sizes[0] = fe_graph_symbol(d->graphs[0], "n", 1, 100, 4);
    d->sizes[1] = fe_graph_symbol(d->graphs[0], "m", 1, INT64_MAX, FE_NOT_KNOWN);
    d->sizes[2] = fe_graph_unbacked(d->graphs[0], "u0", 0, 100);
    for (uint32_t k = 0; k < 2; k++)
        keep_node(d, d->graphs[k], input(d->graphs[k], "x", 2, (int64_t[]){d->sizes[0], 4}));
    keep_node(d, d->graphs[2], input(d->graphs[2], "x", 1, FOUR));
    keep_node(d, d->graphs[0], input(d->graphs[0], "w", 2, (int64_t[]){4, d->sizes[1]}));
}

/* What compiles has a text that compiles, and is read back as it is. */
static bool compile_and_read(dice *d)
{
    fe_program *program;
    fe_status status = fe_compile_graph(d->graphs[0], &program);
    fe_program_free(program);
    if (status == FE_INTERNAL) {
        const char *shown;
        EXPECT_TEXT(fe_error(d->session), "");
        if (fe_graph_print(d->graphs[0], &shown, NULL) == FE_OK) printf("%s", shown);
    }
    if (status == FE_OK) free(text_of(d->session, d->graphs[0]));
    return status == FE_OK;
}

TEST(calls_at_random_are_refused_or_make_a_graph)
{
    uint32_t compiled = 0;
    for (uint32_t seed = 1; seed <= SEQUENCES; seed++) {
        dice d;
        open_dice(&d, seed);
        for (uint32_t i = 0; i < 25; i++) {
            random_step(&d);
            if (d.nonsense == 0 && i % 5 == 4) compiled += compile_and_read(&d);
        }
        fe_graph_output(d.graphs[1], fe_operand_int(1));
        compiled += compile_and_read(&d);
        fe_graph_free(d.graphs[0]);
        fe_graph_free(d.graphs[2]);
        fe_session_free(d.session);
    }
    EXPECT(compiled > SEQUENCES / 10);
}
