/* test_kernels_f64.c - test_kernels.c for doubles. */
#define RT_F64
#include "test_kernels.c"
