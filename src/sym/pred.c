/* pred.c -- predicates: comparisons in normal form, and, or, not.
 *
 * A comparison of a and b is one of a - b with 0: divided by what its coefficients have in common,
 * positive terms to the left and negative ones to the right, so that both sides read without minus
 * signs. `a < b` is written as `a <= b - 1` unless the constant vanishes by it; `8 > s0` becomes
 * `s0 <= 7`, `s0 >= 1` becomes `0 < s0`.
 */
#include "sym/sym_priv.h"

enum { FEW = 32 };

static sym_expr truth_value(sym_table *t, bool holds)
{
    return holds ? t->one : t->zero;
}

static bool is_predicate(const sym_table *t, sym_expr e)
{
    sym_interval range = sym_interval_of(t, e, NULL);
    return range.min >= 0 && range.max <= 1;
}

static sym_expr as_predicate(sym_table *t, sym_expr e, const sym_env *env)
{
    return is_predicate(t, e) ? e : sym_compare_in(t, SYM_NE, e, t->zero, env);
}

/* ---- comparisons ---- */

/* The terms of d but for the constant, over g: those of this sign, made positive. */
static sym_expr side(sym_table *t, sym_expr d, int64_t g, bool positive)
{
    uint32_t from = sym_open_sum(t);
    for (uint32_t i = 0; i < sym_term_count(t, d); i++) {
        sym_term term = sym_term_at(t, d, i);
        if (term.product.id == t->one.id || (term.coefficient > 0) != positive) continue;
        sym_append_term(t, positive ? term.coefficient / g : -(term.coefficient / g), term.product);
    }
    return sym_close_sum(t, from);
}

/* The constant of d and what its other coefficients have in common; false when a number is too
 * large to handle. */
static bool measure(sym_table *t, sym_expr d, int64_t *constant, int64_t *g)
{
    sym_term content = {0, t->one};
    uint32_t constants = 0;
    *constant = 0;
    for (uint32_t i = 0; i < sym_term_count(t, d); i++) {
        sym_term term = sym_term_at(t, d, i);
        if (term.coefficient <= INT64_MIN + 1 || term.coefficient == INT64_MAX) return false;
        if (term.product.id == t->one.id) {
            *constant = term.coefficient;
            constants++;
        } else {
            content = sym_common(t, content, (sym_term){term.coefficient, t->one});
        }
    }
    *g = content.coefficient;
    return constants <= 1 && *g > 0;
}

static sym_expr compare_equal(sym_table *t, sym_op op, sym_expr d, int64_t constant, int64_t g)
{
    if (constant % g != 0) return truth_value(t, op == SYM_NE);
    bool minus = sym_term_at(t, d, 0).coefficient < 0;
    sym_expr left = side(t, d, g, !minus);
    sym_expr right = side(t, d, g, minus);
    constant = (minus ? -constant : constant) / g;
    if (constant > 0)
        left = sym_add_int(t, left, constant);
    else
        right = sym_add_int(t, right, -constant);
    return sym_make2(t, op, left, right);
}

/* d <= 0 */
static sym_expr compare_order(sym_table *t, sym_expr d, int64_t constant, int64_t g)
{
    constant = -sym_floor(-constant, g);
    sym_expr left = side(t, d, g, true);
    sym_expr right = side(t, d, g, false);
    if (constant == 1) return sym_make2(t, SYM_LT, left, right);
    if (constant > 0)
        left = sym_add_int(t, left, constant);
    else
        right = sym_add_int(t, right, -constant);
    return sym_make2(t, SYM_LE, left, right);
}

/* And, or: flattened, in order, without duplicates; an operand beside its opposite decides. */
static sym_expr connect(sym_table *t, sym_op op, sym_expr a, sym_expr b, const sym_env *env)
{
    sym_expr kept[2 * FEW];
    uint32_t count = 0;
    sym_expr decisive = truth_value(t, op == SYM_OR);
    sym_expr neutral = truth_value(t, op == SYM_AND);
    sym_expr pending[2] = {as_predicate(t, a, env), as_predicate(t, b, env)};
    for (uint32_t side_index = 0; side_index < 2; side_index++) {
        sym_expr e = pending[side_index];
        for (bool more = true; more;) {
            more = sym_op_of(t, e) == op && count + 2 < (side_index + 1) * FEW;
            sym_expr operand = more ? sym_arg(t, e, 1) : e;
            if (more) e = sym_arg(t, e, 0);
            if (operand.id == decisive.id) return decisive;
            sym_expr opposite = sym_not(t, operand);
            bool present = operand.id == neutral.id;
            for (uint32_t k = 0; k < count; k++) {
                if (kept[k].id == opposite.id) return decisive;
                present |= kept[k].id == operand.id;
            }
            if (present) continue;
            uint32_t at = count++;
            for (; at > 0 && sym_order(t, kept[at - 1], operand) > 0; at--) kept[at] = kept[at - 1];
            kept[at] = operand;
        }
    }
    sym_expr total = count ? kept[0] : neutral;
    for (uint32_t k = 1; k < count; k++) total = sym_make2(t, op, total, kept[k]);
    return total;
}

sym_expr sym_compare_in(sym_table *t, sym_op op, sym_expr a, sym_expr b, const sym_env *env)
{
    int64_t x;
    int64_t y;
    CHECK(t->session, a.id && b.id);
    if (op == SYM_AND || op == SYM_OR) return connect(t, op, a, b, env);
    CHECK(t->session, op == SYM_EQ || op == SYM_NE || op == SYM_LT || op == SYM_LE);
    if (sym_is_int(t, a, &x) && sym_is_int(t, b, &y)) {
        bool holds = op == SYM_EQ ? x == y : op == SYM_NE ? x != y : op == SYM_LT ? x < y : x <= y;
        return truth_value(t, holds);
    }
    sym_expr d = sym_sub(t, a, b);
    sym_truth truth = sym_decide(t, op, d, env);
    if (truth != SYM_UNKNOWN) return truth_value(t, truth == SYM_TRUE);
    if (op == SYM_LT) d = sym_add_int(t, d, 1);
    int64_t constant;
    int64_t g;
    if (!measure(t, d, &constant, &g)) return sym_make2(t, op, a, b);
    if (op == SYM_EQ || op == SYM_NE) return compare_equal(t, op, d, constant, g);
    return compare_order(t, d, constant, g);
}

sym_expr sym_compare(sym_table *t, sym_op op, sym_expr a, sym_expr b)
{
    return sym_compare_in(t, op, a, b, NULL);
}

sym_expr sym_not(sym_table *t, sym_expr a)
{
    sym_expr x = {0};
    sym_expr y = {0};
    sym_op op = sym_op_of(t, a);
    if (sym_arg_count(t, a) > 0) x = sym_arg(t, a, 0);
    if (sym_arg_count(t, a) > 1) y = sym_arg(t, a, 1);
    switch (op) {
    case SYM_EQ: return sym_compare(t, SYM_NE, x, y);
    case SYM_NE: return sym_compare(t, SYM_EQ, x, y);
    case SYM_LT: return sym_compare(t, SYM_LE, y, x);
    case SYM_LE: return sym_compare(t, SYM_LT, y, x);
    case SYM_NOT: return as_predicate(t, x, NULL);
    case SYM_AND:
    case SYM_OR: return sym_make(t, SYM_NOT, &a, 1, 0, 0);
    default: return sym_compare(t, SYM_EQ, a, t->zero);
    }
}
