/* rt_vector.h - vectors of VL floats: GNU vector types or, with FERRITE_SCALAR, one float in plain
 * C11.
 *
 * Kernels use the operators of C on vf, and these functions for the rest: a cast or a comparison
 * means something else on vectors than on numbers. A mask is the bits 0 or -1 of each lane.
 */
#ifndef RT_VECTOR_H
#define RT_VECTOR_H

#include "rt_compiler.h"

#include <stdint.h>
#include <string.h>

#ifdef FERRITE_SCALAR

typedef float vf, vf_unaligned;
typedef uint32_t vi, vi_unaligned;
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
    return 0u - (a < b);
}

/* The `at`-th signed integer of so many bits, as a float. */
RT_INLINE vf v_field(vi words, int at, const int bits)
{
    uint32_t sign = 1u << (bits - 1), field = words >> (at * bits) & (2 * sign - 1);
    return (vf)((int32_t)(field ^ sign) - (int32_t)sign);
}

/* The `at`-th of 8 integers of 4 bits, plus 8, where it lies: times 16^at. The last one as it is. */
RT_INLINE vf v_raised(vi words, int at)
{
    words ^= 0x88888888u;
    return (vf)(at == 7 ? words >> 28 : words & 15u << (at * 4));
}

#else

typedef float vf __attribute__((vector_size(VL * 4)));
typedef int32_t vi __attribute__((vector_size(VL * 4)));
typedef float vf_unaligned __attribute__((vector_size(VL * 4), aligned(4), may_alias));
typedef int32_t vi_unaligned __attribute__((vector_size(VL * 4), aligned(4), may_alias));
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

/* The `at`-th signed integer of so many bits, as a float. */
RT_INLINE vf v_field(vi words, int at, const int bits)
{
#if defined(RT_ISA_V4) && !defined(__clang__)
    if (bits == 4) {
        const vf table = {0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1};
        return __builtin_shuffle(table, words >> (at * 4));
    }
#endif
    return __builtin_convertvector((words << (32 - bits - at * bits)) >> (32 - bits), vf);
}

/* The `at`-th of 8 integers of 4 bits, plus 8, where it lies: times 16^at. The last one as it is. */
RT_INLINE vf v_raised(vi words, int at)
{
    words ^= (int32_t)0x88888888;
    return __builtin_convertvector(at == 7 ? words >> 28 & 15 : words & 15 << (at * 4), vf);
}

#endif

RT_INLINE vf v_load(const float *p)
{
    return *(const vf_unaligned *)p;
}

RT_INLINE vi v_load_words(const uint32_t *p)
{
    return *(const vi_unaligned *)p;
}

RT_INLINE void v_store(float *p, vf x)
{
    *(vf_unaligned *)p = x;
}

/* The first `count` lanes, the rest zero; touches nothing past them. */
RT_INLINE vf v_load_part(const float *p, int64_t count)
{
    vf x = {0};
    for (int64_t i = 0; i < count; i++) V_LANE(x, i) = p[i];
    return x;
}

RT_INLINE void v_store_part(float *p, vf x, int64_t count)
{
    for (int64_t i = 0; i < count; i++) p[i] = V_LANE(x, i);
}

/* A mask of so many lanes. */
RT_INLINE vi v_first_lanes(int64_t count)
{
    int32_t bits[VL];
    vi mask;
    for (int i = 0; i < VL; i++) bits[i] = i < count ? -1 : 0;
    memcpy(&mask, bits, sizeof mask);
    return mask;
}

/* All lanes x. Written so that compilers see a broadcast; x - 0 is x for every x. */
RT_INLINE vf v_set(float x)
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
