/* rt_key.h - rows of elements, and an element as an unsigned integer in the same order. See rt_sort.h. */
#ifndef RT_KEY_H
#define RT_KEY_H

#include "ferrite_abi.h"
#include "rt_compiler.h"

/* A row of elements; the stride counts elements. */
typedef struct rt_row {
    const void *data;
    int64_t stride, count;
    uint32_t dtype; /* FE_* */
} rt_row;

/* The bits of a float, NaN made the greatest and -0 made 0: negative numbers are turned round and
 * go below the others. */
RT_INLINE uint32_t rt_key_of_f32(uint32_t bits)
{
    uint32_t size = bits & 0x7fffffff;
    uint32_t key = bits ^ ((uint32_t)((int32_t)bits >> 31) | 0x80000000);
    key = size == 0 ? 0x80000000 : key;
    return size > 0x7f800000 ? 0xffffffff : key;
}

RT_INLINE uint64_t rt_key_of_f64(uint64_t bits)
{
    uint64_t size = bits & INT64_MAX, sign = (uint64_t)1 << 63;
    uint64_t key = bits ^ ((uint64_t)((int64_t)bits >> 63) | sign);
    key = size == 0 ? sign : key;
    return size > (uint64_t)0x7ff << 52 ? UINT64_MAX : key;
}

/* f16 and bf16: `infinity` has the bits of theirs. */
RT_INLINE uint32_t rt_key_of_half(uint32_t bits, uint32_t infinity)
{
    uint32_t size = bits & 0x7fff;
    uint32_t key = bits & 0x8000 ? ~bits & 0xffff : bits | 0x8000;
    key = size == 0 ? 0x8000 : key;
    return size > infinity ? 0xffff : key;
}

enum { RT_F16_INFINITY = 0x7c00, RT_BF16_INFINITY = 0x7f80 };

/* EACH(dtype, type of an element, key of x) for dtypes whose keys have no more than 32 bits; the others. */
#define RT_SHORT_KEYS(EACH)                                      \
    EACH(FE_BOOL, uint8_t, x != 0)                               \
    EACH(FE_U8, uint8_t, x)                                      \
    EACH(FE_I8, uint8_t, x ^ 0x80)                               \
    EACH(FE_U16, uint16_t, x)                                    \
    EACH(FE_I16, uint16_t, x ^ 0x8000)                           \
    EACH(FE_F16, uint16_t, rt_key_of_half(x, RT_F16_INFINITY))   \
    EACH(FE_BF16, uint16_t, rt_key_of_half(x, RT_BF16_INFINITY)) \
    EACH(FE_U32, uint32_t, x)                                    \
    EACH(FE_I32, uint32_t, x ^ 0x80000000)                       \
    EACH(FE_F32, uint32_t, rt_key_of_f32(x))
#define RT_LONG_KEYS(EACH)                        \
    EACH(FE_U64, uint64_t, x)                     \
    EACH(FE_I64, uint64_t, x ^ (uint64_t)1 << 63) \
    EACH(FE_F64, uint64_t, rt_key_of_f64(x))

#endif
