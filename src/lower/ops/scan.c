/* scan.c -- running sums, products, extremes: one scan store a row.
 *
 * Few long rows are cut into blocks, so that threads have something to share: what each block comes
 * to, a scan of those, and then the scan of every block, joined with where the one before it ends. What is
 * left behind the last whole block is a scan of its own.
 *
 *     nest [i0 < 244] reduce [r0 < 4096] { @own[i0, r0] = scan sum x[4096*i0 + r0] }
 *     nest [i0 < 244, i1 < 4096] { @y[4096*i0 + i1] = @own[i0, i1] + (i0 > 0 ? @ends[i0 - 1] : 0) }
 *     nest [] reduce [r0 < 576] { ... }
 *
 * Floats are added up as PyTorch does it: f32 in f64, halves in f32.
 */
#include "lower/compose.h"
#include "lower/ops/order.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 4096, LONG_ROW = 1 << 16, FEW_ROWS = 8 };

typedef struct scan {
    lowering *l;
    tensor x, out;
    uint32_t dim;
    loop_reduce kind;
    ty_dtype kept; /* what comes of several blocks */
} scan;

static loop_opcode combining_op(loop_reduce kind)
{
    switch (kind) {
    case LOOP_PROD: return LOOP_MUL;
    case LOOP_REDUCE_MIN: return LOOP_MIN;
    case LOOP_REDUCE_MAX: return LOOP_MAX;
    case LOOP_ANY: return LOOP_OR;
    case LOOP_ALL: return LOOP_AND;
    case LOOP_LOG_SUM_EXP: return LOOP_LOGADDEXP;
    default: return LOOP_ADD;
    }
}

/* ---- one scan a row ---- */

/* Element r0 of the row that the nest's axes, the tensor's without dim, are at. */
static void index_of_step(const scan *s, sym_expr *at)
{
    for (uint32_t k = 0; k < s->x.rank; k++)
        at[k] = k == s->dim ? s->l->reduce_axes[0] : s->l->axes[k - (k > s->dim)];
}

static void store_scan(const scan *s, uint32_t axes, const sym_expr *sizes, sym_expr steps,
                       const loop_view *to, const sym_expr *at, loop_value v)
{
    lowering *l = s->l;
    loop_op *op = lower_nest(l, axes, sizes, 1, &steps);
    lower_store(l, op,
                (loop_store){.buffer = to->buffer,
                             .index = lower_flat(l, at, to->strides, to->rank),
                             .value = v,
                             .reduce = s->kind,
                             .scan = true});
}

static void scan_rows(const scan *s)
{
    lowering *l = s->l;
    sym_expr at[LOWER_MAX_RANK], sizes[LOWER_MAX_RANK];
    uint32_t axes = 0;
    for (uint32_t k = 0; k < s->x.rank; k++)
        if (k != s->dim) sizes[axes++] = s->x.sizes[k];
    index_of_step(s, at);
    store_scan(s, axes, sizes, s->x.sizes[s->dim], &s->out.box->view, at, lower_at(l, s->x, at));
}

/* ---- blocks ---- */

/* What was before, where there was something, with v. */
static loop_value joined(const scan *s, loop_value follows, loop_value end, loop_value v)
{
    return loop_masked(s->l->program, follows, lower_op2(s->l, combining_op(s->kind), end, v), v);
}

/* Scans `steps` elements from `from` on, once for each of the `sizes`, and joins each with what `ends` holds
 * at `before` of dim; of the dearest, the first alone. */
static void scan_blocks(const scan *s, const sym_expr *sizes, sym_expr from, sym_expr steps,
                        tensor ends, sym_expr before)
{
    lowering *l = s->l;
    loop_program *p = l->program;
    sym_expr at[LOWER_MAX_RANK], all[LOWER_MAX_RANK];
    const loop_view *to = &s->out.box->view;
    uint32_t rank = s->x.rank;
    memcpy(at, l->axes, rank * sizeof *at);
    at[s->dim] = before;
    loop_value none = loop_const_int(p, TY_I64, 0), end = lower_at(l, ends, at),
               follows = lower_op2(l, LOOP_LE, none, loop_index(p, before));
    at[s->dim] = sym_add(l->symbols, from, l->reduce_axes[0]);
    loop_value v = lower_at(l, s->x, at);
    if (s->kind == LOOP_LOG_SUM_EXP) {
        loop_value first = lower_op2(l, LOOP_EQ, loop_index(p, l->reduce_axes[0]), none);
        v = loop_masked(p, first, joined(s, follows, end, v), v);
        store_scan(s, rank, sizes, steps, to, at, v);
        return;
    }
    memcpy(all, sizes, rank * sizeof *all);
    all[rank] = steps;
    tensor own = lower_temp_tensor(l, lower_dtype(s->x), rank + 1, all, NULL);
    memcpy(at, l->axes, rank * sizeof *at);
    at[rank] = l->reduce_axes[0];
    store_scan(s, rank, sizes, steps, &own.box->view, at, v);
    v = loop_cast(p, lower_dtype(ends), lower_at(l, own, l->axes));
    at[s->dim] = sym_add(l->symbols, from, l->axes[rank]);
    loop_op *op = lower_nest(l, rank + 1, all, 0, NULL);
    lower_store(l, op,
                (loop_store){.buffer = to->buffer,
                             .index = lower_flat(l, at, to->strides, to->rank),
                             .value = loop_cast(p, to->dtype, joined(s, follows, end, v))});
}

/* What each block comes to, the ones before it included. */
static tensor block_ends(const scan *s, const sym_expr *sizes, sym_expr steps)
{
    lowering *l = s->l;
    sym_expr at[LOWER_MAX_RANK];
    tensor sums = lower_temp_tensor(l, lower_dtype(s->x), s->x.rank, sizes, NULL);
    memcpy(at, l->axes, s->x.rank * sizeof *at);
    at[s->dim] = sym_add(l->symbols, sym_mul(l->symbols, at[s->dim], steps), l->reduce_axes[0]);
    loop_value v = lower_at(l, s->x, at);
    loop_op *op = lower_nest(l, s->x.rank, sizes, 1, &steps);
    const loop_view *to = &sums.box->view;
    lower_store(l, op,
                (loop_store){.buffer = to->buffer,
                             .index = lower_flat(l, l->axes, to->strides, to->rank),
                             .value = v,
                             .reduce = s->kind});
    sums = lower_cast(l, sums, s->kept);
    return lower_scan(l, sums, s->dim, s->kind, s->kept, NULL);
}

static void scan_long_rows(const scan *s)
{
    lowering *l = s->l;
    sym_expr sizes[LOWER_MAX_RANK], steps = lower_const(l, BLOCK), size = s->x.sizes[s->dim],
                                    blocks = sym_floordiv(l->symbols, size, steps);
    sym_expr whole = sym_mul(l->symbols, blocks, steps), rest = sym_sub(l->symbols, size, whole);
    memcpy(sizes, s->x.sizes, s->x.rank * sizeof *sizes);
    sizes[s->dim] = blocks;
    tensor ends = block_ends(s, sizes, steps);
    sym_expr block = l->axes[s->dim];
    scan_blocks(s, sizes, sym_mul(l->symbols, block, steps), steps, ends,
                sym_add_int(l->symbols, block, -1));
    if (lower_is_zero(l, rest)) return;
    sizes[s->dim] = l->one;
    scan_blocks(s, sizes, whole, rest, ends, sym_add_int(l->symbols, blocks, -1));
}

static bool is_long(const scan *s)
{
    lowering *l = s->l;
    int64_t size = sym_usual(l->symbols, s->x.sizes[s->dim]),
            all = sym_usual(l->symbols, lower_numel(l, s->x));
    return size >= LONG_ROW && all / size < FEW_ROWS && s->x.rank < LOWER_MAX_RANK;
}

/* What sums and products are kept in: of products what has room for those of a vector's elements, whatever
 * they are. */
static ty_dtype kept_in(ty_dtype d, loop_reduce kind)
{
    ty_dtype kept = lower_compute_dtype(d);
    if (d == TY_C64) return TY_C128;
    return d == TY_F32 || (kept == TY_F32 && kind == LOOP_PROD) ? TY_F64 : kept;
}

/* Products of blocks would overflow where what is before them is small, or 0. */
static bool has_blocks(const scan *s)
{
    bool multiplies = s->kind == LOOP_PROD && !ty_is_integral(lower_dtype(s->x), true);
    return !multiplies && is_long(s);
}

tensor lower_scan(lowering *l, tensor x, uint32_t dim, loop_reduce kind, ty_dtype out,
                  const sym_expr *wanted)
{
    bool adds = kind == LOOP_SUM || kind == LOOP_PROD || kind == LOOP_LOG_SUM_EXP;
    scan s = {.l = l, .x = x, .dim = dim, .kind = kind};
    if (adds) s.x = lower_cast(l, x, kept_in(lower_dtype(x), kind));
    s.kept = lower_dtype(s.x);
    if (adds && ty_is_integral(s.kept, true))
        s.kept = out; /* they may be sums that only blocks have room for */
    if (has_blocks(&s)) lower_share(l, x);
    s.out = lower_temp_tensor(l, out, x.rank, x.sizes, wanted);
    (has_blocks(&s) ? scan_long_rows : scan_rows)(&s);
    return s.out;
}

/* ---- the operators ---- */

static fe_status begin(lowering *l, tensor *x, uint32_t *dim, uint32_t *rank)
{
    *x = lower_tensor_of(l, &l->node->args[0]);
    *rank = x->rank;
    *x = lower_at_least_1d(l, *x);
    *dim = lower_dim(l, lower_int_or(l, "dim", -1), x->rank);
    return FE_OK;
}

/* The size is known to be no more than this. */
static bool is_within(lowering *l, sym_expr size, int64_t most)
{
    int64_t least, greatest;
    sym_range(l->symbols, size, NULL, &least, &greatest);
    return greatest <= most;
}

/* Sums of so many such integers, or of those in a block, are as exact in 32 bits. */
static bool adds_narrowly(lowering *l, tensor x, uint32_t dim)
{
    scan s = {.l = l, .x = x, .dim = dim};
    uint32_t bits = 8 * ty_dtype_size(lower_dtype(x));
    return ty_is_integral(lower_dtype(x), true) && bits <= 16 &&
           (is_long(&s) || is_within(l, x.sizes[dim], INT32_MAX >> bits));
}

/* cumsum, cumprod, logcumsumexp: the parameter is the reduction. */
fe_status lower_op_cumulate(lowering *l, fx_node *n, const lower_row *row)
{
    tensor x;
    uint32_t dim, rank;
    ty_dtype out = fx_tensor(n)->dtype;
    FE_TRY(begin(l, &x, &dim, &rank));
    if (row->parameter == LOOP_LOG_SUM_EXP && ty_is_integral(out, true))
        return lower_fail(l, "logcumsumexp of this dtype");
    bool narrow = row->parameter == LOOP_SUM && out == TY_I64 && adds_narrowly(l, x, dim);
    x = lower_cast(l, x, narrow ? TY_I32 : out);
    tensor y =
        lower_scan(l, x, dim, (loop_reduce)row->parameter, out, rank ? lower_wanted(l, 0) : NULL);
    return lower_give(l, rank ? y : lower_squeeze(l, y, 0));
}

/* Where the extreme that stands at each element was last met: the greatest place so far that holds
 * it. */
static tensor last_places(lowering *l, tensor x, tensor extremes, uint32_t dim,
                          const sym_expr *wanted)
{
    loop_value v = lower_here(l, x),
               most = loop_cast(l->program, lower_dtype(x), lower_here(l, extremes));
    loop_value met = lower_op2(l, LOOP_EQ, v, most);
    if (ty_is_floating(lower_dtype(x)))
        met = lower_op2(l, LOOP_OR, met, lower_op1(l, LOOP_ISNAN, v));
    ty_dtype place = is_within(l, x.sizes[dim], INT32_MAX) ? TY_I32 : TY_I64;
    v = loop_where(l->program, met,
                   loop_cast(l->program, place, loop_index(l->program, l->axes[dim])),
                   loop_const_int(l->program, place, 0));
    tensor places = lower_value(l, place, x.rank, x.sizes, v);
    return lower_scan(l, places, dim, LOOP_REDUCE_MAX, TY_I64, wanted);
}

/* cummax (parameter 1), cummin: values and where they stand, the last of equals. */
fe_status lower_op_cumulate_extreme(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    tensor x, items[2];
    uint32_t dim, rank;
    bool is_max = row->parameter;
    FE_TRY(begin(l, &x, &dim, &rank));
    ty_dtype given = lower_dtype(x), d = lower_compute_dtype(given);
    if (ty_is_complex(d)) return lower_fail(l, "an order of complex numbers");
    lower_share(l, x);
    x = lower_cast(l, x, d);
    loop_reduce kind = d == TY_BOOL ? (is_max ? LOOP_ANY : LOOP_ALL)
                       : is_max     ? LOOP_REDUCE_MAX
                                    : LOOP_REDUCE_MIN;
    items[0] = lower_scan(l, x, dim, kind, given, rank ? lower_wanted(l, 0) : NULL);
    items[1] = items[0];
    if (lower_is_used(l, 1))
        items[1] = last_places(l, x, items[0], dim, rank ? lower_wanted(l, 1) : NULL);
    else
        items[1] = lower_cast(l, items[0], TY_I64);
    for (uint32_t k = 0; k < 2 && rank == 0; k++) items[k] = lower_squeeze(l, items[k], 0);
    return lower_give_items(l, items, 2);
}
