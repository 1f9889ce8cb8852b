/* order.c -- operators that depend on the order of elements along a dimension: running sums,
 * sorting, ranks, medians.
 *
 * They are put together from reductions: a running sum sums what stands before; the place of an
 * element in sorted order is the number of elements that come before it, and one scatter puts all
 * in their places. That is quadratic in the dimension, so it is for dimensions that are short;
 * long ones are refused. (A kernel with a better algorithm is a row in extern.def, and replaces
 * the nests here.)
 */
#include "lower/order.h"
#include "lower/compose.h"

#include <math.h>
#include <string.h>

static const int64_t MOST_STEPS = (int64_t)1 << 28; /* elements times the dimension */

bool lower_is_short(lowering *l, tensor x, uint32_t dim)
{
    int64_t size = sym_hint(l->symbols, x.sizes[dim], 1024),
            all = sym_hint(l->symbols, lower_numel(l, x), 1024);
    return size == 0 || all <= MOST_STEPS / size;
}

fe_status lower_too_long(lowering *l, tensor x, uint32_t dim)
{
    long long size = (long long)sym_hint(l->symbols, x.sizes[dim], 1024);
    return lower_fail(l, "a dimension of %lld elements is too long for this operator", size);
}

static tensor at_least_1d(lowering *l, tensor t)
{
    return t.rank ? t : lower_reshape(l, t, 1, &l->one);
}

static fe_status give_like(lowering *l, tensor t, uint32_t rank)
{
    const ty_tensor *out = lower_meta(l, 0);
    return lower_give(l, lower_cast(l, rank ? t : lower_squeeze(l, t, 0), out->dtype));
}

/* ---- running reductions ---- */

/* A reduction over r of `v`, for each element of x's shape. */
tensor lower_reduced_by(lowering *l, tensor x, loop_reduce kind, sym_expr span, loop_value v)
{
    ty_dtype d =
        kind == LOOP_ARGMAX || kind == LOOP_ARGMIN ? TY_I64 : loop_at(l->program, v)->dtype;
    tensor out = lower_temp_tensor(l, d, x.rank, x.sizes, NULL);
    loop_op *op = lower_nest(l, x.rank, x.sizes, 1, &span);
    sym_expr at = lower_flat(l, l->axes, out.box->view.strides, x.rank);
    lower_store(
        l, op,
        (loop_store){.buffer = out.box->view.buffer, .index = at, .value = v, .reduce = kind});
    return out;
}

/* x at position `place` of dim; `otherwise` unless inside holds. */
loop_value lower_element_at(lowering *l, tensor x, uint32_t dim, sym_expr place, loop_value inside,
                            loop_value otherwise)
{
    sym_expr at[LOWER_MAX_RANK];
    memcpy(at, l->axes, x.rank * sizeof *at);
    at[dim] = place;
    return loop_masked(l->program, inside, lower_at(l, x, at), otherwise);
}

/* r0 <= i: the elements up to this one. */
static loop_value is_before(lowering *l, uint32_t dim)
{
    return lower_op2(l, LOOP_LE, loop_index(l->program, l->reduce_axes[0]),
                     loop_index(l->program, l->axes[dim]));
}

static tensor running(lowering *l, tensor x, uint32_t dim, loop_reduce kind, double identity)
{
    loop_value rest = loop_const_float(l->program, lower_dtype(x), identity);
    loop_value v = lower_element_at(l, x, dim, l->reduce_axes[0], is_before(l, dim), rest);
    return lower_reduced_by(l, x, kind, x.sizes[dim], v);
}

static fe_status begin(lowering *l, tensor *x, uint32_t *dim, uint32_t *rank)
{
    *x = lower_tensor_of(l, &l->node->args[0]);
    *rank = x->rank;
    *x = at_least_1d(l, *x);
    *dim = op_param_index(l->node->op, "dim") < 0
               ? 0
               : lower_dim(l, lower_int_or(l, "dim", -1), x->rank);
    if (!lower_is_short(l, *x, *dim)) return lower_too_long(l, *x, *dim);
    return FE_OK;
}

/* cumsum (LOOP_SUM), cumprod (LOOP_PROD) */
static fe_status cumulate(lowering *l, fx_node *n, const lower_row *row)
{
    tensor x;
    uint32_t dim, rank;
    ty_dtype out = fx_tensor(n)->dtype;
    FE_TRY(begin(l, &x, &dim, &rank));
    x = lower_cast(l, lower_cast(l, x, out), lower_compute_dtype(out));
    lower_share(l, x);
    return give_like(
        l, running(l, x, dim, (loop_reduce)row->parameter, row->parameter == LOOP_PROD), rank);
}

static loop_value extreme_value(lowering *l, ty_dtype d, bool greatest)
{
    if (ty_is_floating(d))
        return loop_const_float(l->program, d, greatest ? (double)INFINITY : -(double)INFINITY);
    if (d == TY_BOOL || d == TY_U8)
        return loop_const_int(l->program, d, greatest ? (d == TY_BOOL ? 1 : 255) : 0);
    uint32_t bits = 8 * ty_dtype_size(d);
    uint64_t least = UINT64_MAX << (bits - 1);
    return loop_const_int(l->program, d, (int64_t)(greatest ? ~least : least));
}

/* cummax, cummin: the latest of equals, found by looking back from each element. */
static fe_status cumulate_extreme(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    tensor x, items[2];
    uint32_t dim, rank;
    bool is_max = row->parameter;
    FE_TRY(begin(l, &x, &dim, &rank));
    ty_dtype d = lower_compute_dtype(lower_dtype(x));
    x = lower_cast(l, x, d);
    lower_share(l, x);
    sym_expr back = sym_sub(l->symbols, l->axes[dim], l->reduce_axes[0]);
    loop_value v =
        lower_element_at(l, x, dim, back, is_before(l, dim), extreme_value(l, d, !is_max));
    loop_reduce kind = d == TY_BOOL ? (is_max ? LOOP_ANY : LOOP_ALL)
                       : is_max     ? LOOP_REDUCE_MAX
                                    : LOOP_REDUCE_MIN;
    items[0] =
        lower_cast(l, lower_reduced_by(l, x, kind, x.sizes[dim], v), lower_meta(l, 0)->dtype);
    tensor distance = lower_reduced_by(l, x, is_max ? LOOP_ARGMAX : LOOP_ARGMIN, x.sizes[dim], v);
    loop_value place =
        lower_op2(l, LOOP_SUB, loop_index(l->program, l->axes[dim]), lower_here(l, distance));
    items[1] = lower_value(l, TY_I64, x.rank, x.sizes, place);
    for (uint32_t k = 0; k < 2 && rank == 0; k++) items[k] = lower_squeeze(l, items[k], 0);
    return lower_give_items(l, items, 2);
}

static fe_status logcumsumexp(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    tensor x;
    uint32_t dim, rank;
    FE_TRY(begin(l, &x, &dim, &rank));
    ty_dtype d = lower_compute_dtype(fx_tensor(n)->dtype);
    if (!ty_is_floating(d)) return lower_fail(l, "logcumsumexp of this dtype");
    x = lower_cast(l, x, d);
    lower_share(l, x);
    tensor most = running(l, x, dim, LOOP_REDUCE_MAX, -(double)INFINITY);
    loop_value m = lower_here(l, most), zero = loop_const_float(l->program, d, 0);
    m = loop_where(l->program, lower_op1(l, LOOP_ISINF, m), zero, m);
    loop_value v = lower_element_at(l, x, dim, l->reduce_axes[0], is_before(l, dim),
                                    loop_const_float(l->program, d, -(double)INFINITY));
    v = lower_op1(l, LOOP_EXP, lower_op2(l, LOOP_SUB, v, m));
    tensor sum = lower_reduced_by(l, x, LOOP_SUM, x.sizes[dim], v);
    v = lower_op2(l, LOOP_ADD, lower_op1(l, LOOP_LOG, lower_here(l, sum)), m);
    return give_like(l, lower_value(l, d, x.rank, x.sizes, v), rank);
}

/* ---- sorting ---- */

/* a stands before b; NaN counts as the greatest. */
static loop_value precedes(lowering *l, loop_value a, loop_value b, bool descending)
{
    ty_dtype d = loop_at(l->program, a)->dtype;
    if (descending) {
        loop_value swap = a;
        a = b;
        b = swap;
    }
    if (!ty_is_floating(d)) return lower_op2(l, LOOP_LT, a, b);
    loop_value nan_last = lower_op2(l, LOOP_AND, lower_op1(l, LOOP_ISNAN, b),
                                    lower_op1(l, LOOP_NOT, lower_op1(l, LOOP_ISNAN, a)));
    return lower_op2(l, LOOP_OR, lower_op2(l, LOOP_LT, a, b), nan_last);
}

typedef struct sorted {
    tensor values, places; /* of x's shape; places in x */
} sorted;

static void put_at_rank(lowering *l, tensor target, uint32_t dim, tensor ranks, loop_value v)
{
    sym_expr at[LOWER_MAX_RANK];
    memcpy(at, l->axes, target.rank * sizeof *at);
    at[dim] = loop_indirect(l->program, lower_here(l, ranks), target.sizes[dim]);
    const loop_view *to = &target.box->view;
    loop_op *op = lower_nest(l, ranks.rank, ranks.sizes, 0, NULL);
    lower_store(l, op,
                (loop_store){.buffer = to->buffer,
                             .index = lower_flat(l, at, to->strides, to->rank),
                             .value = v});
}

/* Stable: of equals the earlier one comes first. */
static sorted sort_along(lowering *l, tensor x, uint32_t dim, bool descending)
{
    sorted s;
    sym_expr at[LOWER_MAX_RANK];
    ty_dtype d = lower_compute_dtype(lower_dtype(x));
    lower_share(l, x);
    memcpy(at, l->axes, x.rank * sizeof *at);
    at[dim] = l->reduce_axes[0];
    loop_value mine = loop_cast(l->program, d, lower_here(l, x)),
               other = loop_cast(l->program, d, lower_at(l, x, at));
    loop_value less = precedes(l, other, mine, descending),
               more = precedes(l, mine, other, descending);
    loop_value earlier = lower_op2(l, LOOP_LT, loop_index(l->program, l->reduce_axes[0]),
                                   loop_index(l->program, l->axes[dim]));
    loop_value tie = lower_op2(l, LOOP_AND, earlier, lower_op1(l, LOOP_NOT, more));
    loop_value before = loop_cast(l->program, TY_I64, lower_op2(l, LOOP_OR, less, tie));
    tensor ranks = lower_reduced_by(l, x, LOOP_SUM, x.sizes[dim], before);
    s.values = lower_temp_tensor(l, lower_dtype(x), x.rank, x.sizes, NULL);
    s.places = lower_temp_tensor(l, TY_I64, x.rank, x.sizes, NULL);
    put_at_rank(l, s.values, dim, ranks, lower_here(l, x));
    put_at_rank(l, s.places, dim, ranks, loop_index(l->program, l->axes[dim]));
    return s;
}

/* sort, msort (values only: 1), argsort (places only: 2) */
static fe_status sort(lowering *l, fx_node *n, const lower_row *row)
{
    tensor x;
    uint32_t dim, rank;
    FE_TRY(begin(l, &x, &dim, &rank));
    bool descending = op_param_index(n->op, "descending") >= 0 && lower_bool(l, "descending");
    sorted s = sort_along(l, x, dim, descending);
    tensor items[2] = {s.values, s.places};
    for (uint32_t k = 0; k < 2 && rank == 0; k++) items[k] = lower_squeeze(l, items[k], 0);
    return row->parameter ? lower_give(l, items[row->parameter - 1])
                          : lower_give_items(l, items, 2);
}

static fe_status topk(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    tensor x;
    uint32_t dim, rank;
    FE_TRY(begin(l, &x, &dim, &rank));
    sorted s = sort_along(l, x, dim, lower_bool(l, "largest"));
    sym_expr k = lower_size(l, "k");
    if (sym_is_none(k)) return lower_fail(l, "a number of elements that is not known");
    tensor items[2] = {lower_slice(l, s.values, dim, l->zero, k, l->one),
                       lower_slice(l, s.places, dim, l->zero, k, l->one)};
    for (uint32_t j = 0; j < 2 && rank == 0; j++) items[j] = lower_squeeze(l, items[j], 0);
    return lower_give_items(l, items, 2);
}

/* Element `place` of each sorted row: value and place in x. */
static fe_status give_selected(lowering *l, const sorted *s, uint32_t dim, sym_expr place,
                               bool keep, uint32_t rank)
{
    tensor items[2] = {lower_select(l, s->values, dim, place),
                       lower_select(l, s->places, dim, place)};
    for (uint32_t k = 0; k < 2; k++) {
        /* An index of data makes it a value, not a view. */
        items[k] = lower_value(l, lower_dtype(items[k]), items[k].rank, items[k].sizes,
                               lower_here(l, items[k]));
        if (keep && rank) items[k] = lower_unsqueeze(l, items[k], dim);
    }
    return l->node->value.kind == FX_TUPLE ? lower_give_items(l, items, 2)
                                           : lower_give(l, items[0]);
}

static fe_status kthvalue(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    tensor x;
    uint32_t dim, rank;
    FE_TRY(begin(l, &x, &dim, &rank));
    sym_expr k = lower_size(l, "k");
    if (sym_is_none(k)) return lower_fail(l, "a position that is not known");
    sorted s = sort_along(l, x, dim, false);
    return give_selected(l, &s, dim, sym_add_int(l->symbols, k, -1), lower_bool(l, "keepdim"),
                         rank);
}

/* The lower median; any NaN wins, or with parameter 1 none counts. */
static fe_status median(lowering *l, fx_node *n, const lower_row *row)
{
    tensor x;
    uint32_t dim, rank;
    bool whole = op_param_index(n->op, "dim") < 0;
    if (whole) {
        tensor all = lower_tensor_of(l, &n->args[0]);
        sym_expr size = lower_numel(l, all);
        if (lower_is_zero(l, size)) return lower_fail(l, "the median of nothing");
        x = lower_reshape(l, all, 1, &size);
        dim = rank = 0;
        if (!lower_is_short(l, x, dim)) return lower_too_long(l, x, dim);
    } else {
        FE_TRY(begin(l, &x, &dim, &rank));
    }
    sorted s = sort_along(l, x, dim, false);
    sym_expr middle =
        sym_floordiv(l->symbols, sym_add_int(l->symbols, x.sizes[dim], -1), lower_const(l, 2));
    bool keep = !whole && lower_bool(l, "keepdim");
    if (!ty_is_floating(lower_dtype(x))) return give_selected(l, &s, dim, middle, keep, rank);
    loop_value is_nan =
        lower_op1(l, LOOP_ISNAN,
                  loop_cast(l->program, lower_compute_dtype(lower_dtype(x)), lower_here(l, x)));
    tensor nans = lower_value(l, TY_I64, x.rank, x.sizes, loop_cast(l->program, TY_I64, is_nan));
    tensor count = lower_along(l, LOOP_SUM, nans, dim, false);
    loop_value c = lower_here(l, count), size = loop_index(l->program, x.sizes[dim]),
               zero = loop_const_int(l->program, TY_I64, 0);
    loop_value place;
    if (row->parameter) {
        loop_value last = lower_op2(l, LOOP_SUB, lower_op2(l, LOOP_SUB, size, c),
                                    loop_const_int(l->program, TY_I64, 1));
        place = lower_op2(l, LOOP_MAX,
                          lower_op2(l, LOOP_FLOORDIV, last, loop_const_int(l->program, TY_I64, 2)),
                          zero);
    } else {
        loop_value any = lower_op2(l, LOOP_LT, zero, c);
        place = loop_where(l->program, any, lower_op2(l, LOOP_SUB, size, c),
                           loop_index(l->program, middle));
    }
    return give_selected(l, &s, dim, loop_indirect(l->program, place, x.sizes[dim]), keep, rank);
}

/* The place `rank` (a float) of each sorted row, between its two neighbours as `interpolation`
 * says. */
static loop_value interpolated(lowering *l, tensor values, uint32_t dim, sym_expr *at,
                               loop_value rank)
{
    loop_program *p = l->program;
    const fx_arg *a = fx_get(l->graph, l->node, "interpolation");
    const char *mode = a->kind == FX_ARG_STRING ? a->string : "linear";
    loop_value below = lower_op1(l, LOOP_FLOOR, rank), above = lower_op1(l, LOOP_CEIL, rank);
    loop_value part = lower_op2(l, LOOP_SUB, rank, below);
    if (strcmp(mode, "lower") == 0) above = below;
    if (strcmp(mode, "higher") == 0) below = above;
    if (strcmp(mode, "nearest") == 0) below = above = lower_op1(l, LOOP_ROUND, rank);
    at[dim] = loop_indirect(p, loop_cast(p, TY_I64, below), values.sizes[dim]);
    loop_value low = lower_at(l, values, at);
    at[dim] = loop_indirect(p, loop_cast(p, TY_I64, above), values.sizes[dim]);
    loop_value difference = lower_op2(l, LOOP_SUB, lower_at(l, values, at), low);
    if (strcmp(mode, "midpoint") == 0) part = loop_const_float(p, loop_at(p, low)->dtype, 0.5);
    return lower_op2(l, LOOP_ADD, low, lower_op2(l, LOOP_MUL, part, difference));
}

/* quantile: a row with NaN gives NaN; nanquantile (1) leaves them out. q's dimension comes first. */
static fe_status quantile(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    tensor x = lower_arg(l, "self"), q = lower_arg(l, "q");
    loop_program *p = l->program;
    sym_expr size = lower_numel(l, x), at[LOWER_MAX_RANK];
    bool whole = lower_is_none(l, "dim"), keep = lower_bool(l, "keepdim");
    uint32_t lead = q.rank, rank = x.rank;
    if (whole) x = lower_reshape(l, x, 1, &size);
    uint32_t dim = whole ? 0 : lower_dim(l, lower_int_or(l, "dim", 0), rank);
    ty_dtype d = lower_dtype(x);
    if (!lower_is_short(l, x, dim)) return lower_too_long(l, x, dim);
    if (d != TY_F32 && d != TY_F64) return lower_fail(l, "quantiles of %s", ty_dtype_name(d));
    sorted s = sort_along(l, x, dim, false);
    loop_value is_nan = lower_op1(l, LOOP_ISNAN, lower_here(l, x));
    tensor nans = lower_value(l, TY_I64, x.rank, x.sizes, loop_cast(p, TY_I64, is_nan));
    tensor count = lower_along(l, LOOP_SUM, nans, dim, true);
    /* Axes of the result: q's, then x's without or with size 1 at dim. */
    for (uint32_t k = 0; k < x.rank; k++)
        at[k] = k == dim ? l->zero : l->axes[lead + (whole ? 0 : k - (k > dim && !keep))];
    loop_value missing = lower_at(l, count, at),
               last = loop_index(p, sym_add_int(l->symbols, x.sizes[dim], -1));
    if (row->parameter)
        last = lower_op2(l, LOOP_MAX, lower_op2(l, LOOP_SUB, last, missing),
                         loop_const_int(p, TY_I64, 0));
    loop_value part = loop_cast(p, d, lower_at(l, q, l->axes));
    loop_value v =
        interpolated(l, s.values, dim, at, lower_op2(l, LOOP_MUL, part, loop_cast(p, d, last)));
    loop_value zero = loop_const_int(p, TY_I64, 0), bad = lower_op2(l, LOOP_LT, zero, missing);
    if (row->parameter) bad = lower_op2(l, LOOP_EQ, missing, loop_index(p, x.sizes[dim]));
    v = loop_where(p, bad, loop_const_float(p, d, (double)NAN), v);
    return lower_give(
        l, lower_value(l, out->dtype, out->rank, out->sizes, loop_cast(p, out->dtype, v)));
}

#define ORDER(op, function, parameter)                     \
    {                                                      \
        OP_##op, function, parameter, NULL, 0, NULL, false \
    }
static const lower_row ROWS[] = {
    ORDER(aten_cumsum_default, cumulate, LOOP_SUM),
    ORDER(aten_cumprod_default, cumulate, LOOP_PROD),
    ORDER(aten_cummax_default, cumulate_extreme, 1),
    ORDER(aten_cummin_default, cumulate_extreme, 0),
    ORDER(aten_logcumsumexp_default, logcumsumexp, 0),
    ORDER(aten_sort_default, sort, 0),
    ORDER(aten_sort_stable, sort, 0),
    ORDER(aten_msort_default, sort, 1),
    ORDER(aten_argsort_default, sort, 2),
    ORDER(aten_argsort_stable, sort, 2),
    ORDER(aten_topk_default, topk, 0),
    ORDER(aten_kthvalue_default, kthvalue, 0),
    ORDER(aten_quantile_default, quantile, 0),
    ORDER(aten_quantile_scalar, quantile, 0),
    ORDER(aten_nanquantile_default, quantile, 1),
    ORDER(aten_nanquantile_scalar, quantile, 1),
    ORDER(aten_median_default, median, 0),
    ORDER(aten_median_dim, median, 0),
    ORDER(aten_nanmedian_default, median, 1),
    ORDER(aten_nanmedian_dim, median, 1),
};
const lower_rows lower_order_rows = {ROWS, COUNT_OF(ROWS)};
