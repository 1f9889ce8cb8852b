/* rt_special.h - functions of doubles that libm lacks; NaN outside their domain. */
#ifndef RT_SPECIAL_H
#define RT_SPECIAL_H

double fe_erfinv(double x);  /* +-infinity at +-1 */
double fe_digamma(double x); /* NaN at negative integers, +-infinity at -+0 */

/* Bessel functions of whole order, of the first and the second kind; Airy's Ai (rt_airy.c).
 * NaN at infinity, as PyTorch has it. */
double fe_besselj0(double x);
double fe_besselj1(double x);
double fe_bessely0(double x); /* -infinity at 0 */
double fe_bessely1(double x);
double fe_airyai(double x);

/* The regularised incomplete gamma functions P(a, x) and Q(a, x) (rt_gamma.c) */
double fe_igamma(double a, double x);
double fe_igammac(double a, double x);

/* Orthogonal polynomials of degree n, cut to a whole number; 0 where it is negative
 * (rt_polynomial.c) */
double fe_hermiteh(double x, double n);
double fe_hermitehe(double x, double n);
double fe_laguerre(double x, double n);
double fe_legendre(double x, double n);

#endif
