/* rt_words.h - vectors of words of 32 bits that are integers of fewer, and these as floats. */
#ifndef RT_WORDS_H
#define RT_WORDS_H

#include "rt_isa.h"

RT_INLINE vi v_load_words(const uint32_t *p)
{
    return *(const vi_unaligned *)p;
}

#ifdef FERRITE_SCALAR

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

#endif
