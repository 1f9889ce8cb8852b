/* deps.c -- which earlier ops an op must follow: readers after writers, writers after readers and
 * writers. What a buffer holds its parts hold: its readers follow their writers too. */
#include "sched/sched_priv.h"

typedef VEC(uint32_t) id_list;

typedef struct dep_tables {
    loop_program *p;
    arena *memory;
    id_list *writers, *readers; /* by buffer: ops so far; readers since the last write */
    id_list *parts;             /* by buffer */
    op_deps *out;
    uint32_t op;
    map *seen; /* (op, dep) pairs already there */
} dep_tables;

static void add_dep(dep_tables *t, uint32_t on)
{
    uint64_t key = ((uint64_t)t->op << 32) | on;
    if (on == t->op || map_get(t->seen, key) != MAP_NONE) return;
    map_set(t->memory, t->seen, key, 1);
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

static void read_value(void *data, loop_value v)
{
    dep_tables *t = data;
    const loop_node *n = loop_at(t->p, v);
    if (n->op == LOOP_LOAD) read_buffer(t, n->buffer);
}

typedef struct symbol_state {
    dep_tables *t;
    map *definers;
} symbol_state;

static void read_symbol(void *data, sym_expr symbol)
{
    symbol_state *state = data;
    uint32_t definer = map_get(state->definers, symbol.id);
    if (definer != MAP_NONE) add_dep(state->t, definer);
}

static void read_expr(dep_tables *t, map *definers, sym_expr e)
{
    symbol_state state = {t, definers};
    if (!sym_is_none(e)) sym_each_symbol(t->p->symbols, e, read_symbol, &state);
}

static void op_uses(dep_tables *t, map *definers, const loop_op *op)
{
    for (uint32_t i = 0; i < op->axes; i++) read_expr(t, definers, op->extents[i]);
    for (uint32_t i = 0; i < op->reduce_axes; i++) read_expr(t, definers, op->reduce_extents[i]);
    for (uint32_t i = 0; i < op->store_count; i++) {
        loop_each_store_node(t->p, &op->stores[i], read_value, t);
        read_expr(t, definers, op->stores[i].index);
    }
    for (uint32_t i = 0; i < op->input_count; i++) {
        read_buffer(t, op->inputs[i].buffer);
        for (uint32_t d = 0; d < op->inputs[i].rank; d++)
            read_expr(t, definers, op->inputs[i].sizes[d]);
    }
    for (uint32_t i = 0; i < op->int_count; i++) read_expr(t, definers, op->ints[i]);
    read_expr(t, definers, op->condition);
    for (uint32_t i = 0; i < op->store_count; i++) write_buffer(t, op->stores[i].buffer);
    for (uint32_t i = 0; i < op->output_count; i++)
        if (op->outputs[i].buffer != LOOP_NO_BUFFER) write_buffer(t, op->outputs[i].buffer);
    for (uint32_t i = 0; i < op->define_count; i++)
        map_set(t->memory, definers, op->defines[i].id, t->op);
}

void deps_build(loop_program *p, arena *memory, op_deps *out)
{
    map seen = {0}, definers = {0};
    *out = (op_deps){.first = NEW_ARRAY(memory, uint32_t, p->ops.count + 1)};
    dep_tables t = {.p = p,
                    .memory = memory,
                    .out = out,
                    .seen = &seen,
                    .writers = NEW_ARRAY(memory, id_list, p->buffers.count + 1),
                    .readers = NEW_ARRAY(memory, id_list, p->buffers.count + 1),
                    .parts = NEW_ARRAY(memory, id_list, p->buffers.count + 1)};
    for (loop_buffer_id b = 0; b < p->buffers.count; b++)
        if (p->buffers.at[b].part) vec_push(memory, &t.parts[p->buffers.at[b].part->whole], b);
    for (uint32_t k = 0; k < p->ops.count; k++) {
        t.op = k;
        out->first[k] = out->at.count;
        op_uses(&t, &definers, &p->ops.at[k]);
    }
    out->first[p->ops.count] = out->at.count;
}
