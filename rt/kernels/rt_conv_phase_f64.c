/* rt_conv_phase_f64.c - rt_conv_phase.c for doubles. */
#define RT_F64
#include "rt_isa.h"

#include "rt_conv_phase.c"
