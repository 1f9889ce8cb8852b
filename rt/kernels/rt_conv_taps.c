/* rt_conv_taps.c - the gradient of a depthwise convolution's weight, channels last: lanes are channels, and
 * each output row adds to the sums of the taps that meet the input.
 *
 * A task is a vector of channels. The sums of some rows join those of the rows before them. Where a window
 * is inside of the input in a row, all its taps go over the pixels at once; the few pixels to the left and
 * right take the taps that they have.
 */
#include "rt_isa.h"

typedef struct gradient {
    const rt_conv *g;
    const float *x, *grad;
    float *out;
    const int64_t *strides; /* of out */
    int64_t begin, end;     /* output columns whose windows are inside */
    const rt_scratch *scratch;
} gradient;

/* Pixels of a row, and some taps over them. */
typedef struct tile {
    const float *x[MR], *grad;
    float *sums[MR];
    int64_t count, x_step, grad_step;
} tile;

RT_INLINE void tile_body(const tile *t, const int taps)
{
    vf acc[MR];
    const float *grad = t->grad;
    int64_t at = 0;
#pragma GCC unroll 16
    for (int i = 0; i < taps; i++) acc[i] = (vf){0};
    for (int64_t k = 0; k < t->count; k++, at += t->x_step, grad += t->grad_step) {
        vf y = v_load(grad);
#pragma GCC unroll 16
        for (int i = 0; i < taps; i++) acc[i] += v_load(t->x[i] + at) * y;
    }
#pragma GCC unroll 16
    for (int i = 0; i < taps; i++) v_store(t->sums[i], v_load(t->sums[i]) + acc[i]);
}

#define TILE(taps)                         \
    static void tile_##taps(const tile *t) \
    {                                      \
        tile_body(t, taps);                \
    }
#define ROW(taps) tile_##taps,

RT_TILE_HEIGHTS(TILE)

static void (*const tiles[MR + 1])(const tile *) = {0, RT_TILE_HEIGHTS(ROW)};

/* The columns [from, to) of one output row, and all taps of some window rows that the first of them has. */
static void add_columns(const gradient *s, const float *const *window_rows, float *const *sums,
                        int64_t count, const float *grad, int64_t from, int64_t to)
{
    const rt_conv *g = s->g;
    tile t = {.count = to - from, .x_step = g->stride[2] * g->x[2], .grad_step = g->y[2]};
    int64_t left = from * g->stride[2] - g->pad[2], taps = 0;
    if (to <= from) return;
    t.grad = grad + from * g->y[2];
    for (int64_t r = 0; r < count; r++)
        for (int64_t kw = 0; kw < g->kernel[2]; kw++) {
            int64_t column = left + kw * g->dilation[2];
            if (!rt_is_inside(column, g->in[2])) continue;
            t.x[taps] = window_rows[r] + column * g->x[2];
            t.sums[taps++] = sums[r] + kw * VL;
            if (taps < MR) continue;
            tiles[taps](&t);
            taps = 0;
        }
    if (taps) tiles[taps](&t);
}

enum { ROWS_AT_ONCE = 8, ROWS_OF_PART = 8 };

static void add_window_rows(const gradient *s, const float *const *rows, float *const *sums,
                            int64_t count, const float *grad)
{
    int64_t width = s->g->out[2];
    for (int64_t w = 0; w < s->begin; w++) add_columns(s, rows, sums, count, grad, w, w + 1);
    add_columns(s, rows, sums, count, grad, s->begin, s->end);
    for (int64_t w = s->end; w < width; w++) add_columns(s, rows, sums, count, grad, w, w + 1);
}

/* One output row of a plane: the window's rows that meet the input. */
static void add_row(const gradient *s, const float *image, const float *grad, int64_t depth,
                    int64_t row, float *sums)
{
    const rt_conv *g = s->g;
    const float *rows[ROWS_AT_ONCE];
    float *to[ROWS_AT_ONCE];
    int64_t count = 0;
    for (int64_t kd = 0; kd < g->kernel[0]; kd++)
        for (int64_t kh = 0; kh < g->kernel[1]; kh++, sums += g->kernel[2] * VL) {
            int64_t d = depth * g->stride[0] - g->pad[0] + kd * g->dilation[0];
            int64_t h = row * g->stride[1] - g->pad[1] + kh * g->dilation[1];
            if (!rt_is_inside(d, g->in[0]) || !rt_is_inside(h, g->in[1])) continue;
            rows[count] = image + d * g->x[0] + h * g->x[1];
            to[count++] = sums;
            if (count < ROWS_AT_ONCE) continue;
            add_window_rows(s, rows, to, count, grad);
            count = 0;
        }
    if (count) add_window_rows(s, rows, to, count, grad);
}

/* The sums of a part join those of the parts before. */
static void join(float *sums, float *part, int64_t count)
{
    for (int64_t i = 0; i < count; i += VL) {
        v_store(sums + i, v_load(sums + i) + v_load(part + i));
        v_store(part + i, (vf){0});
    }
}

static void gradient_task(void *context, int64_t begin, int64_t end, int worker)
{
    const gradient *s = context;
    const rt_conv *g = s->g;
    const int64_t *to = s->strides;
    float *sums = (float *)rt_scratch_worker(s->scratch, worker);
    int64_t count = g->kernel[0] * g->kernel[1] * g->kernel[2] * VL;
    float *part = sums + count;
    for (int64_t i = begin; i < end; i++) {
        int64_t channel = rt_min(i * VL, g->groups - VL); /* the last two vectors may overlap */
        memset(sums, 0, (size_t)(2 * count) * sizeof *sums);
        for (int64_t image = 0; image < g->batch; image++)
            for (int64_t d = 0; d < g->out[0]; d++)
                for (int64_t h = 0; h < g->out[1]; h++) {
                    add_row(s, s->x + image * g->x_batch + channel,
                            s->grad + image * g->y_batch + d * g->y[0] + h * g->y[1] + channel, d,
                            h, part);
                    if (h % ROWS_OF_PART == ROWS_OF_PART - 1 || h + 1 == g->out[1])
                        join(sums, part, count);
                }
        for (int64_t lane = 0; lane < VL; lane++) {
            const float *from = sums + lane;
            float *out = s->out + (channel + lane) * to[0];
            for (int64_t kd = 0; kd < g->kernel[0]; kd++)
                for (int64_t kh = 0; kh < g->kernel[1]; kh++)
                    for (int64_t kw = 0; kw < g->kernel[2]; kw++, from += VL)
                        out[kd * to[2] + kh * to[3] + kw * to[4]] = *from;
        }
    }
}

int RT_FN(rt_conv_taps)(rt_team *team, const rt_conv *g, const float *x, const float *grad,
                        float *out, const int64_t *strides)
{
    gradient s = {.g = g, .x = x, .grad = grad, .out = out, .strides = strides};
    int64_t taps = g->kernel[0] * g->kernel[1] * g->kernel[2];
    int64_t reach = g->in[2] - 1 - (g->kernel[2] - 1) * g->dilation[2] + g->pad[2];
    s.begin = rt_min(rt_ceil_div(g->pad[2], g->stride[2]), g->out[2]);
    s.end = rt_max(reach >= 0 ? rt_min(reach / g->stride[2] + 1, g->out[2]) : 0, s.begin);
    rt_scratch scratch;
    if (rt_scratch_take(team, 0, (size_t)(2 * taps * VL) * sizeof(float), &scratch) != 0) return -1;
    s.scratch = &scratch;
    int64_t tasks = rt_ceil_div(g->groups, VL);
    int64_t flops = 2 * taps * g->batch * g->out[0] * g->out[1] * g->out[2] * g->groups;
    rt_parallel(team->pool, gradient_task, &s, tasks, rt_grain(tasks, flops, 0));
    rt_scratch_drop(team, &scratch);
    return 0;
}
