/* rt_quantised.c - C = A x B with B of 8 or 4 bits, scaled by columns and groups of depth.
 *
 * Few rows: what it takes is to read B. A word of each column of a panel is several steps of depth, whose
 * integers become floats in registers; sums of a group are scaled once. Integers of 4 bits would take longer
 * than their bytes: a mask and a conversion is all that is done to each, the rest to A, once.
 *
 * Many rows: a piece of a panel becomes floats that stay in the first-level cache while the tiles of all
 * rows read them; panels are taken in groups, so that A's part of that depth stays in the second-level one.
 */
#include "rt_isa.h"
#include "rt_words.h"

enum {
    AT_ONCE = 4,              /* rows of few */
    ROWS_MAX = 32 * MR,       /* rows of a block */
    GROUP_BYTES = 128 * 1024, /* C of one group of panels */
    PV = RT_PANEL / VL        /* vectors of a panel's row */
};

/* Columns of one panel. */
typedef struct panel {
    const uint32_t *words;
    int64_t first, width; /* columns [first, first + width) */
} panel;

static panel panel_at(const rt_quantised *g, int64_t index)
{
    int64_t words = rt_ceil_div(g->k * g->bits, 32);
    return (panel){g->packed + index * words * RT_PANEL, index * RT_PANEL,
                   rt_min(RT_PANEL, g->n - index * RT_PANEL)};
}

/* A row of numbers by columns, those of one panel. */
RT_INLINE void load_columns(vf out[PV], const float *row, const panel *p)
{
    for (int j = 0; j < PV; j++) {
        int64_t lanes = rt_min(VL, p->width - j * VL);
        out[j] = lanes == VL ? v_load(row + p->first + j * VL)
                             : v_load_part(row + p->first + j * VL, rt_max(lanes, 0));
    }
}

RT_INLINE void load_scaling(vf scale[PV], vf zero[PV], const rt_quantised *g, const panel *p,
                            int64_t group)
{
    load_columns(scale, g->scales + group * g->scales_row, p);
    if (g->zeros) load_columns(zero, g->zeros + group * g->zeros_row, p);
}

/* ---- few rows ---- */

enum { WAYS = 2 };
#define WAYS_OF(rows) ((rows) * (int)PV < 4 ? 2 : 1)

/* What is done about zeros. RAISED is for integers of 4 bits alone: where they lie in a word, as unsigned
 * ones, 8 more than they are and times 16^at, which rows of A that are divided by that make good; what 8 and
 * the zero add to a group is taken from its sum. */
enum { NO_ZEROS, SUBTRACT, RAISED, STEPS4 = 8, RAISE = 8 };

/* The `at`-th integer of so many bits. */
RT_INLINE vf few_integers(vi word, int at, const int bits, const int zeros)
{
    if (zeros == RAISED) return v_raised(word, at);
    return v_field(word, at, bits);
}

/* One step of depth, the `at`-th of the words. */
RT_INLINE void few_step(vf acc[AT_ONCE][PV], const vi word[PV], int at, const float *const *a,
                        int64_t k, const vf zero[PV], const int rows, const int bits,
                        const int zeros)
{
#pragma GCC unroll 8
    for (int j = 0; j < PV; j++) {
        vf q = few_integers(word[j], at, bits, zeros);
        if (zeros == SUBTRACT) q -= zero[j];
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) acc[i][j] += q * a[i][k];
    }
}

RT_INLINE void load_row(vi word[PV], const uint32_t *words)
{
#pragma GCC unroll 8
    for (int j = 0; j < PV; j++) word[j] = v_load_words(words + j * VL);
}

RT_INLINE void few_start(vf acc[WAYS][AT_ONCE][PV], const int rows)
{
    for (int way = 0; way < WAYS_OF(rows); way++)
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
            for (int j = 0; j < PV; j++) acc[way][i][j] = (vf){0};
}

/* total += scale * (rows x panel), over depth [k, end). */
RT_INLINE void few_part(vf total[AT_ONCE][PV], const uint32_t *words, const float *const *a,
                        int64_t k, int64_t end, const vf scale[PV], const vf zero[PV],
                        const int rows, const int bits, const int zeros)
{
    enum { WORD = 32 };
    vf acc[WAYS][AT_ONCE][PV];
    vi word[PV];
    const int per = WORD / bits;
    words += k / per * RT_PANEL;
    few_start(acc, rows);
    for (; k + per <= end; k += per, words += RT_PANEL) {
        load_row(word, words);
#pragma GCC unroll 8
        for (int at = 0; at < per; at++)
            few_step(acc[at % WAYS_OF(rows)], word, at, a, k + at, zero, rows, bits, zeros);
    }
    if (k < end) load_row(word, words);
    for (int at = 0; k < end; k++, at++) few_step(acc[0], word, at, a, k, zero, rows, bits, zeros);
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
        for (int j = 0; j < PV; j++) {
            vf sum = acc[0][i][j];
            if (WAYS_OF(rows) == 2) sum += acc[1][i][j];
            total[i][j] += scale[j] * sum;
        }
}

RT_INLINE void few_zeros(vf total[AT_ONCE][PV], const float *sums, int64_t groups,
                         const vf scale[PV], const vf zero[PV], const int rows)
{
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
        for (int j = 0; j < PV; j++) total[i][j] -= scale[j] * (zero[j] + RAISE) * sums[i * groups];
}

/* A, as few rows read it. */
typedef struct few_left {
    const float *a;
    int64_t lda;
    const float *sums; /* [m][groups]; NULL: nothing is raised */
} few_left;

/* C's columns of one panel, of so many rows from the m0-th on. */
RT_INLINE void few_panel(const rt_quantised *g, const panel *p, const float *bias,
                         const few_left *l, int64_t m0, const int rows, const int bits,
                         const int zeros)
{
    const float *a[AT_ONCE];
    vf total[AT_ONCE][PV], scale[PV], zero[PV] = {(vf){0}}, last[PV] = {(vf){0}};
    int64_t depth = g->k / g->groups;
    if (bias) load_columns(last, bias, p);
    for (int i = 0; i < rows; i++) {
        a[i] = l->a + (m0 + i) * l->lda;
        for (int j = 0; j < PV; j++) total[i][j] = (vf){0};
    }
    for (int64_t group = 0; group < g->groups; group++) {
        int64_t end = (group + 1) * depth;
        load_scaling(scale, zero, g, p, group);
        if (zeros == RAISED)
            few_zeros(total, l->sums + m0 * g->groups + group, g->groups, scale, zero, rows);
        for (int64_t k = group * depth; k < end; k += RT_FINE_PART)
            few_part(total, p->words, a, k, rt_min(end, k + RT_FINE_PART), scale, zero, rows, bits,
                     zeros);
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < PV; j++) {
            float *c = g->c + (m0 + i) * g->ldc + p->first + j * VL;
            int64_t lanes = rt_min(VL, p->width - j * VL);
            vf sum = total[i][j] + last[j];
            if (lanes == VL)
                v_store(c, sum);
            else
                v_store_part(c, sum, rt_max(lanes, 0));
        }
}

typedef void (*few_fn)(const rt_quantised *g, const panel *p, const float *bias, const few_left *l,
                       int64_t m0);

#define FEW(rows, bits, zeros)                                                                  \
    static void few_##rows##_##bits##_##zeros(const rt_quantised *g, const panel *p,            \
                                              const float *bias, const few_left *l, int64_t m0) \
    {                                                                                           \
        few_panel(g, p, bias, l, m0, rows, bits, zeros);                                        \
    }
#define FEW_EACH(rows)     \
    FEW(rows, 8, NO_ZEROS) \
    FEW(rows, 8, SUBTRACT) FEW(rows, 4, NO_ZEROS) FEW(rows, 4, SUBTRACT) FEW(rows, 4, RAISED)
#define FEW_NAMES(rows)                                                              \
    {                                                                                \
        {few_##rows##_8_NO_ZEROS, few_##rows##_8_SUBTRACT, few_##rows##_8_SUBTRACT}, \
        {                                                                            \
            few_##rows##_4_NO_ZEROS, few_##rows##_4_SUBTRACT, few_##rows##_4_RAISED  \
        }                                                                            \
    }

FEW_EACH(1)
FEW_EACH(2)
FEW_EACH(3)
FEW_EACH(4)

/* [rows - 1][4 bits?][what about zeros] */
static const few_fn few_kernels[AT_ONCE][2][RAISED + 1] = {FEW_NAMES(1), FEW_NAMES(2), FEW_NAMES(3),
                                                           FEW_NAMES(4)};

typedef struct quantised {
    const rt_quantised *args;
    rt_post post;
    int64_t panels, row_blocks, panel_blocks;
    const rt_scratch *scratch;
    few_left left;
    int zeros; /* what few rows do about them */
} quantised;

static void finish(const quantised *s, int64_t m0, int64_t m1, const panel *p)
{
    if (s->post.epilogue) s->post.epilogue(s->post.context, m0, m1, p->first, p->first + p->width);
}

static void few_task(void *context, int64_t begin, int64_t end, int worker)
{
    const quantised *s = context;
    const rt_quantised *g = s->args;
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        panel p = panel_at(g, i);
        for (int64_t m = 0; m < g->m; m += AT_ONCE) {
            int64_t rows = rt_min(AT_ONCE, g->m - m);
            few_kernels[rows - 1][g->bits == 4][s->zeros](g, &p, s->post.bias, &s->left, m);
        }
        finish(s, 0, g->m, &p);
    }
}

/* One group of one row for integers that are raised. Returns its sum; *largest: of its magnitudes. */
static float divide_group(const float *from, int64_t depth, float *to, float *largest)
{
    static const float by[STEPS4] = {1,        0x1p-4f,  0x1p-8f,  0x1p-12f,
                                     0x1p-16f, 0x1p-20f, 0x1p-24f, 1};
    float sums[STEPS4] = {0}, most[STEPS4] = {0}, sum = 0;
    for (int64_t k = 0; k < depth; k += STEPS4)
        for (int64_t i = 0; i < rt_min(STEPS4, depth - k); i++) {
            sums[i] += from[k + i];
            float magnitude = from[k + i] < 0 ? -from[k + i] : from[k + i];
            most[i] = magnitude > most[i] ? magnitude : most[i];
            to[k + i] = from[k + i] * by[i];
        }
    *largest = 0;
    for (int i = 0; i < STEPS4; i++) {
        sum += sums[i];
        *largest = most[i] > *largest ? most[i] : *largest;
    }
    return sum;
}

/* Divides A, and returns whether that is exact enough and all sums of its groups are finite. */
static int divide_rows(const rt_quantised *g, float *sums, float *to)
{
    const float least = 0x1p-96f; /* what is smaller is subnormal once divided, and loses bits */
    int64_t depth = g->k / g->groups;
    int may = 1;
    for (int64_t at = 0; at < g->m * g->groups; at++) {
        int64_t row = at / g->groups, k = at % g->groups * depth;
        float largest;
        sums[at] = divide_group(g->a + row * g->lda + k, depth, to + row * g->k + k, &largest);
        may &= sums[at] * 0 == 0 && (largest == 0 || largest >= least);
    }
    return may;
}

static void run_few(rt_team *team, quantised *s)
{
    const rt_quantised *g = s->args;
    int64_t size = g->n * g->k;
    rt_parallel(team->pool, few_task, s, s->panels,
                rt_grain(s->panels, 2 * g->m * size, size * g->bits / 8));
}

/* What is raised makes NaN of infinity among A where it should not be, and rounds what is tiny. */
static int few_rows(rt_team *team, quantised *s)
{
    const rt_quantised *g = s->args;
    rt_scratch scratch;
    s->zeros = g->zeros ? SUBTRACT : NO_ZEROS;
    s->left = (few_left){.a = g->a, .lda = g->lda};
    if (g->bits != 4) {
        run_few(team, s);
        return 0;
    }
    size_t bytes = (size_t)(g->m * (g->k + g->groups)) * sizeof(float);
    if (rt_scratch_take(team, bytes, 0, &scratch)) return -1;
    float *sums = rt_scratch_shared(&scratch), *a = sums + g->m * g->groups;
    if (divide_rows(g, sums, a)) {
        s->zeros = RAISED;
        s->left = (few_left){.a = a, .lda = g->k, .sums = sums};
    }
    run_few(team, s);
    rt_scratch_drop(team, &scratch);
    return 0;
}

/* ---- many rows ---- */

/* Some steps of depth, from the first of the word on, as floats. */
RT_INLINE void expand_word(float *out, const uint32_t *words, const int steps, const vf scale[PV],
                           const vf zero[PV], const int bits, const int has_zero)
{
#pragma GCC unroll 8
    for (int j = 0; j < PV; j++) {
        vi word = v_load_words(words + j * VL);
#pragma GCC unroll 8
        for (int at = 0; at < steps; at++) {
            vf q = v_field(word, at, bits);
            if (has_zero) q -= zero[j];
            v_store(out + at * RT_PANEL + j * VL, q * scale[j]);
        }
    }
}

/* Depth [k, end) of one group. */
RT_INLINE void expand(float *out, const uint32_t *words, int64_t k, int64_t end, const vf scale[PV],
                      const vf zero[PV], const int bits, const int has_zero)
{
    enum { WORD = 32 };
    const int per = WORD / bits;
    words += k / per * RT_PANEL;
    for (; k + per <= end; k += per, words += RT_PANEL, out += per * RT_PANEL)
        expand_word(out, words, per, scale, zero, bits, has_zero);
    if (k < end) expand_word(out, words, (int)(end - k), scale, zero, bits, has_zero);
}

static void expand_group(const rt_quantised *g, const panel *p, int64_t group, int64_t k0,
                         int64_t k1, float *out)
{
    vf scale[PV], zero[PV];
    load_scaling(scale, zero, g, p, group);
    if (g->bits == 8 && g->zeros)
        expand(out, p->words, k0, k1, scale, zero, 8, 1);
    else if (g->bits == 8)
        expand(out, p->words, k0, k1, scale, zero, 8, 0);
    else if (g->zeros)
        expand(out, p->words, k0, k1, scale, zero, 4, 1);
    else
        expand(out, p->words, k0, k1, scale, zero, 4, 0);
}

static void expand_piece(const rt_quantised *g, const panel *p, int64_t k0, int64_t k1, float *out)
{
    int64_t depth = rt_max(g->k / g->groups, 1);
    for (int64_t k = k0, end; k < k1; k = end) {
        end = rt_min(k1, (k / depth + 1) * depth);
        expand_group(g, p, k / depth, k, end, out + (k - k0) * RT_PANEL);
    }
}

/* One piece of depth of one panel against the rows [m0, m1). */
static void run_piece(const quantised *s, const panel *p, int64_t m0, int64_t m1, int64_t k0,
                      int64_t k1, const float **rows, float *floats)
{
    const rt_quantised *g = s->args;
    expand_piece(g, p, k0, k1, floats);
    rt_rows_plain(rows, g->a + m0 * g->lda + k0, g->lda, m1 - m0);
    rt_block block = {
        .m = m1 - m0,
        .n = p->width,
        .taps = 1,
        .run = k1 - k0,
        .rows = rows,
        .packed = floats,
        .c = g->c + m0 * g->ldc + p->first,
        .ldc = g->ldc,
        .bias = k1 == g->k && s->post.bias ? s->post.bias + p->first : NULL,
        .load = k0 > 0,
    };
    RT_FN(rt_block_run)(&block);
    if (k1 == g->k) finish(s, m0, m1, p);
}

static void many_block(const quantised *s, int64_t row_block, int64_t panel_block, float *floats)
{
    const rt_quantised *g = s->args;
    const float *rows[ROWS_MAX];
    int64_t m0 = g->m * row_block / s->row_blocks, m1 = g->m * (row_block + 1) / s->row_blocks;
    int64_t begin = s->panels * panel_block / s->panel_blocks,
            end = s->panels * (panel_block + 1) / s->panel_blocks;
    int64_t group = rt_max(GROUP_BYTES / ((m1 - m0) * RT_PANEL * (int64_t)sizeof(float)), 1);
    for (int64_t first = begin; first < end; first += group)
        for (int64_t k = 0; k < g->k; k += RT_QUANTISED_DEPTH)
            for (int64_t i = first; i < rt_min(first + group, end); i++) {
                panel p = panel_at(g, i);
                run_piece(s, &p, m0, m1, k, rt_min(g->k, k + RT_QUANTISED_DEPTH), rows, floats);
            }
}

static void many_task(void *context, int64_t begin, int64_t end, int worker)
{
    const quantised *s = context;
    float *floats = rt_scratch_worker(s->scratch, worker);
    for (int64_t i = begin; i < end; i++)
        many_block(s, i / s->panel_blocks, i % s->panel_blocks, floats);
}

/* ---- entry ---- */

static int many_rows(rt_team *team, quantised *s)
{
    const rt_quantised *g = s->args;
    rt_scratch scratch;
    rt_cut cut = RT_FN(rt_block_cut_rows)(g->m, s->panels, g->k, g->k * (int64_t)sizeof(float),
                                          8 * MR, ROWS_MAX, rt_pool_threads(team->pool));
    s->row_blocks = cut.row_blocks;
    s->panel_blocks = cut.panel_blocks;
    size_t bytes = (size_t)rt_min(g->k, RT_QUANTISED_DEPTH) * RT_PANEL * sizeof(float);
    if (rt_scratch_take(team, 0, bytes, &scratch)) return -1;
    s->scratch = &scratch;
    int64_t blocks = s->row_blocks * s->panel_blocks, size = g->n * g->k;
    rt_parallel(team->pool, many_task, s, blocks,
                rt_grain(blocks, 2 * g->m * size, size * g->bits / 8));
    rt_scratch_drop(team, &scratch);
    return 0;
}

int RT_FN(rt_quantised)(rt_team *team, const rt_quantised *args, const rt_post *post)
{
    if (args->m <= 0 || args->n <= 0) return 0;
    quantised s = {.args = args, .post = *post, .panels = rt_ceil_div(args->n, RT_PANEL)};
    return args->m > RT_QUANTISED_FEW_ROWS ? many_rows(team, &s) : few_rows(team, &s);
}
