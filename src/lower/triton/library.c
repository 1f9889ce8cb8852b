/* library.c -- functions of CUDA's libdevice, by their names: __nv_tanhf and __nv_tanh are "tanh". Those that
 * are fast there for being less precise are the precise ones here.
 */
#include "lower/triton/triton.h"

#include <string.h>

static loop_value of_float(triton *t, loop_value like, double number)
{
    return loop_const_float(t->p, loop_at(t->p, like)->dtype, number);
}

static loop_value of_integer(triton *t, loop_value like, int64_t number)
{
    return loop_const_int(t->p, loop_at(t->p, like)->dtype, number);
}

/* ---- made of several ---- */

/* Half away from zero. What is behind the point is exact. */
static loop_value rounded(triton *t, const loop_value *x)
{
    loop_value whole = loop_unary(t->p, LOOP_TRUNC, x[0]),
               rest = loop_unary(t->p, LOOP_ABS, loop_binary(t->p, LOOP_SUB, x[0], whole)),
               one = loop_binary(t->p, LOOP_COPYSIGN, of_float(t, x[0], 1), x[0]);
    return loop_where(t->p, loop_binary(t->p, LOOP_LE, of_float(t, x[0], 0.5), rest),
                      loop_binary(t->p, LOOP_ADD, whole, one), whole);
}

static loop_value is_finite(triton *t, const loop_value *x)
{
    return loop_unary(t->p, LOOP_NOT,
                      loop_binary(t->p, LOOP_OR, loop_unary(t->p, LOOP_ISNAN, x[0]),
                                  loop_unary(t->p, LOOP_ISINF, x[0])));
}

static loop_value reciprocal(triton *t, const loop_value *x)
{
    return loop_binary(t->p, LOOP_DIV, of_float(t, x[0], 1), x[0]);
}

static loop_value reciprocal_root(triton *t, const loop_value *x)
{
    loop_value root = loop_unary(t->p, LOOP_SQRT, x[0]);
    return reciprocal(t, &root);
}

static loop_value power_of_ten(triton *t, const loop_value *x)
{
    return loop_binary(t->p, LOOP_POW, of_float(t, x[0], 10), x[0]);
}

/* Of the normal distribution: half of erfc(-x / sqrt(2)). */
static loop_value normal(triton *t, const loop_value *x)
{
    loop_value y = loop_binary(t->p, LOOP_MUL, x[0], of_float(t, x[0], -0.70710678118654752440));
    return loop_binary(t->p, LOOP_MUL, of_float(t, x[0], 0.5), loop_unary(t->p, LOOP_ERFC, y));
}

/* In [0, 1]; NaN is 0. */
static loop_value saturated(triton *t, const loop_value *x)
{
    loop_value v = loop_binary(t->p, LOOP_FMAX, x[0], of_float(t, x[0], 0));
    return loop_binary(t->p, LOOP_FMIN, v, of_float(t, x[0], 1));
}

static loop_value difference(triton *t, const loop_value *x)
{
    loop_value is_nan = loop_binary(t->p, LOOP_OR, loop_unary(t->p, LOOP_ISNAN, x[0]),
                                    loop_unary(t->p, LOOP_ISNAN, x[1])),
               way = loop_binary(t->p, LOOP_SUB, x[0], x[1]), none = of_float(t, x[0], 0);
    loop_value is_there =
        loop_binary(t->p, LOOP_OR, is_nan, loop_binary(t->p, LOOP_LT, x[1], x[0]));
    return loop_where(t->p, is_there, way, none);
}

static loop_value fused(triton *t, const loop_value *x)
{
    return loop_make(t->p, (loop_node){.op = LOOP_FMA,
                                       .dtype = loop_at(t->p, x[0])->dtype,
                                       .args = {x[0], x[1], x[2]}});
}

static loop_value as_bits(triton *t, const loop_value *x)
{
    ty_dtype d = loop_at(t->p, x[0])->dtype;
    d = d == TY_F32 ? TY_I32 : TY_F32;
    return loop_make(t->p, (loop_node){.op = LOOP_BITCAST, .dtype = d, .args = {x[0]}});
}

/* ---- bits ---- */

/* Those that are set, counted in pairs, fours and bytes, which a product adds up. */
static loop_value bits_set(triton *t, const loop_value *x)
{
    loop_program *p = t->p;
    bool is_long = loop_at(p, x[0])->dtype == TY_I64;
    uint64_t all = is_long ? UINT64_MAX : UINT32_MAX;
    loop_value v = loop_cast(p, is_long ? TY_U64 : TY_U32, x[0]);
#define MASK(pattern) of_integer(t, v, (int64_t)((pattern)&all))
#define RIGHT(value, count) loop_binary(p, LOOP_SHR, value, of_integer(t, v, count))
    v = loop_binary(p, LOOP_SUB, v,
                    loop_binary(p, LOOP_AND, RIGHT(v, 1), MASK(0x5555555555555555u)));
    v = loop_binary(p, LOOP_ADD, loop_binary(p, LOOP_AND, v, MASK(0x3333333333333333u)),
                    loop_binary(p, LOOP_AND, RIGHT(v, 2), MASK(0x3333333333333333u)));
    v = loop_binary(p, LOOP_AND, loop_binary(p, LOOP_ADD, v, RIGHT(v, 4)),
                    MASK(0x0F0F0F0F0F0F0F0Fu));
    v = loop_binary(p, LOOP_MUL, v, MASK(0x0101010101010101u));
    return RIGHT(v, is_long ? 56 : 24);
}

/* All bits below the highest one are set too; the others are those in front of it. */
static loop_value zeros_in_front(triton *t, const loop_value *x)
{
    loop_program *p = t->p;
    ty_dtype signed_one = loop_at(p, x[0])->dtype;
    loop_value v = loop_cast(p, signed_one == TY_I64 ? TY_U64 : TY_U32, x[0]);
    for (int step = 1; step < (signed_one == TY_I64 ? 64 : 32); step *= 2)
        v = loop_binary(p, LOOP_OR, v, RIGHT(v, step));
    loop_value others = loop_cast(
        p, signed_one,
        loop_binary(p, LOOP_XOR, v, loop_cast(p, loop_at(p, v)->dtype, of_integer(t, x[0], -1))));
    return bits_set(t, &others);
}
#undef MASK
#undef RIGHT

/* From 1 on; 0: none. x ^ (x - 1) has the lowest bit that is set and those below it. */
static loop_value first_set(triton *t, const loop_value *x)
{
    loop_value below = loop_binary(t->p, LOOP_SUB, x[0], of_integer(t, x[0], 1)),
               up_to = loop_binary(t->p, LOOP_XOR, x[0], below), count = bits_set(t, &up_to);
    return loop_where(t->p, loop_binary(t->p, LOOP_EQ, x[0], of_integer(t, x[0], 0)),
                      of_integer(t, count, 0), count);
}

/* ---- by name ---- */

typedef struct library_function {
    const char *name;
    loop_opcode op; /* or none, and what makes it */
    loop_value (*make)(triton *t, const loop_value *x);
    uint32_t operands; /* of what is made */
} library_function;

static const library_function FUNCTIONS[] = {
    {"tanh", LOOP_TANH, NULL, 0},
    {"erf", LOOP_ERF, NULL, 0},
    {"erfc", LOOP_ERFC, NULL, 0},
    {"erfinv", LOOP_ERFINV, NULL, 0},
    {"exp", LOOP_EXP, NULL, 0},
    {"fast_exp", LOOP_EXP, NULL, 0},
    {"exp2", LOOP_EXP2, NULL, 0},
    {"exp10", LOOP_NOTHING, power_of_ten, 1},
    {"fast_exp10", LOOP_NOTHING, power_of_ten, 1},
    {"expm1", LOOP_EXPM1, NULL, 0},
    {"log", LOOP_LOG, NULL, 0},
    {"fast_log", LOOP_LOG, NULL, 0},
    {"log2", LOOP_LOG2, NULL, 0},
    {"fast_log2", LOOP_LOG2, NULL, 0},
    {"log10", LOOP_LOG10, NULL, 0},
    {"fast_log10", LOOP_LOG10, NULL, 0},
    {"log1p", LOOP_LOG1P, NULL, 0},
    {"sin", LOOP_SIN, NULL, 0},
    {"fast_sin", LOOP_SIN, NULL, 0},
    {"cos", LOOP_COS, NULL, 0},
    {"fast_cos", LOOP_COS, NULL, 0},
    {"tan", LOOP_TAN, NULL, 0},
    {"fast_tan", LOOP_TAN, NULL, 0},
    {"asin", LOOP_ASIN, NULL, 0},
    {"acos", LOOP_ACOS, NULL, 0},
    {"atan", LOOP_ATAN, NULL, 0},
    {"sinh", LOOP_SINH, NULL, 0},
    {"cosh", LOOP_COSH, NULL, 0},
    {"asinh", LOOP_ASINH, NULL, 0},
    {"acosh", LOOP_ACOSH, NULL, 0},
    {"atanh", LOOP_ATANH, NULL, 0},
    {"sqrt", LOOP_SQRT, NULL, 0},
    {"fsqrt_rn", LOOP_SQRT, NULL, 0},
    {"dsqrt_rn", LOOP_SQRT, NULL, 0},
    {"rsqrt", LOOP_RSQRT, NULL, 0},
    {"frsqrt_rn", LOOP_NOTHING, reciprocal_root, 1},
    {"frcp_rn", LOOP_NOTHING, reciprocal, 1},
    {"drcp_rn", LOOP_NOTHING, reciprocal, 1},
    {"fabs", LOOP_ABS, NULL, 0},
    {"abs", LOOP_ABS, NULL, 0},
    {"llabs", LOOP_ABS, NULL, 0},
    {"floor", LOOP_FLOOR, NULL, 0},
    {"ceil", LOOP_CEIL, NULL, 0},
    {"trunc", LOOP_TRUNC, NULL, 0},
    {"rint", LOOP_ROUND, NULL, 0},
    {"nearbyint", LOOP_ROUND, NULL, 0},
    {"llrint", LOOP_ROUND, NULL, 0},
    {"float2int_rn", LOOP_ROUND, NULL, 0},
    {"double2int_rn", LOOP_ROUND, NULL, 0},
    {"float2int_rz", LOOP_TRUNC, NULL, 0},
    {"double2int_rz", LOOP_TRUNC, NULL, 0},
    {"float2int_rd", LOOP_FLOOR, NULL, 0},
    {"double2int_rd", LOOP_FLOOR, NULL, 0},
    {"float2int_ru", LOOP_CEIL, NULL, 0},
    {"double2int_ru", LOOP_CEIL, NULL, 0},
    {"round", LOOP_NOTHING, rounded, 1},
    {"llround", LOOP_NOTHING, rounded, 1},
    {"lgamma", LOOP_LGAMMA, NULL, 0},
    {"normcdf", LOOP_NOTHING, normal, 1},
    {"saturate", LOOP_NOTHING, saturated, 1},
    {"isnan", LOOP_ISNAN, NULL, 0},
    {"isnand", LOOP_ISNAN, NULL, 0},
    {"isinf", LOOP_ISINF, NULL, 0},
    {"isinfd", LOOP_ISINF, NULL, 0},
    {"finite", LOOP_NOTHING, is_finite, 1},
    {"isfinited", LOOP_NOTHING, is_finite, 1},
    {"signbit", LOOP_SIGNBIT, NULL, 0},
    {"signbitd", LOOP_SIGNBIT, NULL, 0},
    {"float_as_int", LOOP_NOTHING, as_bits, 1},
    {"int_as_float", LOOP_NOTHING, as_bits, 1},
    {"pow", LOOP_POW, NULL, 0},
    {"fast_pow", LOOP_POW, NULL, 0},
    {"fmod", LOOP_FMOD, NULL, 0},
    {"atan2", LOOP_ATAN2, NULL, 0},
    {"hypot", LOOP_HYPOT, NULL, 0},
    {"copysign", LOOP_COPYSIGN, NULL, 0},
    {"nextafter", LOOP_NEXTAFTER, NULL, 0},
    {"fdim", LOOP_NOTHING, difference, 2},
    {"fadd_rn", LOOP_ADD, NULL, 0},
    {"dadd_rn", LOOP_ADD, NULL, 0},
    {"fsub_rn", LOOP_SUB, NULL, 0},
    {"dsub_rn", LOOP_SUB, NULL, 0},
    {"fmul_rn", LOOP_MUL, NULL, 0},
    {"dmul_rn", LOOP_MUL, NULL, 0},
    {"fdiv_rn", LOOP_DIV, NULL, 0},
    {"ddiv_rn", LOOP_DIV, NULL, 0},
    {"fast_fdivide", LOOP_DIV, NULL, 0},
    {"fma", LOOP_NOTHING, fused, 3},
    {"fma_rn", LOOP_NOTHING, fused, 3},
    {"fmaf_rn", LOOP_NOTHING, fused, 3},
    {"popc", LOOP_NOTHING, bits_set, 1},
    {"popcll", LOOP_NOTHING, bits_set, 1},
    {"clz", LOOP_NOTHING, zeros_in_front, 1},
    {"clzll", LOOP_NOTHING, zeros_in_front, 1},
    {"ffs", LOOP_NOTHING, first_set, 1},
    {"ffsll", LOOP_NOTHING, first_set, 1},
};

static const library_function *function_named(const char *name)
{
    for (size_t k = 0; k < COUNT_OF(FUNCTIONS); k++) {
        size_t length = strlen(FUNCTIONS[k].name);
        if (strncmp(name, FUNCTIONS[k].name, length) != 0) continue;
        if (!name[length] || strcmp(name + length, "f") == 0) return &FUNCTIONS[k];
    }
    return NULL;
}

fe_status triton_library(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    const ttir_attribute *symbol = ttir_find(op, "symbol");
    const char *name = symbol && symbol->text ? symbol->text : "";
    const library_function *f = strncmp(name, "__nv_", 5) == 0 ? function_named(name + 5) : NULL;
    if (!f) return triton_fail(t, "the function \"%s\"", name);
    if (!f->make) return triton_number(t, op, (int)f->op);
    loop_value x[3];
    if (op->operand_count != f->operands) return triton_fail(t, "its operands");
    for (uint32_t k = 0; k < f->operands; k++) x[k] = triton_widened(t, triton_here(t, op, k));
    triton_give(t, op, f->make(t, x));
    return FE_OK;
}
