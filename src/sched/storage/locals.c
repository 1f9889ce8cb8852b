/* locals.c -- buffers that stay inside a kernel: values that travel in registers, tiles of one outer
 * iteration.
 */
#include "sched/sched_priv.h"

/* ---- registers ---- */

typedef struct reader {
    const loop_program *p;
    const sched_phase *phase;
    uint32_t phase_number;
    loop_buffer_id buffer;
    sym_expr index;     /* of its one store */
    uint32_t stored_in; /* phase */
    bool in_rows;       /* stored once for each row */
    bool stored;        /* by now, in reading order */
    bool needs_memory;
} reader;

static void check_load(void *data, loop_value v)
{
    reader *r = data;
    const loop_node *n = loop_at(r->p, v);
    if (n->op != LOOP_LOAD || n->buffer != r->buffer) return;
    bool same_loops = r->phase_number == r->stored_in || r->in_rows;
    if (!r->stored || !same_loops || !sym_same(n->index, r->index)) r->needs_memory = true;
}

sched_local sched_local_kind(loop_program *p, const sched_group *g, loop_buffer_id buffer)
{
    reader r = {.p = p, .buffer = buffer};
    for (r.phase_number = 0; r.phase_number < g->phase_count; r.phase_number++) {
        const sched_phase *ph = r.phase = &g->phases[r.phase_number];
        for (uint32_t n = 0; n < ph->nest_count; n++) {
            const loop_op *nest = &ph->nests[n].nest;
            for (uint32_t i = 0; i < nest->store_count; i++) {
                const loop_store *st = &nest->stores[i];
                loop_each_store_node(p, st, check_load, &r);
                if (st->buffer != buffer) continue;
                if (r.stored || st->mode != LOOP_SET) return SCHED_LOCAL_PIECES;
                r.stored = true;
                r.stored_in = r.phase_number;
                r.index = st->index;
                r.in_rows =
                    ph->inner_axes == 0 && (ph->reduce_axes == 0 || (st->reduce && !st->scan));
            }
        }
    }
    return r.needs_memory ? SCHED_LOCAL_TILE : SCHED_LOCAL_REGISTERS;
}

/* ---- tiles ---- */

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
                    bool ends = nest->stores[k].reduce != LOOP_NO_REDUCE && !nest->stores[k].scan;
                    if (ends && a >= nest->axes) continue;
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

/* Does a tile of it fit into an outer iteration? */
static bool fits_tile(fuser *f, const sched_group *g, loop_buffer_id b)
{
    int64_t elements = tile_elements(f, g, b);
    const loop_buffer *buffer = &f->p->buffers.at[b];
    const target_machine *target =
        f->s->for_host ? f->target : sched_target_at(buffer->device, f->target);
    int64_t lanes = g->variant.vector == SCHED_VECTOR_OUTER ? target->vector_bytes / 4 : 1;
    int64_t bytes = elements * lanes * (int64_t)ty_dtype_size(buffer->dtype);
    return elements >= 0 && bytes <= target->limits.tile_bytes;
}

static bool is_inside(fuser *f, const usage *u, uint32_t group, const loop_store *st)
{
    const loop_buffer *buffer = &f->p->buffers.at[st->buffer];
    const sched_group *g = &f->s->groups.at[group];
    if (buffer->kind != LOOP_TEMP || f->is_output[st->buffer] || u->only_group[st->buffer] != group)
        return false;
    if (st->mode != LOOP_SET || buffer->part || f->has_parts[st->buffer]) return false;
    return sched_local_kind(f->p, g, st->buffer) == SCHED_LOCAL_REGISTERS ||
           fits_tile(f, g, st->buffer);
}

void find_locals(fuser *f, const usage *u)
{
    for (uint32_t g = 0; g < f->s->groups.count; g++) {
        sched_group *group = &f->s->groups.at[g];
        VEC(loop_buffer_id) locals = {0};
        for (uint32_t ph = 0; ph < group->phase_count; ph++)
            for (uint32_t i = 0; i < group->phases[ph].nest_count; i++) {
                const loop_op *nest = &group->phases[ph].nests[i].nest;
                for (uint32_t k = 0; k < nest->store_count; k++)
                    if (is_inside(f, u, g, &nest->stores[k]))
                        vec_push(f->s->memory, &locals, nest->stores[k].buffer);
            }
        group->locals = locals.at;
        group->local_count = locals.count;
    }
}
