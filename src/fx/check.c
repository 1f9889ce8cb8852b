/* check.c -- the laws of the graph (fx.h: F1 to F7), verified between passes. The first breach is
 * told with its node.
 *
 * One walk in order: what a node refers to must stand before it and hold the reference in its list
 * of users; then the sums must agree, so that no list holds more. Subgraphs are checked where they
 * are called.
 */
#include "fx/fx_priv.h"

#include <stdio.h>
#include <string.h>

typedef struct checker {
    fx_graph *graph;
    const char *after;
    arena *memory;
    uint32_t *references; /* by id: references seen so far */
    bool *defined;        /* by id */
    map *bound;           /* symbols that only the run knows, those of the graph around too */
} checker;

static fe_status check_graph(fx_graph *g, const char *after, arena *memory, map *bound);

static fe_status breach(const checker *c, const fx_node *n, const char *format, ...)
    FE_PRINTF(3, 4);

static fe_status breach(const checker *c, const fx_node *n, const char *format, ...)
{
    fx_graph *g = c->graph;
    char said[600];
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
    text line;
    text_init(&line, g->memory);
    if (n) fx_print_node(g, n, &line);
    const char *help = n ? arena_printf(g->memory, "the node is: %s", line.at) : NULL;
    return fx_fail(g, n, "fx", c->after ? FE_INTERNAL : FE_CORRUPT, help, "%s (graph %s%s%s)", said,
                   g->name, c->after ? ", after " : "", c->after ? c->after : "");
}

/* ---- F1, F2: order and uses ---- */

static fe_status check_reference(checker *c, const fx_node *n, const fx_arg *a)
{
    fx_graph *g = c->graph;
    const fx_node *used = a->node;
    if (!used) return breach(c, n, "F2: %%%s refers to no node", n->name);
    if (used->id >= g->by_id.count || g->by_id.at[used->id] != used)
        return breach(c, n, "F1: %%%s uses %%%s, which is not in this graph", n->name, used->name);
    if (!c->defined[used->id])
        return breach(c, n, "F1: %%%s uses %%%s, which comes later", n->name, used->name);
    if (a->use >= used->users.count || used->users.at[a->use] != n)
        return breach(c, n, "F2: %%%s uses %%%s, whose list of users does not say so", n->name,
                      used->name);
    c->references[used->id]++;
    return FE_OK;
}

static fe_status check_references(checker *c, const fx_node *n, const fx_arg *a)
{
    if (a->kind == FX_ARG_NODE) return check_reference(c, n, a);
    if (a->kind == FX_ARG_GRAPH) {
        if (!a->graph || a->graph == c->graph)
            return breach(c, n, "F4: %%%s has no graph as argument, or its own", n->name);
        return check_graph(a->graph, c->after, c->memory, c->bound);
    }
    if (a->kind != FX_ARG_LIST) return FE_OK;
    for (uint32_t i = 0; i < a->list.count; i++) FE_TRY(check_references(c, n, &a->list.items[i]));
    return FE_OK;
}

/* ---- F3: metadata ---- */

static bool value_is_whole(const fx_value *v)
{
    if (v->kind == FX_TENSOR) {
        const ty_tensor *x = v->tensor;
        if (!x || x->dtype == TY_NO_DTYPE || sym_is_none(x->offset)) return false;
        for (uint32_t d = 0; d < x->rank; d++)
            if (sym_is_none(x->sizes[d]) || sym_is_none(x->strides[d])) return false;
    }
    if (v->kind == FX_TUPLE)
        for (uint32_t i = 0; i < v->count; i++)
            if (!value_is_whole(&v->items[i])) return false;
    return true;
}

static bool value_fits(const fx_value *v, const op_type *t)
{
    if (v->kind == FX_OPAQUE) return true;
    if (v->kind == FX_NO_VALUE) return t->optional;
    if (t->base == OP_ANY) return true;
    if (t->list) return v->kind == FX_TUPLE;
    switch (t->base) {
    case OP_TENSOR: return v->kind == FX_TENSOR;
    case OP_INT: return v->kind == FX_INT;
    case OP_FLOAT: return v->kind == FX_FLOAT;
    case OP_BOOL: return v->kind == FX_BOOL;
    case OP_SCALAR: return v->kind == FX_INT || v->kind == FX_FLOAT || v->kind == FX_BOOL;
    default: return true;
    }
}

/* A tensor among several returns may be missing: what a mask leaves out. */
static bool return_fits(const fx_value *v, const op_type *t)
{
    return value_fits(v, t) || (v->kind == FX_NO_VALUE && t->base == OP_TENSOR);
}

/* _operator.getitem of such an item. */
static bool takes_missing_item(const fx_graph *g, const fx_node *n)
{
    int64_t index;
    if (!fx_is(n, OP_operator_getitem) || n->arg_count != 2 || n->args[0].kind != FX_ARG_NODE)
        return false;
    const fx_value *tuple = &n->args[0].node->value;
    return tuple->kind == FX_TUPLE && fx_arg_int(g, &n->args[1], &index) && index >= 0 &&
           index < tuple->count && tuple->items[index].kind == FX_NO_VALUE;
}

static fe_status check_returns(checker *c, const fx_node *n)
{
    const op_info *op = n->op;
    if (op->flags & OPF_HIGHER_ORDER) return FE_OK;
    if (op->custom && op->custom->mutating) { /* lists flattened, no item for an absent argument */
        if (n->value.kind == FX_TUPLE) return FE_OK;
        return breach(c, n, "F3: %%%s must have a tuple as metadata", n->name);
    }
    if (op->return_count == 0) {
        if (n->value.kind == FX_NO_VALUE || (n->value.kind == FX_TUPLE && n->value.count == 0))
            return FE_OK;
        return breach(c, n, "F3: %%%s has a value, and %s returns none", n->name, op->name);
    }
    if (op->return_count == 1) {
        if (value_fits(&n->value, &op->returns[0].type)) return FE_OK;
        bool missing = n->value.kind == FX_NO_VALUE;
        if (missing && takes_missing_item(c->graph, n)) return FE_OK;
        return breach(c, n,
                      missing ? "F3: %%%s has no metadata"
                              : "F3: the metadata of %%%s is not what its operator returns",
                      n->name);
    }
    if (n->value.kind == FX_OPAQUE) return FE_OK;
    if (n->value.kind != FX_TUPLE || n->value.count != op->return_count)
        return breach(c, n, "F3: %%%s must have a tuple of %u as metadata", n->name,
                      op->return_count);
    for (uint32_t i = 0; i < op->return_count; i++)
        if (!return_fits(&n->value.items[i], &op->returns[i].type))
            return breach(c, n,
                          "F3: item %u of the metadata of %%%s is not what its operator returns", i,
                          n->name);
    return FE_OK;
}

static fe_status check_metadata(checker *c, const fx_node *n)
{
    if (n->kind == FX_OUTPUT) return FE_OK;
    if (!value_is_whole(&n->value))
        return breach(c, n, "F3: the metadata of %%%s has holes", n->name);
    if (n->kind == FX_CALL) return check_returns(c, n);
    bool free = n->input_kind == FX_OBJECT || n->input_kind == FX_TOKEN ||
                n->input_kind == FX_USER_INPUT ||
                n->input_kind == FX_CONSTANT_INPUT; /* an input may be None */
    if (n->value.kind == FX_NO_VALUE && !free)
        return breach(c, n, "F3: %%%s has no metadata", n->name);
    return FE_OK;
}

/* ---- F4: arguments and the schema ---- */

static bool node_fits(const fx_value *v, const op_type *t)
{
    bool number = v->kind == FX_INT || v->kind == FX_FLOAT || v->kind == FX_BOOL;
    if (v->kind == FX_OPAQUE) return true;
    switch (t->base) {
    case OP_TENSOR: return v->kind == FX_TENSOR || (number && t->takes_number);
    case OP_INT:
    case OP_BOOL: return v->kind == FX_INT || v->kind == FX_BOOL;
    case OP_FLOAT:
    case OP_SCALAR:
    case OP_COMPLEX: return number;
    case OP_STRING:
    case OP_DTYPE:
    case OP_DEVICE:
    case OP_LAYOUT:
    case OP_MEMORY_FORMAT: return false;
    default: return true;
    }
}

/* Does the argument fit one element of the type? */
static bool arg_fits_base(const fx_arg *a, const op_type *t)
{
    bool real = a->kind == FX_ARG_INT || a->kind == FX_ARG_FLOAT || a->kind == FX_ARG_BOOL;
    if (a->kind == FX_ARG_NODE) return node_fits(&a->node->value, t);
    switch (t->base) {
    case OP_TENSOR: return t->takes_number && (real || a->kind == FX_ARG_COMPLEX);
    case OP_SCALAR:
    case OP_COMPLEX: return real || a->kind == FX_ARG_COMPLEX;
    case OP_INT:
    case OP_BOOL: return a->kind == FX_ARG_INT || a->kind == FX_ARG_BOOL;
    case OP_FLOAT: return real;
    case OP_STRING: return a->kind == FX_ARG_STRING;
    case OP_DTYPE: return a->kind == FX_ARG_DTYPE;
    case OP_DEVICE: return a->kind == FX_ARG_DEVICE;
    case OP_LAYOUT: return a->kind == FX_ARG_LAYOUT;
    case OP_MEMORY_FORMAT: return a->kind == FX_ARG_MEMORY_FORMAT;
    default: return true;
    }
}

bool fx_arg_fits(const fx_arg *a, const op_type *t)
{
    if (t->base == OP_ANY) return true;
    if (a->kind == FX_ARG_NONE)
        return t->optional || t->base == OP_OBJECT || t->base == OP_GENERATOR;
    if (!t->list) return arg_fits_base(a, t);
    if (a->kind == FX_ARG_NODE &&
        (a->node->value.kind == FX_TUPLE || a->node->value.kind == FX_OPAQUE))
        return true;
    if (a->kind != FX_ARG_LIST)
        return t->list_size > 0 && arg_fits_base(a, t); /* T[2] takes a single T */
    for (uint32_t i = 0; i < a->list.count; i++) {
        const fx_arg *item = &a->list.items[i];
        bool fits = item->kind == FX_ARG_NONE ? t->optional_elements : arg_fits_base(item, t);
        if (!fits) return false;
    }
    return true;
}

static fe_status check_schema(checker *c, const fx_node *n)
{
    const op_info *op = n->op;
    if (!op) return breach(c, n, "F4: %%%s calls no operator", n->name);
    if (op->flags & OPF_HIGHER_ORDER) return FE_OK;
    if (n->arg_count != op->param_count)
        return breach(c, n, "F4: %%%s has %u arguments, %s takes %u", n->name, n->arg_count,
                      op->name, op->param_count);
    for (uint32_t i = 0; i < n->arg_count; i++)
        if (!fx_arg_fits(&n->args[i], &op->params[i].type))
            return breach(c, n, "F4: argument %s of %%%s is not of the kind that %s takes",
                          op->params[i].name, n->name, op->name);
    return FE_OK;
}

static bool is_input(const fx_graph *g, fx_input_kind kind, const char *target)
{
    for (uint32_t i = 0; i < g->inputs.count; i++) {
        const fx_node *input = g->inputs.at[i];
        if (input->input_kind != kind) continue;
        if (strcmp(input->target, target) == 0 || strcmp(input->name, target) == 0) return true;
    }
    return false;
}

static fe_status check_outputs(checker *c, const fx_node *n)
{
    static const fx_input_kind MUTATED[] = {[FX_BUFFER_MUTATION] = FX_BUFFER,
                                            [FX_PARAMETER_MUTATION] = FX_PARAMETER,
                                            [FX_USER_INPUT_MUTATION] = FX_USER_INPUT};
    const fx_graph *g = c->graph;
    if (g->outputs.count != n->arg_count)
        return breach(c, n, "F4: the output has %u values and %u kinds", n->arg_count,
                      g->outputs.count);
    for (uint32_t i = 0; i < n->arg_count; i++) {
        const fx_output *output = &g->outputs.at[i];
        if (output->kind == FX_USER_OUTPUT && output->target &&
            !is_input(g, FX_USER_INPUT, output->target))
            return breach(c, n, "F4: output %u is returned as \"%s\", which is no input", i,
                          output->target);
        if (output->kind == FX_USER_OUTPUT || output->kind == FX_TOKEN_OUTPUT) continue;
        if (!output->target || !is_input(g, MUTATED[output->kind], output->target))
            return breach(
                c, n,
                "F4: output %u stands for the mutation of \"%s\", which is no input of that kind",
                i, output->target ? output->target : "");
    }
    return FE_OK;
}

fe_status fx_check_outputs(fx_graph *g)
{
    checker c = {.graph = g};
    return g->output ? check_outputs(&c, g->output) : FE_OK;
}

/* ---- F7: symbols that only the run knows ---- */

typedef struct symbol_walk {
    checker *c;
    bool binds;
    sym_expr unbound; /* one that nothing has bound */
} symbol_walk;

static void walk_symbol(void *data, sym_expr symbol)
{
    symbol_walk *w = data;
    fx_graph *g = w->c->graph;
    if (sym_kind_of(g->symbols, symbol) != SYM_UNBACKED) return;
    if (w->binds)
        map_set(w->c->memory, w->c->bound, symbol.id, 1);
    else if (map_get(w->c->bound, symbol.id) == MAP_NONE)
        w->unbound = symbol;
}

static void walk_expr(symbol_walk *w, sym_expr e)
{
    if (!sym_is_none(e)) sym_each_symbol(w->c->graph->symbols, e, walk_symbol, w);
}

static void walk_value(symbol_walk *w, const fx_value *v)
{
    walk_expr(w, v->expr);
    for (uint32_t d = 0; v->kind == FX_TENSOR && d < v->tensor->rank; d++)
        walk_expr(w, v->tensor->sizes[d]);
    if (v->kind == FX_TENSOR) walk_expr(w, v->tensor->offset);
    for (uint32_t i = 0; v->kind == FX_TUPLE && i < v->count; i++) walk_value(w, &v->items[i]);
}

static void walk_strides(symbol_walk *w, const fx_value *v)
{
    for (uint32_t d = 0; v->kind == FX_TENSOR && d < v->tensor->rank; d++)
        walk_expr(w, v->tensor->strides[d]);
    for (uint32_t i = 0; v->kind == FX_TUPLE && i < v->count; i++) walk_strides(w, &v->items[i]);
}

static void walk_arg(symbol_walk *w, const fx_arg *a)
{
    if (a->kind == FX_ARG_INT) walk_expr(w, a->expr);
    for (uint32_t i = 0; a->kind == FX_ARG_LIST && i < a->list.count; i++)
        walk_arg(w, &a->list.items[i]);
}

/* May the node's value have symbols that no operand has? */
static bool may_bind(const fx_node *n)
{
    if (n->kind != FX_CALL) return n->kind == FX_PLACEHOLDER;
    return !(n->op->flags & OPF_POINTWISE) && !fx_is(n, OP_operator_getitem);
}

/* The name of a symbol that is not bound where the node speaks of it, or NULL; binds those that it may. */
static const char *unbound_symbol(checker *c, const fx_node *n)
{
    symbol_walk w = {.c = c};
    for (uint32_t i = 0; i < n->arg_count; i++) walk_arg(&w, &n->args[i]);
    w.binds = may_bind(n);
    walk_value(&w, &n->value);
    w.binds = n->kind == FX_PLACEHOLDER; /* no call tells the run a stride */
    walk_strides(&w, &n->value);
    return sym_is_none(w.unbound) ? NULL : sym_name(c->graph->symbols, w.unbound);
}

static fe_status check_symbols(checker *c, const fx_node *n)
{
    const char *unbound = unbound_symbol(c, n);
    if (!unbound) return FE_OK;
    return breach(c, n, "F7: %%%s speaks of %s, which nothing before it binds", n->name, unbound);
}

static fe_status bind_graph(void *data, fx_graph *g)
{
    const checker *c = data;
    checker inside = {.graph = g, .memory = c->memory, .bound = c->bound};
    for (const fx_node *n = g->first; n; n = n->next) {
        FE_TRY(fx_each_called(n, bind_graph, &inside));
        const char *unbound = unbound_symbol(&inside, n);
        if (unbound)
            return fx_fail(
                g, n, "fx", FE_CORRUPT,
                "a symbol is bound by an input that has it, or a call that has it as a size",
                "it speaks of the size %s, which nothing before it binds", unbound);
    }
    return FE_OK;
}

fe_status fx_check_bound(fx_graph *main)
{
    map bound = {0};
    checker c = {.graph = main, .memory = arena_new(main->session), .bound = &bound};
    fe_status status = bind_graph(&c, main);
    arena_free(c.memory);
    return status;
}

/* ---- F5, F6 and the whole ---- */

static fe_status check_name(checker *c, const fx_node *n)
{
    const fx_graph *g = c->graph;
    if (n->id >= g->by_id.count || g->by_id.at[n->id] != n)
        return breach(c, n, "F5: %%%s has the id of another node", n->name);
    if (map_get(&g->by_name, MAP_KEY(n->name)) != n->id)
        return breach(c, n, "F5: the name %%%s stands for another node", n->name);
    return FE_OK;
}

static fe_status check_node(checker *c, const fx_node *n)
{
    const fx_graph *g = c->graph;
    FE_TRY(check_name(c, n));
    for (uint32_t i = 0; i < n->arg_count; i++) FE_TRY(check_references(c, n, &n->args[i]));
    FE_TRY(check_metadata(c, n));
    if (n->kind == FX_CALL) FE_TRY(check_schema(c, n));
    if (n->kind == FX_OUTPUT) FE_TRY(check_outputs(c, n));
    FE_TRY(check_symbols(c, n));
    if (n->kind == FX_OUTPUT && (n->next || g->output != n))
        return breach(c, n, "F1: the output is not last");
    if (g->is_functional && n->kind == FX_CALL && n->op->is_mutating)
        return breach(c, n, "F6: %%%s = %s writes to its argument in a functional graph", n->name,
                      n->op->name);
    c->defined[n->id] = true;
    return FE_OK;
}

/* Every placeholder is among the inputs and no input has gone; the links go both ways. */
static fe_status check_lists(checker *c)
{
    const fx_graph *g = c->graph;
    uint32_t count = 0, placeholders = 0;
    for (const fx_node *n = g->first; n; n = n->next) {
        count++;
        placeholders += n->kind == FX_PLACEHOLDER;
        bool linked = n->next ? n->next->prev == n : g->last == n;
        if (!linked || (n == g->first && n->prev))
            return breach(c, n, "F1: the links around %%%s do not meet", n->name);
        if (c->references[n->id] != n->users.count)
            return breach(c, n, "F2: %%%s has %u users listed and %u references", n->name,
                          n->users.count, c->references[n->id]);
    }
    if (count != g->node_count)
        return breach(c, NULL, "F1: %u nodes counted, %u linked", g->node_count, count);
    for (uint32_t i = 0; i < g->inputs.count; i++)
        if (g->by_id.at[g->inputs.at[i]->id] != g->inputs.at[i])
            return breach(c, NULL, "F1: input %u is not in the graph", i);
    if (placeholders != g->inputs.count)
        return breach(c, NULL, "F1: %u placeholders, %u inputs", placeholders, g->inputs.count);
    return FE_OK;
}

static fe_status check_graph(fx_graph *g, const char *after, arena *memory, map *bound)
{
    checker c = {.graph = g, .after = after, .memory = memory, .bound = bound};
    c.references = NEW_ARRAY(memory, uint32_t, g->by_id.count + 1);
    c.defined = NEW_ARRAY(memory, bool, g->by_id.count + 1);
    for (const fx_node *n = g->first; n; n = n->next) FE_TRY(check_node(&c, n));
    return check_lists(&c);
}

fe_status fx_check(fx_graph *g, const char *after)
{
    map bound = {0};
    arena *memory = arena_new(g->session);
    fe_status status = check_graph(g, after, memory, &bound);
    arena_free(memory);
    return status;
}
