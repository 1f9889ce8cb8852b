/* rt_depthwise.c - depthwise convolution, channels last, vectorised over channels.
 *
 * A task is some output rows. Several output pixels are done at once. Of windows of width 3, 5 and 7 the
 * weights of one window row and each input column are loaded once and used by all of them, but for columns
 * outside the image; of others each tap's weight, and pixels at the left and right edge are taken one at a
 * time, several vectors of channels together, over the taps that are inside. Where to read is
 * worked out once a strip or pixel, before the loop over channels. Windows of more than MAX_TAPS are sums
 * of parts. Weights are [tap][channels padded to RT_PANEL]. Where an input channel has 2 or 4 output
 * channels, a vector of these is made of half or a quarter of one.
 */
#include "rt_isa.h"

#include "rt_lanes.h"

enum {
    PIXEL_VECTORS = 4,
    STRIP = 8, /* output pixels of one row done together */
    MAX_TAPS = 64,
    TASK_BYTES =
        192 * 1024 /* output rows of a task, all channels: what the epilogue finds in the cache */
};

typedef struct depthwise {
    const rt_conv *g;
    const rt_real *x;
    const rt_real *packed;
    rt_real *y;
    rt_post post;
    int64_t each;   /* output channels of an input channel: 1, 2 or 4 */
    int64_t padded; /* channels in a row of packed */
    int64_t interior
        [2]; /* output columns that strips take: whose taps are all inside, or all columns */
    int64_t rows, group; /* output rows in all and of a task */
    int64_t parts;       /* tasks along the channels */
} depthwise;

/* One output row: which taps are inside along depth and height, and where they read. */
typedef struct row_view {
    int64_t d0, d1, h0, h1; /* taps inside */
    const rt_real *image;
    int64_t at_d, at_h; /* input position of tap 0 */
    int64_t m0;         /* index of the first output pixel */
} row_view;

/* Taps k in [*first, *last) have 0 <= at + k * dilation < size. */
static void taps_inside(int64_t at, int64_t dilation, int64_t kernel, int64_t size, int64_t *first,
                        int64_t *last)
{
    *first = at < 0 ? rt_min(rt_ceil_div(-at, dilation), kernel) : 0;
    *last = at < size ? rt_min((size - 1 - at) / dilation + 1, kernel) : 0;
    if (*last < *first) *last = *first;
}

static row_view view_row(const depthwise *s, int64_t row)
{
    const rt_conv *g = s->g;
    int64_t h = row % g->out[1], rest = row / g->out[1];
    int64_t d = rest % g->out[0];
    row_view v = {
        .image = s->x + rest / g->out[0] * g->x_batch,
        .at_d = d * g->stride[0] - g->pad[0],
        .at_h = h * g->stride[1] - g->pad[1],
        .m0 = row * g->out[2],
    };
    taps_inside(v.at_d, g->dilation[0], g->kernel[0], g->in[0], &v.d0, &v.d1);
    taps_inside(v.at_h, g->dilation[1], g->kernel[1], g->in[1], &v.h0, &v.h1);
    return v;
}

/* Pairs of input and weights, at channel 0, for all that one result needs. */
typedef struct taps {
    int64_t count;
    const rt_real *x[MAX_TAPS], *weight[MAX_TAPS];
} taps;

/* ---- by the width of a vector ---- */

#ifndef FERRITE_SCALAR
#ifndef RT_F64
RT_VECTORS(2)
#endif

/* The numbers at x, each twice, and each four times. */
#define TWICE_2(i) i, i, i + 1, i + 1
#define TWICE_4(i) TWICE_2(i), TWICE_2(i + 2)
#define TWICE_8(i) TWICE_4(i), TWICE_4(i + 4)
#define FOURFOLD_1(i) i, i, i, i
#define FOURFOLD_2(i) FOURFOLD_1(i), FOURFOLD_1(i + 1)
#define FOURFOLD_4(i) FOURFOLD_2(i), FOURFOLD_2(i + 2)
#define OF_LOADED(x, lanes, pattern)                                                            \
    __builtin_shufflevector(*(const vec_loaded_##lanes *)(x), *(const vec_loaded_##lanes *)(x), \
                            pattern##_##lanes(0))
#define TWICE_OF_16(x) OF_LOADED(x, 8, TWICE)
#define TWICE_OF_8(x) OF_LOADED(x, 4, TWICE)
#define TWICE_OF_4(x) OF_LOADED(x, 2, TWICE)
#define TWICE_OF_2(x) ((vec_2){0} + *(x))
#define FOURFOLD_OF_16(x) OF_LOADED(x, 4, FOURFOLD)
#define FOURFOLD_OF_8(x) OF_LOADED(x, 2, FOURFOLD)
#define FOURFOLD_OF_4(x) ((vec_4){0} + *(x))
#define FOURFOLD_OF_2(x) ((vec_2){0} + *(x))
#endif

#ifdef FERRITE_SCALAR
#define LANES 1
#include "rt_depth_lanes.h"
#else
#if defined(RT_ISA_V4) && !defined(RT_F64)
#define LANES 16
#include "rt_depth_lanes.h"
#endif
#if defined(RT_ISA_V4) || (defined(RT_ISA_V3) && !defined(RT_F64))
#define LANES 8
#include "rt_depth_lanes.h"
#endif
#if defined(RT_ISA_V4) || defined(RT_ISA_V3) || !defined(RT_F64)
#define LANES 4
#include "rt_depth_lanes.h"
#endif
#ifdef RT_F64
#define LANES 2
#include "rt_depth_lanes.h"
#endif
#endif

/* Channels from c to c1, of those from c0 on: DO(lanes) works at c, with each width as often as it fits.
 * Where more than half of a vector is left, or less than the narrowest, it takes one that ends with the last
 * channel and makes some results `again`: no harm, unless they are parts of sums. */
#define WIDTH(lanes)                                                                    \
    for (; c + lanes <= c1; c += lanes) DO(lanes);                                      \
    if (again && c1 - c0 >= lanes && c1 - c > (lanes == LEAST_LANES ? 0 : lanes / 2)) { \
        c = c1 - lanes;                                                                 \
        DO(lanes);                                                                      \
        c = c1;                                                                         \
    }

static void pixel_scalar(const depthwise *s, const taps *t, rt_real *y, int64_t c, int first,
                         int last)
{
    rt_real sum = 0;
    for (int64_t k = 0; k < t->count; k++) sum += t->x[k][c / s->each] * t->weight[k][c];
    if (!first || s->post.accumulate) sum += y[c];
    if (last && s->post.bias) sum += s->post.bias[c];
    if (last && s->post.clamp) {
        sum = sum < s->post.low ? s->post.low : sum;
        sum = sum > s->post.high ? s->post.high : sum;
    }
    y[c] = sum;
}

RT_INLINE void pixel_of(const depthwise *s, const taps *t, rt_real *y, int64_t c0, int64_t c1,
                        int first, int last, const int each)
{
    int again = first && last && !s->post.accumulate;
    int64_t c = c0;
#define MANY(lanes)                                                              \
    for (; lanes == VL && c + PIXEL_VECTORS * VL <= c1; c += PIXEL_VECTORS * VL) \
        pixel_##lanes(s, t, y, c, first, last, PIXEL_VECTORS, each);
#define DO(lanes) pixel_##lanes(s, t, y, c, first, last, 1, each)
    RT_EACH_WIDTH(MANY)
    RT_EACH_WIDTH(WIDTH)
#undef MANY
#undef DO
    for (; c < c1; c++) pixel_scalar(s, t, y, c, first, last);
}

/* Channels [c0, c1) of one pixel over one list of taps. */
static void pixel_part(const depthwise *s, const taps *t, rt_real *y, int64_t c0, int64_t c1,
                       int first, int last)
{
    if (s->each == 1)
        pixel_of(s, t, y, c0, c1, first, last, 1);
    else if (s->each == 2)
        pixel_of(s, t, y, c0, c1, first, last, 2);
    else
        pixel_of(s, t, y, c0, c1, first, last, 4);
}

static void pixel(const depthwise *s, const row_view *v, int64_t ow, int64_t c0, int64_t c1)
{
    const rt_conv *g = s->g;
    rt_real *y = s->y + (v->m0 + ow) * g->y_row;
    int64_t at_w = ow * g->stride[2] - g->pad[2], w0, w1;
    taps_inside(at_w, g->dilation[2], g->kernel[2], g->in[2], &w0, &w1);
    taps t = {.count = 0};
    int first = 1;
    for (int64_t kd = v->d0; kd < v->d1; kd++)
        for (int64_t kh = v->h0; kh < v->h1; kh++) {
            const rt_real *row = v->image + (v->at_d + kd * g->dilation[0]) * g->x[0] +
                                 (v->at_h + kh * g->dilation[1]) * g->x[1];
            const rt_real *weight = s->packed + (kd * g->kernel[1] + kh) * g->kernel[2] * s->padded;
            for (int64_t kw = w0; kw < w1; kw++) {
                if (t.count == MAX_TAPS) {
                    pixel_part(s, &t, y, c0, c1, first, 0);
                    first = 0;
                    t.count = 0;
                }
                t.x[t.count] = row + (at_w + kw * g->dilation[2]) * g->x[2];
                t.weight[t.count++] = weight + kw * s->padded;
            }
        }
    pixel_part(s, &t, y, c0, c1, first, 1);
}

/* The window rows of one output row: where column 0 of the window of output column 0 would be, and
 * the weights. */
static void row_taps(const depthwise *s, const row_view *v, taps *t)
{
    const rt_conv *g = s->g;
    t->count = 0;
    for (int64_t kd = v->d0; kd < v->d1; kd++)
        for (int64_t kh = v->h0; kh < v->h1; kh++) {
            t->x[t->count] = v->image + (v->at_d + kd * g->dilation[0]) * g->x[0] +
                             (v->at_h + kh * g->dilation[1]) * g->x[1] - g->pad[2] * g->x[2];
            t->weight[t->count++] = s->packed + (kd * g->kernel[1] + kh) * g->kernel[2] * s->padded;
        }
}

/* `count` output pixels from ow on, channels from c on; width 0: of any window, with any stride. Of the other
 * windows the widest vectors as often as they fit, or (rest) narrower ones. Which channel is left. */
RT_INLINE int64_t strip(const depthwise *s, const taps *t, const row_view *v, int64_t ow, int64_t c,
                        int64_t c0, int64_t c1, const int width, const int stride, const int each,
                        const int rest, const int count)
{
    rt_real *y = s->y + (v->m0 + ow) * s->g->y_row;
    int64_t left = ow * (width ? stride : s->g->stride[2]), at = left * s->g->x[2];
    int64_t first = s->g->pad[2] - left, end = first + s->g->in[2];
    /* of fewer pixels there is no code without edges */
    int edge = count != STRIP || rest || first > 0 || end < (count - 1) * stride + width;
    const int again = 1;
#define DO(lanes)                                                           \
    if (!width)                                                             \
        strip_of_any_##lanes(s, t, y, at, c, each, count);                  \
    else if (edge)                                                          \
        strip_##lanes(s, t, y, at, c, first, end, width, stride, 1, count); \
    else                                                                    \
        strip_##lanes(s, t, y, at, c, first, end, width, stride, 0, count)
#define SOME(lanes)                         \
    if (!width || (lanes == VL) == !rest) { \
        WIDTH(lanes)                        \
    }
    RT_EACH_WIDTH(SOME)
#undef SOME
#undef DO
    return c;
}

/* How many of the pixels left are done at once, about the same each time. */
static int64_t strip_length(int64_t left)
{
    int64_t even = rt_ceil_div(left, rt_ceil_div(left, STRIP));
    if (even >= STRIP - 1) return even;
    return left >= STRIP ? STRIP : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

/* Output pixels [ow, end), as strip(). */
RT_INLINE int64_t strips_from(const depthwise *s, const taps *t, const row_view *v, int64_t ow,
                              int64_t end, int64_t c, int64_t c0, int64_t c1, const int width,
                              const int stride, const int each, const int rest)
{
    int64_t next = c;
    for (int64_t length; ow < end; ow += length) {
        length = strip_length(rest ? rt_min(end - ow, 4) : end - ow);
#define OF(pixels) \
    if (length == pixels) next = strip(s, t, v, ow, c, c0, c1, width, stride, each, rest, pixels);
        if (!rest) {
            OF(STRIP)
            OF(STRIP - 1)
        }
        OF(4)
        OF(2)
        OF(1)
#undef OF
    }
    return next;
}

RT_INLINE void strips(const depthwise *s, const row_view *v, int64_t ow, int64_t end, int64_t c0,
                      int64_t c1, const int width, const int stride, const int each)
{
    taps t;
    row_taps(s, v, &t);
    int64_t c = strips_from(s, &t, v, ow, end, c0, c0, c1, width, stride, each, 0);
    if (width && c < c1) strips_from(s, &t, v, ow, end, c, c0, c1, width, stride, each, 1);
}

typedef void (*strips_fn)(const depthwise *, const row_view *, int64_t ow, int64_t end, int64_t c0,
                          int64_t c1);

#define STRIPS(width, stride, each)                                                             \
    static void strips_##width##_##stride##_##each(                                             \
        const depthwise *s, const row_view *v, int64_t ow, int64_t end, int64_t c0, int64_t c1) \
    {                                                                                           \
        strips(s, v, ow, end, c0, c1, width, stride, each);                                     \
    }
STRIPS(3, 1, 1)
STRIPS(3, 2, 1)
STRIPS(5, 1, 1)
STRIPS(5, 2, 1)
STRIPS(7, 1, 1)
STRIPS(0, 0, 1)
STRIPS(0, 0, 2)

/* Windows whose strips know their edges. */
static int is_common(const rt_conv *g)
{
    if (g->out_channels != g->groups || g->dilation[2] != 1) return 0;
    if (g->kernel[2] == 3 || g->kernel[2] == 5) return g->stride[2] <= 2;
    return g->kernel[2] == 7 && g->stride[2] == 1;
}

static strips_fn strips_for(const depthwise *s, int64_t channels)
{
    const rt_conv *g = s->g;
    if (s->post.accumulate || channels < LEAST_LANES || g->kernel[0] * g->kernel[1] > MAX_TAPS)
        return NULL;
    if (s->each > 1) return s->each == 2 ? strips_0_0_2 : NULL;
    if (!is_common(g)) return strips_0_0_1;
    if (g->kernel[2] == 3) return g->stride[2] == 1 ? strips_3_1_1 : strips_3_2_1;
    if (g->kernel[2] == 5) return g->stride[2] == 1 ? strips_5_1_1 : strips_5_2_1;
    return strips_7_1_1;
}

/* Channels [c0, c1) of one output row. */
static void output_row(const depthwise *s, strips_fn inner, int64_t row, int64_t c0, int64_t c1)
{
    row_view v = view_row(s, row);
    int64_t ow = 0;
    if (inner) {
        for (; ow < s->interior[0]; ow++) pixel(s, &v, ow, c0, c1);
        inner(s, &v, ow, s->interior[1], c0, c1);
        ow = s->interior[1];
    }
    for (; ow < s->g->out[2]; ow++) pixel(s, &v, ow, c0, c1);
}

/* The first channel of part `index` of `count`, a whole number of vectors. */
static int64_t part_begin(const depthwise *s, int64_t index, int64_t count)
{
    int64_t channels = s->g->out_channels;
    return index == count ? channels : channels / VL * index / count * VL;
}

static void depthwise_task(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    const depthwise *s = context;
    for (int64_t index = begin; index < end; index++) {
        int64_t row0 = index / s->parts * s->group, part = index % s->parts;
        int64_t row1 = rt_min(row0 + s->group, s->rows);
        int64_t c0 = part_begin(s, part, s->parts), c1 = part_begin(s, part + 1, s->parts);
        strips_fn inner = strips_for(s, c1 - c0);
        for (int64_t row = row0; row < row1; row++) output_row(s, inner, row, c0, c1);
        if (s->post.epilogue)
            s->post.epilogue(s->post.context, row0 * s->g->out[2], row1 * s->g->out[2], c0, c1);
    }
}

static void depthwise_plan(depthwise *s, int64_t threads)
{
    const rt_conv *g = s->g;
    int64_t pixel_bytes = g->out_channels * (int64_t)sizeof(rt_real);
    int64_t wanted = threads > 1 ? 4 * threads : 1;
    s->padded = rt_ceil_div(g->out_channels, RT_PANEL) * RT_PANEL;
    s->rows = g->batch * g->out[0] * g->out[1];
    s->group = rt_min(rt_max(TASK_BYTES / (pixel_bytes * g->out[2]), 1), s->rows);
    s->parts = 1;
    if (rt_ceil_div(s->rows, s->group) < wanted) {
        s->parts = rt_max(rt_min(g->out_channels / (4 * VL), wanted), 1);
        s->group = rt_min(s->group, rt_max(s->rows * s->parts / wanted, 1));
    }
}

int RT_FN(rt_depthwise)(rt_team *team, const rt_conv *g, const rt_real *x, const rt_real *packed,
                        rt_real *y, const rt_post *post)
{
    depthwise s = {.g = g, .x = x, .packed = packed, .y = y};
    if (post) s.post = *post;
    s.each = g->out_channels / g->groups;
    int64_t reach = (g->kernel[2] - 1) * g->dilation[2];
    int64_t last = g->in[2] - 1 - reach + g->pad[2]; /* largest ow * stride that is inside */
    s.interior[0] = rt_min(rt_ceil_div(g->pad[2], g->stride[2]), g->out[2]);
    s.interior[1] = last < 0 ? 0 : rt_min(last / g->stride[2] + 1, g->out[2]);
    s.interior[1] = rt_max(s.interior[1], s.interior[0]);
    if (is_common(g)) {
        s.interior[0] = 0;
        s.interior[1] = g->out[2];
    }
    depthwise_plan(&s, rt_pool_threads(team->pool));
    int64_t tasks = rt_ceil_div(s.rows, s.group) * s.parts;
    int64_t outputs = s.rows * g->out[2] * g->out_channels;
    int64_t flops = 2 * outputs * g->kernel[0] * g->kernel[1] * g->kernel[2];
    rt_parallel(team->pool, depthwise_task, &s, tasks, rt_grain(tasks, 2 * flops, 8 * outputs));
    return 0;
}
