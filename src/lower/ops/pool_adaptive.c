/* pool_adaptive.c -- pooling to a given number of results: windows whose size varies are reductions. */
#include "lower/ops/pool.h"

#include <string.h>

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
    loop_value otherwise = kind == LOOP_SUM ? loop_const_float(l->program, d, 0) : pool_least(l, d);
    loop_value v = loop_masked(l->program, w.inside, lower_at(l, p->x, w.at), otherwise);
    *out = pool_reduced(l, p, w.extents, v, kind);
    if (kind == LOOP_SUM)
        *out = pool_of_value(l, p, lower_op2(l, LOOP_DIV, lower_here(l, *out), w.count));
}

/* Flat indices in the input plane of the maxima. */
static lower_tensor adaptive_places(lowering *l, const pooling *p, lower_tensor most)
{
    adaptive_windows w;
    find_windows(l, p, &w);
    sym_expr flat = l->zero;
    for (uint32_t k = 0; k < p->dims; k++)
        flat = sym_add(l->symbols, sym_mul(l->symbols, flat, p->x.sizes[p->first + k]),
                       w.at[p->first + k]);
    loop_value low = pool_least(l, lower_dtype(p->x));
    loop_value v = loop_masked(l->program, w.inside, lower_at(l, p->x, w.at), low);
    return pool_places(l, p, w.extents, most, v, w.inside, loop_index(l->program, flat));
}

/* One dimension after another, as pool.c does: a mean of means, as windows are as long in all rows. */
static lower_tensor adaptive_by_dims(lowering *l, const pooling *p, loop_reduce kind)
{
    pooling one = *p;
    lower_tensor out = {0};
    if (p->out->device.kind != TY_CPU) {
        adaptive(l, p, kind, &out);
        return out;
    }
    one.dims = 1;
    for (uint32_t k = 0; k < p->dims; k++, one.first++) {
        bool is_last = k + 1 == p->dims;
        one.out = is_last ? p->out : ty_tensor_copy(l->memory, p->out);
        for (uint32_t later = k + 1; later < p->dims; later++)
            one.out->sizes[p->first + later] = p->x.sizes[p->first + later];
        adaptive(l, &one, kind, &out);
        if (!is_last) lower_realise(l, out.box, NULL);
        one.x = out;
    }
    return out;
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
        out = adaptive_by_dims(l, &p, LOOP_SUM);
    return lower_give(l, lower_cast(l, out, p.out->dtype));
}

fe_status lower_op_adaptive_max_pool(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    pooling p;
    FE_TRY(adaptive_begin(l, &p, (uint32_t)row->parameter));
    lower_tensor most = adaptive_by_dims(l, &p, LOOP_REDUCE_MAX);
    lower_tensor items[2] = {lower_cast(l, most, p.out->dtype)};
    if (n->value.kind != FX_TUPLE) return lower_give(l, items[0]);
    if (lower_is_used(l, 1)) items[1] = adaptive_places(l, &p, most);
    return lower_give_items(l, items, 2);
}
