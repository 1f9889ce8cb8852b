/* statistic.c -- differences, histograms, quantiles, searches in sorted sequences.
 *
 * What statistics takes from a tensor without being a plain reduction of it, and random choices of
 * its elements.
 */
#include "infer/infer_priv.h"

#include <string.h>

/* x with other sizes in one dimension, contiguous. */
static ty_tensor *with_size(infer_call *c, const ty_tensor *x, ty_dtype dtype, uint32_t dim,
                            sym_expr size)
{
    sym_expr sizes[TY_MAX_RANK];
    memcpy(sizes, x->sizes, x->rank * sizeof *sizes);
    if (x->rank) sizes[dim] = size;
    return infer_fresh(c, x, dtype, x->rank, sizes);
}

/* ---- differences ---- */

/* As large as x in the other dimensions. */
static bool is_part_along(infer_call *c, const ty_tensor *x, const ty_tensor *part, uint32_t dim)
{
    if (part->rank != x->rank)
        infer_fail(c, "diff of %s with %s before or behind it", infer_shape(c, x),
                   infer_shape(c, part));
    for (uint32_t d = 0; d < x->rank && c->status == FE_OK; d++)
        if (d != dim)
            (void)INFER_REQUIRE_EQUAL(c, part->sizes[d], x->sizes[d],
                                      "diff of %s with %s before or behind it", infer_shape(c, x),
                                      infer_shape(c, part));
    return c->status == FE_OK;
}

/* Neighbours' differences, n times. */
void rule_diff(infer_call *c)
{
    sym_table *t = c->symbols;
    ty_tensor *x = infer_tensor(c, "self");
    ty_tensor *more[] = {infer_tensor(c, "prepend"), infer_tensor(c, "append")};
    if (!x || x->rank == 0) {
        infer_fail(c, "differences within %s", infer_shape(c, x));
        return;
    }
    uint32_t dim = infer_dim(c, "dim", x->rank);
    int64_t times = infer_int(c, "n", 1);
    if (times == 0) {
        infer_give(c, infer_empty_like(c, x, x->dtype));
        return;
    }
    for (uint32_t i = 0; i < 2 && c->status == FE_OK; i++)
        if (more[i] && is_part_along(c, x, more[i], dim)) {
            ty_dtype dtype = ty_promote_types(x->dtype, more[i]->dtype);
            sym_expr added = more[i]->sizes[dim];
            ty_memory_format format = ty_suggested_format(t, x);
            if (ty_suggested_format(t, more[i]) != format) format = TY_CONTIGUOUS;
            x = with_size(c, x, dtype, dim, sym_add(t, x->sizes[dim], added));
            if (x) ty_format_strides(t, format, x->rank, x->sizes, x->strides);
        }
    if (times > INT32_MAX || times < 0) infer_fail(c, "%lld differences", (long long)times);
    if (c->status != FE_OK) return;
    sym_expr zero = infer_number(c, 0);
    sym_expr one = infer_number(c, 1);
    sym_expr length = sym_max(t, sym_add_int(t, x->sizes[dim], -times), zero);
    const ty_tensor *ends[] = {infer_narrow(c, x, dim, zero, length, one),
                               infer_narrow(c, x, dim, one, length, one)};
    infer_give(c, infer_elementwise(c, x->dtype, ends, 2));
}

/* One less along the dimension, where there are any. */
static ty_tensor *neighbours(infer_call *c, const ty_tensor *x, uint32_t dim)
{
    if (!x) return NULL;
    sym_expr zero = infer_number(c, 0);
    sym_expr less = sym_max(c->symbols, sym_add_int(c->symbols, x->sizes[dim], -1), zero);
    return infer_narrow(c, x, dim, zero, less, infer_number(c, 1));
}

/* The places of samples, with a dimension for each of theirs: a vector stands along the one that is summed,
 * others have their dimensions last. */
static ty_tensor *places(infer_call *c, ty_tensor *x, uint32_t dim, uint32_t rank)
{
    bool is_vector = x->rank == 1;
    while (is_vector && x && x->rank < dim + 1) x = infer_unsqueeze(c, x, 0);
    while (x && x->rank < rank) x = infer_unsqueeze(c, x, is_vector ? x->rank : 0);
    return x;
}

/* The integral over one dimension, or what it is at each place (one less than samples): neighbours' means by
 * the widths between their places. */
void rule_trapezoid(infer_call *c)
{
    ty_tensor *y = infer_tensor(c, "y");
    ty_tensor *x = infer_tensor(c, "x");
    if (!y) return;
    uint32_t dim = infer_dim(c, "dim", y->rank);
    ty_operand types[] = {{.dtype = y->dtype},
                          {.dtype = x ? x->dtype : TY_BOOL},
                          {.dtype = TY_F32, .is_number = true}};
    ty_dtype dtype = ty_result_type(types, 3);
    if (c->status != FE_OK || y->rank == 0) return;
    if (!c->param && infer_is(c, y->sizes[dim], 0)) {
        infer_give(c, infer_reduced(c, y, y->dtype, (uint64_t)1 << dim, false));
        return;
    }
    const ty_tensor *all = neighbours(c, y, dim);
    if (x) {
        const ty_tensor *at = places(c, x, dim, y->rank);
        const ty_tensor *pair[] = {all, at ? neighbours(c, at, dim) : NULL};
        all = infer_elementwise(c, dtype, pair, 2);
    }
    if (!all) return;
    infer_give(c, c->param ? infer_fresh(c, all, dtype, all->rank, all->sizes)
                           : infer_reduced(c, all, dtype, (uint64_t)1 << dim, false));
}

/* A list of spacings has one for each dimension; one that is a tensor holds the places of samples. */
static void check_spacing(infer_call *c, uint32_t count, int64_t order)
{
    const fx_arg *list = op_param_index(c->op, "spacing") < 0 ? NULL : infer_arg(c, "spacing");
    if (!list || list->kind != FX_ARG_LIST) return;
    if (list->list.count != count) {
        infer_fail(c, "gradient in %u dimensions with %u spacings", count, list->list.count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const ty_tensor *places = fx_arg_tensor(&list->list.items[i]);
        if (places && places->rank != 1)
            infer_fail(c, "expected each element of spacing to have one dimension, but got %s",
                       infer_shape(c, places));
        else if (places)
            (void)INFER_REQUIRE(c, SYM_LE, infer_number(c, order + 1), places->sizes[0],
                                "a spacing of %s has fewer than edge_order + 1 places",
                                infer_shape(c, places));
    }
}

/* Of the dtype that differences of the elements have, over those of the places. */
static ty_dtype slope_dtype(infer_call *c, const ty_tensor *x, uint32_t number)
{
    const fx_arg *list = op_param_index(c->op, "spacing") < 0 ? NULL : infer_arg(c, "spacing");
    bool is_list = list && list->kind == FX_ARG_LIST && number < list->list.count;
    const ty_tensor *places = is_list ? fx_arg_tensor(&list->list.items[number]) : NULL;
    return infer_float_of(places ? ty_promote_types(x->dtype, places->dtype) : x->dtype);
}

/* One derivative for each dimension. */
void rule_gradient(infer_call *c)
{
    uint32_t dims[TY_MAX_RANK];
    ty_tensor *items[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t count = infer_dims(c, "dim", x->rank, true, dims);
    int64_t order = infer_int(c, "edge_order", 1);
    if (order != 1 && order != 2) infer_fail(c, "gradient with edge_order %lld", (long long)order);
    check_spacing(c, count, order);
    for (uint32_t i = 0; i < count && c->status == FE_OK; i++) {
        (void)INFER_REQUIRE(c, SYM_LE, infer_number(c, order + 1), x->sizes[dims[i]],
                            "gradient expects each dimension size to be at least edge_order + 1, "
                            "but got %s",
                            infer_shape(c, x));
        items[i] = infer_like(c, x, slope_dtype(c, x, i), TY_CONTIGUOUS);
    }
    if (c->status == FE_OK) infer_give_items(c, items, count);
}

/* ---- histograms ---- */

void rule_histogram(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    ty_tensor *bins = infer_tensor(c, "bins");
    if (!x) return;
    sym_expr edges;
    if (bins)
        edges = ty_numel(c->symbols, bins);
    else
        edges = sym_add_int(c->symbols, infer_expr(c, "bins", 100), 1);
    sym_expr count = sym_add_int(c->symbols, edges, -1);
    if (c->op->return_count == 1)
        infer_give(c, infer_fresh(c, x, x->dtype, 1, &count));
    else
        infer_give_pair(c, infer_fresh(c, x, x->dtype, 1, &count),
                        infer_fresh(c, x, x->dtype, 1, &edges));
}

/* Of several dimensions: the counts (parameter 0), the edges (1), both (2). */
void rule_histogramdd(infer_call *c)
{
    sym_expr counts[TY_MAX_RANK];
    ty_tensor *edges[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    const fx_arg *list = infer_arg(c, "bins");
    if (!x || !list || list->kind != FX_ARG_LIST || list->list.count > TY_MAX_RANK) return;
    uint32_t rank = list->list.count;
    for (uint32_t i = 0; i < rank; i++) {
        const fx_arg *a = &list->list.items[i];
        const ty_tensor *bins = fx_arg_tensor(a);
        sym_expr count = infer_number(c, 1);
        if (bins)
            count = sym_add_int(c->symbols, ty_numel(c->symbols, bins), -1);
        else if (!fx_arg_expr(c->graph, a, &count))
            infer_fail(c, "a number of bins is no integer");
        counts[i] = count;
        sym_expr length = sym_add_int(c->symbols, count, 1);
        edges[i] = bins ? infer_alias(c, bins) : infer_fresh(c, x, x->dtype, 1, &length);
    }
    if (c->status != FE_OK) return;
    if (c->param == 1) {
        infer_give_items(c, edges, rank);
        return;
    }
    ty_tensor *out = infer_fresh(c, x, x->dtype, rank, counts);
    infer_give(c, out);
    if (c->param == 0) return;
    fx_value first = c->value;
    infer_give_items(c, edges, rank);
    fx_value *both = NEW_ARRAY(c->memory, fx_value, 2);
    both[0] = first;
    both[1] = c->value;
    c->value = (fx_value){.kind = FX_TUPLE, .count = 2, .items = both};
}

/* ---- order ---- */

/* Quantiles stand in front: one for each of q, when q is a vector. */
void rule_quantile(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    ty_tensor *q = infer_tensor(c, "q");
    if (!x) return;
    bool all = !infer_arg(c, "dim");
    bool keepdim = infer_flag(c, "keepdim", false);
    uint64_t dims = all ? ~(uint64_t)0 : (uint64_t)1 << infer_dim(c, "dim", x->rank);
    ty_tensor *one = infer_reduced(c, x, x->dtype, dims, keepdim);
    if (!one || !q || q->rank == 0) {
        infer_give(c, one);
        return;
    }
    ty_tensor *out = infer_unsqueeze(c, one, one->rank);
    out->sizes[one->rank] = q->sizes[0];
    out = infer_fresh(c, x, x->dtype, out->rank, out->sizes);
    uint32_t order[TY_MAX_RANK];
    for (uint32_t i = 0; i < out->rank; i++) order[i] = i ? i - 1 : out->rank - 1;
    infer_give(c, infer_permute(c, out, order));
}

/* Places in a sorted sequence. */
void rule_search(infer_call *c)
{
    ty_dtype dtype = infer_flag(c, "out_int32", false) ? TY_I32 : TY_I64;
    ty_tensor *x = infer_tensor(c, "self");
    if (x)
        infer_give(c, infer_like(c, x, dtype, TY_CONTIGUOUS));
    else
        infer_give(c, infer_fresh(c, infer_self(c), dtype, 0, NULL));
}

/* Is each element among those? */
void rule_isin(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "elements");
    if (x)
        infer_give(c, infer_like(c, x, TY_BOOL, TY_CONTIGUOUS));
    else
        infer_give(c, infer_fresh(c, infer_self(c), TY_BOOL, 0, NULL));
}

/* Reductions of segments along an axis. */
void rule_segment_reduce(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "data");
    ty_tensor *lengths = infer_tensor(c, "lengths");
    ty_tensor *offsets = infer_tensor(c, "offsets");
    ty_tensor *parts = lengths ? lengths : offsets;
    if (!x || !parts || parts->rank == 0) return;
    uint32_t axis = infer_dim(c, "axis", x->rank);
    sym_expr count = parts->sizes[parts->rank - 1];
    if (!lengths) count = sym_add_int(c->symbols, count, -1);
    if (c->status == FE_OK) infer_give(c, with_size(c, x, x->dtype, axis, count));
}

/* ---- jagged rows ---- */

/* One list of offsets, and one length: other ones PyTorch's CPU kernels do not take. */
static ty_tensor *only_offsets(infer_call *c)
{
    ty_tensor *offsets[2];
    if (infer_list(c, "offsets", offsets, 2) == 1 && offsets[0]) return offsets[0];
    infer_fail(c, "rows are told by one tensor of offsets");
    return NULL;
}

void rule_jagged_to_padded(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK + 1];
    ty_tensor *x = infer_tensor(c, "values"), *offsets = only_offsets(c);
    if (!x || !offsets) return;
    if (infer_sizes(c, "max_lengths", 0, &sizes[1]) != 1) {
        infer_fail(c, "rows are padded to one length");
        return;
    }
    sizes[0] = sym_add_int(c->symbols, offsets->sizes[0], -1);
    memcpy(&sizes[2], x->sizes + 1, (x->rank - 1) * sizeof *sizes);
    if (c->status == FE_OK) infer_give(c, infer_fresh(c, x, x->dtype, x->rank + 1, sizes));
}

void rule_padded_to_jagged(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_tensor(c, "dense"), *offsets = only_offsets(c);
    if (!x || !offsets) return;
    sym_expr rows = sym_add_int(c->symbols, offsets->sizes[0], -1);
    (void)INFER_REQUIRE(c, SYM_LE, rows, x->sizes[0], "offsets tell of %s rows, and dense has %s",
                        infer_written(c, rows), infer_written(c, x->sizes[0]));
    bool known = infer_arg(c, "total_L") != NULL;
    sizes[0] = known ? infer_expr(c, "total_L", 0) : infer_unbacked(c, 0, 0);
    memcpy(&sizes[1], x->sizes + 2, (x->rank - 2) * sizeof *sizes);
    if (c->status == FE_OK) infer_give(c, infer_fresh(c, x, x->dtype, x->rank - 1, sizes));
}

/* ---- random choices ---- */

void rule_multinomial(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x || x->rank == 0) return;
    infer_give(c, with_size(c, x, TY_I64, x->rank - 1, infer_expr(c, "num_samples", 1)));
}

void rule_native_dropout(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    infer_give_pair(c, infer_empty_like(c, x, x->dtype), infer_empty_like(c, x, TY_BOOL));
}

/* Normal numbers of these means and deviations. */
void rule_normal(infer_call *c)
{
    const ty_tensor *operands[INFER_MAX_OPERANDS];
    uint32_t count = infer_operands(c, operands, INFER_MAX_OPERANDS);
    if (count == 0) return;
    infer_give(c, infer_elementwise(c, operands[0]->dtype, operands, count));
}

/* Laid out as the counts, unless there are more probabilities than these. */
void rule_binomial(infer_call *c)
{
    const ty_tensor *counts = infer_tensor(c, "count"),
                    *operands[] = {counts, infer_tensor(c, "prob")};
    if (!counts || !operands[1]) return;
    ty_tensor *all = infer_elementwise(c, counts->dtype, operands, 2);
    bool as_counts = all && all->rank == counts->rank;
    for (uint32_t d = 0; as_counts && d < all->rank; d++)
        as_counts = sym_same(all->sizes[d], counts->sizes[d]);
    infer_give(c, as_counts ? infer_empty_like(c, counts, counts->dtype)
                            : infer_contiguous(c, all, TY_CONTIGUOUS));
}
