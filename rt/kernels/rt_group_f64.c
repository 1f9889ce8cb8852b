/* rt_group_f64.c - rt_group.c for doubles. */
#define RT_F64
#include "rt_isa.h"

#include "rt_group.c"
