/* unary.c -- elementwise operators of one operand, and what makes and takes apart complex numbers. */
#include "lower/formula.h"

#include <math.h>
#include <string.h>

static loop_value square(formula *f)
{
    return MUL(X0, X0);
}
static loop_value frac(formula *f)
{
    return SUB(X0, OP1(TRUNC, X0));
}
static loop_value deg2rad(formula *f)
{
    return MUL(X0, NUM(0.017453292519943295));
}
static loop_value rad2deg(formula *f)
{
    return MUL(X0, NUM(57.29577951308232));
}
static loop_value identity(formula *f)
{
    return X0;
}

static loop_value sinc(formula *f)
{
    loop_value angle = MUL(X0, NUM(3.14159265358979323846));
    return IF(OP2(EQ, X0, NUM(0)), NUM(1), DIV(OP1(SIN, angle), angle));
}

static loop_value isfinite_formula(formula *f)
{
    loop_value no_number = OP2(OR, OP1(ISNAN, X0), OP1(ISINF, X0));
    return OP1(NOT, no_number);
}

static loop_value isposinf(formula *f)
{
    return ty_is_floating(f->dtype) ? OP2(EQ, X0, NUM((double)INFINITY))
                                    : loop_const_int(f->p, TY_BOOL, 0);
}

static loop_value isneginf(formula *f)
{
    return ty_is_floating(f->dtype) ? OP2(EQ, X0, NUM(-(double)INFINITY))
                                    : loop_const_int(f->p, TY_BOOL, 0);
}

static loop_value isreal(formula *f)
{
    if (!ty_is_complex(f->dtype)) return loop_const_int(f->p, TY_BOOL, 1);
    loop_value imaginary = OP1(IMAGPART, X0);
    return OP2(EQ, imaginary, loop_const_float(f->p, ty_complex_to_real(f->dtype), 0));
}

static loop_value round_decimals(formula *f)
{
    double decimals = formula_param_number(f, "decimals", 0), scale = pow(10, fabs(decimals));
    if (decimals == 0 || ty_is_integral(f->dtype, true)) return OP1(ROUND, X0);
    if (decimals > 0) return DIV(OP1(ROUND, MUL(X0, NUM(scale))), NUM(scale));
    return MUL(OP1(ROUND, DIV(X0, NUM(scale))), NUM(scale));
}

static loop_value nan_to_num(formula *f)
{
    if (!ty_is_floating(f->dtype)) return ty_is_complex(f->dtype) ? (loop_value){0} : X0;
    double most = ty_dtype_most(fx_tensor(f->node)->dtype);
    loop_value high = NUM(formula_param_number(f, "posinf", most)),
               low = NUM(formula_param_number(f, "neginf", -most));
    loop_value v = IF(OP2(EQ, X0, NUM((double)INFINITY)), high, X0);
    v = IF(OP2(EQ, X0, NUM(-(double)INFINITY)), low, v);
    return IF(OP1(ISNAN, X0), NUM(formula_param_number(f, "nan", 0)), v);
}

static loop_value entr(formula *f)
{
    loop_value positive = MUL(OP1(NEG, X0), OP1(LOG, X0));
    loop_value other = IF(OP2(EQ, X0, NUM(0)), NUM(0), NUM(-(double)INFINITY));
    return IF(OP1(ISNAN, X0), X0, IF(LESS(NUM(0), X0), positive, other));
}

static loop_value ndtr(formula *f)
{
    return MUL(NUM(0.5), OP1(ERFC, MUL(X0, NUM(-0.70710678118654752440))));
}

static loop_value logit(formula *f)
{
    double eps = formula_param_number(f, "eps", -1);
    loop_value x = X0;
    if (eps >= 0) {
        loop_value high = NUM(1 - eps), low = NUM(eps);
        x = IF(LESS(x, low), low, IF(LESS(high, x), high, x));
    }
    return OP1(LOG, DIV(x, SUB(NUM(1), x)));
}

/* frexp: mantissa in [0.5, 1) and exponent, read off the bits; numbers below the least normal one
 * are scaled first. */
static fe_status frexp_parts(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *mantissa = lower_meta(l, 0), *exponent = lower_meta(l, 1);
    ty_dtype d = lower_compute_dtype(mantissa->dtype), word = d == TY_F64 ? TY_I64 : TY_I32;
    formula real = {.l = l, .p = l->program, .node = n, .dtype = d}, *f = &real;
    bool wide = d == TY_F64;
    int64_t shift = wide ? 52 : 23, field = wide ? 2047 : 255, bias = wide ? 1022 : 126,
            lift = wide ? 54 : 25;
    loop_value x = loop_cast(l->program, d, lower_here(l, lower_arg(l, "self")));
    loop_value tiny = LESS(OP1(ABS, x), NUM(wide ? 0x1p-1022 : 0x1p-126));
    loop_value scaled = IF(tiny, MUL(x, NUM(wide ? 0x1p54 : 0x1p25)), x);
    loop_value bits =
        loop_make(f->p, (loop_node){.op = LOOP_BITCAST, .dtype = word, .args = {scaled}});
#define WORD(v) loop_const_int(f->p, word, (v))
    loop_value e = OP2(AND, OP2(SHR, bits, WORD(shift)), WORD(field));
    e = SUB(e, IF(tiny, WORD(bias + lift), WORD(bias)));
    loop_value m = OP2(AND, bits, WORD(~(field << shift)));
    m = OP2(OR, m, WORD(bias << shift));
    m = loop_make(f->p, (loop_node){.op = LOOP_BITCAST, .dtype = d, .args = {m}});
    loop_value as_is = OP2(OR, OP2(EQ, x, NUM(0)), OP2(OR, OP1(ISNAN, x), OP1(ISINF, x)));
    m = loop_cast(f->p, mantissa->dtype, IF(as_is, x, m));
    e = loop_cast(f->p, exponent->dtype, IF(as_is, WORD(0), e));
#undef WORD
    lower_tensor items[2] = {lower_value(l, mantissa->dtype, mantissa->rank, mantissa->sizes, m),
                             lower_value(l, exponent->dtype, exponent->rank, exponent->sizes, e)};
    return lower_give_items(l, items, 2);
}

/* ---- complex ---- */

loop_value formula_conjugate(formula *f, loop_value v)
{
    if (!ty_is_complex(f->dtype)) return v;
    loop_value imaginary = OP1(NEG, OP1(IMAGPART, v));
    return loop_make(
        f->p,
        (loop_node){.op = LOOP_COMPLEX, .dtype = f->dtype, .args = {OP1(REALPART, v), imaginary}});
}
static loop_value conjugate(formula *f)
{
    return formula_conjugate(f, X0);
}

static loop_value real_part(formula *f)
{
    return ty_is_complex(f->dtype) ? OP1(REALPART, X0) : X0;
}
static loop_value imaginary_part(formula *f)
{
    return ty_is_complex(f->dtype) ? OP1(IMAGPART, X0) : (loop_value){0};
}

static loop_value complex_of(formula *f)
{
    loop_node n = {.op = LOOP_COMPLEX, .dtype = ty_real_to_complex(f->dtype), .args = {X0, X1}};
    return loop_make(f->p, n);
}

static loop_value polar(formula *f)
{
    loop_value re = MUL(X0, OP1(COS, X1)), im = MUL(X0, OP1(SIN, X1));
    loop_node n = {.op = LOOP_COMPLEX, .dtype = ty_real_to_complex(f->dtype), .args = {re, im}};
    return loop_make(f->p, n);
}

static loop_value angle(formula *f)
{
    if (ty_is_complex(f->dtype))
        return loop_binary(f->p, LOOP_ATAN2, OP1(IMAGPART, X0), OP1(REALPART, X0));
    loop_value v = IF(LESS(X0, NUM(0)), NUM(3.14159265358979323846), NUM(0));
    return ty_is_floating(f->dtype) ? IF(OP1(ISNAN, X0), X0, v) : v;
}

lower_tensor lower_pairs(lowering *l, lower_tensor t)
{
    ty_dtype d = ty_complex_to_real(lower_dtype(t));
    sym_expr sizes[LOWER_MAX_RANK];
    memcpy(sizes, t.sizes, t.rank * sizeof *sizes);
    sizes[t.rank] = lower_const(l, 2);
    loop_value v = loop_cast(l->program, lower_compute_dtype(lower_dtype(t)), lower_here(l, t));
    loop_value first = lower_op2(l, LOOP_EQ, loop_index(l->program, l->axes[t.rank]),
                                 loop_const_int(l->program, TY_I64, 0));
    v = loop_where(l->program, first, lower_op1(l, LOOP_REALPART, v),
                   lower_op1(l, LOOP_IMAGPART, v));
    return lower_value(l, d, t.rank + 1, sizes, loop_cast(l->program, d, v));
}

static fe_status view_as_real(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    return lower_give(l, lower_pairs(l, lower_tensor_of(l, &n->args[0])));
}

static fe_status view_as_complex(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    lower_tensor t = lower_tensor_of(l, &n->args[0]);
    loop_value part[2];
    for (uint32_t k = 0; k < 2; k++)
        part[k] = lower_here(l, lower_select(l, t, t.rank - 1, lower_const(l, k)));
    loop_value pair = lower_complex(l, out->dtype, part[0], part[1]);
    return lower_give(l, lower_value(l, out->dtype, out->rank, out->sizes, pair));
}

#define FLOAT1(op, code)                                                        \
    {                                                                           \
        OP_##op, lower_pointwise, LOOP_##code, "0", LOWER_TO_FLOAT, NULL, false \
    }
#define SAME1(op, code)                                                        \
    {                                                                          \
        OP_##op, lower_pointwise, LOOP_##code, "0", LOWER_PROMOTE, NULL, false \
    }
#define FORMULA(op, operands, promotion, function)                                \
    {                                                                             \
        OP_##op, lower_pointwise, 0, operands, LOWER_##promotion, function, false \
    }

static const lower_row ROWS[] = {
    FLOAT1(aten_acos_default, ACOS),
    FLOAT1(aten_acosh_default, ACOSH),
    FLOAT1(aten_asin_default, ASIN),
    FLOAT1(aten_asinh_default, ASINH),
    FLOAT1(aten_atan_default, ATAN),
    FLOAT1(aten_atanh_default, ATANH),
    FLOAT1(aten_cos_default, COS),
    FLOAT1(aten_cosh_default, COSH),
    FLOAT1(aten_digamma_default, DIGAMMA),
    FLOAT1(aten_erf_default, ERF),
    FLOAT1(aten_erfc_default, ERFC),
    FLOAT1(aten_erfinv_default, ERFINV),
    FLOAT1(aten_exp_default, EXP),
    FLOAT1(aten_exp2_default, EXP2),
    FLOAT1(aten_expm1_default, EXPM1),
    FLOAT1(aten_lgamma_default, LGAMMA),
    FLOAT1(aten_log_default, LOG),
    FLOAT1(aten_log10_default, LOG10),
    FLOAT1(aten_log1p_default, LOG1P),
    FLOAT1(aten_log2_default, LOG2),
    FLOAT1(aten_reciprocal_default, RECIP),
    FLOAT1(aten_rsqrt_default, RSQRT),
    FLOAT1(aten_sigmoid_default, SIGMOID),
    FLOAT1(aten_sin_default, SIN),
    FLOAT1(aten_sinh_default, SINH),
    FLOAT1(aten_sqrt_default, SQRT),
    FLOAT1(aten_tan_default, TAN),
    FLOAT1(aten_tanh_default, TANH),
    SAME1(aten_abs_default, ABS),
    SAME1(aten_bitwise_not_default, NOT),
    SAME1(aten_ceil_default, CEIL),
    SAME1(aten_floor_default, FLOOR),
    SAME1(aten_isinf_default, ISINF),
    SAME1(aten_isnan_default, ISNAN),
    SAME1(aten_neg_default, NEG),
    SAME1(aten_round_default, ROUND),
    SAME1(aten_sgn_default, SIGN),
    SAME1(aten_sign_default, SIGN),
    SAME1(aten_signbit_default, SIGNBIT),
    SAME1(aten_trunc_default, TRUNC),
    {OP_aten_logical_not_default, lower_pointwise, LOOP_NOT, "0", LOWER_TO_BOOL, NULL, false},
    FORMULA(aten_square_default, "0", PROMOTE, square),
    FORMULA(aten_frac_default, "0", PROMOTE, frac),
    FORMULA(aten_deg2rad_default, "0", TO_FLOAT, deg2rad),
    FORMULA(aten_rad2deg_default, "0", TO_FLOAT, rad2deg),
    FORMULA(aten_sinc_default, "0", TO_FLOAT, sinc),
    FORMULA(aten_isfinite_default, "0", PROMOTE, isfinite_formula),
    FORMULA(aten_isposinf_default, "0", PROMOTE, isposinf),
    FORMULA(aten_isneginf_default, "0", PROMOTE, isneginf),
    FORMULA(aten_isreal_default, "0", PROMOTE, isreal),
    FORMULA(aten_round_decimals, "0", PROMOTE, round_decimals),
    FORMULA(aten_nan_to_num_default, "0", PROMOTE, nan_to_num),
    FORMULA(aten_special_entr_default, "0", TO_FLOAT, entr),
    FORMULA(aten_special_ndtr_default, "0", TO_FLOAT, ndtr),
    FORMULA(aten_logit_default, "0", TO_FLOAT, logit),
    FORMULA(aten__conj_default, "0", PROMOTE, conjugate),
    FORMULA(aten__conj_copy_default, "0", PROMOTE, conjugate),
    FORMULA(aten__conj_physical_default, "0", PROMOTE, conjugate),
    FORMULA(aten_conj_physical_default, "0", PROMOTE, conjugate),
    FORMULA(aten_conj_default, "0", PROMOTE, conjugate),
    FORMULA(aten_resolve_conj_default, "0", PROMOTE, identity),
    FORMULA(aten_resolve_neg_default, "0", PROMOTE, identity),
    SAME1(aten__neg_view_default, NEG),
    SAME1(aten__neg_view_copy_default, NEG),
    FORMULA(aten_real_default, "0", PROMOTE, real_part),
    FORMULA(aten_imag_default, "0", PROMOTE, imaginary_part),
    FORMULA(aten_angle_default, "0", TO_FLOAT, angle),
    FORMULA(aten_complex_default, "01", PROMOTE, complex_of),
    FORMULA(aten_polar_default, "01", PROMOTE, polar),
    {OP_aten_frexp_Tensor, frexp_parts, 0, NULL, 0, NULL, false},
    {OP_prims_frexp_default, frexp_parts, 0, NULL, 0, NULL, false},
    {OP_aten_view_as_real_default, view_as_real, 0, NULL, 0, NULL, false},
    {OP_aten_view_as_real_copy_default, view_as_real, 0, NULL, 0, NULL, false},
    {OP_aten_view_as_complex_default, view_as_complex, 0, NULL, 0, NULL, false},
    {OP_aten_view_as_complex_copy_default, view_as_complex, 0, NULL, 0, NULL, false},
};
const lower_rows lower_unary_rows = {ROWS, COUNT_OF(ROWS)};
