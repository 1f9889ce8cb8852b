/* custom_call.c -- calls of operators of the user's that PyTorch has made functional write again.
 *
 * auto_functionalized_v2 calls a mutating operator on copies of what it writes to: in a graph
 *
 *     %h = auto_functionalized_v2("torch.ops.shop.bump.default", ["y", %y], ["_x_base_index", 0],
 *                                 ["_all_bases", [%b]])
 *
 * is the operator with y = %y and x = a copy of base 0; the items of %h are what it returns (one, None, if
 * it returns nothing) and then the copies. An argument may be a part of its base: "_x_slice_dim", _start
 * and _end, or "_x_size", _stride and _storage_offset. Of a list "_x_length" is known, and each element as
 * "_x_0_base_index". The call on copies is what functionalise takes for any mutating operator; where nothing
 * else reads a base the copy goes.
 */
#include "pass/pass_priv.h"

#include <string.h>

typedef struct functional_call {
    fx_graph *g;
    fx_node *n;
    const op_info *op;
    fx_node **bases; /* copies */
    uint32_t base_count;
} functional_call;

static fe_status refuse(const functional_call *c, const char *why)
{
    return fx_fail(c->g, c->n, "custom_calls", FE_UNSUPPORTED,
                   "export without run_decompositions(): the operator is functionalised here", "%s",
                   why);
}

/* The argument of this name; NULL: there is none. */
static const fx_arg *keyword(const functional_call *c, const char *name)
{
    for (uint32_t i = 1; i < c->n->arg_count; i++) {
        const fx_arg *pair = &c->n->args[i];
        if (pair->kind == FX_ARG_LIST && pair->list.count == 2 &&
            pair->list.items[0].kind == FX_ARG_STRING &&
            strcmp(pair->list.items[0].string, name) == 0)
            return &pair->list.items[1];
    }
    return NULL;
}

static const fx_arg *keyword_of(const functional_call *c, const char *param, const char *what)
{
    return keyword(c, arena_printf(c->g->memory, "_%s_%s", param, what));
}

static fe_status copy_bases(functional_call *c)
{
    const fx_arg *all = keyword(c, "_all_bases");
    if (!all || all->kind != FX_ARG_LIST) return refuse(c, "it says nothing of what is written");
    c->base_count = all->list.count;
    c->bases = NEW_ARRAY(c->g->memory, fx_node *, c->base_count + 1);
    for (uint32_t i = 0; i < c->base_count; i++) {
        if (!fx_arg_tensor(&all->list.items[i])) return refuse(c, "what is written is no tensor");
        FE_TRY(pass_emit(c->g, c->n, OP_aten_clone_default, c->n, 1, &all->list.items[i],
                         &c->bases[i]));
    }
    return FE_OK;
}

/* ---- what is written ---- */

static fe_status slice_of(functional_call *c, const char *param, fx_node *base, fx_node **out)
{
    const fx_arg *dim = keyword_of(c, param, "slice_dim"),
                 *start = keyword_of(c, param, "slice_start"),
                 *end = keyword_of(c, param, "slice_end");
    fx_arg args[] = {fx_of(base), *dim, start ? *start : fx_none(), end ? *end : fx_none()};
    return pass_emit(c->g, c->n, OP_aten_slice_Tensor, c->n, COUNT_OF(args), args, out);
}

/* Sizes, strides and place are those in the base as it was: its copy must lie like it. */
static fe_status window_of(functional_call *c, const char *param, uint32_t base, fx_node **out)
{
    const fx_arg *all = keyword(c, "_all_bases"), *stride = keyword_of(c, param, "stride"),
                 *place = keyword_of(c, param, "storage_offset");
    const ty_tensor *was = fx_arg_tensor(&all->list.items[base]), *is = fx_tensor(c->bases[base]);
    int64_t begin;
    if (!stride || !place || !ty_known_same_layout(c->g->symbols, was, is) ||
        !sym_is_int(c->g->symbols, was->offset, &begin) || begin != 0)
        return refuse(c, "it writes to a window on memory with gaps");
    fx_arg args[] = {fx_of(c->bases[base]), *keyword_of(c, param, "size"), *stride, *place};
    return pass_emit(c->g, c->n, OP_aten_as_strided_default, c->n, COUNT_OF(args), args, out);
}

/* The written argument `param`, or an element of one. */
static fe_status written_arg(functional_call *c, const char *param, fx_arg *out)
{
    const fx_arg *index = keyword_of(c, param, "base_index");
    int64_t base;
    fx_node *part;
    if (!index) return refuse(c, "it does not say where an argument lies");
    *out = fx_none();
    if (index->kind == FX_ARG_NONE) return FE_OK;
    if (!fx_arg_int(c->g, index, &base) || base < 0 || base >= c->base_count)
        return refuse(c, "an argument lies in a base that is not there");
    part = c->bases[base];
    if (keyword_of(c, param, "slice_dim"))
        FE_TRY(slice_of(c, param, c->bases[base], &part));
    else if (keyword_of(c, param, "size"))
        FE_TRY(window_of(c, param, (uint32_t)base, &part));
    *out = fx_of(part);
    return FE_OK;
}

static fe_status written_list(functional_call *c, const char *param, fx_arg *out)
{
    const fx_arg *length = keyword_of(c, param, "length");
    int64_t count;
    *out = fx_none();
    if (length->kind == FX_ARG_NONE) return FE_OK;
    if (!fx_arg_int(c->g, length, &count) || count < 0)
        return refuse(c, "a list of arguments has no known length");
    fx_arg *items = NEW_ARRAY(c->g->memory, fx_arg, (size_t)count + 1);
    for (int64_t i = 0; i < count; i++)
        FE_TRY(
            written_arg(c, arena_printf(c->g->memory, "%s_%lld", param, (long long)i), &items[i]));
    *out = (fx_arg){.kind = FX_ARG_LIST, .list = {items, (uint32_t)count}};
    return FE_OK;
}

static fe_status make_args(functional_call *c, fx_arg *args)
{
    for (uint32_t i = 0; i < c->op->param_count; i++) {
        const op_param *p = &c->op->params[i];
        const fx_arg *given = keyword(c, p->name);
        if (p->is_written && keyword_of(c, p->name, "length"))
            FE_TRY(written_list(c, p->name, &args[i]));
        else if (p->is_written)
            FE_TRY(written_arg(c, p->name, &args[i]));
        else if (given)
            args[i] = *given;
        else
            return refuse(c, arena_printf(c->g->memory, "it lacks argument %s", p->name));
    }
    return FE_OK;
}

/* ---- what is returned ---- */

static fx_value returned_value(const functional_call *c)
{
    const fx_value *all = &c->n->value;
    uint32_t count = c->op->return_count;
    if (count == 0) return (fx_value){.kind = FX_NO_VALUE};
    if (count == 1) return all->items[0];
    return (fx_value){.kind = FX_TUPLE, .items = all->items, .count = count};
}

/* Readers of item k of what was returned read this. */
static fx_node *item_now(const functional_call *c, fx_node *call, int64_t k)
{
    uint32_t returns = c->op->return_count, first = returns ? returns : 1;
    if (k >= first) return c->bases[k - first];
    if (returns <= 1) return call;
    fx_arg args[] = {fx_of(call), fx_int(c->g, k)};
    fx_node *item = fx_emit(c->g, c->n, OP_operator_getitem, call, 2, args);
    item->value = call->value.items[k];
    return item;
}

static fe_status redirect(const functional_call *c, fx_node *call)
{
    fx_node *n = c->n;
    for (uint32_t u = n->users.count; u-- > 0;) {
        fx_node *item = n->users.at[u];
        int64_t k;
        if (!fx_is(item, OP_operator_getitem) || !fx_arg_int(c->g, &item->args[1], &k) || k < 0 ||
            k >= n->value.count)
            return refuse(c, "its results are used as a whole");
        fx_replace_uses(c->g, item, item_now(c, call, k));
        fx_erase(c->g, item);
    }
    return FE_OK;
}

/* ---- the pass ---- */

static const char *called_name(const fx_node *n)
{
    static const char PREFIX[] = "torch.ops.";
    const char *name = n->arg_count && n->args[0].kind == FX_ARG_STRING ? n->args[0].string : "";
    return strncmp(name, PREFIX, sizeof PREFIX - 1) == 0 ? name + sizeof PREFIX - 1 : name;
}

static fe_status write_again(fx_graph *g, fx_node *n)
{
    functional_call c = {.g = g, .n = n, .op = op_find(g->ops, called_name(n))};
    if (!c.op)
        return fx_fail(g, n, "custom_calls", FE_UNSUPPORTED,
                       "declare it: a library of --ops has its schema",
                       "it calls %s, which nobody has declared", called_name(n));
    uint32_t first = c.op->return_count ? c.op->return_count : 1;
    fx_arg *args = NEW_ARRAY(g->memory, fx_arg, c.op->param_count + 1);
    FE_TRY(copy_bases(&c));
    if (n->value.kind != FX_TUPLE || n->value.count != first + c.base_count)
        return refuse(&c, "it returns something else than its operator and what that writes");
    FE_TRY(make_args(&c, args));
    fx_node *call = fx_call(g, n, c.op, c.op->base, args, c.op->param_count);
    call->origin = n->origin;
    call->value = returned_value(&c);
    FE_TRY(redirect(&c, call));
    fx_erase(g, n);
    g->is_functional = false;
    return FE_OK;
}

fe_status pass_custom_calls(fx_graph *g, bool *changed)
{
    for (fx_node *n = g->first, *next; n; n = next) {
        next = n->next;
        if (!fx_is(n, OP_higher_order_auto_functionalized_v2)) continue;
        while (next && fx_is(next, OP_operator_getitem) && next->args[0].kind == FX_ARG_NODE &&
               next->args[0].node == n)
            next = next->next;
        *changed = true;
        FE_TRY(write_again(g, n));
    }
    return FE_OK;
}
