/* custom_view.c -- views that operators of the user's return, in functionalisation.
 *
 * What part of an argument a view shows is recorded or declared, so nobody need be asked: its readers
 * read that part (as_strided), and reads, writes, copies and lifetimes of it are those of any view.
 * The call stays for what else it does, or goes.
 */
#include "pass/functionalise.h"

typedef struct view_reader {
    fx_graph *g;
    fx_node *call, *before; /* parts are made there */
    fx_node *first;         /* of them */
    uint32_t k;             /* the return that is read */
} view_reader;

static fe_status refuse(const view_reader *r, const char *help, const char *why)
{
    return fx_fail(r->g, r->call, "functionalise", FE_UNSUPPORTED, help,
                   "return %u of \"%s\" is a view, and %s", r->k, r->call->op->schema, why);
}

/* ---- symbols that the function alone would know ---- */

typedef struct symbol_search {
    fx_graph *g;
    const fx_node *call;
    sym_expr symbol;
    bool is_given, any_unknown;
} symbol_search;

static void meet_given(void *data, sym_expr symbol)
{
    symbol_search *s = data;
    s->is_given |= sym_same(symbol, s->symbol);
}

static void search_expr(symbol_search *s, sym_expr e)
{
    if (!sym_is_none(e)) sym_each_symbol(s->g->symbols, e, meet_given, s);
}

static void search_node(void *data, fx_node *n)
{
    symbol_search *s = data;
    const ty_tensor *t = fx_tensor(n);
    if (n->value.kind == FX_INT || n->value.kind == FX_BOOL) search_expr(s, n->value.expr);
    for (uint32_t d = 0; t && d < t->rank; d++) search_expr(s, t->sizes[d]);
}

static void search_arg(symbol_search *s, const fx_arg *a)
{
    if (a->kind == FX_ARG_INT) search_expr(s, a->expr);
    for (uint32_t i = 0; a->kind == FX_ARG_LIST && i < a->list.count; i++)
        search_arg(s, &a->list.items[i]);
}

static void check_symbol(void *data, sym_expr symbol)
{
    symbol_search *s = data;
    if (sym_kind_of(s->g->symbols, symbol) != SYM_UNBACKED) return;
    s->symbol = symbol;
    s->is_given = false;
    for (uint32_t i = 0; i < s->call->arg_count; i++) {
        fx_arg_each_node(&s->call->args[i], search_node, s);
        search_arg(s, &s->call->args[i]);
    }
    s->any_unknown |= !s->is_given;
}

static bool is_decided_by_data(const view_reader *r, const ty_tensor *t)
{
    symbol_search s = {.g = r->g, .call = r->call};
    for (uint32_t d = 0; d < t->rank; d++) {
        sym_each_symbol(r->g->symbols, t->sizes[d], check_symbol, &s);
        sym_each_symbol(r->g->symbols, t->strides[d], check_symbol, &s);
    }
    sym_each_symbol(r->g->symbols, t->offset, check_symbol, &s);
    return s.any_unknown;
}

/* ---- parts ---- */

static bool is_written(const fx_node *call, uint32_t k)
{
    for (uint32_t i = 0; i < call->op->param_count; i++)
        if (call->op->params[i].is_written &&
            (call->op->params[i].alias & call->op->returns[k].alias))
            return true;
    return false;
}

/* Readers of `n`, the part `t` of `shown`, read that. */
static fe_status read_part(view_reader *r, fx_node *n, fx_node *shown, const ty_tensor *t)
{
    fx_graph *g = r->g;
    const ty_tensor *whole = fx_tensor(shown);
    fx_node *part;
    if (is_decided_by_data(r, t))
        return refuse(r, "return a copy, and take the alias out of the schema",
                      "only the function knows what it shows");
    if (ty_dtype_size(t->dtype) != ty_dtype_size(whole->dtype))
        return refuse(r, "return a copy, and take the alias out of the schema",
                      "its elements are of another size");
    fx_arg args[] = {fx_of(shown), fx_int_list(g, t->sizes, t->rank),
                     fx_int_list(g, t->strides, t->rank), fx_expr(t->offset)};
    FE_TRY(
        pass_emit(g, r->before, OP_aten_as_strided_default, r->call, COUNT_OF(args), args, &part));
    if (!r->first) r->first = part;
    if (t->dtype != whole->dtype) {
        fx_arg cast[] = {fx_of(part), fx_dtype(t->dtype)};
        FE_TRY(pass_emit(g, r->before, OP_aten_view_dtype, r->call, COUNT_OF(cast), cast, &part));
    }
    fx_replace_uses(g, n, part);
    return FE_OK;
}

/* Readers of `n`, item `item` of `count` of the return. */
static fe_status read_item(view_reader *r, fx_node *n, const fx_value *v, uint32_t item,
                           uint32_t count)
{
    bool unclear;
    if (v->kind != FX_TENSOR || !n->users.count) return FE_OK;
    fx_node *shown = infer_shown(r->call, r->k, item, count, &unclear);
    if (unclear)
        return refuse(r, "give each argument an alias letter of its own",
                      "the schema does not say of which of several tensors");
    if (!shown)
        return refuse(r, "return a tensor of its own where no argument is given",
                      "no argument that it may show is given");
    const ty_tensor *whole = fx_tensor(shown);
    if (!is_written(r->call, r->k) || whole->dtype != v->tensor->dtype ||
        !sym_same(whole->offset, v->tensor->offset) ||
        !ty_known_same_layout(r->g->symbols, whole, v->tensor))
        return read_part(r, n, shown, v->tensor);
    fx_replace_uses(r->g, n, shown); /* the argument itself */
    return FE_OK;
}

/* Parts may have been made before the reader, which is where the next ones go then. */
static void erase_reader(view_reader *r, fx_node *reader)
{
    if (reader == r->before) r->before = reader->next;
    fx_erase(r->g, reader);
}

/* Readers of `n`, which is return k: a tensor or a list of them. */
static fe_status read_return(view_reader *r, fx_node *n, const fx_value *v)
{
    if (v->kind != FX_TUPLE) return read_item(r, n, v, 0, 1);
    for (uint32_t u = n->users.count; u-- > 0;) {
        fx_node *reader = n->users.at[u];
        int64_t j;
        if (!fx_is(reader, OP_operator_getitem) || !fx_arg_int(r->g, &reader->args[1], &j) ||
            j < 0 || j >= v->count)
            return refuse(r, "take its items one by one", "it is a list that is used as a whole");
        FE_TRY(read_item(r, reader, &v->items[j], (uint32_t)j, v->count));
        erase_reader(r, reader);
    }
    return FE_OK;
}

bool functionalise_returns_alias(const fx_node *n)
{
    if (n->kind != FX_CALL || !n->op->custom || n->op->custom->mutating) return false;
    for (uint32_t k = 0; k < n->op->return_count; k++)
        if (op_returns_alias(n->op, k)) return true;
    return false;
}

/* Readers of return r->k, one of several. */
static fe_status read_items(view_reader *r, const fx_value *v)
{
    fx_node *n = r->call;
    for (uint32_t u = n->users.count; u-- > 0;) {
        fx_node *item = n->users.at[u];
        int64_t j;
        if (!fx_is(item, OP_operator_getitem) || !fx_arg_int(r->g, &item->args[1], &j) ||
            j != (int64_t)r->k)
            continue;
        FE_TRY(read_return(r, item, v));
        erase_reader(r, item);
    }
    return FE_OK;
}

fe_status functionalise_views(fx_graph *g, fx_node *n, fx_node **next)
{
    view_reader r = {.g = g, .call = n, .before = n->next};
    bool is_single = n->op->return_count == 1;
    for (; r.k < n->op->return_count; r.k++) {
        const fx_value *v = infer_returned(n, r.k);
        if (!v || !op_returns_alias(n->op, r.k)) continue;
        FE_TRY(is_single ? read_return(&r, n, v) : read_items(&r, v));
    }
    *next = r.first ? r.first : r.before;
    if (op_is_plain_view(n->op)) fx_erase(g, n);
    return FE_OK;
}
