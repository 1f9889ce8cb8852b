/* rt_pack_f64.c - rt_pack.c for doubles. */
#define RT_F64
#include "rt_pack.c"
