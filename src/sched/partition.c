/* partition.c -- the program in parts: each op has a class, and a part is a run of ops of one class.
 *
 * Within what dependences allow, ops wait until the part that is open has all that it can get: that
 * makes the parts few. The order that comes of it is taken when its schedule needs no more memory
 * than that of the program's own order. A region (loop.h) goes to one part as a whole.
 */
#include "sched/sched_priv.h"

#include <stdlib.h>

/* Ops that stay together: one, or a region. */
typedef struct unit {
    uint32_t first, end;
    uint32_t class_;
} unit;

typedef struct partitioning {
    loop_program *p;
    const sched_split *split;
    arena *memory;
    VEC(unit) units;
    uint32_t *unit_of; /* by op */
    op_deps deps;
} partitioning;

/* ---- units ---- */

static void find_units(partitioning *n)
{
    uint32_t depth = 0;
    n->unit_of = NEW_ARRAY(n->memory, uint32_t, n->p->ops.count + 1);
    for (uint32_t k = 0; k < n->p->ops.count; k++) {
        const loop_op *op = &n->p->ops.at[k];
        bool begins =
            op->kind == LOOP_CONTROL && (op->control == LOOP_IF || op->control == LOOP_REPEAT);
        if (depth == 0)
            vec_push(n->memory, &n->units,
                     (unit){k, k, n->split->class_of(n->split->data, op->origin)});
        vec_last(&n->units).end = k + 1;
        n->unit_of[k] = n->units.count - 1;
        depth += begins;
        depth -= op->kind == LOOP_CONTROL && op->control == LOOP_END;
    }
}

static bool is_ready(const partitioning *n, const bool *done, uint32_t u)
{
    const unit *it = &n->units.at[u];
    for (uint32_t i = n->deps.first[it->first]; i < n->deps.first[it->end]; i++) {
        uint32_t on = n->unit_of[n->deps.at.at[i]];
        if (on != u && !done[on]) return false;
    }
    return true;
}

static bool joins(const partitioning *n, uint32_t u, uint32_t *class_)
{
    uint32_t own = n->units.at[u].class_;
    if (own != SCHED_ANY_CLASS && *class_ != SCHED_ANY_CLASS && own != *class_) return false;
    if (own != SCHED_ANY_CLASS) *class_ = own;
    return true;
}

/* ---- the order of the graph ---- */

/* Lowering puts an op off until its result is read; parts are told in the graph's terms. */
typedef struct place {
    uint32_t origin, unit;
} place;

static int by_origin(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->origin != y->origin) return x->origin < y->origin ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

/* What comes from nowhere stays behind what stands before it. */
static place *sorted_places(const partitioning *n)
{
    place *places = NEW_ARRAY(n->memory, place, n->units.count + 1);
    uint32_t last = 0;
    for (uint32_t u = 0; u < n->units.count; u++) {
        uint32_t origin = n->p->ops.at[n->units.at[u].first].origin;
        if (origin != UINT32_MAX) last = origin;
        places[u] = (place){last, u};
    }
    qsort(places, n->units.count, sizeof *places, by_origin);
    return places;
}

static void put_in_order_of_graph(partitioning *n)
{
    bool *done = NEW_ARRAY(n->memory, bool, n->units.count + 1);
    const place *places = sorted_places(n);
    for (uint32_t i = 0; i < n->units.count; i++) {
        if (!is_ready(n, done, places[i].unit)) return;
        done[places[i].unit] = true;
    }
    loop_op *ops = arena_copy(n->memory, n->p->ops.at, n->p->ops.count * sizeof *ops);
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->units.count; i++)
        for (uint32_t k = n->units.at[places[i].unit].first; k < n->units.at[places[i].unit].end;
             k++)
            n->p->ops.at[count++] = ops[k];
    n->units.count = 0;
    find_units(n);
    deps_build(n->p, n->memory, &n->deps);
}

/* ---- orders ---- */

static uint32_t count_parts(const partitioning *n, const uint32_t *order)
{
    uint32_t parts = 0, class_ = SCHED_ANY_CLASS;
    for (uint32_t i = 0; i < n->units.count; i++) {
        if (i > 0 && joins(n, order[i], &class_)) continue;
        class_ = n->units.at[order[i]].class_;
        parts++;
    }
    return parts;
}

/* How many classes there are: no order has fewer parts. */
static uint32_t count_classes(const partitioning *n)
{
    map seen = {0};
    uint32_t count = 0;
    for (uint32_t u = 0; u < n->units.count; u++) {
        uint32_t class_ = n->units.at[u].class_;
        if (class_ == SCHED_ANY_CLASS || map_get(&seen, class_) != MAP_NONE) continue;
        map_set(n->memory, &seen, class_, 1);
        count++;
    }
    return count;
}

/* Beginning with `class_`, each part takes what is ready for it; the next has the class of the first
 * op that is left. */
static void gather(const partitioning *n, uint32_t class_, uint32_t *order)
{
    bool *done = NEW_ARRAY(n->memory, bool, n->units.count + 1);
    uint32_t count = 0, left = 0;
    while (count < n->units.count) {
        for (uint32_t u = left; u < n->units.count; u++) {
            if (done[u] || !is_ready(n, done, u) || !joins(n, u, &class_)) continue;
            done[u] = true;
            order[count++] = u;
        }
        while (left < n->units.count && done[left]) left++;
        class_ = left < n->units.count ? n->units.at[left].class_ : SCHED_ANY_CLASS;
    }
}

/* The order of units with the fewest parts that was found; `own` is the program's. */
static void find_order(const partitioning *n, const uint32_t *own, uint32_t *best)
{
    enum { MOST_BEGINNINGS = 8 };
    uint32_t fewest = count_parts(n, own), least = count_classes(n), tried[MOST_BEGINNINGS],
             tries = 0;
    uint32_t *order = NEW_ARRAY(n->memory, uint32_t, n->units.count + 1);
    for (uint32_t u = 0; u < n->units.count; u++) best[u] = own[u];
    for (uint32_t u = 0; u < n->units.count && tries < MOST_BEGINNINGS && fewest > least; u++) {
        uint32_t class_ = n->units.at[u].class_, k = 0;
        while (k < tries && tried[k] != class_) k++;
        if (class_ == SCHED_ANY_CLASS || k < tries ||
            n->deps.first[n->units.at[u].first] != n->deps.first[n->units.at[u].end])
            continue; /* seen, or not ready at the beginning */
        tried[tries++] = class_;
        gather(n, class_, order);
        uint32_t parts = count_parts(n, order);
        if (parts >= fewest) continue;
        fewest = parts;
        for (uint32_t i = 0; i < n->units.count; i++) best[i] = order[i];
    }
}

/* The program's ops in this order, with a partition where the class changes. */
static void apply(const partitioning *n, const uint32_t *order)
{
    loop_program *p = n->p;
    uint32_t count = p->ops.count, class_ = SCHED_ANY_CLASS;
    loop_op *ops = arena_copy(n->memory, p->ops.at, count * sizeof *ops);
    p->ops.count = 0;
    for (uint32_t i = 0; i < n->units.count; i++) {
        const unit *u = &n->units.at[order[i]];
        if (i == 0 || !joins(n, order[i], &class_)) {
            class_ = u->class_;
            for (uint32_t k = i; class_ == SCHED_ANY_CLASS && k < n->units.count; k++)
                class_ = n->units.at[order[k]].class_;
            loop_op *begin = loop_add_op(p, LOOP_CONTROL);
            begin->control = LOOP_PARTITION;
            begin->origin = UINT32_MAX;
            begin->message = n->split->name_of(n->split->data, class_);
        }
        for (uint32_t k = u->first; k < u->end; k++) *loop_add_op(p, ops[k].kind) = ops[k];
    }
}

static fe_status build(partitioning *n, const uint32_t *order, const sched_target *target,
                       arena *memory, sched_schedule **out, int64_t *peak)
{
    uint32_t when;
    apply(n, order);
    FE_TRY(loop_check(n->p, "partition"));
    FE_TRY(choose_joins(n->p, target, memory, out));
    *peak = sched_peak(*out, n->memory, &when);
    return FE_OK;
}

static fe_status build_better(partitioning *n, const sched_target *target, arena *memory,
                              sched_schedule **out)
{
    uint32_t *own = NEW_ARRAY(n->memory, uint32_t, n->units.count + 1),
             *fewer = NEW_ARRAY(n->memory, uint32_t, n->units.count + 1);
    program_snapshot start = snapshot_take(n->p, n->memory);
    int64_t peak, peak_of_fewer;
    sched_schedule *other;
    for (uint32_t u = 0; u < n->units.count; u++) own[u] = u;
    find_order(n, own, fewer);
    FE_TRY(build(n, own, target, memory, out, &peak));
    if (count_parts(n, fewer) == count_parts(n, own)) return FE_OK;
    program_snapshot made = snapshot_take(n->p, n->memory);
    snapshot_put_back(n->p, &start);
    FE_TRY(build(n, fewer, target, memory, &other, &peak_of_fewer));
    if (peak_of_fewer > peak)
        snapshot_put_back(n->p, &made);
    else
        *out = other;
    return FE_OK;
}

fe_status partition_build(loop_program *p, const sched_target *target, const sched_split *split,
                          arena *memory, sched_schedule **out)
{
    partitioning n = {.p = p, .split = split, .memory = arena_new(p->session)};
    find_units(&n);
    deps_build(p, n.memory, &n.deps);
    if (n.units.count) put_in_order_of_graph(&n);
    fe_status status = build_better(&n, target, memory, out);
    arena_free(n.memory);
    return status;
}
