/* conv.c -- convolutions: the sizes of their results, and which of them are channels last.
 *
 * One rule serves all: by name (conv2d, conv_transpose3d, ...) or in general (convolution), with
 * numbers as padding or "same" and "valid", with and without a batch dimension.
 */
#include "infer/infer_priv.h"

enum { MOST_SPATIAL = 3 };

typedef struct window {
    sym_expr stride[MOST_SPATIAL], padding[MOST_SPATIAL], dilation[MOST_SPATIAL],
        output_padding[MOST_SPATIAL];
    bool is_same;
} window;

static bool is_transposed(const infer_call *c)
{
    return c->param != 0 || infer_flag(c, "transposed", false);
}

/* (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1 */
static sym_expr convolved(infer_call *c, const window *w, uint32_t d, sym_expr size,
                          sym_expr kernel)
{
    sym_table *t = c->symbols;
    sym_expr reach = sym_mul(t, w->dilation[d], sym_add_int(t, kernel, -1));
    sym_expr room = sym_sub(t, sym_add(t, size, sym_mul_int(t, w->padding[d], 2)), reach);
    return sym_add_int(t, sym_floordiv(t, sym_add_int(t, room, -1), w->stride[d]), 1);
}

static sym_expr transposed(infer_call *c, const window *w, uint32_t d, sym_expr size,
                           sym_expr kernel)
{
    sym_table *t = c->symbols;
    sym_expr out = sym_mul(t, sym_add_int(t, size, -1), w->stride[d]);
    out = sym_sub(t, out, sym_mul_int(t, w->padding[d], 2));
    out = sym_add(t, out, sym_mul(t, w->dilation[d], sym_add_int(t, kernel, -1)));
    return sym_add_int(t, sym_add(t, out, w->output_padding[d]), 1);
}

static window read_window(infer_call *c, uint32_t spatial)
{
    window w = {.is_same = false};
    const char *padding = infer_string(c, "padding", NULL);
    sym_expr zero = infer_number(c, 0);
    infer_sizes(c, "stride", spatial, w.stride);
    infer_sizes(c, "dilation", spatial, w.dilation);
    for (uint32_t d = 0; d < MOST_SPATIAL; d++) w.padding[d] = w.output_padding[d] = zero;
    if (padding)
        w.is_same = padding[0] == 's';
    else
        infer_sizes(c, "padding", spatial, w.padding);
    if (infer_arg(c, "output_padding")) infer_sizes(c, "output_padding", spatial, w.output_padding);
    return w;
}

/* Is it one that PyTorch's own loops take, which know contiguous images alone: small in three dimensions,
 * or with an output padding that goes beyond a step? */
static bool is_plain_loop(infer_call *c, const ty_tensor *x, const ty_tensor *weight)
{
    sym_table *t = c->symbols;
    if (x->dtype == TY_F64) return true;
    window w = read_window(c, 3);
    for (uint32_t d = 0; d < 3; d++)
        if (is_transposed(c) && infer_prefers(c, SYM_LE, w.stride[d], w.output_padding[d]))
            return true;
    if (x->dtype != TY_F32) return false;
    sym_expr elements =
        sym_mul(t, sym_mul(t, x->sizes[0], x->sizes[1]), sym_mul(t, x->sizes[2], x->sizes[3]));
    bool is_wide = infer_prefers(c, SYM_LT, infer_number(c, 3), weight->sizes[3]) &&
                   infer_prefers(c, SYM_LT, infer_number(c, 3), weight->sizes[4]);
    return !is_wide && infer_prefers(c, SYM_LE, infer_expr(c, "groups", 1), infer_number(c, 1)) &&
           infer_prefers(c, SYM_LE, x->sizes[0], infer_number(c, 1)) &&
           infer_prefers(c, SYM_LE, elements, infer_number(c, 20480));
}

/* Strides of the result: channels last when an operand is, for kernels that have that format. What
 * has one spatial dimension counts as an image of one row, its input made contiguous. */
static void set_strides(infer_call *c, const ty_tensor *x, const ty_tensor *weight, ty_tensor *out)
{
    sym_table *t = c->symbols;
    ty_memory_format format = TY_CONTIGUOUS;
    bool unknown = infer_has_unbacked(c, x->rank, x->sizes);
    if (unknown || (x->rank == 5 && is_plain_loop(c, x, weight))) return;
    if (x->rank > 3) format = ty_suggested_format(t, x);
    if (x->rank == 3) weight = infer_unsqueeze(c, weight, 2);
    if (format == TY_CONTIGUOUS) format = ty_suggested_format(t, weight);
    if (format == TY_CONTIGUOUS) return;
    if (out->rank == 3) {
        ty_tensor *rows = infer_unsqueeze(c, out, 2);
        ty_format_strides(t, format, 4, rows->sizes, rows->strides);
        out->strides = infer_squeeze(c, rows, 4)->strides;
        return;
    }
    ty_format_strides(t, format, out->rank, out->sizes, out->strides);
}

/* The channels of a batch go into those of the weight. */
static bool channels_fit(infer_call *c, const ty_tensor *input, const ty_tensor *weight)
{
    sym_table *t = c->symbols;
    sym_expr groups = infer_expr(c, "groups", 1), own = weight->sizes[0];
    sym_expr taken = is_transposed(c) ? own : sym_mul(t, weight->sizes[1], groups);
    if (is_transposed(c) &&
        !INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), weight->sizes[1],
                       "non-empty weight tensor expected, but got %s", infer_shape(c, weight)))
        return false;
    return INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), own,
                         "expected weight to be at least 1 at dimension 0, but got weight %s",
                         infer_shape(c, weight)) &&
           INFER_REQUIRE_EQUAL(c, taken, input->sizes[1],
                               "the channels do not fit: %s with weight %s", infer_shape(c, input),
                               infer_shape(c, weight)) &&
           INFER_REQUIRE_EQUAL(c, sym_mod(t, own, groups), infer_number(c, 0),
                               "the groups do not divide the channels of weight %s",
                               infer_shape(c, weight));
}

/* What PyTorch asks of a window besides a result that has elements. */
static bool window_is_sound(infer_call *c, const window *w, uint32_t d, sym_expr size)
{
    sym_table *t = c->symbols;
    if (!INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), size,
                       "Only zero batch or zero channel inputs are supported, but got size %s",
                       infer_written(c, size)))
        return false;
    if (is_transposed(c)) {
        sym_expr step = sym_max(t, w->stride[d], w->dilation[d]);
        return INFER_REQUIRE(c, SYM_LT, w->output_padding[d], step,
                             "output padding must be smaller than either stride or dilation, but "
                             "got output_padding: %s, stride: %s, dilation: %s",
                             infer_written(c, w->output_padding[d]), infer_written(c, w->stride[d]),
                             infer_written(c, w->dilation[d]));
    }
    return true;
}

/* Of the result of a batch: as many as the weight has. False: the call is refused. */
static bool convolved_sizes(infer_call *c, const ty_tensor *input, const ty_tensor *weight,
                            sym_expr *sizes)
{
    uint32_t spatial = weight->rank - 2;
    window w = read_window(c, spatial);
    bool back = is_transposed(c);
    if (c->status != FE_OK || !channels_fit(c, input, weight)) return false;
    sizes[0] = input->sizes[0];
    sizes[1] = weight->sizes[0];
    if (back) sizes[1] = sym_mul(c->symbols, weight->sizes[1], infer_expr(c, "groups", 1));
    for (uint32_t d = 0; d < spatial; d++) {
        sym_expr size = input->sizes[d + 2], kernel = weight->sizes[d + 2];
        if (!window_is_sound(c, &w, d, size)) return false;
        if (!INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), kernel,
                           "kernel size should be greater than zero, but weight is %s",
                           infer_shape(c, weight)))
            return false;
        sizes[d + 2] = w.is_same ? size
                       : back    ? transposed(c, &w, d, size, kernel)
                                 : convolved(c, &w, d, size, kernel);
        (void)INFER_REQUIRE(c, SYM_LE, infer_number(c, w.is_same || back ? 0 : 1), sizes[d + 2],
                            "calculated output size of %s with weight %s is too small",
                            infer_shape(c, input), infer_shape(c, weight));
    }
    return c->status == FE_OK;
}

void rule_convolution(infer_call *c)
{
    sym_expr sizes[MOST_SPATIAL + 2];
    ty_tensor *x = infer_tensor(c, op_param_index(c->op, "input") < 0 ? "self" : "input");
    ty_tensor *weight = infer_tensor(c, "weight"), *bias = infer_tensor(c, "bias");
    if (!x || !weight || weight->rank < 3 || weight->rank > MOST_SPATIAL + 2 ||
        (x->rank != weight->rank &&
         (x->rank + 1 != weight->rank || op_param_index(c->op, "transposed") >= 0))) {
        infer_fail(c, "a convolution of %s with %s", infer_shape(c, x), infer_shape(c, weight));
        return;
    }
    bool batched = x->rank == weight->rank;
    const ty_tensor *input = batched ? x : infer_unsqueeze(c, x, 0);
    if (!convolved_sizes(c, input, weight, sizes)) return;
    if (bias && bias->rank != 1)
        infer_fail(c, "bias is %s, which is no vector", infer_shape(c, bias));
    if (bias && c->status == FE_OK)
        (void)INFER_REQUIRE_EQUAL(c, bias->sizes[0], sizes[1],
                                  "bias is %s, the channels are another number",
                                  infer_shape(c, bias));
    if (c->status != FE_OK) return;
    ty_tensor *out = infer_fresh(c, input, input->dtype, input->rank, sizes);
    set_strides(c, input, weight, out);
    infer_give(c, batched ? out : infer_squeeze(c, out, 1));
}

/* The gradient has the sizes of the convolution. */
void infer_check_convolution_gradient(infer_call *c)
{
    sym_expr sizes[MOST_SPATIAL + 2];
    const ty_tensor *x = infer_tensor(c, "input"), *weight = infer_tensor(c, "weight");
    const ty_tensor *gradient = infer_tensor(c, "grad_output");
    if (!x || !weight || !gradient) return;
    if (weight->rank < 3 || weight->rank > MOST_SPATIAL + 2 || x->rank != weight->rank ||
        gradient->rank != x->rank) {
        infer_fail(c, "a convolution of %s with %s", infer_shape(c, x), infer_shape(c, weight));
        return;
    }
    if (!convolved_sizes(c, x, weight, sizes)) return;
    window w = read_window(c, weight->rank - 2);
    for (uint32_t d = 0; d + 2 < weight->rank && !is_transposed(c); d++)
        (void)INFER_REQUIRE_EQUAL(
            c, w.output_padding[d], infer_number(c, 0),
            "output_padding is not supported for non-transposed convolutions");
    for (uint32_t d = 0; d < x->rank; d++)
        (void)INFER_REQUIRE_EQUAL(
            c, gradient->sizes[d], sizes[d],
            "the gradient is %s: the convolution of %s with %s has other sizes",
            infer_shape(c, gradient), infer_shape(c, x), infer_shape(c, weight));
}

/* By the input, the weight and the bias; the format is that of the convolution. */
void rule_convolution_backward(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *items[3];
    ty_tensor *x = infer_tensor(c, "input"), *weight = infer_tensor(c, "weight");
    const fx_arg *mask = infer_arg(c, "output_mask");
    if (!x || !weight || !mask || mask->kind != FX_ARG_LIST || mask->list.count != 3) return;
    uint32_t rank = infer_arg(c, "bias_sizes") ? infer_sizes(c, "bias_sizes", 0, sizes) : 0;
    bool back = is_transposed(c);
    sym_expr channels =
        back ? sym_mul(c->symbols, weight->sizes[1], infer_expr(c, "groups", 1)) : weight->sizes[0];
    items[0] = infer_fresh(c, x, x->dtype, x->rank, x->sizes);
    items[1] = infer_fresh(c, x, weight->dtype, weight->rank, weight->sizes);
    items[2] = infer_fresh(c, x, x->dtype, 1, rank == 1 ? sizes : &channels);
    set_strides(c, x, weight, items[0]);
    set_strides(c, x, weight, items[1]);
    for (uint32_t i = 0; i < 3; i++)
        if (!fx_arg_bool(&mask->list.items[i], false)) items[i] = NULL;
    infer_give_items(c, items, 3);
}
