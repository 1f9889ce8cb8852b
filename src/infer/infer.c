/* infer.c -- the driver: one call, a whole graph; and the table that says which rule serves which
 * operator.
 *
 * An in-place operator without a rule gives what it wrote to, as its schema says.
 */
#include "infer/infer_priv.h"

typedef struct infer_row {
    op_id op;
    infer_rule *rule;
    int param;
} infer_row;

static const infer_row ROWS[OP_BUILTIN_COUNT] = {
#define OP(id, schema, columns) [OP_##id] = {.op = OP_##id, columns},
#define INFER(its_rule, parameter) .rule = rule_##its_rule, .param = parameter
#include "op/ops.def"
};

#define OP(id, schema, columns) _Static_assert(0 columns, #id ": one of INFER, BY, LACKS");
#define WRITER(id, schema, columns)
#define INFER(its_rule, parameter) +1
#define BY(who) +1
#define LACKS(what) +1
#include "op/ops.def"

/* ---- one node ---- */

/* What the only result aliases and the call writes to: the parameter, or -1. */
static int written_result(const op_info *op)
{
    if (op->return_count != 1 || !op->returns[0].alias || op->returns[0].type.list) return -1;
    for (uint32_t i = 0; i < op->param_count; i++)
        if (op->params[i].is_written && op->params[i].alias == op->returns[0].alias) return (int)i;
    return -1;
}

static const infer_row *row_of(const op_info *op)
{
    return op->id < OP_BUILTIN_COUNT && ROWS[op->id].rule ? &ROWS[op->id] : NULL;
}

bool infer_knows(const op_info *op)
{
    if (op->custom) return infer_knows_custom(op);
    return row_of(op) || written_result(op) >= 0 ||
           (op->return_count == 0 && !(op->flags & OPF_HIGHER_ORDER));
}

bool infer_keeps_record(const fx_node *n)
{
    return !infer_knows(n->op) && n->value.kind != FX_NO_VALUE;
}

void infer_as(infer_call *c, op_id op)
{
    const infer_row *row = &ROWS[op];
    CHECK(c->graph->session, row->rule);
    c->param = row->param;
    row->rule(c);
}

/* Does PyTorch write results of the one dtype to a tensor of the other? */
bool infer_can_cast(ty_dtype from, ty_dtype to)
{
    if (ty_is_complex(from) && !ty_is_complex(to)) return false;
    if (ty_is_floating(from) && ty_is_integral(to, true)) return false;
    return from == TY_BOOL || to != TY_BOOL;
}

/* What the functional operator makes of the same arguments has to fit into what is written. */
static void check_written(infer_call *c, const ty_tensor *x)
{
    const op_info *functional = op_functional_of(c->graph->ops, c->op);
    const infer_row *row = functional ? row_of(functional) : NULL;
    if (!row || functional->is_view) return;
    uint32_t next_storage = c->graph->next_storage;
    infer_as(c, (op_id)functional->id);
    c->graph->next_storage = next_storage; /* what it makes is only looked at */
    const ty_tensor *made = c->value.kind == FX_TENSOR ? c->value.tensor : NULL;
    if (!made || c->status != FE_OK) return;
    if (!infer_can_cast(made->dtype, x->dtype))
        infer_fail(c, "result type %s can't be cast to the desired output type %s",
                   infer_shape(c, made), infer_shape(c, x));
    if (made->rank != x->rank)
        infer_fail(c, "%s cannot be written to %s", infer_shape(c, made), infer_shape(c, x));
    for (uint32_t i = 0; i < x->rank && c->status == FE_OK; i++)
        (void)INFER_REQUIRE_EQUAL(c, made->sizes[i], x->sizes[i], "%s cannot be written to %s",
                                  infer_shape(c, made), infer_shape(c, x));
}

static void give_written(infer_call *c, uint32_t index)
{
    ty_tensor *x = index < c->node->arg_count ? fx_arg_tensor(&c->node->args[index]) : NULL;
    if (x) check_written(c, x);
    infer_give(c, x);
}

static void number_value(fx_graph *g, fx_value *v)
{
    if (v->kind == FX_TENSOR && v->tensor->storage == 0) v->tensor->storage = g->next_storage++;
    for (uint32_t i = 0; v->kind == FX_TUPLE && i < v->count; i++) number_value(g, &v->items[i]);
}

static void number_argument(void *data, fx_node *n)
{
    number_value(data, &n->value);
}

void infer_number_storages(infer_call *c)
{
    number_value(c->graph, &c->value);
}

/* Whether gradients are asked for is no rule's business: it stays as recorded. */
static void keep_gradient(const fx_value *was, fx_value *now)
{
    if (was->kind != now->kind) return;
    if (now->kind == FX_TENSOR) now->tensor->requires_grad = was->tensor->requires_grad;
    for (uint32_t i = 0; now->kind == FX_TUPLE && i < now->count && i < was->count; i++)
        keep_gradient(&was->items[i], &now->items[i]);
}

/* There can be memory for it. */
static void need_memory(infer_call *c, const fx_value *v)
{
    if (c->status == FE_OK && v->kind == FX_TENSOR && !ty_fits_memory(c->symbols, v->tensor))
        infer_fail(c, "%s does not fit in any memory", infer_shape(c, v->tensor));
    for (uint32_t i = 0; v->kind == FX_TUPLE && i < v->count; i++) need_memory(c, &v->items[i]);
}

/* What is made has no negative sizes. */
static void need_sizes(infer_call *c, const fx_value *v)
{
    sym_expr zero = infer_number(c, 0);
    for (uint32_t i = 0; v->kind == FX_TENSOR && i < v->tensor->rank; i++)
        (void)INFER_REQUIRE(c, SYM_LE, zero, v->tensor->sizes[i],
                            "Trying to create tensor with negative dimension: %s",
                            infer_shape(c, v->tensor));
    for (uint32_t i = 0; v->kind == FX_TUPLE && i < v->count; i++) need_sizes(c, &v->items[i]);
}

fe_status infer_compute(fx_graph *g, fx_node *n, bool against_record, fx_value *out)
{
    const op_info *op = n->op;
    const infer_row *row = row_of(op);
    infer_call c = {.graph = g,
                    .symbols = g->symbols,
                    .memory = g->memory,
                    .node = n,
                    .op = op,
                    .param = row ? row->param : 0,
                    .recorded = n->value,
                    .against_record = against_record};
    int written = row || op->custom ? -1 : written_result(op);
    if (!infer_knows(op))
        return fx_fail(g, n, "infer", FE_UNSUPPORTED,
                       "give the node its metadata, or add a row for the operator",
                       "what %s gives is not known", op->name);
    for (uint32_t i = 0; i < n->arg_count; i++) fx_arg_each_node(&n->args[i], number_argument, g);
    if (!infer_keeps_contract(&c) || !infer_keeps_float8(&c)) return c.status;
    if (row)
        row->rule(&c);
    else if (op->custom)
        infer_custom(&c);
    else if (written >= 0)
        give_written(&c, (uint32_t)written);
    /* A rule stops where an argument is not what it needs. */
    if (row && c.value.kind == FX_NO_VALUE && op->return_count && !(op->flags & OPF_HIGHER_ORDER))
        infer_fail(&c, "an argument is not of the kind or rank that is wanted");
    if (row && c.status == FE_OK && !fx_is(n, OP_operator_getitem)) {
        infer_settle(&c, &c.value, &c.recorded);
        if (!(op->flags & OPF_HIGHER_ORDER)) need_sizes(&c, &c.value);
        need_memory(&c, &c.value);
        keep_gradient(&c.recorded, &c.value);
    }
    *out = c.value;
    return c.status;
}

/* ---- graphs ---- */

/* What stands before a user's tensor in its storage is not the program's. */
static void start_storage(fx_graph *g, fx_node *p)
{
    sym_expr zero = sym_int(g->symbols, 0);
    if (sym_same(p->value.tensor->offset, zero)) return;
    ty_tensor *whole = arena_copy(g->memory, p->value.tensor, sizeof *whole);
    whole->offset = zero;
    p->value.tensor = whole;
}

/* Constants that are views of one storage share its number. */
void infer_number_inputs(fx_graph *g)
{
    map by_bytes = {0};
    for (uint32_t i = 0; i < g->inputs.count; i++) {
        fx_node *p = g->inputs.at[i];
        if (p->value.kind == FX_TENSOR && p->input_kind == FX_USER_INPUT) start_storage(g, p);
        if (p->value.kind == FX_TENSOR && p->data && p->data->bytes) {
            uint32_t known = map_get(&by_bytes, MAP_KEY(p->data->bytes));
            if (known != MAP_NONE && p->value.tensor->storage == 0)
                p->value.tensor->storage = known;
            number_value(g, &p->value);
            if (known == MAP_NONE)
                map_set(g->memory, &by_bytes, MAP_KEY(p->data->bytes), p->value.tensor->storage);
        }
        number_value(g, &p->value);
    }
}

/* Where the inputs' storages began, before that is forgotten. */
static infer_starts starts_of(fx_graph *g)
{
    infer_start *at = NEW_ARRAY(g->memory, infer_start, g->inputs.count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->inputs.count; i++) {
        const fx_node *p = g->inputs.at[i];
        if (p->value.kind == FX_TENSOR && p->input_kind == FX_USER_INPUT)
            at[count++] = (infer_start){p, p->value.tensor->offset};
    }
    return (infer_starts){at, count};
}

/* PyTorch has no such strides. */
static bool goes_back(const sym_table *symbols, const ty_tensor *t)
{
    int64_t stride;
    for (uint32_t k = 0; k < t->rank; k++)
        if (sym_is_int(symbols, t->strides[k], &stride) && stride < 0) return true;
    return false;
}

static fe_status check_inputs(fx_graph *g)
{
    for (uint32_t i = 0; i < g->inputs.count; i++) {
        const fx_node *p = g->inputs.at[i];
        if (p->value.kind != FX_TENSOR) continue;
        if (!ty_fits_memory(g->symbols, p->value.tensor))
            return fx_fail(g, p, "infer", FE_CORRUPT, NULL,
                           "the tensor does not fit in any memory");
        if (goes_back(g->symbols, p->value.tensor))
            return fx_fail(g, p, "infer", FE_CORRUPT, NULL, "the tensor has a stride below 0");
    }
    return FE_OK;
}

static void note_unknown(void *data, fx_node *n)
{
    *(bool *)data |= n->is_stale;
}

/* Does it read what an operator gives that nobody knows? */
static bool reads_unknown(const fx_node *n)
{
    bool unknown = false;
    for (uint32_t i = 0; i < n->arg_count; i++)
        fx_arg_each_node(&n->args[i], note_unknown, &unknown);
    return unknown;
}

fe_status infer_graph(fx_graph *g)
{
    fe_status unknown = FE_OK;
    map dtypes = {0};
    infer_starts starts = starts_of(g);
    infer_number_inputs(g);
    FE_TRY(check_inputs(g));
    for (fx_node *n = g->first; n; n = n->next) {
        fx_value now;
        n->is_stale = false;
        FE_TRY(infer_give_recorded(g, n, &dtypes));
        if (n->kind != FX_CALL) continue;
        infer_settle_views(g, n, &starts);
        FE_TRY(infer_check_starts(g, n, &starts));
        if (infer_keeps_record(n)) {
            number_value(g, &n->value);
            continue;
        }
        n->is_stale = reads_unknown(n);
        if (n->is_stale) continue;
        fe_status status = infer_numbers(g, n);
        if (status == FE_OK) status = infer_autocast(g, n);
        if (status == FE_OK) status = infer_compute(g, n, true, &now);
        n->is_stale = status == FE_UNSUPPORTED;
        if (n->is_stale) unknown = status; /* the rest may have more of them */
        if (status != FE_OK && status != FE_UNSUPPORTED) return status;
        if (status != FE_OK) continue;
        infer_note_dtype(g->memory, &dtypes, n, &now);
        n->value = now;
    }
    return unknown;
}

/* ---- comparing ---- */

static bool differs(const char **why, const char *what)
{
    if (why) *why = what;
    return false;
}

static bool same_tensor(fx_graph *g, const ty_tensor *a, const ty_tensor *b, const char **why)
{
    sym_table *t = g->symbols;
    if (a->dtype != b->dtype) return differs(why, "dtype");
    if (!ty_same_device(a->device, b->device)) return differs(why, "device");
    if (a->rank != b->rank) return differs(why, "rank");
    for (uint32_t i = 0; i < a->rank; i++)
        if (!sym_known_equal(t, a->sizes[i], b->sizes[i])) return differs(why, "sizes");
    if (!sym_known_equal(t, a->offset, b->offset)) return differs(why, "offset");
    return ty_known_same_layout(t, a, b) || differs(why, "strides");
}

static bool same_number(fx_graph *g, sym_expr a, sym_expr b, const char **why)
{
    if (sym_is_none(a) || sym_is_none(b) || sym_same(a, b)) return true;
    return sym_known_equal(g->symbols, a, b) || differs(why, "value");
}

bool infer_same_value(fx_graph *g, const fx_value *a, const fx_value *b, const char **why)
{
    if (why) *why = NULL;
    if (a->kind != b->kind) return differs(why, "kind of value");
    switch (a->kind) {
    case FX_NO_VALUE:
    case FX_OPAQUE: return true;
    case FX_TENSOR: return same_tensor(g, a->tensor, b->tensor, why);
    case FX_INT:
    case FX_BOOL: return same_number(g, a->expr, b->expr, why);
    case FX_FLOAT:
        if (!a->is_known || !b->is_known || a->number == b->number) return true;
        if (a->number != a->number && b->number != b->number) return true;
        return differs(why, "value");
    case FX_TUPLE:
        if (a->count != b->count) return differs(why, "number of results");
        for (uint32_t i = 0; i < a->count; i++)
            if (!infer_same_value(g, &a->items[i], &b->items[i], why)) return false;
        return true;
    }
    return true;
}
