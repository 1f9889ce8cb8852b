/* shape.c -- how loops and accumulators are cut: copies side by side, whole steps, and where long
 * sums of floats move to their totals.
 */
#include "kern/build_priv.h"

enum {
    LONG_SUM = 64, /* terms of one partial sum that are added up without compensation */
    FEW_VECTORS = 12,
    SOME_VECTORS = 80
};

bool kern_is_long(kern_builder *b, const sched_phase *ph, bool vector)
{
    int64_t terms = 1;
    for (uint32_t i = 0; i < ph->reduce_axes; i++) {
        int64_t extent = sym_usual(b->t, ph->reduce_extents[i]);
        if (vector && i + 1 == ph->reduce_axes && !b->k->outer_vector)
            extent /= b->k->lanes * KERN_MOST_COPIES;
        if (extent > 0) terms *= extent;
        if (terms > LONG_SUM) return true;
    }
    return false;
}

/* About how many instructions a loop's body is. */
static uint32_t work_of(const kern_builder *b, const kern_loop *loop)
{
    uint32_t work = 0;
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_value *v = &b->k->values.at[loop->items.at[i].value];
        bool simple =
            v->kind != KERN_APPLY || (v->op >= LOOP_ADD && v->op <= LOOP_MUL) || v->op == LOOP_FMA;
        bool cheap = simple || loop_opcode_cost(v->op, b->k->lanes) <= LOOP_CHEAP;
        if (loop->items.at[i].kind == KERN_DEFINE) work += simple ? 1 : cheap ? 2 : 8;
        if (loop->items.at[i].kind == KERN_LOOP) work += work_of(b, loop->items.at[i].loop);
    }
    return work;
}

static bool divides(kern_builder *b, int64_t step, sym_expr extent)
{
    return sym_known_divisible(b->t, extent, sym_int(b->t, step), NULL);
}

/* A last step that is partial costs several times as much for each of its copies, as all are masked. */
static uint32_t copies_worth(int64_t vectors, uint32_t most)
{
    if (vectors < FEW_VECTORS) return 1;
    return vectors < SOME_VECTORS && most > 2 ? 2 : most;
}

void kern_shape_loop(kern_builder *b, kern_loop *loop, sym_expr extent,
                     const kern_pending_list *list)
{
    uint32_t work = work_of(b, loop),
             most = work <= 4    ? KERN_MOST_COPIES
                    : work <= 10 ? 2
                                 : 1,
             least = most > 1 ? 2 : 1;
    uint32_t wanted = b->g->variant.unroll;
    bool across = false, running = false;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->at[i].sums[0] == UINT32_MAX) continue;
        across |= b->k->sums.at[list->at[i].sums[0]].across;
        running |= b->k->sums.at[list->at[i].sums[0]].running;
    }
    if (loop->kind != KERN_VECTOR || loop->columns) return;
    if (wanted) most = least = wanted;
    if (!across || running) most = least = 1;
    int64_t elements = sym_usual(b->t, extent);
    while (most > 1 && elements <= (int64_t)(most / 2) * b->k->lanes) most /= 2;
    if (least > most) least = most;
    loop->unroll = most;
    for (uint32_t unroll = most; unroll >= least && !loop->exact; unroll /= 2) {
        loop->exact = divides(b, (int64_t)unroll * b->k->lanes, extent);
        if (loop->exact) loop->unroll = unroll;
    }
    if (!loop->exact && !wanted) {
        loop->unroll = copies_worth(elements / b->k->lanes, most);
        loop->exact = divides(b, (int64_t)loop->unroll * b->k->lanes, extent);
    }
    for (uint32_t i = 0; i < list->count; i++)
        for (uint32_t k = 0; k < 2; k++)
            if (list->at[i].sums[k] != UINT32_MAX)
                b->k->sums.at[list->at[i].sums[k]].copies = loop->unroll;
}

static bool has_scattered_load(const kern_builder *b, const kern_loop *loop)
{
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        const kern_value *v = &b->k->values.at[item->value];
        if (item->kind == KERN_DEFINE && v->kind == KERN_LOAD && v->access == KERN_LANES)
            return true;
        if (item->kind == KERN_LOOP && has_scattered_load(b, item->loop)) return true;
    }
    return false;
}

void kern_widen_rows(kern_builder *b, kern_loop *rows)
{
    kern_ir *k = b->k;
    uint32_t work = 0;
    for (uint32_t i = 0; i < rows->items.count; i++)
        if (rows->items.at[i].kind == KERN_LOOP) work += work_of(b, rows->items.at[i].loop);
    uint32_t wanted = b->g->variant.unroll, most = wanted ? wanted : KERN_MOST_COPIES;
    if (!k->outer_vector || k->tile_count || !k->sums.count || (work > 8 && !wanted)) return;
    if (!wanted && has_scattered_load(b, rows)) return;
    int64_t vectors = sym_usual(b->t, b->g->outer_extents[k->outer - 1]) / k->lanes;
    while (rows->unroll * 2 <= most && rows->unroll * 2 <= vectors) rows->unroll *= 2;
    for (uint32_t i = 0; i < k->sums.count; i++) k->sums.at[i].copies = rows->unroll;
}

void kern_place_drains(kern_builder *b, const sched_phase *ph, const kern_pending_list *list)
{
    int64_t steps = 1;
    for (uint32_t i = 0; i < ph->reduce_axes; i++) {
        kern_loop *loop = b->open[b->depth - i];
        int64_t step = loop->kind == KERN_VECTOR ? (int64_t)b->k->lanes * loop->unroll : 1;
        int64_t extent = sym_usual(b->t, ph->reduce_extents[ph->reduce_axes - 1 - i]) / step;
        bool is_long = extent >= 2 * LONG_SUM, last = i + 1 == ph->reduce_axes;
        steps *= extent < 1 ? 1 : extent;
        if (steps < LONG_SUM / 4 && !last) continue;
        if (last && !is_long) return;
        if (is_long) loop->block = step * LONG_SUM / 2;
        for (uint32_t k = 0; k < list->count; k++)
            for (uint32_t part = 0; part < 2; part++) {
                uint32_t sum = list->at[k].sums[part];
                if (sum != UINT32_MAX && b->k->sums.at[sum].blocked)
                    vec_push(b->memory, &loop->drains, sum);
            }
        return;
    }
}
