/* storage.c -- places that are counted from the start of a user input's storage.
 *
 * as_strided with an offset sees elements before and behind its argument. A call gives the address of a
 * tensor, and beside that where in its storage it lies; so the graph takes both as inputs of their own:
 *
 *     placeholder %x user "x" : f32[6]
 *     placeholder %x_storage user "x.storage" storage_of "x" : f32[storage0]
 *     placeholder %x_start user "x.start" start_of "x" : int start0
 *     %x_1 = aten.as_strided.default(%x_storage, [6], [1], start0) : f32[6]{1}+start0
 *
 * and what reads or writes x does so in x_1.
 */
#include "infer/infer_priv.h"

#include <string.h>

static bool counts_from_start(const fx_node *n)
{
    static const op_id OPS[] = {OP_aten_as_strided_default, OP_aten_as_strided__default,
                                OP_aten_as_strided_copy_default,
                                OP_aten_as_strided_scatter_default};
    for (size_t k = 0; k < COUNT_OF(OPS); k++)
        if (fx_is(n, OPS[k]))
            return n->args[op_param_index(n->op, "storage_offset")].kind != FX_ARG_NONE;
    return false;
}

static sym_expr new_symbol(fx_graph *g, const char *stem, int64_t hint)
{
    const char *name;
    uint32_t number = 0;
    do name = arena_printf(g->memory, "%s%u", stem, number++);
    while (!sym_is_none(sym_find_symbol(g->symbols, name)));
    sym_expr made = sym_symbol(g->symbols, name, SYM_SIZE, 0, SYM_NO_MAX);
    sym_set_hint(g->symbols, made, hint);
    return made;
}

static fx_node *add_input(fx_graph *g, const fx_node *x, fx_taken taken, fx_value value)
{
    const char *what = taken == FX_STORAGE_OF ? "storage" : "start";
    fx_node *made =
        fx_placeholder(g, FX_USER_INPUT, arena_printf(g->memory, "%s_%s", x->name, what),
                       arena_printf(g->memory, "%s.%s", x->target, what));
    made->taken = taken;
    made->taken_of = x->target;
    made->value = value;
    return made;
}

static fx_node *add_storage(fx_graph *g, const fx_node *x)
{
    const ty_tensor *t = fx_tensor(x);
    sym_expr reach = ty_reach(g->symbols, t->rank, t->sizes, t->strides);
    ty_tensor *flat = ty_tensor_copy(g->memory, t);
    flat->rank = 1;
    flat->sizes = NEW_ARRAY(g->memory, sym_expr, 1);
    flat->strides = NEW_ARRAY(g->memory, sym_expr, 1);
    flat->sizes[0] = new_symbol(g, "storage", sym_hint(g->symbols, reach, 1));
    flat->strides[0] = sym_int(g->symbols, 1);
    flat->storage = 0;
    return add_input(g, x, FX_STORAGE_OF, (fx_value){.kind = FX_TENSOR, .tensor = flat});
}

typedef struct replacing {
    const fx_node *x, *view;
} replacing;

static bool is_elsewhere(const fx_node *user, void *data)
{
    return user != ((const replacing *)data)->view;
}

/* The new value of an input becomes one of its storage. */
static void write_storage(fx_graph *g, const fx_node *x, fx_node *storage, sym_expr start)
{
    const ty_tensor *t = fx_tensor(x);
    for (uint32_t k = 0; k < g->outputs.count; k++) {
        fx_output *o = &g->outputs.at[k];
        bool is_x =
            o->target && (strcmp(o->target, x->target) == 0 || strcmp(o->target, x->name) == 0);
        if (is_x && o->kind == FX_USER_OUTPUT) o->target = NULL;
        if (!is_x || o->kind != FX_USER_INPUT_MUTATION || g->output->args[k].kind != FX_ARG_NODE)
            continue;
        fx_arg args[] = {fx_of(storage), g->output->args[k], fx_int_list(g, t->sizes, t->rank),
                         fx_int_list(g, t->strides, t->rank), fx_expr(start)};
        fx_node *all =
            fx_emit(g, g->output, OP_aten_as_strided_scatter_default, NULL, COUNT_OF(args), args);
        fx_set_arg(g->output, k, fx_of(all), g);
        o->target = storage->target;
    }
}

/* The node that made the storage which n lies on. */
static fx_node *base_of(fx_node *n)
{
    for (bool found = true; found && n->kind == FX_CALL;) {
        found = false;
        for (uint32_t k = 0; !found && k < n->arg_count; k++) {
            const ty_tensor *x = fx_arg_tensor(&n->args[k]);
            found = x && fx_tensor(n) && x->storage == fx_tensor(n)->storage;
            if (found) n = n->args[k].node;
        }
    }
    return n;
}

/* as_strided_scatter of a view is the whole with the new values, and the view of that. */
static bool scatter_whole(fx_graph *g, fx_node *n)
{
    const fx_arg *place = fx_get(g, n, "storage_offset");
    const ty_tensor *self = fx_arg_tensor(&n->args[0]);
    fx_node *whole = self ? base_of(n->args[0].node) : NULL;
    const ty_tensor *t = whole ? fx_tensor(whole) : NULL;
    if (!t || whole == n->args[0].node || t->rank != 1 || t->dtype != self->dtype ||
        !sym_same(t->strides[0], sym_int(g->symbols, 1)) ||
        !sym_same(t->offset, sym_int(g->symbols, 0)))
        return false;
    fx_arg args[] = {fx_of(whole), n->args[1], n->args[2], n->args[3],
                     place->kind == FX_ARG_NONE ? fx_expr(self->offset) : *place};
    fx_node *all = fx_emit(g, n, OP_aten_as_strided_scatter_default, n, COUNT_OF(args), args);
    fx_arg view[] = {fx_of(all), fx_int_list(g, self->sizes, self->rank),
                     fx_int_list(g, self->strides, self->rank), fx_expr(self->offset)};
    fx_replace_uses(g, n, fx_emit(g, n, OP_aten_as_strided_default, n, COUNT_OF(view), view));
    fx_erase(g, n);
    return true;
}

/* One after another: each result is the whole of the next. */
static fe_status scatter_wholes(fx_graph *g)
{
    for (fx_node *n = g->first, *next; n; n = next) {
        next = n->next;
        if (!fx_is(n, OP_aten_as_strided_scatter_default) || !scatter_whole(g, n)) continue;
        FE_TRY(infer_graph(g));
    }
    return FE_OK;
}

static void take_storage(fx_graph *g, fx_node *x)
{
    const ty_tensor *t = fx_tensor(x);
    fx_node *storage = add_storage(g, x);
    sym_expr start = new_symbol(g, "start", 0);
    add_input(g, x, FX_START_OF, (fx_value){.kind = FX_INT, .expr = start});
    fx_arg args[] = {fx_of(storage), fx_int_list(g, t->sizes, t->rank),
                     fx_int_list(g, t->strides, t->rank), fx_expr(start)};
    fx_node *view =
        fx_emit(g, fx_first_call(g), OP_aten_as_strided_default, NULL, COUNT_OF(args), args);
    replacing r = {x, view};
    fx_replace_uses_if(g, x, view, is_elsewhere, &r);
    write_storage(g, x, storage, start);
}

/* Where in its storage a view of a user's operator lies is declared, from the start of what it shows. */
static fe_status refuse_shown(fx_graph *g, const fx_node *x)
{
    for (fx_node *n = g->first; n; n = n->next)
        for (uint32_t k = 0; n->kind == FX_CALL && n->op->custom && k < n->op->return_count; k++) {
            const fx_value *v = infer_returned(n, k);
            if (v && v->kind == FX_TENSOR && v->tensor->storage == fx_tensor(x)->storage)
                return fx_fail(g, n, "infer", FE_UNSUPPORTED, "give the operator a clone of it",
                               "it shows input %s, whose storage is read from its start", x->name);
        }
    return FE_OK;
}

/* A window on a base counts from the start of its storage: what the graph says holds for a base that begins
 * there. PyTorch keeps no trace of how the program came by the window (x.t()[1:] moves with x,
 * x.as_strided(..., 1) does not), so that another start is refused. */
static void need_start(fx_graph *g, const fx_node *n, const fx_node *x)
{
    for (uint32_t i = 0; i < g->inputs.count; i++) {
        const fx_node *taken = g->inputs.at[i];
        if (taken->taken && strcmp(taken->taken_of, x->target) == 0) return;
    }
    sym_expr start = new_symbol(g, "start", 0);
    add_input(g, x, FX_START_OF, (fx_value){.kind = FX_INT, .expr = start});
    fx_add_condition(
        g, (sym_relation){start, sym_int(g->symbols, 0), SYM_EQ},
        arena_printf(g->memory,
                     "%s counts from the start of the storage of %s, which is given from a later "
                     "element on: a clone is needed (%s)",
                     n->op->name, x->name, n->name));
}

static void need_starts(fx_graph *g)
{
    for (fx_node *n = g->first; n; n = n->next) {
        for (uint32_t k = 0; n->kind == FX_CALL && k < n->arg_count; k++) {
            const ty_tensor *base = infer_window_base(g, n, k);
            uint32_t count = g->inputs.count;
            for (uint32_t i = 0; base && i < count; i++) {
                const fx_node *x = g->inputs.at[i];
                if (x->input_kind == FX_USER_INPUT && !x->taken && fx_tensor(x) &&
                    fx_tensor(x)->storage == base->storage)
                    need_start(g, n, x);
            }
        }
    }
}

fe_status infer_take_storages(fx_graph *g)
{
    VEC(fx_node *) wanted = {0};
    if (g->is_functional)
        return FE_OK; /* done before, and passes count from where an input begins */
    for (fx_node *n = g->first; n; n = n->next) {
        const ty_tensor *t = counts_from_start(n) ? fx_arg_tensor(&n->args[0]) : NULL;
        for (uint32_t i = 0; t && i < g->inputs.count; i++) {
            fx_node *x = g->inputs.at[i];
            bool is_it = x->input_kind == FX_USER_INPUT && fx_tensor(x) &&
                         fx_tensor(x)->storage == t->storage && x->taken != FX_STORAGE_OF;
            for (uint32_t k = 0; k < wanted.count; k++) is_it &= wanted.at[k] != x;
            if (is_it) vec_push(g->memory, &wanted, x);
        }
    }
    for (uint32_t k = 0; k < wanted.count; k++) FE_TRY(refuse_shown(g, wanted.at[k]));
    for (uint32_t k = 0; k < wanted.count; k++) take_storage(g, wanted.at[k]);
    need_starts(g);
    if (!wanted.count) return FE_OK;
    FE_TRY(infer_graph(g));
    return scatter_wholes(g);
}
