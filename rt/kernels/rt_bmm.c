/* rt_bmm.c - batched GEMM of two activations with any strides.
 *
 * A task is one batch, one group of panels of B and one block of rows. B's group is packed into the
 * worker's scratch (and kept while the next task wants the same one), A is read in place when its
 * depth is contiguous and copied otherwise, C goes through scratch when its columns are not
 * contiguous. With a few rows packing would cost more than the product: then B is read in place,
 * along its columns or along its depth, whichever is contiguous.
 */
#include "rt_dot.h"
#include "rt_isa.h"
#include "rt_panel.h"

enum {
    ROWS_MAX = RT_BMM_TILES * MR,
    FEW_COLUMNS = 256, /* columns of a task that reads B in place */
    WIDE = 4           /* vectors of them at a time */
};

typedef struct bmm {
    const rt_bmm *args;
    int64_t panels, group, groups, row_blocks;
    int64_t rows_max;
    size_t a_at, c_at, rows_at; /* bytes into a worker's scratch; packed B is at worker_state */
    const rt_scratch *scratch;
    rt_scratch room; /* of blocks by AMX */
} bmm;

/* First thing in a worker's scratch: which B it holds. */
typedef struct worker_state {
    int64_t batch, group;
    char pad[48];
} worker_state;
_Static_assert(sizeof(worker_state) == RT_STATE_BYTES, "as it is planned for");

static const rt_real *copy_a(const rt_bmm *g, const rt_real *a, int64_t rows, rt_real *out)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < g->k; k++) out[i * g->k + k] = a[i * g->a_row + k * g->a_col];
    return out;
}

static void bmm_block(const bmm *s, int64_t batch, int64_t group, int64_t row_block, char *memory,
                      void *room)
{
    const rt_bmm *g = s->args;
    worker_state *state = (worker_state *)memory;
    rt_real *packed = (rt_real *)(memory + sizeof *state);
    const rt_real **rows = (const rt_real **)(memory + s->rows_at);
    int64_t p0 = s->panels * group / s->groups, p1 = s->panels * (group + 1) / s->groups;
    int64_t n0 = p0 * RT_PANEL, n1 = rt_min(p1 * RT_PANEL, g->n);
    if (state->batch != batch || state->group != group) {
        const rt_real *b = g->b + batch * g->b_batch;
        for (int64_t p = p0; p < p1; p++)
            rt_panel_pack(packed + (p - p0) * g->k * RT_PANEL, b + p * RT_PANEL * g->b_col,
                          g->b_col, g->b_row, g->k, rt_min(RT_PANEL, g->n - p * RT_PANEL));
        state->batch = batch;
        state->group = group;
    }
    int64_t m0 = g->m * row_block / s->row_blocks, m1 = g->m * (row_block + 1) / s->row_blocks;
    const rt_real *a = g->a + batch * g->a_batch + m0 * g->a_row;
    int64_t lda = g->a_row;
    if (g->a_col != 1 && g->k > 1) {
        a = copy_a(g, a, m1 - m0, (rt_real *)(memory + s->a_at));
        lda = g->k;
    }
    rt_rows_plain(rows, a, lda, m1 - m0);
    rt_real *c = g->c + batch * g->c_batch + m0 * g->c_row + n0 * g->c_col;
    int direct = g->c_col == 1 || n1 - n0 == 1;
    rt_real *buffer = (rt_real *)(memory + s->c_at);
    rt_block block = {
        .m = m1 - m0,
        .n = n1 - n0,
        .taps = 1,
        .run = g->k,
        .rows = rows,
        .packed = packed,
        .c = direct ? c : buffer,
        .ldc = direct ? g->c_row : n1 - n0,
        .scale = g->alpha != 1,
        .alpha = g->alpha,
        .epilogue = direct ? g->epilogue : NULL,
        .context = g->context,
        .m_origin = batch * g->m + m0,
        .n_origin = n0,
        .room = room,
    };
    RT_FN(rt_block_run)(&block);
    if (direct) return;
    for (int64_t n = 0; n < n1 - n0; n++)
        for (int64_t i = 0; i < m1 - m0; i++)
            c[i * g->c_row + n * g->c_col] = buffer[i * (n1 - n0) + n];
    if (g->epilogue) g->epilogue(g->context, block.m_origin, block.m_origin + block.m, n0, n1);
}

static void bmm_task(void *context, int64_t begin, int64_t end, int worker)
{
    const bmm *s = context;
    char *memory = rt_scratch_worker(s->scratch, worker);
    for (int64_t i = begin; i < end; i++) {
        int64_t row_block = i % s->row_blocks, rest = i / s->row_blocks;
        bmm_block(s, rest / s->groups, rest % s->groups, row_block, memory,
                  rt_room_of(&s->room, worker));
    }
}

/* ---- few rows ---- */

/* sums[0 .. count vectors) of one row of A with columns that are contiguous in B. Depth goes in parts, as
 * in rt_tile.c. */
RT_INLINE void row_vectors(const rt_bmm *g, const rt_real *a, const rt_real *b, const int count,
                           rt_real *sums)
{
    vf total[WIDE] = {(vf){0}};
    for (int64_t k = 0; k < g->k;) {
        int64_t end = rt_min(g->k, k + RT_DEPTH_PART);
        vf sum[WIDE] = {(vf){0}};
        for (; k < end; k++)
#pragma GCC unroll 4
            for (int i = 0; i < count; i++)
                sum[i] += v_load(b + k * g->b_row + i * VL) * a[k * g->a_col];
#pragma GCC unroll 4
        for (int i = 0; i < count; i++) total[i] += sum[i];
    }
#pragma GCC unroll 4
    for (int i = 0; i < count; i++) v_store(sums + i * VL, total[i]);
}

static void row_by_columns(const rt_bmm *g, const rt_real *a, const rt_real *b, int64_t count,
                           rt_real *sums)
{
    int64_t n = 0;
    for (; n + WIDE * VL <= count; n += WIDE * VL) row_vectors(g, a, b + n, WIDE, sums + n);
    for (; n + VL <= count; n += VL) row_vectors(g, a, b + n, 1, sums + n);
    for (; n < count; n++) {
        rt_real total = 0;
        for (int64_t k = 0; k < g->k;) {
            int64_t end = rt_min(g->k, k + RT_DEPTH_PART);
            rt_real sum = 0;
            for (; k < end; k++) sum += b[k * g->b_row + n] * a[k * g->a_col];
            total += sum;
        }
        sums[n] = total;
    }
}

/* The same with depth contiguous in A and in B: v_dot() has several sums of each lane. */
static void row_by_depth(const rt_bmm *g, const rt_real *a, const rt_real *b, int64_t count,
                         rt_real *sums)
{
    enum { PART = 4 * VL * RT_DEPTH_PART };
    for (int64_t n = 0; n < count; n++) {
        const rt_real *row = b + n * g->b_col;
        rt_real total = v_dot(a, row, rt_min(g->k, PART));
        for (int64_t k = PART; k < g->k; k += PART)
            total += v_dot(a + k, row + k, rt_min(g->k - k, PART));
        sums[n] = total;
    }
}

static void few_task(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    const bmm *s = context;
    const rt_bmm *g = s->args;
    for (int64_t i = begin; i < end; i++) {
        int64_t batch = i / s->groups, n0 = i % s->groups * FEW_COLUMNS;
        int64_t count = rt_min(FEW_COLUMNS, g->n - n0);
        const rt_real *b = g->b + batch * g->b_batch + n0 * g->b_col;
        for (int64_t m = 0; m < g->m; m++) {
            rt_real sums[FEW_COLUMNS];
            const rt_real *a = g->a + batch * g->a_batch + m * g->a_row;
            rt_real *c = g->c + batch * g->c_batch + m * g->c_row + n0 * g->c_col;
            if (g->b_col == 1)
                row_by_columns(g, a, b, count, sums);
            else
                row_by_depth(g, a, b, count, sums);
            for (int64_t n = 0; n < count; n++) c[n * g->c_col] = g->alpha * sums[n];
        }
        if (g->epilogue) g->epilogue(g->context, batch * g->m, (batch + 1) * g->m, n0, n0 + count);
    }
}

static int few_rows(rt_team *team, const rt_bmm *args)
{
    bmm s = {.args = args, .groups = rt_ceil_div(args->n, FEW_COLUMNS)};
    int64_t tasks = args->batch * s.groups, depth = args->batch * args->n * args->k;
    rt_parallel(team->pool, few_task, &s, tasks, rt_grain(tasks, 2 * args->m * depth, 4 * depth));
    return 0;
}

/* ---- entry ---- */

int RT_FN(rt_bmm)(rt_team *team, const rt_bmm *args)
{
    if (args->batch <= 0 || args->m <= 0 || args->n <= 0) return 0;
    if (args->m <= RT_BMM_FEW_ROWS && (args->b_col == 1 || (args->b_row == 1 && args->a_col == 1)))
        return few_rows(team, args);
    bmm s = {.args = args};
    int64_t threads = rt_pool_threads(team->pool);
    int64_t panel_bytes = args->k * RT_PANEL * (int64_t)sizeof(rt_real);
    s.panels = rt_ceil_div(args->n, RT_PANEL);
    s.group = rt_min(s.panels, rt_max(RT_BMM_GROUP_BYTES / rt_max(panel_bytes, 1), 1));
    if (threads > 1 && args->batch * rt_ceil_div(s.panels, s.group) < 4 * threads)
        s.group = rt_max(rt_min(s.group, s.panels * args->batch / (4 * threads)), 1);
    s.groups = rt_ceil_div(s.panels, s.group);
    s.row_blocks = rt_ceil_div(args->m, ROWS_MAX);
    if (threads > 1 && args->batch * s.groups * s.row_blocks < 2 * threads)
        s.row_blocks = rt_max(s.row_blocks, rt_min(rt_ceil_div(args->m, MR), 2 * threads));
    s.rows_max = rt_ceil_div(args->m, s.row_blocks);
    int64_t group_max = rt_ceil_div(s.panels, s.groups);
    size_t b_bytes = (size_t)(group_max * panel_bytes);
    size_t a_bytes = args->a_col == 1 ? 0 : (size_t)(s.rows_max * args->k) * sizeof(rt_real);
    size_t c_bytes =
        args->c_col == 1 ? 0 : (size_t)(s.rows_max * group_max * RT_PANEL) * sizeof(rt_real);
    s.a_at = sizeof(worker_state) + b_bytes;
    s.c_at = s.a_at + (a_bytes + 63) / 64 * 64;
    s.rows_at = s.c_at + c_bytes;
    rt_scratch scratch;
    if (rt_scratch_take(team, 0, s.rows_at + (size_t)s.rows_max * sizeof(rt_real *), &scratch) != 0)
        return -1;
    for (int i = 0; i < threads; i++) ((worker_state *)rt_scratch_worker(&scratch, i))->batch = -1;
    s.scratch = &scratch;
    int64_t tasks = args->batch * s.groups * s.row_blocks;
    int64_t depth = args->batch * args->n * args->k;
    rt_amx_work work = {args->m, args->n, args->k, 0, s.rows_max};
    int failed = RT_FN(rt_amx_take)(team, &work, &s.room);
    if (!failed)
        rt_parallel(team->pool, bmm_task, &s, tasks,
                    rt_grain(tasks, 2 * args->m * depth, 4 * depth));
    rt_scratch_drop(team, &s.room);
    rt_scratch_drop(team, &scratch);
    return failed;
}
