/* digits.c -- round(x, digits) of floats as Python rounds: the multiple of a power of ten that is
 * nearest to the exact value, half to even. x times the power may be rounded onto a half that x
 * itself is not at; what that lost (Dekker's product, no fma) says on which side x is.
 */
#include "lower/ragged.h"

#include <math.h>

enum { MOST_DIGITS = 22 };              /* powers of ten that a double holds exactly */
static const double SPLIT = 0x1p27 + 1; /* into halves whose products are exact */

static loop_value number(lowering *l, double x)
{
    return loop_const_float(l->program, TY_F64, x);
}

static loop_value rounded_product(lowering *l, loop_value a, loop_value b)
{
    return lower_op1(l, LOOP_ROUNDED, lower_op2(l, LOOP_MUL, a, b));
}

static void split(lowering *l, loop_value x, loop_value *high, loop_value *low)
{
    loop_value wide = rounded_product(l, x, number(l, SPLIT));
    *high = lower_op2(l, LOOP_SUB, wide, lower_op2(l, LOOP_SUB, wide, x));
    *low = lower_op2(l, LOOP_SUB, x, *high);
}

/* a * b - product, exactly; the product is a * b rounded. */
static loop_value lost(lowering *l, loop_value a, loop_value b, loop_value product)
{
    loop_value high[2], low[2];
    split(l, a, &high[0], &low[0]);
    split(l, b, &high[1], &low[1]);
    loop_value sum = lower_op2(l, LOOP_SUB, lower_op2(l, LOOP_MUL, high[0], high[1]), product);
    sum = lower_op2(l, LOOP_ADD, sum, lower_op2(l, LOOP_MUL, high[0], low[1]));
    sum = lower_op2(l, LOOP_ADD, sum, lower_op2(l, LOOP_MUL, low[0], high[1]));
    return lower_op2(l, LOOP_ADD, sum, lower_op2(l, LOOP_MUL, low[0], low[1]));
}

/* x in units of the last digit, and a number with the sign of what that is short of the exact one. */
static loop_value in_units(lowering *l, loop_value x, loop_value ten, bool tens, loop_value *rest)
{
    if (!tens) {
        loop_value scaled = rounded_product(l, x, ten);
        *rest = lost(l, x, ten, scaled);
        return scaled;
    }
    loop_value scaled = lower_op2(l, LOOP_DIV, x, ten), back = rounded_product(l, scaled, ten);
    *rest = lower_op2(l, LOOP_SUB, lower_op2(l, LOOP_SUB, x, back), lost(l, scaled, ten, back));
    return scaled;
}

bool lower_can_round_to(int64_t digits)
{
    return digits >= -MOST_DIGITS && digits <= MOST_DIGITS;
}

loop_value lower_round_to(lowering *l, loop_value x, int64_t digits)
{
    loop_program *p = l->program;
    bool tens = digits < 0;
    loop_value ten = number(l, pow(10, (double)(tens ? -digits : digits))), zero = number(l, 0),
               rest;
    loop_value units = in_units(l, x, ten, tens, &rest), below = lower_op1(l, LOOP_FLOOR, units);
    loop_value half = lower_op2(l, LOOP_EQ, lower_op2(l, LOOP_SUB, units, below), number(l, 0.5));
    loop_value side = loop_where(p, half, rest, zero);
    loop_value nearest =
        loop_where(p, lower_op2(l, LOOP_LT, side, zero), below, lower_op1(l, LOOP_ROUND, units));
    nearest = loop_where(p, lower_op2(l, LOOP_LT, zero, side),
                         lower_op2(l, LOOP_ADD, below, number(l, 1)), nearest);
    loop_value made = lower_op2(l, tens ? LOOP_MUL : LOOP_DIV, nearest, ten);
    made = lower_op2(l, LOOP_COPYSIGN, lower_op1(l, LOOP_ABS, made), x);
    loop_value has_digits = lower_op2(l, LOOP_LT, lower_op1(l, LOOP_ABS, units), number(l, 0x1p53));
    return loop_where(p, has_digits, made, x);
}
