/* test_conv.h - what tests of convolutions share. */
#ifndef TEST_CONV_H
#define TEST_CONV_H

#include "test_kernels.h"

typedef struct conv_shape {
    int64_t batch, in_channels, out_channels, groups;
    int64_t in[3], kernel[3], stride[3], pad[3], dilation[3];
} conv_shape;

/* test_conv_shapes.c */
extern const conv_shape conv_shapes[];
extern const size_t conv_shape_count;
rt_conv conv_of(const conv_shape *shape, int transposed);
/* The input position under an output position, -1 where there is none. */
int64_t conv_source(const rt_conv *g, int axis, int64_t out, int64_t tap);

/* test_conv.c; tile: of Winograd's algorithm, or 0 */
void RT_TYPED(test_conv)(const conv_shape *shape, int transposed, int tile, int variant);
/* The weight as conv_pixel reads it. */
exact *RT_TYPED(conv_filters)(const rt_conv *g, const rt_real *weight);
/* All channels of an output position. */
void RT_TYPED(conv_pixel)(const rt_conv *g, const rt_real *x, const exact *filters, int64_t image,
                          const int64_t *out, exact *sums);

#endif
