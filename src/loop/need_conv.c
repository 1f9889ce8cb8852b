/* need_conv.c -- what convolutions work in. */
#include "loop/need_priv.h"

#include "../rt/rt_need.h"

/* As rt_conv has it: three axes, right-aligned. */
typedef struct geometry {
    sym_expr batch, in_channels, out_channels, groups, in_each, out_each;
    sym_expr in[3], out[3], kernel[3], stride[3], dilation[3];
    sym_expr in_pixels, out_pixels, taps; /* in_pixels: of one image */
    bool transposed, is_copied;           /* is_copied: the input lies with channels last */
} geometry;

static geometry geometry_of(const needing *n, const loop_windows *ints, const loop_view *w,
                            const loop_view *y)
{
    const loop_view *x = &n->op->inputs[0];
    sym_expr one = need_number(n, 1), groups = need_most(n, ints->groups, 1);
    uint32_t pad = 3 - ints->spatial;
    geometry g = {.transposed = ints->transposed,
                  .batch = x->sizes[0],
                  .in_channels = x->sizes[1],
                  .out_channels = y->sizes[1],
                  .groups = groups,
                  .in_each = sym_floordiv(n->t, x->sizes[1], groups),
                  .out_each = sym_floordiv(n->t, y->sizes[1], groups)};
    for (uint32_t d = 0; d < 3; d++) {
        bool is_there = d >= pad;
        uint32_t k = is_there ? d - pad : 0;
        g.in[d] = is_there ? x->sizes[2 + k] : one;
        g.out[d] = is_there ? y->sizes[2 + k] : one;
        g.kernel[d] = is_there ? w->sizes[2 + k] : one;
        g.stride[d] = is_there ? ints->stride[k] : one;
        g.dilation[d] = is_there ? ints->dilation[k] : one;
    }
    g.in_pixels = sym_product(n->t, g.in, 3);
    g.taps = sym_product(n->t, g.kernel, 3);
    g.out_pixels = need_times(n, g.batch, sym_product(n->t, g.out, 3));
    return g;
}

static bool find_windows(const needing *n, loop_windows *ints)
{
    return need_has(n, 2, 3) && !loop_windows_of(n->p, n->op, ints) &&
           n->op->inputs[0].rank == ints->spatial + 2 &&
           n->op->inputs[1].rank == ints->spatial + 2 &&
           n->op->outputs[0].rank == ints->spatial + 2;
}

/* As rt_conv_is_depthwise() has it. */
static bool is_depthwise(const needing *n, const geometry *g)
{
    bool few = sym_same(g->groups, g->out_channels) ||
               (!g->transposed && (need_is(n, g->out_each, 2) || need_is(n, g->out_each, 4)));
    return few && sym_same(g->groups, g->in_channels) && !need_may_be(n, g->groups, 0, 1);
}

static void need_conv_weights(needing *n, const geometry *g)
{
    if (need_is_packed(n, 1)) return;
    if (is_depthwise(n, g)) {
        need_share(n, need_panels(n, g->out_channels, g->taps));
        return;
    }
    sym_expr group = need_panels(n, g->out_each, need_times(n, g->taps, g->in_each));
    sym_expr all = need_times(n, g->groups, group);
    /* depthwise at some sizes only */
    if (!sym_is_int(n->t, g->groups, NULL) || !sym_is_int(n->t, g->in_channels, NULL))
        all = sym_max(n->t, all, need_panels(n, g->out_channels, g->taps));
    need_share(n, all);
}

/* Channels last: as many images at a time as there is room for. */
static void need_copies(needing *n, const geometry *g)
{
    const loop_view *x = &n->op->inputs[0];
    if (g->is_copied || need_is(n, x->strides[1], 1) || need_is(n, x->sizes[1], 1)) return;
    sym_expr image = need_bytes(n, need_times(n, g->in_pixels, g->in_channels), need_real(n)),
             count = need_most(n, need_over(n, RT_CONV_COPY_BYTES, image), 1);
    need_share(n, need_times(n, sym_min(n->t, count, g->batch), image));
}

/* Pointers to the pixels under one phase of output pixels, zeros, and a task's results. */
static void need_phases(needing *n, const geometry *g)
{
    sym_expr taps = need_number(n, 1), pixels = g->batch;
    for (uint32_t d = 0; d < 3; d++) {
        sym_expr stride = need_most(n, g->stride[d], 1),
                 reached = sym_ceildiv(n->t, g->kernel[d], stride);
        taps = need_times(n, taps, need_is(n, g->dilation[d], 1) ? reached : g->kernel[d]);
        pixels = need_times(n, pixels, sym_ceildiv(n->t, g->out[d], stride));
    }
    sym_expr rows = need_least(n, need_over(n, RT_CONV_TABLE_ENTRIES, taps),
                               RT_CONV_PHASE_TILES * RT_MOST_ROWS);
    rows = sym_min(n->t, need_most(n, rows, RT_MOST_ROWS), pixels);
    sym_expr columns = need_least(n, g->out_each, RT_CONV_PHASE_COLUMNS);
    need_give_each(n, need_number(n, RT_STATE_BYTES));
    need_give_each(n, need_bytes(n, need_times(n, rows, taps), NEED_POINTER));
    need_give_each(n, need_bytes(n, g->in_each, need_real(n)));
    need_give_each(n, need_bytes(n, need_times(n, rows, columns), need_real(n)));
}

static void need_transposed(needing *n, const geometry *g)
{
    bool depthwise = is_depthwise(n, g);
    need_conv_weights(n, g);
    if (depthwise || !need_is(n, g->in_each, 1)) need_copies(n, g);
    if (!depthwise) need_phases(n, g);
}

/* Pixels in order, images too, channels innermost? */
static bool has_pixel_order(const needing *n, const loop_view *y)
{
    sym_expr expected = {0};
    if (!need_is(n, y->sizes[1], 1) && !need_is(n, y->strides[1], 1)) return false;
    for (uint32_t d = y->rank; d-- > 2;) {
        if (need_is(n, y->sizes[d], 1)) continue;
        if (sym_is_none(expected)) expected = y->strides[d];
        if (!sym_same(y->strides[d], expected)) return false;
        expected = need_times(n, expected, y->sizes[d]);
    }
    if (sym_is_none(expected)) expected = y->sizes[1];
    return need_is(n, y->sizes[0], 1) || sym_same(y->strides[0], expected);
}

/* A table of pointers to input pixels, and zeros. */
static sym_expr indirect_bytes(const needing *n, const geometry *g)
{
    sym_expr rows = need_over(n, RT_CONV_TABLE_ENTRIES, g->taps);
    rows = need_most(n, need_least(n, rows, RT_CONV_TILES * RT_MOST_ROWS), RT_MOST_ROWS);
    rows = sym_min(n->t, rows, g->out_pixels);
    sym_expr table = need_bytes(n, need_times(n, rows, g->taps), NEED_POINTER);
    return sym_add(n->t, sym_add_int(n->t, table, RT_STATE_BYTES),
                   need_bytes(n, g->in_channels, need_real(n)));
}

/* Of `count` output positions along an axis: the input positions under them. */
static sym_expr reach(const needing *n, const geometry *g, uint32_t axis, sym_expr count)
{
    sym_expr steps = need_times(n, sym_add_int(n->t, count, -1), g->stride[axis]),
             window = need_times(n, sym_add_int(n->t, g->kernel[axis], -1), g->dilation[axis]);
    return sym_add_int(n->t, sym_add(n->t, steps, window), 1);
}

/* Rows of the input under some rows of the output, and a table of pointers into them. */
static sym_expr band_bytes(const needing *n, const geometry *g)
{
    sym_expr width = reach(n, g, 2, g->out[2]);
    sym_expr row[] = {g->kernel[0], g->stride[1], width, g->in_each},
             few = sym_ceildiv(n->t, need_number(n, RT_CONV_BAND_FEW), need_most(n, g->out[2], 1));
    sym_expr fit =
        need_over(n, RT_CONV_BAND_BYTES, need_bytes(n, sym_product(n->t, row, 4), need_real(n)));
    fit = sym_min(n->t, sym_max(n->t, fit, few), need_over(n, RT_CONV_BAND_PIXELS, g->out[2]));
    sym_expr strip = need_most(n, sym_min(n->t, fit, g->out[1]), 1);
    sym_expr factors[] = {g->kernel[0], reach(n, g, 1, strip), width, g->in_each};
    sym_expr band = need_bytes(n, sym_product(n->t, factors, 4), need_real(n));
    bool whole_rows = need_is(n, g->dilation[2], 1);
    sym_expr taps = whole_rows ? need_times(n, g->kernel[0], g->kernel[1]) : g->taps;
    sym_expr table = need_times(n, need_times(n, strip, g->out[2]), taps);
    return sym_add(n->t, need_lines(n, band), need_bytes(n, table, NEED_POINTER));
}

/* Groups of few channels that go through no band? */
static bool may_spread(const needing *n, const geometry *g)
{
    return need_may_be(n, g->in_each, RT_CONV_SPREAD_GROUP, RT_CONV_SPREAD_GROUP) &&
           need_may_be(n, g->out_each, RT_CONV_SPREAD_GROUP, RT_CONV_SPREAD_GROUP) &&
           need_may_be(n, g->groups, 2, INT64_MAX) &&
           need_may_be(n, g->taps, 1, RT_CONV_SPREAD_TAPS);
}

/* Fewer channels than this in a group go through a band. */
static int64_t band_channels(const needing *n, const geometry *g, bool most)
{
    bool may = need_may_be(n, g->groups, 1, 1) && need_may_be(n, g->kernel[2], 2, INT64_MAX) &&
               need_may_be(n, g->dilation[2], 1, 1);
    bool must = !need_may_be(n, g->groups, 2, INT64_MAX) && !need_may_be(n, g->kernel[2], 0, 1) &&
                !need_may_be(n, g->dilation[2], 2, INT64_MAX);
    return (most ? may : must) ? RT_CONV_BAND_OF_ONE : RT_CONV_BAND_CHANNELS;
}

static void need_windows(needing *n, const geometry *g)
{
    const loop_view *y = &n->op->outputs[0];
    if (g->transposed) {
        need_transposed(n, g);
        return;
    }
    need_conv_weights(n, g);
    if (!has_pixel_order(n, y))
        need_share(n, need_bytes(n, need_times(n, g->out_pixels, g->out_channels), need_real(n)));
    bool depthwise = is_depthwise(n, g);
    bool in_bands = !depthwise && need_may_be(n, g->in_each, 0, band_channels(n, g, true) - 1);
    bool beyond = depthwise || may_spread(n, g) ||
                  need_may_be(n, g->in_each, band_channels(n, g, false), INT64_MAX);
    if (beyond) need_copies(n, g);
    sym_expr each = need_number(n, 0);
    if (in_bands) each = band_bytes(n, g);
    if (beyond && !depthwise) each = sym_max(n->t, each, indirect_bytes(n, g));
    need_give_each(n, each);
    if (!depthwise) need_split(n, g->out_pixels, g->out_each, need_times(n, g->taps, g->in_each));
}

void need_conv(needing *n)
{
    loop_windows ints;
    if (!find_windows(n, &ints)) return;
    geometry g = geometry_of(n, &ints, &n->op->inputs[1], &n->op->outputs[0]);
    need_windows(n, &g);
}

/* ---- Winograd's algorithm ---- */

static sym_expr tiles_of(const needing *n, const loop_view *y, sym_expr tile)
{
    sym_expr rows = sym_ceildiv(n->t, y->sizes[2], tile),
             columns = sym_ceildiv(n->t, y->sizes[3], tile);
    return need_times(n, y->sizes[0], need_times(n, rows, columns));
}

/* Transformed patches and zeros; products for a panel of output channels, and the pixels of a patch where
 * their channels lie apart. */
void need_winograd(needing *n)
{
    const loop_view *x = &n->op->inputs[0], *y = &n->op->outputs[0];
    if (!need_has(n, 2, 4) || y->rank != 4) return;
    sym_expr tile = need_most(n, need_int(n, "tile"), 1), size = sym_add_int(n->t, tile, 2),
             positions = need_times(n, size, size),
             pitch = need_up_to(n, x->sizes[1], RT_MOST_LANES),
             patch = need_bytes(
                 n, sym_add_int(n->t, need_times(n, positions, pitch), RT_MOST_LANES), NEED_FLOAT),
             tiles = tiles_of(n, y, tile),
             together = sym_min(
                 n->t, need_most(n, need_over(n, RT_WINOGRAD_BYTES, patch), RT_MOST_ROWS), tiles),
             results = sym_add_int(n->t, sym_mul_int(n->t, positions, RT_PANEL), RT_MOST_LANES);
    if (!need_is_packed(n, 1))
        need_share(n, need_panels(n, y->sizes[1], need_times(n, positions, x->sizes[1])));
    if (!has_pixel_order(n, y))
        need_share(n, need_bytes(n, sym_product(n->t, y->sizes, 4), NEED_FLOAT));
    need_share(n, need_times(n, together, patch));
    need_share(n, need_bytes(n, pitch, NEED_FLOAT));
    need_give_each(n,
                   need_bytes(n, need_times(n, need_least(n, together, RT_WINOGRAD_TILES), results),
                              NEED_FLOAT));
    if (!need_is(n, x->strides[1], 1))
        need_give_each(n, need_bytes(n, need_times(n, positions, pitch), NEED_FLOAT));
}

/* ---- of bf16 ---- */

enum {
    HALF = 2,
    TAP = 16,
    END = 8
}; /* bytes: of a number, of a tap, of where those of a phase end */

/* Of so many sections of the input along an axis, the places under outputs of all of them. */
static sym_expr half_places(const needing *n, const geometry *g, uint32_t axis, sym_expr outputs)
{
    sym_expr stride = need_most(n, g->stride[axis], 1),
             window = need_times(n, sym_add_int(n->t, g->kernel[axis], -1), g->dilation[axis]);
    if (g->transposed) {
        sym_expr phase = sym_ceildiv(n->t, outputs, stride);
        return sym_add_int(n->t, sym_add(n->t, phase, sym_ceildiv(n->t, window, stride)), 2);
    }
    sym_expr places = sym_add(n->t, outputs, sym_floordiv(n->t, window, stride));
    return need_times(n, sym_min(n->t, stride, need_most(n, g->kernel[axis], 1)), places);
}

static sym_expr half_band(const needing *n, const geometry *g, sym_expr height, sym_expr width,
                          sym_expr channels)
{
    /* whole rows of the window are taken of few channels */
    sym_expr row = sym_add(n->t, need_times(n, width, g->stride[2]), g->kernel[2]),
             columns = half_places(n, g, 2, width);
    if (!g->transposed) columns = sym_max(n->t, columns, row);
    sym_expr factors[] = {half_places(n, g, 0, need_number(n, 1)), half_places(n, g, 1, height),
                          columns, channels};
    return need_bytes(n, sym_product(n->t, factors, 4), HALF);
}

/* By tiles: a band of the input for each thread, what the last strip reaches beyond it, where taps read. */
static void need_half_tiles(needing *n, const geometry *g)
{
    sym_expr one = need_number(n, 1), last = need_number(n, RT_HALF_CONV_LEAST),
             tiles = sym_ceildiv(n->t, g->in_each, need_number(n, RT_HALF_CONV_STEPS)),
             channels = sym_add(n->t, g->in_each, sym_mul_int(n->t, tiles, 2)),
             wide = need_least(n, g->out[2], RT_HALF_CONV_LEAST);
    if (g->transposed) wide = need_times(n, last, need_most(n, g->stride[2], 1));
    sym_expr all = half_band(n, g, g->out[1], g->out[2], channels),
             least = half_band(n, g, one, wide, channels),
             band = sym_min(n->t, all, need_most(n, least, RT_HALF_CONV_BAND_BYTES)),
             beyond =
                 need_bytes(n, need_times(n, channels, g->stride[2]), RT_HALF_CONV_LEAST * HALF);
    need_give_each(n, sym_add_int(n->t, sym_add(n->t, band, beyond), RT_STATE_BYTES));
    sym_expr phases = g->transposed ? sym_product(n->t, g->stride, 3) : one;
    need_share(n, sym_add(n->t, need_bytes(n, g->taps, TAP), need_bytes(n, phases, END)));
    if (need_may_be(n, g->taps, 1, 1)) need_halves(n, g->out_pixels, g->in_channels);
    if (need_is_packed(n, 1)) return;
    sym_expr panels[] = {g->groups, need_up_to(n, g->out_each, RT_PANEL), g->taps, channels};
    need_share(n, need_bytes(n, sym_product(n->t, panels, 4), HALF));
}

/* And as floats: the input, a weight that is no constant, and what these are worked on in. */
void need_half_conv(needing *n)
{
    loop_windows ints;
    if (!find_windows(n, &ints)) return;
    geometry g = geometry_of(n, &ints, &n->op->inputs[1], &n->op->outputs[0]);
    g.is_copied = true;
    need_half_tiles(n, &g);
    sym_expr image = need_times(n, g.in_pixels, g.in_channels);
    need_share(n, need_bytes(n, need_times(n, g.batch, image), NEED_FLOAT));
    if (!need_is_packed(n, 1)) {
        const loop_view *w = &n->op->inputs[1];
        need_share(n, need_bytes(n, sym_product(n->t, w->sizes, w->rank), NEED_FLOAT));
    }
    if (need_is(n, need_int(n, "tile"), 0))
        need_windows(n, &g);
    else
        need_winograd(n);
}

/* ---- the gradient of a weight ---- */

static sym_expr within(const needing *n, sym_expr x, sym_expr most)
{
    return need_most(n, sym_min(n->t, x, most), 1);
}

bool loop_conv_weight_by_pixels(int64_t in_each, int64_t out_each)
{
    return in_each * out_each > 1 && out_each < RT_CONV_DOTS_CHANNELS;
}

/* A task's sums, of a part too; a channel's part of the input; what its taps meet under a strip of output
 * pixels, the gradients there. Where the vertical stride is 1 all taps of a window column share rows. */
static void need_conv_dots(needing *n, const geometry *g)
{
    sym_expr width = need_most(n, need_least(n, g->out[2], RT_CONV_DOTS_PIXELS), 1),
             height = within(n, need_over(n, RT_CONV_DOTS_PIXELS, g->out[2]), g->out[1]),
             rows = need_least(n, g->in_each, RT_CONV_DOTS_ROWS),
             shared = sym_add(n->t, height,
                              need_times(n, sym_add_int(n->t, g->kernel[1], -1), g->dilation[1])),
             apart = need_times(n, g->kernel[1], height),
             image_rows = need_is(n, g->stride[1], 1)          ? shared
                          : need_may_be(n, g->stride[1], 1, 1) ? sym_max(n->t, shared, apart)
                                                               : apart;
    sym_expr lanes = need_number(n, RT_MOST_LANES);
    sym_expr sums[] = {g->out_each, rows, g->taps, need_number(n, 2 * RT_MOST_LANES)},
             band[] = {rows, g->kernel[0], g->kernel[2], image_rows, width},
             grads[] = {g->out_each, height, width};
    sym_expr slice = need_times(n, reach(n, g, 1, height), reach(n, g, 2, width));
    sym_expr floats[] = {sym_product(n->t, sums, 4), slice, sym_product(n->t, band, 5),
                         sym_product(n->t, grads, 3)};
    for (uint32_t k = 0; k < COUNT_OF(floats); k++)
        need_give_each(n, need_bytes(n, sym_add(n->t, floats[k], lanes), NEED_FLOAT));
}

/* Results of a task, the input under a strip of output pixels, the gradients there. A strip is of several
 * images, or of several rows, only where it is of whole ones. */
void need_conv_weight(needing *n)
{
    loop_windows ints;
    if (!find_windows(n, &ints)) return;
    geometry g = geometry_of(n, &ints, &n->op->outputs[0], &n->op->inputs[1]);
    if (need_may_be(n, g.out_each, 0, RT_CONV_DOTS_CHANNELS - 1)) need_conv_dots(n, &g);
    if (!need_may_be(n, g.out_each, RT_CONV_DOTS_CHANNELS, INT64_MAX)) return;
    sym_expr columns = need_up_to(n, need_least(n, g.out_each, RT_CONV_WEIGHT_COLUMNS), RT_PANEL),
             fit = need_over(n, RT_CONV_WEIGHT_SUMS, need_times(n, g.taps, columns)),
             rows = sym_mul_int(n->t, sym_floordiv(n->t, fit, need_number(n, RT_MOST_ROWS)),
                                RT_MOST_ROWS),
             width = need_most(n, need_least(n, g.out[2], RT_CONV_WEIGHT_PIXELS), 1),
             height = within(n, need_over(n, RT_CONV_WEIGHT_PIXELS, g.out[2]), g.out[1]),
             plane = need_times(n, height, width),
             planes =
                 within(n, need_over(n, RT_CONV_WEIGHT_PIXELS, need_times(n, g.out[1], g.out[2])),
                        need_times(n, g.batch, g.out[0]));
    rows = sym_min(n->t, need_most(n, rows, RT_MOST_ROWS), g.in_each);
    sym_expr band[] = {planes, g.kernel[0], reach(n, &g, 1, height), reach(n, &g, 2, width), rows};
    sym_expr sums[] = {g.taps, rows, columns}, grads[] = {planes, plane, columns};
    need_give_each(n, need_bytes(n, sym_product(n->t, sums, 3), NEED_FLOAT));
    need_give_each(n, need_bytes(n, sym_product(n->t, band, 5), NEED_FLOAT));
    need_give_each(n, need_bytes(n, sym_product(n->t, grads, 3), NEED_FLOAT));
}
