/* rt_conv_dots.c - the gradient of a convolution's weight where a group has few output channels (depthwise
 * ones, heads): each number is a dot product over the pixels.
 *
 * A task has a block of input channels of a group, and a strip of output pixels at a time. Of each channel it
 * copies the input's rows under the strip once for each column of the window, with the steps between taps
 * taken out, so that what any tap meets lies in order, row after row: a line. A tile is some lines of the
 * input times one or two of the gradient; lanes are pixels. Their sums stay vectors until the end.
 */
#include "rt_isa.h"

#include "rt_band.h"
#include "rt_dot.h"

typedef struct gradient {
    const rt_conv *g;
    const float *x, *grad;
    float *out;
    const int64_t *strides; /* of out */
    int64_t in_each, out_each, taps;
    int64_t row_blocks;              /* of a group's input channels */
    int64_t width, height;           /* output pixels of a strip */
    int64_t row_sets, set_rows;      /* of a channel's slice, for each window column */
    size_t row_at, band_at, grad_at; /* bytes into a worker's area */
    const rt_scratch *scratch;
} gradient;

/* A block of a group's input channels. */
typedef struct block {
    int64_t group, row, rows;
    float *sums;  /* [output channels][rows][taps][VL] */
    float *input; /* a slice of a channel under a strip, where its pixels lie apart */
    float *band;  /* [rows][kernel depth][kernel width][row_sets][set_rows][columns of the strip] */
    float *grad;  /* [output channels][pixels] */
} block;

/* Output pixels of one image (in depth: of a slice): some rows, or columns of one. */
typedef struct strip {
    int64_t plane, row, rows, column, columns;
} strip;

/* ---- the tile ---- */

enum { MOST_GRADS = 2 };

typedef struct dots {
    const float *input[MR], *grad[MOST_GRADS];
    float *sums[MOST_GRADS]; /* a vector for each line of the input */
    int64_t count;
} dots;

RT_INLINE void dots_step(const dots *t, vf (*acc)[MOST_GRADS], int64_t k, vi mask, int is_part,
                         const int lines, const int grads)
{
    vf grad[MOST_GRADS];
#pragma GCC unroll 2
    for (int j = 0; j < grads; j++) {
        grad[j] = v_load(t->grad[j] + k);
        if (is_part) grad[j] = v_select(mask, grad[j], (vf){0});
    }
#pragma GCC unroll 16
    for (int i = 0; i < lines; i++) {
        vf x = v_load(t->input[i] + k);
        if (is_part) x = v_select(mask, x, (vf){0});
#pragma GCC unroll 2
        for (int j = 0; j < grads; j++) acc[i][j] += x * grad[j];
    }
}

RT_INLINE void dots_body(const dots *t, const int lines, const int grads)
{
    vf acc[MR][MOST_GRADS];
    int64_t whole = t->count / VL * VL;
    vi mask = v_first_lanes(t->count - whole);
#pragma GCC unroll 16
    for (int i = 0; i < lines; i++)
#pragma GCC unroll 2
        for (int j = 0; j < grads; j++) acc[i][j] = (vf){0};
    for (int64_t k = 0; k < whole; k += VL) dots_step(t, acc, k, mask, 0, lines, grads);
    if (whole < t->count) dots_step(t, acc, whole, mask, 1, lines, grads);
#pragma GCC unroll 16
    for (int i = 0; i < lines; i++)
#pragma GCC unroll 2
        for (int j = 0; j < grads; j++) {
            float *sum = t->sums[j] + i * VL;
            v_store(sum, v_load(sum) + acc[i][j]);
        }
}

#define TILE(lines)                             \
    static void dots_##lines##_1(const dots *t) \
    {                                           \
        dots_body(t, lines, 1);                 \
    }                                           \
    static void dots_##lines##_2(const dots *t) \
    {                                           \
        dots_body(t, lines, 2);                 \
    }
#define ROW(lines) {0, dots_##lines##_1, dots_##lines##_2},

RT_TILE_HEIGHTS(TILE)

static void (*const tiles[MR + 1][MOST_GRADS + 1])(const dots *) = {{0, 0, 0},
                                                                    RT_TILE_HEIGHTS(ROW)};

/* ---- what a strip reads ---- */

/* Rows of the input that follow each other under output rows serve all taps of a window column; where the
 * window goes by more than one row each tap has rows of its own. */
static int is_shared(const rt_conv *g)
{
    return g->stride[1] == 1;
}

/* Rows of a slice of a channel: pixels next to each other. */
typedef struct slice {
    const float *first;
    int64_t pitch, top, bottom, left, right; /* what there is of the input */
} slice;

RT_INLINE void zero_floats(float *to, int64_t count)
{
    for (int64_t w = 0; w < count; w++) to[w] = 0;
}

RT_INLINE void copy_floats(const float *from, int64_t step, int64_t count, float *to)
{
    if (step == 1 && count >= VL) { /* the last two vectors overlap */
        for (int64_t w = 0; w + VL <= count; w += VL) v_store(to + w, v_load(from + w));
        v_store(to + count - VL, v_load(from + count - VL));
    } else if (step == 2) {
        for (int64_t w = 0; w < count; w++) to[w] = from[2 * w];
    } else {
        for (int64_t w = 0; w < count; w++) to[w] = from[step * w];
    }
}

/* For one window column and row: `count` output rows from input row `row` on, `columns` pixels of each from
 * input column `column` on; zeros outside of the input. */
static void fill_rows(const rt_conv *g, const slice *from, int64_t row, int64_t count,
                      int64_t column, int64_t columns, float *to)
{
    int64_t step = g->stride[2], left = from->left - column, right = from->right - column;
    int64_t begin = left > 0 ? rt_min(rt_ceil_div(left, step), columns) : 0;
    int64_t end = right > 0 ? rt_max(rt_min(rt_ceil_div(right, step), columns), begin) : begin;
    for (int64_t r = 0; r < count; r++, row += g->stride[1], to += columns) {
        if (row < from->top || row >= from->bottom || end == begin) {
            zero_floats(to, columns);
            continue;
        }
        const float *at = from->first + (row - from->top) * from->pitch - left + begin * step;
        zero_floats(to, begin);
        copy_floats(at, step, end - begin, to + begin);
        zero_floats(to + end, columns - end);
    }
}

/* A slice of a channel, under the strip; gathered where its pixels lie apart. */
static slice slice_under(const gradient *s, const block *b, const strip *at, const float *first)
{
    const rt_conv *g = s->g;
    int64_t row = at->row * g->stride[1] - g->pad[1],
            column = at->column * g->stride[2] - g->pad[2];
    int64_t height = (at->rows - 1) * g->stride[1] + (g->kernel[1] - 1) * g->dilation[1] + 1;
    int64_t width = (at->columns - 1) * g->stride[2] + (g->kernel[2] - 1) * g->dilation[2] + 1;
    slice r = {.pitch = g->x[1],
               .top = rt_max(row, 0),
               .bottom = rt_min(row + height, g->in[1]),
               .left = rt_max(column, 0),
               .right = rt_min(column + width, g->in[2])};
    r.first = first + r.top * g->x[1] + r.left * g->x[2];
    if (g->x[2] == 1) return r;
    for (int64_t i = 0; i < r.bottom - r.top; i++)
        for (int64_t w = 0; w < r.right - r.left; w++)
            b->input[i * width + w] = r.first[i * g->x[1] + w * g->x[2]];
    r.first = b->input;
    r.pitch = width;
    return r;
}

static void fill_channel(const gradient *s, const block *b, const strip *at, const float *channel,
                         float *to)
{
    const rt_conv *g = s->g;
    int64_t set = s->set_rows * at->columns;
    int64_t row = at->row * g->stride[1] - g->pad[1],
            column = at->column * g->stride[2] - g->pad[2];
    int64_t count = is_shared(g) ? at->rows + (g->kernel[1] - 1) * g->dilation[1] : at->rows;
    for (int64_t kd = 0; kd < g->kernel[0]; kd++) {
        int64_t d = at->plane % g->out[0] * g->stride[0] - g->pad[0] + kd * g->dilation[0];
        slice from = {0};
        if (rt_is_inside(d, g->in[0])) from = slice_under(s, b, at, channel + d * g->x[0]);
        for (int64_t kw = 0; kw < g->kernel[2]; kw++)
            for (int64_t kh = 0; kh < s->row_sets; kh++, to += set)
                fill_rows(g, &from, row + kh * g->dilation[1], count, column + kw * g->dilation[2],
                          at->columns, to);
    }
}

static int64_t channel_floats(const gradient *s, const strip *at)
{
    return s->g->kernel[0] * s->g->kernel[2] * s->row_sets * s->set_rows * at->columns;
}

static void fill(const gradient *s, const block *b, const strip *at)
{
    const rt_conv *g = s->g;
    int64_t image = at->plane / g->out[0], depth = at->plane % g->out[0];
    int64_t pixels = at->rows * at->columns;
    const float *x = s->x + image * g->x_batch + (b->group * s->in_each + b->row) * g->x_channel;
    const float *grad = s->grad + image * g->y_batch + depth * g->y[0] + at->row * g->y[1] +
                        at->column * g->y[2] + b->group * s->out_each * g->y_channel;
    for (int64_t i = 0; i < b->rows; i++)
        fill_channel(s, b, at, x + i * g->x_channel, b->band + i * channel_floats(s, at));
    for (int64_t o = 0; o < s->out_each; o++)
        for (int64_t h = 0; h < at->rows; h++)
            rt_copy_pixels(grad + o * g->y_channel + h * g->y[1], g->y[2], g->y_channel,
                           at->columns, 1, b->grad + o * pixels + h * at->columns, 1);
}

/* ---- a task ---- */

/* The line of the input that a tap of a channel meets. */
static const float *line(const gradient *s, const block *b, const strip *at, int64_t row,
                         int64_t tap)
{
    const rt_conv *g = s->g;
    int64_t kw = tap % g->kernel[2], kh = tap / g->kernel[2] % g->kernel[1],
            kd = tap / (g->kernel[2] * g->kernel[1]);
    int64_t first = is_shared(g) ? kh * g->dilation[1] : kh * s->set_rows;
    return b->band + row * channel_floats(s, at) +
           ((kd * g->kernel[2] + kw) * s->row_sets * s->set_rows + first) * at->columns;
}

static void add_strip(const gradient *s, const block *b, const strip *at)
{
    int64_t lines = b->rows * s->taps, count = rt_ceil_div(lines, MR);
    dots t = {.count = at->rows * at->columns};
    fill(s, b, at);
    for (int64_t k = 0; k < count; k++) {
        int64_t begin = rt_tile_begin(lines, count, k), end = rt_tile_begin(lines, count, k + 1);
        for (int64_t i = begin; i < end; i++)
            t.input[i - begin] = line(s, b, at, i / s->taps, i % s->taps);
        for (int64_t o = 0; o < s->out_each; o += MOST_GRADS) {
            int grads = s->out_each - o < MOST_GRADS ? 1 : MOST_GRADS;
            for (int j = 0; j < grads; j++) {
                t.grad[j] = b->grad + (o + j) * t.count;
                t.sums[j] = b->sums + ((o + j) * lines + begin) * VL;
            }
            tiles[end - begin][grads](&t);
        }
    }
}

static void store(const gradient *s, const block *b)
{
    const rt_conv *g = s->g;
    const int64_t *to = s->strides;
    const float *from = b->sums;
    for (int64_t o = 0; o < s->out_each; o++)
        for (int64_t i = 0; i < b->rows; i++)
            for (int64_t kd = 0; kd < g->kernel[0]; kd++)
                for (int64_t kh = 0; kh < g->kernel[1]; kh++)
                    for (int64_t kw = 0; kw < g->kernel[2]; kw++, from += VL)
                        s->out[(b->group * s->out_each + o) * to[0] + (b->row + i) * to[1] +
                               kd * to[2] + kh * to[3] + kw * to[4]] = v_reduce_add(v_load(from));
}

static void gradient_task(void *context, int64_t begin, int64_t end, int worker)
{
    const gradient *s = context;
    const rt_conv *g = s->g;
    char *memory = rt_scratch_worker(s->scratch, worker);
    for (int64_t i = begin; i < end; i++) {
        int64_t rows = i % s->row_blocks;
        block b = {.group = i / s->row_blocks,
                   .row = s->in_each * rows / s->row_blocks,
                   .sums = (float *)memory,
                   .input = (float *)(memory + s->row_at),
                   .band = (float *)(memory + s->band_at),
                   .grad = (float *)(memory + s->grad_at)};
        b.rows = s->in_each * (rows + 1) / s->row_blocks - b.row;
        memset(b.sums, 0, (size_t)(s->out_each * b.rows * s->taps * VL) * sizeof(float));
        strip at;
        for (at.plane = 0; at.plane < g->batch * g->out[0]; at.plane++)
            for (at.row = 0; at.row < g->out[1]; at.row += s->height)
                for (at.column = 0; at.column < g->out[2]; at.column += s->width) {
                    at.rows = rt_min(s->height, g->out[1] - at.row);
                    at.columns = rt_min(s->width, g->out[2] - at.column);
                    add_strip(s, &b, &at);
                }
        store(s, &b);
    }
}

/* ---- how it is cut ---- */

/* As need_conv.c has it. The last vector of each piece of memory may reach beyond it. */
int RT_FN(rt_conv_dots)(rt_team *team, const rt_conv *g, const float *x, const float *grad,
                        float *out, const int64_t *strides)
{
    gradient s = {.g = g, .x = x, .grad = grad, .out = out, .strides = strides};
    s.taps = g->kernel[0] * g->kernel[1] * g->kernel[2];
    s.in_each = g->in_channels / g->groups;
    s.out_each = g->out_channels / g->groups;
    s.width = rt_max(rt_min(g->out[2], RT_CONV_DOTS_PIXELS), 1);
    s.height = 1;
    if (s.width == g->out[2])
        s.height = rt_max(rt_min(RT_CONV_DOTS_PIXELS / s.width, g->out[1]), 1);
    s.row_sets = is_shared(g) ? 1 : g->kernel[1];
    s.set_rows = is_shared(g) ? s.height + (g->kernel[1] - 1) * g->dilation[1] : s.height;
    s.row_blocks = rt_ceil_div(s.in_each, RT_CONV_DOTS_ROWS);
    int64_t rows = rt_min(s.in_each, RT_CONV_DOTS_ROWS), pixels = s.width * s.height;
    int64_t reach = ((s.width - 1) * g->stride[2] + (g->kernel[2] - 1) * g->dilation[2] + 1) *
                    ((s.height - 1) * g->stride[1] + (g->kernel[1] - 1) * g->dilation[1] + 1);
    strip whole = {.rows = s.height, .columns = s.width};
    s.row_at = rt_lines(s.out_each * rows * s.taps * VL + VL);
    s.band_at = s.row_at + rt_lines(reach + VL);
    s.grad_at = s.band_at + rt_lines(rows * channel_floats(&s, &whole) + VL);
    rt_scratch scratch;
    if (rt_scratch_take(team, 0, s.grad_at + rt_lines(s.out_each * pixels + VL), &scratch) != 0)
        return -1;
    s.scratch = &scratch;
    int64_t tasks = g->groups * s.row_blocks;
    int64_t flops =
        2 * g->batch * g->out[0] * g->out[1] * g->out[2] * s.taps * g->out_channels * s.in_each;
    rt_parallel(team->pool, gradient_task, &s, tasks, rt_grain(tasks, flops, 0));
    rt_scratch_drop(team, &scratch);
    return 0;
}
