/* rt_reflect_make.h - one reflection, as LAPACK's larfg makes it. */
#ifndef RT_REFLECT_MAKE_H
#define RT_REFLECT_MAKE_H

#include "rt_factor_number.h"

#include <float.h>

#ifdef REAL_IS_DOUBLE
#define SCALE_BY scalbn
#define WITH_SIGN copysign
#define LEAST_NORMAL DBL_MIN
#define MOST_REAL DBL_MAX
#define UNIT DBL_EPSILON
#else
#define SCALE_BY scalbnf
#define WITH_SIGN copysignf
#define LEAST_NORMAL FLT_MIN
#define MOST_REAL FLT_MAX
#define UNIT FLT_EPSILON
#endif

RT_INLINE real square_of(number x)
{
    return REAL_PART(x) * REAL_PART(x) + IMAGINARY_PART(x) * IMAGINARY_PART(x);
}

RT_INLINE number scaled(number x, int exponent)
{
#ifdef NUMBER_IS_COMPLEX
    return (number){SCALE_BY(x.re, exponent), SCALE_BY(x.im, exponent)};
#else
    return SCALE_BY(x, exponent);
#endif
}

RT_INLINE real sum_of_lanes(vec x)
{
    real sums[REAL_LANES];
    store(sums, x);
    for (int half = REAL_LANES / 2; half; half /= 2)
        for (int k = 0; k < half; k++) sums[k] += sums[k + half];
    return sums[0];
}

/* Of all parts of numbers, in several sums. */
static real sum_of_squares(int64_t count, const number *x)
{
    const real *parts = (const real *)x;
    int64_t many = count * (int64_t)(sizeof *x / sizeof *parts), i = 0;
    vec first = {0}, second = {0};
    real rest = 0;
    for (; i + 2 * REAL_LANES <= many; i += 2 * REAL_LANES) {
        vec a = load(parts + i), b = load(parts + i + REAL_LANES);
        first += a * a;
        second += b * b;
    }
    for (; i < many; i++) rest += parts[i] * parts[i];
    return sum_of_lanes(first + second) + rest;
}

/* NaN where one is. */
static real largest_size(int64_t count, const number *x)
{
    real most = 0;
    for (int64_t i = 0; i < count; i++) {
        real size = size_of(x[i]);
        if (!(size <= most)) most = size;
        if (size != size) return size;
    }
    return most;
}

/* H^H (alpha, x) = (beta, 0) with a real beta, of the sign that alpha's has not, becomes (beta, v); the
 * result is tau, 0 where nothing is to be done. Squares that are too large or lose bits are those of
 * scaled numbers. */
static number make_reflection(int64_t count, number *alpha, number *x)
{
    real squares = sum_of_squares(count, x), imaginary = IMAGINARY_PART(*alpha);
    real both = squares + square_of(*alpha);
    int exponent = 0;
    if (!(squares > LEAST_NORMAL / UNIT / UNIT && both < MOST_REAL * UNIT)) {
        real most = largest_size(count, x), size = size_of(*alpha);
        if (most == 0 && imaginary == 0) return of_real(0);
        if (size > most) most = size;
        if (most <= MOST_REAL) frexp((double)most, &exponent);
        for (int64_t i = 0; i < count; i++) x[i] = scaled(x[i], -exponent);
        *alpha = scaled(*alpha, -exponent);
        squares = sum_of_squares(count, x);
        both = squares + square_of(*alpha);
    }
    real beta = -WITH_SIGN(ROOT(both), REAL_PART(*alpha));
    number tau = of_parts((beta - REAL_PART(*alpha)) / beta, -IMAGINARY_PART(*alpha) / beta);
    number factor =
        quotient(of_real(1), of_parts(REAL_PART(*alpha) - beta, IMAGINARY_PART(*alpha)));
    for (int64_t i = 0; i < count; i++) x[i] = times(x[i], factor);
    *alpha = of_real(exponent ? SCALE_BY(beta, exponent) : beta);
    return tau;
}

#endif
