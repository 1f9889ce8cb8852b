/* rt_halves.c - C = A x B of numbers of 16 bits, with sums of floats.
 *
 * A processor that multiplies tiles of bf16 takes one panel after another (rt_halves_amx.c), of all rows of a
 * block. One that multiplies pairs reads both as they are: a piece of a panel stays in the
 * first-level cache while the tiles of all rows read it (rt_half_tile.c).
 *
 * Others, and f16: few rows become floats first, and what it takes is to read B, which becomes floats in
 * registers, also where it is no panels but lies as it comes. Of many rows a piece of a panel becomes floats,
 * and so does that depth of A, for the tiles of floats. Panels are taken in groups, so that A's part of the
 * depth stays in the second-level cache.
 */
#include "rt_isa.h"

#include "rt_halves.h"

enum {
    AT_ONCE = 4, /* rows of few */
    STRIP = 32,  /* rows that tiles of AMX are best at */
    ROWS_MAX = RT_HALVES_TILES * MR,
    GROUP_BYTES = 128 * 1024, /* C of one group of panels */
    STREAM_AHEAD = 8192,
    PV = RT_PANEL / VL /* vectors of a panel's row */
};

typedef struct halves {
    const rt_halves *args;
    const rt_post *post;
    int64_t panels, lines; /* lines: of a panel */
    int64_t row_blocks, panel_blocks;
    int64_t rows;         /* of a block, at most */
    enum rt_halves_by by; /* pairs: by rt_half_tile.c */
    int64_t depth;        /* of a piece */
    const float *a;       /* few rows, as floats */
    const rt_scratch *scratch;
} halves;

static const uint32_t *panel_of(const halves *s, int64_t panel)
{
    return s->args->packed + panel * s->lines * RT_PANEL;
}

static int64_t width_of(const halves *s, int64_t panel)
{
    return rt_min(RT_PANEL, s->args->n - panel * RT_PANEL);
}

static void finish(const halves *s, int64_t m0, int64_t m1, int64_t begin, int64_t end)
{
    if (s->post->epilogue && begin < end)
        s->post->epilogue(s->post->context, m0, m1, begin * RT_PANEL,
                          rt_min(end * RT_PANEL, s->args->n));
}

/* ---- A ---- */

RT_INLINE void widen(float *to, const uint16_t *from, int64_t count, const int is_bf16)
{
    int64_t k = 0;
    for (; k + VL <= count; k += VL) v_store(to + k, v_load_half(from + k, is_bf16));
    for (; k < count; k++) to[k] = rt_float_of_half(from[k], is_bf16);
}

/* Depth [k0, k1) of a row, as floats. */
static void widen_row(const rt_halves *g, int64_t row, int64_t k0, int64_t k1, float *to)
{
    const uint16_t *from = g->a + row * g->a_row + k0 * g->a_col;
    if (g->a_col != 1)
        for (int64_t k = 0; k < k1 - k0; k++)
            to[k] = rt_float_of_half(from[k * g->a_col], g->is_bf16);
    else if (g->is_bf16)
        widen(to, from, k1 - k0, 1);
    else
        widen(to, from, k1 - k0, 0);
}

static void copy_row(const rt_halves *g, int64_t row, int64_t k0, int64_t k1, uint16_t *to)
{
    const uint16_t *from = g->a + row * g->a_row + k0 * g->a_col;
    for (int64_t k = 0; k < k1 - k0; k++) to[k] = from[k * g->a_col];
}

/* ---- few rows ---- */

enum { WAYS = 2 };
#define WAYS_OF(rows) ((rows) * (int)PV < 4 ? 2 : 1)

RT_INLINE void few_start(vf acc[WAYS][AT_ONCE][PV], const int rows)
{
    for (int way = 0; way < WAYS_OF(rows); way++)
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
            for (int j = 0; j < PV; j++) acc[way][i][j] = (vf){0};
}

/* `steps` of one line, 1 or 2. */
RT_INLINE void few_line(vf acc[WAYS][AT_ONCE][PV], const float *const *a, int64_t k,
                        const int steps, const uint32_t *line, const int rows, const int is_bf16)
{
#pragma GCC unroll 8
    for (int j = 0; j < PV; j++) {
        vf b[2];
        v_load_line(b, line, j, is_bf16);
#pragma GCC unroll 2
        for (int at = 0; at < steps; at++)
#pragma GCC unroll 4
            for (int i = 0; i < rows; i++) acc[at % WAYS_OF(rows)][i][j] += b[at] * a[i][k + at];
    }
}

/* total += rows x panel, over depth [k, end). */
RT_INLINE void few_part(vf total[AT_ONCE][PV], const uint32_t *panel, const float *const *a,
                        int64_t k, int64_t end, const int rows, const int is_bf16)
{
    vf acc[WAYS][AT_ONCE][PV];
    const uint32_t *line = panel + k / 2 * RT_PANEL;
    few_start(acc, rows);
    for (; k + 2 <= end; k += 2, line += RT_PANEL) {
        few_line(acc, a, k, 2, line, rows, is_bf16);
        RT_PREFETCH((const char *)line + STREAM_AHEAD);
        RT_PREFETCH((const char *)line + STREAM_AHEAD + RT_LINE);
    }
    if (k < end) few_line(acc, a, k, 1, line, rows, is_bf16);
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
        for (int j = 0; j < PV; j++) {
            vf sum = acc[0][i][j];
            if (WAYS_OF(rows) == 2) sum += acc[1][i][j];
            total[i][j] += sum;
        }
}

/* C's columns of one panel, of so many rows from the m0-th on. */
RT_INLINE void few_panel(const halves *s, int64_t panel, int64_t m0, const int rows,
                         const int is_bf16)
{
    const rt_halves *g = s->args;
    const float *a[AT_ONCE], *bias = s->post->bias;
    vf total[AT_ONCE][PV];
    int64_t n0 = panel * RT_PANEL, width = width_of(s, panel);
    for (int i = 0; i < rows; i++) {
        a[i] = s->a + (m0 + i) * g->k;
        for (int j = 0; j < PV; j++) {
            int64_t lanes = rt_min(VL, width - j * VL);
            total[i][j] = !bias         ? (vf){0}
                          : lanes == VL ? v_load(bias + n0 + j * VL)
                                        : v_load_part(bias + n0 + j * VL, rt_max(lanes, 0));
        }
    }
    for (int64_t k = 0; k < g->k; k += RT_DEPTH_PART)
        few_part(total, panel_of(s, panel), a, k, rt_min(g->k, k + RT_DEPTH_PART), rows, is_bf16);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < PV; j++) {
            float *c = g->c + (m0 + i) * g->ldc + n0 + j * VL;
            int64_t lanes = rt_min(VL, width - j * VL);
            if (lanes == VL)
                v_store(c, total[i][j]);
            else
                v_store_part(c, total[i][j], rt_max(lanes, 0));
        }
}

typedef void (*few_fn)(const halves *s, int64_t panel, int64_t m0);
#define FEW(rows, is_bf16)                                                         \
    static void few_##rows##_##is_bf16(const halves *s, int64_t panel, int64_t m0) \
    {                                                                              \
        few_panel(s, panel, m0, rows, is_bf16);                                    \
    }
#define FEW_BOTH(rows) FEW(rows, 0) FEW(rows, 1)
FEW_BOTH(1)
FEW_BOTH(2)
FEW_BOTH(3)
FEW_BOTH(4)

/* [rows - 1][is_bf16] */
static const few_fn few_kernels[AT_ONCE][2] = {
    {few_1_0, few_1_1}, {few_2_0, few_2_1}, {few_3_0, few_3_1}, {few_4_0, few_4_1}};

static void few_task(void *context, int64_t begin, int64_t end, int worker)
{
    const halves *s = context;
    const rt_halves *g = s->args;
    (void)worker;
    for (int64_t panel = begin; panel < end; panel++)
        for (int64_t m = 0; m < g->m; m += AT_ONCE)
            few_kernels[rt_min(AT_ONCE, g->m - m) - 1][g->is_bf16](s, panel, m);
    finish(s, 0, g->m, begin, end);
}

/* By panels of B as it lies. */
static void place_task(void *context, int64_t begin, int64_t end, int worker)
{
    const halves *s = context;
    (void)worker;
    RT_FN(rt_halves_columns)
    (s->args, s->a, s->post->bias, begin * RT_PANEL, rt_min(end * RT_PANEL, s->args->n));
    finish(s, 0, s->args->m, begin, end);
}

static int few_rows(rt_team *team, halves *s)
{
    const rt_halves *g = s->args;
    rt_scratch scratch;
    if (rt_scratch_take(team, (size_t)(g->m * g->k) * sizeof(float), 0, &scratch)) return -1;
    float *a = rt_scratch_shared(&scratch);
    for (int64_t row = 0; row < g->m; row++) widen_row(g, row, 0, g->k, a + row * g->k);
    s->a = a;
    rt_parallel(team->pool, g->packed ? few_task : place_task, s, s->panels,
                rt_grain(s->panels, 2 * g->m * g->n * g->k, 2 * g->n * g->k));
    rt_scratch_drop(team, &scratch);
    return 0;
}

/* ---- blocks ---- */

/* Rows [m0, m1), and what a worker has laid out of depth [k0, k1) of them. */
typedef struct left {
    int64_t m0, m1, k0, k1;
    union {
        const uint16_t *halves[ROWS_MAX];
        const float *floats[ROWS_MAX];
    } rows;
    float *panel; /* where a piece of a panel becomes floats */
    char *copy;   /* of A, where that is not read in place */
} left;

static void lay_left(const halves *s, left *l)
{
    const rt_halves *g = s->args;
    for (int64_t i = 0; i < l->m1 - l->m0; i++) {
        int64_t row = l->m0 + i, depth = l->k1 - l->k0;
        if (s->by == RT_BY_FLOATS) {
            float *to = (float *)l->copy + i * depth;
            widen_row(g, row, l->k0, l->k1, to);
            l->rows.floats[i] = to;
        } else if (g->a_col == 1) {
            l->rows.halves[i] = g->a + row * g->a_row + l->k0;
        } else {
            uint16_t *to = (uint16_t *)l->copy + i * depth;
            copy_row(g, row, l->k0, l->k1, to);
            l->rows.halves[i] = to;
        }
    }
}

static void multiply_pairs(const halves *s, const left *l, int64_t panel)
{
    const rt_halves *g = s->args;
    int64_t m = l->m1 - l->m0, tiles = rt_block_tiles(m), n0 = panel * RT_PANEL;
    const uint32_t *b = panel_of(s, panel) + l->k0 / 2 * RT_PANEL;
    int64_t step = rt_ceil_div(RT_PANEL * (int64_t)sizeof *b, tiles);
    /* with one tile nothing is used twice: it runs ahead of the reads */
    const char *next = (const char *)(tiles == 1 ? b : b + s->lines * RT_PANEL);
    if (tiles == 1) next += STREAM_AHEAD;
    for (int64_t t = 0; t < tiles; t++) {
        int64_t first = rt_tile_begin(m, tiles, t), rows = rt_tile_begin(m, tiles, t + 1) - first;
        rt_half_tile tile = {
            .rows = l->rows.halves + first,
            .run = l->k1 - l->k0,
            .b = b,
            .c = g->c + (l->m0 + first) * g->ldc + n0,
            .ldc = g->ldc,
            .width = width_of(s, panel),
            .bias = l->k0 == 0 && s->post->bias ? s->post->bias + n0 : NULL,
            .load = l->k0 > 0,
            .prefetch = next,
            .prefetch_step = step,
        };
        RT_FN(rt_half_tiles)[rows](&tile);
        next += step * rt_ceil_div(l->k1 - l->k0, 2);
    }
}

RT_INLINE void expand(float *to, const uint32_t *line, int64_t lines, const int is_bf16)
{
    for (int64_t i = 0; i < lines; i++, line += RT_PANEL, to += 2 * RT_PANEL)
#pragma GCC unroll 8
        for (int j = 0; j < PV; j++) {
            vf step[2];
            v_load_line(step, line, j, is_bf16);
            v_store(to + j * VL, step[0]);
            v_store(to + RT_PANEL + j * VL, step[1]);
        }
}

static void multiply_floats(const halves *s, const left *l, int64_t panel)
{
    const rt_halves *g = s->args;
    int64_t n0 = panel * RT_PANEL, lines = rt_ceil_div(l->k1 - l->k0, 2);
    const uint32_t *b = panel_of(s, panel) + l->k0 / 2 * RT_PANEL;
    if (g->is_bf16)
        expand(l->panel, b, lines, 1);
    else
        expand(l->panel, b, lines, 0);
    rt_block block = {
        .m = l->m1 - l->m0,
        .n = width_of(s, panel),
        .taps = 1,
        .run = l->k1 - l->k0,
        .rows = l->rows.floats,
        .packed = l->panel,
        .c = g->c + l->m0 * g->ldc + n0,
        .ldc = g->ldc,
        .bias = l->k0 == 0 && s->post->bias ? s->post->bias + n0 : NULL,
        .load = l->k0 > 0,
    };
    RT_FN(rt_block_run)(&block);
}

static void run_block(const halves *s, left *l, int64_t begin, int64_t end)
{
    const rt_halves *g = s->args;
    int64_t c_bytes = (l->m1 - l->m0) * RT_PANEL * (int64_t)sizeof(float),
            group = rt_max(GROUP_BYTES / c_bytes, 1);
    for (int64_t first = begin; first < end; first += group) {
        int64_t last = rt_min(first + group, end);
        for (l->k0 = 0; l->k0 == 0 || l->k0 < g->k; l->k0 += s->depth) {
            l->k1 = rt_min(g->k, l->k0 + s->depth);
            lay_left(s, l);
            for (int64_t panel = first; panel < last; panel++)
                if (s->by == RT_BY_PAIRS)
                    multiply_pairs(s, l, panel);
                else
                    multiply_floats(s, l, panel);
        }
        finish(s, l->m0, l->m1, first, last);
    }
}

static void run_tiles(const halves *s, left *l, int64_t begin, int64_t end)
{
    const rt_halves *g = s->args;
    int64_t n0 = begin * RT_PANEL;
    RT_FN(rt_halves_amx)
    (&(rt_halves_amx){
        .m = l->m1 - l->m0,
        .n = rt_min(end * RT_PANEL, g->n) - n0,
        .k = g->k,
        .a = g->a + l->m0 * g->a_row,
        .a_row = g->a_row,
        .a_col = g->a_col,
        .packed = panel_of(s, begin),
        .lines = s->lines,
        .c = g->c + l->m0 * g->ldc + n0,
        .ldc = g->ldc,
        .bias = s->post->bias ? s->post->bias + n0 : NULL,
        .epilogue = s->post->epilogue,
        .context = s->post->context,
        .m_origin = l->m0,
        .n_origin = n0,
    });
}

/* Of a block; for tiles a whole number of strips before. */
static int64_t first_row(const halves *s, int64_t block)
{
    int64_t m = s->args->m;
    return s->by == RT_BY_TILES ? rt_min(m, block * s->rows) : m * block / s->row_blocks;
}

static void block_task(void *context, int64_t begin, int64_t end, int worker)
{
    const halves *s = context;
    float *memory = s->scratch ? rt_scratch_worker(s->scratch, worker) : NULL;
    left l = {.panel = memory, .copy = (char *)memory};
    if (s->by == RT_BY_FLOATS) l.copy += RT_HALVES_DEPTH * RT_PANEL * sizeof(float);
    for (int64_t i = begin; i < end; i++) {
        int64_t row_block = i / s->panel_blocks, panel_block = i % s->panel_blocks;
        l.m0 = first_row(s, row_block);
        l.m1 = first_row(s, row_block + 1);
        (s->by == RT_BY_TILES ? run_tiles
                              : run_block)(s, &l, s->panels * panel_block / s->panel_blocks,
                                           s->panels * (panel_block + 1) / s->panel_blocks);
    }
}

/* Of a worker: A as it is laid out, and with floats a piece of a panel. */
static size_t work_bytes(const halves *s, int64_t rows)
{
    int64_t depth = rt_min(s->args->k, s->depth);
    if (s->by == RT_BY_TILES) return 0;
    if (s->by == RT_BY_PAIRS)
        return s->args->a_col == 1 ? 0 : (size_t)(rows * depth) * sizeof(uint16_t);
    return (size_t)(RT_HALVES_DEPTH * RT_PANEL + rows * depth) * sizeof(float);
}

static void cut_blocks(halves *s, int64_t threads)
{
    const rt_halves *g = s->args;
    rt_cut cut = RT_FN(rt_block_cut_rows)(g->m, s->panels, g->k, g->k * (int64_t)sizeof(uint16_t),
                                          8 * MR, ROWS_MAX, threads);
    s->row_blocks = cut.row_blocks;
    s->panel_blocks = cut.panel_blocks;
    s->rows = rt_ceil_div(g->m, s->row_blocks);
}

/* Rows stay together as long as there are columns enough: B is read once for all of a block. */
static void cut_for_tiles(halves *s, int64_t threads)
{
    int64_t wanted = threads > 1 ? 4 * threads : 1, strips = rt_ceil_div(s->args->m, STRIP);
    s->panel_blocks = rt_min(wanted, s->panels);
    s->row_blocks = rt_min(rt_ceil_div(wanted, s->panel_blocks), strips);
    s->rows = rt_ceil_div(strips, s->row_blocks) * STRIP;
    s->row_blocks = rt_ceil_div(s->args->m, s->rows);
}

static int blocks(rt_team *team, halves *s)
{
    const rt_halves *g = s->args;
    rt_scratch scratch;
    if (s->by == RT_BY_TILES)
        cut_for_tiles(s, rt_pool_threads(team->pool));
    else
        cut_blocks(s, rt_pool_threads(team->pool));
    size_t bytes = work_bytes(s, s->rows);
    if (bytes && rt_scratch_take(team, 0, bytes, &scratch)) return -1;
    s->scratch = bytes ? &scratch : NULL;
    int64_t count = s->row_blocks * s->panel_blocks, size = g->n * g->k;
    rt_parallel(team->pool, block_task, s, count, rt_grain(count, 2 * g->m * size, 2 * size));
    if (bytes) rt_scratch_drop(team, &scratch);
    return 0;
}

int RT_FN(rt_halves)(rt_team *team, const rt_halves *args, const rt_post *post)
{
    if (args->m <= 0 || args->n <= 0) return 0;
    halves s = {.args = args,
                .post = post,
                .panels = rt_ceil_div(args->n, RT_PANEL),
                .lines = args->lines ? args->lines : rt_ceil_div(args->k, 2)};
    s.by = rt_halves_by(args->is_bf16 && !args->by_floats, args->m);
    int is_float = s.by == RT_BY_FLOATS;
    s.depth = (is_float ? 1 : 2) * RT_HALVES_DEPTH;
    if (!args->packed || (is_float && args->m <= RT_HALVES_FEW_ROWS)) return few_rows(team, &s);
    if (s.by == RT_BY_PAIRS && args->m <= MR && args->a_col == 1) s.depth = rt_max(args->k, 1);
    return blocks(team, &s);
}
