/* helpers.c -- what several passes share. */
#include "pass/pass_priv.h"

#include <string.h>

fe_status pass_call(fx_graph *g, fx_node *before, const op_info *op, const fx_node *like,
                    const fx_arg *args, uint32_t count, fx_node **out)
{
    fx_node *n = fx_call(g, before, op, op->base, args, count);
    if (like) n->origin = like->origin;
    *out = n;
    return infer_node(g, n);
}

fe_status pass_emit(fx_graph *g, fx_node *before, op_id op, const fx_node *like, uint32_t count,
                    const fx_arg *args, fx_node **out)
{
    *out = fx_emit(g, before, op, like, count, args);
    return infer_node(g, *out);
}

/* ---- symbols that only the run knows ---- */

static void note_symbol(void *data, sym_expr symbol)
{
    *(sym_expr *)data = symbol;
}

/* Is the expression one symbol that only the run knows? */
static bool is_unbacked(const fx_graph *g, sym_expr e)
{
    sym_expr symbol = {0};
    if (!sym_is_none(e)) sym_each_symbol(g->symbols, e, note_symbol, &symbol);
    return !sym_is_none(symbol) && sym_same(symbol, e) &&
           sym_kind_of(g->symbols, symbol) == SYM_UNBACKED;
}

static void bind_expr(fx_graph *g, sym_expr was, sym_expr now)
{
    if (!sym_same(was, now) && is_unbacked(g, was) && is_unbacked(g, now))
        fx_rename_symbols(g, &now, &was, 1);
}

static void bind_value(fx_graph *g, const fx_value *was, const fx_value *now)
{
    if (was->kind != now->kind) return;
    if (was->kind == FX_INT) bind_expr(g, was->expr, now->expr);
    for (uint32_t i = 0; was->kind == FX_TUPLE && i < was->count && i < now->count; i++)
        bind_value(g, &was->items[i], &now->items[i]);
    if (was->kind != FX_TENSOR || was->tensor->rank != now->tensor->rank) return;
    for (uint32_t d = 0; d < was->tensor->rank; d++)
        bind_expr(g, was->tensor->sizes[d], now->tensor->sizes[d]);
    bind_expr(g, was->tensor->offset, now->tensor->offset);
}

void pass_bind(fx_graph *g, const fx_node *was, const fx_node *now)
{
    bind_value(g, &was->value, &now->value);
}

bool pass_is_constant(const fx_graph *g, const fx_node *n)
{
    if (n->kind != FX_PLACEHOLDER || !n->data || n->input_kind == FX_USER_INPUT) return false;
    for (uint32_t k = 0; k < g->outputs.count; k++) {
        const fx_output *o = &g->outputs.at[k];
        bool is_mutation = o->kind == FX_BUFFER_MUTATION || o->kind == FX_PARAMETER_MUTATION;
        if (is_mutation && o->target && n->target && strcmp(o->target, n->target) == 0)
            return false;
    }
    return true;
}

bool pass_numbers(const fx_graph *g, const fx_arg *a, uint32_t dims, int64_t *out)
{
    enum { MOST_DIMS = 3 };
    sym_expr items[MOST_DIMS];
    int count = fx_arg_ints(g, a, items, MOST_DIMS);
    if (dims > MOST_DIMS || (count != 1 && count != (int)dims)) return false;
    for (uint32_t d = 0; d < dims; d++)
        if (!sym_is_int(g->symbols, items[count == 1 ? 0 : d], &out[d])) return false;
    return true;
}

const uint8_t *pass_elements_of(const fx_graph *g, const fx_node *n, int64_t *count)
{
    const ty_tensor *t = fx_tensor(n);
    int64_t offset;
    if (!t || !pass_is_constant(g, n) || !sym_is_int(g->symbols, ty_numel(g->symbols, t), count) ||
        !sym_is_int(g->symbols, t->offset, &offset) || !ty_is_contiguous(g->symbols, t))
        return NULL;
    size_t size = ty_dtype_size(t->dtype);
    if (*count < 1 || offset < 0 || (size_t)(offset + *count) > n->data->size / size) return NULL;
    return n->data->bytes + (size_t)offset * size;
}

bool pass_has_effect(const fx_node *n)
{
    if (n->kind != FX_CALL) return true;
    return (n->op->flags & (OPF_EFFECT | OPF_HIGHER_ORDER)) || n->op->is_mutating;
}

typedef struct symbol_search {
    sym_expr wanted;
    bool found;
} symbol_search;

static void find_symbol(void *data, sym_expr symbol)
{
    symbol_search *search = data;
    search->found |= sym_same(symbol, search->wanted);
}

bool pass_gives_size(const fx_graph *g, const fx_node *n)
{
    if (n->value.kind != FX_INT || sym_is_none(n->value.expr)) return false;
    for (uint32_t i = 0; i < n->arg_count; i++)
        if (fx_arg_tensor(&n->args[i])) return false;
    if (!sym_has_kind(g->symbols, n->value.expr, SYM_UNBACKED)) return false;
    symbol_search search = {n->value.expr, false};
    for (const fx_node *later = n->next; later && !search.found; later = later->next)
        fx_each_symbol(g->symbols, &later->value, find_symbol, &search);
    return search.found;
}

fx_arg pass_map_arg(fx_graph *g, const fx_arg *a, fx_node *(*map_node)(void *data, fx_node *a),
                    void *data, bool *changed)
{
    fx_arg made = *a;
    if (a->kind == FX_ARG_NODE) {
        made.node = map_node(data, a->node);
        *changed |= made.node != a->node;
    } else if (a->kind == FX_ARG_LIST) {
        made = fx_list(g, a->list.items, a->list.count);
        for (uint32_t i = 0; i < a->list.count; i++)
            made.list.items[i] = pass_map_arg(g, &a->list.items[i], map_node, data, changed);
    }
    return made;
}

void pass_map_args(fx_graph *g, fx_node *n, fx_node *(*map_node)(void *data, fx_node *a),
                   void *data)
{
    for (uint32_t i = 0; i < n->arg_count; i++) {
        bool changed = false;
        fx_arg made = pass_map_arg(g, &n->args[i], map_node, data, &changed);
        if (changed) fx_set_arg(n, i, made, g);
    }
}

bool pass_same_arg(const fx_arg *a, const fx_arg *b)
{
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case FX_ARG_NONE: return true;
    case FX_ARG_NODE: return a->node == b->node;
    case FX_ARG_INT: return sym_same(a->expr, b->expr);
    case FX_ARG_FLOAT: return memcmp(&a->number, &b->number, sizeof a->number) == 0;
    case FX_ARG_BOOL: return a->boolean == b->boolean;
    case FX_ARG_COMPLEX: return memcmp(a->complex_, b->complex_, sizeof a->complex_) == 0;
    case FX_ARG_STRING: return strcmp(a->string, b->string) == 0;
    case FX_ARG_DTYPE: return a->dtype == b->dtype;
    case FX_ARG_DEVICE: return ty_same_device(a->device, b->device);
    case FX_ARG_LAYOUT: return a->layout == b->layout;
    case FX_ARG_MEMORY_FORMAT: return a->memory_format == b->memory_format;
    case FX_ARG_LIST:
        if (a->list.count != b->list.count) return false;
        for (uint32_t i = 0; i < a->list.count; i++)
            if (!pass_same_arg(&a->list.items[i], &b->list.items[i])) return false;
        return true;
    default: return false;
    }
}

/* Is the value returned to the user? What is only written back to a mutated input is copied there. */
static bool is_returned(const fx_graph *g, const fx_node *n)
{
    const fx_node *out = g->output;
    for (uint32_t k = 0; k < out->arg_count; k++)
        if (g->outputs.at[k].kind == FX_USER_OUTPUT && out->args[k].kind == FX_ARG_NODE &&
            out->args[k].node == n)
            return true;
    return false;
}

bool pass_may_alias(const fx_node *n, const fx_node *user)
{
    const ty_tensor *a = fx_tensor(n), *b = fx_tensor(user);
    if (user->value.kind == FX_TUPLE || n->value.kind == FX_TUPLE) return true;
    if (a && b && a->storage == b->storage) return true;
    if (!user->is_stale || user->kind != FX_CALL) return false;
    bool may = user->op->flags & OPF_HIGHER_ORDER; /* its alias class is that of another operand */
    for (uint32_t i = 0; i < user->op->return_count; i++) may |= user->op->returns[i].alias != 0;
    return may;
}

/* Does the value, or something that aliases it, leave the graph? */
static bool leaves(const fx_graph *g, const fx_node *n, int depth)
{
    for (uint32_t i = 0; i < n->users.count; i++) {
        const fx_node *user = n->users.at[i];
        if (user->kind == FX_OUTPUT) {
            if (is_returned(g, n)) return true;
            continue;
        }
        if (depth > 6) return true;
        if (pass_may_alias(n, user) && leaves(g, user, depth + 1)) return true;
    }
    return false;
}

bool pass_leaves(const fx_graph *g, const fx_node *n)
{
    return leaves(g, n, 0);
}

bool pass_known_number(const fx_graph *g, const fx_node *n, double *out)
{
    if (fx_constant_number(g, n, out)) return true;
    if (fx_is(n, OP_aten_full_default)) return fx_arg_number(g, &n->args[1], out);
    return fx_is(n, OP_aten_scalar_tensor_default) && fx_arg_number(g, &n->args[0], out);
}
