/* rt_tile_f64.c - rt_tile.c for doubles. */
#define RT_F64
#include "rt_isa.h"

#include "rt_tile.c"
