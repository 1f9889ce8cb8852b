/* rt_rank.h - kernels for the order of rows, compiled once for each instruction set (rt_rank.c): keys of a
 * row, what is at a place among them, and RT_ASIDE rows side by side, which networks of comparisons sort.
 *
 * Rows side by side are a tile: tile[k * RT_ASIDE + lane] is an item of row `lane`, key above, place below,
 * its highest bit turned round so that items compare as they are.
 */
#ifndef RT_RANK_H
#define RT_RANK_H

#include "rt_key.h"

enum {
    RT_ASIDE = 16,         /* rows */
    RT_ASIDE_ITEMS = 128,  /* of each, at most */
    RT_BISECT_LEAST = 192, /* keys of a row that is looked through again and again, */
    RT_BISECT_MOST = 1 << 10
};

/* Rows of one dtype and stride. */
typedef struct rt_aside {
    const void *rows[RT_ASIDE];
    int count;    /* of them */
    int adjacent; /* they are RT_ASIDE, one element behind the other */
    int64_t stride;
    uint32_t dtype; /* with keys of no more than 32 bits */
    uint32_t flip;
} rt_aside;

typedef struct rt_rank_kernels {
    int64_t longest; /* rows up to this are sorted quicker side by side than each alone */
    int compares_64; /* has vectors with a comparison of 64 bits */

    /* rt_short_keys_of; rt_keys_of where keys have 64 bits */
    void (*short_keys)(const rt_row *row, int64_t from, int64_t count, uint32_t flip,
                       uint32_t *keys);
    void (*long_keys)(const rt_row *row, int64_t from, int64_t count, uint64_t flip,
                      uint64_t *keys);

    /* What is at a place of the sorted keys, of which there are some, and how many are less. */
    uint32_t (*short_place)(const uint32_t *keys, int64_t count, int64_t place, int64_t *before);
    uint64_t (*long_place)(const uint64_t *keys, int64_t count, int64_t place, int64_t *before);
    /* How many keys are less. */
    int64_t (*short_before)(const uint32_t *keys, int64_t count, uint32_t key);
    int64_t (*long_before)(const uint64_t *keys, int64_t count, uint64_t key);

    /* Elements [from, from + count) of the rows; what is in lanes without a row does not matter. */
    void (*fill)(const rt_aside *aside, int64_t from, int64_t count, int64_t *tile);
    void (*sort)(int64_t *tile, int64_t count);
    /* What is first in `best` and `more`, both sorted, of `count` items, a power of two: sorted, in best. */
    void (*first)(int64_t *best, const int64_t *more, int64_t count);
    /* Of sorted rows: the place of the last of the most frequent keys, of the least such key. `nan`: equals
     * nothing; -1 (no item's): there is none. */
    void (*mode)(const int64_t *tile, int64_t count, int64_t nan, int64_t *places);
} rt_rank_kernels;

const rt_rank_kernels *rt_rank_kernels_of(int type);

static inline int64_t rt_tile_place(int64_t item)
{
    return (int64_t)(uint32_t)item;
}

/* With its highest bit turned round. */
static inline uint32_t rt_tile_key(int64_t item)
{
    return (uint32_t)((uint64_t)item >> 32);
}

#endif
