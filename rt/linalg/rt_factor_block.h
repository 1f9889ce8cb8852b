/* rt_factor_block.h - one matrix in blocks: see rt_factor.h. Columns are halved recursively, so that
 * nearly all of the work is products of blocks; no more than BLOCK of them go one by one. */
#include "rt_factor_product.h"

enum { BLOCK = 16 };

/* Where n > BLOCK is cut in two. */
RT_INLINE int64_t half(int64_t n)
{
    return (n / 2 + BLOCK - 1) / BLOCK * BLOCK;
}

static void negate(int64_t count, number *x)
{
    for (int64_t i = 0; i < count; i++) x[i] = less_product(of_real(0), x[i], of_real(1));
}

/* -(-C - A B) */
static void add_product(int64_t n, const void *a, const void *b, void *c)
{
    negate(n * n, c);
    subtract_product(n, n, n, a, n, (factor_view){b, 1, n, 0}, c, n);
    negate(n * n, c);
}

/* ---- triangular systems ---- */

/* No more than BLOCK rows: right-hand sides are side by side. */
static void substitute_block(int64_t n, int64_t columns, const number *a, int64_t lda, number *b,
                             int64_t ldb, int upper, int unit)
{
    side x[BLOCK];
    for (int64_t c = 0; c < columns; c += REAL_LANES) {
        int count = (int)(columns - c < REAL_LANES ? columns - c : REAL_LANES);
        memset(x, 0, sizeof x);
        for (int lane = 0; lane < count; lane++)
            for (int64_t i = 0; i < n; i++) side_put(&x[i], lane, b[(c + lane) * ldb + i]);
        for (int64_t step = 0; step < n; step++) {
            int64_t j = upper ? n - 1 - step : step;
            const number *column = a + j * lda;
            int64_t begin = upper ? 0 : j + 1, end = upper ? j : n;
            if (!unit) x[j] = side_quotient(x[j], sides_of(column[j]));
            side factor = x[j];
            for (int64_t i = begin; i < end; i++)
                x[i] = side_less_product(x[i], sides_of(column[i]), factor);
        }
        for (int lane = 0; lane < count; lane++)
            for (int64_t i = 0; i < n; i++) b[(c + lane) * ldb + i] = side_number(&x[i], lane);
    }
}

static void substitute_numbers(int64_t n, int64_t columns, const number *a, int64_t lda, number *b,
                               int64_t ldb, int upper, int unit)
{
    if (n <= BLOCK) {
        substitute_block(n, columns, a, lda, b, ldb, upper, unit);
        return;
    }
    int64_t first = half(n), rest = n - first;
    const number *corner = a + first * lda + first;
    if (upper) {
        substitute_numbers(rest, columns, corner, lda, b + first, ldb, upper, unit);
        subtract_product(first, columns, rest, a + first * lda, lda,
                         (factor_view){b + first, 1, ldb, 0}, b, ldb);
        substitute_numbers(first, columns, a, lda, b, ldb, upper, unit);
    } else {
        substitute_numbers(first, columns, a, lda, b, ldb, upper, unit);
        subtract_product(rest, columns, first, a + first, lda, (factor_view){b, 1, ldb, 0},
                         b + first, ldb);
        substitute_numbers(rest, columns, corner, lda, b + first, ldb, upper, unit);
    }
}

static void substitute(int64_t n, int64_t columns, const void *a, int64_t lda, void *b, int64_t ldb,
                       int upper, int unit)
{
    substitute_numbers(n, columns, a, lda, b, ldb, upper, unit);
}

/* ---- LU ---- */

/* The place of the first number that none is larger than. */
static int64_t find_largest(int64_t count, const number *x)
{
    real most = size_of(x[0]);
    int64_t at = 0;
    for (int64_t i = 1; i < count; i++) {
        real size = size_of(x[i]);
        if (size > most) {
            most = size;
            at = i;
        }
    }
    return at;
}

static void exchange_rows(int64_t columns, number *a, int64_t lda, const int32_t *pivots,
                          int64_t count)
{
    for (int64_t j = 0; j < columns; j++) {
        number *column = a + j * lda;
        for (int64_t i = 0; i < count; i++) {
            number kept = column[i];
            column[i] = column[pivots[i] - 1];
            column[pivots[i] - 1] = kept;
        }
    }
}

static int lu_panel(int64_t m, int64_t n, number *a, int64_t lda, int32_t *pivots)
{
    int info = 0;
    for (int64_t step = 0; step < m && step < n; step++) {
        number *column = a + step * lda;
        int64_t with = step + find_largest(m - step, column + step);
        pivots[step] = (int32_t)with + 1;
        if (size_of(column[with]) == 0) {
            if (!info) info = (int)step + 1;
            continue;
        }
        for (int64_t j = 0; with != step && j < n; j++) {
            number kept = a[j * lda + step];
            a[j * lda + step] = a[j * lda + with];
            a[j * lda + with] = kept;
        }
        number pivot = column[step];
        for (int64_t i = step + 1; i < m; i++) column[i] = quotient(column[i], pivot);
        for (int64_t j = step + 1; j < n; j++)
            subtract_scaled(m - step - 1, a[j * lda + step], column + step + 1,
                            a + j * lda + step + 1);
    }
    return info;
}

static int lu_columns(int64_t m, int64_t n, number *a, int64_t lda, int32_t *pivots)
{
    if (n <= BLOCK) return lu_panel(m, n, a, lda, pivots);
    int64_t least = m < n ? m : n, first = least <= BLOCK ? least : half(least), rest = n - first;
    number *right = a + first * lda, *corner = right + first;
    int info = lu_columns(m, first, a, lda, pivots);
    exchange_rows(rest, right, lda, pivots, first);
    substitute_numbers(first, rest, a, lda, right, lda, 0, 1);
    if (m == first) return info;
    subtract_product(m - first, rest, first, a + first, lda, (factor_view){right, 1, lda, 0},
                     corner, lda);
    int below = lu_columns(m - first, rest, corner, lda, pivots + first);
    exchange_rows(first, a + first, lda, pivots + first, least - first);
    for (int64_t i = first; i < least; i++) pivots[i] += (int32_t)first;
    return info ? info : below ? below + (int)first : 0;
}

static int lu(int64_t m, int64_t n, void *a, int64_t lda, int32_t *pivots)
{
    return lu_columns(m, n, a, lda, pivots);
}

/* ---- Cholesky ---- */

static int cholesky_panel(int64_t m, int64_t n, number *a, int64_t lda)
{
    for (int64_t step = 0; step < n; step++) {
        number *column = a + step * lda;
        real square = REAL_PART(column[step]);
        if (!(square > 0)) return (int)step + 1;
        number diagonal = of_real(ROOT(square));
        column[step] = diagonal;
        for (int64_t i = step + 1; i < m; i++) column[i] = quotient(column[i], diagonal);
        for (int64_t j = step + 1; j < n; j++)
            subtract_scaled(m - j, conjugate(column[j]), column + j, a + j * lda + j);
    }
    return 0;
}

/* The first n columns of m rows; blocks on the diagonal are overwritten whole. */
static int cholesky_columns(int64_t m, int64_t n, number *a, int64_t lda)
{
    if (n <= BLOCK) return cholesky_panel(m, n, a, lda);
    int64_t first = half(n);
    int info = cholesky_columns(m, first, a, lda);
    if (info) return info;
    for (int64_t j = first; j < n; j += BLOCK) {
        int64_t wide = n - j < BLOCK ? n - j : BLOCK;
        subtract_product(m - j, wide, first, a + j, lda, (factor_view){a + j, lda, 1, 1},
                         a + j * lda + j, lda);
    }
    info = cholesky_columns(m - first, n - first, a + first * lda + first, lda);
    return info ? info + (int)first : 0;
}

static int cholesky(int64_t n, void *a, int64_t lda)
{
    number *numbers = a;
    int info = cholesky_columns(n, n, numbers, lda);
    for (int64_t j = 1; j < n; j++) memset(numbers + j * lda, 0, (size_t)j * sizeof *numbers);
    return info;
}
