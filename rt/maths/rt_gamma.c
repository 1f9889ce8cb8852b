/* rt_gamma.c - the regularised incomplete gamma functions P(a, x) and Q(a, x) = 1 - P(a, x).
 *
 * Below a + 1 the power series gives P, above it Legendre's continued fraction gives Q (modified
 * Lentz); both need some sqrt(a) steps, so that for great a Temme's uniform expansion takes over,
 * with the coefficients that such an a needs.
 */
#include "rt_special.h"

#include <math.h>
#include <stdbool.h>

static const double PI = 3.14159265358979323846;
static const double TINY = 1e-300;
static const double GREAT_A = 1e5;
enum { MOST_STEPS = 20000 };

/* log(1 + x) - x */
static double log1p_less(double x)
{
    if (fabs(x) > 0.1) return log1p(x) - x;
    double power = x, sum = 0;
    for (int k = 2; k < 40; k++) {
        power *= -x;
        sum += power / k;
        if (fabs(power) < 1e-19 * fabs(sum)) break;
    }
    return sum;
}

/* log(gamma(1 + a)) */
static double lgamma1p(double a)
{
    const double euler = 0.57721566490153286061, zeta2 = 1.64493406684822643647,
                 zeta3 = 1.20205690315959428540;
    return a < 1e-5 ? a * (a * (zeta2 / 2 - a * zeta3 / 3) - euler) : lgamma(1 + a);
}

/* x^a e^-x / gamma(a + 1) */
static double factor(double a, double x)
{
    if (a < 20) return exp(a * log(x) - x - lgamma1p(a));
    double i = 1 / (a * a);
    double stirling = (1.0 / 12 - i * (1.0 / 360 - i * (1.0 / 1260 - i / 1680))) / a;
    return exp(a * log1p_less((x - a) / a) - stirling) / sqrt(a * (2 * PI));
}

static double lower_series(double a, double x)
{
    double term = 1, sum = term;
    for (int k = 1; k < MOST_STEPS && term > 1e-17 * sum; k++) {
        term *= x / (a + k);
        sum += term;
    }
    return sum * factor(a, x);
}

static double upper_fraction(double a, double x)
{
    double b = x + 1 - a, c = 1 / TINY, d = 1 / (b == 0 ? TINY : b), value = d;
    for (int k = 1; k < MOST_STEPS; k++) {
        double top = -k * (k - a);
        b += 2;
        d = top * d + b;
        c = b + top / c;
        d = 1 / (d == 0 ? TINY : d);
        if (c == 0) c = TINY;
        value *= d * c;
        if (fabs(d * c - 1) < 1e-16) break;
    }
    return value * a * factor(a, x);
}

/* Where P is close to 1 and x small: 1 - x^a / gamma(a + 1) (1 + a sum((-x)^k / (k! (a + k)))) */
static double upper_series(double a, double x)
{
    double power = 1, sum = 0, scale = a * log(x) - lgamma1p(a);
    for (int k = 1; k < MOST_STEPS; k++) {
        power *= -x / k;
        double term = power / (a + k);
        sum += term;
        if (fabs(term) < 1e-17 * fabs(sum)) break;
    }
    return -expm1(scale) - a * exp(scale) * sum;
}

/* Is P so close to 1 that 1 - P is not to be had? */
static bool is_small_upper(double a, double x)
{
    return x <= 0.5 ? -0.4 / log(x) >= a : x <= 1.1 && x * 1.1 >= a;
}

static double polynomial(const double *c, int count, double x)
{
    double sum = 0;
    for (int k = count; k-- > 0;) sum = sum * x + c[k];
    return sum;
}

/* P for sign -1, Q for sign 1 */
static double uniform(double a, double x, double sign)
{
    static const double C0[] = {-1.0 / 3,    1.0 / 12,           -2.0 / 135,
                                1.0 / 864,   1.0 / 2835,         -139.0 / 777600,
                                1.0 / 25515, -571.0 / 261273600, -281.0 / 151559100};
    static const double C1[] = {-1.0 / 540, -1.0 / 288, 2.6455026455026455e-3,
                                -9.9022633744855967e-4, 2.0576131687242798e-4};
    double distance = log1p_less((x - a) / a);
    double eta = copysign(sqrt(-2 * distance), x - a);
    double rest = polynomial(C0, sizeof C0 / sizeof *C0, eta) +
                  polynomial(C1, sizeof C1 / sizeof *C1, eta) / a;
    double tail = exp(a * distance) / sqrt(2 * PI * a) * rest;
    return erfc(sign * eta * sqrt(a / 2)) / 2 + sign * tail;
}

/* What needs no sum: true with the value of P. */
static bool known(double a, double x, double *p)
{
    bool edge = x == 0 || a == 0 || isinf(a) || isinf(x);
    bool outside = a < 0 || x < 0 || (a == 0 && !(x > 0)) || (isinf(a) && isinf(x)) ||
                   (!edge && (isnan(a) || isnan(x)));
    *p = outside ? NAN : a != 0 && (x == 0 || isinf(a)) ? 0 : 1;
    return outside || edge;
}

static bool is_near(double a, double x)
{
    return a > GREAT_A && fabs(x - a) < 0.1 * a;
}

double fe_igamma(double a, double x)
{
    double p;
    if (known(a, x, &p)) return p;
    if (is_near(a, x)) return uniform(a, x, -1);
    return x < a + 1 ? lower_series(a, x) : 1 - upper_fraction(a, x);
}

double fe_igammac(double a, double x)
{
    double p;
    if (known(a, x, &p)) return 1 - p;
    if (is_near(a, x)) return uniform(a, x, 1);
    if (is_small_upper(a, x)) return upper_series(a, x);
    return x < a + 1 ? 1 - lower_series(a, x) : upper_fraction(a, x);
}
