/* hop.c -- higher-order operators: what their subgraphs give.
 *
 * The record of an archive says which sizes and symbols the results have out here (a loop's or a
 * branch's results may be more general than one subgraph's). Where there is none, they are those
 * of the subgraph, stacked for operators that run it once for each row. In both cases the alias
 * classes come from the subgraph: a result that aliases an operand inside does so outside.
 */
#include "infer/infer_priv.h"

#include <string.h>

/* ---- into the subgraph ---- */

/* One row of what is walked over, for placeholders without metadata. */
static ty_tensor *row_of(infer_call *c, const ty_tensor *x)
{
    if (x->rank == 0) return ty_tensor_copy(c->memory, x);
    return infer_select(c, x, 0, infer_number(c, 0));
}

static bool walks_rows(const infer_call *c, uint32_t operand, uint32_t carried, uint32_t walked)
{
    bool walks = strcmp(c->op->base, "map_impl") == 0 || strcmp(c->op->base, "scan") == 0;
    return walks && operand >= carried && operand < carried + walked;
}

/* Sizes that a symbol stands for may be those of another one. */
static bool may_be(const infer_call *c, const ty_tensor *said, const ty_tensor *is)
{
    bool same = said->dtype == is->dtype && said->rank == is->rank;
    for (uint32_t k = 0; same && k < is->rank; k++)
        same = infer_may_equal(c, said->sizes[k], is->sizes[k]);
    return same;
}

/* Operands of one storage outside have one inside. */
static void bind_inputs(infer_call *c, fx_graph *sub, const fx_subcall *call, uint32_t carried,
                        uint32_t walked)
{
    map inner = {0};
    for (uint32_t i = 0; i < sub->inputs.count && i < call->operands.count; i++) {
        fx_node *p = sub->inputs.at[i];
        ty_tensor *x = fx_arg_tensor(&call->operands.at[i]);
        ty_tensor *seen = NULL;
        if (x)
            seen = walks_rows(c, i, carried, walked) ? row_of(c, x) : ty_tensor_copy(c->memory, x);
        if (p->value.kind == FX_NO_VALUE && x) {
            seen->storage = 0;
            p->value = (fx_value){.kind = FX_TENSOR, .tensor = seen};
        } else if (p->value.kind == FX_NO_VALUE && call->operands.at[i].kind == FX_ARG_NODE) {
            p->value = call->operands.at[i].node->value;
        }
        bool is_tensor = p->value.kind == FX_TENSOR;
        if (p->value.kind != FX_NO_VALUE && is_tensor != (x != NULL))
            infer_fail(c, "operand %u is %s tensor, and %%%s of the subgraph is %s", i,
                       x ? "a" : "no", p->name, is_tensor ? "one" : "none");
        if (!x || !is_tensor) continue;
        if (!may_be(c, p->value.tensor, seen))
            infer_fail(c, "operand %u is %s, and %%%s of graph %s is %s", i, infer_shape(c, seen),
                       p->name, sub->name, infer_shape(c, p->value.tensor));
        uint32_t known = map_get(&inner, x->storage);
        if (known == MAP_NONE) {
            if (p->value.tensor->storage == 0) p->value.tensor->storage = sub->next_storage++;
            map_set(c->memory, &inner, x->storage, p->value.tensor->storage);
        } else {
            p->value.tensor->storage = known;
        }
    }
}

static fe_status infer_subgraphs(infer_call *c, const fx_subcall *call, uint32_t carried,
                                 uint32_t walked)
{
    for (uint32_t i = 0; i < c->node->arg_count; i++) {
        const fx_arg *a = &c->node->args[i];
        if (a->kind != FX_ARG_GRAPH) continue;
        infer_autocast_region(c, a->graph);
        bind_inputs(c, a->graph, call, carried, walked);
        FE_TRY(c->status);
        FE_TRY(infer_graph(a->graph));
    }
    return FE_OK;
}

/* ---- out of the subgraph ---- */

/* A copy that may be given other storage numbers. */
static fx_value copy_of(infer_call *c, const fx_value *v)
{
    fx_value out = *v;
    if (v->kind == FX_TENSOR) out.tensor = ty_tensor_copy(c->memory, v->tensor);
    if (v->kind != FX_TUPLE) return out;
    out.items = NEW_ARRAY(c->memory, fx_value, v->count);
    for (uint32_t i = 0; i < v->count; i++) out.items[i] = copy_of(c, &v->items[i]);
    return out;
}

/* The storage out here of one inside: an operand's, or a fresh one for each. */
static uint32_t outer_storage(infer_call *c, const fx_graph *sub, const fx_subcall *call,
                              map *fresh, uint32_t storage)
{
    for (uint32_t i = 0; i < sub->inputs.count && i < call->operands.count; i++) {
        const ty_tensor *inside = fx_tensor(sub->inputs.at[i]);
        const ty_tensor *x = fx_arg_tensor(&call->operands.at[i]);
        if (inside && x && inside->storage == storage) return x->storage;
    }
    uint32_t known = map_get(fresh, storage);
    if (known == MAP_NONE) {
        known = c->graph->next_storage++;
        map_set(c->memory, fresh, storage, known);
    }
    return known;
}

/* One row more in front: as many as there are to walk over. */
static ty_tensor *stacked(infer_call *c, const ty_tensor *x, sym_expr count)
{
    sym_expr sizes[TY_MAX_RANK + 1];
    sizes[0] = count;
    memcpy(sizes + 1, x->sizes, x->rank * sizeof *sizes);
    return infer_fresh(c, x, x->dtype, x->rank + 1, sizes);
}

static fx_value result_of(infer_call *c, const fx_graph *sub, const fx_arg *a)
{
    fx_value v = {.kind = FX_NO_VALUE};
    sym_expr e;
    if (a->kind == FX_ARG_NODE)
        v = a->node->value;
    else if (fx_arg_expr(sub, a, &e))
        v = (fx_value){.kind = a->kind == FX_ARG_BOOL ? FX_BOOL : FX_INT, .expr = e};
    if (v.kind == FX_TENSOR) v.tensor = ty_tensor_copy(c->memory, v.tensor);
    return v;
}

/* How many operands are carried from step to step, and how many are walked over row by row: the
 * lengths of the first lists behind the subgraph. */
static void count_operands(const infer_call *c, uint32_t *carried, uint32_t *walked)
{
    uint32_t lists[2] = {0, 0};
    uint32_t found = 0;
    for (uint32_t i = 0; i < c->node->arg_count && found < 2; i++)
        if (c->node->args[i].kind == FX_ARG_LIST && !fx_is_keyword(&c->node->args[i]))
            lists[found++] = c->node->args[i].list.count;
    bool maps = strcmp(c->op->base, "map_impl") == 0;
    *carried = maps ? 0 : lists[0];
    *walked = maps ? lists[0] : lists[1];
}

static sym_expr rows_walked(infer_call *c, const fx_subcall *call, uint32_t carried)
{
    const ty_tensor *x =
        carried < call->operands.count ? fx_arg_tensor(&call->operands.at[carried]) : NULL;
    return x && x->rank ? x->sizes[0] : infer_number(c, 1);
}

static bool may_be_number(const infer_call *c, sym_expr a, sym_expr b)
{
    return sym_is_none(a) || sym_is_none(b) || infer_may_equal(c, a, b);
}

/* What runs one subgraph once gives its very results; branches may have strides of their own too. */
static bool may_lie(const infer_call *c, const ty_tensor *said, const ty_tensor *is)
{
    bool same = may_be_number(c, said->offset, is->offset);
    for (uint32_t k = 0; same && said->strides && is->strides && k < is->rank; k++)
        same = may_be_number(c, said->strides[k], is->strides[k]);
    return same;
}

static uint32_t count_graphs(const fx_node *n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->arg_count; i++) count += n->args[i].kind == FX_ARG_GRAPH;
    return count;
}

void rule_subgraph(infer_call *c)
{
    fx_subcall call;
    map fresh = {0};
    uint32_t carried;
    uint32_t walked;
    fx_subcall_of(c->node, c->memory, &call);
    fx_graph *sub = call.graph;
    count_operands(c, &carried, &walked);
    c->status = infer_subgraphs(c, &call, carried, walked);
    if (c->status != FE_OK) return;
    c->value = copy_of(c, &c->recorded);
    if (!sub || !sub->output) { /* what runs is no graph of ours: only the record can tell */
        infer_number_storages(c);
        return;
    }
    fx_value inside = {.kind = FX_TUPLE, .count = sub->output->arg_count};
    inside.items = NEW_ARRAY(c->memory, fx_value, inside.count);
    bool walks = walks_rows(c, carried, carried, walked);
    for (uint32_t i = 0; i < inside.count; i++) {
        fx_value *v = &inside.items[i];
        *v = result_of(c, sub, &sub->output->args[i]);
        if (v->kind != FX_TENSOR) continue;
        if (walks && i >= carried) {
            v->tensor = stacked(c, v->tensor, rows_walked(c, &call, carried));
            v->tensor->storage = c->graph->next_storage++;
        } else {
            v->tensor->storage = outer_storage(c, sub, &call, &fresh, v->tensor->storage);
        }
    }
    if (c->recorded.kind == FX_NO_VALUE) c->value = inside;
    for (uint32_t i = 0; c->value.kind == FX_TUPLE && i < c->value.count && i < inside.count; i++) {
        if (c->value.items[i].kind != FX_TENSOR || inside.items[i].kind != FX_TENSOR) continue;
        ty_tensor *said = c->value.items[i].tensor;
        if (!may_be(c, said, inside.items[i].tensor))
            infer_fail(c, "result %u is recorded as %s, and is %s in graph %s", i,
                       infer_shape(c, said), infer_shape(c, inside.items[i].tensor), sub->name);
        else if (!walks && count_graphs(c->node) == 1 && !may_lie(c, said, inside.items[i].tensor))
            infer_fail(c, "result %u is recorded with other strides than it has in graph %s", i,
                       sub->name);
        said->storage = inside.items[i].tensor->storage;
    }
    infer_number_storages(c);
}

/* with_effects(token, operator, its arguments...): a token again, and what the operator gives: of one
 * that only checks, nothing. */
void rule_with_effects(infer_call *c)
{
    static const char CHECK_ERRORS[] = "torch.ops.aten._linalg_check_errors.default";
    const fx_node *n = c->node;
    bool checks = n->arg_count > 1 && n->args[1].kind == FX_ARG_STRING &&
                  strcmp(n->args[1].string, CHECK_ERRORS) == 0;
    const ty_tensor *token = n->arg_count ? fx_arg_tensor(&n->args[0]) : NULL;
    if (!checks || !token || c->recorded.kind != FX_NO_VALUE) {
        rule_subgraph(c);
        return;
    }
    c->value = (fx_value){.kind = FX_TUPLE, .items = NEW_ARRAY(c->memory, fx_value, 2), .count = 2};
    c->value.items[0] = (fx_value){.kind = FX_TENSOR, .tensor = infer_alias(c, token)};
}
