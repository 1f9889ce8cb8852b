/* rt_conv.c - convolution in three ways: as a GEMM, over pointers to input pixels, over a padded
 * band of input rows.
 *
 * Indirect: for each tile of output pixels there is a pointer a tap to the input pixel under it, or
 * to a row of zeros outside the image (Dukhan, "The Indirect Convolution Algorithm"); the tile of
 * rt_tile.c runs over taps and channels. Band: with few channels the rows that a strip of output
 * needs are copied once, padded and channels last, so that one tap is a whole window row of
 * kernel-width * channels contiguous elements; this also takes any input strides. Many channels
 * that are not contiguous are first copied to channels last as a whole. Groups of few channels share panels
 * of weights, and those of four vectors (rt_group.c).
 */
#include "rt_isa.h"

#include "rt_band.h"

enum {
    ROWS_MAX = RT_CONV_TILES * MR, /* output pixels of a task, indirect */
    LONG_WINDOW = 64               /* elements of it: those of layers have fewer */
};

typedef struct conv {
    const rt_conv *g;
    const rt_real *x;
    const rt_real *packed;
    rt_real *y;
    rt_post post;
    int64_t groups, group_in, group_out, taps, run; /* as the tile sees them */
    int shares;                                     /* panels have several groups */
    int spreads;                                    /* vectors too: `groups` are the panels */
    int64_t panels, panel_blocks;
    int is_long;                /* sums over a window as large as an image: gradients of weights */
    int64_t pixels, row_blocks; /* indirect */
    int64_t strip, strips;      /* band: output rows of one task, tasks an output plane */
    int64_t band_width, band_rows; /* in input pixels, in rows of one depth */
    size_t table_at;               /* bytes into a worker's area: the pointer table */
    const rt_real *zero;
    const rt_scratch *scratch;
    rt_scratch room; /* of blocks by AMX */
} conv;

/* Which table a worker's scratch holds. */
typedef struct worker_state {
    int64_t key;
    char pad[56];
} worker_state;
_Static_assert(sizeof(worker_state) == RT_STATE_BYTES, "as it is planned for");

/* The rows are those of the first group, `offset` numbers before those of this one. */
static void conv_block(const conv *s, int64_t group, int64_t m0, int64_t m, int64_t panel_block,
                       const rt_real **rows, int64_t offset, int worker)
{
    int64_t p0 = s->panels * panel_block / s->panel_blocks;
    int64_t p1 = s->panels * (panel_block + 1) / s->panel_blocks;
    int64_t n0 = p0 * RT_PANEL, n1 = rt_min(p1 * RT_PANEL, s->group_out);
    int64_t column = group * s->group_out + n0, panel = group * s->panels + p0;
    int64_t depth = s->taps * s->run, within = 0;
    if (s->shares) {
        panel = column / RT_PANEL;
        within = column % RT_PANEL;
        n1 = rt_min(n1, s->g->out_channels - column);
    }
    rt_block block = {
        .m = m,
        .n = n1 - n0,
        .taps = s->taps,
        .run = s->run,
        .rows = rows,
        .zero = s->zero,
        .offset = offset,
        .packed = s->packed + panel * depth * RT_PANEL + within,
        .c = s->y + m0 * s->g->y_row + column,
        .ldc = s->g->y_row,
        .bias = s->post.bias ? s->post.bias + column : NULL,
        .load = s->post.accumulate,
        .fine = s->is_long,
        .clamp = s->post.clamp,
        .low = s->post.low,
        .high = s->post.high,
        .epilogue = s->post.epilogue,
        .context = s->post.context,
        .m_origin = m0,
        .n_origin = column,
        .room = rt_room_of(&s->room, worker),
    };
    if (s->spreads)
        RT_FN(rt_group_run)(&block);
    else
        RT_FN(rt_block_run)(&block);
}

static int64_t conv_grain(const conv *s, int64_t tasks)
{
    int64_t weights = s->g->out_channels * s->taps * s->run;
    return rt_grain(tasks, 2 * s->pixels * weights, (int64_t)sizeof(rt_real) * weights);
}

static int take_room(rt_team *team, conv *s, int64_t rows)
{
    if (s->spreads || s->is_long) return 0;
    rt_amx_work work = {.m = s->pixels,
                        .n = s->group_out,
                        .k = s->taps * s->run,
                        .is_gathered = s->taps > 1 && s->run % RT_AMX_DEPTH,
                        .rows = rows};
    return RT_FN(rt_amx_take)(team, &work, &s->room);
}

/* ---- indirect ---- */

/* Where output pixel m reads: the input position of tap 0 on each axis, and its image. Pointers are those of
 * the first group, and zeros enough for all. */
typedef struct pixel {
    int64_t at[3];
    const rt_real *image;
} pixel;

static pixel pixel_at(const conv *s, int64_t m)
{
    const rt_conv *g = s->g;
    int64_t w = m % g->out[2], rest = m / g->out[2];
    int64_t h = rest % g->out[1];
    rest /= g->out[1];
    int64_t d = rest % g->out[0], image = rest / g->out[0];
    return (pixel){
        {d * g->stride[0] - g->pad[0], h * g->stride[1] - g->pad[1], w * g->stride[2] - g->pad[2]},
        s->x + image * g->x_batch};
}

/* Pointers under one tap of `count` pixels of a row, of which the first reads at w. */
static void tap_pointers(const conv *s, const rt_real *row, int64_t w, int64_t count,
                         const rt_real **out)
{
    int64_t stride = s->g->stride[2], size = s->g->in[2], step = s->g->x[2], i = 0;
    int64_t from = w < 0 ? rt_min(rt_ceil_div(-w, stride), count) : 0;
    int64_t to = w < size ? rt_min(rt_ceil_div(size - w, stride), count) : 0;
    if (!row) to = 0;
    for (; i < from && i < to; i++) out[i] = s->zero;
    for (; i < to; i++) out[i] = row + (w + i * stride) * step;
    for (; i < count; i++) out[i] = s->zero;
}

/* Pointers of pixels of a row from p on, `pitch` from those of a tap to those of the next one. */
static void row_pointers(const conv *s, const pixel *p, int64_t count, const rt_real **out,
                         int64_t pitch)
{
    const rt_conv *g = s->g;
    for (int64_t kd = 0; kd < g->kernel[0]; kd++) {
        int64_t d = p->at[0] + kd * g->dilation[0];
        for (int64_t kh = 0; kh < g->kernel[1]; kh++) {
            int64_t h = p->at[1] + kh * g->dilation[1];
            int row_inside = rt_is_inside(d, g->in[0]) && rt_is_inside(h, g->in[1]);
            const rt_real *row = row_inside ? p->image + d * g->x[0] + h * g->x[1] : NULL;
            for (int64_t kw = 0; kw < g->kernel[2]; kw++, out += pitch)
                tap_pointers(s, row, p->at[2] + kw * g->dilation[2], count, out);
        }
    }
}

static void fill_table(const conv *s, int64_t m0, int64_t m, const rt_real **rows)
{
    for (int64_t i = 0, count; i < m; i += count) {
        pixel p = pixel_at(s, m0 + i);
        count = rt_min(s->g->out[2] - (m0 + i) % s->g->out[2], m - i);
        row_pointers(s, &p, count, rows + i, m);
    }
}

static void indirect_task(void *context, int64_t begin, int64_t end, int worker)
{
    const conv *s = context;
    worker_state *state = rt_scratch_worker(s->scratch, worker);
    const rt_real **rows = (const rt_real **)(state + 1);
    for (int64_t i = begin; i < end; i++) {
        int64_t panel_block = i % s->panel_blocks, rest = i / s->panel_blocks;
        int64_t group = rest % s->groups, row_block = rest / s->groups;
        int64_t m0 = s->pixels * row_block / s->row_blocks;
        int64_t m = s->pixels * (row_block + 1) / s->row_blocks - m0;
        if (state->key != row_block) {
            fill_table(s, m0, m, rows);
            state->key = row_block;
        }
        conv_block(s, group, m0, m, panel_block, rows, group * s->group_in, worker);
    }
}

static int run_indirect(rt_team *team, conv *s)
{
    const rt_conv *g = s->g;
    int64_t threads = rt_pool_threads(team->pool), wanted = threads > 1 ? 4 * threads : 1;
    s->taps = g->kernel[0] * g->kernel[1] * g->kernel[2];
    s->run = s->group_in;
    if (s->spreads) {
        s->groups = rt_ceil_div(g->out_channels, RT_PANEL);
        s->group_in = s->group_out = RT_PANEL;
    }
    int64_t rows_max = rt_max(rt_min(ROWS_MAX, RT_CONV_TABLE_ENTRIES / s->taps / MR * MR), MR);
    rt_cut cut = RT_FN(rt_block_cut)(s->pixels, s->panels, s->taps * s->run, rows_max,
                                     rt_ceil_div(wanted, s->groups));
    s->row_blocks = cut.row_blocks;
    s->panel_blocks = cut.panel_blocks;
    size_t zero_bytes = (size_t)g->in_channels * sizeof(rt_real);
    size_t table = (size_t)(rt_ceil_div(s->pixels, s->row_blocks) * s->taps) * sizeof(rt_real *);
    size_t state_bytes = sizeof(worker_state) + table;
    rt_scratch scratch;
    if (rt_scratch_take(team, 0, state_bytes + zero_bytes, &scratch) != 0) return -1;
    s->zero = memset((char *)rt_scratch_worker(&scratch, 0) + state_bytes, 0, zero_bytes);
    for (int i = 0; i < threads; i++) ((worker_state *)rt_scratch_worker(&scratch, i))->key = -1;
    s->scratch = &scratch;
    int64_t tasks = s->groups * s->row_blocks * s->panel_blocks;
    int failed = take_room(team, s, rt_ceil_div(s->pixels, s->row_blocks));
    if (!failed) rt_parallel(team->pool, indirect_task, s, tasks, conv_grain(s, tasks));
    rt_scratch_drop(team, &s->room);
    rt_scratch_drop(team, &scratch);
    return failed;
}

/* ---- band ---- */

/* The rows under output rows [h0, h1) of one output plane. */
static void fill_band(const conv *s, int64_t group, int64_t image, int64_t od, int64_t h0,
                      rt_real *band)
{
    const rt_conv *g = s->g;
    const rt_real *x = s->x + image * g->x_batch + group * s->group_in * g->x_channel;
    for (int64_t kd = 0; kd < g->kernel[0]; kd++) {
        int64_t d = od * g->stride[0] - g->pad[0] + kd * g->dilation[0];
        for (int64_t r = 0; r < s->band_rows; r++) {
            int64_t h = h0 * g->stride[1] - g->pad[1] + r;
            const rt_real *row = rt_is_inside(d, g->in[0]) && rt_is_inside(h, g->in[1])
                                     ? x + d * g->x[0] + h * g->x[1]
                                     : NULL;
            rt_band_row(g, row, 0, s->band_width, s->group_in,
                        band + (kd * s->band_rows + r) * s->band_width * s->group_in);
        }
    }
}

static void band_table(const conv *s, int64_t m, const rt_real *band, const rt_real **rows)
{
    const rt_conv *g = s->g;
    int64_t windows = s->run == s->group_in ? g->kernel[2] : 1;
    for (int64_t kd = 0; kd < g->kernel[0]; kd++)
        for (int64_t kh = 0; kh < g->kernel[1]; kh++)
            for (int64_t kw = 0; kw < windows; kw++)
                for (int64_t h = 0; h < m / g->out[2]; h++) {
                    int64_t row = kd * s->band_rows + h * g->stride[1] + kh * g->dilation[1];
                    const rt_real *from =
                        band + (row * s->band_width + kw * g->dilation[2]) * s->group_in;
                    for (int64_t w = 0; w < g->out[2]; w++)
                        *rows++ = from + w * g->stride[2] * s->group_in;
                }
}

static void band_task(void *context, int64_t begin, int64_t end, int worker)
{
    const conv *s = context;
    const rt_conv *g = s->g;
    char *memory = rt_scratch_worker(s->scratch, worker);
    rt_real *band = (rt_real *)memory;
    const rt_real **rows = (const rt_real **)(memory + s->table_at);
    int64_t table_rows = -1;
    for (int64_t i = begin; i < end; i++) {
        int64_t strip = i % s->strips, plane = i / s->strips;
        int64_t od = plane % g->out[0], rest = plane / g->out[0];
        int64_t image = rest % g->batch, group = rest / g->batch;
        int64_t h0 = strip * s->strip, h1 = rt_min(h0 + s->strip, g->out[1]);
        int64_t m0 = ((image * g->out[0] + od) * g->out[1] + h0) * g->out[2];
        int64_t m = (h1 - h0) * g->out[2];
        fill_band(s, group, image, od, h0, band);
        if (m != table_rows) band_table(s, m, band, rows);
        table_rows = m;
        conv_block(s, group, m0, m, 0, rows, 0, worker);
    }
}

static int run_band(rt_team *team, conv *s)
{
    const rt_conv *g = s->g;
    int64_t threads = rt_pool_threads(team->pool);
    int whole_rows = g->dilation[2] == 1;
    s->taps = g->kernel[0] * g->kernel[1] * (whole_rows ? 1 : g->kernel[2]);
    s->run = s->group_in * (whole_rows ? g->kernel[2] : 1);
    s->panel_blocks = 1;
    int64_t planes = g->batch * g->out[0] * g->groups;
    s->band_width = (g->out[2] - 1) * g->stride[2] + (g->kernel[2] - 1) * g->dilation[2] + 1;
    int64_t row_bytes =
        g->kernel[0] * g->stride[1] * s->band_width * s->group_in * (int64_t)sizeof(rt_real);
    int64_t fit =
        rt_max(RT_CONV_BAND_BYTES / rt_max(row_bytes, 1), rt_ceil_div(RT_CONV_BAND_FEW, g->out[2]));
    fit = rt_min(fit, RT_CONV_BAND_PIXELS / g->out[2]);
    s->strip = rt_max(rt_min(fit, g->out[1]), 1);
    if (threads > 1 && planes * rt_ceil_div(g->out[1], s->strip) < 4 * threads)
        s->strip = rt_max(g->out[1] * planes / (4 * threads),
                          rt_min(s->strip, rt_ceil_div(2 * MR, g->out[2])));
    s->strips = rt_ceil_div(g->out[1], s->strip);
    s->band_rows = (s->strip - 1) * g->stride[1] + (g->kernel[1] - 1) * g->dilation[1] + 1;
    size_t band =
        (size_t)(g->kernel[0] * s->band_rows * s->band_width * s->group_in) * sizeof(rt_real);
    s->table_at = (band + 63) / 64 * 64;
    size_t table = (size_t)(s->strip * g->out[2] * s->taps) * sizeof(rt_real *);
    rt_scratch scratch;
    if (rt_scratch_take(team, 0, s->table_at + table, &scratch) != 0) return -1;
    s->scratch = &scratch;
    int64_t tasks = planes * s->strips;
    int failed = take_room(team, s, s->strip * g->out[2]);
    if (!failed) rt_parallel(team->pool, band_task, s, tasks, conv_grain(s, tasks));
    rt_scratch_drop(team, &s->room);
    rt_scratch_drop(team, &scratch);
    return failed;
}

/* ---- channels last copy ---- */

typedef struct copy {
    const rt_conv *g;
    const rt_real *x;
    rt_real *out;
} copy;

static void copy_task(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    const copy *s = context;
    const rt_conv *g = s->g;
    for (int64_t row = begin; row < end; row++) {
        int64_t h = row % g->in[1], rest = row / g->in[1];
        const rt_real *from =
            s->x + rest / g->in[0] * g->x_batch + rest % g->in[0] * g->x[0] + h * g->x[1];
        rt_real *to = s->out + row * g->in[2] * g->in_channels;
        rt_copy_pixels(from, g->x[2], g->x_channel, g->in[2], g->in_channels, to, g->in_channels);
    }
}

/* An epilogue that is told of some images, and knows of all. */
typedef struct later_images {
    const rt_post *post;
    int64_t pixels; /* before them */
} later_images;

static void run_later(void *context, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    const later_images *l = context;
    l->post->epilogue(l->post->context, l->pixels + m0, l->pixels + m1, n0, n1);
}

/* Runs the convolution on channels-last copies of x, as many images at a time as the copy has room for. */
static int run_copied(rt_team *team, const rt_conv *g, const rt_real *x, const rt_real *packed,
                      rt_real *y, const rt_post *post)
{
    int64_t image = g->in[0] * g->in[1] * g->in[2] * g->in_channels;
    int64_t fit = RT_CONV_COPY_BYTES / rt_max(image * (int64_t)sizeof(rt_real), 1);
    int64_t images = rt_min(rt_max(fit, 1), g->batch), out = g->out[0] * g->out[1] * g->out[2];
    int64_t y_image = g->transposed ? g->y_batch : out * g->y_row;
    rt_scratch scratch;
    if (rt_scratch_take(team, (size_t)(images * image) * sizeof(rt_real), 0, &scratch) != 0)
        return -1;
    rt_conv last = *g;
    last.x_channel = 1;
    last.x[2] = g->in_channels;
    last.x[1] = last.x[2] * g->in[2];
    last.x[0] = last.x[1] * g->in[1];
    last.x_batch = image;
    int status = 0;
    for (int64_t b = 0; b < g->batch && status == 0; b += images) {
        copy job = {g, x + b * g->x_batch, rt_scratch_shared(&scratch)};
        later_images later = {post, b * out};
        rt_post some = post ? *post : (rt_post){0};
        if (some.epilogue) some.epilogue = run_later, some.context = &later;
        last.batch = rt_min(images, g->batch - b);
        rt_parallel(team->pool, copy_task, &job, last.batch * g->in[0] * g->in[1], 1);
        status = RT_FN(rt_conv)(team, &last, job.out, packed, y + b * y_image, &some);
    }
    rt_scratch_drop(team, &scratch);
    return status;
}

/* ---- choice ---- */

/* A GEMM: every output pixel reads the input pixel of its own index, and these are evenly spaced.
 * Returns the spacing, or -1. */
static int64_t gemm_spacing(const rt_conv *g)
{
    if (g->groups != 1 || g->x_channel != 1) return -1;
    for (int axis = 0; axis < 3; axis++)
        if (g->kernel[axis] != 1 || g->stride[axis] != 1 || g->pad[axis] != 0 ||
            g->out[axis] != g->in[axis])
            return -1;
    return rt_pixel_spacing(g->batch, g->in, g->x_batch, g->x);
}

static int64_t band_channels(const rt_conv *g)
{
    int is_row = g->groups == 1 && g->kernel[2] > 1 && g->dilation[2] == 1;
    return is_row ? RT_CONV_BAND_OF_ONE : RT_CONV_BAND_CHANNELS;
}

int RT_FN(rt_conv)(rt_team *team, const rt_conv *g, const rt_real *x, const rt_real *packed,
                   rt_real *y, const rt_post *post)
{
    conv s = {.g = g, .x = x, .packed = packed, .y = y};
    s.pixels = g->batch * g->out[0] * g->out[1] * g->out[2];
    if (s.pixels <= 0 || g->out_channels <= 0) return 0;
#ifndef RT_F64
    if (g->tile) return RT_FN(rt_winograd)(team, g, x, packed, y, post);
#endif
    if (post) s.post = *post;
    s.groups = g->groups;
    s.group_in = g->in_channels / g->groups;
    s.group_out = g->out_channels / g->groups;
    s.panels = rt_ceil_div(s.group_out, RT_PANEL);
    s.is_long = g->kernel[0] * g->kernel[1] * g->kernel[2] > LONG_WINDOW;
    int depthwise = rt_conv_is_depthwise(g);
    if (!depthwise && s.group_in == 1 && g->transposed)
        return RT_FN(rt_conv_phases)(team, g, x, packed, y, post);
    s.shares = rt_conv_shares_panels(g);
    s.spreads = s.shares && s.group_in == SPREAD_GROUP;
    if (!depthwise && !g->transposed && !s.shares && s.group_in < band_channels(g))
        return run_band(team, &s);
    if (g->x_channel != 1 && g->in_channels > 1) return run_copied(team, g, x, packed, y, post);
    if (depthwise && g->transposed) return RT_FN(rt_depth_phases)(team, g, x, packed, y, post);
    if (g->transposed) return RT_FN(rt_conv_phases)(team, g, x, packed, y, post);
    if (depthwise) return RT_FN(rt_depthwise)(team, g, x, packed, y, post);
    int64_t spacing = gemm_spacing(g);
    if (spacing >= 0)
        return RT_FN(rt_gemm)(team, s.pixels, g->out_channels, g->in_channels, x, spacing, packed,
                              y, g->y_row, post);
    return run_indirect(team, &s);
}
