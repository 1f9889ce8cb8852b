/* rt_ops_real_f64.c - rt_ops_real.c for doubles. */
#define RT_F64
#include "rt_ops_real.c"
