/* cross_entropy.c -- losses over classes: negative log-likelihood, cross entropy, the two with a
 * linear layer before them, and the gradient of the first. */
#include "lower/compose.h"

#include <string.h>

static tensor arg(lowering *l, const char *param)
{
    return lower_computed_arg(l, param);
}

typedef enum reduction_kind { NONE, MEAN, SUM } reduction_kind;

/* ---- one term a sample ---- */

/* Rows of log-probabilities [N, C, ...] (or [C]) and class numbers [N, ...]: minus weight * value
 * at the class. */
typedef struct class_loss {
    tensor term, weights; /* by sample; 0 where the class is ignored */
} class_loss;

static uint32_t class_axis(tensor x)
{
    return x.rank == 1 ? 0 : 1;
}

static class_loss negative_log(lowering *l, tensor x, tensor target, tensor weight, int64_t ignored)
{
    ty_dtype d = lower_dtype(x);
    uint32_t axis = class_axis(x);
    sym_expr at[LOWER_MAX_RANK], zero_at[1] = {l->zero};
    loop_program *p = l->program;
    target = lower_cast(l, target, TY_I64);
    loop_value t = lower_here(l, target), zero = loop_const_float(p, d, 0);
    loop_value kept = lower_op2(l, LOOP_NE, t, loop_const_int(p, TY_I64, ignored));
    loop_value safe = loop_where(p, kept, t, loop_const_int(p, TY_I64, 0));
    sym_expr place = lower_lookup(l, safe, x.sizes[axis], (int32_t)axis);
    for (uint32_t k = 0; k < x.rank; k++) at[k] = k == axis ? place : l->axes[k - (k > axis)];
    loop_value v = lower_op1(l, LOOP_NEG, lower_at(l, x, at)), w = loop_const_float(p, d, 1);
    if (!lower_absent(weight)) {
        zero_at[0] = place;
        w = lower_at(l, weight, zero_at);
        v = lower_op2(l, LOOP_MUL, v, w);
    }
    class_loss out;
    out.term = lower_value(l, d, target.rank, target.sizes, loop_where(p, kept, v, zero));
    out.weights = lower_value(l, d, target.rank, target.sizes, loop_where(p, kept, w, zero));
    return out;
}

fe_status lower_op_nll_loss(lowering *l, fx_node *n, const lower_row *row)
{
    int64_t reduction = lower_int_or(l, "reduction", MEAN);
    tensor x = arg(l, "self"), target = lower_arg(l, "target");
    class_loss loss =
        negative_log(l, x, target, arg(l, "weight"), lower_int_or(l, "ignore_index", -100));
    ty_dtype out = lower_meta(l, 0)->dtype;
    tensor result = loss.term, total = lower_number(l, lower_dtype(x), 0);
    bool of_one = x.rank == 1; /* its weight is given whether or not it is asked for */
    if (reduction == MEAN || (row->parameter && (of_one || reduction != NONE)))
        total = lower_total(l, LOOP_SUM, loss.weights);
    if (reduction != NONE) result = lower_total(l, LOOP_SUM, loss.term);
    if (reduction == MEAN) result = T_DIV(result, total);
    if (!row->parameter) return lower_give_as_recorded(l, result);
    (void)n;
    tensor items[2] = {lower_cast(l, result, out), lower_cast(l, total, out)};
    return lower_give_items(l, items, 2);
}

/* -weight[class] * gradient at the sample's class, 0 elsewhere. */
fe_status lower_op_nll_loss_backward(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    loop_program *p = l->program;
    tensor grad = arg(l, "grad_output"), weight = arg(l, "weight");
    tensor target = lower_cast(l, lower_arg(l, "target"), TY_I64);
    ty_dtype d = lower_dtype(grad);
    uint32_t axis = out->rank == 1 ? 0 : 1;
    int64_t reduction = lower_int_or(l, "reduction", MEAN);
    sym_expr at[LOWER_MAX_RANK];
    for (uint32_t k = 0; k + 1 < out->rank; k++) at[k] = l->axes[k + (k >= axis)];
    if (target.rank && out->rank == 1) at[0] = l->zero;
    loop_value t = lower_at(l, target, at);
    if (reduction == MEAN) /* of one element, in whatever dimensions */
        grad = T_DIV(grad, lower_reshape(l, arg(l, "total_weight"), 0, NULL));
    loop_value g = lower_op1(l, LOOP_NEG, lower_at(l, grad, grad.rank ? at : NULL));
    if (!lower_absent(weight)) g = lower_op2(l, LOOP_MUL, g, lower_at(l, weight, &l->axes[axis]));
    loop_value ignored = loop_const_int(p, TY_I64, lower_int_or(l, "ignore_index", -100));
    loop_value here = lower_op2(l, LOOP_EQ, t, loop_index(p, l->axes[axis]));
    here = lower_op2(l, LOOP_AND, here, lower_op2(l, LOOP_NE, t, ignored));
    g = loop_cast(p, out->dtype, loop_where(p, here, g, loop_const_float(p, d, 0)));
    return lower_give(l, lower_value(l, out->dtype, out->rank, out->sizes, g));
}

/* ---- cross entropy ---- */

typedef struct entropy {
    tensor x, target, weight; /* logits; class numbers or probabilities; by class, or absent */
    int64_t ignored;
    double smoothing;
    reduction_kind reduction;
} entropy;

/* The weights, to be multiplied with the logits. */
static tensor per_class(lowering *l, const entropy *e)
{
    tensor w = e->weight;
    for (uint32_t k = class_axis(e->x) + 1; k < e->x.rank; k++) w = lower_unsqueeze(l, w, w.rank);
    return w;
}

static tensor count_of(lowering *l, sym_expr count, ty_dtype d)
{
    return lower_value(l, d, 0, NULL, loop_cast(l->program, d, loop_index(l->program, count)));
}

/* A probability for each class. */
static tensor of_probabilities(lowering *l, const entropy *e, tensor log_p)
{
    tensor x = e->x, target = lower_cast(l, e->target, lower_dtype(x));
    uint32_t axis = class_axis(x);
    ty_dtype d = lower_dtype(x);
    if (e->smoothing > 0) {
        tensor even = T_DIV(lower_number(l, d, e->smoothing), count_of(l, x.sizes[axis], d));
        target = T_ADD(lower_scale(l, target, 1 - e->smoothing), even);
    }
    tensor term = T_MUL(log_p, target);
    if (!lower_absent(e->weight)) term = T_MUL(term, per_class(l, e));
    term = T_NEG(lower_along(l, LOOP_SUM, term, axis, false));
    if (e->reduction == NONE) return term;
    tensor sum = lower_total(l, LOOP_SUM, term);
    if (e->reduction == SUM) return sum;
    sym_expr samples =
        x.rank == 1 ? l->one : sym_floordiv(l->symbols, lower_numel(l, x), x.sizes[axis]);
    return T_DIV(sum, count_of(l, samples, d));
}

/* Where the sample's class is not the one to ignore. */
static tensor kept_samples(lowering *l, const entropy *e)
{
    tensor numbers = lower_cast(l, e->target, TY_I64);
    return lower_binary(l, LOOP_NE, numbers, lower_number(l, TY_I64, (double)e->ignored));
}

/* Class numbers; label smoothing spreads a part over all. */
static tensor of_classes(lowering *l, const entropy *e, tensor log_p)
{
    tensor x = e->x;
    ty_dtype d = lower_dtype(x);
    lower_share(l, log_p);
    class_loss loss = negative_log(l, log_p, e->target, e->weight, e->ignored);
    tensor term = loss.term;
    if (e->smoothing > 0) {
        tensor all = lower_absent(e->weight) ? log_p : T_MUL(log_p, per_class(l, e));
        tensor spread = T_NEG(lower_along(l, LOOP_SUM, all, class_axis(x), false));
        tensor part =
            T_DIV(lower_number(l, d, e->smoothing), count_of(l, x.sizes[class_axis(x)], d));
        spread = T_MUL(T_IF(kept_samples(l, e), spread, T_NUM(x, 0)), part);
        term = T_ADD(lower_scale(l, term, 1 - e->smoothing), spread);
    }
    if (e->reduction == NONE) return term;
    tensor sum = lower_total(l, LOOP_SUM, term);
    return e->reduction == MEAN ? T_DIV(sum, lower_total(l, LOOP_SUM, loss.weights)) : sum;
}

static tensor entropy_of(lowering *l, const entropy *e)
{
    tensor log_p = lower_softmax(l, e->x, class_axis(e->x), true);
    return ty_is_floating(lower_dtype(e->target)) ? of_probabilities(l, e, log_p)
                                                  : of_classes(l, e, log_p);
}

fe_status lower_op_cross_entropy(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    entropy e = {.x = arg(l, "self"),
                 .target = lower_arg(l, "target"),
                 .weight = arg(l, "weight"),
                 .ignored = lower_int_or(l, "ignore_index", -100),
                 .smoothing = lower_number_or(l, "label_smoothing", 0),
                 .reduction = (reduction_kind)lower_int_or(l, "reduction", MEAN)};
    return lower_give_as_recorded(l, entropy_of(l, &e));
}

/* ---- a linear layer, then cross entropy over class numbers [N] of its rows [N, C] ---- */

/* By the logits: (softmax - one at the class) for each sample by its weight; the smoothed part
 * pulls towards all classes. */
static tensor logit_gradient(lowering *l, const entropy *e)
{
    tensor x = e->x, p = lower_softmax(l, x, 1, false), zero = T_NUM(x, 0), one = T_NUM(x, 1);
    ty_dtype d = lower_dtype(x);
    class_loss loss = negative_log(l, x, e->target, e->weight, e->ignored);
    loop_value t = lower_at(l, lower_cast(l, e->target, TY_I64), l->axes);
    loop_value own = lower_op2(l, LOOP_EQ, t, loop_index(l->program, l->axes[1]));
    tensor here = lower_value(l, TY_BOOL, 2, x.sizes, own);
    lower_share(l, p);
    tensor weights = lower_unsqueeze(l, loss.weights, 1);
    tensor g = T_MUL(weights, T_SUB(p, T_IF(here, one, zero)));
    if (e->smoothing > 0) {
        tensor classes = count_of(l, x.sizes[1], d), all = classes, each = one;
        if (!lower_absent(e->weight)) {
            all = lower_total(l, LOOP_SUM, e->weight);
            each = e->weight;
        }
        tensor pull = T_DIV(T_SUB(T_MUL(p, all), each), classes);
        pull = T_IF(lower_unsqueeze(l, kept_samples(l, e), 1), pull, zero);
        g = T_ADD(lower_scale(l, g, 1 - e->smoothing), lower_scale(l, pull, e->smoothing));
    }
    return e->reduction == MEAN ? T_DIV(g, lower_total(l, LOOP_SUM, loss.weights)) : g;
}

static reduction_kind reduction_named(lowering *l)
{
    if (op_param_index(l->node->op, "reduction") < 0) return NONE;
    const fx_arg *a = fx_get(l->graph, l->node, "reduction");
    return a->kind == FX_ARG_STRING && strcmp(a->string, "sum") == 0 ? SUM : MEAN;
}

static tensor as_item(lowering *l, tensor t, uint32_t item)
{
    return lower_cast(l, t, lower_meta(l, item)->dtype);
}

/* The chunks that the operator works in are about memory alone. Results: the loss, and by input,
 * weight and bias what was asked for, else nothing. */
fe_status lower_op_linear_cross_entropy(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    tensor input = arg(l, "input"), w = arg(l, "linear_weight"), bias = arg(l, "linear_bias");
    entropy e = {.target = lower_arg(l, "target"),
                 .weight = arg(l, "weight"),
                 .ignored = lower_int_or(l, "ignore_index", -100),
                 .reduction = reduction_named(l)};
    if (op_param_index(n->op, "label_smoothing") >= 0)
        e.smoothing = lower_number_or(l, "label_smoothing", 0);
    e.x = lower_matmul(l, input, lower_transpose(l, w, 0, 1), bias, NULL);
    lower_share(l, e.x);
    tensor loss = entropy_of(l, &e);
    if (n->value.kind != FX_TUPLE) return lower_give_as_recorded(l, loss);
    static const char *const ASKED[] = {"compute_input_grad", "compute_linear_weight_grad",
                                        "compute_linear_bias_grad"};
    tensor items[4] = {as_item(l, loss, 0)}, g = {0};
    for (uint32_t k = 0; k < 3; k++) {
        const ty_tensor *meta = lower_meta(l, k + 1);
        items[k + 1] = lower_value(l, meta->dtype, meta->rank, meta->sizes,
                                   loop_const_float(l->program, meta->dtype, 0));
        if (!lower_bool(l, ASKED[k]) || !lower_is_used(l, k + 1)) continue;
        if (lower_absent(g)) g = logit_gradient(l, &e);
        lower_share(l, g);
        tensor by = k == 0 ? lower_matmul(l, g, w, (tensor){0}, NULL)
                    : k == 1
                        ? lower_matmul(l, lower_transpose(l, g, 0, 1), input, (tensor){0}, NULL)
                        : lower_along(l, LOOP_SUM, g, 0, false);
        items[k + 1] = as_item(l, by, k + 1);
    }
    return lower_give_items(l, items, 4);
}
