/* rt_eigen_common.h - what reductions of matrices to few diagonals share. */
#ifndef RT_EIGEN_COMMON_H
#define RT_EIGEN_COMMON_H

#include "rt_eigen.h"
#include "rt_reflect_make.h"

/* Vectors that stay in registers while a pass goes along the columns. */
enum { ROWS = REAL_BYTES == 64 ? 4 : 2 };

RT_INLINE int64_t whole(int64_t n)
{
    return (n + REAL_LANES - 1) / REAL_LANES * REAL_LANES;
}

RT_INLINE real *take(char **work, int64_t count)
{
    return rt_work_take(work, count * (int64_t)sizeof(real));
}

static void scale(int64_t n, void *values, int exponent)
{
    real *x = values, factor = SCALE_BY((real)1, exponent);
    if (exponent == 0) return;
    if (factor >= LEAST_NORMAL && factor <= MOST_REAL)
        for (int64_t i = 0; i < n; i++) x[i] *= factor;
    else
        for (int64_t i = 0; i < n; i++) x[i] = SCALE_BY(x[i], exponent);
}

/* So that squares neither overflow nor vanish. */
static int exponent_of(real most)
{
    int exponent = 0;
    real least = ROOT(LEAST_NORMAL / UNIT);
    if (most && (most < least || most > 1 / least)) frexp((double)most, &exponent);
    return exponent;
}

static real dot(int64_t begin, int64_t end, const real *x, const real *y)
{
    real sums[4] = {0};
    int64_t i = begin;
    for (; i + 4 <= end; i += 4)
        for (int k = 0; k < 4; k++) sums[k] += x[i + k] * y[i + k];
    for (; i < end; i++) sums[0] += x[i] * y[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

#endif
