/* cast.c -- conversions between dtypes as C expressions, of one number and of lanes. */
#include "kern/c/c.h"

static const char *between_halves(ty_dtype d, bool to)
{
    if (d == TY_F16) return to ? "@tohalf($0)" : "@fromhalf($0)";
    return to ? "@tobf($0)" : "@frombf($0)";
}

/* A conversion that ends in f32, or starts from it, and the rest. */
static void cast_through_f32(text *out, kern_needs *needs, ty_dtype from, ty_dtype to,
                             const kern_c_scope *scope)
{
    text inner;
    text_init(&inner, needs->memory);
    bool opens = ty_is_half(from);
    kern_c_scope narrow = {TY_F32, scope->lanes, {scope->args[0], NULL, NULL}};
    if (opens)
        kern_c_expand(&inner, needs, between_halves(from, false), &narrow);
    else
        kern_c_cast(&inner, needs, from, TY_F32, scope);
    narrow.args[0] = inner.at;
    if (opens)
        kern_c_cast(out, needs, TY_F32, to, &narrow);
    else
        kern_c_expand(out, needs, between_halves(to, true), &narrow);
}

static void cast_scalar(text *out, kern_needs *needs, ty_dtype from, ty_dtype to,
                        const kern_c_scope *scope)
{
    const char *x = scope->args[0], *type = kern_c_type(needs, to, 1, needs->memory);
    bool narrow = to == TY_I8 || to == TY_I16 || to == TY_I32;
    if (to == TY_BOOL)
        text_printf(out, "%s != 0", x);
    else if (from == TY_C128 && to == TY_C64)
        kern_c_expand(out, needs, "@!fe_narrow($0)", scope);
    else if (ty_is_integral(to, false) && !ty_is_integral(from, true)) {
        const char *convert = to == TY_U64 ? "fe_tou64" : narrow ? "fe_toi32" : "fe_toi64";
        kern_need(needs, convert);
        text_printf(out, "(%s)%s(%s%s)", type, convert, ty_is_complex(from) ? "(f64)" : "", x);
    } else
        text_printf(out, "(%s)%s", type, x);
}

/* A float that is cut to an integer and comes back may not keep the sign of -0.3, but compilers make one
 * truncation of the two steps, which does (of i64 and of one number: see settled, fe_toi64): + 0 has no other
 * effect. */
static const char *without_sign_of_zero(ty_dtype from, ty_dtype to)
{
    bool wide = ty_is_integral(from, false) && ty_dtype_size(from) >= 4 && from != TY_I64;
    return wide && !ty_is_integral(to, true) ? " + 0" : "";
}

static bool is_byte(ty_dtype d)
{
    return ty_is_integral(d, false) && ty_dtype_size(d) == 1;
}

/* Is the conversion one by way of lanes of 32 bits? Compilers make those of a byte, and of 16 bits to floats
 * and to 64, element by element. */
static bool goes_by_32(ty_dtype from, ty_dtype to)
{
    bool is_short = ty_is_integral(from, false) && ty_dtype_size(from) == 2;
    bool widens = is_byte(from) ? ty_dtype_size(to) > 2
                                : is_short && (ty_is_floating(to) || ty_dtype_size(to) == 8);
    bool narrows = is_byte(to) && (from == TY_BOOL || ty_dtype_size(from) > 2);
    return to != TY_I32 && from != TY_I32 && (widens || narrows);
}

static void cast_vector(text *out, kern_needs *needs, ty_dtype from, ty_dtype to,
                        const kern_c_scope *scope);

static void cast_by_32(text *out, kern_needs *needs, ty_dtype from, ty_dtype to,
                       const kern_c_scope *scope)
{
    text inner;
    text_init(&inner, needs->memory);
    cast_vector(&inner, needs, from, TY_I32, scope);
    kern_c_scope halfway = {TY_I32, scope->lanes, {inner.at, NULL, NULL}};
    if (is_byte(to))
        cast_vector(out, needs, TY_I32, to, &halfway);
    else
        text_printf(out, "__builtin_convertvector(%s, %s)", inner.at,
                    kern_c_type(needs, to, scope->lanes, needs->memory));
}

static void cast_vector(text *out, kern_needs *needs, ty_dtype from, ty_dtype to,
                        const kern_c_scope *scope)
{
    const char *x = scope->args[0], *type = kern_c_type(needs, to, scope->lanes, needs->memory);
    const char *mask = kern_c_type(needs, TY_BOOL, scope->lanes, needs->memory);
    uint32_t size = ty_dtype_size(to);
    if (to == TY_BOOL && ty_dtype_size(from) == 4)
        text_printf(out, "(%s)(%s != 0)", mask, x);
    else if (to == TY_BOOL)
        text_printf(out, "__builtin_convertvector(%s != 0, %s)", x, mask);
    else if (goes_by_32(from, to))
        cast_by_32(out, needs, from, to, scope);
    else if (is_byte(from) && to == TY_I32)
        kern_c_expand(out, needs, from == TY_U8 ? "@i32:fromu8($0)" : "@i32:fromi8($0)", scope);
    else if (is_byte(to) && from == TY_I32)
        kern_c_expand(out, needs, to == TY_U8 ? "@i32:tou8($0)" : "@i32:toi8($0)", scope);
    else if (from == TY_BOOL && to == TY_F32)
        text_printf(out, "(%s)(%s & 0x3f800000)", type, x);
    else if (from == TY_BOOL)
        text_printf(out, "__builtin_convertvector(%s & 1, %s)", x, type);
    else if (ty_is_floating(from) && ty_is_integral(to, false) && size < 4)
        text_printf(out, "__builtin_convertvector(__builtin_convertvector(%s, %s), %s)", x, mask,
                    type);
    else if (ty_is_floating(from) && to == TY_I64) {
        kern_c_scope cut = {to, scope->lanes, {x, NULL, NULL}};
        kern_c_expand(out, needs, "@settled(__builtin_convertvector($0, $T))", &cut);
    } else
        text_printf(out, "__builtin_convertvector(%s, %s)%s", x, type,
                    without_sign_of_zero(from, to));
}

/* c32 is only ever converted, to and from c64. */
static void cast_half_complex(text *out, kern_needs *needs, ty_dtype from, ty_dtype to,
                              const kern_c_scope *scope)
{
    text inner;
    text_init(&inner, needs->memory);
    kern_c_scope halfway = {TY_C64, 1, {scope->args[0], NULL, NULL}};
    if (from == TY_C32)
        kern_c_expand(&inner, needs, "@!fe_fromc32($0)", &halfway);
    else
        kern_c_cast(&inner, needs, from, TY_C64, scope);
    halfway.args[0] = inner.at;
    if (to == TY_C32)
        kern_c_expand(out, needs, "@!fe_toc32($0)", &halfway);
    else
        kern_c_cast(out, needs, TY_C64, to, &halfway);
}

void kern_c_cast(text *out, kern_needs *needs, ty_dtype from, ty_dtype to,
                 const kern_c_scope *scope)
{
    bool half_from = ty_is_half(from), half_to = ty_is_half(to);
    bool direct = (half_from && to == TY_F32) || (half_to && from == TY_F32);
    kern_c_scope narrow = {TY_F32, scope->lanes, {scope->args[0], NULL, NULL}};
    if (from == to)
        text_add(out, scope->args[0]);
    else if (from == TY_C32 || to == TY_C32)
        cast_half_complex(out, needs, from, to, scope);
    else if (direct)
        kern_c_expand(out, needs,
                      half_from ? between_halves(from, false) : between_halves(to, true), &narrow);
    else if (half_from || half_to)
        cast_through_f32(out, needs, from, to, scope);
    else if (scope->lanes == 1)
        cast_scalar(out, needs, from, to, scope);
    else
        cast_vector(out, needs, from, to, scope);
}

/* A bool in memory is a byte, but not elsewhere. */
void kern_c_bitcast(text *out, kern_needs *needs, ty_dtype to, const kern_c_scope *scope)
{
    if (to == TY_BOOL || scope->dtype == TY_BOOL) {
        kern_c_cast(out, needs, scope->dtype, to, scope);
        return;
    }
    const char *type = kern_c_type(needs, to, scope->lanes, needs->memory);
    const char *from = kern_c_type(needs, scope->dtype, scope->lanes, needs->memory);
    if (scope->lanes > 1)
        text_printf(out, "(%s)%s", type, scope->args[0]);
    else
        text_printf(out, "FE_BITS(%s, %s, %s)", from, type, scope->args[0]);
}
