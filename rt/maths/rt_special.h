/* rt_special.h - functions of doubles that libm lacks; NaN outside their domain. */
#ifndef RT_SPECIAL_H
#define RT_SPECIAL_H

#include <stdint.h>

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

/* Uniform bits, a function of the two alone (rt_draw.c). */
uint64_t fe_random_bits(uint64_t seed, uint64_t counter);
/* One number drawn, a function of random bits and the parameters alone: of a Poisson distribution,
 * of a gamma distribution of scale 1, of how many of n trials succeed. NaN where there is no such
 * distribution. */
double fe_drawpoisson(double bits, double rate);
double fe_drawgamma(double bits, double shape);
double fe_drawbinomial(double bits, double n, double p);

#endif
