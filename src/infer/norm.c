/* norm.c -- normalisations: the result is like the input, statistics are smaller.
 *
 * Batch norms scale elementwise and keep the order of strides, layer norms are contiguous, group
 * norms keep a memory format. The native kernels give mean and deviation, too, and some a reserve
 * and the new running statistics.
 */
#include "infer/infer_priv.h"

/* Beside parameters of single precision PyTorch's kernels keep the statistics of 16-bit floats in single
 * precision, which its fake tensors do not know of. */
static bool is_mixed(infer_call *c, const ty_tensor *x)
{
    static const char *const names[] = {"weight", "bias", "running_mean", "running_var"};
    bool found = false;
    for (uint32_t i = 0; i < COUNT_OF(names); i++) {
        const ty_tensor *t = infer_tensor(c, names[i]);
        found |= t && t->dtype == TY_F32;
    }
    return found && ty_is_half(x->dtype);
}

/* Statistics have the input's dtype on the CPU; elsewhere those of 16-bit floats are f32. */
static ty_dtype statistics_dtype(infer_call *c, const ty_tensor *x)
{
    return is_mixed(c, x) || (ty_is_half(x->dtype) && !ty_is_host(x->device)) ? TY_F32 : x->dtype;
}

/* One result like the input, contiguous or (1) in its memory format. */
void rule_normalised(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    ty_memory_format format = c->param ? ty_suggested_format(c->symbols, x) : TY_CONTIGUOUS;
    infer_give(c, infer_like(c, x, x->dtype, format));
}

/* Scaled and shifted elementwise. */
static ty_tensor *scaled(infer_call *c, const ty_tensor *x)
{
    bool plain = ty_is_contiguous(c->symbols, x) && !infer_is(c, ty_numel(c->symbols, x), 0);
    return plain ? infer_clone(c, x, TY_PRESERVE) : infer_empty_like(c, x, x->dtype);
}

void rule_batch_norm(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (x) infer_give(c, scaled(c, x));
}

/* Each image a batch of its own: contiguous. */
void rule_instance_norm(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (x) infer_give(c, infer_like(c, x, x->dtype, TY_CONTIGUOUS));
}

/* The batch norms that give mean and inverse deviation, too: as many as there are channels when
 * training, none otherwise. The parameter: further results. */
void rule_native_batch_norm(infer_call *c)
{
    ty_tensor *items[6];
    ty_tensor *x = infer_self(c);
    uint32_t count = 3;
    if (!x) return;
    if (x->rank < 2) {
        infer_fail(c, "batch norm of %s", infer_shape(c, x));
        return;
    }
    bool training =
        op_param_index(c->op, "training") < 0 ? c->param != 0 : infer_flag(c, "training", false);
    bool has_statistics = op_param_index(c->op, "running_mean") >= 0 &&
                          infer_arg(c, "running_mean") && infer_arg(c, "running_var");
    if (!training && !has_statistics)
        infer_fail(c, "running_mean and running_var must be defined in evaluation mode");
    if (c->status != FE_OK) return;
    sym_expr channels = training ? x->sizes[1] : infer_number(c, 0);
    ty_dtype dtype = statistics_dtype(c, x);
    items[0] = scaled(c, x);
    items[1] = infer_fresh(c, x, dtype, 1, &channels);
    items[2] = infer_fresh(c, x, dtype, 1, &channels);
    if (c->op->return_count == 4 || c->op->return_count == 6) { /* the reserve */
        sym_expr none = infer_number(c, 0);
        items[count++] = infer_fresh(c, x, TY_U8, 1, &none);
    }
    if (c->op->return_count >= 5) {
        ty_tensor *mean = infer_tensor(c, "running_mean");
        ty_tensor *variance = infer_tensor(c, "running_var");
        items[count++] = mean ? infer_clone(c, mean, TY_CONTIGUOUS) : NULL;
        items[count++] = variance ? infer_clone(c, variance, TY_CONTIGUOUS) : NULL;
    }
    infer_give_items(c, items, count);
}

/* Contiguous; dimensions of size 1 have the strides that elementwise operators on the input and its
 * statistics give them. False: the shapes do not fit. */
static bool layer_scaled(infer_call *c, ty_tensor *x, ty_tensor **out, ty_tensor **statistics)
{
    sym_expr shape[TY_MAX_RANK];
    uint32_t inner = infer_sizes(c, "normalized_shape", 0, shape);
    if (inner > x->rank)
        infer_fail(c, "a layer norm over %u dimensions of %s", inner, infer_shape(c, x));
    if (c->status != FE_OK) return false;
    uint64_t reduced = ((UINT64_C(1) << inner) - 1) << (x->rank - inner);
    *statistics = infer_reduced(c, x, statistics_dtype(c, x), reduced, true);
    const ty_tensor *operands[] = {infer_contiguous(c, x, TY_CONTIGUOUS), *statistics};
    *out = infer_arithmetic(c, x->dtype, operands, COUNT_OF(operands));
    return true;
}

void rule_layer_norm(infer_call *c)
{
    ty_tensor *out, *statistics;
    ty_tensor *x = infer_self(c);
    if (x && layer_scaled(c, x, &out, &statistics)) infer_give(c, out);
}

void rule_native_layer_norm(infer_call *c)
{
    ty_tensor *out, *statistics;
    ty_tensor *x = infer_self(c);
    if (!x || !layer_scaled(c, x, &out, &statistics)) return;
    ty_tensor *items[] = {out, statistics, ty_tensor_copy(c->memory, statistics)};
    infer_give_items(c, items, COUNT_OF(items));
}

void rule_native_group_norm(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    sym_expr sizes[] = {infer_expr(c, "N", 1), infer_expr(c, "group", 1)};
    ty_dtype dtype = is_mixed(c, x) ? TY_F32 : x->dtype;
    ty_tensor *items[] = {infer_empty_like(c, x, x->dtype), infer_fresh(c, x, dtype, 2, sizes),
                          infer_fresh(c, x, dtype, 2, sizes)};
    infer_give_items(c, items, 3);
}

/* v * (g / norms), of which v is made contiguous before. */
void rule_scaled_direction(infer_call *c)
{
    ty_tensor *v = infer_tensor(c, "v");
    const ty_tensor *g = infer_tensor(c, "g");
    if (!v || !g) return;
    ty_operand types[] = {{.dtype = v->dtype, .is_zero_dim = v->rank == 0},
                          {.dtype = g->dtype, .is_zero_dim = g->rank == 0}};
    const ty_tensor *operands[] = {infer_contiguous(c, v, TY_CONTIGUOUS)};
    infer_give(c, infer_elementwise(c, ty_result_type(types, 2), operands, 1));
}

/* The direction and the norms: one for each index of the dimension. */
void rule_weight_norm(infer_call *c)
{
    ty_tensor *v = infer_tensor(c, "v");
    ty_tensor *g = infer_tensor(c, "g");
    if (!v || !g) return;
    ty_dtype dtype = g->dtype == TY_BF16 ? TY_F32 : g->dtype;
    infer_give_pair(c, infer_like(c, v, v->dtype, TY_PRESERVE),
                    infer_like(c, g, dtype, TY_PRESERVE));
}

void rule_weight_norm_backward(infer_call *c)
{
    ty_tensor *v = infer_tensor(c, "saved_v"), *g = infer_tensor(c, "saved_g");
    if (v && g)
        infer_give_pair(c, infer_like(c, v, v->dtype, TY_CONTIGUOUS),
                        infer_like(c, g, g->dtype, TY_CONTIGUOUS));
}

/* Over all dimensions but one, which stays; over all for -1. One in the middle is first while the norm
 * is taken. */
void rule_norm_except_dim(infer_call *c)
{
    ty_tensor *v = infer_tensor(c, "v");
    int64_t dim = infer_int(c, "dim", 0);
    if (!v) return;
    if (dim < -1 || dim >= (int64_t)v->rank) {
        infer_fail(c, "a norm over all dimensions of %s but %lld", infer_shape(c, v),
                   (long long)dim);
        return;
    }
    uint64_t all = ((uint64_t)1 << v->rank) - 1;
    uint64_t reduced = dim < 0 ? all : all & ~((uint64_t)1 << dim);
    if (dim >= 0)
        (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), v->sizes[dim],
                            "norms of %s for each of no sizes of dimension %lld", infer_shape(c, v),
                            (long long)dim);
    ty_dtype dtype = ty_complex_to_real(v->dtype);
    ty_tensor *out = reduced || dim < 0 ? infer_reduced(c, v, dtype, reduced, dim >= 0)
                                        : infer_like(c, v, dtype, TY_CONTIGUOUS);
    bool between = dim > 0 && dim + 1 < (int64_t)v->rank;
    for (uint32_t i = 0; out && between && i < out->rank; i++) out->strides[i] = infer_number(c, 1);
    infer_give(c, out);
}

/* Gradients by a weight and a bias have the dtype of these. */
static ty_dtype parameter_dtype(infer_call *c, const ty_tensor *x)
{
    return is_mixed(c, x) ? TY_F32 : x->dtype;
}

/* By input, weight and bias, each where the mask asks for it. */
void rule_norm_backward(infer_call *c)
{
    ty_tensor *items[3];
    ty_tensor *x = infer_tensor(c, "input");
    const fx_arg *mask = infer_arg(c, "output_mask");
    if (!x || x->rank < 2 || !mask || mask->kind != FX_ARG_LIST || mask->list.count != 3) return;
    for (uint32_t i = 0; i < 3; i++) {
        ty_tensor *out = i ? infer_fresh(c, x, parameter_dtype(c, x), 1, &x->sizes[1])
                           : infer_empty_like(c, x, x->dtype);
        items[i] = fx_arg_bool(&mask->list.items[i], false) ? out : NULL;
    }
    infer_give_items(c, items, 3);
}

/* By the input, and where there are weights by these: the normalized sizes, (1) in the input's dtype. */
void rule_layer_norm_backward(infer_call *c)
{
    sym_expr shape[TY_MAX_RANK];
    ty_tensor *items[3];
    ty_tensor *x = infer_tensor(c, "input");
    const fx_arg *mask = infer_arg(c, "output_mask");
    if (!x || !mask || mask->kind != FX_ARG_LIST || mask->list.count > 3) return;
    uint32_t inner = infer_sizes(c, "normalized_shape", 0, shape);
    for (uint32_t i = 0; i < mask->list.count; i++) {
        ty_dtype dtype = c->param ? x->dtype : parameter_dtype(c, x);
        ty_tensor *out =
            i ? infer_fresh(c, x, dtype, inner, shape) : infer_like(c, x, x->dtype, TY_CONTIGUOUS);
        items[i] = fx_arg_bool(&mask->list.items[i], false) ? out : NULL;
    }
    infer_give_items(c, items, mask->list.count);
}

/* By the input and by the weight, which is broadcast. */
void rule_prelu_backward(infer_call *c)
{
    const ty_tensor *operands[] = {infer_tensor(c, "self"), infer_tensor(c, "weight"),
                                   infer_tensor(c, "grad_output")};
    if (!operands[0]) return;
    ty_tensor *first = infer_elementwise(c, operands[0]->dtype, operands, 3);
    infer_give_pair(c, first, infer_elementwise(c, operands[0]->dtype, operands, 3));
}
