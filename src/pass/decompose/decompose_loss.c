/* decompose_loss.c -- losses and distances that PyTorch composes of elementwise steps: in the
 * dtypes of their operands, which wrap and round on the way. */
#include "pass/decompose/decompose_arith.h"

static fx_arg positive(decomposing *d, fx_arg x)
{
    return CALL(aten_clamp_min_default, x, decompose_of(d, 0));
}

/* x where the test holds, else zeros */
static fx_arg only_where(decomposing *d, fx_arg test, fx_arg x)
{
    return CALL(aten_where_self, test, x, CALL(aten_zeros_like_default, x));
}

static void give_reduced(decomposing *d, fx_arg term)
{
    enum { MEAN = 1, SUM = 2 };
    int64_t reduction = decompose_int(d, "reduction", MEAN);
    if (reduction == MEAN) term = CALL(aten_mean_default, term);
    if (reduction == SUM) term = CALL(aten_sum_default, term);
    decompose_give(d, term);
}

/* ---- a prediction and a target ---- */

void decompose_op_l1_loss(decomposing *d)
{
    give_reduced(d, CALL(aten_abs_default, sub(d, arg(d, "self"), arg(d, "target"))));
}

void decompose_op_soft_margin_loss(decomposing *d)
{
    fx_arg x = mul(d, CALL(aten_neg_default, arg(d, "target")), arg(d, "self"));
    give_reduced(d, CALL(aten_log1p_default, CALL(aten_exp_default, x)));
}

void decompose_op_hinge_embedding_loss(decomposing *d)
{
    fx_arg x = arg(d, "self"), target = arg(d, "target");
    const ty_tensor *t = fx_arg_tensor(&x);
    double margin = decompose_number(d, "margin", 1);
    fx_arg number =
        t && ty_is_integral(t->dtype, true) ? decompose_of(d, (int64_t)margin) : fx_float(margin);
    fx_arg far = positive(d, CALL(aten_rsub_Scalar, x, number));
    far = only_where(d, CALL(aten_ne_Scalar, target, decompose_of(d, 1)), far);
    fx_arg near = only_where(d, CALL(aten_ne_Scalar, target, decompose_of(d, -1)), x);
    give_reduced(d, add(d, far, near));
}

void decompose_op_kl_div(decomposing *d)
{
    fx_arg x = arg(d, "self"), target = arg(d, "target");
    if (decompose_flag(d, "log_target")) {
        fx_arg apart = sub(d, target, x), share = CALL(aten_exp_default, target);
        give_reduced(d, mul(d, share, apart));
    } else {
        fx_arg told = mul(d, target, x), own = CALL(aten_xlogy_Tensor, target, target);
        give_reduced(d, sub(d, own, told));
    }
}

void decompose_op_poisson_nll_loss(decomposing *d)
{
    fx_arg x = arg(d, "input"), target = arg(d, "target"), loss;
    if (decompose_flag(d, "log_input"))
        loss = sub(d, CALL(aten_exp_default, x), mul(d, target, x));
    else
        loss =
            sub(d, x,
                mul(d, target,
                    CALL(aten_log_default, add(d, x, fx_float(decompose_number(d, "eps", 1e-8))))));
    if (decompose_flag(d, "full")) {
        fx_arg angle = mul(d, target, fx_float(2 * 3.14159265358979323846));
        fx_arg stirling = sub(d, mul(d, target, CALL(aten_log_default, target)), target);
        stirling = add(d, stirling, mul(d, CALL(aten_log_default, angle), fx_float(0.5)));
        fx_arg small = CALL(aten_le_Scalar, target, decompose_of(d, 1));
        loss = add(d, loss, CALL(aten_masked_fill_Scalar, stirling, small, decompose_of(d, 0)));
    }
    give_reduced(d, loss);
}

void decompose_op_margin_ranking_loss(decomposing *d)
{
    fx_arg difference = sub(d, arg(d, "input1"), arg(d, "input2"));
    fx_arg x = mul(d, CALL(aten_neg_default, arg(d, "target")), difference);
    give_reduced(d, positive(d, add(d, x, fx_float(decompose_number(d, "margin", 0)))));
}

/* ---- vectors ---- */

static fx_arg over_dim(decomposing *d, fx_arg x, uint32_t dim)
{
    sym_expr e = sym_int(d->g->symbols, dim);
    return CALL(aten_sum_dim_IntList, x, fx_int_list(d->g, &e, 1));
}

void decompose_op_cosine_embedding_loss(decomposing *d)
{
    const double eps = 1e-12;
    fx_arg a = arg(d, "input1"), b = arg(d, "input2"), target = arg(d, "target");
    uint32_t dim = rank_of(target) ? 1 : 0;
    fx_arg dot = over_dim(d, mul(d, a, b), dim);
    fx_arg size_a = add(d, over_dim(d, mul(d, a, a), dim), fx_float(eps));
    fx_arg size_b = add(d, over_dim(d, mul(d, b, b), dim), fx_float(eps));
    fx_arg cosine = quotient(d, dot, CALL(aten_sqrt_default, mul(d, size_a, size_b)));
    fx_arg near = from_number(d, 1, cosine);
    fx_arg far = positive(d, sub(d, cosine, fx_float(decompose_number(d, "margin", 0))));
    near = only_where(d, CALL(aten_eq_Scalar, target, decompose_of(d, 1)), near);
    far = only_where(d, CALL(aten_eq_Scalar, target, decompose_of(d, -1)), far);
    give_reduced(d, add(d, near, far));
}

/* The norm of the difference along the last dimension. */
static fx_arg distance(decomposing *d, fx_arg a, fx_arg b, bool keep)
{
    fx_arg difference = add(d, sub(d, a, b), fx_float(decompose_number(d, "eps", 1e-6)));
    uint32_t rank = rank_of(difference);
    sym_expr last = sym_int(d->g->symbols, rank ? rank - 1 : 0);
    return CALL(aten_norm_ScalarOpt_dim, difference, fx_float(decompose_number(d, "p", 2)),
                fx_int_list(d->g, &last, 1), fx_bool(keep));
}

void decompose_op_pairwise_distance(decomposing *d)
{
    decompose_give(d, distance(d, arg(d, "x1"), arg(d, "x2"), decompose_flag(d, "keepdim")));
}

void decompose_op_triplet_margin_loss(decomposing *d)
{
    fx_arg anchor = arg(d, "anchor"), near = arg(d, "positive"), far = arg(d, "negative");
    fx_arg to_near = distance(d, anchor, near, false), to_far = distance(d, anchor, far, false);
    if (decompose_flag(d, "swap"))
        to_far = CALL(aten_minimum_default, to_far, distance(d, near, far, false));
    fx_arg x = add(d, to_near, fx_float(decompose_number(d, "margin", 1)));
    give_reduced(d, positive(d, sub(d, x, to_far)));
}

/* Both operands over their lengths, at least eps. */
void decompose_op_cosine_similarity(decomposing *d)
{
    fx_arg sides[2] = {arg(d, "x1"), arg(d, "x2")};
    ty_dtype dtype = fx_tensor(d->n)->dtype;
    uint32_t rank = rank_of(sides[0]) > rank_of(sides[1]) ? rank_of(sides[0]) : rank_of(sides[1]);
    uint32_t dim = decompose_dim(d, decompose_int(d, "dim", 1), rank);
    sym_expr e = sym_int(d->g->symbols, dim);
    fx_arg both = CALL(aten_broadcast_tensors_default, fx_list(d->g, sides, 2));
    for (uint32_t k = 0; k < 2; k++) {
        fx_arg x = CALL(operator_getitem, both, decompose_of(d, k));
        if (fx_arg_tensor(&x) && fx_arg_tensor(&x)->dtype != dtype)
            x = CALL(aten__to_copy_default, x, fx_dtype(dtype));
        fx_arg length = CALL(aten_linalg_vector_norm_default, x, decompose_of(d, 2),
                             fx_int_list(d->g, &e, 1), fx_bool(true));
        length = CALL(aten_clamp_min_default, length, fx_float(decompose_number(d, "eps", 1e-8)));
        sides[k] = quotient(d, x, length);
    }
    decompose_give(d, over_dim(d, mul(d, sides[0], sides[1]), dim));
}

void decompose_op_dist(decomposing *d)
{
    fx_arg difference = sub(d, arg(d, "self"), arg(d, "other"));
    decompose_give(d, CALL(aten_norm_Scalar, difference, fx_float(decompose_number(d, "p", 2))));
}

/* Slices along dim whose norm is above maxnorm are scaled down to it. */
void decompose_op_renorm(decomposing *d)
{
    fx_arg x = arg(d, "self"), one = decompose_of(d, 1);
    const ty_tensor *t = fx_arg_tensor(&x);
    uint32_t dim = decompose_dim(d, decompose_int(d, "dim", 0), t->rank), count = 0;
    sym_expr dims[TY_MAX_RANK];
    for (uint32_t k = 0; k < t->rank; k++)
        if (k != dim) dims[count++] = sym_int(d->g->symbols, k);
    bool half = ty_is_half(t->dtype);
    fx_arg most = fx_float(decompose_number(d, "maxnorm", 1));
    fx_arg norm =
        CALL(aten_linalg_vector_norm_default, x, fx_float(decompose_number(d, "p", 2)),
             fx_int_list(d->g, dims, count), fx_bool(true), half ? fx_dtype(TY_F32) : fx_none());
    fx_arg factor = CALL(aten_reciprocal_default, add(d, norm, fx_float(1e-7)));
    factor =
        CALL(aten_where_ScalarOther, CALL(aten_gt_Scalar, norm, most), mul(d, factor, most), one);
    if (half) factor = CALL(aten__to_copy_default, factor, fx_dtype(t->dtype));
    decompose_give(d, mul(d, x, factor));
}

/* By one product: |a|^2 - 2 a b + |b|^2, as rows [-2 a, |a|^2, 1] by [b, 1, |b|^2]. */
void decompose_op_euclidean_distances(decomposing *d)
{
    fx_arg a = arg(d, "x1"), b = arg(d, "x2"), last = decompose_of(d, -1);
    fx_arg size_a = summed(d, mul(d, a, a), -1, true), size_b = summed(d, mul(d, b, b), -1, true);
    fx_arg left[] = {mul(d, a, decompose_of(d, -2)), size_a, CALL(aten_ones_like_default, size_a)};
    fx_arg right[] = {b, CALL(aten_ones_like_default, size_b), size_b};
    fx_arg turned = CALL(aten_transpose_int, CALL(aten_cat_default, fx_list(d->g, right, 3), last),
                         decompose_of(d, -2), last);
    fx_arg square =
        CALL(aten_matmul_default, CALL(aten_cat_default, fx_list(d->g, left, 3), last), turned);
    decompose_give(d, CALL(aten_sqrt_default, positive(d, square)));
}

/* Row r is the first of rows - 1 - r pairs: pair k is of the row whose pairs end behind k. */
static void found_pairs(decomposing *d, sym_expr rows, sym_expr count, fx_arg *sides)
{
    sym_expr last = sym_add_int(d->g->symbols, rows, -1);
    fx_arg zero = decompose_of(d, 0), one = decompose_of(d, 1), k = counted(d, count);
    fx_arg lengths = CALL(aten_rsub_Scalar, counted(d, rows), fx_expr(last));
    fx_arg ends = CALL(aten_cumsum_default, lengths, zero);
    sides[0] = CALL(aten_searchsorted_Tensor, ends, k, fx_bool(false), fx_bool(true));
    /* Its pairs end with the last row: from there back to pair k. */
    fx_arg back = sub(d, CALL(aten_index_select_default, ends, zero, sides[0]), k);
    sides[1] = CALL(aten_rsub_Scalar, back, fx_expr(rows), one);
}

void decompose_pairs(decomposing *d, sym_expr rows, sym_expr count, fx_arg *sides)
{
    int64_t known;
    if (!sym_is_int(d->g->symbols, rows, &known)) {
        found_pairs(d, rows, count, sides);
        return;
    }
    fx_arg all = decompose_of(d, known);
    fx_arg pairs = CALL(aten_triu_indices_default, all, all, decompose_of(d, 1));
    for (int64_t k = 0; k < 2; k++)
        sides[k] = CALL(aten_select_int, pairs, decompose_of(d, 0), decompose_of(d, k));
}

/* Between each pair of rows. */
void decompose_op_pair_distances(decomposing *d)
{
    fx_arg x = arg(d, "self"), sides[2];
    sym_expr last = sym_int(d->g->symbols, -1);
    decompose_pairs(d, fx_arg_tensor(&x)->sizes[0], fx_tensor(d->n)->sizes[0], sides);
    for (int k = 0; k < 2; k++)
        sides[k] = CALL(aten_index_select_default, x, decompose_of(d, 0), sides[k]);
    decompose_give(d, CALL(aten_linalg_vector_norm_default, sub(d, sides[0], sides[1]),
                           fx_float(decompose_number(d, "p", 2)), fx_int_list(d->g, &last, 1)));
}
