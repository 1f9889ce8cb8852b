/* rt_factor_product.h - columns less multiples of others, and blocks less products of blocks: what the
 * factorisations in rt_factor_block.h spend their time in. */
#ifndef RT_FACTOR_PRODUCT_H
#define RT_FACTOR_PRODUCT_H

#include "rt_factor_number.h"

/* Of any strides; conjugated where that is set. */
typedef struct factor_view {
    const number *at;
    int64_t row, column;
    int conjugate;
} factor_view;

RT_INLINE number view_at(const factor_view *v, int64_t i, int64_t j)
{
    number x = v->at[i * v->row + j * v->column];
    return v->conjugate ? conjugate(x) : x;
}

/* y -= x factor */
static void subtract_scaled(int64_t count, number factor, const number *restrict x,
                            number *restrict y)
{
    int64_t i = 0;
#ifndef NUMBER_IS_COMPLEX
    for (vec all = spread(factor); i + REAL_LANES <= count; i += REAL_LANES)
        store(y + i, load(y + i) - load(x + i) * all);
#endif
    for (; i < count; i++) y[i] = less_product(y[i], x[i], factor);
}

#ifdef NUMBER_IS_COMPLEX

/* C -= A B, with k columns of A. */
static void subtract_product(int64_t m, int64_t n, int64_t k, const number *a, int64_t lda,
                             factor_view b, number *c, int64_t ldc)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t step = 0; step < k; step++)
            subtract_scaled(m, view_at(&b, step, j), a + step * lda, c + j * ldc);
}

#else

/* A tile of C is so many vectors by so many columns; of A no more than DEPTH columns at once. */
enum { TILE_VECTORS = REAL_BYTES == 64 ? 4 : 2, TILE_COLUMNS = 4, DEPTH = 128 };

RT_INLINE void tile(const int vectors, const int columns, int64_t k, const real *a, int64_t lda,
                    const real *b, int64_t row, int64_t column, real *c, int64_t ldc)
{
    vec sums[TILE_VECTORS * TILE_COLUMNS];
    for (int j = 0; j < columns; j++)
        for (int v = 0; v < vectors; v++)
            sums[j * TILE_VECTORS + v] = load(c + j * ldc + v * REAL_LANES);
    for (int64_t step = 0; step < k; step++) {
        vec x[TILE_VECTORS];
        for (int v = 0; v < vectors; v++) x[v] = load(a + step * lda + v * REAL_LANES);
        for (int j = 0; j < columns; j++) {
            vec factor = spread(b[step * row + j * column]);
            for (int v = 0; v < vectors; v++) sums[j * TILE_VECTORS + v] -= x[v] * factor;
        }
    }
    for (int j = 0; j < columns; j++)
        for (int v = 0; v < vectors; v++)
            store(c + j * ldc + v * REAL_LANES, sums[j * TILE_VECTORS + v]);
}

/* Rows of so many vectors. */
RT_INLINE void tile_row(const int vectors, int64_t n, int64_t k, const real *a, int64_t lda,
                        factor_view b, real *c, int64_t ldc)
{
    int64_t j = 0;
    for (; j + TILE_COLUMNS <= n; j += TILE_COLUMNS)
        tile(vectors, TILE_COLUMNS, k, a, lda, b.at + j * b.column, b.row, b.column, c + j * ldc,
             ldc);
    for (; j < n; j++)
        tile(vectors, 1, k, a, lda, b.at + j * b.column, b.row, b.column, c + j * ldc, ldc);
}

/* Fewer rows than a vector has lanes: their part of A and of C is copied into whole vectors. */
static void last_rows(int64_t m, int64_t n, int64_t k, const real *a, int64_t lda, factor_view b,
                      real *c, int64_t ldc)
{
    real part[DEPTH * REAL_LANES], columns[TILE_COLUMNS * REAL_LANES];
    memset(part, 0, sizeof part);
    memset(columns, 0, sizeof columns);
    for (int64_t step = 0; step < k; step++)
        for (int64_t i = 0; i < m; i++) part[step * REAL_LANES + i] = a[step * lda + i];
    for (int64_t j = 0; j < n; j += TILE_COLUMNS) {
        int64_t wide = n - j < TILE_COLUMNS ? n - j : TILE_COLUMNS;
        factor_view here = {b.at + j * b.column, b.row, b.column, 0};
        for (int64_t l = 0; l < wide; l++)
            for (int64_t i = 0; i < m; i++) columns[l * REAL_LANES + i] = c[(j + l) * ldc + i];
        tile_row(1, wide, k, part, REAL_LANES, here, columns, REAL_LANES);
        for (int64_t l = 0; l < wide; l++)
            for (int64_t i = 0; i < m; i++) c[(j + l) * ldc + i] = columns[l * REAL_LANES + i];
    }
}

static void subtract_part(int64_t m, int64_t n, int64_t k, const real *a, int64_t lda,
                          factor_view b, real *c, int64_t ldc)
{
    int64_t i = 0;
    for (; i + TILE_VECTORS * REAL_LANES <= m; i += TILE_VECTORS * REAL_LANES)
        tile_row(TILE_VECTORS, n, k, a + i, lda, b, c + i, ldc);
    if (TILE_VECTORS > 2 && i + 2 * REAL_LANES <= m) {
        tile_row(2, n, k, a + i, lda, b, c + i, ldc);
        i += 2 * REAL_LANES;
    }
    for (; i + REAL_LANES <= m; i += REAL_LANES) tile_row(1, n, k, a + i, lda, b, c + i, ldc);
    if (i < m) last_rows(m - i, n, k, a + i, lda, b, c + i, ldc);
}

/* C -= A B, with k columns of A. */
static void subtract_product(int64_t m, int64_t n, int64_t k, const real *a, int64_t lda,
                             factor_view b, real *c, int64_t ldc)
{
    for (int64_t begin = 0; begin < k; begin += DEPTH) {
        factor_view here = {b.at + begin * b.row, b.row, b.column, 0};
        subtract_part(m, n, k - begin < DEPTH ? k - begin : DEPTH, a + begin * lda, lda, here, c,
                      ldc);
    }
}

#endif

#endif
