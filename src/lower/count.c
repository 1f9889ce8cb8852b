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

tensor lower_count_before(lowering *l, tensor mask)
{
    tensor set = lower_cast(l, mask, TY_I64), count = lower_scan(l, set, 0, LOOP_SUM, TY_I64, NULL);
    return T_SUB(count, set);
}

/* masked_scatter: the k-th set element takes the k-th of the source. */
static fe_status masked_scatter(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    tensor self = lower_arg(l, "self"), mask = lower_cast(l, lower_arg(l, "mask"), TY_BOOL),
           source = lower_arg(l, "source");
    sym_expr size = sym_product(l->symbols, out->sizes, out->rank),
             source_size = lower_numel(l, source);
    mask = lower_reshape(l, lower_expand(l, mask, out->rank, out->sizes), 1, &size);
    self = lower_reshape(l, lower_expand(l, self, out->rank, out->sizes), 1, &size);
    lower_share(l, mask);
    sym_expr at =
        loop_indirect(l->program, lower_here(l, lower_count_before(l, mask)), source_size);
    loop_value v = lower_at(l, lower_reshape(l, source, 1, &source_size), &at);
    v = loop_masked(l->program, lower_here(l, mask), loop_cast(l->program, out->dtype, v),
                    lower_here(l, self));
    return lower_give_as_recorded(l, lower_value(l, out->dtype, 1, &size, v));
}

/* nonzero_static: the positions of the set elements, row by row; the rest holds the fill value. */
static fe_status nonzero_static(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    tensor x = lower_tensor_of(l, &n->args[0]);
    sym_expr size = lower_numel(l, x), room = out->sizes[0],
             sizes[2] = {sym_add_int(l->symbols, room, 1), out->sizes[1]};
    loop_program *p = l->program;
    if (lower_is_zero(l, room))
        return lower_give(l, lower_value(l, TY_I64, 2, out->sizes, loop_const_int(p, TY_I64, 0)));
    tensor mask = lower_reshape(l, lower_cast(l, x, TY_BOOL), 1, &size);
    loop_value fill = loop_const_int(p, TY_I64, lower_int_or(l, "fill_value", -1));
    tensor target = lower_value(l, TY_I64, 2, sizes, fill);
    lower_realise(l, target.box, NULL);
    /* What is not set, or does not fit, goes to one row more than asked for. */
    loop_value place = lower_here(l, lower_count_before(l, mask)), last = loop_index(p, room);
    place = lower_op2(l, LOOP_MIN, loop_where(p, lower_here(l, mask), place, last), last);
    sym_expr rest = l->axes[0], to_row = loop_indirect(p, place, sizes[0]);
    for (uint32_t k = x.rank; k-- > 0;) {
        sym_expr at[2] = {to_row, lower_const(l, k)},
                 index = k ? sym_mod(l->symbols, rest, x.sizes[k]) : rest;
        rest = sym_floordiv(l->symbols, rest, x.sizes[k]);
        loop_op *op = lower_nest(l, 1, &size, 0, NULL);
        const loop_view *to = &target.box->view;
        lower_store(l, op,
                    (loop_store){.buffer = to->buffer,
                                 .index = lower_flat(l, at, to->strides, 2),
                                 .value = loop_index(p, index)});
    }
    return lower_give(l, lower_slice(l, target, 0, l->zero, room, l->one));
}

#define COUNT(op, function)                        \
    {                                              \
        OP_##op, function, 0, NULL, 0, NULL, false \
    }
static const lower_row ROWS[] = {
    COUNT(aten_isin_Tensor_Tensor, isin),
    COUNT(aten_isin_Tensor_Scalar, isin),
    COUNT(aten_isin_Scalar_Tensor, isin),
    COUNT(aten_masked_scatter_default, masked_scatter),
    COUNT(aten_nonzero_static_default, nonzero_static),
};
const lower_rows lower_count_rows = {ROWS, COUNT_OF(ROWS)};
