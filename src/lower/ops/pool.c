/* pool.c -- pooling over windows of the last one to three dimensions.
 *
 * A small window of constant size is unrolled into one pointwise value (a chain of masked loads,
 * which vectorises along any axis); larger ones and windows whose size varies (adaptive pooling)
 * are reductions.
 */
#include "lower/lower_priv.h"

#include <math.h>
#include <string.h>

enum { UNROLLED = 25, MOST_DIMS = 3 };

typedef struct pooling {
    lower_tensor x;       /* in the dtype to compute in */
    uint32_t dims, first; /* the last `dims` dimensions, from `first` on */
    int64_t kernel[MOST_DIMS], stride[MOST_DIMS], padding[MOST_DIMS], dilation[MOST_DIMS];
    int64_t window; /* elements */
    const ty_tensor *out;
} pooling;

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

/* The input at window position pos[]; `otherwise` in the padding. */
static loop_value element(lowering *l, const pooling *p, const sym_expr *pos, loop_value otherwise,
                          loop_value *inside_out)
{
    sym_expr at[LOWER_MAX_RANK];
    loop_value inside = loop_const_int(l->program, TY_BOOL, 1);
    memcpy(at, l->axes, p->x.rank * sizeof *at);
    for (uint32_t k = 0; k < p->dims; k++) {
        uint32_t axis = p->first + k;
        sym_expr base = sym_add_int(
            l->symbols, sym_mul_int(l->symbols, l->axes[axis], p->stride[k]), -p->padding[k]);
        at[axis] = sym_add(l->symbols, base, sym_mul_int(l->symbols, pos[k], p->dilation[k]));
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

/* The flat index in the input plane of window position pos[]. */
static loop_value place_of(lowering *l, const pooling *p, const sym_expr *pos)
{
    sym_expr flat = l->zero;
    for (uint32_t k = 0; k < p->dims; k++) {
        uint32_t axis = p->first + k;
        sym_expr base = sym_add_int(
            l->symbols, sym_mul_int(l->symbols, l->axes[axis], p->stride[k]), -p->padding[k]);
        sym_expr at = sym_add(l->symbols, base, sym_mul_int(l->symbols, pos[k], p->dilation[k]));
        flat = sym_add(l->symbols, sym_mul(l->symbols, flat, p->x.sizes[axis]), at);
    }
    return loop_index(l->program, flat);
}

/* A reduction over whole windows, in memory of its own. */
static lower_tensor windows_reduced(lowering *l, const pooling *p, loop_reduce kind,
                                    loop_value otherwise, const sym_expr *wanted)
{
    sym_expr extents[MOST_DIMS];
    for (uint32_t k = 0; k < p->dims; k++) extents[k] = lower_const(l, p->kernel[k]);
    loop_value v = element(l, p, l->reduce_axes, otherwise, NULL);
    ty_dtype d = kind == LOOP_ARGMAX ? TY_I64 : lower_dtype(p->x);
    lower_tensor out = lower_temp_tensor(l, d, p->out->rank, p->out->sizes, wanted);
    loop_op *op = lower_nest(l, p->out->rank, p->out->sizes, p->dims, extents);
    sym_expr at = lower_flat(l, l->axes, out.box->view.strides, p->out->rank);
    lower_store(
        l, op,
        (loop_store){.buffer = out.box->view.buffer, .index = at, .value = v, .reduce = kind});
    return out;
}

/* ---- maximum ---- */

static loop_value least_value(lowering *l, ty_dtype d)
{
    if (ty_is_floating(d)) return loop_const_float(l->program, d, -(double)INFINITY);
    uint32_t bits = 8 * ty_dtype_size(d);
    bool has_sign = ty_dtype_kind(d) == TY_KIND_SIGNED;
    return loop_const_int(l->program, d, has_sign ? (int64_t)(UINT64_MAX << (bits - 1)) : 0);
}

static lower_tensor from_value(lowering *l, const pooling *p, loop_value v)
{
    return lower_value(l, loop_at(l->program, v)->dtype, p->out->rank, p->out->sizes, v);
}

static lower_tensor maximum(lowering *l, const pooling *p)
{
    loop_value low = least_value(l, lower_dtype(p->x)), most = {0};
    if (p->window > UNROLLED) return windows_reduced(l, p, LOOP_REDUCE_MAX, low, NULL);
    for (int64_t k = 0; k < p->window; k++) {
        sym_expr pos[MOST_DIMS];
        position_of(l, p, k, pos);
        loop_value v = element(l, p, pos, low, NULL);
        most = most.id ? lower_op2(l, LOOP_MAX, v, most) : v; /* the first of equals */
    }
    return from_value(l, p, most);
}

/* From a position in the window (the flat index of ARGMAX) to positions in its dims. */
static void unpacked(lowering *l, lower_tensor where, uint32_t dims, const sym_expr *sizes,
                     sym_expr *pos)
{
    sym_expr rest = lower_lookup(l, lower_here(l, where), sym_product(l->symbols, sizes, dims), -1);
    for (uint32_t k = dims; k-- > 0;) {
        pos[k] = k ? sym_mod(l->symbols, rest, sizes[k]) : rest;
        rest = sym_floordiv(l->symbols, rest, sizes[k]);
    }
}

/* Places of the maxima: the first of equals, the last NaN, as PyTorch scans; never one in the
 * padding. */
static lower_tensor maximum_place(lowering *l, const pooling *p)
{
    loop_value most = least_value(l, lower_dtype(p->x)),
               place = loop_const_int(l->program, TY_I64, 0);
    loop_value placed = loop_const_int(l->program, TY_BOOL, 0), low = most;
    bool floating = ty_is_floating(lower_dtype(p->x));
    sym_expr pos[MOST_DIMS];
    if (p->window > UNROLLED) {
        sym_expr sizes[MOST_DIMS];
        for (uint32_t k = 0; k < p->dims; k++) sizes[k] = lower_const(l, p->kernel[k]);
        unpacked(l, windows_reduced(l, p, LOOP_ARGMAX, low, NULL), p->dims, sizes, pos);
        return from_value(l, p, place_of(l, p, pos));
    }
    for (int64_t k = 0; k < p->window; k++) {
        loop_value inside;
        position_of(l, p, k, pos);
        loop_value v = element(l, p, pos, low, &inside), better = lower_op2(l, LOOP_LT, most, v);
        if (floating) better = lower_op2(l, LOOP_OR, better, lower_op1(l, LOOP_ISNAN, v));
        better = lower_op2(l, LOOP_OR, better, lower_op1(l, LOOP_NOT, placed));
        better = lower_op2(l, LOOP_AND, better, inside);
        place = loop_where(l->program, better, place_of(l, p, pos), place);
        most = loop_where(l->program, better, v, most);
        placed = lower_op2(l, LOOP_OR, placed, inside);
    }
    return from_value(l, p, place);
}

fe_status lower_op_max_pool(lowering *l, fx_node *n, const lower_row *row)
{
    pooling p;
    FE_TRY(begin(l, &p, (uint32_t)row->parameter));
    lower_tensor values = lower_cast(l, maximum(l, &p), p.out->dtype);
    if (n->value.kind != FX_TUPLE) {
        if (!values.box->realised) values.box->wanted = lower_wanted(l, 0);
        lower_realise(l, values.box, NULL);
        return lower_give(l, values);
    }
    if (!values.box->realised) values.box->wanted = lower_wanted(l, 0);
    if (lower_is_used(l, 0)) lower_realise(l, values.box, NULL);
    lower_tensor items[2] = {values};
    if (lower_is_used(l, 1)) items[1] = maximum_place(l, &p);
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

fe_status lower_op_avg_pool(lowering *l, fx_node *n, const lower_row *row)
{
    pooling p;
    FE_TRY(begin(l, &p, (uint32_t)row->parameter));
    ty_dtype d = lower_dtype(p.x);
    loop_value zero = loop_const_float(l->program, d, 0), sum = {0}, count;
    if (p.window > UNROLLED) {
        sum = lower_here(l, windows_reduced(l, &p, LOOP_SUM, zero, NULL));
    } else {
        for (int64_t k = 0; k < p.window; k++) {
            sym_expr pos[MOST_DIMS];
            position_of(l, &p, k, pos);
            loop_value v = element(l, &p, pos, zero, NULL);
            sum = sum.id ? lower_op2(l, LOOP_ADD, sum, v) : v;
        }
    }
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
    lower_tensor out = from_value(l, &p, loop_cast(l->program, p.out->dtype, v));
    out.box->wanted = lower_wanted(l, 0);
    lower_realise(l, out.box, NULL);
    return lower_give(l, out);
}

/* ---- adaptive ---- */

/* Window k of dim `axis`: [i * in // out, ceil((i + 1) * in / out)). */
static void adaptive_window(lowering *l, lower_tensor x, const ty_tensor *out, uint32_t axis,
                            sym_expr *start, sym_expr *length)
{
    sym_table *s = l->symbols;
    sym_expr parts = lower_is_zero(l, out->sizes[axis]) ? l->one : out->sizes[axis];
    *start = sym_floordiv(s, sym_mul(s, l->axes[axis], x.sizes[axis]), parts);
    sym_expr next = sym_mul(s, sym_add_int(s, l->axes[axis], 1), x.sizes[axis]);
    *length = sym_sub(s, sym_ceildiv(s, next, parts), *start);
}

/* The most that a window of in elements cut in out parts holds; exact: no window holds less. */
static sym_expr longest_window(lowering *l, sym_expr in, sym_expr out, bool *exact)
{
    int64_t a, b, longest = 0;
    *exact = false;
    if (lower_is_zero(l, out)) return in;
    if (!sym_is_int(l->symbols, in, &a) || !sym_is_int(l->symbols, out, &b) || b <= 0)
        return sym_add_int(l->symbols, sym_ceildiv(l->symbols, in, out), 1);
    *exact = a % b == 0;
    for (int64_t k = 0; k < b; k++) {
        int64_t length = ((k + 1) * a + b - 1) / b - k * a / b;
        if (length > longest) longest = length;
    }
    return lower_const(l, longest);
}

/* The windows of one program: positions in the input over output axes and reduction axes. */
typedef struct adaptive_windows {
    sym_expr at[LOWER_MAX_RANK], starts[MOST_DIMS], extents[MOST_DIMS];
    loop_value inside, count;
} adaptive_windows;

static void find_windows(lowering *l, const pooling *p, adaptive_windows *w)
{
    ty_dtype d = lower_dtype(p->x);
    w->inside = loop_const_int(l->program, TY_BOOL, 1);
    w->count = loop_const_float(l->program, d, 1);
    memcpy(w->at, l->axes, p->x.rank * sizeof *w->at);
    for (uint32_t k = 0; k < p->dims; k++) {
        uint32_t axis = p->first + k;
        sym_expr span;
        bool exact;
        adaptive_window(l, p->x, p->out, axis, &w->starts[k], &span);
        w->extents[k] = longest_window(l, p->x.sizes[axis], p->out->sizes[axis], &exact);
        if (!exact) {
            span = lower_simplified(l, span, p->out->rank, p->out->sizes);
            loop_value place = loop_index(l->program, l->reduce_axes[k]);
            loop_value fits = lower_op2(l, LOOP_LT, place, loop_index(l->program, span));
            w->inside = lower_op2(l, LOOP_AND, w->inside, fits);
        }
        loop_value length = loop_index(l->program, exact ? w->extents[k] : span);
        w->count = lower_op2(l, LOOP_MUL, w->count, loop_cast(l->program, d, length));
        w->at[axis] = sym_add(l->symbols, w->starts[k], l->reduce_axes[k]);
    }
}

static void adaptive(lowering *l, const pooling *p, loop_reduce kind, lower_tensor *out)
{
    adaptive_windows w;
    ty_dtype d = lower_dtype(p->x);
    find_windows(l, p, &w);
    loop_value otherwise =
        kind == LOOP_SUM ? loop_const_float(l->program, d, 0) : least_value(l, d);
    loop_value v = loop_masked(l->program, w.inside, lower_at(l, p->x, w.at), otherwise);
    *out =
        lower_temp_tensor(l, kind == LOOP_ARGMAX ? TY_I64 : d, p->out->rank, p->out->sizes, NULL);
    loop_op *op = lower_nest(l, p->out->rank, p->out->sizes, p->dims, w.extents);
    sym_expr to = lower_flat(l, l->axes, out->box->view.strides, p->out->rank);
    lower_store(
        l, op,
        (loop_store){.buffer = out->box->view.buffer, .index = to, .value = v, .reduce = kind});
    if (kind == LOOP_SUM)
        *out = from_value(l, p, lower_op2(l, LOOP_DIV, lower_here(l, *out), w.count));
    if (kind != LOOP_ARGMAX) return;
    sym_expr flat = l->zero, pos[MOST_DIMS];
    unpacked(l, *out, p->dims, w.extents, pos);
    for (uint32_t k = 0; k < p->dims; k++) {
        sym_expr place = sym_add(l->symbols, w.starts[k], pos[k]);
        flat = sym_add(l->symbols, sym_mul(l->symbols, flat, p->x.sizes[p->first + k]), place);
    }
    *out = from_value(l, p, loop_index(l->program, flat));
}

static fe_status adaptive_begin(lowering *l, pooling *p, uint32_t dims)
{
    lower_tensor x = lower_tensor_of(l, &l->node->args[0]);
    *p = (pooling){.dims = dims, .first = x.rank - dims, .out = lower_meta(l, 0)};
    p->x = lower_cast(l, x, lower_compute_dtype(lower_dtype(x)));
    lower_share(l, p->x);
    return FE_OK;
}

fe_status lower_op_adaptive_avg_pool(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    pooling p;
    FE_TRY(adaptive_begin(l, &p, (uint32_t)row->parameter));
    bool whole = true, reduced[LOWER_MAX_RANK] = {false};
    for (uint32_t k = p.first; k < p.x.rank; k++) {
        whole &= lower_is_one(l, p.out->sizes[k]);
        reduced[k] = true;
    }
    lower_tensor out;
    if (whole)
        out = lower_mean(l, p.x, reduced, true, NULL);
    else
        adaptive(l, &p, LOOP_SUM, &out);
    return lower_give(l, lower_cast(l, out, p.out->dtype));
}

fe_status lower_op_adaptive_max_pool(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    pooling p;
    FE_TRY(adaptive_begin(l, &p, (uint32_t)row->parameter));
    lower_tensor items[2] = {{0}};
    adaptive(l, &p, LOOP_REDUCE_MAX, &items[0]);
    items[0] = lower_cast(l, items[0], p.out->dtype);
    if (n->value.kind != FX_TUPLE) return lower_give(l, items[0]);
    if (lower_is_used(l, 1)) adaptive(l, &p, LOOP_ARGMAX, &items[1]);
    return lower_give_items(l, items, 2);
}
