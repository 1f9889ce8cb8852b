/* transposed.h -- a transposed convolution, as the passes that make something faster of it see it. */
#ifndef FERRITE_PASS_TRANSPOSED_H
#define FERRITE_PASS_TRANSPOSED_H

#include "pass/match.h"

enum { TRANSPOSED_MOST_DIMS = 3, TRANSPOSED_FEW_CHANNELS = 16 };

typedef struct transposed {
    uint32_t dims;
    fx_node *x, *weight;
    const fx_arg *bias;
    ty_dtype dtype;
    int64_t in, out, window; /* channels; taps */
    int64_t kernel[TRANSPOSED_MOST_DIMS], stride[TRANSPOSED_MOST_DIMS],
        padding[TRANSPOSED_MOST_DIMS], dilation[TRANSPOSED_MOST_DIMS];
    int64_t sizes[TRANSPOSED_MOST_DIMS],
        results[TRANSPOSED_MOST_DIMS]; /* of an image; 0: only the run knows */
    int64_t groups;
    bool is_empty; /* maybe */
} transposed;

#define TRANSPOSED_PATTERN \
    "convolution|conv_transpose1d|conv_transpose2d.input|conv_transpose3d.input(...)"

/* Is the root one, of known parameters? */
bool transposed_read(const rewriting *r, transposed *c);
/* Is there a convolution that gives the same, and is that faster than a product? */
bool transposed_is_turned(const transposed *c);
bool transposed_is_better_turned(const transposed *c);
/* Is a product faster than the transposed convolution (transposed_products.c)? */
bool transposed_is_product(const transposed *c);

static inline fx_arg transposed_ints(const rewriting *r, uint32_t count, const int64_t *items)
{
    sym_expr list[2 * TRANSPOSED_MOST_DIMS + 2];
    for (uint32_t i = 0; i < count; i++) list[i] = sym_int(r->g->symbols, items[i]);
    return fx_int_list(r->g, list, count);
}

#endif
