/* scalar.c -- arithmetic on one number of a real dtype, as eager PyTorch does it on that dtype.
 *
 * f32, f16 and bf16 compute in float, f64 in double, integers wrap. Conversions are those of x86
 * compilers where C leaves them open (a float that does not fit gives the smallest integer), since
 * that is what PyTorch shows.
 */
#include "loop/loop_priv.h"

#include <math.h>
#include <string.h>

/* ---- storage formats ---- */

static double round_to(ty_dtype d, double x)
{
    switch (d) {
    case TY_F32:
    case TY_C64: return (double)(float)x;
    case TY_F16:
    /* through float, as c10::Half */
    case TY_C32: return ty_half_value(TY_F16, ty_half_bits(TY_F16, (double)(float)x));
    case TY_BF16: return ty_half_value(TY_BF16, ty_half_bits(TY_BF16, x));
    default: return ty_is_float8(d) ? ty_float8_value(d, ty_float8_bits(d, x)) : x;
    }
}

static bool is_unsigned(ty_dtype d)
{
    return d == TY_U8 || d == TY_U16 || d == TY_U32 || d == TY_U64;
}

static int64_t wrap_to(ty_dtype d, int64_t x)
{
    switch (d) {
    case TY_BOOL: return x != 0;
    case TY_U8: return (uint8_t)x;
    case TY_I8: return (int8_t)x;
    case TY_U16: return (uint16_t)x;
    case TY_I16: return (int16_t)x;
    case TY_U32: return (uint32_t)x;
    case TY_I32: return (int32_t)x;
    default: return x;
    }
}

loop_scalar loop_scalar_load(ty_dtype d, const void *at)
{
    loop_scalar v = {0};
    union {
        float f[2];
        double d[2];
        uint16_t h[2];
        int64_t i;
        unsigned char bytes[16];
    } raw = {{0}};
    memcpy(raw.bytes, at, ty_dtype_size(d));
    switch (d) {
    case TY_F32: v.f = (double)raw.f[0]; break;
    case TY_F64: v.f = raw.d[0]; break;
    case TY_F16: v.f = ty_half_value(TY_F16, raw.h[0]); break;
    case TY_BF16: v.f = ty_half_value(TY_BF16, raw.h[0]); break;
    case TY_C64: v = (loop_scalar){.c = {(double)raw.f[0], (double)raw.f[1]}}; break;
    case TY_C128: v = (loop_scalar){.c = {raw.d[0], raw.d[1]}}; break;
    case TY_C32:
        v = (loop_scalar){.c = {ty_half_value(TY_F16, raw.h[0]), ty_half_value(TY_F16, raw.h[1])}};
        break;
    default:
        if (ty_is_float8(d))
            v.f = ty_float8_value(d, raw.bytes[0]);
        else
            v.i = wrap_to(d, raw.i); /* little endian */
        break;
    }
    return v;
}

void loop_scalar_store(ty_dtype d, void *at, loop_scalar v)
{
    union {
        float f[2];
        double d[2];
        uint16_t h[2];
        int64_t i;
    } raw = {{0}};
    switch (d) {
    case TY_F32: raw.f[0] = (float)v.f; break;
    case TY_F64: raw.d[0] = v.f; break;
    case TY_F16: raw.h[0] = ty_half_bits(TY_F16, v.f); break;
    case TY_BF16: raw.h[0] = ty_half_bits(TY_BF16, v.f); break;
    case TY_C64:
    case TY_C32:
    case TY_C128:
        for (int k = 0; k < 2; k++) {
            if (d == TY_C64) raw.f[k] = (float)v.c[k];
            if (d == TY_C128) raw.d[k] = v.c[k];
            if (d == TY_C32) raw.h[k] = ty_half_bits(TY_F16, v.c[k]);
        }
        break;
    default: raw.i = ty_is_float8(d) ? ty_float8_bits(d, v.f) : v.i; break;
    }
    memcpy(at, &raw, ty_dtype_size(d));
}

loop_scalar loop_scalar_bitcast(ty_dtype from, ty_dtype to, loop_scalar v)
{
    unsigned char bytes[16] = {0};
    loop_scalar_store(from, bytes, v);
    return loop_scalar_load(to, bytes);
}

loop_scalar loop_scalar_of(const loop_node *constant)
{
    if (ty_is_integral(constant->dtype, true)) return (loop_scalar){.i = constant->integer};
    return (loop_scalar){.c = {constant->number[0], constant->number[1]}};
}

/* ---- conversion ---- */

static int64_t float_to_int(ty_dtype to, double x)
{
    bool fits_64 = x >= -9223372036854775808.0 && x < 9223372036854775808.0;
    if (to == TY_U64 && x >= 9223372036854775808.0 && x < 18446744073709551616.0)
        return (int64_t)(uint64_t)x;
    if (to == TY_I8 || to == TY_I16 || to == TY_I32) {
        bool fits_32 = x > -2147483649.0 && x < 2147483648.0;
        return wrap_to(to, fits_32 ? (int64_t)x : INT32_MIN);
    }
    return wrap_to(to, fits_64 ? (int64_t)x : INT64_MIN);
}

loop_scalar loop_scalar_cast(ty_dtype from, ty_dtype to, loop_scalar v)
{
    bool from_integer = ty_is_integral(from, true), to_integer = ty_is_integral(to, true);
    if (from_integer && to_integer) return (loop_scalar){.i = wrap_to(to, v.i)};
    double re, im = 0;
    if (from_integer) {
        re = from == TY_U64 ? (double)(uint64_t)v.i : (double)v.i;
        /* One rounding, not two, on the way to f32. */
        if (to == TY_F32 || to == TY_C64)
            re = (double)(from == TY_U64 ? (float)(uint64_t)v.i : (float)v.i);
    } else {
        re = ty_is_complex(from) ? v.c[0] : v.f;
        im = ty_is_complex(from) ? v.c[1] : 0;
    }
    if (to == TY_BOOL) return (loop_scalar){.i = re != 0 || im != 0}; /* NaN != 0 */
    if (to_integer) return (loop_scalar){.i = float_to_int(to, re)};
    if (ty_is_complex(to)) return (loop_scalar){.c = {round_to(to, re), round_to(to, im)}};
    return (loop_scalar){.f = round_to(to, re)};
}

void loop_convert(ty_dtype to, void *destination, ty_dtype from, const void *source)
{
    loop_scalar_store(to, destination, loop_scalar_cast(from, to, loop_scalar_load(from, source)));
}

/* ---- floats ---- */

typedef struct unary_row {
    double (*wide)(double);
    float (*narrow)(float);
} unary_row;

static double sign_wide(double x)
{
    return (double)(0 < x) - (double)(x < 0);
}
static float sign_narrow(float x)
{
    return (float)(0 < x) - (float)(x < 0);
}
static double neg_wide(double x)
{
    return -x;
}
static float neg_narrow(float x)
{
    return -x;
}
static double rsqrt_wide(double x)
{
    return 1 / sqrt(x);
}
static float rsqrt_narrow(float x)
{
    return 1 / sqrtf(x);
}
static double recip_wide(double x)
{
    return 1 / x;
}
static float recip_narrow(float x)
{
    return 1 / x;
}
static double sigmoid_wide(double x)
{
    return 1 / (1 + exp(-x));
}
static float sigmoid_narrow(float x)
{
    return 1 / (1 + expf(-x));
}

static double same(double x)
{
    return x;
}

static double bf16_wide(double x)
{
    return ty_half_value(TY_BF16, ty_half_bits(TY_BF16, x));
}

static float bf16_narrow(float x)
{
    return (float)bf16_wide(x);
}

static float same_narrow(float x)
{
    return x;
}

static const unary_row UNARY[LOOP_OPCODE_COUNT] = {
    [LOOP_NEG] = {neg_wide, neg_narrow},
    [LOOP_ABS] = {fabs, fabsf},
    [LOOP_SIGN] = {sign_wide, sign_narrow},
    [LOOP_SQRT] = {sqrt, sqrtf},
    [LOOP_RSQRT] = {rsqrt_wide, rsqrt_narrow},
    [LOOP_RECIP] = {recip_wide, recip_narrow},
    [LOOP_EXP] = {exp, expf},
    [LOOP_EXP2] = {exp2, exp2f},
    [LOOP_EXPM1] = {expm1, expm1f},
    [LOOP_LOG] = {log, logf},
    [LOOP_LOG2] = {log2, log2f},
    [LOOP_LOG10] = {log10, log10f},
    [LOOP_LOG1P] = {log1p, log1pf},
    [LOOP_SIN] = {sin, sinf},
    [LOOP_COS] = {cos, cosf},
    [LOOP_TAN] = {tan, tanf},
    [LOOP_ASIN] = {asin, asinf},
    [LOOP_ACOS] = {acos, acosf},
    [LOOP_ATAN] = {atan, atanf},
    [LOOP_SINH] = {sinh, sinhf},
    [LOOP_COSH] = {cosh, coshf},
    [LOOP_TANH] = {tanh, tanhf},
    [LOOP_ASINH] = {asinh, asinhf},
    [LOOP_ACOSH] = {acosh, acoshf},
    [LOOP_ATANH] = {atanh, atanhf},
    [LOOP_ERF] = {erf, erff},
    [LOOP_ERFC] = {erfc, erfcf},
    [LOOP_LGAMMA] = {lgamma, lgammaf},
    [LOOP_SIGMOID] = {sigmoid_wide, sigmoid_narrow},
    [LOOP_FLOOR] = {floor, floorf},
    [LOOP_CEIL] = {ceil, ceilf},
    [LOOP_ROUND] = {nearbyint, nearbyintf},
    [LOOP_TRUNC] = {trunc, truncf},
    [LOOP_ROUNDED] = {same, same_narrow},
    [LOOP_ROUNDBF] = {bf16_wide, bf16_narrow},
};

/* c10/util: div_floor_floating. `narrow`: every step rounds to float. */
static double floor_divide(double a, double b, bool narrow)
{
#define STEP(x) (narrow ? (double)(float)(x) : (x))
    if (b == 0) return STEP(a / b);
    double rest = fmod(a, b);
    double quotient = STEP(STEP(a - rest) / b);
    if (rest != 0 && (b < 0) != (rest < 0)) quotient = STEP(quotient - 1);
    if (quotient == 0) return copysign(0, a / b);
    double whole = floor(quotient);
    return STEP(quotient - whole) > 0.5 ? STEP(whole + 1) : whole;
#undef STEP
}

static double remainder_of(double a, double b, bool narrow)
{
    double rest = fmod(a, b);
    if (rest != 0 && (b < 0) != (rest < 0)) rest += b;
    return narrow ? (double)(float)rest : rest;
}

static double log_add_exp(double a, double b)
{
    if (a == b && isinf(a)) return a;
    return (a > b ? a : b) + log1p(exp(-fabs(a - b)));
}

static bool apply_narrow(loop_opcode op, float a, float b, float c, double *out)
{
    switch (op) {
    case LOOP_ADD: *out = (double)(a + b); return true;
    case LOOP_SUB: *out = (double)(a - b); return true;
    case LOOP_MUL: *out = (double)(a * b); return true;
    case LOOP_DIV: *out = (double)(a / b); return true;
    case LOOP_TRUNCDIV: *out = (double)truncf(a / b); return true;
    case LOOP_FMOD: *out = (double)fmodf(a, b); return true;
    case LOOP_POW: *out = (double)powf(a, b); return true;
    case LOOP_ATAN2: *out = (double)atan2f(a, b); return true;
    case LOOP_HYPOT: *out = (double)hypotf(a, b); return true;
    case LOOP_NEXTAFTER: *out = (double)nextafterf(a, b); return true;
    case LOOP_FMA: *out = (double)fmaf(a, b, c); return true;
    default: return false;
    }
}

static bool apply_wide(loop_opcode op, double a, double b, double c, double *out)
{
    switch (op) {
    case LOOP_ADD: *out = a + b; return true;
    case LOOP_SUB: *out = a - b; return true;
    case LOOP_MUL: *out = a * b; return true;
    case LOOP_DIV: *out = a / b; return true;
    case LOOP_TRUNCDIV: *out = trunc(a / b); return true;
    case LOOP_FMOD: *out = fmod(a, b); return true;
    case LOOP_POW: *out = pow(a, b); return true;
    case LOOP_ATAN2: *out = atan2(a, b); return true;
    case LOOP_HYPOT: *out = hypot(a, b); return true;
    case LOOP_NEXTAFTER: *out = nextafter(a, b); return true;
    case LOOP_FMA: *out = fma(a, b, c); return true;
    default: return false;
    }
}

static bool float_predicate(loop_opcode op, double a, double b, int64_t *out)
{
    switch (op) {
    case LOOP_EQ: *out = a == b; return true;
    case LOOP_NE: *out = a != b; return true;
    case LOOP_LT: *out = a < b; return true;
    case LOOP_LE: *out = a <= b; return true;
    case LOOP_ISNAN: *out = isnan(a) != 0; return true;
    case LOOP_ISINF: *out = isinf(a) != 0; return true;
    case LOOP_SIGNBIT: *out = signbit(a) != 0; return true;
    default: return false;
    }
}

static bool apply_float(loop_opcode op, ty_dtype d, const loop_scalar *args, loop_scalar *out)
{
    double a = args[0].f, b = args[1].f, c = args[2].f, result;
    bool narrow = d != TY_F64;
    int64_t truth;
    if (float_predicate(op, a, b, &truth)) {
        *out = (loop_scalar){.i = truth};
        return true;
    }
    if (UNARY[op].wide)
        result = narrow ? (double)UNARY[op].narrow((float)a) : UNARY[op].wide(a);
    else
        switch (op) {
        case LOOP_FLOORDIV: result = floor_divide(a, b, narrow); break;
        case LOOP_REM: result = remainder_of(a, b, narrow); break;
        case LOOP_MIN: result = isnan(a) || isnan(b) ? (double)NAN : a < b ? a : b; break;
        case LOOP_MAX: result = isnan(a) || isnan(b) ? (double)NAN : a > b ? a : b; break;
        case LOOP_FMIN: result = fmin(a, b); break;
        case LOOP_FMAX: result = fmax(a, b); break;
        case LOOP_COPYSIGN: result = copysign(a, b); break;
        case LOOP_LOGADDEXP: result = log_add_exp(a, b); break;
        default:
            if (loop_special_apply(op, a, b, c, &result)) break;
            if (!(narrow ? apply_narrow(op, (float)a, (float)b, (float)c, &result)
                         : apply_wide(op, a, b, c, &result)))
                return false;
        }
    *out = (loop_scalar){.f = round_to(d, result)};
    return true;
}

/* ---- integers and bool ---- */

static int64_t power_of(int64_t base, int64_t exponent, bool no_sign)
{
    if (!no_sign && exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    uint64_t result = 1, factor = (uint64_t)base;
    for (uint64_t left = (uint64_t)exponent; left; left >>= 1) {
        if (left & 1) result *= factor;
        factor *= factor;
    }
    return (int64_t)result;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return (int64_t)x;
}

/* Quotients and remainders; dividing by zero, which eager PyTorch refuses, gives zero. */
static int64_t divide(loop_opcode op, int64_t a, int64_t b, bool no_sign)
{
    if (b == 0) return 0;
    if (no_sign) {
        uint64_t x = (uint64_t)a, y = (uint64_t)b;
        return (int64_t)(op == LOOP_FLOORDIV || op == LOOP_TRUNCDIV ? x / y : x % y);
    }
    if (b == -1) return op == LOOP_FLOORDIV || op == LOOP_TRUNCDIV ? (int64_t)(0 - (uint64_t)a) : 0;
    int64_t quotient = a / b, rest = a % b;
    bool fix = rest != 0 && (rest < 0) != (b < 0);
    switch (op) {
    case LOOP_FLOORDIV: return quotient - fix;
    case LOOP_TRUNCDIV: return quotient;
    case LOOP_REM: return fix ? rest + b : rest;
    default: return rest;
    }
}

static int64_t shift(loop_opcode op, ty_dtype d, int64_t a, int64_t b)
{
    int64_t bits = 8 * (int64_t)ty_dtype_size(d);
    bool out_of_range = b < 0 || b >= bits;
    if (op == LOOP_SHL) return out_of_range ? 0 : (int64_t)((uint64_t)a << b);
    if (is_unsigned(d)) return out_of_range ? 0 : (int64_t)((uint64_t)a >> b);
    return a >> (out_of_range ? bits - 1 : b);
}

static bool apply_integer(loop_opcode op, ty_dtype d, const loop_scalar *args, loop_scalar *out)
{
    int64_t a = args[0].i, b = args[1].i, result;
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    bool no_sign = is_unsigned(d), is_bool = d == TY_BOOL;
    bool less = no_sign ? x < y : a < b;
    switch (op) {
    case LOOP_NEG: result = (int64_t)(0 - x); break;
    case LOOP_ABS: result = !no_sign && a < 0 ? (int64_t)(0 - x) : a; break;
    case LOOP_SIGN: result = no_sign ? a != 0 : (a > 0) - (a < 0); break;
    case LOOP_FLOOR:
    case LOOP_CEIL:
    case LOOP_ROUND:
    case LOOP_TRUNC:
    case LOOP_ROUNDED: result = a; break;
    case LOOP_NOT: result = is_bool ? !a : ~a; break;
    case LOOP_ISNAN:
    case LOOP_ISINF: result = 0; break;
    case LOOP_SIGNBIT: result = !no_sign && a < 0; break;
    case LOOP_ADD: result = (int64_t)(x + y); break;
    case LOOP_SUB: result = (int64_t)(x - y); break;
    case LOOP_MUL: result = (int64_t)(x * y); break;
    case LOOP_FMA: result = (int64_t)(x * y + (uint64_t)args[2].i); break;
    case LOOP_FLOORDIV:
    case LOOP_TRUNCDIV:
    case LOOP_REM:
    case LOOP_FMOD: result = divide(op, a, b, no_sign); break;
    case LOOP_POW: result = power_of(a, b, no_sign); break;
    case LOOP_MIN:
    case LOOP_FMIN: result = less ? a : b; break;
    case LOOP_MAX:
    case LOOP_FMAX: result = less ? b : a; break;
    case LOOP_GCD: result = common_divisor(a, b); break;
    case LOOP_AND: result = a & b; break;
    case LOOP_OR: result = a | b; break;
    case LOOP_XOR: result = a ^ b; break;
    case LOOP_SHL:
    case LOOP_SHR: result = shift(op, d, a, b); break;
    case LOOP_EQ: result = a == b; break;
    case LOOP_NE: result = a != b; break;
    case LOOP_LT: result = less; break;
    case LOOP_LE: result = less || a == b; break;
    default: return false;
    }
    *out = (loop_scalar){.i = wrap_to(d, result)};
    return true;
}

bool loop_scalar_apply(loop_opcode op, ty_dtype d, const loop_scalar *args, loop_scalar *out)
{
    if (op == LOOP_WHERE || op == LOOP_MASKED) {
        *out = args[0].i ? args[1] : args[2];
        return true;
    }
    if (op == LOOP_COMPLEX) {
        *out = (loop_scalar){.c = {args[0].f, args[1].f}};
        return true;
    }
    if (ty_is_complex(d)) return loop_complex_apply(op, d, args, out);
    return ty_is_floating(d) ? apply_float(op, d, args, out) : apply_integer(op, d, args, out);
}
