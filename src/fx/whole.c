/* whole.c -- a program whose graphs are all there, whether they were read or built call by call: what holds
 * of it as a whole, and what passes go on from.
 */
#include "fx/fx_priv.h"

#include <string.h>

/* The number that new symbols u<N> start from: above all that the text has. */
static void note_symbol(void *data, sym_expr symbol)
{
    fx_graph *g = data;
    const char *name = sym_name(g->symbols, symbol);
    uint64_t number = 0;
    if (*name != 'u' || strspn(name + 1, "0123456789") != strlen(name + 1)) return;
    for (const char *c = name + 1; *c && number < UINT32_MAX; c++)
        number = number * 10 + (uint64_t)(*c - '0');
    if (number < UINT32_MAX && number >= g->next_symbol) g->next_symbol = (uint32_t)number + 1;
}

static void note_value(fx_graph *main, const fx_value *v)
{
    fx_each_symbol(main->symbols, v, note_symbol, main);
}

/* ---- sizes that no input has ---- */

typedef struct size_search {
    const fx_graph *g;
    map given; /* symbols of inputs */
    const char *missing;
} size_search;

static void give_symbol(void *data, sym_expr symbol)
{
    size_search *s = data;
    sym_kind kind = sym_kind_of(s->g->symbols, symbol);
    if (kind == SYM_SIZE || kind == SYM_UNBACKED)
        map_set(s->g->memory, &s->given, symbol.id, 1);
    else
        s->missing = sym_name(s->g->symbols, symbol);
}

static void want_symbol(void *data, sym_expr symbol)
{
    size_search *s = data;
    if (sym_kind_of(s->g->symbols, symbol) != SYM_UNBACKED &&
        map_get(&s->given, symbol.id) == MAP_NONE)
        s->missing = sym_name(s->g->symbols, symbol);
}

static void find_symbol(void *data, sym_expr symbol)
{
    size_search *s = data;
    s->missing = sym_name(s->g->symbols, symbol);
}

static void want_relation(size_search *s, const sym_relation *r)
{
    sym_each_symbol(s->g->symbols, r->left, want_symbol, s);
    sym_each_symbol(s->g->symbols, r->right, want_symbol, s);
}

static void want_argument(size_search *s, const fx_arg *a)
{
    if (a->kind == FX_ARG_INT) sym_each_symbol(s->g->symbols, a->expr, want_symbol, s);
    for (uint32_t i = 0; a->kind == FX_ARG_LIST && i < a->list.count; i++)
        want_argument(s, &a->list.items[i]);
}

/* Of the graph, and of those that it calls. */
static fe_status want_sizes(void *data, fx_graph *g)
{
    size_search *s = data;
    for (const fx_node *n = g->first; n; n = n->next) {
        fx_each_symbol(g->symbols, &n->value, want_symbol, s);
        for (uint32_t i = 0; i < n->arg_count; i++) want_argument(s, &n->args[i]);
        if (s->missing)
            return fx_fail(g, n, "fx", FE_CORRUPT,
                           "symbols that a run computes are called u0, u1, ...",
                           "its size %s is one that no input has", s->missing);
        FE_TRY(fx_each_called(n, want_sizes, s));
    }
    return FE_OK;
}

fe_status fx_check_sizes(fx_graph *main)
{
    size_search s = {.g = main};
    for (const fx_node *n = main->first; n; n = n->next) {
        if (fx_is_weight(n)) fx_each_symbol(main->symbols, &n->value, find_symbol, &s);
        if (s.missing)
            return fx_fail(main, n, "fx", FE_CORRUPT,
                           "give what differs from run to run as a user input",
                           "sizes and strides of a weight are numbers, not %s", s.missing);
        if (n->kind == FX_PLACEHOLDER) fx_each_symbol(main->symbols, &n->value, give_symbol, &s);
        if (s.missing)
            return fx_fail(main, n, "fx", FE_CORRUPT, "sizes are called s0, s1, ...",
                           "its size %s is called as the index of a loop is", s.missing);
    }
    for (uint32_t i = 0; i < main->conditions.count; i++) {
        want_relation(&s, &main->conditions.at[i].relation);
        if (s.missing)
            return fx_fail(main, NULL, "fx", FE_CORRUPT, NULL,
                           "what is required speaks of the size %s, which no input has", s.missing);
    }
    FE_TRY(want_sizes(&s, main));
    return fx_check_bound(main);
}

fe_status fx_whole(fx_graph *const *graphs, uint32_t count)
{
    fx_graph *main = graphs[0];
    for (uint32_t i = 0; i < count; i++)
        for (const fx_node *n = graphs[i]->first; n; n = n->next) note_value(main, &n->value);
    for (uint32_t i = 1; i < count; i++) graphs[i]->next_symbol = main->next_symbol;
    for (uint32_t i = 0; i < count; i++) FE_TRY(fx_check_outputs(graphs[i]));
    return fx_check_sizes(main);
}
