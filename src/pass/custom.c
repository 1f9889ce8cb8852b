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

/* The written argument that return k is, or NULL. */
static fx_node *returned_argument(const fx_node *n, uint32_t k)
{
    const op_info *op = n->op;
    if (k >= op->return_count || !op->returns[k].alias) return NULL;
    for (uint32_t i = 0; i < op->param_count; i++)
        if (op->params[i].is_written && (op->params[i].alias & op->returns[k].alias) &&
            n->args[i].kind == FX_ARG_NODE)
            return n->args[i].node;
    return NULL;
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

/* Points what reads return k of `n` to item `place` of the functional call, or to the argument that
 * it is. */
static void redirect(functionaliser *f, fx_node *n, uint32_t k, fx_node *argument, fx_node *tuple,
                     uint32_t place)
{
    if (n->value.kind != FX_TUPLE) {
        fx_replace_uses(f->g, n, argument ? argument : item_of(f, tuple, place));
        return;
    }
    for (uint32_t u = n->users.count; u-- > 0;) {
        fx_node *item = n->users.at[u];
        int64_t number;
        if (!fx_is(item, OP_operator_getitem) || !fx_arg_int(f->g, &item->args[1], &number) ||
            number != (int64_t)k)
            continue;
        if (argument) fx_replace_uses(f->g, item, argument);
        fx_set_arg(item, 0, fx_of(tuple), f->g);
        fx_set_arg(item, 1, fx_int(f->g, place), f->g);
    }
}

/* What a function of the user's returns has memory of its own: writes through it would be lost. */
fe_status functionalise_refuse(fx_graph *g, const fx_node *n)
{
    if (n->kind != FX_CALL || !n->op->custom || !n->op->is_view) return FE_OK;
    return fx_fail(g, n, "functionalise", FE_UNSUPPORTED,
                   "let the function copy, and the schema say nothing of an alias",
                   "it returns a view of an argument, as \"%s\" says; what a function of yours "
                   "returns has memory of its own",
                   n->op->schema);
}

fe_status functionalise_custom(functionaliser *f, fx_node *n)
{
    fx_graph *g = f->g;
    const op_info *form = n->op->custom->functional;
    written_list written = written_arguments(f, n);
    uint32_t returns = n->value.kind == FX_TUPLE ? n->value.count : n->value.kind == FX_TENSOR;
    if (!form)
        return fx_fail(g, n, "functionalise", FE_UNSUPPORTED, "give that operator another name",
                       "an operator has the name that its functional form needs");
    fx_value *items = NEW_ARRAY(g->memory, fx_value, returns + written.nodes.count);
    uint32_t *place = NEW_ARRAY(f->memory, uint32_t, returns), count = 0;
    fx_node **argument = NEW_ARRAY(f->memory, fx_node *, returns); /* that return k is, or NULL */
    for (uint32_t k = 0; k < returns; k++) {
        argument[k] = returned_argument(n, k);
        place[k] = count;
        if (!argument[k]) items[count++] = n->value.kind == FX_TUPLE ? n->value.items[k] : n->value;
    }
    uint32_t first_written = count;
    for (uint32_t j = 0; j < written.nodes.count; j++) {
        items[count++] = fresh_like(f, written.nodes.at[j]);
        for (uint32_t k = 0; k < returns; k++)
            if (argument[k] == written.nodes.at[j]) place[k] = first_written + j;
    }

    pass_map_args(g, n, functionalise_current, f);
    fx_node *call = fx_call(g, n, form, n->op->base, n->args, n->arg_count);
    call->origin = n->origin;
    call->value = (fx_value){.kind = FX_TUPLE, .items = items, .count = count};
    for (uint32_t k = 0; k < returns; k++) redirect(f, n, k, argument[k], call, place[k]);
    for (uint32_t k = 0; k < written.nodes.count; k++)
        functionalise_write(f, written.nodes.at[k], item_of(f, call, first_written + k));
    f->changed = true;
    if (!n->users.count) fx_erase(g, n);
    return f->status;
}
