/* integers.h -- products of activations that are integers of 8 bits with weights that are. */
#ifndef FERRITE_PASS_INTEGERS_H
#define FERRITE_PASS_INTEGERS_H

#include "pass/match.h"

enum { INTEGERS_MOST_DEPTH = 1 << 15 /* so that no sum of products leaves 32 bits */ };

/* (q - zero) * scale, scale and zero each a number, or a tensor of one element or of one for each row. */
typedef struct integer_rows {
    fx_node *q;         /* int8 or uint8 [.., k] */
    fx_arg scale, zero; /* zero: integers; none, or of a byte's range */
} integer_rows;

/* Is x, float32, made of such integers? */
bool integers_behind(rewriting *r, fx_node *x, integer_rows *out);

/* linear(x, weight * scales, bias) in float32, of a constant int8 [n, k] and float32 scales [1, n]: a
 * product of the integers, less the zero times the sums of the weight's rows, times both scales. Before the
 * root; NULL once something has failed. */
fx_node *integers_product(rewriting *r, const integer_rows *x, fx_node *weight, fx_node *scales,
                          fx_arg bias);

#endif
