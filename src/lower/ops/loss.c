/* loss.c -- loss functions: an elementwise term, reduced as the argument `reduction` says (0 none,
 * 1 mean, 2 sum). */
#include "lower/compose.h"
#include "lower/rows.h"

#include <math.h>
#include <string.h>

static tensor arg(lowering *l, const char *param)
{
    return lower_computed_arg(l, param);
}

static double number(lowering *l, const char *param, double fallback)
{
    return lower_number_or(l, param, fallback);
}

static fe_status reduced_loss(lowering *l, tensor term)
{
    int64_t reduction = lower_int_or(l, "reduction", 1);
    if (reduction == 0) return lower_give_as_recorded(l, term);
    tensor sum = lower_total(l, LOOP_SUM, term);
    if (reduction == 2) return lower_give_as_recorded(l, sum);
    ty_dtype d = lower_dtype(term);
    loop_value count = loop_cast(l->program, d, loop_index(l->program, lower_numel(l, term)));
    return lower_give_as_recorded(l, T_DIV(sum, lower_value(l, d, 0, NULL, count)));
}

/* ---- a prediction and a target ---- */

static tensor squared(lowering *l, tensor a, tensor b)
{
    tensor difference = T_SUB(a, b);
    return T_MUL(difference, difference);
}

static tensor smooth_l1(lowering *l, tensor a, tensor b)
{
    double beta = number(l, "beta", 1);
    tensor z = T_ABS(T_SUB(a, b));
    if (beta == 0) return z;
    tensor near = lower_scale(l, T_MUL(z, z), 0.5 / beta);
    return T_IF(T_LESS(z, T_NUM(z, beta)), near, T_SUB(z, T_NUM(z, 0.5 * beta)));
}

static tensor huber(lowering *l, tensor a, tensor b)
{
    double delta = number(l, "delta", 1);
    tensor z = T_ABS(T_SUB(a, b));
    tensor far = lower_scale(l, T_SUB(z, T_NUM(z, 0.5 * delta)), delta);
    return T_IF(T_LESS_EQUAL(z, T_NUM(z, delta)), lower_scale(l, T_MUL(z, z), 0.5), far);
}

static tensor binary_cross_entropy(lowering *l, tensor a, tensor b)
{
    tensor low = T_NUM(a, -100), one = T_NUM(a, 1);
    tensor yes = T_MAX(T_LOG(a), low), no = T_MAX(lower_unary(l, LOOP_LOG1P, T_NEG(a)), low);
    tensor term = T_SUB(T_MUL(T_SUB(b, one), no), T_MUL(b, yes)), weight = arg(l, "weight");
    return lower_absent(weight) ? term : T_MUL(term, weight);
}

/* (1 - target) * x - log_weight * log_sigmoid(x) */
static tensor binary_cross_entropy_with_logits(lowering *l, tensor a, tensor b)
{
    ty_dtype d = lower_dtype(b);
    if (ty_is_complex(d)) a = lower_cast(l, lower_arg(l, "self"), ty_complex_to_real(d));
    tensor one = T_NUM(a, 1), zero = T_NUM(a, 0), weight = arg(l, "weight"),
           pos_weight = arg(l, "pos_weight");
    tensor log_sigmoid = T_SUB(T_MIN(a, zero), T_LOG1P(T_EXP(T_NEG(T_ABS(a)))));
    if (!lower_absent(pos_weight)) {
        tensor log_weight = T_ADD(T_MUL(T_SUB(pos_weight, one), b), one);
        log_sigmoid = T_MUL(log_weight, log_sigmoid);
    }
    tensor term = T_MUL(T_SUB(T_NUM(b, 1), b), lower_cast(l, a, d));
    term = T_SUB(term, lower_cast(l, log_sigmoid, d));
    return lower_absent(weight) ? term : T_MUL(term, weight);
}

typedef tensor pair_loss(lowering *l, tensor a, tensor b);
static pair_loss *const PAIR_LOSSES[] = {[SQUARED] = squared,
                                         [SMOOTH_L1] = smooth_l1,
                                         [HUBER] = huber,
                                         [BCE] = binary_cross_entropy,
                                         [BCE_LOGITS] = binary_cross_entropy_with_logits};

fe_status lower_op_pair(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    return reduced_loss(l, PAIR_LOSSES[row->parameter](l, arg(l, "self"), arg(l, "target")));
}

/* ---- gradients: the slope of the term by the prediction ---- */

static tensor squared_slope(lowering *l, tensor a, tensor b)
{
    return lower_scale(l, T_SUB(a, b), 2);
}

static tensor smooth_l1_slope(lowering *l, tensor a, tensor b)
{
    double beta = number(l, "beta", 1);
    tensor z = T_SUB(a, b), edge = T_NUM(z, beta);
    tensor sign = T_IF(T_LESS(T_NUM(z, 0), z), T_NUM(z, 1), T_NUM(z, -1));
    return T_IF(T_LESS_EQUAL(edge, T_ABS(z)), sign, T_DIV(z, edge));
}

static tensor huber_slope(lowering *l, tensor a, tensor b)
{
    double delta = number(l, "delta", 1);
    tensor z = T_SUB(a, b);
    return T_MIN(T_MAX(z, T_NUM(z, -delta)), T_NUM(z, delta));
}

static tensor binary_cross_entropy_slope(lowering *l, tensor a, tensor b)
{
    tensor spread = T_MAX(T_MUL(T_SUB(T_NUM(a, 1), a), a), T_NUM(a, 1e-12));
    tensor slope = T_DIV(T_SUB(a, b), spread), weight = arg(l, "weight");
    return lower_absent(weight) ? slope : T_MUL(slope, weight);
}

/* -b e / (1 + e) with e = exp(-a b) */
static tensor soft_margin_slope(lowering *l, tensor a, tensor b)
{
    tensor e = T_EXP(T_MUL(T_NEG(b), a));
    return T_NEG(T_MUL(b, T_DIV(e, T_ADD(e, T_NUM(e, 1)))));
}

fe_status lower_op_pair_gradient(lowering *l, fx_node *n, const lower_row *row)
{
    static pair_loss *const SLOPES[] = {[SQUARED] = squared_slope,
                                        [SMOOTH_L1] = smooth_l1_slope,
                                        [HUBER] = huber_slope,
                                        [BCE] = binary_cross_entropy_slope,
                                        [SOFT_MARGIN] = soft_margin_slope};
    const ty_tensor *out = fx_tensor(n);
    tensor self = arg(l, "self"), slope = SLOPES[row->parameter](l, self, arg(l, "target"));
    slope = T_MUL(slope, arg(l, "grad_output"));
    if (lower_int_or(l, "reduction", 1) == 1) {
        ty_dtype d = lower_dtype(slope);
        loop_value count = loop_cast(l->program, d, loop_index(l->program, lower_numel(l, self)));
        slope = T_DIV(slope, lower_value(l, d, 0, NULL, count));
    }
    return lower_give(l, lower_cast(l, lower_expand(l, slope, out->rank, out->sizes), out->dtype));
}

/* ---- margins between classes ---- */

/* The mean over the other classes of max(0, margin - x[target] + x[j]) ^ p. */
fe_status lower_op_multi_margin(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    tensor x = arg(l, "self"), target = lower_cast(l, lower_arg(l, "target"), TY_I64),
           weight = arg(l, "weight");
    if (x.rank == 0) x = lower_reshape(l, x, 1, &l->one);
    uint32_t axis = x.rank - 1;
    sym_expr at[2] = {l->axes[0], l->axes[1]}, target_at[1] = {x.rank == 1 ? l->zero : l->axes[0]};
    loop_value t = lower_at(l, target, target.rank ? target_at : NULL);
    sym_expr place = lower_lookup(l, t, x.sizes[axis], (int32_t)axis);
    at[axis] = place;
    ty_dtype d = lower_dtype(x);
    loop_value v = lower_op2(l, LOOP_SUB, loop_const_float(l->program, d, number(l, "margin", 1)),
                             lower_at(l, x, at));
    v = lower_op2(l, LOOP_ADD, v, lower_here(l, x));
    loop_value zero = loop_const_float(l->program, d, 0);
    v = loop_where(l->program, lower_op2(l, LOOP_LT, zero, v), v, zero); /* NaN counts as nothing */
    if (number(l, "p", 1) == 2) v = lower_op2(l, LOOP_MUL, v, v);
    if (!lower_absent(weight)) v = lower_op2(l, LOOP_MUL, v, lower_at(l, weight, &place));
    loop_value own = lower_op2(l, LOOP_EQ, loop_index(l->program, l->axes[axis]), t);
    v = loop_where(l->program, own, zero, v);
    tensor sum = lower_along(l, LOOP_SUM, lower_value(l, d, x.rank, x.sizes, v), axis, false);
    loop_value count = loop_cast(l->program, d, loop_index(l->program, x.sizes[axis]));
    return reduced_loss(l, T_DIV(sum, lower_value(l, d, 0, NULL, count)));
}

/* A row of class numbers, up to the first negative one, says which classes are targets: each of them
 * against each class that is none, max(0, 1 - x[target] + x[other]), over the number of classes.
 * Parameter 1: also which classes are targets. */
fe_status lower_op_multilabel_margin(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    tensor x = arg(l, "self"), target = lower_cast(l, lower_arg(l, "target"), TY_I64);
    loop_program *p = l->program;
    ty_dtype d = lower_dtype(x);
    bool batched = x.rank > 1;
    if (!batched) {
        sym_expr sizes[2] = {l->one, lower_numel(l, x)};
        x = lower_reshape(l, x, 2, sizes);
        target = lower_reshape(l, target, 2, sizes);
    }
    lower_share(l, x);
    lower_share(l, target);
    sym_expr classes = x.sizes[1], list_at[2] = {l->axes[0], l->axes[1]};
    loop_value t = lower_at(l, target, list_at);
    loop_value place = loop_index(p, l->axes[1]), all = loop_index(p, classes);
    loop_value ends = lower_op2(l, LOOP_LT, t, loop_const_int(p, TY_I64, 0));
    tensor length =
        lower_along(l, LOOP_REDUCE_MIN,
                    lower_value(l, TY_I64, 2, x.sizes, loop_where(p, ends, place, all)), 1, false);
    /* over [sample, class, place in the list] */
    sym_expr cube[3] = {x.sizes[0], classes, classes}, at[2] = {l->axes[0], l->axes[2]};
    t = lower_at(l, target, at);
    loop_value counts =
        lower_op2(l, LOOP_LT, loop_index(p, l->axes[2]), lower_at(l, length, l->axes));
    loop_value equal = lower_op2(l, LOOP_EQ, t, loop_index(p, l->axes[1]));
    tensor is_target = lower_along(
        l, LOOP_ANY, lower_value(l, TY_BOOL, 3, cube, lower_op2(l, LOOP_AND, counts, equal)), 2,
        false);
    /* -1 stands where the list is over, and behind it may be any class */
    loop_value none = lower_op2(l, LOOP_EQ, t, loop_const_int(p, TY_I64, -1));
    at[1] = lower_lookup(l, loop_where(p, none, loop_const_int(p, TY_I64, 0), t), classes, 1);
    loop_value margin = lower_op2(l, LOOP_SUB, loop_const_float(p, d, 1), lower_at(l, x, at));
    margin = lower_op2(l, LOOP_ADD, margin, lower_at(l, x, l->axes));
    loop_value zero = loop_const_float(p, d, 0),
               other = lower_op1(l, LOOP_NOT, lower_at(l, is_target, l->axes));
    margin = loop_where(p, lower_op2(l, LOOP_AND, counts, other),
                        lower_op2(l, LOOP_MAX, margin, zero), zero);
    tensor sum = lower_value(l, d, 3, cube, margin);
    bool reduced[3] = {false, true, true};
    sum = lower_reduced(l, LOOP_SUM, sum, reduced, false, NULL);
    loop_value count = loop_cast(p, d, all);
    sum = T_DIV(sum, lower_value(l, d, 0, NULL, count));
    int64_t reduction = lower_int_or(l, "reduction", 1);
    if (reduction != 0) {
        tensor total = lower_total(l, LOOP_SUM, sum);
        count = loop_cast(p, d, loop_index(p, x.sizes[0]));
        sum = reduction == 2 ? total : T_DIV(total, lower_value(l, d, 0, NULL, count));
    }
    if (!row->parameter) return lower_give_as_recorded(l, sum);
    const ty_tensor *out = lower_meta(l, 0), *flags = lower_meta(l, 1);
    tensor items[2] = {
        lower_cast(l, lower_reshape(l, sum, out->rank, out->sizes), out->dtype),
        lower_reshape(l, lower_cast(l, is_target, flags->dtype), flags->rank, flags->sizes)};
    return lower_give_items(l, items, 2);
}
