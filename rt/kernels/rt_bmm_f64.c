/* rt_bmm_f64.c - rt_bmm.c for doubles. */
#define RT_F64
#include "rt_isa.h"

#include "rt_bmm.c"
