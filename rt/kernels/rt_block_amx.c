/* rt_block_amx.c - a block of C (rt_isa.h) by the tile registers of AMX, which multiply bf16 sixteen times as
 * fast as there are products of floats.
 *
 * A float is the sum of three numbers of bf16, of eight digits each, and of the nine products of two such
 * sums six are made: the others are less than a float's last digit. (Henry, Tang, Heinecke: Leveraging the
 * bfloat16 Artificial Intelligence Datatype For Higher-Precision Computations, 2019.) A tile adds up 16 steps
 * before it joins the sums, so that these are nearer to the exact ones than sums of floats in their order.
 *
 * Depth goes in parts. One of all rows is split first, then that of one panel after another, and strips of 32
 * rows are multiplied by it. Steps of depth change places alike in A and in B: the two of a word are half a
 * tile apart. Digits that are too small for a number of bf16 would be lost, and NaN and infinity have no
 * digits: floats are multiplied (rt_block.c) in rows and panels where there are such. So a result does not
 * depend on which rows are multiplied together.
 */
#include "rt_isa.h"

#include "rt_amx_panel.h"

#if defined(RT_HAS_AMX) && !defined(RT_F64)

enum {
    PLANES = 3, /* numbers of bf16 that make a float */
    STEPS = AMX_STEPS,
    HALF = STEPS / 2,
    DEPTH = RT_AMX_DEPTH, /* of a part */
    PLANE_BYTES =
        AMX_STRIP *
        AMX_BYTES, /* of a tile of A, of both halves of a strip; and of B, both of a panel */
    TILE_BYTES = PLANES * PLANE_BYTES,
    GROUP_BYTES = 1024 * 1024, /* C of one group of panels */
    ROWS_AHEAD = 4             /* of A */
};
_Static_assert((int)RT_AMX_STEP_BYTES == PLANES * 2, "as it is planned for");
_Static_assert(AMX_STRIP *AMX_BYTES == AMX_ROWS * AMX_LINE_BYTES, "planes of A and B are as large");

/* Depth [begin, begin + steps) of all taps, for rows [m0, m1). */
typedef struct part {
    int64_t m0, m1, begin, steps;
    int is_first, is_last;
} part;

/* Of the magnitudes of floats, as words without their sign: the largest, and the smallest but for zeros, less
 * one. */
typedef struct range {
    __m512i most, least;
} range;

static range range_of_none(void)
{
    return (range){_mm512_setzero_si512(), _mm512_set1_epi32(-1)};
}

RT_INLINE void widen(range *r, __m512 x)
{
    __m512i size = _mm512_slli_epi32(_mm512_castps_si512(x), 1);
    r->most = _mm512_max_epu32(r->most, size);
    r->least = _mm512_min_epu32(r->least, _mm512_sub_epi32(size, _mm512_set1_epi32(1)));
}

/* The planes of two vectors, words of one's lane and the other's. What is left of a float behind its first
 * digits, rounded, has no more than it has room for. */
RT_INLINE void split(__m512 even, __m512 odd, char *to, range *r)
{
    const __m512i round = _mm512_set1_epi32(0x8000), high = _mm512_set1_epi32((int)0xffff0000);
    widen(r, even);
    widen(r, odd);
#pragma GCC unroll 3
    for (int plane = 0; plane < PLANES; plane++) {
        __m512i low = _mm512_castps_si512(even), up = _mm512_castps_si512(odd);
        if (plane < PLANES - 1) {
            low = _mm512_add_epi32(low, round);
            up = _mm512_add_epi32(up, round);
            even = _mm512_sub_ps(even, _mm512_castsi512_ps(_mm512_and_si512(low, high)));
            odd = _mm512_sub_ps(odd, _mm512_castsi512_ps(_mm512_and_si512(up, high)));
        }
        __m512i words = _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(low, 16), up);
        _mm512_store_si512(to + plane * PLANE_BYTES, words);
    }
}

/* Exponents, as a float has them, of what can be split, and what those of a product's factors come to at
 * least: 2^-102, 2^126 and 2^-100. */
enum { LEAST_EXPONENT = 25, MOST_EXPONENT = 253, LEAST_OF_BOTH = 154 };

typedef struct exponents {
    uint32_t least, most;
} exponents;

static exponents exponents_of(const range *r)
{
    return (exponents){_mm512_reduce_min_epu32(r->least) >> 24,
                       _mm512_reduce_max_epu32(r->most) >> 24};
}

RT_INLINE int fits(exponents e)
{
    return e.least >= LEAST_EXPONENT && e.most <= MOST_EXPONENT;
}

static int fit_together(exponents a, exponents b)
{
    return fits(a) && fits(b) && a.least + b.least >= LEAST_OF_BOTH;
}

RT_INLINE __m512 load_steps(const float *from, int64_t count)
{
    if (count >= HALF) return _mm512_loadu_ps(from);
    return _mm512_maskz_loadu_ps(rt_amx_lanes(count, 0), from);
}

/* ---- A ---- */

/* Of a row that has `run` steps in each tap: the part that begins at one, after another. */
static void gather_row(const rt_block *block, const float *const *row, int64_t pitch,
                       int64_t offset, int64_t steps, float *to)
{
    for (; steps > 0; row += pitch, offset = 0) {
        int64_t count = rt_min(block->run - offset, steps);
        memcpy(to, *row + block->offset + offset, (size_t)count * sizeof *to);
        to += count;
        steps -= count;
    }
}

/* Where rows of a part are. */
typedef struct source {
    const rt_block *block;
    const float *const *taps; /* of the first row */
    int64_t pitch, offset, steps;
    int is_within; /* one tap, and read in place */
} source;

static source source_of(const rt_block *block, const part *p)
{
    source s = {.block = block, .pitch = block->pitch ? block->pitch : block->m, .steps = p->steps};
    int64_t tap = p->begin / block->run;
    s.offset = p->begin - tap * block->run;
    s.is_within = s.offset + p->steps <= block->run;
    s.taps = block->rows + tap * s.pitch + p->m0;
    return s;
}

RT_INLINE const float *row_of(const source *s, int64_t row, float *copy)
{
    if (s->is_within) return s->taps[row] + s->block->offset + s->offset;
    gather_row(s->block, s->taps + row, s->pitch, s->offset, s->steps, copy);
    return copy;
}

/* To [strip][tile][plane][row]. */
static exponents split_rows(const rt_block *block, const part *p, char *planes)
{
    range r = range_of_none();
    float copy[DEPTH];
    source s = source_of(block, p);
    int64_t tiles = rt_ceil_div(p->steps, STEPS), rows = p->m1 - p->m0;
    for (int64_t row = 0; row < rows; row++) {
        char *to = planes + row / AMX_STRIP * tiles * TILE_BYTES + row % AMX_STRIP * AMX_BYTES;
        const float *from = row_of(&s, row, copy), *next = from;
        if (s.is_within) next = row_of(&s, rt_min(row + ROWS_AHEAD, rows - 1), NULL);
        for (int64_t k = 0; k < p->steps; k += STEPS, to += TILE_BYTES) {
            RT_PREFETCH((const char *)(next + k));
            RT_PREFETCH((const char *)(next + k + HALF));
            split(load_steps(from + k, p->steps - k),
                  load_steps(from + k + HALF, p->steps - k - HALF), to, &r);
        }
    }
    return exponents_of(&r);
}

static exponents exponents_of_row(const source *s, int64_t row)
{
    range r = range_of_none();
    float copy[DEPTH];
    const float *from = row_of(s, row, copy);
    for (int64_t k = 0; k < s->steps; k += HALF) widen(&r, load_steps(from + k, s->steps - k));
    return exponents_of(&r);
}

/* ---- B ---- */

/* To [tile][plane][line]. */
static exponents split_panel(const float *panel, int64_t steps, char *planes)
{
    range r = range_of_none();
    for (int64_t k = 0; k < steps; k += STEPS, planes += TILE_BYTES)
        for (int64_t line = 0; line < HALF; line++)
            for (int64_t n = 0; n < RT_PANEL; n += VL) {
                int64_t at = (k + line) * RT_PANEL + n, other = at + HALF * RT_PANEL;
                split(k + line < steps ? _mm512_loadu_ps(panel + at) : _mm512_setzero_ps(),
                      k + line + HALF < steps ? _mm512_loadu_ps(panel + other)
                                              : _mm512_setzero_ps(),
                      planes + line * AMX_LINE_BYTES + n * 4, &r);
            }
    return exponents_of(&r);
}

/* ---- sums ---- */

#define LOAD_A(plane)                                                                        \
    do {                                                                                     \
        RT_AMX_LOAD(4, a + (plane)*PLANE_BYTES, AMX_BYTES);                                  \
        if (both_rows) RT_AMX_LOAD(5, a + (plane)*PLANE_BYTES + PLANE_BYTES / 2, AMX_BYTES); \
    } while (0)
#define LOAD_B(plane)                                                                              \
    do {                                                                                           \
        RT_AMX_LOAD(6, b + (plane)*PLANE_BYTES, AMX_LINE_BYTES);                                   \
        if (both_columns) RT_AMX_LOAD(7, b + (plane)*PLANE_BYTES + AMX_HALF_LINE, AMX_LINE_BYTES); \
    } while (0)
/* What is split next, and lines of it that are fetched from memory with each tile. */
typedef struct ahead {
    const char *next;
    int64_t lines;
} ahead;

RT_AMX RT_INLINE void sum_tiles(const char *a, const char *b, int64_t tiles, float *sums,
                                ahead *fetch, const int both_rows, const int both_columns)
{
    rt_amx_zero_sums();
    for (; tiles > 0; tiles--, a += TILE_BYTES, b += TILE_BYTES) {
        LOAD_A(0);
        LOAD_B(2);
        for (int64_t line = 0; line < fetch->lines; line++, fetch->next += RT_LINE)
            _mm_prefetch(fetch->next, _MM_HINT_T1);
        RT_AMX_MULTIPLY(RT_AMX_BF16, both_rows, both_columns);
        LOAD_B(1);
        RT_AMX_MULTIPLY(RT_AMX_BF16, both_rows, both_columns);
        LOAD_A(1);
        RT_AMX_MULTIPLY(RT_AMX_BF16, both_rows, both_columns);
        LOAD_B(0);
        RT_AMX_MULTIPLY(RT_AMX_BF16, both_rows, both_columns);
        LOAD_A(2);
        RT_AMX_MULTIPLY(RT_AMX_BF16, both_rows, both_columns);
        LOAD_A(0);
        RT_AMX_MULTIPLY(RT_AMX_BF16, both_rows, both_columns);
    }
    rt_amx_store_sums(sums, AMX_LINE_BYTES, both_rows, both_columns);
}

/* Vectors of a strip of sums into C. */
RT_INLINE void finish_rows(const rt_block *block, const part *p, const float *sums, float *c,
                           int64_t rows, int64_t n0)
{
    int loads = !p->is_first || block->load, clamps = p->is_last && block->clamp;
    const __m512 low = _mm512_set1_ps(block->low), high = _mm512_set1_ps(block->high),
                 alpha = _mm512_set1_ps(p->is_last && block->scale ? block->alpha : 1);
    for (int64_t j = 0, left = block->n - n0; j < RT_PANEL && j < left; j += VL) {
        __mmask16 lanes = rt_amx_lanes(left, j);
        __m512 bias = p->is_last && block->bias ? _mm512_maskz_loadu_ps(lanes, block->bias + n0 + j)
                                                : _mm512_setzero_ps();
        for (int64_t i = 0; i < rows; i++) {
            float *to = c + i * block->ldc + j;
            __m512 sum = _mm512_loadu_ps(sums + i * RT_PANEL + j);
            if (loads) sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(lanes, to));
            sum = _mm512_fmadd_ps(sum, alpha, bias);
            if (clamps) sum = v_clamp(sum, low, high);
            _mm512_mask_storeu_ps(to, lanes, sum);
        }
    }
}

/* ---- blocks ---- */

/* `unfit`: of rows whose sums are not wanted, or NULL. */
RT_AMX static void multiply_panel(const rt_block *block, const part *p, const char *rows_planes,
                                  const char *panel_planes, int64_t n0, const char *unfit,
                                  const float *next, rt_amx_shape *shape)
{
    _Alignas(RT_LINE) float sums[AMX_STRIP * RT_PANEL];
    int64_t tiles = rt_ceil_div(p->steps, STEPS),
            all = rt_ceil_div(p->m1 - p->m0, AMX_STRIP) * tiles;
    ahead fetch = {(const char *)next, rt_ceil_div(p->steps * RT_PANEL * 4 / RT_LINE, all)};
    int both_columns = block->n - n0 > RT_PANEL / 2;
    float *c = block->c + p->m0 * block->ldc + n0;
    for (int64_t m0 = p->m0; m0 < p->m1; m0 += AMX_STRIP, rows_planes += tiles * TILE_BYTES) {
        int64_t rows = rt_min(AMX_STRIP, p->m1 - m0);
        rt_amx_rows(shape, rows);
        if (rows > AMX_ROWS && both_columns)
            sum_tiles(rows_planes, panel_planes, tiles, sums, &fetch, 1, 1);
        else if (rows > AMX_ROWS)
            sum_tiles(rows_planes, panel_planes, tiles, sums, &fetch, 1, 0);
        else if (both_columns)
            sum_tiles(rows_planes, panel_planes, tiles, sums, &fetch, 0, 1);
        else
            sum_tiles(rows_planes, panel_planes, tiles, sums, &fetch, 0, 0);
        if (!unfit) finish_rows(block, p, sums, c, rows, n0);
        for (int64_t i = 0; unfit && i < rows; i++)
            if (!unfit[m0 - p->m0 + i])
                finish_rows(block, p, sums + i * RT_PANEL, c + i * block->ldc, 1, n0);
        c += rows * block->ldc;
    }
}

/* Some columns by floats: a part may end within a tap, and is taken by pieces that do not. */
static void multiply_floats(const rt_block *whole, const part *p, int64_t n0, int64_t n1)
{
    int64_t end = p->begin + p->steps,
            depth = whole->panel_depth ? whole->panel_depth : whole->taps * whole->run;
    for (int64_t at = p->begin, steps; at < end; at += steps) {
        int64_t tap = at / whole->run, offset = at % whole->run, left = end - at;
        rt_block block = *whole;
        block.room = NULL;
        block.epilogue = NULL;
        block.rows += tap * whole->m + p->m0;
        block.pitch = whole->pitch ? whole->pitch : whole->m;
        block.m = p->m1 - p->m0;
        block.offset += offset;
        block.taps = offset == 0 && left >= whole->run ? left / whole->run : 1;
        block.run = rt_min(left, whole->run - offset);
        block.packed += n0 * depth + at * RT_PANEL;
        block.panel_depth = depth;
        block.c += p->m0 * whole->ldc + n0;
        block.n = n1 - n0;
        steps = block.taps * block.run;
        int is_last = p->is_last && at + steps == end;
        block.bias = is_last && whole->bias ? whole->bias + n0 : NULL;
        block.clamp = is_last && whole->clamp;
        block.scale = is_last && whole->scale;
        if (at > 0) block.load = 1;
        RT_FN(rt_block_run)(&block);
    }
}

static size_t planes_bytes(int64_t rows, int64_t tiles)
{
    return (size_t)(rt_ceil_div(rows, AMX_STRIP) * tiles * TILE_BYTES);
}

/* Some rows fit, and others do not. */
RT_AMX RT_OUTLINE void multiply_each(const rt_block *block, const part *p, const char *rows_planes,
                                     const char *panel_planes, exponents of_panel, int64_t n0,
                                     const float *next, rt_amx_shape *shape)
{
    char unfit[RT_AMX_ROWS];
    source s = source_of(block, p);
    for (int64_t row = 0; row < p->m1 - p->m0; row++) {
        unfit[row] = (char)!fit_together(exponents_of_row(&s, row), of_panel);
        if (!unfit[row]) continue;
        part one = *p;
        one.m0 += row;
        one.m1 = one.m0 + 1;
        multiply_floats(block, &one, n0, rt_min(n0 + RT_PANEL, block->n));
    }
    multiply_panel(block, p, rows_planes, panel_planes, n0, unfit, next, shape);
}

/* Columns [n0, n1) of a part. */
RT_AMX static void run_part(const rt_block *block, const part *p, int64_t n0, int64_t n1)
{
    char *rows = block->room,
         *panel = rows + planes_bytes(p->m1 - p->m0, rt_ceil_div(p->steps, STEPS));
    int64_t depth = block->panel_depth ? block->panel_depth : block->taps * block->run;
    exponents of_rows = split_rows(block, p, rows);
    rt_amx_shape shape = rt_amx_begin();
    for (int64_t n = n0; n < n1; n += RT_PANEL) {
        const float *from = block->packed + n * depth + p->begin * RT_PANEL,
                    *next = from + (n + RT_PANEL < n1 ? depth : p->steps) * RT_PANEL;
        exponents of_panel = split_panel(from, p->steps, panel);
        if (fit_together(of_rows, of_panel))
            multiply_panel(block, p, rows, panel, n, NULL, next, &shape);
        else if (fits(of_panel))
            multiply_each(block, p, rows, panel, of_panel, n, next, &shape);
        else
            multiply_floats(block, p, n, rt_min(n + RT_PANEL, n1));
    }
    rt_amx_end();
}

/* Is what tiles take less than what floats do? In cycles for 32 rows, 32 columns and 32 steps of depth, as
 * measured where B comes from memory. Rows that are gathered from several taps take more. */
static int pays(int64_t rows, int64_t columns, int64_t depth, int is_gathered)
{
    enum { FLOATS = 1100, TILES = 400, FINISH = 200, ROWS = 900, GATHERED = 1600, PANEL = 1400 };
    if (rows < RT_AMX_LEAST_ROWS || columns < RT_AMX_LEAST || depth < RT_AMX_LEAST) return 0;
    int64_t tiles = rt_min(rt_ceil_div(depth, STEPS), DEPTH / STEPS);
    return TILES + FINISH / tiles + (is_gathered ? GATHERED : ROWS) * RT_PANEL / columns +
               PANEL * AMX_STRIP / rows <
           FLOATS;
}

int RT_FN(rt_amx_take)(rt_team *team, const rt_amx_work *work, rt_scratch *room)
{
    *room = (rt_scratch){0};
    if (!pays(work->m, work->n, work->k, work->is_gathered) || !rt_amx()) return 0;
    int64_t tiles = rt_ceil_div(rt_min(work->k, DEPTH), STEPS);
    return rt_scratch_take(
        team, 0,
        planes_bytes(rt_min(work->rows, RT_AMX_ROWS), tiles) + (size_t)(tiles * TILE_BYTES), room);
}

void RT_FN(rt_block_run_amx)(const rt_block *block)
{
    int64_t depth = block->taps * block->run, panels = rt_ceil_div(block->n, RT_PANEL),
            chunks = rt_ceil_div(block->m, RT_AMX_ROWS), each = rt_ceil_div(block->m, chunks);
    int64_t groups = rt_min(panels, rt_ceil_div(each * block->n * 4, GROUP_BYTES));
    for (int64_t i = 0; i < chunks * groups; i++) {
        int64_t chunk = i / groups, group = i % groups;
        int64_t n0 = panels * group / groups * RT_PANEL,
                n1 = rt_min(panels * (group + 1) / groups * RT_PANEL, block->n);
        part p = {
            .m0 = block->m * chunk / chunks, .m1 = block->m * (chunk + 1) / chunks, .is_first = 1};
        for (; p.begin < depth; p.begin += DEPTH, p.is_first = 0) {
            p.steps = rt_min(DEPTH, depth - p.begin);
            p.is_last = p.begin + p.steps == depth;
            run_part(block, &p, n0, n1);
        }
        if (block->epilogue)
            block->epilogue(block->context, block->m_origin + p.m0, block->m_origin + p.m1,
                            block->n_origin + n0, block->n_origin + n1);
    }
}

#else

int RT_FN(rt_amx_take)(rt_team *team, const rt_amx_work *work, rt_scratch *room)
{
    (void)team, (void)work;
    *room = (rt_scratch){0};
    return 0;
}

void RT_FN(rt_block_run_amx)(const rt_block *block)
{
    (void)block;
}

#endif
