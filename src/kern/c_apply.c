/* c_apply.c -- operations as C expressions: one row an operation and kind of dtype.
 *
 * A row has the expression on scalars and the one on vectors. "=" stands for the same text; an `@f`
 * that the prelude has no vector text for runs the scalar expression lane by lane. Markers:
 * kern_c_expand in c_priv.h.
 */
#include "kern/c_priv.h"

#include <string.h>

enum { F = 1, I = 2, U = 4, B = 8, C = 16, N = I | U, ANY = 31 };

typedef struct row {
    uint8_t op;
    uint8_t kinds;
    const char *scalar, *vector;
} row;

#define LIBM(name) "__builtin_" name "$f($0)"
#define LIBM_C(name) "__builtin_c" name "$f($0)"

static const row ROWS[] = {
    {LOOP_NEG, F | C, "-$0", "="},
    {LOOP_NEG, N, "($T)(0 - ($U)$0)", "="},
    {LOOP_NEG, B, "$0", "="},
    {LOOP_ABS, F, LIBM("fabs"), "($T)(($I)$0 & $P)"},
    {LOOP_ABS, I, "($T)($0 < 0 ? 0 - ($U)$0 : ($U)$0)",
     "($T)((($U)$0 ^ ($U)($0 < 0)) - ($U)($0 < 0))"},
    {LOOP_ABS, U | B, "$0", "="},
    {LOOP_ABS, C, LIBM_C("abs"), "="},
    {LOOP_SIGN, F, "($T)(($0 > 0) - ($0 < 0))", "__builtin_convertvector(($0 < 0) - ($0 > 0), $T)"},
    {LOOP_SIGN, I, "($T)(($0 > 0) - ($0 < 0))", "(($0 < 0) - ($0 > 0))"},
    {LOOP_SIGN, U, "($T)($0 != 0)", "(-($T)($0 != 0))"},
    {LOOP_SIGN, B, "$0", "="},
    {LOOP_SIGN, C, "@sign($0)", "="},
    {LOOP_SQRT, F, LIBM("sqrt"), "@sqrt($0)"},
    {LOOP_SQRT, C, LIBM_C("sqrt"), "="},
    {LOOP_RSQRT, F, "1 / __builtin_sqrt$f($0)", "1 / @sqrt($0)"},
    {LOOP_RSQRT, C, "1 / __builtin_csqrt$f($0)", "="},
    {LOOP_RECIP, F | C, "1 / $0", "="},
    {LOOP_EXP, F, LIBM("exp"), "@exp($0)"},
    {LOOP_EXP, C, LIBM_C("exp"), "="},
    {LOOP_EXP2, F, LIBM("exp2"), "@exp2($0)"},
    {LOOP_EXP2, C, "__builtin_cexp$f($0 * ($T)0.69314718055994530942)", "="},
    {LOOP_EXPM1, F, LIBM("expm1"), "@expm1($0)"},
    {LOOP_EXPM1, C, "__builtin_cexp$f($0) - 1", "="},
    {LOOP_LOG, F, LIBM("log"), "@log($0)"},
    {LOOP_LOG, C, LIBM_C("log"), "="},
    {LOOP_LOG2, F, LIBM("log2"), "@log2($0)"},
    {LOOP_LOG2, C, "__builtin_clog$f($0) / ($T)0.69314718055994530942", "="},
    {LOOP_LOG10, F, LIBM("log10"), "@log10($0)"},
    {LOOP_LOG10, C, "__builtin_clog$f($0) / ($T)2.30258509299404568402", "="},
    {LOOP_LOG1P, F, LIBM("log1p"), "@log1p($0)"},
    {LOOP_LOG1P, C, "__builtin_clog$f(1 + $0)", "="},
    {LOOP_SIN, F, LIBM("sin"), "@sin($0)"},
    {LOOP_SIN, C, LIBM_C("sin"), "="},
    {LOOP_COS, F, LIBM("cos"), "@cos($0)"},
    {LOOP_COS, C, LIBM_C("cos"), "="},
    {LOOP_TAN, F, LIBM("tan"), "@tan($0)"},
    {LOOP_TAN, C, LIBM_C("tan"), "="},
    {LOOP_ASIN, F, LIBM("asin"), "@asin($0)"},
    {LOOP_ASIN, C, LIBM_C("asin"), "="},
    {LOOP_ACOS, F, LIBM("acos"), "@acos($0)"},
    {LOOP_ACOS, C, LIBM_C("acos"), "="},
    {LOOP_ATAN, F, LIBM("atan"), "@atan($0)"},
    {LOOP_ATAN, C, LIBM_C("atan"), "="},
    {LOOP_SINH, F, LIBM("sinh"), "@sinh($0)"},
    {LOOP_SINH, C, LIBM_C("sinh"), "="},
    {LOOP_COSH, F, LIBM("cosh"), "@cosh($0)"},
    {LOOP_COSH, C, LIBM_C("cosh"), "="},
    {LOOP_TANH, F, LIBM("tanh"), "@tanh($0)"},
    {LOOP_TANH, C, LIBM_C("tanh"), "="},
    {LOOP_ASINH, F, LIBM("asinh"), "@asinh($0)"},
    {LOOP_ASINH, C, LIBM_C("asinh"), "="},
    {LOOP_ACOSH, F, LIBM("acosh"), "@acosh($0)"},
    {LOOP_ACOSH, C, LIBM_C("acosh"), "="},
    {LOOP_ATANH, F, LIBM("atanh"), "@atanh($0)"},
    {LOOP_ATANH, C, LIBM_C("atanh"), "="},
    {LOOP_ERF, F, LIBM("erf"), "@erf($0)"},
    {LOOP_ERFC, F, LIBM("erfc"), "@erfc($0)"},
    {LOOP_ERFINV, F, "($T)@!fe_erfinv($0)", "@erfinv($0)"},
    {LOOP_BESSELJ0, F, "($T)@!fe_besselj0($0)", "@besselj0($0)"},
    {LOOP_BESSELJ1, F, "($T)@!fe_besselj1($0)", "@besselj1($0)"},
    {LOOP_BESSELY0, F, "($T)@!fe_bessely0($0)", "@bessely0($0)"},
    {LOOP_BESSELY1, F, "($T)@!fe_bessely1($0)", "@bessely1($0)"},
    {LOOP_AIRYAI, F, "($T)@!fe_airyai($0)", "@airyai($0)"},
    {LOOP_LGAMMA, F, LIBM("lgamma"), "@lgamma($0)"},
    {LOOP_DIGAMMA, F, "($T)@!fe_digamma($0)", "@digamma($0)"},
    {LOOP_SIGMOID, F, "1 / (1 + __builtin_exp$f(-$0))", "@sigmoid($0)"},
    {LOOP_SIGMOID, C, "1 / (1 + __builtin_cexp$f(-$0))", "="},
    {LOOP_FLOOR, F, LIBM("floor"), "@floor($0)"},
    {LOOP_CEIL, F, LIBM("ceil"), "@ceil($0)"},
    {LOOP_ROUND, F, LIBM("nearbyint"), "@round($0)"},
    {LOOP_TRUNC, F, LIBM("trunc"), "@trunc($0)"},
    {LOOP_FLOOR, N | B, "$0", "="},
    {LOOP_CEIL, N | B, "$0", "="},
    {LOOP_ROUND, N | B, "$0", "="},
    {LOOP_TRUNC, N | B, "$0", "="},
    {LOOP_NOT, B, "!$0", "~$0"},
    {LOOP_NOT, N, "($T)~$0", "~$0"},
    {LOOP_ISNAN, F | C, "$0 != $0", "="},
    {LOOP_ISNAN, N | B, "0", "($M){0}"},
    {LOOP_ISINF, F, "__builtin_isinf($0) != 0", "(($I)$0 & $P) == $X"},
    {LOOP_ISINF, C, "(__builtin_isinf(__real__ $0) || __builtin_isinf(__imag__ $0))", "="},
    {LOOP_ISINF, N | B, "0", "($M){0}"},
    {LOOP_SIGNBIT, F, "__builtin_signbit($0) != 0", "($I)$0 < 0"},
    {LOOP_SIGNBIT, I, "$0 < 0", "="},
    {LOOP_SIGNBIT, U | B, "0", "($M){0}"},
    {LOOP_ADD, F | C, "$0 + $1", "="},
    {LOOP_ADD, N, "($T)(($U)$0 + ($U)$1)", "="},
    {LOOP_ADD, B, "$0 | $1", "="},
    {LOOP_SUB, F | C, "$0 - $1", "="},
    {LOOP_SUB, N, "($T)(($U)$0 - ($U)$1)", "="},
    {LOOP_SUB, B, "$0 ^ $1", "="},
    {LOOP_MUL, F, "$0 * $1", "="},
    {LOOP_MUL, C, "@mul($0, $1)", "="},
    {LOOP_MUL, N, "($T)(($U)$0 * ($U)$1)", "="},
    {LOOP_MUL, B, "$0 & $1", "="},
    {LOOP_DIV, F | C, "$0 / $1", "="},
    {LOOP_FLOORDIV, F | N, "@floordiv($0, $1)", "@floordiv($0, $1)"},
    {LOOP_FLOORDIV, B, "$0 & $1", "="},
    {LOOP_TRUNCDIV, F, "__builtin_trunc$f($0 / $1)", "@trunc($0 / $1)"},
    {LOOP_TRUNCDIV, N, "@truncdiv($0, $1)", "@truncdiv($0, $1)"},
    {LOOP_TRUNCDIV, B, "$0 & $1", "="},
    {LOOP_REM, F | N, "@rem($0, $1)", "@rem($0, $1)"},
    {LOOP_REM, B, "0", "($M){0}"},
    {LOOP_FMOD, F, "__builtin_fmod$f($0, $1)", "@fmod($0, $1)"},
    {LOOP_FMOD, N, "@fmod($0, $1)", "@fmod($0, $1)"},
    {LOOP_FMOD, B, "0", "($M){0}"},
    {LOOP_POW, F, "__builtin_pow$f($0, $1)", "@pow($0, $1)"},
    {LOOP_POW, N, "@pow($0, $1)", "@pow($0, $1)"},
    {LOOP_POW, B, "($0 | !$1)", "($0 | ~$1)"},
    {LOOP_POW, C, "@pow($0, $1)", "="},
    {LOOP_MIN, F, "($0 != $0 ? $0 : $0 < $1 ? $0 : $1)", "@min($0, $1)"},
    {LOOP_MIN, N, "($0 < $1 ? $0 : $1)", "@min($0, $1)"},
    {LOOP_MIN, B, "$0 & $1", "="},
    {LOOP_MAX, F, "($0 != $0 ? $0 : $0 > $1 ? $0 : $1)", "@max($0, $1)"},
    {LOOP_MAX, N, "($0 > $1 ? $0 : $1)", "@max($0, $1)"},
    {LOOP_MAX, B, "$0 | $1", "="},
    {LOOP_FMIN, F, "__builtin_fmin$f($0, $1)", "@fmin($0, $1)"},
    {LOOP_FMIN, N, "($0 < $1 ? $0 : $1)", "@min($0, $1)"},
    {LOOP_FMIN, B, "$0 & $1", "="},
    {LOOP_FMAX, F, "__builtin_fmax$f($0, $1)", "@fmax($0, $1)"},
    {LOOP_FMAX, N, "($0 > $1 ? $0 : $1)", "@max($0, $1)"},
    {LOOP_FMAX, B, "$0 | $1", "="},
    {LOOP_ATAN2, F, "__builtin_atan2$f($0, $1)", "@atan2($0, $1)"},
    {LOOP_HYPOT, F, "__builtin_hypot$f($0, $1)", "@hypot($0, $1)"},
    {LOOP_COPYSIGN, F, "__builtin_copysign$f($0, $1)", "($T)((($I)$0 & $P) | (($I)$1 & ~$P))"},
    {LOOP_LOGADDEXP, F | C, "@logaddexp($0, $1)", "@logaddexp($0, $1)"},
    {LOOP_NEXTAFTER, F, "__builtin_nextafter$f($0, $1)", "@nextafter($0, $1)"},
    {LOOP_IGAMMA, F, "($T)@!fe_igamma($0, $1)", "@igamma($0, $1)"},
    {LOOP_IGAMMAC, F, "($T)@!fe_igammac($0, $1)", "@igammac($0, $1)"},
    {LOOP_HERMITEH, F, "($T)@!fe_hermiteh($0, $1)", "@hermiteh($0, $1)"},
    {LOOP_HERMITEHE, F, "($T)@!fe_hermitehe($0, $1)", "@hermitehe($0, $1)"},
    {LOOP_LAGUERRE, F, "($T)@!fe_laguerre($0, $1)", "@laguerre($0, $1)"},
    {LOOP_LEGENDRE, F, "($T)@!fe_legendre($0, $1)", "@legendre($0, $1)"},
    {LOOP_GCD, N, "@gcd($0, $1)", "@gcd($0, $1)"},
    {LOOP_GCD, B, "$0 | $1", "="},
    {LOOP_AND, N | B, "($T)($0 & $1)", "$0 & $1"},
    {LOOP_OR, N | B, "($T)($0 | $1)", "$0 | $1"},
    {LOOP_XOR, N | B, "($T)($0 ^ $1)", "$0 ^ $1"},
    {LOOP_SHL, N, "@shl($0, $1)", "@shl($0, $1)"},
    {LOOP_SHL, B, "$0", "="},
    {LOOP_SHR, N, "@shr($0, $1)", "@shr($0, $1)"},
    {LOOP_SHR, B, "($0 & !$1)", "($0 & ~$1)"},
    {LOOP_EQ, ANY - B, "$0 == $1", "="},
    {LOOP_NE, ANY - B, "$0 != $1", "="},
    {LOOP_LT, F | N, "$0 < $1", "="},
    {LOOP_LE, F | N, "$0 <= $1", "="},
    {LOOP_EQ, B, "$0 == $1", "~($0 ^ $1)"},
    {LOOP_NE, B, "$0 != $1", "$0 ^ $1"},
    {LOOP_LT, B, "$0 < $1", "~$0 & $1"},
    {LOOP_LE, B, "$0 <= $1", "~$0 | $1"},
    {LOOP_REALPART, C, "__real__ $0", "="},
    {LOOP_IMAGPART, C, "__imag__ $0", "="},
    {LOOP_FMA, F | C, "$0 * $1 + $2", "="},
    {LOOP_FMA, N, "($T)(($U)$0 * ($U)$1 + ($U)$2)", "="},
    {LOOP_FMA, B, "(($0 & $1) | $2)", "="},
    {LOOP_RANDBITS, I, "@!fe_randbits($0, $1)", "@randbits($0, $1)"},
};

static uint32_t kind_of(ty_dtype d)
{
    switch (ty_dtype_kind(d)) {
    case TY_KIND_BOOL: return B;
    case TY_KIND_UNSIGNED: return U;
    case TY_KIND_SIGNED: return I;
    case TY_KIND_FLOAT: return d == TY_F32 || d == TY_F64 ? F : 0;
    default: return d == TY_C64 || d == TY_C128 ? C : 0;
    }
}

static const row *find_row(loop_opcode op, ty_dtype dtype)
{
    for (size_t i = 0; i < COUNT_OF(ROWS); i++)
        if (ROWS[i].op == op && (ROWS[i].kinds & kind_of(dtype))) return &ROWS[i];
    return NULL;
}

const char *kern_c_scalar_template(const char *name, ty_dtype dtype, uint32_t *operands)
{
    for (int op = 0; op < LOOP_OPCODE_COUNT; op++) {
        const row *r = strcmp(loop_opcode_name((loop_opcode)op), name) == 0
                           ? find_row((loop_opcode)op, dtype)
                           : NULL;
        *operands = loop_operand_count((loop_opcode)op);
        if (r) return r->scalar;
    }
    return NULL;
}

/* ---- conversions ---- */

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
    bool opens = from == TY_F16 || from == TY_BF16;
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
    else if (ty_is_integral(to, false) && !ty_is_integral(from, true)) {
        const char *convert = to == TY_U64 ? "fe_tou64" : narrow ? "fe_toi32" : "fe_toi64";
        kern_need(needs, convert);
        text_printf(out, "(%s)%s(%s%s)", type, convert, ty_is_complex(from) ? "__real__ " : "", x);
    } else
        text_printf(out, "(%s)%s", type, x);
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
    else if (from == TY_BOOL && to == TY_F32)
        text_printf(out, "(%s)(%s & 0x3f800000)", type, x);
    else if (from == TY_BOOL)
        text_printf(out, "__builtin_convertvector(%s & 1, %s)", x, type);
    else if (ty_is_floating(from) && ty_is_integral(to, false) && size < 4)
        text_printf(out, "__builtin_convertvector(__builtin_convertvector(%s, %s), %s)", x, mask,
                    type);
    else
        text_printf(out, "__builtin_convertvector(%s, %s)", x, type);
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
    bool half_from = from == TY_F16 || from == TY_BF16, half_to = to == TY_F16 || to == TY_BF16;
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
static void bitcast(text *out, kern_needs *needs, ty_dtype to, const kern_c_scope *scope)
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
        text_printf(out, "((union { %s from; %s to; }){%s}).to", from, type, scope->args[0]);
}

/* ---- all of them ---- */

static void select_lanes(text *out, kern_needs *needs, ty_dtype dtype, const kern_c_scope *scope)
{
    kern_c_scope wide = *scope;
    uint32_t size = dtype == TY_BOOL ? 4 : ty_dtype_size(dtype);
    wide.dtype = dtype;
    if (size == 4)
        kern_c_expand(out, needs,
                      dtype == TY_BOOL ? "($0 & $1) | (~$0 & $2)"
                                       : "($T)(($0 & ($I)$1) | (~$0 & ($I)$2))",
                      &wide);
    else
        kern_c_expand(out, needs, "@select($0, $1, $2)", &wide);
}

static bool is_compare(loop_opcode op)
{
    return op == LOOP_EQ || op == LOOP_NE || op == LOOP_LT || op == LOOP_LE || op == LOOP_ISNAN ||
           op == LOOP_ISINF || op == LOOP_SIGNBIT;
}

bool kern_has_c(loop_opcode op, ty_dtype dtype)
{
    bool moves = op == LOOP_CAST || op == LOOP_BITCAST || op == LOOP_WHERE;
    bool pairs = op == LOOP_COMPLEX && (dtype == TY_F32 || dtype == TY_F64);
    return moves || pairs || find_row(op, dtype) != NULL;
}

bool kern_c_apply(text *out, kern_needs *needs, loop_opcode op, ty_dtype result,
                  const kern_c_scope *scope)
{
    if (op == LOOP_CAST) {
        kern_c_cast(out, needs, scope->dtype, result, scope);
        return true;
    }
    if (op == LOOP_BITCAST) {
        bitcast(out, needs, result, scope);
        return true;
    }
    if (op == LOOP_WHERE && scope->lanes > 1) {
        select_lanes(out, needs, result, scope);
        return true;
    }
    if (op == LOOP_WHERE || op == LOOP_COMPLEX) {
        kern_c_expand(out, needs, op == LOOP_WHERE ? "$0 ? $1 : $2" : "__builtin_complex($0, $1)",
                      scope);
        return true;
    }
    const row *r = find_row(op, scope->dtype);
    if (!r) return false;
    const char *template = scope->lanes == 1 || strcmp(r->vector, "=") == 0 ? r->scalar : r->vector;
    bool narrows = scope->lanes > 1 && is_compare(op) && scope->dtype != TY_BOOL &&
                   ty_dtype_size(scope->dtype) != 4;
    bool casts = scope->lanes > 1 && is_compare(op) && !narrows;
    kern_c_scope marked = *scope;
    if (narrows) text_add(out, "__builtin_convertvector(");
    if (casts) text_add(out, "(");
    kern_c_expand(out, needs, template, &marked);
    if (narrows)
        text_printf(out, ", %s)", kern_c_type(needs, TY_BOOL, scope->lanes, needs->memory));
    if (casts) text_char(out, ')');
    return true;
}
