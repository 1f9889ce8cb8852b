/* rt_sdpa.c - scaled dot-product attention.
 *
 * A task is one block of query rows of one head. Keys and values of a head are packed once into the
 * worker's scratch and kept while its tasks stay on that head. For each block of keys: scores by
 * the GEMM tile, mask, running maximum and sum of each row, then the product with the values by the
 * same tile on top of the rescaled output (online softmax; one block means a plain softmax). Panels
 * at either end of a block that the mask hides from all of the task's rows are left out. With few
 * query rows nothing is packed: dot products straight from the keys. What is of 16 bits becomes floats as
 * it is packed or read (rt_sdpa_keys.h), but where tiles of bf16 are multiplied (rt_sdpa_amx.c).
 */
#include "rt_isa.h"
#include "rt_sdpa_keys.h"
#include "rt_sdpa_task.h"
#include "rt_vmath.h"

enum {
    Q_ROWS = RT_SDPA_TILES * MR,
};

typedef struct worker_state {
    int64_t head; /* the batch * kv_heads + head whose keys and values are packed here, or -1 */
    int64_t
        finite; /* these have neither an infinity nor a NaN, which a weight of 0 would not hide */
    char pad[48];
} worker_state;
_Static_assert(sizeof(worker_state) == RT_STATE_BYTES, "as it is planned for");

static int is_finite(const float *x, int64_t count)
{
    vf zero = {0};
    int64_t i = 0;
    for (; i + VL <= count; i += VL) zero += v_load(x + i) * v_set(0.0f);
    float rest = v_reduce_add(zero);
    for (; i < count; i++) rest += x[i] * 0.0f;
    return rest == 0.0f;
}

static stored_keys queries_of(const rt_sdpa *g, const work *w)
{
    return (stored_keys){
        g->q, w->batch * g->q_stride[0] + w->head * g->q_stride[1] + w->s0 * g->q_stride[2],
        g->queries_kind};
}

static stored_keys keys_of(const rt_sdpa *g, int64_t batch, int64_t kv_head)
{
    return (stored_keys){g->k, batch * g->k_stride[0] + kv_head * g->k_stride[1], g->keys_kind};
}

static stored_keys values_of(const rt_sdpa *g, int64_t batch, int64_t kv_head)
{
    return (stored_keys){g->v, batch * g->v_stride[0] + kv_head * g->v_stride[1], g->keys_kind};
}

static void pack_floats(const sdpa *s, int64_t batch, int64_t kv_head, float *k, float *v)
{
    const rt_sdpa *g = s->g;
    stored_keys keys = keys_of(g, batch, kv_head), values = values_of(g, batch, kv_head);
    for (int64_t t = 0; t < g->kv_len; t += RT_PANEL)
        keys_pack(k + t * g->head_dim, keys_from(keys, t * g->k_stride[2]), g->k_stride[2],
                  g->k_stride[3], g->head_dim, rt_min(RT_PANEL, g->kv_len - t));
    for (int64_t t = 0; t < g->kv_len; t += s->t_block) {
        int64_t depth = rt_min(s->t_block, g->kv_len - t);
        for (int64_t p = 0; p < s->d_panels; p++)
            keys_pack(v + (t * s->d_panels + p * depth) * RT_PANEL,
                      keys_from(values, t * g->v_stride[2] + p * RT_PANEL * g->v_stride[3]),
                      g->v_stride[3], g->v_stride[2], depth,
                      rt_min(RT_PANEL, g->value_dim - p * RT_PANEL));
    }
}

static int packed_is_finite(const sdpa *s, const float *k, const float *v)
{
    const rt_sdpa *g = s->g;
    int64_t keys = rt_ceil_div(g->kv_len, RT_PANEL) * RT_PANEL;
    return is_finite(k, keys * g->head_dim) && is_finite(v, g->kv_len * s->d_panels * RT_PANEL);
}

/* Answers whether all is finite, where there is a mask. */
static int pack_head(const sdpa *s, int64_t batch, int64_t kv_head, char *memory)
{
    char *k = memory + s->k_at, *v = memory + s->v_at;
    if (s->by_tiles)
        return RT_FN(rt_sdpa_tiles_pack)(s, batch, kv_head, (uint32_t *)k, (uint32_t *)v);
    pack_floats(s, batch, kv_head, (float *)k, (float *)v);
    return s->g->mask_kind != RT_MASK_NONE && packed_is_finite(s, (float *)k, (float *)v);
}

/* ---- softmax of rows ---- */

/* score[0..count) (padded to a whole vector with -inf) becomes exp(score - max); returns the sum.
 */
static float exp_row(float *score, int64_t count, float max)
{
    vf sum = {0}, m = v_set(max);
    for (int64_t t = 0; t < count; t += VL) {
        vf e = v_exp(v_load(score + t) - m);
        v_store(score + t, e);
        sum += e;
    }
    return v_reduce_add(sum);
}

static float max_row(const float *score, int64_t count)
{
    vf m = v_set(-INFINITY);
    for (int64_t t = 0; t < count; t += VL) m = v_max(m, v_load(score + t));
    return v_reduce_max(m);
}

/* One row of one block of keys: scores to weights relative to the running maximum. Returns what the
 * row's earlier sum and output are to be multiplied by. */
static float softmax_row(const rt_sdpa *g, work *w, int64_t row, float *score, int64_t t0,
                         int64_t count)
{
    if (g->mask_kind || g->causal) mask_row(g, w, row, score, t0, count);
    for (int64_t t = count; t % VL; t++) score[t] = -INFINITY;
    float max = max_row(score, count);
    max = max > w->max[row] ? max : w->max[row];
    float base = max == -INFINITY ? 0.0f : max;
    float shrink = w->max[row] == base        ? 1.0f
                   : w->max[row] == -INFINITY ? 0.0f
                                              : expf(w->max[row] - base);
    w->sum[row] = w->sum[row] * shrink + exp_row(score, count, base);
    w->max[row] = max;
    return shrink;
}

static void scale_row(float *row, int64_t count, float factor)
{
    for (int64_t i = 0; i < count; i++) row[i] *= factor;
}

/* ---- many query rows ---- */

static void scores_of_block(const sdpa *s, const work *w, const float *q, int64_t q_step,
                            int64_t t0, int64_t count)
{
    const rt_sdpa *g = s->g;
    rt_rows_plain(w->pointers, q, q_step, w->rows);
    rt_block block = {
        .m = w->rows,
        .n = rt_ceil_div(count, RT_PANEL) * RT_PANEL,
        .taps = 1,
        .run = g->head_dim,
        .rows = w->pointers,
        .packed = (const float *)w->k + t0 * g->head_dim,
        .c = w->scores,
        .ldc = s->pitch,
        .scale = 1,
        .alpha = g->scale,
    };
    RT_FN(rt_block_run)(&block);
}

/* Columns of the result that are computed: up to a whole vector, or half a one where there is such a tile. */
static int64_t columns_of(const sdpa *s)
{
    int64_t step = HALF_LANES ? HALF_LANES : VL;
    return rt_ceil_div(s->g->value_dim, step) * step;
}

/* Keys [t, t + count) of the block of keys [t0, t0 + depth). */
static void add_values(const sdpa *s, const work *w, int64_t t0, int64_t depth, int64_t t,
                       int64_t count, int first)
{
    rt_rows_plain(w->pointers, w->scores, s->pitch, w->rows);
    rt_block block = {
        .m = w->rows,
        .n = columns_of(s),
        .taps = 1,
        .run = count,
        .rows = w->pointers,
        .packed = (const float *)w->v + (t0 * s->d_panels + t - t0) * RT_PANEL,
        .panel_depth = depth,
        .c = w->out,
        .ldc = s->d_panels * RT_PANEL,
        .load = !first,
    };
    RT_FN(rt_block_run)(&block);
}

static void query_block(const sdpa *s, work *w, char *memory)
{
    const rt_sdpa *g = s->g;
    stored_keys queries = queries_of(g, w);
    int64_t q_step = g->q_stride[2], d_width = s->d_panels * RT_PANEL;
    const float *q;
    if (g->q_stride[3] != 1 || g->queries_kind != RT_KEYS_FLOAT) {
        float *copy = (float *)(memory + s->q_at);
        for (int64_t i = 0; i < w->rows; i++)
            keys_row(copy + i * g->head_dim, keys_from(queries, i * q_step), g->q_stride[3],
                     g->head_dim);
        q = copy;
        q_step = g->head_dim;
    } else {
        q = keys_floats(queries);
    }
    for (int64_t i = 0; i < w->rows; i++) {
        w->max[i] = -INFINITY;
        w->sum[i] = 0.0f;
    }
    for (int64_t i = 0; i < w->rows && w->may_skip; i++)
        w->may_skip = is_finite(q + i * q_step, g->head_dim);
    int64_t end = g->causal ? rt_min(g->kv_len, w->s0 + w->rows) : g->kv_len;
    int first = 1;
    for (int64_t t0 = 0; t0 < end; t0 += s->t_block) {
        int64_t depth = rt_min(s->t_block, g->kv_len - t0);
        int64_t t = t0, t_end = rt_min(t0 + depth, end);
        if (w->may_skip) narrow(g, w, &t, &t_end);
        if (t == t_end) continue;
        scores_of_block(s, w, q, q_step, t, t_end - t);
        for (int64_t i = 0; i < w->rows; i++) {
            float *score = w->scores + i * s->pitch;
            float shrink = softmax_row(g, w, i, score, t, t_end - t);
            if (!first && shrink != 1.0f) scale_row(w->out + i * d_width, columns_of(s), shrink);
        }
        add_values(s, w, t0, depth, t, t_end - t, first);
        first = 0;
    }
    if (first) memset(w->out, 0, (size_t)(w->rows * d_width) * sizeof(float));
    for (int64_t i = 0; i < w->rows; i++) finish_row(g, w, i, w->out + i * d_width, w->sum[i]);
}

/* Of a block; tiles take whole ones. */
static int64_t first_query(const sdpa *s, int64_t block)
{
    int64_t count = s->g->q_len;
    return s->by_tiles ? rt_min(count, block * s->q_rows) : count * block / s->q_blocks;
}

static void many_task(void *context, int64_t begin, int64_t end, int worker)
{
    const sdpa *s = context;
    const rt_sdpa *g = s->g;
    char *memory = rt_scratch_worker(s->scratch, worker);
    worker_state *state = (worker_state *)memory;
    for (int64_t i = begin; i < end; i++) {
        int64_t q_block = i % s->q_blocks, index = i / s->q_blocks;
        work w = {
            .batch = index / g->heads,
            .head = index % g->heads,
            .scores = (float *)(memory + s->score_at),
            .out = (float *)(memory + s->out_at),
            .max = (float *)(memory + s->stat_at),
            .sum = (float *)(memory + s->stat_at) + s->q_rows,
            .pointers = (const float **)(memory + s->rows_at),
            .k = memory + s->k_at,
            .v = memory + s->v_at,
        };
        w.kv_head = w.head / (g->heads / g->kv_heads);
        w.s0 = first_query(s, q_block);
        w.rows = first_query(s, q_block + 1) - w.s0;
        int64_t key = w.batch * g->kv_heads + w.kv_head;
        if (state->head != key) state->finite = pack_head(s, w.batch, w.kv_head, memory);
        state->head = key;
        w.may_skip = state->finite != 0;
        if (s->by_tiles)
            RT_FN(rt_sdpa_tiles)(s, &w);
        else
            query_block(s, &w, memory);
    }
}

/* ---- few query rows ---- */

enum { AT_ONCE = 4 /* keys, or vectors of values */ };

RT_INLINE vf load_stored(stored_keys k, int64_t i, const int kind)
{
    return kind == RT_KEYS_FLOAT ? v_load(keys_floats(k) + i)
                                 : v_load_half(keys_halves(k) + i, kind == RT_KEYS_BF16);
}

/* Scores of AT_ONCE keys, each of which is contiguous. */
RT_INLINE void dots(float *score, const float *q, stored_keys k, int64_t k_step, int64_t width,
                    const int kind)
{
    vf sum[AT_ONCE] = {(vf){0}};
    int64_t d = 0;
    for (; d + VL <= width; d += VL) {
        vf x = v_load(q + d);
#pragma GCC unroll 4
        for (int i = 0; i < AT_ONCE; i++) sum[i] += x * load_stored(k, i * k_step + d, kind);
    }
    v_reduce_four(score, sum);
    for (; d < width; d++)
        for (int i = 0; i < AT_ONCE; i++) score[i] += q[d] * key_at(k, i * k_step + d);
}

RT_INLINE void dots_of_all(float *score, const float *q, stored_keys k, int64_t k_step,
                           int64_t width, int64_t count, const int kind)
{
    int64_t t = 0;
    for (; t + AT_ONCE <= count; t += AT_ONCE)
        dots(score + t, q, keys_from(k, t * k_step), k_step, width, kind);
    for (; t < count; t++) {
        float some[AT_ONCE];
        dots(some, q, keys_from(k, t * k_step), 0, width, kind);
        score[t] = some[0];
    }
}

static void few_scores(const rt_sdpa *g, float *score, const float *q, stored_keys k, int64_t count)
{
    int64_t step = g->k_stride[2], width = g->head_dim;
    if (g->k_stride[3] != 1)
        for (int64_t t = 0; t < count; t++) {
            score[t] = 0;
            for (int64_t d = 0; d < width; d++)
                score[t] += q[d] * key_at(k, t * step + d * g->k_stride[3]);
        }
    else if (g->keys_kind == RT_KEYS_FLOAT)
        dots_of_all(score, q, k, step, width, count, RT_KEYS_FLOAT);
    else if (g->keys_kind == RT_KEYS_BF16)
        dots_of_all(score, q, k, step, width, count, RT_KEYS_BF16);
    else
        dots_of_all(score, q, k, step, width, count, RT_KEYS_F16);
    for (int64_t t = 0; t < count; t++) score[t] *= g->scale;
}

/* So many vectors of sums += weights times values. Keys take turns at two sums each. */
RT_INLINE void add_vectors(float *sums, const float *weight, stored_keys v, int64_t v_step,
                           int64_t count, const int vectors, const int kind)
{
    vf sum[2][AT_ONCE];
    int64_t t = 0;
#pragma GCC unroll 4
    for (int i = 0; i < vectors; i++) {
        sum[0][i] = v_load(sums + i * VL);
        sum[1][i] = (vf){0};
    }
    for (; t + 2 <= count; t += 2)
#pragma GCC unroll 2
        for (int way = 0; way < 2; way++)
#pragma GCC unroll 4
            for (int i = 0; i < vectors; i++)
                sum[way][i] += load_stored(v, (t + way) * v_step + i * VL, kind) * weight[t + way];
#pragma GCC unroll 4
    for (int i = 0; i < vectors; i++) {
        if (t < count) sum[0][i] += load_stored(v, t * v_step + i * VL, kind) * weight[t];
        v_store(sums + i * VL, sum[0][i] + sum[1][i]);
    }
}

RT_INLINE void add_all(float *sums, const float *weight, stored_keys v, int64_t v_step,
                       int64_t width, int64_t count, const int kind)
{
    int64_t d = 0;
    for (; d + AT_ONCE * VL <= width; d += AT_ONCE * VL)
        add_vectors(sums + d, weight, keys_from(v, d), v_step, count, AT_ONCE, kind);
    for (; d + VL <= width; d += VL)
        add_vectors(sums + d, weight, keys_from(v, d), v_step, count, 1, kind);
    for (int64_t t = 0; d < width && t < count; t++)
        for (int64_t i = d; i < width; i++) sums[i] += weight[t] * key_at(v, t * v_step + i);
}

static void few_values(const rt_sdpa *g, float *sums, const float *weight, stored_keys v,
                       int64_t count)
{
    int64_t step = g->v_stride[2], width = g->value_dim;
    if (g->v_stride[3] != 1)
        for (int64_t t = 0; t < count; t++)
            for (int64_t d = 0; d < width; d++)
                sums[d] += weight[t] * key_at(v, t * step + d * g->v_stride[3]);
    else if (g->keys_kind == RT_KEYS_FLOAT)
        add_all(sums, weight, v, step, width, count, RT_KEYS_FLOAT);
    else if (g->keys_kind == RT_KEYS_BF16)
        add_all(sums, weight, v, step, width, count, RT_KEYS_BF16);
    else
        add_all(sums, weight, v, step, width, count, RT_KEYS_F16);
}

static void few_task(void *context, int64_t begin, int64_t end, int worker)
{
    const sdpa *s = context;
    const rt_sdpa *g = s->g;
    char *memory = rt_scratch_worker(s->scratch, worker);
    float *q = (float *)(memory + s->q_at), *score = (float *)(memory + s->score_at);
    float *sums = (float *)(memory + s->out_at);
    for (int64_t i = begin; i < end; i++) {
        float max = -INFINITY, sum = 0.0f;
        int64_t index = i / g->q_len;
        work w = {.batch = index / g->heads,
                  .head = index % g->heads,
                  .s0 = i % g->q_len,
                  .rows = 1,
                  .max = &max,
                  .sum = &sum};
        w.kv_head = w.head / (g->heads / g->kv_heads);
        stored_keys k = keys_of(g, w.batch, w.kv_head), v = values_of(g, w.batch, w.kv_head);
        keys_row(q, queries_of(g, &w), g->q_stride[3], g->head_dim);
        memset(sums, 0, (size_t)g->value_dim * sizeof *sums);
        int64_t t_end = g->causal ? rt_min(g->kv_len, w.s0 + 1) : g->kv_len;
        for (int64_t t0 = 0; t0 < t_end; t0 += s->t_block) {
            int64_t count = rt_min(s->t_block, t_end - t0);
            few_scores(g, score, q, keys_from(k, t0 * g->k_stride[2]), count);
            float shrink = softmax_row(g, &w, 0, score, t0, count);
            if (t0 > 0) scale_row(sums, g->value_dim, shrink);
            few_values(g, sums, score, keys_from(v, t0 * g->v_stride[2]), count);
        }
        finish_row(g, &w, 0, sums, sum);
    }
}

/* ---- entry ---- */

static size_t place(size_t *end, int64_t bytes)
{
    size_t at = *end;
    *end = (at + (size_t)bytes + 63) / 64 * 64;
    return at;
}

int RT_FN(rt_sdpa)(rt_team *team, const rt_sdpa *g)
{
    enum { F = sizeof(float) };
    int64_t heads = g->batch * g->heads, threads = rt_pool_threads(team->pool);
    if (heads <= 0 || g->q_len <= 0 || g->value_dim <= 0) return 0;
    int few = g->q_len <= RT_SDPA_FEW_QUERIES;
    sdpa s = {.g = g, .by_tiles = !few && RT_FN(rt_sdpa_has_tiles)(g)};
    int64_t rows_most = s.by_tiles ? RT_SDPA_TILE_ROWS : Q_ROWS;
    s.q_blocks = few ? g->q_len : rt_ceil_div(g->q_len, rows_most);
    s.q_rows = s.by_tiles ? rt_min(g->q_len, rows_most) : rt_ceil_div(g->q_len, s.q_blocks);
    s.t_block = rt_min(RT_SDPA_KEYS, rt_ceil_div(rt_max(g->kv_len, 1), RT_PANEL) * RT_PANEL);
    s.pitch = s.t_block + (s.by_tiles ? RT_SDPA_TILE_GAP : 0);
    s.d_panels = rt_ceil_div(g->value_dim, RT_PANEL);
    s.k_lines = RT_FN(rt_sdpa_lines)(g->head_dim);
    s.v_lines = RT_FN(rt_sdpa_lines)(g->kv_len);
    int64_t t_padded = rt_ceil_div(g->kv_len, RT_PANEL) * RT_PANEL;
    int64_t k_numbers = t_padded * (s.by_tiles ? s.k_lines : g->head_dim),
            v_numbers = (s.by_tiles ? s.v_lines : t_padded) * s.d_panels * RT_PANEL;
    int copies_q =
        few || (!s.by_tiles && (g->q_stride[3] != 1 || g->queries_kind != RT_KEYS_FLOAT));
    size_t bytes = sizeof(worker_state);
    s.k_at = place(&bytes, few ? 0 : k_numbers * F);
    s.v_at = place(&bytes, few ? 0 : v_numbers * F);
    s.q_at = place(&bytes, copies_q ? s.q_rows * g->head_dim * F : 0);
    s.score_at = place(&bytes, s.q_rows * s.pitch * F);
    s.out_at = place(&bytes, s.q_rows * s.d_panels * RT_PANEL * F);
    s.stat_at = place(&bytes, 2 * s.q_rows * F);
    s.rows_at = place(&bytes, s.q_rows * (int64_t)sizeof(float *));
    rt_scratch scratch;
    if (rt_scratch_take(team, 0, bytes, &scratch) != 0) return -1;
    for (int i = 0; i < threads; i++) ((worker_state *)rt_scratch_worker(&scratch, i))->head = -1;
    s.scratch = &scratch;
    int64_t keys = g->kv_len * (g->head_dim + g->value_dim);
    rt_parallel(team->pool, few ? few_task : many_task, &s, heads * s.q_blocks,
                rt_grain(heads * s.q_blocks, 2 * heads * g->q_len * keys, 4 * heads * keys));
    rt_scratch_drop(team, &scratch);
    return 0;
}
