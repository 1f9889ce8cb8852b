/* formula.c -- formulas as functions: reads their text for one dtype and one number of lanes.
 *
 * Statements end with a semicolon. A name stands for a value and may be given another; so may several
 * at once, of a formula with parts:
 *
 *     a = abs(x);                       q, n, s = expparts(x);
 *     leave a > 5: far(x);              done otherwise as soon as one lane asks for it
 *     repeat k = 1 to 6: ... end        written as many times
 *     return y;  give a, b;             the result; those of a formula that others take in
 *
 * Operators bind as in C, but comparisons more than & ^ |. A number is of the dtype of what it meets.
 * Functions without arguments of their own: other formulas, polynomials and tables by their names, and these:
 *
 *     abs sqrt floor round trunc neg    of floats; min and max of a number and a value
 *     pick(m, a, b)  only(m, a)         a where m, else b, or 0
 *     bits(x) real(i)                   the bits of floats as integers, and back
 *     signed(i) unsigned(i) int(5)      integers; count(i): as a float
 *     f32(i) i32(x) back(i)             conversions, the last to the dtype; double(i) word(x): of bits
 *     like(y, x) flip(y, x)             y >= 0 with the sign of x, y with its sign turned by that of x
 *     u16(i) bits16(x) f16(i) bf16(i)   the same for halves; (f16 x) is a parameter that is one
 *     fused(a, b, c) scaled(a, n)       a * b + c rounded once; a * 2^n
 *     halves(a, b)                      u64: the product of their low halves
 *     each_sin(x)                       the library's, lane by lane
 *     wide_erfc(x)                      the function of f64, of numbers made that
 *
 * inf, nan, and by dtype: S, the bit of the sign; X, the bits of infinity; L, those of the least
 * normal number; W, the width in bits; hpi and lpi, pi / 2 and what that lacks; big, split, short.
 */
#include "kern/legal/legal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { F32 = 1u << TY_F32, F64 = 1u << TY_F64, FLOATS = F32 | F64 };
enum {
    I64 = 1u << TY_I64,
    U64 = 1u << TY_U64,
    LONG = I64 | U64,
    MIDDLE = 1u << TY_I32 | 1u << TY_U32,
    NARROW = 1u << TY_I8 | 1u << TY_I16 | 1u << TY_U8 | 1u << TY_U16,
    INTEGERS = LONG | MIDDLE | NARROW,
    UNSIGNED = 1u << TY_U8 | 1u << TY_U16 | 1u << TY_U32 | 1u << TY_U64,
    SIGNED = INTEGERS & ~UNSIGNED
};
enum { ANY, FUSED = TARGET_FUSED, SCALES = TARGET_SCALES, TABLES = TARGET_TABLES };
enum { INLINE = FORMULA_INLINE, APART = FORMULA_APART, RARE = FORMULA_RARE, PARTS = FORMULA_PARTS };

static const kern_formula FORMULAS[] = {
#define FUNCTION(name, dtypes, needs, manner, parameters, ...) \
    {#name, dtypes, needs, (kern_formula_manner)manner, #parameters, #__VA_ARGS__},
#include "kern/legal/angle.def"
#include "kern/legal/convert.def"
#include "kern/legal/divide.def"
#include "kern/legal/exponential.def"
#include "kern/legal/integer.def"
#include "kern/legal/special.def"
#undef FUNCTION
};

const kern_formula *kern_formula_find(const target_machine *target, const char *name,
                                      ty_dtype dtype, uint32_t lanes)
{
    uint32_t can = target->can;
    if (lanes * ty_dtype_size(dtype) != target->vector_bytes) can &= ~(uint32_t)SCALES;
    for (size_t i = 0; i < COUNT_OF(FORMULAS); i++) {
        const kern_formula *f = &FORMULAS[i];
        if ((f->dtypes & 1u << dtype) && !(f->needs & ~can) && strcmp(f->name, name) == 0) return f;
    }
    return NULL;
}

/* A value, or a number that has no dtype yet. */
typedef struct term {
    kern_ref ref; /* 0: a number */
    double number;
    int64_t integer;
} term;

typedef struct binding {
    const char *name;
    term value;
} binding;

enum { MOST_NAMES = 64, MOST_RESULTS = 4 };

typedef struct reader {
    kern_library *library;
    kern_function *f;
    ty_dtype dtype;
    ty_dtype integer, natural; /* as wide, with a sign and without */
    const char *formula;       /* at hand: its name, */
    const char *at;            /* what is left of it, */
    const char *token;         /* the token at hand */
    uint32_t length;
    binding names[MOST_NAMES];
    uint32_t name_count;
    term results[MOST_RESULTS];
    uint32_t result_count;
} reader;

static term expression(reader *r);

/* ---- tokens ---- */

static _Noreturn void fail(const reader *r, const char *what)
{
    BUG(arena_session(r->library->memory), "formula %s: %s at %.*s", r->formula, what,
        (int)r->length, r->token);
}

static uint32_t number_length(const char *at)
{
    char *end;
    if (at[0] == '0' && at[1] == 'x' && !memchr(at, '.', strspn(at, "0123456789abcdefx.")) &&
        !memchr(at, 'p', strspn(at, "0123456789abcdefxp")))
        (void)strtoull(at, &end, 16);
    else
        (void)strtod(at, &end);
    return (uint32_t)(end - at);
}

static void next(reader *r)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    while (*r->at == ' ' || *r->at == '\n') r->at++;
    r->token = r->at;
    bool pair = r->at[0] && r->at[1] && strchr("<>=!", r->at[0]) &&
                (r->at[1] == '=' || r->at[1] == r->at[0]) && r->at[0] != 0;
    if (*r->at >= '0' && *r->at <= '9')
        r->length = number_length(r->at);
    else if ((r->length = (uint32_t)strspn(r->at, LETTERS)) == 0)
        r->length = *r->at ? pair ? 2 : 1 : 0;
    r->at += r->length;
}

static bool is_token(const reader *r, const char *wanted)
{
    return r->length == strlen(wanted) && strncmp(r->token, wanted, r->length) == 0;
}

static bool take(reader *r, const char *wanted)
{
    bool is = is_token(r, wanted);
    if (is) next(r);
    return is;
}

static void expect(reader *r, const char *wanted)
{
    if (!take(r, wanted)) fail(r, wanted);
}

static const char *take_name(reader *r)
{
    const char *name = arena_printf(r->library->memory, "%.*s", (int)r->length, r->token);
    next(r);
    return name;
}

/* ---- values ---- */

static ty_dtype dtype_of(const reader *r, term t)
{
    return t.ref ? r->f->code->values.at[t.ref].dtype : TY_NO_DTYPE;
}

/* A number gets this dtype. */
static kern_ref typed(reader *r, term t, ty_dtype dtype)
{
    if (t.ref) return t.ref;
    return kern_function_number(r->library, r->f, dtype, t.number, t.integer);
}

static term value(kern_ref ref)
{
    return (term){ref, 0, 0};
}

static term number(double x)
{
    return (term){0, x, fabs(x) < 9e18 ? (int64_t)x : 0};
}

static term made(reader *r, kern_value v)
{
    return value(kern_function_define(r->library, r->f, v));
}

static term apply(reader *r, loop_opcode op, ty_dtype dtype, kern_ref a, kern_ref b, kern_ref c)
{
    return made(r, (kern_value){.kind = KERN_APPLY, .op = op, .dtype = dtype, .args = {a, b, c}});
}

static term folded(const reader *r, loop_opcode op, term a, term b)
{
    term t = {0};
    switch (op) {
    case LOOP_ADD: t = (term){0, a.number + b.number, a.integer + b.integer}; break;
    case LOOP_SUB: t = (term){0, a.number - b.number, a.integer - b.integer}; break;
    case LOOP_MUL: t = (term){0, a.number * b.number, a.integer * b.integer}; break;
    default: fail(r, "two numbers");
    }
    return t;
}

static term binary(reader *r, loop_opcode op, term a, term b)
{
    if (!a.ref && !b.ref) return folded(r, op, a, b);
    ty_dtype dtype = dtype_of(r, a.ref ? a : b);
    kern_ref x = typed(r, a, dtype), y = typed(r, b, dtype);
    bool compares = op == LOOP_EQ || op == LOOP_NE || op == LOOP_LT || op == LOOP_LE;
    return apply(r, op, compares ? TY_BOOL : dtype, x, y, 0);
}

static term negated(reader *r, term t)
{
    if (!t.ref) return (term){0, -t.number, -t.integer};
    return apply(r, LOOP_NEG, dtype_of(r, t), t.ref, 0, 0);
}

static term cast(reader *r, loop_opcode op, ty_dtype to, term t)
{
    return apply(r, op, to, typed(r, t, r->dtype), 0, 0);
}

static term bits(reader *r, term t)
{
    return cast(r, LOOP_BITCAST, r->integer, t);
}

static term real(reader *r, term t)
{
    return apply(r, LOOP_BITCAST, r->dtype, typed(r, t, r->integer), 0, 0);
}

static int64_t bits_of_sign(const reader *r)
{
    return r->dtype == TY_F64 ? INT64_MIN : INT32_MIN;
}

static int64_t bits_of_infinity(const reader *r)
{
    return r->dtype == TY_F64 ? 0x7ff0000000000000 : 0x7f800000;
}

static term integer(reader *r, int64_t x)
{
    return value(kern_function_number(r->library, r->f, r->integer, 0, x));
}

static term pick(reader *r, term m, term a, term b)
{
    ty_dtype dtype = a.ref ? dtype_of(r, a) : b.ref ? dtype_of(r, b) : r->dtype;
    kern_ref x = typed(r, a, dtype), y = typed(r, b, dtype);
    return apply(r, LOOP_WHERE, dtype, m.ref, x, y);
}

static term with_sign(reader *r, loop_opcode op, term y, term x)
{
    term sign = binary(r, LOOP_AND, bits(r, x), integer(r, bits_of_sign(r)));
    return real(r, binary(r, op, bits(r, y), sign));
}

/* ---- calls ---- */

static term constant(reader *r, const char *name, bool *known)
{
    bool wide = r->dtype == TY_F64;
    const struct {
        const char *name;
        double narrow, wide;
    } NUMBERS[] = {{"inf", INFINITY, INFINITY},
                   {"nan", (double)NAN, (double)NAN},
                   {"hpi", 1.57079637, 1.57079632679489661923},
                   {"lpi", -4.37113883e-8, 6.123233995736766e-17},
                   {"big", 0x1p126, 0x1p1022},
                   {"split", 4097, 134217729},
                   {"short", 8388608, 0x1p52}};
    *known = true;
    for (size_t i = 0; i < COUNT_OF(NUMBERS); i++)
        if (strcmp(NUMBERS[i].name, name) == 0)
            return (term){0, wide ? NUMBERS[i].wide : NUMBERS[i].narrow, 0};
    if (strcmp(name, "W") == 0) return number(8 * (double)ty_dtype_size(r->dtype));
    if (strcmp(name, "S") == 0) return integer(r, bits_of_sign(r));
    if (strcmp(name, "X") == 0) return integer(r, bits_of_infinity(r));
    if (strcmp(name, "L") == 0) return integer(r, bits_of_infinity(r) & -bits_of_infinity(r));
    *known = false;
    return value(0);
}

static void run_formula(reader *r, const kern_formula *formula, const term *args, uint32_t count);

/* What others take in: the results of a formula of parts. */
static void take_parts(reader *r, const kern_formula *formula, const term *args, uint32_t count)
{
    reader inner = *r;
    inner.name_count = inner.result_count = 0;
    run_formula(&inner, formula, args, count);
    r->result_count = inner.result_count;
    memcpy(r->results, inner.results, sizeof r->results);
}

static uint32_t lanes_of_doubles(const reader *r)
{
    uint32_t lanes = r->f->code->lanes;
    return lanes * 8 > r->library->target->vector_bytes && lanes > 2 ? lanes / 2 : lanes;
}

static term call(reader *r, const char *name, const term *args, uint32_t count)
{
    static const char EACH[] = "each_", WIDE[] = "wide_";
    kern_value v = {.kind = KERN_CALL, .dtype = r->dtype};
    for (uint32_t i = 0; i < count; i++) v.args[i] = typed(r, args[i], r->dtype);
    if (strncmp(name, EACH, sizeof EACH - 1) == 0) {
        v.kind = KERN_EACH;
        if (!loop_opcode_parse(name + sizeof EACH - 1, &v.op)) fail(r, name);
    } else if (strncmp(name, WIDE, sizeof WIDE - 1) == 0) {
        v.wide = true;
        v.callee =
            kern_library_find(r->library, name + sizeof WIDE - 1, TY_F64, lanes_of_doubles(r));
    } else {
        v.callee = kern_library_find(r->library, name, r->dtype, r->f->code->lanes);
    }
    if (v.kind == KERN_CALL && !v.callee) fail(r, name);
    return made(r, v);
}

/* conversions of values, and of their bits */
static bool conversion(reader *r, const char *name, const term *args, term *out)
{
    const struct {
        const char *name;
        loop_opcode op;
        ty_dtype to;
    } CONVERSIONS[] = {{"count", LOOP_CAST, r->dtype},
                       {"back", LOOP_CAST, r->dtype},
                       {"f32", LOOP_CAST, TY_F32},
                       {"i32", LOOP_CAST, TY_I32},
                       {"u16", LOOP_CAST, TY_U16},
                       {"bits16", LOOP_BITCAST, TY_U16},
                       {"f16", LOOP_BITCAST, TY_F16},
                       {"bf16", LOOP_BITCAST, TY_BF16},
                       {"signed", LOOP_BITCAST, r->integer},
                       {"bits", LOOP_BITCAST, r->integer},
                       {"unsigned", LOOP_BITCAST, r->natural},
                       {"double", LOOP_BITCAST, TY_F64},
                       {"word", LOOP_BITCAST, r->dtype}};
    for (size_t i = 0; i < COUNT_OF(CONVERSIONS); i++) {
        if (strcmp(CONVERSIONS[i].name, name) != 0) continue;
        *out = cast(r, CONVERSIONS[i].op, CONVERSIONS[i].to, args[0]);
        return true;
    }
    return false;
}

/* of one float */
static const struct {
    const char *name;
    loop_opcode op;
} UNARY[] = {{"abs", LOOP_ABS},
             {"sqrt", LOOP_SQRT},
             {"floor", LOOP_FLOOR},
             {"round", LOOP_ROUND},
             {"trunc", LOOP_TRUNC}};

static bool primitive(reader *r, const char *name, const term *args, term *out)
{
    for (size_t i = 0; i < COUNT_OF(UNARY); i++)
        if (strcmp(UNARY[i].name, name) == 0) {
            kern_ref x = typed(r, args[0], r->dtype);
            *out = apply(r, UNARY[i].op, dtype_of(r, value(x)), x, 0, 0);
            return true;
        }
    if (strcmp(name, "min") == 0)
        *out = binary(r, LOOP_MIN, args[0], args[1]);
    else if (strcmp(name, "max") == 0)
        *out = binary(r, LOOP_MAX, args[0], args[1]);
    else if (strcmp(name, "pick") == 0)
        *out = pick(r, args[0], args[1], args[2]);
    else if (strcmp(name, "only") == 0)
        *out = pick(r, args[0], args[1], number(0));
    else if (strcmp(name, "real") == 0)
        *out = real(r, args[0]);
    else if (strcmp(name, "int") == 0)
        *out = integer(r, args[0].integer);
    else if (strcmp(name, "like") == 0)
        *out = with_sign(r, LOOP_OR, args[0], args[1]);
    else if (strcmp(name, "flip") == 0)
        *out = with_sign(r, LOOP_XOR, args[0], args[1]);
    else
        return false;
    return true;
}

static bool machine(reader *r, const char *name, const term *args, term *out)
{
    const struct {
        const char *name;
        kern_kind kind;
        ty_dtype dtype;
        uint32_t operands;
    } MACHINE[] = {{"fused", KERN_FUSED, r->dtype, 3},
                   {"scaled", KERN_SCALE, r->dtype, 2},
                   {"halves", KERN_HALVES, TY_U64, 2}};
    for (size_t m = 0; m < COUNT_OF(MACHINE); m++) {
        if (strcmp(MACHINE[m].name, name) != 0) continue;
        kern_value v = {.kind = MACHINE[m].kind, .dtype = MACHINE[m].dtype};
        for (uint32_t i = 0; i < MACHINE[m].operands; i++) v.args[i] = typed(r, args[i], v.dtype);
        *out = made(r, v);
        return true;
    }
    return false;
}

/* name(args): the results; what has one result has that in results[0]. */
static void called(reader *r, const char *name)
{
    enum { MOST_ARGS = 5 };
    term args[MOST_ARGS] = {{0}}, one;
    uint32_t count = 0;
    expect(r, "(");
    do {
        if (count == MOST_ARGS) fail(r, "too many arguments");
        args[count++] = expression(r);
    } while (take(r, ","));
    expect(r, ")");
    const kern_formula *formula =
        kern_formula_find(r->library->target, name, r->dtype, r->f->code->lanes);
    if (formula && formula->manner == FORMULA_PARTS) {
        take_parts(r, formula, args, count);
        return;
    }
    if (!conversion(r, name, args, &one) && !primitive(r, name, args, &one) &&
        !machine(r, name, args, &one))
        one = call(r, name, args, count);
    r->results[0] = one;
    r->result_count = 1;
}

/* ---- expressions ---- */

static term atom(reader *r)
{
    if (take(r, "(")) {
        term t = expression(r);
        expect(r, ")");
        return t;
    }
    if (*r->token >= '0' && *r->token <= '9') {
        term t = number(strtod(r->token, NULL));
        t.integer = (int64_t)strtoull(r->token, NULL, 0);
        next(r);
        return t;
    }
    const char *name = take_name(r);
    if (is_token(r, "(")) {
        called(r, name);
        if (r->result_count != 1) fail(r, "several results");
        return r->results[0];
    }
    for (uint32_t i = r->name_count; i-- > 0;)
        if (strcmp(r->names[i].name, name) == 0) return r->names[i].value;
    bool known;
    term t = constant(r, name, &known);
    if (!known) fail(r, name);
    return t;
}

static term unary(reader *r)
{
    if (take(r, "-")) return negated(r, unary(r));
    if (take(r, "~")) {
        term t = unary(r);
        return apply(r, LOOP_NOT, dtype_of(r, t), t.ref, 0, 0);
    }
    return atom(r);
}

/* Operators from those that bind least on. */
static const struct {
    uint32_t level;
    const char *token;
    loop_opcode op;
    bool swapped;
} OPERATORS[] = {{0, "|", LOOP_OR, false},   {1, "^", LOOP_XOR, false},  {2, "&", LOOP_AND, false},
                 {3, "==", LOOP_EQ, false},  {3, "!=", LOOP_NE, false},  {3, "<", LOOP_LT, false},
                 {3, "<=", LOOP_LE, false},  {3, ">", LOOP_LT, true},    {3, ">=", LOOP_LE, true},
                 {4, "<<", LOOP_SHL, false}, {4, ">>", LOOP_SHR, false}, {5, "+", LOOP_ADD, false},
                 {5, "-", LOOP_SUB, false},  {6, "*", LOOP_MUL, false},  {6, "/", LOOP_DIV, false}};
enum { LEVELS = 7 };

static term level(reader *r, uint32_t depth)
{
    if (depth == LEVELS) return unary(r);
    term left = level(r, depth + 1);
    for (size_t i = 0; i < COUNT_OF(OPERATORS); i++) {
        if (OPERATORS[i].level != depth || !take(r, OPERATORS[i].token)) continue;
        term right = level(r, depth + 1);
        left = OPERATORS[i].swapped ? binary(r, OPERATORS[i].op, right, left)
                                    : binary(r, OPERATORS[i].op, left, right);
        i = (size_t)-1; /* again, for what follows */
    }
    return left;
}

static term expression(reader *r)
{
    return level(r, 0);
}

/* ---- statements ---- */

static void bind(reader *r, const char *name, term t)
{
    for (uint32_t i = 0; i < r->name_count; i++)
        if (strcmp(r->names[i].name, name) == 0) {
            r->names[i].value = t;
            return;
        }
    if (r->name_count == MOST_NAMES) fail(r, "too many names");
    r->names[r->name_count++] = (binding){name, t};
}

/* a, b = f(x); a = e */
static void assign(reader *r)
{
    const char *names[MOST_RESULTS];
    uint32_t count = 0;
    do {
        if (count == MOST_RESULTS) fail(r, "too many results");
        names[count++] = take_name(r);
    } while (take(r, ","));
    expect(r, "=");
    if (count == 1) {
        bind(r, names[0], expression(r));
        return;
    }
    called(r, take_name(r));
    if (r->result_count != count) fail(r, "another number of results");
    term results[MOST_RESULTS];
    memcpy(results, r->results, sizeof results);
    for (uint32_t i = 0; i < count; i++) bind(r, names[i], results[i]);
}

static void leave(reader *r)
{
    term guard = expression(r);
    expect(r, ":");
    term t = expression(r);
    kern_ir *code = r->f->code;
    kern_item *last = &code->body->items.at[code->body->items.count - 1];
    if (last->value != t.ref || code->values.at[t.ref].kind != KERN_CALL) fail(r, "no call");
    *last = (kern_item){.kind = KERN_LEAVE, .value = t.ref, .bound = {.guard = guard.ref}};
}

static void statement(reader *r);

/* k = 1 to 6: ... end */
static void repeat(reader *r)
{
    const char *name = take_name(r);
    expect(r, "=");
    int64_t from = expression(r).integer;
    expect(r, "to");
    int64_t to = expression(r).integer;
    const char *begin = r->at;
    for (int64_t k = from; k <= to; k++) {
        r->at = begin;
        next(r);
        bind(r, name, (term){0, (double)k, k});
        while (!is_token(r, "end")) statement(r);
    }
    next(r);
}

static void give(reader *r)
{
    term results[MOST_RESULTS];
    uint32_t count = 0;
    do {
        if (count == MOST_RESULTS) fail(r, "too many results");
        results[count++] = expression(r);
    } while (take(r, ","));
    memcpy(r->results, results, sizeof results);
    r->result_count = count;
}

static void statement(reader *r)
{
    if (take(r, "repeat")) {
        repeat(r);
        return;
    }
    if (take(r, "leave"))
        leave(r);
    else if (take(r, "return") || take(r, "give"))
        give(r);
    else
        assign(r);
    expect(r, ";");
}

static void run_formula(reader *r, const kern_formula *formula, const term *args, uint32_t count)
{
    r->formula = formula->name;
    r->at = formula->parameters + 1;
    next(r);
    for (uint32_t i = 0; i < count; i++) {
        (void)(take(r, "f16") || take(r, "bf16")); /* parameter_of */
        bind(r, take_name(r), args[i]);
        if (!take(r, i + 1 < count ? "," : ")")) fail(r, "another number of arguments");
    }
    r->at = formula->text;
    next(r);
    while (r->length) statement(r);
}

/* (bf16 x) */
static ty_dtype parameter_of(const kern_formula *formula, ty_dtype dtype)
{
    if (strncmp(formula->parameters, "(f16 ", 5) == 0) return TY_F16;
    return strncmp(formula->parameters, "(bf16 ", 6) == 0 ? TY_BF16 : dtype;
}

static uint32_t parameters_of(const kern_formula *formula)
{
    uint32_t count = 1;
    for (const char *at = formula->parameters; *at; at++) count += *at == ',';
    return count;
}

const kern_function *kern_formula_function(kern_library *library, const kern_formula *formula,
                                           ty_dtype dtype, uint32_t lanes)
{
    enum { MOST_PARAMETERS = 3 };
    static const kern_manner MANNERS[] = {
        [FORMULA_INLINE] = KERN_INLINE, [FORMULA_APART] = KERN_APART, [FORMULA_RARE] = KERN_RARE};
    term args[MOST_PARAMETERS] = {{0}};
    uint32_t count = parameters_of(formula);
    static const ty_dtype WITH_SIGN[] = {[1] = TY_I8, [2] = TY_I16, [4] = TY_I32, [8] = TY_I64};
    static const ty_dtype WITHOUT[] = {[1] = TY_U8, [2] = TY_U16, [4] = TY_U32, [8] = TY_U64};
    reader r = {.library = library, .dtype = dtype};
    r.integer = WITH_SIGN[ty_dtype_size(dtype)];
    r.natural = WITHOUT[ty_dtype_size(dtype)];
    r.f = kern_function_new(library, formula->name, dtype, lanes, count);
    r.f->manner = MANNERS[formula->manner];
    r.f->parameter = parameter_of(formula, dtype);
    for (uint32_t i = 0; i < count; i++) {
        args[i] = value(i + 1);
        r.f->code->values.at[i + 1].dtype = r.f->parameter;
    }
    run_formula(&r, formula, args, count);
    kern_ref result = typed(&r, r.results[0], dtype);
    r.f->result = r.f->code->values.at[result].dtype;
    kern_function_return(library, r.f, result);
    return r.f;
}
