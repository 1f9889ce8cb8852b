/* numbers.c -- calls whose operands are all numbers, where tensors are expected.
 *
 * Programs that were decomposed or written by hand have add(4, 3.5): PyTorch makes tensors of the
 * numbers, and so the result is one. Beside a tensor a number stays one: it has less say in the dtype.
 */
#include "infer/infer_priv.h"

/* As an operand of arithmetic a float is no double. */
static ty_dtype dtype_of(const op_info *op, const fx_arg *a)
{
    fx_value_kind kind = a->kind == FX_ARG_NODE ? a->node->value.kind : FX_NO_VALUE;
    if (a->kind == FX_ARG_INT || kind == FX_INT) return TY_I64;
    if (a->kind == FX_ARG_BOOL || kind == FX_BOOL) return TY_BOOL;
    if (a->kind == FX_ARG_COMPLEX) return TY_C64;
    if (a->kind != FX_ARG_FLOAT && kind != FX_FLOAT) return TY_NO_DTYPE;
    return op->flags & OPF_POINTWISE ? TY_F32 : TY_F64;
}

static bool takes_tensor(const op_info *op, uint32_t i)
{
    return op->params[i].type.base == OP_TENSOR && !op->params[i].type.list;
}

/* Is the first operand a number, and no other a tensor? */
static bool is_of_numbers(const fx_node *n)
{
    if (n->arg_count == 0 || !takes_tensor(n->op, 0) || dtype_of(n->op, &n->args[0]) == TY_NO_DTYPE)
        return false;
    for (uint32_t i = 1; i < n->arg_count; i++)
        if (takes_tensor(n->op, i) && fx_arg_tensor(&n->args[i])) return false;
    return true;
}

fe_status infer_numbers(fx_graph *g, fx_node *n)
{
    bool has_schema = n->op->id < OP_BUILTIN_COUNT && !(n->op->flags & OPF_HIGHER_ORDER);
    if (!has_schema || !is_of_numbers(n)) return FE_OK;
    for (uint32_t i = 0; i < n->arg_count; i++) {
        ty_dtype d = takes_tensor(n->op, i) ? dtype_of(n->op, &n->args[i]) : TY_NO_DTYPE;
        if (d == TY_NO_DTYPE) continue;
        fx_arg args[] = {n->args[i], fx_dtype(d)};
        fx_node *made = fx_emit(g, n, OP_aten_scalar_tensor_default, n, COUNT_OF(args), args);
        FE_TRY(infer_node(g, made));
        fx_set_arg(n, i, fx_of(made), g);
    }
    return FE_OK;
}
