/* in_place.c -- in-place operators that have no functional sibling, as writes through views that
 * have one.
 */
#include "pass/functionalise.h"

typedef struct expansion {
    fx_graph *g;
    fx_node *call, *first;
} expansion;

/* call.self seen as `count` elements `step` apart, from `offset` on, becomes the value. */
static fe_status fill_line(expansion *e, sym_expr count, sym_expr step, sym_expr offset)
{
    fx_graph *g = e->g;
    fx_node *line, *filled;
    fx_arg view[] = {e->call->args[0], fx_int_list(g, &count, 1), fx_int_list(g, &step, 1),
                     fx_expr(offset)};
    FE_TRY(pass_emit(g, e->call, OP_aten_as_strided_default, e->call, COUNT_OF(view), view, &line));
    fx_arg fill[] = {fx_of(line), *fx_get(g, e->call, "fill_value")};
    FE_TRY(pass_emit(g, e->call, OP_aten_fill__Scalar, e->call, COUNT_OF(fill), fill, &filled));
    if (!e->first) e->first = line;
    return FE_OK;
}

/* The main diagonal; with `wrap`, in a matrix that is higher than it is wide, again below it after a
 * row that is left out. */
static fe_status fill_diagonal(expansion *e)
{
    fx_graph *g = e->g;
    sym_table *t = g->symbols;
    const ty_tensor *x = fx_arg_tensor(&e->call->args[0]);
    bool wraps = fx_arg_bool(fx_get(g, e->call, "wrap"), false) && x->rank == 2;
    sym_expr count = x->sizes[0], step = x->strides[0];
    for (uint32_t d = 1; d < x->rank; d++) {
        count = sym_min(t, count, x->sizes[d]);
        step = sym_add(t, step, x->strides[d]);
    }
    FE_TRY(fill_line(e, count, step, x->offset));
    if (!wraps) return FE_OK;
    sym_expr below = sym_add_int(t, x->sizes[1], 1), all = sym_mul(t, x->sizes[0], x->sizes[1]);
    sym_expr lines = sym_floordiv(t, sym_add(t, all, x->sizes[1]), below);
    sym_expr more = sym_max(t, sym_sub(t, lines, count), sym_int(t, 0));
    return fill_line(e, more, step, sym_add(t, x->offset, sym_mul(t, x->strides[0], below)));
}

typedef struct expansion_row {
    op_id op;
    fe_status (*fn)(expansion *e);
} expansion_row;

static const expansion_row rows[] = {
    {OP_aten_fill_diagonal__default, fill_diagonal},
};

fe_status functionalise_expand(fx_graph *g, fx_node *n, fx_node **first)
{
    expansion e = {g, n, NULL};
    *first = NULL;
    for (size_t i = 0; n->kind == FX_CALL && i < COUNT_OF(rows); i++) {
        if (!fx_is(n, rows[i].op)) continue;
        FE_TRY(rows[i].fn(&e));
        fx_replace_uses(g, n, n->args[0].node);
        fx_erase(g, n);
        *first = e.first;
        return FE_OK;
    }
    return FE_OK;
}
