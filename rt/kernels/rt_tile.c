/* rt_tile.c - the register tile that all dense kernels are made of.
 *
 * mr rows by nv vectors of C are held in registers while depth advances: one load of B a vector,
 * one broadcast of A a row, mr * nv fused multiply-adds. A is read in place through row pointers,
 * one set a tap (a GEMM has one tap, a convolution one for each position of its window), so there
 * is neither packing of A nor im2col. Sized so that all accumulators, B and the broadcast fit in
 * the register file (12 x 2 of 32 with AVX-512, 6 x 2 of 16 otherwise).
 */
#include "rt_isa.h"

enum { WAYS = 4 };

RT_INLINE void tile_store(const rt_tile *t, vf acc[MR][NV], const int mr, const int nv)
{
    float *c = t->c;
    if (t->clamp) {
        vf low = v_set(t->low), high = v_set(t->high);
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
            for (int j = 0; j < nv; j++)
                v_store(c + i * t->ldc + j * VL, v_clamp(acc[i][j], low, high));
    } else {
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
            for (int j = 0; j < nv; j++) v_store(c + i * t->ldc + j * VL, acc[i][j]);
    }
}

/* One depth step: acc += the column a[.][k] times the row b. */
RT_INLINE void tile_step(vf acc[MR][NV], const float *const *a, int64_t k, const float *b,
                         const int mr, const int nv)
{
    vf bv[NV];
#pragma GCC unroll 2
    for (int j = 0; j < nv; j++) bv[j] = v_load(b + j * VL);
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
        for (int j = 0; j < nv; j++) acc[i][j] += bv[j] * a[i][k];
}

RT_INLINE void tile_start(const rt_tile *t, vf acc[WAYS][MR][NV], const int mr, const int nv,
                          const int ways)
{
#pragma GCC unroll 2
    for (int j = 0; j < nv; j++) {
        vf start = t->bias ? v_load(t->bias + j * VL) : (vf){0};
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++) {
            acc[0][i][j] = start;
#pragma GCC unroll 4
            for (int way = 1; way < ways; way++) acc[way][i][j] = (vf){0};
        }
    }
}

/* Sums of a part of the depth join those of the parts before: an error of the sum so far is made once a
 * part, not at every step. */
RT_INLINE void tile_join(vf total[MR][NV], vf acc[WAYS][MR][NV], int first, const int mr,
                         const int nv, const int ways)
{
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
        for (int j = 0; j < nv; j++) {
            vf sum = acc[0][i][j];
#pragma GCC unroll 4
            for (int way = 1; way < ways; way++) sum += acc[way][i][j];
            total[i][j] = first ? sum : total[i][j] + sum;
#pragma GCC unroll 4
            for (int way = 0; way < ways; way++) acc[way][i][j] = (vf){0};
        }
}

/* Depth from k to end. `ways` sets of sums take turns, so that a small tile has multiply-adds enough to
 * hide their latency. */
RT_INLINE const float *tile_run(vf acc[WAYS][MR][NV], const float *const *a, int64_t k, int64_t end,
                                const float *b, const char **ahead, int64_t step, const int mr,
                                const int nv, const int ways)
{
    const char *prefetch = *ahead;
    if (ways > 1)
        for (; k + ways <= end; k += ways)
#pragma GCC unroll 4
            for (int way = 0; way < ways; way++, b += RT_PANEL, prefetch += step) {
                tile_step(acc[way], a, k + way, b, mr, nv);
                RT_PREFETCH(prefetch);
                RT_PREFETCH(prefetch + 64);
            }
    for (; k < end; k++, b += RT_PANEL, prefetch += step) {
        tile_step(acc[0], a, k, b, mr, nv);
        RT_PREFETCH(prefetch);
        if (NR * sizeof(float) > RT_LINE) RT_PREFETCH(prefetch + RT_LINE);
    }
    *ahead = prefetch;
    return b;
}

#if defined(__GNUC__) && !defined(__clang__)
/* The first part sets `total`, which gcc does not see; zeros cost short sums a quarter of their time. */
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
RT_INLINE void tile_body(const rt_tile *t, const int mr, const int nv, const int ways)
{
    vf acc[WAYS][MR][NV], total[MR][NV];
    tile_start(t, acc, mr, nv, ways);
    const float *b = t->b;
    const char *prefetch = t->prefetch;
    const float *const *rows = t->rows;
    const int64_t part = (t->fine ? RT_FINE_PART : RT_DEPTH_PART) * ways;
    int64_t left = part;
    int first = 1;
    for (int64_t tap = 0; tap < t->taps; tap++, rows += mr) {
        const float *a[MR];
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++) a[i] = rows[i] + t->offset;
        for (int64_t k = 0, end; k < t->run; k = end) {
            if (left == 0) {
                tile_join(total, acc, first, mr, nv, ways);
                left = part;
                first = 0;
            }
            end = rt_min(t->run, k + left);
            left -= end - k;
            b = tile_run(acc, a, k, end, b, &prefetch, t->prefetch_step, mr, nv, ways);
        }
    }
    tile_join(total, acc, first, mr, nv, ways);
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
        for (int j = 0; j < nv; j++) acc[0][i][j] = total[i][j];
    if (t->load) { /* last: what is large already does not swallow small products one by one */
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
            for (int j = 0; j < nv; j++) acc[0][i][j] += v_load(t->c + i * t->ldc + j * VL);
    }
    if (t->scale) {
        vf alpha = v_set(t->alpha);
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
            for (int j = 0; j < nv; j++) acc[0][i][j] *= alpha;
    }
    tile_store(t, acc[0], mr, nv);
}

#define WAYS_OF(sums) ((sums) >= 8 ? 1 : (sums) >= 4 ? 2 : 4)
#define TILE(mr)                                \
    static void tile_##mr##_1(const rt_tile *t) \
    {                                           \
        tile_body(t, mr, 1, WAYS_OF(mr));       \
    }                                           \
    static void tile_##mr##_2(const rt_tile *t) \
    {                                           \
        tile_body(t, mr, 2, WAYS_OF(mr * 2));   \
    }
#define ROW(mr) {0, tile_##mr##_1, tile_##mr##_2},

RT_TILE_HEIGHTS(TILE)

const rt_tile_fn RT_FN(rt_tiles)[MR + 1][NV + 1] = {{0, 0, 0}, RT_TILE_HEIGHTS(ROW)};
