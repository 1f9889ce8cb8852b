/* rt_factor_number.h - the numbers that are factored and vectors of them: included once by a source that has
 * defined `real` (rt_reals.h), and NUMBER_IS_COMPLEX where a number is a pair of them.
 *
 * A side holds one number of each of several matrices.
 */
#ifndef RT_FACTOR_NUMBER_H
#define RT_FACTOR_NUMBER_H

#include "rt_reals.h"

#include <math.h>
#include <string.h>

#ifdef REAL_IS_DOUBLE
typedef int64_t bits;
#define ROOT sqrt
#define MAGNITUDE fabs
#else
typedef int32_t bits;
#define ROOT sqrtf
#define MAGNITUDE fabsf
#endif

/* ---- vectors of reals ---- */

/* A mask is the bits 0 or -1 of each lane. */
#if REAL_BYTES == 0
typedef bits mask;
#define LANE(x, lane) (&(x))[lane]
#define IS_MORE(a, b) (-(bits)((a) > (b)))
#define IS_EQUAL(a, b) (-(bits)((a) == (b)))
RT_INLINE vec choose(mask which, vec yes, vec no)
{
    return which ? yes : no;
}
#else
typedef bits mask __attribute__((vector_size(REAL_BYTES)));
#define LANE(x, lane) (x)[lane]
#define IS_MORE(a, b) ((mask)((a) > (b)))
#define IS_EQUAL(a, b) ((mask)((a) == (b)))
RT_INLINE vec choose(mask which, vec yes, vec no)
{
    return (vec)(((mask)yes & which) | ((mask)no & ~which));
}
#endif

RT_INLINE mask same_bits(bits x)
{
    return x - (mask){0};
}

RT_INLINE mask choose_bits(mask which, mask yes, mask no)
{
    return (yes & which) | (no & ~which);
}

/* Those with a number above n. */
RT_INLINE mask lanes_above(int64_t n)
{
    mask lanes = {0};
    bits last = (bits)(n < REAL_LANES ? n : REAL_LANES);
    for (int lane = 0; lane < REAL_LANES; lane++) LANE(lanes, lane) = lane;
    return IS_MORE(lanes, same_bits(last));
}

RT_INLINE vec magnitude(vec x)
{
    return choose(IS_MORE((vec){0}, x), -x, x);
}

RT_INLINE vec root(vec x)
{
    for (int lane = 0; lane < REAL_LANES; lane++) LANE(x, lane) = ROOT(LANE(x, lane));
    return x;
}

/* ---- numbers ----
 * size_of: what pivots are chosen by, as LAPACK chooses them. */
#ifndef NUMBER_IS_COMPLEX

typedef real number;
typedef vec side;
#define REAL_PART(x) (x)
#define IMAGINARY_PART(x) ((void)(x), (real)0)
#define IMAGINARY_PARTS(x) ((void)(x), (vec){0})

RT_INLINE real size_of(number x)
{
    return MAGNITUDE(x);
}

RT_INLINE number conjugate(number x)
{
    return x;
}

RT_INLINE number of_real(real x)
{
    return x;
}

RT_INLINE number of_parts(real re, real im)
{
    (void)im;
    return re;
}

RT_INLINE number quotient(number a, number b)
{
    return a / b;
}

/* c - a b */
RT_INLINE number less_product(number c, number a, number b)
{
    return c - a * b;
}

RT_INLINE number plus_product(number c, number a, number b)
{
    return c + a * b;
}

RT_INLINE number times(number a, number b)
{
    return a * b;
}

RT_INLINE side sides_of(number x)
{
    return spread(x);
}

RT_INLINE vec side_size(side x)
{
    return magnitude(x);
}

RT_INLINE side side_choose(mask which, side yes, side no)
{
    return choose(which, yes, no);
}

RT_INLINE side side_of_reals(vec x)
{
    return x;
}

RT_INLINE side side_of_parts(vec re, vec im)
{
    (void)im;
    return re;
}

RT_INLINE side side_conjugate(side x)
{
    return x;
}

RT_INLINE side side_quotient(side a, side b)
{
    return a / b;
}

RT_INLINE side side_plus(side a, side b)
{
    return a + b;
}

RT_INLINE side side_times(side a, side b)
{
    return a * b;
}

RT_INLINE side side_less_product(side c, side a, side b)
{
    return c - a * b;
}

RT_INLINE side side_plus_product(side c, side a, side b)
{
    return c + a * b;
}

RT_INLINE number side_number(const side *x, int lane)
{
    return ((const real *)x)[lane];
}

RT_INLINE void side_put(side *x, int lane, number value)
{
    ((real *)x)[lane] = value;
}

#else

typedef struct number {
    real re, im;
} number;
typedef struct side {
    vec re, im;
} side;
#define REAL_PART(x) ((x).re)
#define IMAGINARY_PART(x) ((x).im)
#define IMAGINARY_PARTS(x) ((x).im)

RT_INLINE real size_of(number x)
{
    return MAGNITUDE(x.re) + MAGNITUDE(x.im);
}

RT_INLINE number conjugate(number x)
{
    return (number){x.re, -x.im};
}

RT_INLINE number of_real(real x)
{
    return (number){x, 0};
}

RT_INLINE number of_parts(real re, real im)
{
    return (number){re, im};
}

/* Smith's, which overflows no earlier than its result. */
RT_INLINE number quotient(number a, number b)
{
    int turned = MAGNITUDE(b.re) < MAGNITUDE(b.im);
    real most = turned ? b.im : b.re, least = turned ? b.re : b.im, ratio = least / most;
    real x = turned ? a.im : a.re, y = turned ? a.re : a.im, norm = most + least * ratio;
    real im = (y - x * ratio) / norm;
    return (number){(x + y * ratio) / norm, turned ? -im : im};
}

RT_INLINE number less_product(number c, number a, number b)
{
    return (number){c.re - (a.re * b.re - a.im * b.im), c.im - (a.re * b.im + a.im * b.re)};
}

RT_INLINE number plus_product(number c, number a, number b)
{
    return (number){c.re + (a.re * b.re - a.im * b.im), c.im + (a.re * b.im + a.im * b.re)};
}

RT_INLINE number times(number a, number b)
{
    return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

RT_INLINE side sides_of(number x)
{
    return (side){spread(x.re), spread(x.im)};
}

RT_INLINE vec side_size(side x)
{
    return magnitude(x.re) + magnitude(x.im);
}

RT_INLINE side side_choose(mask which, side yes, side no)
{
    return (side){choose(which, yes.re, no.re), choose(which, yes.im, no.im)};
}

RT_INLINE side side_of_reals(vec x)
{
    return (side){x, (vec){0}};
}

RT_INLINE side side_of_parts(vec re, vec im)
{
    return (side){re, im};
}

RT_INLINE side side_conjugate(side x)
{
    return (side){x.re, -x.im};
}

RT_INLINE side side_quotient(side a, side b)
{
    mask turned = IS_MORE(magnitude(b.im), magnitude(b.re));
    vec most = choose(turned, b.im, b.re), least = choose(turned, b.re, b.im), ratio = least / most;
    vec x = choose(turned, a.im, a.re), y = choose(turned, a.re, a.im), norm = most + least * ratio;
    vec im = (y - x * ratio) / norm;
    return (side){(x + y * ratio) / norm, choose(turned, -im, im)};
}

RT_INLINE side side_plus(side a, side b)
{
    return (side){a.re + b.re, a.im + b.im};
}

RT_INLINE side side_times(side a, side b)
{
    return (side){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Written so that each product is of a sum with one rounding, where the processor has it. */
RT_INLINE side side_less_product(side c, side a, side b)
{
    return (side){c.re - a.re * b.re + a.im * b.im, c.im - a.re * b.im - a.im * b.re};
}

RT_INLINE side side_plus_product(side c, side a, side b)
{
    return (side){c.re + a.re * b.re - a.im * b.im, c.im + a.re * b.im + a.im * b.re};
}

RT_INLINE number side_number(const side *x, int lane)
{
    return (number){((const real *)&x->re)[lane], ((const real *)&x->im)[lane]};
}

RT_INLINE void side_put(side *x, int lane, number value)
{
    ((real *)&x->re)[lane] = value.re;
    ((real *)&x->im)[lane] = value.im;
}

#endif

#endif
