/* record.c -- metadata against what an export recorded.
 *
 * Sizes 0 and 1 run, but an export writes shapes down as if there were none: 4*s0 for 4*max(s0, 1), and
 * 1 for min(s0, 1). So both are compared in symbols of at least 2.
 */
#include "infer/infer.h"

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
