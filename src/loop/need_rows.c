/* need_rows.c -- what operators that order elements or rows work in. */
#include "loop/need_priv.h"

#include "../rt/rt_need.h"

/* The elements of the input along its dimension, and how many rows of them there are. */
static sym_expr row_length(const needing *n, sym_expr *rows)
{
    const loop_view *x = &n->op->inputs[0];
    int64_t dim = 0;
    *rows = need_number(n, 1);
    if (!need_has(n, 1, 1) || !loop_known_int(n->p, n->op, "dim", &dim) || dim < 0 ||
        dim >= (int64_t)x->rank)
        return need_number(n, 0);
    for (uint32_t d = 0; d < x->rank; d++)
        if (d != (uint32_t)dim) *rows = need_times(n, *rows, x->sizes[d]);
    return x->sizes[dim];
}

/* Items of a row that is no longer than 2^32, and as much room again. */
static sym_expr items_bytes(const needing *n, sym_expr room)
{
    int64_t words = ty_dtype_size(n->op->inputs[0].dtype) <= 4 ? 1 : 2;
    return need_bytes(n, room, 2 * NEED_NUMBER * words);
}

/* A single row has what threads share, others the areas of theirs. */
static void need_items(needing *n, sym_expr rows, sym_expr size)
{
    if (need_may_be(n, rows, 1, 1)) need_share(n, size);
    if (!need_is(n, rows, 1)) need_give_each(n, size);
}

void need_sort(needing *n)
{
    sym_expr rows, length = row_length(n, &rows);
    need_items(n, rows, items_bytes(n, length));
    if (need_may_be(n, length, RT_LONG_ROW, INT64_MAX))
        need_give_each(n, need_number(n, RT_SORT_COUNTS));
}

void need_mode(needing *n)
{
    sym_expr rows, length = row_length(n, &rows);
    need_items(n, rows, items_bytes(n, length));
}

void need_select(needing *n)
{
    sym_expr rows, length = row_length(n, &rows);
    need_items(n, rows,
               sym_add_int(n->t, items_bytes(n, length), (int64_t)NEED_NUMBER << RT_SELECT_BITS));
}

void need_topk(needing *n)
{
    if (!need_has(n, 1, 1)) return;
    sym_expr rows, length = row_length(n, &rows), wanted = need_bytes(n, need_int(n, "k"), 2);
    sym_expr room = sym_min(n->t, sym_add_int(n->t, wanted, RT_TOPK_MORE + RT_KEY_BLOCK), length);
    sym_expr size = items_bytes(n, room);
    bool may_be_long = need_may_be(n, length, RT_LONG_ROW, INT64_MAX);
    if (need_may_be(n, rows, 1, 1)) need_share(n, size);
    if (!need_is(n, rows, 1) || may_be_long) need_give_each(n, size);
}

void need_unique(needing *n)
{
    if (!need_has(n, 1, 1)) return;
    sym_expr count = n->op->inputs[0].sizes[0];
    need_share(n, need_bytes(n, sym_add_int(n->t, need_bytes(n, count, RT_UNIQUE_NUMBERS), 1),
                             NEED_NUMBER));
}
