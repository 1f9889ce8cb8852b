/* rt_sdpa_amx.c - attention of bf16 by the tile registers of AMX: rt_sdpa.c with panels of words.
 *
 * Scores of a strip of query rows with a block of keys are floats, which stay in the cache. The
 * weights of each row take the place of the first half of its scores, as bf16.
 */
#include "rt_isa.h"

#include "rt_amx_panel.h"
#include "rt_halves.h"
#include "rt_panel_halves.h"
#include "rt_sdpa_task.h"

int64_t RT_FN(rt_sdpa_lines)(int64_t depth)
{
    return rt_ceil_div(depth, RT_SDPA_TILE_DEPTH) * (RT_SDPA_TILE_DEPTH / 2);
}

#ifdef RT_HAS_AMX

#include <immintrin.h>

#define PAIRS __attribute__((target("avx512bf16")))

enum { TILE_COLUMNS = RT_PANEL / 2 };

int RT_FN(rt_sdpa_has_tiles)(const rt_sdpa *g)
{
    return g->queries_kind == RT_KEYS_BF16 && g->keys_kind == RT_KEYS_BF16 &&
           RT_FN(rt_multiplies_tiles)() && RT_FN(rt_multiplies_pairs)();
}

/* ---- panels ---- */

static int are_finite(const uint32_t *words, int64_t count)
{
    const uint32_t infinite = 0x7f80;
    uint32_t bad = 0;
    for (int64_t i = 0; i < count; i++)
        bad |= (words[i] & infinite) == infinite || (words[i] >> 16 & infinite) == infinite;
    return !bad;
}

int RT_FN(rt_sdpa_tiles_pack)(const sdpa *s, int64_t batch, int64_t kv_head, uint32_t *k,
                              uint32_t *v)
{
    const rt_sdpa *g = s->g;
    const uint16_t *keys =
                       (const uint16_t *)g->k + batch * g->k_stride[0] + kv_head * g->k_stride[1],
                   *values =
                       (const uint16_t *)g->v + batch * g->v_stride[0] + kv_head * g->v_stride[1];
    int64_t t = 0, width = s->d_panels * RT_PANEL;
    for (; t < g->kv_len; t += RT_PANEL)
        rt_words_pack(k + t * s->k_lines, s->k_lines, keys + t * g->k_stride[2], g->k_stride[2],
                      g->k_stride[3], g->head_dim, rt_min(RT_PANEL, g->kv_len - t));
    for (int64_t d = 0; d < width; d += RT_PANEL)
        rt_words_pack(v + d * s->v_lines, s->v_lines, values + d * g->v_stride[3], g->v_stride[3],
                      g->v_stride[2], g->kv_len, rt_min(RT_PANEL, g->value_dim - d));
    return g->mask_kind != RT_MASK_NONE && are_finite(k, t * s->k_lines) &&
           are_finite(v, width * s->v_lines);
}

static int query_is_finite(const uint16_t *q, int64_t step, int64_t count)
{
    int bad = 0;
    for (int64_t d = 0; d < count; d++) bad |= (q[d * step] & 0x7f80) == 0x7f80;
    return !bad;
}

/* ---- softmax of rows ---- */

/* 2^x to 18 bits; 0 where that would be subnormal, which takes the processor long. NaN stays. */
RT_INLINE __m512 power_of_two(__m512 x)
{
    enum { FRACTION = 9 }; /* x less the next integer below, with no exception */
    __mmask16 lanes = _mm512_cmp_ps_mask(x, _mm512_set1_ps(-126), _CMP_NLT_UQ);
    __m512 f = _mm512_reduce_ps(x, FRACTION), p = _mm512_set1_ps(0.0135341669f);
    p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(0.0520114638f));
    p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(0.241442755f));
    p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(0.693003833f));
    p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(1.00000262f));
    return _mm512_maskz_scalef_ps(lanes, p, x);
}

static float greatest(const float *score, int64_t count)
{
    __m512 a = _mm512_set1_ps(-INFINITY), b = a;
    int64_t t = 0;
    for (; t + 2 * VL <= count; t += 2 * VL) {
        a = _mm512_max_ps(_mm512_loadu_ps(score + t), a);
        b = _mm512_max_ps(_mm512_loadu_ps(score + t + VL), b);
    }
    for (; t < count; t += VL) {
        __mmask16 lanes = rt_amx_lanes(count, t);
        a = _mm512_mask_max_ps(a, lanes, _mm512_maskz_loadu_ps(lanes, score + t), a);
    }
    return _mm512_reduce_max_ps(_mm512_max_ps(a, b));
}

/* The first `seen` of the scores become weights, 2^(score * factor - base), as bf16; those behind, up to
 * `count`, are 0. Returns the sum of what they are then. */
PAIRS static float weigh(float *score, int64_t seen, int64_t count, float factor, float base)
{
    const __m512bh ones = (__m512bh)_mm512_set1_epi32(0x3f803f80);
    __m512 by = _mm512_set1_ps(factor), less = _mm512_set1_ps(base), sum = _mm512_setzero_ps();
    uint16_t *to = (uint16_t *)score;
    int64_t t = 0;
    for (; t + 2 * VL <= seen; t += 2 * VL) {
        __m512 low = power_of_two(_mm512_fmsub_ps(_mm512_loadu_ps(score + t), by, less)),
               high = power_of_two(_mm512_fmsub_ps(_mm512_loadu_ps(score + t + VL), by, less));
        __m512bh pairs = _mm512_cvtne2ps_pbh(high, low);
        sum = _mm512_dpbf16_ps(sum, pairs, ones);
        _mm512_storeu_si512(to + t, (__m512i)pairs);
    }
    for (; t < count; t += VL) {
        __mmask16 lanes = rt_amx_lanes(seen, t);
        __m512 x = power_of_two(_mm512_fmsub_ps(_mm512_loadu_ps(score + t), by, less));
        __m256i halves = (__m256i)_mm512_cvtneps_pbh(_mm512_maskz_mov_ps(lanes, x));
        sum = _mm512_dpbf16_ps(sum, (__m512bh)_mm512_zextsi256_si512(halves), ones);
        _mm256_storeu_si256((__m256i *)(void *)(to + t), halves);
    }
    return _mm512_reduce_add_ps(sum);
}

static void scale_row(float *row, int64_t count, float factor)
{
    for (int64_t i = 0; i < count; i++) row[i] *= factor;
}

/* Scores of keys [t, t + count) become weights; returns what the row's earlier sum and output are to be
 * multiplied by. The running maximum is in units of what the scores are times `factor`. */
static float softmax_row(const rt_sdpa *g, work *w, int64_t row, float *score, int64_t t,
                         int64_t count)
{
    const float log2e = 1.44269504088896341f;
    float factor = g->scale * log2e;
    int64_t seen = g->causal ? rt_max(0, rt_min(count, w->s0 + row + 1 - t)) : count;
    if (g->mask_kind || !(g->scale > 0)) {
        scale_row(score, seen, g->scale);
        if (g->mask_kind) mask_row(g, w, row, score, t, seen);
        factor = log2e;
    }
    float before = w->max[row], max = greatest(score, seen) * factor, shrink = 1;
    max = max > before ? max : before;
    float base = max == -INFINITY ? 0 : max;
    if (before != max) shrink = _mm512_cvtss_f32(power_of_two(_mm512_set1_ps(before - base)));
    w->sum[row] = w->sum[row] * shrink + weigh(score, seen, count, factor, base);
    w->max[row] = max;
    return shrink;
}

/* ---- products ---- */

static void scores_of_block(const sdpa *s, const work *w, const uint16_t *q, int64_t t,
                            int64_t count)
{
    const rt_sdpa *g = s->g;
    RT_FN(rt_halves_amx)
    (&(rt_halves_amx){.m = w->rows,
                      .n = rt_ceil_div(count, TILE_COLUMNS) * TILE_COLUMNS,
                      .k = g->head_dim,
                      .a = q,
                      .a_row = g->q_stride[2],
                      .a_col = g->q_stride[3],
                      .packed = (const uint32_t *)w->k + t * s->k_lines,
                      .lines = s->k_lines,
                      .is_padded = 1,
                      .c = w->scores,
                      .ldc = s->pitch});
}

static void add_values(const sdpa *s, const work *w, int64_t t, int64_t count, int first)
{
    RT_FN(rt_halves_amx)
    (&(rt_halves_amx){.m = w->rows,
                      .n = rt_ceil_div(s->g->value_dim, TILE_COLUMNS) * TILE_COLUMNS,
                      .k = count,
                      .a = (const uint16_t *)w->scores,
                      .a_row = 2 * s->pitch,
                      .a_col = 1,
                      .packed = (const uint32_t *)w->v + t / 2 * RT_PANEL,
                      .lines = s->v_lines,
                      .c = w->out,
                      .ldc = s->d_panels * RT_PANEL,
                      .load = !first});
}

void RT_FN(rt_sdpa_tiles)(const sdpa *s, work *w)
{
    const rt_sdpa *g = s->g;
    const uint16_t *q = (const uint16_t *)g->q + w->batch * g->q_stride[0] +
                        w->head * g->q_stride[1] + w->s0 * g->q_stride[2];
    int64_t width = s->d_panels * RT_PANEL;
    for (int64_t i = 0; i < w->rows; i++) {
        w->max[i] = -INFINITY;
        w->sum[i] = 0;
        w->may_skip =
            w->may_skip && query_is_finite(q + i * g->q_stride[2], g->q_stride[3], g->head_dim);
    }
    int64_t end = g->causal ? rt_min(g->kv_len, w->s0 + w->rows) : g->kv_len;
    int first = 1;
    for (int64_t t0 = 0; t0 < end; t0 += s->t_block) {
        int64_t t = t0, t_end = rt_min(t0 + s->t_block, end);
        if (w->may_skip) narrow(g, w, &t, &t_end);
        if (t == t_end) continue;
        scores_of_block(s, w, q, t, t_end - t);
        for (int64_t i = 0; i < w->rows; i++) {
            float shrink = softmax_row(g, w, i, w->scores + i * s->pitch, t, t_end - t);
            if (!first && shrink != 1) scale_row(w->out + i * width, g->value_dim, shrink);
        }
        add_values(s, w, t, t_end - t, first);
        first = 0;
    }
    if (first) memset(w->out, 0, (size_t)(w->rows * width) * sizeof *w->out);
    for (int64_t i = 0; i < w->rows; i++) finish_row(g, w, i, w->out + i * width, w->sum[i]);
}

#else

int RT_FN(rt_sdpa_has_tiles)(const rt_sdpa *g)
{
    (void)g;
    return 0;
}

int RT_FN(rt_sdpa_tiles_pack)(const sdpa *s, int64_t batch, int64_t kv_head, uint32_t *k,
                              uint32_t *v)
{
    (void)s, (void)batch, (void)kv_head, (void)k, (void)v;
    return 0;
}

void RT_FN(rt_sdpa_tiles)(const sdpa *s, work *w)
{
    (void)s, (void)w;
}

#endif
