/* order_priv.h -- what the files of the order search share. */
#ifndef FERRITE_SCHED_ORDER_PRIV_H
#define FERRITE_SCHED_ORDER_PRIV_H

#include "sched/order/order.h"

/* ---- order_stretch.c ---- */

typedef struct local_buffer {
    int64_t bytes;
    uint32_t first_user, user_count; /* in users */
    bool born;                       /* before the stretch */
    bool outlives;
} local_buffer;

/* Nodes order[low] .. order[high - 1] of a problem, numbered from 0 in that order, as a problem of
 * its own. */
typedef struct stretch {
    uint32_t count, words, buffer_count; /* nodes; words of a set of them */
    uint32_t *first_after, *after;
    uint32_t *before_count;
    uint64_t *before; /* sets, one a node */
    uint32_t *first_use, *uses;
    uint32_t *first_reuse;
    order_reuse *reuses;
    local_buffer *buffers;
    uint32_t *users;
    uint64_t *key;        /* Zobrist */
    uint32_t *stamp, now; /* by local buffer: handed on in the evaluation at hand */
    int64_t base;         /* in use when the stretch begins */
} stretch;

void order_stretch(stretch *s, const order_problem *p, const uint32_t *order, uint32_t low,
                   uint32_t high, arena *memory);
/* The same from its end: the last node is the first, what is born outlives. As much is in use while a
 * node runs, whichever way an order is walked. */
void order_turn(stretch *s, arena *memory);
/* What is in use while the node runs behind the set `done`, after which `live` is, and after it. */
void order_step(stretch *s, const uint64_t *done, int64_t live, uint32_t node, int64_t *during,
                int64_t *after);

/* ---- order_cut.c ---- */

/* What is at least in use while a node of the stretch runs, in every order of it. `work`: steps that
 * this may take; counted down. */
int64_t order_cut(const stretch *s, uint32_t node, uint64_t *work, arena *scratch);

/* ---- order_beam.c ---- */

/* A stretch of an order, [low, high), to be put into another order. */
typedef struct beam_window {
    const order_problem *p;
    const uint32_t *order;
    uint32_t low, high;
    bool backward;  /* from its end */
    uint32_t width; /* sets of nodes kept after each step */
    uint32_t steps; /* that a node and those it leads to may take to free what they took */
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
 * buffer's first and last user are the same in all orders, which it returns; a guess otherwise. `order`:
 * a valid one, which says who the first and last users are. */
bool order_series(const order_problem *p, const uint32_t *order, uint32_t *out, arena *scratch);

/* ---- order_depth.c ---- */
void order_depth(const order_problem *p, uint32_t *out, arena *scratch);

/* ---- order_peak.c ---- */

/* The most bytes that these takes, each of so many bytes, can save: each buffer is in one of them. */
int64_t order_most_taken(const order_reuse *takes, const int64_t *bytes, uint32_t count,
                         arena *scratch);

/* How much a node of the order adds while it runs, and what is left of that when it has. */
void order_changes(const order_problem *p, const uint32_t *order, int64_t *hill, int64_t *net,
                   arena *scratch);

#endif
