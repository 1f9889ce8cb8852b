/* replan.h -- offsets again, at run time, when the sizes are known.
 *
 * Lifetimes do not depend on sizes: a plan_template is the part of a plan that no size changes,
 * which blocks there are, in which sections each one lives, and the orders that follow. It is plain
 * arrays, so generated code can hold it as constants. plan_replan() turns sizes into offsets and allocates
 * nothing: with searches that end soon (dive.h), in several orders, of the blocks as they are and of those
 * that fit each other as one (pairs.h), first at the bound, then within 1 % of it; with passes where there
 * are obstacles or more than PLAN_QUICK_SPANS stretches. Where these miss the bound for sizes that were
 * tried while compiling, a template has stacks as well: plans that search found, as the order in which they
 * stack up. Such an order is a plan for all sizes, and as good for those with the same proportions.
 *
 * What is tried ends by count, never by a clock, so offsets are a function of the sizes alone and the time
 * has a bound: of b blocks no more than 30 b + 300 steps are made, most often b, and a step looks once or
 * twice at each stretch and each section; with more than PLAN_QUICK_SPANS stretches there are 5 passes of b
 * steps, each of the logarithm of the sections. A hundred blocks take about 7 us, and no more than 0.1 ms.
 *
 * Depends on libc alone: the runtime compiles it and what it includes as they are.
 */
#ifndef FERRITE_PLAN_REPLAN_H
#define FERRITE_PLAN_REPLAN_H

#include "plan/skyline.h"

/* A stretch of a block's life and the buffers that live in it: members[from .. to - 1]. */
typedef struct plan_stretch {
    uint32_t low, high; /* sections */
    uint32_t from, to;
} plan_stretch;

/* What stays the same for all sizes. Made by plan_template_make (template.c), or constants of
 * generated code. */
typedef struct plan_template {
    uint32_t buffer_count, block_count, stretch_count, section_count, order_count;
    const uint32_t *first;         /* [block_count + 1]: a block's stretches */
    const plan_stretch *stretches; /* those of a block are disjoint and in order of time */
    const uint32_t *members;       /* buffers, by stretch */
    const uint32_t *block_of;      /* [buffer_count]; UINT32_MAX = lives never */
    const uint32_t *orders; /* [order_count][block_count] permutations that follow from lifetimes;
                               there are two, or none where stacks are all there is */
    uint32_t stack_count;
    const uint32_t *stacks; /* [stack_count][block_count]: each block on top of those before it */
    uint32_t rule;          /* of those by which blocks are sorted: the one to begin with */
} plan_template;

/* What one call of plan_replan is given, by buffer. */
typedef struct plan_sizes {
    const int64_t *size;  /* bytes, >= 0 */
    const int64_t *shift; /* bytes from the start of the buffer's group; NULL = all 0 */
    const int64_t *fixed; /* bytes: lies there already, -1 = to be placed; NULL = all -1 */
    int64_t alignment;    /* of all offsets, a power of two */
} plan_sizes;

/* Bytes of scratch, aligned to 8, that plan_replan needs for this template. */
size_t plan_replan_scratch(const plan_template *t);

/* Writes an offset for each buffer, in bytes (0 for those that take no room), and returns the
 * height. *bound, if not NULL, becomes the lower bound, which what is fixed enters only with its end:
 * such buffers may share memory. Allocates nothing and stops at the first order that reaches the
 * bound. A group with a fixed member stays there as a whole. The sum of all sizes must stay below
 * 2^62. */
int64_t plan_replan(const plan_template *t, const plan_sizes *sizes, void *scratch,
                    int64_t *offsets, int64_t *bound);

/* The same; *steps becomes how many blocks were placed until this was found. */
int64_t plan_replan_counted(const plan_template *t, const plan_sizes *sizes, void *scratch,
                            int64_t *offsets, int64_t *bound, uint32_t *steps);
#define PLAN_RULES 7u /* plan_template.rule is less */
#define PLAN_RULE_LAST \
    2u /* what lives longest lies lowest: what is placed around it later has room */

/* Sorts `count` ids by their keys, ascending, stable. `keys` and `ids` are both permuted;
 * `spare_keys` and `spare_ids` are scratch of the same length. */
void plan_sort(uint64_t *keys, uint32_t *ids, uint64_t *spare_keys, uint32_t *spare_ids,
               uint32_t count);

#endif
