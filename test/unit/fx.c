/* fx.c -- src/fx: text there and back, use lists, names, defaults, constants, clones, provenance,
 * the laws. */
#include "fx/fx.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

/* The graph of a text that must parse; NULL (after a failed expectation) when it does not. */
static fx_graph *parse(fe_session *session, const char *source)
{
    fx_graph *g = NULL;
    if (fx_parse(session, session->memory, source, strlen(source), &g) == FE_OK) return g;
    EXPECT_TEXT(session->last_diag->message, source);
    return NULL;
}

static const char *print(fe_session *session, const fx_graph *g)
{
    text out;
    text_init(&out, session->memory);
    fx_print(g, &out);
    return out.at;
}

static void expect_round_trip(fe_session *session, const char *source)
{
    fx_graph *g = parse(session, source);
    if (!g) return;
    const char *printed = print(session, g);
    EXPECT_TEXT(printed, source);
    EXPECT_TEXT(print(session, fx_clone(g, session->memory)), source);
}

static void forget_diagnostics(fe_session *session)
{
    session->first_diag = session->last_diag = NULL;
    session->diag_count = 0;
}

static const char *SAMPLE = "graph main {\n"
                            "  placeholder %p_weight param \"fc.weight\" : f32[64,32]\n"
                            "  placeholder %x user \"x\" : f32[8,32]\n"
                            "  %linear = aten.linear.default(%x, %p_weight, None) : f32[8,64]\n"
                            "  %max_1 = aten.max.dim(%linear, -1, False) : (f32[8], i64[8])\n"
                            "  %getitem = _operator.getitem(%max_1, 0) : f32[8]\n"
                            "  %sym_size = aten.sym_size.int(%x, 0) : int 8\n"
                            "  output (user %getitem, user_input_mutation \"x\" %x, user 3)\n"
                            "}\n";

/* ---- text ---- */

SESSION_TEST(fx_text_of_a_small_graph_comes_back)
{
    expect_round_trip(session, SAMPLE);
    expect_round_trip(session, "graph empty {\n}\n");
    expect_round_trip(session, "graph main {\n  output ()\n}\n");
    return FE_OK;
}

SESSION_TEST(fx_text_keeps_symbols_settings_and_every_kind_of_argument)
{
    expect_round_trip(
        session,
        "operators {\n"
        "  \"mylib::foo(Tensor x, Tensor y, str s) -> (Tensor, Tensor?)\" random effect\n"
        "}\n"
        "symbols {\n"
        "  s0 in [2, 64] hint 8\n"
        "  u0 unbacked in [0, inf]\n"
        "}\n"
        "graph main {\n"
        "  functional\n"
        "  range s0 + 1 in [3, 65]\n"
        "  range u0 in [-inf, inf]\n"
        "  guard \"L['x'].size()[0] <= 64\"\n"
        "  inputs \"x\", \"y\"\n"
        "  in_spec \"[1, {\\\"type\\\": null}]\"\n"
        "  out_spec \"[2]\"\n"
        "  placeholder %b buffer \"bn.mean\" : f32[3]\n"
        "  placeholder %c buffer \"rope\" non_persistent : f32[3]\n"
        "  placeholder %o object \"obj\" : opaque\n"
        "  placeholder %t token \"\"\n"
        "  placeholder %k constant_input \"k\"\n"
        "  placeholder %x user \"x\" : f32[s0,4]\n"
        "  %sym_size = aten.sym_size.int(%x, 0) : int s0\n"
        "  %le = _operator.le(%sym_size, 8) : bool s0 <= 8\n"
        "  %is = _operator.le(%sym_size, 800) : bool ?\n"
        "  %sym_float = torch.sym_float(%sym_size) : float ?\n"
        "  %sqrt = math.sqrt(4) : float 2.0\n"
        "  %item = aten.item.default(%x) : int u0\n"
        "  %full = aten.full.default([s0, 2*s0 + 1, u0], 1.5, torch.float32, torch.strided, cpu, "
        "False) : f32[s0,2*s0 + 1,u0]\n"
        "  %full_1 = aten.full.default([], complex(1.0, -2.5), torch.complex64, None, cuda:1, "
        "None) : c64[]\n"
        "  %full_2 = aten.full.default([], inf, None, None, cuda, None) : f32[]\n"
        "  %full_3 = aten.full.default([], -inf, None, None, meta, None) : f32[]\n"
        "  %full_4 = aten.full.default([], nan, None, None, None, None) : f32[]\n"
        "  %full_5 = aten.full.default([], 0.1, None, None, None, None) : f32[]\n"
        "  %full_6 = aten.full.default([], -3, None, torch.sparse_coo, None, None) : i64[]\n"
        "  %clone = aten.clone.default(%x, torch.channels_last) : f32[s0,4]\n"
        "  %clone_1 = aten.clone.default(%x, torch.contiguous_format) : f32[s0,4]\n"
        "  %index = aten.index.Tensor(%x, [None, %full_6]) : f32[s0]\n"
        "  %gelu = aten.gelu.default(%x, \"tanh\\n\\\"q\\\"\") : f32[s0,4]\n"
        "  %cat = aten.cat.default([%x, %x], 0) : f32[2*s0,4]\n"
        "  %foo = mylib.foo.default(%x, %x, \"a\") : (f32[s0,4], none)\n"
        "  %call_torchbind = higher_order.call_torchbind(%o, \"run\", object \"thing\", [[1, 2], "
        "[]]) : ()\n"
        "  %_assert_scalar = aten._assert_scalar.default(%le, \"s0 <= 8\")\n"
        "  output (token %t, buffer_mutation \"bn.mean\" %b, user None, user \"text\", user True, "
        "user [1, %x], user s0 + 1)\n"
        "}\n");
    return FE_OK;
}

SESSION_TEST(fx_text_prints_subgraphs_once_under_names_of_their_own)
{
    static const char *source =
        "graph main {\n"
        "  placeholder %p user \"p\" : bool[]\n"
        "  placeholder %x user \"x\" : f32[4]\n"
        "  %cond = higher_order.cond(%p, @true_graph_0, @false_graph_0, [%x]) : (f32[4])\n"
        "  %again = higher_order.cond(%p, @true_graph_0, @true_graph_0, [%x]) : (f32[4])\n"
        "  output (user %cond, user %again)\n"
        "}\n"
        "graph true_graph_0 {\n"
        "  placeholder %x user \"\" : f32[4]\n"
        "  %map_impl = higher_order.map_impl(@body_0, [%x], []) : (f32[4])\n"
        "  output (user %x)\n"
        "}\n"
        "graph false_graph_0 {\n"
        "  placeholder %x user \"\" : f32[4]\n"
        "  %neg = aten.neg.default(%x) : f32[4]\n"
        "  output (user %neg)\n"
        "}\n"
        "graph body_0 {\n"
        "  placeholder %y user \"\" : f32[]\n"
        "  output (user %y)\n"
        "}\n";
    expect_round_trip(session, source);
    fx_graph *g = parse(session, source);
    if (!g) return FE_OK;
    fx_graph *then = fx_find(g, "cond")->args[1].graph;
    EXPECT(then->parent == g && then == fx_find(g, "again")->args[2].graph);
    FE_TRY(fx_check(g, "parsing"));

    /* Two graphs of one name are told apart. */
    fx_find(g, "cond")->args[2].graph->name = "true_graph_0";
    EXPECT(strstr(print(session, g), "@true_graph_0, @true_graph_0_1, [%x]") != NULL);
    return FE_OK;
}

SESSION_TEST(fx_text_accepts_defaults_and_keywords)
{
    fx_graph *g = parse(session, "graph main { # a comment\n"
                                 "  placeholder %x user \"x\" : f32[4]\n"
                                 "  %a = aten.add.Tensor(%x, 2)\n"
                                 "  %b = aten.add.Tensor(%a, other=%x, alpha=3)\n"
                                 "  %m = aten.max_pool2d.default(%b, [3, 3], padding=1)\n"
                                 "  output (user %m)\n"
                                 "}\n");
    if (!g) return FE_OK;
    const char *printed = print(session, g);
    EXPECT(strstr(printed, "%a = aten.add.Tensor(%x, 2, 1)\n") != NULL);
    EXPECT(strstr(printed, "%b = aten.add.Tensor(%a, %x, 3)\n") != NULL);
    EXPECT(strstr(printed, "%m = aten.max_pool2d.default(%b, [3, 3], [], 1, [1, 1], False)\n") !=
           NULL);
    return FE_OK;
}

SESSION_TEST(fx_text_with_mistakes_is_told_the_place)
{
    static const struct {
        const char *line, *message;
    } CASES[] = {
        {"%a = aten.relu.default(%y)", "nothing is defined under this name yet (found '%y')"},
        {"%a = aten.relo.default(%x)", "unknown operator (found 'aten.relo.default')"},
        {"%x = aten.relu.default(%x)", "this name is taken already (found '%x')"},
        {"%a = aten.relu.default()", "aten.relu.default lacks its argument self (found '%b')"},
        {"%a = aten.relu.default(%x, 1)", "aten.relu.default takes 1 arguments (found '1')"},
        {"%a = aten.relu.default(other=1)",
         "aten.relu.default has no argument of this name (found 'other')"},
        {"%a = aten.add.Tensor(other=1, %x)",
         "an argument by position after one by name (found '%x')"},
        {"%a = aten.add.Tensor(%x, self=%x)", "argument self is given twice (found '%x')"},
        {"%a = aten.relu.default(%x", "expected ',' (found '%b')"},
        {"%a = aten.relu.default(torch.float31)",
         "no dtype, layout or memory format of this name (found 'torch.float31')"},
        {"%a = 3", "expected an operator (found '3')"},
        {"placeholder %a usr \"a\"",
         "expected a kind of input: user, param, buffer, constant, ... (found 'usr')"},
        {"placeholder %a user \"a\" : f32[2] data [1.0, 2.0]",
         "only weights of a known size have data (found '[')"},
        {"placeholder %a constant \"a\" : f32[2] data [1.0]",
         "the data must have one element for each of the tensor's (found '%b')"},
        {"placeholder %a constant \"a\" : f32[2]{1000000000} data [1.0, 2.0]",
         "the storage is too large for its data (found '%b')"},
        {"output (usr %x)", "expected a kind of output: user, buffer_mutation, ... (found 'usr')"},
        {"output (user %x)", "the output must be last (found '%b')"},
        {"banana", "expected a placeholder, a call or the output (found 'banana')"},
        {"%a = higher_order.cond(@then)\n%c = aten.relu.default(%x)",
         "graph then is called for and not given (found the end)"},
    };
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        const char *source = arena_printf(session->memory,
                                          "graph main {\nplaceholder %%x user \"x\" : "
                                          "f32[2]\n%s\n%%b = aten.neg.default(%%x)\n}\n",
                                          CASES[i].line);
        fx_graph *g;
        forget_diagnostics(session);
        EXPECT_INT(fx_parse(session, session->memory, source, strlen(source), &g), FE_CORRUPT);
        EXPECT_INT(session->diag_count, 1);
        EXPECT_TEXT(session->first_diag->message, CASES[i].message);
        EXPECT_TEXT(session->first_diag->stage, "fx");
    }
    forget_diagnostics(session);
    return FE_OK;
}

SESSION_TEST(fx_text_cut_short_anywhere_fails_with_one_diagnostic)
{
    size_t length = strlen(SAMPLE);
    for (size_t cut = 0; cut + 1 < length; cut++) {
        fx_graph *g;
        forget_diagnostics(session);
        EXPECT(fx_parse(session, session->memory, SAMPLE, cut, &g) != FE_OK);
        EXPECT_INT(session->diag_count, 1);
    }
    forget_diagnostics(session);
    return FE_OK;
}

SESSION_TEST(fx_constants_carry_their_elements)
{
    expect_round_trip(
        session,
        "graph main {\n"
        "  placeholder %a constant \"a\" : f32[2,2] data [1.0, -0.0, 0.10000000149011612, inf]\n"
        "  placeholder %b constant \"b\" : i64[] data [-9223372036854775808]\n"
        "  placeholder %c constant \"c\" : bool[3] data [True, False, True]\n"
        "  placeholder %d constant \"d\" : f16[4] data [65504.0, 5.960464477539063e-08, -1.5, "
        "0.0999755859375]\n"
        "  placeholder %e constant \"e\" : bf16[2] data [3.140625, -inf]\n"
        "  placeholder %f constant \"f\" : c64[1] data [complex(1.5, -2.0)]\n"
        "  placeholder %g constant \"g\" : f64[0] data []\n"
        "  placeholder %h constant \"h\" : u8[2] data [0, 255]\n"
        "  placeholder %i constant \"i\" : i32[2,2]{1,2} data [1, 2, 3, 4]\n"
        "  placeholder %j constant \"j\" : f32[100]\n"
        "  output ()\n"
        "}\n");
    fx_graph *g =
        parse(session, "graph main {\n"
                       "  placeholder %a constant \"a\" : f64[] data [2.5]\n"
                       "  placeholder %b constant \"b\" : i32[2,2]{1,2} data [1, 2, 3, 4]\n}\n");
    if (!g) return FE_OK;
    double number = 0;
    EXPECT(fx_constant_number(g, fx_find(g, "a"), &number) && number == 2.5);
    EXPECT(!fx_constant_number(g, fx_find(g, "b"), &number));
    int32_t stored[4];
    EXPECT_INT(fx_find(g, "b")->data->size, sizeof stored);
    memcpy(stored, fx_find(g, "b")->data->bytes, sizeof stored);
    EXPECT(stored[0] == 1 && stored[1] == 3 && stored[2] == 2 && stored[3] == 4);
    return FE_OK;
}

/* ---- building ---- */

static fx_graph *new_graph(fe_session *session, arena *memory)
{
    return fx_graph_new(session, memory, sym_table_new(memory), op_registry_new(memory), "main");
}

static fx_value tensor_value(fx_graph *g)
{
    sym_expr size = sym_int(g->symbols, 4);
    ty_device cpu = {.kind = TY_CPU, .index = -1};
    return (fx_value){.kind = FX_TENSOR,
                      .tensor = ty_tensor_new(g->memory, g->symbols, TY_F32, cpu, 1, &size)};
}

static fx_node *add_node(fx_graph *g, fx_node *a, fx_node *b)
{
    fx_arg args[] = {fx_of(a), fx_of(b)};
    fx_node *n = fx_emit(g, NULL, OP_aten_add_Tensor, NULL, 2, args);
    n->value = a->value;
    return n;
}

SESSION_TEST(fx_names_are_made_unique_and_legal)
{
    fx_graph *g = new_graph(session, session->memory);
    EXPECT_TEXT(fx_placeholder(g, FX_USER_INPUT, "x", "x")->name, "x");
    EXPECT_TEXT(fx_placeholder(g, FX_USER_INPUT, "x", "x")->name, "x_1");
    EXPECT_TEXT(fx_placeholder(g, FX_USER_INPUT, "x_1", "x")->name, "x_1_1");
    EXPECT_TEXT(fx_placeholder(g, FX_USER_INPUT, "x", "x")->name, "x_2");
    EXPECT_TEXT(fx_placeholder(g, FX_USER_INPUT, "a b::c", NULL)->name, "a_b__c");
    EXPECT_TEXT(fx_placeholder(g, FX_USER_INPUT, "", NULL)->name, "node");
    EXPECT(fx_find(g, "x_2") == g->inputs.at[3] && fx_find(g, "y") == NULL);
    fx_erase(g, fx_find(g, "x"));
    EXPECT(fx_find(g, "x") == NULL && g->inputs.count == 5);
    EXPECT_TEXT(fx_placeholder(g, FX_USER_INPUT, "x", "x")->name, "x");
    return FE_OK;
}

SESSION_TEST(fx_nodes_stand_where_they_are_put)
{
    fx_graph *g = new_graph(session, session->memory);
    fx_node *x = fx_placeholder(g, FX_USER_INPUT, "x", "x");
    x->value = tensor_value(g);
    fx_node *a = add_node(g, x, x);
    fx_set_output(g, (fx_arg[]){fx_of(a)}, (fx_output[]){{.kind = FX_USER_OUTPUT}}, 1);
    fx_node *y = fx_placeholder(g, FX_USER_INPUT, "y", "y");
    y->value = x->value;
    fx_node *b = add_node(g, a, y);
    fx_set_arg(g->output, 0, fx_of(b), g);
    EXPECT_TEXT(print(session, g), "graph main {\n"
                                   "  placeholder %x user \"x\" : f32[4]\n"
                                   "  placeholder %y user \"y\" : f32[4]\n"
                                   "  %add = aten.add.Tensor(%x, %x, 1) : f32[4]\n"
                                   "  %add_1 = aten.add.Tensor(%add, %y, 1) : f32[4]\n"
                                   "  output (user %add_1)\n"
                                   "}\n");
    FE_TRY(fx_check(g, NULL));
    EXPECT_INT(x->users.count, 2);
    fx_move_before(g, a, NULL);
    EXPECT_INT(fx_check(g, "moving"), FE_INTERNAL);
    EXPECT_TEXT(session->first_diag->message,
                "F1: %add_1 uses %add, which comes later (graph main, after moving)");
    forget_diagnostics(session);
    fx_move_before(g, a, b);
    FE_TRY(fx_check(g, NULL));
    fx_renumber(g);
    EXPECT(a->order < b->order && x->order == 0);
    return FE_OK;
}

SESSION_TEST(fx_emit_fills_in_defaults_and_origin)
{
    fx_graph *g = new_graph(session, session->memory);
    fx_node *x = fx_placeholder(g, FX_USER_INPUT, "x", "x");
    x->value = tensor_value(g);
    fx_origin origin = {.node = "conv"};
    x->origin = &origin;
    fx_arg args[] = {fx_of(x), fx_of(x)};
    fx_node *n = fx_emit(g, NULL, OP_aten_conv2d_default, x, 2, args);
    text out;
    text_init(&out, session->memory);
    fx_print_node(g, n, &out);
    EXPECT_TEXT(out.at, "%conv2d = aten.conv2d.default(%x, %x, None, [1, 1], [0, 0], [1, 1], 1)");
    EXPECT(n->origin == &origin);
    int64_t groups;
    EXPECT(fx_arg_int(g, fx_get(g, n, "groups"), &groups) && groups == 1);
    sym_expr strides[3];
    EXPECT_INT(fx_arg_ints(g, fx_get(g, n, "stride"), strides, 3), 2);
    EXPECT_INT(fx_arg_ints(g, fx_get(g, n, "stride"), strides, 1), -1);
    EXPECT_INT(fx_arg_ints(g, fx_get(g, n, "groups"), strides, 1), 1);
    EXPECT_INT(fx_arg_ints(g, fx_get(g, n, "bias"), strides, 1), -1);
    return FE_OK;
}

SESSION_TEST(fx_arguments_give_their_numbers)
{
    fx_graph *g = parse(session, "symbols {\n  s0 in [2, 64]\n}\ngraph main {\n"
                                 "  placeholder %n user \"n\" : int s0\n"
                                 "  placeholder %f user \"f\" : float 0.5\n"
                                 "  placeholder %u user \"u\" : float ?\n"
                                 "  %v = aten.full.default([%n, 3, s0 + 1], 2.5)\n}\n");
    if (!g) return FE_OK;
    sym_expr sizes[3];
    EXPECT_INT(fx_arg_ints(g, fx_get(g, fx_find(g, "v"), "size"), sizes, 3), 3);
    EXPECT(sym_same(sizes[0], sym_find_symbol(g->symbols, "s0")));
    EXPECT(sym_same(sizes[2], sym_add_int(g->symbols, sizes[0], 1)));
    double number = 0;
    fx_arg f = fx_of(fx_find(g, "f")), u = fx_of(fx_find(g, "u")), n = fx_of(fx_find(g, "n")),
           yes = fx_bool(true);
    EXPECT(fx_arg_number(g, &f, &number) && number == 0.5);
    EXPECT(!fx_arg_number(g, &u, &number) && !fx_arg_number(g, &n, &number));
    EXPECT(fx_arg_number(g, &yes, &number) && number == 1);
    EXPECT(fx_arg_number(g, fx_get(g, fx_find(g, "v"), "fill_value"), &number) && number == 2.5);
    EXPECT(fx_arg_bool(&yes, false) && fx_arg_bool(&f, true));
    return FE_OK;
}

/* ---- uses ---- */

static bool is_not_output(const fx_node *user, void *data)
{
    (void)data;
    return user->kind != FX_OUTPUT;
}

SESSION_TEST(fx_uses_move_when_replaced)
{
    fx_graph *g = new_graph(session, session->memory);
    fx_node *x = fx_placeholder(g, FX_USER_INPUT, "x", "x"),
            *y = fx_placeholder(g, FX_USER_INPUT, "y", "y");
    x->value = y->value = tensor_value(g);
    fx_node *a = add_node(g, x, x), *b = add_node(g, x, y);
    fx_arg list[] = {fx_of(x), fx_of(a), fx_of(x), fx_of(b)};
    fx_node *cat = fx_emit(g, NULL, OP_aten_cat_default, NULL, 1, (fx_arg[]){fx_list(g, list, 4)});
    cat->value = x->value;
    fx_set_output(g, (fx_arg[]){fx_of(cat), fx_of(x)}, (fx_output[2]){{.kind = FX_USER_OUTPUT}}, 2);
    EXPECT_INT(x->users.count, 6);
    fx_replace_uses_if(g, x, y, is_not_output, NULL);
    FE_TRY(fx_check(g, NULL));
    EXPECT_INT(x->users.count, 1);
    EXPECT_INT(y->users.count, 6);

    fx_node *clone = fx_emit(g, a, OP_aten_clone_default, NULL, 1, (fx_arg[]){fx_of(y)});
    clone->value = y->value;
    fx_replace_uses(g, y, clone);
    FE_TRY(fx_check(g, NULL));
    EXPECT(y->users.count == 1 && y->users.at[0] == clone && clone->users.count == 6);
    fx_set_op(g, cat, op_get(g->ops, OP_aten_mul_Tensor), (fx_arg[]){fx_of(a), fx_of(b)}, 2);
    FE_TRY(fx_check(g, NULL));
    EXPECT(clone->users.count == 4);
    return FE_OK;
}

/* A generator of its own, so that the test is the same everywhere. */
static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static fx_node *any_node(fx_graph *g, uint32_t *state)
{
    fx_node *n = g->by_id.at[next_random(state) % g->by_id.count];
    return n && n->kind != FX_OUTPUT ? n : g->first;
}

SESSION_TEST(fx_uses_stay_true_under_random_changes)
{
    fx_graph *g = new_graph(session, session->memory);
    uint32_t state = 1;
    fx_placeholder(g, FX_USER_INPUT, "x", "x")->value = tensor_value(g);
    for (int step = 0; step < 3000; step++) {
        fx_renumber(g);
        fx_node *a = any_node(g, &state), *b = any_node(g, &state);
        fx_node *first = a->order < b->order ? a : b, *second = first == a ? b : a;
        switch (next_random(&state) % 6) {
        case 0:
        case 1: add_node(g, a, b); break;
        case 2: {
            fx_arg items[] = {fx_of(a), fx_of(b), fx_of(a)};
            fx_emit(g, NULL, OP_aten_cat_default, NULL, 1, (fx_arg[]){fx_list(g, items, 3)})
                ->value = a->value;
            break;
        }
        case 3: fx_replace_uses(g, second, first); break;
        case 4:
            if (second->arg_count > 0 && second->args[0].kind == FX_ARG_NODE && first != second)
                fx_set_arg(second, 0, fx_of(first), g);
            break;
        default:
            if (a->users.count == 0 && a->kind == FX_CALL) fx_erase(g, a);
            break;
        }
        if (step % 100 == 0) FE_TRY(fx_check(g, NULL));
    }
    return fx_check(g, "random changes");
}

SESSION_TEST(fx_uses_of_large_graphs_are_quick)
{
    enum { NODES = 100000 };
    arena *memory = arena_new(session);
    fx_graph *g = new_graph(session, memory);
    fx_node *x = fx_placeholder(g, FX_USER_INPUT, "x", "x");
    x->value = tensor_value(g);
    double start = clock_seconds();
    for (int i = 0; i < NODES; i++) add_node(g, x, x);
    FE_TRY(fx_check(g, NULL));
    fx_node *y = fx_placeholder(g, FX_USER_INPUT, "y", "y");
    y->value = x->value;
    fx_replace_uses(g, x, y);
    for (fx_node *n = y->next, *next; n;
         n = next) { /* forwards: the entries at the front go first */
        next = n->next;
        fx_erase(g, n);
    }
    EXPECT_INT(y->users.count, 0);
    EXPECT_INT(g->node_count, 2);
    EXPECT(clock_seconds() - start < 10); /* a fraction of a second; minutes when it is quadratic */
    arena_free(memory);
    return FE_OK;
}

SESSION_TEST(fx_clones_outlive_their_graph)
{
    arena *memory = arena_new(session), *longer = arena_new(session);
    fx_graph *g;
    FE_TRY(fx_parse(session, memory, SAMPLE, strlen(SAMPLE), &g));
    fx_origin *origin = NEW(memory, fx_origin);
    origin->stack_trace = arena_strdup(memory, "File \"m.py\", line 3, in f");
    fx_find(g, "linear")->origin = fx_find(g, "max_1")->origin = origin;
    fx_move_before(g, fx_find(g, "sym_size"), fx_find(g, "linear"));

    fx_graph *clone = fx_clone(g, longer);
    EXPECT_TEXT(print(session, clone), print(session, g));
    EXPECT_INT(fx_find(clone, "linear")->id, fx_find(g, "linear")->id);
    EXPECT(fx_find(clone, "linear")->origin == fx_find(clone, "max_1")->origin);
    fx_node *linear = fx_find(clone, "linear");
    fx_replace_uses(clone, linear, fx_find(clone, "x"));
    fx_erase(clone, linear);
    FE_TRY(fx_check(clone, "erasing"));
    FE_TRY(fx_check(g, NULL));
    EXPECT_TEXT(fx_origin_line(clone, fx_find(clone, "max_1")->origin), "m.py:3 in f");
    arena_free(memory); /* with the symbols and operators, which the clone shares */
    EXPECT_TEXT(fx_find(clone, "max_1")->origin->stack_trace, "File \"m.py\", line 3, in f");
    arena_free(longer);
    return FE_OK;
}

SESSION_TEST(fx_constants_are_added_by_passes)
{
    static const float numbers[4] = {1, 2, 3, 4};
    fx_graph *g = parse(session, SAMPLE);
    if (!g) return FE_OK;
    fx_value meta = tensor_value(g);
    fx_node *n = fx_add_constant(g, "folded", meta.tensor, numbers, sizeof numbers);
    EXPECT(n->value.tensor->storage != 0 && n->data->bytes == (const uint8_t *)numbers);
    text out;
    text_init(&out, session->memory);
    fx_print_node(g, n, &out);
    EXPECT(strstr(out.at, "placeholder %folded constant \"folded\" : f32[4]") != NULL);
    EXPECT(strstr(out.at, " data [1.0, 2.0, 3.0, 4.0]") != NULL);
    return fx_check(g, NULL);
}

/* ---- provenance ---- */

SESSION_TEST(fx_origin_lines_are_the_users_innermost)
{
    fx_graph *g = new_graph(session, session->memory);
    fx_origin o = {
        .stack_trace =
            "  File \"/srv/me/run.py\", line 3, in <module>\n    model(x)\n"
            "  File \"/srv/me/net/model.py\", line 12, in forward\n    return self.fc(x)\n"
            "  File \"/usr/lib/python3/site-packages/torch/nn/modules/linear.py\", line 125, in "
            "forward\n"
            "    return F.linear(input, self.weight, self.bias)\n"};
    EXPECT_TEXT(fx_origin_line(g, &o), "model.py:12 in forward");
    o.stack_trace = "File \"/x/site-packages/torch/nn/a.py\", line 1, in g";
    EXPECT_TEXT(fx_origin_line(g, &o), "a.py:1 in g");
    o.stack_trace = "File \"half a line";
    EXPECT(fx_origin_line(g, &o) == NULL);
    o.stack_trace = NULL;
    EXPECT(fx_origin_line(g, &o) == NULL && fx_origin_line(g, NULL) == NULL);
    return FE_OK;
}

SESSION_TEST(fx_diagnostics_name_node_operator_and_source)
{
    fx_graph *g = parse(session, SAMPLE);
    if (!g) return FE_OK;
    fx_node *n = fx_find(g, "linear");
    fx_origin o = {.node = "linear",
                   .target = "torch.ops.aten.linear.default",
                   .module_path = "fc",
                   .module_type = "Linear",
                   .stack_trace = "File \"m.py\", line 7, in forward"};
    n->origin = &o;
    EXPECT_INT(fx_fail(g, n, "infer", FE_UNSUPPORTED, "do something", "rank %d", 3),
               FE_UNSUPPORTED);
    text out;
    text_init(&out, session->memory);
    diag_print(session, &out);
    EXPECT_TEXT(
        out.at,
        "error: infer: cannot infer aten.linear.default: rank 3\n  at %linear in graph main\n"
        "  source m.py:7 in forward\n  help: do something\n");
    forget_diagnostics(session);

    text_init(&out, session->memory);
    fx_print_traced(g, &out);
    EXPECT(strstr(out.at, "f32[8,64]  # from linear = torch.ops.aten.linear.default at m.py:7 in "
                          "forward, fc (Linear)\n") != NULL);
    fx_graph *again;
    FE_TRY(fx_parse(session, session->memory, out.at, out.length, &again));
    EXPECT_TEXT(print(session, again), SAMPLE);
    return FE_OK;
}

/* ---- laws ---- */

static void expect_breach(fe_session *session, fx_graph *g, const char *message)
{
    forget_diagnostics(session);
    EXPECT_INT(fx_check(g, "a test"), FE_INTERNAL);
    EXPECT_TEXT(session->first_diag ? session->first_diag->message : "nothing", message);
    forget_diagnostics(session);
}

SESSION_TEST(fx_laws_are_checked)
{
    fx_graph *g = parse(session, SAMPLE);
    if (!g) return FE_OK;
    FE_TRY(fx_check(g, NULL));

    fx_node *linear = fx_find(g, "linear"), *x = fx_find(g, "x"), *item = fx_find(g, "getitem");
    linear->args[0].node = fx_find(g, "p_weight");
    expect_breach(session, g,
                  "F2: %p_weight has 1 users listed and 2 references (graph main, after a test)");
    linear->args[0].node = x;
    x->users.count--;
    expect_breach(
        session, g,
        "F2: %output uses %x, whose list of users does not say so (graph main, after a test)");
    x->users.count++;
    vec_push(g->memory, &item->users, linear);
    expect_breach(session, g,
                  "F2: %getitem has 2 users listed and 1 references (graph main, after a test)");
    item->users.count--;

    fx_value kept = linear->value;
    linear->value = (fx_value){.kind = FX_NO_VALUE};
    expect_breach(session, g, "F3: %linear has no metadata (graph main, after a test)");
    linear->value = (fx_value){.kind = FX_TUPLE};
    expect_breach(
        session, g,
        "F3: the metadata of %linear is not what its operator returns (graph main, after a test)");
    linear->value = kept;

    fx_set_arg(linear, 2, fx_string("bias"), g);
    expect_breach(session, g,
                  "F4: argument bias of %linear is not of the kind that aten.linear.default takes "
                  "(graph main, after a test)");
    fx_set_arg(linear, 2, fx_none(), g);
    linear->arg_count = 2;
    expect_breach(
        session, g,
        "F4: %linear has 2 arguments, aten.linear.default takes 3 (graph main, after a test)");
    linear->arg_count = 3;
    g->outputs.at[1].target = "z";
    expect_breach(session, g,
                  "F4: output 1 stands for the mutation of \"z\", which is no input of that kind "
                  "(graph main, after a test)");
    g->outputs.at[1].target = "x";

    const char *name = item->name;
    item->name = linear->name;
    expect_breach(session, g,
                  "F5: the name %linear stands for another node (graph main, after a test)");
    item->name = name;

    fx_node *relu = fx_emit(g, NULL, OP_aten_relu__default, NULL, 1, (fx_arg[]){fx_of(item)});
    relu->value = item->value;
    FE_TRY(fx_check(g, NULL));
    g->is_functional = true;
    expect_breach(session, g,
                  "F6: %relu_ = aten.relu_.default writes to its argument in a functional graph "
                  "(graph main, after a test)");
    fx_erase(g, relu);
    return fx_check(g, NULL);
}

SESSION_TEST(fx_laws_hold_for_numbers_where_tensors_are_meant)
{
    fx_graph *g = parse(session, "graph main {\n"
                                 "  placeholder %x user \"x\" : f32[4]\n"
                                 "  placeholder %n user \"n\" : int 4\n"
                                 "  %a = aten.add.Tensor(%x, 2) : f32[4]\n"
                                 "  %b = aten.mul.Tensor(%a, %n) : f32[4]\n"
                                 "  %s = aten.split.Tensor(%b, 2) : (f32[2], f32[2])\n"
                                 "  %c = aten.cat.default(%s) : f32[4]\n"
                                 "  %v = aten.view.default(%c, [%n]) : f32[4]\n"
                                 "  %p = aten.avg_pool1d.default(%v, 2) : f32[4]\n"
                                 "  %r = aten.bernoulli.default(%p) : f32[4]\n"
                                 "  output (user %r)\n"
                                 "}\n");
    return g ? fx_check(g, NULL) : FE_OK;
}
