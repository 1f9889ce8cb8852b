/* rt_half_conv.c - convolution of bf16 by the tile registers of AMX.
 *
 * A task copies the input under its output into a band, padded with zeros and channels last, such that an
 * output pixel and the next one read places equally far apart, also from the end of a row of outputs to the
 * beginning of the next: a strip of 32 of them is two tiles of A as they lie, for each tap at a place of its
 * own. What lies between two rows is computed and left out. With a stride there is a section of the band for
 * each place that a tap has modulo the stride, on each axis, so that outputs are next to each other in each.
 * A transposed convolution is one of stride 1 for each place that an output has modulo its stride, with the
 * taps that reach it, of one band.
 *
 * Where one tap is all, and nothing is to be copied, it is a product.
 */
#include "rt_isa.h"

#include "rt_amx_panel.h"
#include "rt_band.h"
#include "rt_half_windows.h"
#include "rt_halves.h"

/* ---- as floats ---- */

typedef struct widening {
    const rt_conv *g;
    const uint16_t *x;
    float *to;
} widening;

static void widen_task(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    const widening *s = context;
    const rt_conv *g = s->g;
    for (int64_t row = begin; row < end; row++) {
        int64_t h = row % g->in[1], rest = row / g->in[1], channels = g->in_channels;
        const uint16_t *from =
            s->x + rest / g->in[0] * g->x_batch + rest % g->in[0] * g->x[0] + h * g->x[1];
        float *to = s->to + row * g->in[2] * channels;
        for (int64_t w = 0; w < g->in[2]; w++, from += g->x[2], to += channels) {
            int64_t c = 0;
            for (; g->x_channel == 1 && c + VL <= channels; c += VL)
                v_store(to + c, v_load_bf16(from + c));
            for (; c < channels; c++) to[c] = rt_float_of_bf16(from[c * g->x_channel]);
        }
    }
}

void RT_FN(rt_half_conv_floats)(rt_pool *pool, const rt_conv *g, const uint16_t *x, float *floats)
{
    widening s = {g, x, floats};
    rt_parallel(pool, widen_task, &s, g->batch * g->in[0] * g->in[1], 1);
}

/* ---- a product ---- */

/* One tap that reads the input as it lies, for results in order: from a pixel to the next in both. */
static int is_product(const rt_conv *g, int64_t *a_row, int64_t *ldc)
{
    for (int d = 0; d < 3; d++)
        if (g->kernel[d] != 1 || g->stride[d] != 1 || g->pad[d] != 0 || g->out[d] != g->in[d])
            return 0;
    *a_row = rt_pixel_spacing(g->batch, g->in, g->x_batch, g->x);
    *ldc = rt_pixel_spacing(g->batch, g->out, g->y_batch, g->y);
    return g->groups == 1 && g->x_channel == 1 && g->y_channel == 1 && *a_row >= 0 && *ldc >= 0;
}

/* Without tiles as floats: by pairs of AVX512-BF16 whole networks took a fifth longer. */
static int run_product(rt_team *team, const rt_conv *g, const uint16_t *x, const uint32_t *packed,
                       float *y, const rt_post *post)
{
    rt_halves product = {.m = g->batch * g->out[0] * g->out[1] * g->out[2],
                         .n = g->out_channels,
                         .k = g->in_channels,
                         .is_bf16 = 1,
                         .by_floats = !RT_FN(rt_multiplies_tiles)(),
                         .a = x,
                         .a_col = 1,
                         .packed = packed,
                         .lines = rt_half_channels(g) / 2,
                         .c = y};
    is_product(g, &product.a_row, &product.ldc);
    return RT_FN(rt_halves)(team, &product, post);
}

int RT_FN(rt_half_conv_takes)(const rt_conv *g)
{
    int64_t a_row, ldc;
    return RT_FN(rt_multiplies_tiles)() || is_product(g, &a_row, &ldc);
}

#ifdef RT_HAS_AMX

enum {
    GROUP_BYTES = 512 * 1024 /* of panels that stay in the second-level cache */
};

_Static_assert((int)AMX_STRIP == (int)RT_HALF_CONV_LEAST &&
                   (int)AMX_STEPS == (int)RT_HALF_CONV_STEPS,
               "as it is planned for");

/* Where a tap reads from, after the place of an output: bytes of the band; its lines of a panel. */
typedef struct tap {
    int64_t at, line;
} tap;

/* The band along an axis: for output q places (q .. q + span) * scale of the input, and what source_of()
 * adds; of a transposed convolution q counts the outputs of one phase. */
typedef struct axis {
    int64_t sections, span, scale, phases;
    int64_t most; /* outputs of a phase */
    int64_t least;
} axis;

typedef struct conv {
    const rt_conv *g;
    const uint16_t *x;
    const uint32_t *packed;
    float *y;
    const rt_post *post;
    axis axes[3];
    int takes_rows;
    int64_t group_in, group_out, channels, panels;
    int64_t tiles, lines;              /* of a tap, of a tile */
    int64_t position_lines, positions; /* of a panel */
    int64_t height, width;             /* outputs of a task */
    int64_t rows, columns;             /* of a section, in input pixels */
    int64_t pixel_bytes, pitch;        /* from an output to the next; to the next row, in outputs */
    int64_t row_parts, column_parts, panel_parts;
    tap *taps;     /* of one phase after the other */
    int64_t *ends; /* of those of a phase */
    const rt_scratch *scratch;
} conv;

typedef struct worker_state {
    int64_t key; /* which band is there */
    char pad[56];
} worker_state;
_Static_assert(sizeof(worker_state) == RT_STATE_BYTES, "as it is planned for");

/* ---- geometry ---- */

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

static int64_t modulo(int64_t a, int64_t b)
{
    return a - floor_div(a, b) * b;
}

static int64_t sections_of(const rt_conv *g, int d)
{
    return rt_min(g->stride[d] / common_divisor(g->stride[d], g->dilation[d]), g->kernel[d]);
}

static axis axis_of(const rt_conv *g, int d, int takes_rows)
{
    int64_t stride = g->stride[d], reach = (g->kernel[d] - 1) * g->dilation[d];
    if (!g->transposed) {
        axis a = {sections_of(g, d), reach / stride, stride, 1, g->out[d], 0};
        if (takes_rows) a.sections = 1;
        return a;
    }
    int64_t least = floor_div(g->pad[d] - reach, stride),
            most = floor_div(stride - 1 + g->pad[d], stride);
    return (axis){1, most - least, 1, stride, rt_ceil_div(g->out[d], stride), least};
}

/* Outputs of a phase. */
static int64_t count_of(const conv *s, int d, int64_t phase)
{
    const rt_conv *g = s->g;
    return g->transposed ? rt_ceil_div(rt_max(g->out[d] - phase, 0), g->stride[d]) : g->out[d];
}

/* The input position of a place of the band. */
static int64_t source_of(const conv *s, int d, int64_t section, int64_t place)
{
    const rt_conv *g = s->g;
    if (g->transposed) return place + s->axes[d].least;
    return place * g->stride[d] + section * g->dilation[d] % g->stride[d] - g->pad[d];
}

/* Where tap k of an axis reads; false: it does not reach outputs of this phase. */
static int tap_of(const conv *s, int d, int64_t k, int64_t phase, int64_t *section, int64_t *place)
{
    const rt_conv *g = s->g;
    int64_t reach = k * g->dilation[d];
    if (!g->transposed) {
        *section = k % s->axes[d].sections;
        *place = reach / g->stride[d];
        return 1;
    }
    int64_t from = phase + g->pad[d] - reach;
    *section = 0;
    *place = floor_div(from, g->stride[d]) - s->axes[d].least;
    return modulo(from, g->stride[d]) == 0;
}

static int64_t section_bytes(const conv *s, int64_t height, int64_t columns)
{
    return (height + s->axes[1].span) * columns * s->channels * (int64_t)sizeof(uint16_t);
}

static int64_t sections(const conv *s)
{
    return s->axes[0].sections * (1 + s->axes[0].span) * s->axes[1].sections * s->axes[2].sections;
}

/* Of a row of a section, under so many outputs. */
static int64_t columns_of(const conv *s, int64_t width)
{
    const rt_conv *g = s->g;
    if (!s->takes_rows) return width + s->axes[2].span;
    return rt_ceil_div((width - 1) * g->stride[2] + g->kernel[2], g->stride[2]) * g->stride[2];
}

static void cut_tasks(conv *s, int64_t threads)
{
    const rt_conv *g = s->g;
    int64_t height = s->axes[1].most, width = s->axes[2].most, all = sections(s),
            planes = g->batch * s->axes[0].most * g->groups;
    int64_t row_bytes = all * section_bytes(s, 1, columns_of(s, width)) / (1 + s->axes[1].span);
    int64_t fit = RT_HALF_CONV_BAND_BYTES / rt_max(row_bytes, 1) - s->axes[1].span;
    s->height = rt_max(rt_min(fit, height), 1);
    s->width = width;
    if (fit < 1)
        while (s->width > AMX_STRIP &&
               all * section_bytes(s, 1, columns_of(s, s->width)) > RT_HALF_CONV_BAND_BYTES)
            s->width = rt_max(AMX_STRIP, s->width / 2);
    if (threads > 1 && planes * rt_ceil_div(height, s->height) < 2 * threads)
        s->height = rt_min(s->height, rt_max(rt_max(height * planes / (2 * threads), 1),
                                             rt_ceil_div(AMX_STRIP, s->width)));
    s->row_parts = rt_ceil_div(height, s->height);
    s->column_parts = rt_ceil_div(width, s->width);
    s->panel_parts =
        threads == 1
            ? 1
            : rt_max(1, rt_min(s->panels,
                               rt_ceil_div(2 * threads, planes * s->row_parts * s->column_parts)));
    s->columns = columns_of(s, s->width);
    s->rows = s->height + s->axes[1].span;
}

/* Of a band, and what strips beyond its last output reach. */
static size_t band_bytes(const conv *s)
{
    return (size_t)(sections(s) * section_bytes(s, s->height, s->columns) +
                    AMX_STRIP * s->pixel_bytes);
}

static int64_t section_place(const conv *s, int64_t sd, int64_t d, int64_t sh, int64_t sw)
{
    const axis *a = s->axes;
    int64_t plane = sd * (1 + a[0].span) + d;
    return (plane * a[1].sections + sh) * a[2].sections + sw;
}

static void list_taps_of(const conv *s, const int64_t *phase, int64_t *count)
{
    const int64_t *kernel = s->g->kernel;
    int64_t section[3], place[3], columns = s->takes_rows ? 1 : kernel[2],
                                  tap_lines = s->position_lines * kernel[2] / columns;
    for (int64_t kd = 0; kd < kernel[0]; kd++) {
        if (!tap_of(s, 0, kd, phase[0], &section[0], &place[0])) continue;
        for (int64_t kh = 0; kh < kernel[1]; kh++) {
            if (!tap_of(s, 1, kh, phase[1], &section[1], &place[1])) continue;
            for (int64_t kw = 0; kw < columns; kw++) {
                if (!tap_of(s, 2, kw, phase[2], &section[2], &place[2])) continue;
                int64_t in = section_place(s, section[0], place[0], section[1], section[2]),
                        pixel = (in * s->rows + place[1]) * s->columns + place[2];
                s->taps[(*count)++] = (tap){pixel * s->channels * (int64_t)sizeof(uint16_t),
                                            ((kd * kernel[1] + kh) * columns + kw) * tap_lines};
            }
        }
    }
}

static void list_taps(const conv *s)
{
    const axis *a = s->axes;
    int64_t count = 0, phase[3], *end = s->ends;
    for (phase[0] = 0; phase[0] < a[0].phases; phase[0]++)
        for (phase[1] = 0; phase[1] < a[1].phases; phase[1]++)
            for (phase[2] = 0; phase[2] < a[2].phases; phase[2]++) {
                list_taps_of(s, phase, &count);
                *end++ = count;
            }
}

/* ---- the band ---- */

/* to[i * to_row + j] = from[j * from_row + i], i and j below 8. */
static void turn_square(const uint16_t *from, int64_t from_row, uint16_t *to, int64_t to_row)
{
    __m128i r[8], s[8];
    for (int j = 0; j < 8; j++) r[j] = _mm_loadu_si128((const void *)(from + j * from_row));
    for (int j = 0; j < 4; j++) {
        s[2 * j] = _mm_unpacklo_epi16(r[2 * j], r[2 * j + 1]);
        s[2 * j + 1] = _mm_unpackhi_epi16(r[2 * j], r[2 * j + 1]);
    }
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++) {
            r[4 * j + 2 * i] = _mm_unpacklo_epi32(s[4 * j + i], s[4 * j + 2 + i]);
            r[4 * j + 2 * i + 1] = _mm_unpackhi_epi32(s[4 * j + i], s[4 * j + 2 + i]);
        }
    for (int i = 0; i < 4; i++) {
        _mm_storeu_si128((void *)(to + 2 * i * to_row), _mm_unpacklo_epi64(r[i], r[4 + i]));
        _mm_storeu_si128((void *)(to + (2 * i + 1) * to_row), _mm_unpackhi_epi64(r[i], r[4 + i]));
    }
}

/* Planes of pixels side by side, to channels last. */
static void turn_planes(const uint16_t *from, int64_t channel, int64_t count, int64_t channels,
                        uint16_t *to, int64_t pitch)
{
    enum { SIDE = 8 };
    int64_t pixels = count / SIDE * SIDE, squares = channels / SIDE * SIDE;
    for (int64_t w = 0; w < pixels; w += SIDE)
        for (int64_t c = 0; c < squares; c += SIDE)
            turn_square(from + c * channel + w, channel, to + w * pitch + c, pitch);
    for (int64_t c = 0; c < channels; c++)
        for (int64_t w = c < squares ? pixels : 0; w < count; w++)
            to[w * pitch + c] = from[c * channel + w];
}

/* Of three planes, to four channels of which the last is 0. */
static void join_three(const uint16_t *from, int64_t channel, int64_t count, uint16_t *to)
{
    int64_t w = 0;
    for (; w + 8 <= count; w += 8) {
        __m128i r = _mm_loadu_si128((const void *)(from + w)),
                g = _mm_loadu_si128((const void *)(from + channel + w)),
                b = _mm_loadu_si128((const void *)(from + 2 * channel + w)), none = {0};
        __m128i first = _mm_unpacklo_epi16(r, g), last = _mm_unpackhi_epi16(r, g),
                blue[2] = {_mm_unpacklo_epi16(b, none), _mm_unpackhi_epi16(b, none)};
        _mm_storeu_si128((void *)(to + 4 * w), _mm_unpacklo_epi32(first, blue[0]));
        _mm_storeu_si128((void *)(to + 4 * w + 8), _mm_unpackhi_epi32(first, blue[0]));
        _mm_storeu_si128((void *)(to + 4 * w + 16), _mm_unpacklo_epi32(last, blue[1]));
        _mm_storeu_si128((void *)(to + 4 * w + 24), _mm_unpackhi_epi32(last, blue[1]));
    }
    for (; w < count; w++) {
        for (int c = 0; c < 3; c++) to[4 * w + c] = from[c * channel + w];
        to[4 * w + 3] = 0;
    }
}

/* The channels of a pixel, with zeros behind them. */
RT_INLINE void copy_pixel(const uint16_t *from, int64_t channels, uint16_t *to, int64_t pitch)
{
    for (int64_t c = 0; c < pitch; c += 32) {
        int64_t there = rt_max(rt_min(channels - c, 32), 0), all = rt_min(pitch - c, 32);
        __mmask32 read = (__mmask32)((UINT64_C(1) << there) - 1),
                  write = (__mmask32)((UINT64_C(1) << all) - 1);
        _mm512_mask_storeu_epi16(to + c, write, _mm512_maskz_loadu_epi16(read, from + c));
    }
}

static void copy_pixels(const conv *s, const uint16_t *from, int64_t pixel, int64_t count,
                        uint16_t *to)
{
    int64_t channels = s->group_in, channel = channels == 1 ? 1 : s->g->x_channel,
            pitch = s->channels;
    if (channel == 1 && pixel == pitch && channels == pitch) {
        memcpy(to, from, (size_t)(count * pitch) * sizeof *to);
    } else if (channel == 1) {
        for (int64_t w = 0; w < count; w++)
            copy_pixel(from + w * pixel, channels, to + w * pitch, pitch);
    } else if (pixel == 1 && channels == 3 && pitch == 4) {
        join_three(from, channel, count, to);
    } else {
        if (pitch > channels) memset(to, 0, (size_t)(count * pitch) * sizeof *to);
        if (pixel == 1) {
            turn_planes(from, channel, count, channels, to, pitch);
            return;
        }
        for (int64_t w = 0; w < count; w++)
            for (int64_t c = 0; c < channels; c++)
                to[w * pitch + c] = from[w * pixel + c * channel];
    }
}

/* A row of a section: `count` pixels, `step` apart in the input, the first at w. */
static void fill_row(const conv *s, const uint16_t *row, int64_t w, int64_t step, int64_t count,
                     uint16_t *to)
{
    const rt_conv *g = s->g;
    int64_t first = w < 0 ? rt_min(rt_ceil_div(-w, step), count) : 0,
            last = w < g->in[2] ? rt_min(rt_ceil_div(g->in[2] - w, step), count) : 0;
    if (!row || last <= first) first = last = count;
    memset(to, 0, (size_t)(first * s->channels) * sizeof *to);
    if (first < last)
        copy_pixels(s, row + (w + first * step) * g->x[2], step * g->x[2], last - first,
                    to + first * s->channels);
    memset(to + last * s->channels, 0, (size_t)((count - last) * s->channels) * sizeof *to);
}

/* What a task is of. */
typedef struct part {
    int64_t group, image, depth, h0, w0;
} part;

static void fill_section(const conv *s, const part *p, const uint16_t *plane, int64_t sh,
                         int64_t sw, uint16_t *to)
{
    const rt_conv *g = s->g;
    int64_t step = s->takes_rows ? 1 : s->axes[2].scale, w = source_of(s, 2, sw, p->w0);
    for (int64_t r = 0; r < s->rows; r++, to += s->columns * s->channels) {
        int64_t h = source_of(s, 1, sh, p->h0 + r);
        int is_there = plane && rt_is_inside(h, g->in[1]);
        fill_row(s, is_there ? plane + h * g->x[1] : NULL, w, step, s->columns, to);
    }
}

static void fill_band(const conv *s, const part *p, uint16_t *band)
{
    const rt_conv *g = s->g;
    const axis *a = s->axes;
    const uint16_t *x = s->x + p->image * g->x_batch + p->group * s->group_in * g->x_channel;
    for (int64_t sd = 0; sd < a[0].sections; sd++)
        for (int64_t d = 0; d <= a[0].span; d++) {
            int64_t at = source_of(s, 0, sd, p->depth + d);
            const uint16_t *plane = rt_is_inside(at, g->in[0]) ? x + at * g->x[0] : NULL;
            for (int64_t sh = 0; sh < a[1].sections; sh++)
                for (int64_t sw = 0; sw < a[2].sections; sw++)
                    fill_section(s, p, plane, sh, sw,
                                 band + section_place(s, sd, d, sh, sw) * s->rows * s->columns *
                                            s->channels);
        }
}

/* ---- strips ---- */

/* Outputs of one phase of a task, by which strips go. */
typedef struct field {
    const part *p;
    const char *band;
    const tap *taps;
    int64_t tap_count;
    int64_t phase[3], height, width; /* outputs that there are */
} field;

RT_AMX RT_INLINE void add_taps(const conv *s, const field *f, const char *rows, const char *panel,
                               const int both_rows, const int both_columns)
{
    int64_t row_bytes = s->pixel_bytes, tile_bytes = 4 * s->lines,
            lines_bytes = s->lines * AMX_LINE_BYTES;
    for (int64_t t = 0; t < f->tap_count; t++) {
        const char *a = rows + f->taps[t].at, *b = panel + f->taps[t].line * AMX_LINE_BYTES;
        for (int64_t i = 0; i < s->tiles; i++, a += tile_bytes, b += lines_bytes)
            rt_amx_add(a, row_bytes, b, both_rows, both_columns);
    }
}

static float *output_at(const conv *s, const field *f, int64_t h, int64_t w)
{
    const rt_conv *g = s->g;
    int64_t image = f->p->image, at[3] = {f->p->depth, f->p->h0 + h, f->p->w0 + w};
    float *y = s->y + image * g->y_batch;
    for (int d = 0; d < 3; d++) y += (at[d] * s->axes[d].phases + f->phase[d]) * g->y[d];
    return y;
}

static void scatter(float *to, int64_t stride, const float *from, int64_t count)
{
    for (int64_t i = 0; i < count; i++) to[i * stride] = from[i];
}

/* Sums of the outputs [v0, v1), those that there are, to where they belong. */
static void give_sums(const conv *s, const field *f, int64_t v0, int64_t v1, int64_t column,
                      int64_t width, float (*sums)[RT_PANEL])
{
    const rt_conv *g = s->g;
    int64_t h = v0 / s->pitch, w = v0 % s->pitch, step = s->axes[2].phases * g->y[2];
    for (int64_t v = v0; v < v1;) {
        int64_t count = rt_max(rt_min(f->width - w, v1 - v), 0);
        float *y = output_at(s, f, h, w) + column * g->y_channel;
        for (int64_t i = 0; i < count; i++, y += step)
            if (g->y_channel == 1)
                rt_amx_copy_columns(y, sums[v - v0 + i], width);
            else
                scatter(y, g->y_channel, sums[v - v0 + i], width);
        v += s->pitch - w;
        w = 0;
        h++;
    }
}

RT_AMX RT_INLINE void run_panel(const conv *s, const field *f, int64_t v0, int64_t v1, int64_t n0,
                                const char *panel, const int both_rows, const int both_columns)
{
    const rt_conv *g = s->g;
    float sums[AMX_STRIP][RT_PANEL];
    int64_t width = rt_min(RT_PANEL, s->group_out - n0), column = f->p->group * s->group_out + n0,
            step = s->axes[2].phases * g->y[2];
    int is_in_row = v0 % s->pitch + AMX_STRIP <= f->width && v1 - v0 == AMX_STRIP,
        is_whole = width == (both_columns ? RT_PANEL : RT_PANEL / 2);
    if (!s->post->bias) {
        rt_amx_zero_sums();
    } else {
        if (!is_whole) rt_amx_copy_columns(sums[0], s->post->bias + column, width);
        rt_amx_load_sums(is_whole ? s->post->bias + column : sums[0], 0, both_rows, both_columns);
    }
    add_taps(s, f, f->band + v0 * s->pixel_bytes, panel, both_rows, both_columns);
    if (is_in_row && is_whole && g->y_channel == 1) {
        float *y = output_at(s, f, v0 / s->pitch, v0 % s->pitch) + column;
        rt_amx_store_sums(y, step * (int64_t)sizeof *y, both_rows, both_columns);
    } else {
        rt_amx_store_sums(sums[0], AMX_LINE_BYTES, both_rows, both_columns);
        give_sums(s, f, v0, v1, column, width, sums);
    }
}

static void finish(const conv *s, const field *f, int64_t v0, int64_t v1, int64_t n0, int64_t n1)
{
    const rt_conv *g = s->g;
    int64_t plane = (f->p->image * g->out[0] + f->p->depth) * g->out[1] + f->p->h0,
            first = plane * g->out[2] + f->p->w0, last = v1 - 1;
    if (!s->post->epilogue) return;
    s->post->epilogue(s->post->context, first + v0 / s->pitch * g->out[2] + v0 % s->pitch,
                      first + last / s->pitch * g->out[2] + last % s->pitch + 1,
                      f->p->group * s->group_out + n0, f->p->group * s->group_out + n1);
}

RT_AMX static void run_strip(const conv *s, const field *f, int64_t v0, int64_t v1, int64_t p0,
                             int64_t p1)
{
    int64_t panel_lines = s->positions * s->position_lines;
    for (int64_t p = p0; p < p1; p++) {
        int64_t n0 = p * RT_PANEL;
        const char *panel =
            (const char *)(s->packed + (f->p->group * s->panels + p) * panel_lines * RT_PANEL);
        int both_rows = v1 - v0 > AMX_ROWS, both_columns = s->group_out - n0 > RT_PANEL / 2;
        if (both_rows && both_columns)
            run_panel(s, f, v0, v1, n0, panel, 1, 1);
        else if (both_rows)
            run_panel(s, f, v0, v1, n0, panel, 1, 0);
        else if (both_columns)
            run_panel(s, f, v0, v1, n0, panel, 0, 1);
        else
            run_panel(s, f, v0, v1, n0, panel, 0, 0);
    }
    finish(s, f, v0, v1, p0 * RT_PANEL, rt_min(p1 * RT_PANEL, s->group_out));
}

RT_AMX static void run_field(const conv *s, const field *f, int64_t p0, int64_t p1)
{
    int64_t all = (f->height - 1) * s->pitch + f->width;
    for (int64_t v = 0; v < all;) {
        int64_t end = rt_min(v + AMX_STRIP, all), over = end % s->pitch;
        if (v % s->pitch >= f->width) {
            v = rt_ceil_div(v, s->pitch) * s->pitch;
            continue;
        }
        int64_t last = over == 0 ? end - (s->pitch - f->width) : end - rt_max(over - f->width, 0);
        run_strip(s, f, v, rt_max(last, v + 1), p0, p1);
        v = end;
    }
}

/* All phases of a task, for a group of panels. */
RT_AMX static void run_panels(const conv *s, const part *p, const char *band, int64_t p0,
                              int64_t p1)
{
    const axis *a = s->axes;
    const int64_t *end = s->ends;
    int64_t begin = 0;
    field f = {.p = p, .band = band};
    for (f.phase[0] = 0; f.phase[0] < a[0].phases; f.phase[0]++)
        for (f.phase[1] = 0; f.phase[1] < a[1].phases; f.phase[1]++)
            for (f.phase[2] = 0; f.phase[2] < a[2].phases; f.phase[2]++, begin = *end++) {
                f.taps = s->taps + begin;
                f.tap_count = *end - begin;
                f.height = rt_min(s->height, count_of(s, 1, f.phase[1]) - p->h0);
                f.width = rt_min(s->width, count_of(s, 2, f.phase[2]) - p->w0);
                if (p->depth < count_of(s, 0, f.phase[0]) && f.height > 0 && f.width > 0)
                    run_field(s, &f, p0, p1);
            }
}

RT_AMX static void conv_task(void *context, int64_t begin, int64_t end, int worker)
{
    const conv *s = context;
    worker_state *state = rt_scratch_worker(s->scratch, worker);
    uint16_t *band = (uint16_t *)(state + 1);
    int64_t panel_bytes = s->positions * s->position_lines * AMX_LINE_BYTES,
            group = rt_max(GROUP_BYTES / rt_max(panel_bytes, 1), 1);
    rt_amx_begin_with(s->lines);
    for (int64_t i = begin; i < end; i++) {
        int64_t panel_part = i % s->panel_parts, key = i / s->panel_parts, rest = key;
        int64_t p1 = s->panels * (panel_part + 1) / s->panel_parts;
        part p;
        p.w0 = rest % s->column_parts * s->width, rest /= s->column_parts;
        p.h0 = rest % s->row_parts * s->height, rest /= s->row_parts;
        p.depth = rest % s->axes[0].most, rest /= s->axes[0].most;
        p.group = rest % s->g->groups, p.image = rest / s->g->groups;
        if (state->key != key) fill_band(s, &p, band);
        state->key = key;
        for (int64_t p0 = s->panels * panel_part / s->panel_parts; p0 < p1; p0 += group)
            run_panels(s, &p, (const char *)band, p0, rt_min(p0 + group, p1));
    }
    rt_amx_end();
}

/* ---- the whole ---- */

int RT_FN(rt_half_conv)(rt_team *team, const rt_conv *g, const uint16_t *x, const uint32_t *packed,
                        float *y, const rt_post *post)
{
    int64_t pixels = g->batch * g->out[0] * g->out[1] * g->out[2], a_row, ldc;
    conv s = {.g = g, .x = x, .packed = packed, .y = y, .post = post};
    if (pixels <= 0 || g->out_channels <= 0) return 0;
    s.takes_rows = rt_half_takes_rows(g);
    s.channels = rt_half_channels(g);
    if (is_product(g, &a_row, &ldc)) return run_product(team, g, x, packed, y, post);
    for (int d = 0; d < 3; d++) s.axes[d] = axis_of(g, d, s.takes_rows && d == 2);
    int64_t depth = s.channels * (s.takes_rows ? g->kernel[2] : 1),
            threads = rt_pool_threads(team->pool);
    s.group_in = g->in_channels / g->groups;
    s.group_out = g->out_channels / g->groups;
    s.panels = rt_ceil_div(s.group_out, RT_PANEL);
    s.tiles = rt_half_tiles_of(depth);
    s.lines = s.tiles ? depth / s.tiles / 2 : AMX_ROWS;
    s.positions = g->kernel[0] * g->kernel[1] * g->kernel[2];
    s.position_lines = s.channels / 2;
    cut_tasks(&s, threads);
    s.pixel_bytes = s.channels * (s.takes_rows ? g->stride[2] : 1) * (int64_t)sizeof *x;
    s.pitch = s.columns / (s.takes_rows ? g->stride[2] : 1);
    size_t taps = (size_t)s.positions * sizeof *s.taps,
           phases =
               (size_t)(s.axes[0].phases * s.axes[1].phases * s.axes[2].phases) * sizeof *s.ends;
    rt_scratch scratch;
    if (rt_scratch_take(team, taps + phases, sizeof(worker_state) + band_bytes(&s), &scratch))
        return -1;
    s.taps = rt_scratch_shared(&scratch);
    s.ends = (int64_t *)(s.taps + s.positions);
    s.scratch = &scratch;
    list_taps(&s);
    for (int i = 0; i < threads; i++) ((worker_state *)rt_scratch_worker(&scratch, i))->key = -1;
    int64_t tasks = g->batch * g->groups * s.axes[0].most * s.row_parts * s.column_parts *
                    s.panel_parts,
            weights = g->out_channels * s.positions * s.channels;
    rt_parallel(team->pool, conv_task, &s, tasks,
                rt_grain(tasks, pixels * weights / 8, (int64_t)sizeof *x * weights));
    rt_scratch_drop(team, &scratch);
    return 0;
}

#else

int RT_FN(rt_half_conv)(rt_team *team, const rt_conv *g, const uint16_t *x, const uint32_t *packed,
                        float *y, const rt_post *post)
{
    int64_t pixels = g->batch * g->out[0] * g->out[1] * g->out[2];
    if (pixels <= 0 || g->out_channels <= 0) return 0;
    return run_product(team, g, x, packed, y, post);
}

#endif
