/* graph_size.c -- symbols, sizes and metadata of graphs that are built call by call.
 *
 * A size of the user's that is no number has the sign bit, 29 bits that are those of its graph alone, and
 * its number in the graph's list.
 */
#include "driver/graph.h"

#include <string.h>

#define LEAST_NUMBER (-((int64_t)1 << 61)) /* what lies below stands for an expression */

static uint64_t mark_of(const graph_builder *b)
{
    return (uint64_t)1 << 63 | (((uintptr_t)b >> 4 & 0x1fffffff) << 32);
}

int64_t graph_give_size(graph_builder *b, sym_expr e)
{
    vec_push(b->memory, &b->sizes, e);
    return (int64_t)(mark_of(b) | b->sizes.count); /* from 1: FE_NOT_KNOWN is none of them */
}

const char *graph_read_size(fe_graph *g, int64_t size, int64_t least, sym_expr *out)
{
    const graph_builder *b = g->builder;
    uint32_t number = (uint32_t)size;
    *out = sym_int(g->graph->symbols, 0);
    if (size == FE_NOT_KNOWN) return "is not known";
    if (size >= LEAST_NUMBER) {
        *out = sym_int(g->graph->symbols, size);
        return size < least ? "is negative" : NULL;
    }
    if (((uint64_t)size >> 32) != mark_of(b) >> 32 || number == 0 || number > b->sizes.count)
        return "is no size of this graph";
    *out = b->sizes.at[number - 1];
    return NULL;
}

/* ---- metadata ---- */

enum { DEEPEST = 100 }; /* tuples in tuples, as in the text form */

static const char *read_sizes(fe_graph *g, uint32_t rank, const int64_t *sizes, sym_expr *out)
{
    const char *wrong = NULL;
    if (rank > 0 && !sizes) return "is a tensor without its sizes";
    for (uint32_t i = 0; i < rank && !wrong; i++) wrong = graph_read_size(g, sizes[i], 0, &out[i]);
    return wrong ? arena_printf(g->memory, "has a size or stride that %s", wrong) : NULL;
}

static const char *read_device(fe_graph *g, const char *word, ty_device *out)
{
    fx_arg a = {.kind = FX_ARG_DEVICE, .device = TY_HOST};
    fe_operand o = fe_operand_word(word);
    if (word && (fx_read_operand(g, NULL, &o, &a) || a.kind != FX_ARG_DEVICE))
        return "is on no device";
    *out = a.device;
    return NULL;
}

static const char *read_tensor(fe_graph *g, const fe_meta *m, ty_tensor **out)
{
    arena *memory = g->graph->memory;
    sym_table *symbols = g->graph->symbols;
    const fe_tensor *t = &m->tensor;
    ty_dtype dtype = ty_dtype_from_number(t->dtype);
    sym_expr sizes[TY_MAX_RANK], strides[TY_MAX_RANK], offset;
    ty_device device;
    if (dtype == TY_NO_DTYPE) return "is of no dtype";
    if (t->rank > TY_MAX_RANK) return "has too many dimensions";
    const char *wrong = read_sizes(g, t->rank, t->sizes, sizes);
    if (!wrong && t->strides) wrong = read_sizes(g, t->rank, t->strides, strides);
    if (!wrong) wrong = read_device(g, m->device, &device);
    if (!wrong && graph_read_size(g, m->start, 0, &offset)) wrong = "has a start that is no size";
    if (wrong) return wrong;
    *out = ty_tensor_new(memory, symbols, dtype, device, t->rank, sizes);
    if (t->strides) memcpy((*out)->strides, strides, t->rank * sizeof *strides);
    (*out)->offset = offset;
    return ty_fits_memory(symbols, *out) ? NULL : "does not fit in any memory";
}

static const char *read_meta(fe_graph *g, const fe_meta *m, int depth, fx_value *out)
{
    const char *wrong = NULL;
    *out = (fx_value){.kind = FX_NO_VALUE};
    switch (m->kind) {
    case FE_META_NONE: return NULL;
    case FE_META_FLOAT: out->kind = FX_FLOAT; return NULL;
    case FE_META_BOOL: out->kind = FX_BOOL; return NULL;
    case FE_META_TENSOR: out->kind = FX_TENSOR; return read_tensor(g, m, &out->tensor);
    case FE_META_INT:
        out->kind = FX_INT;
        if (m->integer != FE_NOT_KNOWN)
            wrong = graph_read_size(g, m->integer, LEAST_NUMBER, &out->expr);
        return wrong ? "is a number that is no size of this graph" : NULL;
    case FE_META_TUPLE:
        if (depth == DEEPEST) return "is too deep a tuple";
        if (m->count && !m->items) return "is a tuple without its items";
        *out = (fx_value){.kind = FX_TUPLE, .count = m->count};
        out->items = NEW_ARRAY(g->graph->memory, fx_value, m->count);
        for (uint32_t i = 0; i < m->count && !wrong; i++)
            wrong = read_meta(g, &m->items[i], depth + 1, &out->items[i]);
        return wrong;
    }
    return "is of no kind";
}

const char *graph_read_meta(fe_graph *g, const fe_meta *meta, fx_value *out)
{
    return read_meta(g, meta, 0, out);
}

/* ---- symbols and expressions ---- */

typedef struct symbol_search {
    const fe_graph *g;
    const char *unknown;
} symbol_search;

static void see_symbol(void *data, sym_expr symbol)
{
    symbol_search *s = data;
    if (map_get(&s->g->builder->declared, symbol.id) == MAP_NONE)
        s->unknown = sym_name(s->g->graph->symbols, symbol);
}

static fe_status known_symbols(const fe_graph *g, const char *place, sym_expr e)
{
    symbol_search s = {.g = g};
    sym_each_symbol(g->graph->symbols, e, see_symbol, &s);
    return s.unknown ? graph_refuse(g, FE_USAGE, place, "no symbol is called %s", s.unknown)
                     : FE_OK;
}

/* Does the text form take the name for the symbol? */
static bool is_symbol_name(fe_graph *g, const char *name, sym_kind kind)
{
    lexer lx;
    fx_arg word;
    fe_operand o = fe_operand_word(name);
    diag_mark_t mark = diag_mark(g->graph->session);
    lex_init(&lx, g->graph->session, "graph", name, strlen(name));
    bool is_name = lx.token.kind == LEX_NAME && strcmp(lx.token.text, name) == 0 &&
                   !strchr(name, '.') && sym_kind_of_name(name) == kind;
    static const char *const WORDS[] = {"None", "True", "False",   "none",   "true", "false",
                                        "min",  "max",  "complex", "object", "in",   "hint"};
    for (size_t i = 0; i < COUNT_OF(WORDS); i++) is_name = is_name && strcmp(WORDS[i], name) != 0;
    is_name = is_name && fx_read_operand(g, NULL, &o, &word) != NULL;
    diag_forget_since(g->graph->session, mark);
    return is_name;
}

fe_status graph_symbol(fe_graph *g, const char *name, sym_kind kind, int64_t min, int64_t max,
                       int64_t hint, int64_t *out)
{
    graph_builder *b = g->builder;
    sym_table *t = g->graph->symbols;
    if (!name || !is_symbol_name(g, name, kind))
        return graph_refuse(g, FE_USAGE, name, "this is no name for a symbol of its kind");
    sym_expr known = sym_find_symbol(t, name);
    if (!sym_is_none(known) && map_get(&b->declared, known.id) != MAP_NONE)
        return graph_refuse(g, FE_USAGE, name, "there is a symbol of this name");
    if (min > max) return graph_refuse(g, FE_USAGE, name, "a range with nothing in it");
    if (hint != FE_NOT_KNOWN && (hint < min || hint > max))
        return graph_refuse(g, FE_USAGE, name, "the hint is not in the range");
    sym_expr symbol = sym_symbol(t, name, kind, min, max);
    if (hint != FE_NOT_KNOWN) sym_set_hint(t, symbol, hint);
    map_set(b->memory, &b->declared, symbol.id, 1);
    *out = graph_give_size(b, symbol);
    return FE_OK;
}

fe_status graph_size(fe_graph *g, const char *expression, int64_t *out)
{
    lexer lx;
    sym_expr e;
    if (!expression) return graph_refuse(g, FE_USAGE, NULL, "a size without its expression");
    lex_init(&lx, g->graph->session, "graph", expression, strlen(expression));
    FE_TRY(sym_parse(g->graph->symbols, &lx, &e));
    FE_TRY(lex_finish(&lx));
    FE_TRY(known_symbols(g, expression, e));
    if (sym_op_of(g->graph->symbols, e) >= SYM_EQ)
        return graph_refuse(g, FE_USAGE, expression, "a condition is no size");
    *out = graph_give_size(g->builder, e);
    return FE_OK;
}

fe_status graph_require(fe_graph *g, const char *condition, const char *message)
{
    lexer lx;
    sym_relation relation;
    fx_graph *x = g->graph;
    if (g->parent || !condition)
        return graph_refuse(g, FE_USAGE, condition, "a guard is a condition of the program");
    lex_init(&lx, x->session, "graph", condition, strlen(condition));
    FE_TRY(sym_parse_relation(x->symbols, &lx, &relation));
    FE_TRY(lex_finish(&lx));
    FE_TRY(known_symbols(g, condition, relation.left));
    FE_TRY(known_symbols(g, condition, relation.right));
    if (!message) message = "sizes are others than the graph was made for";
    fx_add_condition(x, relation, arena_strdup(x->memory, message));
    return FE_OK;
}
