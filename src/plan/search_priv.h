/* search_priv.h -- the state of a search, shared by frame.c (parts, ranks) and search.c. */
#ifndef FERRITE_PLAN_SEARCH_PRIV_H
#define FERRITE_PLAN_SEARCH_PRIV_H

#include "plan/lanes.h"
#include "plan/search.h"

#define PLAN_NO_SLOT UINT16_MAX

/* Memory that grows and shrinks like a stack, in chunks that stay. */
typedef struct plan_pool {
    arena *memory;
    VEC(char *) chunks;
    VEC(size_t) sizes;
    uint32_t chunk; /* the one in use */
    size_t used;    /* of it */
} plan_pool;

typedef struct plan_pool_mark {
    uint32_t chunk;
    size_t used;
} plan_pool_mark;

/* A part of the problem that nothing crosses, with some of its blocks placed. */
typedef struct plan_node {
    const plan_frame *frame;
    plan_cell *floors;    /* by slot; PLAN_PLACED if placed */
    uint16_t *witness;    /* by section from frame->low: law S1 */
    uint16_t *candidates; /* slots, the next to try first */
    uint32_t candidate_count, next;
    uint32_t left;      /* unplaced blocks */
    plan_cell frontier; /* offset and slot of the block that was placed last: the canonical order */
    int32_t frontier_slot;
    uint16_t via; /* slot in the node below that led here; PLAN_NO_SLOT for the root of a part */
    bool hat;     /* whether the block that led here had unplaced conflicts: law S4 */
    plan_pool_mark mark;     /* of the pool before this node */
    struct plan_node *parts; /* not NULL: no node but a split; its parts as nodes ready to enter */
    uint32_t part_count;     /* `next` of them were begun */
} plan_node;

struct plan_search {
    arena *memory;
    const plan_field *field;
    plan_preorder preorder;
    plan_cell capacity;
    plan_pool pool;
    VEC(plan_node) stack;
    plan_cell *room;    /* by section: capacity - total of the unplaced */
    uint16_t *crossing; /* by section: unplaced blocks that live both in it and in the one before */
    plan_cell *offsets;
    uint32_t *life_rank; /* by block: dense, 0 = longest, equal for equal; with the noise in it */
    uint32_t *area_rank;
    uint64_t *keys;      /* [2 * count] scratch for sorting */
    uint32_t *ids;       /* [2 * count] */
    plan_cell *floor_of; /* by block: scratch for splits */
    plan_outcome outcome;
};

/* ---- frame.c ---- */

void *plan_pool_take(plan_pool *pool, size_t bytes); /* not zeroed, 16-byte aligned */
plan_pool_mark plan_pool_here(const plan_pool *pool);
void plan_pool_drop(plan_pool *pool, plan_pool_mark mark);

/* Ranks blocks by life and by area, with noise unless it is 0. */
void plan_rank_blocks(plan_search *search, uint64_t noise);

/* Sorts search->ids[0 .. count - 1] by rank, with the totals of now. */
void plan_rank_part(plan_search *search, uint32_t count);

/* A root node for the blocks search->ids[0 .. count - 1], in that order, which live in sections
 * [low, high) and which nothing else that is unplaced meets. floor_of is by block; NULL = all 0. */
plan_node plan_root(plan_search *search, uint32_t count, uint32_t low, uint32_t high,
                    const plan_cell *floor_of);

#endif
