/* guard.c -- guards of an export: what it took for granted of the sizes of its inputs, as Python text.
 *
 *     (L['x'].size()[0] % L['d']['k'].size()[0]) == 0 and max(1, L['n']) <= 64
 *
 * An input is named by the path to it in the arguments of forward, and its placeholder is named after
 * that path. What is not about integers is left out: the program checks a number that it was made
 * for itself.
 */
#include "fx/fx.h"

#include <string.h>

enum { DEEPEST = 200 };

typedef struct guard_parser {
    const fx_graph *g;
    sym_table *t;
    arena *memory;
    const char *at;
    fx_relation_list *out;
    uint32_t depth;
    bool failed;
} guard_parser;

static sym_expr parse_or(guard_parser *p);

static sym_expr fail(guard_parser *p)
{
    p->failed = true;
    return sym_int(p->t, 0);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_space(guard_parser *p)
{
    while (*p->at == ' ' || *p->at == '\n') p->at++;
}

/* A word is taken whole or not at all. */
static bool take(guard_parser *p, const char *sign)
{
    skip_space(p);
    size_t length = strlen(sign);
    if (strncmp(p->at, sign, length) != 0) return false;
    char next = p->at[length];
    if (is_letter(sign[length - 1]) && (is_letter(next) || is_digit(next))) return false;
    p->at += length;
    return true;
}

/* ---- inputs ---- */

/* Names of placeholders are in lower case, and what is no letter or digit in a path is _. */
static void add_key(text *name, const char *from, const char *end)
{
    if (name->length) text_char(name, '_');
    for (; from < end; from++)
        text_char(name, *from >= 'A' && *from <= 'Z'          ? (char)(*from - 'A' + 'a')
                        : is_letter(*from) || is_digit(*from) ? *from
                                                              : '_');
}

/* ['d'], [0] or .d; false at the end of the path. */
static bool take_key(guard_parser *p, text *name)
{
    const char *start = p->at, *end;
    if (*start == '.') {
        for (end = start + 1; is_letter(*end) || is_digit(*end);) end++;
        if (*end == '(') return false; /* .size(): of the input */
        p->at = end;
    } else if (*start == '[') {
        bool quoted = start[1] == '\'';
        end = strchr(start + 1 + quoted, quoted ? '\'' : ']');
        if (!end || end[quoted] != ']') return false;
        p->at = end + 1 + quoted;
        start += quoted;
    } else
        return false;
    add_key(name, start + 1, end);
    return true;
}

/* L['flat_args'][3]: the fourth that the user gives. */
static const fx_node *flat_input(const fx_graph *g, const char *digits)
{
    int64_t index = 0;
    for (; is_digit(*digits); digits++) index = index * 10 + (*digits - '0');
    for (uint32_t i = 0; i < g->inputs.count; i++) {
        const fx_node *n = g->inputs.at[i];
        bool is_users = n->input_kind == FX_USER_INPUT || n->input_kind == FX_CONSTANT_INPUT;
        if (is_users && index-- == 0) return n;
    }
    return NULL;
}

static const fx_node *find_input(guard_parser *p, const char *name)
{
    static const char FLAT[] = "flat_args_";
    const fx_node *n = fx_find(p->g, name);
    if (n && n->kind == FX_PLACEHOLDER && n->input_kind == FX_USER_INPUT) return n;
    return strncmp(name, FLAT, sizeof FLAT - 1) == 0 ? flat_input(p->g, name + sizeof FLAT - 1)
                                                     : NULL;
}

/* [2] behind .size() */
static sym_expr parse_dimension(guard_parser *p, const sym_expr *of, uint32_t rank)
{
    uint32_t d = 0;
    if (!take(p, "[") || !is_digit(*p->at)) return fail(p);
    while (is_digit(*p->at) && d < rank) d = d * 10 + (uint32_t)(*p->at++ - '0');
    return take(p, "]") && d < rank ? of[d] : fail(p);
}

/* What follows L. */
static sym_expr parse_input(guard_parser *p)
{
    text name;
    text_init(&name, p->memory);
    while (take_key(p, &name)) {}
    const fx_node *n = name.length ? find_input(p, name.at) : NULL;
    if (!n) return fail(p);
    if (n->value.kind == FX_TENSOR) {
        const ty_tensor *x = n->value.tensor;
        if (take(p, ".size()")) return parse_dimension(p, x->sizes, x->rank);
        if (take(p, ".stride()")) return parse_dimension(p, x->strides, x->rank);
        return fail(p);
    }
    bool is_number = n->value.kind == FX_INT || n->value.kind == FX_BOOL;
    return is_number && !sym_is_none(n->value.expr) ? n->value.expr : fail(p);
}

bool fx_guard_input(const fx_graph *g, arena *memory, const char **at, sym_expr *out)
{
    guard_parser p = {g, g->symbols, memory, *at, NULL, 0, false};
    if (!take(&p, "L")) return false;
    *out = parse_input(&p);
    *at = p.at;
    return !p.failed;
}

/* ---- arithmetic ---- */

static sym_expr parse_int(guard_parser *p)
{
    int64_t value = 0;
    for (; is_digit(*p->at); p->at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *p->at - '0', &value))
            return fail(p);
    return *p->at == '.' || *p->at == 'e' ? fail(p) : sym_int(p->t, value);
}

/* max(a, b, ...) */
static sym_expr parse_extreme(guard_parser *p, sym_expr (*choose)(sym_table *, sym_expr, sym_expr))
{
    sym_expr value = parse_or(p);
    while (!p->failed && take(p, ",")) value = choose(p->t, value, parse_or(p));
    return take(p, ")") ? value : fail(p);
}

static sym_expr parse_primary(guard_parser *p)
{
    skip_space(p);
    if (is_digit(*p->at)) return parse_int(p);
    if (take(p, "max(")) return parse_extreme(p, sym_max);
    if (take(p, "min(")) return parse_extreme(p, sym_min);
    if (take(p, "True")) return sym_int(p->t, 1);
    if (take(p, "False")) return sym_int(p->t, 0);
    if (take(p, "L")) return parse_input(p);
    if (!take(p, "(")) return fail(p);
    sym_expr inner = parse_or(p);
    return take(p, ")") ? inner : fail(p);
}

static sym_expr parse_power(guard_parser *p)
{
    enum { HIGHEST = 8 };
    int64_t exponent;
    sym_expr base = parse_primary(p), power = sym_int(p->t, 1);
    if (p->failed || !take(p, "**")) return base;
    if (!sym_is_int(p->t, parse_primary(p), &exponent) || exponent < 0 || exponent > HIGHEST)
        return fail(p);
    while (exponent-- > 0) power = sym_mul(p->t, power, base);
    return power;
}

static sym_expr parse_factor(guard_parser *p)
{
    if (++p->depth > DEEPEST) return fail(p);
    sym_expr e = take(p, "-") ? sym_mul_int(p->t, parse_factor(p), -1) : parse_power(p);
    p->depth--;
    return e;
}

static void add_relation(guard_parser *p, sym_expr left, sym_op op, sym_expr right)
{
    vec_push(p->memory, p->out, (sym_relation){left, right, op});
}

/* Python fails where it would divide by 0. */
static sym_expr checked_divisor(guard_parser *p)
{
    sym_expr divisor = parse_factor(p), zero = sym_int(p->t, 0);
    if (sym_prove(p->t, sym_compare(p->t, SYM_NE, divisor, zero), NULL) != SYM_TRUE)
        add_relation(p, divisor, SYM_NE, zero);
    return divisor;
}

static sym_expr parse_product(guard_parser *p)
{
    sym_expr e = parse_factor(p);
    while (!p->failed) {
        if (take(p, "//"))
            e = sym_floordiv(p->t, e, checked_divisor(p));
        else if (take(p, "*"))
            e = sym_mul(p->t, e, parse_factor(p));
        else if (take(p, "%"))
            e = sym_mod(p->t, e, checked_divisor(p));
        else
            break;
    }
    return e;
}

static sym_expr parse_sum(guard_parser *p)
{
    sym_expr e = parse_product(p);
    while (!p->failed) {
        bool plus = take(p, "+");
        if (!plus && !take(p, "-")) break;
        sym_expr term = parse_product(p);
        e = plus ? sym_add(p->t, e, term) : sym_sub(p->t, e, term);
    }
    return e;
}

/* ---- relations ---- */

static const struct comparison {
    const char *sign;
    sym_op op;
    bool is_swapped;
} COMPARISONS[] = {{"==", SYM_EQ, false}, {"!=", SYM_NE, false}, {"<=", SYM_LE, false},
                   {">=", SYM_LE, true},  {"<", SYM_LT, false},  {">", SYM_LT, true}};

static const struct comparison *take_comparison(guard_parser *p)
{
    for (size_t i = 0; i < COUNT_OF(COMPARISONS); i++)
        if (take(p, COMPARISONS[i].sign)) return &COMPARISONS[i];
    return NULL;
}

/* a < b <= c: both. With `as_written` the relations join the list and the value is none. */
static sym_expr parse_comparison(guard_parser *p, bool as_written)
{
    sym_expr left = parse_sum(p), all = {0};
    const struct comparison *c;
    while (!p->failed && (c = take_comparison(p))) {
        sym_expr right = parse_sum(p), low = c->is_swapped ? right : left,
                 high = c->is_swapped ? left : right, one = sym_compare(p->t, c->op, low, high);
        if (as_written) add_relation(p, low, c->op, high);
        all = sym_is_none(all) ? one : sym_compare(p->t, SYM_AND, all, one);
        left = right;
    }
    if (as_written && sym_is_none(all)) add_relation(p, left, SYM_NE, sym_int(p->t, 0));
    return sym_is_none(all) ? left : all;
}

static sym_expr parse_not(guard_parser *p)
{
    return take(p, "not") ? sym_not(p->t, parse_not(p)) : parse_comparison(p, false);
}

static sym_expr parse_and(guard_parser *p)
{
    sym_expr e = parse_not(p);
    while (!p->failed && take(p, "and")) e = sym_compare(p->t, SYM_AND, e, parse_not(p));
    return e;
}

static sym_expr parse_or(guard_parser *p)
{
    if (++p->depth > DEEPEST) return fail(p);
    sym_expr e = parse_and(p);
    while (!p->failed && take(p, "or")) e = sym_compare(p->t, SYM_OR, e, parse_and(p));
    p->depth--;
    return e;
}

static bool is_done(guard_parser *p)
{
    skip_space(p);
    return !p->failed && !*p->at;
}

/* Comparisons that are joined by `and` alone stay as they were written; false at anything else. */
static bool parse_plain(guard_parser *p)
{
    do parse_comparison(p, true);
    while (!p->failed && take(p, "and"));
    return is_done(p);
}

bool fx_guard_relations(const fx_graph *g, const char *guard, arena *memory, fx_relation_list *out)
{
    uint32_t before = out->count;
    guard_parser p = {g, g->symbols, memory, guard, out, 0, false};
    if (parse_plain(&p)) return true;
    out->count = before;
    p = (guard_parser){g, g->symbols, memory, guard, out, 0, false};
    sym_expr e = parse_or(&p);
    add_relation(&p, e, SYM_NE, sym_int(p.t, 0));
    if (is_done(&p)) return true;
    out->count = before;
    return false;
}
