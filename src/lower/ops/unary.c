/* unary.c -- elementwise operators of one operand, and what makes and takes apart complex numbers. */
#include "lower/ops/formula.h"

#include <math.h>
#include <string.h>

loop_value formula_of_square(formula *f)
{
    return MUL(X0, X0);
}
loop_value formula_of_frac(formula *f)
{
    return SUB(X0, OP1(TRUNC, X0));
}
loop_value formula_of_deg2rad(formula *f)
{
    return MUL(X0, NUM(0.017453292519943295));
}
loop_value formula_of_rad2deg(formula *f)
{
    return MUL(X0, NUM(57.29577951308232));
}
loop_value formula_of_identity(formula *f)
{
    return X0;
}

loop_value formula_of_sinc(formula *f)
{
    loop_value angle = MUL(X0, NUM(3.14159265358979323846));
    return IF(OP2(EQ, X0, NUM(0)), NUM(1), DIV(OP1(SIN, angle), angle));
}

loop_value formula_of_isfinite(formula *f)
{
    loop_value no_number = OP2(OR, OP1(ISNAN, X0), OP1(ISINF, X0));
    return OP1(NOT, no_number);
}

loop_value formula_of_isposinf(formula *f)
{
    return ty_is_floating(f->dtype) ? OP2(EQ, X0, NUM((double)INFINITY))
                                    : loop_const_int(f->p, TY_BOOL, 0);
}

loop_value formula_of_isneginf(formula *f)
{
    return ty_is_floating(f->dtype) ? OP2(EQ, X0, NUM(-(double)INFINITY))
                                    : loop_const_int(f->p, TY_BOOL, 0);
}

loop_value formula_of_isreal(formula *f)
{
    if (!ty_is_complex(f->dtype)) return loop_const_int(f->p, TY_BOOL, 1);
    loop_value imaginary = OP1(IMAGPART, X0);
    return OP2(EQ, imaginary, loop_const_float(f->p, ty_complex_to_real(f->dtype), 0));
}

loop_value formula_of_round_decimals(formula *f)
{
    double decimals = formula_param_number(f, "decimals", 0), scale = pow(10, fabs(decimals));
    if (decimals == 0 || ty_is_integral(f->dtype, true)) return OP1(ROUND, X0);
    if (decimals > 0) return DIV(OP1(ROUND, MUL(X0, NUM(scale))), NUM(scale));
    return MUL(OP1(ROUND, DIV(X0, NUM(scale))), NUM(scale));
}

loop_value formula_of_nan_to_num(formula *f)
{
    if (!ty_is_floating(f->dtype)) return ty_is_complex(f->dtype) ? (loop_value){0} : X0;
    double most = ty_dtype_most(fx_tensor(f->node)->dtype);
    loop_value high = NUM(formula_param_number(f, "posinf", most)),
               low = NUM(formula_param_number(f, "neginf", -most));
    loop_value v = IF(OP2(EQ, X0, NUM((double)INFINITY)), high, X0);
    v = IF(OP2(EQ, X0, NUM(-(double)INFINITY)), low, v);
    return IF(OP1(ISNAN, X0), NUM(formula_param_number(f, "nan", 0)), v);
}

loop_value formula_of_entr(formula *f)
{
    loop_value positive = MUL(OP1(NEG, X0), OP1(LOG, X0));
    loop_value other = IF(OP2(EQ, X0, NUM(0)), NUM(0), NUM(-(double)INFINITY));
    return IF(OP1(ISNAN, X0), X0, IF(LESS(NUM(0), X0), positive, other));
}

loop_value formula_of_ndtr(formula *f)
{
    return MUL(NUM(0.5), OP1(ERFC, MUL(X0, NUM(-0.70710678118654752440))));
}

loop_value formula_of_logit(formula *f)
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
fe_status lower_op_frexp_parts(lowering *l, fx_node *n, const lower_row *row)
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
loop_value formula_of_conjugate(formula *f)
{
    return formula_conjugate(f, X0);
}

loop_value formula_of_real_part(formula *f)
{
    return ty_is_complex(f->dtype) ? OP1(REALPART, X0) : X0;
}
loop_value formula_of_imaginary_part(formula *f)
{
    return ty_is_complex(f->dtype) ? OP1(IMAGPART, X0) : (loop_value){0};
}

loop_value formula_of_complex_of(formula *f)
{
    loop_node n = {.op = LOOP_COMPLEX, .dtype = ty_real_to_complex(f->dtype), .args = {X0, X1}};
    return loop_make(f->p, n);
}

loop_value formula_of_polar(formula *f)
{
    loop_value re = MUL(X0, OP1(COS, X1)), im = MUL(X0, OP1(SIN, X1));
    loop_node n = {.op = LOOP_COMPLEX, .dtype = ty_real_to_complex(f->dtype), .args = {re, im}};
    return loop_make(f->p, n);
}

loop_value formula_of_angle(formula *f)
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

fe_status lower_op_view_as_real(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    return lower_give(l, lower_pairs(l, lower_tensor_of(l, &n->args[0])));
}

fe_status lower_op_view_as_complex(lowering *l, fx_node *n, const lower_row *row)
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
