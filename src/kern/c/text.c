/* text.c -- C text from templates, types and constants.
 *
 * Every dtype has a scalar type (f32) and vector types by number of lanes (f32x16). A bool is an
 * int, 0 or 1; bools in lanes are masks, 0 or -1, of 32 bits whatever they came from. f16 and bf16
 * values are their bits. What a text mentions of the prelude is noted as a need.
 */
#include "kern/c/c.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void kern_need(kern_needs *needs, const char *name)
{
    const char *known = intern(arena_session(needs->memory), name);
    if (map_get(&needs->known, MAP_KEY(known)) != MAP_NONE) return;
    map_set(needs->memory, &needs->known, MAP_KEY(known), needs->names.count);
    vec_push(needs->memory, &needs->names, known);
}

static bool is_bits(ty_dtype d)
{
    return ty_is_half(d) || ty_is_float8(d);
}

const char *kern_c_memory_type(ty_dtype dtype)
{
    return dtype == TY_BOOL  ? "u8"
           : is_bits(dtype)  ? ty_dtype_size(dtype) == 1 ? "u8" : "u16"
           : dtype == TY_C32 ? "u32"
                             : ty_dtype_name(dtype);
}

static const char *vector_type(kern_needs *needs, const char *element, uint32_t lanes,
                               arena *memory)
{
    const char *name = arena_printf(memory, "%sx%u", element, lanes);
    kern_need(needs, name);
    return name;
}

const char *kern_c_type(kern_needs *needs, ty_dtype dtype, uint32_t lanes, arena *memory)
{
    if (lanes == 1 && needs->plain && (dtype == TY_C64 || dtype == TY_C128))
        kern_need(needs, "fe_complex");
    if (lanes == 1) return dtype == TY_BOOL ? "int" : kern_c_memory_type(dtype);
    return vector_type(needs, dtype == TY_BOOL ? "i32" : kern_c_memory_type(dtype), lanes, memory);
}

static const char *integer_type(kern_needs *needs, ty_dtype dtype, uint32_t lanes, bool is_unsigned,
                                arena *memory)
{
    uint32_t bits = dtype == TY_BOOL ? 32 : 8 * ty_dtype_size(dtype);
    if (lanes == 1 && bits < 32 && is_unsigned) bits = 32; /* not promoted to a signed int */
    const char *element = arena_printf(memory, "%c%u", is_unsigned ? 'u' : 'i', bits);
    return lanes == 1 ? element : vector_type(needs, element, lanes, memory);
}

static const char *suffix_of(const kern_c_scope *scope, arena *memory)
{
    if (scope->lanes == 1) return ty_dtype_name(scope->dtype);
    return arena_printf(memory, "%sx%u", ty_dtype_name(scope->dtype), scope->lanes);
}

static void expand_marker(text *out, kern_needs *needs, char marker, const kern_c_scope *scope)
{
    arena *memory = needs->memory;
    bool is_64 = ty_dtype_size(scope->dtype) == 8;
    switch (marker) {
    case '0':
    case '1':
    case '2': text_add(out, scope->args[marker - '0']); break;
    case 'T': text_add(out, kern_c_type(needs, scope->dtype, scope->lanes, memory)); break;
    case 'E': text_add(out, kern_c_type(needs, scope->dtype, 1, memory)); break;
    case 'R': text_add(out, is_64 ? "f32" : "f64"); break; /* c64 is of two f32 */
    case 'A': text_add(out, kern_c_memory_type(scope->dtype)); break;
    case 'U': text_add(out, integer_type(needs, scope->dtype, scope->lanes, true, memory)); break;
    case 'I': text_add(out, integer_type(needs, scope->dtype, scope->lanes, false, memory)); break;
    case 'M': text_add(out, kern_c_type(needs, TY_BOOL, scope->lanes, memory)); break;
    case 'W': text_printf(out, "%u", scope->lanes); break;
    case 'S': text_add(out, suffix_of(scope, memory)); break;
    case 'f': text_add(out, scope->dtype == TY_F64 || scope->dtype == TY_C128 ? "" : "f"); break;
    case 'p': text_add(out, is_64 ? "pd" : "ps"); break;
    case 'P': text_add(out, is_64 ? "0x7fffffffffffffff" : "0x7fffffff"); break;
    case 'X': text_add(out, is_64 ? "0x7ff0000000000000" : "0x7f800000"); break;
    default: BUG(arena_session(memory), "template marker $%c", marker);
    }
}

/* f, dtype:f or !f; returns what comes after it. */
static const char *expand_name(text *out, kern_needs *needs, const char *at, kern_c_scope scope)
{
    if (*at == '!') {
        int plain = (int)strspn(at + 1, "abcdefghijklmnopqrstuvwxyz0123456789_");
        kern_need(needs, arena_printf(needs->memory, "%.*s", plain, at + 1));
        text_add_n(out, at + 1, (size_t)plain);
        return at + 1 + plain;
    }
    int length = (int)strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789");
    if (at[length] == ':') {
        bool known = ty_dtype_parse(arena_printf(needs->memory, "%.*s", length, at), &scope.dtype);
        CHECK(arena_session(needs->memory), known);
        at += length + 1;
        length = (int)strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789");
    }
    const char *name =
        arena_printf(needs->memory, "%.*s_%s", length, at, suffix_of(&scope, needs->memory));
    kern_need(needs, name);
    text_add(out, name);
    return at + length;
}

static const char BUILTIN[] = "__builtin_";

void kern_c_expand(text *out, kern_needs *needs, const char *template, const kern_c_scope *scope)
{
    for (const char *at = template; *at; at++) {
        if (*at == '$') {
            expand_marker(out, needs, *++at, scope);
        } else if (*at == '@') {
            at = expand_name(out, needs, at + 1, *scope) - 1;
        } else if (needs->plain && strncmp(at, BUILTIN, sizeof BUILTIN - 1) == 0) {
            at += sizeof BUILTIN - 2; /* what is left is the function's name in <math.h> */
        } else {
            text_char(out, *at);
        }
    }
}

static void float_literal(text *out, double value, const char *suffix, bool plain)
{
    if (plain && !isfinite(value))
        text_add(out, isnan(value) ? "NAN" : value < 0 ? "-INFINITY" : "INFINITY");
    else if (isnan(value))
        text_printf(out, "__builtin_nan%s(\"\")", suffix);
    else if (isinf(value))
        text_printf(out, "%s__builtin_inf%s()", value < 0 ? "-" : "", suffix);
    else {
        text_double(out, value);
        text_add(out, suffix);
    }
}

static void integer_literal(text *out, ty_dtype dtype, int64_t value)
{
    if (dtype == TY_U64)
        text_printf(out, "%lluu", (unsigned long long)value);
    else if (value == INT64_MIN)
        text_add(out, "-9223372036854775807 - 1");
    else
        text_printf(out, "%lld%s", (long long)value, dtype == TY_U32 ? "u" : "");
}

/* Lanes are spread by subtracting zero, which keeps the sign of zero. */
void kern_c_constant(text *out, kern_needs *needs, const kern_value *v, uint32_t lanes)
{
    const char *type = kern_c_type(needs, v->dtype, lanes, needs->memory);
    const char *suffix = v->dtype == TY_F64 || v->dtype == TY_C128 ? "" : "f";
    text_char(out, '(');
    if (v->dtype == TY_C32) {
        text_printf(out, "%uu",
                    kern_c_half_bits(TY_F16, v->number[1]) << 16 |
                        kern_c_half_bits(TY_F16, v->number[0]));
    } else if (ty_is_complex(v->dtype)) {
        kern_c_scope scope = {v->dtype, 1, {NULL, NULL, NULL}};
        kern_c_expand(out, needs, "@complex(", &scope);
        float_literal(out, v->number[0], suffix, needs->plain);
        text_add(out, ", ");
        float_literal(out, v->number[1], suffix, needs->plain);
        text_char(out, ')');
    } else if (is_bits(v->dtype)) {
        text_printf(out, "%u", kern_c_half_bits(v->dtype, v->number[0]));
    } else if (ty_is_floating(v->dtype)) {
        float_literal(out, v->number[0], suffix, needs->plain);
    } else {
        integer_literal(out, v->dtype,
                        v->dtype == TY_BOOL && lanes > 1 ? -(v->integer != 0) : v->integer);
    }
    if (lanes > 1) text_printf(out, " - (%s){0}", type);
    text_char(out, ')');
}

uint32_t kern_c_half_bits(ty_dtype dtype, double value)
{
    return ty_is_float8(dtype) ? ty_float8_bits(dtype, value) : ty_half_bits(dtype, value);
}
