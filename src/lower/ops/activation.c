/* activation.c -- activation functions and their gradients, as formulas of the pointwise frame. */
#include "lower/ops/formula.h"

#include <string.h>

static const double SQRT_HALF = 0.70710678118654752440;
static const double SQRT_2_OVER_PI = 0.79788456080286535588;
static const double ONE_OVER_SQRT_2PI = 0.39894228040143267794;

static loop_value relu_of(formula *f, loop_value x)
{
    return OP2(MAX, x, NUM(0));
}
static loop_value clamped(formula *f, loop_value x, double low, double high)
{
    return OP2(MIN, OP2(MAX, x, NUM(low)), NUM(high));
}

loop_value formula_of_relu(formula *f)
{
    return relu_of(f, X0);
}
loop_value formula_of_relu6(formula *f)
{
    return clamped(f, X0, 0, 6);
}
loop_value formula_of_silu(formula *f)
{
    return DIV(X0, ADD(NUM(1), OP1(EXP, OP1(NEG, X0))));
}

loop_value formula_of_hardtanh(formula *f)
{
    return OP2(MIN, OP2(MAX, X0, PARAM("min_val")), PARAM("max_val"));
}

loop_value formula_of_hardsigmoid(formula *f)
{
    return DIV(clamped(f, ADD(X0, NUM(3)), 0, 6), NUM(6));
}
loop_value formula_of_hardswish(formula *f)
{
    return DIV(MUL(X0, clamped(f, ADD(X0, NUM(3)), 0, 6)), NUM(6));
}

static bool is_tanh_form(formula *f)
{
    const fx_arg *a = fx_get(f->l->graph, f->node, "approximate");
    return a->kind == FX_ARG_STRING && strcmp(a->string, "tanh") == 0;
}

loop_value formula_of_gelu(formula *f)
{
    loop_value x = X0, gate;
    if (is_tanh_form(f)) {
        loop_value cube = MUL(MUL(x, x), x);
        gate = OP1(TANH, MUL(NUM(SQRT_2_OVER_PI), ADD(x, MUL(NUM(0.044715), cube))));
        return MUL(MUL(NUM(0.5), x), ADD(NUM(1), gate));
    }
    gate = OP1(ERF, MUL(x, NUM(SQRT_HALF)));
    return MUL(MUL(x, NUM(0.5)), ADD(NUM(1), gate));
}

static loop_value elu_of(formula *f, loop_value x, loop_value negative_scale, loop_value scale,
                         loop_value input_scale)
{
    loop_value negative = MUL(OP1(EXPM1, MUL(x, input_scale)), negative_scale);
    return IF(LESS_EQUAL(x, NUM(0)), negative, MUL(x, scale));
}

loop_value formula_of_elu(formula *f)
{
    loop_value scale = PARAM("scale");
    return elu_of(f, X0, MUL(PARAM("alpha"), scale), scale, PARAM("input_scale"));
}

loop_value formula_of_selu(formula *f)
{
    const double alpha = 1.6732632423543772848170429916717,
                 scale = 1.0507009873554804934193349852946;
    return elu_of(f, X0, NUM(alpha * scale), NUM(scale), NUM(1));
}

loop_value formula_of_celu(formula *f)
{
    double alpha = formula_param_number(f, "alpha", 1);
    return elu_of(f, X0, NUM(alpha), NUM(1), NUM(1 / alpha));
}

loop_value formula_of_leaky_relu(formula *f)
{
    return IF(LESS(NUM(0), X0), X0, MUL(X0, PARAM("negative_slope")));
}

static loop_value softplus_of(formula *f, loop_value x, loop_value beta, loop_value threshold)
{
    loop_value scaled = MUL(x, beta);
    return IF(LESS(threshold, scaled), x, DIV(OP1(LOG1P, OP1(EXP, scaled)), beta));
}

loop_value formula_of_softplus(formula *f)
{
    return softplus_of(f, X0, PARAM("beta"), PARAM("threshold"));
}
loop_value formula_of_mish(formula *f)
{
    return MUL(X0, OP1(TANH, OP1(LOG1P, OP1(EXP, X0))));
}

loop_value formula_of_softshrink(formula *f)
{
    loop_value edge = PARAM("lambd"), low = OP1(NEG, edge);
    loop_value negative =
        IF(LESS(X0, low), ADD(X0, edge), MUL(OP1(ABS, X0), NUM(0))); /* keeps NaN */
    return IF(LESS(edge, X0), SUB(X0, edge), negative);
}

loop_value formula_of_hardshrink(formula *f)
{
    loop_value edge = PARAM("lambd");
    loop_value inside = OP2(AND, LESS_EQUAL(OP1(NEG, edge), X0), LESS_EQUAL(X0, edge));
    return IF(inside, NUM(0), X0);
}

loop_value formula_of_threshold(formula *f)
{
    return IF(LESS_EQUAL(X0, PARAM("threshold")), PARAM("value"), X0);
}

loop_value formula_of_prelu_kernel(formula *f)
{
    return IF(LESS(NUM(0), X0), X0, MUL(X1, X0));
}

static loop_value log_sigmoid_of(formula *f, loop_value x)
{
    return SUB(OP2(MIN, x, NUM(0)), OP1(LOG1P, OP1(EXP, OP1(NEG, OP1(ABS, x)))));
}

loop_value formula_of_log_sigmoid(formula *f)
{
    return log_sigmoid_of(f, X0);
}

/* prelu: the weight has one element a channel (dim 1), or one in all. */
fe_status lower_op_prelu(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    lower_tensor x = lower_arg(l, "self"), weight = lower_arg(l, "weight");
    sym_expr index[LOWER_MAX_RANK];
    bool each = x.rank >= 2 && weight.rank == 1 && !lower_is_one(l, weight.sizes[0]);
    for (uint32_t k = 0; k < weight.rank; k++) index[k] = each ? l->axes[1] : l->zero;
    ty_dtype d = lower_compute_dtype(out->dtype);
    loop_value v = loop_cast(l->program, d, lower_here(l, x)),
               w = loop_cast(l->program, d, lower_at(l, weight, index));
    loop_value positive = lower_op2(l, LOOP_LT, loop_const_float(l->program, d, 0), v);
    v = loop_where(l->program, positive, v, lower_op2(l, LOOP_MUL, w, v));
    return lower_give(
        l, lower_value(l, out->dtype, out->rank, out->sizes, loop_cast(l->program, out->dtype, v)));
}

/* glu: the first half times the sigmoid of the second. */
fe_status lower_op_glu(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    lower_tensor x = lower_arg(l, "self");
    uint32_t d = lower_dim(l, lower_int_or(l, "dim", -1), x.rank);
    sym_expr half = out->sizes[d];
    ty_dtype compute = lower_compute_dtype(out->dtype);
    loop_value a = lower_here(l, lower_slice(l, x, d, l->zero, half, l->one));
    loop_value b = lower_here(l, lower_slice(l, x, d, half, half, l->one));
    loop_value gate = lower_op1(l, LOOP_SIGMOID, loop_cast(l->program, compute, b));
    loop_value v = lower_op2(l, LOOP_MUL, loop_cast(l->program, compute, a), gate);
    return lower_give(
        l, lower_value(l, out->dtype, out->rank, out->sizes, loop_cast(l->program, out->dtype, v)));
}

/* log_sigmoid_forward: the second result is a buffer for the gradient, empty on CPU when it is not
 * kept. */
fe_status lower_op_log_sigmoid_forward(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = lower_meta(l, 0), *kept = lower_meta(l, 1);
    ty_dtype d = lower_compute_dtype(out->dtype);
    formula f = {.l = l, .p = l->program, .node = n, .dtype = d};
    loop_value x = loop_cast(l->program, d, lower_here(l, lower_arg(l, "self")));
    loop_value v = loop_cast(l->program, out->dtype, log_sigmoid_of(&f, x));
    loop_value e =
        loop_unary(l->program, LOOP_EXP,
                   loop_unary(l->program, LOOP_NEG, loop_unary(l->program, LOOP_ABS, x)));
    lower_tensor items[2] = {lower_value(l, out->dtype, out->rank, out->sizes, v)};
    if (kept->rank != out->rank) e = loop_const_float(l->program, d, 0);
    items[1] =
        lower_value(l, kept->dtype, kept->rank, kept->sizes, loop_cast(l->program, kept->dtype, e));
    return lower_give_items(l, items, 2);
}

/* ---- gradients: X0 is the gradient of the output. Conditions are eager's, also where X1 is NaN ---- */

loop_value formula_of_sigmoid_backward(formula *f)
{
    if (ty_is_complex(f->dtype)) return MUL(X0, formula_conjugate(f, MUL(SUB(NUM(1), X1), X1)));
    return MUL(MUL(X0, SUB(NUM(1), X1)), X1);
}
loop_value formula_of_tanh_backward(formula *f)
{
    return MUL(X0, formula_conjugate(f, SUB(NUM(1), MUL(X1, X1))));
}
loop_value formula_of_threshold_backward(formula *f)
{
    return IF(LESS_EQUAL(X1, PARAM("threshold")), NUM(0), X0);
}

loop_value formula_of_silu_backward(formula *f)
{
    loop_value s = OP1(SIGMOID, X1);
    return MUL(MUL(X0, s), ADD(NUM(1), MUL(X1, SUB(NUM(1), s))));
}

loop_value formula_of_gelu_backward(formula *f)
{
    loop_value x = X1;
    if (!is_tanh_form(f)) {
        loop_value cdf = MUL(NUM(0.5), ADD(NUM(1), OP1(ERF, MUL(x, NUM(SQRT_HALF)))));
        loop_value pdf = MUL(OP1(EXP, MUL(MUL(x, x), NUM(-0.5))), NUM(ONE_OVER_SQRT_2PI));
        return MUL(X0, ADD(cdf, MUL(x, pdf)));
    }
    loop_value square = MUL(x, x), cube = MUL(square, x);
    loop_value t = OP1(TANH, MUL(NUM(SQRT_2_OVER_PI), ADD(x, MUL(NUM(0.044715), cube))));
    loop_value left = MUL(NUM(0.5), x), right = ADD(NUM(1), t);
    loop_value inner = MUL(NUM(SQRT_2_OVER_PI), ADD(NUM(1), MUL(NUM(3 * 0.044715), square)));
    loop_value slope = MUL(MUL(left, SUB(NUM(1), MUL(t, t))), inner);
    return MUL(X0, ADD(MUL(NUM(0.5), right), slope));
}

loop_value formula_of_hardsigmoid_backward(formula *f)
{
    loop_value inside = OP2(AND, LESS(NUM(-3), X1), LESS(X1, NUM(3)));
    return IF(inside, MUL(X0, NUM(1.0 / 6)), NUM(0));
}

loop_value formula_of_hardswish_backward(formula *f)
{
    loop_value middle = MUL(X0, ADD(DIV(X1, NUM(3)), NUM(0.5)));
    return IF(LESS_EQUAL(X1, NUM(-3)), NUM(0), IF(LESS_EQUAL(NUM(3), X1), X0, middle));
}

loop_value formula_of_hardtanh_backward(formula *f)
{
    loop_value inside = OP2(AND, LESS(PARAM("min_val"), X1), LESS(X1, PARAM("max_val")));
    return IF(inside, X0, NUM(0));
}

loop_value formula_of_leaky_relu_backward(formula *f)
{
    return IF(LESS(NUM(0), X1), X0, MUL(X0, PARAM("negative_slope")));
}

loop_value formula_of_elu_backward(formula *f)
{
    loop_value alpha = PARAM("alpha"), scale = PARAM("scale"), input_scale = PARAM("input_scale");
    loop_value negative_scale = MUL(alpha, scale), slope;
    if (lower_bool(f->l, "is_result"))
        slope = MUL(input_scale, ADD(X1, negative_scale));
    else
        slope = MUL(MUL(input_scale, negative_scale), OP1(EXP, MUL(X1, input_scale)));
    return IF(LESS(NUM(0), X1), MUL(X0, scale), MUL(X0, slope));
}

loop_value formula_of_softplus_backward(formula *f)
{
    loop_value scaled = MUL(X1, PARAM("beta")), e = OP1(EXP, scaled);
    return IF(LESS(PARAM("threshold"), scaled), X0, DIV(MUL(X0, e), ADD(e, NUM(1))));
}

loop_value formula_of_mish_backward(formula *f)
{
    loop_value s = OP1(SIGMOID, X1), t = OP1(TANH, OP1(LOG1P, OP1(EXP, X1)));
    return MUL(X0, ADD(t, MUL(MUL(X1, s), SUB(NUM(1), MUL(t, t)))));
}

loop_value formula_of_shrink_backward(formula *f)
{
    loop_value edge = PARAM("lambd");
    loop_value outside = OP2(OR, LESS(X1, OP1(NEG, edge)), LESS(edge, X1));
    return IF(outside, X0, NUM(0));
}

loop_value formula_of_logit_backward(formula *f)
{
    double eps = formula_param_number(f, "eps", -1);
    loop_value slope = DIV(X0, MUL(X1, SUB(NUM(1), X1)));
    double low = eps < 0 ? 0 : eps, high = eps < 0 ? 1 : 1 - eps;
    loop_value inside = OP2(AND, LESS_EQUAL(NUM(low), X1), LESS_EQUAL(X1, NUM(high)));
    return IF(inside, slope, NUM(eps < 0 ? (double)__builtin_nan("") : 0));
}

/* By the buffer of the forward operator: exp(-|x|). */
loop_value formula_of_log_sigmoid_backward(formula *f)
{
    loop_value e = X2, negative = LESS(X1, NUM(0));
    loop_value most = IF(negative, NUM(1), NUM(0)), sign = IF(negative, NUM(1), NUM(-1));
    return MUL(X0, SUB(most, MUL(sign, DIV(e, ADD(NUM(1), e)))));
}
