/* rt_sort.h - sorting rows of any dtype that has an order.
 *
 * An element becomes a key, an unsigned integer in the same order: NaN is the greatest, zeros of
 * both signs are one, and `flip` turns the order round. An item is a key with the element's place
 * in its row. No two items are equal, so any way to sort them is stable. Items have one word (key
 * above, place below) when both fit 32 bits, else two (key, place).
 */
#ifndef RT_SORT_H
#define RT_SORT_H

#include "rt_key.h"
#include "rt_need.h"
#include "rt_pool.h"
#include "rt_program.h"

struct rt_items;

/* ---- keys (rt_key.c) ---- */

/* Bits of a key: 8, 16, 32, 64; 0 when the dtype has no order. */
int rt_key_bits(uint32_t dtype);
/* Keys of elements [from, from + count); not more than RT_KEY_BLOCK. `flip`: all ones of
 * rt_key_bits to turn the order round, else 0. */
void rt_keys_of(const rt_row *row, int64_t from, int64_t count, uint64_t flip, uint64_t *keys);
/* The same for keys of 32 bits and less. */
void rt_short_keys_of(const rt_row *row, int64_t from, int64_t count, uint32_t flip,
                      uint32_t *keys);
/* All ones of a key: what turns the order round; the key of NaN in a float dtype. */
uint64_t rt_key_ones(uint32_t dtype);
int rt_has_nan(uint32_t dtype);

/* ---- rows of a tensor (rt_rows.c) ---- */

/* An operator that takes the rows of its input along a dimension to places and values. */
typedef struct rt_rows {
    const fe_tensor *x, *values, *places; /* the last two may be absent: no data */
    uint32_t dim;
    int64_t rows, n; /* n: elements of a row */
} rt_rows;

rt_rows rt_rows_of(const rt_call *call, uint32_t dim);
rt_row rt_rows_row(const rt_rows *rows, int64_t row);
/* Element k of a row of the results: the element of x at this place. */
void rt_rows_put(const rt_rows *rows, int64_t row, int64_t k, int64_t place);
/* Elements [from, to) of a row of the results are those of the items. */
void rt_rows_put_items(const rt_rows *rows, int64_t row, int64_t from, int64_t to,
                       const struct rt_items *items);
/* Is it better to cut rows in pieces than to give each thread some? */
int rt_rows_are_long(const rt_rows *rows, rt_pool *pool);
int64_t rt_rows_grain(const rt_rows *rows);

/* ---- items (rt_items.c) ---- */

/* Items and as much room again: sorting goes to and fro, which swaps the two. */
typedef struct rt_items {
    uint64_t *at, *spare;
    int64_t count;
    int words; /* of an item: 1 or 2 */
    int bits;  /* of a key */
} rt_items;

/* Bytes of `at` and `spare` together, for `room` items of a row of `count` elements. */
size_t rt_item_bytes(uint32_t dtype, int64_t count, int64_t room);
/* `count` is set to room. */
rt_items rt_items_in(uint32_t dtype, int64_t count, int64_t room, void *memory);
/* Makes items [from, to) of the row. */
void rt_items_fill(rt_items *items, const rt_row *row, int64_t from, int64_t to, uint64_t flip);
/* Sorts on the calling thread; the result is in `at`. */
void rt_items_sort(rt_items *items);
/* Makes the items of a whole row and sorts them on the pool; behind the first
 * `at` bytes of each thread's area in scratch are RT_SORT_COUNTS. */
void rt_items_sort_row(rt_pool *pool, rt_items *items, const rt_row *row, uint64_t flip,
                       const rt_scratch *scratch, size_t at);

static inline uint64_t rt_item_key(const rt_items *items, int64_t k)
{
    return items->words == 1 ? items->at[k] >> 32 : items->at[2 * k];
}
static inline int64_t rt_item_place(const rt_items *items, int64_t k)
{
    return items->words == 1 ? (int64_t)(uint32_t)items->at[k] : (int64_t)items->at[2 * k + 1];
}

static inline void rt_item_put(rt_items *items, int64_t k, uint64_t key, int64_t place)
{
    if (items->words == 1) {
        items->at[k] = key << 32 | (uint64_t)place;
    } else {
        items->at[2 * k] = key;
        items->at[2 * k + 1] = (uint64_t)place;
    }
}

#endif
