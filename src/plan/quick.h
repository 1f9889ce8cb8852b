/* quick.h -- the pass of skyline.h for few blocks: floors in whole vectors instead of trees.
 *
 * Every span of a block has a floor, the lowest offset of its block that what is placed leaves it; a block
 * lies no lower than the highest of its floors. The lowest block goes first, ties in the order given.
 * A pass ends as soon as some section cannot hold any more what is left of it below the goal, and says
 * which: what would have had to be placed there earlier lives in it. quick_reorder() moves that up.
 *
 * Offsets are in units, so that 32 bits do. Depends on libc alone: the runtime compiles quick.c as it
 * is.
 */
#ifndef FERRITE_PLAN_QUICK_H
#define FERRITE_PLAN_QUICK_H

#include <stddef.h>
#include <stdint.h>

#include "plan/skyline.h"

/* ---- what the loops over slots and sections are made of; see quick.c ---- */

/* Of static functions alone: what picks the form of others can be seen outside of an artifact. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PLAN_FAST __attribute__((target_clones("avx512f", "avx2", "default")))
#define PLAN_INSIDE static inline __attribute__((always_inline))
#else
#define PLAN_FAST
#define PLAN_INSIDE static inline
#endif

enum {
    PLAN_QUICK_LANES = 16
}; /* arrays have whole vectors of so many, aligned to one where the scratch is */
#define PLAN_WHOLE_LANES(n) (((n) + PLAN_QUICK_LANES - 1) / PLAN_QUICK_LANES * PLAN_QUICK_LANES)

/* ---- passes ---- */

typedef int32_t plan_units;
#define PLAN_UNITS_MOST ((plan_units)1 << 29) /* no sum of sizes and no obstacle passes it */
#define PLAN_QUICK_SPANS 512                  /* with more of them trees are quicker */

/* As plan_span. */
typedef struct plan_area {
    plan_units low, high, bottom, top;
} plan_area;

typedef struct plan_quick {
    uint32_t block_count, section_count, obstacle_count; /* blocks: how many are placed */
    const uint32_t *first; /* by block: areas first[b] .. first[b + 1] - 1, none of them empty */
    const plan_area *areas;
    const plan_area *obstacles; /* bottom and top from the arena's start */
    const plan_units *load;     /* by section */
    plan_units *offsets;        /* by block: what a pass finds */
    uint32_t steps;             /* blocks placed by all passes so far */
    /* of the pass under way */
    plan_units *low, *high, *bottom, *top,
        *floor;             /* by slot: the areas in the order of their blocks */
    plan_units *left;       /* by section: what is not placed yet */
    uint32_t *slot;         /* [block_count + 1] by place in the order: its first slot */
    uint32_t *place;        /* by slot: its block's place in the order */
    uint32_t *spare, *late; /* by place in the order */
    plan_units full;        /* the section that stopped it */
} plan_quick;

/* An array of `count` in whole vectors. */
static inline void *plan_carve_lanes(uintptr_t *at, size_t count)
{
    return plan_carve(at, PLAN_WHOLE_LANES(count) * sizeof(plan_units));
}

/* Hands out the arrays of a pass; `scratch` NULL counts the bytes alone. */
size_t plan_quick_memory(plan_quick *q, uint32_t blocks, uint32_t spans, uint32_t sections,
                         void *scratch);

/* Places the blocks `order` lists. Returns the height, or -1 where it would pass `goal`. */
plan_units plan_quick_pass(plan_quick *q, const uint32_t *order, plan_units goal);

/* Places the blocks as the order lists them, each as low as it can lie on those before it, whatever the
 * obstacles. Returns as plan_quick_pass, but that nothing says why it was stopped. */
plan_units plan_quick_stack(plan_quick *q, const uint32_t *order, plan_units goal);

/* The order's areas by slot, all on the ground, and nothing placed: how a pass begins. Returns how many slots
 * there are with the padding, which lives in no section. */
uint32_t plan_quick_begin(plan_quick *q, const uint32_t *order);

/* After a pass that was stopped: those of its section that were not placed go up in the order. */
void plan_quick_reorder(plan_quick *q, uint32_t *order);

#endif
