/* rt_eigen_reduce.h - a symmetric matrix becomes tridiagonal: see rt_eigen.h. */
#include "rt_eigen_common.h"

/* Both triangles; rows up to a whole vector are zeros. The largest magnitude, NaN where one is. */
static real load_symmetric(rt_matrix a, int upper, real *to, int64_t stride)
{
    const real *from = (const real *)(const void *)a.data;
    int64_t row = upper ? a.column : a.row, column = upper ? a.row : a.column;
    real most = 0, sum = 0;
    for (int64_t j = 0; j < a.rows; j++) {
        for (int64_t i = j; i < a.rows; i++) {
            real x = from[i * row + j * column], size = MAGNITUDE(x);
            to[j * stride + i] = to[i * stride + j] = x;
            most = size > most ? size : most;
            sum += size;
        }
        for (int64_t i = a.rows; i < stride; i++) to[j * stride + i] = 0;
    }
    return sum != sum ? sum : most;
}

/* x -= v w_j + w v_j */
RT_INLINE vec less_both(vec x, vec v, vec w, real vj, real wj)
{
    return x - v * spread(wj) - w * spread(vj);
}

/* Columns from `first` on, and rows of so many vectors from `row` on, less v w^T + w v^T; y becomes what is
 * left times `next`. */
RT_INLINE void pass(const int vectors, int64_t n, int64_t first, int64_t row, real *a,
                    int64_t stride, const real *v, const real *w, const real *next, real *y)
{
    vec vs[ROWS], ws[ROWS], sums[ROWS];
    for (int k = 0; k < vectors; k++) {
        vs[k] = load(v + row + k * REAL_LANES);
        ws[k] = load(w + row + k * REAL_LANES);
        sums[k] = spread(0);
    }
    for (int64_t j = first; j < n; j++) {
        real *column = a + j * stride + row;
        for (int k = 0; k < vectors; k++) {
            vec x = less_both(load(column + k * REAL_LANES), vs[k], ws[k], v[j], w[j]);
            store(column + k * REAL_LANES, x);
            sums[k] += x * spread(next[j]);
        }
    }
    for (int k = 0; k < vectors; k++) store(y + row + k * REAL_LANES, sums[k]);
}

static void pass_all(int64_t n, int64_t first, real *a, int64_t stride, const real *v,
                     const real *w, const real *next, real *y)
{
    int64_t row = first / REAL_LANES * REAL_LANES;
    for (; row + ROWS * REAL_LANES <= stride; row += ROWS * REAL_LANES)
        pass(ROWS, n, first, row, a, stride, v, w, next, y);
    for (; row < stride; row += REAL_LANES) pass(1, n, first, row, a, stride, v, w, next, y);
}

/* Each step's A -= v w^T + w v^T is put off, but for the column that the next v is made of, until that v is
 * there: A v of the next step and it are one pass. v and w are zero above the diagonal. */
static void reduce_numbers(int64_t n, real *a, int64_t stride, real *diagonal, real *below,
                           real *tau, real *work)
{
    real *v = work, *w = v + stride, *next = w + stride, *y = next + stride;
    memset(work, 0, 4 * (size_t)stride * sizeof *work);
    for (int64_t k = 0; k + 1 < n; k++) {
        real *column = a + k * stride, vk = v[k], wk = w[k];
        for (int64_t i = k; i < n; i++) column[i] -= v[i] * wk + w[i] * vk;
        diagonal[k] = column[k];
        tau[k] = make_reflection(n - k - 2, column + k + 1, column + k + 2);
        below[k] = column[k + 1];
        for (int64_t i = 0; i <= k; i++) next[i] = 0;
        next[k + 1] = 1;
        for (int64_t i = k + 2; i < n; i++) next[i] = column[i];
        pass_all(n, k + 1, a, stride, v, w, next, y);
        real part = tau[k] * tau[k] * dot(k + 1, n, y, next) / 2;
        for (int64_t i = 0; i <= k; i++) w[i] = 0;
        for (int64_t i = k + 1; i < n; i++) w[i] = tau[k] * y[i] - part * next[i];
        real *old = v;
        v = next;
        next = old;
    }
    if (n) diagonal[n - 1] = a[(n - 1) * stride + n - 1] - 2 * v[n - 1] * w[n - 1];
}

static int reduce(rt_matrix a, int upper, char *work, rt_tridiagonal *t)
{
    int64_t n = a.rows, stride = whole(n);
    real *numbers = take(&work, n * stride);
    real most = load_symmetric(a, upper, numbers, stride);
    *t = (rt_tridiagonal){.n = n, .stride = stride, .a = numbers};
    if (!(most <= MOST_REAL)) return 0;
    t->exponent = exponent_of(most);
    scale(n * stride, numbers, -t->exponent);
    t->diagonal = take(&work, stride);
    t->below = take(&work, stride);
    t->tau = take(&work, stride);
    t->work = work;
    reduce_numbers(n, numbers, stride, t->diagonal, t->below, t->tau, take(&work, 4 * stride));
    return 1;
}
