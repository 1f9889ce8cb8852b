/* functionalise.h -- between functionalise.c and inverse.c. */
#ifndef FERRITE_PASS_FUNCTIONALISE_H
#define FERRITE_PASS_FUNCTIONALISE_H

#include "pass/pass_priv.h"

typedef struct functionaliser functionaliser;

/* Is there a way back through this view operator? */
bool functionalise_has_inverse(const fx_node *view);
/* `parent` with the part that `view` shows replaced by `value`, as new calls before `before`.
 * Without an inverse: `parent` is the base of the view, which is found in it by its strides. */
fe_status functionalise_inverse(fx_graph *g, fx_node *before, const fx_node *view, fx_node *parent,
                                fx_node *value, fx_node **out);

/* several.c: does the call write several arguments, or one besides its results? Then: values[i] is
 * the new value of argument i, NULL where it stays; calls are made before n, and when *is_replaced
 * nobody uses n any more. */
bool functionalise_is_several(fx_graph *g, const fx_node *n);
fe_status functionalise_several(fx_graph *g, fx_node *n, fx_node **values, bool *is_replaced);

#endif
