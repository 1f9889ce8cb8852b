/* rt_vmath.h - vector exponential, greatest lane. */
#ifndef RT_VMATH_H
#define RT_VMATH_H

#include "rt_isa.h"

/* e^x for x <= 0 (any x below 88 works), about 1 ulp; results below the smallest normal number are
 * 0. NaN stays. Cody-Waite reduction by ln 2 and the degree 6 polynomial of Cephes' expf. */
RT_INLINE vf v_exp(vf x)
{
    vf magic = v_set(12582912.0f +
                     127.0f); /* 1.5 * 2^23 rounds to an integer in the low bits; exponent bias */
    vf shifted = x * v_set(1.44269504088896341f) + magic;
    vf n = shifted - magic;
    vf r = x - n * v_set(0.693359375f);
    r = r - n * v_set(-2.12194440e-4f);
    vf p = v_set(1.9875691500e-4f);
    p = p * r + v_set(1.3981999507e-3f);
    p = p * r + v_set(8.3334519073e-3f);
    p = p * r + v_set(4.1665795894e-2f);
    p = p * r + v_set(1.6666665459e-1f);
    p = p * r + v_set(5.0000001201e-1f);
    p = p * (r * r) + r + v_set(1.0f);
    vf y = p * v_of_bits(v_bits(shifted) << 23);
    return v_of_bits(v_bits(y) & ~v_less(x, v_set(-87.33f)));
}

RT_INLINE float v_reduce_max(vf x)
{
    float m = V_LANE(x, 0);
    for (int i = 1; i < VL; i++) m = V_LANE(x, i) > m ? V_LANE(x, i) : m;
    return m;
}

#endif
