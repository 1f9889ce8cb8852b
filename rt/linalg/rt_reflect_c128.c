/* rt_reflect_c128.c - reflections of vectors of c128. */
typedef double real;
#define REAL_IS_DOUBLE
#define NUMBER_IS_COMPLEX
#include "rt_isa.h"

#include "rt_reflect_apply.h"
#include "rt_reflect_factor.h"
#include "rt_reflect_lanes.h"

const rt_reflect_kernels RT_FN(rt_reflect_c128) = {
    factor, apply, REAL_LANES, sizeof(side), gather, scatter, factor_aside, product_aside,
};
