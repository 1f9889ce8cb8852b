/* rt_integers.c - C = A x B of integers of 8 bits, with sums of 32 bits that are exact.
 *
 * A word of each column of a panel is four steps of depth. A processor with AVX-512 VNNI multiplies four
 * bytes at once, those of A without a sign: signed ones are moved up by 128, and 128 times the sum of a
 * column, which the first tile of a panel makes by the way, is taken off again. Others multiply pairs of 16
 * bits, the even steps of a word and the odd ones, and no sum of two products leaves 32 bits.
 *
 * A processor with AMX reads both as they lie (rt_integers_amx.c). For others A is laid out as words first.
 * The rows of a block stay in the second-level cache while panels stream by: of the next one each tile asks
 * for its part, unless one tile is all, which reads no faster for it.
 */
#include "rt_isa.h"

#include "rt_integers.h"
#include "rt_words.h"

#if defined(__SSE2__) && !defined(FERRITE_SCALAR)
#include <immintrin.h>
#define MULTIPLIES_PAIRS
#endif
#if defined(RT_ISA_V4) && !defined(FERRITE_SCALAR)
#define MAY_HAVE_VNNI
#define VNNI __attribute__((target("avx512vnni")))
#endif

enum {
    STEPS = 4,                  /* of a word */
    A_BLOCK_BYTES = 256 * 1024, /* words of A, of one block */
    PAIR_ROWS = (int)VL == 16 ? 12 : 4,
    LINE_WORDS = RT_LINE / 4,
    TILE_ROWS = 256, /* of a task by AMX, */
    TILE_PANELS = 8  /* and panels */
};
_Static_assert((int)PAIR_ROWS <= (int)RT_MOST_ROWS, "the compiler plans for no more");

/* C tile [rows x up to NR columns]. */
typedef struct integer_tile {
    const uint32_t *a;  /* words of the first row */
    int64_t row;        /* words from row to row */
    int64_t words, odd; /* odd: words from a row's even steps to its odd ones */
    const uint32_t *b;  /* at this tile's columns */
    int32_t *c;
    int64_t ldc, width;
    int32_t *sums;    /* [NR] of B's columns, 128 times; taken off */
    const char *next; /* the panel that comes next, and bytes of it to ask for a word */
    int64_t next_step;
} integer_tile;

typedef void (*integer_tile_fn)(const integer_tile *);

RT_INLINE vi broadcast(uint32_t word)
{
    return (vi){0} + (vi){0} + (int32_t)word;
}

RT_INLINE void store_sums(int32_t *c, vi x, int64_t count)
{
    if (count >= VL) {
        memcpy(c, &x, sizeof x);
    } else {
        vi kept = x;
        for (int64_t i = 0; i < count; i++) c[i] = (int32_t)V_LANE(kept, i);
    }
}

RT_INLINE void finish_row(const integer_tile *t, int row, const vi acc[NV])
{
#pragma GCC unroll 2
    for (int j = 0; j < NV; j++) {
        vi off = v_load_words((const uint32_t *)t->sums + j * VL);
        store_sums(t->c + row * t->ldc + j * VL, acc[j] - off, t->width - j * VL);
    }
}

/* ---- pairs of 16 bits ---- */

#ifdef FERRITE_SCALAR
RT_INLINE vi even_steps(vi w)
{
    return (uint32_t)(uint16_t)(int8_t)w | (uint32_t)(uint16_t)(int8_t)(w >> 16) << 16;
}

RT_INLINE vi odd_steps(vi w)
{
    return even_steps(w >> 8);
}

RT_INLINE vi add_pairs(vi acc, vi a, vi b)
{
    return acc + (vi)((int16_t)a * (int16_t)b + (int16_t)(a >> 16) * (int16_t)(b >> 16));
}
#else
typedef int16_t vs __attribute__((vector_size(VL * 4)));

RT_INLINE vi even_steps(vi w)
{
    return (vi)(((vs)w << 8) >> 8);
}

RT_INLINE vi odd_steps(vi w)
{
    return (vi)((vs)w >> 8);
}

RT_INLINE vi add_pairs(vi acc, vi a, vi b)
{
#if !defined(MULTIPLIES_PAIRS)
    return acc + ((a << 16) >> 16) * ((b << 16) >> 16) + (a >> 16) * (b >> 16);
#elif defined(RT_ISA_V4)
    return acc + (vi)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(RT_ISA_V3)
    return acc + (vi)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#else
    return acc + (vi)_mm_madd_epi16((__m128i)a, (__m128i)b);
#endif
}
#endif

RT_INLINE void pair_tile(const integer_tile *t, const int rows)
{
    vi acc[PAIR_ROWS][NV];
#pragma GCC unroll 12
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int j = 0; j < NV; j++) acc[i][j] = (vi){0};
    const uint32_t *b = t->b, *a = t->a;
    for (int64_t w = 0; w < t->words; w++, b += RT_PANEL) {
        vi even[NV], odd[NV];
        RT_PREFETCH(t->next + w * t->next_step);
        for (int j = 0; j < NV; j++) {
            vi word = v_load_words(b + j * VL);
            even[j] = even_steps(word);
            odd[j] = odd_steps(word);
        }
#pragma GCC unroll 12
        for (int i = 0; i < rows; i++) {
            const uint32_t *from = a + i * t->row + w;
            vi first = broadcast(from[0]), second = broadcast(from[t->odd]);
#pragma GCC unroll 2
            for (int j = 0; j < NV; j++)
                acc[i][j] = add_pairs(add_pairs(acc[i][j], first, even[j]), second, odd[j]);
        }
    }
#pragma GCC unroll 12
    for (int i = 0; i < rows; i++) finish_row(t, i, acc[i]);
}

#define PAIRS(rows)                                     \
    static void pair_tile_##rows(const integer_tile *t) \
    {                                                   \
        pair_tile(t, rows);                             \
    }
PAIRS(1)
PAIRS(2)
PAIRS(3)
PAIRS(4)
#ifdef RT_ISA_V4
PAIRS(5)
PAIRS(6)
PAIRS(7)
PAIRS(8)
PAIRS(9)
PAIRS(10)
PAIRS(11)
PAIRS(12)
#endif

static const integer_tile_fn pair_tiles[PAIR_ROWS + 1] = {
    NULL,         pair_tile_1,  pair_tile_2, pair_tile_3, pair_tile_4,
#ifdef RT_ISA_V4
    pair_tile_5,  pair_tile_6,  pair_tile_7, pair_tile_8, pair_tile_9,
    pair_tile_10, pair_tile_11, pair_tile_12
#endif
};

/* ---- four bytes at once ---- */

#ifdef MAY_HAVE_VNNI
VNNI RT_INLINE vi add_bytes(vi acc, vi a, vi b)
{
    return (vi)_mm512_dpbusd_epi32((__m512i)acc, (__m512i)a, (__m512i)b);
}

VNNI RT_INLINE void byte_tile(const integer_tile *t, const int rows, const int makes_sums)
{
    vi acc[MR][NV], sum[NV] = {{0}}, ones = broadcast(0x01010101);
#pragma GCC unroll 12
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int j = 0; j < NV; j++) acc[i][j] = (vi){0};
    const uint32_t *b = t->b, *a = t->a;
    for (int64_t w = 0; w < t->words; w++, b += RT_PANEL) {
        vi word[NV];
        RT_PREFETCH(t->next + w * t->next_step);
        for (int j = 0; j < NV; j++) word[j] = v_load_words(b + j * VL);
        for (int j = 0; makes_sums && j < NV; j++) sum[j] = add_bytes(sum[j], ones, word[j]);
#pragma GCC unroll 12
        for (int i = 0; i < rows; i++) {
            vi left = broadcast(a[i * t->row + w]);
#pragma GCC unroll 2
            for (int j = 0; j < NV; j++) acc[i][j] = add_bytes(acc[i][j], left, word[j]);
        }
    }
    for (int j = 0; makes_sums && j < NV; j++) store_sums(t->sums + j * VL, sum[j] * 128, VL);
#pragma GCC unroll 12
    for (int i = 0; i < rows; i++) finish_row(t, i, acc[i]);
}

#define BYTES(rows)                                                 \
    VNNI static void byte_tile_##rows(const integer_tile *t)        \
    {                                                               \
        byte_tile(t, rows, 0);                                      \
    }                                                               \
    VNNI static void byte_tile_##rows##_sums(const integer_tile *t) \
    {                                                               \
        byte_tile(t, rows, 1);                                      \
    }
RT_TILE_HEIGHTS(BYTES)
#define BYTE_TILES(rows) {byte_tile_##rows, byte_tile_##rows##_sums},

/* [rows][makes sums] */
static const integer_tile_fn byte_tiles[MR + 1][2] = {{NULL, NULL}, RT_TILE_HEIGHTS(BYTE_TILES)};
#endif

/* ---- A ---- */

typedef struct integers {
    const rt_integers *args;
    const rt_post *post;
    int64_t panels, row_blocks;
    int64_t words, row; /* of a row of A: steps of depth by fours, words from row to row */
    uint32_t *a;
    int by_bytes;
} integers;

/* One vector of words, from four steps of depth each. */
RT_INLINE void lay_words(const integers *s, uint32_t *to, vi word)
{
    const int is_signed = !s->args->is_unsigned;
    vi even, odd;
    if (s->by_bytes) {
        even = is_signed ? word ^ broadcast(0x80808080) : word;
    } else {
        even = is_signed ? even_steps(word) : word & broadcast(0x00ff00ff);
        odd = is_signed ? odd_steps(word) : (word >> 8) & broadcast(0x00ff00ff);
        memcpy(to + s->words, &odd, sizeof odd);
    }
    memcpy(to, &even, sizeof even);
}

/* The last words of a row, whose last vector may reach behind it. */
static void lay_rest(const integers *s, uint32_t *to, const uint8_t *from, int64_t steps)
{
    enum { LANES = VL };
    uint32_t words[LANES] = {0}, made[2 * LANES] = {0};
    integers part = *s;
    vi word;
    part.words = LANES;
    memcpy(words, from, (size_t)steps);
    memcpy(&word, words, sizeof word);
    lay_words(&part, made, word);
    size_t bytes = (size_t)rt_ceil_div(steps, STEPS) * sizeof *to;
    memcpy(to, made, bytes);
    if (!s->by_bytes) memcpy(to + s->words, made + LANES, bytes);
}

static void lay_row(const integers *s, int64_t row)
{
    const rt_integers *g = s->args;
    const uint8_t *from = (const uint8_t *)g->a + row * g->lda;
    uint32_t *to = s->a + row * s->row;
    int64_t k = 0;
    for (; k + STEPS * VL <= g->k; k += STEPS * VL, to += VL) {
        vi word;
        memcpy(&word, from + k, sizeof word);
        lay_words(s, to, word);
    }
    if (k < g->k) lay_rest(s, to, from + k, g->k - k);
}

static void lay_task(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    for (int64_t row = begin; row < end; row++) lay_row(context, row);
}

/* ---- blocks ---- */

static int64_t most_rows(const integers *s)
{
    return s->by_bytes ? MR : PAIR_ROWS;
}

static integer_tile_fn tile_of(const integers *s, int64_t rows, int makes_sums)
{
#ifdef MAY_HAVE_VNNI
    if (s->by_bytes) return byte_tiles[rows][makes_sums];
#endif
    (void)s, (void)makes_sums;
    return pair_tiles[rows];
}

/* Rows [m0, m1) of a tile's columns. */
static void run_columns(const integers *s, integer_tile *t, int64_t m0, int64_t m1)
{
    int64_t tiles = rt_ceil_div(m1 - m0, most_rows(s));
    int makes_sums = s->by_bytes && !s->args->is_unsigned;
    int32_t *c = t->c;
    for (int64_t i = 0; i < tiles; i++) {
        int64_t first = (m1 - m0) * i / tiles, end = (m1 - m0) * (i + 1) / tiles;
        t->a = s->a + (m0 + first) * s->row;
        t->c = c + first * t->ldc;
        tile_of(s, end - first, makes_sums && i == 0)(t);
        t->next += t->next_step * s->words;
    }
}

static void run_panel(const integers *s, int64_t m0, int64_t m1, int64_t panel)
{
    const rt_integers *g = s->args;
    int64_t n0 = panel * RT_PANEL, width = rt_min(RT_PANEL, g->n - n0),
            tiles = rt_ceil_div(m1 - m0, most_rows(s)) * rt_ceil_div(width, NR);
    const uint32_t *next =
        g->packed + (panel + 1 < s->panels ? panel + 1 : 0) * s->words * RT_PANEL;
    for (int64_t j = 0; j < width; j += NR) {
        int32_t sums[NR] = {0};
        integer_tile t = {.row = s->row,
                          .words = s->words,
                          .odd = s->words,
                          .b = g->packed + panel * s->words * RT_PANEL + j,
                          .c = g->c + m0 * g->ldc + n0 + j,
                          .ldc = g->ldc,
                          .width = width - j,
                          .sums = sums,
                          .next = (const char *)next,
                          .next_step = tiles > 1 ? rt_ceil_div(RT_PANEL * 4, tiles) : 0};
        run_columns(s, &t, m0, m1);
        next = (const uint32_t *)t.next;
    }
    if (s->post->epilogue) s->post->epilogue(s->post->context, m0, m1, n0, n0 + width);
}

static void block_task(void *context, int64_t begin, int64_t end, int worker)
{
    const integers *s = context;
    int64_t m = s->args->m;
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        int64_t block = i / s->panels;
        run_panel(s, m * block / s->row_blocks, m * (block + 1) / s->row_blocks, i % s->panels);
    }
}

static int may_take_bytes(const rt_integers *args)
{
#ifdef MAY_HAVE_VNNI
    return !args->by_pairs && __builtin_cpu_supports("avx512vnni");
#else
    (void)args;
    return 0;
#endif
}

/* ---- tiles of AMX ---- */

static void tiles_task(void *context, int64_t begin, int64_t end, int worker)
{
    const integers *s = context;
    const rt_integers *g = s->args;
    int64_t groups = rt_ceil_div(s->panels, TILE_PANELS);
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        int64_t block = i / groups, n0 = i % groups * TILE_PANELS * RT_PANEL;
        int64_t m0 = g->m * block / s->row_blocks, m1 = g->m * (block + 1) / s->row_blocks;
        int64_t n1 = rt_min(n0 + TILE_PANELS * RT_PANEL, g->n);
        RT_FN(rt_integers_amx)(g, m0, m1, n0, n1);
        if (s->post->epilogue) s->post->epilogue(s->post->context, m0, m1, n0, n1);
    }
}

static int run_tiles(rt_team *team, integers *s)
{
    const rt_integers *g = s->args;
    s->row_blocks = rt_ceil_div(g->m, TILE_ROWS);
    int64_t items = rt_ceil_div(s->panels, TILE_PANELS) * s->row_blocks;
    rt_parallel(team->pool, tiles_task, s, items,
                rt_grain(items, g->m * g->n * g->k / 8, g->n * g->k));
    return 0;
}

int RT_FN(rt_integers)(rt_team *team, const rt_integers *args, const rt_post *post)
{
    const rt_integers *g = args;
    rt_scratch scratch;
    if (g->m <= 0 || g->n <= 0) return 0;
    integers s = {.args = g, .post = post, .by_bytes = may_take_bytes(g)};
    s.panels = rt_ceil_div(g->n, RT_PANEL);
    s.words = rt_ceil_div(g->k, STEPS);
    if (!g->by_pairs && rt_amx()) return run_tiles(team, &s);
    s.row = rt_ceil_div(s.words * (s.by_bytes ? 1 : 2), LINE_WORDS) * LINE_WORDS + LINE_WORDS;
    int64_t bytes = s.row * (int64_t)sizeof *s.a,
            rows = rt_max(A_BLOCK_BYTES / bytes, RT_MOST_ROWS);
    s.row_blocks = rt_ceil_div(g->m, rows);
    if (rt_scratch_take(team, (size_t)(g->m * bytes), 0, &scratch)) return -1;
    s.a = rt_scratch_shared(&scratch);
    rt_parallel(team->pool, lay_task, &s, g->m, rt_grain(g->m, 0, g->m * g->k));
    int64_t items = s.panels * s.row_blocks;
    rt_parallel(team->pool, block_task, &s, items,
                rt_grain(items, g->m * g->n * g->k / 2, g->n * g->k));
    rt_scratch_drop(team, &scratch);
    return 0;
}
