/* decompose_quantised.c -- quantised numbers: to and from integers by a scale and a zero point, of
 * the whole, of each channel, row or group of a row; the choice of both; products of integers.
 *
 * A scale that is a number divides in double, one that is a tensor in the tensor's dtype.
 */
#include "pass/decompose/decompose_arith.h"

#include <float.h>

/* Scale and zero point beside what they quantise. */
typedef struct scaling {
    fx_arg scale, zero; /* numbers or tensors; zero: none where there is none */
} scaling;

static bool is_tensor(fx_arg x)
{
    return fx_arg_tensor(&x) != NULL;
}

/* The node's result, in the dtype that it has. */
static void give_as_declared(decomposing *d, fx_arg x)
{
    const fx_value *v = &d->n->value;
    if (v->kind == FX_TUPLE) v = &v->items[d->count];
    decompose_give(d, cast(d, x, v->tensor->dtype));
}

static fx_arg inverse(decomposing *d, fx_arg scale)
{
    double number;
    if (is_tensor(scale)) return CALL(aten_reciprocal_default, scale);
    if (!fx_arg_number(d->g, &scale, &number)) decompose_fail(d, "a scale that is not known");
    return fx_float(1 / number);
}

/* One for each place along the axis: [1, C, 1, ...]. */
static fx_arg along_axis(decomposing *d, fx_arg row, uint32_t rank, uint32_t axis)
{
    const ty_tensor *t = fx_arg_tensor(&row);
    sym_expr sizes[TY_MAX_RANK];
    if (!t) return row;
    for (uint32_t k = 0; k < rank; k++) sizes[k] = sym_int(d->g->symbols, 1);
    if (rank) sizes[axis] = t->rank ? t->sizes[0] : sym_int(d->g->symbols, 1);
    return reshaped(d, row, rank, sizes);
}

static scaling by_channel(decomposing *d, fx_arg zero)
{
    uint32_t rank = rank_of(arg(d, d->n->op->params[0].name));
    uint32_t axis = decompose_dim(d, decompose_int(d, "axis", 0), rank);
    const char *scale = op_param_index(d->n->op, "scales") < 0 ? "scale" : "scales";
    return (scaling){along_axis(d, arg(d, scale), rank, axis), along_axis(d, zero, rank, axis)};
}

/* What numbers say, or tensors of one element as the numbers that they hold. */
static fx_arg of_whole(decomposing *d, const char *name, ty_dtype dtype)
{
    fx_arg x = arg(d, name);
    return is_tensor(x) ? cast(d, reshaped(d, x, 0, NULL), dtype) : x;
}

static scaling whole(decomposing *d)
{
    return (scaling){of_whole(d, "scale", TY_F64), of_whole(d, "zero_point", TY_F32)};
}

static fx_arg clamped(decomposing *d, fx_arg x)
{
    fx_arg low = of_whole(d, "quant_min", TY_F32), high = of_whole(d, "quant_max", TY_F32);
    return is_tensor(low) || is_tensor(high) ? CALL(aten_clamp_Tensor, x, low, high)
                                             : CALL(aten_clamp_default, x, low, high);
}

static fx_arg rounded(decomposing *d, fx_arg x)
{
    return CALL(aten_round_default, x);
}

static fx_arg restored(decomposing *d, fx_arg x, scaling s)
{
    return mul(d, s.zero.kind == FX_ARG_NONE ? x : sub(d, x, s.zero), s.scale);
}

/* ---- to integers: round(x / scale) + zero ---- */

static fx_arg quantised(decomposing *d, fx_arg x, scaling s)
{
    fx_arg by = inverse(d, s.scale);
    if (is_tensor(by) && rank_of(by) == 0) by = cast(d, by, TY_F32);
    return clamped(d, add(d, rounded(d, mul(d, x, by)), s.zero));
}

void decompose_op_quantize_per_tensor(decomposing *d)
{
    give_as_declared(d, quantised(d, wide(d, arg(d, "input")), whole(d)));
}

void decompose_op_quantize_per_channel(decomposing *d)
{
    give_as_declared(d,
                     quantised(d, wide(d, arg(d, "input")), by_channel(d, arg(d, "zero_points"))));
}

/* round(x / scale + zero) */
static fx_arg quantised_by_row(decomposing *d, fx_arg x, scaling s)
{
    return clamped(d, rounded(d, add(d, mul(d, x, inverse(d, s.scale)), s.zero)));
}

void decompose_op_quantize_per_token(decomposing *d)
{
    scaling s = {arg(d, "scales"), arg(d, "zero_points")};
    give_as_declared(d, quantised_by_row(d, arg(d, "input"), s));
}

/* ---- and back ---- */

void decompose_op_dequantize_per_tensor(decomposing *d)
{
    scaling s = whole(d);
    fx_arg x = cast(d, arg(d, "input"), fx_tensor(d->n)->dtype);
    if (is_tensor(s.zero)) s.zero = cast(d, s.zero, TY_F64);
    give_as_declared(d, restored(d, x, s));
}

void decompose_op_dequantize_per_channel(decomposing *d)
{
    give_as_declared(d, restored(d, arg(d, "input"), by_channel(d, arg(d, "zero_points"))));
}

void decompose_op_dequantize_per_token(decomposing *d)
{
    scaling s = {arg(d, "scales"), arg(d, "zero_points")};
    give_as_declared(d, restored(d, arg(d, "input"), s));
}

/* ---- groups of a row: each is a row of its own ---- */

static fx_arg as_column(decomposing *d, fx_arg x)
{
    const ty_tensor *t = fx_arg_tensor(&x);
    if (!t) return x;
    sym_expr sizes[] = {sym_product(d->g->symbols, t->sizes, t->rank), sym_int(d->g->symbols, 1)};
    return reshaped(d, x, 2, sizes);
}

static void by_group(decomposing *d, fx_arg (*step)(decomposing *d, fx_arg x, scaling s))
{
    sym_table *symbols = d->g->symbols;
    fx_arg x = arg(d, d->n->op->params[0].name);
    const ty_tensor *t = fx_arg_tensor(&x), *scales = fx_arg_tensor(decompose_arg(d, "scales"));
    sym_expr size;
    if (!t || !scales || t->rank != 2 || scales->rank == 0 ||
        !fx_arg_expr(d->g, decompose_arg(d, "group_size"), &size)) {
        decompose_fail(d, "groups of what is no matrix");
        return;
    }
    int64_t groups, each, last;
    bool one = sym_is_int(symbols, scales->sizes[scales->rank - 1], &groups) && groups == 1 &&
               sym_is_int(symbols, size, &each) && sym_is_int(symbols, t->sizes[1], &last) &&
               each > last;
    if (one) size = t->sizes[1];
    sym_expr count = sym_floordiv(symbols, sym_product(symbols, t->sizes, 2), size);
    sym_expr sizes[] = {count, size};
    scaling s = {as_column(d, arg(d, "scales")), as_column(d, arg(d, "zero_points"))};
    give_as_declared(d, reshaped(d, step(d, reshaped(d, x, 2, sizes), s), 2, t->sizes));
}

void decompose_op_quantize_per_group(decomposing *d)
{
    by_group(d, quantised_by_row);
}

void decompose_op_dequantize_per_group(decomposing *d)
{
    by_group(d, restored);
}

/* ---- there and back: which were in range is the second result ---- */

/* A NaN is the least. */
static fx_arg without_nan(decomposing *d, fx_arg q)
{
    return CALL(aten_nan_to_num_default, q, fx_float(decompose_number(d, "quant_min", 0)));
}

/* So is, in kernels that go by way of int64, what is too large for it. */
static fx_arg within_int64(decomposing *d, fx_arg q)
{
    fx_arg fits = CALL(aten_lt_Scalar, q, fx_float(0x1p63));
    return CALL(aten_where_ScalarOther, fits, q, fx_float(decompose_number(d, "quant_min", 0)));
}

static void give_faked(decomposing *d, fx_arg q, fx_arg known, scaling s)
{
    give_as_declared(d, restored(d, clamped(d, known), s));
    if (d->n->value.kind != FX_TUPLE) return;
    fx_arg low = CALL(aten_ge_Scalar, q, arg(d, "quant_min")),
           high = CALL(aten_le_Scalar, q, arg(d, "quant_max"));
    decompose_give(d, CALL(aten_logical_and_default, low, high));
}

/* The scale in float32, as the kernels have it. */
static fx_arg single(decomposing *d, fx_arg scale)
{
    double number;
    if (is_tensor(scale)) return cast(d, scale, TY_F32);
    if (!fx_arg_number(d->g, &scale, &number)) decompose_fail(d, "a scale that is not known");
    return fx_float((float)number);
}

static fx_arg single_inverse(decomposing *d, fx_arg scale)
{
    double number;
    if (is_tensor(scale)) return CALL(aten_reciprocal_default, scale);
    return fx_float(fx_arg_number(d->g, &scale, &number) ? 1.0F / (float)number : 0);
}

static void fake(decomposing *d, scaling s, fx_arg (*known)(decomposing *d, fx_arg q))
{
    fx_arg x = wide(d, arg(d, "self"));
    const ty_tensor *zero = fx_arg_tensor(&s.zero);
    s.scale = single(d, s.scale);
    fx_arg q = mul(d, x, single_inverse(d, s.scale));
    bool is_exact = zero && ty_is_floating(zero->dtype);
    q = is_exact ? rounded(d, add(d, q, s.zero)) : add(d, rounded(d, q), s.zero);
    give_faked(d, q, known(d, q), s);
}

void decompose_op_fake_quantize_per_tensor(decomposing *d)
{
    fx_arg scale = arg(d, "scale"), zero = arg(d, "zero_point");
    if (is_tensor(scale)) scale = reshaped(d, scale, 0, NULL);
    if (is_tensor(zero)) zero = cast(d, reshaped(d, zero, 0, NULL), TY_I64);
    fake(d, (scaling){scale, zero}, without_nan);
}

void decompose_op_fake_quantize_per_channel(decomposing *d)
{
    fx_arg zero = arg(d, "zero_point");
    if (ty_is_integral(fx_arg_tensor(&zero)->dtype, false)) {
        fx_arg within =
            CALL(aten_logical_and_default, CALL(aten_ge_Scalar, zero, arg(d, "quant_min")),
                 CALL(aten_le_Scalar, zero, arg(d, "quant_max")));
        (void)CALL(aten__assert_async_msg, CALL(aten_all_default, within),
                   fx_string("`zero_point` must be between `quant_min` and `quant_max`."));
    }
    fake(d, by_channel(d, zero), within_int64);
}

/* The zero point is a parameter: half up, of each channel to the even. */
static fx_arg first_of(decomposing *d, fx_arg x)
{
    while (rank_of(x)) x = CALL(aten_select_int, x, decompose_of(d, 0), decompose_of(d, 0));
    return x;
}

void decompose_op_fake_quantize_learnable(decomposing *d)
{
    bool has_axis = op_param_index(d->n->op, "axis") >= 0;
    fx_arg zero = arg(d, "zero_point");
    zero = has_axis ? rounded(d, zero) : CALL(aten_trunc_default, add(d, zero, fx_float(0.5)));
    zero = cast(d, clamped(d, zero), TY_I64);
    if (has_axis)
        fake(d, by_channel(d, zero), within_int64);
    else
        fake(d, (scaling){first_of(d, arg(d, "scale")), first_of(d, zero)}, without_nan);
}

void decompose_op_fake_quant_per_channel(decomposing *d)
{
    fx_arg zero = cast(d, arg(d, "zero_points"), TY_I32);
    scaling s = by_channel(d, zero);
    s.scale = cast(d, s.scale, TY_F32);
    fx_arg q = add(d, rounded(d, mul(d, arg(d, "input"), inverse(d, s.scale))), s.zero);
    give_faked(d, q, without_nan(d, q), s);
}

void decompose_op_convert(decomposing *d)
{
    decompose_give(d, CALL(aten__to_copy_default, arg(d, "input"), arg(d, "dtype")));
}

/* ---- choosing ---- */

static fx_arg extreme(decomposing *d, fx_arg x, bool greatest, bool by_row)
{
    sym_expr last = sym_int(d->g->symbols, rank_of(x) ? rank_of(x) - 1 : 0);
    fx_arg dims = fx_int_list(d->g, &last, by_row), keep = fx_bool(by_row);
    return greatest ? CALL(aten_amax_default, x, dims, keep)
                    : CALL(aten_amin_default, x, dims, keep);
}

static void give_reshaped(decomposing *d, fx_arg x)
{
    const ty_tensor *t = d->n->value.items[d->count].tensor;
    give_as_declared(d, reshaped(d, x, t->rank, t->sizes));
}

static fx_arg zeros_like(decomposing *d, fx_arg x)
{
    return CALL(aten_zeros_like_default, x);
}

/* Least and greatest become the ends of the range; zero stays in it. */
void decompose_op_choose_affine(decomposing *d)
{
    fx_arg x = arg(d, "input"), low = extreme(d, x, false, false),
           high = extreme(d, x, true, false);
    double first = decompose_number(d, "quant_min", 0), last = decompose_number(d, "quant_max", 0);
    low = CALL(aten_minimum_default, low, zeros_like(d, low));
    high = CALL(aten_maximum_default, high, zeros_like(d, high));
    fx_arg scale = quotient(d, sub(d, high, low), fx_float(last - first));
    scale = CALL(aten_clamp_min_default, cast(d, scale, TY_F32),
                 fx_float(decompose_number(d, "eps", 0)));
    fx_arg zero = cast(d, rounded(d, quotient(d, low, scale)), TY_I32);
    zero = clamped(d, CALL(aten_rsub_Scalar, zero, arg(d, "quant_min")));
    give_reshaped(d, scale);
    give_reshaped(d, zero);
}

void decompose_op_choose_symmetric(decomposing *d)
{
    fx_arg x = arg(d, "input"), low = extreme(d, x, false, false),
           high = extreme(d, x, true, false);
    double first = decompose_number(d, "quant_min", 0), last = decompose_number(d, "quant_max", 0);
    low = CALL(aten_minimum_default, low, zeros_like(d, low));
    high = CALL(aten_maximum_default, high, zeros_like(d, high));
    high = CALL(aten_maximum_default, CALL(aten_neg_default, low), high);
    fx_arg scale = quotient(d, high, fx_float((last - first) / 2));
    scale = CALL(aten_clamp_min_default, cast(d, scale, TY_F32),
                 fx_float(decompose_number(d, "eps", 0)));
    const fx_arg *dtype = decompose_arg(d, "dtype");
    bool is_unsigned = dtype && dtype->kind == FX_ARG_DTYPE && dtype->dtype == TY_U8;
    give_reshaped(d, scale);
    give_reshaped(d, CALL(aten_full_like_default, scale, fx_float(is_unsigned ? 128 : 0)));
}

void decompose_op_choose_per_token(decomposing *d)
{
    fx_arg most = extreme(d, CALL(aten_abs_default, arg(d, "input")), true, true);
    const ty_tensor *t = fx_arg_tensor(&most);
    if (t && t->dtype == TY_F16) most = cast(d, most, TY_F32);
    fx_arg scale = quotient(d, CALL(aten_clamp_min_default, most, fx_float(1e-5)), fx_float(127));
    give_as_declared(d, scale);
    give_as_declared(d, zeros_like(d, scale));
}

void decompose_op_choose_per_token_asymmetric(decomposing *d)
{
    fx_arg x = arg(d, "input"), low = extreme(d, x, false, true), high = extreme(d, x, true, true);
    fx_arg first = fx_float(-128), last = fx_float(127);
    low = CALL(aten_minimum_default, low, zeros_like(d, low));
    high = CALL(aten_maximum_default, high, zeros_like(d, high));
    fx_arg scale = quotient(d, sub(d, high, low), fx_float(255));
    scale = CALL(aten_clamp_min_default, scale, fx_float(FLT_EPSILON));
    low = quotient(d, low, scale);
    high = quotient(d, high, scale);
    fx_arg errors = add(d, add(d, low, first), add(d, high, last));
    fx_arg zero = CALL(aten_where_self, CALL(aten_gt_Scalar, errors, decompose_of(d, 0)),
                       from_number(d, -128, low), from_number(d, 127, high));
    give_as_declared(d, scale);
    give_as_declared(d, rounded(d, CALL(aten_clamp_default, zero, first, last)));
}

/* ---- products ---- */

/* x [m, k] by integers [n, k], a scale for each n */
void decompose_op_scaled_product(decomposing *d)
{
    fx_arg weight = CALL(aten_t_default, cast(d, arg(d, "mat2"), TY_F32));
    fx_arg y = CALL(aten_mm_default, cast(d, arg(d, "self"), TY_F32), weight);
    give_as_declared(d, mul(d, y, cast(d, arg(d, "scales"), TY_F32)));
}
