/* rt_integers_amx.c - products of integers of 8 bits by the tile registers of AMX, from A and the panels of B
 * as they lie. Sums are exact, in any order; those of a strip stay in registers for the whole depth.
 */
#include "rt_isa.h"

#include "rt_amx_panel.h"
#include "rt_integers.h"

#ifdef RT_HAS_AMX

enum { STEPS = AMX_BYTES, LINES = AMX_ROWS, TILE_WORDS = LINES * RT_PANEL };

/* What is left of the depth of a strip behind whole tiles, with zeros behind it. */
typedef struct rest {
    int64_t steps;
    uint8_t a[AMX_STRIP][STEPS];
} rest;

RT_AMX RT_INLINE void add_tiles(const uint8_t *a, int64_t lda, const uint32_t *b, int64_t tiles,
                                const int is_unsigned, const int both_rows, const int both_columns)
{
    for (; tiles > 0; tiles--, a += STEPS, b += TILE_WORDS) {
        RT_AMX_LOAD(6, b, AMX_LINE_BYTES);
        if (both_columns) RT_AMX_LOAD(7, b + RT_PANEL / 2, AMX_LINE_BYTES);
        RT_AMX_LOAD(4, a, lda);
        if (both_rows) RT_AMX_LOAD(5, a + AMX_ROWS * lda, lda);
        if (is_unsigned)
            RT_AMX_MULTIPLY(RT_AMX_U8_I8, both_rows, both_columns);
        else
            RT_AMX_MULTIPLY(RT_AMX_I8, both_rows, both_columns);
    }
}

/* A strip's columns of one panel, also beside those that there are. */
RT_AMX RT_INLINE void columns(const rt_integers *g, int64_t m0, const rest *r, const uint32_t *b,
                              int32_t *to, int64_t stride, const int is_unsigned,
                              const int both_rows, const int both_columns)
{
    const uint8_t *a = (const uint8_t *)g->a + m0 * g->lda;
    int64_t tiles = g->k / STEPS;
    rt_amx_zero_sums();
    add_tiles(a, g->lda, b, tiles, is_unsigned, both_rows, both_columns);
    if (r->steps) {
        uint32_t lines[TILE_WORDS] = {0};
        memcpy(lines, b + tiles * TILE_WORDS, (size_t)rt_ceil_div(r->steps, 4) * AMX_LINE_BYTES);
        add_tiles(r->a[0], STEPS, lines, 1, is_unsigned, both_rows, both_columns);
    }
    rt_amx_store_sums(to, stride, both_rows, both_columns);
}

RT_AMX RT_INLINE void columns_of(const rt_integers *g, int64_t m0, int64_t rows, const rest *r,
                                 const uint32_t *b, int64_t width, int32_t *to, int64_t stride,
                                 const int is_unsigned)
{
    if (rows > AMX_ROWS && width > RT_PANEL / 2)
        columns(g, m0, r, b, to, stride, is_unsigned, 1, 1);
    else if (rows > AMX_ROWS)
        columns(g, m0, r, b, to, stride, is_unsigned, 1, 0);
    else if (width > RT_PANEL / 2)
        columns(g, m0, r, b, to, stride, is_unsigned, 0, 1);
    else
        columns(g, m0, r, b, to, stride, is_unsigned, 0, 0);
}

RT_AMX static void run_strip(const rt_integers *g, int64_t m0, int64_t rows, const rest *r,
                             int64_t n0)
{
    int32_t buffer[AMX_STRIP * RT_PANEL], *c = g->c + m0 * g->ldc + n0;
    int64_t width = rt_min(RT_PANEL, g->n - n0);
    const uint32_t *b = g->packed + n0 * rt_ceil_div(g->k, 4);
    int is_whole = width == RT_PANEL || width == RT_PANEL / 2;
    int32_t *to = is_whole ? c : buffer;
    int64_t stride = is_whole ? g->ldc * (int64_t)sizeof *c : AMX_LINE_BYTES;
    if (g->is_unsigned)
        columns_of(g, m0, rows, r, b, width, to, stride, 1);
    else
        columns_of(g, m0, rows, r, b, width, to, stride, 0);
    for (int64_t i = 0; !is_whole && i < rows; i++)
        memcpy(c + i * g->ldc, buffer + i * RT_PANEL, (size_t)width * sizeof *c);
}

RT_AMX void RT_FN(rt_integers_amx)(const rt_integers *g, int64_t m0, int64_t m1, int64_t n0,
                                   int64_t n1)
{
    rest r = {.steps = g->k % STEPS};
    rt_amx_shape shape = rt_amx_begin();
    for (; m0 < m1; m0 += AMX_STRIP) {
        int64_t rows = rt_min(AMX_STRIP, m1 - m0);
        const uint8_t *a = (const uint8_t *)g->a + m0 * g->lda + g->k - r.steps;
        rt_amx_rows(&shape, rows);
        for (int64_t i = 0; r.steps && i < rows; i++)
            memcpy(r.a[i], a + i * g->lda, (size_t)r.steps);
        for (int64_t n = n0; n < n1; n += RT_PANEL) run_strip(g, m0, rows, &r, n);
    }
    rt_amx_end();
}

#else

void RT_FN(rt_integers_amx)(const rt_integers *g, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    (void)g, (void)m0, (void)m1, (void)n0, (void)n1;
}

#endif
