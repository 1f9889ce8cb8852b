/* antialias.c -- interpolation of images with antialiasing: linear, cubic and Lanczos filters as
 * wide as the reduction asks for. Also, without antialiasing, of images of u8.
 *
 * One dimension after the other, the last first. The weights of an output position are a row of a
 * small table that the program computes: the filter at each input position that it reaches, over
 * their sum. Images of u8 are rounded to u8 after each dimension, with weights of 16 bits, as
 * PyTorch (and Pillow) has it.
 */
#include "lower/compose.h"
#include "lower/ops/upsample_priv.h"
#include "lower/rows.h"

#include <math.h>
#include <string.h>

enum { IMAGE_DIMS = 2, WEIGHT_BITS = 15, MOST_PRECISION = 22 };

static const int REACH[] = {[LINEAR] = 1, [CUBIC] = 2, [LANCZOS] = 3, [PLAIN_CUBIC] = 2};

static loop_value number(const resizing *r, double x)
{
    return loop_const_float(r->l->program, r->d, x);
}

static loop_value op2(const resizing *r, loop_opcode op, loop_value a, loop_value b)
{
    return lower_op2(r->l, op, a, b);
}

/* c[0] + x (c[1] + x (...)) */
static loop_value cubic(const resizing *r, const double *c, loop_value x)
{
    loop_value v = number(r, c[3]);
    for (int k = 2; k >= 0; k--) v = op2(r, LOOP_ADD, op2(r, LOOP_MUL, v, x), number(r, c[k]));
    return v;
}

static loop_value sinc(const resizing *r, loop_value x)
{
    loop_value angle = op2(r, LOOP_MUL, x, number(r, 3.14159265358979323846));
    loop_value v = op2(r, LOOP_DIV, lower_op1(r->l, LOOP_SIN, angle), angle);
    return loop_where(r->l->program, op2(r, LOOP_EQ, x, number(r, 0)), number(r, 1), v);
}

static loop_value filter_at(const resizing *r, interpolation kind, loop_value x)
{
    static const double NEAR[] = {1, 0, -2.5, 1.5}, FAR[] = {2, -4, 2.5, -0.5}, /* Keys, -1/2 */
        PLAIN_NEAR[] = {1, 0, -2.25, 1.25}, PLAIN_FAR[] = {3, -6, 3.75, -0.75}; /* Keys, -3/4 */
    loop_program *p = r->l->program;
    loop_value size = lower_op1(r->l, LOOP_ABS, x), one = number(r, 1), v;
    if (kind == LINEAR) {
        v = op2(r, LOOP_SUB, one, size);
    } else if (kind == PLAIN_CUBIC) {
        v = loop_where(p, op2(r, LOOP_LT, size, one), cubic(r, PLAIN_NEAR, size),
                       cubic(r, PLAIN_FAR, size));
    } else if (kind == CUBIC) {
        v = loop_where(p, op2(r, LOOP_LT, size, one), cubic(r, NEAR, size), cubic(r, FAR, size));
    } else {
        loop_value wide = op2(r, LOOP_DIV, x, number(r, REACH[kind]));
        v = op2(r, LOOP_MUL, sinc(r, x), sinc(r, wide));
    }
    return loop_where(p, op2(r, LOOP_LT, size, number(r, REACH[kind])), v, number(r, 0));
}

/* ---- the weights along one dimension ---- */

typedef struct weight_table {
    tensor first, count; /* by output position: the first input position, and how many */
    tensor weights;      /* [output position, k] */
    sym_expr width;      /* most input positions of any */
    ty_dtype position;
} weight_table;

/* Input positions that the filter can reach at most. */
static sym_expr width_of(const resizing *r, uint32_t k, interpolation kind)
{
    lowering *l = r->l;
    sym_expr in = r->x.sizes[r->first + k], out = r->out->sizes[r->first + k];
    double given = lower_given_scale(l, l->node, k, r->dims);
    if (!r->align && given > 0)
        return lower_const(l, 2 * (int64_t)ceil(REACH[kind] * fmax(1 / given, 1)) + 2);
    if (r->align) { /* (in - 1) / (out - 1); of one position alone: 0 */
        in = sym_max(l->symbols, sym_add_int(l->symbols, in, -1), l->one);
        out = sym_max(l->symbols, sym_add_int(l->symbols, out, -1), l->one);
    }
    sym_expr reach = sym_ceildiv(l->symbols, sym_mul_int(l->symbols, in, REACH[kind]), out);
    reach = sym_max(l->symbols, reach, lower_const(l, REACH[kind]));
    return sym_add_int(l->symbols, sym_mul_int(l->symbols, reach, 2), 2);
}

static tensor kept_value(lowering *l, ty_dtype d, uint32_t rank, const sym_expr *sizes,
                         loop_value v)
{
    tensor t = lower_value(l, d, rank, sizes, v);
    lower_realise(l, t.box, NULL);
    return t;
}

/* Of positions along a dimension: lanes gather by numbers of 32 bits where these are enough. */
static ty_dtype position_dtype(lowering *l, sym_expr size)
{
    int64_t least, most;
    sym_range(l->symbols, size, NULL, &least, &most);
    return most < INT32_MAX / 2 ? TY_I32 : TY_I64;
}

/* Of a table of weights: those of neighbours of the output are neighbours, which lanes go along. */
static void keep_by_columns(lowering *l, tensor table)
{
    lower_realise(l, table.box, (sym_expr[]){l->one, table.sizes[0]});
}

static weight_table weights_of(const resizing *r, uint32_t k, interpolation kind)
{
    lowering *l = r->l;
    loop_program *p = l->program;
    weight_table t = {.width = width_of(r, k, kind),
                      .position = position_dtype(l, r->x.sizes[r->first + k])};
    sym_expr sizes[2] = {r->out->sizes[r->first + k], t.width};
    loop_value scale = lower_resize_scale(r, k), one = number(r, 1), half = number(r, 0.5);
    loop_value spread = op2(r, LOOP_MAX, scale, one);
    loop_value support = op2(r, LOOP_MUL, number(r, REACH[kind]), spread);
    loop_value i = loop_cast(p, r->d, loop_index(p, l->axes[0]));
    loop_value centre = op2(r, LOOP_MUL, scale, op2(r, LOOP_ADD, i, half));
    loop_value low = op2(r, LOOP_ADD, op2(r, LOOP_SUB, centre, support), half),
               high = op2(r, LOOP_ADD, op2(r, LOOP_ADD, centre, support), half);
    loop_value first = op2(r, LOOP_MAX, loop_cast(p, TY_I64, low), loop_const_int(p, TY_I64, 0));
    loop_value last =
        op2(r, LOOP_MIN, loop_cast(p, TY_I64, high), loop_index(p, r->x.sizes[r->first + k]));
    loop_value count = op2(r, LOOP_SUB, last, first);
    count = op2(r, LOOP_MAX, op2(r, LOOP_MIN, count, loop_index(p, t.width)),
                loop_const_int(p, TY_I64, 0));
    first = lower_where_times(r, k, 1, loop_index(p, l->axes[0]), first); /* stays: only itself */
    count = lower_where_times(r, k, 1, loop_const_int(p, TY_I64, 1), count);
    t.first = kept_value(l, t.position, 1, sizes, loop_cast(p, t.position, first));
    t.count = kept_value(l, t.position, 1, sizes, loop_cast(p, t.position, count));
    loop_value j = loop_cast(p, t.position, loop_index(p, l->axes[1])),
               from = lower_at(l, t.first, l->axes);
    loop_value x = loop_cast(p, r->d, op2(r, LOOP_ADD, j, from));
    x = op2(r, LOOP_ADD, op2(r, LOOP_SUB, x, centre), half);
    x = op2(r, LOOP_MUL, x, op2(r, LOOP_DIV, one, spread));
    loop_value counts = op2(r, LOOP_LT, j, lower_at(l, t.count, l->axes));
    loop_value w = loop_where(p, counts, filter_at(r, kind, x), number(r, 0));
    tensor plain = lower_value(l, r->d, 2, sizes, w);
    keep_by_columns(l, plain);
    tensor sum = lower_along(l, LOOP_SUM, plain, 1, true), zero = T_NUM(sum, 0);
    tensor share = T_IF(T_EQUAL(sum, zero), zero, T_DIV(plain, sum));
    keep_by_columns(l, share);
    t.weights = share;
    return t;
}

/* Without antialiasing: as wide as the filter, and what is beyond the border counts there. */
static weight_table plain_weights_of(const resizing *r, uint32_t k, interpolation kind)
{
    lowering *l = r->l;
    loop_program *p = l->program;
    sym_expr in = r->x.sizes[r->first + k];
    weight_table t = {.width = lower_const(l, 2 * REACH[kind]), .position = position_dtype(l, in)};
    sym_expr sizes[2] = {r->out->sizes[r->first + k], t.width};
    loop_value scale = lower_resize_scale(r, k), half = number(r, 0.5), sum = number(r, 0);
    loop_value i = loop_cast(p, r->d, loop_index(p, l->axes[0]));
    loop_value source =
        r->align ? op2(r, LOOP_MUL, scale, i)
                 : op2(r, LOOP_SUB, op2(r, LOOP_MUL, scale, op2(r, LOOP_ADD, i, half)), half);
    loop_value below =
        op2(r, LOOP_SUB, lower_op1(l, LOOP_FLOOR, source), number(r, REACH[kind] - 1));
    loop_value base = loop_cast(p, TY_I64, below), zero = loop_const_int(p, TY_I64, 0);
    loop_value end = loop_index(p, sym_add_int(l->symbols, in, -1));
    loop_value first = op2(r, LOOP_MIN, op2(r, LOOP_MAX, base, zero), end);
    t.first = kept_value(l, t.position, 1, sizes, loop_cast(p, t.position, first));
    loop_value count =
        op2(r, LOOP_MIN, op2(r, LOOP_SUB, loop_index(p, in), first), loop_index(p, t.width));
    t.count = kept_value(l, t.position, 1, sizes, loop_cast(p, t.position, count));
    loop_value place = op2(r, LOOP_ADD, first, loop_index(p, l->axes[1]));
    for (int j = 0; j < 2 * REACH[kind]; j++) {
        loop_value at = op2(r, LOOP_ADD, base, loop_const_int(p, TY_I64, j));
        at = op2(r, LOOP_MIN, op2(r, LOOP_MAX, at, zero), end);
        loop_value x = op2(r, LOOP_SUB, source, op2(r, LOOP_ADD, below, number(r, j)));
        loop_value w = filter_at(r, kind, x);
        sum = op2(r, LOOP_ADD, sum, loop_where(p, op2(r, LOOP_EQ, at, place), w, number(r, 0)));
    }
    t.weights = lower_value(l, r->d, 2, sizes, sum);
    keep_by_columns(l, t.weights);
    return t;
}

/* ---- one dimension ---- */

/* x over the axes, with the position of dim `axis` from the table: its reduce-axis-th. */
static loop_value reached(const resizing *r, tensor x, const weight_table *t, uint32_t axis,
                          loop_value otherwise)
{
    lowering *l = r->l;
    loop_program *p = l->program;
    sym_expr at[LOWER_MAX_RANK];
    loop_value k = loop_cast(p, t->position, loop_index(p, l->reduce_axes[0])),
               zero = loop_const_int(p, t->position, 0),
               place = lower_op2(l, LOOP_ADD, lower_at(l, t->first, &l->axes[axis]), k),
               size = loop_cast(p, t->position, loop_index(p, x.sizes[axis]));
    memcpy(at, l->axes, x.rank * sizeof *at);
    at[axis] = lower_lookup(l, loop_cast(p, TY_I64, place), x.sizes[axis], (int32_t)axis);
    /* the first of these says all; kernels see by the others that there is nothing to check */
    loop_value counts = lower_op2(l, LOOP_LT, k, lower_at(l, t->count, &l->axes[axis]));
    counts = lower_op2(l, LOOP_AND, counts, lower_op2(l, LOOP_LE, zero, place));
    counts = lower_op2(l, LOOP_AND, counts, lower_op2(l, LOOP_LT, place, size));
    return loop_masked(p, counts, lower_at(l, x, at), otherwise);
}

static tensor summed(const resizing *r, tensor x, ty_dtype d, uint32_t axis, sym_expr size,
                     sym_expr width, loop_value term)
{
    lowering *l = r->l;
    sym_expr sizes[LOWER_MAX_RANK];
    memcpy(sizes, x.sizes, x.rank * sizeof *sizes);
    sizes[axis] = size;
    tensor out = lower_temp_tensor(l, d, x.rank, sizes, NULL);
    loop_op *op = lower_nest(l, x.rank, sizes, 1, &width);
    sym_expr to = lower_flat(l, l->axes, out.box->view.strides, x.rank);
    lower_store(
        l, op,
        (loop_store){
            .buffer = out.box->view.buffer, .index = to, .value = term, .reduce = LOOP_SUM});
    return out;
}

static tensor resized(const resizing *r, tensor x, const weight_table *t, uint32_t axis)
{
    lowering *l = r->l;
    sym_expr at[2] = {l->axes[axis], l->reduce_axes[0]};
    loop_value v = reached(r, x, t, axis, loop_const_float(l->program, r->d, 0));
    v = lower_op2(l, LOOP_MUL, lower_at(l, t->weights, at), v);
    return summed(r, x, r->d, axis, r->out->sizes[axis], t->width, v);
}

/* The bits after the point of 16-bit weights: as many as the greatest allows. */
static loop_value precision_of(const resizing *r, const weight_table *t)
{
    lowering *l = r->l;
    loop_value most = lower_here(l, lower_total(l, LOOP_REDUCE_MAX, t->weights));
    loop_value bits = loop_const_int(l->program, TY_I32, 0);
    for (int k = 1; k <= MOST_PRECISION; k++) {
        loop_value next = op2(r, LOOP_MUL, most, number(r, ldexp(1, k)));
        next = op2(r, LOOP_ADD, number(r, 0.5), next);
        loop_value fits = op2(r, LOOP_LT, loop_cast(l->program, TY_I32, next),
                              loop_const_int(l->program, TY_I32, 1 << WEIGHT_BITS));
        bits = lower_op2(l, LOOP_ADD, bits, loop_cast(l->program, TY_I32, fits));
    }
    return bits;
}

static tensor resized_bytes(const resizing *r, tensor x, const weight_table *t, uint32_t axis)
{
    lowering *l = r->l;
    loop_program *p = l->program;
    loop_value one = loop_const_int(p, TY_I32, 1), zero = loop_const_int(p, TY_I32, 0);
    tensor bits = kept_value(l, TY_I32, 0, NULL, precision_of(r, t));
    loop_value shift = lower_here(l, bits), w = lower_here(l, t->weights);
    loop_value unit = loop_cast(p, r->d, lower_op2(l, LOOP_SHL, one, shift));
    w = op2(r, LOOP_MUL, w, unit);
    loop_value up =
        loop_where(p, op2(r, LOOP_LT, w, number(r, 0)), number(r, -0.5), number(r, 0.5));
    w = loop_cast(p, TY_I32, op2(r, LOOP_ADD, w, up));
    tensor whole = lower_value(l, TY_I32, 2, t->weights.sizes, w);
    keep_by_columns(l, whole);
    sym_expr at[2] = {l->axes[axis], l->reduce_axes[0]};
    loop_value v = loop_cast(p, TY_I32, reached(r, x, t, axis, loop_const_int(p, TY_U8, 0)));
    v = lower_op2(l, LOOP_MUL, lower_at(l, whole, at), v);
    tensor sum = summed(r, x, TY_I32, axis, r->out->sizes[axis], t->width, v);
    loop_value half = lower_op2(l, LOOP_SHL, one, lower_op2(l, LOOP_SUB, shift, one));
    v = lower_op2(l, LOOP_SHR, lower_op2(l, LOOP_ADD, lower_here(l, sum), half), shift);
    v = lower_op2(l, LOOP_MIN, lower_op2(l, LOOP_MAX, v, zero), loop_const_int(p, TY_I32, 255));
    return lower_value(l, TY_U8, sum.rank, sum.sizes, loop_cast(p, TY_U8, v));
}

fe_status lower_upsample_bytes(resizing *r, bool is_cubic)
{
    lowering *l = r->l;
    tensor x = r->x;
    r->d = TY_F64;
    for (uint32_t k = IMAGE_DIMS; k-- > 0;) {
        uint32_t axis = r->first + k;
        if (sym_known_equal(l->symbols, x.sizes[axis], r->out->sizes[axis])) continue;
        weight_table t = plain_weights_of(r, k, is_cubic ? PLAIN_CUBIC : LINEAR);
        lower_share(l, x);
        x = resized_bytes(r, x, &t, axis);
    }
    return lower_give(l, x);
}

fe_status lower_op_antialiased(lowering *l, fx_node *n, const lower_row *row)
{
    interpolation kind = (interpolation)row->parameter;
    resizing r = {.l = l, .x = lower_tensor_of(l, &n->args[0]), .out = fx_tensor(n)};
    ty_dtype in = lower_dtype(r.x);
    bool bytes = in == TY_U8;
    r.dims = IMAGE_DIMS;
    r.first = r.x.rank - IMAGE_DIMS;
    r.align = lower_bool(l, "align_corners");
    r.d = in == TY_F64 || bytes ? TY_F64 : TY_F32;
    if (!bytes && !ty_is_floating(in))
        return lower_fail(l, "interpolation of %s", ty_dtype_name(in));
    tensor x = bytes ? r.x : lower_cast(l, r.x, r.d);
    for (uint32_t k = IMAGE_DIMS; k-- > 0;) {
        uint32_t axis = r.first + k;
        if (sym_known_equal(l->symbols, x.sizes[axis], r.out->sizes[axis])) continue;
        weight_table t = weights_of(&r, k, kind);
        lower_share(l, x);
        x = bytes ? resized_bytes(&r, x, &t, axis) : resized(&r, x, &t, axis);
    }
    return lower_give(l, lower_cast(l, x, r.out->dtype));
}
