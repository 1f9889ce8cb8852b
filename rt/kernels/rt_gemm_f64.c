/* rt_gemm_f64.c - rt_gemm.c for doubles. */
#define RT_F64
#include "rt_isa.h"

#include "rt_gemm.c"
