/* rt_airy.c - Bessel functions of whole order, from libm, and Airy's Ai.
 *
 * Ai is summed from its Maclaurin series around 0; to the right, where the series cancels, it is
 * K(1/3) of z = 2/3 x^(3/2), whose integral exp(-z cosh t) cosh(t/3) the trapezoidal rule takes to
 * full precision in a few dozen steps; far to the left it is the asymptotic series.
 */
#define _XOPEN_SOURCE 700
#include "rt_special.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

double fe_besselj0(double x)
{
    return isinf(x) ? NAN : j0(x);
}
double fe_besselj1(double x)
{
    return isinf(x) ? NAN : j1(x);
}
double fe_bessely0(double x)
{
    return x == 0 ? -INFINITY : x < 0 || isinf(x) ? NAN : y0(x);
}
double fe_bessely1(double x)
{
    return x == 0 ? -INFINITY : x < 0 || isinf(x) ? NAN : y1(x);
}

static double airy_series(double x)
{
    const double at_0 = 0.35502805388781723926, slope = 0.25881940379280679841;
    double cube = x * x * x, even = 1, odd = x, even_term = 1, odd_term = x;
    for (int k = 1; k < 60; k++) {
        even_term *= cube / ((3.0 * k - 1) * (3.0 * k));
        odd_term *= cube / ((3.0 * k) * (3.0 * k + 1));
        even += even_term;
        odd += odd_term;
        if (fabs(even_term) + fabs(odd_term) < 1e-19 * (fabs(even) + fabs(odd))) break;
    }
    return at_0 * even - slope * odd;
}

static double airy_right(double x)
{
    double z = 2.0 / 3 * x * sqrt(x), sum = 0.5;
    double step = fmin(0.125, sqrt(0.5 / z)); /* the integrand is about exp(-z t^2 / 2) */
    for (int k = 1; k < 100; k++) {
        double t = k * step, term = exp(-z * (cosh(t) - 1)) * cosh(t / 3);
        sum += term;
        if (term < 1e-18 * sum) break;
    }
    return exp(-z) * step * sum * sqrt(x / 3) / PI;
}

/* Ai(-x) */
static double airy_left(double x)
{
    double z = 2.0 / 3 * x * sqrt(x), u = 1, even = 1, odd = 0, last = INFINITY;
    for (int k = 1; k < 40; k++) {
        u *= (6.0 * k - 5) * (6.0 * k - 3) * (6.0 * k - 1) / (216.0 * k * (2 * k - 1) * z);
        if (u > last) break; /* the series starts to diverge */
        last = u;
        double term = k / 2 % 2 ? -u : u;
        if (k % 2)
            odd += term;
        else
            even += term;
    }
    return (cos(z - PI / 4) * even + sin(z - PI / 4) * odd) / (sqrt(PI) * sqrt(sqrt(x)));
}

double fe_airyai(double x)
{
    if (isnan(x) || isinf(x)) return NAN;
    if (x > 103.892) return 0;
    if (x > 1.5) return airy_right(x);
    return x > -8 ? airy_series(x) : airy_left(-x);
}
