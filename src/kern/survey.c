/* survey.c -- what a group is like, before and after it is built: which locals need memory, which
 * stores conflict, how large tiles are.
 */
#include "kern/build_priv.h"

void kern_bind(kern_builder *b, sym_expr symbol, sym_expr extent)
{
    CHECK(b->p->session, b->bound_count < KERN_MOST_LEVELS);
    b->bounds[b->bound_count] = (sym_bound){symbol, extent};
    b->bound_level[b->bound_count++] = b->depth;
}

/* Do two outer iterations write different elements? Strides that grow faster than what is below
 * them reach say so. */
static bool rows_are_apart(kern_builder *b, const loop_store *st)
{
    sym_expr rest = st->index;
    int64_t reach = 0, strides[LOOP_MAX_AXES], extents[LOOP_MAX_AXES];
    for (uint32_t i = 0; i < b->g->outer; i++) {
        sym_expr coefficient;
        if (!sym_linear_in(b->t, rest, b->k->axes[i], &coefficient, &rest)) return false;
        if (!sym_is_int(b->t, coefficient, &strides[i]) ||
            !sym_is_int(b->t, b->g->outer_extents[i], &extents[i]))
            return false;
        if (strides[i] <= 0) return false;
    }
    sym_env env = {b->bounds, b->bound_count};
    int64_t least, most;
    sym_range(b->t, rest, &env, &least, &most);
    if (least == SYM_NO_MIN || most == SYM_NO_MAX) return false;
    reach = most - least;
    for (uint32_t done = 0; done < b->g->outer; done++) {
        uint32_t next = UINT32_MAX;
        for (uint32_t i = 0; i < b->g->outer; i++)
            if (strides[i] > 0 && (next == UINT32_MAX || strides[i] < strides[next])) next = i;
        if (strides[next] <= reach) return false;
        reach += strides[next] * (extents[next] - 1);
        strides[next] = 0;
    }
    return true;
}

/* May two steps of the group's loops store to one element? */
static bool may_meet(kern_builder *b, const loop_store *st)
{
    return st->mode != LOOP_SET || sym_has_kind(b->t, st->index, SYM_INDIRECT);
}

static bool rows_conflict(kern_builder *b, const sched_phase *ph, const loop_store *st)
{
    uint32_t before = b->bound_count;
    for (uint32_t i = 0; i < ph->inner_axes; i++)
        kern_bind(b, loop_axis(b->p, b->g->outer + i), ph->extents[i]);
    for (uint32_t i = 0; i < ph->reduce_axes; i++)
        kern_bind(b, loop_reduce_axis(b->p, i), ph->reduce_extents[i]);
    bool apart = rows_are_apart(b, st);
    b->bound_count = before;
    return !apart;
}

/* ---- stores that are atomic ---- */

typedef struct reader_search {
    const loop_program *p;
    loop_buffer_id whole;
    bool is_read;
} reader_search;

static void note_reader(void *data, loop_value v)
{
    reader_search *search = data;
    const loop_node *n = loop_at(search->p, v);
    search->is_read |=
        n->op == LOOP_LOAD && loop_whole_of(search->p, n->buffer, NULL) == search->whole;
}

/* Does nothing else in the group touch what is stored to, or in another way? */
static bool is_added_to_alone(kern_builder *b, const loop_store *st)
{
    reader_search search = {b->p, loop_whole_of(b->p, st->buffer, NULL), false};
    for (uint32_t p = 0; p < b->g->phase_count; p++)
        for (uint32_t n = 0; n < b->g->phases[p].nest_count; n++) {
            const loop_op *nest = &b->g->phases[p].nests[n].nest;
            for (uint32_t i = 0; i < nest->store_count; i++) {
                const loop_store *other = &nest->stores[i];
                loop_each_node(b->p, other->value, note_reader, &search);
                if (loop_whole_of(b->p, other->buffer, NULL) == search.whole &&
                    (other->mode != st->mode || other->buffer != st->buffer))
                    return false;
            }
        }
    return !search.is_read;
}

/* May work-items that meet at an element add to it one after the other? */
static bool is_atomic(kern_builder *b, const loop_store *st)
{
    ty_dtype dtype = b->p->buffers.at[st->buffer].dtype;
    if (b->in_parts) dtype = ty_complex_to_real(dtype);
    return st->mode != LOOP_SET && kern_has_atomics(b->target, dtype) && is_added_to_alone(b, st);
}

/* Positions that are looked up may meet within a row too: atomic stores let work-items share its columns. */
static void note_store(kern_builder *b, const sched_phase *ph, const loop_store *st)
{
    bool meets = may_meet(b, st), looks_up = sym_has_kind(b->t, st->index, SYM_INDIRECT);
    bool conflicts = meets && rows_conflict(b, ph, st);
    bool atomic = (conflicts || looks_up) && is_atomic(b, st);
    map_set(b->memory, &b->is_written, st->buffer, 1);
    if (atomic) map_set(b->memory, &b->is_atomic, st->buffer, 1);
    b->serial |= conflicts && !atomic;
    /* rows are shared out, columns are not looked at */
    b->columns &= !meets || atomic;
}

void kern_survey(kern_builder *b)
{
    for (uint32_t p = 0; p < b->g->phase_count; p++) {
        const sched_phase *ph = &b->g->phases[p];
        for (uint32_t n = 0; n < ph->nest_count; n++) {
            const loop_op *nest = &ph->nests[n].nest;
            for (uint32_t i = 0; i < nest->store_count; i++) note_store(b, ph, &nest->stores[i]);
        }
    }
    for (uint32_t i = 0; i < b->g->local_count; i++)
        map_set(b->memory, &b->is_local, b->g->locals[i],
                sched_local_kind(b->p, b->scheduled, b->g->locals[i]));
}

static void bind_phase(kern_builder *b, const sched_phase *ph)
{
    b->bound_count = 0;
    for (uint32_t i = 0; i < ph->inner_axes; i++)
        kern_bind(b, loop_axis(b->p, b->g->outer + i), ph->extents[i]);
    for (uint32_t i = 0; i < ph->reduce_axes; i++)
        kern_bind(b, loop_reduce_axis(b->p, i), ph->reduce_extents[i]);
}

/* The largest index of memory m that a phase stores at. */
static int64_t largest_index(kern_builder *b, uint32_t memory, const sched_phase *ph)
{
    int64_t largest = 0, least, most;
    loop_buffer_id buffer = b->k->memories.at[memory].buffer;
    bind_phase(b, ph);
    sym_env env = {b->bounds, b->bound_count};
    for (uint32_t n = 0; n < ph->nest_count; n++)
        for (uint32_t i = 0; i < ph->nests[n].nest.store_count; i++) {
            const loop_store *st = &ph->nests[n].nest.stores[i];
            loop_store parts[2];
            if (st->buffer != buffer) continue;
            sym_expr last = parts[kern_parts_of(b, st, parts) - 1].index;
            sym_range(b->t, kern_tile_index(b, memory, last), &env, &least, &most);
            if (most == SYM_NO_MAX)
                b->unbounded_tile = true;
            else if (most > largest)
                largest = most;
        }
    return largest;
}

/* Elements of each tile: up to the largest index stored, and a step of an unrolled loop more, since
 * tiles are read (and mostly written) in whole vectors. */
void kern_size_tiles(kern_builder *b)
{
    int64_t step = (int64_t)b->k->lanes * KERN_MOST_COPIES;
    b->tile_bytes = 0;
    for (uint32_t i = 0; i < b->k->memories.count; i++) {
        if (!b->k->memories.at[i].is_tile) continue;
        int64_t largest = 0;
        for (uint32_t p = 0; p < b->g->phase_count; p++) {
            int64_t here = largest_index(b, i, &b->g->phases[p]);
            if (here > largest) largest = here;
        }
        int64_t elements = (largest / step + 2) * step;
        b->tile_bytes += elements * (int64_t)ty_dtype_size(b->k->memories.at[i].dtype);
        b->k->memories.at[i].elements =
            kern_param_expr(b->k, sym_int(b->t, elements), NULL, b->memory);
    }
    b->bound_count = 0;
}
