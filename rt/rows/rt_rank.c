/* rt_rank.c - kernels for the order of rows: see rt_rank.h. Loops without branches, which compilers turn into
 * vectors of whatever width there is.
 */
#include "rt_isa.h"

#include "rt_rank.h"

/* ---- keys ---- */

#define KEYS(key_dtype, type, expression)                   \
    case key_dtype: {                                       \
        const type *p = (const type *)row->data + from * s; \
        if (s == 1)                                         \
            for (int64_t k = 0; k < count; k++) {           \
                type x = p[k];                              \
                keys[k] = (key_type)((expression) ^ flip);  \
            }                                               \
        else                                                \
            for (int64_t k = 0; k < count; k++) {           \
                type x = p[k * s];                          \
                keys[k] = (key_type)((expression) ^ flip);  \
            }                                               \
        break;                                              \
    }

static void short_keys(const rt_row *row, int64_t from, int64_t count, uint32_t flip,
                       uint32_t *restrict keys)
{
    typedef uint32_t key_type;
    int64_t s = row->stride;
    switch (row->dtype) {
        RT_SHORT_KEYS(KEYS)
    default: break;
    }
}

static void long_keys(const rt_row *row, int64_t from, int64_t count, uint64_t flip,
                      uint64_t *restrict keys)
{
    typedef uint64_t key_type;
    int64_t s = row->stride;
    switch (row->dtype) {
        RT_LONG_KEYS(KEYS)
    default: break;
    }
}

/* ---- what is at a place ---- */

/* Halving what lies between the least and the greatest key: each step is one look through all of them. */
#define BISECT(name, key)                                                                   \
    static int64_t name##_before(const key *keys, int64_t count, key than)                  \
    {                                                                                       \
        key before = 0;                                                                     \
        for (int64_t k = 0; k < count; k++) before += keys[k] < than;                       \
        return (int64_t)before;                                                             \
    }                                                                                       \
    RT_INLINE key name##_greatest(const key *keys, int64_t count, key up_to)                \
    {                                                                                       \
        key greatest = 0;                                                                   \
        for (int64_t k = 0; k < count; k++) {                                               \
            key x = keys[k] <= up_to ? keys[k] : 0;                                         \
            greatest = x > greatest ? x : greatest;                                         \
        }                                                                                   \
        return greatest;                                                                    \
    }                                                                                       \
    static key name##_place(const key *keys, int64_t count, int64_t place, int64_t *before) \
    {                                                                                       \
        key low = keys[0], high = keys[0];                                                  \
        for (int64_t k = 0; k < count; k++) {                                               \
            low = keys[k] < low ? keys[k] : low;                                            \
            high = keys[k] > high ? keys[k] : high;                                         \
        }                                                                                   \
        while (low < high) {                                                                \
            key middle = low + (high - low) / 2;                                            \
            int64_t up_to = name##_before(keys, count, middle + 1);                         \
            if (up_to <= place)                                                             \
                low = middle + 1;                                                           \
            else                                                                            \
                high = middle;                                                              \
            if (up_to == place + 1) break; /* it is the last of those */                    \
        }                                                                                   \
        key there = name##_greatest(keys, count, high);                                     \
        *before = name##_before(keys, count, there);                                        \
        return there;                                                                       \
    }
BISECT(short, uint32_t)
BISECT(long, uint64_t)

/* ---- rows side by side ---- */

RT_INLINE int64_t item_of(uint32_t key, int64_t place)
{
    return (int64_t)((uint64_t)(key ^ 0x80000000) << 32 | (uint64_t)place);
}

#define FILL(key_dtype, type, expression)                                           \
    case key_dtype:                                                                 \
        if (aside->adjacent) {                                                      \
            for (int64_t k = 0; k < count; k++) {                                   \
                const type *p = (const type *)aside->rows[0] + (from + k) * stride; \
                for (int64_t l = 0; l < RT_ASIDE; l++) {                            \
                    type x = p[l];                                                  \
                    tile[k * RT_ASIDE + l] =                                        \
                        item_of((uint32_t)((expression) ^ aside->flip), from + k);  \
                }                                                                   \
            }                                                                       \
            break;                                                                  \
        }                                                                           \
        for (int64_t l = 0; l < aside->count; l++) {                                \
            const type *p = (const type *)aside->rows[l] + from * stride;           \
            for (int64_t k = 0; k < count; k++) {                                   \
                type x = p[k * stride];                                             \
                tile[k * RT_ASIDE + l] =                                            \
                    item_of((uint32_t)((expression) ^ aside->flip), from + k);      \
            }                                                                       \
        }                                                                           \
        break;

static void fill(const rt_aside *aside, int64_t from, int64_t count, int64_t *restrict tile)
{
    int64_t stride = aside->stride;
    switch (aside->dtype) {
        RT_SHORT_KEYS(FILL)
    default: break;
    }
}

/* The lesser of each two numbers goes to low; `rows` of a tile. */
RT_OUTLINE void exchange(int64_t *restrict low, int64_t *restrict high, int64_t rows)
{
    for (int64_t k = 0; k < rows * RT_ASIDE; k++) {
        int64_t a = low[k], b = high[k];
        low[k] = a < b ? a : b;
        high[k] = a < b ? b : a;
    }
}

/* Batcher's merging of odd and even places, for any count (Knuth, The Art of Computer Programming, 5.2.2 M):
 * exchanges go by runs of p. */
static void sort(int64_t *tile, int64_t count)
{
    int64_t top = 1;
    while (2 * top < count) top *= 2;
    for (int64_t p = top; p > 0; p /= 2) {
        int64_t q = top, r = 0, d = p;
        for (;;) {
            for (int64_t i = r; i + d < count; i += 2 * p)
                exchange(tile + i * RT_ASIDE, tile + (i + d) * RT_ASIDE,
                         p < count - d - i ? p : count - d - i);
            if (q == p) break;
            d = q - p;
            q /= 2;
            r = p;
        }
    }
}

RT_OUTLINE void keep_lesser(int64_t *restrict best, const int64_t *restrict other)
{
    for (int l = 0; l < RT_ASIDE; l++) best[l] = best[l] < other[l] ? best[l] : other[l];
}

static void first(int64_t *best, const int64_t *more, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        keep_lesser(best + k * RT_ASIDE, more + (count - 1 - k) * RT_ASIDE);
    for (int64_t d = count / 2; d > 0; d /= 2)
        for (int64_t i = 0; i < count; i += 2 * d)
            exchange(best + i * RT_ASIDE, best + (i + d) * RT_ASIDE, d);
}

static void mode(const int64_t *tile, int64_t count, int64_t nan, int64_t *restrict places)
{
    int64_t before[RT_ASIDE], run[RT_ASIDE], most[RT_ASIDE];
    for (int l = 0; l < RT_ASIDE; l++) {
        before[l] = -1;
        run[l] = most[l] = places[l] = 0;
    }
    for (int64_t k = 0; k < count; k++)
        for (int l = 0; l < RT_ASIDE; l++) {
            int64_t item = tile[k * RT_ASIDE + l], key = (int64_t)((uint64_t)item >> 32);
            int goes_on = (key == before[l]) & (key != nan);
            run[l] = goes_on ? run[l] + 1 : 1;
            int is_more = run[l] > most[l];
            most[l] = is_more ? run[l] : most[l];
            places[l] = is_more ? item & UINT32_MAX : places[l];
            before[l] = key;
        }
}

/* Where vectors have no comparison of 64 bits a network does more than a merge of a few items. */
#if defined(RT_ISA_V4) || defined(RT_ISA_V3)
enum { LONGEST = RT_ASIDE_ITEMS, COMPARES_64 = 1 };
#else
enum { LONGEST = 16, COMPARES_64 = 0 };
#endif

const rt_rank_kernels RT_FN(rt_rank) = {LONGEST,     COMPARES_64, short_keys,   long_keys,
                                        short_place, long_place,  short_before, long_before,
                                        fill,        sort,        first,        mode};
