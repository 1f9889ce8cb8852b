/* squares.c -- copies that transpose: a load whose neighbours lie far apart along the vector and
 * next to each other along an outer axis. That axis goes last among the rows, and rows are taken in
 * squares, some rows by some columns, so that a line of memory is used up while it is in the cache.
 */
#include "kern/build_priv.h"

enum {
    FAR_APART = 16, /* elements: a line of floats */
    FEW_ROWS = 8
};

typedef struct square_search {
    kern_builder *b;
    sym_expr inner;
    uint32_t axis; /* found: an outer one */
} square_search;

/* In steps of how many elements does the index move with the axis? 0: it does not, or unevenly.
 */
static int64_t stride_of(kern_builder *b, sym_expr index, sym_expr axis)
{
    sym_expr coefficient, rest;
    if (!sym_contains(b->t, index, axis)) return 0;
    if (!sym_linear_in(b->t, index, axis, &coefficient, &rest)) return 0;
    return sym_usual(b->t, coefficient);
}

static bool is_turned(kern_builder *b, sym_expr index, sym_expr inner, sym_expr outer)
{
    int64_t far = stride_of(b, index, inner);
    return (far >= FAR_APART || far <= -FAR_APART) && stride_of(b, index, outer) == 1;
}

static void look_at(void *data, loop_value v)
{
    square_search *s = data;
    kern_builder *b = s->b;
    const loop_node *n = loop_at(b->p, v);
    if (n->op != LOOP_LOAD) return;
    for (uint32_t i = 0; i < b->g->outer; i++) {
        bool many = sym_usual(b->t, b->g->outer_extents[i]) >= FEW_ROWS;
        if (many && is_turned(b, n->index, s->inner, loop_axis(b->p, i))) s->axis = i;
    }
}

bool kern_find_squares(kern_builder *b, uint32_t *axis)
{
    const sched_phase *ph = &b->g->phases[0];
    square_search s = {b, loop_axis(b->p, b->g->outer), b->g->outer};
    if (!b->columns || b->g->kind != SCHED_KERNEL) return false;
    if (sym_usual(b->t, ph->extents[0]) < FEW_ROWS) return false;
    for (uint32_t n = 0; n < ph->nest_count; n++)
        for (uint32_t i = 0; i < ph->nests[n].nest.store_count; i++)
            loop_each_store_node(b->p, &ph->nests[n].nest.stores[i], look_at, &s);
    *axis = s.axis;
    return s.axis < b->g->outer;
}
