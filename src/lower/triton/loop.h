/* loop.h -- loops of a kernel: what loop.c, which finds out how many steps there are and takes all of them
 * at once where it can, and steps.c, which takes them one after the other, share.
 */
#ifndef FERRITE_LOWER_TRITON_LOOP_H
#define FERRITE_LOWER_TRITON_LOOP_H

#include "lower/triton/triton.h"

enum { TRITON_MOST_CARRIED = 64 };

/* What becomes of a value that a loop hands on. */
typedef enum triton_carrying {
    TRITON_KEPT,
    TRITON_COUNTED, /* by the same amount at each step */
    TRITON_SUMMED,
    TRITON_MULTIPLIED,
    TRITON_CARRIED /* something else */
} triton_carrying;

typedef struct triton_carried {
    triton_carrying how;
    const ttir_op *op; /* that makes the next one */
    ttir_value by;     /* COUNTED: the amount; SUMMED: what is joined */
    bool waits;        /* SUMMED: for who reads the sum */
} triton_carried;

typedef struct triton_loop {
    triton *t;
    const ttir_op *op;
    const ttir_block *body;
    const ttir_op *yield; /* or NULL */
    /* integers, over the axes in front; the count is of the program's own steps */
    loop_value low, step, count;
    sym_expr most;  /* steps that any program takes */
    bool is_ragged; /* they differ */
    bool is_late;   /* the bounds are in memory: the run alone knows them */
    uint32_t carried_count;
    triton_carried carried[TRITON_MOST_CARRIED];
    bool *varies; /* by value: from step to step */
} triton_loop;

/* ---- loop.c ---- */
/* Does the program take this step? */
loop_value triton_is_taken(const triton_loop *loop, sym_expr step);
/* What is handed on when the loop begins. */
triton_value triton_initial(triton_loop *loop, uint32_t k);
/* The counter, and what counts as it does, at this step. */
void triton_begin_step(triton_loop *loop, sym_expr step);
/* Value k, which counts, behind the last step. */
triton_value triton_counted_up(triton_loop *loop, uint32_t k);
/* The operations that depend on the step, or the others; `ends`: with those that make what is handed on. */
fe_status triton_run_what(triton_loop *loop, bool varying, bool ends);

/* ---- steps.c ---- */
fe_status triton_run_steps(triton_loop *loop);
#endif
