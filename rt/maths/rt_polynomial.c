/* rt_polynomial.c - orthogonal polynomials by their three-term recurrences. */
#include "rt_special.h"

#include <math.h>
#include <stdint.h>

static int64_t degree_of(double n)
{
    return n > -1 && n < 9.0e18 ? (int64_t)n : -1;
}

/* H(k + 1) = scale x H(k) - scale k H(k - 1), from 1 and scale x: scale 2 for physicists. */
static double hermite(double x, int64_t n, double scale)
{
    double before = 1, now = scale * x;
    if (n <= 0) return n == 0;
    for (int64_t k = 1; k < n && !isnan(now); k++) {
        double next = scale * (x * now - (double)k * before);
        before = now;
        now = next;
    }
    return now;
}

double fe_hermiteh(double x, double n)
{
    return hermite(x, degree_of(n), 2);
}

double fe_hermitehe(double x, double n)
{
    return hermite(x, degree_of(n), 1);
}

double fe_laguerre(double x, double n)
{
    int64_t degree = degree_of(n);
    double before = 1, now = 1 - x;
    if (degree < 0) return 0;
    if (degree == 0 || x == 0) return 1;
    for (int64_t k = 1; k < degree && !isnan(now); k++) {
        double next = ((2 * (double)k + 1 - x) * now - (double)k * before) / (double)(k + 1);
        before = now;
        now = next;
    }
    return now;
}

double fe_legendre(double x, double n)
{
    int64_t degree = degree_of(n);
    double before = 1, now = x;
    if (degree < 0) return 0;
    if (x == 1 || x == -1) return x > 0 || degree % 2 == 0 ? 1 : -1;
    if (degree == 0) return 1;
    for (int64_t k = 1; k < degree && !isnan(now); k++) {
        double next = ((2 * (double)k + 1) * x * now - (double)k * before) / (double)(k + 1);
        before = now;
        now = next;
    }
    return now;
}
