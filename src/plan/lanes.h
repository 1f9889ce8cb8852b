/* lanes.h -- the inner loops of the search, over whole vectors of blocks. */
#ifndef FERRITE_PLAN_LANES_H
#define FERRITE_PLAN_LANES_H

#include "plan/search.h"

/* Blocks are handled PLAN_LANES at a time; arrays are padded to a multiple. Four fit the vectors
 * that every machine has; where the loader can choose between two forms of a function, eight for
 * AVX2. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PLAN_LANES 8u
#define PLAN_LANES_FAST __attribute__((target_clones("avx2", "default")))
#else
#define PLAN_LANES 4u
#define PLAN_LANES_FAST
#endif
#define PLAN_LANES_UP(n) (((n) + PLAN_LANES - 1) / PLAN_LANES * PLAN_LANES)

/* The floor of blocks that are placed, and of padding. */
#define PLAN_PLACED ((plan_cell)1 << 30)

/* The blocks of one part by rank: slot 0 is preferred. Padding has low = INT32_MAX, high = 0,
 * size = 0. */
typedef struct plan_frame {
    uint32_t count, padded;  /* at least one slot is padding */
    uint32_t low, high;      /* sections of the part */
    plan_cell *first, *last; /* sections [first, last) of each block */
    plan_cell *size;
    plan_cell *mask; /* alignment - 1; NULL = no alignment */
    uint16_t *id;    /* block of each slot */
} plan_frame;

/* What plan_lanes_raise saw. */
typedef struct plan_lanes_raised {
    plan_cell low,
        high; /* sections of the blocks whose floor rose, as a hull; low > high if none */
    bool hat; /* some unplaced block conflicts with the one placed */
} plan_lanes_raised;

/* floors -> raised: block `slot` is placed, conflicting ones rise to `top`. */
plan_lanes_raised plan_lanes_raise(const plan_frame *frame, const plan_cell *floors,
                                   plan_cell *raised, uint32_t slot, plan_cell top);

/* Least floor + size of the unplaced. */
plan_cell plan_lanes_least_top(const plan_frame *frame, const plan_cell *floors);

/* Least value in at[0 .. count - 1]. */
plan_cell plan_lanes_least(const plan_cell *at, uint32_t count);

/* Least max(floor, frontier) + size of the unplaced blocks that conflict with `slot` and reach
 * below floors[slot] + size[slot]; PLAN_PLACED or more if there is none. Law S3. */
plan_cell plan_lanes_least_blocker(const plan_frame *frame, const plan_cell *floors, uint32_t slot,
                                   plan_cell frontier);

/* Writes the slots with floor <= most, ascending. Returns their number. */
uint32_t plan_lanes_collect(const plan_frame *frame, const plan_cell *floors, plan_cell most,
                            uint16_t *slots);

/* First slot that lives in `section` with floor <= most; frame->padded if there is none. */
uint32_t plan_lanes_find_witness(const plan_frame *frame, const plan_cell *floors,
                                 plan_cell section, plan_cell most);

#endif
