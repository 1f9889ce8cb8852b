/* sum.c -- the linear normal form: sums of products with integer coefficients.
 *
 * Sums are made on a stack of terms: lists are pushed, merged and closed into a node. A
 * coefficient that would not fit in 64 bits stays as a product that is not multiplied out
 * ("opaque"), or as two terms of one product. Sums that hold floordiv and mod are joined where the
 * parts of a number meet again:
 *
 *     c*(x % a) + c*a*(x // a)        -> c*x
 *     c*(x % a) + c*a*((x // a) % k)  -> c*(x % (a*k))
 *     c*x - c*a*(x // a)              -> c*(x % a)
 */
#include "sym/sym_priv.h"

#include <string.h>

enum {
    FEW = 32,            /* lists up to here live on the C stack */
    MOST_PRODUCTS = 256, /* sums are multiplied out up to this many terms */
    MOST_JOINED = 32     /* parts are looked for in sums up to this many terms */
};

static sym_expr *room_for(sym_table *t, sym_expr few[FEW], uint32_t count)
{
    return count <= FEW ? few : NEW_ARRAY(t->memory, sym_expr, count);
}

/* ---- terms and products ---- */

/* A product with a constant among its factors because the coefficient overflowed. */
static bool is_opaque(const sym_table *t, sym_expr e)
{
    const sym_node *n = sym_node_of(t, e);
    return n->op == SYM_MUL && n->rest == e.id && sym_node_of(t, n->args[0])->op == SYM_CONST;
}

sym_term sym_as_term(const sym_table *t, sym_expr e)
{
    const sym_node *n = sym_node_of(t, e);
    if (n->op == SYM_CONST) return (sym_term){n->value, t->one};
    if (n->op == SYM_MUL) return (sym_term){n->value, {n->rest}};
    return (sym_term){1, e};
}

uint32_t sym_term_count(const sym_table *t, sym_expr e)
{
    const sym_node *n = sym_node_of(t, e);
    if (n->op == SYM_ADD) return n->count;
    return e.id != t->zero.id;
}

sym_term sym_term_at(const sym_table *t, sym_expr e, uint32_t i)
{
    const sym_node *n = sym_node_of(t, e);
    return sym_as_term(t, n->op == SYM_ADD ? n->args[i] : e);
}

const sym_expr *sym_factors(const sym_table *t, sym_expr product, sym_expr *single, uint32_t *count)
{
    const sym_node *n = sym_node_of(t, product);
    if (n->op == SYM_MUL && !is_opaque(t, product)) {
        *count = n->count;
        return n->args;
    }
    *single = product;
    *count = product.id != t->one.id;
    return single;
}

/* The product of factors in order. */
static sym_expr from_factors(sym_table *t, const sym_expr *factors, uint32_t count)
{
    if (count == 0) return t->one;
    return count == 1 ? factors[0] : sym_make(t, SYM_MUL, factors, count, 1, 0);
}

sym_expr sym_from_term(sym_table *t, int64_t coefficient, sym_expr product)
{
    if (coefficient == 0) return t->zero;
    if (product.id == t->one.id) return sym_int(t, coefficient);
    if (coefficient == 1) return product;
    sym_expr single;
    uint32_t count;
    const sym_expr *factors = sym_factors(t, product, &single, &count);
    sym_expr few[FEW];
    sym_expr *args = room_for(t, few, count + 1);
    args[0] = sym_int(t, coefficient);
    memcpy(args + 1, factors, count * sizeof *factors);
    return sym_make(t, SYM_MUL, args, count + 1, coefficient, product.id);
}

static sym_expr multiply_products(sym_table *t, sym_expr p, sym_expr q)
{
    if (p.id == t->one.id) return q;
    if (q.id == t->one.id) return p;
    sym_expr single_p;
    sym_expr single_q;
    uint32_t m;
    uint32_t n;
    const sym_expr *x = sym_factors(t, p, &single_p, &m);
    const sym_expr *y = sym_factors(t, q, &single_q, &n);
    sym_expr few[FEW];
    sym_expr *out = room_for(t, few, m + n);
    uint32_t i = 0;
    uint32_t j = 0;
    for (uint32_t k = 0; k < m + n; k++)
        out[k] = j == n || (i < m && sym_order(t, x[i], y[j]) <= 0) ? x[i++] : y[j++];
    return from_factors(t, out, m + n);
}

bool sym_divide_products(sym_table *t, sym_expr p, sym_expr q, sym_expr *out)
{
    sym_expr single_p;
    sym_expr single_q;
    uint32_t m;
    uint32_t n;
    const sym_expr *x = sym_factors(t, p, &single_p, &m);
    const sym_expr *y = sym_factors(t, q, &single_q, &n);
    if (n > m) return false;
    sym_expr few[FEW];
    sym_expr *kept = room_for(t, few, m);
    uint32_t count = 0;
    uint32_t j = 0;
    for (uint32_t i = 0; i < m; i++) {
        if (j < n && x[i].id == y[j].id)
            j++;
        else
            kept[count++] = x[i];
    }
    if (j < n) return false;
    *out = from_factors(t, kept, count);
    return true;
}

sym_expr sym_common_product(sym_table *t, sym_expr p, sym_expr q)
{
    sym_expr single_p;
    sym_expr single_q;
    uint32_t m;
    uint32_t n;
    const sym_expr *x = sym_factors(t, p, &single_p, &m);
    const sym_expr *y = sym_factors(t, q, &single_q, &n);
    sym_expr few[FEW];
    sym_expr *kept = room_for(t, few, m);
    uint32_t count = 0;
    for (uint32_t i = 0, j = 0; i < m && j < n;) {
        int order = sym_order(t, x[i], y[j]);
        if (order == 0) kept[count++] = x[i];
        i += order <= 0;
        j += order >= 0;
    }
    return from_factors(t, kept, count);
}

/* ---- the stack of terms ---- */

uint32_t sym_open_sum(const sym_table *t)
{
    return t->terms.count;
}

void sym_append_term(sym_table *t, int64_t coefficient, sym_expr product)
{
    if (coefficient != 0) vec_push(t->memory, &t->terms, (sym_term){coefficient, product});
}

/* coefficient * term * product onto the stack, as an opaque product when the coefficient does not
 * fit. */
static void append_multiple(sym_table *t, sym_term a, sym_term b)
{
    sym_expr product = multiply_products(t, a.product, b.product);
    int64_t coefficient;
    if (__builtin_mul_overflow(a.coefficient, b.coefficient, &coefficient)) {
        sym_expr rest = sym_from_term(t, b.coefficient, product);
        product = sym_make(t, SYM_MUL, (sym_expr[]){sym_int(t, a.coefficient), rest}, 2, 1, 0);
        coefficient = 1;
    }
    sym_append_term(t, coefficient, product);
}

/* Merges the sorted lists at [from, middle) and [middle, top) into one at `from`. */
static void merge_lists(sym_table *t, uint32_t from, uint32_t middle)
{
    uint32_t end = t->terms.count;
    uint32_t i = from;
    uint32_t j = middle;
    while (i < middle || j < end) {
        sym_term a = i < middle ? t->terms.at[i] : (sym_term){0, t->one};
        sym_term b = j < end ? t->terms.at[j] : (sym_term){0, t->one};
        int order = i == middle ? 1 : j == end ? -1 : sym_order_products(t, a.product, b.product);
        int64_t total = 0;
        bool fits = order == 0 && !__builtin_add_overflow(a.coefficient, b.coefficient, &total);
        if (order == 0 && a.coefficient > b.coefficient) order = 1;
        if (fits) {
            sym_append_term(t, total, a.product);
            i++;
            j++;
        } else if (order <= 0) {
            sym_append_term(t, a.coefficient, a.product);
            i++;
        } else {
            sym_append_term(t, b.coefficient, b.product);
            j++;
        }
    }
    uint32_t count = t->terms.count - end;
    if (count) memmove(t->terms.at + from, t->terms.at + end, count * sizeof *t->terms.at);
    t->terms.count = from + count;
}

/* scale * e onto the stack, as a list of its own. */
static void push_multiple(sym_table *t, sym_expr e, sym_term scale)
{
    uint32_t count = sym_term_count(t, e);
    for (uint32_t i = 0; i < count; i++) {
        sym_term term = sym_term_at(t, e, i);
        append_multiple(t, scale, term);
    }
}

/* ---- joining quotients and remainders ---- */

/* The sum of all terms but the two of these positions. */
static sym_expr sum_without(sym_table *t, const sym_expr *args, uint32_t count, uint32_t i,
                            uint32_t j)
{
    uint32_t from = sym_open_sum(t);
    for (uint32_t k = 0; k < count; k++) {
        if (k == i || k == j) continue;
        sym_term term = sym_as_term(t, args[k]);
        sym_append_term(t, term.coefficient, term.product);
    }
    return sym_close_sum(t, from);
}

/* These give false where a coefficient does not fit or divide. */
static bool multiply_terms(sym_table *t, sym_term a, sym_term b, sym_term *out)
{
    out->product = multiply_products(t, a.product, b.product);
    return !__builtin_mul_overflow(a.coefficient, b.coefficient, &out->coefficient);
}

static bool divide_term(sym_table *t, sym_term a, sym_term b, sym_term *out)
{
    bool fits = b.coefficient != 0 && b.coefficient != -1 && a.coefficient % b.coefficient == 0;
    if (!fits || !sym_divide_products(t, a.product, b.product, &out->product)) return false;
    out->coefficient = a.coefficient / b.coefficient;
    return true;
}

static sym_expr term_sum(sym_table *t, sym_term scale, sym_expr e)
{
    return sym_mul(t, sym_from_term(t, scale.coefficient, scale.product), e);
}

static bool is_term(const sym_table *t, sym_expr e, sym_term wanted)
{
    sym_term term = sym_as_term(t, e);
    return term.product.id == wanted.product.id && term.coefficient == wanted.coefficient;
}

/* Is args[j] scale * ((x // a) % k), where quotient is x // a? Gives the mod. */
static bool is_upper_part(sym_table *t, sym_expr e, sym_term scale, sym_expr quotient,
                          sym_expr *upper)
{
    sym_expr single;
    uint32_t count;
    sym_term whole;
    const sym_expr *factors = sym_factors(t, sym_as_term(t, e).product, &single, &count);
    for (uint32_t k = 0; k < count; k++) {
        *upper = factors[k];
        if (sym_op_of(t, *upper) != SYM_MOD || sym_arg(t, *upper, 0).id != quotient.id) continue;
        if (multiply_terms(t, scale, (sym_term){1, *upper}, &whole) && is_term(t, e, whole))
            return true;
    }
    return false;
}

/* args[i] is m * (x % a): looks for m*a * (x // a), or m*a * ((x // a) % k). */
static bool join_remainder(sym_table *t, const sym_expr *args, uint32_t count, uint32_t i,
                           sym_expr mod, sym_expr *out)
{
    sym_expr x = sym_arg(t, mod, 0);
    sym_expr a = sym_arg(t, mod, 1);
    sym_term multiple;
    sym_term scale;
    sym_term whole = {0, t->one};
    if (sym_term_count(t, a) != 1) return false;
    if (!divide_term(t, sym_as_term(t, args[i]), (sym_term){1, mod}, &multiple)) return false;
    if (!multiply_terms(t, multiple, sym_as_term(t, a), &scale)) return false;
    sym_expr quotient = sym_floordiv(t, x, a);
    bool simple = sym_term_count(t, quotient) == 1;
    simple = simple && multiply_terms(t, scale, sym_as_term(t, quotient), &whole);
    for (uint32_t j = 0; j < count; j++) {
        sym_expr upper;
        sym_expr joined;
        if (j == i || !sym_node_of(t, args[j])->division) continue;
        if (simple && is_term(t, args[j], whole))
            joined = x;
        else if (is_upper_part(t, args[j], scale, quotient, &upper))
            joined = sym_mod(t, x, sym_mul(t, a, sym_arg(t, upper, 1)));
        else
            continue;
        *out = sym_add(t, sum_without(t, args, count, i, j), term_sum(t, multiple, joined));
        return true;
    }
    return false;
}

/* Is each term of c*y, but for the constant, among args? */
static bool holds_multiple(sym_table *t, const sym_expr *args, uint32_t count, sym_term c,
                           sym_expr y)
{
    bool any = false;
    for (uint32_t k = 0; k < sym_term_count(t, y); k++) {
        sym_term term = sym_term_at(t, y, k);
        sym_term scaled;
        if (term.product.id == t->one.id) continue;
        if (!multiply_terms(t, c, term, &scaled)) return false;
        bool found = false;
        for (uint32_t i = 0; i < count && !found; i++) found = is_term(t, args[i], scaled);
        if (!found) return false;
        any = true;
    }
    return any;
}

/* args[i] is -c*a * (x // a): looks for c*x. */
static bool join_quotient(sym_table *t, const sym_expr *args, uint32_t count, uint32_t i,
                          sym_expr quotient, sym_expr *out)
{
    sym_expr x = sym_arg(t, quotient, 0);
    sym_expr a = sym_arg(t, quotient, 1);
    sym_term multiple;
    sym_term c;
    if (sym_term_count(t, a) != 1) return false;
    if (!divide_term(t, sym_as_term(t, args[i]), (sym_term){1, quotient}, &multiple)) return false;
    if (!divide_term(t, multiple, sym_as_term(t, a), &c)) return false;
    if (__builtin_sub_overflow(0, c.coefficient, &c.coefficient)) return false;
    if (!holds_multiple(t, args, count, c, x)) return false;
    sym_expr others = sym_sub(t, sum_without(t, args, count, i, i), term_sum(t, c, x));
    *out = sym_add(t, others, term_sum(t, c, sym_mod(t, x, a)));
    return true;
}

static bool join_parts(sym_table *t, const sym_expr *args, uint32_t count, sym_expr *out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!sym_node_of(t, args[i])->division) continue;
        sym_expr single;
        uint32_t factor_count;
        const sym_expr *factors =
            sym_factors(t, sym_as_term(t, args[i]).product, &single, &factor_count);
        for (uint32_t k = 0; k < factor_count; k++) {
            sym_op op = sym_op_of(t, factors[k]);
            if (op == SYM_MOD && join_remainder(t, args, count, i, factors[k], out)) return true;
            if (op == SYM_FLOORDIV && join_quotient(t, args, count, i, factors[k], out))
                return true;
        }
    }
    return false;
}

sym_expr sym_close_sum(sym_table *t, uint32_t from)
{
    uint32_t count = t->terms.count - from;
    sym_expr few[FEW];
    sym_expr *args = room_for(t, few, count);
    bool division = false;
    for (uint32_t i = 0; i < count; i++) {
        args[i] =
            sym_from_term(t, t->terms.at[from + i].coefficient, t->terms.at[from + i].product);
        division |= sym_node_of(t, args[i])->division;
    }
    t->terms.count = from;
    if (count == 0) return t->zero;
    if (count == 1) return args[0];
    if (division && count <= MOST_JOINED) {
        sym_expr known = sym_lookup(t, SYM_ADD, args, count, 0); /* then nothing joins in it */
        sym_expr joined;
        if (!sym_is_none(known)) return known;
        if (join_parts(t, args, count, &joined)) return joined;
    }
    return sym_make(t, SYM_ADD, args, count, 0, 0);
}

/* ---- sums and products ---- */

/* a + scale * b */
static sym_expr add_multiple(sym_table *t, sym_expr a, sym_expr b, int64_t scale)
{
    uint32_t from = sym_open_sum(t);
    push_multiple(t, a, (sym_term){1, t->one});
    uint32_t middle = sym_open_sum(t);
    push_multiple(t, b, (sym_term){scale, t->one});
    merge_lists(t, from, middle);
    return sym_close_sum(t, from);
}

sym_expr sym_add(sym_table *t, sym_expr a, sym_expr b)
{
    int64_t x;
    int64_t y;
    int64_t total;
    CHECK(t->session, a.id && b.id);
    if (a.id == t->zero.id) return b;
    if (b.id == t->zero.id) return a;
    bool constants = sym_is_int(t, a, &x) && sym_is_int(t, b, &y);
    if (constants && !__builtin_add_overflow(x, y, &total)) return sym_int(t, total);
    return add_multiple(t, a, b, 1);
}

sym_expr sym_sub(sym_table *t, sym_expr a, sym_expr b)
{
    int64_t x;
    int64_t y;
    int64_t total;
    CHECK(t->session, a.id && b.id);
    if (a.id == b.id) return t->zero;
    if (b.id == t->zero.id) return a;
    bool constants = sym_is_int(t, a, &x) && sym_is_int(t, b, &y);
    if (constants && !__builtin_sub_overflow(x, y, &total)) return sym_int(t, total);
    return add_multiple(t, a, b, -1);
}

sym_expr sym_mul(sym_table *t, sym_expr a, sym_expr b)
{
    int64_t x;
    int64_t y;
    int64_t total;
    CHECK(t->session, a.id && b.id);
    if (a.id == t->one.id || b.id == t->zero.id) return b;
    if (b.id == t->one.id || a.id == t->zero.id) return a;
    bool constants = sym_is_int(t, a, &x) && sym_is_int(t, b, &y);
    if (constants && !__builtin_mul_overflow(x, y, &total)) return sym_int(t, total);

    uint32_t from = sym_open_sum(t);
    uint32_t m = sym_term_count(t, a);
    uint32_t n = sym_term_count(t, b);
    if (m > 1 && n > 1 && m > MOST_PRODUCTS / n) {
        append_multiple(t, (sym_term){1, a}, (sym_term){1, b});
        return sym_close_sum(t, from);
    }
    for (uint32_t i = 0; i < m; i++) {
        uint32_t middle = sym_open_sum(t);
        push_multiple(t, b, sym_term_at(t, a, i));
        merge_lists(t, from, middle);
    }
    return sym_close_sum(t, from);
}

sym_expr sym_add_int(sym_table *t, sym_expr a, int64_t b)
{
    return sym_add(t, a, sym_int(t, b));
}

sym_expr sym_mul_int(sym_table *t, sym_expr a, int64_t b)
{
    return sym_mul(t, a, sym_int(t, b));
}

sym_expr sym_product(sym_table *t, const sym_expr *factors, uint32_t count)
{
    sym_expr total = t->one;
    for (uint32_t i = 0; i < count; i++) total = sym_mul(t, total, factors[i]);
    return total;
}

/* By halves, so that long sums cost n log n. */
sym_expr sym_sum(sym_table *t, const sym_expr *args, uint32_t count)
{
    if (count == 0) return t->zero;
    if (count == 1) return args[0];
    return sym_add(t, sym_sum(t, args, count / 2), sym_sum(t, args + count / 2, count - count / 2));
}
