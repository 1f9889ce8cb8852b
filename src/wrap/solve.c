/* solve.c -- several sizes that several symbols are in: 2*s0 + s1 and s0 + s1 tell s0.
 *
 * Each size with unknown symbols is an equation over terms: the products in it that hold an unknown.
 * Gauss-Jordan elimination over the integers, each row divided by what its coefficients have in
 * common, says which multiples of the equations are to be added; of what comes out, a row with one
 * unknown symbol is solved as a size alone would be. Numbers that do not fit in 64 bits end it.
 */
#include "wrap/define.h"

#include <string.h>

enum { MOST_EQUATIONS = 64, MOST_TERMS = 64 };

/* A row: coefficients of the terms, and how many times each equation is in it. */
typedef struct row {
    int64_t at[MOST_TERMS + MOST_EQUATIONS];
} row;

typedef struct equations {
    definer *d;
    sym_table *t;
    source *sources[MOST_EQUATIONS];
    row *rows;
    uint32_t count, terms;
    sym_expr products[MOST_TERMS];
} equations;

/* The number in front of a term, and the rest of it. */
static int64_t split_term(sym_table *t, sym_expr term, sym_expr *product)
{
    int64_t factor = 1, number;
    *product = term;
    if (sym_op_of(t, term) != SYM_MUL) return factor;
    sym_expr rest = sym_int(t, 1);
    for (uint32_t i = 0; i < sym_arg_count(t, term); i++)
        if (sym_is_int(t, sym_arg(t, term, i), &number))
            factor = number;
        else
            rest = sym_mul(t, rest, sym_arg(t, term, i));
    *product = rest;
    return factor;
}

static int64_t *coefficient_of(equations *e, row *r, sym_expr product)
{
    for (uint32_t k = 0; k < e->terms; k++)
        if (sym_same(e->products[k], product)) return &r->at[k];
    if (e->terms == MOST_TERMS) return NULL;
    e->products[e->terms] = product;
    return &r->at[e->terms++];
}

static bool add_equation(equations *e, source *from)
{
    sym_expr expr = from->expr, product;
    bool is_sum = sym_op_of(e->t, expr) == SYM_ADD;
    if (wrap_count_unknowns(e->d, expr) == 0) return true;
    if (e->count == MOST_EQUATIONS) return false;
    row *r = &e->rows[e->count];
    for (uint32_t i = 0; i < (is_sum ? sym_arg_count(e->t, expr) : 1); i++) {
        sym_expr term = is_sum ? sym_arg(e->t, expr, i) : expr;
        if (wrap_count_unknowns(e->d, term) == 0) continue;
        int64_t factor = split_term(e->t, term, &product), *at = coefficient_of(e, r, product);
        if (!at || __builtin_add_overflow(*at, factor, at)) return false;
    }
    r->at[MOST_TERMS + e->count] = 1;
    e->sources[e->count++] = from;
    return true;
}

static uint64_t size_of(int64_t x)
{
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Row `to` times what makes its coefficient at `term` vanish when `from` is added. */
static bool eliminate(row *to, const row *from, uint32_t term)
{
    int64_t a = from->at[term], b = to->at[term];
    uint64_t divisor = 0;
    for (uint32_t k = 0; k < COUNT_OF(to->at); k++) {
        int64_t x, y;
        if (__builtin_mul_overflow(to->at[k], a, &x) ||
            __builtin_mul_overflow(from->at[k], b, &y) ||
            __builtin_sub_overflow(x, y, &to->at[k]) || to->at[k] == INT64_MIN)
            return false;
        divisor = common_divisor(divisor, size_of(to->at[k]));
    }
    for (uint32_t k = 0; k < COUNT_OF(to->at) && divisor > 1; k++) to->at[k] /= (int64_t)divisor;
    return true;
}

static bool reduce(equations *e)
{
    uint32_t done = 0;
    for (uint32_t term = 0; term < e->terms; term++) {
        uint32_t pivot = done;
        while (pivot < e->count && e->rows[pivot].at[term] == 0) pivot++;
        if (pivot == e->count) continue;
        row swapped = e->rows[pivot];
        e->rows[pivot] = e->rows[done];
        e->rows[done] = swapped;
        for (uint32_t i = 0; i < e->count; i++)
            if (i != done && e->rows[i].at[term] && !eliminate(&e->rows[i], &e->rows[done], term))
                return false;
        done++;
    }
    return true;
}

/* The sum of the equations that a row is made of, if one unknown is left in it. */
static bool solve_row(equations *e, const row *r)
{
    sym_table *t = e->t;
    sym_expr sum = sym_int(t, 0), given = sum;
    source *last = NULL;
    for (uint32_t i = 0; i < e->count; i++)
        if (r->at[MOST_TERMS + i]) {
            last = e->sources[i];
            sum = sym_add(t, sum, sym_mul_int(t, last->expr, r->at[MOST_TERMS + i]));
        }
    if (!last || wrap_count_unknowns(e->d, sum) != 1) return false;
    sym_expr scale, shift, unknown = e->d->unknown;
    uint32_t power;
    if (!sym_power_in(t, sum, unknown, &power, &scale, &shift)) return false;
    for (uint32_t i = 0; i < e->count; i++)
        if (r->at[MOST_TERMS + i])
            given = sym_add(
                t, given,
                sym_mul_int(t, wrap_source_symbol(e->d, e->sources[i]), r->at[MOST_TERMS + i]));
    return wrap_solve_for(e->d, last, sum, sym_sub(t, wrap_source_symbol(e->d, last), given));
}

bool wrap_solve_system(definer *d, uint32_t count)
{
    equations e = {.d = d, .t = d->w->loops->symbols};
    uint32_t open = 0;
    for (uint32_t i = 0; i < count; i++) open += wrap_count_unknowns(d, d->sources[i].expr) != 0;
    if (open < 2) return false;
    e.rows = NEW_ARRAY(d->w->memory, row, open < MOST_EQUATIONS ? open : MOST_EQUATIONS);
    for (uint32_t i = 0; i < count; i++)
        if (!add_equation(&e, &d->sources[i])) break;
    if (!reduce(&e)) return false;
    for (uint32_t i = 0; i < e.count; i++)
        if (solve_row(&e, &e.rows[i])) return true;
    return false;
}
