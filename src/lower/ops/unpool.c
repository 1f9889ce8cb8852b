/* unpool.c -- pooling by places: maxima put back where they came from, the gradients of pools of
 * maxima, and pools over windows that start at random (fractional).
 *
 * Places count in the plane of the last `dims` dimensions, flattened.
 */
#include "lower/compose.h"

#include <math.h>
#include <string.h>

enum { MOST_DIMS = 3 };

/* t with its last `dims` dimensions as one. */
static tensor flat_planes(lowering *l, tensor t, uint32_t dims)
{
    sym_expr sizes[LOWER_MAX_RANK];
    uint32_t outer = t.rank - dims;
    memcpy(sizes, t.sizes, outer * sizeof *sizes);
    sizes[outer] = sym_product(l->symbols, t.sizes + outer, dims);
    return lower_reshape(l, t, outer + 1, sizes);
}

/* Zeros of the recorded sizes with `values` at `places`: set, or added. */
static fe_status give_placed(lowering *l, tensor values, tensor places, uint32_t dims,
                             loop_store_mode mode)
{
    const ty_tensor *out = fx_tensor(l->node);
    sym_expr sizes[LOWER_MAX_RANK], at[LOWER_MAX_RANK];
    uint32_t outer = out->rank - dims;
    values = flat_planes(l, lower_cast(l, values, lower_compute_dtype(out->dtype)), dims);
    places = flat_planes(l, places, dims);
    memcpy(sizes, out->sizes, outer * sizeof *sizes);
    sizes[outer] = sym_product(l->symbols, out->sizes + outer, dims);
    tensor target = lower_zeros(l, lower_dtype(values), outer + 1, sizes, NULL);
    memcpy(at, l->axes, outer * sizeof *at);
    at[outer] =
        lower_lookup(l, loop_cast(l->program, TY_I64, lower_here(l, places)), sizes[outer], -1);
    lower_scatter(l, target, values.rank, values.sizes, at, lower_here(l, values), mode);
    return lower_give_as_recorded(l, target);
}

fe_status lower_op_max_unpool(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    return give_placed(l, lower_arg(l, "self"), lower_arg(l, "indices"), (uint32_t)row->parameter,
                       LOOP_SET);
}

fe_status lower_op_max_pool_backward(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    return give_placed(l, lower_arg(l, "grad_output"), lower_arg(l, "indices"),
                       (uint32_t)row->parameter, LOOP_ADD_INTO);
}

/* ---- windows that start at random ---- */

/* Where window i of dim `axis` starts: [outer.., i] of i64. The last window ends with the input;
 * the others start at steps of alpha, shifted by a sample. */
static tensor starts_of(lowering *l, tensor x, tensor samples, uint32_t axis, uint32_t sample,
                        sym_expr windows, int64_t kernel)
{
    loop_program *p = l->program;
    ty_dtype d = lower_dtype(samples);
    uint32_t outer = samples.rank - 1;
    sym_expr sizes[3], at[3];
    memcpy(sizes, samples.sizes, outer * sizeof *sizes);
    memcpy(at, l->axes, outer * sizeof *at);
    sizes[outer] = windows;
    at[outer] = lower_const(l, sample);
    sym_expr room = sym_add_int(l->symbols, x.sizes[axis], -kernel),
             last = sym_add_int(l->symbols, windows, -1);
    sym_expr steps = sym_max(l->symbols, last, l->one);
    loop_value alpha = lower_op2(l, LOOP_DIV, loop_cast(p, d, loop_index(p, room)),
                                 loop_cast(p, d, loop_index(p, steps)));
    loop_value u = lower_at(l, samples, at), i = loop_index(p, l->axes[outer]);
    loop_value reached = lower_op2(l, LOOP_ADD, loop_cast(p, d, i), u);
    reached = loop_cast(p, TY_I64, lower_op2(l, LOOP_MUL, reached, alpha));
    loop_value shift = loop_cast(p, TY_I64, lower_op2(l, LOOP_MUL, u, alpha));
    loop_value is_last = lower_op2(l, LOOP_EQ, i, loop_index(p, last));
    loop_value v =
        loop_where(p, is_last, loop_index(p, room), lower_op2(l, LOOP_SUB, reached, shift));
    tensor t = lower_value(l, TY_I64, samples.rank, sizes, v);
    lower_realise(l, t.box, NULL);
    return t;
}

typedef struct fractional {
    tensor x, starts[MOST_DIMS];
    sym_expr kernel[MOST_DIMS];
    uint32_t dims, outer;
    const ty_tensor *out;
} fractional;

/* Positions in the input over the output's axes and pos[] in the window. */
static void window_at(lowering *l, const fractional *f, const sym_expr *pos, sym_expr *at)
{
    memcpy(at, l->axes, f->outer * sizeof *at);
    for (uint32_t k = 0; k < f->dims; k++) {
        sym_expr from[3];
        uint32_t batch = f->starts[k].rank - 1, axis = f->outer + k;
        /* samples have a batch even where the input has none */
        for (uint32_t j = 0; j < batch; j++)
            from[j] = batch == f->outer ? l->axes[j] : j ? l->axes[j - 1] : l->zero;
        from[batch] = l->axes[axis];
        sym_expr room =
            sym_sub(l->symbols, f->x.sizes[axis], sym_add_int(l->symbols, f->kernel[k], -1));
        sym_expr start = lower_lookup(l, lower_at(l, f->starts[k], from), room, (int32_t)axis);
        at[axis] = sym_add(l->symbols, start, pos[k]);
    }
}

static tensor over_windows(lowering *l, const fractional *f, loop_reduce kind, ty_dtype d)
{
    sym_expr at[LOWER_MAX_RANK];
    window_at(l, f, l->reduce_axes, at);
    tensor out = lower_temp_tensor(l, d, f->out->rank, f->out->sizes, NULL);
    loop_op *op = lower_nest(l, f->out->rank, f->out->sizes, f->dims, f->kernel);
    lower_store(l, op,
                (loop_store){.buffer = out.box->view.buffer,
                             .index = lower_flat(l, l->axes, out.box->view.strides, f->out->rank),
                             .value = lower_at(l, f->x, at),
                             .reduce = kind});
    return out;
}

/* The places in the input of the maxima, from their places in the windows. */
static tensor places_of(lowering *l, const fractional *f, tensor in_window)
{
    sym_expr pos[MOST_DIMS], at[LOWER_MAX_RANK], flat = l->zero;
    sym_expr rest =
        lower_lookup(l, lower_here(l, in_window), sym_product(l->symbols, f->kernel, f->dims), -1);
    for (uint32_t k = f->dims; k-- > 0;) {
        pos[k] = k ? sym_mod(l->symbols, rest, f->kernel[k]) : rest;
        rest = sym_floordiv(l->symbols, rest, f->kernel[k]);
    }
    window_at(l, f, pos, at);
    for (uint32_t k = f->outer; k < f->x.rank; k++)
        flat = sym_add(l->symbols, sym_mul(l->symbols, flat, f->x.sizes[k]), at[k]);
    return lower_value(l, TY_I64, f->out->rank, f->out->sizes, loop_index(l->program, flat));
}

fe_status lower_op_fractional_max_pool(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    int64_t kernel[MOST_DIMS];
    fractional f = {.dims = (uint32_t)row->parameter, .out = lower_meta(l, 0)};
    f.x = lower_cast(l, lower_arg(l, "self"), lower_compute_dtype(f.out->dtype));
    f.outer = f.x.rank - f.dims;
    tensor samples = lower_arg(l, "random_samples");
    samples = lower_cast(l, samples, lower_compute_dtype(lower_dtype(samples)));
    int count = lower_constants(l, "kernel_size", kernel, MOST_DIMS);
    if (count != 1 && count != row->parameter)
        return lower_fail(l, "a window that is not constant");
    lower_share(l, f.x);
    for (uint32_t k = 0; k < f.dims; k++) {
        /* samples of images stand in the order width, height */
        uint32_t axis = f.outer + k, sample = f.dims == 2 ? 1 - k : k;
        int64_t size = kernel[count == 1 ? 0 : k];
        f.kernel[k] = lower_const(l, size);
        f.starts[k] = starts_of(l, f.x, samples, axis, sample, f.out->sizes[axis], size);
    }
    tensor items[2] = {over_windows(l, &f, LOOP_REDUCE_MAX, lower_dtype(f.x))};
    items[0] = lower_cast(l, items[0], f.out->dtype);
    if (lower_is_used(l, 1)) items[1] = places_of(l, &f, over_windows(l, &f, LOOP_ARGMAX, TY_I64));
    return lower_give_items(l, items, 2);
}
