/* facts.c -- what asks only for the sizes, the strides or the dtype of a computed value reads it no
 * more: these are known. The value then has fewer readers, which lets later passes take it into
 * another call, and is not kept in memory for the sake of a number.
 */
#include "pass/match.h"

static bool is_known(const fx_graph *g, sym_expr e)
{
    return !sym_is_none(e) && !sym_has_kind(g->symbols, e, SYM_UNBACKED);
}

static bool is_computed(const fx_node *n)
{
    return n && n->kind == FX_CALL;
}

/* Operators that ask another operand for its sizes, and those that take sizes. */
static const struct {
    op_id as, to;
} BY_SIZES[] = {
    {OP_aten_reshape_as_default, OP_aten_reshape_default},
    {OP_aten_view_as_default, OP_aten_view_default},
    {OP_aten_expand_as_default, OP_aten_expand_default},
};

/* Of the other operand only the sizes count. */
static fx_node *by_sizes(rewriting *r)
{
    const ty_tensor *t = fx_tensor(r->root);
    if (!t || !is_computed(rewrite_node(r, "other"))) return NULL;
    for (uint32_t k = 0; k < t->rank; k++)
        if (!is_known(r->g, t->sizes[k])) return NULL;
    fx_arg x = *match_arg(r->m, "x"), sizes = fx_int_list(r->g, t->sizes, t->rank);
    for (size_t i = 0; i < COUNT_OF(BY_SIZES); i++)
        if (fx_is(r->root, BY_SIZES[i].as))
            return rewrite_call(r, BY_SIZES[i].to, 2, (fx_arg[]){x, sizes});
    return NULL;
}

static fx_node *by_dtype(rewriting *r)
{
    const ty_tensor *t = fx_tensor(r->root), *x = rewrite_tensor(r, "x");
    if (!t || !x || !is_computed(rewrite_node(r, "other")) || !ty_same_device(t->device, x->device))
        return NULL;
    return REWRITE(r, aten_to_dtype, *match_arg(r->m, "x"), fx_dtype(t->dtype));
}

static const rewrite_rule RULES[] = {
    {"reshape_as|view_as|expand_as(%x, %other)", by_sizes},
    {"type_as|to.other(%x, %other)", by_dtype},
};

static bool asks_for_a_number(const fx_node *n)
{
    switch (n->kind == FX_CALL ? n->op->id : OP_NONE) {
    case OP_aten_sym_size_int:
    case OP_aten_sym_stride_int:
    case OP_aten_sym_numel_default: break;
    default: return false;
    }
    return n->args[0].kind == FX_ARG_NODE && is_computed(n->args[0].node) &&
           n->value.kind == FX_INT;
}

fe_status pass_facts(fx_graph *g, bool *changed)
{
    for (fx_node *n = g->first, *next; n; n = next) {
        next = n->next;
        if (!asks_for_a_number(n) || !is_known(g, n->value.expr)) continue;
        fx_replace_uses_by_arg(g, n, fx_expr(n->value.expr));
        fx_erase(g, n);
        *changed = true;
    }
    return rewrite_run(g, RULES, COUNT_OF(RULES), NULL, changed);
}
