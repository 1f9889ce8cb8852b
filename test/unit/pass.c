/* pass.c -- src/pass: the runner refuses an order that breaks a need and a pass that merges what
 * was separate. What each pass does is tested by texts in test/pass. */
#include <string.h>

#include "infer/infer.h"
#include "pass/match.h"
#include "pass/pass.h"
#include "unit.h"

static const char two_copies[] = "graph main {\n"
                                 "  placeholder %x user \"x\" : f32[4]\n"
                                 "  %a = aten.exp.default(%x)\n"
                                 "  %b = aten.clone.default(%a, None)\n"
                                 "  %c = aten.clone.default(%a, None)\n"
                                 "  output (user %b, user %c)\n"
                                 "}\n";

static fe_status make_graph(fe_session *session, fx_graph **out)
{
    FE_TRY(fx_parse(session, session->memory, two_copies, sizeof two_copies - 1, out));
    return infer_graph(*out);
}

static fe_status idle(fx_graph *g, bool *changed)
{
    (void)g, (void)changed;
    return FE_OK;
}

/* What torch 2.13 does wrong: one clone stands for both. */
static fe_status merge_outputs(fx_graph *g, bool *changed)
{
    fx_replace_uses(g, fx_find(g, "c"), fx_find(g, "b"));
    *changed = true;
    return FE_OK;
}

static fe_status return_input(fx_graph *g, bool *changed)
{
    fx_replace_uses(g, fx_find(g, "c"), fx_find(g, "x"));
    *changed = true;
    return FE_OK;
}

static bool last_says(const fe_session *session, const char *words)
{
    return session->last_diag && strstr(session->last_diag->message, words);
}

SESSION_TEST(a_pass_before_what_it_needs_is_refused)
{
    fx_graph *g;
    pass_options options = {.check = true};
    const pass_info early[] = {
        {"early", "", PASS_META | PASS_FUNCTIONAL, 0, 0, idle, false, NULL, NULL}};
    const pass_info order[] = {
        {"first", "", PASS_META, PASS_FUNCTIONAL, 0, idle, false, NULL, NULL},
        {"second", "", PASS_FUNCTIONAL, 0, 0, idle, false, NULL, NULL}};
    FE_TRY(make_graph(session, &g));
    EXPECT_INT(pass_run_table(g, early, 1, &options), FE_INTERNAL);
    EXPECT(last_says(session, "a graph without mutation"));
    EXPECT_INT(pass_run_table(g, order, 2, &options), FE_OK);
    return FE_OK;
}

SESSION_TEST(a_pass_after_one_that_broke_its_need_is_refused)
{
    fx_graph *g;
    pass_options options = {0};
    const pass_info order[] = {
        {"first", "", PASS_META, PASS_FUNCTIONAL, 0, idle, false, NULL, NULL},
        {"reinplace", "", PASS_FUNCTIONAL, 0, PASS_FUNCTIONAL, idle, false, NULL, NULL},
        {"late", "", PASS_META | PASS_FUNCTIONAL, 0, 0, idle, false, NULL, NULL}};
    FE_TRY(make_graph(session, &g));
    EXPECT_INT(pass_run_table(g, order, 3, &options), FE_INTERNAL);
    EXPECT_TEXT(session->last_diag->place, "late");
    return FE_OK;
}

SESSION_TEST(the_table_of_passes_keeps_its_own_needs)
{
    uint32_t holds = PASS_META;
    (void)session;
    for (uint32_t i = 0; i < pass_count; i++) {
        EXPECT((pass_table[i].needs & ~holds) == 0);
        holds = (holds & ~pass_table[i].breaks) | pass_table[i].makes;
    }
    return FE_OK;
}

SESSION_TEST(a_pass_that_merges_two_outputs_is_caught)
{
    fx_graph *g;
    pass_options options = {.check = true};
    const pass_info merge[] = {{"merge", "", PASS_META, 0, 0, merge_outputs, false, NULL, NULL}};
    FE_TRY(make_graph(session, &g));
    EXPECT_INT(pass_run_table(g, merge, 1, &options), FE_INTERNAL);
    EXPECT(last_says(session, "output 1 shares storage that it did not share before"));
    return FE_OK;
}

SESSION_TEST(a_pass_that_returns_an_input_for_a_copy_is_caught)
{
    fx_graph *g;
    pass_options options = {.check = true};
    const pass_info merge[] = {{"merge", "", PASS_META, 0, 0, return_input, false, NULL, NULL}};
    FE_TRY(make_graph(session, &g));
    EXPECT_INT(pass_run_table(g, merge, 1, &options), FE_INTERNAL);
    EXPECT(last_says(session, "output 1 shares storage"));
    return FE_OK;
}

/* ---- symbols that only the run knows ---- */

static const char picks[] = "symbols {\n"
                            "  u0 unbacked in [0, inf]\n"
                            "}\n"
                            "graph main {\n"
                            "  placeholder %x user \"x\" : f32[4]\n"
                            "  placeholder %m user \"m\" : bool[4]\n"
                            "  %few = aten.masked_select.default(%x, %m) : f32[u0]\n"
                            "  %ones = aten.full.default([u0], 1.0)\n"
                            "  %sum = aten.add.Tensor(%few, %ones, 1)\n"
                            "  output (user %sum)\n"
                            "}\n";

static fx_node *to_index(rewriting *r)
{
    fx_arg places = fx_list(r->g, match_arg(r->m, "m"), 1);
    return REWRITE(r, aten_index_Tensor, *match_arg(r->m, "x"), places);
}

static fe_status select_by_index(fx_graph *g, bool *changed)
{
    static const rewrite_rule rules[] = {{"masked_select(%x, %m)", to_index}};
    return rewrite_run(g, rules, 1, NULL, changed);
}

/* The same, and the symbol that the rest of the program speaks of is forgotten. */
static fe_status forget_symbol(fx_graph *g, bool *changed)
{
    fx_node *few = fx_find(g, "few"), *made;
    fx_arg places = fx_of(fx_find(g, "m"));
    fx_arg args[] = {fx_of(fx_find(g, "x")), fx_list(g, &places, 1)};
    FE_TRY(pass_emit(g, few, OP_aten_index_Tensor, few, 2, args, &made));
    fx_replace_uses(g, few, made);
    fx_erase(g, few);
    *changed = true;
    return FE_OK;
}

SESSION_TEST(what_a_pass_makes_binds_the_symbols_of_what_it_replaces)
{
    fx_graph *g;
    text out;
    pass_options options = {.check = true};
    const pass_info table[] = {
        {"by_index", "", PASS_META, 0, 0, select_by_index, false, NULL, NULL}};
    FE_TRY(fx_parse(session, session->memory, picks, sizeof picks - 1, &g));
    FE_TRY(infer_graph(g));
    EXPECT_INT(pass_run_table(g, table, 1, &options), FE_OK);
    text_init(&out, session->memory);
    fx_print_node(g, fx_find(g, "index"), &out);
    EXPECT(strstr(out.at, "f32[u0]"));
    return FE_OK;
}

SESSION_TEST(a_pass_that_leaves_a_symbol_unbound_is_caught)
{
    fx_graph *g;
    pass_options options = {.check = true};
    const pass_info table[] = {{"forget", "", PASS_META, 0, 0, forget_symbol, false, NULL, NULL}};
    FE_TRY(fx_parse(session, session->memory, picks, sizeof picks - 1, &g));
    FE_TRY(infer_graph(g));
    EXPECT_INT(pass_run_table(g, table, 1, &options), FE_INTERNAL);
    EXPECT(last_says(session, "F7: %ones speaks of u0, which nothing before it binds"));
    return FE_OK;
}

/* The column fewer is no better knowledge of the rows. */
static fe_status cut_a_column(fx_graph *g, bool *changed)
{
    fx_node *places = fx_find(g, "places"), *made;
    fx_arg args[] = {fx_of(places), fx_int(g, 1), fx_int(g, 0), fx_int(g, 1)};
    FE_TRY(pass_emit(g, g->output, OP_aten_slice_Tensor, places, 4, args, &made));
    fx_replace_uses(g, places, made);
    *changed = true;
    return FE_OK;
}

SESSION_TEST(a_pass_that_changes_a_size_beside_an_unknown_one_is_caught)
{
    static const char source[] = "symbols {\n"
                                 "  u0 unbacked in [0, inf]\n"
                                 "}\n"
                                 "graph main {\n"
                                 "  placeholder %x user \"x\" : f32[4,4]\n"
                                 "  %places = aten.nonzero.default(%x) : i64[u0,2]\n"
                                 "  output (user %places)\n"
                                 "}\n";
    fx_graph *g;
    pass_options options = {.check = true};
    const pass_info table[] = {{"cut", "", PASS_META, 0, 0, cut_a_column, false, NULL, NULL}};
    FE_TRY(fx_parse(session, session->memory, source, sizeof source - 1, &g));
    FE_TRY(infer_graph(g));
    EXPECT_INT(pass_run_table(g, table, 1, &options), FE_INTERNAL);
    EXPECT(last_says(session, "output 0 is another value than it was"));
    return FE_OK;
}
