/* slope.c -- how far an index moves from one lane to the next, and so in which ways all lanes of a
 * vector may lie when they do not always: between least and most for every step, the way from the
 * first lane to the last tells whether all steps were the same.
 */
#include "kern/kern_priv.h"

enum { STEEP = 1 << 20 /* no step is followed beyond this */ };

typedef struct slope {
    int64_t least, most;
} slope;

typedef struct sloping {
    const kern_ir *k;
    sym_expr axis;
} sloping;

static bool slope_of(const sloping *s, sym_expr e, slope *out);

static bool is_flat(slope s)
{
    return s.least == 0 && s.most == 0;
}

static bool is_steep(slope s)
{
    return s.least < -STEEP || s.most > STEEP;
}

static void note_vector(void *data, sym_expr symbol)
{
    const kern_ir *k = ((void **)data)[0];
    bool *found = ((void **)data)[1];
    kern_ref v = kern_symbol_value(k, symbol);
    *found |= v && k->values.at[v].vector;
}

static bool has_vector(const kern_ir *k, sym_expr e)
{
    bool found = false;
    void *data[] = {(void *)k, &found};
    sym_each_symbol(k->symbols, e, note_vector, data);
    return found;
}

static bool slope_of_sum(const sloping *s, sym_expr e, slope *out)
{
    *out = (slope){0, 0};
    for (uint32_t i = 0; i < sym_arg_count(s->k->symbols, e); i++) {
        slope part;
        if (!slope_of(s, sym_arg(s->k->symbols, e, i), &part)) return false;
        out->least += part.least;
        out->most += part.most;
    }
    return true;
}

/* One factor moves, and the others are a number. */
static bool slope_of_product(const sloping *s, sym_expr e, slope *out)
{
    const sym_table *t = s->k->symbols;
    int64_t times = 1, value;
    bool moved = false, known = true;
    *out = (slope){0, 0};
    for (uint32_t i = 0; i < sym_arg_count(t, e); i++) {
        sym_expr arg = sym_arg(t, e, i);
        bool moves = sym_contains(t, arg, s->axis);
        if (moves && (moved || !slope_of(s, arg, out))) return false;
        moved |= moves;
        if (moves) continue;
        known = known && sym_is_int(t, arg, &value) && value > -STEEP && value < STEEP;
        if (known) times *= value;
        if (times < -STEEP || times > STEEP) return false;
    }
    if (is_flat(*out)) return true;
    if (!known) return false;
    slope scaled = {out->least * times, out->most * times};
    *out = times < 0 ? (slope){scaled.most, scaled.least} : scaled;
    return true;
}

static int64_t floor_of(int64_t a, int64_t b)
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static bool slope_of_division(const sloping *s, sym_expr e, slope *out)
{
    const sym_table *t = s->k->symbols;
    slope top;
    int64_t divisor;
    if (!slope_of(s, sym_arg(t, e, 0), &top)) return false;
    if (!sym_is_int(t, sym_arg(t, e, 1), &divisor) || divisor <= 0 || divisor > STEEP) return false;
    slope quotient = {floor_of(top.least, divisor), -floor_of(-top.most, divisor)};
    *out = sym_op_of(t, e) == SYM_FLOORDIV
               ? quotient
               : (slope){top.least - divisor * quotient.most, top.most - divisor * quotient.least};
    return true;
}

static bool slope_of_extreme(const sloping *s, sym_expr e, slope *out)
{
    const sym_table *t = s->k->symbols;
    for (uint32_t i = 0; i < sym_arg_count(t, e); i++) {
        slope one;
        if (!slope_of(s, sym_arg(t, e, i), &one)) return false;
        if (i == 0 || one.least < out->least) out->least = one.least;
        if (i == 0 || one.most > out->most) out->most = one.most;
    }
    return true;
}

static bool slope_of(const sloping *s, sym_expr e, slope *out)
{
    bool known = false;
    *out = (slope){0, 0};
    if (!sym_contains(s->k->symbols, e, s->axis)) return true;
    switch (sym_op_of(s->k->symbols, e)) {
    case SYM_SYMBOL: *out = (slope){1, 1}; return true;
    case SYM_ADD: known = slope_of_sum(s, e, out); break;
    case SYM_MUL: known = slope_of_product(s, e, out); break;
    case SYM_FLOORDIV:
    case SYM_MOD: known = slope_of_division(s, e, out); break;
    case SYM_MIN:
    case SYM_MAX: known = slope_of_extreme(s, e, out); break;
    default: return false;
    }
    return known && !is_steep(*out);
}

uint32_t kern_runs(const kern_ir *k, sym_expr index, sym_expr axis)
{
    sloping s = {k, axis};
    slope step;
    uint32_t runs = 0;
    if (sym_is_none(axis) || has_vector(k, index) || !slope_of(&s, index, &step)) return 0;
    if (step.most == 1) runs |= KERN_UP;
    if (step.least == -1) runs |= KERN_DOWN;
    if (step.least == 0 || step.most == 0) runs |= KERN_SAME;
    return runs;
}

bool kern_repeats_by(const kern_ir *k, sym_expr index, sym_expr axis, uint32_t times)
{
    sym_table *t = k->symbols;
    sym_expr first = {0}, coefficient, rest;
    int64_t step;
    if (times < 2 || times >= k->lanes || sym_is_none(axis) || has_vector(k, index)) return false;
    for (uint32_t i = 0; i < times; i++) {
        sym_expr at = sym_add_int(t, sym_mul_int(t, axis, times), i);
        sym_expr e = sym_substitute(t, index, &axis, &at, 1);
        if (i == 0) first = e;
        if (!sym_same(e, first)) return false;
    }
    return sym_linear_in(t, first, axis, &coefficient, &rest) &&
           sym_is_int(t, coefficient, &step) && step == 1;
}

uint32_t kern_repeats(const kern_ir *k, sym_expr index, sym_expr axis)
{
    uint32_t times = 2;
    if (!kern_divides(k, index)) return 0;
    while (times < k->lanes && !kern_repeats_by(k, index, axis, times)) times *= 2;
    return times < k->lanes ? times : 0;
}

bool kern_runs_far(const kern_ir *k, sym_expr index, sym_expr axis)
{
    const sym_table *t = k->symbols;
    sym_op op = sym_op_of(t, index);
    int64_t divisor;
    if (op == SYM_CONST || op == SYM_SYMBOL || !sym_contains(t, index, axis)) return true;
    bool divides = op == SYM_FLOORDIV || op == SYM_MOD;
    if (divides && (!sym_is_int(t, sym_arg(t, index, 1), &divisor) || divisor < k->lanes))
        return false;
    for (uint32_t i = 0; i < sym_arg_count(t, index); i++)
        if (!kern_runs_far(k, sym_arg(t, index, i), axis)) return false;
    return true;
}
