/* decompose_grad_image.c -- derivatives of pools, paddings and resamplings.
 *
 * What a dimension's result is made of is a matrix, the operator of the identity: the derivative is
 * the gradient times that, one dimension after the other. Where each element comes from one place,
 * the gradient is added up in that place.
 */
#include "pass/decompose/decompose_arith.h"

/* How many dimensions the operator's name says: max_pool3d_... */
static uint32_t spatial_of(const decomposing *d)
{
    const char *c = d->n->op->base;
    while (*c && !(*c >= '1' && *c <= '3' && c[1] == 'd')) c++;
    return *c ? (uint32_t)(*c - '0') : 0;
}

/* Adds each element of g along dim in the place that the index has for it. */
static fx_arg put_along(decomposing *d, fx_arg g, uint32_t dim, fx_arg index, sym_expr size)
{
    sym_expr sizes[TY_MAX_RANK];
    const ty_tensor *t = fx_arg_tensor(&g);
    if (!t) return fx_none();
    for (uint32_t k = 0; k < t->rank; k++) sizes[k] = k == dim ? size : t->sizes[k];
    return CALL(aten_index_add_default, zeros_of(d, g, t->rank, sizes), decompose_of(d, dim), index,
                g);
}

/* ---- paddings ---- */

/* Where the elements of a padded dimension, the k-th last, come from. */
static fx_arg origin_of(decomposing *d, uint32_t k, sym_expr left, bool reflects)
{
    fx_arg g = arg(d, "grad_output"), self = arg(d, "self");
    const ty_tensor *t = fx_arg_tensor(&g), *x = fx_arg_tensor(&self);
    uint32_t dim = x->rank - 1 - k;
    fx_arg last = fx_expr(sym_add_int(d->g->symbols, x->sizes[dim], -1));
    fx_arg at = sub(d, counted(d, t->sizes[dim]), fx_expr(left));
    if (!reflects) return CALL(aten_clamp_default, at, decompose_of(d, 0), last);
    at = CALL(aten_abs_default, sub(d, CALL(aten_abs_default, at), last));
    return CALL(aten_rsub_Scalar, at, last);
}

/* Adds up over all padded dimensions at once, in the order of the gradient. */
static void pad_backward(decomposing *d, bool reflects)
{
    sym_table *s = d->g->symbols;
    sym_expr padding[6], sizes[TY_MAX_RANK], one = sym_int(s, 1), step = one, room = one;
    fx_arg g = arg(d, "grad_output"), self = arg(d, "self"), places = fx_none();
    const ty_tensor *x = fx_arg_tensor(&self), *t = fx_arg_tensor(&g);
    uint32_t spatial = spatial_of(d), lead = x->rank - spatial;
    if (fx_arg_ints(d->g, decompose_arg(d, "padding"), padding, 6) != (int)(2 * spatial)) return;
    for (uint32_t k = 0; k < spatial; k++) {
        sym_expr column[] = {t->sizes[x->rank - 1 - k], one};
        fx_arg at = mul(d, origin_of(d, k, padding[2 * k], reflects), fx_expr(step));
        step = sym_mul(s, step, x->sizes[x->rank - 1 - k]);
        room = sym_mul(s, room, t->sizes[x->rank - 1 - k]);
        places = k ? reshaped(d, add(d, reshaped(d, at, 2, column), places), 1, &room) : at;
    }
    for (uint32_t k = 0; k < lead; k++) sizes[k] = x->sizes[k];
    sizes[lead] = room;
    g = put_along(d, reshaped(d, g, lead + 1, sizes), lead, places, step);
    decompose_give(d, reshaped(d, g, x->rank, x->sizes));
}

void decompose_op_reflection_backward(decomposing *d)
{
    pad_backward(d, true);
}

void decompose_op_replication_backward(decomposing *d)
{
    pad_backward(d, false);
}

/* ---- largest elements: their places are known ---- */

void decompose_op_max_pool_backward(decomposing *d)
{
    sym_table *s = d->g->symbols;
    fx_arg self = arg(d, "self"), g = arg(d, "grad_output"), index = arg(d, "indices");
    const ty_tensor *x = fx_arg_tensor(&self), *t = fx_arg_tensor(&g);
    uint32_t spatial = spatial_of(d), lead = x->rank - spatial;
    sym_expr from[TY_MAX_RANK], to[TY_MAX_RANK];
    if (!t) return;
    for (uint32_t k = 0; k < lead; k++) from[k] = to[k] = x->sizes[k];
    from[lead] = sym_product(s, t->sizes + lead, spatial);
    to[lead] = sym_product(s, x->sizes + lead, spatial);
    fx_arg put = CALL(aten_scatter_add_default, zeros_of(d, g, lead + 1, to), decompose_of(d, lead),
                      reshaped(d, index, lead + 1, from), reshaped(d, g, lead + 1, from));
    decompose_give(d, cast(d, reshaped(d, put, x->rank, x->sizes), x->dtype));
}

/* ---- matrices ---- */

/* The identity as images of one column, or as rows. */
static fx_arg identity(decomposing *d, fx_arg like, sym_expr size, bool as_images)
{
    sym_expr one = sym_int(d->g->symbols, 1), sizes[] = {one, size, size, one};
    const ty_tensor *t = fx_arg_tensor(&like);
    if (!t) return fx_none();
    return reshaped(d, CALL(aten_eye_default, fx_expr(size), fx_dtype(t->dtype)), as_images ? 4 : 3,
                    sizes);
}

/* g times the matrix [size, result] along dim. */
static fx_arg times_along(decomposing *d, fx_arg g, uint32_t dim, fx_arg matrix, sym_expr size,
                          sym_expr result)
{
    sym_expr sizes[] = {size, result};
    fx_arg at = decompose_of(d, dim), last = decompose_of(d, -1);
    fx_arg m = CALL(aten_t_default, reshaped(d, matrix, 2, sizes));
    fx_arg product = CALL(aten_matmul_default, CALL(aten_transpose_int, g, at, last), m);
    return CALL(aten_transpose_int, product, at, last);
}

static fx_arg pair(decomposing *d, fx_arg first, int64_t second)
{
    fx_arg both[] = {first, decompose_of(d, second)};
    return fx_list(d->g, both, 2);
}

/* The k-th of the numbers of a list: all of them when it has only one. */
static fx_arg kth(decomposing *d, const char *param, uint32_t k, fx_arg missing)
{
    sym_expr numbers[8];
    const fx_arg *list = decompose_arg(d, param);
    int count = list ? fx_arg_ints(d->g, list, numbers, 8) : 0;
    return count <= 0 ? missing : fx_expr(numbers[count == 1 ? 0 : (int)k]);
}

void decompose_op_avg_pool_backward(decomposing *d)
{
    fx_arg g = wide(d, arg(d, "grad_output")), self = arg(d, "self");
    const ty_tensor *x = fx_arg_tensor(&self),
                    *out = fx_arg_tensor(decompose_arg(d, "grad_output"));
    uint32_t spatial = spatial_of(d), lead = x->rank - spatial;
    bool is_divided = decompose_arg(d, "divisor_override") != NULL;
    if (ty_is_integral(x->dtype, true)) {
        decompose_fail(d, "a gradient of integers, whose quotients are cut off one by one");
        return;
    }
    for (uint32_t k = 0; k < spatial; k++) {
        sym_expr size = x->sizes[lead + k];
        fx_arg kernel = kth(d, "kernel_size", k, fx_none());
        fx_arg m = CALL(aten_avg_pool2d_default, identity(d, g, size, true), pair(d, kernel, 1),
                        pair(d, kth(d, "stride", k, kernel), 1),
                        pair(d, kth(d, "padding", k, decompose_of(d, 0)), 0), arg(d, "ceil_mode"),
                        arg(d, "count_include_pad"), is_divided ? decompose_of(d, 1) : fx_none());
        g = times_along(d, g, lead + k, m, size, out->sizes[lead + k]);
    }
    if (is_divided) g = quotient(d, g, arg(d, "divisor_override"));
    decompose_give(d, cast(d, g, x->dtype));
}

void decompose_op_adaptive_avg_pool_backward(decomposing *d)
{
    fx_arg g = wide(d, arg(d, "grad_output")), self = arg(d, "self");
    const ty_tensor *x = fx_arg_tensor(&self),
                    *out = fx_arg_tensor(decompose_arg(d, "grad_output"));
    uint32_t spatial = spatial_of(d), lead = x->rank - spatial;
    for (uint32_t k = 0; k < spatial; k++) {
        sym_expr size = x->sizes[lead + k], result = out->sizes[lead + k];
        fx_arg m = CALL(aten__adaptive_avg_pool2d_default, identity(d, g, size, true),
                        pair(d, fx_expr(result), 1));
        g = times_along(d, g, lead + k, m, size, result);
    }
    decompose_give(d, cast(d, g, x->dtype));
}

/* ---- resamplings ---- */

static fx_arg scale_of(decomposing *d, uint32_t spatial, uint32_t k)
{
    static const char *const NAMES[] = {"scales_d", "scales_h", "scales_w"};
    return spatial == 1 ? arg(d, "scales") : arg(d, NAMES[3 - spatial + k]);
}

/* The operator of one dimension (OP_NONE: of images) that the row names, of the identity. */
static fx_arg resampled(decomposing *d, fx_arg x, sym_expr result, fx_arg scale, bool as_images)
{
    fx_arg size = fx_expr(result), align = arg(d, "align_corners");
    if (as_images)
        return decompose_call(d, d->target, 5,
                              (fx_arg[]){x, pair(d, size, 1), align, scale, fx_none()});
    fx_arg sizes = fx_int_list(d->g, &result, 1);
    if (d->target == OP_aten_upsample_linear1d_default)
        return decompose_call(d, d->target, 4, (fx_arg[]){x, sizes, align, scale});
    return decompose_call(d, d->target, 3, (fx_arg[]){x, sizes, scale});
}

void decompose_op_upsample_backward(decomposing *d)
{
    sym_expr sizes[5];
    fx_arg g = wide(d, arg(d, "grad_output"));
    const ty_tensor *out = fx_arg_tensor(decompose_arg(d, "grad_output"));
    uint32_t spatial = spatial_of(d);
    if (fx_arg_ints(d->g, decompose_arg(d, "input_size"), sizes, 5) != (int)(spatial + 2)) return;
    bool as_images = d->target != OP_aten_upsample_linear1d_default;
    for (uint32_t k = 0; k < spatial; k++) {
        sym_expr size = sizes[k + 2], result = out->sizes[k + 2];
        fx_arg m = resampled(d, identity(d, g, size, as_images), result, scale_of(d, spatial, k),
                             as_images);
        g = times_along(d, g, k + 2, m, size, result);
    }
    decompose_give(d, cast(d, g, out->dtype));
}

void decompose_op_nearest_backward(decomposing *d)
{
    sym_expr sizes[5], one = sym_int(d->g->symbols, 1);
    fx_arg g = wide(d, arg(d, "grad_output"));
    const ty_tensor *out = fx_arg_tensor(decompose_arg(d, "grad_output"));
    uint32_t spatial = spatial_of(d);
    if (fx_arg_ints(d->g, decompose_arg(d, "input_size"), sizes, 5) != (int)(spatial + 2)) return;
    for (uint32_t k = 0; k < spatial; k++) {
        sym_expr row[] = {one, one, sizes[k + 2]}, result = out->sizes[k + 2];
        fx_arg places = reshaped(d, cast(d, counted(d, sizes[k + 2]), TY_F64), 3, row);
        places = resampled(d, places, result, scale_of(d, spatial, k), false);
        g = put_along(d, g, k + 2, cast(d, reshaped(d, places, 1, &result), TY_I64), sizes[k + 2]);
    }
    decompose_give(d, cast(d, g, out->dtype));
}

/* ---- windows along a dimension ---- */

void decompose_op_unfold_backward(decomposing *d)
{
    sym_table *s = d->g->symbols;
    sym_expr sizes[TY_MAX_RANK], moved[TY_MAX_RANK], one = sym_int(s, 1);
    fx_arg g = wide(d, arg(d, "grad_in"));
    const ty_tensor *t = fx_arg_tensor(&g);
    int rank = fx_arg_ints(d->g, decompose_arg(d, "input_sizes"), sizes, TY_MAX_RANK);
    if (!t || rank < 0) return;
    uint32_t dim = decompose_dim(d, decompose_int(d, "dim", 0), (uint32_t)rank);
    if (rank == 0) {
        decompose_give(d, reshaped(d, arg(d, "grad_in"), 0, NULL));
        return;
    }
    sym_expr count = t->sizes[dim], size = t->sizes[rank];
    sym_expr column[] = {count, one}, all = sym_mul(s, count, size);
    for (uint32_t k = 0; k < t->rank; k++)
        moved[k] = k == dim ? count : k == (uint32_t)rank ? size : sizes[k];
    g = CALL(aten_expand_default, g, fx_int_list(d->g, moved, t->rank));
    for (uint32_t k = 0; k < t->rank; k++)
        moved[k] = sym_int(s, k <= dim ? k : k == dim + 1 ? (int64_t)rank : (int64_t)k - 1);
    g = CALL(aten_permute_default, g, fx_int_list(d->g, moved, t->rank));
    fx_arg first = mul(d, reshaped(d, counted(d, count), 2, column), arg(d, "step"));
    fx_arg places = reshaped(d, add(d, first, counted(d, size)), 1, &all);
    for (uint32_t k = 0; k < (uint32_t)rank; k++) moved[k] = k == dim ? all : sizes[k];
    g = put_along(d, reshaped(d, g, (uint32_t)rank, moved), dim, places, sizes[dim]);
    decompose_give(d, cast(d, g, fx_tensor(d->n)->dtype));
}
