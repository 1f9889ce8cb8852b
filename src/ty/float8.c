/* float8.c -- floats of 8 bits: what their bits mean, and which bits a number becomes.
 *
 * As c10/util/Float8_*.h: e4m3fn has no infinity and keeps to its largest number what is beyond it;
 * e5m2 is a half with fewer bits; the fnuz forms have one zero and one NaN, 0x80; e8m0fnu is an
 * exponent alone. loop/float8.c says the same in operations of the loop IR.
 */
#include "ty/ty.h"

#include <math.h>
#include <string.h>

static const ty_float8_form FORMS[] = {
    {3, 7, 0x7f, 0x7e, true, false, false},    {2, 15, 0x7d, 0x7c, true, true, false},
    {3, 8, 0x80, 0x80, true, false, true},     {2, 16, 0x80, 0x80, true, false, true},
    {0, 127, 0xff, 0xff, false, false, false},
};

bool ty_is_float8(ty_dtype d)
{
    return d >= TY_F8E4M3FN && d <= TY_F8E8M0FNU;
}

const ty_float8_form *ty_float8_form_of(ty_dtype d)
{
    return &FORMS[d - TY_F8E4M3FN];
}

double ty_float8_value(ty_dtype d, uint8_t bits)
{
    const ty_float8_form *f = ty_float8_form_of(d);
    if (!f->has_sign) return bits == f->nan ? (double)NAN : ldexp(1, bits - f->bias);
    int magnitude = bits & 0x7f, exponent = magnitude >> f->mantissa;
    int fraction = magnitude & ((1 << f->mantissa) - 1);
    bool is_negative = bits & 0x80;
    if (f->is_unsigned_zero ? bits == f->nan : magnitude >= (int)f->nan) return (double)NAN;
    if (f->has_infinity && magnitude == (int)f->most) return is_negative ? -INFINITY : INFINITY;
    if (exponent) fraction += 1 << f->mantissa;
    double size = ldexp(fraction, (exponent ? exponent : 1) - f->bias - f->mantissa);
    return is_negative ? -size : size;
}

/* The nearest power of 2, ties up; of a float's least numbers, 0 among them, the least one. */
static uint8_t nearest_power(uint32_t bits)
{
    uint32_t exponent = bits >> 23 & 0xff, rest = bits & 0x7fffff;
    if (exponent == 0xff) return 0xff;
    return (uint8_t)(exponent + (rest > 0x400000 || (rest == 0x400000 && exponent)));
}

uint8_t ty_float8_bits(ty_dtype d, double value)
{
    const ty_float8_form *f = ty_float8_form_of(d);
    float narrow = (float)value, size = fabsf(narrow);
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    if (!f->has_sign) return nearest_power(bits);
    uint32_t sign = bits >> 24 & 0x80;
    if (isnan(narrow)) return (uint8_t)(f->is_unsigned_zero ? f->nan : 0x7f | sign);
    int exponent = 0, least = 1 - f->bias;
    frexpf(size, &exponent);
    exponent = size == 0 || exponent - 1 < least ? least : exponent - 1;
    /* in units of the last place: below 2^mantissa there is no leading one; a carry goes up */
    double units = isinf(size) ? INFINITY : nearbyint(ldexp((double)size, f->mantissa - exponent));
    double magnitude = units + ldexp(exponent - least, f->mantissa);
    uint32_t made = magnitude > f->most ? f->most : (uint32_t)magnitude;
    return (uint8_t)(f->is_unsigned_zero && made == 0 ? 0 : made | sign);
}
