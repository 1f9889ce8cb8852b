/* norm.c -- normalisation layers: layer, group, instance, batch and root-mean-square, from the
 * moments of reduce.c. */
#include "lower/lower_priv.h"

#include <string.h>

/* 1 / sqrt(variance + eps) */
static lower_tensor inverse_root(lowering *l, lower_tensor variance, double eps)
{
    lower_tensor shifted =
        lower_binary(l, LOOP_ADD, variance, lower_number(l, lower_dtype(variance), eps));
    return lower_unary(l, LOOP_RSQRT, shifted);
}

/* An operand of one element a channel, as [1, C, 1, ...] of `rank` dims; absent stays absent. */
static lower_tensor per_channel(lowering *l, lower_tensor t, uint32_t rank, ty_dtype d)
{
    if (lower_absent(t)) return t;
    sym_expr count = lower_numel(l, t);
    t = lower_reshape(l, lower_cast(l, t, d), 1, &count);
    for (uint32_t k = 2; k < rank; k++) t = lower_unsqueeze(l, t, t.rank);
    return t;
}

static lower_tensor affine(lowering *l, lower_tensor y, lower_tensor weight, lower_tensor bias)
{
    if (!lower_absent(weight)) y = lower_binary(l, LOOP_MUL, y, weight);
    return lower_absent(bias) ? y : lower_binary(l, LOOP_ADD, y, bias);
}

static lower_tensor optional(lowering *l, const char *param, ty_dtype d)
{
    lower_tensor t = lower_arg(l, param);
    return lower_absent(t) ? t : lower_cast(l, t, d);
}

/* An item that PyTorch leaves empty, or that nobody reads: of the recorded shape, with zeros. */
static lower_tensor placeholder(lowering *l, uint32_t item)
{
    const ty_tensor *meta = lower_meta(l, item);
    return lower_value(l, meta->dtype, meta->rank, meta->sizes,
                       loop_const_float(l->program, meta->dtype, 0));
}

static lower_tensor as_item(lowering *l, lower_tensor t, uint32_t item)
{
    const ty_tensor *meta = lower_meta(l, item);
    return lower_cast(l, lower_reshape(l, t, meta->rank, meta->sizes), meta->dtype);
}

/* ---- layer norm ---- */

fe_status lower_op_layer_norm(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    ty_dtype out = lower_meta(l, 0)->dtype, d = lower_compute_dtype(out);
    lower_tensor x = lower_cast(l, lower_arg(l, "input"), d);
    sym_expr shape[LOWER_MAX_RANK];
    int dims = lower_ints(l, "normalized_shape", shape, LOWER_MAX_RANK);
    if (dims < 0 || (uint32_t)dims > x.rank)
        return lower_fail(l, "a normalized_shape of %d dimensions", dims);
    bool reduced[LOWER_MAX_RANK] = {false};
    for (uint32_t k = x.rank - (uint32_t)dims; k < x.rank; k++) reduced[k] = true;
    lower_moment_pair m = lower_moments(l, x, reduced, 0);
    lower_tensor scale = inverse_root(l, m.variance, lower_number_or(l, "eps", 1e-5));
    lower_tensor y = lower_binary(l, LOOP_MUL, lower_binary(l, LOOP_SUB, x, m.mean), scale);
    y = lower_cast(l, affine(l, y, optional(l, "weight", d), optional(l, "bias", d)), out);
    if (!row->parameter) return lower_give(l, y);
    lower_tensor items[3] = {y, as_item(l, m.mean, 1), as_item(l, scale, 2)};
    return lower_give_items(l, items, 3);
}

fe_status lower_op_rms_norm(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    ty_dtype out = fx_tensor(n)->dtype, d = lower_compute_dtype(out);
    lower_tensor x = lower_cast(l, lower_arg(l, "input"), d);
    sym_expr shape[LOWER_MAX_RANK];
    int dims = lower_ints(l, "normalized_shape", shape, LOWER_MAX_RANK);
    if (dims < 0 || (uint32_t)dims > x.rank)
        return lower_fail(l, "a normalized_shape of %d dimensions", dims);
    bool reduced[LOWER_MAX_RANK] = {false};
    for (uint32_t k = x.rank - (uint32_t)dims; k < x.rank; k++) reduced[k] = true;
    double eps = d == TY_F64 ? 2.220446049250313e-16 : 1.1920928955078125e-07;
    lower_share(l, x);
    lower_tensor mean = lower_mean(l, lower_binary(l, LOOP_MUL, x, x), reduced, true, NULL);
    lower_tensor y =
        lower_binary(l, LOOP_MUL, x, inverse_root(l, mean, lower_number_or(l, "eps", eps)));
    return lower_give(
        l, lower_cast(l, affine(l, y, optional(l, "weight", d), (lower_tensor){0}), out));
}

/* ---- group norm ---- */

/* [N, C, ...] as [N, G, C/G, ...] */
static lower_tensor grouped(lowering *l, lower_tensor x, int64_t groups, sym_expr each)
{
    sym_expr sizes[LOWER_MAX_RANK], exprs[LOWER_MAX_RANK];
    sizes[0] = x.sizes[0];
    sizes[1] = lower_const(l, groups);
    sizes[2] = each;
    exprs[0] = l->axes[0];
    exprs[1] = sym_add(l->symbols, sym_mul(l->symbols, l->axes[1], each), l->axes[2]);
    for (uint32_t k = 2; k < x.rank; k++) {
        sizes[k + 1] = x.sizes[k];
        exprs[k] = l->axes[k + 1];
    }
    return lower_remap(l, x, x.rank + 1, sizes, exprs);
}

/* A statistic [N, G, 1, ...] read for element [n, c, ...]. */
static lower_tensor per_group(lowering *l, lower_tensor t, lower_tensor x, sym_expr each)
{
    sym_expr exprs[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < t.rank; k++) exprs[k] = l->zero;
    exprs[0] = l->axes[0];
    exprs[1] = sym_floordiv(l->symbols, l->axes[1], each);
    return lower_remap(l, t, x.rank, x.sizes, exprs);
}

fe_status lower_op_group_norm(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    ty_dtype out = lower_meta(l, 0)->dtype, d = lower_compute_dtype(out);
    lower_tensor x = lower_cast(l, lower_arg(l, "input"), d);
    int64_t groups = lower_int_or(l, row->parameter ? "group" : "num_groups", 1);
    sym_expr each = sym_floordiv(l->symbols, x.sizes[1], lower_const(l, groups));
    bool reduced[LOWER_MAX_RANK] = {false};
    if (x.rank + 1 > LOWER_MAX_RANK) return lower_fail(l, "too many dimensions");
    for (uint32_t k = 2; k <= x.rank; k++) reduced[k] = true;
    lower_share(l, x);
    lower_moment_pair m = lower_moments(l, grouped(l, x, groups, each), reduced, 0);
    lower_tensor scale = inverse_root(l, m.variance, lower_number_or(l, "eps", 1e-5));
    lower_tensor y = lower_binary(l, LOOP_SUB, x, per_group(l, m.mean, x, each));
    y = lower_binary(l, LOOP_MUL, y, per_group(l, scale, x, each));
    lower_tensor weight = per_channel(l, lower_arg(l, "weight"), x.rank, d);
    y = lower_cast(l, affine(l, y, weight, per_channel(l, lower_arg(l, "bias"), x.rank, d)), out);
    if (!row->parameter) return lower_give(l, y);
    lower_tensor items[3] = {y, as_item(l, m.mean, 1), as_item(l, scale, 2)};
    return lower_give_items(l, items, 3);
}

/* ---- batch norm ---- */

typedef struct batch_norm_state {
    /* mean, variance: [1, C, 1, ...] or [N, C, 1, ...] */
    lower_tensor x, weight, bias, mean, variance;
    double eps;
    ty_dtype out;
} batch_norm_state;

static lower_tensor normalised(lowering *l, const batch_norm_state *s)
{
    lower_tensor scale = inverse_root(l, s->variance, s->eps);
    if (!lower_absent(s->weight)) scale = lower_binary(l, LOOP_MUL, scale, s->weight);
    lower_tensor y = lower_binary(l, LOOP_MUL, lower_binary(l, LOOP_SUB, s->x, s->mean), scale);
    if (!lower_absent(s->bias)) y = lower_binary(l, LOOP_ADD, y, s->bias);
    return lower_cast(l, y, s->out);
}

static batch_norm_state batch_norm_begin(lowering *l, bool uses_batch, bool each_sample)
{
    batch_norm_state s = {.out = lower_meta(l, 0)->dtype, .eps = lower_number_or(l, "eps", 1e-5)};
    ty_dtype d = lower_compute_dtype(s.out);
    s.x = lower_cast(l, lower_arg(l, "input"), d);
    s.weight = per_channel(l, lower_arg(l, "weight"), s.x.rank, d);
    s.bias = per_channel(l, lower_arg(l, "bias"), s.x.rank, d);
    if (!uses_batch) {
        s.mean = per_channel(l, lower_arg(l, "running_mean"), s.x.rank, d);
        s.variance = per_channel(l, lower_arg(l, "running_var"), s.x.rank, d);
        return s;
    }
    bool reduced[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < s.x.rank; k++) reduced[k] = k >= 2 || (k == 0 && !each_sample);
    lower_moment_pair m = lower_moments(l, s.x, reduced, 0);
    s.mean = m.mean;
    s.variance = m.variance;
    return s;
}

fe_status lower_op_batch_norm(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    bool uses_batch = lower_bool(l, "training") || lower_is_none(l, "running_mean");
    batch_norm_state s = batch_norm_begin(l, uses_batch, false);
    return lower_give(l, normalised(l, &s));
}

fe_status lower_op_instance_norm(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    batch_norm_state s = batch_norm_begin(l, lower_bool(l, "use_input_stats"), true);
    return lower_give(l, normalised(l, &s));
}

/* (out, empty, empty) of the inference form. */
fe_status lower_op_batch_norm_inference(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    batch_norm_state s = batch_norm_begin(l, false, false);
    lower_tensor items[4] = {normalised(l, &s)};
    for (uint32_t k = 1; k < n->value.count && k < 4; k++) items[k] = placeholder(l, k);
    return lower_give_items(l, items, n->value.count);
}

/* running * (1 - momentum) + fresh * momentum */
static lower_tensor blended(lowering *l, const char *running, lower_tensor fresh, uint32_t item)
{
    double momentum = lower_number_or(l, "momentum", 0.1);
    lower_tensor old = lower_cast(l, lower_arg(l, running), lower_dtype(fresh));
    fresh = lower_reshape(l, fresh, old.rank, old.sizes);
    lower_tensor v = lower_binary(l, LOOP_ADD, lower_scale(l, old, 1 - momentum),
                                  lower_scale(l, fresh, momentum));
    return as_item(l, v, item);
}

/* The forms with statistics of the batch: (out, mean, inverse root[, running mean, running
 * variance]). */
fe_status lower_op_batch_norm_stats(lowering *l, fx_node *n, const lower_row *row)
{
    bool training = op_param_index(n->op, "training") < 0 || lower_bool(l, "training");
    batch_norm_state s = batch_norm_begin(l, training, false);
    lower_tensor items[6] = {normalised(l, &s)};
    uint32_t count = n->value.count;
    for (uint32_t k = 1; k < count; k++) items[k] = placeholder(l, k);
    if (training) {
        items[1] = as_item(l, s.mean, 1);
        items[2] = as_item(l, inverse_root(l, s.variance, s.eps), 2);
    }
    uint32_t mean_item = count - 2, variance_item = count - 1;
    if (row->parameter == 1 && training) {
        sym_expr total = sym_floordiv(l->symbols, lower_numel(l, s.x), s.x.sizes[1]);
        ty_dtype d = lower_dtype(s.x);
        loop_value size = loop_cast(l->program, d, loop_index(l->program, total));
        loop_value factor = lower_op2(
            l, LOOP_DIV, size, lower_op2(l, LOOP_SUB, size, loop_const_float(l->program, d, 1)));
        lower_tensor unbiased =
            lower_binary(l, LOOP_MUL, s.variance, lower_value(l, d, 0, NULL, factor));
        items[mean_item] = blended(l, "running_mean", s.mean, mean_item);
        items[variance_item] = blended(l, "running_var", unbiased, variance_item);
    } else if (row->parameter == 1) {
        items[mean_item] = lower_arg(l, "running_mean");
        items[variance_item] = lower_arg(l, "running_var");
    }
    return lower_give_items(l, items, count);
}
