/* visit.c -- what an op of the program uses: buffers, and symbols, those in the sizes of its buffers
 * among them.
 */
#include "lower/lower_priv.h"

static void visit_symbol(void *data, sym_expr symbol)
{
    const lower_visitor *v = data;
    v->symbol(v->data, symbol);
    const loop_bound *bound = loop_indirect_bound(v->program, symbol);
    if (bound) sym_each_symbol(v->program->symbols, bound->size, visit_symbol, data);
}

static void visit_exprs(const lower_visitor *v, const sym_expr *list, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (!sym_is_none(list[k]))
            sym_each_symbol(v->program->symbols, list[k], visit_symbol, (void *)(uintptr_t)v);
}

static void visit_buffer(const lower_visitor *v, loop_buffer_id buffer, bool reads, bool writes)
{
    if (buffer == LOOP_NO_BUFFER) return;
    const loop_buffer *b = &v->program->buffers.at[buffer];
    visit_exprs(v, b->sizes, b->rank);
    visit_exprs(v, b->strides, b->rank);
    visit_exprs(v, &b->elements, 1);
    if (reads && v->read) v->read(v->data, buffer);
    if (writes && v->write) v->write(v->data, buffer);
}

static void visit_value(void *data, loop_value value)
{
    const lower_visitor *v = data;
    const loop_node *n = loop_at(v->program, value);
    visit_exprs(v, &n->index, 1);
    if (n->op == LOOP_LOAD) visit_buffer(v, n->buffer, true, false);
}

void lower_visit_view(const lower_visitor *v, const loop_view *view, bool reads)
{
    if (view->buffer == LOOP_NO_BUFFER) return;
    visit_buffer(v, view->buffer, reads, !reads);
    visit_exprs(v, view->sizes, view->rank);
    visit_exprs(v, view->strides, view->rank);
    visit_exprs(v, &view->offset, 1);
}

void lower_visit_expr(const lower_visitor *v, sym_expr e)
{
    visit_exprs(v, &e, 1);
}

void lower_visit_op(const lower_visitor *v, const loop_op *op)
{
    visit_exprs(v, op->extents, op->axes);
    visit_exprs(v, op->reduce_extents, op->reduce_axes);
    for (uint32_t k = 0; k < op->store_count; k++) {
        const loop_store *store = &op->stores[k];
        loop_each_store_node(v->program, store, visit_value, (void *)(uintptr_t)v);
        visit_exprs(v, &store->index, 1);
        visit_buffer(v, store->buffer, store->mode != LOOP_SET, true);
    }
    for (uint32_t k = 0; k < op->input_count; k++) lower_visit_view(v, &op->inputs[k], true);
    for (uint32_t k = 0; k < op->output_count; k++) lower_visit_view(v, &op->outputs[k], false);
    visit_exprs(v, op->ints, op->int_count);
    visit_exprs(v, &op->expr, 1);
    if (op->kind != LOOP_ASSERT) return;
    visit_exprs(v, &op->relation.left, 1);
    visit_exprs(v, &op->relation.right, 1);
}
