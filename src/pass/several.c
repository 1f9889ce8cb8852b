/* several.c -- calls that write several arguments, or that write besides giving a result: their
 * functional operator gives what was written as further results. Normalisation layers in training
 * belong here too, although their schemas do not say that running statistics are written.
 */
#include "pass/functionalise.h"

#include <string.h>

enum { MOST_DIMS = 16 };

static uint32_t written_count(const op_info *op)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < op->param_count; i++) count += op->params[i].is_written;
    return count;
}

/* ---- by schema ---- */

/* Does the operator give nothing but what it wrote, each result an argument? */
static bool gives_written(const op_info *op)
{
    bool all = op->return_count > 0 && op->return_count == written_count(op);
    for (uint32_t i = 0; i < op->return_count; i++) all &= op->returns[i].alias != 0;
    return all;
}

/* The operator whose results are those of op, then the written arguments; of an `out=` operator
 * with several, the arguments alone. NULL when there is none such. */
static const op_info *tuple_functional(fx_graph *g, const op_info *op)
{
    if (!op->is_mutating || (op->flags & OPF_HIGHER_ORDER)) return NULL;
    const op_info *functional = op_functional_of(g->ops, op);
    if (functional && gives_written(op))
        return op->return_count > 1 && functional->return_count == op->return_count ? functional
                                                                                    : NULL;
    bool more = functional && functional->return_count == op->return_count + written_count(op);
    for (uint32_t i = 0; i < op->return_count; i++) more &= op->returns[i].alias == 0;
    return more ? functional : NULL;
}

/* ---- normalisation in training ---- */

static bool is_true(fx_graph *g, const fx_node *n, const char *param)
{
    return op_param_index(n->op, param) >= 0 && fx_arg_bool(fx_get(g, n, param), false);
}

static bool is_batch_norm(const fx_node *n)
{
    return fx_is(n, OP_aten_batch_norm_default) || fx_is(n, OP_aten_native_batch_norm_default);
}

static bool has_statistics(fx_graph *g, const fx_node *n)
{
    return fx_get(g, n, "running_mean")->kind == FX_ARG_NODE &&
           fx_get(g, n, "running_var")->kind == FX_ARG_NODE;
}

static bool trains(fx_graph *g, const fx_node *n)
{
    if (is_batch_norm(n)) return is_true(g, n, "training") && has_statistics(g, n);
    return fx_is(n, OP_aten_instance_norm_default) && is_true(g, n, "use_input_stats") &&
           has_statistics(g, n);
}

bool functionalise_is_several(fx_graph *g, const fx_node *n)
{
    return n->kind == FX_CALL && (tuple_functional(g, n->op) || trains(g, n));
}

/* ---- rewriting ---- */

static fe_status item_of(fx_graph *g, fx_node *before, fx_node *tuple, uint32_t k, fx_node **out)
{
    fx_arg args[] = {fx_of(tuple), fx_int(g, k)};
    return pass_emit(g, before, OP_operator_getitem, tuple, 2, args, out);
}

void functionalise_returned(fx_graph *g, fx_node *n)
{
    if (!gives_written(n->op)) return;
    for (uint32_t k = n->users.count; k-- > 0;) {
        fx_node *item = n->users.at[k];
        int64_t number;
        bool known = fx_is(item, OP_operator_getitem) && fx_arg_int(g, &item->args[1], &number);
        CHECK(g->session, known);
        for (uint32_t i = 0; i < n->op->param_count; i++)
            if (n->op->params[i].is_written && n->op->params[i].alias == 1u << number)
                fx_replace_uses(g, item, n->args[i].node);
    }
}

/* The call of `functional` in the place of n. */
static fe_status replaced(fx_graph *g, fx_node *n, const op_info *functional, fx_node **values)
{
    fx_node *tuple, *first;
    uint32_t item = functional->return_count - (is_batch_norm(n) ? 2 : written_count(n->op));
    bool writes =
        gives_written(n->op) || op_param_index(n->op, "training") < 0 || is_true(g, n, "training");
    FE_TRY(pass_call(g, n, functional, n, n->args, functional->param_count, &tuple));
    for (uint32_t i = 0; i < n->op->param_count; i++) {
        bool written = n->op->params[i].is_written ||
                       (is_batch_norm(n) && strncmp(n->op->params[i].name, "running_", 8) == 0);
        if (written && writes) FE_TRY(item_of(g, n, tuple, item, &values[i]));
        item += written;
    }
    if (n->op->return_count > 1) {
        fx_replace_uses(g, n, tuple);
        return FE_OK;
    }
    FE_TRY(item_of(g, n, tuple, 0, &first));
    fx_replace_uses(g, n, first);
    return FE_OK;
}

/* The statistics of the batch, averaged into the running ones: by the images' own means, and their
 * unbiased variances. */
static fe_status instance_statistics(fx_graph *g, fx_node *n, fx_node **values)
{
    const ty_tensor *x = fx_arg_tensor(fx_get(g, n, "input"));
    int mean_at = op_param_index(n->op, "running_mean"), var_at = mean_at + 1;
    const ty_tensor *running = fx_arg_tensor(&n->args[mean_at]);
    fx_arg input = *fx_get(g, n, "input"), momentum = *fx_get(g, n, "momentum");
    sym_expr dims[MOST_DIMS];
    fx_node *made;
    if (x->rank < 2 || x->rank > MOST_DIMS || !running) return FE_OK;
    if (running->dtype != x->dtype) {
        fx_arg args[] = {input, fx_dtype(running->dtype)};
        FE_TRY(pass_emit(g, n, OP_aten__to_copy_default, n, 2, args, &made));
        input = fx_of(made);
    }
    for (uint32_t k = 0; k < x->rank; k++) dims[k] = sym_int(g->symbols, k ? k + 1 : 0);
    fx_arg whole[] = {input, fx_int_list(g, dims, x->rank - 1), fx_bool(false)};
    FE_TRY(pass_emit(g, n, OP_aten_mean_dim, n, 3, whole, &made));
    fx_arg means[] = {n->args[mean_at], fx_of(made), momentum};
    FE_TRY(pass_emit(g, n, OP_aten_lerp_Scalar, n, 3, means, &values[mean_at]));
    fx_arg each[] = {input, fx_int_list(g, dims + 1, x->rank - 2), fx_int(g, 1), fx_bool(false)};
    FE_TRY(pass_emit(g, n, OP_aten_var_correction, n, 4, each, &made));
    fx_arg over[] = {fx_of(made), fx_int_list(g, dims, 1), fx_bool(false)};
    FE_TRY(pass_emit(g, n, OP_aten_mean_dim, n, 3, over, &made));
    fx_arg variances[] = {n->args[var_at], fx_of(made), momentum};
    return pass_emit(g, n, OP_aten_lerp_Scalar, n, 3, variances, &values[var_at]);
}

fe_status functionalise_several(fx_graph *g, fx_node *n, fx_node **values, bool *is_replaced)
{
    *is_replaced = !fx_is(n, OP_aten_instance_norm_default);
    if (!*is_replaced) return instance_statistics(g, n, values);
    const op_info *functional = tuple_functional(g, n->op);
    if (!functional)
        functional = op_get(g->ops, OP_aten__native_batch_norm_legit_functional_default);
    return replaced(g, n, functional, values);
}
