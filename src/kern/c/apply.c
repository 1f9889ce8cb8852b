/* apply.c -- operations as C expressions: one row an operation and kind of dtype.
 *
 * A row has the expression on scalars and the one on vectors. "=" stands for the same text; an `@f`
 * that the prelude has no vector text for runs the scalar expression lane by lane. Markers:
 * kern_c_expand in c_priv.h.
 */
#include "kern/c/c.h"

#include <string.h>

enum { F = 1, I = 2, U = 4, B = 8, C = 16, N = I | U, ANY = 31 };

typedef struct row {
    uint8_t op;
    uint8_t kinds;
    const char *scalar, *vector;
} row;

#define LIBM(name) "__builtin_" name "$f($0)"
#define LIBM_C(name) "__builtin_c" name "$f($0)"
/* libm has it for one number, the prelude for lanes; BOTH: of complex numbers too */
#define REAL(id, name)                            \
    {                                             \
        LOOP_##id, F, LIBM(name), "@" name "($0)" \
    }
#define BOTH(id, name)                  \
    REAL(id, name),                     \
    {                                   \
        LOOP_##id, C, LIBM_C(name), "=" \
    }

/* a function of the runtime, in double */
#define SPECIAL(id, name, args)                            \
    {                                                      \
        LOOP_##id, F, "($T)@!fe_" name args, "@" name args \
    }

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
    BOTH(SQRT, "sqrt"),
    {LOOP_RSQRT, F, "1 / __builtin_sqrt$f($0)", "1 / @sqrt($0)"},
    {LOOP_RSQRT, C, "1 / __builtin_csqrt$f($0)", "="},
    {LOOP_RECIP, F | C, "1 / $0", "="},
    BOTH(EXP, "exp"),
    REAL(EXP2, "exp2"),
    {LOOP_EXP2, C, "__builtin_cexp$f($0 * ($T)0.69314718055994530942)", "="},
    REAL(EXPM1, "expm1"),
    {LOOP_EXPM1, C, "__builtin_cexp$f($0) - 1", "="},
    BOTH(LOG, "log"),
    REAL(LOG2, "log2"),
    {LOOP_LOG2, C, "__builtin_clog$f($0) / ($R)0.69314718055994530942", "="},
    REAL(LOG10, "log10"),
    {LOOP_LOG10, C, "__builtin_clog$f($0) / ($R)2.30258509299404568402", "="},
    REAL(LOG1P, "log1p"),
    {LOOP_LOG1P, C, "__builtin_clog$f(1 + $0)", "="},
    BOTH(SIN, "sin"),
    BOTH(COS, "cos"),
    BOTH(TAN, "tan"),
    BOTH(ASIN, "asin"),
    BOTH(ACOS, "acos"),
    BOTH(ATAN, "atan"),
    BOTH(SINH, "sinh"),
    BOTH(COSH, "cosh"),
    BOTH(TANH, "tanh"),
    BOTH(ASINH, "asinh"),
    BOTH(ACOSH, "acosh"),
    BOTH(ATANH, "atanh"),
    REAL(ERF, "erf"),
    REAL(ERFC, "erfc"),
    SPECIAL(ERFINV, "erfinv", "($0)"),
    SPECIAL(BESSELJ0, "besselj0", "($0)"),
    SPECIAL(BESSELJ1, "besselj1", "($0)"),
    SPECIAL(BESSELY0, "bessely0", "($0)"),
    SPECIAL(BESSELY1, "bessely1", "($0)"),
    SPECIAL(AIRYAI, "airyai", "($0)"),
    REAL(LGAMMA, "lgamma"),
    SPECIAL(DIGAMMA, "digamma", "($0)"),
    {LOOP_SIGMOID, F, "1 / (1 + __builtin_exp$f(-$0))", "@sigmoid($0)"},
    {LOOP_SIGMOID, C, "1 / (1 + __builtin_cexp$f(-$0))", "="},
    REAL(FLOOR, "floor"),
    REAL(CEIL, "ceil"),
    {LOOP_ROUND, F, LIBM("nearbyint"), "@round($0)"},
    REAL(TRUNC, "trunc"),
    {LOOP_FLOOR, N | B, "$0", "="},
    {LOOP_CEIL, N | B, "$0", "="},
    {LOOP_ROUND, N | B, "$0", "="},
    {LOOP_TRUNC, N | B, "$0", "="},
    {LOOP_ROUNDED, F, "@rounded($0)", "$0"},
    {LOOP_ROUNDED, N | B, "$0", "="},
    {LOOP_ROUNDBF, F, "@roundbf($0)", "="},
    {LOOP_NOT, B, "!$0", "~$0"},
    {LOOP_NOT, N, "($T)~$0", "~$0"},
    {LOOP_ISNAN, F | C, "$0 != $0", "="},
    {LOOP_ISNAN, N | B, "0", "($M){0}"},
    {LOOP_ISINF, F, "__builtin_isinf($0) != 0", "(($I)$0 & $P) == $X"},
    {LOOP_ISINF, C,
     "(__builtin_isinf(__builtin_creal$f($0)) || __builtin_isinf(__builtin_cimag$f($0)))", "="},
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
    {LOOP_DIV, F, "$0 / $1", "="},
    {LOOP_DIV, C, "@div($0, $1)", "="},
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
    {LOOP_MIN, F, "($0 != $0 ? $0 : $0 < $1 ? $0 : $1)", "@min($1, $0)"},
    {LOOP_MIN, N, "($0 < $1 ? $0 : $1)", "@min($0, $1)"},
    {LOOP_MIN, B, "$0 & $1", "="},
    {LOOP_MAX, F, "($0 != $0 ? $0 : $0 > $1 ? $0 : $1)", "@max($1, $0)"},
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
    SPECIAL(IGAMMA, "igamma", "($0, $1)"),
    SPECIAL(IGAMMAC, "igammac", "($0, $1)"),
    SPECIAL(DRAWPOISSON, "drawpoisson", "($0, $1)"),
    SPECIAL(DRAWGAMMA, "drawgamma", "($0, $1)"),
    SPECIAL(DRAWBINOMIAL, "drawbinomial", "($0, $1, $2)"),
    SPECIAL(HERMITEH, "hermiteh", "($0, $1)"),
    SPECIAL(HERMITEHE, "hermitehe", "($0, $1)"),
    SPECIAL(LAGUERRE, "laguerre", "($0, $1)"),
    SPECIAL(LEGENDRE, "legendre", "($0, $1)"),
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
    {LOOP_REALPART, C, "__builtin_creal$f($0)", "="},
    {LOOP_IMAGPART, C, "__builtin_cimag$f($0)", "="},
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

/* ---- expressions ---- */

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
        kern_c_bitcast(out, needs, result, scope);
        return true;
    }
    if (op == LOOP_WHERE && scope->lanes > 1) {
        select_lanes(out, needs, result, scope);
        return true;
    }
    if (op == LOOP_WHERE || op == LOOP_COMPLEX) {
        kern_c_expand(out, needs,
                      op == LOOP_WHERE    ? "$0 ? $1 : $2"
                      : result == TY_C128 ? "@c128:complex($0, $1)"
                                          : "@c64:complex($0, $1)",
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
