/* subgraph.c -- calls of higher-order operators: their subgraph and its operands; a subgraph in
 * place of such a call.
 */
#include "fx/fx_priv.h"

/* ---- what a call says ---- */

bool fx_is_keyword(const fx_arg *a)
{
    return a->kind == FX_ARG_LIST && a->list.count == 2 && a->list.items[0].kind == FX_ARG_STRING;
}

static void add_operand(fx_subcall *out, arena *memory, const fx_arg *a)
{
    if (a->kind == FX_ARG_GRAPH || a->kind == FX_ARG_STRING || fx_is_keyword(a)) return;
    if (a->kind != FX_ARG_LIST) {
        vec_push(memory, &out->operands, *a);
        return;
    }
    for (uint32_t i = 0; i < a->list.count; i++) add_operand(out, memory, &a->list.items[i]);
}

void fx_subcall_of(const fx_node *n, arena *memory, fx_subcall *out)
{
    uint32_t behind = 0;
    *out = (fx_subcall){0};
    for (uint32_t i = 0; i < n->arg_count; i++)
        if (n->args[i].kind == FX_ARG_GRAPH) {
            out->graph = n->args[i].graph;
            behind = i + 1;
        }
    for (uint32_t i = behind; out->graph && i < n->arg_count; i++)
        add_operand(out, memory, &n->args[i]);
}

/* ---- nodes replaced by arguments ---- */

/* What the nodes of a graph have become, by id. */
typedef struct substitution {
    fx_graph *into;
    const fx_arg *of;
} substitution;

static fx_arg substituted(const substitution *s, const fx_arg *a)
{
    fx_arg copy = *a;
    if (a->kind == FX_ARG_NODE) return s->of[a->node->id];
    if (a->kind != FX_ARG_LIST) return copy;
    copy.list.items = NEW_ARRAY(s->into->memory, fx_arg, a->list.count);
    for (uint32_t i = 0; i < a->list.count; i++)
        copy.list.items[i] = substituted(s, &a->list.items[i]);
    return copy;
}

static fx_arg *substituted_all(const substitution *s, const fx_node *n)
{
    fx_arg *args = NEW_ARRAY(s->into->memory, fx_arg, n->arg_count);
    for (uint32_t i = 0; i < n->arg_count; i++) args[i] = substituted(s, &n->args[i]);
    return args;
}

void fx_replace_uses_by_arg(fx_graph *g, fx_node *old, fx_arg with)
{
    if (with.kind == FX_ARG_NODE) {
        fx_replace_uses(g, old, with.node);
        return;
    }
    fx_arg *of = NEW_ARRAY(g->memory, fx_arg, g->next_id);
    for (const fx_node *n = g->first; n; n = n->next) of[n->id] = fx_of(g->by_id.at[n->id]);
    of[old->id] = with;
    substitution s = {g, of};
    while (old->users.count > 0) {
        fx_node *user = old->users.at[0];
        fx_take_args(g, user, substituted_all(&s, user), user->arg_count);
    }
}

/* ---- in place of the call ---- */

/* Alias classes of the subgraph mean nothing outside it. */
static fx_value without_storage(fx_graph *g, const fx_value *v)
{
    fx_value copy = *v;
    if (v->kind == FX_TENSOR) {
        copy.tensor = ty_tensor_copy(g->memory, v->tensor);
        copy.tensor->storage = 0;
    }
    if (v->kind != FX_TUPLE) return copy;
    copy.items = NEW_ARRAY(g->memory, fx_value, v->count);
    for (uint32_t i = 0; i < v->count; i++) copy.items[i] = without_storage(g, &v->items[i]);
    return copy;
}

fx_node *fx_copy_call(fx_graph *g, fx_node *before, const fx_node *n, const fx_arg *of)
{
    substitution s = {g, of};
    fx_node *copy = fx_call(g, before, n->op, n->name, substituted_all(&s, n), n->arg_count);
    copy->origin = n->origin;
    copy->value = without_storage(g, &n->value);
    return copy;
}

fx_arg *fx_inline(fx_graph *g, fx_node *before, const fx_graph *sub, const fx_arg *operands,
                  uint32_t count)
{
    fx_arg *of = NEW_ARRAY(g->memory, fx_arg, sub->next_id);
    substitution s = {g, of};
    CHECK(g->session, count == sub->inputs.count && sub->output);
    for (uint32_t i = 0; i < count; i++) of[sub->inputs.at[i]->id] = operands[i];
    for (const fx_node *n = sub->first; n; n = n->next)
        if (n->kind == FX_CALL) of[n->id] = fx_of(fx_copy_call(g, before, n, of));
    return substituted_all(&s, sub->output);
}
