/* rt_half_tile.c - the register tile for products of bf16, on processors with AVX512-BF16.
 *
 * An instruction adds the products of two steps of depth to a float: a word of A, as it lies in memory, is
 * spread over the lanes, and a line of B has the words of its columns. Twice as fast as a tile of floats;
 * what is subnormal counts as zero, as it does in the same instruction's use elsewhere.
 */
#include "rt_isa.h"

#include "rt_halves.h"

#if defined(RT_ISA_V4) && !defined(FERRITE_SCALAR) && defined(__x86_64__)
#define HAS_TILES
#define PAIRS __attribute__((target("avx512bf16")))
#endif

#ifdef HAS_TILES

enum {
    WAYS = 4,
    PART = RT_DEPTH_PART / 2 /* lines that one sum runs over before it joins the sums before */
};
#define WAYS_OF(rows) ((rows) >= 4 ? 1 : (rows) >= 2 ? 2 : 4)

PAIRS RT_INLINE void step(__m512 acc[MR][NV], const uint16_t *const *a, int64_t k, int is_half,
                          const uint32_t *b, const int mr)
{
    __m512bh bv[NV];
#pragma GCC unroll 2
    for (int j = 0; j < NV; j++) bv[j] = (__m512bh)_mm512_loadu_si512(b + j * VL);
#pragma GCC unroll 12
    for (int i = 0; i < mr; i++) {
        uint32_t word = a[i][k];
        if (!is_half) memcpy(&word, a[i] + k, sizeof word);
        __m512bh left = (__m512bh)_mm512_set1_epi32((int)word);
#pragma GCC unroll 2
        for (int j = 0; j < NV; j++) acc[i][j] = _mm512_dpbf16_ps(acc[i][j], left, bv[j]);
    }
}

RT_INLINE __mmask16 lanes_of(const rt_half_tile *t, int j)
{
    int64_t count = t->width - j * VL;
    return count >= VL ? 0xffff : count <= 0 ? 0 : (__mmask16)((1u << count) - 1);
}

/* total += the sums of all ways, which begin anew. */
RT_INLINE void join(__m512 total[MR][NV], __m512 acc[WAYS][MR][NV], const int mr, const int ways)
{
#pragma GCC unroll 12
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
        for (int j = 0; j < NV; j++) {
            __m512 sum = acc[0][i][j];
#pragma GCC unroll 4
            for (int way = 1; way < ways; way++) sum += acc[way][i][j];
            total[i][j] += sum;
#pragma GCC unroll 4
            for (int way = 0; way < ways; way++) acc[way][i][j] = _mm512_setzero_ps();
        }
}

RT_INLINE void begin(const rt_half_tile *t, __m512 total[MR][NV], __m512 acc[WAYS][MR][NV],
                     const int mr, const int ways)
{
#pragma GCC unroll 2
    for (int j = 0; j < NV; j++) {
        __m512 start =
            t->bias ? _mm512_maskz_loadu_ps(lanes_of(t, j), t->bias + j * VL) : _mm512_setzero_ps();
#pragma GCC unroll 12
        for (int i = 0; i < mr; i++) {
            total[i][j] = start;
#pragma GCC unroll 4
            for (int way = 0; way < ways; way++) acc[way][i][j] = _mm512_setzero_ps();
        }
    }
}

RT_INLINE void end(const rt_half_tile *t, __m512 total[MR][NV], const int mr)
{
#pragma GCC unroll 2
    for (int j = 0; j < NV; j++) {
        __mmask16 lanes = lanes_of(t, j);
#pragma GCC unroll 12
        for (int i = 0; i < mr; i++) {
            float *c = t->c + i * t->ldc + j * VL;
            if (t->load) total[i][j] += _mm512_maskz_loadu_ps(lanes, c);
            _mm512_mask_storeu_ps(c, lanes, total[i][j]);
        }
    }
}

PAIRS RT_INLINE void tile(const rt_half_tile *t, const int mr, const int ways)
{
    __m512 acc[WAYS][MR][NV], total[MR][NV];
    const uint16_t *a[MR];
    const uint32_t *b = t->b;
    const char *prefetch = t->prefetch;
    int64_t whole = t->run / 2;
#pragma GCC unroll 12
    for (int i = 0; i < mr; i++) a[i] = t->rows[i];
    begin(t, total, acc, mr, ways);
    for (int64_t line = 0, stop; line < whole; line = stop) {
        stop = rt_min(whole, line + PART * ways);
        int64_t at = line;
        for (; at + ways <= stop; at += ways)
#pragma GCC unroll 4
            for (int way = 0; way < ways; way++, b += RT_PANEL, prefetch += t->prefetch_step) {
                step(acc[way], a, 2 * (at + way), 0, b, mr);
                RT_PREFETCH(prefetch);
                RT_PREFETCH(prefetch + RT_LINE);
            }
        for (; at < stop; at++, b += RT_PANEL) step(acc[0], a, 2 * at, 0, b, mr);
        if (stop == whole && t->run % 2) step(acc[0], a, t->run - 1, 1, b, mr);
        join(total, acc, mr, ways);
    }
    if (t->run == 1) {
        step(acc[0], a, 0, 1, b, mr);
        join(total, acc, mr, ways);
    }
    end(t, total, mr);
}

#define TILE(rows)                                       \
    PAIRS static void tile_##rows(const rt_half_tile *t) \
    {                                                    \
        tile(t, rows, WAYS_OF(rows));                    \
    }
RT_TILE_HEIGHTS(TILE)
#define NAME(rows) tile_##rows,

const rt_half_tile_fn RT_FN(rt_half_tiles)[MR + 1] = {NULL, RT_TILE_HEIGHTS(NAME)};

int RT_FN(rt_multiplies_pairs)(void)
{
    return __builtin_cpu_supports("avx512bf16");
}

#else

const rt_half_tile_fn RT_FN(rt_half_tiles)[MR + 1] = {NULL};

int RT_FN(rt_multiplies_pairs)(void)
{
    return 0;
}

#endif
