/* parse_priv.h -- what parse.c (lines and loops) and parse_value.c (operands and values) share while
 * a kernel is read. */
#ifndef FERRITE_KERN_PARSE_PRIV_H
#define FERRITE_KERN_PARSE_PRIV_H

#include "kern/kern_priv.h"

enum {
    KERN_CONSTANT = 1 << 30
}; /* + index in constants: a kern_ref until the kernel is complete */

typedef struct kern_reader {
    lexer *lx;
    arena *memory;
    kern_ir *k;
    kern_loop *open[KERN_MOST_LEVELS];
    uint32_t depth;
    VEC(kern_value) constants;
    kern_library *library;         /* functions that have been read */
    const kern_function *function; /* at hand, or NULL */
} kern_reader;

/* ---- parse.c ---- */
void kern_read_into(kern_reader *in, kern_item item); /* the loop at hand */
/* Constants get their numbers, behind all others. */
void kern_read_settle(kern_reader *in);
/* [r0] */
fe_status kern_read_lane(kern_reader *in, sym_expr *lane);

/* ---- parse_function.c ---- */
/* function abs_f32x16 (v1 : f32x16) { lines } */
fe_status kern_read_function(kern_reader *in);

/* ---- parse_value.c ---- */
/* A name of that letter whose number is below `limit`; what: "a value". */
fe_status kern_read_numbered(kern_reader *in, char letter, uint32_t limit, const char *what,
                             uint32_t *number);
/* f32, or f32x16 with the kernel's number of lanes. */
fe_status kern_read_type(kern_reader *in, ty_dtype *dtype, bool *vector);
/* An expression over axes, ints and values. */
fe_status kern_read_index(kern_reader *in, sym_expr *out);
/* first v7, or nothing: 0 */
fe_status kern_read_count(kern_reader *in, kern_ref *out);
/* Where among the memories the tile or the buffer of that number is, of which there is one. */
uint32_t kern_read_memory(const kern_reader *in, bool is_tile, uint32_t number);
/* b0[index], t1[index] */
fe_status kern_read_place(kern_reader *in, uint32_t *memory, sym_expr *index);
/* What stands behind "=" in a line of v's dtype. */
fe_status kern_read_expression(kern_reader *in, kern_value *v);
/* v3, 0.5, or f32 0.5 in a line of another dtype. */
fe_status kern_read_operand(kern_reader *in, ty_dtype line, bool vector, kern_ref *out);
/* The number of a value that the loop behind it defines. */
fe_status kern_read_given(kern_reader *in, kern_value v, kern_ref *ref);
/* v9 : f32x16 copies 4 = 0.0, behind var */
fe_status kern_read_variable(kern_reader *in);
/* v3 : f32x16 = add v1, v2 */
fe_status kern_read_define(kern_reader *in);

#endif
