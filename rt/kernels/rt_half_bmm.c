/* rt_half_bmm.c - batched products of numbers of 16 bits with any strides, with sums of floats.
 *
 * As rt_bmm.c: a task is one batch, one group of panels of B, which are made in the worker's scratch and
 * kept while the next task wants the same, and one block of rows. Where tiles or pairs are multiplied, panels
 * are of words, and A is read in place if its depth is contiguous; elsewhere both become floats. A few rows
 * become floats, and B is read as it lies.
 */
#include "rt_isa.h"

#include "rt_halves.h"
#include "rt_panel_halves.h"
#include "rt_sdpa_keys.h"

enum {
    STRIP = 32, /* rows that tiles are best at */
    ROWS_MAX = RT_BMM_TILES * MR / STRIP * STRIP,
    FEW_COLUMNS = 256 /* columns of a task that reads B in place */
};

typedef struct bmm {
    const rt_half_bmm *args;
    enum rt_halves_by by;
    int64_t panels, group, groups, row_blocks, rows_max;
    int64_t panel_numbers; /* words or floats of one */
    int64_t lines;         /* of words */
    size_t a_at, rows_at;  /* bytes into a worker's scratch; packed B is at worker_state */
    const rt_scratch *scratch;
} bmm;

/* First thing in a worker's scratch: which B it holds. */
typedef struct worker_state {
    int64_t batch, group;
    char pad[48];
} worker_state;
_Static_assert(sizeof(worker_state) == RT_STATE_BYTES, "as it is planned for");

/* Rows [m0, m1), panels [p0, p1) of a batch, and where a worker has them. */
typedef struct part {
    int64_t batch, m0, m1, p0, p1;
    char *packed;
    void *copy; /* of A */
    const void **rows;
} part;

static int kind_of(const rt_half_bmm *g)
{
    return g->is_bf16 ? RT_KEYS_BF16 : RT_KEYS_F16;
}

static void pack_group(const bmm *s, const part *p)
{
    const rt_half_bmm *g = s->args;
    for (int64_t i = p->p0; i < p->p1; i++) {
        char *to = p->packed + (size_t)((i - p->p0) * s->panel_numbers) * sizeof(float);
        int64_t at = p->batch * g->b_batch + i * RT_PANEL * g->b_col,
                width = rt_min(RT_PANEL, g->n - i * RT_PANEL);
        if (s->by == RT_BY_FLOATS)
            keys_pack((float *)to, (stored_keys){g->b, at, kind_of(g)}, g->b_col, g->b_row, g->k,
                      width);
        else
            rt_words_pack((uint32_t *)to, s->lines, g->b + at, g->b_col, g->b_row, g->k, width);
    }
}

/* ---- A ---- */

/* Rows that lie side by side, a number of each step behind the other: words of two steps, turned. */
static void turn_rows(const rt_half_bmm *g, const uint16_t *a, int64_t rows, uint16_t *to,
                      int64_t pitch)
{
    enum { SOME = 32 /* steps */ };
    uint32_t words[SOME / 2 * RT_PANEL];
    for (int64_t m = 0; m < rows; m += RT_PANEL)
        for (int64_t k = 0; k < g->k; k += SOME) {
            int64_t height = rt_min(RT_PANEL, rows - m), steps = rt_min(SOME, g->k - k);
            rt_words_pack(words, SOME / 2, a + m + k * g->a_col, 1, g->a_col, steps, height);
            for (int64_t i = 0; i < height; i++)
                for (int64_t j = 0; j < SOME / 2; j++)
                    memcpy(to + (m + i) * pitch + k + 2 * j, words + j * RT_PANEL + i,
                           sizeof *words);
        }
}

/* Whole pieces of SOME steps are written. */
static int64_t pitch_of(int64_t depth)
{
    return rt_ceil_div(depth, RT_SDPA_TILE_DEPTH) * RT_SDPA_TILE_DEPTH;
}

/* As the kernels take A: rows `*pitch` apart. */
static const void *left(const bmm *s, const part *p, int64_t *pitch)
{
    const rt_half_bmm *g = s->args;
    int64_t rows = p->m1 - p->m0, at = p->batch * g->a_batch + p->m0 * g->a_row;
    const uint16_t *a = g->a + at;
    *pitch = g->a_row;
    if (s->by == RT_BY_FLOATS) {
        float *to = p->copy;
        *pitch = g->k;
        for (int64_t i = 0; i < rows; i++)
            keys_row(to + i * g->k, (stored_keys){g->a, at + i * g->a_row, kind_of(g)}, g->a_col,
                     g->k);
        return to;
    }
    if (g->a_col == 1 || g->k == 1) return a;
    uint16_t *to = p->copy;
    *pitch = pitch_of(g->k);
    if (g->a_row == 1)
        turn_rows(g, a, rows, to, *pitch);
    else
        for (int64_t i = 0; i < rows; i++)
            for (int64_t k = 0; k < g->k; k++) to[i * *pitch + k] = a[i * g->a_row + k * g->a_col];
    return to;
}

/* ---- blocks ---- */

static float *result(const rt_half_bmm *g, const part *p)
{
    return g->c + p->batch * g->c_batch + p->m0 * g->ldc + p->p0 * RT_PANEL;
}

static void finish(const rt_half_bmm *g, const part *p)
{
    if (g->epilogue)
        g->epilogue(g->context, p->batch * g->m + p->m0, p->batch * g->m + p->m1, p->p0 * RT_PANEL,
                    rt_min(p->p1 * RT_PANEL, g->n));
}

static void multiply_floats(const bmm *s, const part *p, const void *a, int64_t pitch)
{
    const rt_half_bmm *g = s->args;
    const float **rows = (const float **)p->rows;
    rt_rows_plain(rows, a, pitch, p->m1 - p->m0);
    rt_block block = {
        .m = p->m1 - p->m0,
        .n = rt_min(p->p1 * RT_PANEL, g->n) - p->p0 * RT_PANEL,
        .taps = 1,
        .run = g->k,
        .rows = rows,
        .packed = (const float *)p->packed,
        .c = result(g, p),
        .ldc = g->ldc,
    };
    RT_FN(rt_block_run)(&block);
    finish(g, p);
}

static void multiply_pairs(const bmm *s, const part *p, const void *a, int64_t pitch)
{
    const rt_half_bmm *g = s->args;
    const uint16_t **rows = (const uint16_t **)p->rows;
    int64_t m = p->m1 - p->m0, tiles = rt_block_tiles(m);
    for (int64_t i = 0; i < m; i++) rows[i] = (const uint16_t *)a + i * pitch;
    for (int64_t panel = p->p0; panel < p->p1; panel++) {
        const uint32_t *b = (const uint32_t *)p->packed + (panel - p->p0) * s->panel_numbers;
        for (int64_t t = 0; t < tiles; t++) {
            int64_t first = rt_tile_begin(m, tiles, t);
            rt_half_tile tile = {
                .rows = rows + first,
                .run = g->k,
                .b = b,
                .c = result(g, p) + first * g->ldc + (panel - p->p0) * RT_PANEL,
                .ldc = g->ldc,
                .width = rt_min(RT_PANEL, g->n - panel * RT_PANEL),
                .prefetch = (const char *)b,
            };
            RT_FN(rt_half_tiles)[rt_tile_begin(m, tiles, t + 1) - first](&tile);
        }
    }
    finish(g, p);
}

static void multiply_tiles(const bmm *s, const part *p, const void *a, int64_t pitch)
{
    const rt_half_bmm *g = s->args;
    RT_FN(rt_halves_amx)
    (&(rt_halves_amx){.m = p->m1 - p->m0,
                      .n = rt_min(p->p1 * RT_PANEL, g->n) - p->p0 * RT_PANEL,
                      .k = g->k,
                      .a = a,
                      .a_row = pitch,
                      .a_col = 1,
                      .packed = (const uint32_t *)p->packed,
                      .lines = s->lines,
                      .is_padded = 1,
                      .c = result(g, p),
                      .ldc = g->ldc,
                      .epilogue = g->epilogue,
                      .context = g->context,
                      .m_origin = p->batch * g->m + p->m0,
                      .n_origin = p->p0 * RT_PANEL});
}

static void block_task(void *context, int64_t begin, int64_t end, int worker)
{
    const bmm *s = context;
    char *memory = rt_scratch_worker(s->scratch, worker);
    worker_state *state = (worker_state *)memory;
    part p = {.packed = memory + sizeof *state,
              .copy = memory + s->a_at,
              .rows = (const void **)(memory + s->rows_at)};
    for (int64_t i = begin; i < end; i++) {
        int64_t row_block = i % s->row_blocks, group = i / s->row_blocks % s->groups, pitch;
        p.batch = i / s->row_blocks / s->groups;
        p.p0 = s->panels * group / s->groups;
        p.p1 = s->panels * (group + 1) / s->groups;
        p.m0 = row_block * s->rows_max;
        p.m1 = rt_min(s->args->m, p.m0 + s->rows_max);
        int64_t b_batch = s->args->b_batch ? p.batch : 0;
        if (state->batch != b_batch || state->group != group) pack_group(s, &p);
        state->batch = b_batch;
        state->group = group;
        const void *a = left(s, &p, &pitch);
        if (s->by == RT_BY_FLOATS)
            multiply_floats(s, &p, a, pitch);
        else if (s->by == RT_BY_PAIRS)
            multiply_pairs(s, &p, a, pitch);
        else
            multiply_tiles(s, &p, a, pitch);
    }
}

static int blocks(rt_team *team, bmm *s)
{
    const rt_half_bmm *g = s->args;
    int64_t threads = rt_pool_threads(team->pool),
            depth = rt_max(g->k, RT_HALF_BMM_DEPTH); /* what of it is planned for */
    s->panels = rt_ceil_div(g->n, RT_PANEL);
    s->group = rt_min(s->panels, rt_max(RT_BMM_GROUP_BYTES / (depth * RT_PANEL * 4), 1));
    if (threads > 1 && g->batch * rt_ceil_div(s->panels, s->group) < 4 * threads)
        s->group = rt_max(rt_min(s->group, s->panels * g->batch / (4 * threads)), 1);
    s->groups = rt_ceil_div(s->panels, s->group);
    s->row_blocks = rt_ceil_div(g->m, ROWS_MAX);
    if (threads > 1 && g->batch * s->groups * s->row_blocks < 2 * threads)
        s->row_blocks = rt_max(s->row_blocks, rt_min(rt_ceil_div(g->m, STRIP), 2 * threads));
    s->rows_max = rt_ceil_div(rt_ceil_div(g->m, s->row_blocks), STRIP) * STRIP;
    s->row_blocks = rt_ceil_div(g->m, s->rows_max);
    s->lines = pitch_of(g->k) / 2;
    s->panel_numbers = (s->by == RT_BY_FLOATS ? g->k : s->lines) * RT_PANEL;
    int64_t rows = rt_min(s->rows_max, g->m), group_most = rt_ceil_div(s->panels, s->groups);
    int copies = s->by == RT_BY_FLOATS || (g->a_col != 1 && g->k != 1);
    s->a_at = sizeof(worker_state) + (size_t)(group_most * s->panel_numbers) * sizeof(float);
    s->rows_at = s->a_at + (copies ? rt_lines(rows * depth) : 0);
    rt_scratch scratch;
    if (rt_scratch_take(team, 0, s->rows_at + (size_t)rows * sizeof(void *), &scratch)) return -1;
    for (int i = 0; i < threads; i++) ((worker_state *)rt_scratch_worker(&scratch, i))->batch = -1;
    s->scratch = &scratch;
    int64_t tasks = g->batch * s->groups * s->row_blocks, size = g->batch * g->n * g->k;
    rt_parallel(team->pool, block_task, s, tasks, rt_grain(tasks, 2 * g->m * size, 2 * size));
    rt_scratch_drop(team, &scratch);
    return 0;
}

/* ---- few rows ---- */

static void few_task(void *context, int64_t begin, int64_t end, int worker)
{
    const bmm *s = context;
    const rt_half_bmm *g = s->args;
    float *a = (float *)rt_scratch_worker(s->scratch, worker);
    for (int64_t i = begin; i < end; i++) {
        int64_t batch = i / s->groups, n0 = i % s->groups * FEW_COLUMNS,
                n1 = rt_min(n0 + FEW_COLUMNS, g->n), at = batch * g->a_batch;
        rt_halves h = {.m = g->m,
                       .n = g->n,
                       .k = g->k,
                       .is_bf16 = g->is_bf16,
                       .b = g->b + batch * g->b_batch,
                       .b_row = g->b_row,
                       .b_col = g->b_col,
                       .c = g->c + batch * g->c_batch,
                       .ldc = g->ldc};
        for (int64_t m = 0; m < g->m; m++)
            keys_row(a + m * g->k, (stored_keys){g->a, at + m * g->a_row, kind_of(g)}, g->a_col,
                     g->k);
        RT_FN(rt_halves_columns)(&h, a, NULL, n0, n1);
        if (g->epilogue) g->epilogue(g->context, batch * g->m, (batch + 1) * g->m, n0, n1);
    }
}

static int few_rows(rt_team *team, bmm *s)
{
    const rt_half_bmm *g = s->args;
    rt_scratch scratch;
    s->groups = rt_ceil_div(g->n, FEW_COLUMNS);
    if (rt_scratch_take(team, 0, (size_t)(g->m * g->k) * sizeof(float), &scratch)) return -1;
    s->scratch = &scratch;
    int64_t tasks = g->batch * s->groups, size = g->batch * g->n * g->k;
    rt_parallel(team->pool, few_task, s, tasks, rt_grain(tasks, 2 * g->m * size, 2 * size));
    rt_scratch_drop(team, &scratch);
    return 0;
}

int RT_FN(rt_half_bmm)(rt_team *team, const rt_half_bmm *args)
{
    if (args->batch <= 0 || args->m <= 0 || args->n <= 0) return 0;
    bmm s = {.args = args};
    if (args->m <= RT_BMM_FEW_ROWS && (args->b_col == 1 || args->b_row == 1))
        return few_rows(team, &s);
    s.by = rt_halves_by(args->is_bf16 && !args->by_floats, args->m);
    return blocks(team, &s);
}
