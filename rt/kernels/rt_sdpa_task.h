/* rt_sdpa_task.h - what the two ways of attention share (rt_sdpa.c, rt_sdpa_amx.c): a task, and its mask. */
#ifndef RT_SDPA_TASK_H
#define RT_SDPA_TASK_H

#include "rt_half.h"
#include "rt_isa.h"

#include <math.h>

typedef struct sdpa {
    const rt_sdpa *g;
    int by_tiles;
    int64_t q_blocks, q_rows, t_block, d_panels;
    int64_t pitch;            /* of a row of scores */
    int64_t k_lines, v_lines; /* of panels of words, whole tiles */
    size_t k_at, v_at, q_at, score_at, out_at, rows_at, stat_at; /* bytes into a worker's scratch */
    const rt_scratch *scratch;
} sdpa;

typedef struct work {
    int64_t batch, head, kv_head;
    int64_t s0, rows; /* query rows */
    float *scores;    /* [rows][pitch] */
    float *out;       /* [rows][d_panels * RT_PANEL] */
    float *max, *sum; /* [rows] */
    const float **pointers;
    const void *k, *v; /* packed */
    int may_skip;      /* what the mask hides has no part in the result */
} work;

/* ---- the mask ---- */

static inline int64_t mask_at(const rt_sdpa *g, const work *w, int64_t row, int64_t t)
{
    return w->batch * g->mask_stride[0] + w->head * g->mask_stride[1] +
           (w->s0 + row) * g->mask_stride[2] + t * g->mask_stride[3];
}

static inline int row_hides(const rt_sdpa *g, int64_t at, int64_t count)
{
    int64_t step = g->mask_stride[3];
    int seen = 0;
    if (g->mask_kind == RT_MASK_BOOL) {
        const unsigned char *mask = (const unsigned char *)g->mask + at;
        for (int64_t t = 0; t < count; t++) seen |= mask[t * step];
    } else {
        const float *mask = (const float *)g->mask + at;
        for (int64_t t = 0; t < count; t++) seen |= mask[t * step] != -INFINITY;
    }
    return !seen;
}

/* Whether none of the task's rows sees any of the keys [t, t + count). */
static inline int hides(const rt_sdpa *g, const work *w, int64_t t, int64_t count)
{
    int64_t rows = g->mask_stride[2] ? w->rows : 1;
    for (int64_t row = 0; row < rows; row++)
        if (!row_hides(g, mask_at(g, w, row, t), count)) return 0;
    return 1;
}

/* Keys [*begin, *end), less the panels at both ends that the mask hides. */
static inline void narrow(const rt_sdpa *g, const work *w, int64_t *begin, int64_t *end)
{
    while (*begin < *end && hides(g, w, *begin, rt_min(RT_PANEL, *end - *begin)))
        *begin = rt_min(*begin + RT_PANEL, *end);
    while (*begin < *end) {
        int64_t last = *begin + (*end - *begin - 1) / RT_PANEL * RT_PANEL;
        if (!hides(g, w, last, *end - last)) break;
        *end = last;
    }
}

/* Adds the mask to scores of keys [t0, t0 + count) of query row s; hides keys past a causal row's
 * end. */
static inline void mask_row(const rt_sdpa *g, const work *w, int64_t row, float *score, int64_t t0,
                            int64_t count)
{
    int64_t s = w->s0 + row, at = mask_at(g, w, row, t0);
    int64_t step = g->mask_stride[3];
    if (g->mask_kind == RT_MASK_FLOAT) {
        const float *mask = (const float *)g->mask + at;
        for (int64_t t = 0; t < count; t++) score[t] += mask[t * step];
    } else if (g->mask_kind == RT_MASK_BOOL) {
        const unsigned char *mask = (const unsigned char *)g->mask + at;
        for (int64_t t = 0; t < count; t++)
            score[t] = mask[t * step] ? score[t] : g->replaces ? -INFINITY : score[t] - INFINITY;
    }
    if (g->causal)
        for (int64_t t = rt_max(s + 1 - t0, 0); t < count; t++) score[t] = -INFINITY;
}

/* ---- the result ---- */

/* out = sums / weights. A row that saw nothing has weight 0. */
static inline void finish_row(const rt_sdpa *g, const work *w, int64_t row, const float *sums,
                              float weight)
{
    float factor = weight == 0.0f && !g->masked_nan ? 0.0f : 1.0f / weight;
    int64_t step = g->out_stride[3], at = w->batch * g->out_stride[0] + w->head * g->out_stride[1] +
                                          (w->s0 + row) * g->out_stride[2];
    uint16_t *halves = (uint16_t *)g->out + at;
    if (g->queries_kind == RT_KEYS_FLOAT) {
        float *out = (float *)g->out + at;
        for (int64_t d = 0; d < g->value_dim; d++) out[d * step] = sums[d] * factor;
    } else if (g->queries_kind == RT_KEYS_BF16) {
        for (int64_t d = 0; d < g->value_dim; d++)
            halves[d * step] = rt_bf16_of_float(sums[d] * factor);
    } else {
        for (int64_t d = 0; d < g->value_dim; d++)
            halves[d * step] = rt_f16_of_float(sums[d] * factor);
    }
}

/* ---- by the tiles of AMX: rt_sdpa_amx.c ---- */

/* Are all operands bf16, and has this processor tiles? */
int RT_FN(rt_sdpa_has_tiles)(const rt_sdpa *g);
/* Lines of so many steps of depth, in whole tiles. */
int64_t RT_FN(rt_sdpa_lines)(int64_t depth);
/* Keys and values of a head as panels; answers whether all are finite, where there is a mask. */
int RT_FN(rt_sdpa_tiles_pack)(const sdpa *s, int64_t batch, int64_t kv_head, uint32_t *k,
                              uint32_t *v);
void RT_FN(rt_sdpa_tiles)(const sdpa *s, work *w);

#endif
