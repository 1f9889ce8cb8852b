/* decompose_grad_grid.c -- derivatives of grid samplers, with respect to the image and the grid.
 *
 * A sample is a sum over taps: each has a place in the image and a weight that is a product of one
 * factor for each dimension. The image's gradient adds the taps' weights up at their places; the
 * grid's has the slope of one factor instead.
 */
#include "pass/decompose/decompose_arith.h"

#include <string.h>

enum interpolation { BILINEAR, NEAREST, BICUBIC };
enum padding { ZEROS, BORDER, REFLECTION };
enum { MOST_SPATIAL = 3, MOST_TAPS = 4 };

/* Taps of one dimension: integers as floats. */
typedef struct axis_taps {
    fx_arg place[MOST_TAPS], weight[MOST_TAPS], slope[MOST_TAPS], inside[MOST_TAPS];
} axis_taps;

typedef struct sampling {
    fx_arg image, grad, grid;    /* [N, C, P], [N, C, Q], [N, Q, D] */
    sym_expr size[MOST_SPATIAL]; /* of the image, the last dimension first */
    sym_expr batch, channels, pixels, samples;
    uint32_t spatial, taps;
    int64_t interpolation, padding;
    bool corners;
} sampling;

/* A coordinate and what it moves by when the grid's moves by 1. */
typedef struct moved {
    fx_arg x, slope;
} moved;

static fx_arg number_of(decomposing *d, sym_expr e, double offset)
{
    int64_t size;
    if (!sym_is_int(d->g->symbols, e, &size)) {
        decompose_fail(d, "an image whose size is not known");
        size = 1;
    }
    return fx_float((double)size + offset);
}

static fx_arg halved(decomposing *d, fx_arg x)
{
    return mul(d, x, fx_float(0.5));
}

static fx_arg negative_where(decomposing *d, fx_arg test, fx_arg x)
{
    return CALL(aten_where_self, test, CALL(aten_neg_default, x), x);
}

static moved clipped(decomposing *d, moved m, sym_expr size)
{
    fx_arg last = number_of(d, size, -1), zero = fx_float(0);
    fx_arg inside = both(d, CALL(aten_gt_Scalar, m.x, zero), CALL(aten_lt_Scalar, m.x, last));
    return (moved){CALL(aten_clamp_default, m.x, zero, last), or_zero(d, inside, m.slope)};
}

static moved reflected(decomposing *d, moved m, double low, double span)
{
    fx_arg zero = fx_float(0);
    if (span <= 0) {
        fx_arg none = CALL(aten_zeros_like_default, m.x);
        return (moved){none, none};
    }
    fx_arg x = sub(d, m.x, fx_float(low));
    fx_arg slope = negative_where(d, CALL(aten_lt_Scalar, x, zero), m.slope);
    x = CALL(aten_abs_default, x);
    fx_arg extra = CALL(aten_fmod_Scalar, x, fx_float(span));
    fx_arg flips = CALL(aten_floor_default, CALL(aten_div_Scalar, x, fx_float(span)));
    fx_arg odd = CALL(aten_ne_Scalar, CALL(aten_fmod_Scalar, flips, fx_float(2)), zero);
    x = CALL(aten_where_self, odd, from_number(d, span, extra), extra);
    return (moved){add(d, x, fx_float(low)), negative_where(d, odd, slope)};
}

static moved padded(decomposing *d, const sampling *s, moved m, sym_expr size)
{
    double count = 0;
    fx_arg number = number_of(d, size, 0);
    if (s->padding == ZEROS || !fx_arg_number(d->g, &number, &count)) return m;
    if (s->padding == REFLECTION)
        m = reflected(d, m, s->corners ? 0 : -0.5, s->corners ? count - 1 : count);
    return clipped(d, m, size);
}

/* From -1 .. 1 to the pixels. */
static moved placed(decomposing *d, const sampling *s, uint32_t axis)
{
    sym_expr size = s->size[axis];
    fx_arg g = CALL(aten_select_int, s->grid, decompose_of(d, 2), decompose_of(d, axis));
    fx_arg shifted = add(d, g, fx_float(1)), ones = CALL(aten_ones_like_default, g);
    if (s->corners) {
        fx_arg half = halved(d, CALL(aten_full_like_default, g, number_of(d, size, -1)));
        return (moved){mul(d, shifted, half), half};
    }
    fx_arg x = sub(d, mul(d, shifted, number_of(d, size, 0)), fx_float(1));
    return (moved){halved(d, x), halved(d, mul(d, ones, number_of(d, size, 0)))};
}

/* ---- the taps of one dimension ---- */

static fx_arg is_inside(decomposing *d, fx_arg place, sym_expr size)
{
    return both(d, CALL(aten_ge_Scalar, place, fx_float(0)),
                CALL(aten_le_Scalar, place, number_of(d, size, -1)));
}

static void two_taps(decomposing *d, moved m, axis_taps *t)
{
    fx_arg below = CALL(aten_floor_default, m.x), part = sub(d, m.x, below);
    t->place[0] = below;
    t->place[1] = add(d, below, fx_float(1));
    t->weight[0] = from_number(d, 1, part);
    t->weight[1] = part;
    t->slope[0] = CALL(aten_neg_default, m.slope);
    t->slope[1] = m.slope;
}

/* ((a x + b) x + c) x + e */
static fx_arg cubic(decomposing *d, fx_arg x, double a, double b, double c, double e)
{
    fx_arg y = add(d, mul(d, x, fx_float(a)), fx_float(b));
    y = add(d, mul(d, y, x), fx_float(c));
    return add(d, mul(d, y, x), fx_float(e));
}

/* Keys' kernel at distances 1 + t, t, 1 - t, 2 - t. */
static void four_taps(decomposing *d, const sampling *s, moved m, sym_expr size, axis_taps *t)
{
    const double A = -0.75;
    fx_arg below = CALL(aten_floor_default, m.x), part = sub(d, m.x, below);
    for (int k = 0; k < 4; k++) {
        bool outer = k == 0 || k == 3, mirrored = k > 1;
        fx_arg x = k == 0 ? add(d, part, fx_float(1)) : k == 1 ? part : from_number(d, k - 1, part);
        moved at = {add(d, below, fx_float(k - 1)), m.slope};
        t->place[k] = padded(d, s, at, size).x;
        t->weight[k] =
            outer ? cubic(d, x, A, -5 * A, 8 * A, -4 * A) : cubic(d, x, A + 2, -A - 3, 0, 1);
        fx_arg slope = outer ? cubic(d, x, 0, 3 * A, -10 * A, 8 * A)
                             : cubic(d, x, 0, 3 * (A + 2), -2 * (A + 3), 0);
        slope = mul(d, slope, m.slope);
        t->slope[k] = mirrored ? CALL(aten_neg_default, slope) : slope;
    }
}

static void taps_of(decomposing *d, const sampling *s, uint32_t axis, axis_taps *t)
{
    moved m = placed(d, s, axis);
    if (s->interpolation != BICUBIC) m = padded(d, s, m, s->size[axis]);
    if (s->interpolation == NEAREST) {
        t->place[0] = CALL(aten_round_default, m.x);
        t->weight[0] = CALL(aten_ones_like_default, m.x);
        t->slope[0] = CALL(aten_zeros_like_default, m.x);
    } else if (s->interpolation == BILINEAR)
        two_taps(d, m, t);
    else
        four_taps(d, s, m, s->size[axis], t);
    for (uint32_t k = 0; k < s->taps; k++) t->inside[k] = is_inside(d, t->place[k], s->size[axis]);
}

/* ---- all taps ---- */

/* One tap: where it is, whether it is in the image, its weight, and its slope along each axis. */
typedef struct tap {
    fx_arg place, inside, weight, slope[MOST_SPATIAL];
} tap;

static tap tap_at(decomposing *d, const sampling *s, const axis_taps *axes, uint32_t number)
{
    tap t = {.place = fx_none()};
    uint32_t k[MOST_SPATIAL];
    for (uint32_t a = 0; a < s->spatial; a++, number /= s->taps) k[a] = number % s->taps;
    for (uint32_t a = s->spatial; a-- > 0;) {
        const axis_taps *x = &axes[a];
        bool first = t.place.kind == FX_ARG_NONE;
        fx_arg row = first ? t.place : mul(d, t.place, number_of(d, s->size[a], 0));
        t.place = first ? x->place[k[a]] : add(d, row, x->place[k[a]]);
        t.inside = first ? x->inside[k[a]] : both(d, t.inside, x->inside[k[a]]);
        t.weight = first ? x->weight[k[a]] : mul(d, t.weight, x->weight[k[a]]);
    }
    for (uint32_t a = 0; a < s->spatial; a++) {
        t.slope[a] = axes[a].slope[k[a]];
        for (uint32_t b = 0; b < s->spatial; b++)
            if (b != a) t.slope[a] = mul(d, t.slope[a], axes[b].weight[k[b]]);
    }
    t.place = cast(d, or_zero(d, t.inside, t.place), TY_I64);
    return t;
}

/* [N, Q] beside [N, C, Q] */
static fx_arg by_channel(decomposing *d, const sampling *s, fx_arg x)
{
    sym_expr sizes[] = {s->batch, s->channels, s->samples};
    return CALL(aten_expand_default, unsqueezed(d, x, 1), fx_int_list(d->g, sizes, 3));
}

static sampling sampling_of(decomposing *d)
{
    sym_table *y = d->g->symbols;
    sampling s = {.image = wide(d, arg(d, "input")),
                  .grad = wide(d, arg(d, "grad_output")),
                  .grid = wide(d, arg(d, "grid"))};
    const ty_tensor *x = fx_arg_tensor(&s.image), *g = fx_arg_tensor(&s.grad);
    s.spatial = x->rank - 2;
    s.batch = x->sizes[0];
    s.channels = x->sizes[1];
    s.pixels = sym_product(y, x->sizes + 2, s.spatial);
    s.samples = sym_product(y, g->sizes + 2, s.spatial);
    for (uint32_t a = 0; a < s.spatial; a++) s.size[a] = x->sizes[x->rank - 1 - a];
    sym_expr image[] = {s.batch, s.channels, s.pixels}, grad[] = {s.batch, s.channels, s.samples},
             grid[] = {s.batch, s.samples, sym_int(y, s.spatial)};
    s.image = reshaped(d, s.image, 3, image);
    s.grad = reshaped(d, s.grad, 3, grad);
    s.grid = reshaped(d, s.grid, 3, grid);
    s.interpolation = decompose_int(d, "interpolation_mode", BILINEAR);
    s.padding = decompose_int(d, "padding_mode", ZEROS);
    s.corners = decompose_flag(d, "align_corners");
    s.taps = s.interpolation == NEAREST ? 1 : s.interpolation == BILINEAR ? 2 : 4;
    return s;
}

static bool is_wanted(decomposing *d, uint32_t k)
{
    const fx_arg *mask = decompose_arg(d, "output_mask");
    return !mask || (mask->kind == FX_ARG_LIST && k < mask->list.count &&
                     fx_arg_bool(&mask->list.items[k], false));
}

static void give_shaped(decomposing *d, fx_arg x)
{
    const ty_tensor *t = d->n->value.items[d->count].tensor;
    decompose_give(d, reshaped(d, cast(d, x, t->dtype), t->rank, t->sizes));
}

void decompose_op_grid_sampler_backward(decomposing *d)
{
    sampling s = sampling_of(d);
    axis_taps axes[MOST_SPATIAL];
    sym_expr sizes[] = {s.batch, s.channels, s.pixels};
    fx_arg image = zeros_of(d, s.image, 3, sizes), slopes[MOST_SPATIAL], dim = decompose_of(d, 2);
    uint32_t count = 1;
    bool by_image = is_wanted(d, 0);
    memset(axes, 0, sizeof axes);
    for (uint32_t a = 0; a < s.spatial; a++, count *= s.taps) taps_of(d, &s, a, &axes[a]);
    for (uint32_t k = 0; k < count; k++) {
        tap t = tap_at(d, &s, axes, k);
        fx_arg at = by_channel(d, &s, t.place);
        fx_arg value = CALL(aten_gather_default, s.image, dim, at);
        fx_arg felt = or_zero(d, t.inside, summed(d, mul(d, value, s.grad), 1, false));
        for (uint32_t a = 0; a < s.spatial; a++) {
            fx_arg term = mul(d, felt, t.slope[a]);
            slopes[a] = k ? add(d, slopes[a], term) : term;
        }
        if (!by_image) continue;
        fx_arg share = mul(d, s.grad, unsqueezed(d, or_zero(d, t.inside, t.weight), 1));
        image = CALL(aten_scatter_add_default, image, dim, at, share);
    }
    if (by_image)
        give_shaped(d, image);
    else
        decompose_give(d, fx_none());
    give_shaped(d, CALL(aten_stack_default, fx_list(d->g, slopes, s.spatial), decompose_of(d, 2)));
}
