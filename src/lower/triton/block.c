/* block.c -- what makes blocks, gives them another shape, or reduces them. */
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
    sym_expr e = t->axis_of[k] == TRITON_NO_AXIS ? t->l->zero : t->l->axes[t->axis_of[k]];
    triton_give(t, op, loop_index(t->p, e));
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

/* ---- reductions ---- */

typedef struct reduction {
    ttir_code code; /* what joins two elements */
    loop_reduce kind;
    loop_reduce of_bools; /* the same of i1 */
} reduction;

static const reduction REDUCTIONS[] = {
    {TTIR_ADDF, LOOP_SUM, LOOP_SUM},
    {TTIR_ADDI, LOOP_SUM, LOOP_REDUCE_XOR},
    {TTIR_MULF, LOOP_PROD, LOOP_PROD},
    {TTIR_MULI, LOOP_PROD, LOOP_ALL},
    {TTIR_MAXNUMF, LOOP_REDUCE_MAX, LOOP_REDUCE_MAX},
    {TTIR_MAXIMUMF, LOOP_REDUCE_MAX, LOOP_REDUCE_MAX},
    {TTIR_MAXSI, LOOP_REDUCE_MAX, LOOP_ALL},
    {TTIR_MINNUMF, LOOP_REDUCE_MIN, LOOP_REDUCE_MIN},
    {TTIR_MINIMUMF, LOOP_REDUCE_MIN, LOOP_REDUCE_MIN},
    {TTIR_MINSI, LOOP_REDUCE_MIN, LOOP_ANY},
    {TTIR_XORI, LOOP_REDUCE_XOR, LOOP_REDUCE_XOR},
};

loop_reduce triton_reduction(ttir_code code, bool of_bools)
{
    for (size_t k = 0; k < COUNT_OF(REDUCTIONS); k++)
        if (REDUCTIONS[k].code == code)
            return of_bools ? REDUCTIONS[k].of_bools : REDUCTIONS[k].kind;
    return LOOP_NO_REDUCE;
}

/* The one operation on the two arguments whose result the region returns. */
static ttir_code joined_by(const ttir_op *op)
{
    const ttir_block *region = op->region_count ? &op->regions[0] : NULL;
    if (!region || region->ops.count != 2 || region->argument_count != 2) return TTIR_NOTHING;
    const ttir_op *join = &region->ops.at[0], *end = &region->ops.at[1];
    bool is_returned = end->code == TTIR_REDUCE_RETURN && end->operand_count == 1 &&
                       join->result_count == 1 && end->operands[0] == join->result;
    return is_returned ? join->code : TTIR_NOTHING;
}

loop_value triton_without_nan(triton *t, loop_value v, bool is_max)
{
    loop_value least = lower_extreme(t->l, loop_at(t->p, v)->dtype, !is_max);
    return loop_where(t->p, loop_unary(t->p, LOOP_ISNAN, v), least, v);
}

lower_tensor triton_reduced(triton *t, ttir_code code, lower_tensor x, uint32_t dim)
{
    bool reduced[LOWER_MAX_RANK] = {false};
    ty_dtype d = lower_compute_dtype(lower_dtype(x));
    x = lower_cast(t->l, x, d);
    reduced[dim] = true;
    if (code == TTIR_MAXNUMF || code == TTIR_MINNUMF)
        x = lower_value(t->l, d, x.rank, x.sizes,
                        triton_without_nan(t, lower_here(t->l, x), code == TTIR_MAXNUMF));
    return lower_reduced(t->l, triton_reduction(code, d == TY_BOOL), x, reduced, false, NULL);
}

fe_status triton_reduce(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    int64_t axis = ttir_integer(op, "axis", 0);
    ttir_code code = joined_by(op);
    if (op->operand_count != 1 || axis < 0 || axis >= triton_type(t, op->operands[0])->rank ||
        !triton_reduction(code, false))
        return triton_fail(t, "by another function than a sum, a product or an extreme");
    lower_tensor v =
        triton_reduced(t, code, triton_operand(t, op, 0), t->lead_count + (uint32_t)axis);
    triton_give_tensor(t, op, lower_cast(t->l, v, triton_type(t, op->result)->dtype));
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
