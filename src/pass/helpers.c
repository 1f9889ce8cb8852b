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

bool pass_has_effect(const fx_node *n)
{
    if (n->kind != FX_CALL) return true;
    return (n->op->flags & (OPF_EFFECT | OPF_HIGHER_ORDER)) || n->op->is_mutating;
}

/* A copy of the argument with its nodes mapped; *changed says whether any was. */
static fx_arg map_arg(fx_graph *g, const fx_arg *a, fx_node *(*map_node)(void *, fx_node *),
                      void *data, bool *changed)
{
    fx_arg made = *a;
    if (a->kind == FX_ARG_NODE) {
        made.node = map_node(data, a->node);
        *changed |= made.node != a->node;
    } else if (a->kind == FX_ARG_LIST) {
        made = fx_list(g, a->list.items, a->list.count);
        for (uint32_t i = 0; i < a->list.count; i++)
            made.list.items[i] = map_arg(g, &a->list.items[i], map_node, data, changed);
    }
    return made;
}

void pass_map_args(fx_graph *g, fx_node *n, fx_node *(*map_node)(void *data, fx_node *a),
                   void *data)
{
    for (uint32_t i = 0; i < n->arg_count; i++) {
        bool changed = false;
        fx_arg made = map_arg(g, &n->args[i], map_node, data, &changed);
        if (changed) fx_set_arg(n, i, made, g);
    }
}
