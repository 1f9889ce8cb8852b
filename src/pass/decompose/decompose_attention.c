/* decompose_attention.c -- whole layers of a transformer in one call, as PyTorch's modules make them where no
 * gradient is asked for: multi-head attention with its projections, an encoder's layer.
 */
#include "pass/decompose/decompose_arith.h"

#include <math.h>

/* What masks lie over: queries by keys, keys of each batch, or all of it. */
enum { MASK_OF_QUERIES, MASK_OF_KEYS, MASK_OF_ALL };

static fx_arg ints(decomposing *d, const int64_t *numbers, uint32_t count)
{
    sym_expr e[TY_MAX_RANK];
    for (uint32_t k = 0; k < count; k++) e[k] = sym_int(d->g->symbols, numbers[k]);
    return fx_int_list(d->g, e, count);
}

/* True where nothing is seen, in a shape that broadcasts to scores of rank `rank`. */
static fx_arg hidden(decomposing *d, fx_arg mask, uint32_t rank)
{
    const ty_tensor *t = fx_arg_tensor(&mask);
    int64_t type = decompose_int(d, "mask_type", MASK_OF_ALL);
    if (t && t->dtype != TY_BOOL) mask = CALL(aten_ne_Scalar, mask, decompose_of(d, 0));
    if (rank_of(mask) == 2 && rank == 4 && type == MASK_OF_KEYS)
        mask = unsqueezed(d, unsqueezed(d, mask, 1), 1);
    return mask;
}

static fx_arg masked_softmax_of(decomposing *d, fx_arg x, fx_arg mask, int64_t dim)
{
    fx_arg seen =
        CALL(aten_masked_fill_Scalar, x, hidden(d, mask, rank_of(x)), fx_float(-INFINITY));
    return CALL(aten_softmax_int, seen, decompose_of(d, dim));
}

void decompose_op_masked_softmax(decomposing *d)
{
    decompose_give(
        d, masked_softmax_of(d, arg(d, "self"), arg(d, "mask"), decompose_int(d, "dim", -1)));
}

/* [batch, tokens, heads * width] as [batch, heads, tokens, width] */
static fx_arg as_heads(decomposing *d, fx_arg x, int64_t heads, int64_t width)
{
    fx_arg parts =
        CALL(aten_unflatten_int, x, decompose_of(d, -1), ints(d, (int64_t[]){heads, width}, 2));
    return CALL(aten_transpose_int, parts, decompose_of(d, 1), decompose_of(d, 2));
}

/* Queries, keys and values by their third of the weight; of one input by all of it at once. */
static void project(decomposing *d, const fx_arg *inputs, int64_t size, fx_arg *out)
{
    fx_arg weight = arg(d, "qkv_weight"), bias = arg(d, "qkv_bias"), all = fx_none();
    bool is_one = inputs[0].node == inputs[1].node && inputs[0].node == inputs[2].node;
    if (is_one) all = CALL(aten_linear_default, inputs[0], weight, bias);
    for (int64_t k = 0; k < 3; k++) {
        int64_t first = k * size, end = first + size;
        out[k] =
            is_one ? decompose_slice(d, all, 2, first, end)
                   : CALL(aten_linear_default, inputs[k], decompose_slice(d, weight, 0, first, end),
                          decompose_slice(d, bias, 0, first, end));
    }
}

/* The layer of attention; *weights, unless NULL: what each head looks at. */
static fx_arg attend(decomposing *d, const fx_arg *inputs, const char *heads_name, fx_arg *weights)
{
    int64_t size = decompose_int(d, "embed_dim", 0), heads = decompose_int(d, heads_name, 1);
    fx_arg parts[3], context;
    if (size <= 0 || heads <= 0 || size % heads) {
        decompose_fail(d, "heads that do not divide the width");
        return fx_none();
    }
    double scale = 1 / sqrt((double)(size / heads));
    project(d, inputs, size, parts);
    for (uint32_t k = 0; k < 3; k++) parts[k] = as_heads(d, parts[k], heads, size / heads);
    const fx_arg *mask = decompose_arg(d, "mask");
    if (weights) {
        fx_arg keys = CALL(aten_transpose_int, parts[1], decompose_of(d, 2), decompose_of(d, 3));
        fx_arg scores =
            CALL(aten_matmul_default, CALL(aten_mul_Scalar, parts[0], fx_float(scale)), keys);
        *weights = mask ? masked_softmax_of(d, scores, *mask, -1)
                        : CALL(aten_softmax_int, scores, decompose_of(d, -1));
        context = CALL(aten_matmul_default, *weights, parts[2]);
    } else {
        fx_arg seen = mask ? CALL(aten_logical_not_default, hidden(d, *mask, 4)) : fx_none();
        context = CALL(ferrite_attention_default, parts[0], parts[1], parts[2], seen,
                       fx_float(scale), fx_bool(false));
    }
    context = CALL(aten_transpose_int, context, decompose_of(d, 1), decompose_of(d, 2));
    context = CALL(aten_flatten_using_ints, context, decompose_of(d, 2), decompose_of(d, 3));
    return CALL(aten_linear_default, context, arg(d, "proj_weight"), arg(d, "proj_bias"));
}

void decompose_op_multi_head_attention(decomposing *d)
{
    bool wanted = decompose_flag(d, "need_weights");
    fx_arg inputs[] = {arg(d, "query"), arg(d, "key"), arg(d, "value")}, weights;
    decompose_give(d, attend(d, inputs, "num_head", wanted ? &weights : NULL));
    if (!wanted)
        weights = CALL(aten_new_zeros_default, inputs[0], ints(d, (int64_t[]){0}, 1));
    else if (decompose_flag(d, "average_attn_weights"))
        weights = CALL(aten_div_Scalar, summed(d, weights, 1, false),
                       decompose_of(d, decompose_int(d, "num_head", 1)));
    decompose_give(d, weights);
}

/* ---- an encoder's layer ---- */

static fx_arg normed(decomposing *d, fx_arg x, const char *weight, const char *bias)
{
    return CALL(aten_layer_norm_default, x,
                ints(d, (int64_t[]){decompose_int(d, "embed_dim", 1)}, 1), arg(d, weight),
                arg(d, bias), fx_float(decompose_number(d, "eps", 1e-5)));
}

void decompose_op_encoder_layer(decomposing *d)
{
    bool first = decompose_flag(d, "norm_first");
    fx_arg src = arg(d, "src"), x = src;
    if (first) x = normed(d, x, "norm_weight_1", "norm_bias_1");
    x = add(d, attend(d, (fx_arg[]){x, x, x}, "num_heads", NULL), src);
    if (!first) x = normed(d, x, "norm_weight_1", "norm_bias_1");
    fx_arg kept = x;
    if (first) x = normed(d, x, "norm_weight_2", "norm_bias_2");
    x = CALL(aten_linear_default, x, arg(d, "ffn_weight_1"), arg(d, "ffn_bias_1"));
    x = decompose_flag(d, "use_gelu") ? CALL(aten_gelu_default, x) : CALL(aten_relu_default, x);
    x = CALL(aten_linear_default, x, arg(d, "ffn_weight_2"), arg(d, "ffn_bias_2"));
    x = add(d, x, kept);
    if (!first) x = normed(d, x, "norm_weight_2", "norm_bias_2");
    decompose_give(d, x);
}
