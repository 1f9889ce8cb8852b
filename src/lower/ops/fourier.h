/* fourier.h -- one discrete Fourier transform along one dimension, for fourier.c and stft.c. */
#ifndef FERRITE_LOWER_FOURIER_H
#define FERRITE_LOWER_FOURIER_H

#include "lower/lower_priv.h"

typedef enum fourier_direction { FOURIER_FORWARD = -1, FOURIER_BACKWARD = 1 } fourier_direction;

/* What a result is divided by; the numbers are those of _fft_r2c and of the extern. */
typedef enum fourier_scale {
    FOURIER_UNSCALED,
    FOURIER_BY_ROOT, /* of elements */
    FOURIER_BY_ELEMENTS
} fourier_scale;

/* Along dim, of which x has any size: it is cut, or filled with zeros. */
typedef struct fourier_transform {
    uint32_t dim;
    fourier_direction direction;
    sym_expr length;
    /* x, complex, is the first half of a spectrum whose other half is its mirror image, conjugated;
     * the result is real */
    bool to_real;
    bool onesided; /* only the first half of the result, length / 2 + 1 */
    fourier_scale scale;
    sym_expr elements;
    lower_tensor window;    /* real, [length], multiplied with x; or absent */
    const sym_expr *wanted; /* strides of the result, or NULL */
} fourier_transform;

/* Of the reals that the node at hand is to be computed in: halves in f32; a few numbers in f64, which
 * costs nothing that shows. */
ty_dtype lower_fourier_dtype(lowering *l);

/* The transform of x (f32, f64, c64, c128). */
lower_tensor lower_fourier(lowering *l, lower_tensor x, const fourier_transform *t);

#endif
