/* rename.c -- the symbols in a graph's metadata and arguments, those of its subgraphs included. */
#include "fx/fx.h"

typedef struct renaming {
    sym_table *symbols;
    const sym_expr *from, *to;
    uint32_t count;
} renaming;

static void visit_value(fx_value *v, void (*visit)(void *data, sym_expr *e), void *data)
{
    ty_tensor *t = v->tensor;
    if (!sym_is_none(v->expr)) visit(data, &v->expr);
    for (uint32_t k = 0; t && k < t->rank; k++) {
        if (!sym_is_none(t->sizes[k])) visit(data, &t->sizes[k]);
        if (!sym_is_none(t->strides[k])) visit(data, &t->strides[k]);
    }
    if (t && !sym_is_none(t->offset)) visit(data, &t->offset);
    for (uint32_t k = 0; v->kind == FX_TUPLE && k < v->count; k++)
        visit_value(&v->items[k], visit, data);
}

static void visit_arg(fx_arg *a, void (*visit)(void *data, sym_expr *e), void *data)
{
    if (a->kind == FX_ARG_INT && !sym_is_none(a->expr)) visit(data, &a->expr);
    if (a->kind == FX_ARG_GRAPH && a->graph) fx_each_expr(a->graph, visit, data);
    for (uint32_t k = 0; a->kind == FX_ARG_LIST && k < a->list.count; k++)
        visit_arg(&a->list.items[k], visit, data);
}

void fx_each_expr(fx_graph *g, void (*visit)(void *data, sym_expr *e), void *data)
{
    for (fx_node *n = g->first; n; n = n->next) {
        visit_value(&n->value, visit, data);
        for (uint32_t k = 0; k < n->arg_count; k++) visit_arg(&n->args[k], visit, data);
    }
    for (uint32_t k = 0; k < g->ranges.count; k++) visit(data, &g->ranges.at[k].expr);
    for (uint32_t k = 0; k < g->conditions.count; k++) {
        visit(data, &g->conditions.at[k].relation.left);
        visit(data, &g->conditions.at[k].relation.right);
    }
}

static void rename_expr(void *data, sym_expr *e)
{
    const renaming *r = data;
    *e = sym_substitute(r->symbols, *e, r->from, r->to, r->count);
}

void fx_rename_symbols(fx_graph *g, const sym_expr *from, const sym_expr *to, uint32_t count)
{
    renaming r = {g->symbols, from, to, count};
    fx_each_expr(g, rename_expr, &r);
}

static fx_value copy_value(fx_graph *g, const fx_value *v)
{
    fx_value copy = *v;
    if (v->tensor) copy.tensor = ty_tensor_copy(g->memory, v->tensor);
    if (v->count) copy.items = NEW_ARRAY(g->memory, fx_value, v->count);
    for (uint32_t k = 0; k < v->count; k++) copy.items[k] = copy_value(g, &v->items[k]);
    return copy;
}

fx_value fx_renamed_value(fx_graph *g, const fx_value *v, const sym_expr *from, const sym_expr *to,
                          uint32_t count)
{
    renaming r = {g->symbols, from, to, count};
    fx_value copy = copy_value(g, v);
    visit_value(&copy, rename_expr, &r);
    return copy;
}
