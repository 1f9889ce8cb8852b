/* rt_special.c - functions that libm lacks: inverse error function and digamma. Generated code and
 * the reference interpreter share them.
 *
 * erfinv starts from Giles' approximation (Approximating the erfinv function, 2010) and takes two
 * Newton steps; digamma is the recurrence up to 10 and the asymptotic series from there, reflected
 * for negative arguments.
 */
#include "rt_special.h"

#include <math.h>
#include <stddef.h>

static const double PI = 3.14159265358979323846;

double fe_erfinv(double x)
{
    if (isnan(x) || x < -1 || x > 1) return NAN;
    if (x == 1 || x == -1) return x * INFINITY;
    double w = -log((1 - x) * (1 + x));
    double y;
    if (w < 5) {
        static const double NEAR[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                      -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                      -0.00417768164,  0.246640727,    1.50140941};
        y = NEAR[0];
        for (size_t k = 1; k < sizeof NEAR / sizeof *NEAR; k++) y = NEAR[k] + y * (w - 2.5);
    } else {
        static const double FAR[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                                     -0.00367342844,  0.00573950773,  -0.0076224613,
                                     0.00943887047,   1.00167406,     2.83297682};
        y = FAR[0];
        for (size_t k = 1; k < sizeof FAR / sizeof *FAR; k++) y = FAR[k] + y * (sqrt(w) - 3);
    }
    y *= x;
    for (int step = 0; step < 2; step++) y -= (erf(y) - x) / (2 / sqrt(PI) * exp(-y * y));
    return y;
}

double fe_digamma(double x)
{
    if (x == 0) return copysign(INFINITY, -x);
    if (x < 0) {
        if (x == trunc(x)) return NAN;
        double whole;
        return fe_digamma(1 - x) - PI / tan(PI * modf(x, &whole));
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
