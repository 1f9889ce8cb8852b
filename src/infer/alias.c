/* alias.c -- returns of the user's operators that show an argument: which one, and so the storage
 * that they stand on. What part of it they show is recorded, or declared (custom.c).
 */
#include "infer/infer_priv.h"

#include <string.h>

/* The tensors among the arguments that a return may show. */
typedef struct candidates {
    fx_node *first;
    bool several;
} candidates;

static void add_candidate(void *data, fx_node *n)
{
    candidates *c = data;
    if (n->value.kind != FX_TENSOR || n == c->first) return;
    if (c->first) c->several = true;
    c->first = n;
}

fx_node *infer_shown(const fx_node *n, uint32_t k, uint32_t item, uint32_t count, bool *unclear)
{
    candidates found = {0};
    const op_param *returned = &n->op->returns[k];
    for (uint32_t i = 0; i < n->op->param_count; i++) {
        const fx_arg *a = &n->args[i];
        if (!(n->op->params[i].alias & returned->alias)) continue;
        /* a list that is written and returned: item for item */
        bool is_same_list = returned->type.list && n->op->params[i].is_written &&
                            a->kind == FX_ARG_LIST && a->list.count == count;
        fx_arg_each_node(is_same_list ? &a->list.items[item] : a, add_candidate, &found);
    }
    *unclear = found.several;
    return found.several ? NULL : found.first;
}

fx_value *infer_returned(fx_node *n, uint32_t k)
{
    if (n->op->return_count == 1) return &n->value;
    return n->value.kind == FX_TUPLE && k < n->value.count ? &n->value.items[k] : NULL;
}

/* One tensor of return k: on the storage of what it shows, counted from where that begins now. */
static void settle(fx_graph *g, fx_node *n, uint32_t k, uint32_t item, uint32_t count, fx_value *v,
                   const infer_starts *starts)
{
    bool unclear;
    fx_node *shown = infer_shown(n, k, item, count, &unclear);
    if (!shown || v->kind != FX_TENSOR) return;
    uint32_t storage = shown->value.tensor->storage;
    if (v->tensor->storage == storage) return;
    v->tensor = ty_tensor_copy(g->memory, v->tensor);
    v->tensor->storage = storage;
    for (uint32_t i = 0; i < starts->count; i++)
        if (starts->at[i].input->value.tensor->storage == storage)
            v->tensor->offset = sym_sub(g->symbols, v->tensor->offset, starts->at[i].offset);
}

void infer_settle_views(fx_graph *g, fx_node *n, const infer_starts *starts)
{
    if (!n->op->custom || n->op->custom->mutating) return;
    for (uint32_t k = 0; k < n->op->return_count; k++) {
        fx_value *v = infer_returned(n, k);
        if (!v || !op_returns_alias(n->op, k)) continue;
        if (v->kind != FX_TUPLE) settle(g, n, k, 0, 1, v, starts);
        for (uint32_t j = 0; v->kind == FX_TUPLE && j < v->count; j++)
            settle(g, n, k, j, v->count, &v->items[j], starts);
    }
}

/* ---- places counted from the start of a storage ---- */

static const fx_arg *keyword(const fx_node *n, const char *name)
{
    for (uint32_t i = 0; i < n->arg_count; i++)
        if (fx_is_keyword(&n->args[i]) && strcmp(n->args[i].list.items[0].string, name) == 0)
            return &n->args[i].list.items[1];
    return NULL;
}

const ty_tensor *infer_window_base(const fx_graph *g, const fx_node *n, uint32_t i)
{
    static const char END[] = "_storage_offset";
    const fx_arg *pair = &n->args[i], *index, *bases;
    if (!(n->op->flags & OPF_HIGHER_ORDER) || !fx_is_keyword(pair)) return NULL;
    const char *name = pair->list.items[0].string;
    size_t length = strlen(name), tail = sizeof END - 1;
    if (length < tail || strcmp(name + length - tail, END) != 0) return NULL;
    index = keyword(n, arena_printf(g->memory, "%.*s_base_index", (int)(length - tail), name));
    bases = keyword(n, "_all_bases");
    int64_t k;
    if (!index || !bases || bases->kind != FX_ARG_LIST || !fx_arg_int(g, index, &k) || k < 0 ||
        k >= bases->list.count)
        return NULL;
    return fx_arg_tensor(&bases->list.items[k]);
}

fe_status infer_check_starts(fx_graph *g, const fx_node *n, const infer_starts *starts)
{
    for (uint32_t k = 0; k < n->arg_count; k++) {
        const ty_tensor *base = infer_window_base(g, n, k);
        for (uint32_t i = 0; base && i < starts->count; i++)
            if (starts->at[i].input->value.tensor->storage == base->storage &&
                !sym_same(starts->at[i].offset, sym_int(g->symbols, 0)))
                return fx_fail(g, n, "infer", FE_UNSUPPORTED,
                               "give the program the whole tensor, or a clone of the part",
                               "it counts from the start of the storage of input %s, which is "
                               "given from a later element on",
                               starts->at[i].input->name);
    }
    return FE_OK;
}
