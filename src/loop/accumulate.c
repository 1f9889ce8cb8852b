/* accumulate.c -- reductions of the reference interpreter. */
#include "loop/interp_priv.h"

#include <math.h>

/* The dtype that partial results are kept in. */
static ty_dtype wide(ty_dtype d)
{
    if (ty_is_complex(d)) return TY_C128;
    return ty_is_floating(d) ? TY_F64 : d;
}

static int64_t least_of(ty_dtype d)
{
    switch (d) {
    case TY_I8: return INT8_MIN;
    case TY_I16: return INT16_MIN;
    case TY_I32: return INT32_MIN;
    case TY_I64: return INT64_MIN;
    default: return 0;
    }
}

static int64_t greatest_of(ty_dtype d)
{
    switch (d) {
    case TY_BOOL: return 1;
    case TY_U8: return UINT8_MAX;
    case TY_I8: return INT8_MAX;
    case TY_U16: return UINT16_MAX;
    case TY_I16: return INT16_MAX;
    case TY_U32: return UINT32_MAX;
    case TY_I32: return INT32_MAX;
    case TY_I64: return INT64_MAX;
    default: return -1; /* u64: all ones */
    }
}

/* What a reduction over nothing gives. */
static loop_scalar identity(loop_reduce kind, ty_dtype d)
{
    bool integral = ty_is_integral(d, true);
    switch (kind) {
    case LOOP_PROD: return integral ? (loop_scalar){.i = 1} : (loop_scalar){.c = {1, 0}};
    case LOOP_ALL: return (loop_scalar){.i = 1};
    case LOOP_REDUCE_MIN:
        return integral ? (loop_scalar){.i = greatest_of(d)} : (loop_scalar){.f = (double)INFINITY};
    case LOOP_REDUCE_MAX:
        return integral ? (loop_scalar){.i = least_of(d)} : (loop_scalar){.f = -(double)INFINITY};
    case LOOP_LOG_SUM_EXP: return (loop_scalar){.c = {-(double)INFINITY, 0}};
    default: return (loop_scalar){.c = {0, 0}};
    }
}

void loop_accumulator_start(accumulator *a, loop_reduce kind, ty_dtype dtype)
{
    *a = (accumulator){.kind = kind, .dtype = dtype, .empty = true, .value = identity(kind, dtype)};
}

static bool is_more_extreme(const accumulator *a, loop_scalar v)
{
    loop_scalar truth;
    ty_dtype d = wide(a->dtype);
    if (ty_is_floating(d) && (isnan(a->value.f) || isnan(v.f))) return !isnan(a->value.f);
    loop_scalar args[3] = {a->kind == LOOP_ARGMIN ? v : a->value,
                           a->kind == LOOP_ARGMIN ? a->value : v};
    return loop_scalar_apply(LOOP_LT, d, args, &truth) && truth.i;
}

void loop_accumulator_add(accumulator *a, loop_scalar v, int64_t flat)
{
    static const loop_opcode STEP[LOOP_REDUCE_COUNT] = {
        [LOOP_SUM] = LOOP_ADD,        [LOOP_PROD] = LOOP_MUL,
        [LOOP_REDUCE_MIN] = LOOP_MIN, [LOOP_REDUCE_MAX] = LOOP_MAX,
        [LOOP_ANY] = LOOP_OR,         [LOOP_ALL] = LOOP_AND,
        [LOOP_REDUCE_XOR] = LOOP_XOR, [LOOP_LOG_SUM_EXP] = LOOP_LOGADDEXP};
    if (a->kind == LOOP_ARGMIN || a->kind == LOOP_ARGMAX) {
        if (a->empty || is_more_extreme(a, v)) {
            a->value = v;
            a->where = flat;
        }
    } else {
        loop_scalar args[3] = {a->value, v};
        loop_scalar_apply(STEP[a->kind], wide(a->dtype), args, &a->value);
    }
    a->empty = false;
}

loop_scalar loop_accumulator_end(const accumulator *a)
{
    if (a->kind == LOOP_ARGMIN || a->kind == LOOP_ARGMAX) return (loop_scalar){.i = a->where};
    return loop_scalar_cast(wide(a->dtype), a->dtype, a->value);
}
