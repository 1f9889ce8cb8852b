/* rt_linalg_type.h - the arithmetic of rt_linalg_own.c for one element type: included once for each,
 * with NUMBER (the type) and FOR_TYPE(name) (the name of a function for it) defined.
 *
 * Matrices are column major, with leading dimensions.
 */

/* B := A^-1 B for a triangular A of n rows: substitution, column after column of A, on as many
 * right-hand sides at once as share what is read of it. */
static void FOR_TYPE(substitute)(int64_t n, int64_t columns, const NUMBER *a, int64_t lda,
                                 NUMBER *b, int64_t ldb, int upper, int unit)
{
    enum { TOGETHER = 4 };
    for (int64_t c = 0; c < columns; c += TOGETHER) {
        int64_t end = c + TOGETHER < columns ? c + TOGETHER : columns;
        for (int64_t step = 0; step < n; step++) {
            int64_t j = upper ? n - 1 - step : step;
            const NUMBER *from = a + j * lda;
            int64_t begin = upper ? 0 : j + 1, stop = upper ? j : n;
            for (int64_t side = c; side < end; side++) {
                NUMBER *x = b + side * ldb;
                if (!unit) x[j] /= from[j];
                NUMBER factor = x[j];
                for (int64_t i = begin; i < stop; i++) x[i] -= factor * from[i];
            }
        }
    }
}
