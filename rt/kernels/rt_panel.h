/* rt_panel.h - one panel of packed B from a matrix with any strides. Used when weights are packed
 * (rt_pack.c) and when an activation is packed on the fly (rt_bmm.c, rt_sdpa.c). The layout is
 * described in rt_kernels.h.
 */
#ifndef RT_PANEL_H
#define RT_PANEL_H

#include "rt_kernels.h"
#include "rt_turn.h"

#include <string.h>

/* Columns contiguous in memory. */
static inline void rt_panel_rows(rt_real *restrict out, const rt_real *restrict b, int64_t stride_k,
                                 int64_t k, int64_t width)
{
    if (width == RT_PANEL) {
        for (int64_t i = 0; i < k; i++)
            memcpy(out + i * RT_PANEL, b + i * stride_k, RT_PANEL * sizeof *out);
        return;
    }
    for (int64_t i = 0; i < k; i++) {
        for (int64_t j = 0; j < width; j++) out[i * RT_PANEL + j] = b[i * stride_k + j];
        for (int64_t j = width; j < RT_PANEL; j++) out[i * RT_PANEL + j] = 0;
    }
}

/* Depth contiguous in memory: a transposition by squares of four. */
static inline void rt_panel_columns(rt_real *restrict out, const rt_real *restrict b,
                                    int64_t stride_n, int64_t k, int64_t width)
{
    int64_t whole = width / 4 * 4, i = 0;
    for (; i + 4 <= k; i += 4) {
        for (int64_t j = 0; j < whole; j += 4)
            rt_turn_square(b + j * stride_n + i, stride_n, out + i * RT_PANEL + j, RT_PANEL);
        for (int64_t j = whole; j < RT_PANEL; j++)
            for (int64_t step = i; step < i + 4; step++)
                out[step * RT_PANEL + j] = j < width ? b[j * stride_n + step] : 0;
    }
    for (; i < k; i++)
        for (int64_t j = 0; j < RT_PANEL; j++)
            out[i * RT_PANEL + j] = j < width ? b[j * stride_n + i] : 0;
}

/* out[k][RT_PANEL] from element (k, n) at b[k * stride_k + n * stride_n], n < width <= RT_PANEL,
 * the rest zero. */
static inline void rt_panel_pack(rt_real *restrict out, const rt_real *restrict b, int64_t stride_n,
                                 int64_t stride_k, int64_t k, int64_t width)
{
    if (stride_n == 1) {
        rt_panel_rows(out, b, stride_k, k, width);
    } else if (stride_k == 1) {
        rt_panel_columns(out, b, stride_n, k, width);
    } else {
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = 0; j < RT_PANEL; j++)
                out[i * RT_PANEL + j] = j < width ? b[j * stride_n + i * stride_k] : 0;
    }
}

#endif
