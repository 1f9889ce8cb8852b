/* order_priv.h -- what the files of the order search share. */
#ifndef FERRITE_SCHED_ORDER_PRIV_H
#define FERRITE_SCHED_ORDER_PRIV_H

#include "sched/order.h"

/* ---- order_beam.c ---- */

/* A stretch of an order, [low, high), to be put into another order. */
typedef struct beam_window {
    const order_problem *p;
    const uint32_t *order;
    uint32_t low, high;
    uint32_t width; /* sets of nodes kept after each step */
    int64_t floor;  /* a peak below this is as good as this */
    int64_t limit;  /* and this, or more, is no use */
    uint64_t *work; /* nodes that may still be tried; counted down */
} beam_window;

typedef struct beam_result {
    uint32_t *order; /* of the stretch, when `improved` */
    int64_t peak;
    bool improved;
    bool complete; /* nothing was left out: what was not found is not there */
} beam_result;

beam_result order_beam(const beam_window *w, arena *memory);

/* ---- order_series.c ---- */

/* An order that is the best there is when the problem is series-parallel (trees are) and each
 * buffer's first and last user are the same in all orders; a guess otherwise. `order`: a valid one,
 * which says who the first and last users are. */
void order_series(const order_problem *p, const uint32_t *order, uint32_t *out, arena *scratch);

/* ---- order_depth.c ---- */
void order_depth(const order_problem *p, uint32_t *out, arena *scratch);

/* ---- order_peak.c ---- */

/* How much a node of the order adds while it runs, and what is left of that when it has. */
void order_changes(const order_problem *p, const uint32_t *order, int64_t *hill, int64_t *net,
                   arena *scratch);

#endif
