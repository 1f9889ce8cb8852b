/* rt_factor.h - factors of matrices and triangular systems, for each element type and instruction set.
 *
 * A matrix alone is column major with a leading dimension, and worked on in blocks. Small matrices of a
 * batch are worked on side by side: an array of vectors, column after column, each with one element of
 * every matrix, a lane for each.
 */
#ifndef RT_FACTOR_H
#define RT_FACTOR_H

#include "rt_aside.h"

/* Infos are LAPACK's: 0, or the number of the first pivot that is zero (of the first minor that is not
 * positive). Pivots are rows, counted from 1. */
typedef struct rt_factor_kernels {
    int lanes;
    size_t side; /* bytes of a vector of elements */
    int (*lu)(int64_t m, int64_t n, void *a, int64_t lda, int32_t *pivots);
    /* Of the lower triangle; what is above the diagonal becomes 0. */
    int (*cholesky)(int64_t n, void *a, int64_t lda);
    /* B := A^-1 B for a triangular A of n rows. */
    void (*substitute)(int64_t n, int64_t columns, const void *a, int64_t lda, void *b, int64_t ldb,
                       int upper, int unit);

    /* C += A B, n x n. */
    void (*add_product)(int64_t n, const void *a, const void *b, void *c);

    void (*gather)(const rt_aside *from, void *to);
    void (*scatter)(const void *from, const rt_aside *to);
    /* pivots[step][lane] */
    void (*lu_aside)(int64_t m, int64_t n, void *a, int32_t *pivots, int32_t *infos);
    void (*cholesky_aside)(int64_t n, void *a, int32_t *infos);
    void (*substitute_aside)(int64_t n, int64_t columns, const void *a, void *b, int upper,
                             int unit);
    /* Row exchanges, those of the last pivot first where backward. */
    void (*exchange_aside)(int64_t n, int64_t columns, void *b, const int32_t *pivots,
                           int backward);
} rt_factor_kernels;

/* Of the instruction set that is chosen; by RT_F32 ... */
const rt_factor_kernels *rt_factor_kernels_of(int type);

#endif
