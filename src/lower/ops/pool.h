/* pool.h -- what pools over windows of constant size (pool.c) and adaptive ones (pool_adaptive.c) share. */
#ifndef FERRITE_LOWER_POOL_H
#define FERRITE_LOWER_POOL_H

#include "lower/lower_priv.h"

enum { MOST_DIMS = 3 };

typedef struct pooling {
    lower_tensor x;       /* in the dtype to compute in */
    uint32_t dims, first; /* the last `dims` dimensions, from `first` on */
    int64_t kernel[MOST_DIMS], stride[MOST_DIMS], padding[MOST_DIMS], dilation[MOST_DIMS];
    int64_t window; /* elements */
    ty_tensor *out;
} pooling;

/* What is below or equal to all. */
loop_value pool_least(lowering *l, ty_dtype d);
/* A result, of the value at its axes. */
lower_tensor pool_of_value(lowering *l, const pooling *p, loop_value v);
/* The value over windows of these extents, which the reduction axes go through, in memory of its own. */
lower_tensor pool_reduced(lowering *l, const pooling *p, const sym_expr *extents, loop_value v,
                          loop_reduce kind);
/* Where in windows over these extents, which the reduction axes go through, `most` is: the first of equals,
 * the last NaN, as PyTorch scans. Of each element its value, whether it is one of the window, its place. */
lower_tensor pool_places(lowering *l, const pooling *p, const sym_expr *extents, lower_tensor most,
                         loop_value v, loop_value inside, loop_value place);

#endif
