/* order.c -- the choice among orders.
 *
 * Orders that the search finds are tried for real: lifetimes, sharing, what goes into memory of outputs
 * and donated inputs, and the memory planner. The first order stays unless another needs a smaller
 * arena; among equals, the one whose values wait least for their readers. What went elsewhere under the
 * order that was chosen is then left out of the problem, and others are looked for once more.
 */
#include "sched/order/order_groups.h"

enum { MOST_ORDERS = 4, MOST_ROUNDS = 3 };

/* ---- orders ---- */

/* Which assertions wait for which groups. */
typedef struct assertions {
    id_list *waiting; /* by group */
    uint32_t *left;   /* by group: what an assertion still waits for */
    bool *needs;      /* by group: does it wait for anything? */
} assertions;

static assertions find_assertions(group_problem *b)
{
    uint32_t groups = b->s->groups.count;
    const op_deps *deps = &b->f->deps;
    assertions a = {NEW_ARRAY(b->memory, id_list, groups + 1),
                    NEW_ARRAY(b->memory, uint32_t, groups + 1),
                    NEW_ARRAY(b->memory, bool, groups + 1)};
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t op = b->at_first[g].extern_op;
        if (b->at_first[g].kind != SCHED_ASSERT) continue;
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
static void arrange(group_problem *b, const uint32_t *order, uint32_t *out)
{
    assertions a = find_assertions(b);
    uint32_t count = 0;
    for (uint32_t g = 0; g < b->s->groups.count; g++)
        if (b->at_first[g].kind == SCHED_ASSERT && !a.needs[g])
            count = place_group(&a, g, out, count);
    for (uint32_t i = 0; i < b->p.node_count; i++)
        count = place_group(&a, b->group_of[order[i]], out, count);
    CHECK(b->s->program->session, count == b->s->groups.count);
}

/* ---- the choice ---- */

typedef struct cost {
    int64_t bytes; /* of the arena, less outputs that lie in donated inputs */
    double waits;  /* bytes times groups that they live */
} cost;

static fe_status cost_of(group_problem *b, cost *out)
{
    plan_buffer *intervals;
    loop_buffer_id *owners;
    arena *scratch = arena_new(b->s->program->session);
    uint32_t count = sched_intervals(b->s, &intervals, &owners, scratch);
    *out = (cost){0};
    for (uint32_t i = 0; i < count; i++)
        out->waits += (double)intervals[i].size * (intervals[i].death - intervals[i].birth);
    arena_free(scratch);
    FE_TRY(arena_bytes_of(b->s, &out->bytes));
    out->bytes -= returned_bytes(b->s);
    return FE_OK;
}

/* ---- other sizes ---- */

static int64_t scaled_peak(group_problem *b, const int64_t *bytes, double scale,
                           const uint32_t *order)
{
    sym_table *t = b->s->program->symbols;
    order_problem p = b->p;
    p.bytes = NEW_ARRAY(b->memory, int64_t, p.buffer_count + 1);
    for (uint32_t i = 0; i < p.buffer_count; i++) {
        const loop_buffer *buffer = &b->s->program->buffers.at[b->owner.at[i]];
        int64_t elements = 0;
        if (bytes[i] && sym_hint_scaled(t, buffer->elements, scale, &elements))
            p.bytes[i] = elements * (int64_t)ty_dtype_size(buffer->dtype);
    }
    return order_peak(&p, order, NULL, b->memory);
}

static bool is_dynamic(const group_problem *b)
{
    const loop_program *p = b->s->program;
    for (uint32_t i = 0; i < b->p.buffer_count; i++)
        if (!sym_is_int(p->symbols, p->buffers.at[b->owner.at[i]].elements, NULL)) return true;
    return false;
}

/* With symbolic sizes no order may need more at other sizes either. */
static bool holds_for_other_sizes(group_problem *b, const uint32_t *usual, const uint32_t *order)
{
    static const double scales[] = {0.125, 0.5, 2, 8};
    const int64_t *bytes[] = {b->all_bytes, b->p.bytes};
    for (size_t k = 0; k < COUNT_OF(scales) && b->is_dynamic; k++)
        for (int i = 0; i < 2; i++)
            if (scaled_peak(b, bytes[i], scales[k], order) >
                scaled_peak(b, bytes[i], scales[k], usual))
                return false;
    return true;
}

/* ---- trying for real ---- */

typedef struct chooser {
    group_problem b;
    uint32_t *usual, *best; /* orders: the program's, and the one that stands */
    cost least;
    bool is_measured;
} chooser;

static void put_in_order(chooser *c, const uint32_t *order)
{
    group_problem *b = &c->b;
    arena_mark_t mark = arena_mark(b->memory);
    uint32_t *places = NEW_ARRAY(b->memory, uint32_t, b->s->groups.count + 1);
    if (order == c->usual)
        for (uint32_t g = 0; g < b->s->groups.count; g++) places[g] = g;
    else
        arrange(b, order, places);
    for (uint32_t i = 0; i < b->s->groups.count; i++) b->s->groups.at[i] = b->at_first[places[i]];
    arena_release(b->memory, mark);
    live_build(b->f);
    use_lent(b->f);
}

static fe_status try_orders(chooser *c, const order_result *results, uint32_t count)
{
    uint32_t *last = c->best;
    cost now;
    if (count && !c->is_measured) FE_TRY(cost_of(&c->b, &c->least));
    c->is_measured |= count > 0;
    for (uint32_t k = 0; k < count; k++) {
        if (!holds_for_other_sizes(&c->b, c->usual, results[k].order)) continue;
        put_in_order(c, last = results[k].order);
        FE_TRY(cost_of(&c->b, &now));
        bool equal = c->best != c->usual && now.bytes == c->least.bytes;
        if (now.bytes >= c->least.bytes && !(equal && now.waits < c->least.waits)) continue;
        c->least = now;
        c->best = last;
    }
    if (last != c->best) put_in_order(c, c->best);
    return FE_OK;
}

static bool has_additions(const sched_schedule *s)
{
    sched_activation does;
    for (uint32_t g = 0; g < s->groups.count; g++)
        if (sched_activation_of(s, &s->groups.at[g], &does) && does.addend != LOOP_NO_BUFFER)
            return true;
    return false;
}

/* What is added to lives on in one piece, which may fit into the memory of outputs where no part of it
 * did, or not where each did. */
static fe_status try_apart(chooser *c)
{
    cost apart;
    if (!has_additions(c->b.s)) return FE_OK;
    if (!c->is_measured) FE_TRY(cost_of(&c->b, &c->least));
    c->b.f->adds_apart = true;
    put_in_order(c, c->best);
    FE_TRY(cost_of(&c->b, &apart));
    if (apart.bytes < c->least.bytes) return FE_OK;
    c->b.f->adds_apart = false;
    put_in_order(c, c->best);
    return FE_OK;
}

static fe_status try_early(chooser *c)
{
    uint32_t *order = NEW_ARRAY(c->b.memory, uint32_t, c->b.p.node_count + 1);
    cost now;
    if (!order_early(&c->b, c->best, order) || !holds_for_other_sizes(&c->b, c->best, order))
        return FE_OK;
    if (!c->is_measured) FE_TRY(cost_of(&c->b, &c->least));
    put_in_order(c, order);
    FE_TRY(cost_of(&c->b, &now));
    if (now.bytes <= c->least.bytes)
        c->best = order;
    else
        put_in_order(c, c->best);
    return FE_OK;
}

/* What is proven of orders in the problem is not, where the schedule needs less than that says: parts
 * fit closer there. */
static void note_order(chooser *c, int64_t bound)
{
    sched_schedule *s = c->b.s;
    order_result none;
    arena_mark_t mark = arena_mark(c->b.memory);
    s->order.peak = sched_peak(s, c->b.memory, NULL);
    if (group_problem_relax(&c->b)) {
        order_search(&c->b.p, 0, &none, 1, &bound, c->b.memory);
        bound = (bound + PLAN_ALIGNMENT - 1) / PLAN_ALIGNMENT * PLAN_ALIGNMENT;
    }
    s->order.bound = bound <= s->order.peak ? bound : 0;
    arena_release(c->b.memory, mark);
}

fe_status order_for_peak(fuser *f)
{
    arena *memory = arena_new(f->p->session);
    chooser c = {.b = {.f = f, .s = f->s, .memory = memory}};
    order_problem *p = &c.b.p;
    int64_t bound;
    order_result results[MOST_ORDERS];
    fe_status status = FE_OK;
    group_problem_build(&c.b);
    c.b.is_dynamic = is_dynamic(&c.b);
    c.best = c.usual = NEW_ARRAY(memory, uint32_t, p->node_count + 1);
    for (uint32_t i = 0; i < p->node_count; i++) c.usual[i] = i;
    use_lent(f);
    for (uint32_t round = 0; round < MOST_ROUNDS && status == FE_OK; round++) {
        const uint32_t *before = c.best;
        uint32_t count = order_search(p, 0, results, MOST_ORDERS, &bound, memory);
        status = try_orders(&c, results, count);
        if ((round && c.best == before) || !group_problem_leave_out(&c.b)) break;
    }
    if (status == FE_OK) status = try_early(&c);
    if (status == FE_OK) status = try_apart(&c);
    if (status == FE_OK) status = hold_sources(f);
    if (status == FE_OK) note_order(&c, bound);
    arena_free(memory);
    return status;
}
