/* count.c -- membership, and positions among the set elements of a mask. */
#include "lower/compose.h"
#include "lower/order.h"

/* A reduction over r0 < span of `v`, for each element of x's shape. */
static tensor reduced_by(lowering *l, tensor x, loop_reduce kind, sym_expr span, loop_value v)
{
    tensor out = lower_temp_tensor(l, loop_at(l->program, v)->dtype, x.rank, x.sizes, NULL);
    loop_op *op = lower_nest(l, x.rank, x.sizes, 1, &span);
    sym_expr at = lower_flat(l, l->axes, out.box->view.strides, x.rank);
    lower_store(
        l, op,
        (loop_store){.buffer = out.box->view.buffer, .index = at, .value = v, .reduce = kind});
    return out;
}

enum { FEW_MEMBERS = 16 };

/* Is each element of x one of the set? A short one is gone through, a long one sorted. */
static loop_value is_member(lowering *l, tensor x, tensor set, ty_dtype d)
{
    loop_value v = loop_cast(l->program, lower_compute_dtype(d), lower_here(l, x));
    if (sym_hint(l->symbols, set.sizes[0], 1024) <= FEW_MEMBERS || ty_is_complex(d)) {
        loop_value member =
            loop_cast(l->program, lower_compute_dtype(d), lower_at(l, set, l->reduce_axes));
        return lower_here(
            l, reduced_by(l, x, LOOP_ANY, set.sizes[0], lower_op2(l, LOOP_EQ, v, member)));
    }
    set = lower_sorted(l, lower_cast(l, set, d), 0, false, false).values;
    tensor values = lower_at_least_1d(l, lower_cast(l, x, d)),
           places = lower_search(l, set, values, (tensor){0}, false, NULL);
    loop_value place = lower_here(l, x.rank ? places : lower_squeeze(l, places, 0));
    loop_value inside = lower_op2(l, LOOP_LT, place, loop_index(l->program, set.sizes[0]));
    sym_expr at = loop_indirect(l->program, place, set.sizes[0]);
    loop_value found = loop_cast(l->program, lower_compute_dtype(d), lower_at(l, set, &at));
    return loop_masked(l->program, inside, lower_op2(l, LOOP_EQ, v, found),
                       loop_const_int(l->program, TY_BOOL, 0));
}

static fe_status isin(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    ty_operand operands[2] = {lower_operand(l, &n->args[0]), lower_operand(l, &n->args[1])};
    ty_dtype d = ty_result_type(operands, 2);
    tensor x = lower_tensor_in(l, &n->args[0], d), set = lower_tensor_in(l, &n->args[1], d);
    sym_expr size = lower_numel(l, set);
    lower_share(l, x);
    loop_value v = is_member(l, x, lower_reshape(l, set, 1, &size), d);
    if (lower_bool(l, "invert")) v = lower_op1(l, LOOP_NOT, v);
    return lower_give(l, lower_value(l, TY_BOOL, out->rank, out->sizes, v));
}

#define COUNT(op, function)                        \
    {                                              \
        OP_##op, function, 0, NULL, 0, NULL, false \
    }
static const lower_row ROWS[] = {
    COUNT(aten_isin_Tensor_Tensor, isin),
    COUNT(aten_isin_Tensor_Scalar, isin),
    COUNT(aten_isin_Scalar_Tensor, isin),
};
const lower_rows lower_count_rows = {ROWS, COUNT_OF(ROWS)};
