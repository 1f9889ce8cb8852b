/* rt_gemm.c - C = A x packed B over the pool: how the work is cut. The loops over a block are in
 * rt_block.c.
 *
 * Few rows: threads split the columns, so that each streams its own part of B once. Many rows: a
 * grid of blocks of rows by groups of panels.
 */
#include "rt_isa.h"

enum { ROWS_MAX = RT_GEMM_TILES * MR /* rows of a block */ };

typedef struct gemm {
    int64_t m, n, k;
    const rt_real *a;
    int64_t lda;
    const rt_real *packed;
    rt_real *c;
    int64_t ldc;
    rt_post post;
    int64_t row_blocks, panel_blocks, panels;
    int from_end;
    rt_scratch room; /* of blocks by AMX */
} gemm;

static void gemm_block(const gemm *g, int64_t row_block, int64_t panel_block, const rt_real **rows,
                       int worker)
{
    int64_t m0 = g->m * row_block / g->row_blocks;
    int64_t m1 = g->m * (row_block + 1) / g->row_blocks;
    int64_t p0 = g->panels * panel_block / g->panel_blocks;
    int64_t p1 = g->panels * (panel_block + 1) / g->panel_blocks;
    int64_t n0 = p0 * RT_PANEL, n1 = rt_min(p1 * RT_PANEL, g->n);
    rt_rows_plain(rows, g->a + m0 * g->lda, g->lda, m1 - m0);
    rt_block block = {
        .m = m1 - m0,
        .n = n1 - n0,
        .taps = 1,
        .run = g->k,
        .rows = rows,
        .packed = g->packed + p0 * g->k * RT_PANEL,
        .c = g->c + m0 * g->ldc + n0,
        .ldc = g->ldc,
        .bias = g->post.bias ? g->post.bias + n0 : NULL,
        .load = g->post.accumulate,
        .from_end = g->from_end,
        .clamp = g->post.clamp,
        .low = g->post.low,
        .high = g->post.high,
        .epilogue = g->post.epilogue,
        .context = g->post.context,
        .m_origin = m0,
        .n_origin = n0,
        .room = rt_room_of(&g->room, worker),
    };
    RT_FN(rt_block_run)(&block);
}

static void gemm_task(void *context, int64_t begin, int64_t end, int worker)
{
    const gemm *g = context;
    const rt_real *rows[ROWS_MAX];
    for (int64_t i = begin; i < end; i++)
        gemm_block(g, i / g->panel_blocks, i % g->panel_blocks, rows, worker);
}

int RT_FN(rt_gemm)(rt_team *team, int64_t m, int64_t n, int64_t k, const rt_real *a, int64_t lda,
                   const rt_real *packed, rt_real *c, int64_t ldc, const rt_post *post)
{
    if (m <= 0 || n <= 0) return 0;
    gemm g = {.m = m, .n = n, .k = k, .a = a, .lda = lda, .packed = packed, .c = c, .ldc = ldc};
    if (post) g.post = *post;
    g.from_end = team->from_end;
    g.panels = rt_ceil_div(n, RT_PANEL);
    if (RT_FN(rt_amx_take)(team, &(rt_amx_work){m, n, k, 0, m}, &g.room)) return -1;
    int64_t row_bytes =
        g.room.base ? RT_AMX_DEPTH * RT_AMX_STEP_BYTES : k * (int64_t)sizeof(rt_real);
    rt_cut cut = RT_FN(rt_block_cut_rows)(m, g.panels, k, row_bytes, 4 * MR, ROWS_MAX,
                                          rt_pool_threads(team->pool));
    g.row_blocks = cut.row_blocks;
    g.panel_blocks = cut.panel_blocks;
    int64_t blocks = g.row_blocks * g.panel_blocks;
    rt_parallel(team->pool, gemm_task, &g, blocks, rt_grain(blocks, 2 * m * n * k, 4 * n * k));
    rt_scratch_drop(team, &g.room);
    return 0;
}
