/* lanes.c -- how many lanes a kernel is to have: what it holds, and how long its rows are. */
#include "kern/build_priv.h"

uint32_t kern_widest_vector(const kern_ir *k)
{
    uint32_t bytes = 4;
    for (uint32_t i = 1; i < k->values.count; i++) {
        const kern_value *v = &k->values.at[i];
        if (v->vector && v->dtype != TY_BOOL && ty_dtype_size(v->dtype) > bytes)
            bytes = ty_dtype_size(v->dtype);
    }
    for (uint32_t i = 0; i < k->sums.count; i++) {
        const kern_sum *sum = &k->sums.at[i];
        uint32_t own = ty_dtype_size(sum->dtype), place = ty_dtype_size(sum->place);
        if (sum->vector && own > bytes) bytes = own;
        if (kern_is_arg(sum->reduce) && place > bytes) bytes = place;
    }
    return bytes;
}

/* Is what lanes go along no longer than half of them? */
static bool are_rows_short(const kern_builder *b, uint32_t lanes)
{
    const sched_group *g = b->g;
    int64_t extent;
    bool outer = b->k->outer_vector, are_short = outer || b->vector == SCHED_VECTOR_INNER;
    for (uint32_t i = 0; i < g->phase_count && are_short; i++) {
        const sched_phase *ph = &g->phases[i];
        const sym_expr *along = outer            ? &g->outer_extents[b->order[g->outer - 1]]
                                : ph->inner_axes ? &ph->extents[ph->inner_axes - 1]
                                                 : NULL;
        are_short = along && sym_is_int(b->t, *along, &extent) && extent <= lanes / 2;
    }
    return are_short;
}

/* A gather costs by its lanes, those too that are off. */
bool kern_has_short_gathers(const kern_builder *b, uint32_t lanes)
{
    bool gathers = false;
    for (uint32_t i = 1; i < b->k->values.count && !gathers; i++) {
        const kern_value *v = &b->k->values.at[i];
        gathers = v->kind == KERN_LOAD && v->access == KERN_LANES && v->guard != 0 && !v->runs &&
                  !v->repeats && !v->turned;
    }
    return gathers && are_rows_short(b, lanes);
}
