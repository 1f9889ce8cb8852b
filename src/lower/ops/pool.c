/* pool.c -- pooling over windows of the last one to three dimensions.
 *
 * A small window of constant size is unrolled into one pointwise value (a chain of masked loads,
 * which vectorises along any axis), a larger one is a reduction.
 */
#include "lower/ops/pool.h"

#include <math.h>
#include <string.h>

enum { UNROLLED = 25 };

/* ---- shared ---- */

loop_value pool_least(lowering *l, ty_dtype d)
{
    if (ty_is_floating(d)) return loop_const_float(l->program, d, -(double)INFINITY);
    uint32_t bits = 8 * ty_dtype_size(d);
    bool has_sign = ty_dtype_kind(d) == TY_KIND_SIGNED;
    return loop_const_int(l->program, d, has_sign ? (int64_t)(UINT64_MAX << (bits - 1)) : 0);
}

lower_tensor pool_of_value(lowering *l, const pooling *p, loop_value v)
{
    return lower_value(l, loop_at(l->program, v)->dtype, p->out->rank, p->out->sizes, v);
}

lower_tensor pool_reduced(lowering *l, const pooling *p, const sym_expr *extents, loop_value v,
                          loop_reduce kind)
{
    ty_dtype d = loop_at(l->program, v)->dtype;
    lower_tensor out = lower_temp_tensor(l, d, p->out->rank, p->out->sizes, NULL);
    loop_op *op = lower_nest(l, p->out->rank, p->out->sizes, p->dims, extents);
    sym_expr at = lower_flat(l, l->axes, out.box->view.strides, p->out->rank);
    lower_store(
        l, op,
        (loop_store){.buffer = out.box->view.buffer, .index = at, .value = v, .reduce = kind});
    return out;
}

lower_tensor pool_places(lowering *l, const pooling *p, const sym_expr *extents, lower_tensor most,
                         loop_value v, loop_value inside, loop_value place)
{
    ty_dtype d = loop_at(l->program, place)->dtype;
    loop_value found = lower_op2(l, LOOP_EQ, v, lower_here(l, most));
    if (ty_is_floating(lower_dtype(most))) { /* the last NaN: the least of negative places */
        loop_value is_nan = lower_op1(l, LOOP_ISNAN, v);
        found = lower_op2(l, LOOP_OR, found, is_nan);
        place = loop_where(l->program, is_nan, lower_op1(l, LOOP_NEG, place), place);
    }
    found = lower_op2(l, LOOP_AND, found, inside);
    place = loop_where(l->program, found, place,
                       loop_const_int(l->program, d, d == TY_I32 ? INT32_MAX : INT64_MAX));
    lower_tensor out = pool_reduced(l, p, extents, place, LOOP_REDUCE_MIN);
    return pool_of_value(l, p, lower_op1(l, LOOP_ABS, lower_here(l, out)));
}

/* ---- arguments ---- */

static bool spread(lowering *l, const char *param, uint32_t dims, int64_t fallback, int64_t *out)
{
    int64_t given[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < dims; k++) out[k] = fallback;
    if (op_param_index(l->node->op, param) < 0) return true;
    int count = lower_constants(l, param, given, LOWER_MAX_RANK);
    if (count == -2 || count > (int)dims) return false;
    for (uint32_t k = 0; k < dims && count > 0; k++) out[k] = given[count == 1 ? 0 : k];
    return true;
}

static fe_status begin(lowering *l, pooling *p, uint32_t dims)
{
    lower_tensor x = lower_tensor_of(l, &l->node->args[0]);
    bool overlaps = false;
    *p = (pooling){.dims = dims, .first = x.rank - dims, .out = lower_meta(l, 0), .window = 1};
    p->x = lower_cast(l, x, lower_compute_dtype(lower_dtype(x)));
    if (!spread(l, "kernel_size", dims, 1, p->kernel) ||
        !spread(l, "padding", dims, 0, p->padding) ||
        !spread(l, "dilation", dims, 1, p->dilation) || !spread(l, "stride", dims, 0, p->stride))
        return lower_fail(l, "a window that is not constant");
    for (uint32_t k = 0; k < dims; k++) {
        if (p->stride[k] == 0) p->stride[k] = p->kernel[k];
        p->window *= p->kernel[k];
        overlaps |= p->stride[k] < p->kernel[k];
    }
    if (overlaps) lower_store_unless_plain(l, p->x);
    lower_share(l, p->x);
    return FE_OK;
}

/* ---- one element of a window ---- */

/* Where in the input window position pos[] is. */
static void find_position(lowering *l, const pooling *p, const sym_expr *pos, sym_expr *at)
{
    sym_table *s = l->symbols;
    memcpy(at, l->axes, p->x.rank * sizeof *at);
    for (uint32_t k = 0; k < p->dims; k++) {
        sym_expr *here = &at[p->first + k];
        sym_expr base = sym_add_int(s, sym_mul_int(s, *here, p->stride[k]), -p->padding[k]);
        *here = sym_add(s, base, sym_mul_int(s, pos[k], p->dilation[k]));
    }
}

/* The input at window position pos[]; `otherwise` in the padding. */
static loop_value element(lowering *l, const pooling *p, const sym_expr *pos, loop_value otherwise,
                          loop_value *inside_out)
{
    sym_expr at[LOWER_MAX_RANK];
    loop_value inside = loop_const_int(l->program, TY_BOOL, 1);
    find_position(l, p, pos, at);
    for (uint32_t k = 0; k < p->dims; k++) {
        uint32_t axis = p->first + k;
        sym_bound bounds[2] = {{l->axes[axis], p->out->sizes[axis]},
                               {l->reduce_axes[k], lower_const(l, p->kernel[k])}};
        sym_env env = {bounds, 2};
        bool above = sym_known_less_equal(l->symbols, l->zero, at[axis], &env);
        bool below = sym_known_less_equal(l->symbols, sym_add_int(l->symbols, at[axis], 1),
                                          p->x.sizes[axis], &env);
        loop_value v = loop_index(l->program, at[axis]);
        if (!above)
            inside = lower_op2(l, LOOP_AND, inside,
                               lower_op2(l, LOOP_LE, loop_const_int(l->program, TY_I64, 0), v));
        if (!below)
            inside = lower_op2(l, LOOP_AND, inside,
                               lower_op2(l, LOOP_LT, v, loop_index(l->program, p->x.sizes[axis])));
    }
    if (inside_out) *inside_out = inside;
    return loop_masked(l->program, inside, lower_at(l, p->x, at), otherwise);
}

static void position_of(lowering *l, const pooling *p, int64_t flat, sym_expr *pos)
{
    for (uint32_t k = p->dims; k-- > 0;) {
        pos[k] = lower_const(l, flat % p->kernel[k]);
        flat /= p->kernel[k];
    }
}

/* A reduction over whole windows, in memory of its own. */
static lower_tensor windows_reduced(lowering *l, const pooling *p, loop_reduce kind,
                                    loop_value otherwise)
{
    sym_expr extents[MOST_DIMS];
    for (uint32_t k = 0; k < p->dims; k++) extents[k] = lower_const(l, p->kernel[k]);
    return pool_reduced(l, p, extents, element(l, p, l->reduce_axes, otherwise, NULL), kind);
}

/* ---- one dimension after another ---- */

/* Do lanes go along other dimensions than those of the windows, as in channels_last? */
static bool lies_apart(lowering *l, lower_tensor x)
{
    sym_expr strides[LOWER_MAX_RANK];
    int64_t last;
    return lower_layout_of(l, x, strides) &&
           (!sym_is_int(l->symbols, strides[x.rank - 1], &last) || last != 1);
}

/* A maximum of maxima, or a sum of sums, looks at k + k elements instead of k * k; those of the first
 * dimension lie side by side for lanes along the others, and an edge there is one test for all lanes. On
 * devices it would be a kernel more, and memory between them. */
static bool goes_by_dims(lowering *l, const pooling *p)
{
    uint32_t longer = 0;
    bool overlaps = false;
    for (uint32_t k = 0; k < p->dims; k++) {
        longer += p->kernel[k] > 1;
        overlaps |= p->stride[k] < p->kernel[k];
    }
    if (longer < 2 || p->out->device.kind != TY_CPU) return false;
    return overlaps || !lies_apart(l, p->x);
}

/* Of one dimension, k: sizes of the others are given. */
static pooling one_dim(lowering *l, pooling *p, uint32_t k)
{
    pooling one = *p;
    one.out = ty_tensor_copy(l->memory, p->out);
    one.window = p->kernel[k];
    for (uint32_t i = 0; i < p->dims; i++)
        if (i != k) one.kernel[i] = one.stride[i] = one.dilation[i] = 1;
    p->kernel[k] = p->stride[k] = p->dilation[k] = 1;
    p->padding[k] = 0;
    p->window /= one.window;
    return one;
}

/* The window in its first dimension that is longer than 1, over all that the windows in the other ones
 * reach: what lies in the padding there is stored too, such that they are whole. `p` is left with those. */
static pooling first_dim(lowering *l, pooling *p)
{
    sym_table *s = l->symbols;
    uint32_t k = 0;
    while (p->kernel[k] == 1) k++;
    pooling before = *p, first = one_dim(l, p, k);
    for (uint32_t i = 0; i < p->dims; i++) {
        if (i == k) continue;
        sym_expr *size = &first.out->sizes[p->first + i];
        sym_expr last = sym_mul_int(s, sym_add_int(s, *size, -1), before.stride[i]);
        *size = sym_add_int(s, last, before.dilation[i] * (before.kernel[i] - 1) + 1);
        p->padding[i] = 0;
    }
    return first;
}

/* ---- maximum ---- */

static lower_tensor maximum_at_once(lowering *l, const pooling *p)
{
    loop_value low = pool_least(l, lower_dtype(p->x)), most = {0};
    if (p->window > UNROLLED) return windows_reduced(l, p, LOOP_REDUCE_MAX, low);
    for (int64_t k = 0; k < p->window; k++) {
        sym_expr pos[MOST_DIMS];
        position_of(l, p, k, pos);
        loop_value v = element(l, p, pos, low, NULL);
        most = most.id ? lower_op2(l, LOOP_MAX, v, most) : v; /* the first of equals */
    }
    return pool_of_value(l, p, most);
}

static lower_tensor maximum(lowering *l, const pooling *p)
{
    pooling rest = *p;
    while (goes_by_dims(l, &rest)) {
        pooling first = first_dim(l, &rest);
        rest.x = maximum_at_once(l, &first);
        lower_realise(l, rest.x.box, NULL);
    }
    return maximum_at_once(l, &rest);
}

/* ---- places of maxima ---- */

/* Flat indices over the dimensions from `first` on, of what windows in some of them came to. */
typedef struct places {
    lower_tensor of;
    uint32_t first;
    const sym_expr *sizes; /* of the plane */
    ty_dtype dtype;        /* large enough for an index in the input plane */
} places;

static ty_dtype place_dtype(lowering *l, const pooling *p)
{
    int64_t elements;
    sym_expr plane = sym_product(l->symbols, p->x.sizes + p->first, p->dims);
    return sym_is_int(l->symbols, plane, &elements) && elements <= INT32_MAX ? TY_I32 : TY_I64;
}

/* Of window position pos[], over the dimensions from `from` on, where it is inside. */
static loop_value place_at(lowering *l, const pooling *p, const places *known, uint32_t from,
                           const sym_expr *pos, loop_value inside)
{
    sym_table *s = l->symbols;
    uint32_t until = lower_absent(known->of) ? p->dims : known->first;
    sym_expr flat = l->zero, at[LOWER_MAX_RANK];
    find_position(l, p, pos, at);
    for (uint32_t k = from; k < until; k++)
        flat = sym_add(s, sym_mul(s, flat, known->sizes[k]), at[p->first + k]);
    uint32_t known_dims = p->dims - until;
    flat = sym_mul(s, flat, sym_product(s, known->sizes + until, known_dims));
    loop_value v = loop_cast(l->program, known->dtype, loop_index(l->program, flat));
    if (lower_absent(known->of)) return v;
    v = lower_op2(l, LOOP_ADD, v, lower_at(l, known->of, at));
    return loop_masked(l->program, inside, v, loop_const_int(l->program, known->dtype, 0));
}

/* The first of equals, the last NaN, as PyTorch scans; never one in the padding. */
static loop_value place_at_once(lowering *l, const pooling *p, const places *known, uint32_t from,
                                lower_tensor values)
{
    loop_value most = pool_least(l, lower_dtype(p->x)), low = most;
    loop_value place = loop_const_int(l->program, known->dtype, 0);
    loop_value placed = loop_const_int(l->program, TY_BOOL, 0);
    bool floating = ty_is_floating(lower_dtype(p->x));
    sym_expr pos[MOST_DIMS];
    if (p->window > UNROLLED) {
        sym_expr sizes[MOST_DIMS];
        loop_value inside;
        for (uint32_t k = 0; k < p->dims; k++) sizes[k] = lower_const(l, p->kernel[k]);
        loop_value v = element(l, p, l->reduce_axes, low, &inside);
        place = place_at(l, p, known, from, l->reduce_axes, inside);
        return lower_here(l, pool_places(l, p, sizes, values, v, inside, place));
    }
    for (int64_t k = 0; k < p->window; k++) {
        loop_value inside;
        position_of(l, p, k, pos);
        loop_value v = element(l, p, pos, low, &inside), better = lower_op2(l, LOOP_LT, most, v);
        if (floating) better = lower_op2(l, LOOP_OR, better, lower_op1(l, LOOP_ISNAN, v));
        better = lower_op2(l, LOOP_OR, better, lower_op1(l, LOOP_NOT, placed));
        better = lower_op2(l, LOOP_AND, better, inside);
        place = loop_where(l->program, better, place_at(l, p, known, from, pos, inside), place);
        most = loop_where(l->program, better, v, most);
        placed = lower_op2(l, LOOP_OR, placed, inside);
    }
    return place;
}

/* Of equals the first row wins, then the first column: the last dimension goes first. Its windows are not
 * made whole by padding, which never wins. */
static lower_tensor maximum_with_place(lowering *l, const pooling *p, lower_tensor *place)
{
    pooling rest = *p;
    places known = {.sizes = p->x.sizes + p->first, .dtype = place_dtype(l, p)};
    while (goes_by_dims(l, &rest)) {
        uint32_t k = p->dims - 1;
        while (rest.kernel[k] == 1) k--;
        pooling before = rest, last = one_dim(l, &rest, k);
        for (uint32_t i = 0; i < p->dims; i++) {
            if (i == k) continue;
            last.out->sizes[p->first + i] = before.x.sizes[p->first + i];
            last.padding[i] = 0;
            rest.padding[i] = before.padding[i];
        }
        lower_tensor values = maximum_at_once(l, &last);
        lower_tensor found = pool_of_value(l, &last, place_at_once(l, &last, &known, k, values));
        lower_realise(l, values.box, NULL);
        lower_realise(l, found.box, NULL);
        rest.x = values;
        known.of = found;
        known.first = k;
    }
    lower_tensor values = maximum_at_once(l, &rest);
    loop_value v = place_at_once(l, &rest, &known, 0, values);
    *place = pool_of_value(l, p, loop_cast(l->program, TY_I64, v));
    return values;
}

fe_status lower_op_max_pool(lowering *l, fx_node *n, const lower_row *row)
{
    pooling p;
    FE_TRY(begin(l, &p, (uint32_t)row->parameter));
    lower_tensor items[2] = {{0}};
    bool with_places = n->value.kind == FX_TUPLE && lower_is_used(l, 1);
    lower_tensor values = with_places ? maximum_with_place(l, &p, &items[1]) : maximum(l, &p);
    values = lower_cast(l, values, p.out->dtype);
    if (n->value.kind != FX_TUPLE) {
        if (!values.box->realised) values.box->wanted = lower_wanted(l, 0);
        lower_realise(l, values.box, NULL);
        return lower_give(l, values);
    }
    if (!values.box->realised) values.box->wanted = lower_wanted(l, 0);
    if (lower_is_used(l, 0)) lower_realise(l, values.box, NULL);
    items[0] = values;
    return lower_give_items(l, items, 2);
}

/* ---- mean ---- */

/* Elements of a window that count: all inside the padded input, or only those inside the input. */
static loop_value window_count(lowering *l, const pooling *p, bool with_padding)
{
    sym_table *s = l->symbols;
    sym_expr count = l->one;
    for (uint32_t k = 0; k < p->dims; k++) {
        uint32_t axis = p->first + k;
        sym_expr start =
            sym_add_int(s, sym_mul_int(s, l->axes[axis], p->stride[k]), -p->padding[k]);
        sym_expr limit = sym_add_int(s, p->x.sizes[axis], with_padding ? p->padding[k] : 0);
        sym_expr end = sym_min(s, sym_add_int(s, start, p->kernel[k]), limit);
        if (!with_padding) start = sym_max(s, start, l->zero);
        sym_expr length = lower_simplified(l, sym_sub(s, end, start), p->out->rank, p->out->sizes);
        count = sym_mul(s, count, length);
    }
    return loop_cast(l->program, lower_dtype(p->x), loop_index(l->program, count));
}

static bool is_never_cut(lowering *l, const pooling *p)
{
    for (uint32_t k = 0; k < p->dims; k++) {
        uint32_t axis = p->first + k;
        sym_expr last =
            sym_mul_int(l->symbols, sym_add_int(l->symbols, p->out->sizes[axis], -1), p->stride[k]);
        sym_expr end = sym_add_int(l->symbols, last, p->kernel[k] - p->padding[k]);
        sym_expr limit = sym_add_int(l->symbols, p->x.sizes[axis], p->padding[k]);
        if (!sym_known_less_equal(l->symbols, end, limit, NULL)) return false;
    }
    return true;
}

static loop_value sum_at_once(lowering *l, const pooling *p)
{
    loop_value zero = loop_const_float(l->program, lower_dtype(p->x), 0), sum = {0};
    if (p->window > UNROLLED) return lower_here(l, windows_reduced(l, p, LOOP_SUM, zero));
    for (int64_t k = 0; k < p->window; k++) {
        sym_expr pos[MOST_DIMS];
        position_of(l, p, k, pos);
        loop_value v = element(l, p, pos, zero, NULL);
        sum = sum.id ? lower_op2(l, LOOP_ADD, sum, v) : v;
    }
    return sum;
}

fe_status lower_op_avg_pool(lowering *l, fx_node *n, const lower_row *row)
{
    pooling p;
    FE_TRY(begin(l, &p, (uint32_t)row->parameter));
    ty_dtype d = lower_dtype(p.x);
    loop_value sum, count;
    pooling rest = p;
    while (goes_by_dims(l, &rest)) {
        pooling first = first_dim(l, &rest);
        rest.x = pool_of_value(l, &first, sum_at_once(l, &first));
        lower_realise(l, rest.x.box, NULL);
    }
    sum = sum_at_once(l, &rest);
    bool has_override =
        op_param_index(n->op, "divisor_override") >= 0 && !lower_is_none(l, "divisor_override");
    bool with_padding =
        op_param_index(n->op, "count_include_pad") < 0 || lower_bool(l, "count_include_pad");
    bool padded = p.padding[0] || (p.dims > 1 && p.padding[1]) || (p.dims > 2 && p.padding[2]);
    if (has_override)
        count = loop_const_float(l->program, d, lower_number_or(l, "divisor_override", 1));
    else if ((with_padding || !padded) && is_never_cut(l, &p))
        count = loop_const_float(l->program, d, (double)p.window);
    else
        count = window_count(l, &p, with_padding);
    bool integral = ty_is_integral(d, true);
    loop_value v = lower_op2(l, integral ? LOOP_TRUNCDIV : LOOP_DIV, sum, count);
    lower_tensor out = pool_of_value(l, &p, loop_cast(l->program, p.out->dtype, v));
    out.box->wanted = lower_wanted(l, 0);
    lower_realise(l, out.box, NULL);
    return lower_give(l, out);
}
