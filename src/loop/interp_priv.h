/* interp_priv.h -- what the interpreter's files share: the run, the running value of one reduction,
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
    const char *signature;
    const loop_operand *in, *out;
    uint32_t in_count;
    const int64_t *ints;
    const double *floats;
    arena *memory;
} loop_call;
/* reference.c: runs the kernel, slowly; false when it has none of this name. */
bool loop_reference(const char *kernel, loop_call call);

/* ---- the run ---- */
/* An index as base + sum of factor * axis; `simple` is false when it has any other shape. */
typedef struct affine {
    bool simple;
    int64_t base;
    int64_t factor[2 * LOOP_MAX_AXES];
} affine;

typedef struct slot {
    loop_node node;
    ty_dtype operand; /* dtype that the operation works in */
    uint32_t args[3];
    affine index;
    uint64_t stamp;
    loop_scalar value;
} slot;

typedef struct loop_running {
    loop_program *p;
    loop_machine *machine;
    const loop_op *op;
    int64_t *elements; /* of each buffer */
    map defined;       /* symbols that the run has given a value, to a place in `values` */
    VEC(int64_t) values;
    /* the nest at hand */
    slot *slots;
    loop_workspace *work; /* memo: node -> slot */
    uint64_t now;
    sym_expr axis[2 * LOOP_MAX_AXES];
    int64_t at[2 * LOOP_MAX_AXES], extent[2 * LOOP_MAX_AXES];
    uint32_t axes, all_axes;
    fe_status status;
    bool leaves; /* a while has failed: on to the end of its repeat */
} loop_running;

/* interp.c */
fe_status loop_run_fail(loop_running *r, const char *format, ...) FE_PRINTF(2, 3);
int64_t loop_run_number(loop_running *r, sym_expr e);
void *loop_run_element(loop_running *r, loop_buffer_id buffer, int64_t index, const char *what);
fe_status loop_run_allocate(loop_running *r, loop_buffer_id id);
void loop_run_set_symbol(loop_running *r, sym_expr symbol, int64_t value);
fe_status loop_run_op(loop_running *r); /* any but a control */
/* interp_region.c: from *at to the end of the region that it is in */
fe_status loop_run_ops(loop_running *r, uint32_t *at);

#endif
