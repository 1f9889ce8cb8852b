/* rt_linalg_exp.h - the matrix exponential for one element type: included by rt_linalg_exp.c with
 * NUMBER (the type), FOR_TYPE(name) (the name of a function for it) and ABSOLUTE defined.
 */

static void FOR_TYPE(add_identity)(int64_t n, NUMBER *a, NUMBER factor)
{
    for (int64_t i = 0; i < n; i++) a[i * n + i] += factor;
}

/* The greatest sum of absolute values down a column. */
static double FOR_TYPE(norm)(int64_t n, const NUMBER *a)
{
    double most = 0;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += (double)ABSOLUTE(a[j * n + i]);
        if (!(sum <= most)) most = sum;
    }
    return most;
}

/* result := exp(a), which is destroyed; room for three more matrices in `work`.
 *
 * Scaling and squaring: a is halved until the Taylor polynomial of degree 18 is exact to rounding
 * (norm 1.09, Bader, Blanes and Casas 2019), which is evaluated as a polynomial in a^3 of
 * polynomials of degree 2 (Paterson and Stockmeyer), and its value is squared as often again. */
static void FOR_TYPE(exponential)(const rt_factor_kernels *kernels, int64_t n, NUMBER *a,
                                  NUMBER *result, NUMBER *work)
{
    enum { DEGREE = 18, BLOCK = 3 };
    static const double REACH = 1.09;
    int64_t size = n * n;
    NUMBER *square = work, *cube = work + size, *next = work + 2 * size;
    double coefficients[DEGREE + 1] = {1}, norm = FOR_TYPE(norm)(n, a);
    int halvings = 0;
    if (!isfinite(norm)) {
        for (int64_t i = 0; i < size; i++) result[i] = (NUMBER)NAN * a[i];
        return;
    }
    if (norm > REACH) halvings = (int)ceil(log2(norm / REACH));
    for (int64_t i = 0; i < size; i++) a[i] *= (NUMBER)ldexp(1, -halvings);
    for (int k = 1; k <= DEGREE; k++) coefficients[k] = coefficients[k - 1] / k;
    memset(square, 0, (size_t)size * sizeof *a);
    memset(cube, 0, (size_t)size * sizeof *a);
    kernels->add_product(n, a, a, square);
    kernels->add_product(n, a, square, cube);
    for (int64_t i = 0; i < size; i++) result[i] = 0;
    FOR_TYPE(add_identity)(n, result, (NUMBER)coefficients[DEGREE]);
    for (int k = DEGREE - BLOCK; k >= 0; k -= BLOCK) {
        for (int64_t i = 0; i < size; i++)
            next[i] = (NUMBER)coefficients[k + 1] * a[i] + (NUMBER)coefficients[k + 2] * square[i];
        FOR_TYPE(add_identity)(n, next, (NUMBER)coefficients[k]);
        kernels->add_product(n, result, cube, next);
        memcpy(result, next, (size_t)size * sizeof *a);
    }
    for (int k = 0; k < halvings; k++) {
        memset(next, 0, (size_t)size * sizeof *a);
        kernels->add_product(n, result, result, next);
        memcpy(result, next, (size_t)size * sizeof *a);
    }
}
