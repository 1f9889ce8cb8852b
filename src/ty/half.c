/* half.c -- floats of 16 bits: what their bits stand for, and the bits of a number, rounded to nearest,
 * ties to even. */
#include "ty/ty.h"

#include <math.h>
#include <string.h>

static double bf16_value(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* By way of float, as PyTorch goes. */
static uint16_t bf16_bits(double number)
{
    float value = (float)number;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static double f16_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double fraction = bits & 1023;
    double size = exponent == 31  ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -size : size;
}

static uint16_t f16_bits(double number)
{
    double size = fabs(number);
    if (size == 0) return 0;
    if (size >= 65520) return 0x7c00;
    int exponent = 0;
    frexp(size, &exponent);
    int scale = exponent - 11 < -24 ? -24 : exponent - 11;
    int units = (int)nearbyint(ldexp(size, -scale));
    return (uint16_t)((scale + 24) * 1024 + units); /* a carry goes into the exponent */
}

double ty_half_value(ty_dtype d, uint16_t bits)
{
    return d == TY_BF16 ? bf16_value(bits) : f16_value(bits);
}

uint16_t ty_half_bits(ty_dtype d, double number)
{
    uint16_t sign = signbit(number) ? 0x8000 : 0;
    if (isnan(number)) return sign | (d == TY_BF16 ? 0x7fc0 : 0x7e00);
    return d == TY_BF16 ? bf16_bits(number) : sign | f16_bits(number);
}
