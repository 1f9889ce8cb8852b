/* rt_half.h - numbers of 16 bits as floats. */
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

#endif
