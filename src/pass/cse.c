/* cse.c -- equal calls on equal arguments become one. Random calls, effects and data-dependent
 * sizes are left alone, and so are two calls whose results are both returned: two outputs that were
 * separate must stay so.
 */
#include "pass/pass_priv.h"

#include <string.h>

static uint64_t hash_arg(const fx_arg *a, uint64_t h)
{
    h = HASH_MIX(h, a->kind);
    switch (a->kind) {
    case FX_ARG_NODE: return HASH_MIX(h, a->node->id);
    case FX_ARG_INT: return HASH_MIX(h, a->expr.id);
    case FX_ARG_FLOAT: return hash_bytes(&a->number, sizeof a->number, h);
    case FX_ARG_BOOL: return HASH_MIX(h, a->boolean);
    case FX_ARG_COMPLEX: return hash_bytes(a->complex_, sizeof a->complex_, h);
    case FX_ARG_STRING:
    case FX_ARG_OBJECT: return a->string ? hash_bytes(a->string, strlen(a->string), h) : h;
    case FX_ARG_DTYPE: return HASH_MIX(h, a->dtype);
    case FX_ARG_DEVICE: return HASH_MIX(HASH_MIX(h, a->device.kind), a->device.index);
    case FX_ARG_LAYOUT: return HASH_MIX(h, a->layout);
    case FX_ARG_MEMORY_FORMAT: return HASH_MIX(h, a->memory_format);
    case FX_ARG_LIST:
        for (uint32_t i = 0; i < a->list.count; i++) h = hash_arg(&a->list.items[i], h);
        return HASH_MIX(h, a->list.count);
    default: return h;
    }
}

static bool may_merge(const fx_node *n)
{
    if (n->kind != FX_CALL || pass_has_effect(n)) return false;
    if (n->op->flags & (OPF_RANDOM | OPF_DATA_DEPENDENT))
        return n->op->id == OP_aten_scaled_dot_product_attention_default;
    return true;
}

/* Does the value, or a view of it, leave the graph? Views are followed through users that alias. */
static bool is_returned(const fx_node *n, int depth)
{
    for (uint32_t i = 0; i < n->users.count; i++) {
        const fx_node *user = n->users.at[i];
        if (user->kind == FX_OUTPUT) return true;
        if (pass_may_alias(n, user) && (depth > 8 || is_returned(user, depth + 1))) return true;
    }
    return false;
}

/* Are sizes made of it that have another name for what the first one gives? */
static bool gives_other_size(const fx_graph *g, const fx_node *first, const fx_node *n)
{
    bool is_named = n->value.kind == FX_INT && !sym_is_none(n->value.expr) &&
                    !sym_is_none(first->value.expr) && sym_same(first->value.expr, n->value.expr);
    return !is_named && pass_gives_size(g, n);
}

fe_status pass_cse(fx_graph *g, bool *changed)
{
    arena *memory = arena_new(g->session);
    map seen = {0}; /* hash -> index in `nodes`; a collision of unequal calls keeps the first */
    VEC(fx_node *) nodes = {0};
    for (fx_node *n = g->first, *next; n; n = next) {
        next = n->next;
        if (!may_merge(n)) continue;
        uint64_t h = HASH_MIX(fx_class(n), n->op->id);
        for (uint32_t i = 0; i < n->arg_count; i++) h = hash_arg(&n->args[i], h);
        uint32_t at = map_get(&seen, h);
        if (at == MAP_NONE) {
            map_set(memory, &seen, h, nodes.count);
            vec_push(memory, &nodes, n);
            continue;
        }
        fx_node *first = nodes.at[at];
        bool same = first->op == n->op && first->arg_count == n->arg_count && fx_may_join(n, first);
        for (uint32_t i = 0; same && i < n->arg_count; i++)
            same = pass_same_arg(&first->args[i], &n->args[i]);
        if (!same || gives_other_size(g, first, n)) continue;
        if (is_returned(n, 0) && is_returned(first, 0)) continue;
        fx_replace_uses(g, n, first);
        fx_erase(g, n);
        *changed = true;
    }
    arena_free(memory);
    return FE_OK;
}
