/* block.c -- what makes blocks, gives them another shape, or multiplies them. */
#include "lower/triton/triton.h"

#include <string.h>

/* ---- the grid ---- */

static bool axis_named(const ttir_op *op, uint32_t *out)
{
    char word = op->word_count ? *op->words[0] : 0;
    *out = (uint32_t)(word - 'x');
    return word >= 'x' && word <= 'z';
}

fe_status triton_program_id(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    uint32_t k;
    if (!axis_named(op, &k)) return triton_fail(t, "of this axis");
    triton_give(t, op, loop_index(t->p, t->id[k]));
    return FE_OK;
}

fe_status triton_program_count(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    uint32_t k;
    if (!axis_named(op, &k)) return triton_fail(t, "of this axis");
    triton_give(t, op, loop_index(t->p, t->grid[k]));
    return FE_OK;
}

fe_status triton_range(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    sym_expr axis = t->l->axes[t->lead_count];
    triton_give(t, op, loop_index(t->p, sym_add_int(t->s, axis, ttir_integer(op, "start", 0))));
    return FE_OK;
}

/* ---- shapes ---- */

/* Operand 0 over the axes of the result: dimension k of its block is exprs[k]. */
static fe_status give_seen(triton *t, const ttir_op *op, const sym_expr *exprs)
{
    sym_expr sizes[LOWER_MAX_RANK], all[LOWER_MAX_RANK];
    uint32_t rank = triton_sizes(t, triton_type(t, op->result), sizes);
    lower_tensor x = triton_operand(t, op, 0);
    memcpy(all, t->l->axes, t->lead_count * sizeof *all);
    for (uint32_t k = t->lead_count; k < x.rank; k++) all[k] = exprs[k - t->lead_count];
    triton_value v = {.t = lower_remap(t->l, x, rank, sizes, all)};
    v.argument = t->values[op->operands[0]].argument;
    triton_set(t, op, 0, v);
    return FE_OK;
}

fe_status triton_splat(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    return give_seen(t, op, NULL);
}

fe_status triton_expand_dims(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    sym_expr exprs[LOWER_MAX_RANK];
    uint32_t axis = (uint32_t)ttir_integer(op, "axis", 0);
    for (uint32_t k = 0; k < triton_type(t, op->operands[0])->rank; k++)
        exprs[k] = t->l->axes[t->lead_count + k + (k >= axis)];
    return give_seen(t, op, exprs);
}

fe_status triton_broadcast(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    sym_expr exprs[LOWER_MAX_RANK];
    const ttir_type *from = triton_type(t, op->operands[0]);
    if (from->rank != triton_type(t, op->result)->rank)
        return triton_fail(t, "between blocks of different ranks");
    for (uint32_t k = 0; k < from->rank; k++)
        exprs[k] = from->sizes[k] == 1 ? t->l->zero : t->l->axes[t->lead_count + k];
    return give_seen(t, op, exprs);
}

fe_status triton_transpose(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    sym_expr exprs[LOWER_MAX_RANK];
    uint32_t rank = triton_type(t, op->result)->rank;
    const ttir_attribute *order = ttir_find(op, "order");
    if (!order || order->count != rank) return triton_fail(t, "without an order");
    for (uint32_t k = 0; k < rank; k++) {
        if (order->integers[k] < 0 || order->integers[k] >= rank)
            return triton_fail(t, "in such an order");
        exprs[order->integers[k]] = t->l->axes[t->lead_count + k];
    }
    return give_seen(t, op, exprs);
}

fe_status triton_reshape(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    sym_expr sizes[LOWER_MAX_RANK];
    if (t->values[op->operands[0]].argument) return triton_fail(t, "of pointers");
    uint32_t rank = triton_sizes(t, triton_type(t, op->result), sizes);
    triton_give_tensor(t, op, lower_reshape(t->l, triton_operand(t, op, 0), rank, sizes));
    return FE_OK;
}

/* Two blocks side by side, in a last dimension of two. */
fe_status triton_join(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    sym_expr sizes[LOWER_MAX_RANK];
    uint32_t rank = triton_sizes(t, triton_type(t, op->result), sizes);
    if (t->values[op->operands[0]].argument) return triton_fail(t, "of pointers");
    loop_value side = loop_index(t->p, t->l->axes[rank - 1]),
               zero = loop_const_int(t->p, TY_I64, 0);
    loop_value is_first = loop_binary(t->p, LOOP_EQ, side, zero);
    triton_give(t, op, loop_where(t->p, is_first, triton_here(t, op, 0), triton_here(t, op, 1)));
    return FE_OK;
}

/* One block behind the other. */
fe_status triton_cat(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    if (t->values[op->operands[0]].argument) return triton_fail(t, "of pointers");
    lower_tensor both[] = {triton_operand(t, op, 0), triton_operand(t, op, 1)};
    triton_give_tensor(
        t, op, lower_joined(t->l, both, 2, t->lead_count, triton_type(t, op->result)->dtype));
    return FE_OK;
}

fe_status triton_split(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    lower_tensor x = triton_operand(t, op, 0);
    if (op->result_count != 2 || t->values[op->operands[0]].argument)
        return triton_fail(t, "of this form");
    for (uint32_t k = 0; k < 2; k++)
        triton_set(t, op, k,
                   (triton_value){.t = lower_select(t->l, x, x.rank - 1, lower_const(t->l, k))});
    return FE_OK;
}

/* ---- products ---- */

fe_status triton_dot(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    ty_dtype d = triton_type(t, op->result)->dtype, wide = lower_compute_dtype(d);
    lower_tensor a = lower_cast(t->l, triton_operand(t, op, 0), wide),
                 b = lower_cast(t->l, triton_operand(t, op, 1), wide);
    lower_tensor v = lower_matmul(t->l, a, b, (lower_tensor){0}, NULL);
    if (op->operand_count > 2 && !triton_is_zero(t, op->operands[2]))
        v = lower_binary(t->l, LOOP_ADD, v, lower_cast(t->l, triton_operand(t, op, 2), wide));
    triton_give_tensor(t, op, lower_cast(t->l, v, d));
    return FE_OK;
}
