/* given.c -- proofs from what is given: is an expression non-negative where others are?
 *
 *     8*i1 + i0 - 1 >= 0   given   i0 - 1 >= 0
 *
 * What range.c does not know at once is taken apart. A minimum or a maximum becomes two cases, in each
 * of which it is one of its sides and the other is not beyond it. Of a quotient the least value counts,
 * which is there where loop variables are at an end of their range. And a multiple of a given expression
 * is taken away so that a term goes. Few steps first, then more, until they have cost too much.
 */
#include "sym/sym_priv.h"

/* A trial of an expression of few terms costs 1. */
enum {
    MOST_GIVEN = 48,
    MOST_TRIALS = 250, /* with so many steps and cases */
    MOST_IN_ALL = 1000,
    MANY_SYMBOLS = 4, /* in an expression: it is as dear as several trials */
    MOST_STEPS = 6,
    MOST_CASES = 6
};

typedef struct derivation {
    sym_table *t;
    const sym_env *env;
    sym_expr given[MOST_GIVEN];
    bool used[MOST_GIVEN];
    uint32_t count, trials;
    bool is_absurd; /* what is given holds nowhere */
} derivation;

static bool derive(derivation *d, sym_expr e, uint32_t steps, uint32_t cases);

static void add_given(derivation *d, sym_expr e)
{
    int64_t value;
    if (sym_is_int(d->t, e, &value)) {
        d->is_absurd |= value < 0;
        return;
    }
    if (d->count == MOST_GIVEN) return;
    d->used[d->count] = false;
    d->given[d->count++] = e;
}

/* By ranges, or by one of what is given alone. */
static bool is_nonnegative(const derivation *d, sym_expr e)
{
    sym_table *t = d->t;
    if (sym_known_nonnegative(t, e, d->env)) return true;
    uint64_t symbols = sym_node_of(t, e)->symbols;
    for (uint32_t g = 0; g < d->count; g++)
        if ((sym_node_of(t, d->given[g])->symbols & symbols) &&
            sym_known_nonnegative(t, sym_sub(t, e, d->given[g]), d->env))
            return true;
    return false;
}

/* ---- cases ---- */

/* A minimum or a maximum among the factors of e's terms; none: there is none. */
static sym_expr find_choice(const sym_table *t, sym_expr e)
{
    for (uint32_t k = 0; k < sym_term_count(t, e); k++) {
        sym_expr single;
        uint32_t count;
        const sym_expr *factors = sym_factors(t, sym_term_at(t, e, k).product, &single, &count);
        for (uint32_t i = 0; i < count; i++) {
            sym_op op = sym_op_of(t, factors[i]);
            if (op == SYM_MIN || op == SYM_MAX) return factors[i];
        }
    }
    return (sym_expr){0};
}

/* e with `side` for the factor `choice` of its terms. */
static sym_expr choose(sym_table *t, sym_expr e, sym_expr choice, sym_expr side)
{
    sym_expr total = t->zero, rest;
    for (uint32_t k = 0; k < sym_term_count(t, e); k++) {
        sym_term term = sym_term_at(t, e, k);
        sym_expr part = sym_from_term(t, term.coefficient, term.product);
        if (sym_divide_products(t, term.product, choice, &rest))
            part = sym_mul(t, sym_from_term(t, term.coefficient, rest), side);
        total = sym_add(t, total, part);
    }
    return total;
}

static bool derive_by_cases(derivation *d, sym_expr e, sym_expr choice, uint32_t steps,
                            uint32_t cases)
{
    sym_table *t = d->t;
    bool holds = true;
    for (uint32_t k = 0; k < 2 && holds; k++) {
        sym_expr side = sym_arg(t, choice, k), other = sym_arg(t, choice, 1 - k);
        derivation here = *d;
        here.count = 0;
        for (uint32_t i = 0; i < d->count; i++)
            add_given(&here, choose(t, d->given[i], choice, side));
        add_given(&here, sym_op_of(t, choice) == SYM_MIN ? sym_sub(t, other, side)
                                                         : sym_sub(t, side, other));
        holds = derive(&here, choose(t, e, choice, side), steps, cases - 1);
        d->trials = here.trials;
    }
    return holds;
}

/* ---- quotients ---- */

/* x at its least (or greatest) over the loop variables of which it rises or falls; false where there are
 * none. */
static bool find_end(const derivation *d, sym_expr *x, bool least)
{
    sym_table *t = d->t;
    bool changed = false;
    for (uint32_t k = 0; d->env && k < d->env->count; k++) {
        const sym_bound *b = &d->env->bounds[k];
        sym_expr slope, rest;
        if (!sym_linear_in(t, *x, b->symbol, &slope, &rest) || slope.id == t->zero.id) continue;
        bool rises = is_nonnegative(d, slope);
        if (!rises && !is_nonnegative(d, sym_mul_int(t, slope, -1))) continue;
        sym_expr last = sym_mul(t, slope, sym_add_int(t, b->extent, -1));
        *x = rises == least ? rest : sym_add(t, rest, last);
        changed = true;
    }
    return changed;
}

/* The least (or greatest) value of x // n or x % n for n of at least 1; none: it is not known. */
static sym_expr end_of(const derivation *d, sym_expr e, bool least)
{
    sym_table *t = d->t;
    sym_expr x = sym_arg(t, e, 0), n = sym_arg(t, e, 1);
    if (sym_op_of(t, e) == SYM_MOD) return least ? t->zero : sym_add_int(t, n, -1);
    return find_end(d, &x, least) ? sym_floordiv(t, x, n) : (sym_expr){0};
}

/* e with the quotient or remainder in a term at the value that makes it least. */
static bool derive_by_quotient(derivation *d, sym_expr e, sym_term term, uint32_t steps,
                               uint32_t cases)
{
    sym_table *t = d->t;
    sym_expr single, rest;
    uint32_t count;
    const sym_expr *factors = sym_factors(t, term.product, &single, &count);
    for (uint32_t i = 0; i < count; i++) {
        sym_expr division = factors[i];
        sym_op op = sym_op_of(t, division);
        if ((op != SYM_FLOORDIV && op != SYM_MOD) ||
            !sym_divide_products(t, term.product, division, &rest) || !is_nonnegative(d, rest) ||
            sym_interval_of(t, sym_arg(t, division, 1), d->env).min < 1)
            continue;
        sym_expr end = end_of(d, division, term.coefficient > 0);
        if (sym_is_none(end)) continue;
        sym_expr scale = sym_from_term(t, term.coefficient, rest);
        return derive(d, sym_add(t, e, sym_mul(t, scale, sym_sub(t, end, division))), steps, cases);
    }
    return false;
}

/* ---- multiples of what is given ---- */

/* How often to take two coefficients of one sign, so that their difference is 0. */
typedef struct scales {
    int64_t own, given;
} scales;

static uint64_t size_of(int64_t a)
{
    return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

static bool find_scales(int64_t own, int64_t given, scales *out)
{
    if ((own < 0) != (given < 0)) return false;
    uint64_t x = size_of(own), y = size_of(given);
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    uint64_t a = size_of(given) / x, b = size_of(own) / x;
    if (a > INT32_MAX || b > INT32_MAX) return false;
    *out = (scales){(int64_t)a, (int64_t)b};
    return true;
}

/* e without the term, by as much of the given one as it takes. */
static bool derive_without(derivation *d, sym_expr e, sym_term own, uint32_t g, uint32_t steps,
                           uint32_t cases)
{
    sym_table *t = d->t;
    sym_expr given = d->given[g], more;
    for (uint32_t k = 0; k < sym_term_count(t, given); k++) {
        sym_term term = sym_term_at(t, given, k);
        scales s;
        if (term.product.id == t->one.id ||
            !sym_divide_products(t, own.product, term.product, &more) ||
            !find_scales(own.coefficient, term.coefficient, &s) || !is_nonnegative(d, more))
            continue;
        sym_expr taken = sym_mul(t, sym_mul_int(t, given, s.given), more);
        d->used[g] = true;
        bool holds = derive(d, sym_sub(t, sym_mul_int(t, e, s.own), taken), steps - 1, cases);
        d->used[g] = false;
        if (holds) return true;
    }
    return false;
}

static bool derive_by_given(derivation *d, sym_expr e, uint32_t steps, uint32_t cases)
{
    uint64_t symbols = sym_node_of(d->t, e)->symbols;
    for (uint32_t g = d->count; g-- > 0 && steps;) {
        if (d->used[g] || !(sym_node_of(d->t, d->given[g])->symbols & symbols)) continue;
        for (uint32_t k = 0; k < sym_term_count(d->t, e); k++) {
            sym_term own = sym_term_at(d->t, e, k);
            if (own.product.id != d->t->one.id && derive_without(d, e, own, g, steps, cases))
                return true;
        }
    }
    return false;
}

static bool derive(derivation *d, sym_expr e, uint32_t steps, uint32_t cases)
{
    uint32_t cost = 1 + sym_weight(d->t, e, MOST_TRIALS * MANY_SYMBOLS) / MANY_SYMBOLS;
    if (d->trials == 0) return false;
    d->trials -= cost < d->trials ? cost : d->trials;
    if (d->is_absurd || sym_known_nonnegative(d->t, e, d->env)) return true;
    sym_expr choice = cases ? find_choice(d->t, e) : (sym_expr){0};
    if (choice.id && derive_by_cases(d, e, choice, steps, cases)) return true;
    if (derive_by_given(d, e, steps, cases)) return true;
    for (uint32_t k = 0; k < sym_term_count(d->t, e); k++)
        if (derive_by_quotient(d, e, sym_term_at(d->t, e, k), steps, cases)) return true;
    sym_expr end = e;
    if (steps && find_end(d, &end, true) && derive(d, end, steps, cases)) return true;
    for (uint32_t k = 0; k < d->count && cases && steps; k++) {
        choice = find_choice(d->t, d->given[k]);
        if (choice.id) return derive_by_cases(d, e, choice, steps, cases);
    }
    return false;
}

/* Is one of them a number below 0? Then what asks is never reached. */
static bool is_never(const sym_table *t, const sym_expr *given, uint32_t count)
{
    int64_t value;
    for (uint32_t k = 0; k < count; k++)
        if (sym_is_int(t, given[k], &value) && value < 0) return true;
    return false;
}

bool sym_known_less_equal_given(sym_table *t, sym_expr a, sym_expr b, const sym_env *env,
                                const sym_expr *given, uint32_t count)
{
    if (sym_known_less_equal(t, a, b, env)) return true;
    sym_expr e = sym_sub(t, b, a);
    derivation d = {.t = t, .env = sym_enter(t, env)};
    if (is_never(t, given, count)) return true;
    if (sym_is_int(t, e, NULL)) return false;
    /* those of the place at hand are the last */
    for (uint32_t k = count; k-- > 0;) add_given(&d, given[k]);
    if (is_nonnegative(&d, e)) return true;
    uint32_t left = MOST_IN_ALL;
    for (uint32_t all = 0; all <= MOST_STEPS + MOST_CASES; all++)
        for (uint32_t cases = 0; cases <= all && cases <= MOST_CASES && left; cases++) {
            uint32_t most = left < MOST_TRIALS ? left : MOST_TRIALS;
            d.trials = most;
            if (all - cases <= MOST_STEPS && derive(&d, e, all - cases, cases)) return true;
            left -= most - d.trials;
        }
    return false;
}
