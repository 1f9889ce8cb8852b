/* live.c -- which buffers stay inside a kernel, which share memory, and how long each lives. */
#include "sched/sched_priv.h"

#define NEVER UINT32_MAX

/* ---- who uses what ---- */

typedef struct usage {
    uint32_t *first_use, *last_use; /* group positions, by buffer */
    uint32_t *only_group;           /* the one group that uses it, NEVER when several */
} usage;

typedef struct walk_state {
    fuser *f;
    usage *u;
    uint32_t position;
} walk_state;

static void touch(walk_state *w, loop_buffer_id b)
{
    if (b == LOOP_NO_BUFFER) return;
    usage *u = w->u;
    if (u->last_use[b] == NEVER) {
        u->only_group[b] = w->position;
        u->first_use[b] = w->position;
    } else if (u->only_group[b] != w->position)
        u->only_group[b] = NEVER;
    u->last_use[b] = w->position;
}

static void touch_load(void *data, loop_value v)
{
    walk_state *w = data;
    const loop_node *n = loop_at(w->f->p, v);
    if (n->op == LOOP_LOAD) touch(w, n->buffer);
}

static void touch_op(walk_state *w, const loop_op *op)
{
    for (uint32_t i = 0; i < op->store_count; i++) {
        loop_each_store_node(w->f->p, &op->stores[i], touch_load, w);
        touch(w, op->stores[i].buffer);
    }
    for (uint32_t i = 0; i < op->input_count; i++) touch(w, op->inputs[i].buffer);
    for (uint32_t i = 0; i < op->output_count; i++) touch(w, op->outputs[i].buffer);
}

static usage collect_usage(fuser *f)
{
    uint32_t buffers = f->p->buffers.count + 1;
    usage u = {NEW_ARRAY(f->memory, uint32_t, buffers), NEW_ARRAY(f->memory, uint32_t, buffers),
               NEW_ARRAY(f->memory, uint32_t, buffers)};
    for (uint32_t b = 0; b < buffers; b++) u.first_use[b] = u.last_use[b] = u.only_group[b] = NEVER;
    walk_state w = {f, &u, 0};
    for (uint32_t g = 0; g < f->s->groups.count; g++) {
        const sched_group *group = &f->s->groups.at[g];
        w.position = g;
        if (group->kind != SCHED_KERNEL) touch_op(&w, &f->p->ops.at[group->extern_op]);
        for (uint32_t ph = 0; ph < group->phase_count; ph++)
            for (uint32_t i = 0; i < group->phases[ph].nest_count; i++)
                touch_op(&w, &group->phases[ph].nests[i].nest);
    }
    return u;
}

/* ---- outputs ---- */

int sched_output_covering(const loop_program *p, loop_buffer_id id)
{
    for (uint32_t k = 0; k < p->outputs.count; k++) {
        const loop_output *o = &p->outputs.at[k];
        if (o->kind != LOOP_OUT_TENSOR || o->view.buffer != id) continue;
        sym_expr numel = sym_product(p->symbols, o->view.sizes, o->view.rank);
        if (sym_same(o->view.offset, sym_int(p->symbols, 0)) &&
            sym_same(numel, p->buffers.at[id].elements))
            return (int)k;
    }
    return -1;
}

static void mark_outputs(fuser *f)
{
    f->is_output = NEW_ARRAY(f->memory, bool, f->p->buffers.count + 1);
    for (uint32_t k = 0; k < f->p->outputs.count; k++)
        if (f->p->outputs.at[k].kind == LOOP_OUT_TENSOR)
            f->is_output[f->p->outputs.at[k].view.buffer] = true;
}

/* ---- locals ---- */

/* Elements that one outer iteration's inner loops reach in b, or -1 when that is no small constant
 * window. */
static int64_t tile_elements(fuser *f, const sched_group *g, loop_buffer_id b)
{
    sym_table *t = f->p->symbols;
    for (uint32_t ph = 0; ph < g->phase_count; ph++)
        for (uint32_t i = 0; i < g->phases[ph].nest_count; i++) {
            const loop_op *nest = &g->phases[ph].nests[i].nest;
            for (uint32_t k = 0; k < nest->store_count; k++) {
                if (nest->stores[k].buffer != b) continue;
                int64_t span = 1;
                for (uint32_t a = g->outer; a < nest->axes + nest->reduce_axes; a++) {
                    sym_expr axis = a < nest->axes ? loop_axis(f->p, a)
                                                   : loop_reduce_axis(f->p, a - nest->axes);
                    sym_expr extent =
                        a < nest->axes ? nest->extents[a] : nest->reduce_extents[a - nest->axes];
                    sym_expr coefficient, rest;
                    int64_t stride, size;
                    if (nest->stores[k].reduce != LOOP_NO_REDUCE && a >= nest->axes) continue;
                    if (!sym_linear_in(t, nest->stores[k].index, axis, &coefficient, &rest))
                        return -1;
                    if (!sym_is_int(t, coefficient, &stride) || !sym_is_int(t, extent, &size) ||
                        stride < 0)
                        return -1;
                    span += stride * (size - 1);
                }
                return span;
            }
        }
    return -1;
}

static void find_locals(fuser *f, const usage *u)
{
    for (uint32_t g = 0; g < f->s->groups.count; g++) {
        sched_group *group = &f->s->groups.at[g];
        VEC(loop_buffer_id) locals = {0};
        if (group->phase_count == 0) continue;
        for (uint32_t ph = 0; ph < group->phase_count; ph++)
            for (uint32_t i = 0; i < group->phases[ph].nest_count; i++) {
                const loop_op *nest = &group->phases[ph].nests[i].nest;
                for (uint32_t k = 0; k < nest->store_count; k++) {
                    loop_buffer_id b = nest->stores[k].buffer;
                    const loop_buffer *buffer = &f->p->buffers.at[b];
                    if (buffer->kind != LOOP_TEMP || f->is_output[b] || u->only_group[b] != g)
                        continue;
                    if (nest->stores[k].mode != LOOP_SET) continue;
                    int64_t elements = tile_elements(f, group, b);
                    int64_t lanes =
                        group->vector == SCHED_VECTOR_OUTER ? f->target->vector_bytes / 4 : 1;
                    if (elements < 0 ||
                        elements * lanes * ty_dtype_size(buffer->dtype) > f->target->tile_bytes)
                        continue;
                    vec_push(f->s->memory, &locals, b);
                }
            }
        group->locals = locals.at;
        group->local_count = locals.count;
    }
}

static bool is_local(const sched_group *g, loop_buffer_id b)
{
    for (uint32_t i = 0; i < g->local_count; i++)
        if (g->locals[i] == b) return true;
    return false;
}

/* ---- sharing memory ---- */

/* The index at which the nest reads b; false when it does not. */
static bool reads_at(fuser *f, const loop_op *nest, loop_buffer_id b, sym_expr *index)
{
    access_list list = {0};
    loop_form form = {.parallel = nest->axes,
                      .count = nest->axes,
                      .stores = nest->stores,
                      .store_count = nest->store_count};
    form_accesses(f->p, &form, f->memory, &list);
    for (uint32_t i = 0; i < list.count; i++)
        if (!list.at[i].is_store && list.at[i].buffer == b) {
            *index = list.at[i].index;
            return true;
        }
    return false;
}

/* A result of the nest that may lie where the raw output lies: of its dtype and size, stored at the
 * element that is read. */
static loop_buffer_id result_at(fuser *f, const sched_group *g, const loop_op *nest,
                                loop_buffer_id raw, sym_expr index)
{
    const loop_buffer *from = &f->p->buffers.at[raw];
    for (uint32_t k = 0; k < nest->store_count; k++) {
        loop_buffer_id b = nest->stores[k].buffer;
        const loop_buffer *to = &f->p->buffers.at[b];
        if (to->kind == LOOP_TEMP && to->dtype == from->dtype &&
            sym_same(to->elements, from->elements) && !is_local(g, b) &&
            sym_same(nest->stores[k].index, index))
            return b;
    }
    return LOOP_NO_BUFFER;
}

/* The raw output of an extern call and a result of its epilogue share memory when nobody outside
 * reads the raw one and the result is stored after its last reader inside. */
static void share_epilogues(fuser *f, const usage *u)
{
    for (uint32_t g = 0; g < f->s->groups.count; g++) {
        sched_group *group = &f->s->groups.at[g];
        if (group->kind != SCHED_EXTERN || group->phase_count == 0) continue;
        loop_buffer_id raw = f->p->ops.at[group->extern_op].outputs[0].buffer;
        const sched_phase *phase = &group->phases[0];
        sym_expr index = {0};
        uint32_t last = phase->nest_count;
        if (f->p->buffers.at[raw].kind != LOOP_TEMP || f->is_output[raw] || u->only_group[raw] != g)
            continue;
        for (uint32_t i = 0; i < phase->nest_count; i++)
            if (reads_at(f, &phase->nests[i].nest, raw, &index)) last = i;
        for (uint32_t i = last; i < phase->nest_count && group->in_place_to == LOOP_NO_BUFFER; i++)
            group->in_place_to = result_at(f, group, &phase->nests[i].nest, raw, index);
        if (group->in_place_to != LOOP_NO_BUFFER) group->in_place_from = raw;
    }
}

/* ---- lifetimes ---- */

void live_build(fuser *f)
{
    loop_program *p = f->p;
    sched_schedule *s = f->s;
    usage u = collect_usage(f);
    mark_outputs(f);
    find_locals(f, &u);
    share_epilogues(f, &u);
    s->lives = NEW_ARRAY(s->memory, sched_life, p->buffers.count + 1);
    bool *local = NEW_ARRAY(f->memory, bool, p->buffers.count + 1);
    for (uint32_t g = 0; g < s->groups.count; g++)
        for (uint32_t i = 0; i < s->groups.at[g].local_count; i++)
            local[s->groups.at[g].locals[i]] = true;
    for (loop_buffer_id b = 0; b < p->buffers.count; b++) {
        sched_life *life = &s->lives[b];
        life->root = b;
        if (u.last_use[b] != NEVER) {
            life->birth = u.first_use[b];
            life->death = u.last_use[b] + 1;
        }
        if (f->is_output[b]) life->death = s->groups.count + 1; /* read after the last group */
        life->in_arena = p->buffers.at[b].kind == LOOP_TEMP && !local[b] && u.last_use[b] != NEVER;
    }
    for (uint32_t g = 0; g < s->groups.count; g++) {
        loop_buffer_id from = s->groups.at[g].in_place_from, to = s->groups.at[g].in_place_to;
        if (from == LOOP_NO_BUFFER) continue;
        sched_life *a = &s->lives[from], *b = &s->lives[to];
        a->root = to;
        if (a->birth < b->birth) b->birth = a->birth;
        if (a->death > b->death) b->death = a->death;
        a->birth = b->birth;
        a->death = b->death;
    }
    for (loop_buffer_id b = 0; b < p->buffers.count; b++)
        if (f->is_output[b] && s->lives[b].root == b && sched_output_covering(p, b) >= 0)
            s->lives[b].in_arena = false;
    for (loop_buffer_id b = 0; b < p->buffers.count; b++)
        if (s->lives[b].root != b) s->lives[b].in_arena = s->lives[s->lives[b].root].in_arena;
}

uint32_t sched_intervals(const sched_schedule *s, plan_buffer **intervals, loop_buffer_id **roots,
                         arena *memory)
{
    const loop_program *p = s->program;
    uint32_t count = 0;
    *intervals = NEW_ARRAY(memory, plan_buffer, p->buffers.count + 1);
    *roots = NEW_ARRAY(memory, loop_buffer_id, p->buffers.count + 1);
    for (loop_buffer_id b = 0; b < p->buffers.count; b++) {
        int64_t elements;
        if (!s->lives[b].in_arena || s->lives[b].root != b) continue;
        if (!sym_is_int(p->symbols, p->buffers.at[b].elements, &elements)) continue;
        (*intervals)[count] =
            (plan_buffer){.size = elements * (int64_t)ty_dtype_size(p->buffers.at[b].dtype),
                          .birth = (int32_t)s->lives[b].birth,
                          .death = (int32_t)s->lives[b].death};
        (*roots)[count++] = b;
    }
    return count;
}
