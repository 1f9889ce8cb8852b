/* interp_priv.h -- what interp.c and accumulate.c share: the running value of one reduction. */
#ifndef FERRITE_LOOP_INTERP_PRIV_H
#define FERRITE_LOOP_INTERP_PRIV_H

#include "loop/loop_priv.h"

/* Floats and complex numbers accumulate in double, and round once at the end. */
typedef struct accumulator {
    loop_reduce kind;
    ty_dtype dtype; /* of the values */
    bool empty;     /* nothing added so far */
    loop_scalar value;
    int64_t where; /* ARGMIN, ARGMAX */
} accumulator;

void loop_accumulator_start(accumulator *a, loop_reduce kind, ty_dtype dtype);
void loop_accumulator_add(accumulator *a, loop_scalar v, int64_t flat);
loop_scalar loop_accumulator_end(const accumulator *a);

#endif
