/* rt_eigen.h - eigenvalues and eigenvectors of symmetric matrices, and the first half of the way to singular
 * values, of f32 and f64, for each instruction set.
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

/* Q^T A P of a matrix with no more columns than rows, 2^-exponent A. Reflections of Q are of vectors from its
 * diagonal down; of P of vectors in its rows, right of the diagonal. */
typedef struct rt_bidiagonal {
    int64_t rows, columns, stride;
    int exponent;
    void *a, *diagonal, *above, *left, *right; /* the last two: their scalars */
} rt_bidiagonal;

typedef struct rt_eigen_kernels {
    /* Of one triangle of A. False, and nothing is done, where it holds infinities or NaNs. */
    int (*reduce)(rt_matrix a, int upper, char *work, rt_tridiagonal *t);
    /* Eigenvalues in rising order, and their vectors, column major. Returns 0, or how many numbers below the
     * diagonal did not become zero. */
    int (*vectors)(rt_tridiagonal *t, rt_matrix vectors, void *values);
    /* Takes A and the room of the rest. False where A holds infinities or NaNs. */
    int (*load_bidiagonal)(rt_matrix a, char **work, rt_bidiagonal *b);
    void (*bidiagonal)(rt_bidiagonal *b, char *work);
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

/* What a matrix that becomes bidiagonal works in, twice over, with whatever else has the length of a side. */
static inline size_t rt_bidiagonal_bytes(int type, int64_t low, int64_t high)
{
    return rt_work_bytes((2 * low + RT_SVD_VECTORS) * (high + RT_EIGEN_MORE) *
                         (int64_t)rt_type_bytes(type));
}

#endif
