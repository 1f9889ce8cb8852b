/* decompose_layer.c -- layers in a form of their own: sequences padded to one length, convolutions
 * over time first, weights as a direction and a norm. */
#include "pass/decompose/decompose_arith.h"

#include <string.h>

static fx_arg axes(decomposing *d, int64_t a, int64_t b, int64_t c)
{
    sym_expr e[] = {sym_int(d->g->symbols, a), sym_int(d->g->symbols, b),
                    sym_int(d->g->symbols, c)};
    return fx_int_list(d->g, e, 3);
}

/* [time, batch, channels] by [width, channels, filters] */
void decompose_op_conv_tbc(decomposing *d)
{
    const fx_arg *a = d->n->args;
    const ty_tensor *result = fx_tensor(d->n), *kernel = fx_arg_tensor(&a[1]);
    sym_expr pad = sym_int(d->g->symbols, decompose_int(d, "pad", 0));
    sym_expr pads[2] = {pad, pad}, none[1] = {kernel->sizes[0]};
    fx_arg bias = a[2];
    if (fx_arg_tensor(&bias)->dtype != result->dtype)
        bias = CALL(aten__to_copy_default, bias, fx_dtype(result->dtype));
    if (ty_known_empty(d->g->symbols, 3, result->sizes) ||
        ty_known_empty(d->g->symbols, 1, none)) { /* nothing but the bias */
        bias = CALL(aten_expand_default, bias, fx_int_list(d->g, result->sizes, 3));
        decompose_give(d, CALL(aten_clone_default, bias));
        return;
    }
    fx_arg x = CALL(aten_permute_default, a[0], axes(d, 1, 2, 0)),
           weight = CALL(aten_permute_default, a[1], axes(d, 2, 1, 0));
    if (decompose_int(d, "pad", 0)) /* what is below 0 cuts */
        x = CALL(aten_constant_pad_nd_default, x, fx_int_list(d->g, pads, 2), decompose_of(d, 0));
    fx_arg out = CALL(aten_conv1d_default, x, weight, bias);
    decompose_give(d, CALL(aten_permute_default, out, axes(d, 2, 0, 1)));
}

/* Each padded along its first dimension to the longest, then stacked. */
static bool is_one(decomposing *d, sym_expr e)
{
    int64_t value;
    return sym_is_int(d->g->symbols, e, &value) && value == 1;
}

/* The sequence with rows as large as those of the first. */
static fx_arg as_wide(decomposing *d, fx_arg sequence, const ty_tensor *first)
{
    sym_expr sizes[TY_MAX_RANK];
    const ty_tensor *t = fx_arg_tensor(&sequence);
    bool is_as_wide = t->rank == first->rank;
    sizes[0] = t->sizes[0];
    for (uint32_t k = 1; k < first->rank; k++) sizes[k] = first->sizes[k];
    for (uint32_t k = 1; k < first->rank && is_as_wide; k++)
        is_as_wide = !is_one(d, t->sizes[k]) || is_one(d, sizes[k]);
    return is_as_wide ? sequence
                      : CALL(aten_expand_default, sequence, fx_int_list(d->g, sizes, first->rank));
}

void decompose_op_pad_sequence(decomposing *d)
{
    const fx_arg *list = &d->n->args[0], *side = decompose_arg(d, "padding_side");
    bool batch_first = decompose_flag(d, "batch_first");
    bool left = side && side->kind == FX_ARG_STRING && strcmp(side->string, "left") == 0;
    sym_table *s = d->g->symbols;
    sym_expr longest = fx_tensor(d->n)->sizes[batch_first ? 1 : 0], zero = sym_int(s, 0);
    fx_arg *rows = NEW_ARRAY(d->g->memory, fx_arg, list->list.count);
    for (uint32_t k = 0; k < list->list.count; k++) {
        const ty_tensor *t = fx_arg_tensor(&list->list.items[k]);
        sym_expr pad[2 * TY_MAX_RANK];
        rows[k] = as_wide(d, list->list.items[k], fx_arg_tensor(&list->list.items[0]));
        t = fx_arg_tensor(&rows[k]);
        for (uint32_t i = 0; i < 2 * t->rank; i++) pad[i] = zero;
        sym_expr missing = sym_sub(s, longest, t->sizes[0]);
        pad[2 * t->rank - (left ? 2 : 1)] = missing;
        if (t->dtype != fx_tensor(d->n)->dtype)
            rows[k] =
                CALL(prims_convert_element_type_default, rows[k], fx_dtype(fx_tensor(d->n)->dtype));
        if (!sym_same(missing, zero))
            rows[k] =
                CALL(aten_constant_pad_nd_default, rows[k], fx_int_list(d->g, pad, 2 * t->rank),
                     fx_float(decompose_number(d, "padding_value", 0)));
    }
    decompose_give(d, CALL(aten_stack_default, fx_list(d->g, rows, list->list.count),
                           decompose_of(d, batch_first ? 0 : 1)));
}

/* ---- weights as a direction and a norm ---- */

/* All dimensions but one; -1: all. */
static fx_arg dims_but(decomposing *d, uint32_t rank, int64_t kept)
{
    sym_expr dims[TY_MAX_RANK];
    uint32_t count = 0;
    for (uint32_t k = 0; k < rank; k++)
        if (k != kept) dims[count++] = sym_int(d->g->symbols, k);
    return fx_int_list(d->g, dims, count);
}

void decompose_op_norm_except_dim(decomposing *d)
{
    fx_arg v = d->n->args[0], power = decompose_of(d, decompose_int(d, "pow", 2));
    int64_t dim = decompose_int(d, "dim", 0);
    uint32_t rank = fx_arg_tensor(&v)->rank;
    bool is_each = rank == 1 && dim == 0; /* the norm of each number */
    if (is_each) v = CALL(aten_unsqueeze_default, v, decompose_of(d, 1));
    decompose_give(d, CALL(aten_norm_ScalarOpt_dim, v, power, dims_but(d, rank + is_each, dim),
                           fx_bool(dim != -1 && !is_each)));
}

/* Of the direction: g / norm * (grad - v * sum / norm^2); of the norm: sum / norm, where the sums are
 * those of grad * v. */
void decompose_op_weight_norm_backward(decomposing *d)
{
    const fx_arg *a = d->n->args;
    fx_arg grad = a[0], v = a[1], g = a[2], norms = a[3];
    fx_arg dims = dims_but(d, fx_arg_tensor(&v)->rank, decompose_int(d, "dim", 0));
    fx_arg sums = CALL(aten_sum_dim_IntList, CALL(aten_mul_Tensor, grad, v), dims, fx_bool(true));
    fx_arg along = CALL(aten_div_Tensor, sums, CALL(aten_mul_Tensor, norms, norms));
    fx_arg rest = CALL(aten_sub_Tensor, grad, CALL(aten_mul_Tensor, v, along));
    decompose_give(d, CALL(aten_mul_Tensor, CALL(aten_div_Tensor, g, norms), rest));
    decompose_give(d, CALL(aten_div_Tensor, sums, norms));
}

static fx_arg state_of(decomposing *d, const char *name)
{
    fx_arg state = arg(d, name);
    return rank_of(state) == 2 ? unsqueezed(d, state, 0) : state;
}

/* One direction of a layer of an LSTM; its states with or without a dimension for the layer. */
void decompose_op_recurrent_layer(decomposing *d)
{
    enum { LSTM = 2 };
    const fx_arg *batches = decompose_arg(d, "batch_sizes");
    fx_arg first = decompose_of(d, 0), x = arg(d, "input"), flipped = fx_list(d->g, &first, 1);
    bool reverse = decompose_flag(d, "reverse"), biases = decompose_flag(d, "has_biases");
    if (decompose_int(d, "mode", LSTM) != LSTM || decompose_flag(d, "train") ||
        (batches && batches->list.count)) {
        decompose_fail(d, "a layer of packed sequences, of training, or of no LSTM");
        return;
    }
    fx_arg states[] = {state_of(d, "hx_"), state_of(d, "cx_")};
    fx_arg weights[] = {arg(d, "weight0"), arg(d, "weight1"), arg(d, "weight2"), arg(d, "weight3")};
    if (reverse) x = CALL(aten_flip_default, x, flipped);
    fx_arg all = CALL(aten_lstm_input, x, fx_list(d->g, states, 2),
                      fx_list(d->g, weights, biases ? 4 : 2), fx_bool(biases), decompose_of(d, 1),
                      fx_float(0), fx_bool(false), fx_bool(false), fx_bool(false));
    fx_arg y = CALL(operator_getitem, all, first);
    decompose_give(d, reverse ? CALL(aten_flip_default, y, flipped) : y);
    for (uint32_t k = 1; k <= 2; k++) {
        fx_arg state = CALL(operator_getitem, all, decompose_of(d, k));
        bool has_layers = d->n->value.items[k].tensor->rank == 3;
        decompose_give(d, has_layers ? state : CALL(aten_select_int, state, first, first));
    }
    decompose_give(d, CALL(aten_new_empty_default, x, flipped, fx_dtype(TY_U8)));
}
