/* dive.h -- a depth-first search that ends soon: the pass of quick.h that takes back what it placed where a
 * section can no longer be filled.
 *
 * What is not placed has a key, its floor and behind that its slot, so the least key is the block that is
 * next. Blocks are placed in ascending order of keys, as in search.h, whose laws S2 and S4 hold here as
 * well; of S1 what one look at all sections and one at those beside a block tell. Each level of the search
 * has its own keys, for the last levels alone: it goes no further back than those.
 *
 * Depends on libc alone: the runtime compiles dive.c as it is.
 */
#ifndef FERRITE_PLAN_DIVE_H
#define FERRITE_PLAN_DIVE_H

#include "plan/quick.h"

#define PLAN_DIVE_MOST ((plan_units)1 << 21) /* no goal passes it */

typedef struct plan_dive {
    plan_units *keys; /* by level and slot */
    plan_units *self; /* by slot: what makes its key of a top */
    plan_units *room; /* by section: what is left of it fits on keys up to this */
    plan_units *path; /* by depth: the key that was placed */
} plan_dive;

/* Hands out the arrays of a dive; `scratch` NULL counts the bytes alone. */
size_t plan_dive_memory(plan_dive *d, uint32_t blocks, uint32_t spans, uint32_t sections,
                        void *scratch);

/* Places the blocks `order` lists no higher than `goal`, in about so many steps of one block each. There must
 * be no obstacles. Returns the height, or -1 where it finds nothing. */
plan_units plan_dive_run(plan_dive *d, plan_quick *q, const uint32_t *order, plan_units goal,
                         uint32_t steps);

#endif
