/* subst.c -- substitution, linear parts, evaluation.
 *
 * Walks go over the graph of shared nodes, each node once: results are kept by node id, told apart
 * from those of earlier walks by a stamp.
 */
#include "sym/sym_priv.h"

enum { FEW = 32 };

/* ---- substitution ---- */

static sym_expr substitute(sym_table *t, sym_expr e, uint64_t symbols)
{
    if (!(sym_node_of(t, e)->symbols & symbols)) return e;
    sym_memo_entry *known = sym_memo_at(t, t->rewrites, e.id);
    if (known->stamp == t->rewrites->now) return (sym_expr){known->id};

    uint32_t count = sym_arg_count(t, e);
    sym_expr few[FEW];
    sym_expr *args = count <= FEW ? few : NEW_ARRAY(t->memory, sym_expr, count);
    bool changed = false;
    for (uint32_t i = 0; i < count; i++) {
        args[i] = substitute(t, sym_arg(t, e, i), symbols);
        changed |= args[i].id != sym_arg(t, e, i).id;
    }
    sym_expr result = changed ? sym_rebuild(t, sym_op_of(t, e), args, count, NULL) : e;
    known = sym_memo_at(t, t->rewrites, e.id);
    known->stamp = t->rewrites->now;
    known->id = result.id;
    return result;
}

sym_expr sym_substitute(sym_table *t, sym_expr e, const sym_expr *from, const sym_expr *to,
                        uint32_t count)
{
    uint64_t symbols = 0;
    for (uint32_t i = 0; i < count; i++) symbols |= sym_node_of(t, from[i])->symbols;
    if (!(sym_node_of(t, e)->symbols & symbols)) return e;
    t->rewrites->now++;
    for (uint32_t i = count; i-- > 0;) { /* backwards: of two for one symbol the first counts */
        sym_memo_entry *entry = sym_memo_at(t, t->rewrites, from[i].id);
        CHECK(t->session, sym_op_of(t, from[i]) == SYM_SYMBOL);
        entry->stamp = t->rewrites->now;
        entry->id = to[i].id;
    }
    return substitute(t, e, symbols);
}

/* ---- linear parts ---- */

bool sym_linear_in(sym_table *t, sym_expr e, sym_expr symbol, sym_expr *coefficient, sym_expr *rest)
{
    uint32_t power;
    return sym_power_in(t, e, symbol, &power, coefficient, rest) && power <= 1;
}

bool sym_power_in(sym_table *t, sym_expr e, sym_expr symbol, uint32_t *power, sym_expr *coefficient,
                  sym_expr *rest)
{
    uint64_t bit = sym_node_of(t, symbol)->symbols;
    *coefficient = t->zero;
    *rest = e;
    *power = 0;
    if (!(sym_node_of(t, e)->symbols & bit)) return true;
    sym_expr slope = t->zero;
    sym_expr others = t->zero;
    for (uint32_t i = 0; i < sym_term_count(t, e); i++) {
        sym_term term = sym_term_at(t, e, i);
        sym_expr product = term.product;
        uint32_t factors = 0;
        while (sym_divide_products(t, product, symbol, &product)) factors++;
        bool inside = (sym_node_of(t, product)->symbols & bit) && sym_contains(t, product, symbol);
        if (inside || (factors && *power && factors != *power)) return false;
        sym_expr part = sym_from_term(t, term.coefficient, product);
        if (factors) *power = factors;
        if (factors)
            slope = sym_add(t, slope, part);
        else
            others = sym_add(t, others, part);
    }
    *coefficient = slope;
    *rest = others;
    return true;
}

/* ---- evaluation ---- */

typedef struct evaluation {
    const sym_table *table;
    bool (*lookup)(void *data, sym_expr symbol, int64_t *value);
    void *data;
    uint32_t stamp;
} evaluation;

static bool evaluate(const evaluation *ev, sym_expr e, int64_t *value);

static bool divide(sym_op op, int64_t a, int64_t b, int64_t *value)
{
    if (b == 0 || (a == INT64_MIN && b == -1)) return false;
    int64_t rest = a % b;
    bool adjust = rest != 0 && (rest < 0) != (b < 0);
    *value = op == SYM_MOD ? rest + (adjust ? b : 0) : a / b - adjust;
    return true;
}

static bool apply(sym_op op, int64_t a, int64_t b, int64_t *value)
{
    switch (op) {
    case SYM_ADD: return !__builtin_add_overflow(a, b, value);
    case SYM_MUL: return !__builtin_mul_overflow(a, b, value);
    case SYM_FLOORDIV:
    case SYM_MOD: return divide(op, a, b, value);
    case SYM_MIN: *value = a < b ? a : b; return true;
    case SYM_MAX: *value = a > b ? a : b; return true;
    case SYM_EQ: *value = a == b; return true;
    case SYM_NE: *value = a != b; return true;
    case SYM_LT: *value = a < b; return true;
    case SYM_LE: *value = a <= b; return true;
    case SYM_AND: *value = a && b; return true;
    case SYM_OR: *value = a || b; return true;
    case SYM_NOT: *value = !a; return true;
    default: return false;
    }
}

static bool evaluate_args(const evaluation *ev, sym_expr e, int64_t *value)
{
    sym_op op = sym_op_of(ev->table, e);
    uint32_t count = sym_arg_count(ev->table, e);
    if (!evaluate(ev, sym_arg(ev->table, e, 0), value)) return false;
    if (count == 1) return apply(op, *value, 0, value);
    for (uint32_t i = 1; i < count; i++) {
        int64_t next;
        if (!evaluate(ev, sym_arg(ev->table, e, i), &next) || !apply(op, *value, next, value))
            return false;
    }
    return true;
}

static bool evaluate(const evaluation *ev, sym_expr e, int64_t *value)
{
    const sym_table *t = ev->table;
    if (sym_is_int(t, e, value)) return true;
    if (sym_op_of(t, e) == SYM_SYMBOL) return ev->lookup(ev->data, e, value);
    sym_memo_entry *known = sym_memo_at(t, t->values, e.id);
    if (known->stamp == ev->stamp) {
        *value = known->interval.min;
        return true;
    }
    if (!evaluate_args(ev, e, value)) return false;
    known = sym_memo_at(t, t->values, e.id);
    known->stamp = ev->stamp;
    known->interval.min = *value;
    return true;
}

bool sym_eval(const sym_table *t, sym_expr e,
              bool (*lookup)(void *data, sym_expr symbol, int64_t *value), void *data,
              int64_t *value)
{
    if (sym_is_none(e)) return false;
    evaluation ev = {.table = t, .lookup = lookup, .data = data, .stamp = ++t->values->now};
    return evaluate(&ev, e, value);
}

typedef struct hint_lookup {
    const sym_table *table;
    int64_t fallback;
} hint_lookup;

static bool look_up_hint(void *data, sym_expr symbol, int64_t *value)
{
    const hint_lookup *hints = data;
    const sym_symbol_data *known = sym_data(hints->table, symbol);
    *value = known->has_hint ? known->hint : hints->fallback;
    return true;
}

int64_t sym_hint(const sym_table *t, sym_expr e, int64_t fallback)
{
    hint_lookup hints = {t, fallback};
    int64_t value;
    return sym_eval(t, e, look_up_hint, &hints, &value) ? value : fallback;
}

static int64_t within_range(const sym_table *t, sym_expr symbol, int64_t value)
{
    int64_t least, most;
    sym_range(t, symbol, NULL, &least, &most);
    return value < least ? least : value > most ? most : value;
}

static bool look_up_usual(void *data, sym_expr symbol, int64_t *value)
{
    const sym_table *t = data;
    const sym_symbol_data *known = sym_data(t, symbol);
    *value = known->has_hint ? known->hint : within_range(t, symbol, SYM_USUAL_SIZE);
    return true;
}

int64_t sym_usual(const sym_table *t, sym_expr e)
{
    const int64_t most = (int64_t)1 << 48;
    int64_t value;
    if (!sym_eval(t, e, look_up_usual, (void *)(uintptr_t)t, &value)) value = SYM_USUAL_SIZE;
    return value > most ? most : value < -most ? -most : value;
}

typedef struct scaled_lookup {
    const sym_table *table;
    double scale;
} scaled_lookup;

static bool look_up_scaled(void *data, sym_expr symbol, int64_t *value)
{
    const scaled_lookup *lookup = data;
    double scaled = (double)sym_usual(lookup->table, symbol) * lookup->scale;
    *value = within_range(lookup->table, symbol, scaled < 1 ? 1 : (int64_t)scaled);
    return true;
}

bool sym_hint_scaled(const sym_table *t, sym_expr e, double scale, int64_t *value)
{
    scaled_lookup lookup = {t, scale};
    return sym_eval(t, e, look_up_scaled, &lookup, value);
}

void sym_split_multiples(sym_table *t, sym_expr e, sym_expr product, sym_expr *quotient,
                         sym_expr *rest)
{
    sym_term by = sym_as_term(t, product);
    *quotient = *rest = t->zero;
    for (uint32_t k = 0; k < sym_term_count(t, e); k++) {
        sym_term term = sym_term_at(t, e, k);
        sym_expr left;
        if (by.coefficient > 0 && term.coefficient % by.coefficient == 0 &&
            sym_divide_products(t, term.product, by.product, &left))
            *quotient =
                sym_add(t, *quotient, sym_from_term(t, term.coefficient / by.coefficient, left));
        else
            *rest = sym_add(t, *rest, sym_from_term(t, term.coefficient, term.product));
    }
}
