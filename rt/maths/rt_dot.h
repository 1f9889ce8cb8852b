/* rt_dot.h - sums of lanes, dot products. */
#ifndef RT_DOT_H
#define RT_DOT_H

#include "rt_isa.h"

RT_INLINE rt_real v_reduce_add(vf x)
{
    rt_real part[VL];
    v_store(part, x);
    for (int half = VL / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) part[i] += part[i + half];
    return part[0];
}

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
