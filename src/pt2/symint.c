/* symint.c -- SymPy expressions as archives print them, to expressions of ours.
 *
 * Two notations, one parser: sizes are written as SymPy's srepr, `Mul(Integer(2), Symbol('s0',
 * positive=True))`, the keys of range_constraints as plain text, `2*s0`. What is no integer
 * expression gets an unbacked symbol where a size is needed; a predicate is left out.
 */
#include "pt2/pt2_priv.h"
#include "pt2/quantity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 200 }; /* of nested expressions */

typedef struct parser {
    reader *r;
    sym_table *t;
    const char *at;
    uint32_t depth;
    bool only_known;   /* a symbol that the program does not have makes the value unknown */
    const char *wrong; /* the first thing that is wrong, or NULL */
} parser;

/* ---- the parser ---- */

static quantity parse_sum(parser *p);

static void skip_space(parser *p)
{
    while (*p->at == ' ' || *p->at == '\n' || *p->at == '\t') p->at++;
}

static quantity fail(parser *p, const char *what)
{
    if (!p->wrong) p->wrong = what;
    return quantity_unknown();
}

static bool take(parser *p, const char *sign)
{
    skip_space(p);
    size_t length = strlen(sign);
    if (strncmp(p->at, sign, length) != 0) return false;
    p->at += length;
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *word_end(const char *at)
{
    while (is_letter(*at) || is_digit(*at)) at++;
    return at;
}

static quantity parse_number(parser *p)
{
    int64_t value = 0;
    const char *start = p->at;
    bool fits = true;
    for (; is_digit(*p->at); p->at++)
        fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
               !__builtin_add_overflow(value, *p->at - '0', &value);
    if (*p->at != '.' && *p->at != 'e')
        return fits ? quantity_int(p->t, value) : quantity_unknown();
    char *end;
    double number = strtod(start, &end);
    p->at = end;
    return quantity_float(p->t, number);
}

static bool is_unbacked(const char *name)
{
    return name[0] == 'u' && is_digit(name[1]);
}

/* No symbol of ours takes this name or one before it. */
static void reserve_name(reader *r, const char *name)
{
    unsigned long number = strtoul(name + 1, NULL, 10);
    if (number < UINT32_MAX / 2 && number >= r->next_unbacked)
        r->next_unbacked = (uint32_t)number + 1;
}

/* An export takes the sizes that it keeps open for 2 or more, and records so; its module asks for a least
 * size, or a least number among its inputs, only where that is more. */
enum { TAKEN = 2 };

static int64_t asked_minimum(const char *name, int64_t recorded)
{
    return !is_unbacked(name) && recorded > 0 && recorded <= TAKEN ? 0 : recorded;
}

/* The symbol of this name, born with its recorded range. */
static sym_expr make_symbol(reader *r, const char *name)
{
    int64_t min = is_unbacked(name) ? SYM_NO_MIN : 0, max = SYM_NO_MAX;
    uint32_t i = map_get(&r->ranges, MAP_KEY(name));
    if (i != MAP_NONE) {
        min = r->symbol_ranges.at[i].min;
        max = r->symbol_ranges.at[i].max;
    }
    if (is_unbacked(name)) reserve_name(r, name);
    return sym_symbol(r->symbols, name, is_unbacked(name) ? SYM_UNBACKED : SYM_SIZE, min, max);
}

/* A string in single quotes; `out` is interned. */
static bool parse_string(parser *p, const char **out)
{
    if (!take(p, "'")) return false;
    const char *end = strchr(p->at, '\'');
    if (!end || word_end(p->at) != end || end == p->at) return false;
    *out = intern_n(p->r->session, p->at, (size_t)(end - p->at));
    p->at = end + 1;
    return true;
}

/* What follows `Symbol(`: its name and assumptions. Only integer ones are known. */
static quantity parse_symbol(parser *p)
{
    const char *name;
    bool is_integer = false;
    if (!parse_string(p, &name)) return fail(p, "expected a symbol's name");
    while (take(p, ",")) {
        skip_space(p);
        const char *word = p->at;
        p->at = word_end(word);
        size_t length = (size_t)(p->at - word);
        if (length == 0 || !take(p, "=")) return fail(p, "expected an assumption");
        bool truth = take(p, "True");
        if (!truth && !take(p, "False")) return fail(p, "expected True or False");
        if (truth && length == 7 && memcmp(word, "integer", 7) == 0) is_integer = true;
    }
    if (!take(p, ")")) return fail(p, "expected ')'");
    return is_integer ? quantity_of(p->t, make_symbol(p->r, name)) : quantity_unknown();
}

/* What follows `Float(`: `'0.5', precision=53`. */
static quantity parse_float(parser *p)
{
    if (!take(p, "'")) return fail(p, "expected a float in quotes");
    char *end;
    double value = strtod(p->at, &end);
    if (*end != '\'') return fail(p, "expected a float in quotes");
    p->at = end + 1;
    while (*p->at && *p->at != ')') p->at++;
    if (!take(p, ")")) return fail(p, "expected ')'");
    return quantity_float(p->t, value);
}

/* A stand-in for text that is an integer but no expression of ours; the same for the same text. */
static sym_expr stand_in(reader *r, const char *text_at)
{
    uint32_t i = map_get(&r->stand_ins, MAP_KEY(text_at));
    if (i != MAP_NONE) return r->stand_in_values.at[i];
    char name[20];
    do {
        snprintf(name, sizeof name, "u%u", r->next_unbacked++);
    } while (!sym_is_none(sym_find_symbol(r->symbols, name)));
    sym_expr symbol = sym_symbol(r->symbols, name, SYM_UNBACKED, SYM_NO_MIN, SYM_NO_MAX);
    map_set(r->memory, &r->stand_ins, MAP_KEY(text_at), r->stand_in_values.count);
    vec_push(r->memory, &r->stand_in_values, symbol);
    vec_push(r->memory, &r->stand_in_texts, text_at);
    return symbol;
}

/* The call whose text begins at `name` and ends here. An integer that it gives from something
 * unknown, TruncToInt(0.3*ToFloat(s0)), is an unknown integer that expressions may go on with. */
static quantity apply(parser *p, const char *name, size_t length, const quantity *a, uint32_t n)
{
    quantity q;
    bool is_int;
    if (!quantity_apply(p->t, name, length, a, n, &q, &is_int)) return fail(p, "too few arguments");
    if (!sym_is_none(q.expr) || !is_int || p->only_known) return q;
    const char *call = intern_n(p->r->session, name, (size_t)(p->at - name));
    return quantity_of(p->t, stand_in(p->r, call));
}

static quantity parse_call(parser *p, const char *name, size_t length)
{
    VEC(quantity) arguments = {0}; /* not on the stack: calls nest */
    if (length == 6 && memcmp(name, "Symbol", 6) == 0) return parse_symbol(p);
    if (length == 5 && memcmp(name, "Float", 5) == 0) return parse_float(p);
    if (take(p, ")")) return apply(p, name, length, NULL, 0);
    do {
        quantity argument = parse_sum(p);
        if (p->wrong) return quantity_unknown();
        vec_push(p->r->memory, &arguments, argument);
    } while (take(p, ","));
    if (!take(p, ")")) return fail(p, "expected ',' or ')'");
    return apply(p, name, length, arguments.at, arguments.count);
}

static quantity parse_primary(parser *p)
{
    skip_space(p);
    if (is_digit(*p->at)) return parse_number(p);
    if (take(p, "(")) {
        quantity inner = parse_sum(p);
        return take(p, ")") ? inner : fail(p, "expected ')'");
    }
    const char *name = p->at;
    if (!is_letter(*name)) return fail(p, "expected an expression");
    p->at = word_end(name);
    size_t length = (size_t)(p->at - name);
    if (take(p, "(")) return parse_call(p, name, length);
    if ((length == 4 && memcmp(name, "true", 4) == 0)) return quantity_int(p->t, 1);
    if ((length == 5 && memcmp(name, "false", 5) == 0)) return quantity_int(p->t, 0);
    if (!is_digit(name[length - 1])) return quantity_unknown(); /* oo, nan, ... */
    const char *symbol = intern_n(p->r->session, name, length);
    if (p->only_known && sym_is_none(sym_find_symbol(p->t, symbol))) return quantity_unknown();
    return quantity_of(p->t, make_symbol(p->r, symbol));
}

static quantity parse_power(parser *p)
{
    quantity pair[2] = {parse_primary(p), quantity_unknown()};
    if (p->wrong || !take(p, "**")) return pair[0];
    pair[1] = parse_primary(p);
    return quantity_power(p->t, pair, 2);
}

static quantity parse_factor(parser *p)
{
    if (++p->depth > DEEPEST) return fail(p, "the expression is nested too deeply");
    quantity q;
    if (take(p, "-")) {
        q = parse_factor(p);
        q = quantity_negate(p->t, &q, 1);
    } else {
        q = parse_power(p);
    }
    p->depth--;
    return q;
}

static quantity parse_product(parser *p)
{
    quantity pair[2] = {parse_factor(p), quantity_unknown()};
    while (!p->wrong) {
        quantity_function *f = take(p, "//")  ? quantity_floordiv
                               : take(p, "*") ? quantity_multiply
                               : take(p, "%") ? quantity_mod
                               : take(p, "/") ? quantity_rational
                                              : NULL;
        if (!f) break;
        pair[1] = parse_factor(p);
        pair[0] = f(p->t, pair, 2);
    }
    return pair[0];
}

static quantity parse_sum(parser *p)
{
    quantity pair[2] = {parse_product(p), quantity_unknown()};
    while (!p->wrong) {
        bool plus = take(p, "+");
        if (!plus && !take(p, "-")) break;
        pair[1] = parse_product(p);
        if (!plus) pair[1] = quantity_negate(p->t, &pair[1], 1);
        pair[0] = quantity_add(p->t, pair, 2);
    }
    return pair[0];
}

/* The whole text. NULL when it is an expression, otherwise what is wrong. */
static const char *parse_text(reader *r, const char *source, bool only_known, quantity *out)
{
    parser p = {.r = r, .t = r->symbols, .at = source, .only_known = only_known};
    *out = parse_sum(&p);
    skip_space(&p);
    if (!p.wrong && *p.at) p.wrong = "there is text behind the expression";
    if (!p.wrong && (!quantity_is_int(p.t, out) || out->is_float)) *out = quantity_unknown();
    return p.wrong;
}

/* ---- what the reader asks for ---- */

static fe_status find_expression(reader *r, json_at *at, const char *source, uint32_t *index)
{
    source = intern(r->session, source);
    *index = map_get(&r->expressions, MAP_KEY(source));
    if (*index != MAP_NONE) return FE_OK;
    quantity q;
    const char *wrong = parse_text(r, source, false, &q);
    if (wrong)
        return json_fail(at, FE_CORRUPT, NULL, "'%.200s' is no expression: %s", source, wrong);
    *index = r->expression_values.count;
    map_set(r->memory, &r->expressions, MAP_KEY(source), *index);
    vec_push(r->memory, &r->expression_values, q.expr);
    return FE_OK;
}

fe_status symbolic_parse(reader *r, json_at *at, const char *source, sym_expr *out)
{
    uint32_t i;
    FE_TRY(find_expression(r, at, source, &i));
    *out = r->expression_values.at[i];
    return FE_OK;
}

fe_status symbolic_int(reader *r, json_at *at, const char *source, sym_expr *out)
{
    uint32_t i;
    FE_TRY(find_expression(r, at, source, &i));
    *out = r->expression_values.at[i];
    if (sym_is_none(*out)) *out = stand_in(r, intern(r->session, source));
    return FE_OK;
}

void symbolic_is_size(reader *r, sym_expr e)
{
    if (sym_op_of(r->symbols, e) != SYM_SYMBOL) return;
    bool is_size = sym_kind_of(r->symbols, e) == SYM_SIZE;
    for (uint32_t i = 0; i < r->stand_in_values.count && !is_size; i++)
        is_size = sym_same(r->stand_in_values.at[i], e);
    if (is_size) sym_set_range(r->symbols, e, 0, SYM_NO_MAX);
}

/* ---- ranges ---- */

static fe_status read_range(json_at *constraint, int64_t *min, int64_t *max)
{
    json_at bound;
    *min = SYM_NO_MIN;
    *max = SYM_NO_MAX;
    if (json_find(constraint, "min_val", &bound)) FE_TRY(json_int(&bound, min));
    if (json_find(constraint, "max_val", &bound)) FE_TRY(json_int(&bound, max));
    if (*min > *max)
        return json_fail(constraint, FE_CORRUPT, NULL,
                         "no number is at least %lld and at most %lld", (long long)*min,
                         (long long)*max);
    return FE_OK;
}

fe_status ranges_read(reader *r, json_at *constraints)
{
    json_at constraint;
    json_walk walk;
    FE_TRY(json_walk_object(constraints, &walk));
    while (json_next(&walk, &constraint)) {
        fx_range range = {0};
        const char *name;
        FE_TRY(json_key(&constraint, &name));
        FE_TRY(read_range(&constraint, &range.min, &range.max));
        if (!is_letter(*name) || *word_end(name)) continue; /* an expression: ranges_keep() */
        range.min = asked_minimum(name, range.min);
        map_set(r->memory, &r->ranges, MAP_KEY(name), r->symbol_ranges.count);
        vec_push(r->memory, &r->symbol_ranges, range);
        if (is_unbacked(name)) reserve_name(r, name);
    }
    return FE_OK;
}

/* {"as_expr": {"expr_str": "Symbol('s16', integer=True)"}} */
static fe_status open_number(reader *r, json_at *value)
{
    json_at e;
    const char *source;
    parser p = {.r = r};
    if (!json_find(value, "as_expr", &e)) return FE_OK;
    FE_TRY(json_name_of(&e, "expr_str", &source));
    p.at = source;
    if (!take(&p, "Symbol(") || !parse_string(&p, &source)) return FE_OK;
    uint32_t i = map_get(&r->ranges, MAP_KEY(source));
    if (i == MAP_NONE || is_unbacked(source)) return FE_OK;
    fx_range *range = &r->symbol_ranges.at[i];
    if (range->min <= TAKEN) range->min = SYM_NO_MIN;
    return FE_OK;
}

fe_status ranges_open_numbers(reader *r, json_at *graph)
{
    json_at inputs, values, input, number, value;
    json_walk walk;
    if (!json_find(graph, "inputs", &inputs) || !json_find(graph, "sym_int_values", &values))
        return FE_OK;
    FE_TRY(json_walk_array(&inputs, &walk));
    while (json_next(&walk, &input)) {
        const char *name;
        if (!json_find(&input, "as_sym_int", &number)) continue;
        if (!json_find(&number, "as_name", &value)) continue;
        FE_TRY(json_name(&value, &name));
        if (json_find(&values, name, &value)) FE_TRY(open_number(r, &value));
    }
    return FE_OK;
}

fe_status ranges_keep(reader *r, json_at *constraints, fx_graph *g)
{
    json_at constraint;
    json_walk walk;
    FE_TRY(json_walk_object(constraints, &walk));
    while (json_next(&walk, &constraint)) {
        fx_range range;
        quantity q;
        const char *name;
        FE_TRY(json_key(&constraint, &name));
        FE_TRY(read_range(&constraint, &range.min, &range.max));
        bool is_symbol = is_letter(*name) && !*word_end(name);
        if (is_symbol) {
            range.expr =
                sym_find_symbol(r->symbols, name); /* none when the program does not use it */
            if (!sym_is_none(range.expr) && !is_unbacked(name))
                sym_range(r->symbols, range.expr, NULL, &range.min, &range.max);
        } else {
            const char *wrong = parse_text(r, name, true, &q);
            if (wrong)
                return json_fail(&constraint, FE_CORRUPT, NULL, "'%.200s' is no expression: %s",
                                 name, wrong);
            range.expr = q.expr;
        }
        if (!sym_is_none(range.expr)) vec_push(g->memory, &g->ranges, range);
    }
    return FE_OK;
}
