/* nest_cat.c -- a concatenation that begins with the operands of an earlier one begins with that one:
 * cat([a, b, c]) behind ab = cat([a, b]) becomes cat([ab, c]). Networks that hand all results so far
 * to every layer then concatenate pairs, each of which can lie in the next (sched/slices.c), where
 * they would copy everything again and again.
 */
#include "pass/pass_priv.h"

typedef struct cat_call {
    fx_node *node;
    int64_t dim;
} cat_call;

static bool read_cat(fx_graph *g, fx_node *n, cat_call *out)
{
    const ty_tensor *t = fx_tensor(n);
    if (!fx_is(n, OP_aten_cat_default) || !t || n->args[0].kind != FX_ARG_LIST) return false;
    *out = (cat_call){n, 0};
    if (n->arg_count > 1 && !fx_arg_int(g, &n->args[1], &out->dim)) return false;
    if (out->dim < 0) out->dim += t->rank;
    for (uint32_t i = 0; i < n->args[0].list.count; i++) {
        const fx_arg *item = &n->args[0].list.items[i];
        if (item->kind != FX_ARG_NODE || !fx_tensor(item->node)) return false;
        if (fx_tensor(item->node)->dtype != t->dtype || fx_tensor(item->node)->rank != t->rank)
            return false;
    }
    return n->args[0].list.count > 1;
}

/* Does the list of b begin with that of a, and go on? */
static bool begins_with(const cat_call *b, const cat_call *a)
{
    const fx_arg *x = &a->node->args[0], *y = &b->node->args[0];
    if (a->dim != b->dim || x->list.count >= y->list.count || !fx_may_join(a->node, b->node))
        return false;
    for (uint32_t i = 0; i < x->list.count; i++)
        if (x->list.items[i].node != y->list.items[i].node) return false;
    return true;
}

static void shorten(fx_graph *g, arena *memory, fx_node *n, fx_node *front, uint32_t covered)
{
    VEC(fx_arg) items = {0};
    vec_push(memory, &items, fx_of(front));
    for (uint32_t i = covered; i < n->args[0].list.count; i++)
        vec_push(memory, &items, n->args[0].list.items[i]);
    fx_arg *args = arena_copy(memory, n->args, n->arg_count * sizeof *args);
    args[0] = fx_list(g, items.at, items.count);
    fx_set_op(g, n, n->op, args, n->arg_count);
}

fe_status pass_nest_cat(fx_graph *g, bool *changed)
{
    arena *memory = arena_new(g->session);
    VEC(cat_call) calls = {0}; /* with the lists that they had */
    map last = {0};            /* first operand -> the last call that begins with it */
    for (fx_node *n = g->first; n; n = n->next) {
        cat_call now;
        if (!read_cat(g, n, &now)) continue;
        fx_node *first = n->args[0].list.items[0].node;
        uint32_t known = map_get(&last, first->id);
        fx_node *as_written = NEW(memory, fx_node);
        *as_written = *n;
        as_written->args = arena_copy(memory, n->args, n->arg_count * sizeof *n->args);
        if (known != MAP_NONE && begins_with(&now, &calls.at[known])) {
            const cat_call *front = &calls.at[known];
            shorten(g, memory, n, g->by_id.at[front->node->id], front->node->args[0].list.count);
            *changed = true;
        }
        map_set(memory, &last, first->id, calls.count);
        vec_push(memory, &calls, ((cat_call){as_written, now.dim}));
    }
    arena_free(memory);
    return FE_OK;
}
