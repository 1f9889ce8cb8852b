/* conv.h -- what the lowering of convolutions shares. */
#ifndef FERRITE_LOWER_CONV_H
#define FERRITE_LOWER_CONV_H

#include "lower/lower_priv.h"

/* Channels and results of a convolution. */
typedef struct lower_image {
    int64_t batch, in, out, height, width;
} lower_image;

/* winograd.c: pixels along a side of the tiles that a 3x3 convolution of stride 1 is fastest with; 0: none */
int64_t lower_tile_of(const lower_image *x);

#endif
