/* rt_key.c - elements as unsigned integers in the same order: which dtypes have keys, and who makes them. See
 * rt_sort.h.
 */
#include "rt_by_isa.h"
#include "rt_rank.h"
#include "rt_sort.h"

RT_KERNELS_BY_ISA(rank, RT_OF_ONE)

void rt_short_keys_of(const rt_row *row, int64_t from, int64_t count, uint32_t flip, uint32_t *keys)
{
    rt_rank_kernels_of(0)->short_keys(row, from, count, flip, keys);
}

void rt_keys_of(const rt_row *row, int64_t from, int64_t count, uint64_t flip, uint64_t *keys)
{
    uint32_t narrow[RT_KEY_BLOCK];
    if (rt_key_bits(row->dtype) == 64) {
        rt_rank_kernels_of(0)->long_keys(row, from, count, flip, keys);
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
