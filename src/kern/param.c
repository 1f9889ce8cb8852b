/* param.c -- sizes and strides as integers of the kernel, so that layers of different sizes share
 * one.
 *
 * An index is cut at the largest subexpressions that hold neither a loop variable nor a value; each
 * distinct one becomes a parameter p<k>. Numbers under 16 stay, and so do constant divisors, which
 * compilers turn into multiplications.
 */
#include "kern/kern_priv.h"

#include <stdio.h>
#include <string.h>

enum { KEPT_BELOW = 16 };

typedef struct cutting {
    kern_ir *k;
    sym_table *table;
    const sym_env *env;
    arena *memory;
} cutting;

bool kern_is_numbered(const char *name, char letter, uint32_t *number)
{
    size_t digits = name[0] == letter ? strspn(name + 1, "0123456789") : 0;
    *number = 0;
    if (!digits || digits > 9 || name[1 + digits] || (name[1] == '0' && digits > 1)) return false;
    for (const char *at = name + 1; *at; at++) *number = *number * 10 + (uint32_t)(*at - '0');
    return true;
}

sym_expr kern_param_symbol(const kern_ir *k, uint32_t number)
{
    char name[24];
    snprintf(name, sizeof name, "p%u", number);
    /* not a size, which would be taken for one of 0 and more */
    return sym_symbol(k->symbols, name, SYM_UNBACKED, SYM_NO_MIN, SYM_NO_MAX);
}

static void note_moving(void *data, sym_expr symbol)
{
    cutting *c = ((void **)data)[0];
    bool *moves = ((void **)data)[1];
    sym_kind kind = sym_kind_of(c->table, symbol);
    *moves |= kind == SYM_INDEX || kind == SYM_INDIRECT;
}

static bool moves(cutting *c, sym_expr e)
{
    bool found = false;
    void *data[] = {c, &found};
    sym_each_symbol(c->table, e, note_moving, data);
    return found;
}

static sym_expr param(cutting *c, sym_expr e)
{
    int64_t value;
    kern_ir *k = c->k;
    if (sym_is_int(c->table, e, &value) && value < KEPT_BELOW && value > -KEPT_BELOW) return e;
    uint32_t at = 0;
    while (at < k->params.count && !sym_same(k->params.at[at], e)) at++;
    if (at == k->params.count) vec_push(c->memory, &k->params, e);
    return kern_param_symbol(k, at);
}

static sym_expr cut(cutting *c, sym_expr e);

static sym_expr cut_list(cutting *c, sym_expr e, bool sum)
{
    sym_table *t = c->table;
    sym_expr still = sym_int(t, sum ? 0 : 1), moving = still;
    for (uint32_t i = 0; i < sym_arg_count(t, e); i++) {
        sym_expr arg = sym_arg(t, e, i);
        sym_expr *to = moves(c, arg) ? &moving : &still;
        sym_expr piece = to == &moving ? cut(c, arg) : arg;
        *to = sum ? sym_add(t, *to, piece) : sym_mul(t, *to, piece);
    }
    return sum ? sym_add(t, moving, param(c, still)) : sym_mul(t, moving, param(c, still));
}

static sym_expr cut_division(cutting *c, sym_expr e)
{
    sym_table *t = c->table;
    sym_expr dividend = sym_arg(t, e, 0), divisor = sym_arg(t, e, 1);
    int64_t least, most;
    sym_range(t, dividend, c->env, &least, &most);
    sym_expr top = cut(c, dividend),
             bottom = sym_is_int(t, divisor, NULL) ? divisor : cut(c, divisor);
    bool by_number = sym_is_int(t, bottom, NULL);
    if (least >= 0 && by_number && !kern_is_natural(c->k, top))
        vec_push(c->memory, &c->k->nonnegative, top);
    return sym_op_of(t, e) == SYM_MOD ? sym_mod(t, top, bottom) : sym_floordiv(t, top, bottom);
}

static sym_expr cut(cutting *c, sym_expr e)
{
    sym_table *t = c->table;
    if (!moves(c, e)) return param(c, e);
    sym_op op = sym_op_of(t, e);
    switch (op) {
    case SYM_SYMBOL: return e;
    case SYM_ADD: return cut_list(c, e, true);
    case SYM_MUL: return cut_list(c, e, false);
    case SYM_FLOORDIV:
    case SYM_MOD: return cut_division(c, e);
    case SYM_NOT: return sym_not(t, cut(c, sym_arg(t, e, 0)));
    default: break;
    }
    sym_expr made = cut(c, sym_arg(t, e, 0));
    for (uint32_t i = 1; i < sym_arg_count(t, e); i++) {
        sym_expr next = cut(c, sym_arg(t, e, i));
        if (op == SYM_MIN || op == SYM_MAX)
            made = op == SYM_MIN ? sym_min(t, made, next) : sym_max(t, made, next);
        else
            made = sym_compare(t, op, made, next);
    }
    return made;
}

sym_expr kern_param_expr(kern_ir *k, sym_expr e, const sym_env *env, arena *memory)
{
    cutting c = {k, k->symbols, env, memory};
    return cut(&c, e);
}

bool kern_is_natural(const kern_ir *k, sym_expr e)
{
    const sym_table *t = k->symbols;
    int64_t value;
    for (uint32_t i = 0; i < k->nonnegative.count; i++)
        if (sym_same(k->nonnegative.at[i], e)) return true;
    if (sym_is_int(t, e, &value)) return value >= 0;
    sym_op op = sym_op_of(t, e);
    kern_ref count = op == SYM_SYMBOL ? kern_symbol_value(k, e) : 0;
    if (count) return k->values.at[count].kind == KERN_COUNT;
    if (op == SYM_SYMBOL) return sym_kind_of(t, e) == SYM_INDEX;
    if (op != SYM_ADD && op != SYM_MUL && op != SYM_MIN && op != SYM_FLOORDIV && op != SYM_MOD)
        return false;
    for (uint32_t i = 0; i < sym_arg_count(t, e); i++)
        if (!kern_is_natural(k, sym_arg(t, e, i))) return false;
    return true;
}

bool kern_divides(const kern_ir *k, sym_expr e)
{
    sym_op op = sym_op_of(k->symbols, e);
    bool found = op == SYM_FLOORDIV || op == SYM_MOD;
    for (uint32_t i = 0; i < sym_arg_count(k->symbols, e) && !found; i++)
        found = kern_divides(k, sym_arg(k->symbols, e, i));
    return found;
}

kern_ref kern_symbol_value(const kern_ir *k, sym_expr symbol)
{
    const sym_table *t = k->symbols;
    kern_ref value;
    bool stands_for = sym_kind_of(t, symbol) == SYM_INDIRECT &&
                      kern_is_numbered(sym_name(t, symbol), 'v', &value);
    return stands_for ? value : 0;
}

typedef struct value_search {
    const kern_ir *k;
    bool found;
} value_search;

static void note_value(void *data, sym_expr symbol)
{
    value_search *s = data;
    s->found |= kern_symbol_value(s->k, symbol) != 0;
}

bool kern_holds_values(const kern_ir *k, sym_expr e)
{
    value_search s = {k, false};
    sym_each_symbol(k->symbols, e, note_value, &s);
    return s.found;
}

sym_expr kern_value_symbol(const kern_ir *k, kern_ref value)
{
    char name[24];
    snprintf(name, sizeof name, "v%u", value);
    return sym_symbol(k->symbols, name, SYM_INDIRECT, SYM_NO_MIN, SYM_NO_MAX);
}
