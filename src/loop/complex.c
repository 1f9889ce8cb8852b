/* complex.c -- arithmetic on one complex number: c64 (and c32) in float, c128 in double, by C's
 * own functions. */
#include "base/complex_c.h"
#include "loop/loop_priv.h"

#include <math.h>

typedef double complex wide;
typedef float complex narrow;

static wide wide_of(loop_scalar v)
{
    return CMPLX(v.c[0], v.c[1]);
}

static narrow narrow_of(loop_scalar v)
{
    return CMPLXF((float)v.c[0], (float)v.c[1]);
}

static wide product(wide a, wide b)
{
    double re = creal(a) * creal(b) - cimag(a) * cimag(b),
           im = creal(a) * cimag(b) + cimag(a) * creal(b);
    return CMPLX(re, im);
}

static narrow product_narrow(narrow a, narrow b)
{
    float re = crealf(a) * crealf(b) - cimagf(a) * cimagf(b),
          im = crealf(a) * cimagf(b) + cimagf(a) * crealf(b);
    return CMPLXF(re, im);
}

/* As eager divides: c10::complex. */
#define QUOTIENT(name, type, real, of_real, of_imag, size, make)                 \
    static type name(type a, type b)                                             \
    {                                                                            \
        real x = of_real(a), y = of_imag(a), u = of_real(b), v = of_imag(b);     \
        real p = size(u), q = size(v);                                           \
        if (p == 0 && q == 0) return make(x / p, y / q);                         \
        real part = p >= q ? v / u : u / v;                                      \
        real scale = 1 / (p >= q ? u + v * part : v + u * part);                 \
        if (p >= q) return make((x + y * part) * scale, (y - x * part) * scale); \
        return make((x * part + y) * scale, (y * part - x) * scale);             \
    }
QUOTIENT(quotient, wide, double, creal, cimag, fabs, CMPLX)
QUOTIENT(quotient_narrow, narrow, float, crealf, cimagf, fabsf, CMPLXF)
#undef QUOTIENT

/* z / |z|, and 0 for 0. */
static wide sign_of(wide a)
{
    double size = cabs(a);
    return size == 0 ? 0 : a / size;
}

/* The operand with the greater real part, and what the other adds to it. */
static wide log_add_exp(wide a, wide b)
{
    bool swap = creal(a) < creal(b);
    wide most = swap ? b : a, least = swap ? a : b;
    if (isinf(creal(most)) && creal(least) == creal(most))
        return creal(most) < 0 ? most : clog(cexp(most) + cexp(least));
    return most + clog(1 + cexp(least - most));
}

static bool apply_wide(loop_opcode op, wide a, wide b, wide c, wide *out)
{
    switch (op) {
    case LOOP_NEG: *out = -a; return true;
    case LOOP_SIGN: *out = sign_of(a); return true;
    case LOOP_SQRT: *out = csqrt(a); return true;
    case LOOP_RSQRT: *out = 1 / csqrt(a); return true;
    case LOOP_RECIP: *out = 1 / a; return true;
    case LOOP_EXP: *out = cexp(a); return true;
    case LOOP_EXP2: *out = cexp(a * log(2)); return true;
    case LOOP_EXPM1: *out = cexp(a) - 1; return true;
    case LOOP_LOG: *out = clog(a); return true;
    case LOOP_LOG2: *out = clog(a) / log(2); return true;
    case LOOP_LOG10: *out = clog(a) / log(10); return true;
    case LOOP_LOG1P: *out = clog(1 + a); return true;
    case LOOP_SIN: *out = csin(a); return true;
    case LOOP_COS: *out = ccos(a); return true;
    case LOOP_TAN: *out = ctan(a); return true;
    case LOOP_ASIN: *out = casin(a); return true;
    case LOOP_ACOS: *out = cacos(a); return true;
    case LOOP_ATAN: *out = catan(a); return true;
    case LOOP_SINH: *out = csinh(a); return true;
    case LOOP_COSH: *out = ccosh(a); return true;
    case LOOP_TANH: *out = ctanh(a); return true;
    case LOOP_ASINH: *out = casinh(a); return true;
    case LOOP_ACOSH: *out = cacosh(a); return true;
    case LOOP_ATANH: *out = catanh(a); return true;
    case LOOP_SIGMOID: *out = 1 / (1 + cexp(-a)); return true;
    case LOOP_ADD: *out = a + b; return true;
    case LOOP_SUB: *out = a - b; return true;
    case LOOP_MUL: *out = product(a, b); return true;
    case LOOP_DIV: *out = quotient(a, b); return true;
    case LOOP_POW: *out = a == 0 && b == 0 ? 1 : cpow(a, b); return true;
    case LOOP_FMA: *out = product(a, b) + c; return true;
    case LOOP_LOGADDEXP: *out = log_add_exp(a, b); return true;
    default: return false;
    }
}

static bool apply_narrow(loop_opcode op, narrow a, narrow b, narrow c, narrow *out)
{
    switch (op) {
    case LOOP_NEG: *out = -a; return true;
    case LOOP_SQRT: *out = csqrtf(a); return true;
    case LOOP_EXP: *out = cexpf(a); return true;
    case LOOP_LOG: *out = clogf(a); return true;
    case LOOP_SIN: *out = csinf(a); return true;
    case LOOP_COS: *out = ccosf(a); return true;
    case LOOP_ADD: *out = a + b; return true;
    case LOOP_SUB: *out = a - b; return true;
    case LOOP_MUL: *out = product_narrow(a, b); return true;
    case LOOP_DIV: *out = quotient_narrow(a, b); return true;
    case LOOP_FMA: *out = product_narrow(a, b) + c; return true;
    default: {
        wide result;
        if (!apply_wide(op, a, b, c, &result)) return false;
        *out = CMPLXF((float)creal(result), (float)cimag(result));
        return true;
    }
    }
}

bool loop_complex_apply(loop_opcode op, ty_dtype d, const loop_scalar *args, loop_scalar *out)
{
    double re = args[0].c[0], im = args[0].c[1];
    bool equal = re == args[1].c[0] && im == args[1].c[1];
    *out = (loop_scalar){0};
    switch (op) {
    case LOOP_REALPART: out->f = re; return true;
    case LOOP_IMAGPART: out->f = im; return true;
    case LOOP_ABS:
        out->f = d == TY_C128 ? hypot(re, im) : (double)hypotf((float)re, (float)im);
        return true;
    case LOOP_EQ: out->i = equal; return true;
    case LOOP_NE: out->i = !equal; return true;
    case LOOP_ISNAN: out->i = isnan(re) || isnan(im); return true;
    case LOOP_ISINF: out->i = isinf(re) || isinf(im); return true;
    default: break;
    }
    if (d == TY_C128) {
        wide result;
        if (!apply_wide(op, wide_of(args[0]), wide_of(args[1]), wide_of(args[2]), &result))
            return false;
        *out = (loop_scalar){.c = {creal(result), cimag(result)}};
        return true;
    }
    narrow result;
    if (!apply_narrow(op, narrow_of(args[0]), narrow_of(args[1]), narrow_of(args[2]), &result))
        return false;
    *out = (loop_scalar){.c = {(double)crealf(result), (double)cimagf(result)}};
    if (d == TY_C32) *out = loop_scalar_cast(TY_C64, TY_C32, *out);
    return true;
}
