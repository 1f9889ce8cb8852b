/* rt_eigen_f64.c - eigenvalues and eigenvectors of symmetric matrices, and singular values, of f64. */
typedef double real;
#define REAL_IS_DOUBLE
#include "rt_isa.h"

#include "rt_eigen_bidiagonal.h"
#include "rt_eigen_reduce.h"
#include "rt_eigen_rotate.h"

const rt_eigen_kernels RT_FN(rt_eigen_f64) = {reduce, vectors, load_bidiagonal, bidiagonal, scale};
