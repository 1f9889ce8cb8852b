/* rt_factor_lanes.h - small matrices side by side: see rt_factor.h. */
#include "rt_factor.h"
#include "rt_factor_gather.h"

/* Row `step` of every matrix becomes its row `with`, which is not above it, and that one becomes this. */
RT_INLINE void exchange(int64_t rows, int64_t columns, side *a, int64_t step, mask with)
{
    for (int64_t i = step + 1; i < rows; i++) {
        mask here = IS_EQUAL(with, same_bits((bits)i));
        for (int64_t j = 0; j < columns; j++) {
            side *x = a + j * rows + step, *y = a + j * rows + i, kept = *x;
            *x = side_choose(here, *y, kept);
            *y = side_choose(here, kept, *y);
        }
    }
}

/* The row of the first number from row `step` of a column on that none is larger than. */
RT_INLINE mask find_pivot(int64_t rows, const side *column, int64_t step, vec *size)
{
    vec most = side_size(column[step]);
    mask at = same_bits((bits)step);
    for (int64_t i = step + 1; i < rows; i++) {
        vec x = side_size(column[i]);
        mask is_more = IS_MORE(x, most);
        most = choose(is_more, x, most);
        at = choose_bits(is_more, same_bits((bits)i), at);
    }
    *size = most;
    return at;
}

RT_INLINE void put_integers(int32_t *to, mask from)
{
    for (int lane = 0; lane < REAL_LANES; lane++) to[lane] = (int32_t)LANE(from, lane);
}

static void lu_aside(int64_t m, int64_t n, void *matrices, int32_t *pivots, int32_t *infos)
{
    side *a = matrices;
    mask info = {0};
    for (int64_t step = 0; step < m && step < n; step++) {
        side *column = a + step * m;
        vec size;
        mask with = find_pivot(m, column, step, &size), zero = IS_EQUAL(size, (vec){0});
        put_integers(pivots + step * REAL_LANES, with + same_bits(1));
        info = choose_bits(zero & IS_EQUAL(info, (mask){0}), same_bits((bits)step + 1), info);
        exchange(m, n, a, step, with);
        side pivot = side_choose(zero, sides_of(of_real(1)), column[step]);
        for (int64_t i = step + 1; i < m; i++) column[i] = side_quotient(column[i], pivot);
        for (int64_t j = step + 1; j < n; j++) {
            side factor = a[j * m + step];
            for (int64_t i = step + 1; i < m; i++)
                a[j * m + i] = side_less_product(a[j * m + i], column[i], factor);
        }
    }
    put_integers(infos, info);
}

static void cholesky_aside(int64_t n, void *matrices, int32_t *infos)
{
    side *a = matrices;
    mask info = {0};
    for (int64_t step = 0; step < n; step++) {
        side *column = a + step * n;
        vec square = REAL_PART(column[step]);
        mask positive = IS_MORE(square, (vec){0});
        info = choose_bits(~positive & IS_EQUAL(info, (mask){0}), same_bits((bits)step + 1), info);
        column[step] = side_of_reals(root(choose(positive, square, spread(1))));
        for (int64_t i = 0; i < step; i++) column[i] = side_of_reals((vec){0});
        for (int64_t i = step + 1; i < n; i++) column[i] = side_quotient(column[i], column[step]);
        for (int64_t j = step + 1; j < n; j++) {
            side factor = side_conjugate(column[j]);
            for (int64_t i = j; i < n; i++)
                a[j * n + i] = side_less_product(a[j * n + i], column[i], factor);
        }
    }
    put_integers(infos, info);
}

static void substitute_aside(int64_t n, int64_t columns, const void *matrices, void *systems,
                             int upper, int unit)
{
    const side *a = matrices;
    for (int64_t c = 0; c < columns; c++) {
        side *x = (side *)systems + c * n;
        for (int64_t step = 0; step < n; step++) {
            int64_t j = upper ? n - 1 - step : step;
            const side *column = a + j * n;
            int64_t begin = upper ? 0 : j + 1, end = upper ? j : n;
            if (!unit) x[j] = side_quotient(x[j], column[j]);
            side factor = x[j];
            for (int64_t i = begin; i < end; i++) x[i] = side_less_product(x[i], column[i], factor);
        }
    }
}

static void exchange_aside(int64_t n, int64_t columns, void *b, const int32_t *pivots, int backward)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t step = backward ? n - 1 - k : k;
        mask with = {0};
        for (int lane = 0; lane < REAL_LANES; lane++)
            LANE(with, lane) = pivots[step * REAL_LANES + lane] - 1;
        exchange(n, columns, b, step, with);
    }
}
