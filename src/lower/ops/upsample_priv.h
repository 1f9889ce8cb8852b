/* upsample_priv.h -- how the positions of an interpolation are found, as upsample.c and
 * antialias.c share it. */
#ifndef FERRITE_LOWER_UPSAMPLE_PRIV_H
#define FERRITE_LOWER_UPSAMPLE_PRIV_H

#include "lower/lower_priv.h"

/* The last `dims` dimensions of x, from `first` on, are resized to those of out. */
typedef struct resizing {
    lowering *l;
    lower_tensor x;
    const ty_tensor *out;
    uint32_t dims, first;
    bool align; /* corners stay in place */
    ty_dtype d; /* of positions and weights */
} resizing;

/* The factor that the caller gave for dim k, or 0. */
double lower_given_scale(lowering *l, const fx_node *n, uint32_t k, uint32_t dims);
/* Input positions a step of the output along dim k. */
loop_value lower_resize_scale(const resizing *r, uint32_t k);
/* `then` where the size of dim k becomes `times` as large, otherwise `otherwise`. */
loop_value lower_where_times(const resizing *r, uint32_t k, int64_t times, loop_value then,
                             loop_value otherwise);
/* antialias.c: a linear or cubic interpolation of an image of u8. */
fe_status lower_upsample_bytes(resizing *r, bool is_cubic);

#endif
