/* formula.h -- shorthand for the formulas of pointwise.c and activation.c: arithmetic on values of
 * one formula. */
#ifndef FERRITE_LOWER_FORMULA_H
#define FERRITE_LOWER_FORMULA_H

#include "lower/lower_priv.h"

/* The opcode on the formula's dtype; sums and products of bools are `or` and `and`. */
loop_value formula_op1(formula *f, loop_opcode op, loop_value a);
loop_value formula_op2(formula *f, loop_opcode op, loop_value a, loop_value b);
loop_value formula_number(formula *f, double x); /* a constant of the formula's dtype */
/* a number argument, in the formula's dtype */
loop_value formula_param(formula *f, const char *param);
loop_value formula_conjugate(formula *f, loop_value v); /* v itself where it is real */
double formula_param_number(formula *f, const char *param, double fallback);

#define X0 (f->x[0])
#define X1 (f->x[1])
#define X2 (f->x[2])
#define NUM(x) formula_number(f, (x))
#define PARAM(name) formula_param(f, (name))
#define OP1(op, a) formula_op1(f, LOOP_##op, (a))
#define OP2(op, a, b) formula_op2(f, LOOP_##op, (a), (b))
#define ADD(a, b) OP2(ADD, a, b)
#define SUB(a, b) OP2(SUB, a, b)
#define MUL(a, b) OP2(MUL, a, b)
#define DIV(a, b) OP2(DIV, a, b)
#define LESS(a, b) OP2(LT, a, b)
#define LESS_EQUAL(a, b) OP2(LE, a, b)
#define IF(c, a, b) loop_where(f->p, (c), (a), (b))

#endif
