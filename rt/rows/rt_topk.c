/* rt_topk.c - the k first elements of each row in sorted order.
 *
 * Items that come before the k-th best so far are gathered in a buffer; when it is full it is
 * sorted and cut to k. Places grow along the row, so an element that equals the k-th best comes
 * behind it: a comparison of keys is enough. A long row is cut into a piece for each thread.
 */
#include "rt_short.h"
#include "rt_team.h"

#include <string.h>

typedef struct topk {
    rt_rows rows;
    int64_t k;
    int64_t most; /* items that a buffer is cut at */
    int64_t room; /* items that it holds; all of a row: no cutting */
    int is_alone; /* one row, in one piece: what threads share is its buffer */
    uint64_t flip;
    rt_team team;
    rt_scratch scratch;
    /* of the long row at hand */
    int64_t row, pieces;
    rt_items *piece;
} topk;

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static size_t buffer_bytes(const topk *t)
{
    return (rt_item_bytes(t->rows.x->dtype, t->rows.n, t->room) + 63) / 64 * 64;
}

static rt_items buffer_in(const topk *t, void *memory)
{
    return rt_items_in(t->rows.x->dtype, t->rows.n, t->room, memory);
}

static void cut(const topk *t, rt_items *items)
{
    rt_items_sort(items);
    items->count = least_of(items->count, t->k);
}

static void take_short(const topk *t, const rt_row *x, int64_t at, int64_t count, uint64_t limit,
                       rt_items *items)
{
    uint32_t keys[RT_KEY_BLOCK], least = UINT32_MAX;
    rt_short_keys_of(x, at, count, (uint32_t)t->flip, keys);
    for (int64_t k = 0; k < count; k++) least = keys[k] < least ? keys[k] : least;
    if (least >= limit) return;
    for (int64_t k = 0; k < count; k++)
        if (keys[k] < limit) rt_item_put(items, items->count++, keys[k], at + k);
}

static void take_long(const topk *t, const rt_row *x, int64_t at, int64_t count, uint64_t limit,
                      rt_items *items)
{
    uint64_t keys[RT_KEY_BLOCK];
    rt_keys_of(x, at, count, t->flip, keys);
    for (int64_t k = 0; k < count; k++)
        if (keys[k] < limit) rt_item_put(items, items->count++, keys[k], at + k);
}

/* The k first of elements [from, to), sorted. */
static void take(const topk *t, const rt_row *x, int64_t from, int64_t to, rt_items *items)
{
    int64_t at = least_of(to, from + t->k); /* these come in without a question */
    for (int64_t k = from; k < at; k += RT_KEY_BLOCK) {
        uint64_t keys[RT_KEY_BLOCK];
        int64_t count = least_of(at - k, RT_KEY_BLOCK);
        rt_keys_of(x, k, count, t->flip, keys);
        for (int64_t j = 0; j < count; j++) rt_item_put(items, k - from + j, keys[j], k + j);
    }
    items->count = at - from;
    cut(t, items);
    /* at first no more than were seen: of as many, about k are better, and then fewer and fewer */
    for (int64_t count; at < to && t->k > 0; at += count) {
        int64_t seen = at - from;
        count = least_of(to - at, least_of(seen, RT_KEY_BLOCK));
        /* the k-th best at the last cut */
        uint64_t limit = rt_item_key(items, t->k - 1);
        if (items->words == 1)
            take_short(t, x, at, count, limit, items);
        else
            take_long(t, x, at, count, limit, items);
        if (items->count >= t->most || seen < RT_KEY_BLOCK) cut(t, items);
    }
    cut(t, items);
}

static void take_whole(const topk *t, const rt_row *x, rt_items *items)
{
    rt_items_fill(items, x, 0, x->count, t->flip);
    cut(t, items);
}

static void take_rows(void *context, int64_t begin, int64_t end, int worker)
{
    topk *t = context;
    for (int64_t row = begin; row < end; row++) {
        rt_row x = rt_rows_row(&t->rows, row);
        rt_items items = buffer_in(t, t->is_alone ? rt_scratch_shared(&t->scratch)
                                                  : rt_scratch_worker(&t->scratch, worker));
        if (t->room == x.count)
            take_whole(t, &x, &items);
        else
            take(t, &x, 0, x.count, &items);
        rt_rows_put_items(&t->rows, row, 0, t->k, &items);
    }
}

static void take_short_rows(void *context, int64_t begin, int64_t end, int worker)
{
    const topk *t = context;
    (void)worker;
    rt_short_topk(&t->rows, begin, end, t->flip, t->k);
}

/* ---- long rows ---- */

static void take_pieces(void *context, int64_t begin, int64_t end, int worker)
{
    topk *t = context;
    rt_row x = rt_rows_row(&t->rows, t->row);
    (void)worker;
    for (int64_t p = begin; p < end; p++) {
        t->piece[p] = buffer_in(t, rt_scratch_worker(&t->scratch, (int)p));
        take(t, &x, x.count * p / t->pieces, x.count * (p + 1) / t->pieces, &t->piece[p]);
    }
}

/* What the pieces have found, in the first one's buffer: there is room for two. */
static rt_items *join_pieces(const topk *t)
{
    rt_items *all = &t->piece[0];
    for (int64_t p = 1; p < t->pieces; p++) {
        for (int64_t k = 0; k < t->piece[p].count; k++)
            rt_item_put(all, all->count++, rt_item_key(&t->piece[p], k),
                        rt_item_place(&t->piece[p], k));
        cut(t, all);
    }
    return all;
}

enum { MOST_PIECES = 64 };

static int take_long_rows(rt_frame *frame, topk *t)
{
    rt_items piece[MOST_PIECES];
    t->piece = piece;
    t->pieces = least_of(rt_pool_threads(frame->pool), MOST_PIECES);
    if (rt_scratch_take(&t->team, 0, buffer_bytes(t), &t->scratch))
        return rt_no_room(frame, &t->team);
    for (t->row = 0; t->row < t->rows.rows; t->row++) {
        rt_parallel(frame->pool, take_pieces, t, t->pieces, 1);
        rt_rows_put_items(&t->rows, t->row, 0, t->k, join_pieces(t));
    }
    rt_scratch_drop(&t->team, &t->scratch);
    return 0;
}

int rt_op_topk(rt_frame *frame, const rt_call *call)
{
    topk t = {.team = rt_team_of(frame, call),
              .rows = rt_rows_of(call, (uint32_t)call->ints[RT_TOPK_DIM]),
              .k = call->ints[RT_TOPK_K]};
    if (t.k < 0 || t.k > t.rows.n)
        return rt_fail(frame, FE_RUN_ASSERTION, "the first %lld of %lld elements", (long long)t.k,
                       (long long)t.rows.n);
    if (t.rows.rows == 0 || t.k == 0) return 0;
    if (call->ints[RT_TOPK_DESCENDING]) t.flip = rt_key_ones(t.rows.x->dtype);
    if (rt_rows_are_short_for(&t.rows, t.k)) {
        rt_parallel(frame->pool, take_short_rows, &t, t.rows.rows, rt_rows_grain(&t.rows));
        return 0;
    }
    t.most = 2 * t.k + RT_TOPK_MORE;
    t.room = least_of(t.most + RT_KEY_BLOCK, t.rows.n);
    int has_pieces = t.rows.n >= RT_LONG_ROW && t.room < t.rows.n / 4;
    if (rt_rows_are_long(&t.rows, frame->pool) && has_pieces) return take_long_rows(frame, &t);
    t.is_alone = t.rows.rows == 1 && !has_pieces;
    size_t bytes = buffer_bytes(&t);
    if (rt_scratch_take(&t.team, t.is_alone ? bytes : 0, t.is_alone ? 0 : bytes, &t.scratch))
        return rt_no_room(frame, &t.team);
    rt_parallel(frame->pool, take_rows, &t, t.rows.rows, rt_rows_grain(&t.rows));
    rt_scratch_drop(&t.team, &t.scratch);
    return 0;
}
