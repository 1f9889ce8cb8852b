/* fourier.h -- one discrete Fourier transform along one dimension, for fourier.c and stft.c. */
#ifndef FERRITE_LOWER_FOURIER_H
#define FERRITE_LOWER_FOURIER_H

#include "lower/lower_priv.h"

typedef enum fourier_direction { FOURIER_FORWARD = -1, FOURIER_BACKWARD = 1 } fourier_direction;

/* Along dim; `count` outputs of the `period` there are. `half`: x holds the first half of a
 * spectrum whose other half is its mirror image, conjugated (the length of the whole is `period`).
 */
typedef struct fourier_transform {
    uint32_t dim;
    int64_t period, count;
    fourier_direction sign;
    bool half;
} fourier_transform;

/* The transform of x in the complex dtype d, in memory of its own; unscaled. */
lower_tensor lower_fourier(lowering *l, lower_tensor x, const fourier_transform *t, ty_dtype d);

#endif
