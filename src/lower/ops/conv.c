/* conv.c -- convolutions: the extern kernel `conv` for float32 and float64 in one to three dimensions, a
 * plain reduction otherwise.
 *
 * Float convolutions work in channels-last memory, whatever their dimensions: the input is realised so
 * when it has no memory yet, and the output is laid out so. Whatever the layout is, it is only strides.
 * Where Winograd's algorithm takes less time, and the weight, which is transformed ahead, is a constant, the
 * kernel is `winograd`, of float32. Those of bf16 are `half_conv`, but groups of few channels, which go as
 * float32.
 */
#include "lower/ops/conv.h"

#include "lower/ops/linalg.h"

#include <string.h>

enum { FEW_CHANNELS = 4, LARGE_PLANE = 128, MOST_DIMS = 3, LEAST_OF_GROUP = 8 };

typedef struct convolution {
    lower_tensor x, weight, bias;
    uint32_t dims;
    sym_expr stride[MOST_DIMS], padding[MOST_DIMS], dilation[MOST_DIMS], output_padding[MOST_DIMS];
    sym_expr groups;
    bool transposed;
    const sym_expr *sizes; /* of the output, with the batch */
    const sym_expr *wanted;
} convolution;

/* ---- the extern kernel ---- */

static void channels_last(lowering *l, uint32_t rank, const sym_expr *sizes, sym_expr *strides)
{
    sym_expr step = sizes[1];
    strides[1] = l->one;
    for (uint32_t k = rank; k-- > 2;) {
        strides[k] = step;
        step = sym_mul(l->symbols, step, sizes[k]);
    }
    strides[0] = step;
}

/* Realised channels last where it has no memory yet, and channels enough. */
static loop_view conv_operand(lowering *l, lower_tensor x, int64_t least)
{
    sym_expr strides[LOWER_MAX_RANK];
    lower_box *box = x.box;
    bool fresh = !box->realised && !x.map && !box->wanted;
    if (fresh && sym_hint(l->symbols, x.sizes[1], least) >= least) {
        channels_last(l, x.rank, x.sizes, strides);
        lower_realise(l, box, strides);
    }
    return lower_strided(l, x);
}

/* Each step is 1, and the window 3 wide? */
static bool is_plain_axis(lowering *l, const convolution *c, uint32_t d)
{
    return sym_same(c->weight.sizes[d + 2], lower_const(l, 3)) && lower_is_one(l, c->stride[d]) &&
           lower_is_one(l, c->dilation[d]);
}

/* Of Winograd's algorithm, for the sizes of the example; 0: not by that. */
static int64_t tile_of(lowering *l, const convolution *c)
{
    if (l->direct_convolution || lower_dtype(c->x) == TY_F64 || c->dims != 2 || c->transposed ||
        !lower_is_one(l, c->groups) || !lower_is_constant(l, c->weight) ||
        !is_plain_axis(l, c, 0) || !is_plain_axis(l, c, 1))
        return 0;
    const sym_table *s = l->symbols;
    return lower_tile_of(&(lower_image){.batch = sym_hint(s, c->sizes[0], 1),
                                        .in = sym_hint(s, c->x.sizes[1], 0),
                                        .out = sym_hint(s, c->sizes[1], 0),
                                        .height = sym_hint(s, c->sizes[2], 1),
                                        .width = sym_hint(s, c->sizes[3], 1)});
}

/* A window that was turned round is stored so: PyTorch, for one, knows no strides below zero. */
static loop_view weight_operand(lowering *l, lower_tensor weight)
{
    loop_view view = lower_strided(l, weight);
    bool goes_back = false;
    for (uint32_t k = 0; k < view.rank; k++)
        goes_back |= !sym_known_less_equal(l->symbols, l->zero, view.strides[k], NULL);
    return goes_back ? lower_strided(l, lower_copied(l, weight, NULL)) : view;
}

/* ---- one tap as a product ---- */

static bool is_one_tap(lowering *l, const convolution *c)
{
    bool one = !c->transposed && lower_is_one(l, c->groups) && !lower_is_one(l, c->x.sizes[1]);
    for (uint32_t d = 0; d < c->dims && one; d++)
        one = lower_is_one(l, c->weight.sizes[d + 2]) && lower_is_one(l, c->stride[d]) &&
              lower_is_zero(l, c->padding[d]);
    return one;
}

/* Are pixels side by side, and channels not? */
static bool has_planes(lowering *l, uint32_t rank, const sym_expr *sizes, const sym_expr *strides)
{
    sym_expr step = l->one;
    bool has = !lower_is_one(l, strides[1]);
    for (uint32_t k = rank; k-- > 2 && has;) {
        has = lower_is_one(l, sizes[k]) || sym_same(strides[k], step);
        step = sym_mul(l->symbols, step, sizes[k]);
    }
    return has;
}

/* Of planes of pixels, to such: lanes hold pixels, and no plane is turned; these are to outweigh a weight
 * that is not packed. Where it does not matter how the result lies, its readers may have to turn it, so it
 * is to be the smaller one. */
static bool is_product_of_planes(lowering *l, const convolution *c, const loop_view *x)
{
    sym_table *s = l->symbols;
    if (!is_one_tap(l, c) || !has_planes(l, x->rank, x->sizes, x->strides) ||
        sym_hint(s, sym_product(s, c->sizes + 2, c->dims), 0) < LARGE_PLANE)
        return false;
    if (c->wanted) return has_planes(l, x->rank, c->sizes, c->wanted);
    return 2 * sym_hint(s, c->sizes[1], 1) <= sym_hint(s, c->x.sizes[1], 0);
}

static lower_tensor product_of_planes(lowering *l, const convolution *c)
{
    sym_table *s = l->symbols;
    sym_expr pixels = sym_product(s, c->sizes + 2, c->dims);
    sym_expr image[3] = {c->sizes[0], c->x.sizes[1], pixels};
    lower_tensor y = lower_product(l, lower_reshape(l, c->weight, 2, c->weight.sizes),
                                   lower_reshape(l, c->x, 3, lower_sizes_copy(l, image, 3)));
    if (!lower_absent(c->bias))
        y = lower_binary(l, LOOP_ADD, y, lower_unsqueeze(l, c->bias, c->bias.rank));
    return lower_reshape(l, y, c->dims + 2, c->sizes);
}

/* ---- the extern kernel ---- */

static lower_tensor windows_extern(lowering *l, const convolution *c, loop_view *views,
                                   lower_tensor out, int64_t tile)
{
    bool is_half = views[0].dtype == TY_BF16;
    const char *kernel = is_half ? "half_conv" : "conv";
    loop_op call = {.kernel = kernel,
                    .inputs = views,
                    .input_count = 3,
                    .outputs = &out.box->view,
                    .output_count = 1};
    if (!is_half) {
        call.floats = loop_floats(l->program, kernel, (loop_float[]){{"low", 0}, {"high", 0}}, 2);
        call.float_count = 2;
    }
    loop_set_windows(l->program, &call,
                     &(loop_windows){.spatial = c->dims,
                                     .transposed = c->transposed,
                                     .groups = c->groups,
                                     .stride = c->stride,
                                     .padding = c->padding,
                                     .dilation = c->dilation,
                                     .more = c->output_padding,
                                     .tile = tile});
    lower_extern_op(l, call);
    return out;
}

static lower_tensor conv_extern(lowering *l, const convolution *c)
{
    sym_expr strides[LOWER_MAX_RANK];
    const sym_expr *wanted = c->wanted;
    uint32_t rank = c->dims + 2;
    loop_view views[3] = {conv_operand(l, c->x, FEW_CHANNELS), [2] = lower_no_view(l)};
    bool is_half = ty_is_half(lower_dtype(c->x));
    if (!is_half && is_product_of_planes(l, c, &views[0])) return product_of_planes(l, c);
    views[1] = weight_operand(l, c->weight);
    if (!lower_absent(c->bias)) views[2] = lower_strided(l, c->bias);
    if (!wanted) {
        channels_last(l, rank, c->sizes, strides);
        wanted = strides;
    }
    lower_tensor out =
        lower_temp_tensor(l, lower_compute_dtype(lower_dtype(c->x)), rank, c->sizes, wanted);
    int64_t tile = tile_of(l, c);
    if (!tile || is_half) return windows_extern(l, c, views, out, tile);
    const loop_int ints[] = {{"tile", lower_const(l, tile)},
                             {"above", c->padding[0]},
                             {"left", c->padding[1]},
                             {"activation", l->zero}};
    lower_extern(l, "winograd", 3, views, out.box->view, COUNT_OF(ints), ints, 2,
                 (loop_float[]){{"low", 0}, {"high", 0}});
    return out;
}

/* ---- the plain reduction ---- */

/* Position in the input of output position i and kernel position r; `inside` gathers what must
 * hold. */
static sym_expr input_position(lowering *l, const convolution *c, uint32_t d, sym_expr r,
                               loop_value *inside)
{
    sym_table *s = l->symbols;
    sym_expr i = l->axes[d + 2], reach = sym_mul(s, r, c->dilation[d]), at;
    if (!c->transposed) {
        at = sym_add(s, sym_sub(s, sym_mul(s, i, c->stride[d]), c->padding[d]), reach);
    } else {
        sym_expr from = sym_sub(s, sym_add(s, i, c->padding[d]), reach);
        loop_value rest = loop_index(l->program, sym_mod(s, from, c->stride[d]));
        *inside = lower_op2(l, LOOP_AND, *inside,
                            lower_op2(l, LOOP_EQ, rest, loop_const_int(l->program, TY_I64, 0)));
        at = sym_floordiv(s, from, c->stride[d]);
    }
    loop_value fits = lower_is_inside(l, at, l->zero, c->x.sizes[d + 2]);
    *inside = lower_op2(l, LOOP_AND, *inside, fits);
    return at;
}

static lower_tensor conv_nest(lowering *l, const convolution *c)
{
    sym_table *s = l->symbols;
    uint32_t rank = c->dims + 2;
    sym_expr at[LOWER_MAX_RANK], wt[LOWER_MAX_RANK], spans[MOST_DIMS + 1];
    sym_expr in_each = sym_floordiv(s, c->x.sizes[1], c->groups),
             out_each = sym_floordiv(s, c->sizes[1], c->groups);
    sym_expr group = sym_floordiv(s, l->axes[1], out_each);
    loop_value inside = loop_const_int(l->program, TY_BOOL, 1);
    spans[0] = in_each;
    at[0] = l->axes[0];
    at[1] = sym_add(s, sym_mul(s, group, in_each), l->reduce_axes[0]);
    wt[0] = c->transposed ? at[1] : l->axes[1];
    wt[1] = c->transposed ? sym_mod(s, l->axes[1], out_each) : l->reduce_axes[0];
    for (uint32_t d = 0; d < c->dims; d++) {
        spans[d + 1] = c->weight.sizes[d + 2];
        wt[d + 2] = l->reduce_axes[d + 1];
        at[d + 2] = input_position(l, c, d, l->reduce_axes[d + 1], &inside);
    }
    ty_dtype d = lower_dtype(c->x);
    lower_share(l, c->x);
    loop_value x =
        loop_masked(l->program, inside, lower_at(l, c->x, at), loop_const_float(l->program, d, 0));
    loop_value v = lower_op2(l, LOOP_MUL, x, lower_at(l, c->weight, wt));
    lower_tensor out =
        lower_temp_tensor(l, d, rank, c->sizes, lower_absent(c->bias) ? c->wanted : NULL);
    loop_op *op = lower_nest(l, rank, c->sizes, c->dims + 1, spans);
    sym_expr to = lower_flat(l, l->axes, out.box->view.strides, rank);
    lower_store(
        l, op,
        (loop_store){.buffer = out.box->view.buffer, .index = to, .value = v, .reduce = LOOP_SUM});
    if (lower_absent(c->bias)) return out;
    lower_tensor bias = c->bias;
    for (uint32_t k = 0; k < c->dims; k++) bias = lower_unsqueeze(l, bias, bias.rank);
    return lower_binary(l, LOOP_ADD, out, bias);
}

/* ---- arguments ---- */

static bool spread(lowering *l, const char *param, uint32_t dims, int64_t fallback, sym_expr *out)
{
    sym_expr given[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < dims; k++) out[k] = lower_const(l, fallback);
    if (op_param_index(l->node->op, param) < 0) return true;
    int count = lower_ints(l, param, given, LOWER_MAX_RANK);
    if (count > (int)dims) return false;
    for (uint32_t k = 0; k < dims && count > 0; k++) out[k] = given[count == 1 ? 0 : k];
    return true;
}

/* "same" splits what the kernel reaches beyond its centre; an odd rest goes to the end, by padding
 * the input first. */
static void same_padding(lowering *l, convolution *c)
{
    sym_expr low[LOWER_MAX_RANK], high[LOWER_MAX_RANK];
    bool uneven = false;
    for (uint32_t k = 0; k < c->x.rank; k++) low[k] = high[k] = l->zero;
    for (uint32_t k = 0; k < c->dims; k++) {
        sym_expr reach = sym_mul(l->symbols, c->dilation[k],
                                 sym_add_int(l->symbols, c->weight.sizes[k + 2], -1));
        sym_expr half = sym_floordiv(l->symbols, reach, lower_const(l, 2));
        low[k + 2] = half;
        high[k + 2] = sym_sub(l->symbols, reach, half);
        c->padding[k] = half;
        uneven |= !sym_same(low[k + 2], high[k + 2]);
    }
    if (!uneven) return;
    c->x = lower_padded(l, c->x, low, high, loop_const_float(l->program, lower_dtype(c->x), 0));
    for (uint32_t k = 0; k < c->dims; k++) c->padding[k] = l->zero;
}

static bool is_empty(lowering *l, const convolution *c)
{
    bool empty = false;
    for (uint32_t k = 0; k < c->x.rank; k++)
        empty |= lower_is_zero(l, c->x.sizes[k]) || lower_is_zero(l, c->sizes[k]);
    return empty;
}

/* Numbers of bf16 that stay so: `half_conv` takes them, of which groups have channels enough. */
static bool stays_half(lowering *l, const convolution *c)
{
    const sym_table *s = l->symbols;
    sym_expr out = c->transposed ? c->weight.sizes[1] : c->weight.sizes[0];
    int64_t groups = sym_hint(s, c->groups, 1),
            out_each = sym_hint(s, out, 1) / (c->transposed ? 1
                                              : groups < 1  ? 1
                                                            : groups),
            in_each = c->transposed ? sym_hint(s, c->weight.sizes[0], 1) / (groups < 1 ? 1 : groups)
                                    : sym_hint(s, c->weight.sizes[1], 1);
    return lower_dtype(c->x) == TY_BF16 && lower_dtype(c->weight) == TY_BF16 &&
           lower_has_operators(l) &&
           (groups == 1 || (in_each >= LEAST_OF_GROUP && out_each >= LEAST_OF_GROUP));
}

fe_status lower_op_conv(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    ty_dtype d = lower_compute_dtype(out->dtype);
    convolution c = {.x = lower_arg(l, "input"), .weight = lower_arg(l, "weight")};
    c.bias = lower_arg(l, "bias");
    if (!lower_absent(c.bias)) c.bias = lower_cast(l, c.bias, d);
    c.dims = c.weight.rank - 2;
    if (c.weight.rank < 3 || c.dims > MOST_DIMS)
        return lower_fail(l, "a convolution in %d dimensions", (int)c.weight.rank - 2);
    c.transposed = row->parameter == 1 ||
                   (op_param_index(n->op, "transposed") >= 0 && lower_bool(l, "transposed"));
    c.groups = lower_size(l, "groups");
    if (!stays_half(l, &c)) {
        c.x = lower_cast(l, c.x, d);
        c.weight = lower_cast(l, c.weight, d);
    }
    if (!spread(l, "stride", c.dims, 1, c.stride) ||
        !spread(l, "dilation", c.dims, 1, c.dilation) ||
        !spread(l, "output_padding", c.dims, 0, c.output_padding))
        return lower_fail(l, "arguments of other lengths");
    bool batched = c.x.rank == c.dims + 2;
    if (!batched) c.x = lower_unsqueeze(l, c.x, 0);
    const fx_arg *padding = fx_get(l->graph, n, "padding");
    if (padding->kind == FX_ARG_STRING) {
        for (uint32_t k = 0; k < c.dims; k++) c.padding[k] = l->zero;
        if (strcmp(padding->string, "same") == 0) same_padding(l, &c);
    } else if (!spread(l, "padding", c.dims, 0, c.padding)) {
        return lower_fail(l, "arguments of other lengths");
    }
    sym_expr sizes[LOWER_MAX_RANK] = {l->one};
    memcpy(sizes + !batched, out->sizes, out->rank * sizeof *sizes);
    c.sizes = lower_sizes_copy(l, sizes, c.dims + 2);
    c.wanted = batched && d == out->dtype ? lower_wanted(l, 0) : NULL;
    bool empty = is_empty(l, &c),
         has_kernel = (d == TY_F32 || d == TY_F64) && lower_has_operators(l) && !empty;
    if (empty) {
        c.x = lower_cast(l, c.x, d);
        c.weight = lower_cast(l, c.weight, d);
    }
    lower_tensor y = has_kernel ? conv_extern(l, &c) : conv_nest(l, &c);
    if (!batched) y = lower_squeeze(l, y, 0);
    return lower_give(l, lower_cast(l, y, out->dtype));
}

/* ---- the gradient of a weight ---- */

/* convolution_backward of the weight alone (see decompose_grad_conv.c). A transposed one goes from the
 * gradient to the input. */
fe_status lower_op_weight_gradient(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    (void)n;
    const ty_tensor *weight = lower_meta(l, 1);
    bool transposed = lower_bool(l, "transposed");
    lower_tensor x = lower_cast(l, lower_arg(l, "input"), TY_F32),
                 grad = lower_cast(l, lower_arg(l, "grad_output"), TY_F32);
    int64_t groups = sym_hint(l->symbols, lower_size(l, "groups"), 1),
            in_each = sym_hint(l->symbols, weight->sizes[1], 1),
            out_each = sym_hint(l->symbols, weight->sizes[0], 1) / (groups > 0 ? groups : 1);
    bool by_pixels = loop_conv_weight_by_pixels(in_each, out_each);
    loop_view views[2];
    for (uint32_t k = 0; k < 2; k++) {
        lower_tensor read = transposed == (k == 0) ? grad : x;
        views[k] = by_pixels ? lower_strided(l, read) : conv_operand(l, read, 1);
    }
    sym_expr lists[3][MOST_DIMS];
    uint32_t dims = weight->rank - 2;
    if (!spread(l, "stride", dims, 1, lists[0]) || !spread(l, "padding", dims, 0, lists[1]) ||
        !spread(l, "dilation", dims, 1, lists[2]))
        return lower_fail(l, "arguments of other lengths");
    const sym_expr *wanted = weight->dtype == TY_F32 ? lower_wanted(l, 1) : NULL;
    lower_tensor out = lower_temp_tensor(l, TY_F32, weight->rank, weight->sizes, wanted);
    loop_op call = {.kernel = "conv_weight",
                    .inputs = views,
                    .input_count = 2,
                    .outputs = &out.box->view,
                    .output_count = 1};
    loop_set_windows(l->program, &call,
                     &(loop_windows){.spatial = dims,
                                     .groups = lower_size(l, "groups"),
                                     .stride = lists[0],
                                     .padding = lists[1],
                                     .dilation = lists[2]});
    lower_extern_op(l, call);
    lower_tensor items[3] = {[1] = lower_cast(l, out, weight->dtype)};
    return lower_give_items(l, items, 3);
}
