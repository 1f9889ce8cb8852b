/* tops.h -- how high the sections of a skyline are.
 *
 * A binary tree of 2 * leaves: tops[k] is the highest top in the sections under k. Behind it lies as much
 * again: the highest value that was put on all the sections under k at once. All is 0 in the beginning.
 * Depends on libc alone.
 */
#ifndef FERRITE_PLAN_TOPS_H
#define FERRITE_PLAN_TOPS_H

#include <stdint.h>

/* For so many sections; tops has 4 times as many elements. */
uint32_t plan_tops_leaves(uint32_t section_count);

/* The highest top in the sections [low, high); *at becomes the node where it is: see
 * plan_tops_section. */
int64_t plan_tops_highest(const int64_t *tops, uint32_t leaves, uint32_t low, uint32_t high,
                          uint32_t *at);

/* A section under `node` that is as high as the node's highest. */
uint32_t plan_tops_section(const int64_t *tops, uint32_t leaves, uint32_t node);

/* Makes the sections [low, high) at least as high as this. */
void plan_tops_raise(int64_t *tops, uint32_t leaves, uint32_t low, uint32_t high, int64_t top);

#endif
