/* complex_c.h -- C's complex numbers, with what <complex.h> lacks where it does not know the compiler. */
#ifndef FERRITE_BASE_COMPLEX_C_H
#define FERRITE_BASE_COMPLEX_C_H

#include <complex.h>

#ifndef CMPLX
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#define CMPLXF(re, im) __builtin_complex((float)(re), (float)(im))
#endif

#endif
