/* loop_priv.h -- what the files of loop/ share: scalars of every dtype, and the work space of
 * walks.
 *
 * A loop_scalar is one number of a dtype that is known from elsewhere: bool and integers in `i`
 * (u64 as its bits), floats in `f` (already rounded to the dtype), complex numbers in `c`. The
 * same arithmetic serves the constant folder and the interpreter, so that what is folded is what
 * would have been computed.
 */
#ifndef FERRITE_LOOP_PRIV_H
#define FERRITE_LOOP_PRIV_H

#include "loop/loop.h"

#include "../../rt/maths/rt_special.h"

typedef union loop_scalar {
    int64_t i;
    double f;
    double c[2];
} loop_scalar;

/* ---- scalar.c, complex.c ---- */
loop_scalar loop_scalar_cast(ty_dtype from, ty_dtype to, loop_scalar v);
loop_scalar loop_scalar_load(ty_dtype d, const void *at);
void loop_scalar_store(ty_dtype d, void *at, loop_scalar v);
loop_scalar loop_scalar_bitcast(ty_dtype from, ty_dtype to, loop_scalar v);
/* The operation on operands of dtype `d` (of WHERE and MASKED: the second's). False when it has no
 * meaning there. */
bool loop_scalar_apply(loop_opcode op, ty_dtype d, const loop_scalar *args, loop_scalar *out);
bool loop_complex_apply(loop_opcode op, ty_dtype d, const loop_scalar *args, loop_scalar *out);
loop_scalar loop_scalar_of(const loop_node *constant);
/* A function that libm lacks (special.c); false for other operations. */
bool loop_special_apply(loop_opcode op, double a, double b, double c, double *out);

/* ---- build.c ---- */
/* The least number of elements that the layout of b reaches. */
sym_expr loop_layout_elements(sym_table *t, const loop_buffer *b);
/* loop_indirect for a value whose negative values have been wrapped already. */
sym_expr loop_indirect_wrapped(loop_program *p, loop_value v, loop_bound bound, const sym_env *env);

/* ---- walk.c: nodes under some values, operands first ---- */
typedef struct loop_workspace loop_workspace;
struct loop_workspace {
    loop_workspace *next; /* free list */
    uint32_t *stamp;      /* by node id: == now when seen */
    uint32_t *memo;       /* by node id: the walk's own */
    uint32_t capacity;    /* of both */
    uint32_t now;
    VEC(uint32_t) order; /* distinct nodes, operands (and values behind indirect symbols) first */
    VEC(uint32_t) stack;
};
struct loop_scratch {
    loop_workspace *free;
    /* the one whose memo holds the numbers of values in the nest being printed */
    loop_workspace *printing;
};
loop_workspace *loop_work_begin(const loop_program *p);
/* appends what is new under v */
void loop_work_add(const loop_program *p, loop_workspace *w, loop_value v);
void loop_work_end(const loop_program *p, loop_workspace *w);

/* ---- rows.c: what value.def says of an opcode ---- */
typedef enum loop_result_rule {
    LOOP_RULE_SAME,
    LOOP_RULE_FIRST,
    LOOP_RULE_SECOND,
    LOOP_RULE_BOOL,
    LOOP_RULE_STATED,
    LOOP_RULE_REAL
} loop_result_rule;
loop_result_rule loop_opcode_rule(loop_opcode op);
/* The result dtype that the row gives for these operands; TY_NO_DTYPE when STATED. */
ty_dtype loop_result_dtype(loop_opcode op, const ty_dtype *operands);

/* ---- parts.c: buffers that break law L8; LOOP_NO_BUFFER when none does ---- */
loop_buffer_id loop_misplaced_part(loop_program *p, const char **why);
loop_buffer_id loop_meeting_part(loop_program *p);

/* fold.c: what a comparison of indices says wherever env holds (NULL: everywhere), if it is known. */
bool loop_decide(loop_program *p, loop_opcode op, loop_value a, loop_value b, const sym_env *env,
                 loop_value *out);

/* float8.c: a float of 8 bits as f32, and back, by its bits */
loop_value loop_open_float8(loop_program *p, loop_value v);
loop_value loop_close_float8(loop_program *p, ty_dtype to, loop_value x);

#endif
