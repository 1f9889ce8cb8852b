/* rt_eigen_bidiagonal.h - a matrix with no more columns than rows becomes upper bidiagonal: see
 * rt_eigen.h. */
#include "rt_eigen_common.h"

/* Rows up to a whole vector are zeros. */
static int load_bidiagonal(rt_matrix a, char **work, rt_bidiagonal *b)
{
    const real *from = (const real *)(const void *)a.data;
    int64_t stride = whole(a.rows);
    real *to = take(work, a.columns * stride), most = 0, sum = 0;
    *b = (rt_bidiagonal){.rows = a.rows, .columns = a.columns, .stride = stride, .a = to};
    memset(to, 0, (size_t)(a.columns * stride) * sizeof *to);
    for (int64_t j = 0; j < a.columns; j++)
        for (int64_t i = 0; i < a.rows; i++) {
            real x = from[i * a.row + j * a.column], size = MAGNITUDE(x);
            to[j * stride + i] = x;
            most = size > most ? size : most;
            sum += size;
        }
    if (sum != sum || most > MOST_REAL) return 0;
    b->exponent = exponent_of(most);
    scale(a.columns * stride, to, -b->exponent);
    b->diagonal = take(work, a.columns);
    b->above = take(work, a.columns);
    b->left = take(work, a.columns);
    b->right = take(work, a.columns);
    return 1;
}

/* Of a step: A -= v y^T + x u^T, which is put off until the next v is there. v and x are zero in the rows
 * that are done. */
typedef struct pending {
    real *v, *x, *y, *u;
} pending;

/* So many columns from j on, of the rows from `row` on; y becomes tau times what is left times `next`. */
RT_INLINE void update(const int columns, int64_t j, int64_t row, const rt_bidiagonal *b,
                      const pending *s, const real *next, real tau, real *y)
{
    real *a = (real *)b->a + j * b->stride;
    vec sums[4];
    for (int k = 0; k < columns; k++) sums[k] = spread(0);
    for (int64_t i = row; i < b->stride; i += REAL_LANES) {
        vec v = load(s->v + i), x = load(s->x + i), n = load(next + i);
        for (int k = 0; k < columns; k++) {
            vec numbers =
                load(a + k * b->stride + i) - v * spread(s->y[j + k]) - x * spread(s->u[j + k]);
            store(a + k * b->stride + i, numbers);
            sums[k] += numbers * n;
        }
    }
    for (int k = 0; k < columns; k++) y[j + k] = tau * sum_of_lanes(sums[k]);
}

/* Rows of so many vectors from `row` on of A u, of the columns from `first` on. */
RT_INLINE void multiply(const int vectors, int64_t first, int64_t row, const rt_bidiagonal *b,
                        const real *u, real *out)
{
    vec sums[ROWS];
    for (int k = 0; k < vectors; k++) sums[k] = spread(0);
    for (int64_t j = first; j < b->columns; j++) {
        const real *column = (const real *)b->a + j * b->stride + row;
        for (int k = 0; k < vectors; k++) sums[k] += load(column + k * REAL_LANES) * spread(u[j]);
    }
    for (int k = 0; k < vectors; k++) store(out + row + k * REAL_LANES, sums[k]);
}

static void multiply_all(int64_t first, int64_t row, const rt_bidiagonal *b, const real *u,
                         real *out)
{
    for (; row + ROWS * REAL_LANES <= b->stride; row += ROWS * REAL_LANES)
        multiply(ROWS, first, row, b, u, out);
    for (; row < b->stride; row += REAL_LANES) multiply(1, first, row, b, u, out);
}

static void update_all(int64_t first, int64_t row, const rt_bidiagonal *b, const pending *s,
                       const real *next, real tau, real *y)
{
    int64_t j = first;
    for (; j + 4 <= b->columns; j += 4) update(4, j, row, b, s, next, tau, y);
    for (; j < b->columns; j++) update(1, j, row, b, s, next, tau, y);
}

/* The reflection of row k, right of the diagonal: u of it, which is also left in the row. */
static real reflect_row(const rt_bidiagonal *b, int64_t k, real *u)
{
    real *row = (real *)b->a + k, tau = make_reflection(b->columns - k - 2, u + k + 1, u + k + 2);
    ((real *)b->above)[k] = u[k + 1];
    u[k + 1] = 1;
    for (int64_t j = k + 2; j < b->columns; j++) row[j * b->stride] = u[j];
    return tau;
}

static void bidiagonal(rt_bidiagonal *b, char *work)
{
    int64_t rows = b->rows, columns = b->columns, stride = b->stride;
    real *left = b->left, *right = b->right;
    pending s = {take(&work, stride), take(&work, stride), take(&work, columns),
                 take(&work, columns)};
    real *next = take(&work, stride), *y = take(&work, columns), *u = take(&work, columns);
    memset(s.v, 0, (size_t)stride * sizeof(real));
    memset(s.x, 0, (size_t)stride * sizeof(real));
    memset(s.y, 0, (size_t)columns * sizeof(real));
    memset(s.u, 0, (size_t)columns * sizeof(real));
    memset(next, 0, (size_t)stride * sizeof(real));
    for (int64_t k = 0; k < columns; k++) {
        real *column = (real *)b->a + k * stride;
        int64_t row = k / REAL_LANES * REAL_LANES;
        for (int64_t i = k; i < rows; i++) column[i] -= s.v[i] * s.y[k] + s.x[i] * s.u[k];
        left[k] = make_reflection(rows - k - 1, column + k, column + k + 1);
        ((real *)b->diagonal)[k] = column[k];
        right[k] = 0;
        if (k + 1 == columns) break;
        for (int64_t i = 0; i < k; i++) next[i] = 0;
        next[k] = 1;
        for (int64_t i = k + 1; i < rows; i++) next[i] = column[i];
        update_all(k + 1, row, b, &s, next, left[k], y);
        for (int64_t j = k + 1; j < columns; j++) u[j] = ((real *)b->a)[j * stride + k] - y[j];
        right[k] = reflect_row(b, k, u);
        multiply_all(k + 1, row, b, u, s.x);
        real part = dot(k + 1, columns, y, u);
        for (int64_t i = 0; i <= k; i++) s.x[i] = 0;
        for (int64_t i = k + 1; i < rows; i++) s.x[i] = right[k] * (s.x[i] - part * next[i]);
        next[k] = 0;
        pending now = {next, s.x, y, u};
        next = s.v;
        y = s.y;
        u = s.u;
        s = now;
    }
}
