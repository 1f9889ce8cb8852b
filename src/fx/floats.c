/* floats.c -- what an export says in expressions over floats becomes calls that compute it.
 *
 * Sizes that no node gives, TruncToInt(Mul(Float('1.7'), ToFloat(Symbol('s0')))) as an upsampling by 1.7
 * records it, and guards, 0.37*torch.sym_float(L['x'].size()[0]) == 2.22, which are asserted. Either notation
 * is read; what holds anything else is left out, whole.
 */
#include "fx/fx.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST_FLOAT = 100 };

typedef struct float_reader {
    fx_graph *g;
    arena *memory;
    fx_node *before;
    const char *at;
    uint32_t depth;
    bool only_reads; /* makes no calls yet */
    bool failed;
} float_reader;

static fx_arg read_or(float_reader *f);

static fx_arg fail(float_reader *f)
{
    f->failed = true;
    return fx_int(f->g, 0);
}

static bool is_real(const fx_arg *a)
{
    return a->kind == FX_ARG_FLOAT || (a->kind == FX_ARG_NODE && a->node->value.kind == FX_FLOAT);
}

/* Of a number that only the run knows; inference says more. */
static fx_value_kind kind_of(op_id op, const fx_arg *args, uint32_t count)
{
    switch (op) {
    case OP_math_trunc:
    case OP_math_floor:
    case OP_math_ceil:
    case OP_builtins_round: return FX_INT;
    case OP_operator_eq:
    case OP_operator_ne:
    case OP_operator_lt:
    case OP_operator_le:
    case OP_operator_gt:
    case OP_operator_ge:
    case OP_operator_and:
    case OP_operator_or:
    case OP_torch_sym_not: return FX_BOOL;
    case OP_torch_sym_float:
    case OP_operator_truediv:
    case OP_math_sqrt:
    case OP_math_log2:
    case OP_math_exp: return FX_FLOAT;
    default: return is_real(&args[0]) || (count > 1 && is_real(&args[1])) ? FX_FLOAT : FX_INT;
    }
}

static fx_arg emit(float_reader *f, op_id op, fx_arg a, fx_arg b, uint32_t count)
{
    const fx_arg args[] = {a, b};
    if (f->failed || f->only_reads) return a;
    fx_node *made = fx_emit(f->g, f->before, op, f->before, count, args);
    made->value.kind = kind_of(op, args, count);
    return fx_of(made);
}

static fx_arg one(float_reader *f, op_id op, fx_arg a)
{
    return emit(f, op, a, fx_none(), 1);
}

static fx_arg two(float_reader *f, op_id op, fx_arg a, fx_arg b)
{
    return emit(f, op, a, b, 2);
}

static bool is_in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           (c >= '0' && c <= '9');
}

static bool take(float_reader *f, const char *sign)
{
    size_t length = strlen(sign);
    f->at += strspn(f->at, " \n\t");
    bool is_word = is_in_word(sign[length - 1]);
    if (strncmp(f->at, sign, length) != 0 || (is_word && is_in_word(f->at[length]))) return false;
    f->at += length;
    return true;
}

/* ---- primaries ---- */

static fx_arg read_number(float_reader *f)
{
    char *end;
    double number = strtod(f->at, &end);
    size_t digits = strspn(f->at, "0123456789");
    bool is_int = digits && digits == (size_t)(end - f->at) && digits < 19;
    fx_arg value = is_int ? fx_int(f->g, strtoll(f->at, NULL, 10)) : fx_float(number);
    if (end == f->at) return fail(f);
    f->at = end;
    return value;
}

/* 's0', positive=True, integer=True) and '1.7', precision=53) */
static fx_arg read_quoted(float_reader *f, bool is_symbol)
{
    const char *start = f->at + 1, *end = *f->at == '\'' ? strchr(start, '\'') : NULL;
    const char *close = end ? strchr(end, ')') : NULL;
    if (!close) return fail(f);
    const char *word = intern_n(f->g->session, start, (size_t)(end - start));
    f->at = close + 1;
    if (!is_symbol) return fx_float(strtod(word, NULL));
    sym_expr symbol = sym_find_symbol(f->g->symbols, word);
    bool is_known = !sym_is_none(symbol) && sym_kind_of(f->g->symbols, symbol) == SYM_SIZE;
    return is_known ? fx_expr(symbol) : fail(f);
}

/* Calls of any number of arguments are calls of two. */
static const struct float_function {
    const char *name;
    op_id op;
    bool is_unary;
} FUNCTIONS[] = {
    {"torch.sym_float", OP_torch_sym_float, true},
    {"ToFloat", OP_torch_sym_float, true},
    {"math.trunc", OP_math_trunc, true},
    {"TruncToInt", OP_math_trunc, true},
    {"math.floor", OP_math_floor, true},
    {"FloorToInt", OP_math_floor, true},
    {"floor", OP_math_floor, true},
    {"math.ceil", OP_math_ceil, true},
    {"CeilToInt", OP_math_ceil, true},
    {"ceiling", OP_math_ceil, true},
    {"round", OP_builtins_round, true},
    {"RoundToInt", OP_builtins_round, true},
    {"math.sqrt", OP_math_sqrt, true},
    {"torch._sym_sqrt", OP_math_sqrt, true},
    {"OpaqueUnaryFn_sqrt", OP_math_sqrt, true},
    {"OpaqueUnaryFn_log2", OP_math_log2, true},
    {"OpaqueUnaryFn_exp", OP_math_exp, true},
    {"math.log2", OP_math_log2, true},
    {"math.exp", OP_math_exp, true},
    {"abs", OP_operator_abs, true},
    {"Abs", OP_operator_abs, true},
    {"Mul", OP_operator_mul, false},
    {"Add", OP_operator_add, false},
    {"max", OP_torch_sym_max, false},
    {"Max", OP_torch_sym_max, false},
    {"torch.sym_max", OP_torch_sym_max, false},
    {"min", OP_torch_sym_min, false},
    {"Min", OP_torch_sym_min, false},
    {"torch.sym_min", OP_torch_sym_min, false},
    {"FloatTrueDiv", OP_operator_truediv, false},
    {"IntTrueDiv", OP_operator_truediv, false},
    {"FloorDiv", OP_operator_floordiv, false},
    {"PythonMod", OP_operator_mod, false},
    {"Mod", OP_operator_mod, false},
    {"FloatPow", OP_operator_pow, false},
    {"PowByNatural", OP_operator_pow, false},
    {"Pow", OP_operator_pow, false},
};

static fx_arg apply(float_reader *f, const struct float_function *function)
{
    fx_arg value = read_or(f);
    bool has_two = false;
    if (function->is_unary) {
        if (take(f, ",")) return fail(f);
        value = one(f, function->op, value);
    }
    while (!f->failed && take(f, ",")) {
        value = two(f, function->op, value, read_or(f));
        has_two = true;
    }
    bool ends = take(f, ")");
    return ends && has_two == !function->is_unary ? value : fail(f);
}

static fx_arg read_call(float_reader *f)
{
    const char *name = f->at;
    while (is_in_word(*f->at)) f->at++;
    size_t length = (size_t)(f->at - name);
    if (length == 0 || !take(f, "(")) return fail(f);
    if (length == 6 && memcmp(name, "Symbol", 6) == 0) return read_quoted(f, true);
    if (length == 5 && memcmp(name, "Float", 5) == 0) return read_quoted(f, false);
    if (length == 7 && memcmp(name, "Integer", 7) == 0) {
        fx_arg value = take(f, "-") ? one(f, OP_operator_neg, read_number(f)) : read_number(f);
        return take(f, ")") ? value : fail(f);
    }
    for (size_t i = 0; i < COUNT_OF(FUNCTIONS); i++)
        if (strlen(FUNCTIONS[i].name) == length && memcmp(FUNCTIONS[i].name, name, length) == 0)
            return apply(f, &FUNCTIONS[i]);
    return fail(f);
}

static fx_arg read_primary(float_reader *f)
{
    sym_expr size;
    f->at += strspn(f->at, " \n\t");
    if (*f->at >= '0' && *f->at <= '9') return read_number(f);
    if (f->at[0] == 'L' && f->at[1] == '[')
        return fx_guard_input(f->g, f->memory, &f->at, &size) ? fx_expr(size) : fail(f);
    if (!take(f, "(")) return read_call(f);
    fx_arg inner = read_or(f);
    return take(f, ")") ? inner : fail(f);
}

/* ---- arithmetic and relations, in Python's order ---- */

static fx_arg read_factor(float_reader *f)
{
    if (++f->depth > DEEPEST_FLOAT) return fail(f);
    bool is_negative = take(f, "-");
    fx_arg value = is_negative ? read_factor(f) : read_primary(f);
    if (!is_negative && take(f, "**")) value = two(f, OP_operator_pow, value, read_factor(f));
    f->depth--;
    return is_negative ? one(f, OP_operator_neg, value) : value;
}

static fx_arg read_product(float_reader *f)
{
    fx_arg value = read_factor(f);
    while (!f->failed) {
        op_id op = take(f, "//")  ? OP_operator_floordiv
                   : take(f, "/") ? OP_operator_truediv
                   : take(f, "*") ? OP_operator_mul
                   : take(f, "%") ? OP_operator_mod
                                  : OP_operator_pos;
        if (op == OP_operator_pos) break;
        value = two(f, op, value, read_factor(f));
    }
    return value;
}

static fx_arg read_sum(float_reader *f)
{
    fx_arg value = read_product(f);
    while (!f->failed) {
        bool plus = take(f, "+");
        if (!plus && !take(f, "-")) break;
        value = two(f, plus ? OP_operator_add : OP_operator_sub, value, read_product(f));
    }
    return value;
}

static fx_arg read_comparison(float_reader *f)
{
    static const struct {
        const char *sign;
        op_id op;
    } SIGNS[] = {{"==", OP_operator_eq}, {"!=", OP_operator_ne}, {"<=", OP_operator_le},
                 {">=", OP_operator_ge}, {"<", OP_operator_lt},  {">", OP_operator_gt}};
    fx_arg left = read_sum(f), all = left;
    bool is_first = true;
    for (size_t i = 0; i < COUNT_OF(SIGNS) && !f->failed; i++) {
        if (!take(f, SIGNS[i].sign)) continue;
        fx_arg right = read_sum(f), holds = two(f, SIGNS[i].op, left, right);
        all = is_first ? holds : two(f, OP_operator_and, all, holds);
        is_first = false;
        left = right;
        i = (size_t)-1; /* a < b < c */
    }
    return all;
}

static fx_arg read_not(float_reader *f)
{
    return take(f, "not") ? one(f, OP_torch_sym_not, read_not(f)) : read_comparison(f);
}

static fx_arg read_and(float_reader *f)
{
    fx_arg value = read_not(f);
    while (!f->failed && take(f, "and")) value = two(f, OP_operator_and, value, read_not(f));
    return value;
}

static fx_arg read_or(float_reader *f)
{
    if (++f->depth > DEEPEST_FLOAT) return fail(f);
    fx_arg value = read_and(f);
    while (!f->failed && take(f, "or")) value = two(f, OP_operator_or, value, read_and(f));
    f->depth--;
    return value;
}

/* ---- what is said ---- */

fx_node *fx_first_call(const fx_graph *g)
{
    fx_node *n = g->first;
    while (n && n->kind == FX_PLACEHOLDER) n = n->next;
    return n;
}

bool fx_write_floats(fx_graph *g, fx_node *before, const char *source, fx_arg *out)
{
    for (int turn = 0; turn < 2; turn++) {
        float_reader f = {
            .g = g, .memory = g->memory, .before = before, .at = source, .only_reads = turn == 0};
        *out = read_or(&f);
        f.at += strspn(f.at, " \n\t");
        if (f.failed || *f.at) return false;
    }
    return out->kind == FX_ARG_NODE;
}

/* L['x'].size()[0] as x.size()[0] */
static const char *guard_message(fx_graph *g, const char *guard)
{
    text out;
    text_init(&out, g->memory);
    text_add(&out, "the program was exported for inputs with ");
    for (const char *end; *guard;) {
        end = strncmp(guard, "L['", 3) == 0 ? strstr(guard, "']") : NULL;
        if (end) text_add_n(&out, guard + 3, (size_t)(end - guard - 3));
        if (!end) text_char(&out, *guard);
        guard = end ? end + 2 : guard + 1;
    }
    return out.at;
}

void fx_write_float_guards(fx_graph *g, fx_node *before)
{
    fx_relation_list relations = {0};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < g->guards.count; i++) {
        const char *guard = g->guards.at[i];
        fx_arg made;
        bool is_left = fx_guard_relations(g, guard, g->memory, &relations) ||
                       !fx_write_floats(g, before, guard, &made);
        if (is_left) {
            g->guards.at[kept++] = guard;
            continue;
        }
        fx_arg args[] = {made, fx_string(guard_message(g, guard))};
        fx_emit(g, made.node->next, OP_aten__assert_scalar_default, before, 2, args);
    }
    g->guards.count = kept;
}
