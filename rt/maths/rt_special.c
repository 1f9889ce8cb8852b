/* rt_special.c - functions that libm lacks: inverse error function and digamma. Generated code and
 * the reference interpreter share them.
 *
 * erfinv(x) / x is a polynomial of w = -log(1 - x^2) or, far out, of its root (Giles, Approximating
 * the erfinv function, 2010), which interpolates it at Chebyshev's points; digamma is the recurrence
 * up to 10 and the asymptotic series from there, reflected for negative arguments.
 */
#include "rt_special.h"

#include <math.h>
#include <stddef.h>

static const double PI = 3.14159265358979323846;

static double polynomial(const double *c, size_t count, double x)
{
    double y = c[0];
    for (size_t k = 1; k < count; k++) y = y * x + c[k];
    return y;
}

#define POLYNOMIAL(c, x) polynomial(c, sizeof c / sizeof *c, x)

double fe_erfinv(double x)
{
    static const double NEAR[] = {
        3.240704459379902e-21,   -1.113483769832702e-21, -3.4996044354754177e-19,
        1.150022252066253e-18,   1.5574320246233251e-17, -1.3016928016796445e-16,
        -4.0282154327661744e-17, 6.5964077124208341e-15, -4.0012377350918961e-14,
        -8.1183994430743526e-14, 2.6304834740560442e-12, -1.2976885526532075e-11,
        -5.414287198084716e-11,  1.0512181539804126e-09, -4.1126608200232397e-09,
        -2.9070382262927266e-08, 4.2347881737823391e-07, -1.3654691850603575e-06,
        -1.3882523394405316e-05, 0.00018673420802464837, -0.00074070253415447704,
        -0.0060336708714278497,  0.24015818242558831,    1.6536545626831027};
    static const double FAR[] = {
        9.4878156294822244e-18,  -4.5249224624845345e-15, 3.4534235674284097e-14,
        -5.2159865516813729e-14, -3.1684087634115592e-13, 1.7345647381437468e-12,
        -4.0783774298367439e-12, 2.2356716197215287e-12,  3.3942488250454776e-11,
        -1.8629867724717695e-10, 4.6229692412940734e-10,  -1.9041471638356251e-10,
        -3.0663025017508841e-09, 1.3438585401392812e-08,  -3.0143917976954089e-08,
        2.561089788391619e-08,   9.3292713573869723e-08,  -5.1525929926617081e-07,
        1.490173215060489e-06,   -3.211129263063497e-06,  5.8072692659052606e-06,
        -1.019766447253115e-05,  2.1980127852641292e-05,  -6.4419750849570352e-05,
        0.00021217671332956228,  -0.00060789402745420069, 0.00071274997265631881,
        1.0099782771612553,      4.0922234236681296};
    if (isnan(x) || x < -1 || x > 1) return NAN;
    if (x == 1 || x == -1) return x * INFINITY;
    double w = -log((1 - x) * (1 + x));
    return x * (w < 6.25 ? POLYNOMIAL(NEAR, w - 3.125) : POLYNOMIAL(FAR, sqrt(w) - 4.25));
}

double fe_digamma(double x)
{
    if (x == 0) return copysign(INFINITY, -x);
    if (x < 0) {
        if (x == trunc(x)) return NAN;
        return fe_digamma(1 - x) - PI / tan(PI * (x - nearbyint(x)));
    }
    double result = 0;
    for (; x < 10; x += 1) result -= 1 / x;
    if (x == 10) return result + 2.25175258906672110764;
    static const double SERIES[] = {8.33333333333333333333E-2, -2.10927960927960927961E-2,
                                    7.57575757575757575758E-3, -4.16666666666666666667E-3,
                                    3.96825396825396825397E-3, -8.33333333333333333333E-3,
                                    8.33333333333333333333E-2};
    double y = 0;
    if (x < 1.0e17) {
        double z = 1 / (x * x);
        for (size_t k = 0; k < sizeof SERIES / sizeof *SERIES; k++) y = y * z + SERIES[k];
        y *= z;
    }
    return result + log(x) - 0.5 / x - y;
}
