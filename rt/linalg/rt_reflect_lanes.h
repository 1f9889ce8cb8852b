/* rt_reflect_lanes.h - reflections of small matrices side by side: see rt_reflect.h and rt_aside.h. */
#include "rt_factor_gather.h"
#include "rt_reflect_make.h"

RT_INLINE vec side_square(side x)
{
    return REAL_PART(x) * REAL_PART(x) + IMAGINARY_PARTS(x) * IMAGINARY_PARTS(x);
}

/* Of numbers whose squares are neither too large nor too small. */
RT_INLINE side reciprocal(side x)
{
#ifdef NUMBER_IS_COMPLEX
    vec square = side_square(x);
    return (side){x.re / square, -x.im / square};
#else
    return spread(1) / x;
#endif
}

/* Whether make_reflection takes numbers with such squares as they are, or does nothing. */
static int are_fine(vec squares, vec both, vec sizes)
{
    real square[REAL_LANES], all[REAL_LANES], size[REAL_LANES];
    store(square, squares);
    store(all, both);
    store(size, sizes);
    for (int lane = 0; lane < REAL_LANES; lane++)
        if (size[lane] != 0 &&
            !(square[lane] > LEAST_NORMAL / UNIT / UNIT && all[lane] < MOST_REAL * UNIT))
            return 0;
    return 1;
}

/* make_reflection in each lane; false where numbers must be scaled in one. */
RT_INLINE int make_reflections(int64_t count, side *alpha, side *x, side *tau)
{
    vec squares = {0}, sizes = {0}, re = REAL_PART(*alpha), im = IMAGINARY_PARTS(*alpha);
    for (int64_t i = 0; i < count; i++) {
        squares += side_square(x[i]);
        sizes += side_size(x[i]);
    }
    vec both = squares + side_square(*alpha);
    mask nothing = IS_EQUAL(sizes + magnitude(im), (vec){0});
    vec length = root(choose(nothing, spread(1), both));
    vec beta = choose(IS_MORE(spread(0), re), length, -length);
    *tau = side_choose(nothing, side_of_reals((vec){0}),
                       side_of_parts((beta - re) / beta, -im / beta));
    side factor = reciprocal(side_of_parts(re - beta, im));
    for (int64_t i = 0; i < count; i++) x[i] = side_choose(nothing, x[i], side_times(x[i], factor));
    *alpha = side_choose(nothing, *alpha, side_of_reals(beta));
    return are_fine(count ? squares : both, both, sizes + magnitude(im));
}

/* The reflection with v below its first number, which is 1, on a column; or its adjoint. */
RT_INLINE void reflect_column(int64_t count, const side *v, side tau, side *c)
{
    side sum = c[0];
    for (int64_t i = 0; i < count; i++)
        sum = side_plus_product(sum, side_conjugate(v[i]), c[i + 1]);
    sum = side_times(sum, tau);
    c[0] = side_less_product(c[0], sum, side_of_reals(spread(1)));
    for (int64_t i = 0; i < count; i++) c[i + 1] = side_less_product(c[i + 1], v[i], sum);
}

static int factor_aside(int64_t m, int64_t n, void *matrices, void *scalars)
{
    side *a = matrices, *tau = scalars;
    int fine = 1;
    for (int64_t step = 0; step < m && step < n; step++) {
        side *column = a + step * m + step;
        fine &= make_reflections(m - step - 1, column, column + 1, tau + step);
        for (int64_t j = 1; step + j < n; j++)
            reflect_column(m - step - 1, column + 1, side_conjugate(tau[step]), column + j * m);
    }
    return fine;
}

static void product_aside(int64_t m, int64_t n, int64_t count, const void *vectors,
                          const void *scalars, void *results)
{
    const side *v = vectors, *tau = scalars;
    side *q = results;
    memset(q, 0, (size_t)(m * n) * sizeof *q);
    for (int64_t j = 0; j < n; j++) q[j * m + j] = side_of_reals(spread(1));
    for (int64_t step = count; step-- > 0;)
        for (int64_t j = step; j < n; j++)
            reflect_column(m - step - 1, v + step * m + step + 1, tau[step], q + j * m + step);
}
