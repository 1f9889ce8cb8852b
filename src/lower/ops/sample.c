/* sample.c -- reading images at computed places: grid_sampler, affine_grid, im2col and its
 * inverse.
 */
#include "lower/compose.h"

#include <math.h>
#include <string.h>

enum { MOST_DIMS = 3, MOST_TAPS = 4 };
typedef enum grid_mode { BILINEAR, NEAREST, BICUBIC } grid_mode;
typedef enum grid_padding { ZEROS, BORDER, REFLECTION } grid_padding;

/* ---- grid_sampler ---- */

typedef struct gridding {
    lowering *l;
    tensor x, grid;
    uint32_t dims;
    grid_mode mode;
    grid_padding padding;
    bool align;
    ty_dtype d;
} gridding;

static loop_value number(const gridding *g, double x)
{
    return loop_const_float(g->l->program, g->d, x);
}

static loop_value op2(const gridding *g, loop_opcode op, loop_value a, loop_value b)
{
    return lower_op2(g->l, op, a, b);
}

static loop_value size_of(const gridding *g, uint32_t k)
{
    return loop_cast(g->l->program, g->d, loop_index(g->l->program, g->x.sizes[k + 2]));
}

/* The grid's coordinate for image dim k (it lists them from the last dim on), in pixels. */
static loop_value coordinate(const gridding *g, uint32_t k)
{
    lowering *l = g->l;
    sym_expr at[MOST_DIMS + 2];
    at[0] = l->axes[0];
    for (uint32_t j = 0; j < g->dims; j++) at[j + 1] = l->axes[j + 2];
    at[g->dims + 1] = lower_const(l, g->dims - 1 - k);
    loop_value v = loop_cast(l->program, g->d, lower_at(l, g->grid, at)), size = size_of(g, k);
    if (g->align) {
        loop_value half = op2(g, LOOP_MUL, op2(g, LOOP_ADD, v, number(g, 1)), number(g, 0.5));
        return op2(g, LOOP_MUL, half, op2(g, LOOP_SUB, size, number(g, 1)));
    }
    v = op2(g, LOOP_MUL, op2(g, LOOP_ADD, v, number(g, 1)), size);
    return op2(g, LOOP_MUL, op2(g, LOOP_SUB, v, number(g, 1)), number(g, 0.5));
}

/* Between the borders; NaN is at the first pixel. */
static loop_value clipped(const gridding *g, loop_value v, uint32_t k)
{
    loop_value last = op2(g, LOOP_SUB, size_of(g, k), number(g, 1));
    return op2(g, LOOP_MIN, op2(g, LOOP_FMAX, v, number(g, 0)), last);
}

/* Mirrored at the borders until it lies between them. */
static loop_value reflected(const gridding *g, loop_value v, uint32_t k)
{
    lowering *l = g->l;
    loop_value size = size_of(g, k), low = number(g, g->align ? 0 : -0.5);
    loop_value span = g->align ? op2(g, LOOP_SUB, size, number(g, 1)) : size;
    loop_value distance = lower_op1(l, LOOP_ABS, op2(g, LOOP_SUB, v, low)),
               rest = op2(g, LOOP_FMOD, distance, span);
    loop_value flips = lower_op1(l, LOOP_FLOOR, op2(g, LOOP_DIV, distance, span));
    loop_value even = op2(g, LOOP_EQ, op2(g, LOOP_FMOD, flips, number(g, 2)), number(g, 0));
    loop_value forth = op2(g, LOOP_ADD, rest, low),
               back = op2(g, LOOP_ADD, op2(g, LOOP_SUB, span, rest), low);
    loop_value folded = loop_where(l->program, even, forth, back);
    return loop_where(l->program, op2(g, LOOP_EQ, span, number(g, 0)), number(g, 0), folded);
}

static loop_value padded_coordinate(const gridding *g, loop_value v, uint32_t k)
{
    if (g->padding == BORDER) return clipped(g, v, k);
    if (g->padding == REFLECTION) return clipped(g, reflected(g, v, k), k);
    return v;
}

/* A tap along one dim: whole coordinate, and weight (none for nearest). */
typedef struct tap {
    loop_value at, weight;
} tap;

static loop_value cubic_weight(const gridding *g, loop_value x, bool far)
{
    const double a = -0.75;
    const double near[4] = {1, 0, -(a + 3), a + 2}, beyond[4] = {-4 * a, 8 * a, -5 * a, a};
    const double *c = far ? beyond : near;
    loop_value v = number(g, c[3]);
    for (int k = 2; k >= 0; k--) v = op2(g, LOOP_ADD, op2(g, LOOP_MUL, v, x), number(g, c[k]));
    return v;
}

static uint32_t taps_of(const gridding *g, uint32_t k, tap *taps)
{
    lowering *l = g->l;
    loop_value v = coordinate(g, k);
    if (g->mode != BICUBIC) v = padded_coordinate(g, v, k);
    if (g->mode == NEAREST) {
        taps[0].at = lower_op1(l, LOOP_ROUND, v);
        return 1;
    }
    loop_value low = lower_op1(l, LOOP_FLOOR, v), part = op2(g, LOOP_SUB, v, low),
               one = number(g, 1);
    loop_value rest = op2(g, LOOP_SUB, one, part);
    if (g->mode == BILINEAR) {
        taps[0] = (tap){low, rest};
        taps[1] = (tap){op2(g, LOOP_ADD, low, one), part};
        return 2;
    }
    for (int j = 0; j < 4; j++)
        taps[j].at = padded_coordinate(g, op2(g, LOOP_ADD, low, number(g, j - 1)), k);
    taps[0].weight = cubic_weight(g, op2(g, LOOP_ADD, part, one), true);
    taps[1].weight = cubic_weight(g, part, false);
    taps[2].weight = cubic_weight(g, rest, false);
    taps[3].weight = cubic_weight(g, op2(g, LOOP_ADD, rest, one), true);
    return 4;
}

/* The image at whole coordinates, 0 outside. */
static loop_value pixel(const gridding *g, const loop_value *at)
{
    lowering *l = g->l;
    sym_expr place[MOST_DIMS + 2] = {l->axes[0], l->axes[1]};
    loop_value inside = loop_const_int(l->program, TY_BOOL, 1);
    for (uint32_t k = 0; k < g->dims; k++) {
        loop_value low = op2(g, LOOP_LE, number(g, 0), at[k]),
                   high = op2(g, LOOP_LT, at[k], size_of(g, k));
        inside = op2(g, LOOP_AND, inside, op2(g, LOOP_AND, low, high));
        place[k + 2] = lower_lookup(l, loop_cast(l->program, TY_I64, at[k]), g->x.sizes[k + 2],
                                    (int32_t)k + 2);
    }
    loop_value v = loop_cast(l->program, g->d, lower_at(l, g->x, place));
    return loop_masked(l->program, inside, v, number(g, 0));
}

static loop_value sampled(const gridding *g, tap taps[][MOST_TAPS], const uint32_t *counts,
                          uint32_t k, loop_value *at)
{
    if (k == g->dims) return pixel(g, at);
    loop_value sum = {0};
    for (uint32_t j = 0; j < counts[k]; j++) {
        at[k] = taps[k][j].at;
        loop_value v = sampled(g, taps, counts, k + 1, at);
        if (taps[k][j].weight.id) v = op2(g, LOOP_MUL, v, taps[k][j].weight);
        sum = sum.id ? op2(g, LOOP_ADD, sum, v) : v;
    }
    return sum;
}

fe_status lower_op_grid_sampler(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    gridding g = {.l = l, .x = lower_arg(l, "input"), .grid = lower_arg(l, "grid")};
    tap taps[MOST_DIMS][MOST_TAPS];
    uint32_t counts[MOST_DIMS];
    loop_value at[MOST_DIMS];
    g.dims = g.x.rank - 2;
    g.mode = (grid_mode)lower_int_or(l, "interpolation_mode", 0);
    g.padding = (grid_padding)lower_int_or(l, "padding_mode", 0);
    g.align = lower_bool(l, "align_corners");
    g.d = lower_compute_dtype(out->dtype);
    if (g.dims < 2 || g.dims > MOST_DIMS) return lower_fail(l, "sampling in %u dimensions", g.dims);
    lower_share(l, g.x);
    lower_share(l, g.grid);
    memset(taps, 0, sizeof taps);
    for (uint32_t k = 0; k < g.dims; k++) counts[k] = taps_of(&g, k, taps[k]);
    loop_value v = loop_cast(l->program, out->dtype, sampled(&g, taps, counts, 0, at));
    return lower_give(l, lower_value(l, out->dtype, out->rank, out->sizes, v));
}

/* ---- affine_grid: theta applied to the coordinates of the pixels, which run from -1 to 1 ---- */

static loop_value base_coordinate(lowering *l, uint32_t axis, sym_expr size, bool align, ty_dtype d)
{
    loop_program *p = l->program;
    loop_value i = loop_cast(p, d, loop_index(p, l->axes[axis])), one = loop_const_float(p, d, 1);
    loop_value n = loop_cast(p, d, loop_index(p, size)), two = loop_const_float(p, d, 2);
    if (lower_is_one(l, size)) return loop_const_float(p, d, 0);
    if (align) {
        loop_value step = lower_op2(l, LOOP_DIV, two, lower_op2(l, LOOP_SUB, n, one));
        return lower_op2(l, LOOP_SUB, lower_op2(l, LOOP_MUL, i, step), one);
    }
    loop_value odd = lower_op2(l, LOOP_ADD, lower_op2(l, LOOP_MUL, i, two), one);
    return lower_op2(l, LOOP_SUB, lower_op2(l, LOOP_DIV, odd, n), one);
}

fe_status lower_op_affine_grid(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    ty_dtype d = lower_compute_dtype(out->dtype);
    tensor theta = lower_cast(l, lower_arg(l, "theta"), d);
    uint32_t dims = out->rank - 2;
    sym_expr at[3] = {l->axes[0], l->axes[out->rank - 1], lower_const(l, dims)};
    bool align = lower_bool(l, "align_corners");
    loop_value v = lower_at(l, theta, at);
    for (uint32_t k = 0; k < dims; k++) { /* theta's columns are x, y(, z): the last dim first */
        uint32_t axis = dims - k;
        at[2] = lower_const(l, k);
        loop_value c = base_coordinate(l, axis, out->sizes[axis], align, d);
        v = lower_op2(l, LOOP_ADD, v, lower_op2(l, LOOP_MUL, lower_at(l, theta, at), c));
    }
    return lower_give(
        l, lower_value(l, out->dtype, out->rank, out->sizes, loop_cast(l->program, out->dtype, v)));
}

/* ---- im2col, col2im ---- */

typedef struct windows {
    int64_t kernel[2], dilation[2], padding[2], stride[2];
    sym_expr across; /* windows along the width */
} windows;

static bool pair(lowering *l, const char *param, int64_t *out)
{
    int64_t given[2];
    int count = lower_constants(l, param, given, 2);
    if (count < 1) return false;
    out[0] = given[0];
    out[1] = given[count - 1];
    return true;
}

static bool read_windows(lowering *l, windows *w, sym_expr width)
{
    if (!pair(l, "kernel_size", w->kernel) || !pair(l, "dilation", w->dilation) ||
        !pair(l, "padding", w->padding) || !pair(l, "stride", w->stride))
        return false;
    int64_t reach = w->dilation[1] * (w->kernel[1] - 1) + 1;
    sym_expr room = sym_add_int(l->symbols, width, 2 * w->padding[1] - reach);
    w->across =
        sym_add_int(l->symbols, sym_floordiv(l->symbols, room, lower_const(l, w->stride[1])), 1);
    return true;
}

/* [N, C, H, W] to [N, C * kh * kw, windows] */
fe_status lower_op_im2col(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    tensor x = lower_arg(l, "self");
    bool batched = x.rank == 4;
    if (!batched) x = lower_unsqueeze(l, x, 0);
    windows w;
    if (!read_windows(l, &w, x.sizes[3])) return lower_fail(l, "windows that are not constant");
    sym_table *s = l->symbols;
    uint32_t first = batched ? 1 : 0;
    sym_expr part = l->axes[first], window = l->axes[first + 1], at[4];
    sym_expr kw = lower_const(l, w.kernel[1]), kh = lower_const(l, w.kernel[0]);
    sym_expr pos[2] = {sym_mod(s, sym_floordiv(s, part, kw), kh), sym_mod(s, part, kw)};
    sym_expr place[2] = {sym_floordiv(s, window, w.across), sym_mod(s, window, w.across)};
    at[0] = batched ? l->axes[0] : l->zero;
    at[1] = sym_floordiv(s, part, sym_mul(s, kw, kh));
    loop_value inside = loop_const_int(l->program, TY_BOOL, 1);
    for (uint32_t k = 0; k < 2; k++) {
        sym_expr from = sym_add_int(s, sym_mul_int(s, place[k], w.stride[k]), -w.padding[k]);
        at[k + 2] = sym_add(s, from, sym_mul_int(s, pos[k], w.dilation[k]));
        if (w.padding[k])
            inside = lower_op2(l, LOOP_AND, inside,
                               lower_is_inside(l, at[k + 2], l->zero, x.sizes[k + 2]));
    }
    lower_share(l, x);
    loop_value v = loop_masked(l->program, inside, lower_at(l, x, at),
                               loop_const_int(l->program, out->dtype, 0));
    return lower_give(l, lower_value(l, out->dtype, out->rank, out->sizes, v));
}

/* ---- the inverse sums what windows hold of each pixel ---- */

enum { MOST_PHASES = 16, MOST_POSITIONS = 64, FEW_POSITIONS = 16 }; /* each is code of its own */

/* What is joined: [N, C * kh * kw, windows] to [N, C, H, W]. */
typedef struct joining {
    windows w;
    tensor from, to;
    ty_dtype dtype; /* that sums are made in */
    bool batched;
    uint32_t tall; /* the axis of H, before that of W */
    sym_expr down; /* windows along the height */
} joining;

static sym_expr windows_along(const joining *j, uint32_t k)
{
    return k ? j->w.across : j->down;
}

/* What the windows at this place hold at this position, 0 where there is none. */
static loop_value held(lowering *l, const joining *j, const sym_expr *position,
                       const sym_expr *place, loop_value inside)
{
    sym_table *s = l->symbols;
    for (uint32_t k = 0; k < 2; k++)
        inside = lower_op2(l, LOOP_AND, inside,
                           lower_is_inside(l, place[k], l->zero, windows_along(j, k)));
    sym_expr part = sym_mul_int(s, l->axes[j->tall - 1], j->w.kernel[0]);
    part = sym_mul_int(s, sym_add(s, part, position[0]), j->w.kernel[1]);
    sym_expr at[3] = {j->batched ? l->axes[0] : l->zero, sym_add(s, part, position[1]),
                      sym_add(s, sym_mul(s, place[0], j->w.across), place[1])};
    return loop_masked(l->program, inside, lower_at(l, j->from, at),
                       loop_const_int(l->program, j->dtype, 0));
}

/* Pixel `phase` of each stride lies at this position of the windows `*ahead` of its number, or of none. */
static bool meets(const windows *w, uint32_t k, int64_t phase, int64_t position, int64_t *ahead)
{
    int64_t far = phase + w->padding[k] - position * w->dilation[k], stride = w->stride[k];
    *ahead = far / stride;
    return far % stride == 0;
}

/* The sum for one pixel of each block of strides; axes count the blocks. */
static loop_value sum_of_phase(lowering *l, const joining *j, const int64_t *phase)
{
    sym_table *s = l->symbols;
    loop_value sum = loop_const_int(l->program, j->dtype, 0);
    bool first = true;
    for (int64_t y = 0; y < j->w.kernel[0]; y++)
        for (int64_t x = 0; x < j->w.kernel[1]; x++) {
            int64_t ahead[2];
            if (!meets(&j->w, 0, phase[0], y, &ahead[0]) ||
                !meets(&j->w, 1, phase[1], x, &ahead[1]))
                continue;
            sym_expr position[2] = {lower_const(l, y), lower_const(l, x)};
            sym_expr place[2] = {sym_add_int(s, l->axes[j->tall], ahead[0]),
                                 sym_add_int(s, l->axes[j->tall + 1], ahead[1])};
            loop_value v = held(l, j, position, place, loop_const_int(l->program, TY_BOOL, 1));
            sum = first ? v : lower_op2(l, LOOP_ADD, sum, v);
            first = false;
        }
    return sum;
}

/* Stores the sums of a phase; phases with the same numbers of blocks share a nest, the one at hand. */
static void store_phase(lowering *l, const joining *j, const int64_t *phase, const sym_expr *sizes,
                        loop_op **op)
{
    sym_table *s = l->symbols;
    sym_expr extents[4], pixel[4];
    uint32_t rank = j->tall + 2;
    for (uint32_t k = 0; k < rank; k++) {
        extents[k] = sizes[k];
        pixel[k] = l->axes[k];
        if (k < j->tall) continue;
        uint32_t d = k - j->tall;
        sym_expr left = sym_add_int(s, sizes[k], -phase[d]);
        extents[k] = sym_ceildiv(s, left, lower_const(l, j->w.stride[d]));
        pixel[k] = sym_add_int(s, sym_mul_int(s, pixel[k], j->w.stride[d]), phase[d]);
    }
    bool same = *op != NULL;
    for (uint32_t k = j->tall; k < rank && same; k++)
        same = sym_same((*op)->extents[k], extents[k]);
    if (!same) *op = lower_nest(l, rank, extents, 0, NULL);
    sym_expr to = lower_flat(l, pixel, j->to.box->view.strides, rank);
    lower_store(l, *op,
                (loop_store){.buffer = j->to.box->view.buffer,
                             .index = to,
                             .value = sum_of_phase(l, j, phase)});
}

/* Each phase of the strides by itself: its pixels are side by side in the windows, and where these are needs
 * no division. */
static void join_by_phases(lowering *l, const joining *j, const sym_expr *sizes)
{
    loop_op *op = NULL;
    for (int64_t y = 0; y < j->w.stride[0]; y++)
        for (int64_t x = 0; x < j->w.stride[1]; x++)
            store_phase(l, j, (int64_t[]){y, x}, sizes, &op);
}

/* Pixels of one dimension, taken apart into blocks of a stride each, and the positions in a window that hold
 * them: every stride-th, where windows have no gaps. */
typedef struct pixel_run {
    sym_expr blocks, phases; /* extents of its two axes */
    sym_expr first;          /* block */
    sym_expr pixel, position, place;
    loop_value holds;
} pixel_run;

/* How many positions can hold one pixel. */
static int64_t positions_of(const joining *j, uint32_t k)
{
    int64_t kernel = j->w.kernel[k], stride = j->w.stride[k];
    return j->w.dilation[k] == 1 ? (kernel + stride - 1) / stride : kernel;
}

/* That of this number. */
static void find_position(lowering *l, const joining *j, uint32_t k, uint32_t rank, sym_expr number,
                          pixel_run *r)
{
    sym_table *s = l->symbols;
    sym_expr stride = lower_const(l, j->w.stride[k]), kernel = lower_const(l, j->w.kernel[k]),
             block = sym_add(s, l->axes[rank], r->first), phase = l->axes[rank + 1],
             from = sym_add_int(s, phase, j->w.padding[k]);
    r->pixel = sym_add(s, sym_mul(s, block, stride), phase);
    if (j->w.dilation[k] == 1) {
        r->position = sym_add(s, sym_mod(s, from, stride), sym_mul(s, number, stride));
        r->place = sym_sub(s, sym_floordiv(s, from, stride), number);
        r->holds = lower_is_inside(l, r->position, l->zero, kernel);
    } else {
        r->position = number;
        from = sym_sub(s, from, sym_mul_int(s, number, j->w.dilation[k]));
        r->place = sym_floordiv(s, from, stride);
        r->holds = lower_op2(l, LOOP_EQ, loop_index(l->program, sym_mod(s, from, stride)),
                             loop_const_int(l->program, TY_I64, 0));
    }
    r->place = sym_add(s, r->place, block);
}

static loop_value held_by(lowering *l, const joining *j, const sym_expr *numbers, pixel_run *tall,
                          pixel_run *wide)
{
    find_position(l, j, 0, j->tall, numbers[0], tall);
    find_position(l, j, 1, j->tall + 2, numbers[1], wide);
    return held(l, j, (sym_expr[]){tall->position, wide->position},
                (sym_expr[]){tall->place, wide->place},
                lower_op2(l, LOOP_AND, tall->holds, wide->holds));
}

/* A reduction over the positions, or their sum where they are few. */
static void store_runs(lowering *l, const joining *j, const sym_expr *sizes, pixel_run *tall,
                       pixel_run *wide)
{
    uint32_t rank = j->tall;
    int64_t rows = positions_of(j, 0), columns = positions_of(j, 1);
    sym_expr extents[6], pixel[4], counts[2] = {lower_const(l, rows), lower_const(l, columns)};
    bool few = rows * columns <= FEW_POSITIONS;
    loop_value v = {0};
    for (int64_t k = 0; k < (few ? rows * columns : 1); k++) {
        sym_expr numbers[2] = {lower_const(l, k / columns), lower_const(l, k % columns)};
        loop_value one = held_by(l, j, few ? numbers : l->reduce_axes, tall, wide);
        v = k ? lower_op2(l, LOOP_ADD, v, one) : one;
    }
    for (uint32_t k = 0; k < rank; k++) extents[k] = sizes[k], pixel[k] = l->axes[k];
    extents[rank] = tall->blocks, extents[rank + 1] = tall->phases;
    extents[rank + 2] = wide->blocks, extents[rank + 3] = wide->phases;
    pixel[rank] = tall->pixel, pixel[rank + 1] = wide->pixel;
    loop_op *op = lower_nest(l, rank + 4, extents, few ? 0 : 2, few ? NULL : counts);
    loop_store store = {.buffer = j->to.box->view.buffer,
                        .index = lower_flat(l, pixel, j->to.box->view.strides, rank + 2),
                        .value = v};
    if (!few) store.reduce = LOOP_SUM;
    lower_store(l, op, store);
}

/* Whole blocks, and the pixels behind them. */
static uint32_t runs_of(lowering *l, const joining *j, uint32_t k, sym_expr size, pixel_run *runs)
{
    sym_table *s = l->symbols;
    sym_expr stride = lower_const(l, j->w.stride[k]), whole = sym_floordiv(s, size, stride);
    runs[0] = (pixel_run){.blocks = whole, .phases = stride, .first = l->zero};
    runs[1] = (pixel_run){
        .blocks = lower_const(l, 1), .phases = sym_mod(s, size, stride), .first = whole};
    return sym_known_divisible(s, size, stride, NULL) ? 1 : 2;
}

static void join_by_positions(lowering *l, const joining *j, const sym_expr *sizes)
{
    pixel_run tall[2], wide[2];
    uint32_t rows = runs_of(l, j, 0, sizes[j->tall], tall),
             columns = runs_of(l, j, 1, sizes[j->tall + 1], wide);
    for (uint32_t y = 0; y < rows; y++)
        for (uint32_t x = 0; x < columns; x++) store_runs(l, j, sizes, &tall[y], &wide[x]);
}

fe_status lower_op_col2im(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    ty_dtype d = lower_compute_dtype(out->dtype);
    tensor x = lower_cast(l, lower_arg(l, "self"), d);
    joining j = {.dtype = d, .batched = x.rank == 3, .tall = x.rank == 3 ? 2 : 1};
    if (!j.batched) x = lower_unsqueeze(l, x, 0);
    if (!read_windows(l, &j.w, out->sizes[j.tall + 1]))
        return lower_fail(l, "windows that are not constant");
    int64_t reach = j.w.dilation[0] * (j.w.kernel[0] - 1) + 1;
    sym_expr room = sym_add_int(l->symbols, out->sizes[j.tall], 2 * j.w.padding[0] - reach);
    room = sym_floordiv(l->symbols, room, lower_const(l, j.w.stride[0]));
    j.down = sym_add_int(l->symbols, room, 1);
    lower_share(l, x);
    j.from = x;
    j.to =
        lower_temp_tensor(l, d, out->rank, out->sizes, d == out->dtype ? lower_wanted(l, 0) : NULL);
    if (j.w.stride[0] * j.w.stride[1] <= MOST_PHASES &&
        j.w.kernel[0] * j.w.kernel[1] <= MOST_POSITIONS)
        join_by_phases(l, &j, out->sizes);
    else
        join_by_positions(l, &j, out->sizes);
    return lower_give(l, lower_cast(l, j.to, out->dtype));
}
