/* compare.h -- values of ours against eager PyTorch's, and against a float64 run. */
#ifndef FERRITE_CLI_COMPARE_H
#define FERRITE_CLI_COMPARE_H

#include "driver/inputs.h"

typedef struct compare_tolerance {
    double relative, absolute;
} compare_tolerance;

/* FE_MISMATCH, with a diagnostic. */
fe_status compare_mismatch(driver_program *d, const char *what, const char *place);

/* NaN is close to NaN, and an infinity to itself. */
bool compare_is_close(double a, double b, compare_tolerance t);
bool compare_are_close(const tensor_entry *ours, const tensor_entry *theirs, compare_tolerance t);

/* The same, with a diagnostic about the worst element. */
fe_status compare_values(driver_program *d, const tensor_entry *ours, const tensor_entry *theirs,
                         compare_tolerance t, const char *name);

/* Of real numbers, the reference's float64: our largest error may be a small factor of eager's. */
fe_status compare_reference(driver_program *d, const tensor_entry *ours, const tensor_entry *eager,
                            const tensor_entry *reference, compare_tolerance t, const char *name);

/* How far outputs are off where nothing says how far they may be: ratios of the worst of them. */
typedef struct compare_distance {
    double error;           /* root of the mean square, over that of what is recorded */
    double most;            /* of one element, over the largest that is recorded */
    size_t other, integers; /* integers and bools that differ, of how many */
} compare_distance;

/* Adds those of one output. FE_MISMATCH where only one of two elements is a finite number, or they are two
 * that are not. */
fe_status compare_measure(driver_program *d, const tensor_entry *ours, const tensor_entry *theirs,
                          const char *name, compare_distance *out);

#endif
