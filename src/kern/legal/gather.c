/* gather.c -- loads of lanes that a mask chooses, which processors have an instruction for: where the index
 * is sums and products of 64-bit numbers, it is computed in lanes ahead; where it is one of 32 bits beside
 * what is the same in all lanes, it is there.
 */
#include "kern/legal/legal.h"

typedef struct gathering {
    kern_lowering *lo;
    sym_expr axis; /* that the lanes run along */
    bool in_lanes; /* a symbol was met that is a vector, */
    bool is_other; /* or one of another dtype */
} gathering;

static void meet(void *data, sym_expr symbol)
{
    gathering *g = data;
    kern_ref ref = kern_symbol_value(g->lo->k, symbol);
    const kern_value *v = &g->lo->k->values.at[ref];
    if (!ref || !v->vector) return;
    g->in_lanes = true;
    g->is_other |= v->dtype != TY_I64;
}

/* Does it hold a vector? */
static bool holds_lanes(gathering *g, sym_expr e)
{
    g->in_lanes = false;
    sym_each_symbol(g->lo->k->symbols, e, meet, g);
    return g->in_lanes;
}

static bool is_spaced(const gathering *g, sym_expr e)
{
    sym_expr stride, rest;
    return sym_linear_in(g->lo->k->symbols, e, g->axis, &stride, &rest);
}

static bool is_sum(gathering *g, sym_expr e)
{
    sym_table *t = g->lo->k->symbols;
    sym_op op = sym_op_of(t, e);
    if (!holds_lanes(g, e)) return is_spaced(g, e);
    if (op == SYM_SYMBOL) return !g->is_other;
    if (op != SYM_ADD && op != SYM_MUL) return false;
    for (uint32_t i = 0; i < sym_arg_count(t, e); i++)
        if (!is_sum(g, sym_arg(t, e, i))) return false;
    return true;
}

/* The same number in all lanes, or one that moves with them. */
static kern_ref number(gathering *g, sym_expr e)
{
    int64_t value;
    if (sym_is_int(g->lo->k->symbols, e, &value))
        return kern_lower_constant(g->lo,
                                   (kern_value){.dtype = TY_I64, .vector = true, .integer = value});
    bool moves = sym_contains(g->lo->k->symbols, e, g->axis);
    kern_ref one = kern_lower_value(g->lo, (kern_value){.kind = KERN_NUMBER,
                                                        .dtype = TY_I64,
                                                        .vector = moves,
                                                        .access = moves ? KERN_UNIT : KERN_ONE,
                                                        .index = e});
    return moves ? one : kern_lower_splat(g->lo, one);
}

static kern_ref lanes_of(gathering *g, sym_expr e)
{
    sym_table *t = g->lo->k->symbols;
    if (!holds_lanes(g, e)) return number(g, e);
    if (sym_op_of(t, e) == SYM_SYMBOL) return kern_symbol_value(g->lo->k, e);
    loop_opcode op = sym_op_of(t, e) == SYM_ADD ? LOOP_ADD : LOOP_MUL;
    kern_ref all = lanes_of(g, sym_arg(t, e, 0));
    for (uint32_t i = 1; i < sym_arg_count(t, e); i++)
        all = kern_lower_apply(g->lo, op, all, lanes_of(g, sym_arg(t, e, i)));
    return all;
}

/* rest + v, of 32 bits: v; else none. */
static kern_ref short_lanes_of(gathering *g, sym_expr e, sym_expr *rest)
{
    sym_table *t = g->lo->k->symbols;
    sym_expr one;
    int64_t times;
    kern_ref found = 0;
    if (!g->is_other || sym_op_of(t, e) != SYM_ADD) return 0;
    for (uint32_t i = 0; i < sym_arg_count(t, e); i++) {
        sym_expr part = sym_arg(t, e, i);
        if (!holds_lanes(g, part)) continue;
        if (found || sym_op_of(t, part) != SYM_SYMBOL) return 0;
        found = kern_symbol_value(g->lo->k, part);
        if (!sym_linear_in(t, e, part, &one, rest) || !sym_is_int(t, one, &times)) return 0;
    }
    bool is_short = g->lo->k->values.at[found].dtype == TY_I32;
    return is_short && times == 1 && !sym_contains(t, *rest, g->axis) ? found : 0;
}

void kern_lower_gather(kern_lowering *lo, kern_ref ref)
{
    const kern_ir *k = lo->k;
    const kern_value v = k->values.at[ref];
    bool scattered = v.kind == KERN_LOAD && v.access == KERN_LANES && !v.runs && !v.pairs &&
                     !v.turned && !v.gathers && !v.repeats;
    if (!scattered || v.dtype == TY_BOOL || !v.guard || !k->values.at[v.guard].vector) return;
    gathering g = {.lo = lo, .axis = kern_lower_axis(lo)};
    if (!holds_lanes(&g, v.index)) return;
    sym_expr rest = {0};
    kern_ref at = short_lanes_of(&g, v.index, &rest);
    if (!at && !is_sum(&g, v.index)) return;
    if (!at) at = lanes_of(&g, v.index);
    lo->k->values.at[ref].gathers = true;
    lo->k->values.at[ref].args[0] = at;
    lo->k->values.at[ref].index = rest;
}
