/* search.h -- exact search: do these rectangles, fixed in time, fit under a capacity?
 *
 * Depth-first over canonical packings, after MiniMalloc (Moffitt, ASPLOS 2023) with
 * further cuts. Blocks are placed from the bottom up, each at the lowest offset that what
 * is placed leaves it (its floor), in ascending order of (offset, rank). Every packing can be
 * dropped and sorted into that form, so nothing is lost, and permutations of one packing are met
 * once. The laws that cut branches:
 *
 *   S1 section    what is left in a section must fit above the lowest floor of it: some member of
 *                 it (the witness) must have floor <= capacity - total of the unplaced, and so must
 *                 the frontier.
 *   S2 dominance  no block is placed at or above the least (floor + size) of the unplaced: that one
 *                 fits below.
 *   S3 skipped    a block that the frontier has passed must end on top of a later one that it
 *                 conflicts with and that reaches into the room which it would take; its floor
 *                 rises to the least such top.
 *   S4 hatless    if nothing unplaced conflicts with a block and placing it failed, its siblings
 *                 fail as well.
 *   S5 parts      when no unplaced block crosses a cut in time, the two sides are searched by
 *                 themselves.
 *
 * A search can be stopped after any number of steps and continued, so that several run side by
 * side.
 */
#ifndef FERRITE_PLAN_SEARCH_H
#define FERRITE_PLAN_SEARCH_H

#include "base/base.h"

/* Offsets and sizes inside the search, in units; more than PLAN_CELL_MOST is too much for it. */
typedef int32_t plan_cell;
#define PLAN_CELL_MOST ((plan_cell)1 << 29)
#define PLAN_SEARCH_BLOCKS 2048 /* at most so many blocks */

/* What is to be packed. Owned by the caller; outlives its searches. */
typedef struct plan_field {
    uint32_t count, section_count;
    const uint32_t *low, *high; /* sections [low, high) of each block, sorted by low */
    const plan_cell *size;
    const int64_t *life;   /* steps, for the orders */
    const uint16_t *input; /* place in the caller's order, which decides where all else is equal */
    const plan_cell *alignment; /* powers of two; NULL = every offset will do */
} plan_field;

/* How blocks of one floor are ranked: by life, by the total of the fullest section, by area (all
 * descending), in the order of the letters. Ranks are made anew for each part with the totals of
 * what is unplaced. */
typedef enum plan_preorder {
    PLAN_LIFE_AREA_TOTAL,
    PLAN_TOTAL_AREA_LIFE,
    PLAN_TOTAL_LIFE_AREA,
    PLAN_PREORDER_COUNT
} plan_preorder;

typedef enum plan_outcome {
    PLAN_FOUND,   /* the offsets fit under the capacity */
    PLAN_REFUTED, /* no packing fits */
    PLAN_STOPPED  /* not known yet */
} plan_outcome;

typedef struct plan_search plan_search;

/* A search with its memory from `memory`; plan_search_start comes next. */
plan_search *plan_search_new(arena *memory, const plan_field *field, plan_preorder preorder);

/* Begins, or begins anew, at a capacity of at most PLAN_CELL_MOST. noise != 0 shuffles blocks of
 * like rank. */
void plan_search_start(plan_search *search, plan_cell capacity, uint64_t noise);

/* Goes on for at most `steps` steps; *steps is what is left of them. */
plan_outcome plan_search_run(plan_search *search, uint64_t *steps);

/* One offset a block; complete after PLAN_FOUND. */
const plan_cell *plan_search_offsets(const plan_search *search);

#endif
