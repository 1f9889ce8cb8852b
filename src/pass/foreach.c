/* foreach.c -- operators on lists of tensors become the operator of the same name on each element:
 * _foreach_mul_.Scalar is mul_.Scalar of one after the other. */
#include "pass/pass_priv.h"

#include <string.h>

/* Which overload of the element's operator an overload of the list's asks for, and where the
 * operator has another name; first match. Without `_`: in-place ones follow suit. */
typedef struct element_row {
    const char *base, *overload; /* of the list's operator; NULL: any */
    const char *to_base, *to_overload;
} element_row;
static const element_row ROWS[] = {
    {"maximum", "List", NULL, "default"},
    {"maximum", NULL, "clamp_min", "default"},
    {"minimum", "List", NULL, "default"},
    {"minimum", NULL, "clamp_max", "default"},
    {"clamp_min", "List", NULL, "Tensor"},
    {"clamp_min", NULL, NULL, "default"},
    {"clamp_max", "List", NULL, "Tensor"},
    {"clamp_max", NULL, NULL, "default"},
    {"pow", "List", NULL, "Tensor_Tensor"},
    {"pow", "ScalarAndTensor", NULL, "Scalar"},
    {"pow", NULL, NULL, "Tensor_Scalar"},
    {"addcdiv", NULL, NULL, "default"},
    {"addcmul", NULL, NULL, "default"},
    {"norm", NULL, "linalg_vector_norm", "default"},
    {NULL, "List", NULL, "Tensor"},
    {NULL, "ScalarList", NULL, "Scalar"},
    {NULL, NULL, NULL, NULL},
};

static const element_row *row_of(const char *base, size_t length, const char *overload)
{
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        const element_row *r = &ROWS[i];
        bool same = !r->base || (strlen(r->base) == length && memcmp(r->base, base, length) == 0);
        if (same && (!r->overload || strcmp(r->overload, overload) == 0)) return r;
    }
    return NULL;
}

static bool is_list_call(const fx_node *n)
{
    return n->kind == FX_CALL && op_is_foreach(n->op);
}

static const op_info *named_op(fx_graph *g, const char *base, size_t length, const char *in_place,
                               const char *overload)
{
    return op_find(
        g->ops, arena_printf(g->memory, "aten.%.*s%s.%s", (int)length, base, in_place, overload));
}

/* In-place where there is such an operator. */
static const op_info *element_op(fx_graph *g, const op_info *op)
{
    const char *base = op->base + strlen(OP_FOREACH);
    size_t length = strlen(base);
    bool in_place = length > 1 && base[length - 1] == '_';
    length -= in_place;
    const element_row *r = row_of(base, length, op->overload);
    const char *to = r->to_overload ? r->to_overload : op->overload;
    if (r->to_base) {
        base = r->to_base;
        length = strlen(base);
    }
    const op_info *found = NULL;
    if (in_place && strncmp(to, "Tensor_", 7) == 0) /* pow.Tensor_Scalar, pow_.Scalar */
        found = named_op(g, base, length, "_", to + 7);
    else if (in_place)
        found = named_op(g, base, length, "_", to);
    return found ? found : named_op(g, base, length, "", to);
}

static bool is_tensor_list(const fx_arg *a)
{
    return a->kind == FX_ARG_LIST && a->list.count && fx_arg_tensor(&a->list.items[0]);
}

static uint32_t element_count(const fx_node *n)
{
    for (uint32_t i = 0; i < n->arg_count; i++)
        if (is_tensor_list(&n->args[i])) return n->args[i].list.count;
    return 0;
}

/* ---- one element ---- */

/* The arguments of element k, in the order of the list's: of every list its k-th item. */
static void element_args(const fx_node *n, uint32_t k, fx_arg *out)
{
    for (uint32_t i = 0; i < n->arg_count; i++) {
        const fx_arg *a = &n->args[i];
        out[i] = a->kind == FX_ARG_LIST && k < a->list.count ? a->list.items[k] : *a;
    }
}

/* What an operator that has no in-place form gives has to be of a dtype that its element can take. */
static fe_status check_written(fx_graph *g, fx_node *n, const ty_tensor *made, const ty_tensor *x)
{
    if (!made || !x || infer_can_cast(made->dtype, x->dtype)) return FE_OK;
    return fx_fail(g, n, "lists", FE_CORRUPT, "PyTorch refuses such arguments too",
                   "result type %s can't be cast to the desired output type %s",
                   ty_dtype_name(made->dtype), ty_dtype_name(x->dtype));
}

static fe_status element_call(fx_graph *g, fx_node *n, const op_info *op, uint32_t k, fx_node **out)
{
    enum { MOST_ARGS = 8 };
    fx_arg args[MOST_ARGS] = {{0}};
    CHECK(g->session, n->arg_count <= MOST_ARGS - 2);
    element_args(n, k, args);
    uint32_t count = n->arg_count;
    if (strcmp(op->base, "linalg_vector_norm") == 0) { /* ord, dtype -> ord, dim, keepdim, dtype */
        args[4] = args[2];
        args[2] = fx_none();
        args[3] = fx_bool(false);
        count = 5;
    }
    if (count > op->param_count) count = op->param_count;
    FE_TRY(pass_emit(g, n, (op_id)op->id, n, count, args, out));
    if (!n->op->is_mutating || op->is_mutating) return FE_OK;
    FE_TRY(check_written(g, n, fx_tensor(*out), fx_arg_tensor(&args[0])));
    fx_arg copied[] = {args[0], fx_of(*out)};
    return pass_emit(g, n, OP_aten_copy__default, n, 2, copied, out);
}

static fe_status expand(fx_graph *g, fx_node *n)
{
    const op_info *op = element_op(g, n->op);
    uint32_t count = element_count(n);
    fx_node **made = NEW_ARRAY(g->memory, fx_node *, count + 1);
    if (!op)
        return fx_fail(g, n, "lists", FE_UNSUPPORTED, "call the operator on each tensor",
                       "there is no operator on the elements for this one");
    for (uint32_t k = 0; k < count; k++) FE_TRY(element_call(g, n, op, k, &made[k]));
    for (uint32_t k = n->users.count; k-- > 0;) {
        fx_node *item = n->users.at[k];
        int64_t number;
        bool known = fx_is(item, OP_operator_getitem) && fx_arg_int(g, &item->args[1], &number);
        CHECK(g->session, known && number >= 0 && number < (int64_t)count);
        fx_replace_uses(g, item, made[number]);
        fx_erase(g, item);
    }
    fx_erase(g, n);
    return FE_OK;
}

fe_status pass_foreach(fx_graph *g, bool *changed)
{
    for (fx_node *n = g->first, *next; n; n = next) {
        next = n->next;
        if (!is_list_call(n)) continue;
        while (next && fx_is(next, OP_operator_getitem) && next->args[0].kind == FX_ARG_NODE &&
               next->args[0].node == n)
            next = next->next;
        FE_TRY(expand(g, n));
        *changed = true;
    }
    return FE_OK;
}
