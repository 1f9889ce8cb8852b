/* user.c -- passes of the user's: the calls of ferrite_passes.h over the graph, and what is made sure
 * of after each. */
#include "pass/user.h"

#include "fx/operand.h"

#include <string.h>

static fx_node *inside(const fe_node *n)
{
    return (fx_node *)(uintptr_t)n;
}

static fe_node *outside(fx_node *n)
{
    return (fe_node *)n;
}

static void note_failure(fe_graph *g, fe_status status)
{
    if (g->status == FE_OK) g->status = status;
}

static fe_status refuse(fx_graph *g, const char *pass, const char *format, const char *what)
{
    return diag_fail(g->session, (diag){.status = FE_USAGE, .stage = "pass", .place = pass}, format,
                     what);
}

/* ---- looking ---- */

static fe_node *first(fe_graph *g)
{
    return outside(g->graph->first);
}

static fe_node *next(fe_node *n)
{
    return outside(inside(n)->next);
}

static fe_node_kind kind(const fe_node *n)
{
    static const fe_node_kind KINDS[] = {
        [FX_PLACEHOLDER] = FE_NODE_INPUT, [FX_CALL] = FE_NODE_CALL, [FX_OUTPUT] = FE_NODE_OUTPUT};
    return KINDS[inside(n)->kind];
}

static const char *name(const fe_node *n)
{
    return inside(n)->name ? inside(n)->name : "";
}

static const char *target(const fe_node *n)
{
    const fx_node *x = inside(n);
    if (x->kind == FX_CALL) return x->op->name;
    return x->target ? x->target : "";
}

static int is_call(const fe_node *n, const char *wanted)
{
    return inside(n)->kind == FX_CALL && strcmp(inside(n)->op->name, wanted) == 0;
}

static uint32_t operand_count(const fe_node *n)
{
    return inside(n)->arg_count;
}

static fe_operand operand_of(const fx_arg *a, fe_graph *g)
{
    int64_t integer;
    switch (a->kind) {
    case FX_ARG_NONE: return fe_operand_none();
    case FX_ARG_NODE: return fe_operand_node(outside(a->node));
    case FX_ARG_INT:
        if (fx_arg_int(g->graph, a, &integer)) return fe_operand_int(integer);
        break;
    case FX_ARG_FLOAT: return fe_operand_float(a->number);
    case FX_ARG_BOOL: return fe_operand_bool(a->boolean);
    case FX_ARG_STRING: return (fe_operand){.kind = FE_OPERAND_STRING, .string = a->string};
    case FX_ARG_DTYPE:
        return (fe_operand){.kind = FE_OPERAND_DTYPE, .integer = ty_dtype_number(a->dtype)};
    case FX_ARG_LIST: {
        fe_operand *items = NEW_ARRAY(g->memory, fe_operand, a->list.count + 1);
        for (uint32_t i = 0; i < a->list.count; i++) items[i] = operand_of(&a->list.items[i], g);
        return fe_operand_list(items, a->list.count);
    }
    default: break;
    }
    return (fe_operand){.kind = FE_OPERAND_OTHER, .other = arena_copy(g->memory, a, sizeof *a)};
}

static fe_operand operand(fe_graph *g, const fe_node *n, uint32_t index)
{
    const fx_node *x = inside(n);
    return index < x->arg_count ? operand_of(&x->args[index], g) : fe_operand_none();
}

static fe_operand operand_named(fe_graph *g, const fe_node *n, const char *parameter)
{
    const fx_node *x = inside(n);
    int index = x->kind == FX_CALL ? op_param_index(x->op, parameter) : -1;
    return index < 0 ? fe_operand_none() : operand(g, n, (uint32_t)index);
}

static uint32_t user_count(const fe_node *n)
{
    return inside(n)->users.count;
}

static fe_node *user(const fe_node *n, uint32_t index)
{
    const fx_node *x = inside(n);
    return index < x->users.count ? outside(x->users.at[index]) : NULL;
}

static int64_t known(const fx_graph *g, sym_expr e)
{
    int64_t value;
    return sym_is_int(g->symbols, e, &value) ? value : FE_NOT_KNOWN;
}

static int tensor(const fe_graph *g, const fe_node *n, fe_tensor_facts *facts)
{
    const fx_node *x = inside(n);
    const ty_tensor *t = fx_tensor(x);
    if (!t || t->rank > FE_MOST_DIMS) return 0;
    *facts = (fe_tensor_facts){.dtype = (uint32_t)ty_dtype_number(t->dtype), .rank = t->rank};
    for (uint32_t k = 0; k < t->rank; k++) {
        facts->sizes[k] = known(g->graph, t->sizes[k]);
        facts->strides[k] = known(g->graph, t->strides[k]);
    }
    int64_t offset = known(g->graph, t->offset);
    if (pass_is_constant(g->graph, x) && offset != FE_NOT_KNOWN)
        facts->data = x->data->bytes + (size_t)offset * ty_dtype_size(t->dtype);
    return 1;
}

static int same(const fe_operand *a, const fe_operand *b)
{
    if (a->kind != b->kind) return 0;
    switch (a->kind) {
    case FE_OPERAND_NONE: return 1;
    case FE_OPERAND_NODE: return a->node == b->node;
    case FE_OPERAND_FLOAT: return a->number == b->number;
    case FE_OPERAND_STRING: return strcmp(a->string, b->string) == 0;
    case FE_OPERAND_OTHER: return pass_same_arg(a->other, b->other);
    case FE_OPERAND_LIST:
        for (uint32_t i = 0; i < a->count && a->count == b->count; i++)
            if (!same(&a->items[i], &b->items[i])) return 0;
        return a->count == b->count;
    default: return a->integer == b->integer;
    }
}

/* ---- changing ---- */

/* What a pass hands in of its graph is taken as it is, and checked when it has run. */
static const char *own_operand(fe_graph *g, const fe_operand *o, fx_arg *out)
{
    (void)g;
    if (o->kind == FE_OPERAND_NODE && o->node)
        *out = fx_of(inside(o->node));
    else if (o->kind == FE_OPERAND_OTHER && o->other)
        *out = *(const fx_arg *)o->other;
    else if (o->kind != FE_OPERAND_NODE)
        return "is of a graph that is being built";
    return NULL;
}

static fe_node *call(fe_graph *g, fe_node *before, const char *wanted, const fe_operand *operands,
                     uint32_t count)
{
    const op_info *op = op_find(g->graph->ops, wanted);
    if (!op || (op->flags & OPF_HIGHER_ORDER)) {
        note_failure(g, refuse(g->graph, g->pass, "there is no operator %s to call", wanted));
        return NULL;
    }
    fx_arg *args;
    uint32_t arg_count;
    fx_node *made = NULL, *at = before ? inside(before) : g->graph->output;
    const char *wrong = fx_read_operands(g, own_operand, op, operands, count, &args, &arg_count);
    fe_status status = wrong ? refuse(g->graph, g->pass, "%s", wrong) : FE_OK;
    if (status == FE_OK)
        status = pass_call(g->graph, at, op, at->kind == FX_CALL ? at : NULL, args, op->param_count,
                           &made);
    if (status == FE_OK) return outside(made);
    note_failure(g, status);
    return NULL;
}

static bool read_sizes(fx_graph *g, const fe_tensor *value, sym_expr *sizes, size_t *count)
{
    enum { MOST = 1 << 30 };
    *count = 1;
    if (value->rank > FE_MOST_DIMS) return false;
    for (uint32_t k = 0; k < value->rank; k++) {
        if (value->sizes[k] < 0 || value->sizes[k] > MOST) return false;
        *count *= (size_t)value->sizes[k];
        if (*count > MOST) return false;
        sizes[k] = sym_int(g->symbols, value->sizes[k]);
    }
    return true;
}

/* Where element i in row-major order lies in the caller's memory, in elements. */
static int64_t place_in(const fe_tensor *value, size_t i)
{
    int64_t at = 0;
    if (!value->strides) return (int64_t)i;
    for (uint32_t k = value->rank; k-- > 0; i /= (size_t)value->sizes[k])
        at += (int64_t)(i % (size_t)value->sizes[k]) * value->strides[k];
    return at;
}

static fe_node *constant(fe_graph *g, const char *wanted, const fe_tensor *value)
{
    fx_graph *x = g->graph;
    ty_dtype dtype = ty_dtype_from_number(value->dtype);
    sym_expr sizes[FE_MOST_DIMS];
    size_t count, size = ty_dtype_size(dtype);
    if (dtype == TY_NO_DTYPE || !read_sizes(x, value, sizes, &count)) {
        note_failure(g, refuse(x, g->pass, "constant %s: no tensor of this dtype or size", wanted));
        return NULL;
    }
    char *bytes = arena_alloc(x->memory, count * size + 1);
    for (size_t i = 0; i < count; i++)
        memcpy(bytes + i * size, (const char *)value->data + place_in(value, i) * (int64_t)size,
               size);
    ty_tensor *meta = ty_tensor_new(x->memory, x->symbols, dtype, TY_HOST, value->rank, sizes);
    return outside(fx_add_constant(x, arena_strdup(x->memory, wanted), meta, bytes, count * size));
}

static int set_operand(fe_graph *g, fe_node *n, uint32_t index, fe_operand o)
{
    fx_node *x = inside(n);
    fx_arg arg;
    if (index >= x->arg_count) return 1;
    const char *wrong = fx_read_operand(g, own_operand, &o, &arg);
    if (wrong) {
        note_failure(g, refuse(g->graph, g->pass, "an operand %s", wrong));
        return 1;
    }
    fx_set_arg(x, index, arg, g->graph);
    return 0;
}

static void replace_uses(fe_graph *g, fe_node *n, fe_node *with)
{
    pass_bind(g->graph, inside(n), inside(with));
    fx_replace_uses(g->graph, inside(n), inside(with));
}

static int erase(fe_graph *g, fe_node *n)
{
    fx_node *x = inside(n);
    if (x->users.count || pass_has_effect(x)) return 1;
    fx_erase(g->graph, x);
    return 0;
}

static void fail(fe_graph *g, const char *why)
{
    note_failure(g, refuse(g->graph, g->pass, "%s", why));
}

static const fe_graph_calls CALLS = {
    .version = FE_PASSES_VERSION,
    .first = first,
    .next = next,
    .kind = kind,
    .name = name,
    .target = target,
    .is_call = is_call,
    .operand_count = operand_count,
    .operand = operand,
    .operand_named = operand_named,
    .user_count = user_count,
    .user = user,
    .tensor = tensor,
    .same = same,
    .call = call,
    .constant = constant,
    .set_operand = set_operand,
    .replace_uses = replace_uses,
    .erase = erase,
    .fail = fail,
};

/* ---- a run ---- */

fe_status pass_user(fx_graph *g, const pass_services *services, void *data, bool *changed)
{
    const fe_pass *pass = data;
    fe_graph seen = {.graph = g, .memory = arena_new(g->session), .pass = pass->name};
    (void)services;
    int said = pass->run(&seen, &CALLS, pass->data);
    arena_free(seen.memory);
    FE_TRY(seen.status);
    if (said < 0) return refuse(g, pass->name, "the pass failed%s", "");
    *changed = said > 0;
    return FE_OK;
}

/* ---- their place among the others ---- */

static fe_status place_of(fx_graph *g, const fe_pass *user, const pass_info *table, uint32_t count,
                          uint32_t *out)
{
    const char *after = user->after ? user->after : "decompose";
    text names;
    text_init(&names, g->memory);
    *out = 0;
    if (!*after) return FE_OK;
    for (uint32_t i = 0; i < count; i++) {
        text_printf(&names, "%s%s", i ? ", " : "", table[i].name);
        if (strcmp(table[i].name, after) == 0) *out = i + 1;
    }
    if (*out) return FE_OK;
    return diag_fail(g->session, (diag){.status = FE_USAGE, .stage = "pass", .place = user->name},
                     "it is to run behind %s, and there is no such pass; there are %s", after,
                     names.at);
}

fe_status pass_insert(fx_graph *g, const fe_pass *user, pass_info *table, uint32_t *count)
{
    uint32_t at;
    if (!user->name || !*user->name || !user->run)
        return refuse(g, user->name, "a pass without a %s", user->run ? "name" : "function");
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(table[i].name, user->name) == 0)
            return refuse(g, user->name, "there is a pass of this name%s", "");
    FE_TRY(place_of(g, user, table, *count, &at));
    /* behind those that were added for the same place before */
    while (at < *count && table[at].is_foreign) at++;
    memmove(table + at + 1, table + at, (*count - at) * sizeof *table);
    table[at] = (pass_info){.name = user->name,
                            .what = user->what ? user->what : "",
                            .needs = PASS_META | user->needs,
                            .breaks = PASS_ORDERED | user->breaks,
                            .is_foreign = true,
                            .run_with = pass_user,
                            .data = (void *)(uintptr_t)user};
    ++*count;
    return FE_OK;
}
