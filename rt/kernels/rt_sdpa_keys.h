/* rt_sdpa_keys.h - operands of attention, which are floats or numbers of 16 bits, by the element: as floats,
 * as panels, in dot products, in sums. */
#ifndef RT_SDPA_KEYS_H
#define RT_SDPA_KEYS_H

#include "rt_dot.h"
#include "rt_halves.h"
#include "rt_panel.h"

/* A matrix from its element `at` on. */
typedef struct stored_keys {
    const void *data;
    int64_t at;
    int kind; /* RT_KEYS_ */
} stored_keys;

RT_INLINE stored_keys keys_from(stored_keys k, int64_t more)
{
    k.at += more;
    return k;
}

RT_INLINE const float *keys_floats(stored_keys k)
{
    return (const float *)k.data + k.at;
}

RT_INLINE const uint16_t *keys_halves(stored_keys k)
{
    return (const uint16_t *)k.data + k.at;
}

RT_INLINE float key_at(stored_keys k, int64_t i)
{
    return k.kind == RT_KEYS_FLOAT ? keys_floats(k)[i]
                                   : rt_float_of_half(keys_halves(k)[i], k.kind == RT_KEYS_BF16);
}

/* `count` numbers that lie one behind the other, of 16 bits. */
RT_INLINE void keys_widen(float *to, const uint16_t *from, int64_t count, const int is_bf16)
{
    int64_t i = 0;
    for (; i + VL <= count; i += VL) v_store(to + i, v_load_half(from + i, is_bf16));
    for (; i < count; i++) to[i] = rt_float_of_half(from[i], is_bf16);
}

/* So many numbers `step` apart. */
static inline void keys_row(float *to, stored_keys k, int64_t step, int64_t count)
{
    if (k.kind == RT_KEYS_FLOAT)
        for (int64_t i = 0; i < count; i++) to[i] = keys_floats(k)[i * step];
    else if (step != 1)
        for (int64_t i = 0; i < count; i++) to[i] = key_at(k, i * step);
    else if (k.kind == RT_KEYS_BF16)
        keys_widen(to, keys_halves(k), count, 1);
    else
        keys_widen(to, keys_halves(k), count, 0);
}

/* rt_panel_pack: a panel's columns behind the last are zeros. Numbers of 16 bits become floats row by row,
 * along what is contiguous; columns of depth are turned from there. */
static inline void keys_pack(float *out, stored_keys b, int64_t stride_n, int64_t stride_k,
                             int64_t k, int64_t width)
{
    enum { SOME = 32 };
    float block[RT_PANEL * SOME];
    if (b.kind == RT_KEYS_FLOAT) {
        rt_panel_pack(out, keys_floats(b), stride_n, stride_k, k, width);
        return;
    }
    for (int64_t i = 0; stride_k != 1 && i < k; i++) {
        keys_row(out + i * RT_PANEL, keys_from(b, i * stride_k), stride_n, width);
        for (int64_t j = width; j < RT_PANEL; j++) out[i * RT_PANEL + j] = 0;
    }
    for (int64_t i = 0; stride_k == 1 && i < k; i += SOME) {
        int64_t count = rt_min(SOME, k - i);
        for (int64_t j = 0; j < width; j++)
            keys_row(block + j * SOME, keys_from(b, j * stride_n + i), 1, count);
        rt_panel_pack(out + i * RT_PANEL, block, SOME, 1, count, width);
    }
}

#endif
