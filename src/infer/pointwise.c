/* pointwise.c -- operators that work element by element: which dtype, over which operands.
 *
 * Sizes broadcast and strides follow TensorIterator (infer_elementwise); what differs from operator
 * to operator is the dtype, and that is the row's parameter.
 */
#include "infer/infer_priv.h"

#include <string.h>

/* Does the number take part in type promotion? Others (alpha, value, ...) are cast to the result. */
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

static ty_dtype to_float(ty_dtype d)
{
    return ty_is_integral(d, true) ? TY_F32 : d;
}

static ty_dtype dtype_by_kind(infer_call *c, const ty_tensor *self)
{
    ty_dtype d = promoted(c, 0);
    switch ((infer_dtype_kind)c->param) {
    case DTYPE_PROMOTE: return d;
    case DTYPE_FLOAT: return to_float(d);
    case DTYPE_BOOL: return TY_BOOL;
    case DTYPE_SELF: return self->dtype;
    case DTYPE_REAL: return ty_complex_to_real(d);
    case DTYPE_REAL_FLOAT: return ty_complex_to_real(to_float(d));
    case DTYPE_COMPLEX: return ty_real_to_complex(d);
    case DTYPE_DOUBLE: return ty_is_complex(d) ? TY_C128 : TY_F64;
    case DTYPE_DIVIDE: return infer_arg(c, "rounding_mode") ? d : to_float(d);
    case DTYPE_SUM:
    case DTYPE_INDEX: break; /* of reductions */
    }
    return d;
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
    infer_give(c, infer_elementwise(c, promoted(c, 0), operands, count));
}

/* The condition has no say in the dtype. */
void rule_where(infer_call *c)
{
    const ty_tensor *operands[INFER_MAX_OPERANDS];
    uint32_t count = infer_operands(c, operands, INFER_MAX_OPERANDS);
    infer_give(c, infer_elementwise(c, promoted(c, 1), operands, count));
}

void rule_masked_fill(infer_call *c)
{
    ty_tensor *self = infer_tensor(c, "self");
    const ty_tensor *operands[] = {infer_tensor(c, "mask"), self};
    if (!self) return;
    ty_tensor *out = infer_elementwise(c, self->dtype, operands, 2);
    infer_give(c, infer_contiguous(c, out, TY_CONTIGUOUS));
}

/* x * 2^other: the power is a float. */
void rule_ldexp(infer_call *c)
{
    const ty_tensor *self = infer_tensor(c, "self");
    const ty_tensor *other = infer_tensor(c, "other");
    if (!self || !other) return;
    ty_tensor *power = infer_like(c, other, to_float(other->dtype), TY_PRESERVE);
    const ty_tensor *operands[] = {self, power};
    ty_operand types[] = {{.dtype = self->dtype, .is_zero_dim = self->rank == 0},
                          {.dtype = power->dtype, .is_zero_dim = power->rank == 0}};
    infer_give(c, infer_elementwise(c, ty_result_type(types, 2), operands, 2));
}

void rule_convert(infer_call *c)
{
    ty_tensor *self = infer_self(c);
    if (self)
        infer_give(c, infer_like(c, self, infer_dtype(c, "dtype", self->dtype), TY_PRESERVE));
}
