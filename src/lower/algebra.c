/* algebra.c -- tensors from tensors: the few building blocks that lowerings of whole layers are
 * put together from. */
#include "lower/compose.h"

#include <math.h>
#include <string.h>

/* A weight in a half type, widened once and for all while compiling. */
static bool widened_constant(lowering *l, lower_tensor t, ty_dtype d, lower_tensor *out)
{
    ty_dtype from = lower_dtype(t);
    loop_view v;
    if ((from != TY_F16 && from != TY_BF16) || d != TY_F32 || !lower_is_constant(l, t) ||
        !lower_try_strided(l, t, &v))
        return false;
    loop_buffer b = l->program->buffers.at[v.buffer];
    uint32_t step = ty_dtype_size(from);
    size_t count = b.data_bytes / step;
    int64_t reached;
    if (!b.data || b.dtype != from || !sym_is_int(l->symbols, b.elements, &reached) || reached < 0)
        return false;
    if ((size_t)reached < count) count = (size_t)reached;
    float *wide = NEW_ARRAY(l->memory, float, count);
    for (size_t k = 0; k < count; k++)
        loop_convert(TY_F32, wide + k, from, (const char *)b.data + k * step);
    b.name = arena_printf(l->memory, "%s.f32_%u", b.name, l->program->buffers.count);
    b.dtype = TY_F32;
    b.data = wide;
    b.data_bytes = count * sizeof *wide;
    v.buffer = loop_add_buffer(l->program, b);
    v.dtype = TY_F32;
    *out = lower_viewed(l, v);
    return true;
}

lower_tensor lower_cast(lowering *l, lower_tensor t, ty_dtype d)
{
    lower_tensor wide;
    if (lower_dtype(t) == d) return t;
    if (widened_constant(l, t, d, &wide)) return wide;
    return lower_value(l, d, t.rank, t.sizes, loop_cast(l->program, d, lower_here(l, t)));
}

lower_tensor lower_unary(lowering *l, loop_opcode op, lower_tensor a)
{
    loop_value v = lower_op1(l, op, lower_here(l, a));
    return lower_value(l, loop_at(l->program, v)->dtype, a.rank, a.sizes, v);
}

lower_tensor lower_binary(lowering *l, loop_opcode op, lower_tensor a, lower_tensor b)
{
    sym_expr sizes[TY_MAX_RANK];
    uint32_t rank;
    bool fits = ty_broadcast(l->symbols, a.rank, a.sizes, b.rank, b.sizes, &rank, sizes);
    CHECK(l->session, fits);
    loop_value v =
        lower_op2(l, op, lower_broadcast(l, a, rank, sizes), lower_broadcast(l, b, rank, sizes));
    return lower_value(l, loop_at(l->program, v)->dtype, rank, sizes, v);
}

lower_tensor lower_number(lowering *l, ty_dtype d, double number)
{
    return lower_value(l, d, 0, NULL, loop_const_float(l->program, d, number));
}

loop_value lower_extreme(lowering *l, ty_dtype d, bool greatest)
{
    double infinity = (double)INFINITY;
    if (!ty_is_integral(d, true))
        return loop_const_float(l->program, d, greatest ? infinity : -infinity);
    int bits = d == TY_BOOL ? 1 : 8 * (int)ty_dtype_size(d);
    if (ty_dtype_kind(d) != TY_KIND_SIGNED)
        return loop_const_int(l->program, d, greatest ? (int64_t)(UINT64_MAX >> (64 - bits)) : 0);
    uint64_t least = UINT64_MAX << (bits - 1);
    return loop_const_int(l->program, d, (int64_t)(greatest ? ~least : least));
}

lower_tensor lower_scale(lowering *l, lower_tensor a, double factor)
{
    return factor == 1 ? a : lower_binary(l, LOOP_MUL, a, lower_number(l, lower_dtype(a), factor));
}

/* ---- writing at positions ---- */

lower_tensor lower_zeros(lowering *l, ty_dtype d, uint32_t rank, const sym_expr *sizes,
                         const sym_expr *wanted)
{
    lower_tensor t = lower_value(l, d, rank, sizes, loop_const_int(l->program, d, 0));
    lower_realise(l, t.box, wanted);
    return t;
}

void lower_scatter(lowering *l, lower_tensor target, uint32_t rank, const sym_expr *sizes,
                   const sym_expr *at, loop_value value, loop_store_mode mode)
{
    const loop_view *to = &target.box->view;
    loop_op *op = lower_nest(l, rank, sizes, 0, NULL);
    sym_expr index = sym_add(l->symbols, to->offset, lower_flat(l, at, to->strides, to->rank));
    lower_store(l, op,
                (loop_store){.buffer = to->buffer, .index = index, .value = value, .mode = mode});
}

/* ---- reductions ---- */

sym_expr lower_reduced_count(lowering *l, lower_tensor x, const bool *reduced)
{
    sym_expr count = l->one;
    for (uint32_t k = 0; k < x.rank; k++)
        if (reduced[k]) count = sym_mul(l->symbols, count, x.sizes[k]);
    return count;
}

/* Puts back the reduced dims with size 1. */
static lower_tensor with_kept_dims(lowering *l, lower_tensor t, uint32_t rank, const bool *reduced)
{
    for (uint32_t k = 0; k < rank; k++)
        if (reduced[k]) t = lower_unsqueeze(l, t, k);
    return t;
}

static bool folds_to_itself(loop_reduce kind)
{
    return kind == LOOP_SUM || kind == LOOP_PROD || kind == LOOP_REDUCE_MIN ||
           kind == LOOP_REDUCE_MAX || kind == LOOP_ANY || kind == LOOP_ALL ||
           kind == LOOP_REDUCE_XOR;
}

lower_tensor lower_reduced(lowering *l, loop_reduce kind, lower_tensor x, const bool *reduced,
                           bool keep, const sym_expr *wanted)
{
    sym_expr index[LOWER_MAX_RANK] = {{0}}, strides[LOWER_MAX_RANK];
    sym_expr extents[LOWER_MAX_RANK], spans[LOWER_MAX_RANK];
    uint32_t axes = 0, reduce_axes = 0;
    for (uint32_t k = 0; k < x.rank; k++) {
        if (!reduced[k]) {
            if (wanted) strides[axes] = wanted[keep ? k : axes];
            extents[axes] = x.sizes[k];
            index[k] = l->axes[axes++];
        } else if (lower_is_one(l, x.sizes[k])) {
            index[k] = l->zero;
        } else {
            spans[reduce_axes] = x.sizes[k];
            index[k] = l->reduce_axes[reduce_axes++];
        }
    }
    loop_value v = lower_at(l, x, index);
    ty_dtype d = kind == LOOP_ARGMIN || kind == LOOP_ARGMAX ? TY_I64 : lower_dtype(x);
    lower_tensor out;
    if (reduce_axes == 0 && folds_to_itself(kind)) {
        out = lower_value(l, d, axes, extents, v);
    } else {
        out = lower_temp_tensor(l, d, axes, extents, wanted ? strides : NULL);
        loop_op *op = lower_nest(l, axes, extents, reduce_axes, spans);
        sym_expr at = lower_flat(l, l->axes, out.box->view.strides, axes);
        lower_store(
            l, op,
            (loop_store){.buffer = out.box->view.buffer, .index = at, .value = v, .reduce = kind});
    }
    return keep ? with_kept_dims(l, out, x.rank, reduced) : out;
}

/* A count as a value of a float dtype. */
static loop_value count_value(lowering *l, sym_expr count, ty_dtype d)
{
    return loop_cast(l->program, d, loop_index(l->program, count));
}

lower_tensor lower_mean(lowering *l, lower_tensor x, const bool *reduced, bool keep,
                        const sym_expr *wanted)
{
    lower_tensor sum = lower_reduced(l, LOOP_SUM, x, reduced, keep, wanted);
    loop_value count = count_value(l, lower_reduced_count(l, x, reduced), lower_dtype(x));
    loop_value v = lower_op2(l, LOOP_DIV, lower_here(l, sum), count);
    return lower_value(l, lower_dtype(x), sum.rank, sum.sizes, v);
}

bool lower_dims(lowering *l, const char *param, uint32_t rank, bool *reduced)
{
    int64_t dims[LOWER_MAX_RANK];
    int count = lower_constants(l, param, dims, LOWER_MAX_RANK);
    memset(reduced, 0, rank * sizeof *reduced);
    if (count == -2) return false;
    for (int k = 0; k < count; k++)
        if (rank) reduced[lower_dim(l, dims[k], rank)] = true;
    if (count <= 0)
        for (uint32_t k = 0; k < rank; k++) reduced[k] = true;
    return true;
}

/* ---- compose.h ---- */

lower_tensor lower_choice(lowering *l, lower_tensor condition, lower_tensor a, lower_tensor b)
{
    sym_expr sizes[TY_MAX_RANK], all[TY_MAX_RANK];
    uint32_t rank, all_rank;
    bool fits =
        ty_broadcast(l->symbols, a.rank, a.sizes, b.rank, b.sizes, &rank, sizes) &&
        ty_broadcast(l->symbols, rank, sizes, condition.rank, condition.sizes, &all_rank, all);
    CHECK(l->session, fits);
    loop_value v =
        loop_where(l->program, lower_broadcast(l, condition, all_rank, all),
                   lower_broadcast(l, a, all_rank, all), lower_broadcast(l, b, all_rank, all));
    return lower_value(l, lower_dtype(a), all_rank, all, v);
}

lower_tensor lower_total(lowering *l, loop_reduce kind, lower_tensor x)
{
    bool reduced[LOWER_MAX_RANK];
    memset(reduced, 1, sizeof reduced);
    return lower_reduced(l, kind, x, reduced, false, NULL);
}

lower_tensor lower_along(lowering *l, loop_reduce kind, lower_tensor x, uint32_t dim, bool keep)
{
    bool reduced[LOWER_MAX_RANK] = {false};
    reduced[dim] = true;
    return lower_reduced(l, kind, x, reduced, keep, NULL);
}

lower_tensor lower_computed_arg(lowering *l, const char *param)
{
    lower_tensor t = lower_arg(l, param);
    return lower_absent(t) ? t : lower_cast(l, t, lower_compute_dtype(lower_meta(l, 0)->dtype));
}

fe_status lower_give_as_recorded(lowering *l, lower_tensor t)
{
    const ty_tensor *out = fx_tensor(l->node);
    return lower_give(l, lower_cast(l, lower_reshape(l, t, out->rank, out->sizes), out->dtype));
}
