/* pairs.h -- blocks that fit each other become one before they are placed: one upon the other where they
 * live in the same sections, one after the other where they are of one size and the second is born where
 * the first dies. What results may fit others in turn. Fewer blocks have fewer places to lie, and a plan of
 * them is one of those they consist of.
 *
 * Depends on libc alone: the runtime compiles pairs.c as it is.
 */
#ifndef FERRITE_PLAN_PAIRS_H
#define FERRITE_PLAN_PAIRS_H

#include "plan/quick.h"

/* Block `from` lies `above` the one it became part of. */
typedef struct plan_join {
    uint32_t from, into;
    plan_units above;
} plan_join;

typedef struct plan_pairs {
    uint32_t
        *first; /* as in plan_quick, for what results: what became part of another has no areas */
    plan_area *areas;
    plan_join *joins;
    uint32_t join_count;
    /* while they are made, by block; in no section what cannot be joined */
    plan_units *low, *high, *size;
} plan_pairs;

/* Hands out the arrays; `scratch` NULL counts the bytes alone. */
size_t plan_pairs_memory(plan_pairs *p, uint32_t blocks, uint32_t spans, void *scratch);

/* Joins blocks of one area that begins at the bottom, in the order of their numbers. */
void plan_pairs_make(plan_pairs *p, uint32_t blocks, const uint32_t *first, const plan_area *areas);

/* From offsets of what results those of all blocks. */
void plan_pairs_split(const plan_pairs *p, plan_units *offsets);

#endif
