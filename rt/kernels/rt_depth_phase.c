/* rt_depth_phase.c - transposed depthwise convolution, channels last, vectorised over channels: each output
 * pixel gathers what its taps (rt_phase.h) find. Weights are as of rt_depthwise.c.
 */
#include "rt_isa.h"

#include "rt_phase.h"

enum { MOST_TAPS = 64 };

typedef struct depth {
    const rt_conv *g;
    const rt_real *x, *packed;
    rt_real *y;
    rt_post post;
    int64_t padded; /* channels in a row of packed */
} depth;

/* Pairs of input and weights, at channel 0. */
typedef struct pairs {
    int64_t count;
    const rt_real *x[MOST_TAPS], *weight[MOST_TAPS];
} pairs;

static rt_real bounded(const depth *s, rt_real value)
{
    if (!s->post.clamp) return value;
    value = value < s->post.low ? s->post.low : value;
    return value > s->post.high ? s->post.high : value;
}

/* All channels of one output pixel, over one list of its taps. */
static void add_pairs(const depth *s, const pairs *t, rt_real *y, int first, int last)
{
    int64_t channels = s->g->out_channels, step = s->g->y_channel, c = 0;
    int adds = !first || s->post.accumulate;
    vf low = v_set(s->post.low), high = v_set(s->post.high);
    for (; step == 1 && c + VL <= channels; c += VL) {
        vf sum = {0};
        for (int64_t k = 0; k < t->count; k++)
            sum += v_load(t->x[k] + c) * v_load(t->weight[k] + c);
        if (adds) sum += v_load(y + c);
        if (last && s->post.bias) sum += v_load(s->post.bias + c);
        v_store(y + c, last && s->post.clamp ? v_clamp(sum, low, high) : sum);
    }
    for (; c < channels; c++) {
        rt_real sum = 0;
        for (int64_t k = 0; k < t->count; k++) sum += t->x[k][c] * t->weight[k][c];
        if (adds) sum += y[c * step];
        if (last && s->post.bias) sum += s->post.bias[c];
        y[c * step] = last ? bounded(s, sum) : sum;
    }
}

static void add_pixel(const depth *s, const rt_phase *d, const rt_phase *h, const rt_phase *w,
                      const rt_real *image, rt_real *y)
{
    const rt_conv *g = s->g;
    pairs t = {.count = 0};
    int first = 1;
    for (int64_t td = 0; td < d->taps; td++) {
        int64_t id = d->from - td * d->from_step, kd = d->first_tap + td * d->tap_step;
        if (id < 0 || id >= g->in[0]) continue;
        for (int64_t th = 0; th < h->taps; th++) {
            int64_t ih = h->from - th * h->from_step, kh = h->first_tap + th * h->tap_step;
            if (ih < 0 || ih >= g->in[1]) continue;
            const rt_real *row = image + id * g->x[0] + ih * g->x[1];
            for (int64_t tw = 0; tw < w->taps; tw++) {
                int64_t iw = w->from - tw * w->from_step, kw = w->first_tap + tw * w->tap_step;
                if (iw < 0 || iw >= g->in[2]) continue;
                if (t.count == MOST_TAPS) {
                    add_pairs(s, &t, y, first, 0);
                    first = 0;
                    t.count = 0;
                }
                t.x[t.count] = row + iw * g->x[2];
                t.weight[t.count++] =
                    s->packed + ((kd * g->kernel[1] + kh) * g->kernel[2] + kw) * s->padded;
            }
        }
    }
    add_pairs(s, &t, y, first, 1);
}

/* The phase of any position, which is its only one then. */
static rt_phase phase_at(const rt_conv *g, int axis, int64_t position)
{
    rt_phase p = rt_phase_at(g, axis, position % g->stride[axis]);
    p.from += position / g->stride[axis];
    return p;
}

static void row_task(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    const depth *s = context;
    const rt_conv *g = s->g;
    int64_t stride = g->stride[2];
    for (int64_t row = begin; row < end; row++) {
        int64_t oh = row % g->out[1], rest = row / g->out[1], od = rest % g->out[0];
        const rt_real *image = s->x + rest / g->out[0] * g->x_batch;
        rt_real *y = s->y + rest / g->out[0] * g->y_batch + od * g->y[0] + oh * g->y[1];
        rt_phase d = phase_at(g, 0, od), h = phase_at(g, 1, oh);
        for (int64_t first = 0; first < rt_min(stride, g->out[2]); first++) {
            rt_phase w = rt_phase_at(g, 2, first);
            for (int64_t ow = first; ow < g->out[2]; ow += stride, w.from++)
                add_pixel(s, &d, &h, &w, image, y + ow * g->y[2]);
        }
    }
}

int RT_FN(rt_depth_phases)(rt_team *team, const rt_conv *g, const rt_real *x, const rt_real *packed,
                           rt_real *y, const rt_post *post)
{
    depth s = {.g = g, .x = x, .packed = packed, .y = y};
    if (post) s.post = *post;
    s.padded = rt_ceil_div(g->out_channels, RT_PANEL) * RT_PANEL;
    int64_t rows = g->batch * g->out[0] * g->out[1];
    int64_t outputs = rows * g->out[2] * g->out_channels;
    int64_t flops = 2 * outputs * rt_phase_taps_most(g);
    rt_parallel(team->pool, row_task, &s, rows, rt_grain(rows, 2 * flops, 8 * outputs));
    return 0;
}
