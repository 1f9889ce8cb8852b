/* rt_eigen_f64.c - eigenvalues and eigenvectors of symmetric matrices of f64. */
typedef double real;
#define REAL_IS_DOUBLE
#include "rt_isa.h"

#include "rt_eigen_reduce.h"
#include "rt_eigen_rotate.h"

const rt_eigen_kernels RT_FN(rt_eigen_f64) = {reduce, vectors, scale};
