/* uses.c -- see uses.h. */
#include "sched/uses.h"

typedef struct walk_state {
    loop_program *p;
    use_tables *tables;
    arena *memory;
    uint32_t op, region, parts; /* regions count what begins a part too */
    uint32_t *region_of;        /* by buffer: that of its first use, + 1 */
    uint32_t *without_parts;    /* likewise, of regions alone */
} walk_state;

static void add_use(walk_state *w, loop_buffer_id b, bool is_write)
{
    if (b == LOOP_NO_BUFFER) return;
    use_list *list = &w->tables->of[b];
    uint32_t region = w->region - w->parts;
    if (!w->region_of[b]) w->region_of[b] = w->region + 1;
    if (!w->without_parts[b]) w->without_parts[b] = region + 1;
    w->tables->crosses[b] |= w->region_of[b] != w->region + 1;
    w->tables->leaves_region[b] |= w->without_parts[b] != region + 1;
    if (list->count && vec_last(list).op == w->op && vec_last(list).is_write == is_write) return;
    vec_push(w->memory, list, ((use){w->op, is_write}));
}

static void add_load(void *data, loop_value v)
{
    walk_state *w = data;
    const loop_node *n = loop_at(w->p, v);
    if (n->op == LOOP_LOAD) add_use(w, n->buffer, false);
}

use_tables uses_collect(loop_program *p, arena *memory)
{
    use_tables tables = {NEW_ARRAY(memory, use_list, p->buffers.count + 1),
                         NEW_ARRAY(memory, bool, p->buffers.count + 1),
                         NEW_ARRAY(memory, bool, p->buffers.count + 1),
                         NEW_ARRAY(memory, bool, p->buffers.count + 1)};
    walk_state w = {.p = p,
                    .tables = &tables,
                    .memory = memory,
                    .region_of = NEW_ARRAY(memory, uint32_t, p->buffers.count + 1),
                    .without_parts = NEW_ARRAY(memory, uint32_t, p->buffers.count + 1)};
    for (uint32_t k = 0; k < p->ops.count; k++) {
        const loop_op *op = &p->ops.at[k];
        w.op = k;
        w.region += op->kind == LOOP_CONTROL;
        if (op->kind == LOOP_CONTROL && op->control == LOOP_PARTITION) w.parts += 2;
        for (uint32_t i = 0; i < op->store_count; i++) {
            loop_each_store_node(p, &op->stores[i], add_load, &w);
            if (op->stores[i].mode != LOOP_SET) add_use(&w, op->stores[i].buffer, false);
        }
        for (uint32_t i = 0; i < op->input_count; i++) add_use(&w, op->inputs[i].buffer, false);
        for (uint32_t i = 0; i < op->store_count; i++) add_use(&w, op->stores[i].buffer, true);
        for (uint32_t i = 0; i < op->output_count; i++) add_use(&w, op->outputs[i].buffer, true);
        w.region += op->kind == LOOP_CONTROL;
    }
    for (uint32_t k = 0; k < p->outputs.count; k++)
        if (p->outputs.at[k].kind == LOOP_OUT_TENSOR)
            tables.is_output[p->outputs.at[k].view.buffer] = true;
    return tables;
}

void uses_remove_ops(loop_program *p, const bool *is_gone)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < p->ops.count; k++)
        if (!is_gone[k]) p->ops.at[kept++] = p->ops.at[k];
    p->ops.count = kept;
}

/* ---- other buffers ---- */

static loop_value load_other(void *data, loop_program *p, sym_expr index)
{
    return loop_load(p, *(loop_buffer_id *)data, index);
}

static void rename_views(loop_view *views, uint32_t count, loop_buffer_id from, loop_buffer_id to)
{
    for (uint32_t i = 0; i < count; i++)
        if (views[i].buffer == from) views[i].buffer = to;
}

void uses_rename_reads(loop_program *p, loop_op *op, loop_buffer_id from, loop_buffer_id to)
{
    for (uint32_t i = 0; i < op->store_count; i++) {
        loop_store *st = &op->stores[i];
        st->value = loop_replace_loads(p, st->value, from, load_other, &to);
        loop_value index = loop_load(p, to, st->index); /* what stands behind it as well */
        st->index = loop_at(p, loop_replace_loads(p, index, from, load_other, &to))->index;
    }
    rename_views(op->inputs, op->input_count, from, to);
}

void uses_rename(loop_program *p, loop_op *op, loop_buffer_id from, loop_buffer_id to)
{
    uses_rename_reads(p, op, from, to);
    for (uint32_t i = 0; i < op->store_count; i++)
        if (op->stores[i].buffer == from) op->stores[i].buffer = to;
    rename_views(op->outputs, op->output_count, from, to);
}
