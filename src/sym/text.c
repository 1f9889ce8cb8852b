/* text.c -- expressions as text: `4*s0 + 1`, `(i0 + 3) // 8`, `min(s0, 4)`, `s0 <= 8 && !(a || b)`.
 *
 * From loose to tight: ||, &&, comparisons, + and -, * and // and %, unary minus and !. The
 * printer puts parentheses around every compound operand of // and %. The lexer makes a minus and
 * the digit after it one number, so after an operand such a number counts as a subtraction.
 */
#include "sym/sym_priv.h"

#include <inttypes.h>
#include <string.h>

/* ---- printing ---- */

typedef enum level {
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_COMPARE,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_ATOM
} level;

static const struct {
    const char *text;
    level level;
} OPERATORS[] = {
    [SYM_ADD] = {" + ", LEVEL_SUM},           [SYM_MUL] = {"*", LEVEL_PRODUCT},
    [SYM_FLOORDIV] = {" // ", LEVEL_PRODUCT}, [SYM_MOD] = {" % ", LEVEL_PRODUCT},
    [SYM_EQ] = {" == ", LEVEL_COMPARE},       [SYM_NE] = {" != ", LEVEL_COMPARE},
    [SYM_LT] = {" < ", LEVEL_COMPARE},        [SYM_LE] = {" <= ", LEVEL_COMPARE},
    [SYM_AND] = {" && ", LEVEL_AND},          [SYM_OR] = {" || ", LEVEL_OR},
};

static void print_at(const sym_table *t, sym_expr e, level least, text *out);

static void print_product(const sym_table *t, sym_expr e, bool drop_sign, text *out)
{
    uint32_t count = sym_arg_count(t, e);
    int64_t first;
    uint32_t from = 0;
    if (sym_is_int(t, sym_arg(t, e, 0), &first)) {
        from = 1;
        if (first == -1)
            text_add(out, drop_sign ? "" : "-");
        else
            text_printf(out, "%" PRId64 "*", drop_sign ? -first : first);
    }
    for (uint32_t i = from; i < count; i++) {
        if (i > from) text_char(out, '*');
        sym_expr factor = sym_arg(t, e, i);
        bool opaque = sym_op_of(t, factor) == SYM_MUL;
        print_at(t, factor, opaque || sym_op_of(t, factor) > SYM_MUL ? LEVEL_ATOM : LEVEL_PRODUCT,
                 out);
    }
}

/* Can the term be written as " - " and its opposite? */
static bool is_negative_term(const sym_table *t, sym_expr e)
{
    int64_t value;
    if (sym_op_of(t, e) == SYM_MUL) return is_negative_term(t, sym_arg(t, e, 0));
    return sym_is_int(t, e, &value) && value < 0 && value != INT64_MIN;
}

static void print_sum(const sym_table *t, sym_expr e, text *out)
{
    for (uint32_t i = 0; i < sym_arg_count(t, e); i++) {
        sym_expr term = sym_arg(t, e, i);
        int64_t value;
        bool minus = i > 0 && is_negative_term(t, term);
        if (i > 0) text_add(out, minus ? " - " : " + ");
        if (sym_op_of(t, term) == SYM_MUL)
            print_product(t, term, minus, out);
        else if (sym_is_int(t, term, &value))
            text_printf(out, "%" PRId64, minus ? -value : value);
        else
            print_at(t, term, LEVEL_PRODUCT, out);
    }
}

static void print_call(const sym_table *t, sym_expr e, text *out)
{
    sym_op op = sym_op_of(t, e);
    sym_expr a = sym_arg(t, e, 0);
    text_add(out, op == SYM_MIN ? "min(" : op == SYM_MAX ? "max(" : "!(");
    if (op == SYM_NOT) {
        print_at(t, a, LEVEL_OR, out);
    } else {
        /* The nest that min(min(a, b), c) is reads as min(a, b, c). */
        sym_expr chain[64];
        uint32_t count = 0;
        for (; sym_op_of(t, a) == op && count < COUNT_OF(chain); a = sym_arg(t, a, 0))
            chain[count++] = sym_arg(t, a, 1);
        print_at(t, a, LEVEL_OR, out);
        for (; count > 0; count--) {
            text_add(out, ", ");
            print_at(t, chain[count - 1], LEVEL_OR, out);
        }
        text_add(out, ", ");
        print_at(t, sym_arg(t, e, 1), LEVEL_OR, out);
    }
    text_char(out, ')');
}

static void print_binary(const sym_table *t, sym_expr e, text *out)
{
    sym_op op = sym_op_of(t, e);
    level own = OPERATORS[op].level;
    /* Operands of // and % are always atoms, those of && and || may be the same operation on the
     * left. */
    level operand = own == LEVEL_PRODUCT ? LEVEL_ATOM : own + 1;
    print_at(t, sym_arg(t, e, 0), op == SYM_AND || op == SYM_OR ? own : operand, out);
    text_add(out, OPERATORS[op].text);
    print_at(t, sym_arg(t, e, 1), operand, out);
}

/* e, in parentheses when it binds looser than `least`. */
static void print_at(const sym_table *t, sym_expr e, level least, text *out)
{
    int64_t value;
    sym_op op = sym_op_of(t, e);
    if (sym_is_int(t, e, &value)) {
        bool guard = value < 0 && least > LEVEL_SUM;
        text_printf(out, guard ? "(%" PRId64 ")" : "%" PRId64, value);
        return;
    }
    if (op == SYM_SYMBOL) {
        text_add(out, sym_name(t, e));
        return;
    }
    if (op == SYM_MIN || op == SYM_MAX || op == SYM_NOT) {
        print_call(t, e, out);
        return;
    }
    bool guard = OPERATORS[op].level < least;
    if (guard) text_char(out, '(');
    if (op == SYM_ADD)
        print_sum(t, e, out);
    else if (op == SYM_MUL)
        print_product(t, e, false, out);
    else
        print_binary(t, e, out);
    if (guard) text_char(out, ')');
}

void sym_print(const sym_table *t, sym_expr e, text *out)
{
    if (sym_is_none(e))
        text_add(out, "none");
    else
        print_at(t, e, LEVEL_OR, out);
}

/* ---- C ---- */

static bool is_nonnegative(const sym_table *t, sym_expr e)
{
    return sym_interval_of(t, e, NULL).min >= 0;
}

static void print_c_list(const sym_table *t, sym_expr e, const char *between, text *out)
{
    for (uint32_t i = 0; i < sym_arg_count(t, e); i++) {
        if (i > 0) text_add(out, between);
        sym_print_c(t, sym_arg(t, e, i), out);
    }
}

/* C's own division where neither operand is negative and the divisor is not 0, fe_floordiv and
 * fe_mod elsewhere. */
static void print_c_division(const sym_table *t, sym_expr e, text *out)
{
    bool floordiv = sym_op_of(t, e) == SYM_FLOORDIV;
    bool plain =
        is_nonnegative(t, sym_arg(t, e, 0)) && sym_interval_of(t, sym_arg(t, e, 1), NULL).min > 0;
    text_add(out, plain ? "(" : floordiv ? "fe_floordiv(" : "fe_mod(");
    print_c_list(t, e, !plain ? ", " : floordiv ? " / " : " % ", out);
    text_char(out, ')');
}

static void print_c_saturated(const sym_table *t, sym_expr e, text *out)
{
    uint32_t count = sym_arg_count(t, e);
    for (uint32_t i = 1; i < count; i++)
        text_add(out, sym_op_of(t, e) == SYM_MUL ? "fe_times(" : "fe_plus(");
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) text_add(out, ", ");
        sym_print_c_size(t, sym_arg(t, e, i), out);
        if (i > 0) text_char(out, ')');
    }
}

void sym_print_c_size(const sym_table *t, sym_expr e, text *out)
{
    sym_op op = sym_op_of(t, e);
    bool calls = op == SYM_MIN || op == SYM_MAX || op == SYM_FLOORDIV;
    if (!calls) {
        if (op == SYM_ADD || op == SYM_MUL)
            print_c_saturated(t, e, out);
        else
            sym_print_c(t, e, out);
        return;
    }
    text_add(out, op == SYM_MIN ? "fe_min(" : op == SYM_MAX ? "fe_max(" : "fe_over(");
    sym_print_c_size(t, sym_arg(t, e, 0), out);
    text_add(out, ", ");
    sym_print_c_size(t, sym_arg(t, e, 1), out);
    text_char(out, ')');
}

void sym_print_c(const sym_table *t, sym_expr e, text *out)
{
    int64_t value;
    sym_op op = sym_op_of(t, e);
    switch (op) {
    case SYM_CONST:
        sym_is_int(t, e, &value);
        if (value == INT64_MIN)
            text_printf(out, "(-%" PRId64 "LL - 1)", INT64_MAX);
        else
            text_printf(out, "%s%" PRId64 "%s%s", value < 0 ? "(" : "", value,
                        value > INT32_MAX || value < INT32_MIN ? "LL" : "", value < 0 ? ")" : "");
        return;
    case SYM_SYMBOL: text_add(out, sym_name(t, e)); return;
    case SYM_FLOORDIV:
    case SYM_MOD: print_c_division(t, e, out); return;
    case SYM_MIN:
    case SYM_MAX:
        text_add(out, op == SYM_MIN ? "fe_min(" : "fe_max(");
        print_c_list(t, e, ", ", out);
        break;
    case SYM_NOT:
        text_add(out, "(!");
        print_c_list(t, e, "", out);
        break;
    default:
        text_char(out, '(');
        print_c_list(t, e, op == SYM_MUL ? " * " : OPERATORS[op].text, out);
        break;
    }
    text_char(out, ')');
}

/* ---- Python ---- */

static void print_python_list(const sym_table *t, sym_expr e, const char *between, text *out)
{
    for (uint32_t i = 0; i < sym_arg_count(t, e); i++) {
        if (i > 0) text_add(out, between);
        sym_print_python(t, sym_arg(t, e, i), out);
    }
}

void sym_print_python(const sym_table *t, sym_expr e, text *out)
{
    static const char *const WORDS[] = {[SYM_AND] = " and ", [SYM_OR] = " or "};
    sym_op op = sym_op_of(t, e);
    bool divides = op == SYM_FLOORDIV || op == SYM_MOD;
    bool plain = divides && sym_interval_of(t, sym_arg(t, e, 1), NULL).min > 0;
    if (op == SYM_CONST || op == SYM_SYMBOL) {
        print_at(t, e, LEVEL_ATOM, out);
        return;
    }
    if (divides && !plain) text_add(out, op == SYM_MOD ? "rt.mod" : "rt.div");
    if (op == SYM_MIN || op == SYM_MAX) text_add(out, op == SYM_MIN ? "min" : "max");
    text_add(out, op == SYM_NOT ? "(not " : "(");
    print_python_list(t, e,
                      (divides && !plain) || op == SYM_MIN || op == SYM_MAX ? ", "
                      : op == SYM_MUL                                       ? " * "
                      : op == SYM_AND || op == SYM_OR                       ? WORDS[op]
                                                                            : OPERATORS[op].text,
                      out);
    text_char(out, ')');
}

void sym_print_python_relation(const sym_table *t, const sym_relation *r, text *out)
{
    sym_print_python(t, r->left, out);
    text_add(out, OPERATORS[r->op].text);
    sym_print_python(t, r->right, out);
}

/* ---- parsing ---- */

enum { DEEPEST = 1200, DEEPEST_NODE = 2000 };

typedef struct parser {
    sym_table *table;
    lexer *lx;
    int depth;
} parser;

static fe_status parse_level(parser *p, level at, sym_expr *out);

sym_kind sym_kind_of_name(const char *name)
{
    bool numbered = name[0] && name[1] && strspn(name + 1, "0123456789") == strlen(name + 1);
    if (numbered && *name == 'u') return SYM_UNBACKED;
    return numbered && (*name == 'i' || *name == 'r') ? SYM_INDEX : SYM_SIZE;
}

static sym_expr symbol_of_name(sym_table *t, const char *name)
{
    sym_expr known = sym_find_symbol(t, name);
    if (!sym_is_none(known)) return known;
    sym_kind kind = sym_kind_of_name(name);
    return sym_symbol(t, name, kind, kind == SYM_UNBACKED ? SYM_NO_MIN : 0, SYM_NO_MAX);
}

static fe_status parse_call(parser *p, sym_op op, sym_expr *out)
{
    FE_TRY(parse_level(p, LEVEL_OR, out));
    while (lex_take(p->lx, ",")) {
        sym_expr next;
        FE_TRY(parse_level(p, LEVEL_OR, &next));
        *out = sym_extreme_in(p->table, op, *out, next, NULL);
    }
    return lex_expect(p->lx, ")");
}

static fe_status parse_atom(parser *p, sym_expr *out)
{
    lexer *lx = p->lx;
    if (lx->token.kind == LEX_INT) {
        int64_t value;
        FE_TRY(lex_int(lx, &value));
        *out = sym_int(p->table, value);
        return FE_OK;
    }
    if (lx->token.kind == LEX_NAME) {
        const char *name;
        FE_TRY(lex_name(lx, &name));
        bool is_min = strcmp(name, "min") == 0;
        bool call = (is_min || strcmp(name, "max") == 0) && lex_take(lx, "(");
        if (call) return parse_call(p, is_min ? SYM_MIN : SYM_MAX, out);
        *out = symbol_of_name(p->table, name);
        return FE_OK;
    }
    if (lex_take(lx, "(")) {
        FE_TRY(parse_level(p, LEVEL_OR, out));
        return lex_expect(lx, ")");
    }
    bool minus = lex_take(lx, "-");
    if (!minus && !lex_take(lx, "!")) return lex_fail(lx, "expected an integer expression");
    FE_TRY(parse_level(p, LEVEL_ATOM, out));
    *out = minus ? sym_mul_int(p->table, *out, -1) : sym_not(p->table, *out);
    return FE_OK;
}

typedef enum operator{
    NO_OPERATOR,
    ADD_TO,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    MODULO,
    EQUAL,
    NOT_EQUAL,
    LESS,
    LESS_EQUAL,
    GREATER,
    GREATER_EQUAL,
    AND_ALSO,
    OR_ELSE
}
operator;

/* The operator of this level at the lexer, stepped over. */
static operator take_operator(lexer *lx, level at)
{
    static const struct {
        const char *text;
        level level;
        operator op;
    } TOKENS[] = {
        {"||", LEVEL_OR, OR_ELSE},      {"&&", LEVEL_AND, AND_ALSO},
        {"==", LEVEL_COMPARE, EQUAL},   {"!=", LEVEL_COMPARE, NOT_EQUAL},
        {"<", LEVEL_COMPARE, LESS},     {"<=", LEVEL_COMPARE, LESS_EQUAL},
        {">", LEVEL_COMPARE, GREATER},  {">=", LEVEL_COMPARE, GREATER_EQUAL},
        {"+", LEVEL_SUM, ADD_TO},       {"-", LEVEL_SUM, SUBTRACT},
        {"*", LEVEL_PRODUCT, MULTIPLY}, {"//", LEVEL_PRODUCT, DIVIDE},
        {"%", LEVEL_PRODUCT, MODULO},
    };
    bool number = lx->token.kind == LEX_INT;
    if (at == LEVEL_SUM && number && lx->token.text[0] == '-' && lx->token.integer != INT64_MIN) {
        lx->token.integer = -lx->token.integer; /* "a -1" is a subtraction */
        return SUBTRACT;
    }
    if (lx->token.kind != LEX_PUNCT) return NO_OPERATOR;
    for (size_t i = 0; i < COUNT_OF(TOKENS); i++)
        if (TOKENS[i].level == at && lex_take(lx, TOKENS[i].text)) return TOKENS[i].op;
    return NO_OPERATOR;
}

static sym_expr combine(sym_table *t, operator op, sym_expr a, sym_expr b)
{
    switch (op) {
    case ADD_TO: return sym_add(t, a, b);
    case SUBTRACT: return sym_sub(t, a, b);
    case MULTIPLY: return sym_mul(t, a, b);
    case DIVIDE: return sym_floordiv(t, a, b);
    case MODULO: return sym_mod(t, a, b);
    case EQUAL: return sym_compare(t, SYM_EQ, a, b);
    case NOT_EQUAL: return sym_compare(t, SYM_NE, a, b);
    case LESS: return sym_compare(t, SYM_LT, a, b);
    case LESS_EQUAL: return sym_compare(t, SYM_LE, a, b);
    case GREATER: return sym_compare(t, SYM_LT, b, a);
    case GREATER_EQUAL: return sym_compare(t, SYM_LE, b, a);
    case AND_ALSO: return sym_compare(t, SYM_AND, a, b);
    case OR_ELSE: return sym_compare(t, SYM_OR, a, b);
    default: BUG(t->session, "operator %d", (int)op);
    }
}

static fe_status parse_level(parser *p, level at, sym_expr *out)
{
    if (p->depth >= DEEPEST) return lex_fail(p->lx, "the expression is nested too deeply");
    p->depth++;
    FE_TRY(at == LEVEL_ATOM ? parse_atom(p, out) : parse_level(p, at + 1, out));
    for (operator op; at < LEVEL_ATOM && (op = take_operator(p->lx, at)) != NO_OPERATOR;) {
        sym_expr right;
        FE_TRY(parse_level(p, at + 1, &right));
        *out = combine(p->table, op, *out, right);
        if (sym_node_of(p->table, *out)->depth > DEEPEST_NODE)
            return lex_fail(p->lx, "the expression is nested too deeply");
    }
    p->depth--;
    return FE_OK;
}

fe_status sym_parse(sym_table *t, lexer *lx, sym_expr *out)
{
    parser p = {.table = t, .lx = lx};
    return parse_level(&p, LEVEL_OR, out);
}

/* ---- relations ---- */

void sym_print_relation(const sym_table *t, const sym_relation *r, text *out)
{
    int64_t value;
    bool bare = r->op == SYM_NE && sym_is_int(t, r->right, &value) && value == 0;
    print_at(t, r->left, LEVEL_SUM, out);
    if (bare) return;
    text_add(out, OPERATORS[r->op].text);
    print_at(t, r->right, LEVEL_SUM, out);
}

void sym_print_c_relation(const sym_table *t, const sym_relation *r, text *out)
{
    sym_print_c(t, r->left, out);
    text_add(out, OPERATORS[r->op].text);
    sym_print_c(t, r->right, out);
}

fe_status sym_parse_relation(sym_table *t, lexer *lx, sym_relation *out)
{
    static const struct {
        operator is;
        sym_op op;
        bool swapped;
    } RELATIONS[] = {
        {EQUAL, SYM_EQ, false},      {NOT_EQUAL, SYM_NE, false}, {LESS, SYM_LT, false},
        {LESS_EQUAL, SYM_LE, false}, {GREATER, SYM_LT, true},    {GREATER_EQUAL, SYM_LE, true},
    };
    parser p = {.table = t, .lx = lx};
    lexer start = *lx;
    *out = (sym_relation){.op = SYM_NE, .right = t->zero};
    FE_TRY(parse_level(&p, LEVEL_SUM, &out->left));
    operator found = take_operator(lx, LEVEL_COMPARE);
    if (found != NO_OPERATOR) FE_TRY(parse_level(&p, LEVEL_SUM, &out->right));
    if (lex_is(lx, "&&") || lex_is(lx, "||")) { /* a predicate of several comparisons */
        *lx = start;
        out->right = t->zero;
        return sym_parse(t, lx, &out->left);
    }
    for (size_t i = 0; i < COUNT_OF(RELATIONS); i++) {
        if (RELATIONS[i].is != found) continue;
        out->op = RELATIONS[i].op;
        sym_expr left = out->left;
        if (RELATIONS[i].swapped) {
            out->left = out->right;
            out->right = left;
        }
    }
    return FE_OK;
}
