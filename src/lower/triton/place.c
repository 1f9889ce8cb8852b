/* place.c -- elements of a block by their places, and how many there are of each. */
#include "lower/triton/triton.h"

fe_status triton_gather(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    sym_expr at[LOWER_MAX_RANK], sizes[LOWER_MAX_RANK];
    const ttir_type *type = triton_type(t, op->result);
    int64_t axis = ttir_integer(op, "axis", 0);
    uint32_t rank = triton_sizes(t, type, sizes);
    lower_tensor x = triton_operand(t, op, 0);
    if (axis < 0 || axis >= type->rank || x.rank != rank || t->values[op->operands[0]].argument)
        return triton_fail(t, "of this form");
    uint32_t dim = t->lead_count + (uint32_t)axis;
    lower_store_unless_plain(t->l, x);
    for (uint32_t k = 0; k < rank; k++) at[k] = t->l->axes[k];
    at[dim] = lower_lookup(t->l, triton_here(t, op, 1), x.sizes[dim], (int32_t)axis);
    triton_give(t, op, lower_at(t->l, x, at));
    return FE_OK;
}

/* How often each number below the size of the result is in a block; others are not counted. */
fe_status triton_histogram(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    sym_expr at[LOWER_MAX_RANK], sizes[LOWER_MAX_RANK];
    const ttir_type *type = triton_type(t, op->result);
    uint32_t rank = triton_sizes(t, type, sizes);
    loop_program *p = t->p;
    lower_tensor x = triton_operand(t, op, 0),
                 counts = lower_zeros(t->l, type->dtype, rank, sizes, NULL);
    if (type->rank != 1 || x.rank != rank) return triton_fail(t, "of this form");
    loop_value v = loop_cast(p, TY_I64, lower_here(t->l, x)), zero = loop_const_int(p, TY_I64, 0),
               bins = loop_index(p, sizes[rank - 1]);
    loop_value counted = loop_binary(p, LOOP_AND, loop_binary(p, LOOP_LE, zero, v),
                                     loop_binary(p, LOOP_LT, v, bins));
    if (op->operand_count > 1) counted = loop_binary(p, LOOP_AND, triton_here(t, op, 1), counted);
    for (uint32_t k = 0; k < rank; k++) at[k] = t->l->axes[k];
    at[rank - 1] =
        lower_lookup(t->l, loop_where(p, counted, v, zero), sizes[rank - 1], LOOP_ELEMENTS);
    lower_scatter(t->l, counts, rank, x.sizes, at, loop_cast(p, type->dtype, counted),
                  LOOP_ADD_INTO);
    triton_give_tensor(t, op, counts);
    return FE_OK;
}
