/* decompose_calculus.c -- integrals and derivatives of sampled functions. */
#include "pass/decompose/decompose.h"

#define REST INT64_MAX

static const ty_tensor *tensor_of(const fx_arg *a)
{
    return fx_arg_tensor(a);
}

/* x along dim, its neighbours to the right minus those to the left. */
static fx_arg steps(decomposing *d, fx_arg x, uint32_t dim)
{
    return CALL(aten_sub_Tensor, decompose_slice(d, x, dim, 1, REST),
                decompose_slice(d, x, dim, 0, -1));
}

/* A row of numbers along dimension `dim` of `rank`. */
static fx_arg along(decomposing *d, fx_arg row, uint32_t dim, uint32_t rank)
{
    sym_expr sizes[TY_MAX_RANK];
    const ty_tensor *t = tensor_of(&row);
    if (!t) return row;
    for (uint32_t k = 0; k < rank; k++)
        sizes[k] = k == dim ? t->sizes[0] : sym_int(d->g->symbols, 1);
    return CALL(aten_view_default, row, fx_int_list(d->g, sizes, rank));
}

/* The widths of the steps that the argument x says, to be multiplied with neighbours' sums. */
static fx_arg widths(decomposing *d, const ty_tensor *y, uint32_t dim)
{
    fx_arg x = *decompose_arg(d, "x");
    const ty_tensor *t = tensor_of(&x);
    if (!t) return fx_none();
    if (t->rank == 1) return steps(d, along(d, x, dim, y->rank), dim);
    for (uint32_t k = t->rank; k < y->rank; k++)
        x = CALL(aten_unsqueeze_default, x, decompose_of(d, 0));
    return steps(d, x, dim);
}

static fx_arg neighbours(decomposing *d, fx_arg y, uint32_t dim)
{
    return CALL(aten_add_Tensor, decompose_slice(d, y, dim, 0, -1),
                decompose_slice(d, y, dim, 1, REST));
}

static fx_arg dims_of(decomposing *d, uint32_t dim)
{
    sym_expr e = sym_int(d->g->symbols, dim);
    return fx_int_list(d->g, &e, 1);
}

/* dx (sum of y - half of its ends), or half the sum of neighbours by the widths between them */
void decompose_op_trapezoid(decomposing *d)
{
    fx_arg y = *decompose_arg(d, "y");
    const ty_tensor *t = tensor_of(&y);
    uint32_t dim = decompose_dim(d, decompose_int(d, "dim", -1), t->rank);
    int64_t size;
    bool empty = sym_is_int(d->g->symbols, t->sizes[dim], &size) && size == 0;
    fx_arg sum = CALL(aten_sum_dim_IntList, y, dims_of(d, dim));
    if (empty) {
        fx_arg zeros = CALL(aten_zeros_like_default, sum);
        decompose_give(d, CALL(aten__to_copy_default, zeros, fx_dtype(fx_tensor(d->n)->dtype)));
        return;
    }
    if (decompose_arg(d, "x")) {
        fx_arg parts = CALL(aten_mul_Tensor, neighbours(d, y, dim), widths(d, t, dim));
        sum = CALL(aten_sum_dim_IntList, parts, dims_of(d, dim));
        decompose_give(d, CALL(aten_div_Tensor, sum, fx_float(2)));
        return;
    }
    fx_arg ends =
        CALL(aten_add_Tensor, CALL(aten_select_int, y, decompose_of(d, dim), decompose_of(d, 0)),
             CALL(aten_select_int, y, decompose_of(d, dim), decompose_of(d, -1)));
    sum = CALL(aten_sub_Tensor, sum, CALL(aten_mul_Tensor, ends, fx_float(0.5)));
    decompose_give(d, CALL(aten_mul_Tensor, sum, fx_float(decompose_number(d, "dx", 1))));
}

void decompose_op_cumulative_trapezoid(decomposing *d)
{
    fx_arg y = *decompose_arg(d, "y"), parts;
    const ty_tensor *t = tensor_of(&y);
    uint32_t dim = decompose_dim(d, decompose_int(d, "dim", -1), t->rank);
    if (decompose_arg(d, "x")) {
        parts = CALL(aten_mul_Tensor, widths(d, t, dim), neighbours(d, y, dim));
        parts = CALL(aten_cumsum_default, parts, decompose_of(d, dim));
        decompose_give(d, CALL(aten_div_Tensor, parts, fx_float(2)));
        return;
    }
    double half = decompose_number(d, "dx", 1) / 2;
    parts = CALL(aten_mul_Tensor, neighbours(d, y, dim), fx_float(half));
    decompose_give(d, CALL(aten_cumsum_default, parts, decompose_of(d, dim)));
}

/* ---- gradient ---- */

typedef struct axis {
    fx_arg x;
    uint32_t dim;
    bool second; /* order at the edges */
} axis;

static fx_arg plus(decomposing *d, fx_arg a, fx_arg b)
{
    return CALL(aten_add_Tensor, a, b);
}
static fx_arg minus(decomposing *d, fx_arg a, fx_arg b)
{
    return CALL(aten_sub_Tensor, a, b);
}
static fx_arg times(decomposing *d, fx_arg a, fx_arg b)
{
    return CALL(aten_mul_Tensor, a, b);
}
static fx_arg over(decomposing *d, fx_arg a, fx_arg b)
{
    return CALL(aten_div_Tensor, a, b);
}

static fx_arg at(decomposing *d, const axis *a, int64_t start, int64_t end)
{
    return decompose_slice(d, a->x, a->dim, start, end);
}

/* f x[first] + g x[first + 1] + h x[first + 2], each an element along the axis */
static fx_arg blend(decomposing *d, const axis *a, int64_t first, const fx_arg *factors)
{
    fx_arg sum = {0};
    for (int64_t k = 0; k < 3; k++) {
        int64_t end = first + k + 1;
        fx_arg term = times(d, at(d, a, first + k, end == 0 ? REST : end), factors[k]);
        sum = k ? plus(d, sum, term) : term;
    }
    return sum;
}

static fx_arg joined(decomposing *d, const axis *a, fx_arg first, fx_arg middle, fx_arg last)
{
    fx_arg parts[] = {first, middle, last};
    return CALL(aten_cat_default, fx_list(d->g, parts, 3), decompose_of(d, a->dim));
}

/* Samples at one distance. */
static fx_arg even_slopes(decomposing *d, const axis *a, fx_arg distance)
{
    static const double LEFT[] = {-1.5, 2, -0.5}, RIGHT[] = {0.5, -2, 1.5};
    fx_arg middle =
        over(d, over(d, minus(d, at(d, a, 2, REST), at(d, a, 0, -2)), distance), fx_float(2));
    fx_arg first = minus(d, at(d, a, 1, 2), at(d, a, 0, 1)),
           last = minus(d, at(d, a, -1, REST), at(d, a, -2, -1));
    if (a->second) {
        fx_arg left[3], right[3];
        for (int k = 0; k < 3; k++) {
            left[k] = fx_float(LEFT[k]);
            right[k] = fx_float(RIGHT[k]);
        }
        first = blend(d, a, 0, left);
        last = blend(d, a, -3, right);
    }
    return joined(d, a, over(d, first, distance), middle, over(d, last, distance));
}

/* The second-order weights of three samples whose distances are p and q, for the slope at the
 * first; exchanged and negated, at the last. */
static void edge_weights(decomposing *d, fx_arg p, fx_arg q, bool at_last, fx_arg *out)
{
    double direction = at_last ? 1 : -1;
    fx_arg both = plus(d, p, q), sign = fx_float(direction);
    fx_arg twice = plus(d, times(d, p, fx_float(2)), q);
    fx_arg near = times(d, over(d, twice, times(d, p, both)), sign);
    fx_arg middle = times(d, over(d, both, times(d, p, q)), fx_float(-direction));
    fx_arg far = times(d, over(d, p, times(d, q, both)), sign);
    out[0] = at_last ? far : near;
    out[1] = middle;
    out[2] = at_last ? near : far;
}

/* Samples at the places that a row of coordinates says. */
static fx_arg uneven_slopes(decomposing *d, const axis *a, fx_arg row)
{
    const ty_tensor *t = tensor_of(&a->x);
    fx_arg gaps = t ? steps(d, along(d, row, a->dim, t->rank), a->dim) : fx_none();
    axis g = {.x = gaps, .dim = a->dim};
    fx_arg p = at(d, &g, 0, -1), q = at(d, &g, 1, REST), both = plus(d, p, q);
    fx_arg left = over(d, q, times(d, p, both)), right = over(d, p, times(d, q, both));
    fx_arg centre = over(d, minus(d, q, p), times(d, p, q));
    fx_arg middle = minus(d, times(d, at(d, a, 1, -1), centre), times(d, at(d, a, 0, -2), left));
    middle = plus(d, middle, times(d, at(d, a, 2, REST), right));
    fx_arg first, last, weights[3];
    if (a->second) {
        edge_weights(d, at(d, &g, 0, 1), at(d, &g, 1, 2), false, weights);
        first = blend(d, a, 0, weights);
        edge_weights(d, at(d, &g, -1, REST), at(d, &g, -2, -1), true, weights);
        last = blend(d, a, -3, weights);
    } else {
        first = over(d, minus(d, at(d, a, 1, 2), at(d, a, 0, 1)), at(d, &g, 0, 1));
        last = over(d, minus(d, at(d, a, -1, REST), at(d, a, -2, -1)), at(d, &g, -1, REST));
    }
    return joined(d, a, first, middle, last);
}

/* The spacing of the k-th dimension asked for: a number, or coordinates. */
static fx_arg spacing_of(decomposing *d, uint32_t k)
{
    const fx_arg *a = decompose_arg(d, "spacing");
    if (!a) return fx_float(1);
    if (a->kind != FX_ARG_LIST) return *a;
    return a->list.items[a->list.count == 1 ? 0 : k];
}

void decompose_op_gradient(decomposing *d)
{
    fx_arg x = *decompose_arg(d, "self");
    const fx_arg *dim = decompose_arg(d, "dim");
    uint32_t rank = tensor_of(&x)->rank, count = rank, dims[TY_MAX_RANK];
    sym_expr given[TY_MAX_RANK];
    int listed = dim ? fx_arg_ints(d->g, dim, given, TY_MAX_RANK) : 0;
    for (uint32_t k = 0; k < rank; k++) dims[k] = k;
    if (listed > 0) count = (uint32_t)listed;
    for (uint32_t k = 0; k < count && listed > 0; k++) {
        int64_t number;
        if (!sym_is_int(d->g->symbols, given[k], &number)) {
            decompose_fail(d, "a dimension that is not known");
            return;
        }
        dims[k] = decompose_dim(d, number, rank);
    }
    bool second = decompose_int(d, "edge_order", 1) == 2;
    for (uint32_t k = 0; k < count && d->status == FE_OK; k++) {
        axis a = {x, dims[k], second};
        fx_arg spacing = spacing_of(d, k);
        decompose_give(d, tensor_of(&spacing) ? uneven_slopes(d, &a, spacing)
                                              : even_slopes(d, &a, spacing));
    }
}
