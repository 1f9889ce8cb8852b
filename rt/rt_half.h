/* rt_half.h - numbers of 16 bits as floats, and floats as these. */
#ifndef RT_HALF_H
#define RT_HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float rt_float_of_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline float rt_float_of_bf16(uint16_t x)
{
    return rt_float_of_bits((uint32_t)x << 16);
}

/* Exact: the exponent is moved by a product with 2^112. */
static inline float rt_float_of_f16(uint16_t x)
{
    uint32_t size = x & 0x7fffu;
    float f = rt_float_of_bits(size << 13) * 0x1p112f;
    if (size >= 0x7c00) f = size > 0x7c00 ? NAN : INFINITY;
    return x & 0x8000 ? -f : f;
}

static inline float rt_float_of_half(uint16_t x, int is_bf16)
{
    return is_bf16 ? rt_float_of_bf16(x) : rt_float_of_f16(x);
}

static inline uint32_t rt_bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* To the nearest, half to even, without branches. */
static inline uint16_t rt_bf16_of_float(float x)
{
    uint32_t bits = rt_bits_of_float(x), nearest = bits + 0x7fff + (bits >> 16 & 1);
    uint32_t kept = (bits & 0x7fffffff) > 0x7f800000 ? bits | 0x400000 : nearest;
    return (uint16_t)(kept >> 16);
}

/* Likewise: the sum with a power of two rounds at the last bit that is left. Products with powers of two are
 * exact but where what is too large becomes infinite. */
static inline uint16_t rt_f16_of_float(float x)
{
    uint32_t bits = rt_bits_of_float(x), twice = bits << 1, sign = bits >> 16 & 0x8000;
    uint32_t exponent = twice & 0xff000000;
    if (exponent < 0x71000000) exponent = 0x71000000;
    float size = fabsf(x) * 0x1p112f * 0x1p-110f + rt_float_of_bits((exponent >> 1) + 0x07800000);
    uint32_t rounded = rt_bits_of_float(size), half = (rounded >> 13 & 0x7c00) + (rounded & 0x0fff);
    return (uint16_t)(sign | (twice > 0xff000000 ? 0x7e00 : half));
}

#endif
