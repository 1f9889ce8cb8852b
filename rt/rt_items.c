/* rt_items.c - sorting items: few by insertion, some by merging, many digit by digit (radix 256,
 * from the lowest; digits that are the same everywhere are skipped). Long rows are cut into one
 * chunk a thread: each counts its digits, and moves its items to where the chunks before it end.
 */
#include "rt_compiler.h"
#include "rt_sort.h"

#include <string.h>

enum { RADIX = 256, FEW = 16, SOME = 160, MOST_DIGITS = 8 };
_Static_assert(MOST_DIGITS *RADIX * 8 == RT_SORT_COUNTS, "as it is planned for");

/* ---- items ---- */

static int words_of(uint32_t dtype, int64_t count)
{
    return rt_key_bits(dtype) <= 32 && count <= UINT32_MAX ? 1 : 2;
}

size_t rt_item_bytes(uint32_t dtype, int64_t count, int64_t room)
{
    return 2 * sizeof(uint64_t) * (size_t)words_of(dtype, count) * (size_t)room;
}

rt_items rt_items_in(uint32_t dtype, int64_t count, int64_t room, void *memory)
{
    rt_items items = {.at = memory, .count = room, .bits = rt_key_bits(dtype)};
    items.words = words_of(dtype, count);
    items.spare = items.at + items.words * room;
    return items;
}

void rt_items_fill(rt_items *items, const rt_row *row, int64_t from, int64_t to, uint64_t flip)
{
    uint64_t keys[RT_KEY_BLOCK];
    uint32_t short_keys[RT_KEY_BLOCK];
    for (int64_t at = from; at < to; at += RT_KEY_BLOCK) {
        int64_t count = to - at < RT_KEY_BLOCK ? to - at : RT_KEY_BLOCK;
        if (items->words == 1) {
            rt_short_keys_of(row, at, count, (uint32_t)flip, short_keys);
            for (int64_t k = 0; k < count; k++)
                items->at[at + k] = (uint64_t)short_keys[k] << 32 | (uint64_t)(at + k);
            continue;
        }
        rt_keys_of(row, at, count, flip, keys);
        for (int64_t k = 0; k < count; k++) {
            items->at[2 * (at + k)] = keys[k];
            items->at[2 * (at + k) + 1] = (uint64_t)(at + k);
        }
    }
}

RT_INLINE int comes_before(const uint64_t *a, const uint64_t *b, const int words)
{
    if (words == 1) return *a < *b;
    return a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]);
}

RT_INLINE void move(uint64_t *to, const uint64_t *from, const int words)
{
    to[0] = from[0];
    if (words == 2) to[1] = from[1];
}

/* ---- few and some ---- */

RT_INLINE void insert(uint64_t *at, int64_t count, const int words)
{
    for (int64_t i = 1; i < count; i++) {
        uint64_t x[2];
        int64_t j = i;
        move(x, at + i * words, words);
        for (; j > 0 && comes_before(x, at + (j - 1) * words, words); j--)
            move(at + j * words, at + (j - 1) * words, words);
        move(at + j * words, x, words);
    }
}

RT_INLINE void merge(const uint64_t *a, int64_t a_count, const uint64_t *b, int64_t b_count,
                     uint64_t *to, const int words)
{
    const uint64_t *a_end = a + a_count * words, *b_end = b + b_count * words;
    while (a < a_end && b < b_end) {
        int second = comes_before(b, a, words);
        move(to, second ? b : a, words);
        to += words;
        b += second ? words : 0;
        a += second ? 0 : words;
    }
    memcpy(to, a, (size_t)((char *)a_end - (char *)a));
    memcpy(to + (a_end - a), b, (size_t)((char *)b_end - (char *)b));
}

/* Runs of a few, then twice as long each time. */
RT_INLINE void merge_runs(rt_items *items, const int words)
{
    int64_t n = items->count;
    for (int64_t i = 0; i < n; i += FEW)
        insert(items->at + i * words, n - i < FEW ? n - i : FEW, words);
    for (int64_t run = FEW; run < n; run *= 2) {
        for (int64_t i = 0; i < n; i += 2 * run) {
            int64_t a = n - i < run ? n - i : run, b = n - i - a < run ? n - i - a : run;
            merge(items->at + i * words, a, items->at + (i + a) * words, b,
                  items->spare + i * words, words);
        }
        uint64_t *swap = items->at;
        items->at = items->spare;
        items->spare = swap;
    }
}

/* ---- many ---- */

RT_INLINE uint32_t digit_of(const uint64_t *item, int digit, const int words)
{
    return (uint8_t)(words == 1 ? *item >> (32 + 8 * digit) : *item >> 8 * digit);
}

RT_INLINE void count_digit(const uint64_t *at, int64_t count, int digit, int64_t *counts,
                           const int words)
{
    for (int64_t k = 0; k < count; k++) counts[digit_of(at + k * words, digit, words)]++;
}

/* starts[d]: where the next item with this digit goes. */
RT_INLINE void scatter(const uint64_t *at, int64_t count, int digit, int64_t *starts, uint64_t *to,
                       const int words)
{
    for (int64_t k = 0; k < count; k++) {
        const uint64_t *item = at + k * words;
        move(to + starts[digit_of(item, digit, words)]++ * words, item, words);
    }
}

/* Counts become places. */
static void add_up(int64_t *counts)
{
    int64_t sum = 0;
    for (int d = 0; d < RADIX; d++) {
        int64_t here = counts[d];
        counts[d] = sum;
        sum += here;
    }
}

RT_INLINE void sort_by_digits(rt_items *items, const int words)
{
    int64_t counts[MOST_DIGITS][RADIX];
    int digits = items->bits / 8;
    memset(counts, 0, (size_t)digits * sizeof counts[0]);
    for (int64_t k = 0; k < items->count; k++)
        for (int d = 0; d < digits; d++) counts[d][digit_of(items->at + k * words, d, words)]++;
    for (int d = 0; d < digits; d++) {
        if (counts[d][digit_of(items->at, d, words)] == items->count) continue;
        add_up(counts[d]);
        scatter(items->at, items->count, d, counts[d], items->spare, words);
        uint64_t *swap = items->at;
        items->at = items->spare;
        items->spare = swap;
    }
}

RT_INLINE void sort_items(rt_items *items, const int words)
{
    if (items->count <= FEW)
        insert(items->at, items->count, words);
    else if (items->count <= SOME)
        merge_runs(items, words);
    else
        sort_by_digits(items, words);
}

void rt_items_sort(rt_items *items)
{
    if (items->words == 1)
        sort_items(items, 1);
    else
        sort_items(items, 2);
}

/* ---- a long row on the pool ---- */

typedef struct long_row {
    rt_items *items;
    const rt_row *row;
    uint64_t flip;
    int64_t chunks;
    const rt_scratch *scratch; /* counts of each chunk: [MOST_DIGITS][RADIX] */
    size_t counts_at;          /* in the area of each thread */
    int digit;
} long_row;

static int64_t *counts_of(const long_row *r, int64_t chunk, int digit)
{
    char *area = rt_scratch_worker(r->scratch, (int)chunk);
    return (int64_t *)(void *)(area + r->counts_at) + (int64_t)digit * RADIX;
}

static int64_t chunk_start(const long_row *r, int64_t chunk)
{
    return r->items->count * chunk / r->chunks;
}

static void fill_chunks(void *context, int64_t begin, int64_t end, int worker)
{
    long_row *r = context;
    (void)worker;
    for (int64_t c = begin; c < end; c++) {
        int64_t from = chunk_start(r, c), to = chunk_start(r, c + 1);
        int64_t *counts = counts_of(r, c, 0);
        int digits = r->items->bits / 8;
        memset(counts, 0, RT_SORT_COUNTS);
        for (int64_t at = from, next; at < to; at = next) {
            next = to - at < RT_KEY_BLOCK ? to : at + RT_KEY_BLOCK;
            rt_items_fill(r->items, r->row, at, next, r->flip);
            for (int64_t k = at; k < next; k++) {
                uint64_t key = rt_item_key(r->items, k);
                for (int d = 0; d < digits; d++) counts[d * RADIX + (uint8_t)(key >> 8 * d)]++;
            }
        }
    }
}

static void count_chunks(void *context, int64_t begin, int64_t end, int worker)
{
    long_row *r = context;
    (void)worker;
    for (int64_t c = begin; c < end; c++) {
        int64_t from = chunk_start(r, c), count = chunk_start(r, c + 1) - from;
        int64_t *counts = counts_of(r, c, r->digit);
        memset(counts, 0, RADIX * sizeof *counts);
        if (r->items->words == 1)
            count_digit(r->items->at + from, count, r->digit, counts, 1);
        else
            count_digit(r->items->at + 2 * from, count, r->digit, counts, 2);
    }
}

static void scatter_chunks(void *context, int64_t begin, int64_t end, int worker)
{
    long_row *r = context;
    (void)worker;
    for (int64_t c = begin; c < end; c++) {
        int64_t from = chunk_start(r, c), count = chunk_start(r, c + 1) - from;
        int64_t *starts = counts_of(r, c, r->digit);
        if (r->items->words == 1)
            scatter(r->items->at + from, count, r->digit, starts, r->items->spare, 1);
        else
            scatter(r->items->at + 2 * from, count, r->digit, starts, r->items->spare, 2);
    }
}

/* Counts of all chunks become places: by digit, then by chunk. False when all items have one
 * digit. */
static int place_chunks(long_row *r)
{
    int64_t sum = 0;
    for (int d = 0; d < RADIX; d++) {
        int64_t before = sum;
        for (int64_t c = 0; c < r->chunks; c++) {
            int64_t *counts = counts_of(r, c, r->digit), here = counts[d];
            counts[d] = sum;
            sum += here;
        }
        if (sum - before == r->items->count) return 0;
    }
    return 1;
}

void rt_items_sort_row(rt_pool *pool, rt_items *items, const rt_row *row, uint64_t flip,
                       const rt_scratch *scratch, size_t at)
{
    long_row r = {items, row, flip, rt_pool_threads(pool), scratch, at, 0};
    int moved = 0;
    rt_parallel(pool, fill_chunks, &r, r.chunks, 1);
    for (; r.digit < items->bits / 8; r.digit++) {
        if (moved) rt_parallel(pool, count_chunks, &r, r.chunks, 1);
        if (!place_chunks(&r)) continue;
        rt_parallel(pool, scatter_chunks, &r, r.chunks, 1);
        uint64_t *swap = items->at;
        items->at = items->spare;
        items->spare = swap;
        moved = 1;
    }
}
