/* rt_depthwise_f64.c - rt_depthwise.c for doubles. */
#define RT_F64
#include "rt_isa.h"

#include "rt_depthwise.c"
