/* order.c -- a schedule's groups as an ordering problem, and the choice among orders.
 *
 * Orders that the search finds are tried for real: lifetimes, sharing and the memory planner. The
 * first order stays unless another needs a smaller arena; among equals, the one whose values wait
 * least for their readers.
 */
#include "sched/order.h"

#include "sched/legal.h"

enum { MOST_ORDERS = 4 };

typedef struct id_list {
    VEC(uint32_t) ids;
} id_list;

typedef struct builder {
    fuser *f;
    sched_schedule *s;
    arena *memory;
    order_problem p;
    uint32_t *node_of;    /* by group; NEVER for assertions */
    uint32_t *group_of;   /* by node */
    uint32_t *position;   /* by op: its group */
    uint32_t *storage_of; /* by buffer: number in the problem, NEVER */
    VEC(int64_t) bytes;
    VEC(uint32_t) owner; /* by storage: buffer */
} builder;

/* ---- storages ---- */

static bool has_gaps(const builder *b, const loop_buffer *part)
{
    sym_expr dense = sym_product(b->s->program->symbols, part->sizes, part->rank);
    return !sym_same(dense, part->elements);
}

/* The buffer whose memory stands for b's: with gaps between the rows of a part it is the whole's. */
static loop_buffer_id stands_for(const builder *b, loop_buffer_id id)
{
    const loop_program *p = b->s->program;
    loop_buffer_id stand = id;
    for (loop_buffer_id up = id; p->buffers.at[up].part; up = p->buffers.at[up].part->whole)
        if (has_gaps(b, &p->buffers.at[up])) stand = p->buffers.at[up].part->whole;
    return stand;
}

static int64_t bytes_of(const builder *b, loop_buffer_id id)
{
    const loop_buffer *buffer = &b->s->program->buffers.at[id];
    int64_t bytes = sym_hint(b->s->program->symbols, buffer->elements, SCHED_USUAL_SIZE) *
                    (int64_t)ty_dtype_size(buffer->dtype);
    return bytes > 0 ? (bytes + PLAN_ALIGNMENT - 1) / PLAN_ALIGNMENT * PLAN_ALIGNMENT : 0;
}

static void find_storages(builder *b)
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
    builder *b;
    id_list *uses;  /* of the node at hand */
    uint32_t *seen; /* by storage: the node + 1 that was the last to use it */
    uint32_t node;
    const id_list *parts; /* by buffer */
} use_walk;

static void use_storage(use_walk *w, loop_buffer_id id)
{
    uint32_t storage = w->b->storage_of[id];
    if (storage == NEVER || w->seen[storage] == w->node + 1) return;
    w->seen[storage] = w->node + 1;
    vec_push(w->b->memory, &w->uses->ids, storage);
}

/* Who reads a whole reads its parts. */
static void use_buffer(use_walk *w, loop_buffer_id id)
{
    if (id == LOOP_NO_BUFFER) return;
    use_storage(w, id);
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

static void find_uses(builder *b)
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
        const sched_group *g = &b->s->groups.at[b->group_of[w.node]];
        if (g->kind != SCHED_KERNEL) use_op(&w, &p->ops.at[g->extern_op]);
        for (uint32_t ph = 0; ph < g->phase_count; ph++)
            for (uint32_t i = 0; i < g->phases[ph].nest_count; i++)
                use_op(&w, &g->phases[ph].nests[i].nest);
        b->p.uses.first[w.node + 1] = all.ids.count;
    }
    b->p.uses.at = all.ids.at;
}

/* ---- what comes before what ---- */

static void number_nodes(builder *b)
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
    builder *b;
    id_list *all;
    uint32_t *seen; /* by group: the node + 1 that it was last found for */
    uint32_t node;
} edge_walk;

/* An assertion is no node: what it waits for is waited for by whoever follows it. */
static void add_edges(edge_walk *w, uint32_t op)
{
    builder *b = w->b;
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

static void find_edges(builder *b)
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

/* A buffer that alone stands for its storage. */
static bool is_plain(const builder *b, uint32_t storage)
{
    loop_buffer_id owner = b->owner.at[storage];
    const loop_buffer *buffer = &b->s->program->buffers.at[owner];
    return !buffer->part && !b->f->has_parts[owner] && !b->p.stays[storage];
}

static void find_takes(builder *b)
{
    VEC(order_take) takes = {0};
    b->p.first_take = NEW_ARRAY(b->memory, uint32_t, b->p.node_count + 2);
    for (uint32_t node = 0; node < b->p.node_count; node++) {
        const sched_group *g = &b->s->groups.at[b->group_of[node]];
        uint32_t first = b->p.uses.first[node], end = b->p.uses.first[node + 1];
        for (uint32_t i = first; i < end && g->phase_count; i++) {
            uint32_t to = b->p.uses.at[i];
            loop_buffer_id heir = b->owner.at[to];
            if (b->p.users.at[b->p.users.first[to]] != node ||
                b->s->program->buffers.at[heir].part || b->f->has_parts[heir])
                continue;
            for (uint32_t k = first; k < end; k++) {
                uint32_t from = b->p.uses.at[k];
                if (from == to || b->p.bytes[from] != b->p.bytes[to] || !is_plain(b, from) ||
                    !legal_takeover(b->s->program, g, b->owner.at[from], heir))
                    continue;
                vec_push(b->memory, &takes, ((order_take){from, to}));
            }
        }
        b->p.first_take[node + 1] = takes.count;
    }
    b->p.takes = takes.at;
}

/* What lies in another's memory for one group alone (the raw result of a call) needs none. */
static void drop_raw(builder *b)
{
    for (uint32_t g = 0; g < b->s->groups.count; g++) {
        const sched_group *group = &b->s->groups.at[g];
        for (uint32_t i = 0; i < group->take_count; i++) {
            loop_buffer_id from = group->takes[i].from;
            const sched_life *life = &b->s->lives[from];
            if (b->storage_of[from] != NEVER && life->birth + 1 == life->death)
                b->p.bytes[b->storage_of[from]] = 0;
        }
    }
}

static void build_problem(builder *b)
{
    number_nodes(b);
    find_storages(b);
    find_uses(b);
    find_edges(b);
    order_complete(&b->p, b->memory);
    find_takes(b);
    drop_raw(b);
}

order_problem *order_problem_of(fuser *f, arena *memory)
{
    builder *b = NEW(memory, builder);
    *b = (builder){.f = f, .s = f->s, .memory = memory};
    build_problem(b);
    return &b->p;
}

/* ---- orders ---- */

/* Which assertions wait for which groups. */
typedef struct assertions {
    id_list *waiting; /* by group */
    uint32_t *left;   /* by group: what an assertion still waits for */
    bool *needs;      /* by group: does it wait for anything? */
} assertions;

static assertions find_assertions(builder *b)
{
    uint32_t groups = b->s->groups.count;
    const op_deps *deps = &b->f->deps;
    assertions a = {NEW_ARRAY(b->memory, id_list, groups + 1),
                    NEW_ARRAY(b->memory, uint32_t, groups + 1),
                    NEW_ARRAY(b->memory, bool, groups + 1)};
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t op = b->s->groups.at[g].extern_op;
        if (b->s->groups.at[g].kind != SCHED_ASSERT) continue;
        for (uint32_t i = deps->first[op]; i < deps->first[op + 1]; i++) {
            vec_push(b->memory, &a.waiting[b->position[deps->at.at[i]]].ids, g);
            a.left[g]++;
            a.needs[g] = true;
        }
    }
    return a;
}

static uint32_t place_group(assertions *a, uint32_t g, uint32_t *out, uint32_t count)
{
    out[count++] = g;
    for (uint32_t k = 0; k < a->waiting[g].ids.count; k++)
        if (!--a->left[a->waiting[g].ids.at[k]])
            count = place_group(a, a->waiting[g].ids.at[k], out, count);
    return count;
}

/* The groups in this order of nodes; assertions come as soon as what they need is there. */
static void arrange(builder *b, const uint32_t *order, uint32_t *out)
{
    assertions a = find_assertions(b);
    uint32_t count = 0;
    for (uint32_t g = 0; g < b->s->groups.count; g++)
        if (b->s->groups.at[g].kind == SCHED_ASSERT && !a.needs[g])
            count = place_group(&a, g, out, count);
    for (uint32_t i = 0; i < b->p.node_count; i++)
        count = place_group(&a, b->group_of[order[i]], out, count);
    CHECK(b->s->program->session, count == b->s->groups.count);
}

/* ---- the choice ---- */

typedef struct cost {
    int64_t bytes; /* of the arena */
    double waits;  /* bytes times groups that they live */
} cost;

static fe_status cost_of(builder *b, cost *out)
{
    plan_buffer *intervals;
    loop_buffer_id *owners;
    arena *scratch = arena_new(b->s->program->session);
    uint32_t count = sched_intervals(b->s, &intervals, &owners, scratch);
    *out = (cost){0};
    for (uint32_t i = 0; i < count; i++)
        out->waits += (double)intervals[i].size * (intervals[i].death - intervals[i].birth);
    arena_free(scratch);
    return arena_bytes_of(b->s, &out->bytes);
}

static void put_in_order(builder *b, const sched_group *groups, const uint32_t *places)
{
    for (uint32_t i = 0; i < b->s->groups.count; i++) b->s->groups.at[i] = groups[places[i]];
    live_build(b->f);
}

static int64_t scaled_peak(builder *b, double scale, const uint32_t *order)
{
    sym_table *t = b->s->program->symbols;
    order_problem p = b->p;
    p.bytes = NEW_ARRAY(b->memory, int64_t, p.buffer_count + 1);
    for (uint32_t i = 0; i < p.buffer_count; i++) {
        const loop_buffer *buffer = &b->s->program->buffers.at[b->owner.at[i]];
        int64_t elements = 0;
        if (b->p.bytes[i] &&
            sym_hint_scaled(t, buffer->elements, scale, SCHED_USUAL_SIZE, &elements))
            p.bytes[i] = elements * (int64_t)ty_dtype_size(buffer->dtype);
    }
    return order_peak(&p, order, NULL, b->memory);
}

/* With symbolic sizes no order may need more at other sizes either. */
static bool holds_for_other_sizes(builder *b, const uint32_t *order)
{
    static const double scales[] = {0.125, 0.5, 2, 8};
    bool is_dynamic = false;
    uint32_t *usual = NEW_ARRAY(b->memory, uint32_t, b->p.node_count + 1);
    for (uint32_t i = 0; i < b->p.node_count; i++) usual[i] = i;
    for (uint32_t i = 0; i < b->p.buffer_count && !is_dynamic; i++)
        is_dynamic = !sym_is_int(b->s->program->symbols,
                                 b->s->program->buffers.at[b->owner.at[i]].elements, NULL);
    for (size_t k = 0; is_dynamic && k < COUNT_OF(scales); k++)
        if (scaled_peak(b, scales[k], order) > scaled_peak(b, scales[k], usual)) return false;
    return true;
}

static fe_status choose(builder *b, const order_result *results, uint32_t count)
{
    uint32_t groups = b->s->groups.count, best = 0;
    sched_group *at_first = arena_copy(b->memory, b->s->groups.at, groups * sizeof *at_first);
    uint32_t **places = NEW_ARRAY(b->memory, uint32_t *, count + 1);
    cost least, now;
    FE_TRY(cost_of(b, &least));
    places[0] = NEW_ARRAY(b->memory, uint32_t, groups + 1);
    for (uint32_t g = 0; g < groups; g++) places[0][g] = g;
    int64_t start = least.bytes;
    for (uint32_t k = 1; k <= count; k++) { /* the problem knows the groups by their first places */
        places[k] = NEW_ARRAY(b->memory, uint32_t, groups + 1);
        arrange(b, results[k - 1].order, places[k]);
    }
    for (uint32_t k = 1; k <= count; k++) {
        if (!holds_for_other_sizes(b, results[k - 1].order)) continue;
        put_in_order(b, at_first, places[k]);
        FE_TRY(cost_of(b, &now));
        bool better = now.bytes < least.bytes ||
                      (best && now.bytes == least.bytes && now.waits < least.waits);
        if (now.bytes >= start || !better) continue;
        least = now;
        best = k;
    }
    put_in_order(b, at_first, places[best]);
    return FE_OK;
}

fe_status order_for_peak(fuser *f)
{
    builder b = {.f = f, .s = f->s, .memory = arena_new(f->p->session)};
    order_result results[MOST_ORDERS];
    int64_t bound;
    build_problem(&b);
    uint32_t count = order_search(&b.p, 0, results, MOST_ORDERS, &bound, b.memory);
    fe_status status = count ? choose(&b, results, count) : FE_OK;
    arena_free(b.memory);
    return status;
}
