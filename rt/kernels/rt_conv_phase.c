/* rt_conv_phase.c - transposed convolution: for each phase (rt_phase.h) of output positions one dense
 * convolution with the taps that reach them, over pointers to input pixels.
 *
 * The sums of each tap are added up on their own, and the taps' then: long sums lose less so, and
 * PyTorch has the same order. The output pixels of a phase do not lie side by side: a task's results
 * are made in the area of its thread, and go from there to where the output has them, whatever its
 * strides.
 */
#include "rt_isa.h"

#include "rt_phase.h"

enum { ROWS_MAX = RT_CONV_PHASE_TILES * MR };

typedef struct phases {
    const rt_conv *g;
    const rt_real *x, *packed;
    rt_real *y;
    rt_post post;
    int64_t group_in, group_out, taps, panels;
    int64_t count[3];                 /* phases of each axis */
    int64_t row_blocks, panel_blocks; /* of each phase */
    size_t tile_at;                   /* bytes into a worker's area */
    const rt_real *zero;
    const rt_scratch *scratch;
} phases;

/* Which table a worker's scratch holds. */
typedef struct worker_state {
    int64_t key;
    char pad[RT_STATE_BYTES - sizeof(int64_t)];
} worker_state;

typedef struct phase {
    rt_phase axis[3];
    int64_t taps, begin; /* of the packed ones */
    int64_t pixels;
} phase;

static phase phase_of(const phases *s, int64_t index)
{
    const rt_conv *g = s->g;
    phase p = {.taps = 1, .pixels = g->batch};
    int64_t remainder[3];
    for (int axis = 2; axis >= 0; axis--) {
        int64_t first = index % s->count[axis];
        index /= s->count[axis];
        p.axis[axis] = rt_phase_at(g, axis, first);
        remainder[axis] = (first + g->pad[axis]) % g->stride[axis];
        p.taps *= p.axis[axis].taps;
        p.pixels *= p.axis[axis].count;
    }
    p.begin = rt_phase_begin(g, remainder);
    return p;
}

/* Pixel m of a phase: its image, and its number along each axis. */
static int64_t pixel_at(const phase *p, int64_t m, int64_t *at)
{
    for (int axis = 2; axis >= 0; axis--) {
        at[axis] = m % p->axis[axis].count;
        m /= p->axis[axis].count;
    }
    return m;
}

static int64_t source(const rt_phase *axis, int64_t at, int64_t tap)
{
    return axis->from + at - tap * axis->from_step;
}

/* Pointers of one pixel, one for each tap, `pitch` apart. */
static void pixel_pointers(const phases *s, const phase *p, const rt_real *image, const int64_t *at,
                           const rt_real **out, int64_t pitch)
{
    const rt_conv *g = s->g;
    for (int64_t td = 0; td < p->axis[0].taps; td++) {
        int64_t d = source(&p->axis[0], at[0], td);
        for (int64_t th = 0; th < p->axis[1].taps; th++) {
            int64_t h = source(&p->axis[1], at[1], th);
            int row_inside = rt_is_inside(d, g->in[0]) && rt_is_inside(h, g->in[1]);
            for (int64_t tw = 0; tw < p->axis[2].taps; tw++, out += pitch) {
                int64_t w = source(&p->axis[2], at[2], tw);
                *out = row_inside && rt_is_inside(w, g->in[2])
                           ? image + d * g->x[0] + h * g->x[1] + w * g->x[2]
                           : s->zero;
            }
        }
    }
}

static void fill_table(const phases *s, const phase *p, int64_t group, int64_t m0, int64_t m,
                       const rt_real **rows)
{
    const rt_real *x = s->x + group * s->group_in * s->g->x_channel;
    for (int64_t i = 0; i < m; i++) {
        int64_t at[3], image = pixel_at(p, m0 + i, at);
        pixel_pointers(s, p, x + image * s->g->x_batch, at, rows + i, m);
    }
}

/* Where pixels m0 on have their results, from this channel on. */
static void find_places(const phases *s, const phase *p, int64_t m0, int64_t m, int64_t channel,
                        rt_real **places)
{
    const rt_conv *g = s->g;
    for (int64_t i = 0; i < m; i++) {
        int64_t at[3], image = pixel_at(p, m0 + i, at);
        rt_real *y = s->y + image * g->y_batch + channel * g->y_channel;
        for (int axis = 0; axis < 3; axis++)
            y += (p->axis[axis].first + at[axis] * g->stride[axis]) * g->y[axis];
        places[i] = y;
    }
}

static void gather(rt_real *const *places, int64_t step, int64_t m, int64_t columns, rt_real *tile)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < columns; j++) tile[i * columns + j] = places[i][j * step];
}

static void spread(rt_real *const *places, int64_t step, int64_t m, int64_t columns,
                   const rt_real *tile)
{
    if (step == 1)
        for (int64_t i = 0; i < m; i++)
            memcpy(places[i], tile + i * columns, (size_t)columns * sizeof *tile);
    else
        for (int64_t j = 0; j < columns; j++)
            for (int64_t i = 0; i < m; i++) places[i][j * step] = tile[i * columns + j];
}

/* The pixels from the first to behind the last that a tap reaches the input from. */
typedef struct reach {
    int64_t from, to;
} reach;

static reach reach_of(const phases *s, const rt_real *const *rows, int64_t m)
{
    reach r = {0, m};
    while (r.from < r.to && rows[r.from] == s->zero) r.from++;
    while (r.from < r.to && rows[r.to - 1] == s->zero) r.to--;
    return r;
}

/* Do taps reach so few of the pixels that to start with zeros is worth it? Of an input of 1x1 each reaches
 * one. */
static int is_sparse(const phases *s, const phase *p, const rt_real *const *rows, int64_t m)
{
    int64_t reached = 0;
    for (int64_t tap = 0; tap < p->taps; tap++) {
        reach r = reach_of(s, rows + tap * m, m);
        reached += r.to - r.from;
    }
    return p->taps > 1 && 8 * reached < 7 * m * p->taps;
}

static void run_block(const phases *s, const phase *p, int64_t group, int64_t m0, int64_t m,
                      int64_t panel_block, const rt_real **rows, rt_real *tile)
{
    int64_t p0 = s->panels * panel_block / s->panel_blocks;
    int64_t p1 = s->panels * (panel_block + 1) / s->panel_blocks;
    int64_t n0 = p0 * RT_PANEL, columns = rt_min(p1 * RT_PANEL, s->group_out) - n0;
    int64_t depth = s->taps * s->group_in, channel = group * s->group_out + n0;
    rt_real *places[ROWS_MAX];
    find_places(s, p, m0, m, channel, places);
    if (s->post.accumulate) gather(places, s->g->y_channel, m, columns, tile);
    const rt_real *packed = s->packed + (group * s->panels + p0) * depth * RT_PANEL;
    int sparse = is_sparse(s, p, rows, m);
    if (sparse && !s->post.accumulate) memset(tile, 0, (size_t)(m * columns) * sizeof *tile);
    for (int64_t tap = 0; tap < rt_max(p->taps, 1); tap++) {
        int is_last = tap >= p->taps - 1;
        reach r = {0, m};
        if (sparse && !is_last) r = reach_of(s, rows + tap * m, m);
        if (r.from == r.to) continue;
        rt_block block = {
            .m = r.to - r.from,
            .n = columns,
            .taps = p->taps ? 1 : 0,
            .run = s->group_in,
            .rows = rows + tap * m + r.from,
            .packed = packed + (p->begin + tap) * s->group_in * RT_PANEL,
            .panel_depth = depth,
            .c = tile + r.from * columns,
            .ldc = columns,
            .bias = s->post.bias && is_last ? s->post.bias + channel : NULL,
            .load = s->post.accumulate || sparse || tap > 0,
            .clamp = s->post.clamp && is_last,
            .low = s->post.low,
            .high = s->post.high,
        };
        RT_FN(rt_block_run)(&block);
    }
    spread(places, s->g->y_channel, m, columns, tile);
}

static void phase_task(void *context, int64_t begin, int64_t end, int worker)
{
    const phases *s = context;
    worker_state *state = rt_scratch_worker(s->scratch, worker);
    const rt_real **rows = (const rt_real **)(state + 1);
    rt_real *tile = (rt_real *)((char *)state + s->tile_at);
    int64_t count = s->count[0] * s->count[1] * s->count[2];
    for (int64_t i = begin; i < end; i++) {
        int64_t key = i / s->panel_blocks, rest = key / s->row_blocks;
        int64_t row_block = key % s->row_blocks, group = rest / count;
        phase p = phase_of(s, rest % count);
        int64_t m0 = p.pixels * row_block / s->row_blocks;
        int64_t m = p.pixels * (row_block + 1) / s->row_blocks - m0;
        if (m == 0) continue;
        if (state->key != key) fill_table(s, &p, group, m0, m, rows);
        state->key = key;
        run_block(s, &p, group, m0, m, i % s->panel_blocks, rows, tile);
    }
}

int RT_FN(rt_conv_phases)(rt_team *team, const rt_conv *g, const rt_real *x, const rt_real *packed,
                          rt_real *y, const rt_post *post)
{
    phases s = {.g = g, .x = x, .packed = packed, .y = y};
    int64_t threads = rt_pool_threads(team->pool), pixels = g->batch, all = g->groups;
    int64_t outputs = g->batch * g->out_channels;
    if (post) s.post = *post;
    s.group_in = g->in_channels / g->groups;
    s.group_out = g->out_channels / g->groups;
    s.taps = g->kernel[0] * g->kernel[1] * g->kernel[2];
    s.panels = rt_ceil_div(s.group_out, RT_PANEL);
    for (int axis = 0; axis < 3; axis++) {
        s.count[axis] = rt_min(g->stride[axis], g->out[axis]);
        pixels *= rt_ceil_div(g->out[axis], g->stride[axis]); /* of the largest phase */
        all *= s.count[axis];
        outputs *= g->out[axis];
    }
    int64_t taps = rt_phase_taps_most(g);
    int64_t rows_max = rt_max(rt_min(ROWS_MAX, RT_CONV_TABLE_ENTRIES / taps / MR * MR), MR);
    rt_cut cut = RT_FN(rt_block_cut)(pixels, s.panels, taps * s.group_in, rows_max,
                                     rt_ceil_div(threads > 1 ? 4 * threads : 1, all));
    s.row_blocks = cut.row_blocks;
    s.panel_blocks =
        rt_max(cut.panel_blocks, rt_ceil_div(s.panels, RT_CONV_PHASE_COLUMNS / RT_PANEL));
    int64_t rows = rt_ceil_div(pixels, s.row_blocks);
    size_t table = (size_t)(rows * taps) * sizeof(rt_real *);
    size_t zero_bytes = (size_t)s.group_in * sizeof(rt_real);
    size_t tile = (size_t)(rows * rt_min(s.group_out, RT_CONV_PHASE_COLUMNS)) * sizeof(rt_real);
    size_t zero_at = sizeof(worker_state) + (table + 63) / 64 * 64;
    s.tile_at = zero_at + (zero_bytes + 63) / 64 * 64;
    rt_scratch scratch;
    if (rt_scratch_take(team, 0, s.tile_at + tile, &scratch) != 0) return -1;
    s.scratch = &scratch;
    s.zero = memset((char *)rt_scratch_worker(&scratch, 0) + zero_at, 0, zero_bytes);
    for (int64_t i = 0; i < threads; i++)
        ((worker_state *)rt_scratch_worker(&scratch, (int)i))->key = -1;
    int64_t tasks = all * s.row_blocks * s.panel_blocks;
    int64_t flops = 2 * outputs * rt_max(taps, 1) * s.group_in;
    int64_t weights = g->out_channels * s.taps * s.group_in * (int64_t)sizeof(rt_real);
    rt_parallel(team->pool, phase_task, &s, tasks, rt_grain(tasks, flops, weights));
    rt_scratch_drop(team, &scratch);
    return 0;
}
