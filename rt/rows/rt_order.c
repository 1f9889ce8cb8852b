/* rt_order.c - operators on the order of rows: sort, mode, and the element at a place (kth value,
 * median). topk is in rt_topk.c.
 */
#include "rt_short.h"
#include "rt_team.h"

#include <string.h>

enum { SELECT_BITS = RT_SELECT_BITS };

typedef struct ordering {
    rt_rows rows;
    uint64_t flip;
    rt_team team;
    rt_scratch scratch;
    rt_items items; /* of the long row at hand */
    int64_t row;
    int64_t what, place; /* of select */
} ordering;

/* A single row has what threads share, others the area of theirs. */
static char *memory_of(const ordering *o, int worker)
{
    return o->rows.rows == 1 ? rt_scratch_shared(&o->scratch)
                             : rt_scratch_worker(&o->scratch, worker);
}

static rt_items worker_items(const ordering *o, int worker)
{
    return rt_items_in(o->rows.x->dtype, o->rows.n, o->rows.n, memory_of(o, worker));
}

/* Runs the task over all rows with items for each worker, and `more` bytes behind them. */
static int over_rows(rt_frame *frame, ordering *o, rt_task task, size_t more)
{
    size_t bytes = rt_item_bytes(o->rows.x->dtype, o->rows.n, o->rows.n) + more;
    int is_alone = o->rows.rows == 1;
    if (o->rows.rows == 0 || o->rows.n == 0) return 0;
    if (rt_scratch_take(&o->team, is_alone ? bytes : 0, is_alone ? 0 : bytes, &o->scratch))
        return rt_no_room(frame, &o->team);
    rt_parallel(frame->pool, task, o, o->rows.rows, rt_rows_grain(&o->rows));
    rt_scratch_drop(&o->team, &o->scratch);
    return 0;
}

static int over_short_rows(rt_frame *frame, ordering *o, rt_task task)
{
    rt_parallel(frame->pool, task, o, o->rows.rows, rt_rows_grain(&o->rows));
    return 0;
}

/* ---- sort ---- */

static void sort_short_rows(void *context, int64_t begin, int64_t end, int worker)
{
    ordering *o = context;
    (void)worker;
    rt_short_sort(&o->rows, begin, end, o->flip);
}

static void sort_rows(void *context, int64_t begin, int64_t end, int worker)
{
    ordering *o = context;
    rt_items items = worker_items(o, worker);
    for (int64_t row = begin; row < end; row++) {
        rt_row x = rt_rows_row(&o->rows, row);
        rt_items_fill(&items, &x, 0, x.count, o->flip);
        rt_items_sort(&items);
        rt_rows_put_items(&o->rows, row, 0, x.count, &items);
    }
}

static void put_part(void *context, int64_t begin, int64_t end, int worker)
{
    ordering *o = context;
    (void)worker;
    rt_rows_put_items(&o->rows, o->row, begin, end, &o->items);
}

static int sort_long_rows(rt_frame *frame, ordering *o)
{
    size_t bytes = rt_item_bytes(o->rows.x->dtype, o->rows.n, o->rows.n);
    int is_alone = o->rows.rows == 1;
    if (rt_scratch_take(&o->team, is_alone ? bytes : 0,
                        is_alone ? RT_SORT_COUNTS : bytes + RT_SORT_COUNTS, &o->scratch))
        return rt_no_room(frame, &o->team);
    char *memory = memory_of(o, 0);
    for (o->row = 0; o->row < o->rows.rows; o->row++) {
        rt_row x = rt_rows_row(&o->rows, o->row);
        o->items = rt_items_in(x.dtype, x.count, x.count, memory);
        rt_items_sort_row(frame->pool, &o->items, &x, o->flip, &o->scratch, is_alone ? 0 : bytes);
        rt_parallel(frame->pool, put_part, o, x.count, 1 << 12);
    }
    rt_scratch_drop(&o->team, &o->scratch);
    return 0;
}

int rt_op_sort(rt_frame *frame, const rt_call *call)
{
    ordering o = {.team = rt_team_of(frame, call),
                  .rows = rt_rows_of(call, (uint32_t)call->ints[RT_SORT_DIM])};
    if (call->ints[RT_SORT_DESCENDING]) o.flip = rt_key_ones(o.rows.x->dtype);
    if (rt_rows_are_short(&o.rows)) return over_short_rows(frame, &o, sort_short_rows);
    return rt_rows_are_long(&o.rows, frame->pool) ? sort_long_rows(frame, &o)
                                                  : over_rows(frame, &o, sort_rows, 0);
}

/* ---- mode ---- */

/* The most frequent element, the least of equally frequent ones; its last place. NaN equals
 * nothing. */
static int64_t mode_of(const rt_items *items, uint32_t dtype)
{
    uint64_t nan = rt_key_ones(dtype);
    int64_t best = 0, most = 0, run = 0;
    for (int64_t k = 0; k < items->count; k++) {
        uint64_t key = rt_item_key(items, k);
        int ends = k + 1 == items->count || rt_item_key(items, k + 1) != key;
        run++;
        if (!ends && !(key == nan && rt_has_nan(dtype))) continue;
        if (run > most) {
            most = run;
            best = rt_item_place(items, k);
        }
        run = 0;
    }
    return best;
}

static void mode_short_rows(void *context, int64_t begin, int64_t end, int worker)
{
    ordering *o = context;
    (void)worker;
    rt_short_mode(&o->rows, begin, end);
}

static void mode_rows(void *context, int64_t begin, int64_t end, int worker)
{
    ordering *o = context;
    rt_items items = worker_items(o, worker);
    for (int64_t row = begin; row < end; row++) {
        rt_row x = rt_rows_row(&o->rows, row);
        rt_items_fill(&items, &x, 0, x.count, 0);
        rt_items_sort(&items);
        rt_rows_put(&o->rows, row, 0, mode_of(&items, x.dtype));
    }
}

int rt_op_mode(rt_frame *frame, const rt_call *call)
{
    ordering o = {.team = rt_team_of(frame, call),
                  .rows = rt_rows_of(call, (uint32_t)call->ints[RT_MODE_DIM])};
    if (rt_rows_are_short(&o.rows)) return over_short_rows(frame, &o, mode_short_rows);
    return over_rows(frame, &o, mode_rows, 0);
}

/* ---- the element at a place of the sorted row ---- */

enum { THIS_PLACE, MEDIAN, NAN_MEDIAN };

/* Where in the sorted row, of whose n elements the last `nans` are NaN. */
static int64_t place_of(const void *context, int64_t nans)
{
    const ordering *o = context;
    int64_t numbers = o->rows.n - nans;
    if (o->what == THIS_PLACE) return o->place;
    if (o->what == MEDIAN) return nans ? numbers : (numbers - 1) / 2;
    return numbers ? (numbers - 1) / 2 : 0;
}

static int64_t count_nans(const rt_items *items, uint32_t dtype)
{
    int64_t nans = 0;
    if (!rt_has_nan(dtype)) return 0;
    while (nans < items->count && rt_item_key(items, items->count - 1 - nans) == rt_key_ones(dtype))
        nans++;
    return nans;
}

/* How many keys begin with each pattern of SELECT_BITS; returns how many are NaN. */
static int64_t count_leading(const rt_row *x, int shift, int64_t *counts)
{
    uint64_t keys[RT_KEY_BLOCK], nan = rt_key_ones(x->dtype);
    int64_t nans = 0;
    memset(counts, 0, sizeof *counts << SELECT_BITS);
    for (int64_t at = 0; at < x->count; at += RT_KEY_BLOCK) {
        int64_t count = x->count - at < RT_KEY_BLOCK ? x->count - at : RT_KEY_BLOCK;
        rt_keys_of(x, at, count, 0, keys);
        for (int64_t k = 0; k < count; k++) {
            counts[keys[k] >> shift]++;
            nans += keys[k] == nan;
        }
    }
    return rt_has_nan(x->dtype) ? nans : 0;
}

/* The items whose keys begin with this pattern. */
static void collect(const rt_row *x, int shift, uint64_t pattern, rt_items *items)
{
    uint64_t keys[RT_KEY_BLOCK];
    items->count = 0;
    for (int64_t at = 0; at < x->count; at += RT_KEY_BLOCK) {
        int64_t count = x->count - at < RT_KEY_BLOCK ? x->count - at : RT_KEY_BLOCK;
        rt_keys_of(x, at, count, 0, keys);
        for (int64_t k = 0; k < count; k++)
            if (keys[k] >> shift == pattern) rt_item_put(items, items->count++, keys[k], at + k);
    }
}

/* Of equals it is the one that is as many behind the first. */
#define SELECT_KEYS(name, type)                                                                    \
    static int64_t select_##name##_keys(const ordering *o, const rt_row *x, type *keys)            \
    {                                                                                              \
        const rt_rank_kernels *kernels = rt_rank_kernels_of(0);                                    \
        int64_t nans = 0, before, k = -1;                                                          \
        kernels->name##_keys(x, 0, x->count, 0, keys);                                             \
        if (o->what != THIS_PLACE && rt_has_nan(x->dtype))                                         \
            nans = x->count - kernels->name##_before(keys, x->count, (type)rt_key_ones(x->dtype)); \
        int64_t place = place_of(o, nans);                                                         \
        type key = kernels->name##_place(keys, x->count, place, &before);                          \
        for (place -= before; place >= 0;) place -= keys[++k] == key;                              \
        return k;                                                                                  \
    }
SELECT_KEYS(short, uint32_t)
SELECT_KEYS(long, uint64_t)

static int64_t select_in(const ordering *o, const rt_row *x, rt_items *items, int64_t *counts)
{
    int shift = items->bits > SELECT_BITS ? items->bits - SELECT_BITS : 0;
    if (x->count < RT_BISECT_LEAST) {
        rt_items_fill(items, x, 0, x->count, 0);
        rt_items_sort(items);
        return rt_item_place(items, place_of(o, count_nans(items, x->dtype)));
    }
    if (x->count <= RT_BISECT_MOST && items->bits <= 32)
        return select_short_keys(o, x, (uint32_t *)items->at);
    if (x->count <= RT_BISECT_MOST && rt_rank_kernels_of(0)->compares_64)
        return select_long_keys(o, x, items->at);
    int64_t place = place_of(o, count_leading(x, shift, counts)), pattern = 0;
    while (place >= counts[pattern]) place -= counts[pattern++];
    collect(x, shift, (uint64_t)pattern, items);
    rt_items_sort(items);
    return rt_item_place(items, place);
}

static void select_short_rows(void *context, int64_t begin, int64_t end, int worker)
{
    ordering *o = context;
    (void)worker;
    rt_short_select(&o->rows, begin, end, place_of, o);
}

static void select_rows(void *context, int64_t begin, int64_t end, int worker)
{
    ordering *o = context;
    size_t bytes = rt_item_bytes(o->rows.x->dtype, o->rows.n, o->rows.n);
    int64_t *counts = (int64_t *)(memory_of(o, worker) + bytes);
    for (int64_t row = begin; row < end; row++) {
        rt_row x = rt_rows_row(&o->rows, row);
        rt_items items = worker_items(o, worker);
        rt_rows_put(&o->rows, row, 0, select_in(o, &x, &items, counts));
    }
}

int rt_op_select(rt_frame *frame, const rt_call *call)
{
    ordering o = {.team = rt_team_of(frame, call),
                  .rows = rt_rows_of(call, (uint32_t)call->ints[RT_SELECT_DIM]),
                  .what = call->ints[RT_SELECT_WHAT],
                  .place = call->ints[RT_SELECT_PLACE]};
    if (o.what == THIS_PLACE && o.rows.rows > 0 && (o.place < 0 || o.place >= o.rows.n))
        return rt_fail(frame, FE_RUN_ASSERTION, "place %lld of a row of %lld elements",
                       (long long)o.place, (long long)o.rows.n);
    if (rt_rows_are_short(&o.rows)) return over_short_rows(frame, &o, select_short_rows);
    return over_rows(frame, &o, select_rows, sizeof(int64_t) << SELECT_BITS);
}
