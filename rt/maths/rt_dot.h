/* rt_dot.h - sums of lanes, dot products. */
#ifndef RT_DOT_H
#define RT_DOT_H

#include "rt_isa.h"

#if defined(RT_ISA_V4) && !defined(FERRITE_SCALAR) && !defined(RT_F64)
#include <immintrin.h>
#endif

RT_INLINE rt_real v_reduce_add(vf x)
{
    rt_real part[VL];
    v_store(part, x);
    for (int half = VL / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) part[i] += part[i + half];
    return part[0];
}

/* to[i] = the sum of the lanes of x[i], of four. */
#if defined(RT_ISA_V4) && !defined(FERRITE_SCALAR) && !defined(RT_F64)
RT_INLINE void v_reduce_four(float *to, const vf *x)
{
    __m512 ab = _mm512_unpacklo_ps(x[0], x[1]) + _mm512_unpackhi_ps(x[0], x[1]),
           cd = _mm512_unpacklo_ps(x[2], x[3]) + _mm512_unpackhi_ps(x[2], x[3]);
    __m512d low = _mm512_unpacklo_pd(_mm512_castps_pd(ab), _mm512_castps_pd(cd)),
            high = _mm512_unpackhi_pd(_mm512_castps_pd(ab), _mm512_castps_pd(cd));
    __m512 all = _mm512_castpd_ps(low) + _mm512_castpd_ps(high);
    __m256 half = _mm512_castps512_ps256(all) + _mm512_extractf32x8_ps(all, 1);
    _mm_storeu_ps(to, _mm256_castps256_ps128(half) + _mm256_extractf128_ps(half, 1));
}
#else
RT_INLINE void v_reduce_four(rt_real *to, const vf *x)
{
    for (int i = 0; i < 4; i++) to[i] = v_reduce_add(x[i]);
}
#endif

RT_INLINE rt_real v_dot(const rt_real *a, const rt_real *b, int64_t count)
{
    vf sum[4] = {(vf){0}};
    int64_t i = 0;
    for (; i + 4 * VL <= count; i += 4 * VL)
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) sum[j] += v_load(a + i + j * VL) * v_load(b + i + j * VL);
    for (; i + VL <= count; i += VL) sum[0] += v_load(a + i) * v_load(b + i);
    rt_real total = v_reduce_add((sum[0] + sum[1]) + (sum[2] + sum[3]));
    for (; i < count; i++) total += a[i] * b[i];
    return total;
}

#endif
