/* rt_depth_phase_f64.c - rt_depth_phase.c for doubles. */
#define RT_F64
#include "rt_isa.h"

#include "rt_depth_phase.c"
