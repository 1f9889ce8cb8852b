/* skyline.h -- the pass that every plan begins with: blocks placed from the bottom up.
 *
 * Sections are the maximal sets of buffers that live at once, numbered in time. A block covers the
 * ranges of sections of its spans; blocks that share no section never conflict. So the lowest free
 * place of a block is the highest top of what lies in its sections: a skyline, and no list of
 * conflicts is needed.
 *
 * Depends on libc alone: the runtime compiles skyline.c as it is.
 */
#ifndef FERRITE_PLAN_SKYLINE_H
#define FERRITE_PLAN_SKYLINE_H

#include <stddef.h>
#include <stdint.h>

/* Sections [low, high) in which a block takes the room from `bottom` up to `top`, counted from
 * its offset. */
typedef struct plan_span {
    uint32_t low, high;
    int64_t bottom, top;
} plan_span;

/* A piece of the arena that is taken in sections [low, high), whatever the order. Also a
 * plan_span, with bottom and top counted from the arena's start. */
typedef plan_span plan_obstacle;

/* A block that waits for the skyline to reach `key`; part of the scratch. */
typedef struct plan_entry {
    int64_t key;
    uint32_t rank;
} plan_entry;

/* What a skyline pass reads. The caller owns all arrays. */
typedef struct plan_skyline {
    uint32_t block_count, section_count, obstacle_count;
    const uint32_t *first; /* [block_count + 1]: a block's spans are first[b] .. first[b + 1] - 1 */
    const plan_span *spans;   /* those of one block cover different sections */
    const int64_t *alignment; /* [block_count] powers of two; NULL = every offset will do */
    const plan_obstacle *obstacles;
} plan_skyline;

/* Bytes of scratch that a pass over so many blocks and sections needs, aligned to 8. */
size_t plan_skyline_scratch(uint32_t blocks, uint32_t sections);

/* Places blocks from the bottom up: always the one whose lowest free place is lowest, ties by
 * position in `order` (a permutation of the blocks). Writes one offset a block. Returns the
 * height of the blocks, or INT64_MAX as soon as it would reach `stop` (the offsets are then
 * incomplete). */
int64_t plan_skyline_pass(const plan_skyline *in, const uint32_t *order, int64_t stop,
                          void *scratch, int64_t *offsets);

/* ---- what skyline.c and replan.c both need ---- */

static inline int64_t plan_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* `alignment` is a power of two. */
static inline int64_t plan_round_up(int64_t bytes, int64_t alignment)
{
    return (bytes + alignment - 1) & ~(alignment - 1);
}

/* Hands out scratch in steps of 8 bytes. From address 0 on, it tells how much is handed out. */
static inline void *plan_carve(uintptr_t *at, size_t bytes)
{
    void *start = (void *)*at;
    *at += (bytes + 7) & ~(size_t)7;
    return start;
}

#endif
