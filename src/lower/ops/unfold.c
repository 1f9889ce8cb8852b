/* unfold.c -- images taken apart into windows, im2col, and put together of them again, col2im. */
#include "lower/compose.h"

typedef struct windows {
    int64_t kernel[2], dilation[2], padding[2], stride[2];
    sym_expr down, across; /* windows along the height and the width */
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

/* How many there are along a dimension of this size. */
static sym_expr windows_in(lowering *l, const windows *w, uint32_t k, sym_expr size)
{
    int64_t reach = w->dilation[k] * (w->kernel[k] - 1) + 1;
    sym_expr room = sym_add_int(l->symbols, size, 2 * w->padding[k] - reach);
    return sym_add_int(l->symbols, sym_floordiv(l->symbols, room, lower_const(l, w->stride[k])), 1);
}

static bool read_windows(lowering *l, windows *w, sym_expr height, sym_expr width)
{
    if (!pair(l, "kernel_size", w->kernel) || !pair(l, "dilation", w->dilation) ||
        !pair(l, "padding", w->padding) || !pair(l, "stride", w->stride))
        return false;
    w->down = windows_in(l, w, 0, height);
    w->across = windows_in(l, w, 1, width);
    return true;
}

/* What is at a position of the windows at a place of the image: [N, C, kh, kw, down, across]. */
static loop_value in_window(lowering *l, tensor x, const windows *w, const sym_expr *where)
{
    sym_table *s = l->symbols;
    sym_expr at[4] = {where[0], where[1]};
    loop_value inside = loop_const_int(l->program, TY_BOOL, 1);
    for (uint32_t k = 0; k < 2; k++) {
        sym_expr from = sym_add_int(s, sym_mul_int(s, where[k + 4], w->stride[k]), -w->padding[k]);
        at[k + 2] = sym_add(s, from, sym_mul_int(s, where[k + 2], w->dilation[k]));
        if (w->padding[k])
            inside = lower_op2(l, LOOP_AND, inside,
                               lower_is_inside(l, at[k + 2], l->zero, x.sizes[k + 2]));
    }
    lower_share(l, x);
    return loop_masked(l->program, inside, lower_at(l, x, at),
                       loop_const_int(l->program, lower_dtype(x), 0));
}

/* Stored by loops over each of them, which have nothing to divide. Of sizes that are not known a reader could
 * not tell that it stays within windows down times windows across. */
static lower_tensor stored_windows(lowering *l, tensor x, const windows *w, const ty_tensor *out)
{
    enum { RANK = 6 };
    sym_expr sizes[RANK] = {x.sizes[0],
                            x.sizes[1],
                            lower_const(l, w->kernel[0]),
                            lower_const(l, w->kernel[1]),
                            w->down,
                            w->across},
             strides[RANK];
    loop_value v = in_window(l, x, w, l->axes);
    tensor columns = lower_value(l, out->dtype, RANK, lower_sizes_copy(l, sizes, RANK), v);
    ty_contiguous_strides(l->symbols, RANK, sizes, strides);
    lower_realise(l, columns.box, strides);
    return lower_reshape(l, columns, out->rank, out->sizes);
}

/* Do windows stand side by side? */
static bool are_tiles(const windows *w)
{
    bool tile = true;
    for (uint32_t k = 0; k < 2 && tile; k++)
        tile = w->stride[k] == w->kernel[k] && w->dilation[k] == 1 && w->padding[k] == 0;
    return tile;
}

/* Then they are the image, or what they fill of it, seen otherwise. */
static lower_tensor tiles(lowering *l, tensor x, const windows *w, const ty_tensor *out)
{
    static const uint32_t ORDER[6] = {0, 1, 3, 5, 2, 4};
    sym_expr sizes[6] = {x.sizes[0], x.sizes[1],
                         w->down,    lower_const(l, w->kernel[0]),
                         w->across,  lower_const(l, w->kernel[1])};
    for (uint32_t k = 0; k < 2; k++) {
        sym_expr filled = sym_mul(l->symbols, sizes[2 * k + 2], sizes[2 * k + 3]);
        if (!sym_known_equal(l->symbols, filled, x.sizes[k + 2]))
            x = lower_slice(l, x, k + 2, l->zero, filled, l->one);
    }
    tensor apart = lower_reshape(l, x, 6, lower_sizes_copy(l, sizes, 6));
    return lower_reshape(l, lower_permute(l, apart, ORDER), out->rank, out->sizes);
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
    int64_t down, across;
    if (!read_windows(l, &w, x.sizes[2], x.sizes[3]))
        return lower_fail(l, "windows that are not constant");
    sym_table *s = l->symbols;
    bool is_known = sym_is_int(s, w.down, &down) && sym_is_int(s, w.across, &across);
    if (is_known)
        return lower_give(l, are_tiles(&w) ? tiles(l, x, &w, out) : stored_windows(l, x, &w, out));
    sym_expr part = l->axes[batched], window = l->axes[batched + 1],
             kw = lower_const(l, w.kernel[1]), kh = lower_const(l, w.kernel[0]);
    sym_expr where[6] = {batched ? l->axes[0] : l->zero,
                         sym_floordiv(s, part, sym_mul(s, kw, kh)),
                         sym_mod(s, sym_floordiv(s, part, kw), kh),
                         sym_mod(s, part, kw),
                         sym_floordiv(s, window, w.across),
                         sym_mod(s, window, w.across)};
    loop_value v = in_window(l, x, &w, where);
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
} joining;

static sym_expr windows_along(const joining *j, uint32_t k)
{
    return k ? j->w.across : j->w.down;
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
    if (!read_windows(l, &j.w, out->sizes[j.tall], out->sizes[j.tall + 1]))
        return lower_fail(l, "windows that are not constant");
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
