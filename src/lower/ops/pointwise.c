/* pointwise.c -- elementwise operators: a formula a row, over operands that have been broadcast
 * and brought to one dtype.
 *
 * Promotion is PyTorch's (ty_result_type); f16 and bf16 compute in f32 and are rounded at the end
 * of the operator, as eager does. Activations and their gradients are in activation.c.
 */
#include "lower/ops/formula.h"

#include <math.h>
#include <string.h>

/* ---- the frame ---- */

loop_value formula_op1(formula *f, loop_opcode op, loop_value a)
{
    return loop_unary(f->p, op, a);
}

loop_value formula_op2(formula *f, loop_opcode op, loop_value a, loop_value b)
{
    if (loop_at(f->p, a)->dtype == TY_BOOL && op == LOOP_ADD) op = LOOP_OR;
    if (loop_at(f->p, a)->dtype == TY_BOOL && op == LOOP_MUL) op = LOOP_AND;
    return loop_binary(f->p, op, a, b);
}

loop_value formula_number(formula *f, double x)
{
    return loop_const_float(f->p, f->dtype, x);
}

loop_value formula_param(formula *f, const char *param)
{
    return lower_scalar(f->l, fx_get(f->l->graph, f->node, param), f->dtype);
}

double formula_param_number(formula *f, const char *param, double fallback)
{
    return lower_number_or(f->l, param, fallback);
}

/* Positions among the arguments, a digit each. */
static const char *operands_of(const lower_row *row)
{
    if (row->operands) return row->operands;
    return loop_operand_count((loop_opcode)row->parameter) == 2 ? "01" : "0";
}

static ty_dtype promoted(lowering *l, const fx_node *n, const lower_row *row)
{
    ty_operand operands[4];
    ty_dtype result = fx_tensor(n)->dtype;
    uint32_t count = 0;
    for (const char *c = operands_of(row); *c; c++) {
        ty_operand o = lower_operand(l, &n->args[*c - '0']);
        if (o.dtype != TY_NO_DTYPE) operands[count++] = o;
    }
    ty_dtype d = ty_result_type(operands, count);
    switch (row->promotion) {
    case LOWER_AS_OUTPUT: return result;
    case LOWER_TO_BOOL: return TY_BOOL;
    case LOWER_KEEP: return d;
    default: return ty_is_integral(d, true) && !ty_is_integral(result, true) ? TY_F32 : d;
    }
}

static loop_value operand(lowering *l, const fx_node *n, const lower_row *row, const fx_arg *a,
                          ty_dtype d)
{
    const ty_tensor *out = fx_tensor(n);
    if (a->kind == FX_ARG_NONE) return (loop_value){0};
    lower_tensor t = lower_tensor_of(l, a);
    bool is_tensor = fx_arg_tensor(a) != NULL;
    if (!is_tensor && row->promotion != LOWER_TO_BOOL)
        return lower_scalar(l, a,
                            lower_compute_dtype(row->promotion == LOWER_KEEP ? out->dtype : d));
    loop_value v = lower_broadcast(l, t, out->rank, out->sizes);
    if (row->promotion == LOWER_KEEP)
        return loop_cast(l->program, lower_compute_dtype(lower_dtype(t)), v);
    return loop_cast(l->program, lower_compute_dtype(d), loop_cast(l->program, d, v));
}

fe_status lower_pointwise(lowering *l, fx_node *n, const lower_row *row)
{
    formula f = {.l = l, .p = l->program, .node = n};
    const ty_tensor *out = fx_tensor(n);
    if (!out) return lower_fail(l, "the result is not a tensor");
    ty_dtype d = promoted(l, n, row);
    f.dtype = lower_compute_dtype(d);
    const char *operands = operands_of(row);
    for (uint32_t k = 0; operands[k]; k++)
        f.x[k] = operand(l, n, row, &n->args[operands[k] - '0'], d);
    loop_opcode op = (loop_opcode)row->parameter;
    loop_value v;
    if (row->formula)
        v = row->formula(&f);
    else if (loop_operand_count(op) == 2)
        v = formula_op2(&f, op, f.x[0], f.x[1]);
    else
        v = formula_op1(&f, op, f.x[0]);
    if (!v.id) return lower_fail(l, "this form of the operator is not supported");
    v = loop_cast(l->program, out->dtype, v);
    return lower_give(l, lower_value(l, out->dtype, out->rank, out->sizes, v));
}

/* ---- two operands ---- */

static loop_value scaled_other(formula *f)
{
    loop_value alpha = op_param_index(f->node->op, "alpha") >= 0 ? PARAM("alpha") : NUM(1);
    return MUL(X1, alpha);
}

loop_value formula_of_add(formula *f)
{
    return ADD(X0, scaled_other(f));
}
/* self + (-alpha) * other, as eager has it: an alpha of 0 adds +0 to -0. */
loop_value formula_of_subtract(formula *f)
{
    if (op_param_index(f->node->op, "alpha") < 0) return SUB(X0, X1);
    loop_value alpha = PARAM("alpha");
    double number = formula_param_number(f, "alpha", 1);
    return number == 0 ? ADD(X0, MUL(X1, alpha)) : SUB(X0, MUL(X1, alpha));
}

loop_value formula_of_rsub(formula *f)
{
    return SUB(X1, MUL(X0, op_param_index(f->node->op, "alpha") >= 0 ? PARAM("alpha") : NUM(1)));
}

/* Division by an integer that is zero ends the run, as it ends eager's. */
static loop_value divisor(formula *f)
{
    loop_program *p = f->p;
    ty_dtype d = loop_at(p, X1)->dtype;
    if (!ty_is_integral(d, false)) return X1;
    loop_bound bound = lower_below(f->l, sym_int(p->symbols, 1), LOOP_DIVISOR);
    loop_value is_zero = loop_binary(p, LOOP_EQ, X1, loop_const_int(p, d, 0));
    sym_expr zeros = loop_indirect(p, is_zero, bound, NULL);
    bool is_known = loop_is_within(p, zeros, NULL, NULL);
    return is_known ? X1 : ADD(X1, loop_cast(p, d, loop_index(p, zeros)));
}

loop_value formula_of_floor_quotient(formula *f)
{
    return OP2(FLOORDIV, X0, divisor(f));
}
loop_value formula_of_floor_remainder(formula *f)
{
    return OP2(REM, X0, divisor(f));
}
loop_value formula_of_truncated_remainder(formula *f)
{
    return OP2(FMOD, X0, divisor(f));
}

/* Eager rounds the quotient of halves to a half before it truncates it. */
static loop_value truncated_quotient(formula *f)
{
    ty_dtype out = fx_tensor(f->node)->dtype;
    if (out == lower_compute_dtype(out) || ty_is_integral(out, true))
        return OP2(TRUNCDIV, X0, divisor(f));
    return OP1(TRUNC, loop_cast(f->p, f->dtype, loop_cast(f->p, out, DIV(X0, X1))));
}

/* floor for integers and floats, trunc, or true division: by rounding_mode. */
loop_value formula_of_divide_mode(formula *f)
{
    const fx_arg *mode = fx_get(f->l->graph, f->node, "rounding_mode");
    if (mode->kind == FX_ARG_STRING && strcmp(mode->string, "floor") == 0)
        return formula_of_floor_quotient(f);
    if (mode->kind == FX_ARG_STRING) return truncated_quotient(f);
    if (ty_is_integral(f->dtype, true)) {
        X0 = loop_cast(f->p, TY_F32, X0);
        X1 = loop_cast(f->p, TY_F32, X1);
    }
    return DIV(X0, X1);
}

loop_value formula_of_greater(formula *f)
{
    return LESS(X1, X0);
}
loop_value formula_of_greater_equal(formula *f)
{
    return LESS_EQUAL(X1, X0);
}

loop_value formula_of_power(formula *f)
{
    const fx_arg *a = &f->node->args[1];
    double exponent;
    if (!fx_arg_number(f->l->graph, a, &exponent)) return OP2(POW, X0, X1);
    if (exponent == 1) return X0;
    if (exponent == 2) return MUL(X0, X0);
    if (exponent == 3) return MUL(MUL(X0, X0), X0);
    if (ty_is_integral(f->dtype, true)) return OP2(POW, X0, X1);
    if (exponent == 0) return NUM(1);
    if (exponent == 0.5) return OP1(SQRT, X0);
    if (exponent == -0.5) return OP1(RSQRT, X0);
    if (exponent == -1) return OP1(RECIP, X0);
    if (exponent == -2) return OP1(RECIP, MUL(X0, X0));
    return OP2(POW, X0, X1);
}

loop_value formula_of_lcm(formula *f)
{
    loop_value divisor = OP2(GCD, X0, X1);
    loop_value v = OP1(ABS, MUL(OP2(TRUNCDIV, X0, divisor), X1));
    return IF(OP2(EQ, divisor, NUM(0)), NUM(0), v);
}

loop_value formula_of_heaviside(formula *f)
{
    loop_value positive = loop_cast(f->p, f->dtype, LESS(NUM(0), X0));
    return IF(OP2(EQ, X0, NUM(0)), X1, positive);
}

loop_value formula_of_ldexp(formula *f)
{
    return MUL(X0, OP2(POW, NUM(2), X1));
}

static loop_value log_add(formula *f, loop_value a, loop_value b, bool base_2)
{
    loop_value most = OP2(MAX, a, b), distance = OP1(NEG, OP1(ABS, SUB(a, b)));
    loop_value rest = base_2 ? MUL(OP1(LOG1P, OP1(EXP2, distance)), NUM(1.4426950408889634))
                             : OP1(LOG1P, OP1(EXP, distance));
    loop_value same_infinity = OP2(AND, OP1(ISINF, a), OP2(EQ, a, b));
    return IF(same_infinity, a, ADD(most, rest));
}

/* Of complex numbers; which is the greater their real parts say. */
static loop_value complex_log_add(formula *f)
{
    loop_value a = OP1(REALPART, X0), b = OP1(REALPART, X1), swap = LESS(a, b);
    loop_value least = IF(swap, X0, X1), most = IF(swap, X1, X0);
    loop_value sum = ADD(OP1(LOG, ADD(NUM(1), OP1(EXP, SUB(least, most)))), most);
    loop_value same_infinity = OP2(AND, OP1(ISINF, a), OP2(EQ, a, b));
    loop_value below = LESS(a, loop_const_float(f->p, ty_complex_to_real(f->dtype), 0));
    sum = IF(same_infinity, IF(below, least, OP1(LOG, ADD(OP1(EXP, least), OP1(EXP, most)))), sum);
    loop_value is_nan = OP2(OR, OP1(ISNAN, X0), OP1(ISNAN, X1));
    return IF(is_nan, loop_const_complex(f->p, f->dtype, (double)NAN, (double)NAN), sum);
}

loop_value formula_of_logaddexp(formula *f)
{
    return ty_is_complex(f->dtype) ? complex_log_add(f) : log_add(f, X0, X1, false);
}
loop_value formula_of_logaddexp2(formula *f)
{
    return ty_is_complex(f->dtype) ? (loop_value){0} : log_add(f, X0, X1, true);
}

static loop_value xlogy_with(formula *f, loop_value log_y)
{
    loop_value v = IF(OP2(EQ, X0, NUM(0)), NUM(0), MUL(X0, log_y));
    return IF(OP1(ISNAN, X1), X1, v);
}

loop_value formula_of_xlogy(formula *f)
{
    return xlogy_with(f, OP1(LOG, X1));
}
loop_value formula_of_xlog1py(formula *f)
{
    return xlogy_with(f, OP1(LOG1P, X1));
}

loop_value formula_of_isclose(formula *f)
{
    loop_value equal = OP2(EQ, X0, X1), nan_equal = loop_const_int(f->p, TY_BOOL, 0);
    bool integral = ty_is_integral(f->dtype, true);
    if (lower_bool(f->l, "equal_nan") && !integral)
        nan_equal = OP2(AND, OP1(ISNAN, X0), OP1(ISNAN, X1));
    double rtol = formula_param_number(f, "rtol", 0), atol = formula_param_number(f, "atol", 0);
    if (rtol == 0 && atol == 0) return OP2(OR, equal, nan_equal);
    ty_dtype d = integral ? TY_F32 : f->dtype, real = ty_complex_to_real(d);
    loop_value a = loop_cast(f->p, d, X0), b = loop_cast(f->p, d, X1);
    loop_value allowed = MUL(OP1(ABS, b), loop_const_float(f->p, real, rtol));
    allowed = ADD(allowed, loop_const_float(f->p, real, atol));
    loop_value difference = OP1(ABS, SUB(a, b));
    loop_value close = OP2(AND, LESS_EQUAL(difference, allowed), OP1(NOT, OP1(ISINF, difference)));
    return OP2(OR, OP2(OR, equal, nan_equal), close);
}

/* ---- three operands ---- */

loop_value formula_of_clamp(formula *f)
{
    loop_value v = X0;
    if (X1.id) v = OP2(MAX, v, X1);
    if (X2.id) v = OP2(MIN, v, X2);
    return v;
}

loop_value formula_of_where(formula *f)
{
    ty_dtype out = lower_compute_dtype(fx_tensor(f->node)->dtype);
    return IF(loop_cast(f->p, TY_BOOL, X0), loop_cast(f->p, out, X1), loop_cast(f->p, out, X2));
}

/* self, mask, value */
loop_value formula_of_masked_fill(formula *f)
{
    ty_dtype out = lower_compute_dtype(fx_tensor(f->node)->dtype);
    return IF(loop_cast(f->p, TY_BOOL, X1), loop_cast(f->p, out, X2), loop_cast(f->p, out, X0));
}

loop_value formula_of_lerp(formula *f)
{
    loop_value difference = SUB(X1, X0);
    loop_value near = ADD(X0, MUL(X2, difference)), far = SUB(X1, MUL(difference, SUB(NUM(1), X2)));
    loop_value half = loop_const_float(f->p, ty_complex_to_real(f->dtype), 0.5);
    return IF(LESS(OP1(ABS, X2), half), near, far);
}

loop_value formula_of_addcmul(formula *f)
{
    return ADD(X0, MUL(MUL(PARAM("value"), X1), X2));
}
loop_value formula_of_addcdiv(formula *f)
{
    return ADD(X0, DIV(MUL(PARAM("value"), X1), X2));
}
loop_value formula_of_fused_multiply_add(formula *f)
{
    return ADD(MUL(X0, X1), X2);
}

loop_value formula_of_dropout_backward(formula *f)
{
    return MUL(MUL(X0, X1), PARAM("scale"));
}

/* prims.div: integers round to zero. */
loop_value formula_of_prims_divide(formula *f)
{
    return ty_is_integral(f->dtype, true) ? OP2(TRUNCDIV, X0, divisor(f)) : DIV(X0, X1);
}

loop_value formula_of_fill(formula *f)
{
    return X1;
}
