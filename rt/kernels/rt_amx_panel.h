/* rt_amx_panel.h - sums of a strip of rows by a panel, in the tile registers of AMX (rt_amx.h). */
#ifndef RT_AMX_PANEL_H
#define RT_AMX_PANEL_H

#include "rt_amx.h"

#ifdef RT_HAS_AMX

#include <immintrin.h>

enum {
    AMX_STEPS = 32, /* of depth, of a tile */
    AMX_LINE_BYTES = RT_PANEL * sizeof(uint32_t),
    AMX_HALF_LINE = AMX_LINE_BYTES / 2
};

/* Sums += A x B of the tiles that registers hold, by RT_AMX_BF16 and the like. */
#define RT_AMX_MULTIPLY(PRODUCT, both_rows, both_columns) \
    do {                                                  \
        PRODUCT(0, 4, 6);                                 \
        if (both_columns) PRODUCT(1, 4, 7);               \
        if (both_rows) PRODUCT(2, 5, 6);                  \
        if (both_rows && both_columns) PRODUCT(3, 5, 7);  \
    } while (0)

/* Sums += A x B of one tile of depth, of bf16: of both halves of the rows and the columns, or of one. */
RT_AMX RT_INLINE void rt_amx_add(const char *rows, int64_t row_bytes, const char *lines,
                                 const int both_rows, const int both_columns)
{
    RT_AMX_LOAD(6, lines, AMX_LINE_BYTES);
    RT_AMX_LOAD(4, rows, row_bytes);
    RT_AMX_BF16(0, 4, 6);
    if (both_columns) {
        RT_AMX_LOAD(7, lines + AMX_HALF_LINE, AMX_LINE_BYTES);
        RT_AMX_BF16(1, 4, 7);
    }
    if (both_rows) {
        RT_AMX_LOAD(5, rows + AMX_ROWS * row_bytes, row_bytes);
        RT_AMX_BF16(2, 5, 6);
        if (both_columns) RT_AMX_BF16(3, 5, 7);
    }
}

/* To and from the sums: c is 32 rows, `stride` bytes apart, or (stride 0) one for all. */
RT_AMX RT_INLINE void rt_amx_load_sums(const void *c, int64_t stride, const int both_rows,
                                       const int both_columns)
{
    const char *upper = c, *lower = upper + AMX_ROWS * stride;
    RT_AMX_LOAD(0, upper, stride);
    if (both_columns) RT_AMX_LOAD(1, upper + AMX_HALF_LINE, stride);
    if (both_rows) RT_AMX_LOAD(2, lower, stride);
    if (both_rows && both_columns) RT_AMX_LOAD(3, lower + AMX_HALF_LINE, stride);
}

RT_AMX RT_INLINE void rt_amx_store_sums(void *c, int64_t stride, const int both_rows,
                                        const int both_columns)
{
    char *upper = c, *lower = upper + AMX_ROWS * stride;
    RT_AMX_STORE(0, upper, stride);
    if (both_columns) RT_AMX_STORE(1, upper + AMX_HALF_LINE, stride);
    if (both_rows) RT_AMX_STORE(2, lower, stride);
    if (both_rows && both_columns) RT_AMX_STORE(3, lower + AMX_HALF_LINE, stride);
}

RT_AMX RT_INLINE void rt_amx_zero_sums(void)
{
    RT_AMX_ZERO(0);
    RT_AMX_ZERO(1);
    RT_AMX_ZERO(2);
    RT_AMX_ZERO(3);
}

/* Columns [at, at + 16) of those that there are. */
RT_INLINE __mmask16 rt_amx_lanes(int64_t columns, int64_t at)
{
    int64_t count = rt_max(0, rt_min(VL, columns - at));
    return (__mmask16)((1u << count) - 1);
}

RT_INLINE void rt_amx_copy_columns(float *to, const float *from, int64_t columns)
{
    for (int64_t at = 0; at < RT_PANEL; at += VL) {
        __mmask16 lanes = rt_amx_lanes(columns, at);
        _mm512_mask_storeu_ps(to + at, lanes, _mm512_maskz_loadu_ps(lanes, from + at));
    }
}

#endif
#endif
