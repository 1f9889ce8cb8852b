/* hop.c -- higher-order operators: what their subgraphs give. */
#include "infer/infer_priv.h"

/* The first graph among the arguments. */
static fx_graph *first_graph(const fx_node *n)
{
    for (uint32_t i = 0; i < n->arg_count; i++)
        if (n->args[i].kind == FX_ARG_GRAPH) return n->args[i].graph;
    return NULL;
}

static fe_status infer_subgraphs(const fx_node *n)
{
    for (uint32_t i = 0; i < n->arg_count; i++)
        if (n->args[i].kind == FX_ARG_GRAPH) FE_TRY(infer_graph(n->args[i].graph));
    return FE_OK;
}

/* What an output of the subgraph is out here: as it is laid out there, in memory of its own. */
static fx_value carried(infer_call *c, const fx_graph *sub, const fx_arg *a)
{
    fx_value v = {.kind = FX_NO_VALUE};
    if (a->kind == FX_ARG_NODE) v = a->node->value;
    if (v.kind == FX_TENSOR) {
        v.tensor = ty_tensor_copy(c->memory, v.tensor);
        v.tensor->storage = 0;
    }
    sym_expr e;
    if (a->kind == FX_ARG_INT && fx_arg_expr(sub, a, &e)) v = (fx_value){.kind = FX_INT, .expr = e};
    return v;
}

/* The recorded value where there is one: which symbols a branch's sizes become is the archive's to
 * say. Otherwise the outputs of the first subgraph. */
void rule_subgraph(infer_call *c)
{
    fx_graph *sub = first_graph(c->node);
    c->status = infer_subgraphs(c->node);
    if (c->status != FE_OK) return;
    if (c->recorded.kind != FX_NO_VALUE) {
        c->value = c->recorded;
        infer_number_storages(c);
        return;
    }
    if (!sub || !sub->output) {
        infer_fail(c, "no graph to take the results from");
        return;
    }
    c->value = (fx_value){.kind = FX_TUPLE, .count = sub->output->arg_count};
    c->value.items = NEW_ARRAY(c->memory, fx_value, c->value.count);
    for (uint32_t i = 0; i < c->value.count; i++)
        c->value.items[i] = carried(c, sub, &sub->output->args[i]);
    infer_number_storages(c);
}
