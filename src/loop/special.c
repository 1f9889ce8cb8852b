/* special.c -- the functions that libm lacks and draws of random numbers, by opcode (they stand in
 * rt/, so that generated code calls the same). */
#include "loop/loop_priv.h"

static double (*const UNARY[LOOP_OPCODE_COUNT])(double) = {
    [LOOP_ERFINV] = fe_erfinv,     [LOOP_DIGAMMA] = fe_digamma,   [LOOP_BESSELJ0] = fe_besselj0,
    [LOOP_BESSELJ1] = fe_besselj1, [LOOP_BESSELY0] = fe_bessely0, [LOOP_BESSELY1] = fe_bessely1,
    [LOOP_AIRYAI] = fe_airyai};

static double (*const BINARY[LOOP_OPCODE_COUNT])(double, double) = {
    [LOOP_IGAMMA] = fe_igamma,           [LOOP_IGAMMAC] = fe_igammac,
    [LOOP_HERMITEH] = fe_hermiteh,       [LOOP_HERMITEHE] = fe_hermitehe,
    [LOOP_LAGUERRE] = fe_laguerre,       [LOOP_LEGENDRE] = fe_legendre,
    [LOOP_DRAWPOISSON] = fe_drawpoisson, [LOOP_DRAWGAMMA] = fe_drawgamma};

bool loop_special_apply(loop_opcode op, double a, double b, double c, double *out)
{
    if (op == LOOP_DRAWBINOMIAL) *out = fe_drawbinomial(a, b, c);
    if (UNARY[op]) *out = UNARY[op](a);
    if (BINARY[op]) *out = BINARY[op](a, b);
    return UNARY[op] || BINARY[op] || op == LOOP_DRAWBINOMIAL;
}
