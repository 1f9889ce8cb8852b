/* rt_eigen.h - eigenvalues and eigenvectors of symmetric matrices of f32 and f64, for each instruction set.
 *
 * Q^T A Q = T is tridiagonal by reflections, of vectors down the columns of a full matrix. The eigenvectors
 * of T are what its rotations make of the columns of Q, whose rows are independent of each other: each has
 * a lane.
 */
#ifndef RT_EIGEN_H
#define RT_EIGEN_H

#include "rt_matrix.h"
#include "rt_need.h"
#include "rt_reflect.h"

/* A matrix that has been reduced, 2^-exponent A; all is in the work area. */
typedef struct rt_tridiagonal {
    int64_t n, stride;
    int exponent;
    void *diagonal, *below; /* of T */
    void *a, *tau;          /* reflections, of vectors that begin below the diagonal */
    char *work;             /* what is left */
} rt_tridiagonal;

typedef struct rt_eigen_kernels {
    /* Of one triangle of A. False, and nothing is done, where it holds infinities or NaNs. */
    int (*reduce)(rt_matrix a, int upper, char *work, rt_tridiagonal *t);
    /* Eigenvalues in rising order, and their vectors, column major. Returns 0, or how many numbers below the
     * diagonal did not become zero. */
    int (*vectors)(rt_tridiagonal *t, rt_matrix vectors, void *values);
    /* values[] *= 2^exponent */
    void (*scale)(int64_t n, void *values, int exponent);
} rt_eigen_kernels;

/* Of the instruction set that is chosen; RT_F32 or RT_F64. */
const rt_eigen_kernels *rt_eigen_kernels_of(int type);

/* What they work in. need_matrix.c states the same. */
static inline size_t rt_eigen_bytes(int type, int64_t n, int with_vectors)
{
    int64_t wide = (n + RT_EIGEN_MORE) * (int64_t)rt_type_bytes(type);
    return rt_work_bytes((n + RT_EIGEN_VECTORS) * wide) +
           (with_vectors ? rt_work_bytes(n * wide) : 0);
}

#endif
