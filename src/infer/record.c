/* record.c -- metadata against what an export recorded.
 *
 * Sizes 0 and 1 run, but an export writes shapes down as if there were none: 4*s0 for 4*max(s0, 1), and
 * 1 for min(s0, 1). So both are compared in symbols of at least 2.
 *
 * Of a few operators fake tensors have another dtype than what the kernels give. Inside the graph theirs
 * is that of the kernels; what others were told of it, who take what the graph returns, is kept.
 */
#include "infer/infer_priv.h"

enum { TAKEN = 2, MOST_SYMBOLS = 64 };

typedef struct taken {
    sym_table *symbols;
    arena *memory;
    sym_expr from[MOST_SYMBOLS], to[MOST_SYMBOLS];
    uint32_t count;
} taken;

static void take(void *data, sym_expr symbol)
{
    taken *t = data;
    int64_t min, max;
    sym_range(t->symbols, symbol, NULL, &min, &max);
    if (sym_kind_of(t->symbols, symbol) != SYM_SIZE || min < 0 || min >= TAKEN || max < TAKEN)
        return;
    for (uint32_t i = 0; i < t->count; i++)
        if (sym_same(t->from[i], symbol)) return;
    if (t->count == MOST_SYMBOLS) return;
    text name;
    text_init(&name, t->memory);
    text_printf(&name, "%s_taken", sym_name(t->symbols, symbol));
    t->from[t->count] = symbol;
    t->to[t->count++] = sym_symbol(t->symbols, name.at, SYM_SIZE, TAKEN, max);
}

bool infer_agrees_with_record(fx_graph *g, const fx_value *now, const fx_value *recorded,
                              const char **why)
{
    if (infer_same_value(g, now, recorded, why)) return true;
    taken t = {.symbols = g->symbols, .memory = g->memory};
    fx_each_symbol(g->symbols, now, take, &t);
    fx_each_symbol(g->symbols, recorded, take, &t);
    if (!t.count) return false;
    fx_value a = fx_renamed_value(g, now, t.from, t.to, t.count);
    fx_value b = fx_renamed_value(g, recorded, t.from, t.to, t.count);
    return infer_same_value(g, &a, &b, why);
}

/* ---- dtypes that are recorded otherwise ---- */

void infer_note_dtype(arena *memory, map *recorded, const fx_node *n, const fx_value *now)
{
    bool are_tensors = n->value.kind == FX_TENSOR && now->kind == FX_TENSOR;
    if (are_tensors && n->value.tensor->dtype != now->tensor->dtype)
        map_set(memory, recorded, n->id, n->value.tensor->dtype);
}

static fe_status as_recorded(fx_graph *g, fx_node *n, const map *recorded, fx_arg *a, bool *changed)
{
    uint32_t dtype = a->kind == FX_ARG_NODE ? map_get(recorded, a->node->id) : MAP_NONE;
    if (a->kind == FX_ARG_LIST) {
        *a = fx_list(g, a->list.items, a->list.count);
        for (uint32_t i = 0; i < a->list.count; i++)
            FE_TRY(as_recorded(g, n, recorded, &a->list.items[i], changed));
    }
    if (dtype == MAP_NONE) return FE_OK;
    fx_arg args[] = {*a, fx_dtype((ty_dtype)dtype)};
    *a = fx_of(fx_emit(g, n, OP_aten__to_copy_default, a->node, COUNT_OF(args), args));
    *changed = true;
    return infer_node(g, a->node);
}

fe_status infer_give_recorded(fx_graph *g, fx_node *n, const map *recorded)
{
    bool is_output = n->kind == FX_OUTPUT;
    if (!is_output && !(n->kind == FX_CALL && n->op->flags & OPF_HIGHER_ORDER)) return FE_OK;
    for (uint32_t i = 0; i < n->arg_count; i++) {
        bool changed = false;
        fx_arg a = n->args[i];
        if (is_output && g->outputs.at[i].kind != FX_USER_OUTPUT) continue;
        FE_TRY(as_recorded(g, n, recorded, &a, &changed));
        if (changed) fx_set_arg(n, i, a, g);
    }
    return FE_OK;
}
