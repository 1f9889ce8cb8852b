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

/* Of a sum or a product, of which one operand at most has a symbol; else of another kind. */
static exec_term joined(const exec_program *x, sym_expr e, sym_op op)
{
    const sym_table *t = x->w->loops->symbols;
    exec_term out = {.number = op == SYM_MUL, .kind = EXEC_KNOWN};
    for (uint32_t i = 0; i < sym_arg_count(t, e); i++) {
        sym_expr arg = sym_arg(t, e, i);
        exec_term term = arg.id < e.id ? x->terms[arg.id] : (exec_term){0};
        bool meets = out.kind == EXEC_LINEAR && term.kind == EXEC_LINEAR;
        if (term.kind == EXEC_OTHER || (meets && (op == SYM_MUL || out.place != term.place)))
            return (exec_term){0};
        if (op == SYM_ADD)
            out.factor = apply(op, out.factor, term.factor);
        else
            out.factor = apply(SYM_ADD, apply(op, out.factor, term.number),
                               apply(op, out.number, term.factor));
        out.number = apply(op, out.number, term.number);
        if (term.kind == EXEC_LINEAR) out.kind = EXEC_LINEAR, out.place = term.place;
    }
    return out;
}

void exec_make_terms(exec_program *x)
{
    const sym_table *t = x->w->loops->symbols;
    x->term_count = sym_id_end(t);
    x->terms = NEW_ARRAY(x->memory, exec_term, x->term_count + 1);
    for (uint32_t id = 1; id < x->term_count; id++) {
        sym_expr e = {id};
        exec_term *term = &x->terms[id];
        sym_op op = sym_op_of(t, e);
        if (sym_is_int(t, e, &term->number))
            term->kind = EXEC_KNOWN;
        else if (op == SYM_SYMBOL) {
            term->place = map_get(&x->symbol_places, id);
            if (term->place != MAP_NONE) term->kind = EXEC_LINEAR, term->factor = 1;
        } else if (op == SYM_ADD || op == SYM_MUL)
            *term = joined(x, e, op);
    }
}

int64_t exec_value(const exec_program *x, const int64_t *values, sym_expr e)
{
    const sym_table *t = x->w->loops->symbols;
    const exec_term *term = &x->terms[e.id < x->term_count ? e.id : 0];
    int64_t value;
    if (term->kind == EXEC_KNOWN) return term->number;
    if (term->kind == EXEC_LINEAR)
        return apply(SYM_ADD, term->number, apply(SYM_MUL, term->factor, values[term->place]));
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
    const exec_term *term = &x->terms[e.id < x->term_count ? e.id : 0];
    if (term->kind == EXEC_KNOWN) return term->number;
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
