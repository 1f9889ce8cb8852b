/* decompose_join.c -- tensors put together from others: products, choices, chunks and powers. */
#include "pass/decompose/decompose.h"

static sym_expr whole(decomposing *d, int64_t x)
{
    return sym_int(d->g->symbols, x);
}

/* Each operand varies along a column of its own. */
void decompose_op_cartesian_prod(decomposing *d)
{
    const fx_arg *list = &d->n->args[0];
    uint32_t count = list->list.count;
    sym_expr sizes[TY_MAX_RANK], all = whole(d, 1);
    if (count == 1) {
        decompose_give(d, list->list.items[0]);
        return;
    }
    if (count > TY_MAX_RANK) {
        decompose_fail(d, "too many operands");
        return;
    }
    for (uint32_t k = 0; k < count; k++) {
        sizes[k] = fx_arg_tensor(&list->list.items[k])->sizes[0];
        all = sym_mul(d->g->symbols, all, sizes[k]);
    }
    fx_arg columns[TY_MAX_RANK], grid = fx_int_list(d->g, sizes, count);
    for (uint32_t k = 0; k < count; k++) {
        sym_expr ones[TY_MAX_RANK];
        for (uint32_t j = 0; j < count; j++) ones[j] = j == k ? sizes[k] : whole(d, 1);
        fx_arg t = CALL(aten_view_default, list->list.items[k], fx_int_list(d->g, ones, count));
        t = CALL(aten_expand_default, t, grid);
        columns[k] = CALL(aten_reshape_default, t, fx_int_list(d->g, &all, 1));
    }
    decompose_give(d, CALL(aten_stack_default, fx_list(d->g, columns, count), decompose_of(d, 1)));
}

/* ---- combinations ---- */

enum { MOST_CHOSEN = 16, MOST_ROWS = 1 << 20 };

/* Writes the next combination of r of n numbers, in order; false after the last. */
static bool next_choice(int64_t *chosen, int64_t r, int64_t n, bool again)
{
    for (int64_t k = r; k-- > 0;) {
        int64_t most = again ? n - 1 : n - r + k;
        if (chosen[k] >= most) continue;
        chosen[k]++;
        for (int64_t j = k + 1; j < r; j++) chosen[j] = chosen[j - 1] + !again;
        return true;
    }
    return false;
}

typedef VEC(int64_t) number_list;

/* The k-th number of every combination, k after k. */
static uint32_t all_choices(decomposing *d, int64_t r, int64_t n, bool again, number_list *columns)
{
    int64_t chosen[MOST_CHOSEN];
    uint32_t rows = 0;
    for (int64_t k = 0; k < r; k++) chosen[k] = again ? 0 : k;
    if (n <= 0 || (!again && r > n)) return 0;
    do {
        for (int64_t k = 0; k < r; k++) vec_push(d->g->memory, &columns[k], chosen[k]);
    } while (++rows < MOST_ROWS && next_choice(chosen, r, n, again));
    return rows;
}

void decompose_op_combinations(decomposing *d)
{
    fx_arg x = *decompose_arg(d, "self"), columns[MOST_CHOSEN];
    number_list places[MOST_CHOSEN] = {{0}};
    int64_t n, r = decompose_int(d, "r", 2);
    if (!sym_is_int(d->g->symbols, fx_arg_tensor(&x)->sizes[0], &n) || r < 0 || r > MOST_CHOSEN) {
        decompose_fail(d, "a number of combinations that is not known");
        return;
    }
    uint32_t rows = r ? all_choices(d, r, n, decompose_flag(d, "with_replacement"), places) : 0;
    if (rows == 0) { /* without choices: [0] for r = 0, else [0, r] */
        sym_expr sizes[] = {whole(d, 0), whole(d, r)};
        decompose_give(d, CALL(aten_new_empty_default, x, fx_int_list(d->g, sizes, r ? 2 : 1)));
        return;
    }
    if (rows == MOST_ROWS) {
        decompose_fail(d, "too many combinations");
        return;
    }
    for (int64_t k = 0; k < r; k++) {
        sym_expr size = whole(d, rows), step = whole(d, 1);
        ty_tensor t = {.dtype = TY_I64, .rank = 1, .sizes = &size, .strides = &step};
        t.offset = whole(d, 0);
        t.device = TY_HOST;
        fx_node *constant = fx_add_constant(d->g, "combinations", ty_tensor_copy(d->g->memory, &t),
                                            places[k].at, rows * sizeof(int64_t));
        constant->value.tensor->storage = d->g->next_storage++;
        columns[k] = CALL(aten_index_select_default, x, decompose_of(d, 0), fx_of(constant));
    }
    decompose_give(
        d, CALL(aten_stack_default, fx_list(d->g, columns, (uint32_t)r), decompose_of(d, 1)));
}

/* ---- chunks ---- */

/* Each operand padded along dim to a multiple of the chunks, then [.., chunks, rest], joined. */
void decompose_op_chunk_cat(decomposing *d)
{
    const fx_arg *list = &d->n->args[0];
    sym_table *s = d->g->symbols;
    int64_t chunks = decompose_int(d, "num_chunks", 1);
    fx_arg *parts = NEW_ARRAY(d->g->memory, fx_arg, list->list.count);
    uint32_t dim = 0;
    for (uint32_t k = 0; k < list->list.count && d->status == FE_OK; k++) {
        const ty_tensor *t = fx_arg_tensor(&list->list.items[k]);
        sym_expr pad[2 * TY_MAX_RANK], sizes[TY_MAX_RANK + 1];
        dim = decompose_dim(d, decompose_int(d, "dim", 0), t->rank);
        sym_expr each = sym_ceildiv(s, t->sizes[dim], whole(d, chunks));
        sym_expr missing = sym_sub(s, sym_mul_int(s, each, chunks), t->sizes[dim]);
        for (uint32_t j = 0; j < 2 * (t->rank - dim); j++) pad[j] = whole(d, 0);
        pad[2 * (t->rank - dim) - 1] = missing;
        parts[k] = list->list.items[k];
        if (!sym_same(missing, whole(d, 0)))
            parts[k] = CALL(aten_constant_pad_nd_default, parts[k],
                            fx_int_list(d->g, pad, 2 * (t->rank - dim)));
        for (uint32_t j = 0; j < dim; j++) sizes[j] = t->sizes[j];
        sizes[dim] = whole(d, chunks);
        sizes[dim + 1] = sym_mul(s, each, sym_product(s, t->sizes + dim + 1, t->rank - dim - 1));
        parts[k] = CALL(aten_reshape_default, parts[k], fx_int_list(d->g, sizes, dim + 2));
    }
    decompose_give(d, CALL(aten_cat_default, fx_list(d->g, parts, list->list.count),
                           decompose_of(d, dim + 1)));
}

/* ---- powers: columns 1, x, x^2, ... ---- */

void decompose_op_vander(decomposing *d)
{
    fx_arg x = *decompose_arg(d, "x"), parts[2];
    const ty_tensor *t = fx_arg_tensor(&x);
    bool linalg = fx_is(d->n, OP_aten_linalg_vander_default);
    if (t->rank == 0) { /* a number is a vector of one */
        x = CALL(aten_unsqueeze_default, x, decompose_of(d, 0));
        t = fx_arg_tensor(&x);
        if (!t) return;
    }
    uint32_t rank = t->rank;
    int64_t columns = 0;
    if (!decompose_arg(d, "N") && !sym_is_int(d->g->symbols, t->sizes[rank - 1], &columns))
        decompose_fail(d, "a number of columns that is not known");
    columns = decompose_int(d, "N", columns);
    ty_dtype out = fx_tensor(d->n)->dtype;
    if (t->dtype != out) x = CALL(aten__to_copy_default, x, fx_dtype(out));
    fx_arg column = CALL(aten_unsqueeze_default, x, decompose_of(d, rank));
    sym_expr sizes[TY_MAX_RANK];
    for (uint32_t k = 0; k < rank; k++) sizes[k] = t->sizes[k];
    sizes[rank] = whole(d, columns > 0 ? columns - 1 : 0);
    fx_arg powers = CALL(aten_expand_default, column, fx_int_list(d->g, sizes, rank + 1));
    parts[0] = CALL(aten_ones_like_default, column);
    parts[1] = CALL(aten_cumprod_default, powers, decompose_of(d, rank));
    fx_arg all = CALL(aten_cat_default, fx_list(d->g, parts, 2), decompose_of(d, rank));
    if (columns <= 0) all = decompose_slice(d, all, rank, 0, 0);
    sym_expr last = whole(d, rank);
    if (!linalg && !decompose_flag(d, "increasing"))
        all = CALL(aten_flip_default, all, fx_int_list(d->g, &last, 1));
    decompose_give(d, all);
}
