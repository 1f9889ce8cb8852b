/* order.h -- what order.c and count.c share: reductions over one dimension for each element of a
 * tensor. They are quadratic, so callers ask first whether the dimension is short.
 */
#ifndef FERRITE_LOWER_ORDER_H
#define FERRITE_LOWER_ORDER_H

#include "lower/lower_priv.h"

bool lower_is_short(lowering *l, lower_tensor x, uint32_t dim);
fe_status lower_too_long(lowering *l, lower_tensor x, uint32_t dim);
/* A reduction over r0 < span of `v`, for each element of x's shape. */
lower_tensor lower_reduced_by(lowering *l, lower_tensor x, loop_reduce kind, sym_expr span,
                              loop_value v);
/* x at position `place` of dim; `otherwise` unless inside holds. */
loop_value lower_element_at(lowering *l, lower_tensor x, uint32_t dim, sym_expr place,
                            loop_value inside, loop_value otherwise);
/* How many of a flat mask's elements before each are set (count.c). */
lower_tensor lower_count_before(lowering *l, lower_tensor mask);

#endif
