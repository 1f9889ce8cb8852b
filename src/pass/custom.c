/* custom.c -- operators of the user's in functionalisation: the functional form, a call of its own
 * name, returns what each written argument becomes.
 */
#include "pass/functionalise.h"

typedef struct written_list {
    arena *memory;
    VEC(fx_node *) nodes;
} written_list;

static void add_written(void *data, fx_node *n)
{
    written_list *list = data;
    vec_push(list->memory, &list->nodes, n);
}

/* The written arguments in the order of the parameters, lists flattened. */
static written_list written_arguments(functionaliser *f, const fx_node *n)
{
    written_list list = {.memory = f->memory};
    for (uint32_t i = 0; i < n->op->param_count; i++)
        if (n->op->params[i].is_written) fx_arg_each_node(&n->args[i], add_written, &list);
    return list;
}

typedef struct storage_list {
    arena *memory;
    VEC(uint32_t) numbers;
} storage_list;

static void add_storage(void *data, fx_node *n)
{
    storage_list *list = data;
    if (n->value.kind == FX_TENSOR)
        vec_push(list->memory, &list->numbers, n->value.tensor->storage);
}

/* Which arguments share memory is settled here: a copy that was made to be apart stays apart when a
 * pass finds that it holds what another argument holds. */
static storage_list storages_of(functionaliser *f, const fx_node *n)
{
    storage_list list = {.memory = f->g->memory};
    for (uint32_t i = 0; i < n->arg_count; i++) fx_arg_each_node(&n->args[i], add_storage, &list);
    return list;
}

static fx_value fresh_like(functionaliser *f, const fx_node *n)
{
    ty_tensor *t = ty_tensor_copy(f->g->memory, fx_tensor(n));
    t->storage = f->g->next_storage++;
    return (fx_value){.kind = FX_TENSOR, .tensor = t};
}

static fx_node *item_of(functionaliser *f, fx_node *tuple, uint32_t k)
{
    fx_arg args[] = {fx_of(tuple), fx_int(f->g, k)};
    fx_node *item = fx_emit(f->g, f->at, OP_operator_getitem, tuple, 2, args);
    item->value = tuple->value.items[k];
    return item;
}

/* Readers of item k of `n` read item `place` of the functional call. */
static void redirect(functionaliser *f, fx_node *n, uint32_t k, fx_node *tuple, uint32_t place)
{
    if (n->value.kind != FX_TUPLE) {
        fx_node *item = item_of(f, tuple, place);
        functionalise_register(f, item); /* nobody else comes by it */
        fx_replace_uses(f->g, n, item);
        return;
    }
    for (uint32_t u = n->users.count; u-- > 0;) {
        fx_node *item = n->users.at[u];
        int64_t number;
        if (!fx_is(item, OP_operator_getitem) || !fx_arg_int(f->g, &item->args[1], &number) ||
            number != (int64_t)k)
            continue;
        fx_set_arg(item, 0, fx_of(tuple), f->g);
        fx_set_arg(item, 1, fx_int(f->g, place), f->g);
    }
}

/* What `n` returns: the items of a tuple, or one value, which may be None. */
static uint32_t item_count(const fx_node *n)
{
    return n->value.kind == FX_TUPLE ? n->value.count : n->op->return_count;
}

static fx_value item_value(const fx_node *n, uint32_t k)
{
    if (n->value.kind == FX_TUPLE) return n->value.items[k];
    return n->value.kind == FX_OPAQUE ? (fx_value){.kind = FX_NO_VALUE} : n->value;
}

/* Is item k of what is returned no argument, nor a part of one? */
static bool is_fresh(const fx_node *n, uint32_t k)
{
    return !op_returns_alias(n->op, n->op->return_count == 1 ? 0 : k);
}

fe_status functionalise_custom(functionaliser *f, fx_node *n)
{
    fx_graph *g = f->g;
    const op_info *form = n->op->custom->functional;
    written_list written = written_arguments(f, n);
    uint32_t returns = item_count(n), fresh = 0;
    if (!form)
        return fx_fail(g, n, "functionalise", FE_UNSUPPORTED, "give that operator another name",
                       "an operator has the name that its functional form needs");
    fx_value *items = NEW_ARRAY(g->memory, fx_value, returns + written.nodes.count);
    for (uint32_t k = 0; k < returns; k++)
        if (is_fresh(n, k)) items[fresh++] = item_value(n, k);
    for (uint32_t j = 0; j < written.nodes.count; j++)
        items[fresh + j] = fresh_like(f, written.nodes.at[j]);

    storage_list storages = storages_of(f, n);
    pass_map_args(g, n, functionalise_current, f);
    fx_node *call = fx_call(g, n, form, n->op->base, n->args, n->arg_count);
    call->storages = storages.numbers.at;
    call->storage_count = storages.numbers.count;
    call->origin = n->origin;
    call->value =
        (fx_value){.kind = FX_TUPLE, .items = items, .count = fresh + written.nodes.count};
    for (uint32_t k = 0, place = 0; k < returns; k++)
        if (is_fresh(n, k)) redirect(f, n, k, call, place++);
    for (uint32_t j = 0; j < written.nodes.count; j++)
        functionalise_write(f, written.nodes.at[j], item_of(f, call, fresh + j));
    f->changed = true;
    if (!n->users.count) fx_erase(g, n);
    return f->status;
}
