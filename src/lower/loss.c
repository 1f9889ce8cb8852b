/* loss.c -- loss functions: an elementwise term, reduced as the argument `reduction` says (0 none,
 * 1 mean, 2 sum). */
#include "lower/compose.h"

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

/* max(x, 0) */
static tensor positive(lowering *l, tensor x)
{
    return T_MAX(x, T_NUM(x, 0));
}

/* ---- a prediction and a target ---- */

static tensor squared(lowering *l, tensor a, tensor b)
{
    tensor difference = T_SUB(a, b);
    return T_MUL(difference, difference);
}

static tensor absolute(lowering *l, tensor a, tensor b)
{
    return T_ABS(T_SUB(a, b));
}

static tensor smooth_l1(lowering *l, tensor a, tensor b)
{
    double beta = number(l, "beta", 1);
    tensor z = absolute(l, a, b);
    if (beta == 0) return z;
    tensor near = lower_scale(l, T_MUL(z, z), 0.5 / beta);
    return T_IF(T_LESS(z, T_NUM(z, beta)), near, T_SUB(z, T_NUM(z, 0.5 * beta)));
}

static tensor huber(lowering *l, tensor a, tensor b)
{
    double delta = number(l, "delta", 1);
    tensor z = absolute(l, a, b);
    tensor far = lower_scale(l, T_SUB(z, T_NUM(z, 0.5 * delta)), delta);
    return T_IF(T_LESS_EQUAL(z, T_NUM(z, delta)), lower_scale(l, T_MUL(z, z), 0.5), far);
}

static tensor soft_margin(lowering *l, tensor a, tensor b)
{
    return T_LOG1P(T_EXP(T_MUL(T_NEG(b), a)));
}

static tensor hinge_embedding(lowering *l, tensor a, tensor b)
{
    tensor far = positive(l, T_SUB(T_NUM(a, number(l, "margin", 1)), a)), zero = T_NUM(a, 0);
    tensor when_not_one = T_IF(T_EQUAL(b, T_NUM(b, 1)), zero, far);
    return T_ADD(when_not_one, T_IF(T_EQUAL(b, T_NUM(b, -1)), zero, a));
}

static tensor kl_div(lowering *l, tensor a, tensor b)
{
    if (lower_bool(l, "log_target")) return T_MUL(T_EXP(b), T_SUB(b, a));
    tensor zero = T_NUM(b, 0), plain = T_MUL(b, T_LOG(b));
    return T_SUB(T_IF(T_EQUAL(b, zero), zero, plain), T_MUL(b, a)); /* xlogy(b, b) - b * a */
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
    tensor one = T_NUM(a, 1), zero = T_NUM(a, 0), weight = arg(l, "weight"),
           pos_weight = arg(l, "pos_weight");
    tensor log_sigmoid = T_SUB(T_MIN(a, zero), T_LOG1P(T_EXP(T_NEG(T_ABS(a)))));
    if (!lower_absent(pos_weight)) {
        tensor log_weight = T_ADD(T_MUL(T_SUB(pos_weight, one), b), one);
        log_sigmoid = T_MUL(log_weight, log_sigmoid);
    }
    tensor term = T_SUB(T_MUL(T_SUB(one, b), a), log_sigmoid);
    return lower_absent(weight) ? term : T_MUL(term, weight);
}

typedef tensor pair_loss(lowering *l, tensor a, tensor b);
static pair_loss *const PAIR_LOSSES[] = {squared,
                                         absolute,
                                         smooth_l1,
                                         huber,
                                         soft_margin,
                                         hinge_embedding,
                                         kl_div,
                                         binary_cross_entropy,
                                         binary_cross_entropy_with_logits};
typedef enum pair_kind {
    SQUARED,
    ABSOLUTE,
    SMOOTH_L1,
    HUBER,
    SOFT_MARGIN,
    HINGE,
    KL_DIV,
    BCE,
    BCE_LOGITS
} pair_kind;

static fe_status pair_row(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    return reduced_loss(l, PAIR_LOSSES[row->parameter](l, arg(l, "self"), arg(l, "target")));
}

/* exp(x) - target * x, or x - target * log(x + eps); with the Stirling term when `full`. */
static fe_status poisson_nll(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    tensor x = arg(l, "input"), target = arg(l, "target"), term;
    if (lower_bool(l, "log_input"))
        term = T_SUB(T_EXP(x), T_MUL(target, x));
    else
        term = T_SUB(x, T_MUL(target, T_LOG(T_ADD(x, T_NUM(x, number(l, "eps", 1e-8))))));
    if (lower_bool(l, "full")) {
        tensor angle =
            lower_scale(l, T_LOG(lower_scale(l, target, 2 * 3.14159265358979323846)), 0.5);
        tensor stirling = T_ADD(T_SUB(T_MUL(target, T_LOG(target)), target), angle);
        term =
            T_ADD(term, T_IF(T_LESS_EQUAL(target, T_NUM(target, 1)), T_NUM(target, 0), stirling));
    }
    return reduced_loss(l, term);
}

/* ---- margins between embeddings ---- */

static fe_status margin_ranking(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    tensor difference = T_SUB(arg(l, "input1"), arg(l, "input2")), target = arg(l, "target");
    tensor term =
        T_ADD(T_MUL(T_NEG(target), difference), T_NUM(difference, number(l, "margin", 0)));
    return reduced_loss(l, positive(l, term));
}

static fe_status cosine_embedding(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    tensor a = arg(l, "input1"), b = arg(l, "input2"), target = arg(l, "target");
    uint32_t dim = a.rank - 1, dim_b = b.rank - 1;
    tensor eps = T_NUM(a, 1e-12), product = T_MUL(a, b);
    tensor dot = lower_along(l, LOOP_SUM, product, product.rank - 1, false);
    tensor size_a = T_ADD(lower_along(l, LOOP_SUM, T_MUL(a, a), dim, false), eps);
    tensor size_b = T_ADD(lower_along(l, LOOP_SUM, T_MUL(b, b), dim_b, false), eps);
    tensor cosine = T_DIV(dot, T_SQRT(T_MUL(size_a, size_b))), zero = T_NUM(a, 0);
    tensor near = T_SUB(T_NUM(a, 1), cosine),
           far = positive(l, T_SUB(cosine, T_NUM(a, number(l, "margin", 0))));
    tensor one = T_NUM(target, 1), minus = T_NUM(target, -1);
    return reduced_loss(
        l, T_ADD(T_IF(T_EQUAL(target, one), near, zero), T_IF(T_EQUAL(target, minus), far, zero)));
}

static tensor distance_of(lowering *l, tensor a, tensor b, double p, double eps)
{
    tensor difference = T_ADD(T_SUB(a, b), T_NUM(a, eps));
    bool reduced[LOWER_MAX_RANK] = {false};
    reduced[difference.rank - 1] = true;
    return lower_norm(l, difference, p, reduced, false);
}

static fe_status triplet_margin(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    tensor anchor = arg(l, "anchor"), near = arg(l, "positive"), far = arg(l, "negative");
    double p = number(l, "p", 2), eps = number(l, "eps", 1e-6);
    tensor to_near = distance_of(l, anchor, near, p, eps),
           to_far = distance_of(l, anchor, far, p, eps);
    if (lower_bool(l, "swap")) to_far = T_MIN(to_far, distance_of(l, near, far, p, eps));
    tensor term = T_SUB(T_ADD(T_NUM(anchor, number(l, "margin", 1)), to_near), to_far);
    return reduced_loss(l, positive(l, term));
}

/* ---- margins between classes ---- */

/* The mean over the other classes of max(0, margin - x[target] + x[j]) ^ p. */
static fe_status multi_margin(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    tensor x = arg(l, "self"), target = lower_cast(l, lower_arg(l, "target"), TY_I64),
           weight = arg(l, "weight");
    if (x.rank == 0) x = lower_reshape(l, x, 1, &l->one);
    uint32_t axis = x.rank - 1;
    sym_expr at[2] = {l->axes[0], l->axes[1]}, target_at[1] = {x.rank == 1 ? l->zero : l->axes[0]};
    loop_value t = lower_at(l, target, target.rank ? target_at : NULL);
    sym_expr place = loop_indirect(l->program, t, x.sizes[axis]);
    at[axis] = place;
    ty_dtype d = lower_dtype(x);
    loop_value v = lower_op2(l, LOOP_SUB, loop_const_float(l->program, d, number(l, "margin", 1)),
                             lower_at(l, x, at));
    v = lower_op2(l, LOOP_MAX, lower_op2(l, LOOP_ADD, v, lower_here(l, x)),
                  loop_const_float(l->program, d, 0));
    if (number(l, "p", 1) == 2) v = lower_op2(l, LOOP_MUL, v, v);
    if (!lower_absent(weight)) v = lower_op2(l, LOOP_MUL, v, lower_at(l, weight, &place));
    loop_value own = lower_op2(l, LOOP_EQ, loop_index(l->program, l->axes[axis]), t);
    v = loop_where(l->program, own, loop_const_float(l->program, d, 0), v);
    tensor sum = lower_along(l, LOOP_SUM, lower_value(l, d, x.rank, x.sizes, v), axis, false);
    loop_value count = loop_cast(l->program, d, loop_index(l->program, x.sizes[axis]));
    return reduced_loss(l, T_DIV(sum, lower_value(l, d, 0, NULL, count)));
}

/* A row of class numbers, up to the first negative one, says which classes are targets: each of them
 * against each class that is none, max(0, 1 - x[target] + x[other]), over the number of classes.
 * Parameter 1: also which classes are targets. */
static fe_status multilabel_margin(lowering *l, fx_node *n, const lower_row *row)
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
    at[1] = loop_indirect(p, loop_where(p, counts, t, loop_const_int(p, TY_I64, 0)), classes);
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

#define LOSS(op, function, parameter)                      \
    {                                                      \
        OP_##op, function, parameter, NULL, 0, NULL, false \
    }
static const lower_row ROWS[] = {
    LOSS(aten_mse_loss_default, pair_row, SQUARED),
    LOSS(aten_l1_loss_default, pair_row, ABSOLUTE),
    LOSS(aten_smooth_l1_loss_default, pair_row, SMOOTH_L1),
    LOSS(aten_huber_loss_default, pair_row, HUBER),
    LOSS(aten_soft_margin_loss_default, pair_row, SOFT_MARGIN),
    LOSS(aten_hinge_embedding_loss_default, pair_row, HINGE),
    LOSS(aten_kl_div_default, pair_row, KL_DIV),
    LOSS(aten_binary_cross_entropy_default, pair_row, BCE),
    LOSS(aten_binary_cross_entropy_with_logits_default, pair_row, BCE_LOGITS),
    LOSS(aten_poisson_nll_loss_default, poisson_nll, 0),
    LOSS(aten_margin_ranking_loss_default, margin_ranking, 0),
    LOSS(aten_cosine_embedding_loss_default, cosine_embedding, 0),
    LOSS(aten_triplet_margin_loss_default, triplet_margin, 0),
    LOSS(aten_multi_margin_loss_default, multi_margin, 0),
    LOSS(aten_multilabel_margin_loss_default, multilabel_margin, 0),
    LOSS(aten_multilabel_margin_loss_forward_default, multilabel_margin, 1),
};
const lower_rows lower_loss_rows = {ROWS, COUNT_OF(ROWS)};
