/* decompose_grad.c -- derivatives that a program of a training step calls: of norms,
 * activations and views. Those of convolutions are in decompose_grad_conv.c, of windows on images in
 * decompose_grad_image.c.
 */
#include "pass/decompose/decompose_arith.h"

#include <math.h>

/* The next result, in the dtype that it has. */
static void give_item(decomposing *d, fx_arg x)
{
    const fx_value *item = &d->n->value.items[d->count];
    if (item->kind == FX_TENSOR) x = cast(d, x, item->tensor->dtype);
    decompose_give(d, x);
}

static fx_arg mean_over(decomposing *d, fx_arg x, uint64_t set)
{
    sym_expr dims[TY_MAX_RANK];
    uint32_t count = 0;
    for (uint32_t k = 0; k < rank_of(x); k++)
        if (set >> k & 1) dims[count++] = sym_int(d->g->symbols, k);
    return CALL(aten_mean_dim, x, fx_int_list(d->g, dims, count), fx_bool(true));
}

/* ---- norms: y = (x - mean) * rstd * weight + bias, with mean and rstd over the set `inner` ---- */

typedef struct normed {
    fx_arg grad, hat, rstd, weight; /* hat = (x - mean) * rstd; weight: broadcast, or none */
    uint64_t inner, outer;          /* outer: what a weight is shared over */
    bool is_constant;               /* mean and rstd do not follow from x */
} normed;

static fx_arg norm_by_input(decomposing *d, const normed *n)
{
    fx_arg g = n->weight.kind == FX_ARG_NONE ? n->grad : mul(d, n->grad, n->weight);
    if (n->is_constant) return mul(d, g, n->rstd);
    fx_arg along = mul(d, n->hat, mean_over(d, mul(d, g, n->hat), n->inner));
    return mul(d, sub(d, sub(d, g, mean_over(d, g, n->inner)), along), n->rstd);
}

/* The three results; what a weight has is reshaped to `shape`, the input's to its own sizes. */
static void give_norm(decomposing *d, const normed *n, uint32_t rank, const sym_expr *shape)
{
    const ty_tensor *x = fx_arg_tensor(decompose_arg(d, "input"));
    give_item(d, wanted(d, 0) ? reshaped(d, norm_by_input(d, n), x->rank, x->sizes) : fx_none());
    for (uint32_t k = 1; k < 3; k++) {
        fx_arg term = n->grad;
        if (k == d->n->value.count) return;
        if (!wanted(d, k)) {
            give_item(d, fx_none());
            continue;
        }
        if (k == 1) term = mul(d, n->grad, n->hat);
        give_item(d, reshaped(d, sum_over(d, term, n->outer, false), rank, shape));
    }
}

/* A number for each row of x, in whatever shape, beside x: [..., 1, 1]. */
static fx_arg by_row(decomposing *d, fx_arg numbers, fx_arg x, uint32_t first)
{
    sym_expr sizes[TY_MAX_RANK];
    const ty_tensor *t = fx_arg_tensor(&x);
    for (uint32_t k = 0; k < t->rank; k++)
        sizes[k] = k < first ? t->sizes[k] : sym_int(d->g->symbols, 1);
    return wide(d, reshaped(d, numbers, t->rank, sizes));
}

void decompose_op_layer_norm_backward(decomposing *d)
{
    fx_arg x = wide(d, arg(d, "input"));
    sym_expr shape[TY_MAX_RANK];
    int inner = fx_arg_ints(d->g, decompose_arg(d, "normalized_shape"), shape, TY_MAX_RANK);
    uint32_t rank = rank_of(x), first = rank - (uint32_t)inner;
    normed n = {.grad = wide(d, arg(d, "grad_out")), .weight = wide(d, arg(d, "weight"))};
    n.rstd = by_row(d, arg(d, "rstd"), x, first);
    n.hat = mul(d, sub(d, x, by_row(d, arg(d, "mean"), x, first)), n.rstd);
    n.inner = dims_from(first, rank);
    n.outer = dims_from(0, first);
    give_norm(d, &n, (uint32_t)inner, shape);
}

void decompose_op_rms_norm_backward(decomposing *d)
{
    fx_arg x = wide(d, arg(d, "input")), weight = wide(d, arg(d, "weight")),
           grad = wide(d, arg(d, "grad_out"));
    sym_expr shape[TY_MAX_RANK];
    int inner = fx_arg_ints(d->g, decompose_arg(d, "normalized_shape"), shape, TY_MAX_RANK);
    uint32_t rank = rank_of(x), first = rank - (uint32_t)inner;
    fx_arg rstd = by_row(d, arg(d, "rstd"), x, first);
    fx_arg hat = mul(d, x, rstd), g = weight.kind == FX_ARG_NONE ? grad : mul(d, grad, weight);
    fx_arg along = mul(d, hat, mean_over(d, mul(d, g, hat), dims_from(first, rank)));
    give_item(d, wanted(d, 0) ? mul(d, sub(d, g, along), rstd) : fx_none());
    give_item(d, wanted(d, 1) ? sum_over(d, mul(d, grad, hat), dims_from(0, first), false)
                              : fx_none());
}

/* A row of channels beside x: [1, C, 1, ...]. */
static fx_arg by_channel(decomposing *d, fx_arg row, uint32_t rank)
{
    const ty_tensor *t = fx_arg_tensor(&row);
    sym_expr sizes[TY_MAX_RANK];
    if (!t) return fx_none();
    for (uint32_t k = 0; k < rank; k++) sizes[k] = sym_int(d->g->symbols, 1);
    sizes[1] = t->sizes[0];
    return wide(d, reshaped(d, row, rank, sizes));
}

void decompose_op_batch_norm_backward(decomposing *d)
{
    fx_arg x = wide(d, arg(d, "input"));
    const ty_tensor *t = fx_arg_tensor(&x);
    if (!t) return;
    bool train = decompose_flag(d, "train");
    fx_arg eps = fx_float(decompose_number(d, "eps", 1e-5));
    fx_arg rstd = train ? arg(d, "save_invstd")
                        : CALL(aten_rsqrt_default, add(d, wide(d, arg(d, "running_var")), eps));
    normed n = {.grad = wide(d, arg(d, "grad_out")), .is_constant = !train};
    n.rstd = by_channel(d, rstd, t->rank);
    n.weight = by_channel(d, arg(d, "weight"), t->rank);
    n.hat = mul(d, sub(d, x, by_channel(d, arg(d, train ? "save_mean" : "running_mean"), t->rank)),
                n.rstd);
    n.inner = n.outer = dims_from(0, t->rank) & ~(uint64_t)2;
    give_norm(d, &n, 1, &t->sizes[1]);
}

void decompose_op_group_norm_backward(decomposing *d)
{
    sym_table *s = d->g->symbols;
    sym_expr group, channels, one = sym_int(s, 1);
    fx_arg x = wide(d, arg(d, "input")), weight = wide(d, arg(d, "weight"));
    const ty_tensor *t = fx_arg_tensor(&x);
    if (!t || !fx_arg_expr(d->g, decompose_arg(d, "group"), &group)) return;
    channels = t->sizes[1];
    sym_expr each = sym_floordiv(s, channels, group), rest = one;
    for (uint32_t k = 2; k < t->rank; k++) rest = sym_mul(s, rest, t->sizes[k]);
    sym_expr sizes[] = {t->sizes[0], group, each, rest}, row[] = {one, group, each, one},
             number[] = {t->sizes[0], group, one, one};
    normed n = {.grad = reshaped(d, wide(d, arg(d, "grad_out")), 4, sizes), .weight = fx_none()};
    if (weight.kind != FX_ARG_NONE) n.weight = reshaped(d, weight, 4, row);
    n.rstd = reshaped(d, wide(d, arg(d, "rstd")), 4, number);
    n.hat =
        mul(d, sub(d, reshaped(d, x, 4, sizes), reshaped(d, wide(d, arg(d, "mean")), 4, number)),
            n.rstd);
    n.inner = 4 | 8;
    n.outer = 1 | 8;
    give_norm(d, &n, 1, &channels);
}

/* ---- views: zeros, and the gradient where the view looked ---- */

static fx_arg zeros(decomposing *d)
{
    return CALL(aten_new_zeros_default, arg(d, "grad_output"), arg(d, "input_sizes"));
}

void decompose_op_select_backward(decomposing *d)
{
    decompose_give(d, CALL(aten_select_scatter_default, zeros(d), arg(d, "grad_output"),
                           arg(d, "dim"), arg(d, "index")));
}

void decompose_op_slice_backward(decomposing *d)
{
    decompose_give(d, CALL(aten_slice_scatter_default, zeros(d), arg(d, "grad_output"),
                           arg(d, "dim"), arg(d, "start"), arg(d, "end"), arg(d, "step")));
}

void decompose_op_diagonal_backward(decomposing *d)
{
    decompose_give(d, CALL(aten_diagonal_scatter_default, zeros(d), arg(d, "grad_output"),
                           arg(d, "offset"), arg(d, "dim1"), arg(d, "dim2")));
}

/* ---- activations ---- */

void decompose_op_glu_backward(decomposing *d)
{
    sym_table *s = d->g->symbols;
    fx_arg x = arg(d, "self"), g = wide(d, arg(d, "grad_output"));
    const ty_tensor *t = fx_arg_tensor(&x);
    uint32_t dim = decompose_dim(d, decompose_int(d, "dim", -1), t->rank);
    sym_expr half = sym_floordiv(s, t->sizes[dim], sym_int(s, 2));
    fx_arg at = decompose_of(d, dim), wide_x = wide(d, x);
    fx_arg first = CALL(aten_slice_Tensor, wide_x, at, decompose_of(d, 0), fx_expr(half));
    fx_arg gate = CALL(aten_sigmoid_default,
                       CALL(aten_slice_Tensor, wide_x, at, fx_expr(half), fx_expr(t->sizes[dim])));
    fx_arg by_first = mul(d, gate, g);
    fx_arg by_gate = mul(d, mul(d, mul(d, from_number(d, 1, gate), gate), g), first);
    fx_arg both[] = {by_first, by_gate};
    decompose_give(d, cast(d, CALL(aten_cat_default, fx_list(d->g, both, 2), at), t->dtype));
}

void decompose_op_prelu_backward(decomposing *d)
{
    fx_arg x = arg(d, "self"), g = arg(d, "grad_output"), w = arg(d, "weight");
    fx_arg positive = CALL(aten_gt_Scalar, x, decompose_of(d, 0));
    decompose_give(d, CALL(aten_where_self, positive, g, mul(d, w, g)));
    decompose_give(d, CALL(aten_where_ScalarSelf, positive, decompose_of(d, 0), mul(d, x, g)));
}

void decompose_op_rrelu_backward(decomposing *d)
{
    double lower = decompose_number(d, "lower", 0), upper = decompose_number(d, "upper", 0);
    fx_arg g = arg(d, "grad_output");
    if (decompose_flag(d, "training") && upper - lower > 1e-6)
        decompose_give(d, mul(d, g, arg(d, "noise")));
    else
        decompose_give(d, CALL(aten_leaky_relu_backward_default, g, arg(d, "self"),
                               fx_float((lower + upper) / 2), arg(d, "self_is_result")));
}

/* ---- attention: the weights are computed again ---- */

static fx_arg attention_weights(decomposing *d, fx_arg query, fx_arg keys, fx_arg scale)
{
    const ty_tensor *q = fx_arg_tensor(&query), *k = fx_arg_tensor(&keys);
    fx_arg mask = arg(d, "attn_mask"),
           scores = CALL(aten_matmul_default, mul(d, query, scale),
                         CALL(aten_transpose_int, keys, decompose_of(d, -2), decompose_of(d, -1)));
    if (mask.kind != FX_ARG_NONE) scores = add(d, scores, wide(d, mask));
    if (q && k && decompose_flag(d, "is_causal")) {
        sym_expr sizes[] = {q->sizes[2], k->sizes[2]};
        fx_arg seen = CALL(aten_tril_default,
                           CALL(aten_ones_default, fx_int_list(d->g, sizes, 2), fx_dtype(TY_BOOL)));
        scores = CALL(aten_where_ScalarOther, seen, scores, fx_float(-INFINITY));
    }
    fx_arg sums = unsqueezed(d, wide(d, arg(d, "logsumexp")), 3); /* the forward operator's */
    return CALL(aten_exp_default, sub(d, scores, sums));
}

/* Heads of keys as many as those of queries: each stands for some that follow each other. */
static fx_arg repeated_heads(decomposing *d, fx_arg x, sym_expr heads)
{
    sym_table *s = d->g->symbols;
    const ty_tensor *t = fx_arg_tensor(&x);
    if (!t || sym_known_equal(s, t->sizes[1], heads)) return x;
    sym_expr each = sym_floordiv(s, heads, t->sizes[1]),
             wide_sizes[] = {t->sizes[0], t->sizes[1], each, t->sizes[2], t->sizes[3]},
             sizes[] = {t->sizes[0], heads, t->sizes[2], t->sizes[3]};
    x = CALL(aten_expand_default, unsqueezed(d, x, 2), fx_int_list(d->g, wide_sizes, 5));
    return reshaped(d, x, 4, sizes);
}

/* The other way: the sum over those that a head stood for. */
static fx_arg joined_heads(decomposing *d, fx_arg x, sym_expr heads)
{
    sym_table *s = d->g->symbols;
    const ty_tensor *t = fx_arg_tensor(&x);
    if (!t || sym_known_equal(s, t->sizes[1], heads)) return x;
    sym_expr sizes[] = {t->sizes[0], heads, sym_floordiv(s, t->sizes[1], heads), t->sizes[2],
                        t->sizes[3]};
    return summed(d, reshaped(d, x, 5, sizes), 2, false);
}

/* The scale that is given, else 1 / sqrt(width): a number, or a tensor of what the run knows. */
static fx_arg attention_scale(decomposing *d, sym_expr width)
{
    fx_arg given = arg(d, "scale");
    double number;
    int64_t known;
    if (given.kind == FX_ARG_NONE)
        return sym_is_int(d->g->symbols, width, &known)
                   ? fx_float(1 / sqrt((double)known))
                   : CALL(aten_rsqrt_default,
                          CALL(aten_scalar_tensor_default, fx_expr(width), fx_dtype(TY_F64)));
    if (fx_arg_number(d->g, &given, &number)) return fx_float(number);
    return CALL(aten_scalar_tensor_default, given, fx_dtype(TY_F64));
}

void decompose_op_attention_backward(decomposing *d)
{
    fx_arg names[] = {arg(d, "query"), arg(d, "key"), arg(d, "value"), arg(d, "grad_out"),
                      arg(d, "out")};
    const ty_tensor *q = fx_arg_tensor(&names[0]), *k = fx_arg_tensor(&names[1]);
    if (!q || !k || decompose_number(d, "dropout_p", 0) > 0) {
        decompose_fail(d, "attention with dropout");
        return;
    }
    sym_expr heads = k->sizes[1];
    for (int i = 0; i < 5; i++) names[i] = wide(d, names[i]);
    fx_arg query = names[0], keys = repeated_heads(d, names[1], q->sizes[1]),
           values = repeated_heads(d, names[2], q->sizes[1]), g = names[3];
    fx_arg scale = attention_scale(d, q->sizes[3]);
    fx_arg second_last = decompose_of(d, -2), last = decompose_of(d, -1);
    fx_arg weights = attention_weights(d, query, keys, scale);
    fx_arg by_weights =
        CALL(aten_matmul_default, g, CALL(aten_transpose_int, values, second_last, last));
    fx_arg along = sum_over(d, mul(d, g, names[4]), 8, true);
    fx_arg by_scores = mul(d, mul(d, weights, sub(d, by_weights, along)), scale);
    give_item(d, CALL(aten_matmul_default, by_scores, keys));
    fx_arg by_keys = CALL(aten_matmul_default,
                          CALL(aten_transpose_int, by_scores, second_last, last), query),
           by_values =
               CALL(aten_matmul_default, CALL(aten_transpose_int, weights, second_last, last), g);
    give_item(d, joined_heads(d, by_keys, heads));
    give_item(d, joined_heads(d, by_values, heads));
}

/* Of a * sigmoid(b): da * sigmoid(b) + db * a * sigmoid(b) * (1 - sigmoid(b)) */
void decompose_op_glu_jvp(decomposing *d)
{
    fx_arg x = arg(d, "x"), dx = arg(d, "dx"), glu = arg(d, "glu");
    const ty_tensor *t = fx_arg_tensor(&x);
    uint32_t dim = decompose_dim(d, decompose_int(d, "dim", -1), t->rank);
    sym_expr half = sym_floordiv(d->g->symbols, t->sizes[dim], sym_int(d->g->symbols, 2));
    fx_arg from = decompose_of(d, dim), middle = fx_expr(half), zero = decompose_of(d, 0);
    fx_arg b = CALL(aten_narrow_default, x, from, middle, middle),
           da = CALL(aten_narrow_default, dx, from, zero, middle),
           db = CALL(aten_narrow_default, dx, from, middle, middle);
    fx_arg s = CALL(aten_sigmoid_default, b);
    fx_arg second = mul(d, mul(d, db, glu), from_number(d, 1, s));
    decompose_give(d, add(d, mul(d, da, s), second));
}
