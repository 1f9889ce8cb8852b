/* interp_priv.h -- what the interpreter's files share: the running value of one reduction, and
 * operands of extern calls. */
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

/* A view of an extern call with its numbers known; data NULL: absent. */
typedef struct loop_operand {
    ty_dtype dtype;
    uint32_t rank;
    int64_t sizes[TY_MAX_RANK], strides[TY_MAX_RANK];
    char *data;
} loop_operand;
typedef struct loop_call {
    const loop_operand *in, *out;
    const int64_t *ints;
    arena *memory;
} loop_call;
/* reference.c: runs the kernel, slowly; false when it has none of this name. */
bool loop_reference(const char *kernel, const loop_call *call);

#endif
