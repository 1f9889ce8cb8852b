/* rt_block_amx_f64.c - rt_block_amx.c for doubles, of which AMX has no products. */
#define RT_F64
#include "rt_isa.h"

#include "rt_block_amx.c"
