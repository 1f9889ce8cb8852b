/* poly.c -- sums as polynomials: division with a remainder, and what all terms have in common.
 *
 * Division is the textbook one by leading terms; the order of terms makes it exact whenever the
 * divisor divides. Factors that are no symbols (x // 8, min(a, b)) count as variables of their own.
 */
#include "sym/sym_priv.h"

void sym_divide(sym_table *t, sym_expr a, sym_expr b, sym_expr *q, sym_expr *r)
{
    enum { MOST_STEPS = 64 };
    sym_term lead = sym_term_at(t, b, 0);
    *q = t->zero;
    *r = t->zero;
    for (int step = 0; step < MOST_STEPS && a.id != t->zero.id; step++) {
        sym_term first = sym_term_at(t, a, 0);
        sym_expr product;
        /* Truncating the coefficient is as good as any other split: what is left is smaller. */
        int64_t times = lead.coefficient == -1 ? 0 : first.coefficient / lead.coefficient;
        bool fits = lead.coefficient != -1 || !__builtin_sub_overflow(0, first.coefficient, &times);
        if (fits && times != 0 && sym_divide_products(t, first.product, lead.product, &product)) {
            sym_expr part = sym_from_term(t, times, product);
            *q = sym_add(t, *q, part);
            a = sym_sub(t, a, sym_mul(t, part, b));
            continue;
        }
        sym_expr moved = sym_from_term(t, first.coefficient, first.product);
        *r = sym_add(t, *r, moved);
        a = sym_sub(t, a, moved);
    }
    *r = sym_add(t, *r, a);
}

bool sym_divide_exact(sym_table *t, sym_expr a, sym_expr b, sym_expr *q)
{
    sym_expr rest;
    if (b.id == t->zero.id) return false;
    sym_divide(t, a, b, q, &rest);
    return rest.id == t->zero.id;
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    uint64_t y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x > INT64_MAX ? 1 : (int64_t)x;
}

sym_term sym_common(sym_table *t, sym_term a, sym_term b)
{
    if (a.coefficient == 0) return (sym_term){greatest_divisor(0, b.coefficient), b.product};
    if (b.coefficient == 0) return (sym_term){greatest_divisor(0, a.coefficient), a.product};
    return (sym_term){greatest_divisor(a.coefficient, b.coefficient),
                      sym_common_product(t, a.product, b.product)};
}

sym_term sym_content(sym_table *t, sym_expr e)
{
    sym_term content = {0, t->one};
    for (uint32_t i = 0; i < sym_term_count(t, e); i++) {
        content = sym_common(t, content, sym_term_at(t, e, i));
        if (content.coefficient == 1 && content.product.id == t->one.id) break;
    }
    return content;
}
