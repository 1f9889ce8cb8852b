/* rt_block_f64.c - rt_block.c for doubles. */
#define RT_F64
#include "rt_isa.h"

#include "rt_block.c"
