/* rt_key.c - elements as unsigned integers in the same order. See rt_sort.h. */
#include "rt_compiler.h"
#include "rt_sort.h"

/* ---- one element ---- */

/* The bits of a float, NaN made the greatest and -0 made 0: negative numbers are turned round and
 * go below the others. */
RT_INLINE uint32_t key_of_f32(uint32_t bits)
{
    uint32_t size = bits & 0x7fffffff;
    uint32_t key = bits ^ ((uint32_t)((int32_t)bits >> 31) | 0x80000000);
    key = size == 0 ? 0x80000000 : key;
    return size > 0x7f800000 ? 0xffffffff : key;
}

RT_INLINE uint64_t key_of_f64(uint64_t bits)
{
    uint64_t size = bits & INT64_MAX, sign = (uint64_t)1 << 63;
    uint64_t key = bits ^ ((uint64_t)((int64_t)bits >> 63) | sign);
    key = size == 0 ? sign : key;
    return size > (uint64_t)0x7ff << 52 ? UINT64_MAX : key;
}

/* f16 and bf16: `infinity` has the bits of theirs. */
RT_INLINE uint32_t key_of_half(uint32_t bits, uint32_t infinity)
{
    uint32_t size = bits & 0x7fff;
    uint32_t key = bits & 0x8000 ? ~bits & 0xffff : bits | 0x8000;
    key = size == 0 ? 0x8000 : key;
    return size > infinity ? 0xffff : key;
}

enum { F16_INFINITY = 0x7c00, BF16_INFINITY = 0x7f80 };

/* ---- blocks of elements ---- */

#define EACH(type, key_type, expression)                    \
    {                                                       \
        const type *p = (const type *)row->data + from * s; \
        if (s == 1)                                         \
            for (int64_t k = 0; k < count; k++) {           \
                type x = p[k];                              \
                keys[k] = (key_type)(expression) ^ flip;    \
            }                                               \
        else                                                \
            for (int64_t k = 0; k < count; k++) {           \
                type x = p[k * s];                          \
                keys[k] = (key_type)(expression) ^ flip;    \
            }                                               \
        break;                                              \
    }

void rt_short_keys_of(const rt_row *row, int64_t from, int64_t count, uint32_t flip, uint32_t *keys)
{
    int64_t s = row->stride;
    switch (row->dtype) {
    case FE_BOOL: EACH(uint8_t, uint32_t, x != 0)
    case FE_U8: EACH(uint8_t, uint32_t, x)
    case FE_I8: EACH(uint8_t, uint32_t, x ^ 0x80)
    case FE_U16: EACH(uint16_t, uint32_t, x)
    case FE_I16: EACH(uint16_t, uint32_t, x ^ 0x8000)
    case FE_F16: EACH(uint16_t, uint32_t, key_of_half(x, F16_INFINITY))
    case FE_BF16: EACH(uint16_t, uint32_t, key_of_half(x, BF16_INFINITY))
    case FE_U32: EACH(uint32_t, uint32_t, x)
    case FE_I32: EACH(uint32_t, uint32_t, x ^ 0x80000000)
    case FE_F32: EACH(uint32_t, uint32_t, key_of_f32(x))
    default: break;
    }
}

static void long_keys_of(const rt_row *row, int64_t from, int64_t count, uint64_t flip,
                         uint64_t *keys)
{
    int64_t s = row->stride;
    switch (row->dtype) {
    case FE_U64: EACH(uint64_t, uint64_t, x)
    case FE_I64: EACH(uint64_t, uint64_t, x ^ (uint64_t)1 << 63)
    case FE_F64: EACH(uint64_t, uint64_t, key_of_f64(x))
    default: break;
    }
}

void rt_keys_of(const rt_row *row, int64_t from, int64_t count, uint64_t flip, uint64_t *keys)
{
    uint32_t narrow[RT_KEY_BLOCK];
    if (rt_key_bits(row->dtype) == 64) {
        long_keys_of(row, from, count, flip, keys);
        return;
    }
    rt_short_keys_of(row, from, count, (uint32_t)flip, narrow);
    for (int64_t k = 0; k < count; k++) keys[k] = narrow[k];
}

/* ---- dtypes ---- */

int rt_key_bits(uint32_t dtype)
{
    switch (dtype) {
    case FE_BOOL:
    case FE_U8:
    case FE_I8: return 8;
    case FE_U16:
    case FE_I16:
    case FE_F16:
    case FE_BF16: return 16;
    case FE_U32:
    case FE_I32:
    case FE_F32: return 32;
    case FE_U64:
    case FE_I64:
    case FE_F64: return 64;
    default: return 0;
    }
}

int rt_has_nan(uint32_t dtype)
{
    return dtype == FE_F16 || dtype == FE_BF16 || dtype == FE_F32 || dtype == FE_F64;
}

uint64_t rt_key_ones(uint32_t dtype)
{
    return UINT64_MAX >> (64 - rt_key_bits(dtype));
}
