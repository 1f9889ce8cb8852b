/* infer.c -- src/infer through its C interface: updates, aliasing, unbacked symbols, comparing,
 * what is refused. What each operator gives is tested by text (test/infer) and against archives. */
#include "infer/infer.h"
#include "unit.h"

#include <string.h>

/* The graph of a text that must parse, inferred; NULL (after a failed expectation) otherwise. */
static fx_graph *inferred(fe_session *session, const char *source)
{
    fx_graph *g = NULL;
    if (fx_parse(session, session->memory, source, strlen(source), &g) == FE_OK &&
        infer_graph(g) == FE_OK)
        return g;
    EXPECT_TEXT(session->last_diag ? session->last_diag->message : "no diagnostic", source);
    return NULL;
}

static void expect_value(fe_session *session, const fx_graph *g, const char *name,
                         const char *wanted)
{
    text out;
    text_init(&out, session->memory);
    fx_node *n = fx_find(g, name);
    EXPECT(n != NULL);
    if (!n) return;
    fx_print_node(g, n, &out);
    const char *value = strrchr(out.at, ':');
    EXPECT_TEXT(value ? value + 2 : out.at, wanted);
}

static uint32_t storage_of(const fx_graph *g, const char *name)
{
    fx_node *n = fx_find(g, name);
    return n && fx_tensor(n) ? fx_tensor(n)->storage : 0;
}

static const char *CHAIN = "graph main {\n"
                           "  placeholder %x user \"x\" : f32[2,3]\n"
                           "  placeholder %y user \"y\" : f32[4,3]\n"
                           "  %n0 = aten.relu.default(%x)\n"
                           "  %n1 = aten.relu.default(%n0)\n"
                           "  %n2 = aten.sin.default(%n1)\n"
                           "  %n3 = aten.neg.default(%n2)\n"
                           "  %n4 = aten.abs.default(%n3)\n"
                           "  %n5 = aten.exp.default(%n4)\n"
                           "  %n6 = aten.view.default(%n5, [3, -1])\n"
                           "  %n7 = aten.add.Tensor(%n6, 1)\n"
                           "  %n8 = aten.mul.Tensor(%n7, 2)\n"
                           "  %n9 = aten.sum.default(%n8)\n"
                           "  %n10 = aten.neg.default(%n9)\n"
                           "  output (user %n10)\n"
                           "}\n";

/* ---- updates ---- */

SESSION_TEST(infer_update_of_a_value_alone_stops_at_once)
{
    uint32_t recomputed = 0;
    fx_graph *g = inferred(session, CHAIN);
    if (!g) return FE_OK;
    uint32_t storage = storage_of(g, "n0");
    fx_node *n = fx_find(g, "n0");
    fx_arg args[] = {fx_of(fx_find(g, "x"))};
    fx_set_op(g, n, op_get(g->ops, OP_aten_sigmoid_default), args, 1);
    FE_TRY(infer_update(g, n, &recomputed));
    EXPECT_INT(recomputed, 1);
    EXPECT_INT(storage_of(g, "n0"), storage);
    return FE_OK;
}

SESSION_TEST(infer_update_goes_as_far_as_metadata_differs)
{
    uint32_t recomputed = 0;
    fx_graph *g = inferred(session, CHAIN);
    if (!g) return FE_OK;
    fx_node *n = fx_find(g, "n0");
    fx_set_arg(n, 0, fx_of(fx_find(g, "y")), g);
    FE_TRY(infer_update(g, n, &recomputed));
    EXPECT_INT(recomputed, 10); /* the sum is a number as before */
    expect_value(session, g, "n6", "f32[3,4]{4,1}@8");
    expect_value(session, g, "n9", "f32[]{}@11");
    return FE_OK;
}

SESSION_TEST(infer_update_follows_alias_classes)
{
    uint32_t recomputed = 0;
    fx_graph *g = inferred(session, CHAIN);
    if (!g) return FE_OK;
    EXPECT_INT(storage_of(g, "n6"), storage_of(g, "n5"));
    /* The base of the view becomes an alias of something else: the view follows, its users not. */
    fx_node *n = fx_find(g, "n5");
    fx_arg args[] = {fx_of(fx_find(g, "n1"))};
    fx_set_op(g, n, op_get(g->ops, OP_aten_alias_default), args, 1);
    FE_TRY(infer_update(g, n, &recomputed));
    EXPECT_INT(recomputed, 3);
    EXPECT_INT(storage_of(g, "n6"), storage_of(g, "n1"));
    /* And back again: what is fresh gets a number that no other has. */
    fx_set_op(g, n, op_get(g->ops, OP_aten_exp_default), args, 1);
    FE_TRY(infer_update(g, n, &recomputed));
    EXPECT(storage_of(g, "n5") != storage_of(g, "n1"));
    EXPECT_INT(storage_of(g, "n6"), storage_of(g, "n5"));
    return FE_OK;
}

SESSION_TEST(infer_refresh_finds_the_changes_itself)
{
    uint32_t recomputed = 0;
    fx_graph *g = inferred(session, CHAIN);
    if (!g) return FE_OK;
    fx_arg args[] = {fx_of(fx_find(g, "x"))};
    FE_TRY(infer_refresh(g, &recomputed));
    EXPECT_INT(recomputed, 0);
    /* two changes of values alone, at the head and behind */
    fx_set_op(g, fx_find(g, "n0"), op_get(g->ops, OP_aten_sigmoid_default), args, 1);
    args[0] = fx_of(fx_find(g, "n2"));
    fx_set_op(g, fx_find(g, "n3"), op_get(g->ops, OP_aten_tanh_default), args, 1);
    FE_TRY(infer_refresh(g, &recomputed));
    EXPECT_INT(recomputed, 2);
    /* other sizes: all but the last, whose operand is a number as before */
    fx_set_arg(fx_find(g, "n0"), 0, fx_of(fx_find(g, "y")), g);
    FE_TRY(infer_refresh(g, &recomputed));
    EXPECT_INT(recomputed, 10);
    expect_value(session, g, "n6", "f32[3,4]{4,1}@8");
    return FE_OK;
}

SESSION_TEST(infer_refresh_sees_a_change_that_is_taken_back)
{
    uint32_t recomputed = 0;
    fx_graph *g = inferred(session, CHAIN);
    if (!g) return FE_OK;
    fx_node *n = fx_find(g, "n0"), *x = fx_find(g, "x"), *y = fx_find(g, "y");
    fx_set_arg(n, 0, fx_of(y), g);
    fx_set_arg(n, 0, fx_of(x), g);
    FE_TRY(infer_refresh(g, &recomputed));
    EXPECT_INT(recomputed, 1); /* as if nothing had been */
    fx_set_arg(n, 0, fx_of(y), g);
    FE_TRY(infer_refresh(g, &recomputed));
    EXPECT_INT(recomputed, 10);
    fx_set_arg(n, 0, fx_of(x), g);
    FE_TRY(infer_refresh(g, &recomputed));
    EXPECT_INT(recomputed, 10);
    expect_value(session, g, "n6", "f32[3,2]{2,1}@8");
    return FE_OK;
}

SESSION_TEST(infer_refresh_carries_a_dtype_as_far_as_it_goes)
{
    uint32_t recomputed = 0;
    fx_graph *g = inferred(session, "graph main {\n"
                                    "  placeholder %x user \"x\" : f32[4]\n"
                                    "  %a = aten.to.dtype(%x, torch.float16)\n"
                                    "  %b = aten.neg.default(%a)\n"
                                    "  %c = aten.mul.Tensor(%b, %b)\n"
                                    "  %d = aten.to.dtype(%c, torch.int32)\n"
                                    "  %e = aten.neg.default(%d)\n"
                                    "  %f = aten.gt.Scalar(%b, 0)\n"
                                    "  %g = aten.logical_not.default(%f)\n"
                                    "  output (user %e, user %g)\n"
                                    "}\n");
    if (!g) return FE_OK;
    fx_set_arg(fx_find(g, "a"), 1, fx_dtype(TY_F64), g);
    FE_TRY(infer_refresh(g, &recomputed));
    EXPECT_INT(recomputed, 5); /* a, b, c; d and f come out as they were */
    expect_value(session, g, "c", "f64[4]{1}@4");
    return FE_OK;
}

SESSION_TEST(infer_refresh_gives_what_the_data_decides_its_symbols_again)
{
    uint32_t recomputed = 0;
    fx_graph *g = inferred(session, "graph main {\n"
                                    "  placeholder %x user \"x\" : f32[4,6]\n"
                                    "  %neg = aten.neg.default(%x)\n"
                                    "  %nonzero = aten.nonzero.default(%x)\n"
                                    "  %count = aten.sum.default(%x)\n"
                                    "  %item = aten.item.default(%count)\n"
                                    "  %size = aten.sym_size.int(%nonzero, 0)\n"
                                    "  %rows = aten.full.default([%size, 2], 1)\n"
                                    "  output (user %rows, user %item)\n"
                                    "}\n");
    if (!g) return FE_OK;
    fx_set_arg(fx_find(g, "nonzero"), 0, fx_of(fx_find(g, "neg")), g);
    FE_TRY(infer_refresh(g, &recomputed));
    EXPECT_INT(recomputed, 1);
    expect_value(session, g, "nonzero", "i64[u0,2]{1,u0}@3");
    expect_value(session, g, "rows", "i64[u0,2]{2,1}@5");
    return FE_OK;
}

SESSION_TEST(infer_refresh_goes_into_subgraphs_and_out_of_them)
{
    uint32_t recomputed = 0;
    fx_graph *g = inferred(session, "graph main {\n"
                                    "  placeholder %x user \"x\" : f32[4]\n"
                                    "  %p = aten.any.default(%x)\n"
                                    "  %cond = higher_order.cond(%p, @yes, @no, [%x])\n"
                                    "  %y = _operator.getitem(%cond, 0)\n"
                                    "  %view = aten.view.default(%y, [2, 2])\n"
                                    "  %z = aten.neg.default(%view)\n"
                                    "  output (user %z)\n"
                                    "}\n"
                                    "graph yes {\n"
                                    "  placeholder %x user \"\" : f32[4]\n"
                                    "  %a = aten.exp.default(%x)\n"
                                    "  %b = aten.neg.default(%a)\n"
                                    "  output (user %b)\n"
                                    "}\n"
                                    "graph no {\n"
                                    "  placeholder %x user \"\" : f32[4]\n"
                                    "  %a = aten.sin.default(%x)\n"
                                    "  output (user %a)\n"
                                    "}\n");
    if (!g) return FE_OK;
    fx_graph *no = fx_find(g, "cond")->args[2].graph;
    fx_arg args[] = {fx_of(fx_find(no, "x"))};
    fx_set_op(no, fx_find(no, "a"), op_get(g->ops, OP_aten_sin_default), args, 1);
    FE_TRY(infer_refresh(g, &recomputed));
    EXPECT_INT(recomputed, 1);
    /* another value is returned, one that is as fresh: the call is computed, its readers are not */
    fx_set_arg(no->output, 0, fx_of(fx_find(no, "a")), no);
    FE_TRY(infer_refresh(g, &recomputed));
    EXPECT_INT(recomputed, 1);
    /* the operand itself: the item and its view alias it, what reads them is as it was */
    fx_set_arg(no->output, 0, args[0], no);
    FE_TRY(infer_refresh(g, &recomputed));
    EXPECT_INT(recomputed, 4);
    EXPECT_INT(storage_of(g, "view"), storage_of(g, "x"));
    return FE_OK;
}

SESSION_TEST(infer_refresh_takes_strides_alone_into_branches)
{
    uint32_t recomputed = 0;
    fx_graph *g = inferred(session, "graph main {\n"
                                    "  placeholder %x user \"x\" : f32[2,3]\n"
                                    "  placeholder %t user \"t\" : f32[2,3]{1,2}\n"
                                    "  %p = aten.any.default(%x)\n"
                                    "  %a = aten.neg.default(%x)\n"
                                    "  %cond = higher_order.cond(%p, @yes, @no, [%a])\n"
                                    "  %y = _operator.getitem(%cond, 0)\n"
                                    "  output (user %y)\n"
                                    "}\n"
                                    "graph yes {\n"
                                    "  placeholder %x user \"\" : f32[2,3]\n"
                                    "  %b = aten.exp.default(%x)\n"
                                    "  output (user %b)\n"
                                    "}\n"
                                    "graph no {\n"
                                    "  placeholder %x user \"\" : f32[2,3]\n"
                                    "  %b = aten.sin.default(%x)\n"
                                    "  output (user %b)\n"
                                    "}\n");
    if (!g) return FE_OK;
    fx_graph *yes = fx_find(g, "cond")->args[1].graph;
    /* other values, laid out as before: the branches are as they were */
    fx_set_arg(fx_find(g, "a"), 0, fx_of(fx_find(g, "x")), g);
    FE_TRY(infer_refresh(g, &recomputed));
    EXPECT_INT(recomputed, 1);
    fx_set_arg(fx_find(g, "a"), 0, fx_of(fx_find(g, "t")), g);
    FE_TRY(infer_refresh(g, &recomputed));
    EXPECT_INT(recomputed, 4); /* with the call, whose results are what both branches give */
    expect_value(session, yes, "b", "f32[2,3]{1,2}@4");
    expect_value(session, g, "y", "f32[2,3]{3,1}@5");
    return FE_OK;
}

SESSION_TEST(infer_first_untrue_names_what_nobody_computed_again)
{
    const char *why;
    fx_graph *g = inferred(session, CHAIN);
    if (!g) return FE_OK;
    EXPECT(infer_first_untrue(g, &why) == NULL);
    fx_set_arg(fx_find(g, "n6"), 0, fx_of(fx_find(g, "n4")), g);
    EXPECT(infer_first_untrue(g, &why) == fx_find(g, "n6"));
    EXPECT_TEXT(why, "alias class");
    fx_set_arg(fx_find(g, "n2"), 0, fx_of(fx_find(g, "y")), g);
    EXPECT(infer_first_untrue(g, &why) == fx_find(g, "n2"));
    EXPECT_TEXT(why, "sizes");
    return FE_OK;
}

SESSION_TEST(infer_node_serves_nodes_that_passes_make)
{
    fx_graph *g = inferred(session, CHAIN);
    if (!g) return FE_OK;
    fx_node *x = fx_find(g, "x");
    sym_expr order[] = {sym_int(g->symbols, 1), sym_int(g->symbols, 0)};
    fx_arg args[] = {fx_of(x), fx_int_list(g, order, 2)};
    fx_node *n = fx_emit(g, fx_find(g, "n1"), OP_aten_permute_default, x, 2, args);
    FE_TRY(infer_node(g, n));
    expect_value(session, g, n->name, "f32[3,2]{1,3}@1");
    return FE_OK;
}

/* ---- aliasing ---- */

SESSION_TEST(infer_gives_views_the_storage_of_their_base)
{
    fx_graph *g = inferred(session, "graph main {\n"
                                    "  placeholder %x user \"x\" : f32[4,6]\n"
                                    "  %t = aten.t.default(%x)\n"
                                    "  %s = aten.select.int(%t, 0, -1)\n"
                                    "  %same = aten.to.dtype(%s, torch.float32)\n"
                                    "  %other = aten.to.dtype(%s, torch.float64)\n"
                                    "  %dense = aten.contiguous.default(%s)\n"
                                    "  %flat = aten.reshape.default(%t, [-1])\n"
                                    "  %add_ = aten.add_.Tensor(%s, 1)\n"
                                    "  %parts = aten.split.Tensor(%x, 3)\n"
                                    "  %part = _operator.getitem(%parts, 1)\n"
                                    "  output (user %part)\n"
                                    "}\n");
    if (!g) return FE_OK;
    uint32_t base = storage_of(g, "x");
    expect_value(session, g, "s", "f32[4]{6}+5@1");
    EXPECT_INT(storage_of(g, "same"), base);
    EXPECT(storage_of(g, "other") != base);
    EXPECT(storage_of(g, "dense") != base);
    EXPECT(storage_of(g, "flat") != base);
    EXPECT_INT(storage_of(g, "add_"), base);
    expect_value(session, g, "part", "f32[1,6]{6,1}+18@1");
    return FE_OK;
}

SESSION_TEST(infer_shares_numbers_between_views_of_one_constant)
{
    fx_graph *g = fx_graph_new(session, session->memory, sym_table_new(session->memory),
                               op_registry_new(session->memory), "main");
    static const float bytes[4] = {0};
    sym_expr size = sym_int(g->symbols, 4);
    ty_device cpu = {.kind = TY_CPU, .index = -1};
    ty_tensor *meta = ty_tensor_new(g->memory, g->symbols, TY_F32, cpu, 1, &size);
    fx_data whole = {.bytes = (const uint8_t *)bytes, .size = sizeof bytes};
    for (uint32_t i = 0; i < 2; i++) {
        fx_node *p = fx_placeholder(g, FX_PARAMETER, i ? "b" : "a", i ? "b" : "a");
        p->value = (fx_value){.kind = FX_TENSOR, .tensor = ty_tensor_copy(g->memory, meta)};
        p->data = &whole;
    }
    FE_TRY(infer_graph(g));
    EXPECT(storage_of(g, "a") != 0);
    EXPECT_INT(storage_of(g, "a"), storage_of(g, "b"));
    return FE_OK;
}

/* ---- what only the run knows ---- */

SESSION_TEST(infer_makes_symbols_for_sizes_of_the_data)
{
    fx_graph *g = inferred(session, "graph main {\n"
                                    "  placeholder %x user \"x\" : f32[4,6]\n"
                                    "  %nonzero = aten.nonzero.default(%x)\n"
                                    "  %size = aten.sym_size.int(%nonzero, 0)\n"
                                    "  %twice = _operator.mul(%size, 2)\n"
                                    "  %known = aten.nonzero.default(%x) : i64[u7,2]\n"
                                    "  output (user %twice)\n"
                                    "}\n");
    if (!g) return FE_OK;
    expect_value(session, g, "nonzero", "i64[u8,2]{1,u8}@2");
    expect_value(session, g, "twice", "int 2*u8");
    expect_value(session, g, "known", "i64[u7,2]{2,1}@3");
    return FE_OK;
}

SESSION_TEST(infer_keeps_what_the_program_has_checked)
{
    fx_graph *g = inferred(session, "symbols {\n"
                                    "  s0 in [2, 64]\n"
                                    "  u0 unbacked in [0, inf]\n"
                                    "  u1 unbacked in [0, inf]\n"
                                    "}\n"
                                    "graph main {\n"
                                    "  placeholder %x user \"x\" : f32[s0,4]\n"
                                    "  placeholder %n user \"n\" : int u0\n"
                                    "  %open = aten.slice.Tensor(%x, 0, 0, %n)\n"
                                    "  %kept = aten.slice.Tensor(%x, 0, 0, %n) : f32[u0,4]\n"
                                    "  %stale = aten.slice.Tensor(%x, 0, 0, %n) : f32[u1,4]\n"
                                    "  output (user %open)\n"
                                    "}\n");
    if (!g) return FE_OK;
    expect_value(session, g, "open", "f32[min(s0, u0),4]{4,1}@1");
    expect_value(session, g, "kept", "f32[u0,4]{4,1}@1");
    expect_value(session, g, "stale", "f32[min(s0, u0),4]{4,1}@1");
    return FE_OK;
}

/* ---- comparing, refusing ---- */

SESSION_TEST(infer_same_value_says_what_differs)
{
    const char *why = NULL;
    fx_graph *g = inferred(session, "graph main {\n"
                                    "  placeholder %a user \"a\" : f32[2,3]\n"
                                    "  placeholder %b user \"b\" : f32[2,3]{1,2}\n"
                                    "  placeholder %c user \"c\" : f64[2,3]\n"
                                    "  placeholder %d user \"d\" : f32[2,4]\n"
                                    "  placeholder %f user \"f\" : f32[6]\n"
                                    "  %e = aten.as_strided.default(%a, [2,3], [3,1], 1)\n"
                                    "  output ()\n"
                                    "}\n");
    if (!g) return FE_OK;
    static const char *const WANTED[] = {NULL, "strides", "dtype", "sizes", "offset", "rank"};
    static const char *const NAMES[] = {"a", "b", "c", "d", "e", "f"};
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        bool same =
            infer_same_value(g, &fx_find(g, "a")->value, &fx_find(g, NAMES[i])->value, &why);
        EXPECT(same == !WANTED[i]);
        if (WANTED[i]) EXPECT_TEXT(why, WANTED[i]);
    }
    return FE_OK;
}

static fe_status refused(fe_session *session, const char *source, const char **message)
{
    fx_graph *g = NULL;
    FE_TRY(fx_parse(session, session->memory, source, strlen(source), &g));
    fe_status status = infer_graph(g);
    *message = session->last_diag ? session->last_diag->message : "";
    session->first_diag = session->last_diag = NULL;
    session->diag_count = 0;
    return status;
}

SESSION_TEST(infer_refuses_what_cannot_be)
{
    const char *message;
    EXPECT(refused(session,
                   "graph main {\n"
                   "  placeholder %x user \"x\" : f32[2,3]\n"
                   "  placeholder %y user \"y\" : f32[2,4]\n"
                   "  %add = aten.add.Tensor(%x, %y)\n"
                   "  output (user %add)\n"
                   "}\n",
                   &message) == FE_CORRUPT);
    EXPECT_TEXT(message, "shapes do not broadcast: f32[2,3] and f32[2,4]");
    EXPECT(refused(session,
                   "graph main {\n"
                   "  placeholder %x user \"x\" : f32[2,3]\n"
                   "  %mm = aten.mm.default(%x, %x)\n"
                   "  output (user %mm)\n"
                   "}\n",
                   &message) == FE_CORRUPT);
    EXPECT_TEXT(message,
                "mat2 is f32[2,3] where [k,m] is wanted: its size in dimension 0 is not 3");
    EXPECT(refused(session,
                   "graph main {\n"
                   "  placeholder %x user \"x\" : f32[2,3]\n"
                   "  placeholder %y user \"y\" : f32[4,2,3]\n"
                   "  %add_ = aten.add_.Tensor(%x, %y)\n"
                   "  output (user %add_)\n"
                   "}\n",
                   &message) == FE_CORRUPT);
    EXPECT_TEXT(message, "f32[4,2,3] cannot be written to f32[2,3]");
    return FE_OK;
}

SESSION_TEST(infer_keeps_the_record_of_operators_that_it_does_not_know)
{
    const op_info *op;
    fx_graph *g = fx_graph_new(session, session->memory, sym_table_new(session->memory),
                               op_registry_new(session->memory), "main");
    FE_TRY(op_declare(g->ops, "mylib::twist(Tensor x) -> Tensor", 0, &op));
    fx_node *x = fx_placeholder(g, FX_USER_INPUT, "x", "x");
    sym_expr size = sym_int(g->symbols, 4);
    ty_device cpu = {.kind = TY_CPU, .index = -1};
    x->value = (fx_value){.kind = FX_TENSOR,
                          .tensor = ty_tensor_new(g->memory, g->symbols, TY_F32, cpu, 1, &size)};
    fx_arg args[] = {fx_of(x)};
    fx_node *n = fx_call(g, NULL, op, NULL, args, 1);
    fx_node *again = fx_call(g, NULL, op, NULL, args, 1);
    EXPECT(!infer_knows(op));
    EXPECT(infer_graph(g) == FE_UNSUPPORTED);
    EXPECT_INT(session->diag_count, 2); /* all of them are named */
    session->first_diag = session->last_diag = NULL;
    session->diag_count = 0;
    n->value = again->value =
        (fx_value){.kind = FX_TENSOR, .tensor = ty_tensor_copy(g->memory, x->value.tensor)};
    FE_TRY(infer_graph(g));
    EXPECT(fx_tensor(n)->storage != 0);
    return FE_OK;
}
