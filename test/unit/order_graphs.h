/* order_graphs.h -- ordering problems to try the search of src/sched/order*.c on, and the orders of four
 * known heuristics. */
#ifndef FERRITE_UNIT_ORDER_GRAPHS_H
#define FERRITE_UNIT_ORDER_GRAPHS_H

#include "sched/order/order.h"

typedef VEC(uint32_t) id_list;

/* A problem under construction. */
typedef struct maker {
    order_problem p;
    arena *memory;
    VEC(int64_t) bytes;
    id_list before_at, uses_at, before_first, uses_first;
    id_list made; /* by node: its buffer */
    uint64_t dice;
} maker;

/* ---- order_graphs.c ---- */

maker graph_maker(arena *memory, uint64_t seed);
/* A node that reads what these nodes made and makes `bytes` of its own. */
uint32_t graph_add(maker *m, int64_t bytes, const uint32_t *from, uint32_t count);
uint32_t graph_add1(maker *m, int64_t bytes, uint32_t a);
uint32_t graph_add2(maker *m, int64_t bytes, uint32_t a, uint32_t b);
const order_problem *graph_finish(maker *m);
const order_problem *graph_random(maker *m, uint32_t nodes, uint32_t reach);
const order_problem *graph_program(maker *m, uint32_t nodes);
const order_problem *graph_tree(maker *m, uint32_t nodes);
const order_problem *graph_unet(maker *m, uint32_t depth);
const order_problem *graph_inception(maker *m, uint32_t blocks);
const order_problem *graph_training(maker *m, uint32_t blocks);
const order_problem *graph_towers(maker *m, uint32_t count);

/* ---- order_four.c ---- */

void four_least(const order_problem *p, uint32_t *out, arena *memory);
void four_fifo(const order_problem *p, uint32_t *out, arena *memory);
void four_depth(const order_problem *p, uint32_t *out, arena *memory);

#endif
