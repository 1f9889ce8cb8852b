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
/* From a position in the window (the flat index of ARGMAX) to positions in its dims. */
void pool_unpack(lowering *l, lower_tensor where, uint32_t dims, const sym_expr *sizes,
                 sym_expr *pos);

#endif
