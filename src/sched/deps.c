/* deps.c -- which earlier ops an op must follow: readers after writers, writers after readers and
 * writers, and all those before a control op. What a buffer holds its parts hold: its readers follow
 * their writers too. What reads a symbol follows its definition, and each assertion about it so
 * far. A call with an effect follows the one before it. */
#include "sched/sched_priv.h"

#define NO_BARRIER UINT32_MAX /* the op after it is the first */
#define NO_EFFECT UINT32_MAX

typedef VEC(uint32_t) id_list;

typedef struct dep_tables {
    loop_program *p;
    arena *memory;
    id_list *writers, *readers; /* by buffer: ops so far; readers since the last write */
    id_list *parts;             /* by buffer */
    op_deps *out;
    uint32_t op;
    uint32_t barrier; /* the last control op, or none: nothing moves across one */
    uint32_t effect;  /* the last call that has one, or none */
    map seen;         /* (op, dep) pairs already there */
    map latest;       /* by symbol: the op that defined it or last asserted something about it */
} dep_tables;

static void add_dep(dep_tables *t, uint32_t on)
{
    uint64_t key = ((uint64_t)t->op << 32) | on;
    if (on == t->op || map_get(&t->seen, key) != MAP_NONE) return;
    map_set(t->memory, &t->seen, key, 1);
    vec_push(t->memory, &t->out->at, on);
}

static void follow_writers(dep_tables *t, loop_buffer_id b)
{
    for (uint32_t i = 0; i < t->writers[b].count; i++) add_dep(t, t->writers[b].at[i]);
    for (uint32_t i = 0; i < t->parts[b].count; i++) follow_writers(t, t->parts[b].at[i]);
}

static void read_buffer(dep_tables *t, loop_buffer_id b)
{
    if (b == LOOP_NO_BUFFER || t->p->buffers.at[b].kind == LOOP_CONSTANT) return;
    follow_writers(t, b);
    vec_push(t->memory, &t->readers[b], t->op);
}

static void write_buffer(dep_tables *t, loop_buffer_id b)
{
    for (loop_buffer_id up = b; t->p->buffers.at[up].part;) {
        up = t->p->buffers.at[up].part->whole;
        for (uint32_t i = 0; i < t->readers[up].count; i++) add_dep(t, t->readers[up].at[i]);
    }
    for (uint32_t i = 0; i < t->readers[b].count; i++) add_dep(t, t->readers[b].at[i]);
    for (uint32_t i = 0; i < t->writers[b].count; i++) add_dep(t, t->writers[b].at[i]);
    vec_push(t->memory, &t->writers[b], t->op);
}

static void read_symbol(void *data, sym_expr symbol)
{
    dep_tables *t = data;
    if (sym_kind_of(t->p->symbols, symbol) == SYM_INDEX) return;
    uint32_t latest = map_get(&t->latest, symbol.id);
    if (latest != MAP_NONE) add_dep(t, latest);
    const loop_bound *bound = loop_indirect_bound(t->p, symbol);
    if (bound) sym_each_symbol(t->p->symbols, bound->size, read_symbol, t);
}

static void read_expr(dep_tables *t, sym_expr e)
{
    if (!sym_is_none(e)) sym_each_symbol(t->p->symbols, e, read_symbol, t);
}

static void read_exprs(dep_tables *t, const sym_expr *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) read_expr(t, list[i]);
}

static void read_value(void *data, loop_value v)
{
    dep_tables *t = data;
    const loop_node *n = loop_at(t->p, v);
    if (n->op == LOOP_LOAD) read_buffer(t, n->buffer);
    read_expr(t, n->index);
}

static void read_view(dep_tables *t, const loop_view *v)
{
    read_exprs(t, v->sizes, v->rank);
    read_exprs(t, v->strides, v->rank);
    read_expr(t, v->offset);
}

/* What must be known before the buffer has memory. */
static void read_size(dep_tables *t, loop_buffer_id b)
{
    const loop_buffer *buffer = &t->p->buffers.at[b];
    read_expr(t, buffer->elements);
    for (; buffer->part; buffer = &t->p->buffers.at[buffer->part->whole]) {
        read_expr(t, buffer->part->at);
        read_expr(t, t->p->buffers.at[buffer->part->whole].elements);
    }
}

static void read_all(dep_tables *t, const loop_op *op)
{
    read_exprs(t, op->extents, op->axes);
    read_exprs(t, op->reduce_extents, op->reduce_axes);
    for (uint32_t i = 0; i < op->store_count; i++) {
        loop_each_store_node(t->p, &op->stores[i], read_value, t);
        read_expr(t, op->stores[i].index);
        read_size(t, op->stores[i].buffer);
    }
    for (uint32_t i = 0; i < op->input_count; i++) {
        read_buffer(t, op->inputs[i].buffer);
        read_view(t, &op->inputs[i]);
    }
    for (uint32_t i = 0; i < op->output_count; i++)
        if (op->outputs[i].buffer != LOOP_NO_BUFFER) {
            read_view(t, &op->outputs[i]);
            read_size(t, op->outputs[i].buffer);
        }
    read_exprs(t, op->ints, op->int_count);
    read_expr(t, op->expr);
    if (op->kind == LOOP_ASSERT) {
        read_expr(t, op->relation.left);
        read_expr(t, op->relation.right);
    }
}

static void note_assertion(void *data, sym_expr symbol)
{
    dep_tables *t = data;
    map_set(t->memory, &t->latest, symbol.id, t->op);
}

static void write_all(dep_tables *t, const loop_op *op)
{
    for (uint32_t i = 0; i < op->store_count; i++) write_buffer(t, op->stores[i].buffer);
    for (uint32_t i = 0; i < op->output_count; i++)
        if (op->outputs[i].buffer != LOOP_NO_BUFFER) write_buffer(t, op->outputs[i].buffer);
    if (op->kind == LOOP_DEFINE) note_assertion(t, op->symbol);
    if (op->kind != LOOP_ASSERT) return;
    sym_each_symbol(t->p->symbols, op->relation.left, note_assertion, t);
    sym_each_symbol(t->p->symbols, op->relation.right, note_assertion, t);
}

static void follow_effect(dep_tables *t, const loop_op *op)
{
    if (!op->callee || !op->callee->has_effect) return;
    if (t->effect != NO_EFFECT) add_dep(t, t->effect);
    t->effect = t->op;
}

void deps_build(loop_program *p, arena *memory, op_deps *out)
{
    *out = (op_deps){.first = NEW_ARRAY(memory, uint32_t, p->ops.count + 1)};
    dep_tables t = {.p = p,
                    .memory = memory,
                    .out = out,
                    .barrier = NO_BARRIER,
                    .effect = NO_EFFECT,
                    .writers = NEW_ARRAY(memory, id_list, p->buffers.count + 1),
                    .readers = NEW_ARRAY(memory, id_list, p->buffers.count + 1),
                    .parts = NEW_ARRAY(memory, id_list, p->buffers.count + 1)};
    for (loop_buffer_id b = 0; b < p->buffers.count; b++)
        if (p->buffers.at[b].part) vec_push(memory, &t.parts[p->buffers.at[b].part->whole], b);
    for (uint32_t k = 0; k < p->ops.count; k++) {
        t.op = k;
        out->first[k] = out->at.count;
        read_all(&t, &p->ops.at[k]);
        write_all(&t, &p->ops.at[k]);
        follow_effect(&t, &p->ops.at[k]);
        if (t.barrier != NO_BARRIER) add_dep(&t, t.barrier);
        if (p->ops.at[k].kind != LOOP_CONTROL) continue;
        for (uint32_t i = t.barrier + 1; i < k; i++) add_dep(&t, i);
        t.barrier = k;
    }
    out->first[p->ops.count] = out->at.count;
}
