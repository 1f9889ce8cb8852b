/* resample.c -- images sampled by grids, pixels moved, windows laid out as columns.
 *
 * Also what torchvision does to regions of images, and the derivatives of pooling and resampling,
 * whose sizes are the input's.
 */
#include "infer/infer_priv.h"

#include <string.h>

/* The input's batch and channels, the grid's space. */
void rule_grid_sampler(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_tensor(c, "input");
    ty_tensor *grid = infer_tensor(c, "grid");
    if (!x || !grid || x->rank < 4 || x->rank != grid->rank) {
        infer_fail(c, "%s sampled by %s", infer_shape(c, x), infer_shape(c, grid));
        return;
    }
    sizes[0] = x->sizes[0];
    sizes[1] = x->sizes[1];
    for (uint32_t i = 2; i < x->rank; i++) sizes[i] = grid->sizes[i - 1];
    infer_give(c, infer_fresh(c, x, x->dtype, x->rank, sizes));
}

void rule_affine_grid(infer_call *c)
{
    sym_expr size[TY_MAX_RANK];
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *theta = infer_self(c);
    uint32_t rank = infer_sizes(c, "size", 0, size);
    if (!theta || rank < 4) return;
    sizes[0] = size[0];
    for (uint32_t i = 2; i < rank; i++) sizes[i - 1] = size[i];
    sizes[rank - 1] = infer_number(c, rank - 2);
    infer_give(c, infer_fresh(c, theta, theta->dtype, rank, sizes));
}

/* Channels become space (1), or space channels (0). */
void rule_pixel_shuffle(infer_call *c)
{
    sym_table *t = c->symbols;
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x || x->rank < 3) {
        infer_fail(c, "pixels of %s shuffled", infer_shape(c, x));
        return;
    }
    int64_t by = infer_int(c, c->param ? "upscale_factor" : "downscale_factor", 1);
    sym_expr one = infer_number(c, by);
    sym_expr square = infer_number(c, by * by);
    memcpy(sizes, x->sizes, x->rank * sizeof *sizes);
    sym_expr *last = sizes + x->rank - 3;
    for (uint32_t i = 0; i < 3 && c->status == FE_OK; i++)
        if (c->param ? i == 0 : i > 0)
            (void)INFER_REQUIRE_EQUAL(c, sym_mod(t, last[i], c->param ? square : one),
                                      infer_number(c, 0),
                                      "%s expects its input %s to be divisible in dimension %u",
                                      c->op->base, infer_shape(c, x), x->rank - 3 + i);
    last[0] = c->param ? sym_floordiv(t, last[0], square) : sym_mul(t, last[0], square);
    for (uint32_t i = 1; i < 3; i++)
        last[i] = c->param ? sym_mul(t, last[i], one) : sym_floordiv(t, last[i], one);
    ty_tensor *out = infer_fresh(c, x, x->dtype, x->rank, sizes);
    if (out && x->rank == 4)
        ty_format_strides(t, ty_suggested_format(t, x), 4, sizes, out->strides);
    infer_give(c, out);
}

/* Windows as columns: [N, C * kernel, windows]. */
void rule_im2col(infer_call *c)
{
    sym_table *t = c->symbols;
    sym_expr kernel[2], dilation[2], padding[2], stride[2], sizes[3];
    ty_tensor *x = infer_self(c);
    if (!x || x->rank < 3 || x->rank > 4) {
        infer_fail(c, "windows of %s", infer_shape(c, x));
        return;
    }
    infer_sizes(c, "kernel_size", 2, kernel);
    infer_sizes(c, "dilation", 2, dilation);
    infer_sizes(c, "padding", 2, padding);
    infer_sizes(c, "stride", 2, stride);
    if (c->status != FE_OK) return;
    sym_expr windows = infer_number(c, 1);
    for (uint32_t d = 0; d < 2; d++) {
        sym_expr reach = sym_mul(t, dilation[d], sym_add_int(t, kernel[d], -1));
        sym_expr room = sym_add(t, x->sizes[x->rank - 2 + d], sym_mul_int(t, padding[d], 2));
        room = sym_add_int(t, sym_sub(t, room, reach), -1);
        (void)INFER_REQUIRE(c, SYM_LE, infer_number(c, 0), room,
                            "calculated shape of the array of sliding blocks of %s is too small",
                            infer_shape(c, x));
        windows = sym_mul(t, windows, sym_add_int(t, sym_floordiv(t, room, stride[d]), 1));
    }
    sizes[0] = x->sizes[0];
    sizes[1] = sym_mul(t, x->sizes[x->rank - 3], sym_mul(t, kernel[0], kernel[1]));
    sizes[2] = windows;
    infer_give(c, infer_fresh(c, x, x->dtype, x->rank - 1, sizes + (4 - x->rank)));
}

void rule_col2im(infer_call *c)
{
    sym_table *t = c->symbols;
    sym_expr kernel[2], output[2], dilation[2], padding[2], stride[2], sizes[4];
    ty_tensor *x = infer_self(c);
    if (!x || x->rank < 2 || x->rank > 3) {
        infer_fail(c, "columns of %s", infer_shape(c, x));
        return;
    }
    infer_sizes(c, "kernel_size", 2, kernel);
    infer_sizes(c, "output_size", 2, output);
    if (c->status != FE_OK) return;
    sym_expr block = sym_mul(t, kernel[0], kernel[1]), windows = infer_number(c, 1);
    infer_sizes(c, "dilation", 2, dilation);
    infer_sizes(c, "padding", 2, padding);
    infer_sizes(c, "stride", 2, stride);
    for (uint32_t d = 0; d < 2 && c->status == FE_OK; d++) {
        sym_expr reach = sym_mul(t, dilation[d], sym_add_int(t, kernel[d], -1));
        sym_expr room = sym_sub(t, sym_add(t, output[d], sym_mul_int(t, padding[d], 2)), reach);
        windows = sym_mul(t, windows,
                          sym_add_int(t, sym_floordiv(t, sym_add_int(t, room, -1), stride[d]), 1));
    }
    if (c->status != FE_OK ||
        !INFER_REQUIRE_EQUAL(
            c, sym_mod(t, x->sizes[x->rank - 2], block), infer_number(c, 0),
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, "
            "but got %s",
            infer_shape(c, x)) ||
        !INFER_REQUIRE_EQUAL(c, x->sizes[x->rank - 1], windows,
                             "expected size of input's dimension 2 to match the calculated number "
                             "of sliding blocks, "
                             "but got %s",
                             infer_shape(c, x)))
        return;
    sizes[0] = x->sizes[0];
    sizes[1] = sym_floordiv(t, x->sizes[x->rank - 2], block);
    sizes[2] = output[0];
    sizes[3] = output[1];
    infer_give(c, infer_fresh(c, x, x->dtype, x->rank + 1, sizes + (3 - x->rank)));
}

/* The derivative of a resampling has the sizes that the call names. */
void rule_upsample_backward(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t rank = infer_sizes(c, "input_size", 0, sizes);
    ty_tensor *out = infer_fresh(c, x, x->dtype, rank, sizes);
    if (!out) return;
    ty_format_strides(c->symbols, ty_suggested_format(c->symbols, x), rank, sizes, out->strides);
    infer_give(c, out);
}

/* The derivative of a view, of the sizes that the call names. */
void rule_view_backward(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    const char *name = op_param_index(c->op, "sizes") < 0 ? "input_sizes" : "sizes";
    uint32_t rank = infer_sizes(c, name, 0, sizes);
    infer_give(c, infer_fresh(c, x, x->dtype, rank, sizes));
}

/* By the image where the mask asks for it, and by the grid. */
void rule_grid_sampler_backward(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "input"), *grid = infer_tensor(c, "grid");
    const fx_arg *mask = infer_arg(c, "output_mask");
    if (!x || !grid || !mask || mask->kind != FX_ARG_LIST || mask->list.count != 2) return;
    bool by_image = fx_arg_bool(&mask->list.items[0], false);
    ty_tensor *items[] = {by_image ? infer_like(c, x, x->dtype, TY_CONTIGUOUS) : NULL,
                          infer_like(c, grid, grid->dtype, TY_CONTIGUOUS)};
    infer_give_items(c, items, 2);
}

/* The derivative by `self`, in its memory format. */
void rule_pool_backward(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "self");
    if (x) infer_give(c, infer_like(c, x, x->dtype, ty_suggested_format(c->symbols, x)));
}

/* [T, N, C] by [kernel, C, out]. */
void rule_conv_tbc(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "self");
    ty_tensor *weight = infer_tensor(c, "weight");
    if (!x || !weight || x->rank != 3 || weight->rank != 3) return;
    sym_expr length = sym_add_int(c->symbols, x->sizes[0], 2 * infer_int(c, "pad", 0) + 1);
    sym_expr sizes[] = {sym_sub(c->symbols, length, weight->sizes[0]), x->sizes[1],
                        weight->sizes[2]};
    infer_give(c, infer_fresh(c, x, x->dtype, 3, sizes));
}

/* ---- regions of images, as torchvision has them ---- */

/* One result for each region; with a second one: the channels that it came from. */
void rule_regions(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "input");
    ty_tensor *regions = infer_tensor(c, "rois");
    if (!x || !regions || x->rank != 4 || regions->rank != 2) return;
    sym_expr height = infer_expr(c, "pooled_height", 1);
    sym_expr width = infer_expr(c, "pooled_width", 1);
    sym_expr channels = x->sizes[1];
    if (c->param) channels = sym_floordiv(c->symbols, channels, sym_mul(c->symbols, height, width));
    sym_expr sizes[] = {regions->sizes[0], channels, height, width};
    ty_tensor *out = infer_fresh(c, x, x->dtype, 4, sizes);
    if (c->op->return_count == 1)
        infer_give(c, out);
    else
        infer_give_pair(c, out, infer_fresh(c, x, TY_I32, 4, sizes));
}

void rule_nms(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    sym_expr kept = infer_unbacked(c, 0, 0);
    if (x) infer_give(c, infer_fresh(c, x, TY_I64, 1, &kept));
}

void rule_deform_conv2d(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "input");
    ty_tensor *weight = infer_tensor(c, "weight");
    ty_tensor *offset = infer_tensor(c, "offset");
    if (!x || !weight || !offset || x->rank != 4 || weight->rank != 4 || offset->rank != 4) return;
    sym_expr sizes[] = {x->sizes[0], weight->sizes[0], offset->sizes[2], offset->sizes[3]};
    infer_give(c, infer_fresh(c, x, x->dtype, 4, sizes));
}
