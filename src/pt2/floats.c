/* floats.c -- sizes that come of floats and that no node gives become calls in front of the program's
 * (fx/floats.c); so do guards about floats.
 */
#include "pt2/pt2_priv.h"

/* By symbol: does a number of the program have it? */
static void find_given(const fx_graph *g, map *given)
{
    for (const fx_node *n = g->first; n; n = n->next)
        if (n->kind == FX_CALL && n->value.kind == FX_INT && !sym_is_none(n->value.expr))
            map_set(g->memory, given, n->value.expr.id, 1);
}

static bool is_integer(const fx_node *n)
{
    return fx_is(n, OP_math_trunc) || fx_is(n, OP_math_floor) || fx_is(n, OP_math_ceil) ||
           fx_is(n, OP_builtins_round);
}

void floats_write(reader *r, fx_graph *g)
{
    map given = {0};
    fx_node *before = fx_first_call(g);
    if (r->stand_in_values.count) find_given(g, &given);
    for (uint32_t i = 0; i < r->stand_in_values.count; i++) {
        sym_expr symbol = r->stand_in_values.at[i];
        fx_arg made;
        if (map_get(&given, symbol.id) != MAP_NONE) continue;
        if (!fx_write_floats(g, before, r->stand_in_texts.at[i], &made) || !is_integer(made.node))
            continue;
        made.node->value = (fx_value){.kind = FX_INT, .expr = symbol};
        made.node->is_stale = false;
    }
    fx_write_float_guards(g, before);
}
