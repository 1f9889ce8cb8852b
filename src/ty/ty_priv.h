/* ty_priv.h -- what the files of ty/ share: comparing strides of a tensor whose sizes are symbolic.
 *
 * A tensor without elements has no layout to speak of, so strides are compared as if every size
 * were at least 1: max(s0, 1), which PyTorch puts into contiguous strides, then equals s0.
 */
#ifndef FERRITE_TY_PRIV_H
#define FERRITE_TY_PRIV_H

#include "ty/ty.h"

static inline bool ty_is_int(const sym_table *t, sym_expr e, int64_t wanted)
{
    int64_t value;
    return sym_is_int(t, e, &value) && value == wanted;
}

/* Are the strides known to be equal, or a <= b, unless numel is 0? */
bool ty_same_stride(sym_table *t, sym_expr a, sym_expr b, sym_expr numel);
bool ty_stride_less_equal(sym_table *t, sym_expr a, sym_expr b, sym_expr numel);

#endif
