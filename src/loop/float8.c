/* float8.c -- floats of 8 bits in operations of the loop IR: their bits are moved to where f32 has
 * them, and a power of 2 makes up for the other bias, for numbers without a leading one too; back, what
 * is dropped is rounded half to even by an addition. ty/float8.c has the same on one number.
 */
#include "loop/loop_priv.h"

#include <math.h>

typedef struct bits {
    loop_program *p;
    const ty_float8_form *form;
} bits;

static loop_value number(const bits *b, int64_t value)
{
    return loop_const_int(b->p, TY_I32, value);
}

static loop_value with(const bits *b, loop_opcode op, loop_value a, int64_t value)
{
    return loop_binary(b->p, op, a, number(b, value));
}

static loop_value as(const bits *b, ty_dtype d, loop_value v)
{
    return loop_make(b->p, (loop_node){.op = LOOP_BITCAST, .dtype = d, .args = {v}});
}

static loop_value where(const bits *b, loop_opcode op, loop_value a, int64_t than, loop_value yes,
                        loop_value no)
{
    return loop_where(b->p, with(b, op, a, than), yes, no);
}

/* ---- to f32 ---- */

static loop_value open_power(const bits *b, loop_value byte)
{
    loop_value made = where(b, LOOP_EQ, byte, 0, number(b, 1 << 22), with(b, LOOP_SHL, byte, 23));
    return as(b, TY_F32, where(b, LOOP_EQ, byte, b->form->nan, number(b, 0x7fc00000), made));
}

loop_value loop_open_float8(loop_program *p, loop_value v)
{
    const bits b = {p, ty_float8_form_of(loop_at(p, v)->dtype)};
    const ty_float8_form *f = b.form;
    loop_value byte = loop_cast(p, TY_I32, as(&b, TY_U8, v));
    if (!f->has_sign) return open_power(&b, byte);
    loop_value magnitude = with(&b, LOOP_AND, byte, 0x7f);
    loop_value sign = with(&b, LOOP_SHL, with(&b, LOOP_AND, byte, 0x80), 24);
    loop_value moved = as(&b, TY_F32, with(&b, LOOP_SHL, magnitude, 23 - f->mantissa));
    loop_value made =
        as(&b, TY_I32,
           loop_binary(p, LOOP_MUL, moved, loop_const_float(p, TY_F32, ldexp(1, 127 - f->bias))));
    if (f->has_infinity)
        made = where(&b, LOOP_EQ, magnitude, f->most, number(&b, 0x7f800000), made);
    if (!f->is_unsigned_zero)
        made = loop_where(p, loop_binary(p, LOOP_LE, number(&b, f->nan), magnitude),
                          number(&b, 0x7fc00000), made);
    made = loop_binary(p, LOOP_OR, made, sign);
    if (f->is_unsigned_zero) made = where(&b, LOOP_EQ, byte, f->nan, number(&b, 0x7fc00000), made);
    return as(&b, TY_F32, made);
}

/* ---- from f32 ---- */

static loop_value close_power(const bits *b, loop_value word)
{
    loop_value exponent = with(b, LOOP_AND, with(b, LOOP_SHR, word, 23), 0xff);
    loop_value rest = with(b, LOOP_AND, word, 0x7fffff);
    /* a tie goes up, but for the least numbers of f32 */
    loop_value least = where(b, LOOP_EQ, exponent, 0, number(b, 0x400001), number(b, 0x400000));
    loop_value up = loop_cast(b->p, TY_I32, loop_binary(b->p, LOOP_LE, least, rest));
    return where(b, LOOP_EQ, exponent, 0xff, exponent, loop_binary(b->p, LOOP_ADD, exponent, up));
}

/* Sizes that have a leading one: the exponent gets the other bias, the carry of rounding goes into it. */
static loop_value close_normal(const bits *b, loop_value size)
{
    const ty_float8_form *f = b->form;
    int dropped = 23 - f->mantissa;
    loop_value odd = with(b, LOOP_AND, with(b, LOOP_SHR, size, dropped), 1);
    loop_value rounded = loop_binary(b->p, LOOP_ADD, odd,
                                     with(b, LOOP_ADD, size, (INT64_C(1) << (dropped - 1)) - 1));
    return with(b, LOOP_SUB, with(b, LOOP_SHR, rounded, dropped),
                (INT64_C(127) - f->bias) << f->mantissa);
}

/* Others: a float so large that its last place is theirs is added, and taken off. */
static loop_value close_small(const bits *b, loop_value size)
{
    const ty_float8_form *f = b->form;
    int64_t large = (INT64_C(127) - f->bias + 24 - f->mantissa) << 23;
    loop_value sum =
        loop_binary(b->p, LOOP_ADD, as(b, TY_F32, size),
                    loop_const_float(b->p, TY_F32, ldexp(1, 24 - f->mantissa - f->bias)));
    return with(b, LOOP_SUB, as(b, TY_I32, sum), large);
}

static loop_value close_signed(const bits *b, loop_value word)
{
    loop_program *p = b->p;
    const ty_float8_form *f = b->form;
    int64_t beyond = ((int64_t)(f->most >> f->mantissa) + 128 - f->bias) << 23;
    loop_value size = with(b, LOOP_AND, word, 0x7fffffff);
    loop_value sign = with(b, LOOP_AND, with(b, LOOP_SHR, word, 24), 0x80);
    loop_value made = where(b, LOOP_LT, size, (INT64_C(128) - f->bias) << 23, close_small(b, size),
                            close_normal(b, size));
    made = with(b, LOOP_MIN, where(b, LOOP_LT, size, beyond, made, number(b, f->most)), f->most);
    if (f->is_unsigned_zero)
        return where(b, LOOP_EQ, made, 0, made, loop_binary(p, LOOP_OR, made, sign));
    loop_value is_nan = loop_binary(p, LOOP_LT, number(b, 0x7f800000), size);
    return loop_binary(p, LOOP_OR, loop_where(p, is_nan, number(b, 0x7f), made), sign);
}

loop_value loop_close_float8(loop_program *p, ty_dtype to, loop_value x)
{
    const bits b = {p, ty_float8_form_of(to)};
    loop_value word = as(&b, TY_I32, x);
    loop_value made = b.form->has_sign ? close_signed(&b, word) : close_power(&b, word);
    if (b.form->is_unsigned_zero) { /* NaN has no other sign */
        loop_value size = with(&b, LOOP_AND, word, 0x7fffffff);
        loop_value is_nan = loop_binary(p, LOOP_LT, number(&b, 0x7f800000), size);
        made = loop_where(p, is_nan, number(&b, b.form->nan), made);
    }
    return as(&b, to, loop_cast(p, TY_U8, made));
}
