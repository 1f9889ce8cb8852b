/* clone.c -- a copy of a graph with all that its arena holds, so that the copy outlives it. */
#include "fx/fx_priv.h"

#include <string.h>

typedef struct cloner {
    arena *memory;
    sym_table *symbols;   /* of the copies */
    VEC(fx_graph *) from; /* graphs done and under way, with their copies in `to` */
    VEC(fx_graph *) to;
    map origins; /* address -> index in `origin_copies` */
    VEC(const fx_origin *) origin_copies;
} cloner;

static fx_graph *clone_graph(cloner *c, fx_graph *g, fx_graph *parent);

static const char *keep(cloner *c, const char *string)
{
    return string ? arena_strdup(c->memory, string) : NULL;
}

static const fx_origin *clone_origin(cloner *c, const fx_origin *o)
{
    if (!o) return NULL;
    uint32_t index = map_get(&c->origins, MAP_KEY(o));
    if (index != MAP_NONE) return c->origin_copies.at[index];
    fx_origin *copy = NEW(c->memory, fx_origin);
    *copy = (fx_origin){
        .node = keep(c, o->node),
        .target = keep(c, o->target),
        .stack_trace = keep(c, o->stack_trace),
        .module_path = keep(c, o->module_path),
        .tags = keep(c, o->tags),
        .module_type = keep(c, o->module_type),
        .class_ = o->class_,
    };
    map_set(c->memory, &c->origins, MAP_KEY(o), c->origin_copies.count);
    vec_push(c->memory, &c->origin_copies, copy);
    return copy;
}

static fx_value clone_value(cloner *c, const fx_value *v)
{
    fx_value copy = *v;
    if (v->tensor) copy.tensor = ty_tensor_copy(c->memory, v->tensor);
    if (v->kind != FX_TUPLE) return copy;
    copy.items = NEW_ARRAY(c->memory, fx_value, v->count);
    for (uint32_t i = 0; i < v->count; i++) copy.items[i] = clone_value(c, &v->items[i]);
    return copy;
}

static fx_arg clone_arg(cloner *c, const fx_graph *from, fx_graph *to, const fx_arg *a)
{
    fx_arg copy = *a;
    switch (a->kind) {
    case FX_ARG_NODE: copy.node = to->by_id.at[a->node->id]; break;
    case FX_ARG_STRING:
    case FX_ARG_OBJECT: copy.string = keep(c, a->string); break;
    case FX_ARG_GRAPH: copy.graph = clone_graph(c, a->graph, to); break;
    case FX_ARG_LIST:
        copy.list.items = NEW_ARRAY(c->memory, fx_arg, a->list.count);
        for (uint32_t i = 0; i < a->list.count; i++)
            copy.list.items[i] = clone_arg(c, from, to, &a->list.items[i]);
        break;
    default: break;
    }
    return copy;
}

static void clone_node(cloner *c, fx_graph *from, fx_graph *to, const fx_node *n)
{
    to->next_id = n->id;
    fx_node *copy = fx_new_node(to, n->kind, n->name);
    copy->op = n->op;
    copy->value = clone_value(c, &n->value);
    copy->order = n->order;
    copy->origin = clone_origin(c, n->origin);
    copy->input_kind = n->input_kind;
    copy->target = keep(c, n->target);
    copy->taken = n->taken;
    copy->taken_of = keep(c, n->taken_of);
    copy->is_persistent = n->is_persistent;
    copy->storage_count = n->storage_count;
    if (n->storages)
        copy->storages = arena_copy(c->memory, n->storages, n->storage_count * sizeof *n->storages);
    if (n->data) copy->data = arena_copy(c->memory, n->data, sizeof *n->data);
    fx_link(to, copy, NULL);

    fx_arg *args = NEW_ARRAY(c->memory, fx_arg, n->arg_count);
    for (uint32_t i = 0; i < n->arg_count; i++) args[i] = clone_arg(c, from, to, &n->args[i]);
    fx_take_args(to, copy, args, n->arg_count);
    copy->is_stale = n->is_stale;
}

static void clone_signature(cloner *c, const fx_graph *from, fx_graph *to)
{
    for (uint32_t i = 0; i < from->inputs.count; i++)
        vec_push(c->memory, &to->inputs, to->by_id.at[from->inputs.at[i]->id]);
    if (from->output) to->output = to->by_id.at[from->output->id];
    for (uint32_t i = 0; i < from->outputs.count; i++) {
        fx_output output = from->outputs.at[i];
        output.target = keep(c, output.target);
        vec_push(c->memory, &to->outputs, output);
    }
    for (uint32_t i = 0; i < from->ranges.count; i++)
        vec_push(c->memory, &to->ranges, from->ranges.at[i]);
    for (uint32_t i = 0; i < from->guards.count; i++)
        vec_push(c->memory, &to->guards, keep(c, from->guards.at[i]));
    for (uint32_t i = 0; i < from->conditions.count; i++)
        fx_add_condition(to, from->conditions.at[i].relation, keep(c, from->conditions.at[i].what));
    for (uint32_t i = 0; i < from->input_names.count; i++)
        vec_push(c->memory, &to->input_names, keep(c, from->input_names.at[i]));
    to->in_spec = keep(c, from->in_spec);
    to->out_spec = keep(c, from->out_spec);
}

static fx_graph *clone_graph(cloner *c, fx_graph *g, fx_graph *parent)
{
    for (uint32_t i = 0; i < c->from.count; i++)
        if (c->from.at[i] == g) return c->to.at[i];
    fx_graph *copy = fx_graph_new(g->session, c->memory, c->symbols, g->ops, g->name);
    copy->parent = parent;
    copy->next_storage = g->next_storage;
    copy->next_symbol = g->next_symbol;
    copy->is_functional = g->is_functional;
    copy->fills_unwritten = g->fills_unwritten;
    copy->autocast = g->autocast;
    vec_push(c->memory, &c->from, g);
    vec_push(c->memory, &c->to, copy);
    for (const fx_node *n = g->first; n; n = n->next) clone_node(c, g, copy, n);
    clone_signature(c, g, copy);
    copy->next_id = g->next_id;
    while (copy->by_id.count < copy->next_id) vec_push(c->memory, &copy->by_id, NULL);
    return copy;
}

fx_graph *fx_clone(fx_graph *g, arena *memory)
{
    cloner c = {.memory = memory, .symbols = g->symbols};
    return clone_graph(&c, g, g->parent);
}

fx_graph *fx_clone_apart(fx_graph *g, arena *memory)
{
    cloner c = {.memory = memory, .symbols = sym_table_copy(g->symbols, memory)};
    return clone_graph(&c, g, g->parent);
}
