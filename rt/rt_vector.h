/* rt_vector.h - vectors of VL numbers (rt_real.h): GNU vector types or, with FERRITE_SCALAR, one number
 * in plain C11.
 *
 * Kernels use the operators of C on vf, and these functions for the rest: a cast or a comparison
 * means something else on vectors than on numbers. A mask is the bits 0 or -1 of each lane.
 */
#ifndef RT_VECTOR_H
#define RT_VECTOR_H

#include "rt_compiler.h"
#include "rt_real.h"

#include <stdint.h>
#include <string.h>

#ifdef RT_F64
typedef int64_t vi_lane;
typedef uint64_t rt_bits;
#else
typedef int32_t vi_lane;
typedef uint32_t rt_bits;
#endif

#ifdef FERRITE_SCALAR

typedef rt_real vf, vf_unaligned;
typedef rt_bits vi, vi_unaligned;
#define V_LANE(x, lane) (&(x))[lane]

RT_INLINE vi v_bits(vf x)
{
    vi bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

RT_INLINE vf v_of_bits(vi bits)
{
    vf x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

RT_INLINE vi v_less(vf a, vf b)
{
    return (vi)0 - (a < b);
}

#else

typedef rt_real vf __attribute__((vector_size(VL * RT_REAL_BYTES)));
typedef vi_lane vi __attribute__((vector_size(VL * RT_REAL_BYTES)));
typedef rt_real vf_unaligned
    __attribute__((vector_size(VL * RT_REAL_BYTES), aligned(RT_REAL_BYTES), may_alias));
typedef vi_lane vi_unaligned
    __attribute__((vector_size(VL * RT_REAL_BYTES), aligned(RT_REAL_BYTES), may_alias));
#define V_LANE(x, lane) (x)[lane]

RT_INLINE vi v_bits(vf x)
{
    return (vi)x;
}

RT_INLINE vf v_of_bits(vi bits)
{
    return (vf)bits;
}

RT_INLINE vi v_less(vf a, vf b)
{
    return a < b;
}

#endif

RT_INLINE vf v_load(const rt_real *p)
{
    return *(const vf_unaligned *)p;
}

RT_INLINE void v_store(rt_real *p, vf x)
{
    *(vf_unaligned *)p = x;
}

/* The first `count` lanes, the rest zero; touches nothing past them. */
RT_INLINE vf v_load_part(const rt_real *p, int64_t count)
{
    vf x = {0};
    for (int64_t i = 0; i < count; i++) V_LANE(x, i) = p[i];
    return x;
}

RT_INLINE void v_store_part(rt_real *p, vf x, int64_t count)
{
    for (int64_t i = 0; i < count; i++) p[i] = V_LANE(x, i);
}

/* A mask of so many lanes. */
RT_INLINE vi v_first_lanes(int64_t count)
{
    vi_lane bits[VL];
    vi mask;
    for (int i = 0; i < VL; i++) bits[i] = i < count ? -1 : 0;
    memcpy(&mask, bits, sizeof mask);
    return mask;
}

/* All lanes x. Written so that compilers see a broadcast; x - 0 is x for every x. */
RT_INLINE vf v_set(rt_real x)
{
    return x - (vf){0};
}

RT_INLINE vf v_select(vi mask, vf yes, vf no)
{
    return v_of_bits((v_bits(yes) & mask) | (v_bits(no) & ~mask));
}

/* NaN in x stays. */
RT_INLINE vf v_clamp(vf x, vf low, vf high)
{
    x = v_select(v_less(x, low), low, x);
    return v_select(v_less(high, x), high, x);
}

/* a where b is NaN. */
RT_INLINE vf v_max(vf a, vf b)
{
    return v_select(v_less(a, b), b, a);
}

#endif
