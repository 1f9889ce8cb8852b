/* compose.h -- shorthand for lowerings that put whole tensors together; expects `l`, the lowering,
 * in scope. */
#ifndef FERRITE_LOWER_COMPOSE_H
#define FERRITE_LOWER_COMPOSE_H

#include "lower/lower_priv.h"

typedef lower_tensor tensor;

#define T_ADD(a, b) lower_binary(l, LOOP_ADD, (a), (b))
#define T_SUB(a, b) lower_binary(l, LOOP_SUB, (a), (b))
#define T_MUL(a, b) lower_binary(l, LOOP_MUL, (a), (b))
#define T_DIV(a, b) lower_binary(l, LOOP_DIV, (a), (b))
#define T_MAX(a, b) lower_binary(l, LOOP_MAX, (a), (b))
#define T_MIN(a, b) lower_binary(l, LOOP_MIN, (a), (b))
#define T_LESS(a, b) lower_binary(l, LOOP_LT, (a), (b))
#define T_LESS_EQUAL(a, b) lower_binary(l, LOOP_LE, (a), (b))
#define T_EQUAL(a, b) lower_binary(l, LOOP_EQ, (a), (b))
#define T_NEG(a) lower_unary(l, LOOP_NEG, (a))
#define T_ABS(a) lower_unary(l, LOOP_ABS, (a))
#define T_EXP(a) lower_unary(l, LOOP_EXP, (a))
#define T_LOG(a) lower_unary(l, LOOP_LOG, (a))
#define T_LOG1P(a) lower_unary(l, LOOP_LOG1P, (a))
#define T_SQRT(a) lower_unary(l, LOOP_SQRT, (a))
#define T_IF(c, a, b) lower_choice(l, (c), (a), (b))
#define T_NUM(like, x) lower_number(l, lower_dtype(like), (x))

/* condition ? a : b, all three broadcast. */
lower_tensor lower_choice(lowering *l, lower_tensor condition, lower_tensor a, lower_tensor b);
/* Over all dimensions, to a number. */
lower_tensor lower_total(lowering *l, loop_reduce kind, lower_tensor x);
/* Over one dimension. */
lower_tensor lower_along(lowering *l, loop_reduce kind, lower_tensor x, uint32_t dim, bool keep);
/* An argument in the dtype that the node's result is computed in; absent stays absent. */
lower_tensor lower_computed_arg(lowering *l, const char *param);
/* Gives t as the node's result, converted to its dtype and reshaped to its sizes. */
fe_status lower_give_as_recorded(lowering *l, lower_tensor t);

#endif
