/* rt_halves_amx.c - products of bf16 by the tile registers of AMX: sixteen times as fast as a tile of floats,
 * from A and the panels of B as they lie.
 *
 * A group of panels stays in the second-level cache while strips of 32 rows pass over it. Of a strip a part
 * of the depth stays in the first-level cache while the group passes by, and sums of parts join in C. What is
 * subnormal counts as zero, as in the products of pairs (rt_half_tile.c).
 */
#include "rt_isa.h"

#include "rt_amx_panel.h"
#include "rt_halves.h"

#ifdef RT_HAS_AMX

enum {
    LINES = AMX_ROWS, /* of a tile of a panel */
    DEPTH = 256,      /* of a part */
    GROUP_BYTES = 512 * 1024
};

/* A part of the depth of a strip: C += it times the same part of each panel. */
typedef struct part {
    int64_t m0, rows, k0, tiles; /* tiles: whole ones of depth */
    const uint16_t *a;           /* rows `row_bytes` apart */
    int64_t row_bytes;
    int64_t rest; /* steps behind the whole tiles, in a copy with zeros behind them */
    uint16_t rest_a[AMX_STRIP][AMX_STEPS];
} part;

/* Sums += A x B of so many tiles of depth. */
RT_AMX RT_INLINE void add_tiles(const void *a, int64_t row_bytes, const void *b, int64_t tiles,
                                const int both_rows, const int both_columns)
{
    const char *rows = a, *lines = b;
    for (; tiles > 0; tiles--, rows += AMX_BYTES, lines += LINES * AMX_LINE_BYTES)
        rt_amx_add(rows, row_bytes, lines, both_rows, both_columns);
}

/* Columns of one panel. Those that are no whole tiles go through a buffer. */
RT_AMX RT_INLINE void columns(const rt_halves_amx *p, const part *s, int64_t n0,
                              const int both_rows, const int both_columns)
{
    float buffer[AMX_STRIP][RT_PANEL], *c = p->c + s->m0 * p->ldc + n0;
    int64_t width = rt_min(RT_PANEL, p->n - n0), ldc = p->ldc * (int64_t)sizeof *c;
    int is_whole = width == (both_columns ? RT_PANEL : RT_PANEL / 2);
    const uint32_t *b = p->packed + (n0 * p->lines + s->k0 / 2 * RT_PANEL);
    int loads = p->load || s->k0 > 0;
    if (loads && !is_whole)
        for (int64_t i = 0; i < s->rows; i++) rt_amx_copy_columns(buffer[i], c + i * p->ldc, width);
    if (!loads && p->bias && !is_whole) rt_amx_copy_columns(buffer[0], p->bias + n0, width);
    if (!loads && !p->bias)
        rt_amx_zero_sums();
    else if (!loads)
        rt_amx_load_sums(is_whole ? p->bias + n0 : buffer[0], 0, both_rows, both_columns);
    else
        rt_amx_load_sums(is_whole ? c : buffer[0], is_whole ? ldc : AMX_LINE_BYTES, both_rows,
                         both_columns);
    add_tiles(s->a, s->row_bytes, b, s->tiles, both_rows, both_columns);
    if (s->rest && p->is_padded) {
        add_tiles(s->rest_a, sizeof *s->rest_a, b + s->tiles * LINES * RT_PANEL, 1, both_rows,
                  both_columns);
    } else if (s->rest) {
        uint32_t rest_b[LINES][RT_PANEL] = {{0}};
        memcpy(rest_b, b + s->tiles * LINES * RT_PANEL, (size_t)(s->rest + 1) / 2 * AMX_LINE_BYTES);
        add_tiles(s->rest_a, sizeof *s->rest_a, rest_b, 1, both_rows, both_columns);
    }
    rt_amx_store_sums(is_whole ? c : buffer[0], is_whole ? ldc : AMX_LINE_BYTES, both_rows,
                      both_columns);
    for (int64_t i = 0; !is_whole && i < s->rows; i++)
        rt_amx_copy_columns(c + i * p->ldc, buffer[i], width);
}

static void copy_steps(uint16_t *to, const uint16_t *from, int64_t stride, int64_t steps)
{
    for (int64_t k = 0; k < steps; k++) to[k] = from[k * stride];
}

/* A is read in place if its depth is contiguous; `copy` has room for a part. */
static void take_part(const rt_halves_amx *p, part *s, uint16_t *copy)
{
    int64_t steps = rt_min(DEPTH, p->k - s->k0);
    const uint16_t *a = p->a + s->m0 * p->a_row + s->k0 * p->a_col;
    s->tiles = steps / AMX_STEPS;
    s->rest = steps % AMX_STEPS;
    s->a = p->a_col == 1 ? a : copy;
    s->row_bytes = (p->a_col == 1 ? p->a_row : DEPTH) * (int64_t)sizeof *a;
    memset(s->rest_a, 0, s->rest ? sizeof s->rest_a : 0);
    for (int64_t i = 0; i < s->rows; i++, a += p->a_row) {
        if (p->a_col != 1) copy_steps(copy + i * DEPTH, a, p->a_col, s->tiles * AMX_STEPS);
        copy_steps(s->rest_a[i], a + s->tiles * AMX_STEPS * p->a_col, p->a_col, s->rest);
    }
}

RT_AMX static void run_part(const rt_halves_amx *p, const part *s, int64_t begin, int64_t end)
{
    for (int64_t n0 = begin; n0 < end; n0 += RT_PANEL)
        if (s->rows > AMX_ROWS && p->n - n0 > RT_PANEL / 2)
            columns(p, s, n0, 1, 1);
        else if (s->rows > AMX_ROWS)
            columns(p, s, n0, 1, 0);
        else if (p->n - n0 > RT_PANEL / 2)
            columns(p, s, n0, 0, 1);
        else
            columns(p, s, n0, 0, 0);
}

RT_AMX void RT_FN(rt_halves_amx)(const rt_halves_amx *p)
{
    int64_t panel_bytes = p->lines * AMX_LINE_BYTES,
            group = rt_max(GROUP_BYTES / rt_max(panel_bytes, 1), 1) * RT_PANEL;
    uint16_t copy[AMX_STRIP * DEPTH];
    rt_amx_shape shape = rt_amx_begin();
    for (int64_t n0 = 0; n0 < p->n; n0 += group) {
        int64_t n1 = rt_min(n0 + group, p->n);
        for (part s = {.m0 = 0}; s.m0 < p->m; s.m0 += AMX_STRIP) {
            s.rows = rt_min(AMX_STRIP, p->m - s.m0);
            rt_amx_rows(&shape, s.rows);
            for (s.k0 = 0; s.k0 == 0 || s.k0 < p->k; s.k0 += DEPTH) {
                take_part(p, &s, copy);
                run_part(p, &s, n0, n1);
            }
            if (p->epilogue)
                p->epilogue(p->context, p->m_origin + s.m0, p->m_origin + s.m0 + s.rows,
                            p->n_origin + n0, p->n_origin + n1);
        }
    }
    rt_amx_end();
}

int RT_FN(rt_multiplies_tiles)(void)
{
    return rt_amx();
}

#else

void RT_FN(rt_halves_amx)(const rt_halves_amx *p)
{
    (void)p;
}

int RT_FN(rt_multiplies_tiles)(void)
{
    return 0;
}

#endif
