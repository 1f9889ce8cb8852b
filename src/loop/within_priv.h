/* within_priv.h -- what within.c (limits) and range.c (ranges) share while a proof goes on. */
#ifndef FERRITE_LOOP_WITHIN_PRIV_H
#define FERRITE_LOOP_WITHIN_PRIV_H

#include "loop/loop_priv.h"

enum { PROOF_MOST_STEPS = 4000, PROOF_MOST_DEPTH = 40 };
/* Integers beyond may have wrapped around, or not be what a double says. */
#define PROOF_MOST_INTEGER 4503599627370496.0

typedef struct loop_proof {
    loop_program *p;
    const sym_env *env; /* the axes of the nest at hand */
    const loop_facts *facts;
    uint32_t steps, depth;
} loop_proof;

/* No NaN is in a range of floats, unless it is that of all numbers. */
typedef struct loop_range {
    double low, high;
} loop_range;

/* One who writes into a buffer: a store of a nest, or an output of an extern kernel. */
typedef struct loop_writer {
    const loop_op *op;
    const loop_store *store; /* or NULL */
    uint32_t output;
} loop_writer;
typedef VEC(loop_writer) loop_writers;

/* ---- range.c ---- */
loop_range loop_range_of(loop_proof *f, loop_value v);
loop_range loop_range_of_expr(loop_proof *f, sym_expr e);
/* All who write into the buffer, what it is a piece of, or the pieces of that; false: it is not known
 * what they write, or it would take long to find out. */
bool loop_writers_of(loop_proof *f, loop_buffer_id buffer, loop_writers *out);
uint32_t loop_axes_of(loop_program *p, const loop_op *op, sym_bound *bounds);
/* In [0, size): places among reduced elements, or what an extern kernel says; none: it is values. */
sym_expr loop_written_places(loop_proof *f, const loop_writer *w, sym_expr at);
/* The proof goes on where a writer is: other axes, and no facts. */
loop_proof loop_proof_in(const loop_proof *f, const sym_env *env);

#endif
