/* inline.c -- higher-order operators that run their subgraph once, whatever happens, and only say
 * how: without gradients, with casts (which inference has made explicit), as a unit to be
 * recomputed. The subgraph takes the place of the call.
 */
#include "pass/pass_priv.h"

static const op_id runs_once[] = {
    OP_higher_order_wrap_with_autocast,
    OP_higher_order_wrap_with_set_grad_enabled,
    OP_higher_order_wrap,
    OP_higher_order_wrap_activation_checkpoint,
    OP_higher_order_tag_activation_checkpoint,
    OP_higher_order_strict_mode,
    OP_higher_order_hints_wrapper,
    OP_higher_order_invoke_subgraph,
};

bool pass_runs_once(const fx_node *n)
{
    for (size_t i = 0; n->kind == FX_CALL && i < COUNT_OF(runs_once); i++)
        if (fx_is(n, runs_once[i])) return true;
    return false;
}

/* Readers of item k of the call read results[k]. */
static fe_status replace_items(fx_graph *g, fx_node *n, const fx_arg *results, uint32_t count)
{
    while (n->users.count > 0) {
        fx_node *item = n->users.at[0];
        int64_t k = -1;
        bool is_item = fx_is(item, OP_operator_getitem) && fx_arg_int(g, &item->args[1], &k);
        if (!is_item || k < 0 || k >= count)
            return fx_fail(g, item, "inline", FE_UNSUPPORTED, NULL,
                           "the results of %s are used other than one by one", n->op->name);
        fx_replace_uses_by_arg(g, item, results[k]);
        fx_erase(g, item);
    }
    return FE_OK;
}

static fe_status inline_call(fx_graph *g, fx_node *n, const fx_subcall *call)
{
    const fx_graph *sub = call->graph;
    if (!sub->output || call->operands.count != sub->inputs.count)
        return fx_fail(g, n, "inline", FE_UNSUPPORTED, NULL,
                       "the subgraph takes %u values and is called with %u", sub->inputs.count,
                       call->operands.count);
    fx_arg *results = fx_inline(g, n, sub, call->operands.at, call->operands.count);
    if (n->value.kind == FX_TUPLE)
        FE_TRY(replace_items(g, n, results, sub->output->arg_count));
    else if (sub->output->arg_count > 0)
        fx_replace_uses_by_arg(g, n, results[0]);
    fx_erase(g, n);
    return FE_OK;
}

fe_status pass_inline(fx_graph *g, bool *changed)
{
    arena *memory = arena_new(g->session);
    fe_status status = FE_OK;
    for (fx_node *n = g->first, *next; n && status == FE_OK; n = next) {
        fx_subcall call;
        fx_node *before = n->prev;
        next = n->next;
        if (!pass_runs_once(n)) continue;
        fx_subcall_of(n, memory, &call);
        if (!call.graph) continue;
        status = inline_call(g, n, &call);
        *changed = true;
        next = before ? before->next : g->first; /* what has come may hold such calls */
    }
    arena_free(memory);
    return status;
}
