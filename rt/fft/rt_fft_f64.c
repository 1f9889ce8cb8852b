/* rt_fft_f64.c - Fourier transforms in float64. */
typedef double real;
#define REAL_IS_DOUBLE
#include "rt_isa.h"

#include "rt_fft.h"

const rt_fft_kernels RT_FN(rt_fft_f64) = {FFT_BYTES ? FFT_BYTES : sizeof(real), transform, plain};
