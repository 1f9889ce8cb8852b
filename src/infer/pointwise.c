/* pointwise.c -- operators that work element by element: which dtype, over which operands.
 *
 * Sizes broadcast and strides follow TensorIterator (infer_elementwise); what differs from operator
 * to operator is the dtype, and that is the row's parameter.
 */
#include "infer/infer_priv.h"

#include <string.h>

/* Does the number take part in type promotion? Others (alpha, value, ...) are cast to the
 * result. */
static bool is_operand(const char *param)
{
    static const char *const NAMES[] = {"self", "other", "exponent", "x", "n", "min", "max"};
    for (size_t i = 0; i < COUNT_OF(NAMES); i++)
        if (strcmp(param, NAMES[i]) == 0) return true;
    return false;
}

/* The dtype that a number stands for; TY_NO_DTYPE when it is none. */
static ty_dtype number_dtype(const fx_arg *a)
{
    switch (a->kind) {
    case FX_ARG_INT: return TY_I64;
    case FX_ARG_FLOAT: return TY_F32;
    case FX_ARG_BOOL: return TY_BOOL;
    case FX_ARG_COMPLEX: return TY_C64;
    case FX_ARG_NODE:
        if (a->node->value.kind == FX_INT) return TY_I64;
        if (a->node->value.kind == FX_BOOL) return TY_BOOL;
        return a->node->value.kind == FX_FLOAT ? TY_F32 : TY_NO_DTYPE;
    default: return TY_NO_DTYPE;
    }
}

static uint32_t operands_from(const infer_call *c, uint32_t first, ty_operand *out)
{
    uint32_t count = 0;
    for (uint32_t i = first; i < c->node->arg_count && i < c->op->param_count; i++) {
        const fx_arg *a = &c->node->args[i];
        const ty_tensor *x = fx_arg_tensor(a);
        if (count == INFER_MAX_OPERANDS) break;
        if (x) {
            out[count++] = (ty_operand){.dtype = x->dtype, .is_zero_dim = x->rank == 0};
            continue;
        }
        ty_dtype number = number_dtype(a);
        if (number != TY_NO_DTYPE && is_operand(c->op->params[i].name))
            out[count++] = (ty_operand){.dtype = number, .is_number = true};
    }
    return count;
}

static ty_dtype promoted(infer_call *c, uint32_t first)
{
    ty_operand operands[INFER_MAX_OPERANDS];
    uint32_t count = operands_from(c, first, operands);
    ty_dtype dtype = ty_result_type(operands, count);
    if (dtype == TY_NO_DTYPE) infer_fail(c, "the operands have no common dtype");
    return dtype;
}

ty_dtype infer_promoted(const infer_call *c)
{
    ty_operand operands[INFER_MAX_OPERANDS];
    return ty_result_type(operands, operands_from(c, 0, operands));
}

/* By the gradient and the input; of noise that is not looked at the dtype alone counts. */
void rule_noise_backward(infer_call *c)
{
    const ty_tensor *operands[] = {infer_tensor(c, "grad_output"), infer_self(c)};
    if (operands[0] && operands[1])
        infer_give(c, infer_elementwise(c, promoted(c, 0), operands, 2));
}

/* How far a tensor is from another: a real number, of the dtype of their difference. */
void rule_distance(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (x) infer_give(c, infer_fresh(c, x, ty_complex_to_real(promoted(c, 0)), 0, NULL));
}

ty_dtype infer_dtype_by_kind(infer_call *c, ty_dtype d, ty_dtype self)
{
    switch ((infer_dtype_kind)c->param) {
    case DTYPE_PROMOTE: return d;
    case DTYPE_FLOAT: return infer_float_of(d);
    case DTYPE_BOOL: return TY_BOOL;
    case DTYPE_SELF: return self;
    case DTYPE_REAL: return ty_complex_to_real(d);
    case DTYPE_REAL_FLOAT: return ty_complex_to_real(infer_float_of(d));
    case DTYPE_COMPLEX: return ty_real_to_complex(d);
    case DTYPE_DOUBLE: return ty_is_complex(d) ? TY_C128 : TY_F64;
    case DTYPE_DIVIDE: return infer_arg(c, "rounding_mode") ? d : infer_float_of(d);
    case DTYPE_POWER: return d == TY_BOOL ? TY_I64 : d;
    case DTYPE_SUM:
    case DTYPE_HASH:
    case DTYPE_INDEX: break; /* of reductions */
    }
    return d;
}

static ty_dtype dtype_by_kind(infer_call *c, const ty_tensor *self)
{
    return infer_dtype_by_kind(c, promoted(c, 0), self->dtype);
}

void rule_pointwise(infer_call *c)
{
    const ty_tensor *operands[INFER_MAX_OPERANDS];
    uint32_t count = infer_operands(c, operands, INFER_MAX_OPERANDS);
    ty_tensor *self = infer_self(c);
    if (!self) return;
    ty_dtype dtype = dtype_by_kind(c, self);
    infer_give(c, infer_elementwise(c, dtype, operands, count));
}

/* The same, in the order of dimensions. */
void rule_pointwise_contiguous(infer_call *c)
{
    ty_tensor *self = infer_self(c);
    if (self) infer_give(c, infer_like(c, self, dtype_by_kind(c, self), TY_CONTIGUOUS));
}

/* The first two operands stand the other way round: derivatives look at what was given first. */
void rule_pointwise_swapped(infer_call *c)
{
    const ty_tensor *operands[INFER_MAX_OPERANDS];
    uint32_t count = infer_operands(c, operands, INFER_MAX_OPERANDS);
    ty_tensor *self = infer_self(c);
    if (!self || count < 2) return;
    const ty_tensor *first = operands[0];
    operands[0] = operands[1];
    operands[1] = first;
    infer_give(c, infer_elementwise(c, dtype_by_kind(c, self), operands, count));
}

void rule_sum_or_product(infer_call *c)
{
    const ty_tensor *operands[INFER_MAX_OPERANDS];
    uint32_t count = infer_operands(c, operands, INFER_MAX_OPERANDS);
    ty_tensor *self = infer_self(c);
    if (!self) return;
    ty_dtype dtype = dtype_by_kind(c, self);
    infer_give(c, infer_arithmetic(c, dtype, operands, count));
}

/* other - self: the operands stand the other way round. */
void rule_reversed(infer_call *c)
{
    const ty_tensor *operands[INFER_MAX_OPERANDS];
    uint32_t count = infer_operands(c, operands, INFER_MAX_OPERANDS);
    ty_tensor *self = infer_self(c);
    if (!self) return;
    if (count == 2) {
        operands[1] = operands[0];
        operands[0] = infer_tensor(c, "other");
    }
    infer_give(c, infer_arithmetic(c, promoted(c, 0), operands, count));
}

/* An operand broadcast to the sizes of all, in memory of its own. */
static const ty_tensor *materialised(infer_call *c, const ty_tensor *x, const ty_tensor *all)
{
    if (!all) return NULL;
    return infer_empty_like(c, infer_expand(c, x, all->rank, all->sizes), x ? x->dtype : TY_F32);
}

/* PyTorch composes these of steps that each see operands already broadcast; the layout is that
 * of the step whose result comes first. The parameter: the dtype. */
void rule_composed(infer_call *c)
{
    const ty_tensor *operands[INFER_MAX_OPERANDS];
    uint32_t count = infer_operands(c, operands, INFER_MAX_OPERANDS);
    ty_tensor *self = infer_self(c);
    if (!self) return;
    ty_dtype dtype = dtype_by_kind(c, self);
    const ty_tensor *all = infer_elementwise(c, dtype, operands, count);
    for (uint32_t i = 0; i < count; i++) operands[i] = materialised(c, operands[i], all);
    infer_give(c, infer_elementwise(c, dtype, operands, count));
}

/* The same where the other operand comes first: copysign, and quotients of floats rounded down. */
void rule_composed_by_other(infer_call *c)
{
    const ty_tensor *operands[INFER_MAX_OPERANDS];
    uint32_t count = infer_operands(c, operands, INFER_MAX_OPERANDS - 1);
    const char *mode = infer_string(c, "rounding_mode", NULL);
    ty_tensor *self = infer_self(c);
    if (!self) return;
    ty_dtype dtype = dtype_by_kind(c, self);
    ty_tensor *all = infer_elementwise(c, dtype, operands, count);
    bool divides = op_param_index(c->op, "rounding_mode") >= 0;
    bool by_other = divides ? mode && mode[0] == 'f' && ty_is_floating(dtype)
                            : ty_is_floating(dtype) && infer_tensor(c, "other");
    if (!by_other || !all) {
        infer_give(c, all);
        return;
    }
    ty_tensor number = {.dtype = dtype, .device = self->device, .offset = infer_number(c, 0)};
    const ty_tensor *other = infer_tensor(c, "other");
    const ty_tensor *steps[] = {materialised(c, other ? other : &number, all),
                                divides ? all : materialised(c, self, all)};
    infer_give(c, infer_elementwise(c, dtype, steps, 2));
}

/* where(self is 0, values, 0 or 1) */
void rule_heaviside(infer_call *c)
{
    ty_tensor *self = infer_self(c);
    const ty_tensor *values = infer_tensor(c, "values"), *operands[] = {self, values};
    if (!self || !values) return;
    const ty_tensor *all = infer_elementwise(c, self->dtype, operands, 2);
    if (!all) return;
    const ty_tensor *steps[] = {materialised(c, self, all),
                                infer_expand(c, values, all->rank, all->sizes)};
    infer_give(c, infer_elementwise(c, self->dtype, steps, 2));
}

/* As a tensor without dimensions. */
static ty_tensor number_like(infer_call *c, const ty_tensor *x)
{
    return (ty_tensor){.dtype = x->dtype, .device = x->device, .offset = infer_number(c, 0)};
}

/* The condition has no say in the dtype. */
void rule_where(infer_call *c)
{
    const ty_tensor *operands[INFER_MAX_OPERANDS];
    uint32_t count = infer_operands(c, operands, INFER_MAX_OPERANDS);
    const ty_tensor *condition = infer_tensor(c, "condition");
    if (!condition) return;
    ty_tensor number = number_like(c, condition);
    while (count < 3) operands[count++] = &number; /* numbers are made tensors */
    infer_give(c, infer_elementwise(c, promoted(c, 1), operands, count));
}

void rule_masked_fill(infer_call *c)
{
    ty_tensor *self = infer_tensor(c, "self");
    if (!self) return;
    bool is_tensor = infer_arg(c, "value")->kind == FX_ARG_NODE;
    ty_tensor number = number_like(c, self);
    const ty_tensor *operands[] = {infer_tensor(c, "mask"), self, &number};
    ty_tensor *out = infer_elementwise(c, self->dtype, operands, is_tensor ? 3 : 2);
    infer_give(c, infer_contiguous(c, out, TY_CONTIGUOUS));
}

/* PyTorch's fake tensors compose it: where(x >= bound or x is NaN, x, bound), for either bound. */
void rule_clamp(infer_call *c)
{
    static const char *const BOUNDS[] = {"min", "max"};
    ty_tensor *x = infer_tensor(c, "self");
    ty_dtype dtype = promoted(c, 0);
    for (int k = 0; k < 2; k++) {
        const ty_tensor *bound = infer_tensor(c, BOUNDS[k]), *pair[] = {x, bound};
        if (!bound) continue;
        ty_tensor *beyond = infer_elementwise(c, TY_BOOL, pair, 2);
        const ty_tensor *nan = x ? infer_empty_like(c, x, TY_BOOL) : NULL, *both[] = {beyond, nan};
        ty_tensor *stays = infer_elementwise(c, TY_BOOL, both, 2);
        const ty_tensor *choice[] = {stays, x, bound};
        x = infer_elementwise(c, dtype, choice, 3);
    }
    infer_give(c, x);
}

/* number^x: PyTorch's kernel gives it contiguous. */
void rule_power_of_number(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "exponent");
    if (x) infer_give(c, infer_fresh(c, x, dtype_by_kind(c, x), x->rank, x->sizes));
}

/* x * 2^other: the power is a float. */
void rule_ldexp(infer_call *c)
{
    const ty_tensor *self = infer_tensor(c, "self");
    const ty_tensor *other = infer_tensor(c, "other");
    if (!self || !other) return;
    ty_tensor *power = infer_like(c, other, infer_float_of(other->dtype), TY_PRESERVE);
    const ty_tensor *operands[] = {self, power};
    ty_operand types[] = {{.dtype = self->dtype, .is_zero_dim = self->rank == 0},
                          {.dtype = power->dtype, .is_zero_dim = power->rank == 0}};
    infer_give(c, infer_elementwise(c, ty_result_type(types, 2), operands, 2));
}

void rule_convert(infer_call *c)
{
    ty_tensor *self = infer_self(c);
    if (self) infer_give(c, infer_like(c, self, infer_dtype(c, "dtype", self->dtype), TY_PRESERVE));
}

/* ---- several results, or an operand that is not as it stands ---- */

/* One half gates the other. */
void rule_glu(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    if (x->rank == 0) infer_fail(c, "glu of a tensor without dimensions");
    if (c->status != FE_OK) return;
    sym_expr half = sym_floordiv(c->symbols, x->sizes[dim], infer_number(c, 2));
    sym_expr one = infer_number(c, 1);
    const ty_tensor *halves[] = {infer_narrow(c, x, dim, infer_number(c, 0), half, one),
                                 infer_narrow(c, x, dim, half, half, one)};
    infer_give(c, infer_elementwise(c, x->dtype, halves, 2));
}

/* The result and a buffer for the derivative. */
void rule_log_sigmoid_forward(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    infer_give_pair(c, infer_clone(c, x, TY_CONTIGUOUS), infer_clone(c, x, TY_CONTIGUOUS));
}

/* Mantissa and exponent. */
void rule_frexp(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    const ty_tensor *operands[] = {x};
    if (!x) return;
    infer_give_pair(c, infer_elementwise(c, x->dtype, operands, 1),
                    infer_elementwise(c, TY_I32, operands, 1));
}

/* The slopes stand along the channels: the layout is the input's alone. */
void rule_prelu(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    const ty_tensor *operands[] = {x};
    if (x) infer_give(c, infer_elementwise(c, x->dtype, operands, 1));
}

/* The result and the noise that it was made with. */
void rule_rrelu_functional(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    ty_tensor *noise = infer_tensor(c, "noise");
    if (!x || !noise) return;
    infer_give_pair(c, infer_like(c, x, x->dtype, TY_PRESERVE),
                    infer_like(c, noise, noise->dtype, TY_PRESERVE));
}

/* mask * grad * scale, in the memory format of grad. */
void rule_native_dropout_backward(infer_call *c)
{
    ty_tensor *grad = infer_tensor(c, "grad_output");
    if (!grad) return;
    ty_dtype dtype = infer_float_of(grad->dtype);
    infer_give(c, infer_like(c, grad, dtype, ty_suggested_format(c->symbols, grad)));
}

/* Real numbers are their own conjugates. */
void rule_conj_physical(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (x)
        infer_give(c,
                   ty_is_complex(x->dtype) ? infer_empty_like(c, x, x->dtype) : infer_alias(c, x));
}

/* Zeroes outside a triangle: a choice, then contiguous. */
void rule_triangle(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (x) infer_give(c, infer_contiguous(c, infer_empty_like(c, x, x->dtype), TY_CONTIGUOUS));
}
