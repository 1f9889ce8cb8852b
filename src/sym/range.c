/* range.c -- bounds of expressions and proofs of comparisons.
 *
 * Bounds are intervals, computed bottom up and kept in the nodes; under an environment they are
 * computed anew for what holds a symbol that the environment speaks of. Where intervals are too
 * coarse (they forget that two terms hold the same symbol), sym_known_nonnegative tries, to a
 * small depth: loop variables at the end of their range that makes the expression least,
 * polynomials shifted to non-negative symbols or taken at each value of their only one, a common
 * factor taken out, min and max split into cases, and x // n and x % n bounded by x.
 *
 * An environment's extents are at least 1: a place whose loop never runs proves anything.
 */
#include "sym/sym_priv.h"

/* ---- arithmetic with infinities ---- */

static const sym_interval UNBOUNDED = {SYM_NO_MIN, SYM_NO_MAX};

static bool is_infinite(int64_t bound)
{
    return bound == SYM_NO_MIN || bound == SYM_NO_MAX;
}

/* Sums and products that do not fit become the infinity of their sign. */
static int64_t add_bounds(int64_t a, int64_t b)
{
    int64_t total;
    if (is_infinite(a)) return a;
    if (is_infinite(b)) return b;
    if (__builtin_add_overflow(a, b, &total)) return a < 0 ? SYM_NO_MIN : SYM_NO_MAX;
    return total;
}

static int64_t multiply_bounds(int64_t a, int64_t b)
{
    int64_t total;
    if (a == 0 || b == 0) return 0;
    bool minus = (a < 0) != (b < 0);
    if (is_infinite(a) || is_infinite(b) || __builtin_mul_overflow(a, b, &total))
        return minus ? SYM_NO_MIN : SYM_NO_MAX;
    return total;
}

int64_t sym_floor(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

int64_t sym_remainder(int64_t a, int64_t b)
{
    int64_t rest = a % b;
    return rest < 0 ? rest + b : rest;
}

static int64_t divide_bounds(int64_t a, int64_t b)
{
    if (is_infinite(a)) return a;
    if (b == SYM_NO_MAX) return a < 0 ? -1 : 0;
    return sym_floor(a, b);
}

/* An infinity that stands on the wrong side is a finite number that did not fit: a bound near it
 * is still true. */
static sym_interval interval(int64_t min, int64_t max)
{
    if (min == SYM_NO_MAX) min = SYM_NO_MAX - 1;
    if (max == SYM_NO_MIN) max = SYM_NO_MIN + 1;
    return (sym_interval){min, max};
}

static sym_interval add_intervals(sym_interval a, sym_interval b)
{
    return interval(add_bounds(a.min, b.min), add_bounds(a.max, b.max));
}

static sym_interval hull(const int64_t corners[4])
{
    sym_interval all = {corners[0], corners[0]};
    for (int i = 1; i < 4; i++) {
        if (corners[i] < all.min) all.min = corners[i];
        if (corners[i] > all.max) all.max = corners[i];
    }
    return interval(all.min, all.max);
}

static sym_interval multiply_intervals(sym_interval a, sym_interval b)
{
    return hull((int64_t[]){multiply_bounds(a.min, b.min), multiply_bounds(a.min, b.max),
                            multiply_bounds(a.max, b.min), multiply_bounds(a.max, b.max)});
}

static sym_interval negate(sym_interval a)
{
    return multiply_intervals(a, (sym_interval){-1, -1});
}

static sym_interval divide_intervals(sym_interval a, sym_interval b)
{
    if (b.max < 0) return divide_intervals(negate(a), negate(b));
    if (b.min == 0) b.min = 1; /* a divisor is not 0 */
    if (b.min < 0 || b.max < b.min) return UNBOUNDED;
    return hull((int64_t[]){divide_bounds(a.min, b.min), divide_bounds(a.min, b.max),
                            divide_bounds(a.max, b.min), divide_bounds(a.max, b.max)});
}

static sym_interval modulo_intervals(sym_interval a, sym_interval b)
{
    bool one_period = b.min == b.max && b.min > 0 && !is_infinite(a.min) && !is_infinite(a.max) &&
                      sym_floor(a.min, b.min) == sym_floor(a.max, b.min);
    if (one_period) {
        int64_t base = sym_remainder(a.min, b.min);
        return (sym_interval){base, base + (a.max - a.min)};
    }
    sym_interval range = {b.min < 0 ? add_bounds(b.min, 1) : 0,
                          b.max > 0 ? add_bounds(b.max, -1) : 0};
    if (a.min >= 0 && b.min >= 0 && a.max < range.max) range.max = a.max;
    return range;
}

/* ---- bounds ---- */

const sym_env *sym_enter(const sym_table *t, const sym_env *env)
{
    t->ranges->now++;
    t->ranges->symbols = 0;
    if (!env || env->count == 0) return NULL;
    for (uint32_t i = 0; i < env->count; i++)
        t->ranges->symbols |= sym_node_of(t, env->bounds[i].symbol)->symbols |
                              sym_node_of(t, env->bounds[i].extent)->symbols;
    return env;
}

static sym_interval symbol_interval(const sym_table *t, sym_expr e, const sym_env *env)
{
    sym_interval range = sym_data(t, e)->range;
    for (uint32_t i = 0; env && i < env->count; i++) {
        if (env->bounds[i].symbol.id != e.id) continue;
        int64_t last = add_bounds(sym_interval_of(t, env->bounds[i].extent, env).max, -1);
        if (range.min < 0) range.min = 0;
        if (range.max > last) range.max = last;
    }
    if (range.max < range.min) range.max = range.min; /* an empty loop: any answer is right */
    return range;
}

/* Is e the extent of a loop, or, where it is known to be non-negative, a factor of one? Then it is at
 * least 1. */
static bool is_in_extent(const sym_table *t, sym_expr e, int64_t min, const sym_env *env)
{
    for (uint32_t i = 0; env && i < env->count; i++) {
        sym_expr extent = env->bounds[i].extent;
        if (extent.id == e.id) return true;
        const sym_node *n = sym_node_of(t, extent);
        for (uint32_t k = 0; n->op == SYM_MUL && k < n->count && min == 0; k++)
            if (n->args[k].id == e.id) return true;
    }
    return false;
}

/* Is the sum of the two this number? */
static bool add_up_to(const sym_table *t, sym_expr a, sym_expr b, int64_t *sum)
{
    const sym_expr sides[2] = {a, b};
    uint32_t counts[2];
    *sum = 0;
    for (uint32_t i = 0; i < 2; i++) {
        counts[i] = sym_term_count(t, sides[i]);
        if (counts[i] == 0) continue;
        sym_term last =
            sym_term_at(t, sides[i], counts[i] - 1); /* the constant, where there is one */
        if (last.product.id != t->one.id) continue;
        if (__builtin_add_overflow(*sum, last.coefficient, sum)) return false;
        counts[i]--;
    }
    bool holds = counts[0] == counts[1];
    for (uint32_t i = 0; i < counts[0] && holds; i++) {
        sym_term one = sym_term_at(t, a, i), other = sym_term_at(t, b, i);
        holds = one.product.id == other.product.id && one.coefficient == -other.coefficient;
    }
    return holds;
}

/* As |x| = max(x, -x) is at least 0: the larger one is at least half of what the two are together. */
static sym_interval choice_interval(const sym_table *t, const sym_node *n, sym_interval a,
                                    sym_interval b)
{
    int64_t sum;
    bool is_max = n->op == SYM_MAX, halves = add_up_to(t, n->args[0], n->args[1], &sum);
    sym_interval all = {is_max == (a.min > b.min) ? a.min : b.min,
                        is_max == (a.max > b.max) ? a.max : b.max};
    if (halves && is_max && all.min < sum - sym_floor(sum, 2)) all.min = sum - sym_floor(sum, 2);
    if (halves && !is_max && all.max > sym_floor(sum, 2)) all.max = sym_floor(sum, 2);
    return all;
}

static sym_interval compute_interval(const sym_table *t, sym_expr e, const sym_env *env)
{
    const sym_node *n = sym_node_of(t, e);
    sym_interval a = {0, 0};
    sym_interval b = {0, 0};
    if (n->count) a = sym_interval_of(t, n->args[0], env);
    if (n->count > 1) b = sym_interval_of(t, n->args[1], env);
    switch ((sym_op)n->op) {
    case SYM_CONST: return (sym_interval){n->value, n->value};
    case SYM_SYMBOL: return symbol_interval(t, e, env);
    case SYM_ADD:
        for (uint32_t i = 1; i < n->count; i++)
            a = add_intervals(a, sym_interval_of(t, n->args[i], env));
        return a;
    case SYM_MUL:
        for (uint32_t i = 1; i < n->count; i++)
            a = multiply_intervals(a, sym_interval_of(t, n->args[i], env));
        return a;
    case SYM_FLOORDIV: return divide_intervals(a, b);
    case SYM_MOD: return modulo_intervals(a, b);
    case SYM_MIN:
    case SYM_MAX: return choice_interval(t, n, a, b);
    default: return (sym_interval){0, 1};
    }
}

/* The nodes' own cache is written through a const table: it holds nothing but what could be
 * computed again. */
static sym_interval own_interval(const sym_table *t, sym_expr e)
{
    sym_node *n = &t->nodes.at[e.id];
    if (n->epoch == t->epoch) return n->range;
    n->range = compute_interval(t, e, NULL);
    n->epoch = t->epoch;
    return n->range;
}

sym_interval sym_interval_of(const sym_table *t, sym_expr e, const sym_env *env)
{
    if (!env || !(sym_node_of(t, e)->symbols & t->ranges->symbols)) return own_interval(t, e);
    sym_memo_entry *known = sym_memo_at(t, t->ranges, e.id);
    if (known->stamp == t->ranges->now) return known->interval;
    sym_interval range = compute_interval(t, e, env);
    if (range.min < 1 && range.max > 0 && is_in_extent(t, e, range.min, env)) range.min = 1;
    known = sym_memo_at(t, t->ranges, e.id); /* the entries may have moved */
    known->stamp = t->ranges->now;
    known->interval = range;
    return range;
}

void sym_range(const sym_table *t, sym_expr e, const sym_env *env, int64_t *min, int64_t *max)
{
    sym_interval range = sym_interval_of(t, e, sym_enter(t, env));
    *min = range.min;
    *max = range.max;
}

/* ---- is it non-negative? ---- */

static bool nonnegative(sym_table *t, sym_expr e, const sym_env *env, int depth);

/* Symbols with bounds of their own at the end of their range where e is least. False when nothing
 * changes. */
static bool replace_loop_symbols(sym_table *t, sym_expr *e, const sym_env *env, int depth)
{
    bool changed = false;
    for (uint32_t i = 0; env && i < env->count; i++) {
        sym_expr slope;
        sym_expr rest;
        if (!sym_linear_in(t, *e, env->bounds[i].symbol, &slope, &rest) || slope.id == t->zero.id)
            continue;
        sym_expr last = sym_add_int(t, env->bounds[i].extent, -1);
        if (nonnegative(t, slope, env, depth - 1))
            *e = rest;
        else if (nonnegative(t, sym_mul_int(t, slope, -1), env, depth - 1))
            *e = sym_add(t, sym_mul(t, slope, last), rest);
        else
            continue;
        changed = true;
    }
    return changed;
}

/* With every symbol s written as s' + its minimum: is each coefficient non-negative? */
static bool nonnegative_when_shifted(sym_table *t, sym_expr e, const sym_env *env)
{
    sym_expr total = t->zero;
    if (sym_node_of(t, e)->division)
        return false; /* the shifted symbol must not meet the one inside */
    for (uint32_t i = 0; i < sym_term_count(t, e); i++) {
        sym_term term = sym_term_at(t, e, i);
        sym_expr single;
        uint32_t count;
        const sym_expr *factors = sym_factors(t, term.product, &single, &count);
        sym_expr shifted = sym_int(t, term.coefficient);
        for (uint32_t k = 0; k < count; k++) {
            int64_t min = sym_interval_of(t, factors[k], env).min;
            if (min == SYM_NO_MIN || sym_op_of(t, factors[k]) == SYM_ADD) return false;
            shifted = sym_mul(t, shifted, sym_add_int(t, factors[k], min));
        }
        total = sym_add(t, total, shifted);
    }
    for (uint32_t i = 0; i < sym_term_count(t, total); i++)
        if (sym_term_at(t, total, i).coefficient < 0) return false;
    return true;
}

/* A term at one value of its only symbol, on top of a sum so far; false: it holds another factor, or does not
 * fit. */
static bool add_term_at(const sym_table *t, sym_term term, sym_expr symbol, int64_t at,
                        int64_t *total)
{
    sym_expr single;
    uint32_t count;
    const sym_expr *factors = sym_factors(t, term.product, &single, &count);
    int64_t value = term.coefficient;
    for (uint32_t k = 0; k < count; k++)
        if (factors[k].id != symbol.id || __builtin_mul_overflow(value, at, &value)) return false;
    return !__builtin_add_overflow(*total, value, total);
}

/* A polynomial of one symbol that has few values is so at each of them. */
static bool nonnegative_everywhere(const sym_table *t, sym_expr e, const sym_env *env)
{
    enum { MANY_VALUES = 128 };
    sym_expr single, symbol;
    uint32_t count, terms = sym_term_count(t, e);
    const sym_expr *factors = sym_factors(t, sym_term_at(t, e, 0).product, &single, &count);
    if (terms < 2 || count == 0 || sym_op_of(t, factors[0]) != SYM_SYMBOL) return false;
    symbol = factors[0];
    sym_interval range = sym_interval_of(t, symbol, env);
    if (range.min < -MANY_VALUES || range.max > SYM_NO_MAX - 1 - MANY_VALUES ||
        range.max - range.min >= MANY_VALUES)
        return false;
    for (int64_t at = range.min; at <= range.max; at++) {
        int64_t total = 0;
        for (uint32_t i = 0; i < terms; i++)
            if (!add_term_at(t, sym_term_at(t, e, i), symbol, at, &total)) return false;
        if (total < 0) return false;
    }
    return true;
}

/* e without what all its terms have in common, when that is non-negative. */
static bool nonnegative_cofactor(sym_table *t, sym_expr e, const sym_env *env, int depth)
{
    sym_term content = sym_content(t, e);
    if (content.coefficient <= 0 || (content.coefficient == 1 && content.product.id == t->one.id))
        return false;
    sym_expr common = sym_from_term(t, content.coefficient, content.product);
    sym_expr rest;
    if (sym_interval_of(t, common, env).min < 0 || !sym_divide_exact(t, e, common, &rest))
        return false;
    return nonnegative(t, rest, env, depth - 1);
}

/* e = rest + c * (a min b): below both a and b, so one case is enough where c is negative;
 * likewise max. */
static bool nonnegative_by_cases(sym_table *t, sym_expr e, sym_term term, const sym_env *env,
                                 int depth)
{
    sym_expr choice = term.product;
    sym_expr rest = sym_sub(t, e, sym_from_term(t, term.coefficient, choice));
    bool any = (term.coefficient < 0) == (sym_op_of(t, choice) == SYM_MIN);
    bool holds = !any;
    for (uint32_t i = 0; i < 2 && holds != any; i++) {
        sym_expr side = sym_add(t, rest, sym_mul_int(t, sym_arg(t, choice, i), term.coefficient));
        holds = nonnegative(t, side, env, depth); /* there are fewer choices in it */
    }
    return holds;
}

/* e = rest + c * (x // n), which is >= 0 iff n*e is: x - n + 1 <= n * (x // n) <= x. Where c is 1 or -1
 * the quotient is at least -rest iff x is at least -n * rest, and at most rest iff x < n * (rest + 1). */
static bool nonnegative_by_quotient(sym_table *t, sym_expr e, sym_term term, const sym_env *env,
                                    int depth)
{
    sym_expr x = sym_arg(t, term.product, 0);
    sym_expr n = sym_arg(t, term.product, 1);
    if (sym_interval_of(t, n, env).min < 1) return false;
    sym_expr rest = sym_sub(t, e, sym_from_term(t, term.coefficient, term.product));
    if (term.coefficient > 1 || term.coefficient == -1) x = sym_add_int(t, sym_sub(t, x, n), 1);
    sym_expr scaled = sym_add(t, sym_mul(t, rest, n), sym_mul_int(t, x, term.coefficient));
    return nonnegative(t, scaled, env, depth - 1);
}

/* e = rest - c * (x % n) with x >= 0 and n > 0: x % n <= x and x % n < n. */
static bool nonnegative_by_remainder(sym_table *t, sym_expr e, sym_term term, const sym_env *env,
                                     int depth)
{
    sym_expr x = sym_arg(t, term.product, 0);
    sym_expr n = sym_arg(t, term.product, 1);
    if (term.coefficient > 0 || sym_interval_of(t, n, env).min < 1) return false;
    sym_expr rest = sym_sub(t, e, sym_from_term(t, term.coefficient, term.product));
    sym_expr by_n = sym_add(t, rest, sym_mul_int(t, sym_add_int(t, n, -1), term.coefficient));
    if (nonnegative(t, by_n, env, depth - 1)) return true;
    if (sym_interval_of(t, x, env).min < 0) return false;
    return nonnegative(t, sym_add(t, rest, sym_mul_int(t, x, term.coefficient)), env, depth - 1);
}

static bool nonnegative_by_parts(sym_table *t, sym_expr e, const sym_env *env, int depth)
{
    for (uint32_t i = 0; i < sym_term_count(t, e); i++) {
        sym_term term = sym_term_at(t, e, i);
        sym_op op = sym_op_of(t, term.product);
        bool holds = false;
        if (op == SYM_MIN || op == SYM_MAX)
            holds = nonnegative_by_cases(t, e, term, env, depth);
        else if (op == SYM_FLOORDIV)
            holds = nonnegative_by_quotient(t, e, term, env, depth);
        else if (op == SYM_MOD)
            holds = nonnegative_by_remainder(t, e, term, env, depth);
        if (holds) return true;
    }
    return false;
}

static bool nonnegative(sym_table *t, sym_expr e, const sym_env *env, int depth)
{
    if (sym_interval_of(t, e, env).min >= 0) return true;
    if (depth == 0 || t->proof_steps == 1 || sym_is_int(t, e, NULL)) return false;
    t->proof_steps--;
    sym_expr least = e;
    if (replace_loop_symbols(t, &least, env, depth) && nonnegative(t, least, env, depth - 1))
        return true;
    enum { MANY_TERMS = 16 };
    if (sym_term_count(t, e) > MANY_TERMS) return false;
    return nonnegative_when_shifted(t, e, env) || nonnegative_everywhere(t, e, env) ||
           nonnegative_cofactor(t, e, env, depth) || nonnegative_by_parts(t, e, env, depth);
}

bool sym_known_nonnegative(sym_table *t, sym_expr e, const sym_env *env)
{
    enum { DEPTH = 3, STEPS = 100 };
    bool outermost = t->proof_steps == 0; /* simplification inside a proof proves things too */
    if (outermost) t->proof_steps = STEPS;
    bool holds = nonnegative(t, e, env, DEPTH);
    if (outermost) t->proof_steps = 0;
    return holds;
}

/* ---- proofs ---- */

static sym_truth truth_of(bool holds, bool fails)
{
    return holds ? SYM_TRUE : fails ? SYM_FALSE : SYM_UNKNOWN;
}

static sym_truth opposite(sym_truth truth)
{
    return truth == SYM_UNKNOWN ? SYM_UNKNOWN : truth == SYM_TRUE ? SYM_FALSE : SYM_TRUE;
}

sym_truth sym_decide(sym_table *t, sym_op op, sym_expr d, const sym_env *env)
{
    sym_interval range = sym_interval_of(t, d, env);
    sym_expr minus = sym_mul_int(t, d, -1);
    switch (op) {
    case SYM_LE:
        if (range.max <= 0 || range.min > 0) return range.max <= 0 ? SYM_TRUE : SYM_FALSE;
        return truth_of(sym_known_nonnegative(t, minus, env),
                        sym_known_nonnegative(t, sym_add_int(t, d, -1), env));
    case SYM_LT: return opposite(sym_decide(t, SYM_LE, minus, env));
    case SYM_EQ:
        if (range.min > 0 || range.max < 0) return SYM_FALSE;
        if (range.min == 0 && range.max == 0) return SYM_TRUE;
        return truth_of(sym_known_nonnegative(t, d, env) && sym_known_nonnegative(t, minus, env),
                        sym_known_nonnegative(t, sym_add_int(t, d, -1), env) ||
                            sym_known_nonnegative(t, sym_add_int(t, minus, -1), env));
    case SYM_NE: return opposite(sym_decide(t, SYM_EQ, d, env));
    default: return SYM_UNKNOWN;
    }
}

static sym_truth prove(sym_table *t, sym_expr e, const sym_env *env)
{
    sym_op op = sym_op_of(t, e);
    if (op == SYM_NOT) return opposite(prove(t, sym_arg(t, e, 0), env));
    if (op == SYM_AND || op == SYM_OR) {
        sym_truth decisive = op == SYM_OR ? SYM_TRUE : SYM_FALSE;
        sym_truth a = prove(t, sym_arg(t, e, 0), env);
        if (a == decisive) return a;
        sym_truth b = prove(t, sym_arg(t, e, 1), env);
        if (b == decisive) return b;
        return a == SYM_UNKNOWN ? a : b;
    }
    if (op == SYM_EQ || op == SYM_NE || op == SYM_LE || op == SYM_LT)
        return sym_decide(t, op, sym_sub(t, sym_arg(t, e, 0), sym_arg(t, e, 1)), env);
    sym_interval range = sym_interval_of(t, e, env);
    return truth_of(range.min > 0 || range.max < 0, range.min == 0 && range.max == 0);
}

sym_truth sym_prove(sym_table *t, sym_expr predicate, const sym_env *env)
{
    return prove(t, predicate, sym_enter(t, env));
}

bool sym_known_equal(sym_table *t, sym_expr a, sym_expr b)
{
    if (a.id == b.id) return true;
    if (sym_is_int(t, a, NULL) && sym_is_int(t, b, NULL)) return false;
    return sym_decide(t, SYM_EQ, sym_sub(t, a, b), NULL) == SYM_TRUE;
}

bool sym_known_less_equal(sym_table *t, sym_expr a, sym_expr b, const sym_env *env)
{
    int64_t x;
    int64_t y;
    if (sym_is_int(t, a, &x) && sym_is_int(t, b, &y)) return x <= y;
    return sym_known_nonnegative(t, sym_sub(t, b, a), sym_enter(t, env));
}

bool sym_known_divisible(sym_table *t, sym_expr a, sym_expr divisor, const sym_env *env)
{
    int64_t x;
    int64_t y;
    if (sym_is_int(t, divisor, &y) && (y == 0 || y == -1)) return y == -1;
    if (sym_is_int(t, a, &x) && sym_is_int(t, divisor, &y)) return x % y == 0;
    return sym_mod_in(t, a, divisor, sym_enter(t, env)).id == t->zero.id;
}
