/* join.c -- tensors joined and rearranged into new memory: cat, stack, repeat, diagonals, ...
 *
 * A joined tensor has the memory format of its parts where they agree on one. The rules over lists
 * read them with read_items(), which refuses what is empty or holds no tensors.
 */
#include "infer/infer_priv.h"

#include <string.h>

enum { MOST_JOINED = 4096 };

/* A vector without elements joins anything, as it always did. */
static bool is_legacy_empty(infer_call *c, const ty_tensor *x)
{
    return x->rank == 1 && infer_is(c, x->sizes[0], 0);
}

/* The dtype of all, by promotion. */
static ty_dtype joined_dtype(infer_call *c, ty_tensor *const *items, uint32_t count)
{
    ty_operand *operands = NEW_ARRAY(c->memory, ty_operand, count);
    for (uint32_t i = 0; i < count; i++)
        operands[i] = (ty_operand){.dtype = items[i]->dtype, .is_zero_dim = items[i]->rank == 0};
    return ty_result_type(operands, count);
}

/* The memory format of all that have elements; contiguous when they differ. */
static ty_memory_format joined_format(infer_call *c, ty_tensor *const *items, uint32_t count)
{
    ty_memory_format format = ty_suggested_format(c->symbols, items[0]);
    for (uint32_t i = 1; i < count; i++)
        if (ty_suggested_format(c->symbols, items[i]) != format) return TY_CONTIGUOUS;
    return format;
}

static ty_tensor *joined(infer_call *c, ty_tensor *const *items, uint32_t count, uint32_t dim)
{
    sym_expr sizes[TY_MAX_RANK];
    const ty_tensor *like = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (!is_legacy_empty(c, items[i]) && (!like || items[i]->rank > like->rank))
            like = items[i];
    if (!like) like = items[0];
    memcpy(sizes, like->sizes, like->rank * sizeof *sizes);
    sym_expr length = infer_number(c, 0);
    for (uint32_t i = 0; i < count; i++) {
        const ty_tensor *x = items[i];
        if (is_legacy_empty(c, x)) continue;
        if (x->rank != like->rank || x->rank == 0) {
            infer_fail(c, "%s and %s cannot be joined in dimension %u", infer_shape(c, like),
                       infer_shape(c, x), dim);
            return NULL;
        }
        for (uint32_t d = 0; d < x->rank; d++)
            if (d != dim && !INFER_REQUIRE_EQUAL(c, x->sizes[d], sizes[d],
                                                 "%s and %s cannot be joined in dimension %u",
                                                 infer_shape(c, like), infer_shape(c, x), dim))
                return NULL;
        length = sym_add(c->symbols, length, x->sizes[dim]);
    }
    sizes[dim] = length;
    ty_tensor *out = infer_fresh(c, like, joined_dtype(c, items, count), like->rank, sizes);
    ty_format_strides(c->symbols, joined_format(c, items, count), like->rank, sizes, out->strides);
    return out;
}

static uint32_t read_items(infer_call *c, ty_tensor **items)
{
    uint32_t count = infer_list(c, "tensors", items, MOST_JOINED);
    for (uint32_t i = 0; i < count; i++)
        if (!items[i]) infer_fail(c, "an item of the list is not a tensor");
    if (count == 0) infer_fail(c, "an empty list of tensors");
    return c->status == FE_OK ? count : 0;
}

/* Nothing is made of an empty list. */
static bool gives_none(infer_call *c)
{
    const fx_arg *list = infer_arg(c, "tensors");
    if (!list || list->kind != FX_ARG_LIST || list->list.count) return false;
    infer_give_items(c, NULL, 0);
    return true;
}

static uint32_t most_dimensions(ty_tensor *const *items, uint32_t count)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < count; i++)
        if (items[i]->rank > rank) rank = items[i]->rank;
    return rank;
}

void rule_cat(infer_call *c)
{
    ty_tensor **items = NEW_ARRAY(c->memory, ty_tensor *, MOST_JOINED);
    uint32_t count = read_items(c, items);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!is_legacy_empty(c, items[i]) && items[i]->rank > rank) rank = items[i]->rank;
    uint32_t dim = infer_dim(c, "dim", rank);
    if (count && c->status == FE_OK) infer_give(c, joined(c, items, count, dim));
}

/* Joined and the joined dimension taken apart, so that a memory format of the parts counts. */
void rule_stack(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK + 1];
    ty_tensor **items = NEW_ARRAY(c->memory, ty_tensor *, MOST_JOINED);
    uint32_t count = read_items(c, items);
    if (!count) return;
    uint32_t dim = infer_dim(c, "dim", items[0]->rank + 1);
    if (c->status != FE_OK) return;
    ty_tensor **rows = NEW_ARRAY(c->memory, ty_tensor *, count); /* the list may be a node's own */
    bool last = dim == items[0]->rank;
    for (uint32_t i = 0; i < count; i++) {
        if (items[i]->rank != items[0]->rank)
            infer_fail(c, "stack of %s and %s", infer_shape(c, items[0]), infer_shape(c, items[i]));
        if (c->status != FE_OK) return;
        if (dim < items[0]->rank &&
            !INFER_REQUIRE_EQUAL(c, items[i]->sizes[dim], items[0]->sizes[dim],
                                 "stack of %s and %s", infer_shape(c, items[0]),
                                 infer_shape(c, items[i])))
            return;
        rows[i] = last ? infer_unsqueeze(c, items[i], dim) : ty_tensor_copy(c->memory, items[i]);
        if (!last) rows[i]->sizes[dim] = items[0]->sizes[dim]; /* as is required */
    }
    if (c->status != FE_OK) return;
    ty_tensor *out = joined(c, rows, count, dim);
    if (!out || last) {
        infer_give(c, out);
        return;
    }
    for (uint32_t i = 0; i < out->rank + 1; i++)
        sizes[i] = i == dim ? infer_number(c, count) : items[0]->sizes[i - (i > dim)];
    infer_give(c, infer_reshape(c, out, out->rank + 1, sizes));
}

/* ---- more dimensions ---- */

/* x with at least `rank` dimensions, as atleast_1d, _2d and _3d make them. */
static ty_tensor *at_least(infer_call *c, const ty_tensor *x, uint32_t rank)
{
    if (!x || x->rank >= rank) return infer_alias(c, x);
    ty_tensor *out = infer_alias(c, x);
    if (rank == 1 || out->rank == 0) {
        sym_expr ones[3] = {infer_number(c, 1), infer_number(c, 1), infer_number(c, 1)};
        return infer_reshape(c, out, rank, ones);
    }
    if (out->rank == 1) out = infer_unsqueeze(c, out, 0);
    return rank == 3 && out->rank == 2 ? infer_unsqueeze(c, out, 2) : out;
}

/* One tensor or each of a list; the parameter is the rank. */
void rule_atleast(infer_call *c)
{
    if (op_param_index(c->op, "tensors") < 0) {
        infer_give(c, at_least(c, infer_self(c), (uint32_t)c->param));
        return;
    }
    if (gives_none(c)) return;
    ty_tensor **items = NEW_ARRAY(c->memory, ty_tensor *, MOST_JOINED);
    uint32_t count = read_items(c, items);
    for (uint32_t i = 0; i < count; i++) items[i] = at_least(c, items[i], (uint32_t)c->param);
    if (count && c->status == FE_OK) infer_give_items(c, items, count);
}

/* hstack (1), vstack (2), dstack (3): at least so many dimensions, joined in the last that
 * counts. */
void rule_stack_along(infer_call *c)
{
    ty_tensor **items = NEW_ARRAY(c->memory, ty_tensor *, MOST_JOINED);
    uint32_t count = read_items(c, items);
    if (!count) return;
    for (uint32_t i = 0; i < count; i++) items[i] = at_least(c, items[i], (uint32_t)c->param);
    uint32_t rank = most_dimensions(items, count);
    uint32_t dim = c->param == 3 ? 2 : c->param == 2 ? 0 : rank == 1 ? 0 : 1;
    infer_give(c, joined(c, items, count, dim));
}

/* Vectors become columns. */
void rule_column_stack(infer_call *c)
{
    ty_tensor **items = NEW_ARRAY(c->memory, ty_tensor *, MOST_JOINED);
    uint32_t count = read_items(c, items);
    if (!count) return;
    for (uint32_t i = 0; i < count; i++) {
        if (items[i]->rank >= 2) continue;
        sym_expr sizes[] = {ty_numel(c->symbols, items[i]), infer_number(c, 1)};
        items[i] = infer_reshape(c, items[i], 2, sizes);
    }
    infer_give(c, joined(c, items, count, 1));
}

void rule_broadcast_tensors(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    uint32_t rank = 0;
    ty_tensor **items = NEW_ARRAY(c->memory, ty_tensor *, MOST_JOINED);
    if (gives_none(c)) return;
    uint32_t count = read_items(c, items);
    for (uint32_t i = 0; i < count; i++)
        if (!infer_broadcast(c, items[i], items[i]->rank, &rank, sizes))
            infer_fail(c, "shapes do not broadcast: %s and %s", infer_shape(c, items[0]),
                       infer_shape(c, items[i]));
    for (uint32_t i = 0; i < count && c->status == FE_OK; i++)
        items[i] = infer_expand(c, items[i], rank, sizes);
    if (count && c->status == FE_OK) infer_give_items(c, items, count);
}

void rule_meshgrid(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor **items = NEW_ARRAY(c->memory, ty_tensor *, MOST_JOINED);
    uint32_t count = read_items(c, items);
    const char *indexing = infer_string(c, "indexing", "ij");
    bool swaps = indexing[0] == 'x' && count > 1;
    if (count > TY_MAX_RANK) infer_fail(c, "a mesh of %u dimensions", count);
    if (!count || c->status != FE_OK) return;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = swaps && i < 2 ? 1 - i : i;
        sizes[i] = ty_numel(c->symbols, items[from]);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = swaps && i < 2 ? 1 - i : i;
        sym_expr shape[TY_MAX_RANK];
        for (uint32_t d = 0; d < count; d++) shape[d] = infer_number(c, 1);
        shape[at] = sizes[at];
        items[i] = infer_expand(c, infer_reshape(c, items[i], count, shape), count, sizes);
    }
    if (c->status == FE_OK) infer_give_items(c, items, count);
}

/* A matrix with these on its diagonal. */
void rule_block_diag(infer_call *c)
{
    sym_expr sizes[] = {infer_number(c, 0), infer_number(c, 0)};
    ty_tensor **items = NEW_ARRAY(c->memory, ty_tensor *, MOST_JOINED);
    const fx_arg *list = infer_arg(c, "tensors");
    if (list && list->kind == FX_ARG_LIST && !list->list.count) { /* a row of no columns */
        sizes[0] = infer_number(c, 1);
        infer_give(c, ty_tensor_new(c->memory, c->symbols, TY_F32, TY_HOST, 2, sizes));
        return;
    }
    uint32_t count = read_items(c, items);
    if (!count) return;
    for (uint32_t i = 0; i < count; i++) {
        const ty_tensor *x = items[i];
        if (x->rank > 2) infer_fail(c, "a block of %s", infer_shape(c, x));
        if (c->status != FE_OK) return;
        sym_expr one = infer_number(c, 1);
        sizes[0] = sym_add(c->symbols, sizes[0], x->rank == 2 ? x->sizes[0] : one);
        sizes[1] = sym_add(c->symbols, sizes[1], x->rank ? x->sizes[x->rank - 1] : one);
    }
    infer_give(c, infer_fresh(c, items[0], joined_dtype(c, items, count), 2, sizes));
}

/* Each cut along a dimension into so many chunks, the last ones filled up, and these side by side. */
void rule_chunk_cat(infer_call *c)
{
    sym_table *t = c->symbols;
    ty_tensor **items = NEW_ARRAY(c->memory, ty_tensor *, MOST_JOINED);
    uint32_t count = read_items(c, items);
    int64_t chunks = infer_int(c, "num_chunks", 1);
    if (!count) return;
    for (uint32_t i = 0; i < count && c->status == FE_OK; i++) {
        if (items[i]->rank != items[0]->rank && infer_int(c, "dim", 0) < 0)
            infer_fail(c, "_chunk_cat expects non-negative dim when input tensors have different "
                          "ndims");
        if (items[i]->dtype != items[0]->dtype)
            infer_fail(c, "_chunk_cat expects all input tensors with the same dtype");
        (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), ty_numel(t, items[i]),
                            "_chunk_cat expects non-empty tensor, got %s",
                            infer_shape(c, items[i]));
    }
    if (chunks <= 0)
        infer_fail(c, "_chunk_cat expects positive num_chunks, got: %lld", (long long)chunks);
    uint32_t dim = infer_dim(c, "dim", items[0]->rank);
    sym_expr sizes[TY_MAX_RANK], each = infer_number(c, 0), parts = infer_number(c, chunks);
    for (uint32_t i = 0; i < count; i++) {
        const ty_tensor *x = items[i];
        if (x->rank <= dim) infer_fail(c, "a chunk of %s", infer_shape(c, x));
        if (c->status != FE_OK) return;
        sym_expr rest = sym_product(t, x->sizes + dim + 1, x->rank - dim - 1);
        each = sym_add(t, each, sym_mul(t, sym_ceildiv(t, x->sizes[dim], parts), rest));
    }
    memcpy(sizes, items[0]->sizes, dim * sizeof *sizes);
    sizes[dim] = parts;
    sizes[dim + 1] = each;
    infer_give(c, infer_fresh(c, items[0], joined_dtype(c, items, count), dim + 2, sizes));
}

/* ---- repeated ---- */

void rule_repeat(infer_call *c)
{
    sym_expr times[TY_MAX_RANK];
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    bool is_tile = op_param_index(c->op, "dims") >= 0;
    uint32_t count = infer_sizes(c, is_tile ? "dims" : "repeats", 0, times);
    uint32_t rank = is_tile && x->rank > count ? x->rank : count;
    if (x->rank > rank || rank > TY_MAX_RANK)
        infer_fail(c, "%u repeats of %s", count, infer_shape(c, x));
    if (c->status != FE_OK) return;
    for (uint32_t i = 0; i < rank; i++) {
        sizes[i] = i < rank - x->rank ? infer_number(c, 1) : x->sizes[i - (rank - x->rank)];
        if (i >= rank - count) sizes[i] = sym_mul(c->symbols, sizes[i], times[i - (rank - count)]);
    }
    infer_give(c, infer_fresh(c, x, x->dtype, rank, sizes));
}

void rule_repeat_interleave(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    bool alone = op_param_index(c->op, "self") < 0; /* `repeats` gives indices */
    const fx_arg *times = infer_arg(c, "repeats");
    bool flat = alone || !infer_arg(c, "dim");
    uint32_t rank = flat ? 1 : x->rank;
    uint32_t dim = flat ? 0 : infer_dim(c, "dim", x->rank);
    if (!flat) memcpy(sizes, x->sizes, x->rank * sizeof *sizes);
    if (infer_arg(c, "output_size")) {
        sizes[dim] = infer_expr(c, "output_size", 0);
    } else if (times && !fx_arg_tensor(times)) {
        sym_expr length = flat ? ty_numel(c->symbols, x) : x->sizes[dim];
        sizes[dim] = sym_mul(c->symbols, length, infer_expr(c, "repeats", 1));
    } else {
        sizes[dim] = infer_unbacked(c, 0, dim);
    }
    if (c->status == FE_OK) infer_give(c, infer_fresh(c, x, x->dtype, rank, sizes));
}

/* ---- rearranged ---- */

void rule_rot90(infer_call *c)
{
    uint32_t dims[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    int64_t turns = infer_int(c, "k", 1);
    if (infer_dims(c, "dims", x->rank, false, dims) != 2)
        infer_fail(c, "rot90 needs two dimensions");
    if (c->status != FE_OK) return;
    if (turns % 2) x = infer_transpose(c, x, dims[0], dims[1]);
    infer_give(c, turns % 4 ? infer_empty_like(c, x, x->dtype) : infer_clone(c, x, TY_CONTIGUOUS));
}

/* A matrix for each vector of the last dimension, which stands on its diagonal. */
void rule_diag_embed(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t a = infer_wrap(c, infer_int(c, "dim1", -2), x->rank + 1);
    uint32_t b = infer_wrap(c, infer_int(c, "dim2", -1), x->rank + 1);
    int64_t shift = infer_int(c, "offset", 0);
    if (a == b || x->rank == 0 || x->rank == TY_MAX_RANK)
        infer_fail(c, "diag_embed of %s", infer_shape(c, x));
    if (c->status != FE_OK) return;
    sym_expr side = sym_add_int(c->symbols, x->sizes[x->rank - 1], shift < 0 ? -shift : shift);
    uint32_t next = 0;
    for (uint32_t i = 0; i < x->rank + 1; i++)
        sizes[i] = i == a || i == b ? side : x->sizes[next++];
    infer_give(c, infer_fresh(c, x, x->dtype, x->rank + 1, sizes));
}

/* A diagonal matrix of a vector, or the diagonal of a matrix. */
void rule_diag(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    int64_t shift = infer_int(c, op_param_index(c->op, "diagonal") < 0 ? "offset" : "diagonal", 0);
    bool flattens = op_param_index(c->op, "offset") >= 0;
    if (x->rank == 2 && !flattens) {
        infer_give(c, infer_clone(c, infer_diagonal(c, x, shift, 0, 1), TY_CONTIGUOUS));
        return;
    }
    if (x->rank > 2 && !flattens) infer_fail(c, "diag of %s", infer_shape(c, x));
    sym_expr side = sym_add_int(c->symbols, ty_numel(c->symbols, x), shift < 0 ? -shift : shift);
    sym_expr sizes[] = {side, side};
    if (c->status == FE_OK) infer_give(c, infer_fresh(c, x, x->dtype, 2, sizes));
}

/* ---- combinations ---- */

/* All choices of one element each: the rows of a matrix. */
void rule_cartesian_product(infer_call *c)
{
    ty_tensor **items = NEW_ARRAY(c->memory, ty_tensor *, MOST_JOINED);
    uint32_t count = read_items(c, items);
    if (!count) return;
    if (count == 1) {
        infer_give(c, infer_alias(c, items[0]));
        return;
    }
    sym_expr sizes[] = {infer_number(c, 1), infer_number(c, count)};
    for (uint32_t i = 0; i < count; i++)
        sizes[0] = sym_mul(c->symbols, sizes[0], ty_numel(c->symbols, items[i]));
    infer_give(c, infer_fresh(c, items[0], items[0]->dtype, 2, sizes));
}

/* All choices of r elements of a vector. */
void rule_combinations(infer_call *c)
{
    int64_t n = 0;
    ty_tensor *x = infer_self(c);
    int64_t r = infer_int(c, "r", 2);
    if (!x || x->rank != 1 || r < 0 || r > 32) {
        infer_fail(c, "combinations of %s", infer_shape(c, x));
        return;
    }
    sym_expr none = infer_number(c, 0);
    if (r == 0) {
        infer_give(c, infer_fresh(c, x, x->dtype, 1, &none));
        return;
    }
    sym_expr sizes[] = {infer_unbacked(c, 0, 0), infer_number(c, r)};
    if (c->recorded.kind == FX_NO_VALUE && sym_is_int(c->symbols, x->sizes[0], &n) &&
        n <= INT64_MAX - r) {
        int64_t count = 1;
        int64_t repeats = infer_flag(c, "with_replacement", false) ? r - 1 : 0;
        for (int64_t i = 0; i < r && count > 0; i++)
            if (__builtin_mul_overflow(count, n + repeats - i, &count))
                infer_fail(c, "too many combinations of %s", infer_shape(c, x));
            else
                count /= i + 1;
        sizes[0] = infer_number(c, count < 0 ? 0 : count);
    }
    infer_give(c, infer_fresh(c, x, x->dtype, 2, sizes));
}
