/* decompose.c -- composite operators that lowering has no rows for become the calls that PyTorch
 * composes them of, so that dtypes, rounding and layouts are those of the parts. */
#include "pass/decompose/decompose.h"

typedef struct decompose_row {
    op_id op;
    decompose_rule *rule;
    op_id target; /* what the rule makes of it is its own */
} decompose_row;

static const decompose_row ROWS[OP_BUILTIN_COUNT] = {
#define OP(id, schema, columns) [OP_##id] = {.op = OP_##id, columns},
#define DECOMPOSE(its_rule, operator) .rule = decompose_op_##its_rule, .target = operator
#include "op/ops.def"
};

/* ---- what rules use ---- */

fx_arg decompose_call(decomposing *d, op_id op, uint32_t count, const fx_arg *args)
{
    fx_node *made = NULL;
    if (d->status == FE_OK) d->status = pass_emit(d->g, d->n, op, d->n, count, args, &made);
    return d->status == FE_OK ? fx_of(made) : fx_none();
}

void decompose_give(decomposing *d, fx_arg result)
{
    CHECK(d->g->session, d->count < DECOMPOSE_MOST_RESULTS);
    d->results[d->count++] = result;
}

void decompose_fail(decomposing *d, const char *what)
{
    if (d->status == FE_OK)
        d->status =
            fx_fail(d->g, d->n, "decompose", FE_UNSUPPORTED, "replace it in the model", "%s", what);
}

const fx_arg *decompose_arg(decomposing *d, const char *param)
{
    if (op_param_index(d->n->op, param) < 0) return NULL;
    const fx_arg *a = fx_get(d->g, d->n, param);
    return a->kind == FX_ARG_NONE ? NULL : a;
}

int64_t decompose_int(decomposing *d, const char *param, int64_t fallback)
{
    const fx_arg *a = decompose_arg(d, param);
    int64_t value;
    if (!a) return fallback;
    if (fx_arg_int(d->g, a, &value)) return value;
    decompose_fail(d, "a number that is not known");
    return fallback;
}

double decompose_number(decomposing *d, const char *param, double fallback)
{
    const fx_arg *a = decompose_arg(d, param);
    double value;
    if (!a) return fallback;
    if (fx_arg_number(d->g, a, &value)) return value;
    decompose_fail(d, "a number that is not known");
    return fallback;
}

bool decompose_flag(decomposing *d, const char *param)
{
    const fx_arg *a = decompose_arg(d, param);
    return a && fx_arg_bool(a, false);
}

uint32_t decompose_dim(decomposing *d, int64_t dim, uint32_t rank)
{
    int64_t whole = rank ? (int64_t)rank : 1;
    if (dim < 0) dim += whole;
    CHECK(d->g->session, dim >= 0 && dim < whole);
    return (uint32_t)dim;
}

fx_arg decompose_slice(decomposing *d, fx_arg x, uint32_t dim, int64_t start, int64_t end)
{
    return CALL(aten_slice_Tensor, x, decompose_of(d, dim), decompose_of(d, start),
                decompose_of(d, end));
}

/* ---- the pass ---- */

static const decompose_row *row_of(const fx_node *n)
{
    bool has_row = n->kind == FX_CALL && n->op->id < OP_BUILTIN_COUNT && ROWS[n->op->id].rule;
    return has_row ? &ROWS[n->op->id] : NULL;
}

/* Readers of a value whose sizes are known now, and what follows from it. */
static fe_status update_readers(fx_graph *g, fx_node *value)
{
    for (uint32_t k = 0; k < value->users.count; k++) {
        uint32_t recomputed;
        if (value->users.at[k]->kind == FX_CALL)
            FE_TRY(infer_update(g, value->users.at[k], &recomputed));
    }
    return FE_OK;
}

static uint32_t dtype_rank(ty_dtype d)
{
    return ty_is_complex(d) ? 2 : ty_is_floating(d) ? 1 : 0;
}

/* The result in the dtype that the operator gives: rules compute in what their operands promote to.
 * Where that would cut off a fraction or an imaginary part, inference and the rule contradict. */
static fe_status convert(fx_graph *g, const fx_node *was, fx_node **now)
{
    const ty_tensor *want = fx_tensor(was), *t = fx_tensor(*now);
    if (!want || !t || want->dtype == t->dtype) return FE_OK;
    CHECK(g->session, dtype_rank(t->dtype) <= dtype_rank(want->dtype));
    fx_arg args[] = {fx_of(*now), fx_dtype(want->dtype)};
    return pass_emit(g, (*now)->next, OP_prims_convert_element_type_default, was, 2, args, now);
}

/* The result laid out as inference has it for the operator. */
static fe_status lay_out(fx_graph *g, const fx_node *was, fx_node **now)
{
    const ty_tensor *want = fx_tensor(was), *t = fx_tensor(*now);
    if (!want || !t || want->rank != t->rank || ty_known_same_layout(g->symbols, want, t))
        return FE_OK;
    for (uint32_t k = 0; k < t->rank; k++)
        if (!sym_known_equal(g->symbols, t->sizes[k], want->sizes[k])) return FE_OK;
    fx_arg args[] = {fx_of(*now), fx_int_list(g, want->strides, want->rank)};
    return pass_emit(g, (*now)->next, OP_prims_copy_strided_default, was, 2, args, now);
}

/* Memory of an operand or of another result, where the operator's result has its own? */
static bool is_borrowed(const decomposing *d, const fx_node *was, uint32_t number)
{
    const ty_tensor *t = fx_arg_tensor(&d->results[number]), *want = fx_tensor(was);
    if (!t || !want || t->storage == want->storage) return false;
    bool borrows = t->storage < d->first_storage;
    for (uint32_t k = 0; k < number; k++) {
        const ty_tensor *other = fx_arg_tensor(&d->results[k]);
        borrows |= other && other->storage == t->storage;
    }
    return borrows;
}

/* was: the call or its item; number: which result that is */
static fe_status replace_result(const decomposing *d, fx_node *was, uint32_t number)
{
    fx_graph *g = d->g;
    CHECK(g->session, d->results[number].kind == FX_ARG_NODE);
    fx_node *now = d->results[number].node;
    if (is_borrowed(d, was, number)) {
        fx_arg args[] = {fx_of(now)};
        FE_TRY(pass_emit(g, d->n, OP_aten_clone_default, was, 1, args, &now));
    }
    pass_bind(g, was, now);
    FE_TRY(convert(g, was, &now));
    FE_TRY(lay_out(g, was, &now));
    bool same = infer_same_value(g, &was->value, &now->value, NULL);
    fx_replace_uses(g, was, now);
    return same ? FE_OK : update_readers(g, now);
}

static fe_status replace(decomposing *d)
{
    fx_node *n = d->n;
    if (n->value.kind != FX_TUPLE) {
        CHECK(d->g->session, d->count == 1);
        return replace_result(d, n, 0);
    }
    for (uint32_t k = n->users.count; k-- > 0;) {
        fx_node *item = n->users.at[k];
        int64_t number;
        bool known = fx_is(item, OP_operator_getitem) && fx_arg_int(d->g, &item->args[1], &number);
        CHECK(d->g->session, known && number >= 0 && number < (int64_t)d->count);
        FE_TRY(replace_result(d, item, (uint32_t)number));
        fx_erase(d->g, item);
    }
    return FE_OK;
}

static fe_status decompose_node(fx_graph *g, fx_node *n, const decompose_row *row, bool *changed)
{
    fx_arg results[DECOMPOSE_MOST_RESULTS];
    decomposing d = {.g = g, .n = n, .target = row->target, .results = results};
    d.first_storage = g->next_storage;
    row->rule(&d);
    FE_TRY(d.status);
    if (d.stays) return FE_OK;
    FE_TRY(replace(&d));
    fx_erase(g, n);
    *changed = true;
    return FE_OK;
}

fe_status pass_decompose(fx_graph *g, bool *changed)
{
    for (fx_node *n = g->first, *next; n; n = next) {
        next = n->next;
        const decompose_row *row = row_of(n);
        if (!row) continue;
        /* The items behind a call go with it: on with what was made of both. */
        const fx_node *before = n->prev;
        bool replaced = false;
        FE_TRY(decompose_node(g, n, row, &replaced));
        if (replaced) next = before ? before->next : g->first;
        *changed |= replaced;
    }
    return FE_OK;
}
