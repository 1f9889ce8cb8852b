/* pool.c -- pooling, resampling and padding of images.
 *
 * Kernels, strides, paddings and scale factors become sizes; the result keeps the memory format of
 * the input. What has one spatial dimension is pooled as an image of one row.
 */
#include "infer/infer_priv.h"

#include <math.h>
#include <string.h>

enum { MOST_SPATIAL = 3 };

/* Like the input but for the sizes of the last `spatial` dimensions. */
static ty_tensor *resampled(infer_call *c, const ty_tensor *x, ty_dtype dtype, uint32_t spatial,
                            const sym_expr *sizes, bool keeps_format)
{
    sym_expr all[TY_MAX_RANK];
    if (x->rank < spatial) {
        infer_fail(c, "%s has fewer than %u dimensions", infer_shape(c, x), spatial);
        return NULL;
    }
    uint32_t outer = x->rank - spatial;
    for (uint32_t i = 0; i < x->rank; i++) all[i] = i < outer ? x->sizes[i] : sizes[i - outer];
    ty_tensor *out = infer_fresh(c, x, dtype, x->rank, all);
    ty_memory_format format = ty_suggested_format(c->symbols, x);
    if (keeps_format && x->rank == spatial + 2)
        ty_format_strides(c->symbols, format, x->rank, all, out->strides);
    return out;
}

/* PyTorch's pooling_output_shape: rounding up must not start a window in the padding behind. */
static sym_expr pooled(infer_call *c, sym_expr size, sym_expr kernel, sym_expr padding,
                       sym_expr stride, sym_expr dilation, bool up)
{
    sym_table *t = c->symbols;
    sym_expr reach = sym_mul(t, dilation, sym_add_int(t, kernel, -1));
    sym_expr room = sym_sub(t, sym_add(t, size, sym_mul_int(t, padding, 2)), reach);
    room = sym_add_int(t, room, -1);
    if (up) room = sym_add_int(t, sym_add(t, room, stride), -1);
    sym_expr out = sym_add_int(t, sym_floordiv(t, room, stride), 1);
    if (!up) return out;
    sym_expr last = sym_mul(t, sym_add_int(t, out, -1), stride);
    return infer_holds(c, SYM_LE, sym_add(t, size, padding), last) ? sym_add_int(t, out, -1) : out;
}

/* Is it one that can be moved over the input? */
static bool window_fits(infer_call *c, sym_expr kernel, sym_expr padding, sym_expr stride,
                        sym_expr dilation)
{
    sym_table *t = c->symbols;
    sym_expr zero = infer_number(c, 0);
    return INFER_REQUIRE(c, SYM_LT, zero, kernel, "kernel size should be greater than zero") &&
           INFER_REQUIRE(c, SYM_LT, zero, stride, "stride should be greater than zero") &&
           INFER_REQUIRE(c, SYM_LT, zero, dilation, "dilation should be greater than zero") &&
           INFER_REQUIRE(c, SYM_LE, zero, padding, "pad must be non-negative") &&
           INFER_REQUIRE(c, SYM_LE, sym_mul_int(t, padding, 2), kernel,
                         "pad should be at most half of the kernel size");
}

/* The sizes after a window has passed over the last `spatial` dimensions. */
static void window_sizes(infer_call *c, const ty_tensor *x, uint32_t spatial, sym_expr *out)
{
    sym_expr kernel[MOST_SPATIAL];
    sym_expr stride[MOST_SPATIAL];
    sym_expr padding[MOST_SPATIAL];
    sym_expr dilation[MOST_SPATIAL];
    const fx_arg *steps = infer_arg(c, "stride");
    infer_sizes(c, "kernel_size", spatial, kernel);
    bool no_steps = !steps || (steps->kind == FX_ARG_LIST && steps->list.count == 0);
    if (!no_steps) infer_sizes(c, "stride", spatial, stride);
    infer_sizes(c, "padding", spatial, padding);
    infer_sizes(c, "dilation", spatial, dilation);
    bool up = infer_flag(c, "ceil_mode", false);
    for (uint32_t d = 0; d < spatial && c->status == FE_OK; d++) {
        if (no_steps) stride[d] = kernel[d];
        if (infer_is(c, dilation[d], 0)) dilation[d] = infer_number(c, 1);
        sym_expr size = x->sizes[x->rank - spatial + d];
        if (!window_fits(c, kernel[d], padding[d], stride[d], dilation[d])) return;
        out[d] = pooled(c, size, kernel[d], padding[d], stride[d], dilation[d], up);
        (void)INFER_REQUIRE(c, SYM_LE, infer_number(c, 1), out[d],
                            "Given input size: %s. Calculated output size is too small",
                            infer_shape(c, x));
    }
}

/* The result of one spatial dimension is that of an image of one row. */
static ty_tensor *resampled_row(infer_call *c, const ty_tensor *x, ty_dtype dtype, sym_expr size)
{
    if (x->rank < 2) return resampled(c, x, dtype, 1, &size, false);
    sym_expr sizes[] = {infer_number(c, 1), size};
    const ty_tensor *image = infer_unsqueeze(c, x, x->rank - 1);
    return infer_squeeze(c, resampled(c, image, dtype, 2, sizes, true),
                         (uint64_t)1 << (x->rank - 1));
}

/* The result and, where the operator gives them, indices. */
static void give_resampled(infer_call *c, const ty_tensor *x, uint32_t spatial,
                           const sym_expr *sizes, bool keeps_format)
{
    ty_tensor *items[2];
    for (uint32_t i = 0; i < 2; i++) {
        ty_dtype dtype = i ? TY_I64 : x->dtype;
        items[i] = spatial == 1 ? resampled_row(c, x, dtype, sizes[0])
                                : resampled(c, x, dtype, spatial, sizes, keeps_format);
    }
    if (c->op->return_count == 1)
        infer_give(c, items[0]);
    else
        infer_give_pair(c, items[0], items[1]);
}

/* Pools; the parameter is the number of spatial dimensions. With a second result: the indices. */
static void pool(infer_call *c, bool keeps_format)
{
    sym_expr sizes[MOST_SPATIAL];
    ty_tensor *x = infer_self(c);
    uint32_t spatial = (uint32_t)c->param;
    if (!x) return;
    if (x->rank < spatial) infer_fail(c, "%s has too few dimensions", infer_shape(c, x));
    if (c->status != FE_OK) return;
    window_sizes(c, x, spatial, sizes);
    if (infer_arg(c, "divisor_override") && infer_int(c, "divisor_override", 1) == 0)
        infer_fail(c, "divisor must be not zero");
    if (c->status == FE_OK) give_resampled(c, x, spatial, sizes, keeps_format);
}

void rule_pool(infer_call *c)
{
    pool(c, true);
}

void rule_pool_contiguous(infer_call *c)
{
    pool(c, false);
}

/* The derivative of a pool: the gradient has the sizes that it gave. */
void infer_check_pool_gradient(infer_call *c)
{
    sym_expr sizes[MOST_SPATIAL];
    const ty_tensor *x = infer_tensor(c, "self"), *gradient = infer_tensor(c, "grad_output");
    uint32_t spatial = strstr(c->op->base, "3d") ? 3 : 2;
    if (!x || !gradient) return;
    if (x->rank < spatial + 1 || x->rank > spatial + 2 || gradient->rank != x->rank) {
        infer_fail(c, "the derivative of %s by %s", infer_shape(c, gradient), infer_shape(c, x));
        return;
    }
    window_sizes(c, x, spatial, sizes);
    for (uint32_t d = 0; d < x->rank && c->status == FE_OK; d++)
        (void)INFER_REQUIRE_EQUAL(c, gradient->sizes[d],
                                  d < x->rank - spatial ? x->sizes[d]
                                                        : sizes[d - (x->rank - spatial)],
                                  "grad_output is %s: the pool of %s has other sizes",
                                  infer_shape(c, gradient), infer_shape(c, x));
}

/* To the sizes of `output_size`: adaptive and fractional pools, unpooling. */
static void pool_to(infer_call *c, bool keeps_format)
{
    sym_expr sizes[MOST_SPATIAL];
    ty_tensor *x = infer_self(c);
    uint32_t spatial = (uint32_t)c->param;
    if (!x) return;
    infer_sizes(c, "output_size", spatial, sizes);
    if (x->rank < spatial) infer_fail(c, "%s has too few dimensions", infer_shape(c, x));
    if (c->status != FE_OK) return;
    for (uint32_t d = 0; d < spatial; d++)
        if (infer_is(c, sizes[d], -1)) sizes[d] = x->sizes[x->rank - spatial + d];
    give_resampled(c, x, spatial, sizes, keeps_format);
}

void rule_pool_to(infer_call *c)
{
    pool_to(c, true);
}

/* The result is contiguous, however the argument lies. */
void rule_pool_to_contiguous(infer_call *c)
{
    pool_to(c, false);
}

/* ---- resampling ---- */

/* size * factor, rounded down, as PyTorch computes it. */
static sym_expr scaled(infer_call *c, sym_expr size, const fx_arg *factor)
{
    double by = 1;
    int64_t value;
    if (!fx_arg_number(c->graph, factor, &by))
        infer_fail(c, "a scale factor is not a known number");
    if (by == floor(by) && fabs(by) < 1e9) return sym_mul_int(c->symbols, size, (int64_t)by);
    if (sym_is_int(c->symbols, size, &value))
        return infer_number(c, (int64_t)floor((double)value * by));
    if (by > 0 && 1 / by == floor(1 / by))
        return sym_floordiv(c->symbols, size, infer_number(c, (int64_t)(1 / by)));
    return (sym_expr){0};
}

void rule_upsample(infer_call *c)
{
    sym_expr sizes[MOST_SPATIAL];
    ty_tensor *x = infer_self(c);
    uint32_t spatial = (uint32_t)c->param;
    const fx_arg *factors = infer_arg(c, "scale_factors");
    if (!x) return;
    if (x->rank != spatial + 2) infer_fail(c, "%s is not a batch of images", infer_shape(c, x));
    if (c->status != FE_OK) return;
    if (infer_arg(c, "output_size")) {
        infer_sizes(c, "output_size", spatial, sizes);
    } else if (factors && factors->kind == FX_ARG_LIST && factors->list.count == spatial) {
        for (uint32_t d = 0; d < spatial; d++) {
            sizes[d] = scaled(c, x->sizes[d + 2], &factors->list.items[d]);
            if (sym_is_none(sizes[d])) sizes[d] = infer_unbacked(c, 0, d + 2);
        }
    } else {
        infer_fail(c, "neither sizes nor factors are given");
    }
    if (c->status != FE_OK) return;
    infer_give(c, resampled(c, x, x->dtype, spatial, sizes, spatial > 1));
}

/* ---- padding ---- */

/* What wraps around is of what is left when either side is cut. */
static void check_wrapped(infer_call *c, sym_expr size, const sym_expr *pad)
{
    sym_table *t = c->symbols;
    sym_expr zero = infer_number(c, 0);
    sym_expr left =
        sym_add(t, size, sym_add(t, sym_min(t, pad[0], zero), sym_min(t, pad[1], zero)));
    (void)INFER_REQUIRE(c, SYM_LT, zero, left,
                        "Negative padding value is resulting in an empty dimension");
    for (uint32_t k = 0; k < 2; k++)
        (void)INFER_REQUIRE(c, SYM_LE, pad[k], left,
                            "Padding value causes wrapping around more than once.");
}

/* No more is cut off than is there. */
static void check_cut_off(infer_call *c, const ty_tensor *x, uint32_t dim, const sym_expr *pad)
{
    sym_table *t = c->symbols;
    sym_expr zero = infer_number(c, 0);
    sym_expr cut = sym_add(t, sym_min(t, pad[0], zero), sym_min(t, pad[1], zero));
    (void)INFER_REQUIRE(c, SYM_LE, zero, sym_add(t, x->sizes[dim], cut),
                        "narrow(): length must be non-negative: dimension %u of %s", dim,
                        infer_shape(c, x));
}

/* Pads from the last dimension on: (before, after) pairs. What only cuts off is a clone of the part
 * that stays; what wraps around is contiguous. */
void rule_pad(infer_call *c)
{
    sym_expr pad[2 * TY_MAX_RANK];
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    const fx_arg *list = infer_arg(c, op_param_index(c->op, "pad") < 0 ? "padding" : "pad");
    const char *mode = infer_string(c, "mode", "constant");
    if (!x || !list) return;
    int count = fx_arg_ints(c->graph, list, pad, 2 * TY_MAX_RANK);
    if (count < 0 || count % 2 || (uint32_t)count > 2 * x->rank) {
        infer_fail(c, "%d paddings of %s", count, infer_shape(c, x));
        return;
    }
    bool cuts = op_param_index(c->op, "pad") >= 0 && strcmp(mode, "constant") == 0;
    for (int i = 0; i < count; i++)
        cuts = cuts && infer_prefers(c, SYM_LE, pad[i], infer_number(c, 0));
    for (uint32_t i = 0; i < x->rank; i++) {
        uint32_t from_end = x->rank - 1 - i;
        sizes[i] = x->sizes[i];
        if (2 * from_end + 1 >= (uint32_t)count) continue;
        if (strcmp(mode, "circular") == 0) check_wrapped(c, x->sizes[i], pad + 2 * from_end);
        if (op_param_index(c->op, "pad") >= 0) check_cut_off(c, x, i, pad + 2 * from_end);
        sym_expr added = sym_add(c->symbols, pad[2 * from_end], pad[2 * from_end + 1]);
        sizes[i] = sym_add(c->symbols, sizes[i], added);
    }
    if (cuts) {
        const ty_tensor *part = infer_view_as(c, x, x->rank, sizes, x->strides, x->offset);
        infer_give(c, infer_clone(c, part, TY_PRESERVE));
        return;
    }
    ty_tensor *out = infer_fresh(c, x, x->dtype, x->rank, sizes);
    bool wraps = strcmp(mode, "circular") == 0;
    ty_memory_format format = wraps ? TY_CONTIGUOUS : ty_suggested_format(c->symbols, x);
    ty_format_strides(c->symbols, format, x->rank, sizes, out->strides);
    infer_give(c, out);
}
