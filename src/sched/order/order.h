/* order.h -- the order in which groups run, chosen for peak memory. Numbers only: nodes, what must
 * come before what, and buffers that live from the first of their users to the last.
 *
 * Nodes are numbered in a valid order: predecessors have smaller numbers. Running a node gives
 * memory to those of its buffers that have none yet, and afterwards takes it from those that no node
 * is left to use; the peak is the most that is in use in between. A node may also hand the memory of
 * a buffer that it uses last on to one that it uses first (order_reuse): then neither happens.
 *
 * Order of reading: order_problem.c (a schedule as a problem), order.c (the choice), order_relax.c (what
 * it proves), order_peak.c (what an order costs), order_search.c (where it pays to search),
 * order_stretch.c (a part of a problem), order_cut.c (what no order of it is below), order_beam.c (the
 * search), order_series.c (series-parallel problems, exactly), order_depth.c (another order to begin
 * with), order_early.c (what devices are given early).
 */
#ifndef FERRITE_SCHED_ORDER_H
#define FERRITE_SCHED_ORDER_H

#include "base/base.h"

typedef struct order_reuse {
    uint32_t from, to; /* buffers */
} order_reuse;

/* Lists by node or buffer: those of i are at[first[i]] .. at[first[i + 1] - 1]. */
typedef struct order_lists {
    uint32_t *first, *at;
} order_lists;

/* The nodes and buffers of one ordering problem. */
typedef struct order_problem {
    uint32_t node_count, buffer_count;
    order_lists before, after; /* by node: nodes */
    order_lists uses;          /* by node: buffers, each once */
    order_lists users;         /* by buffer: nodes, rising */
    int64_t *bytes;            /* by buffer */
    bool *stays;               /* by buffer: it is never given back */
    uint32_t *first_reuse; /* by node: reuses[first_reuse[n]] .. reuses[first_reuse[n + 1] - 1] */
    order_reuse *reuses;
} order_problem;

/* ---- order_peak.c ---- */

/* Fills `after` and `users` from `before` and `uses`. */
void order_complete(order_problem *p, arena *memory);
/* The peak of an order. live, if not NULL, becomes what is in use while each of its nodes runs. */
int64_t order_peak(const order_problem *p, const uint32_t *order, int64_t *live, arena *scratch);
/* What no order is below: the most that one node needs. */
int64_t order_bound(const order_problem *p, arena *scratch);

/* ---- order_search.c ---- */

typedef struct order_result {
    uint32_t *order;
    int64_t peak;
} order_result;

/* Orders with a lower peak than that of the nodes' numbers, the best first; at most `room` of them.
 * `work`: nodes that the search may try, 0 = a default. *bound: it is proven that no order has a
 * lower peak than this. */
uint32_t order_search(const order_problem *p, uint64_t work, order_result *results, uint32_t room,
                      int64_t *bound, arena *memory);

#endif
