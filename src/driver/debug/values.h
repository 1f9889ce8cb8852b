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

/* A complex element is NaN or infinite where a part of it is; its parts are numbers of their own. */
typedef struct value_facts {
    int64_t elements, nans, infinities;
    int64_t first_nan, first_infinity; /* in row-major order; -1: none */
    double min, max;                   /* of numbers that are not NaN; NaN where there are none */
    double mean;                       /* of those that are finite; likewise */
} value_facts;

/* The element that is furthest from what is wanted, of those that are too far. */
typedef struct value_difference {
    int64_t at, last; /* in row-major order; the last that is too far */
    double ours, wanted, ulps;
    int64_t count, elements; /* too far; all */
} value_difference;

/* differ.c: is a number of `ours` too far from the one at the same place from `wanted` on, for what was
 * made of numbers up to `magnitude`, rounded to `through` on the way, if that is a floating type?
 * Integers and truths must be equal. */
bool values_differ(const value_tensor *ours, const void *wanted, double magnitude, ty_dtype through,
                   value_difference *out);
value_facts values_look(const value_tensor *t);
/* To the next element of `at`, in row-major order; false behind the last. */
bool values_step(const value_tensor *t, int64_t *at, int64_t *offset);
/* Element number `at`, in row-major order, as "[0, 5]". */
void values_index_text(const value_tensor *t, int64_t at, char *out, size_t bytes);
/* dump.c: one line on stderr, "buf1 f32[2,3] min 0 max 1 mean 0.5 nan 0 inf 0  FROM". */
void values_show(const char *name, const char *from, const value_tensor *t, const value_facts *f);
/* FOLDER/NAME.npy; false with a message where it cannot be written. */
bool values_write(const char *folder, const char *name, const value_tensor *t, char *message,
                  size_t message_bytes);

#endif
