/* sample.c -- reading images at computed places: grid_sampler, affine_grid.
 *
 * Each channel is read at the same places: where there are several, the places and the weights of their taps
 * are stored, once for all of them.
 */
#include "lower/compose.h"

#include <math.h>
#include <string.h>

enum { MOST_DIMS = 3, MOST_TAPS = 4, MOST_STORED = 8, FEW_CHANNELS = 4 };
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

static loop_value is_inside(const gridding *g, loop_value at, uint32_t k)
{
    return op2(g, LOOP_AND, op2(g, LOOP_LE, number(g, 0), at), op2(g, LOOP_LT, at, size_of(g, k)));
}

/* The image at whole coordinates, 0 outside. */
static loop_value pixel(const gridding *g, const loop_value *at)
{
    lowering *l = g->l;
    sym_expr place[MOST_DIMS + 2] = {l->axes[0], l->axes[1]};
    loop_value inside = loop_const_int(l->program, TY_BOOL, 1);
    for (uint32_t k = 0; k < g->dims; k++) {
        inside = op2(g, LOOP_AND, inside, is_inside(g, at[k], k));
        place[k + 2] = lower_lookup(l, loop_cast(l->program, TY_I64, at[k]), g->x.sizes[k + 2],
                                    (int32_t)k + 2);
    }
    loop_value v = loop_cast(l->program, g->d, lower_at(l, g->x, place));
    return loop_masked(l->program, inside, v, number(g, 0));
}

/* ---- places of all channels ---- */

typedef struct sampling {
    tap taps[MOST_DIMS][MOST_TAPS];
    uint32_t counts[MOST_DIMS];
    bool is_stored;
    tensor planes, numbers[MOST_STORED]; /* of each combination of taps, the last dim's first */
} sampling;

static uint32_t taps_in_all(const gridding *g, const sampling *s)
{
    uint32_t all = 1;
    for (uint32_t k = 0; k < g->dims; k++) all *= s->counts[k];
    return all;
}

/* Where the taps of this combination are. */
static void places_of(const gridding *g, const sampling *s, uint32_t combination, loop_value *at)
{
    for (uint32_t k = g->dims; k-- > 0; combination /= s->counts[k])
        at[k] = s->taps[k][combination % s->counts[k]].at;
}

/* The image as [N, C, pixels]; false: its pixels do not lie side by side, or their numbers are long. */
static bool as_planes(const gridding *g, tensor *planes)
{
    lowering *l = g->l;
    sym_table *s = l->symbols;
    if (!g->x.box->realised || g->x.map) return false;
    loop_view view = lower_strided(l, g->x);
    sym_expr pixels = l->one;
    int64_t least, most;
    for (uint32_t k = view.rank; k-- > 2;) {
        if (!lower_is_one(l, view.sizes[k]) && !sym_same(view.strides[k], pixels)) return false;
        pixels = sym_mul(s, pixels, view.sizes[k]);
    }
    sym_range(s, pixels, NULL, &least, &most);
    if (most > INT32_MAX) return false;
    sym_expr sizes[3] = {view.sizes[0], view.sizes[1], pixels},
             strides[3] = {view.strides[0], view.strides[1], l->one};
    view.rank = 3;
    view.sizes = lower_sizes_copy(l, sizes, 3);
    view.strides = lower_sizes_copy(l, strides, 3);
    *planes = lower_viewed(l, view);
    return true;
}

/* A number of each place: [N, 1, ...]. */
static tensor of_places(const gridding *g, ty_dtype d, sym_expr *sizes)
{
    lowering *l = g->l;
    const ty_tensor *out = fx_tensor(l->node);
    memcpy(sizes, out->sizes, out->rank * sizeof *sizes);
    sizes[1] = l->one;
    return lower_temp_tensor(l, d, out->rank, lower_sizes_copy(l, sizes, out->rank), NULL);
}

static void store_places(const gridding *g, loop_op *op, tensor to, loop_value v)
{
    lowering *l = g->l;
    sym_expr at = lower_flat(l, l->axes, to.box->view.strides, to.rank);
    lower_store(l, op, (loop_store){.buffer = to.box->view.buffer, .index = at, .value = v});
}

static loop_value at_place(const gridding *g, tensor t)
{
    sym_expr at[MOST_DIMS + 2];
    memcpy(at, g->l->axes, (g->dims + 2) * sizeof *at);
    at[1] = g->l->zero;
    return lower_at(g->l, t, at);
}

/* The number of the pixel at whole coordinates, -1 outside. */
static loop_value pixel_number(const gridding *g, const loop_value *at)
{
    lowering *l = g->l;
    loop_program *p = l->program;
    loop_value inside = loop_const_int(p, TY_BOOL, 1), index = loop_const_int(p, TY_I32, 0);
    for (uint32_t k = 0; k < g->dims; k++) {
        loop_value size = loop_cast(p, TY_I32, loop_index(p, g->x.sizes[k + 2])),
                   fits = is_inside(g, at[k], k),
                   whole = loop_masked(p, fits, at[k], loop_const_float(p, g->d, 0));
        inside = op2(g, LOOP_AND, inside, fits);
        index = op2(g, LOOP_ADD, op2(g, LOOP_MUL, index, size), loop_cast(p, TY_I32, whole));
    }
    return loop_masked(p, inside, index, loop_const_int(p, TY_I32, -1));
}

static loop_value numbered_pixel(const gridding *g, tensor planes, tensor numbers)
{
    lowering *l = g->l;
    loop_program *p = l->program;
    loop_value at = at_place(g, numbers),
               pixels = loop_cast(p, TY_I32, loop_index(p, planes.sizes[2])),
               inside = op2(g, LOOP_AND, op2(g, LOOP_LE, loop_const_int(p, TY_I32, 0), at),
                            op2(g, LOOP_LT, at, pixels));
    sym_expr place[3] = {l->axes[0], l->axes[1],
                         lower_lookup(l, loop_cast(p, TY_I64, at), planes.sizes[2], 2)};
    return loop_masked(p, inside, loop_cast(p, g->d, lower_at(l, planes, place)), number(g, 0));
}

/* Stores where the taps are, and the second's weight of each dim, of which the first's is the rest. */
static void store_taps(const gridding *g, sampling *s)
{
    lowering *l = g->l;
    sym_expr sizes[MOST_DIMS + 2];
    tensor weights[MOST_DIMS];
    uint32_t all = taps_in_all(g, s);
    for (uint32_t k = 0; k < g->dims; k++)
        if (s->counts[k] == 2) weights[k] = of_places(g, g->d, sizes);
    for (uint32_t i = 0; i < all; i++) s->numbers[i] = of_places(g, TY_I32, sizes);
    loop_op *op = lower_nest(l, g->dims + 2, sizes, 0, NULL);
    for (uint32_t i = 0; i < all; i++) {
        loop_value at[MOST_DIMS];
        places_of(g, s, i, at);
        store_places(g, op, s->numbers[i], pixel_number(g, at));
    }
    for (uint32_t k = 0; k < g->dims; k++) {
        if (s->counts[k] != 2) continue;
        store_places(g, op, weights[k], s->taps[k][1].weight);
        s->taps[k][1].weight = at_place(g, weights[k]);
        s->taps[k][0].weight = op2(g, LOOP_SUB, number(g, 1), s->taps[k][1].weight);
    }
    s->is_stored = true;
}

static bool is_worth_storing(const gridding *g, sampling *s)
{
    return lower_has_operators(g->l) && taps_in_all(g, s) <= MOST_STORED &&
           sym_hint(g->l->symbols, g->x.sizes[1], 1) >= FEW_CHANNELS && as_planes(g, &s->planes);
}

/* ---- all of them ---- */

/* From dim k on, of this combination of taps in the dims before. */
static loop_value sampled(const gridding *g, const sampling *s, uint32_t k, uint32_t combination)
{
    loop_value sum = {0}, at[MOST_DIMS];
    if (k == g->dims && s->is_stored) return numbered_pixel(g, s->planes, s->numbers[combination]);
    if (k == g->dims) {
        places_of(g, s, combination, at);
        return pixel(g, at);
    }
    for (uint32_t j = 0; j < s->counts[k]; j++) {
        loop_value v = sampled(g, s, k + 1, combination * s->counts[k] + j);
        if (s->taps[k][j].weight.id) v = op2(g, LOOP_MUL, v, s->taps[k][j].weight);
        sum = sum.id ? op2(g, LOOP_ADD, sum, v) : v;
    }
    return sum;
}

fe_status lower_op_grid_sampler(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    gridding g = {.l = l, .x = lower_arg(l, "input"), .grid = lower_arg(l, "grid")};
    sampling s = {.is_stored = false};
    g.dims = g.x.rank - 2;
    g.mode = (grid_mode)lower_int_or(l, "interpolation_mode", 0);
    g.padding = (grid_padding)lower_int_or(l, "padding_mode", 0);
    g.align = lower_bool(l, "align_corners");
    g.d = lower_compute_dtype(out->dtype);
    if (g.dims < 2 || g.dims > MOST_DIMS) return lower_fail(l, "sampling in %u dimensions", g.dims);
    lower_share(l, g.x);
    lower_share(l, g.grid);
    for (uint32_t k = 0; k < g.dims; k++) s.counts[k] = taps_of(&g, k, s.taps[k]);
    if (is_worth_storing(&g, &s)) store_taps(&g, &s);
    loop_value v = loop_cast(l->program, out->dtype, sampled(&g, &s, 0, 0));
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
