/* simp.c -- floor division, modulo, min and max in simplest form, and simplification under an
 * environment.
 *
 * Division by an integer n first takes out what n divides (a = n*q + r, coefficients truncated,
 * the constant floored); what is left is decided by its range or split by a radix: a divisor g of
 * n such that r = g*x + y with k*g <= y < (k+1)*g, whence r // n = (x + k) // (n/g) and r % n =
 * g*((x + k) % (n/g)) + (y - k*g). Mixed radices (indices of flattened loops) fall apart by these
 * two rules alone. Symbolic divisors follow the same steps with polynomial division and proofs in
 * place of ranges.
 *
 * A division by 0 has no value, so a rule may assume that the divisor is not 0.
 */
#include "sym/sym_priv.h"

enum { FEW = 32 };

/* ---- splitting sums ---- */

/* The terms of a over n: quotients (coefficients truncated, the constant floored), or what they
 * leave. */
static sym_expr divide_terms(sym_table *t, sym_expr a, int64_t n, bool quotient)
{
    uint32_t from = sym_open_sum(t);
    for (uint32_t i = 0; i < sym_term_count(t, a); i++) {
        sym_term term = sym_term_at(t, a, i);
        bool constant = term.product.id == t->one.id;
        int64_t times = constant ? sym_floor(term.coefficient, n) : term.coefficient / n;
        int64_t rest = constant ? sym_remainder(term.coefficient, n) : term.coefficient % n;
        sym_append_term(t, quotient ? times : rest, term.product);
    }
    return sym_close_sum(t, from);
}

/* a = n*q + r with nothing more to take out of r: what is left may join into terms that n divides
 * again. */
static void divide_sum(sym_table *t, sym_expr a, int64_t n, sym_expr *q, sym_expr *r)
{
    enum { MOST_ROUNDS = 8 };
    *q = t->zero;
    *r = a;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        sym_expr part = divide_terms(t, *r, n, true);
        if (part.id == t->zero.id) break;
        *q = sym_add(t, *q, part);
        *r = divide_terms(t, *r, n, false);
    }
}

/* The part of r whose coefficients g divides, over g (x), or what is left (y): r = g*x + y. */
static sym_expr split_radix(sym_table *t, sym_expr r, int64_t g, bool divisible)
{
    uint32_t from = sym_open_sum(t);
    for (uint32_t i = 0; i < sym_term_count(t, r); i++) {
        sym_term term = sym_term_at(t, r, i);
        if (term.product.id == t->one.id) {
            int64_t part =
                divisible ? sym_floor(term.coefficient, g) : sym_remainder(term.coefficient, g);
            sym_append_term(t, part, term.product);
        } else if ((term.coefficient % g == 0) == divisible) {
            sym_append_term(t, divisible ? term.coefficient / g : term.coefficient, term.product);
        }
    }
    return sym_close_sum(t, from);
}

/* Does e stay within one period [k*n, (k+1)*n)? Numbers beyond 2^62 are not looked at: then k*n
 * fits. */
static bool in_one_period(sym_table *t, sym_expr e, int64_t n, const sym_env *env, int64_t *k)
{
    const int64_t large = INT64_MAX / 2;
    sym_interval range = sym_interval_of(t, e, env);
    if (range.min < -large || range.max > large || n > large) return false;
    *k = sym_floor(range.min, n);
    return *k == sym_floor(range.max, n);
}

typedef struct radix {
    int64_t g, k;
    sym_expr x, y;
} radix;

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b == 0 ? (a < 0 ? -a : a) : common_divisor(b, a % b);
}

/* The greatest radix that splits r, of those that r's coefficients suggest. The coefficients are
 * smaller than n. */
static bool find_radix(sym_table *t, sym_expr r, int64_t n, const sym_env *env, radix *best)
{
    best->g = 1;
    uint32_t count = sym_term_count(t, r);
    for (uint32_t i = 0; i < count; i++) {
        sym_term term = sym_term_at(t, r, i);
        if (term.product.id == t->one.id) continue;
        int64_t g = common_divisor(n, term.coefficient);
        if (g <= best->g) continue;
        radix try = {.g = g, .y = split_radix(t, r, g, false)};
        if (!in_one_period(t, try.y, g, env, &try.k)) continue;
        try.x = split_radix(t, r, g, true);
        *best = try;
    }
    return best->g > 1;
}

/* ---- division by an integer ---- */

/* (x // c) // n, ((x // c) + d) // n and (x % m) // n; none when r is nothing like that. */
static sym_expr divide_nested(sym_table *t, sym_expr r, int64_t n, const sym_env *env)
{
    sym_term first = sym_term_at(t, r, 0);
    sym_expr none = {0};
    uint32_t count = sym_term_count(t, r);
    int64_t shift = 0;
    int64_t m;
    if (count == 2 && sym_term_at(t, r, 1).product.id == t->one.id)
        shift = sym_term_at(t, r, 1).coefficient;
    if (first.coefficient != 1 || count > 2 || (count == 2 && shift == 0)) return none;
    sym_op op = sym_op_of(t, first.product);
    if (op != SYM_FLOORDIV && op != SYM_MOD) return none;
    sym_expr x = sym_arg(t, first.product, 0);
    sym_expr c = sym_arg(t, first.product, 1);
    bool integer = sym_is_int(t, c, &m);
    if (integer && m <= 0) return none; /* x // 0 stays what it is */
    if (op == SYM_FLOORDIV && (shift == 0 || integer)) {
        sym_expr divisor = sym_mul_int(t, c, n);
        if (integer && !sym_is_int(t, divisor, NULL)) return none; /* does not fit */
        return sym_floordiv_in(t, sym_add(t, x, sym_mul_int(t, c, shift)), divisor, env);
    }
    if (op == SYM_MOD && shift == 0 && integer && m % n == 0)
        return sym_mod_in(t, sym_floordiv_in(t, x, sym_int(t, n), env), sym_int(t, m / n), env);
    return none;
}

/* (z + x // c) // n, where nothing else in z divides, is (c*z + x) // (c*n); none when r is no such sum. */
static sym_expr divide_once(sym_table *t, sym_expr r, int64_t n, const sym_env *env)
{
    sym_expr none = {0}, quotient = none;
    int64_t c = 0, whole;
    for (uint32_t i = 0; i < sym_term_count(t, r); i++) {
        sym_term term = sym_term_at(t, r, i);
        if (!sym_node_of(t, term.product)->division) continue;
        if (!sym_is_none(quotient) || term.coefficient != 1 ||
            sym_op_of(t, term.product) != SYM_FLOORDIV)
            return none;
        quotient = term.product;
    }
    if (sym_is_none(quotient) || !sym_is_int(t, sym_arg(t, quotient, 1), &c) || c <= 0 ||
        __builtin_mul_overflow(c, n, &whole))
        return none;
    sym_expr z = sym_mul_int(t, sym_sub(t, r, quotient), c);
    return sym_floordiv_in(t, sym_add(t, z, sym_arg(t, quotient, 0)), sym_int(t, whole), env);
}

static sym_expr divide_by_integer(sym_table *t, sym_expr a, int64_t n, const sym_env *env)
{
    int64_t k;
    if (in_one_period(t, a, n, env, &k)) return sym_int(t, k);
    sym_expr q;
    sym_expr r;
    divide_sum(t, a, n, &q, &r);
    if (r.id == t->zero.id) return q;
    if (in_one_period(t, r, n, env, &k)) return sym_add_int(t, q, k);
    sym_expr nested = divide_nested(t, r, n, env);
    if (!sym_is_none(nested)) return sym_add(t, q, nested);
    radix by;
    if (find_radix(t, r, n, env, &by)) {
        sym_expr upper = divide_by_integer(t, sym_add_int(t, by.x, by.k), n / by.g, env);
        return sym_add(t, q, by.g == n ? sym_add_int(t, by.x, by.k) : upper);
    }
    sym_expr once = divide_once(t, r, n, env);
    if (!sym_is_none(once)) return sym_add(t, q, once);
    return sym_add(t, q, sym_make2(t, SYM_FLOORDIV, r, sym_int(t, n)));
}

/* Within a sum modulo n, m*(x % k) counts as m*x where n divides m*k. Gives e itself when there is
 * no such term. */
static sym_expr unwrap_modulo(sym_table *t, sym_expr e, int64_t n)
{
    for (uint32_t i = 0; i < sym_term_count(t, e); i++) {
        sym_term term = sym_term_at(t, e, i);
        sym_expr single;
        uint32_t count;
        const sym_expr *factors = sym_factors(t, term.product, &single, &count);
        for (uint32_t j = 0; j < count; j++) {
            int64_t period;
            sym_expr rest;
            if (sym_op_of(t, factors[j]) != SYM_MOD ||
                !sym_is_int(t, sym_arg(t, factors[j], 1), &period))
                continue;
            if (__builtin_mul_overflow(period, term.coefficient, &period) || period % n != 0)
                continue;
            if (!sym_divide_products(t, term.product, factors[j], &rest)) continue;
            sym_expr whole = sym_from_term(t, term.coefficient, term.product);
            sym_expr bare =
                sym_mul(t, sym_from_term(t, term.coefficient, rest), sym_arg(t, factors[j], 0));
            return unwrap_modulo(t, sym_add(t, sym_sub(t, e, whole), bare), n);
        }
    }
    return e;
}

static sym_expr modulo_integer(sym_table *t, sym_expr a, int64_t n, const sym_env *env)
{
    int64_t k;
    if (in_one_period(t, a, n, env, &k)) return sym_add_int(t, a, -k * n);
    sym_expr q;
    sym_expr r;
    divide_sum(t, a, n, &q, &r);
    if (r.id == t->zero.id) return r;
    if (in_one_period(t, r, n, env, &k)) return sym_add_int(t, r, -k * n);
    if (sym_node_of(t, r)->division) {
        sym_expr bare = unwrap_modulo(t, r, n);
        if (bare.id != r.id) return modulo_integer(t, bare, n, env);
    }
    radix by;
    if (find_radix(t, r, n, env, &by)) {
        sym_expr lower = sym_add_int(t, by.y, -by.k * by.g);
        if (by.g == n) return lower;
        sym_expr upper = modulo_integer(t, sym_add_int(t, by.x, by.k), n / by.g, env);
        return sym_add(t, sym_mul_int(t, upper, by.g), lower);
    }
    return sym_make2(t, SYM_MOD, r, sym_int(t, n));
}

/* ---- division by an expression ---- */

/* Is 0 <= a < b? */
static bool is_below(sym_table *t, sym_expr a, sym_expr b, const sym_env *env)
{
    return sym_known_nonnegative(t, a, env) &&
           sym_known_nonnegative(t, sym_add_int(t, sym_sub(t, b, a), -1), env);
}

typedef struct symbolic_radix {
    sym_expr g, x, y; /* a = g*x + y with 0 <= y < g */
    sym_expr upper;   /* b / g, which is positive: y / g must not tip the quotient the other way */
} symbolic_radix;

static bool find_symbolic_radix(sym_table *t, sym_expr a, sym_expr b, const sym_env *env,
                                symbolic_radix *out)
{
    sym_term whole = sym_content(t, b);
    uint32_t count = sym_term_count(t, a);
    if (count < 2) return false;
    for (uint32_t i = 0; i < count; i++) {
        sym_term g = sym_common(t, whole, sym_term_at(t, a, i));
        if (g.coefficient == 1 && g.product.id == t->one.id) continue;
        sym_expr y = t->zero;
        for (uint32_t k = 0; k < count; k++) {
            sym_term term = sym_term_at(t, a, k);
            sym_expr rest;
            bool divides = term.coefficient % g.coefficient == 0 &&
                           sym_divide_products(t, term.product, g.product, &rest);
            if (!divides) y = sym_add(t, y, sym_from_term(t, term.coefficient, term.product));
        }
        out->y = y;
        out->g = sym_from_term(t, g.coefficient, g.product);
        if (y.id == a.id || !is_below(t, y, out->g, env)) continue;
        if (!sym_divide_exact(t, b, out->g, &out->upper)) continue;
        if (!sym_known_nonnegative(t, out->upper, env)) continue;
        if (sym_divide_exact(t, sym_sub(t, a, y), out->g, &out->x)) return true;
    }
    return false;
}

/* Divides a and b by what all their terms have in common; false when that is 1. */
static bool cancel(sym_table *t, sym_expr *a, sym_expr *b, sym_expr *common)
{
    sym_term content = sym_common(t, sym_content(t, *a), sym_content(t, *b));
    if (content.coefficient == 1 && content.product.id == t->one.id) return false;
    sym_expr x;
    sym_expr y;
    *common = sym_from_term(t, content.coefficient, content.product);
    if (!sym_divide_exact(t, *a, *common, &x) || !sym_divide_exact(t, *b, *common, &y))
        return false;
    *a = x;
    *b = y;
    return true;
}

/* Takes out of a what b divides; a = q*b + r. Leaves a alone where that does not bring an answer
 * nearer. */
static void take_quotient(sym_table *t, sym_expr a, sym_expr b, const sym_env *env, sym_expr *q,
                          sym_expr *r)
{
    sym_divide(t, a, b, q, r);
    bool better = sym_term_count(t, b) == 1 || r->id == t->zero.id || is_below(t, *r, b, env);
    if (better) return;
    *q = t->zero;
    *r = a;
}

static sym_expr divide_by_expression(sym_table *t, sym_expr a, sym_expr b, const sym_env *env)
{
    sym_expr common;
    if (a.id == b.id) return t->one;
    if (cancel(t, &a, &b, &common)) return sym_floordiv_in(t, a, b, env);
    if (sym_term_at(t, b, 0).coefficient < 0)
        return sym_floordiv_in(t, sym_mul_int(t, a, -1), sym_mul_int(t, b, -1), env);
    sym_expr q;
    sym_expr r;
    take_quotient(t, a, b, env, &q, &r);
    if (q.id != t->zero.id) return sym_add(t, q, sym_floordiv_in(t, r, b, env));
    if (is_below(t, a, b, env)) return t->zero;
    bool nested = sym_op_of(t, a) == SYM_FLOORDIV && sym_arg(t, a, 1).id != t->zero.id;
    if (nested && sym_interval_of(t, b, env).min > 0)
        return sym_floordiv_in(t, sym_arg(t, a, 0), sym_mul(t, sym_arg(t, a, 1), b), env);
    symbolic_radix by;
    if (find_symbolic_radix(t, a, b, env, &by)) return sym_floordiv_in(t, by.x, by.upper, env);
    return sym_make2(t, SYM_FLOORDIV, a, b);
}

static sym_expr modulo_expression(sym_table *t, sym_expr a, sym_expr b, const sym_env *env)
{
    sym_expr common;
    if (a.id == b.id) return t->zero;
    if (cancel(t, &a, &b, &common)) return sym_mul(t, common, sym_mod_in(t, a, b, env));
    if (sym_term_at(t, b, 0).coefficient < 0) {
        sym_expr mirrored = sym_mod_in(t, sym_mul_int(t, a, -1), sym_mul_int(t, b, -1), env);
        return sym_mul_int(t, mirrored, -1);
    }
    sym_expr q;
    sym_expr r;
    take_quotient(t, a, b, env, &q, &r);
    if (q.id != t->zero.id) return sym_mod_in(t, r, b, env);
    if (is_below(t, a, b, env)) return a;
    symbolic_radix by;
    if (find_symbolic_radix(t, a, b, env, &by))
        return sym_add(t, sym_mul(t, by.g, sym_mod_in(t, by.x, by.upper, env)), by.y);
    return sym_make2(t, SYM_MOD, a, b);
}

/* ---- floordiv and mod ---- */

static sym_expr divide_anything(sym_table *t, sym_expr a, sym_expr b, const sym_env *env)
{
    int64_t n;
    int64_t value;
    if (!sym_is_int(t, b, &n)) return a.id == t->zero.id ? a : divide_by_expression(t, a, b, env);
    if (n == 0 || n == INT64_MIN) return sym_make2(t, SYM_FLOORDIV, a, b);
    if (n == 1) return a;
    if (n < 0) return sym_floordiv_in(t, sym_mul_int(t, a, -1), sym_int(t, -n), env);
    if (sym_is_int(t, a, &value)) return sym_int(t, sym_floor(value, n));
    return divide_by_integer(t, a, n, env);
}

static sym_expr modulo_anything(sym_table *t, sym_expr a, sym_expr b, const sym_env *env)
{
    int64_t n;
    int64_t value;
    if (!sym_is_int(t, b, &n)) return a.id == t->zero.id ? a : modulo_expression(t, a, b, env);
    if (n == 0 || n == INT64_MIN) return sym_make2(t, SYM_MOD, a, b);
    if (n == 1) return t->zero;
    if (n < 0) return sym_mul_int(t, sym_mod_in(t, sym_mul_int(t, a, -1), sym_int(t, -n), env), -1);
    if (sym_is_int(t, a, &value)) return sym_int(t, sym_remainder(value, n));
    return modulo_integer(t, a, n, env);
}

/* Divisions of expressions without an environment are remembered until a range narrows. */
static sym_expr remember(sym_table *t, sym_op op, sym_expr a, sym_expr b, const sym_env *env)
{
    enum { PLACES = 1024 };
    CHECK(t->session, a.id && b.id);
    bool floordiv = op == SYM_FLOORDIV;
    if (env || sym_is_int(t, a, NULL))
        return floordiv ? divide_anything(t, a, b, env) : modulo_anything(t, a, b, env);
    if (!t->divisions) t->divisions = NEW_ARRAY(t->memory, sym_division, PLACES);
    sym_division *known = &t->divisions[HASH_MIX(HASH_MIX(op, a.id), b.id) >> 7 & (PLACES - 1)];
    bool hit =
        known->op == op && known->a.id == a.id && known->b.id == b.id && known->epoch == t->epoch;
    if (hit) return known->result;
    sym_expr result = floordiv ? divide_anything(t, a, b, NULL) : modulo_anything(t, a, b, NULL);
    /* A proof that ran out of steps may have kept a rule from applying. */
    if (t->proof_steps != 1)
        *known = (sym_division){.op = op, .epoch = t->epoch, .a = a, .b = b, .result = result};
    return result;
}

sym_expr sym_floordiv_in(sym_table *t, sym_expr a, sym_expr b, const sym_env *env)
{
    return remember(t, SYM_FLOORDIV, a, b, env);
}

sym_expr sym_mod_in(sym_table *t, sym_expr a, sym_expr b, const sym_env *env)
{
    return remember(t, SYM_MOD, a, b, env);
}

sym_expr sym_floordiv(sym_table *t, sym_expr a, sym_expr b)
{
    return sym_floordiv_in(t, a, b, NULL);
}

sym_expr sym_mod(sym_table *t, sym_expr a, sym_expr b)
{
    return sym_mod_in(t, a, b, NULL);
}

sym_expr sym_ceildiv(sym_table *t, sym_expr a, sym_expr b)
{
    return sym_mul_int(t, sym_floordiv(t, sym_mul_int(t, a, -1), b), -1);
}

/* ---- min and max ---- */

/* Appends the operands of a tree of one operation. */
static void flatten(const sym_table *t, sym_op op, sym_expr e, sym_expr *out, uint32_t *count,
                    uint32_t room)
{
    while (sym_op_of(t, e) == op && *count + 1 < room) {
        out[(*count)++] = sym_arg(t, e, 1);
        e = sym_arg(t, e, 0);
    }
    out[(*count)++] = e;
}

/* Does x make y superfluous? Of max(a, min(a, b)) the min is, of any min the largest integer. */
static bool dominates(sym_table *t, sym_op op, sym_expr x, sym_expr y, const sym_env *env)
{
    int64_t last;
    if (sym_is_int(t, y, &last) && last == (op == SYM_MIN ? INT64_MAX : INT64_MIN)) return true;
    sym_op other = op == SYM_MIN ? SYM_MAX : SYM_MIN;
    bool absorbs =
        sym_op_of(t, y) == other && (sym_arg(t, y, 0).id == x.id || sym_arg(t, y, 1).id == x.id);
    sym_expr gap = op == SYM_MIN ? sym_sub(t, y, x) : sym_sub(t, x, y);
    return absorbs || sym_known_nonnegative(t, gap, env);
}

sym_expr sym_extreme_in(sym_table *t, sym_op op, sym_expr a, sym_expr b, const sym_env *env)
{
    int64_t x;
    int64_t y;
    CHECK(t->session, a.id && b.id);
    if (a.id == b.id) return a;
    if (sym_is_int(t, a, &x) && sym_is_int(t, b, &y)) return (x < y) == (op == SYM_MIN) ? a : b;
    sym_expr operands[2 * FEW];
    sym_expr kept[2 * FEW] = {{0}};
    uint32_t count = 0;
    uint32_t kept_count = 0;
    flatten(t, op, a, operands, &count, FEW);
    flatten(t, op, b, operands, &count, 2 * FEW);
    for (uint32_t i = 0; i < count; i++) {
        bool superfluous = false;
        for (uint32_t k = 0; k < kept_count && !superfluous; k++)
            superfluous = dominates(t, op, kept[k], operands[i], env);
        if (superfluous) continue;
        uint32_t left = 0;
        for (uint32_t k = 0; k < kept_count; k++)
            if (!dominates(t, op, operands[i], kept[k], env)) kept[left++] = kept[k];
        uint32_t at = left;
        for (; at > 0 && sym_order(t, kept[at - 1], operands[i]) > 0; at--) kept[at] = kept[at - 1];
        kept[at] = operands[i];
        kept_count = left + 1;
    }
    sym_expr total = kept[0];
    for (uint32_t k = 1; k < kept_count; k++) total = sym_make2(t, op, total, kept[k]);
    return total;
}

sym_expr sym_min(sym_table *t, sym_expr a, sym_expr b)
{
    return sym_extreme_in(t, SYM_MIN, a, b, NULL);
}

sym_expr sym_max(sym_table *t, sym_expr a, sym_expr b)
{
    return sym_extreme_in(t, SYM_MAX, a, b, NULL);
}

/* ---- simplification ---- */

sym_expr sym_rebuild(sym_table *t, sym_op op, const sym_expr *args, uint32_t count,
                     const sym_env *env)
{
    switch (op) {
    case SYM_ADD: return sym_sum(t, args, count);
    case SYM_MUL: return sym_product(t, args, count);
    case SYM_FLOORDIV: return sym_floordiv_in(t, args[0], args[1], env);
    case SYM_MOD: return sym_mod_in(t, args[0], args[1], env);
    case SYM_MIN:
    case SYM_MAX: return sym_extreme_in(t, op, args[0], args[1], env);
    case SYM_NOT: return sym_not(t, args[0]);
    default: return sym_compare_in(t, op, args[0], args[1], env);
    }
}

static sym_expr simplify(sym_table *t, sym_expr e, const sym_env *env)
{
    if (sym_node_of(t, e)->symbols == 0) return e;
    sym_memo_entry *known = sym_memo_at(t, t->rewrites, e.id);
    if (known->stamp == t->rewrites->now) return (sym_expr){known->id};

    sym_interval range = sym_interval_of(t, e, env);
    sym_expr result = e;
    uint32_t count = sym_arg_count(t, e);
    if (range.min == range.max) {
        result = sym_int(t, range.min);
    } else if (count > 0) {
        sym_expr few[FEW];
        sym_expr *args = count <= FEW ? few : NEW_ARRAY(t->memory, sym_expr, count);
        for (uint32_t i = 0; i < count; i++) args[i] = simplify(t, sym_arg(t, e, i), env);
        result = sym_rebuild(t, sym_op_of(t, e), args, count, env);
    }
    known = sym_memo_at(t, t->rewrites, e.id);
    known->stamp = t->rewrites->now;
    known->id = result.id;
    return result;
}

sym_expr sym_simplify(sym_table *t, sym_expr e, const sym_env *env)
{
    enum { MOST_ROUNDS = 3 };
    env = sym_enter(t, env);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        t->rewrites->now++;
        sym_expr better = simplify(t, e, env);
        if (better.id == e.id) break;
        e = better;
    }
    return e;
}
