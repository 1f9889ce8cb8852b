/* rt_special.h - functions of one double that libm lacks; NaN outside their domain. */
#ifndef RT_SPECIAL_H
#define RT_SPECIAL_H

double fe_erfinv(double x);  /* +-infinity at +-1 */
double fe_digamma(double x); /* NaN at negative integers, +-infinity at -+0 */

#endif
