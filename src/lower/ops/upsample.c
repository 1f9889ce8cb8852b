/* upsample.c -- interpolation: nearest, linear (1-D to 3-D) and bicubic.
 *
 * Source positions are computed in float as PyTorch does (area_pixel_compute_source_index),
 * truncated, and used as indirect indices. Nearest with a whole factor is a division of the axis.
 */
#include "lower/ops/upsample_priv.h"
#include "lower/rows.h"

#include <math.h>
#include <string.h>

enum { MOST_TAPS = 4, MOST_DIMS = 3 };

/* What one output position reads along one dim. */
typedef struct taps {
    uint32_t count;
    sym_expr at[MOST_TAPS];
    loop_value weight[MOST_TAPS];
} taps;

double lower_given_scale(lowering *l, const fx_node *n, uint32_t k, uint32_t dims)
{
    double value;
    static const char *const NAMES[] = {"scales_d", "scales_h", "scales_w"};
    if (op_param_index(n->op, "scale_factors") >= 0) {
        const fx_arg *list = fx_get(l->graph, n, "scale_factors");
        if (list->kind != FX_ARG_LIST || k >= list->list.count) return 0;
        return fx_arg_number(l->graph, &list->list.items[k], &value) ? value : 0;
    }
    const char *name = dims == 1 ? "scales" : NAMES[k + 3 - dims];
    if (op_param_index(n->op, name) < 0) return 0;
    return lower_number_or(l, name, 0);
}

/* in / out, or what the caller's factor says */
loop_value lower_resize_scale(const resizing *r, uint32_t k)
{
    lowering *l = r->l;
    sym_expr in = r->x.sizes[r->first + k], out = r->out->sizes[r->first + k];
    double given = lower_given_scale(l, l->node, k, r->dims);
    if (r->align) {
        int64_t steps;
        if (sym_is_int(l->symbols, out, &steps) && steps <= 1)
            return loop_const_float(l->program, r->d, 0);
        in = sym_add_int(l->symbols, in, -1);
        out = sym_add_int(l->symbols, out, -1);
    } else if (given > 0) {
        return loop_const_float(l->program, r->d, 1 / given);
    }
    loop_value a = loop_cast(l->program, r->d, loop_index(l->program, in)),
               b = loop_cast(l->program, r->d, loop_index(l->program, out)),
               scale = lower_op2(l, LOOP_DIV, a, b), zero = loop_const_float(l->program, r->d, 0);
    bool may_be_one = r->align && !sym_known_less_equal(l->symbols, lower_const(l, 1), out, NULL);
    return may_be_one ? loop_where(l->program, lower_op2(l, LOOP_LT, zero, b), scale, zero) : scale;
}

loop_value lower_where_times(const resizing *r, uint32_t k, int64_t times, loop_value then,
                             loop_value otherwise)
{
    lowering *l = r->l;
    sym_expr in = sym_mul_int(l->symbols, r->x.sizes[r->first + k], times),
             out = r->out->sizes[r->first + k];
    if (sym_known_equal(l->symbols, in, out)) return then;
    if (sym_prove(l->symbols, sym_compare(l->symbols, SYM_NE, in, out), NULL) == SYM_TRUE)
        return otherwise;
    loop_value is_so =
        lower_op2(l, LOOP_EQ, loop_index(l->program, in), loop_index(l->program, out));
    return loop_where(l->program, is_so, then, otherwise);
}

/* A size that stays the same, or `times` as large, has no use for the factor that the caller gives, by which
 * it may be that of several sizes. */
static loop_value unless_times(const resizing *r, uint32_t k, int64_t times, loop_value then,
                               loop_value otherwise)
{
    if (r->align || lower_given_scale(r->l, r->l->node, k, r->dims) <= 0) return otherwise;
    return lower_where_times(r, k, times, then, otherwise);
}

/* scale * (i + 0.5) - 0.5, or scale * i with aligned corners. */
static loop_value source_of(const resizing *r, uint32_t k)
{
    lowering *l = r->l;
    loop_value scale = lower_resize_scale(r, k), half = loop_const_float(l->program, r->d, 0.5);
    loop_value i = loop_cast(l->program, r->d, loop_index(l->program, l->axes[r->first + k]));
    if (r->align) return lower_op2(l, LOOP_MUL, scale, i);
    return lower_op2(l, LOOP_SUB, lower_op2(l, LOOP_MUL, scale, lower_op2(l, LOOP_ADD, i, half)),
                     half);
}

static sym_expr as_position(const resizing *r, loop_value v, uint32_t k)
{
    uint32_t axis = r->first + k;
    return lower_lookup(r->l, loop_cast(r->l->program, TY_I64, v), r->x.sizes[axis], (int32_t)axis);
}

static loop_value limited(const resizing *r, loop_value v, uint32_t k)
{
    loop_program *p = r->l->program;
    sym_expr last = sym_add_int(r->l->symbols, r->x.sizes[r->first + k], -1);
    return lower_op2(r->l, LOOP_MIN, loop_cast(p, TY_I64, v), loop_index(p, last));
}

static taps nearest_taps(const resizing *r, uint32_t k, bool exact)
{
    lowering *l = r->l;
    taps t = {.count = 1};
    int64_t in, out;
    uint32_t axis = r->first + k;
    bool known = sym_is_int(l->symbols, r->x.sizes[axis], &in) &&
                 sym_is_int(l->symbols, r->out->sizes[axis], &out);
    double given = lower_given_scale(l, l->node, k, r->dims);
    if (known && in > 0 && out % in == 0 && (given <= 0 || given * (double)in == (double)out)) {
        t.at[0] = sym_floordiv(l->symbols, l->axes[axis], lower_const(l, out / in));
        return t;
    }
    loop_value i = loop_cast(l->program, r->d, loop_index(l->program, l->axes[axis]));
    loop_value half = loop_const_float(l->program, r->d, 0.5),
               at = exact ? lower_op2(l, LOOP_ADD, i, half) : i;
    loop_value source =
        lower_op1(l, LOOP_FLOOR, lower_op2(l, LOOP_MUL, at, lower_resize_scale(r, k)));
    if (!exact) {
        loop_value halved = lower_op1(l, LOOP_FLOOR, lower_op2(l, LOOP_MUL, i, half));
        source = unless_times(r, k, 1, i, unless_times(r, k, 2, halved, source));
    }
    t.at[0] = as_position(r, limited(r, source, k), k);
    return t;
}

/* A size that stays has its own positions as both neighbours, as PyTorch has it: the second's weight is 0,
 * and an infinite value times 0 shows. */
static taps linear_taps(const resizing *r, uint32_t k)
{
    lowering *l = r->l;
    taps t = {.count = 2};
    uint32_t axis = r->first + k;
    loop_value zero = loop_const_float(l->program, r->d, 0),
               one = loop_const_float(l->program, r->d, 1);
    if (sym_known_equal(l->symbols, r->x.sizes[axis], r->out->sizes[axis]))
        return (taps){2, {l->axes[axis], l->axes[axis]}, {one, zero}};
    loop_value source = source_of(r, k);
    if (!r->align) source = lower_op2(l, LOOP_MAX, source, zero);
    loop_value i = loop_cast(l->program, r->d, loop_index(l->program, l->axes[axis]));
    source = unless_times(r, k, 1, i, source);
    loop_value low = limited(r, source, k);
    loop_value next = lower_op2(l, LOOP_ADD, low, loop_const_int(l->program, TY_I64, 1));
    loop_value high = limited(r, lower_where_times(r, k, 1, low, next), k);
    loop_value part = lower_op2(l, LOOP_SUB, source, loop_cast(l->program, r->d, low));
    part = lower_op2(l, LOOP_MIN, lower_op2(l, LOOP_MAX, part, zero), one);
    t.at[0] = as_position(r, low, k);
    t.at[1] = as_position(r, high, k);
    t.weight[0] = lower_op2(l, LOOP_SUB, one, part);
    t.weight[1] = part;
    return t;
}

/* Keys' cubic with A = -0.75: near(x) for |x| <= 1, far(x) for 1 < |x| < 2. */
static loop_value cubic_weight(const resizing *r, loop_value x, bool far)
{
    lowering *l = r->l;
    const double a = -0.75;
    double c[4] = {1, 0, -(a + 3), a + 2};
    if (far) {
        double other[4] = {-4 * a, 8 * a, -5 * a, a};
        memcpy(c, other, sizeof c);
    }
    loop_value v = loop_const_float(l->program, r->d, c[3]);
    for (int k = 2; k >= 0; k--) {
        v = lower_op2(l, LOOP_MUL, v, x);
        if (c[k] != 0) v = lower_op2(l, LOOP_ADD, v, loop_const_float(l->program, r->d, c[k]));
    }
    return v;
}

static taps cubic_taps(const resizing *r, uint32_t k)
{
    lowering *l = r->l;
    taps t = {.count = 4};
    loop_value source = source_of(r, k), low = lower_op1(l, LOOP_FLOOR, source);
    loop_value part = lower_op2(l, LOOP_SUB, source, low),
               one = loop_const_float(l->program, r->d, 1);
    loop_value rest = lower_op2(l, LOOP_SUB, one, part);
    t.weight[0] = cubic_weight(r, lower_op2(l, LOOP_ADD, part, one), true);
    t.weight[1] = cubic_weight(r, part, false);
    t.weight[2] = cubic_weight(r, rest, false);
    t.weight[3] = cubic_weight(r, lower_op2(l, LOOP_ADD, rest, one), true);
    for (int64_t j = 0; j < 4; j++) {
        loop_value at = lower_op2(l, LOOP_ADD, loop_cast(l->program, TY_I64, low),
                                  loop_const_int(l->program, TY_I64, j - 1));
        at = limited(r, lower_op2(l, LOOP_MAX, at, loop_const_int(l->program, TY_I64, 0)), k);
        t.at[j] = as_position(r, at, k);
    }
    return t;
}

/* Sum over the taps of dim k and those after it. */
static loop_value interpolated(const resizing *r, const taps *t, uint32_t k, sym_expr *at)
{
    lowering *l = r->l;
    if (k == r->dims) return loop_cast(l->program, r->d, lower_at(l, r->x, at));
    loop_value sum = {0};
    for (uint32_t j = 0; j < t[k].count; j++) {
        at[r->first + k] = t[k].at[j];
        loop_value v = interpolated(r, t, k + 1, at);
        if (t[k].count > 1) v = lower_op2(l, LOOP_MUL, t[k].weight[j], v);
        sum = sum.id ? lower_op2(l, LOOP_ADD, sum, v) : v;
    }
    return sum;
}

fe_status lower_op_upsample(lowering *l, fx_node *n, const lower_row *row)
{
    interpolation kind = (interpolation)row->parameter;
    resizing r = {.l = l, .x = lower_tensor_of(l, &n->args[0]), .out = fx_tensor(n)};
    r.dims = r.x.rank - 2;
    r.first = 2;
    r.align = op_param_index(n->op, "align_corners") >= 0 && lower_bool(l, "align_corners");
    r.d = lower_dtype(r.x) == TY_F64 ? TY_F64 : TY_F32;
    bool is_nearest = kind == NEAREST || kind == NEAREST_EXACT;
    if (r.x.rank < 3 || r.dims > MOST_DIMS)
        return lower_fail(l, "interpolation in %u dimensions", r.dims);
    if (!is_nearest && r.dims == 2 && lower_dtype(r.x) == TY_U8)
        return lower_upsample_bytes(&r, kind != LINEAR);
    if (!is_nearest && !ty_is_floating(lower_dtype(r.x)))
        return lower_fail(l, "interpolation of %s", ty_dtype_name(lower_dtype(r.x)));
    lower_share(l, r.x);
    taps t[MOST_DIMS];
    sym_expr at[LOWER_MAX_RANK];
    memcpy(at, l->axes, r.x.rank * sizeof *at);
    for (uint32_t k = 0; k < r.dims; k++)
        t[k] = is_nearest       ? nearest_taps(&r, k, kind == NEAREST_EXACT)
               : kind == LINEAR ? linear_taps(&r, k)
                                : cubic_taps(&r, k);
    loop_value v;
    if (is_nearest) {
        for (uint32_t k = 0; k < r.dims; k++) at[r.first + k] = t[k].at[0];
        v = lower_at(l, r.x, at);
    } else {
        v = loop_cast(l->program, r.out->dtype, interpolated(&r, t, 0, at));
    }
    return lower_give(l, lower_value(l, r.out->dtype, r.out->rank, r.out->sizes, v));
}
