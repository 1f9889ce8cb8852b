/* rt_fft_f32.c - Fourier transforms in float32. */
typedef float real;
#include "rt_isa.h"

#include "rt_fft.h"

const rt_fft_kernels RT_FN(rt_fft_f32) = {FFT_BYTES ? FFT_BYTES : sizeof(real), transform, plain};
