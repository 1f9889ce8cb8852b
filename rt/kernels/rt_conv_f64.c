/* rt_conv_f64.c - rt_conv.c for doubles. */
#define RT_F64
#include "rt_isa.h"

#include "rt_conv.c"
