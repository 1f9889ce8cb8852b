/* sample.c -- reading images at computed places: grid_sampler, affine_grid. */
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
