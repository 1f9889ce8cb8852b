/* fuse.c -- which ops share a kernel. Greedy in program order: each nest tries to join the group of
 * a producer, latest first; the first that is legal wins, every refusal is recorded with its
 * reason. Fusing never adds memory traffic: what is fused is only what one outer iteration (or one
 * index) has just written, so the bytes saved are those of a write and a read.
 */
#include "sched/join.h"

enum { MAX_CANDIDATES = 6, MAX_OPS = 24, SEARCH_LIMIT = 512 };

static uint32_t latest_op(const work_group *g)
{
    return vec_last(&g->ops);
}

/* ---- cycles ---- */

/* Does op depend, through groups other than `to`, on `to`? FUSED: it does not. Bounded search; "too
 * long to tell" counts as a cycle. */
static sched_reason depends_through_others(fuser *f, uint32_t op, uint32_t to)
{
    arena_mark_t mark = arena_mark(f->memory);
    map seen = {0};
    VEC(uint32_t) stack = {0};
    uint32_t oldest = f->groups.at[to].ops.at[0], visited = 0;
    sched_reason found = SCHED_FUSED;
    for (uint32_t i = f->deps.first[op]; i < f->deps.first[op + 1]; i++)
        if (f->group_of[f->deps.at.at[i]] != to)
            vec_push(f->memory, &stack, f->group_of[f->deps.at.at[i]]);
    while (stack.count && found == SCHED_FUSED) {
        uint32_t g = stack.at[--stack.count];
        const work_group *group = &f->groups.at[g];
        if (map_get(&seen, g) != MAP_NONE || latest_op(group) < oldest) continue;
        map_set(f->memory, &seen, g, 1);
        if (++visited > SEARCH_LIMIT) found = SCHED_CYCLE;
        for (uint32_t k = 0; k < group->ops.count && found == SCHED_FUSED; k++)
            for (uint32_t i = f->deps.first[group->ops.at[k]];
                 i < f->deps.first[group->ops.at[k] + 1]; i++) {
                uint32_t next = f->group_of[f->deps.at.at[i]];
                if (next == to)
                    found = group->kind == SCHED_DEFINE ? SCHED_DEFINITION : SCHED_CYCLE;
                else if (next != g)
                    vec_push(f->memory, &stack, next);
            }
    }
    arena_release(f->memory, mark);
    return found;
}

/* ---- what the group writes and the nest reads ---- */

/* A nest that writes what the group writes must stay behind it. */
static bool mutates(fuser *f, const work_group *g, const loop_form *n)
{
    written w;
    for (uint32_t ph = 0; ph < g->phases.count; ph++)
        for (uint32_t i = 0; i < g->phases.at[ph].forms.count; i++)
            if (legal_meet(f->p, &g->phases.at[ph].forms.at[i], n)) return true;
    for (uint32_t k = 0; k < n->store_count; k++) {
        loop_buffer_id b = n->stores[k].buffer;
        if (n->stores[k].mode != LOOP_SET || join_find_writer(g, b, &w)) return true;
    }
    for (uint32_t ph = 0; ph < g->phases.count; ph++)
        for (uint32_t i = 0; i < g->phases.at[ph].forms.count; i++)
            for (uint32_t k = 0; k < g->phases.at[ph].forms.at[i].store_count; k++)
                if (g->phases.at[ph].forms.at[i].stores[k].mode != LOOP_SET) return true;
    if (g->kind != SCHED_EXTERN) return false;
    const loop_op *op = &f->p->ops.at[g->ops.at[0]];
    for (uint32_t k = 0; k < n->store_count; k++) {
        for (uint32_t i = 0; i < op->input_count; i++)
            if (op->inputs[i].buffer == n->stores[k].buffer) return true;
        for (uint32_t i = 0; i < op->output_count; i++)
            if (op->outputs[i].buffer == n->stores[k].buffer) return true;
    }
    return false;
}

/* The nest that joined last writes what others of the group read: only elements that they have read
 * by then. */
static bool overwrites_unread(fuser *f, const work_group *g)
{
    const work_phase *last = &vec_last(&g->phases);
    const loop_form *n = &vec_last(&last->forms);
    for (uint32_t ph = 0; ph < g->phases.count; ph++)
        for (uint32_t i = 0; i < g->phases.at[ph].forms.count; i++) {
            const loop_form *before = &g->phases.at[ph].forms.at[i];
            if (before != n &&
                !legal_overwrite(f->p, n, before, &g->phases.at[ph] == last, g->outer))
                return true;
        }
    return false;
}

/* ---- runs that fail: nothing is half changed then that outlives the call ---- */

static bool may_fail(fuser *f, const loop_form *n)
{
    for (uint32_t k = 0; k < n->store_count; k++)
        if (loop_may_fail(f->p, n->stores[k].value, NULL) ||
            loop_may_fail(f->p, loop_index(f->p, n->stores[k].index), NULL))
            return true;
    return false;
}

static bool outlives(fuser *f, const loop_form *n)
{
    for (uint32_t k = 0; k < n->store_count; k++)
        if (f->p->buffers.at[n->stores[k].buffer].kind != LOOP_TEMP) return true;
    return false;
}

static bool leaves_half(fuser *f, const work_group *g, const loop_form *n)
{
    bool writes = outlives(f, n), fails = may_fail(f, n);
    if (!writes && !fails) return false;
    for (uint32_t ph = 0; ph < g->phases.count; ph++)
        for (uint32_t i = 0; i < g->phases.at[ph].forms.count; i++) {
            const loop_form *other = &g->phases.at[ph].forms.at[i];
            if ((writes && may_fail(f, other)) || (fails && outlives(f, other))) return true;
        }
    return false;
}

/* Buffers that forms touch, those that are in no kernel in the end among them. */
typedef struct touched {
    fuser *f;
    map known;
} touched;

static void touch(void *data, loop_value v)
{
    touched *t = data;
    const loop_node *n = loop_at(t->f->p, v);
    if (n->op == LOOP_LOAD) map_set(t->f->memory, &t->known, n->buffer + 1ull, 1);
}

static void touch_all(touched *t, const loop_form *form)
{
    for (uint32_t k = 0; k < form->store_count; k++) {
        map_set(t->f->memory, &t->known, form->stores[k].buffer + 1ull, 1);
        loop_each_store_node(t->f->p, &form->stores[k], touch, t);
    }
}

/* A kernel of a device may have few parameters. A part of them is left for sizes. */
static bool has_too_many_buffers(fuser *f, const work_group *g, const loop_form *n)
{
    enum { SIZES = 6 };
    ty_device device = f->p->buffers.at[n->stores[0].buffer].device;
    uint32_t most = sched_target_at(device, f->target)->limits.parameters;
    touched t = {.f = f};
    if (!most) return false;
    touch_all(&t, n);
    for (uint32_t ph = 0; ph < g->phases.count; ph++)
        for (uint32_t i = 0; i < g->phases.at[ph].forms.count; i++)
            touch_all(&t, &g->phases.at[ph].forms.at[i]);
    return t.known.count > most - SIZES;
}

static bool too_large(fuser *f, const work_group *g, const loop_form *n)
{
    uint32_t nodes = 0, ops = 1;
    for (uint32_t k = 0; k < n->store_count; k++)
        nodes += loop_node_count(f->p, n->stores[k].value);
    for (uint32_t ph = 0; ph < g->phases.count; ph++)
        for (uint32_t i = 0; i < g->phases.at[ph].forms.count; i++, ops++)
            for (uint32_t k = 0; k < g->phases.at[ph].forms.at[i].store_count; k++)
                nodes += loop_node_count(f->p, g->phases.at[ph].forms.at[i].stores[k].value);
    return ops > MAX_OPS || nodes > (f->options->apart ? 0 : f->target->limits.nodes) ||
           has_too_many_buffers(f, g, n);
}

static ty_device device_of(const fuser *f, uint32_t op)
{
    const loop_op *o = &f->p->ops.at[op];
    loop_buffer_id id = o->store_count    ? o->stores[0].buffer
                        : o->output_count ? o->outputs[0].buffer
                                          : LOOP_NO_BUFFER;
    return id == LOOP_NO_BUFFER ? TY_HOST : f->p->buffers.at[id].device;
}

/* Copies between devices are no calls of a kernel. */
static bool is_elsewhere(const fuser *f, const work_group *group, const loop_form *n)
{
    const loop_op *first = &f->p->ops.at[group->ops.at[0]];
    if (!ty_same_place(device_of(f, group->ops.at[0]), device_of(f, n->op))) return true;
    return loop_moves(f->p, first);
}

/* Would the group wait for another device by what n reads? Its first op is no later than others, or they
 * would not have joined. */
static bool would_wait(const fuser *f, const work_group *group, const loop_form *n)
{
    return f->arrivals && f->arrivals[n->op] > f->arrivals[group->ops.at[0]];
}

static sched_reason join(fuser *f, uint32_t g, const loop_form *n, work_group *out)
{
    const work_group *group = &f->groups.at[g];
    if (f->region_of[group->ops.at[0]] != f->region_of[n->op]) return SCHED_OTHER_REGION;
    if (is_elsewhere(f, group, n)) return SCHED_OTHER_DEVICE;
    if (would_wait(f, group, n)) return SCHED_WAITS;
    uint32_t again = f->p->ops.at[n->op].again;
    if (again && f->p->ops.at[group->ops.at[0]].again != again) return SCHED_AGAIN;
    if (mutates(f, group, n)) return SCHED_MUTATION;
    if (leaves_half(f, group, n)) return SCHED_MAY_FAIL;
    if (too_large(f, group, n)) return SCHED_TOO_LARGE;
    sched_reason between = depends_through_others(f, n->op, g);
    if (between != SCHED_FUSED) return between;
    sched_reason reason = join_loops(f, group, n, out);
    return reason == SCHED_FUSED && overwrites_unread(f, out) ? SCHED_MUTATION : reason;
}

/* Groups that wrote what op n reads, the latest first, without repeats. */
static uint32_t candidates(fuser *f, uint32_t op, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = f->deps.first[op]; i < f->deps.first[op + 1]; i++) {
        uint32_t g = f->group_of[f->deps.at.at[i]], at = 0;
        if (f->groups.at[g].kind != SCHED_KERNEL && f->groups.at[g].kind != SCHED_EXTERN) continue;
        while (at < count && out[at] != g) at++;
        if (at < count) continue;
        if (count < MAX_CANDIDATES)
            out[count++] = g;
        else if (latest_op(&f->groups.at[g]) > latest_op(&f->groups.at[out[count - 1]]))
            out[count - 1] = g;
        for (uint32_t k = count - 1; k > 0; k--)
            if (latest_op(&f->groups.at[out[k]]) > latest_op(&f->groups.at[out[k - 1]])) {
                uint32_t swap = out[k];
                out[k] = out[k - 1];
                out[k - 1] = swap;
            }
    }
    return count;
}

static void place_nest(fuser *f, uint32_t op)
{
    loop_form n = form_of(f->p, op, f->memory);
    uint32_t tried[MAX_CANDIDATES], count = candidates(f, op, tried);
    for (uint32_t i = 0; i < count; i++) {
        work_group joined;
        sched_reason reason = join(f, tried[i], &n, &joined);
        if (reason == SCHED_FUSED) {
            vec_push(f->memory, &joined.ops, op);
            f->groups.at[tried[i]] = joined;
            f->group_of[op] = tried[i];
            return;
        }
        vec_push(f->s->memory, &f->s->refusals,
                 (sched_refusal){latest_op(&f->groups.at[tried[i]]), op, reason});
    }
    work_group alone = {
        .kind = SCHED_KERNEL, .has_reduction = !join_is_flat(&n), .outer = n.parallel};
    work_phase phase = {0};
    vec_push(f->memory, &phase.forms, n);
    vec_push(f->memory, &alone.phases, phase);
    vec_push(f->memory, &alone.ops, op);
    f->group_of[op] = f->groups.count;
    vec_push(f->memory, &f->groups, alone);
}

static const sched_group_kind group_kinds[] = {[LOOP_NEST] = SCHED_KERNEL,
                                               [LOOP_EXTERN] = SCHED_EXTERN,
                                               [LOOP_ASSERT] = SCHED_ASSERT,
                                               [LOOP_DEFINE] = SCHED_DEFINE,
                                               [LOOP_CONTROL] = SCHED_CONTROL};

void fuse_all(fuser *f)
{
    uint32_t region = 0;
    f->region_of = NEW_ARRAY(f->memory, uint32_t, f->p->ops.count + 1);
    for (uint32_t op = 0; op < f->p->ops.count; op++) {
        const loop_op *what = &f->p->ops.at[op];
        f->region_of[op] = region;
        region += what->kind == LOOP_CONTROL;
        if (what->kind == LOOP_NEST) {
            place_nest(f, op);
            continue;
        }
        work_group alone = {.kind = group_kinds[what->kind]};
        vec_push(f->memory, &alone.ops, op);
        f->group_of[op] = f->groups.count;
        vec_push(f->memory, &f->groups, alone);
    }
}
