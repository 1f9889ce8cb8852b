/* arguments.c -- a call's arguments by name, its result, and its one diagnostic.
 *
 * Names are those of the schema; one that the operator lacks counts as None, so that a rule serves
 * overloads that differ in what they take. What does not fit is said once, for the whole call.
 */
#include "infer/infer_priv.h"

#include <stdio.h>

void infer_fail(infer_call *c, const char *format, ...)
{
    char said[700];
    va_list args;
    if (c->status != FE_OK) return;
    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
    c->status = fx_fail(c->graph, c->node, "infer", FE_CORRUPT,
                        "PyTorch refuses such arguments too: is the program whole?", "%s", said);
}

const char *infer_written(const infer_call *c, sym_expr e)
{
    text out;
    text_init(&out, c->memory);
    sym_print(c->symbols, e, &out);
    return out.at;
}

const char *infer_shape(const infer_call *c, const ty_tensor *x)
{
    text out;
    if (!x) return "nothing";
    text_init(&out, c->memory);
    ty_tensor shown = *x;
    shown.storage = 0;
    ty_print(c->symbols, &shown, &out);
    return out.at;
}

/* ---- one argument ---- */

const fx_arg *infer_arg(const infer_call *c, const char *name)
{
    int i = op_param_index(c->op, name);
    if (i < 0 || (uint32_t)i >= c->node->arg_count) return NULL;
    const fx_arg *a = &c->node->args[i];
    if (a->kind == FX_ARG_NODE && a->node->value.kind == FX_NO_VALUE) return NULL;
    return a->kind == FX_ARG_NONE ? NULL : a;
}

ty_tensor *infer_tensor(const infer_call *c, const char *name)
{
    const fx_arg *a = infer_arg(c, name);
    return a ? fx_arg_tensor(a) : NULL;
}

ty_tensor *infer_self(infer_call *c)
{
    for (uint32_t i = 0; i < c->node->arg_count; i++) {
        ty_tensor *x = fx_arg_tensor(&c->node->args[i]);
        if (x) return x;
    }
    infer_fail(c, "no argument is a tensor");
    return NULL;
}

bool infer_flag(const infer_call *c, const char *name, bool fallback)
{
    const fx_arg *a = infer_arg(c, name);
    return a ? fx_arg_bool(a, fallback) : fallback;
}

int64_t infer_int(infer_call *c, const char *name, int64_t fallback)
{
    int64_t value;
    const int64_t most = 1 << 30; /* products of two of these do not overflow */
    const fx_arg *a = infer_arg(c, name);
    if (!a) return fallback;
    if (!fx_arg_int(c->graph, a, &value))
        infer_fail(c, "'%s' is not a known integer", name);
    else if (value < -most || value > most)
        infer_fail(c, "'%s' is %lld, which is too large", name, (long long)value);
    return c->status == FE_OK ? value : fallback;
}

sym_expr infer_expr(infer_call *c, const char *name, int64_t fallback)
{
    sym_expr e;
    const fx_arg *a = infer_arg(c, name);
    if (a && fx_arg_expr(c->graph, a, &e)) return e;
    if (a) infer_fail(c, "'%s' is not an integer", name);
    return infer_number(c, fallback);
}

const char *infer_string(const infer_call *c, const char *name, const char *fallback)
{
    const fx_arg *a = infer_arg(c, name);
    return a && a->kind == FX_ARG_STRING ? a->string : fallback;
}

ty_dtype infer_dtype(const infer_call *c, const char *name, ty_dtype fallback)
{
    const fx_arg *a = infer_arg(c, name);
    return a && a->kind == FX_ARG_DTYPE ? a->dtype : fallback;
}

ty_device infer_device(const infer_call *c, ty_device fallback)
{
    const fx_arg *a = infer_arg(c, "device");
    return a && a->kind == FX_ARG_DEVICE ? a->device : fallback;
}

ty_memory_format infer_format(const infer_call *c, ty_memory_format fallback)
{
    const fx_arg *a = infer_arg(c, "memory_format");
    return a && a->kind == FX_ARG_MEMORY_FORMAT ? a->memory_format : fallback;
}

/* ---- dimensions ---- */

uint32_t infer_wrap(infer_call *c, int64_t dim, uint32_t rank)
{
    int64_t count = rank ? rank : 1;
    if (dim < -count || dim >= count) {
        infer_fail(c, "dimension %lld of a tensor that has %u", (long long)dim, rank);
        return 0;
    }
    return (uint32_t)(dim < 0 ? dim + count : dim);
}

uint32_t infer_dim(infer_call *c, const char *name, uint32_t rank)
{
    return infer_wrap(c, infer_int(c, name, 0), rank);
}

uint32_t infer_dims(infer_call *c, const char *name, uint32_t rank, bool none_is_all, uint32_t *out)
{
    sym_expr listed[TY_MAX_RANK];
    const fx_arg *a = infer_arg(c, name);
    int count = a ? fx_arg_ints(c->graph, a, listed, TY_MAX_RANK) : 0;
    if (count < 0) infer_fail(c, "'%s' is not a list of dimensions", name);
    if (count < 0 || (count == 0 && !none_is_all)) return 0;
    for (uint32_t d = 0; count == 0 && d < rank; d++) out[d] = d;
    for (int i = 0; i < count; i++) {
        int64_t dim = 0;
        if (!sym_is_int(c->symbols, listed[i], &dim))
            infer_fail(c, "'%s' has a dimension that is not a known number", name);
        out[i] = infer_wrap(c, dim, rank);
    }
    return count == 0 ? rank : (uint32_t)count;
}

uint32_t infer_sizes(infer_call *c, const char *name, uint32_t wanted, sym_expr *out)
{
    sym_expr given[TY_MAX_RANK];
    const fx_arg *a = infer_arg(c, name);
    int count = a ? fx_arg_ints(c->graph, a, given, TY_MAX_RANK) : 0;
    if (count < 0 || (wanted > 0 && a && count != 1 && (uint32_t)count != wanted)) {
        infer_fail(c, "'%s' is not a list of integers of the length it should have", name);
        count = 0;
    }
    uint32_t most = wanted ? wanted : (uint32_t)count;
    for (uint32_t i = 0; i < most; i++)
        out[i] = (int)i < count ? given[i] : count ? given[0] : infer_number(c, 0);
    return most;
}

/* ---- tensors ---- */

uint32_t infer_list(infer_call *c, const char *name, ty_tensor **out, uint32_t room)
{
    const fx_arg *a = infer_arg(c, name);
    if (!a) return 0;
    if (a->kind == FX_ARG_NODE && a->node->value.kind == FX_TUPLE) {
        const fx_value *v = &a->node->value;
        for (uint32_t i = 0; i < v->count && i < room; i++)
            out[i] = v->items[i].kind == FX_TENSOR ? v->items[i].tensor : NULL;
        return v->count < room ? v->count : room;
    }
    if (a->kind != FX_ARG_LIST || a->list.count > room) {
        infer_fail(c, "'%s' is not a list of at most %u tensors", name, room);
        return 0;
    }
    for (uint32_t i = 0; i < a->list.count; i++) out[i] = fx_arg_tensor(&a->list.items[i]);
    return a->list.count;
}

uint32_t infer_operands(const infer_call *c, const ty_tensor **out, uint32_t room)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->node->arg_count; i++) {
        const fx_arg *a = &c->node->args[i];
        const ty_tensor *x = fx_arg_tensor(a);
        if (x && count < room) out[count++] = x;
        for (uint32_t k = 0; a->kind == FX_ARG_LIST && k < a->list.count; k++) {
            x = fx_arg_tensor(&a->list.items[k]);
            if (x && count < room) out[count++] = x;
        }
    }
    return count;
}

/* ---- numbers ---- */

enum { USUAL = 8191, OTHER = 10007 }; /* what a size without example counts as */

/* What is known of the symbols of an expression. */
typedef struct symbol_search {
    const sym_table *symbols;
    bool unbacked, no_example;
} symbol_search;

static void look_at_symbol(void *data, sym_expr symbol)
{
    symbol_search *s = data;
    if (sym_kind_of(s->symbols, symbol) == SYM_UNBACKED) s->unbacked = true;
    if (sym_hint(s->symbols, symbol, USUAL) != sym_hint(s->symbols, symbol, OTHER))
        s->no_example = true;
}

bool infer_has_unbacked(const infer_call *c, uint32_t count, const sym_expr *exprs)
{
    symbol_search search = {.symbols = c->symbols};
    for (uint32_t i = 0; i < count; i++)
        sym_each_symbol(c->symbols, exprs[i], look_at_symbol, &search);
    return search.unbacked;
}

bool infer_prefers(const infer_call *c, sym_op comparison, sym_expr a, sym_expr b)
{
    sym_table *t = c->symbols;
    sym_expr predicate = sym_compare(t, comparison, a, b);
    symbol_search search = {.symbols = t};
    sym_truth truth = sym_prove(t, predicate, NULL);
    if (truth != SYM_UNKNOWN) return truth == SYM_TRUE;
    sym_each_symbol(t, predicate, look_at_symbol, &search);
    if (search.unbacked || (search.no_example && comparison == SYM_EQ)) return false;
    return sym_hint(t, predicate, USUAL) != 0;
}

bool infer_may_equal(const infer_call *c, sym_expr a, sym_expr b)
{
    return sym_prove(c->symbols, sym_compare(c->symbols, SYM_EQ, a, b), NULL) != SYM_FALSE;
}

/* ---- results ---- */

static fx_value tensor_value(infer_call *c, ty_tensor *x)
{
    if (!x) return (fx_value){.kind = FX_NO_VALUE};
    if (x->storage == 0) x->storage = c->graph->next_storage++;
    return (fx_value){.kind = FX_TENSOR, .tensor = x};
}

void infer_give(infer_call *c, ty_tensor *x)
{
    if (!x) infer_fail(c, "an argument that must be a tensor is not one");
    if (c->status == FE_OK) c->value = tensor_value(c, x);
}

void infer_give_items(infer_call *c, ty_tensor *const *items, uint32_t count)
{
    c->value = (fx_value){.kind = FX_TUPLE, .count = count};
    c->value.items = NEW_ARRAY(c->memory, fx_value, count);
    for (uint32_t i = 0; i < count; i++) c->value.items[i] = tensor_value(c, items[i]);
}

void infer_give_pair(infer_call *c, ty_tensor *first, ty_tensor *second)
{
    ty_tensor *items[] = {first, second};
    infer_give_items(c, items, 2);
}

void infer_give_int(infer_call *c, sym_expr e)
{
    c->value = (fx_value){.kind = FX_INT, .expr = e};
}

void infer_give_bool(infer_call *c, sym_expr e)
{
    c->value = (fx_value){.kind = FX_BOOL, .expr = e};
}
