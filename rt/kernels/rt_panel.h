/* rt_panel.h - one panel of packed B from a matrix with any strides. Used when weights are packed
 * (rt_pack.c) and when an activation is packed on the fly (rt_bmm.c, rt_sdpa.c). The layout is
 * described in rt_kernels.h.
 */
#ifndef RT_PANEL_H
#define RT_PANEL_H

#include "rt_kernels.h"

#include <string.h>

/* Columns contiguous in memory. */
static inline void rt_panel_rows(float *restrict out, const float *restrict b, int64_t stride_k,
                                 int64_t k, int64_t width)
{
    if (width == RT_PANEL) {
        for (int64_t i = 0; i < k; i++)
            memcpy(out + i * RT_PANEL, b + i * stride_k, RT_PANEL * sizeof *out);
        return;
    }
    for (int64_t i = 0; i < k; i++) {
        for (int64_t j = 0; j < width; j++) out[i * RT_PANEL + j] = b[i * stride_k + j];
        for (int64_t j = width; j < RT_PANEL; j++) out[i * RT_PANEL + j] = 0.0f;
    }
}

/* Four columns of four depth steps. */
#ifdef FERRITE_SCALAR
static inline void rt_panel_square(float *restrict out, const float *restrict b, int64_t stride_n)
{
    for (int64_t step = 0; step < 4; step++)
        for (int64_t j = 0; j < 4; j++) out[step * RT_PANEL + j] = b[j * stride_n + step];
}
#else
typedef float rt_four __attribute__((vector_size(16)));
typedef float rt_four_unaligned __attribute__((vector_size(16), aligned(4), may_alias));

static inline void rt_panel_square(float *restrict out, const float *restrict b, int64_t stride_n)
{
    rt_four r0 = *(const rt_four_unaligned *)b, r1 = *(const rt_four_unaligned *)(b + stride_n);
    rt_four r2 = *(const rt_four_unaligned *)(b + 2 * stride_n);
    rt_four r3 = *(const rt_four_unaligned *)(b + 3 * stride_n);
    rt_four low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
    rt_four low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
    rt_four high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
    rt_four high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
    *(rt_four_unaligned *)out = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
    *(rt_four_unaligned *)(out + RT_PANEL) = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
    *(rt_four_unaligned *)(out + 2 * RT_PANEL) =
        __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
    *(rt_four_unaligned *)(out + 3 * RT_PANEL) =
        __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}
#endif

/* Depth contiguous in memory: a transposition by squares of four. */
static inline void rt_panel_columns(float *restrict out, const float *restrict b, int64_t stride_n,
                                    int64_t k, int64_t width)
{
    int64_t whole = width / 4 * 4, i = 0;
    for (; i + 4 <= k; i += 4) {
        for (int64_t j = 0; j < whole; j += 4)
            rt_panel_square(out + i * RT_PANEL + j, b + j * stride_n + i, stride_n);
        for (int64_t j = whole; j < RT_PANEL; j++)
            for (int64_t step = i; step < i + 4; step++)
                out[step * RT_PANEL + j] = j < width ? b[j * stride_n + step] : 0.0f;
    }
    for (; i < k; i++)
        for (int64_t j = 0; j < RT_PANEL; j++)
            out[i * RT_PANEL + j] = j < width ? b[j * stride_n + i] : 0.0f;
}

/* out[k][RT_PANEL] from element (k, n) at b[k * stride_k + n * stride_n], n < width <= RT_PANEL,
 * the rest zero. */
static inline void rt_panel_pack(float *restrict out, const float *restrict b, int64_t stride_n,
                                 int64_t stride_k, int64_t k, int64_t width)
{
    if (stride_n == 1) {
        rt_panel_rows(out, b, stride_k, k, width);
    } else if (stride_k == 1) {
        rt_panel_columns(out, b, stride_n, k, width);
    } else {
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = 0; j < RT_PANEL; j++)
                out[i * RT_PANEL + j] = j < width ? b[j * stride_n + i * stride_k] : 0.0f;
    }
}

#endif
