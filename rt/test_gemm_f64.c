/* test_gemm_f64.c - test_gemm.c for doubles. */
#define RT_F64
#include "test_gemm.c"
