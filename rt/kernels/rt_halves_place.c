/* rt_halves_place.c - few rows times a matrix of 16 bits as it lies in memory, along its columns or its
 * depth, whichever is contiguous: to lay it out as panels would take longer than the product. */
#include "rt_isa.h"

#include "rt_dot.h"
#include "rt_halves.h"

enum { WIDE = 4 /* vectors of columns at a time, or of depth */ };

/* `count` vectors of columns. Depth goes in parts, as in rt_tile.c. */
RT_INLINE void row_vectors(const rt_halves *g, const float *a, const uint16_t *b, const int count,
                           float *sums, const int is_bf16)
{
    vf total[WIDE] = {(vf){0}};
    for (int64_t k = 0; k < g->k;) {
        int64_t end = rt_min(g->k, k + RT_DEPTH_PART);
        vf sum[WIDE] = {(vf){0}};
        for (; k < end; k++)
#pragma GCC unroll 4
            for (int i = 0; i < count; i++)
                sum[i] += v_load_half(b + k * g->b_row + i * VL, is_bf16) * a[k];
#pragma GCC unroll 4
        for (int i = 0; i < count; i++) total[i] += sum[i];
    }
#pragma GCC unroll 4
    for (int i = 0; i < count; i++) v_store(sums + i * VL, total[i]);
}

static float one_column(const rt_halves *g, const float *a, const uint16_t *b)
{
    float total = 0;
    for (int64_t k = 0; k < g->k;) {
        int64_t end = rt_min(g->k, k + RT_DEPTH_PART);
        float sum = 0;
        for (; k < end; k++) sum += rt_float_of_half(b[k * g->b_row], g->is_bf16) * a[k];
        total += sum;
    }
    return total;
}

RT_INLINE void row_by_columns(const rt_halves *g, const float *a, const uint16_t *b, int64_t count,
                              float *sums, const int is_bf16)
{
    int64_t n = 0;
    for (; n + WIDE * VL <= count; n += WIDE * VL)
        row_vectors(g, a, b + n, WIDE, sums + n, is_bf16);
    for (; n + VL <= count; n += VL) row_vectors(g, a, b + n, 1, sums + n, is_bf16);
    for (; n < count; n++) sums[n] = one_column(g, a, b + n);
}

RT_INLINE float dot(const float *a, const uint16_t *b, int64_t count, const int is_bf16)
{
    vf sum[WIDE] = {(vf){0}};
    int64_t k = 0;
    for (; k + WIDE * VL <= count; k += WIDE * VL)
#pragma GCC unroll 4
        for (int j = 0; j < WIDE; j++)
            sum[j] += v_load(a + k + j * VL) * v_load_half(b + k + j * VL, is_bf16);
    for (; k + VL <= count; k += VL) sum[0] += v_load(a + k) * v_load_half(b + k, is_bf16);
    float total = v_reduce_add((sum[0] + sum[1]) + (sum[2] + sum[3]));
    for (; k < count; k++) total += a[k] * rt_float_of_half(b[k], is_bf16);
    return total;
}

RT_INLINE void row_by_depth(const rt_halves *g, const float *a, const uint16_t *b, int64_t count,
                            float *sums, const int is_bf16)
{
    enum { PART = WIDE * VL * RT_DEPTH_PART };
    for (int64_t n = 0; n < count; n++) {
        const uint16_t *row = b + n * g->b_col;
        float total = 0;
        for (int64_t k = 0; k < g->k; k += PART)
            total += dot(a + k, row + k, rt_min(g->k - k, PART), is_bf16);
        sums[n] = total;
    }
}

RT_INLINE void columns(const rt_halves *g, const float *a, const float *bias, int64_t n0,
                       int64_t n1, const int is_bf16)
{
    for (int64_t m = 0; m < g->m; m++) {
        float *c = g->c + m * g->ldc;
        const uint16_t *b = g->b + n0 * g->b_col;
        if (g->b_col == 1)
            row_by_columns(g, a + m * g->k, b, n1 - n0, c + n0, is_bf16);
        else
            row_by_depth(g, a + m * g->k, b, n1 - n0, c + n0, is_bf16);
        for (int64_t n = n0; bias && n < n1; n++) c[n] += bias[n];
    }
}

void RT_FN(rt_halves_columns)(const rt_halves *g, const float *a, const float *bias, int64_t n0,
                              int64_t n1)
{
    if (g->is_bf16)
        columns(g, a, bias, n0, n1, 1);
    else
        columns(g, a, bias, n0, n1, 0);
}
