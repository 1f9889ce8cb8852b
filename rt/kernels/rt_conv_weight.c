/* rt_conv_weight.c - the gradient of a convolution's weight, for each tap and pair of channels the sum over
 * pixels of input times gradient of the output.
 *
 * A task has a block of input and of output channels, and all taps of them. For a strip of output pixels it
 * copies the rows of the input under them, padded and channels last, and the gradients, channels last: this
 * takes any strides, and a pixel's neighbours along a window row lie in order, so that the tile's rows are
 * channels and taps at once. The tile is an outer product a pixel: one load of gradients a vector, one
 * broadcast of the input a row. What it has summed over a part of the strip joins the block of results,
 * which stays in the cache until it is stored in the weight's own layout.
 */
#include "rt_isa.h"

#include "rt_band.h"

typedef struct gradient {
    const rt_conv *g;
    const float *x, *grad;
    float *out;
    const int64_t *strides; /* of out */
    int64_t in_each, out_each;
    int64_t row_blocks, column_blocks;            /* of a group: input and output channels */
    int64_t width, height, planes;                /* output pixels, rows, and images of a strip */
    int64_t part_width, part_height, part_planes; /* of those that a tile sums over */
    int64_t band_width, band_height;              /* the input under them */
    size_t band_at, grad_at;                      /* bytes into a worker's area */
    const rt_scratch *scratch;
} gradient;

/* A block of channels of one group. */
typedef struct block {
    int64_t group, row, rows, column, columns;
    int64_t padded; /* columns in memory */
    float *sums;    /* [taps][rows][padded] */
    float *band;    /* [planes][kernel depth][band_height][band_width][rows] */
    float *grad;    /* [pixels][padded] */
} block;

/* Output pixels: rows of some images (in depth: slices), or columns of one row. */
typedef struct strip {
    int64_t plane, planes, row, rows, column, columns;
} strip;

/* ---- the tile ---- */

typedef struct outer {
    const float *a; /* rows next to each other, pixels `step` apart */
    const float *b; /* pixels `ldb` apart */
    float *c;
    int64_t step, ldb, ldc;
    int64_t run, rows, a_row, planes, a_plane; /* pixels, in rows, of planes */
} outer;

RT_INLINE void outer_body(const outer *t, const int mr, const int nv)
{
    vf acc[MR][NV];
    const float *b = t->b;
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
        for (int j = 0; j < nv; j++) acc[i][j] = (vf){0};
    for (int64_t plane = 0; plane < t->planes; plane++)
        for (int64_t row = 0; row < t->rows; row++) {
            const float *a = t->a + plane * t->a_plane + row * t->a_row;
            for (int64_t k = 0; k < t->run; k++, a += t->step, b += t->ldb) {
                vf bv[NV];
#pragma GCC unroll 2
                for (int j = 0; j < nv; j++) bv[j] = v_load(b + j * VL);
#pragma GCC unroll 16
                for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
                    for (int j = 0; j < nv; j++) acc[i][j] += bv[j] * a[i];
            }
        }
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
        for (int j = 0; j < nv; j++) {
            float *c = t->c + i * t->ldc + j * VL;
            v_store(c, v_load(c) + acc[i][j]);
        }
}

#define TILE(mr)                               \
    static void outer_##mr##_1(const outer *t) \
    {                                          \
        outer_body(t, mr, 1);                  \
    }                                          \
    static void outer_##mr##_2(const outer *t) \
    {                                          \
        outer_body(t, mr, 2);                  \
    }
#define ROW(mr) {0, outer_##mr##_1, outer_##mr##_2},

RT_TILE_HEIGHTS(TILE)

static void (*const tiles[MR + 1][NV + 1])(const outer *) = {{0, 0, 0}, RT_TILE_HEIGHTS(ROW)};

/* ---- what a strip reads ---- */

static void fill_band(const gradient *s, const block *b, const strip *at)
{
    const rt_conv *g = s->g;
    int64_t channel = b->group * s->in_each + b->row, rows = b->rows * s->band_width;
    float *to = b->band;
    for (int64_t p = at->plane; p < at->plane + at->planes; p++) {
        const float *image = s->x + p / g->out[0] * g->x_batch + channel * g->x_channel;
        for (int64_t kd = 0; kd < g->kernel[0]; kd++) {
            int64_t d = p % g->out[0] * g->stride[0] - g->pad[0] + kd * g->dilation[0];
            for (int64_t r = 0; r < s->band_height; r++, to += rows) {
                int64_t h = at->row * g->stride[1] - g->pad[1] + r;
                int is_there = rt_is_inside(d, g->in[0]) && rt_is_inside(h, g->in[1]);
                rt_band_row(g, is_there ? image + d * g->x[0] + h * g->x[1] : NULL, at->column,
                            s->band_width, b->rows, to);
            }
        }
    }
}

static void fill_gradients(const gradient *s, const block *b, const strip *at)
{
    const rt_conv *g = s->g;
    int64_t channel = b->group * s->out_each + b->column, pixels = at->columns;
    float *to = b->grad;
    for (int64_t p = at->plane; p < at->plane + at->planes; p++)
        for (int64_t h = at->row; h < at->row + at->rows; h++, to += pixels * b->padded)
            rt_copy_pixels(s->grad + p / g->out[0] * g->y_batch + p % g->out[0] * g->y[0] +
                               h * g->y[1] + at->column * g->y[2] + channel * g->y_channel,
                           g->y[2], g->y_channel, pixels, b->columns, to, b->padded);
}

/* ---- a task ---- */

/* All rows of results of one window row (or tap) from `rows` that follow each other at a. */
static void add_rows(const block *b, outer *t, const float *a, float *c, int64_t rows)
{
    int64_t count = rt_ceil_div(rows, MR);
    const float *first = t->b;
    for (int64_t n = 0; n < b->columns; n += NR) {
        int vectors = b->columns - n > VL ? 2 : 1;
        t->b = first + n;
        for (int64_t k = 0; k < count; k++) {
            int64_t begin = rt_tile_begin(rows, count, k), end = rt_tile_begin(rows, count, k + 1);
            t->a = a + begin;
            t->c = c + begin * b->padded + n;
            tiles[end - begin][vectors](t);
        }
    }
    t->b = first;
}

/* `part`: within the strip `of`. */
static void add_part(const gradient *s, const block *b, const strip *of, const strip *part)
{
    const rt_conv *g = s->g;
    int64_t row = s->band_width * b->rows, slice = s->band_height * row;
    int64_t at_once = g->dilation[2] == 1 ? g->kernel[2] : 1; /* taps of a window row */
    outer t = {
        .b = b->grad +
             ((part->plane * of->rows + part->row) * of->columns + part->column) * b->padded,
        .step = g->stride[2] * b->rows,
        .ldb = b->padded,
        .ldc = b->padded,
        .run = part->columns,
        .rows = part->rows,
        .a_row = g->stride[1] * row,
        .planes = part->planes,
        .a_plane = g->kernel[0] * slice,
    };
    float *c = b->sums;
    const float *a =
        b->band + part->plane * t.a_plane + part->row * t.a_row + part->column * t.step;
    for (int64_t kd = 0; kd < g->kernel[0]; kd++)
        for (int64_t kh = 0; kh < g->kernel[1]; kh++)
            for (int64_t kw = 0; kw < g->kernel[2]; kw += at_once) {
                const float *from = a + kd * slice + kh * g->dilation[1] * row;
                add_rows(b, &t, from + kw * g->dilation[2] * b->rows, c, at_once * b->rows);
                c += at_once * b->rows * b->padded;
            }
}

static void add_strip(const gradient *s, const block *b, const strip *at)
{
    fill_band(s, b, at);
    fill_gradients(s, b, at);
    for (int64_t p = 0; p < at->planes; p += s->part_planes)
        for (int64_t h = 0; h < at->rows; h += s->part_height)
            for (int64_t w = 0; w < at->columns; w += s->part_width) {
                strip part = {.plane = p, .row = h, .column = w};
                part.planes = rt_min(s->part_planes, at->planes - p);
                part.rows = rt_min(s->part_height, at->rows - h);
                part.columns = rt_min(s->part_width, at->columns - w);
                add_part(s, b, at, &part);
            }
}

/* Where the input channels of a tap lie next to each other. */
static void store_channels_last(const gradient *s, const block *b)
{
    const rt_conv *g = s->g;
    const int64_t *to = s->strides;
    float *out = s->out + (b->group * s->out_each + b->column) * to[0] + b->row;
    for (int64_t n = 0; n < b->columns; n++, out += to[0]) {
        const float *from = b->sums + n;
        for (int64_t kd = 0; kd < g->kernel[0]; kd++)
            for (int64_t kh = 0; kh < g->kernel[1]; kh++)
                for (int64_t kw = 0; kw < g->kernel[2]; kw++, from += b->rows * b->padded) {
                    float *row = out + kd * to[2] + kh * to[3] + kw * to[4];
                    for (int64_t i = 0; i < b->rows; i++) row[i] = from[i * b->padded];
                }
    }
}

/* Some output channels side by side, so that what is read of a line is used. */
static void store_taps_last(const gradient *s, const block *b)
{
    enum { AT_ONCE = 8 };
    const rt_conv *g = s->g;
    const int64_t *to = s->strides;
    for (int64_t n = 0; n < b->columns; n += AT_ONCE)
        for (int64_t i = 0; i < b->rows; i++) {
            const float *from = b->sums + i * b->padded + n;
            float *out =
                s->out + (b->group * s->out_each + b->column + n) * to[0] + (b->row + i) * to[1];
            int64_t count = rt_min(AT_ONCE, b->columns - n);
            for (int64_t kd = 0; kd < g->kernel[0]; kd++)
                for (int64_t kh = 0; kh < g->kernel[1]; kh++)
                    for (int64_t kw = 0; kw < g->kernel[2]; kw++, from += b->rows * b->padded)
                        for (int64_t o = 0; o < count; o++)
                            out[o * to[0] + kd * to[2] + kh * to[3] + kw * to[4]] = from[o];
        }
}

/* In the weight's layout. */
static void store(const gradient *s, const block *b)
{
    if (s->strides[1] == 1)
        store_channels_last(s, b);
    else
        store_taps_last(s, b);
}

static void gradient_task(void *context, int64_t begin, int64_t end, int worker)
{
    const gradient *s = context;
    const rt_conv *g = s->g;
    char *memory = rt_scratch_worker(s->scratch, worker);
    int64_t planes = g->batch * g->out[0];
    for (int64_t i = begin; i < end; i++) {
        int64_t columns = i % s->column_blocks, rest = i / s->column_blocks;
        int64_t rows = rest % s->row_blocks;
        block b = {.group = rest / s->row_blocks,
                   .row = s->in_each * rows / s->row_blocks,
                   .column = s->out_each * columns / s->column_blocks,
                   .sums = (float *)memory,
                   .band = (float *)(memory + s->band_at),
                   .grad = (float *)(memory + s->grad_at)};
        b.rows = s->in_each * (rows + 1) / s->row_blocks - b.row;
        b.columns = s->out_each * (columns + 1) / s->column_blocks - b.column;
        b.padded = rt_ceil_div(b.columns, RT_PANEL) * RT_PANEL;
        memset(b.sums, 0, s->band_at);
        memset(b.grad, 0, (size_t)(s->planes * s->height * s->width * b.padded) * sizeof(float));
        strip at;
        for (at.plane = 0; at.plane < planes; at.plane += s->planes)
            for (at.row = 0; at.row < g->out[1]; at.row += s->height)
                for (at.column = 0; at.column < g->out[2]; at.column += s->width) {
                    at.planes = rt_min(s->planes, planes - at.plane);
                    at.rows = rt_min(s->height, g->out[1] - at.row);
                    at.columns = rt_min(s->width, g->out[2] - at.column);
                    add_strip(s, &b, &at);
                }
        store(s, &b);
    }
}

/* ---- how it is cut ---- */

static int64_t within(int64_t x, int64_t least, int64_t most)
{
    return rt_max(rt_min(x, most), least);
}

/* As need_conv.c has it. Several rows, and several images, only where they are whole. */
static void cut_strips(gradient *s)
{
    const rt_conv *g = s->g;
    int64_t rows = rt_max(g->out[1], 1), planes = rt_max(g->batch * g->out[0], 1);
    s->width = within(g->out[2], 1, RT_CONV_WEIGHT_PIXELS);
    s->height = s->planes = s->part_height = s->part_planes = 1;
    if (s->width == g->out[2]) s->height = within(RT_CONV_WEIGHT_PIXELS / s->width, 1, rows);
    if (s->height * s->width == g->out[1] * g->out[2])
        s->planes = within(RT_CONV_WEIGHT_PIXELS / (s->height * s->width), 1, planes);
    s->part_width = rt_ceil_div(s->width, rt_ceil_div(s->width, RT_CONV_WEIGHT_PART));
    if (s->part_width == s->width)
        s->part_height = within(RT_CONV_WEIGHT_PART / s->width, 1, s->height);
    if (s->part_height * s->part_width == s->height * s->width)
        s->part_planes = within(RT_CONV_WEIGHT_PART / (s->height * s->width), 1, s->planes);
    s->band_height = (s->height - 1) * g->stride[1] + (g->kernel[1] - 1) * g->dilation[1] + 1;
    s->band_width = (s->width - 1) * g->stride[2] + (g->kernel[2] - 1) * g->dilation[2] + 1;
}

int RT_FN(rt_conv_weight)(rt_team *team, const rt_conv *g, const float *x, const float *grad,
                          float *out, const int64_t *strides)
{
    gradient s = {.g = g, .x = x, .grad = grad, .out = out, .strides = strides};
    int64_t taps = g->kernel[0] * g->kernel[1] * g->kernel[2];
    s.in_each = g->in_channels / g->groups;
    s.out_each = g->out_channels / g->groups;
    if (s.in_each * s.out_each * taps <= 0) return 0;
    if (s.in_each == 1 && s.out_each == 1 && g->x_channel == 1 && g->y_channel == 1 &&
        g->groups >= VL)
        return RT_FN(rt_conv_taps)(team, g, x, grad, out, strides);
    if (s.out_each < RT_CONV_DOTS_CHANNELS)
        return RT_FN(rt_conv_dots)(team, g, x, grad, out, strides);
    cut_strips(&s);
    int64_t threads = rt_pool_threads(team->pool), wanted = threads > 1 ? 4 * threads : 1;
    s.column_blocks = rt_ceil_div(s.out_each, RT_CONV_WEIGHT_COLUMNS);
    int64_t columns = rt_ceil_div(s.out_each, s.column_blocks);
    int64_t padded = rt_ceil_div(columns, RT_PANEL) * RT_PANEL;
    int64_t fit = RT_CONV_WEIGHT_SUMS / (taps * padded) / RT_MOST_ROWS * RT_MOST_ROWS;
    s.row_blocks = rt_ceil_div(s.in_each, rt_max(fit, RT_MOST_ROWS));
    int64_t more = rt_ceil_div(wanted, g->groups * s.column_blocks);
    s.row_blocks = rt_max(s.row_blocks, rt_min(more, rt_ceil_div(s.in_each, RT_MOST_ROWS)));
    int64_t rows = rt_ceil_div(s.in_each, s.row_blocks);
    s.band_at = rt_lines(taps * rows * padded);
    s.grad_at = s.band_at + rt_lines(s.planes * g->kernel[0] * s.band_height * s.band_width * rows);
    size_t bytes = s.grad_at + rt_lines(s.planes * s.height * s.width * padded);
    rt_scratch scratch;
    if (rt_scratch_take(team, 0, bytes, &scratch) != 0) return -1;
    s.scratch = &scratch;
    rt_parallel(team->pool, gradient_task, &s, g->groups * s.row_blocks * s.column_blocks, 1);
    rt_scratch_drop(team, &scratch);
    return 0;
}
