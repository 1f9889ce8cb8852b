/* order_problem.c -- a schedule's groups as an ordering problem. */
#include "sched/order/order_groups.h"

#include "sched/legal.h"

/* ---- storages ---- */

static bool has_gaps(const group_problem *b, const loop_buffer *part)
{
    sym_expr dense = sym_product(b->s->program->symbols, part->sizes, part->rank);
    return !sym_same(dense, part->elements);
}

/* The buffer whose memory stands for b's: with gaps between the rows of a part it is the whole's. */
static loop_buffer_id stands_for(const group_problem *b, loop_buffer_id id)
{
    const loop_program *p = b->s->program;
    loop_buffer_id stand = id;
    for (loop_buffer_id up = id; p->buffers.at[up].part; up = p->buffers.at[up].part->whole)
        if (has_gaps(b, &p->buffers.at[up])) stand = p->buffers.at[up].part->whole;
    return stand;
}

/* Parts lie side by side. */
static int64_t bytes_of(const group_problem *b, loop_buffer_id id)
{
    const loop_buffer *buffer = &b->s->program->buffers.at[id];
    int64_t bytes =
        sym_usual(b->s->program->symbols, buffer->elements) * (int64_t)ty_dtype_size(buffer->dtype);
    if (bytes <= 0) return 0;
    return buffer->part ? bytes : (bytes + PLAN_ALIGNMENT - 1) / PLAN_ALIGNMENT * PLAN_ALIGNMENT;
}

static void find_storages(group_problem *b)
{
    const loop_program *p = b->s->program;
    b->storage_of = NEW_ARRAY(b->memory, uint32_t, p->buffers.count + 1);
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) b->storage_of[id] = NEVER;
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) {
        loop_buffer_id stand = stands_for(b, id);
        if (!b->s->lives[id].in_arena) continue;
        if (b->storage_of[stand] == NEVER) {
            b->storage_of[stand] = b->bytes.count;
            vec_push(b->memory, &b->bytes, bytes_of(b, stand));
            vec_push(b->memory, &b->owner, stand);
        }
        b->storage_of[id] = b->storage_of[stand];
    }
    /* a whole is what its dense parts leave of it */
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) {
        const loop_part *part = p->buffers.at[id].part;
        if (!part || b->storage_of[id] == NEVER || b->storage_of[id] == b->storage_of[part->whole])
            continue;
        int64_t *left = &b->bytes.at[b->storage_of[part->whole]];
        *left = *left > bytes_of(b, id) ? *left - bytes_of(b, id) : 0;
    }
    b->p.bytes = b->bytes.at;
    b->p.buffer_count = b->bytes.count;
    b->p.stays = NEW_ARRAY(b->memory, bool, b->bytes.count + 1);
    for (loop_buffer_id id = 0; id < p->buffers.count; id++)
        if (b->storage_of[id] != NEVER && b->f->is_output[id]) b->p.stays[b->storage_of[id]] = true;
}

/* ---- who uses what ---- */

typedef struct use_walk {
    group_problem *b;
    id_list *uses;  /* of the node at hand */
    uint32_t *seen; /* by storage: the node + 1 that was the last to use it */
    uint32_t node;
    const id_list *parts; /* by buffer */
} use_walk;

static void use_number(use_walk *w, uint32_t storage)
{
    if (storage == NEVER || w->seen[storage] == w->node + 1) return;
    w->seen[storage] = w->node + 1;
    vec_push(w->b->memory, &w->uses->ids, storage);
}

static void use_storage(use_walk *w, loop_buffer_id id)
{
    use_number(w, w->b->storage_of[id]);
}

/* Who reads a whole reads its parts. */
static void use_buffer(use_walk *w, loop_buffer_id id)
{
    if (id == LOOP_NO_BUFFER) return;
    use_storage(w, id);
    if (w->b->rest_of && w->b->rest_of[id] != NEVER) use_number(w, w->b->rest_of[id]);
    for (uint32_t i = 0; i < w->parts[id].ids.count; i++) use_buffer(w, w->parts[id].ids.at[i]);
}

static void use_load(void *data, loop_value v)
{
    use_walk *w = data;
    const loop_node *n = loop_at(w->b->s->program, v);
    if (n->op == LOOP_LOAD) use_buffer(w, n->buffer);
}

static void use_op(use_walk *w, const loop_op *op)
{
    for (uint32_t i = 0; i < op->store_count; i++) {
        loop_each_store_node(w->b->s->program, &op->stores[i], use_load, w);
        if (op->stores[i].buffer != LOOP_NO_BUFFER) use_storage(w, op->stores[i].buffer);
    }
    for (uint32_t i = 0; i < op->input_count; i++) use_buffer(w, op->inputs[i].buffer);
    for (uint32_t i = 0; i < op->output_count; i++)
        if (op->outputs[i].buffer != LOOP_NO_BUFFER) use_storage(w, op->outputs[i].buffer);
}

void group_problem_find_uses(group_problem *b)
{
    const loop_program *p = b->s->program;
    id_list *parts = NEW_ARRAY(b->memory, id_list, p->buffers.count + 1);
    for (loop_buffer_id id = 0; id < p->buffers.count; id++)
        if (p->buffers.at[id].part)
            vec_push(b->memory, &parts[p->buffers.at[id].part->whole].ids, id);
    id_list all = {0};
    use_walk w = {b, &all, NEW_ARRAY(b->memory, uint32_t, b->p.buffer_count + 1), 0, parts};
    b->p.uses.first = NEW_ARRAY(b->memory, uint32_t, b->p.node_count + 2);
    for (w.node = 0; w.node < b->p.node_count; w.node++) {
        const sched_group *g = &b->at_first[b->group_of[w.node]];
        if (g->kind != SCHED_KERNEL) use_op(&w, &p->ops.at[g->extern_op]);
        for (uint32_t ph = 0; ph < g->phase_count; ph++)
            for (uint32_t i = 0; i < g->phases[ph].nest_count; i++)
                use_op(&w, &g->phases[ph].nests[i].nest);
        b->p.uses.first[w.node + 1] = all.ids.count;
    }
    b->p.uses.at = all.ids.at;
}

/* ---- what comes before what ---- */

static void number_nodes(group_problem *b)
{
    uint32_t groups = b->s->groups.count;
    b->node_of = NEW_ARRAY(b->memory, uint32_t, groups + 1);
    b->group_of = NEW_ARRAY(b->memory, uint32_t, groups + 1);
    b->position = NEW_ARRAY(b->memory, uint32_t, b->s->program->ops.count + 1);
    for (uint32_t g = 0; g < groups; g++) {
        const sched_group *group = &b->s->groups.at[g];
        b->node_of[g] = NEVER;
        if (group->kind != SCHED_KERNEL) b->position[group->extern_op] = g;
        for (uint32_t ph = 0; ph < group->phase_count; ph++)
            for (uint32_t i = 0; i < group->phases[ph].nest_count; i++)
                b->position[group->phases[ph].nests[i].op] = g;
        if (group->kind == SCHED_ASSERT) continue;
        b->node_of[g] = b->p.node_count;
        b->group_of[b->p.node_count++] = g;
    }
}

typedef struct edge_walk {
    group_problem *b;
    id_list *all;
    uint32_t *seen; /* by group: the node + 1 that it was last found for */
    uint32_t node;
} edge_walk;

/* An assertion is no node: what it waits for is waited for by whoever follows it. */
static void add_edges(edge_walk *w, uint32_t op)
{
    group_problem *b = w->b;
    const op_deps *deps = &b->f->deps;
    for (uint32_t i = deps->first[op]; i < deps->first[op + 1]; i++) {
        uint32_t group = b->position[deps->at.at[i]], from = b->node_of[group];
        if (from == w->node || w->seen[group] == w->node + 1) continue;
        w->seen[group] = w->node + 1;
        if (from == NEVER)
            add_edges(w, deps->at.at[i]);
        else
            vec_push(b->memory, &w->all->ids, from);
    }
}

static void find_edges(group_problem *b)
{
    id_list all = {0};
    edge_walk w = {b, &all, NEW_ARRAY(b->memory, uint32_t, b->s->groups.count + 1), 0};
    b->p.before.first = NEW_ARRAY(b->memory, uint32_t, b->p.node_count + 2);
    for (w.node = 0; w.node < b->p.node_count; w.node++) {
        const sched_group *g = &b->s->groups.at[b->group_of[w.node]];
        if (g->kind != SCHED_KERNEL) add_edges(&w, g->extern_op);
        for (uint32_t ph = 0; ph < g->phase_count; ph++)
            for (uint32_t i = 0; i < g->phases[ph].nest_count; i++)
                add_edges(&w, g->phases[ph].nests[i].op);
        b->p.before.first[w.node + 1] = all.ids.count;
    }
    b->p.before.at = all.ids.at;
}

/* ---- memory that may be handed on ---- */

static bool may_give(const group_problem *b, uint32_t storage)
{
    return !b->s->program->buffers.at[b->owner.at[storage]].part && !b->p.stays[storage];
}

void group_problem_find_takes(group_problem *b)
{
    VEC(order_reuse) takes = {0};
    b->p.first_reuse = NEW_ARRAY(b->memory, uint32_t, b->p.node_count + 2);
    for (uint32_t node = 0; node < b->p.node_count; node++) {
        const sched_group *g = &b->at_first[b->group_of[node]];
        uint32_t first = b->p.uses.first[node], end = b->p.uses.first[node + 1];
        loop_buffer_id addend = legal_addend(b->s->program, g);
        for (uint32_t i = first; i < end && g->phase_count; i++) {
            uint32_t to = b->p.uses.at[i];
            loop_buffer_id heir = b->owner.at[to];
            if (b->p.users.at[b->p.users.first[to]] != node || b->f->has_parts[heir] ||
                (b->has_raw[to] && addend == LOOP_NO_BUFFER))
                continue;
            for (uint32_t k = first; k < end; k++) {
                uint32_t from = b->p.uses.at[k];
                if (from == to || b->p.bytes[from] != b->p.bytes[to] || !may_give(b, from))
                    continue;
                if (b->has_raw[to] ? b->owner.at[from] != addend
                                   : !legal_reuse(b->s->program, g, b->owner.at[from], heir))
                    continue;
                vec_push(b->memory, &takes, ((order_reuse){from, to}));
            }
        }
        b->p.first_reuse[node + 1] = takes.count;
    }
    b->p.reuses = takes.at;
}

/* What lies in another's memory for one group alone (the raw result of a call) needs none, and that
 * other takes over no more. */
static void drop_raw(group_problem *b)
{
    b->has_raw = NEW_ARRAY(b->memory, bool, b->p.buffer_count + 1);
    for (uint32_t g = 0; g < b->s->groups.count; g++) {
        const sched_group *group = &b->s->groups.at[g];
        for (uint32_t i = 0; i < group->reuse_count; i++) {
            loop_buffer_id from = group->reuses[i].from;
            const sched_life *life = &b->s->lives[from];
            if (b->storage_of[from] == NEVER || life->birth + 1 != life->death) continue;
            b->p.bytes[b->storage_of[from]] = 0;
            if (b->storage_of[group->reuses[i].to] != NEVER)
                b->has_raw[b->storage_of[group->reuses[i].to]] = true;
        }
    }
}

void group_problem_build(group_problem *b)
{
    b->at_first = arena_copy(b->memory, b->s->groups.at, b->s->groups.count * sizeof *b->at_first);
    number_nodes(b);
    find_storages(b);
    group_problem_find_uses(b);
    find_edges(b);
    order_complete(&b->p, b->memory);
    drop_raw(b);
    b->all_bytes = b->p.bytes;
    group_problem_find_takes(b);
}

bool group_problem_leave_out(group_problem *b)
{
    uint32_t count = b->p.buffer_count;
    int64_t *bytes = NEW_ARRAY(b->memory, int64_t, count + 1);
    bool changes = false;
    for (loop_buffer_id id = 0; id < b->s->program->buffers.count; id++)
        if (b->storage_of[id] != NEVER && b->s->lives[id].in_arena)
            bytes[b->storage_of[id]] = b->all_bytes[b->storage_of[id]];
    for (uint32_t i = 0; i < count; i++) changes |= bytes[i] != b->p.bytes[i];
    b->p.bytes = bytes;
    if (changes) group_problem_find_takes(b);
    return changes;
}

order_problem *order_problem_of(fuser *f, arena *memory)
{
    group_problem *b = NEW(memory, group_problem);
    *b = (group_problem){.f = f, .s = f->s, .memory = memory};
    group_problem_build(b);
    return &b->p;
}
