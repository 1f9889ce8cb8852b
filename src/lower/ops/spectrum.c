/* spectrum.c -- eigenvalues and singular values, and what PyTorch makes of them: pseudo-inverses,
 * ranks, matrix norms, condition numbers. */
#include "lower/ops/linalg.h"
#include "lower/rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

static uint32_t results_of(const fx_node *n)
{
    return n->value.kind == FX_TUPLE ? n->value.count : 1;
}

static bool is_string(const fx_arg *a, const char *word)
{
    return a->kind == FX_ARG_STRING && strcmp(a->string, word) == 0;
}

/* ---- eigenvalues ---- */

/* eigh and _linalg_eigh (1), eigvalsh (0) */
fe_status lower_op_eigh(lowering *l, fx_node *n, const lower_row *row)
{
    const fx_arg *triangle = fx_get(l->graph, n, "UPLO");
    bool upper = triangle->kind == FX_ARG_STRING && strchr("Uu", triangle->string[0]);
    bool vectors =
        row->parameter && (op_param_index(n->op, "compute_v") < 0 || lower_bool(l, "compute_v"));
    lower_eigen e = lower_eigh(l, lower_first_arg(l), upper, vectors);
    tensor items[] = {e.values, e.vectors};
    return lower_give_factors(l, items, results_of(n));
}

fe_status lower_op_eig(lowering *l, fx_node *n, const lower_row *row)
{
    lower_eigen e = lower_eig(l, lower_first_arg(l), row->parameter);
    tensor items[] = {e.values, e.vectors};
    return lower_give_factors(l, items, results_of(n));
}

/* ---- singular values ---- */

static tensor singular_values(lowering *l, tensor x)
{
    return lower_svd_factor(l, x, LOWER_NO_VECTORS).s;
}

fe_status lower_op_svdvals(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    return lower_give_as_recorded(l, singular_values(l, lower_first_arg(l)));
}

fe_status lower_op_linalg_svd(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    bool vectors = op_param_index(n->op, "compute_uv") < 0 || lower_bool(l, "compute_uv");
    lower_svd f = lower_svd_factor(l, lower_first_arg(l),
                                   !vectors                         ? LOWER_NO_VECTORS
                                   : lower_bool(l, "full_matrices") ? LOWER_ALL_VECTORS
                                                                    : LOWER_SOME_VECTORS);
    tensor items[] = {f.u, f.s, f.vh};
    return lower_give_factors(l, items, 3);
}

/* The old form gives V itself, and zeros where no vectors are wanted. */
fe_status lower_op_svd(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    lower_svd f = lower_svd_factor(l, lower_first_arg(l),
                                   !lower_bool(l, "compute_uv") ? LOWER_NO_VECTORS
                                   : lower_bool(l, "some")      ? LOWER_SOME_VECTORS
                                                                : LOWER_ALL_VECTORS);
    tensor items[] = {f.u, f.s, lower_absent(f.vh) ? f.vh : lower_adjoint(l, f.vh)};
    return lower_give_factors(l, items, 3);
}

/* ---- what counts as zero ---- */

static double epsilon(ty_dtype d)
{
    return d == TY_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
}

/* A tolerance among the arguments, as a number for each matrix, in double; absent when it is not
 * given. */
static tensor given_tolerance(lowering *l, const char *param)
{
    tensor none = {0};
    if (op_param_index(l->node->op, param) < 0 || lower_is_none(l, param)) return none;
    tensor t = lower_arg(l, param);
    return lower_cast(l, t, TY_F64);
}

/* The default relative tolerance: eps times the larger size. */
static tensor default_tolerance(lowering *l, tensor x)
{
    loop_program *p = l->program;
    sym_expr most = sym_max(l->symbols, x.sizes[x.rank - 2], x.sizes[x.rank - 1]);
    loop_value size = loop_cast(p, TY_F64, loop_index(p, most));
    double eps = epsilon(ty_complex_to_real(lower_dtype(x)));
    return lower_value(l, TY_F64, 0, NULL,
                       lower_op2(l, LOOP_MUL, size, loop_const_float(p, TY_F64, eps)));
}

/* Which of these values of x's (the last dim; not negative) are not zero: above an absolute
 * tolerance and above a relative one times the greatest of them. Where only an absolute one above
 * 0 is given, there is no relative one. `relative`: the parameter that names it; `absolute` may be
 * NULL. */
static tensor above_tolerance(lowering *l, tensor x, tensor values, const char *absolute,
                              const char *relative)
{
    tensor zero = lower_number(l, TY_F64, 0);
    tensor atol = absolute ? given_tolerance(l, absolute) : (tensor){0};
    tensor rtol = relative ? given_tolerance(l, relative) : zero;
    if (lower_absent(rtol)) {
        rtol = default_tolerance(l, x);
        if (!lower_absent(atol)) rtol = T_IF(T_LESS(zero, atol), zero, rtol);
    }
    if (lower_absent(atol)) atol = zero;
    lower_share(l, values);
    tensor wide = lower_cast(l, values, TY_F64);
    tensor most = lower_along(l, LOOP_REDUCE_MAX, wide, values.rank - 1, true);
    tensor least = T_MAX(lower_unsqueeze(l, atol, atol.rank),
                         T_MUL(lower_unsqueeze(l, rtol, rtol.rank), most));
    return T_LESS(least, wide);
}

/* ---- pseudo-inverse and rank ---- */

/* Parameters that name the absolute and the relative tolerance, for each operator's. */
typedef struct tolerance_names {
    const char *absolute, *relative;
} tolerance_names;
static const tolerance_names TOLERANCES[] = {
    [BY_BOTH] = {"atol", "rtol"}, [BY_RCOND] = {NULL, "rcond"}, [BY_TOL] = {"tol", NULL}};

/* 1 / x where it counts as more than zero, else 0. */
static tensor pseudo_reciprocal(lowering *l, tensor x, tensor values, tolerance_names names)
{
    tensor size = T_ABS(values),
           is_more = above_tolerance(l, x, size, names.absolute, names.relative);
    tensor inverse = lower_unary(l, LOOP_RECIP, values);
    return lower_cast(l, T_IF(is_more, inverse, T_NUM(inverse, 0)), lower_dtype(x));
}

fe_status lower_op_pinv(lowering *l, fx_node *n, const lower_row *row)
{
    tensor x = lower_first_arg(l), left, right, values;
    const ty_tensor *out = fx_tensor(n);
    if (lower_is_empty(l, x))
        return lower_give(l, lower_zero_tensor(l, out->dtype, out->rank, out->sizes));
    if (op_param_index(n->op, "hermitian") >= 0 && lower_bool(l, "hermitian")) {
        lower_eigen e = lower_eigh(l, x, false, true);
        left = right = e.vectors;
        values = e.values;
    } else {
        lower_svd f = lower_svd_factor(l, x, LOWER_SOME_VECTORS);
        left = lower_adjoint(l, f.vh);
        right = f.u;
        values = f.s;
    }
    tensor scales = pseudo_reciprocal(l, x, values, TOLERANCES[row->parameter]);
    return lower_give_as_recorded(
        l, lower_product(l, lower_scaled_columns(l, left, scales), lower_adjoint(l, right)));
}

fe_status lower_op_matrix_rank(lowering *l, fx_node *n, const lower_row *row)
{
    tensor x = lower_first_arg(l), values;
    const ty_tensor *out = fx_tensor(n);
    tolerance_names names = TOLERANCES[row->parameter];
    if (lower_is_empty(l, x))
        return lower_give(l, lower_zero_tensor(l, TY_I64, out->rank, out->sizes));
    values = lower_bool(l, "hermitian") ? T_ABS(lower_eigh(l, x, false, false).values)
                                        : singular_values(l, x);
    tensor counted = above_tolerance(l, x, values, names.absolute, names.relative);
    return lower_give_as_recorded(
        l, lower_along(l, LOOP_SUM, lower_cast(l, counted, TY_I64), counted.rank - 1, false));
}

/* ---- norms ---- */

typedef enum norm_kind { NORM_FROBENIUS, NORM_NUCLEAR, NORM_SPECTRAL, NORM_SUMS } norm_kind;
/* A matrix norm: of singular values the sum, the greatest or the least; or the greatest or least
 * sum of absolute values down a column or along a row. */
typedef struct norm_order {
    norm_kind kind;
    bool greatest, along_rows;
} norm_order;

static bool read_order(lowering *l, const fx_arg *a, norm_order *out)
{
    double number;
    *out = (norm_order){.kind = NORM_FROBENIUS};
    if (a->kind == FX_ARG_NONE || is_string(a, "fro")) return true;
    out->kind = NORM_NUCLEAR;
    if (is_string(a, "nuc")) return true;
    if (!fx_arg_number(l->graph, a, &number)) return false;
    *out = (norm_order){.kind = fabs(number) == 2 ? NORM_SPECTRAL : NORM_SUMS,
                        .greatest = number > 0,
                        .along_rows = isinf(number) != 0};
    return fabs(number) == 1 || fabs(number) == 2 || isinf(number);
}

/* x with dims a and b last, in this order. */
static tensor with_last(lowering *l, tensor x, uint32_t a, uint32_t b)
{
    uint32_t order[LOWER_MAX_RANK], next = 0;
    for (uint32_t k = 0; k < x.rank; k++)
        if (k != a && k != b) order[next++] = k;
    order[next++] = a;
    order[next++] = b;
    return lower_permute(l, x, order);
}

static tensor without_kept(lowering *l, tensor x, uint32_t a, uint32_t b)
{
    x = lower_squeeze(l, x, a > b ? a : b);
    return lower_squeeze(l, x, a > b ? b : a);
}

/* The greatest of what is not negative, 0 of nothing. */
static tensor extreme_of(lowering *l, tensor x, bool greatest, uint32_t dim, bool keep)
{
    tensor found = lower_along(l, greatest ? LOOP_REDUCE_MAX : LOOP_REDUCE_MIN, x, dim, keep);
    return greatest ? T_MAX(found, T_NUM(found, 0)) : found;
}

/* Over dims a (rows) and b (columns), which stay with size 1. */
static tensor norm_of(lowering *l, tensor x, norm_order order, uint32_t a, uint32_t b)
{
    bool reduced[LOWER_MAX_RANK] = {false};
    reduced[a] = reduced[b] = true;
    if (order.kind == NORM_FROBENIUS) return lower_norm(l, x, 2, reduced, true);
    if (order.kind == NORM_SUMS) {
        tensor sums = lower_along(l, LOOP_SUM, T_ABS(x), order.along_rows ? b : a, true);
        return extreme_of(l, sums, order.greatest, order.along_rows ? a : b, true);
    }
    tensor values = singular_values(l, with_last(l, x, a, b));
    uint32_t last = values.rank - 1;
    tensor norm = order.kind == NORM_NUCLEAR ? lower_along(l, LOOP_SUM, values, last, false)
                                             : extreme_of(l, values, order.greatest, last, false);
    norm = lower_unsqueeze(l, norm, a < b ? a : b);
    return lower_unsqueeze(l, norm, a < b ? b : a);
}

/* An operand in the dtype that the norm is asked in, complex where it is. */
static tensor norm_operand(lowering *l, tensor x)
{
    ty_dtype out = lower_compute_dtype(lower_meta(l, 0)->dtype);
    return lower_cast(l, x, ty_is_complex(lower_dtype(x)) ? ty_real_to_complex(out) : out);
}

/* matrix_norm, nuclear_norm: the dims are the last two where none are named. */
fe_status lower_op_matrix_norm(lowering *l, fx_node *n, const lower_row *row)
{
    norm_order order = {.kind = NORM_NUCLEAR};
    tensor x = norm_operand(l, lower_first_arg(l));
    int64_t dims[2] = {-2, -1};
    if (row->parameter && !read_order(l, fx_get(l->graph, n, "ord"), &order))
        return lower_fail(l, "a matrix norm of this order");
    if (op_param_index(n->op, "dim") >= 0 && !lower_is_none(l, "dim") &&
        lower_constants(l, "dim", dims, 2) != 2)
        return lower_fail(l, "a matrix norm that is not over two dims");
    uint32_t a = lower_dim(l, dims[0], x.rank), b = lower_dim(l, dims[1], x.rank);
    tensor norm = norm_of(l, x, order, a, b);
    return lower_give_as_recorded(l, lower_bool(l, "keepdim") ? norm : without_kept(l, norm, a, b));
}

/* linalg.norm: of a vector over one dim, or over all of them where no order is given; else of a
 * matrix. */
fe_status lower_op_norm(lowering *l, fx_node *n, const lower_row *row)
{
    const fx_arg *given = fx_get(l->graph, n, "ord");
    tensor x = norm_operand(l, lower_first_arg(l));
    bool keep = lower_bool(l, "keepdim"), reduced[LOWER_MAX_RANK];
    uint32_t count = 0, at[LOWER_MAX_RANK];
    int64_t dims[LOWER_MAX_RANK];
    norm_order order;
    int named = lower_constants(l, "dim", dims, LOWER_MAX_RANK);
    (void)row;
    if (!lower_dims(l, "dim", x.rank, reduced))
        return lower_fail(l, "a norm over dims that are not constants");
    for (uint32_t k = 0; k < x.rank; k++)
        if (reduced[k]) at[count++] = k;
    bool is_vector = given->kind == FX_ARG_NONE || (given->kind != FX_ARG_STRING && count < 2);
    if (is_vector) {
        double p = lower_number_or(l, "ord", 2);
        return lower_give_as_recorded(l, lower_norm(l, x, p, reduced, keep));
    }
    if (count != 2 || !read_order(l, given, &order))
        return lower_fail(l, "a matrix norm of this order, or not over two dims");
    uint32_t a = named == 2 ? lower_dim(l, dims[0], x.rank) : at[0];
    uint32_t b = named == 2 ? lower_dim(l, dims[1], x.rank) : at[1];
    tensor result = norm_of(l, x, order, a, b);
    return lower_give_as_recorded(l, keep ? result : without_kept(l, result, a, b));
}

/* ---- condition numbers ---- */

static tensor last_value(lowering *l, tensor x, bool first)
{
    sym_expr end = sym_add_int(l->symbols, x.sizes[x.rank - 1], -1);
    return lower_select(l, x, x.rank - 1, first ? l->zero : end);
}

/* The norm of a matrix times that of its inverse, infinite where there is none. */
static tensor condition_by_inverse(lowering *l, tensor x, norm_order order)
{
    lower_solution s = lower_inverse(l, x);
    tensor info = lower_unsqueeze(l, lower_unsqueeze(l, s.factors.info, x.rank - 2), x.rank - 1);
    loop_value none = loop_const_int(l->program, TY_I32, 0);
    loop_value v = lower_op2(l, LOOP_LT, none, lower_here(l, info));
    tensor singular = lower_value(l, TY_BOOL, info.rank, info.sizes, v);
    tensor inverse = T_IF(singular, T_NUM(x, (double)INFINITY), s.x);
    uint32_t a = x.rank - 2, b = x.rank - 1;
    lower_share(l, inverse);
    tensor product = T_MUL(norm_of(l, x, order, a, b), norm_of(l, inverse, order, a, b));
    tensor is_nan = lower_unary(l, LOOP_ISNAN, product);
    return without_kept(l, T_IF(is_nan, T_NUM(product, (double)INFINITY), product), a, b);
}

fe_status lower_op_condition(lowering *l, fx_node *n, const lower_row *row)
{
    const fx_arg *given = fx_get(l->graph, n, "p");
    tensor x = lower_first_arg(l);
    const ty_tensor *out = fx_tensor(n);
    norm_order order = {.kind = NORM_SPECTRAL, .greatest = true};
    (void)row;
    if (given->kind != FX_ARG_NONE && !read_order(l, given, &order))
        return lower_fail(l, "a condition number of this norm");
    if (lower_is_empty(l, x))
        return lower_give(l, lower_zero_tensor(l, out->dtype, out->rank, out->sizes));
    if (order.kind != NORM_SPECTRAL && order.kind != NORM_NUCLEAR)
        return lower_give_as_recorded(l, condition_by_inverse(l, x, order));
    tensor s = singular_values(l, x);
    if (order.kind == NORM_SPECTRAL)
        return lower_give_as_recorded(
            l, T_DIV(last_value(l, s, order.greatest), last_value(l, s, !order.greatest)));
    tensor sum = lower_along(l, LOOP_SUM, s, s.rank - 1, false);
    tensor inverses = lower_along(l, LOOP_SUM, lower_unary(l, LOOP_RECIP, s), s.rank - 1, false);
    return lower_give_as_recorded(l, T_MUL(sum, inverses));
}
