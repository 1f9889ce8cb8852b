/* decompose_arith.h -- arithmetic in the rules of decompose.h. */
#ifndef FERRITE_PASS_DECOMPOSE_ARITH_H
#define FERRITE_PASS_DECOMPOSE_ARITH_H

#include "pass/decompose/decompose.h"

static inline fx_arg arg(decomposing *d, const char *param)
{
    const fx_arg *a = decompose_arg(d, param);
    return a ? *a : fx_none();
}
static inline fx_arg add(decomposing *d, fx_arg a, fx_arg b)
{
    return CALL(aten_add_Tensor, a, b);
}
static inline fx_arg sub(decomposing *d, fx_arg a, fx_arg b)
{
    return CALL(aten_sub_Tensor, a, b);
}
static inline fx_arg mul(decomposing *d, fx_arg a, fx_arg b)
{
    return CALL(aten_mul_Tensor, a, b);
}
static inline fx_arg quotient(decomposing *d, fx_arg a, fx_arg b)
{
    return CALL(aten_div_Tensor, a, b);
}
/* number - x */
static inline fx_arg from_number(decomposing *d, double number, fx_arg x)
{
    return CALL(aten_rsub_Scalar, x, fx_float(number));
}
static inline uint32_t rank_of(fx_arg x)
{
    const ty_tensor *t = fx_arg_tensor(&x);
    return t ? t->rank : 0;
}
static inline fx_arg cast(decomposing *d, fx_arg x, ty_dtype dtype)
{
    const ty_tensor *t = fx_arg_tensor(&x);
    return !t || t->dtype == dtype ? x : CALL(aten__to_copy_default, x, fx_dtype(dtype));
}
/* In the dtype that PyTorch's kernels compute halves in. */
static inline fx_arg wide(decomposing *d, fx_arg x)
{
    const ty_tensor *t = fx_arg_tensor(&x);
    return t && ty_is_half(t->dtype) ? cast(d, x, TY_F32) : x;
}
static inline fx_arg reshaped(decomposing *d, fx_arg x, uint32_t rank, const sym_expr *sizes)
{
    return CALL(aten_reshape_default, x, fx_int_list(d->g, sizes, rank));
}

static inline fx_arg unsqueezed(decomposing *d, fx_arg x, int64_t dim)
{
    return CALL(aten_unsqueeze_default, x, decompose_of(d, dim));
}
static inline fx_arg summed(decomposing *d, fx_arg x, int64_t dim, bool keep)
{
    sym_expr e = sym_int(d->g->symbols, dim);
    return CALL(aten_sum_dim_IntList, x, fx_int_list(d->g, &e, 1), fx_bool(keep));
}
/* 0, 1, 2, ... */
static inline fx_arg counted(decomposing *d, sym_expr count)
{
    return CALL(aten_arange_default, fx_expr(count));
}
static inline fx_arg zeros_of(decomposing *d, fx_arg like, uint32_t rank, const sym_expr *sizes)
{
    return CALL(aten_new_zeros_default, like, fx_int_list(d->g, sizes, rank));
}
/* x where the test holds, else 0 */
static inline fx_arg or_zero(decomposing *d, fx_arg test, fx_arg x)
{
    return CALL(aten_where_ScalarOther, test, x, decompose_of(d, 0));
}
static inline fx_arg both(decomposing *d, fx_arg a, fx_arg b)
{
    return CALL(aten_logical_and_default, a, b);
}
/* Is the k-th result asked for? */
static inline bool wanted(decomposing *d, uint32_t k)
{
    const fx_arg *mask = decompose_arg(d, "output_mask");
    return !mask || (mask->kind == FX_ARG_LIST && k < mask->list.count &&
                     fx_arg_bool(&mask->list.items[k], false));
}
/* The dimensions from first to before end, as a set. */
static inline uint64_t dims_from(uint32_t first, uint32_t end)
{
    return end <= first ? 0 : (((uint64_t)1 << end) - 1) & ~(((uint64_t)1 << first) - 1);
}
/* The sum over a set of dimensions, kept as 1. */
static inline fx_arg sum_over(decomposing *d, fx_arg x, uint64_t set, bool keep)
{
    sym_expr dims[TY_MAX_RANK];
    uint32_t count = 0;
    for (uint32_t k = 0; k < rank_of(x); k++)
        if (set >> k & 1) dims[count++] = sym_int(d->g->symbols, k);
    return count ? CALL(aten_sum_dim_IntList, x, fx_int_list(d->g, dims, count), fx_bool(keep)) : x;
}

#endif
