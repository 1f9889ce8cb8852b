/* number.c -- sizes in numbers. Nothing here writes to the symbol table, so that callers on several
 * threads may share one; arithmetic is that of generated code (rt_program.h).
 */
#include "exec/exec_priv.h"

uint32_t exec_symbol_place(const exec_program *x, sym_expr symbol)
{
    uint32_t place = map_get(&x->symbol_places, symbol.id);
    if (place == MAP_NONE)
        BUG(x->w->session, "%s is never defined", sym_name(x->w->loops->symbols, symbol));
    return place;
}

static int64_t apply(sym_op op, int64_t a, int64_t b)
{
    switch (op) {
    case SYM_ADD: return (int64_t)((uint64_t)a + (uint64_t)b);
    case SYM_MUL: return (int64_t)((uint64_t)a * (uint64_t)b);
    case SYM_FLOORDIV: return fe_floordiv(a, b);
    case SYM_MOD: return fe_mod(a, b);
    case SYM_MIN: return fe_min(a, b);
    case SYM_MAX: return fe_max(a, b);
    case SYM_EQ: return a == b;
    case SYM_NE: return a != b;
    case SYM_LT: return a < b;
    case SYM_LE: return a <= b;
    case SYM_AND: return a && b;
    case SYM_OR: return a || b;
    default: return !a;
    }
}

int64_t exec_value(const exec_program *x, const int64_t *values, sym_expr e)
{
    const sym_table *t = x->w->loops->symbols;
    int64_t value;
    if (sym_is_int(t, e, &value)) return value;
    if (sym_op_of(t, e) == SYM_SYMBOL) return values[exec_symbol_place(x, e)];
    value = exec_value(x, values, sym_arg(t, e, 0));
    if (sym_op_of(t, e) == SYM_NOT) return !value;
    for (uint32_t i = 1; i < sym_arg_count(t, e); i++)
        value = apply(sym_op_of(t, e), value, exec_value(x, values, sym_arg(t, e, i)));
    return value;
}

static int64_t apply_to_sizes(sym_op op, int64_t a, int64_t b)
{
    switch (op) {
    case SYM_ADD: return fe_plus(a, b);
    case SYM_MUL: return fe_times(a, b);
    case SYM_FLOORDIV: return fe_over(a, b);
    default: return apply(op, a, b);
    }
}

int64_t exec_size_value(const exec_program *x, const int64_t *values, sym_expr e)
{
    const sym_table *t = x->w->loops->symbols;
    sym_op op = sym_op_of(t, e);
    bool saturates =
        op == SYM_ADD || op == SYM_MUL || op == SYM_FLOORDIV || op == SYM_MIN || op == SYM_MAX;
    if (!saturates) return exec_value(x, values, e);
    int64_t value = exec_size_value(x, values, sym_arg(t, e, 0));
    for (uint32_t i = 1; i < sym_arg_count(t, e); i++)
        value = apply_to_sizes(op, value, exec_size_value(x, values, sym_arg(t, e, i)));
    return value;
}

int64_t exec_number(const exec_run *r, sym_expr e)
{
    return exec_value(r->x, r->f->symbols, e);
}

int64_t exec_size(const exec_run *r, sym_expr e)
{
    return exec_size_value(r->x, r->f->symbols, e);
}

bool exec_holds(const exec_run *r, const sym_relation *relation)
{
    return apply(relation->op, exec_number(r, relation->left), exec_number(r, relation->right)) !=
           0;
}
