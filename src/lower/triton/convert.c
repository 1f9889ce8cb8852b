/* convert.c -- values of one type as those of another. Floats become the nearest ones, half to even, unless
 * the operation says that they are rounded to zero; those of 8 bits have no overflow, as NVIDIA's
 * instructions have none: what is too large becomes the largest number.
 */
#include "lower/triton/triton.h"

#include <math.h>
#include <string.h>

static ty_dtype dtype_of(const triton *t, loop_value v)
{
    return loop_at(t->p, v)->dtype;
}

static loop_value bits_as(triton *t, ty_dtype d, loop_value v)
{
    return loop_make(t->p, (loop_node){.op = LOOP_BITCAST, .dtype = d, .args = {v}});
}

/* Within what the floats of 8 bits hold; NaN stays. */
static loop_value saturated(triton *t, ty_dtype to, loop_value v)
{
    ty_dtype d = lower_compute_dtype(dtype_of(t, v));
    double most = ty_float8_value(to, 0);
    for (uint32_t bits = 0; bits < 0x80; bits++) {
        double value = ty_float8_value(to, (uint8_t)bits);
        if (value > most && value < HUGE_VAL) most = value;
    }
    v = loop_binary(t->p, LOOP_MAX, loop_cast(t->p, d, v), loop_const_float(t->p, d, -most));
    return loop_binary(t->p, LOOP_MIN, v, loop_const_float(t->p, d, most));
}

/* The nearest one that is not further from 0: where rounding has gone away from it, the one before. */
static loop_value to_zero(triton *t, ty_dtype to, loop_value v)
{
    ty_dtype from = lower_compute_dtype(dtype_of(t, v)),
             bits = ty_dtype_size(to) == 1 ? TY_U8 : TY_U16;
    loop_value x = loop_cast(t->p, from, v), nearest = loop_cast(t->p, to, x);
    loop_value is_beyond = loop_binary(t->p, LOOP_LT, loop_unary(t->p, LOOP_ABS, x),
                                       loop_unary(t->p, LOOP_ABS, loop_cast(t->p, from, nearest)));
    loop_value as_bits = bits_as(t, bits, nearest);
    as_bits = loop_binary(t->p, LOOP_SUB, as_bits, loop_cast(t->p, bits, is_beyond));
    return bits_as(t, to, as_bits);
}

static bool rounds_to_zero(const ttir_op *op)
{
    const ttir_attribute *rounding = ttir_find(op, "rounding");
    if (rounding && rounding->text && strcmp(rounding->text, "rtz") == 0) return true;
    for (uint32_t k = 0; k < op->word_count; k++)
        if (strcmp(op->words[k], "rtz") == 0) return true;
    return false;
}

fe_status triton_convert(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    ty_dtype to = triton_type(t, op->result)->dtype;
    loop_value v = triton_here(t, op, 0);
    if (ty_is_float8(to) && ty_is_floating(dtype_of(t, v))) v = saturated(t, to, v);
    if (rounds_to_zero(op)) {
        if (ty_dtype_size(to) > 2) return triton_fail(t, "to such a type, rounded to zero");
        v = to_zero(t, to, v);
    }
    triton_give(t, op, v);
    return FE_OK;
}

fe_status triton_convert_unsigned(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    sym_expr e = triton_expr(t, triton_here(t, op, 0));
    bool is_natural_number = !sym_is_none(e) && triton_is_natural(t, e, 0, NULL);
    triton_give(t, op, is_natural_number ? loop_index(t->p, e) : triton_unsigned_here(t, op, 0));
    return FE_OK;
}

/* Floats as integers without a sign. */
fe_status triton_to_unsigned(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    ty_dtype to = triton_without_sign(triton_type(t, op->result)->dtype);
    triton_give(t, op, loop_cast(t->p, to, triton_here(t, op, 0)));
    return FE_OK;
}

fe_status triton_extend(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    loop_value v = triton_here(t, op, 0);
    sym_expr e = triton_expr(t, v);
    ty_dtype d = triton_type(t, op->result)->dtype;
    if (!sym_is_none(e)) v = loop_index(t->p, e);
    if (dtype_of(t, v) == TY_BOOL)
        v = loop_unary(t->p, LOOP_NEG, loop_cast(t->p, d, v)); /* true is -1 */
    triton_give(t, op, v);
    return FE_OK;
}

/* The lower bits. */
fe_status triton_shorten(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    loop_value v = triton_here(t, op, 0);
    if (triton_type(t, op->result)->dtype == TY_BOOL)
        v = loop_binary(t->p, LOOP_AND, v, loop_const_int(t->p, dtype_of(t, v), 1));
    triton_give(t, op, v);
    return FE_OK;
}

fe_status triton_bitcast(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    const ttir_type *type = triton_type(t, op->result);
    const triton_value *value = &t->values[op->operands[0]];
    loop_value v = triton_here(t, op, 0);
    if (value->argument) {
        ty_dtype held = t->memories[value->argument - 1].tensor->dtype;
        if (ty_dtype_size(held) != ty_dtype_size(type->dtype))
            return triton_fail(t, "of a pointer");
        triton_set(t, op, 0,
                   (triton_value){.t = triton_operand(t, op, 0), .argument = value->argument});
        return FE_OK;
    }
    if (dtype_of(t, v) != type->dtype) v = bits_as(t, type->dtype, v);
    triton_give(t, op, v);
    return FE_OK;
}
