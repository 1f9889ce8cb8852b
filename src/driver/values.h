/* values.h -- what a tensor holds, in figures: for those who look at a run. */
#ifndef FERRITE_DRIVER_VALUES_H
#define FERRITE_DRIVER_VALUES_H

#include "ty/ty.h"

typedef struct value_tensor {
    ty_dtype dtype;
    uint32_t rank;
    int64_t sizes[TY_MAX_RANK], strides[TY_MAX_RANK];
    const void *data;
} value_tensor;

/* A complex element is NaN or infinite where a part of it is. */
typedef struct value_facts {
    int64_t elements, nans, infinities;
    int64_t first_nan, first_infinity; /* in row-major order; -1: none */
} value_facts;

value_facts values_look(const value_tensor *t);
/* Element number `at`, in row-major order, as "[0, 5]". */
void values_index_text(const value_tensor *t, int64_t at, char *out, size_t bytes);

#endif
