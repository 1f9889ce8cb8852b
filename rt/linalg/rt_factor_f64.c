/* rt_factor_f64.c - factors and triangular systems of matrices of f64. */
typedef double real;
#define REAL_IS_DOUBLE
#include "rt_isa.h"

#include "rt_factor_block.h"
#include "rt_factor_lanes.h"

const rt_factor_kernels RT_FN(rt_factor_f64) = {
    REAL_LANES, sizeof(side), lu,       cholesky,       substitute,       add_product,
    gather,     scatter,      lu_aside, cholesky_aside, substitute_aside, exchange_aside,
};
