/* count.c -- membership, histograms, and positions among the set elements of a mask. */
#include "lower/compose.h"
#include "lower/order.h"

static fe_status isin(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    tensor x = lower_tensor_of(l, &n->args[0]), set = lower_tensor_of(l, &n->args[1]);
    sym_expr size = lower_numel(l, set);
    ty_operand operands[2] = {lower_operand(l, &n->args[0]), lower_operand(l, &n->args[1])};
    ty_dtype d = lower_compute_dtype(ty_result_type(operands, 2));
    set = lower_reshape(l, set, 1, &size);
    lower_share(l, x);
    loop_value member = loop_cast(l->program, d, lower_at(l, set, l->reduce_axes));
    loop_value same = lower_op2(l, LOOP_EQ, loop_cast(l->program, d, lower_here(l, x)), member);
    loop_value v = lower_here(l, lower_reduced_by(l, x, LOOP_ANY, size, same));
    if (lower_bool(l, "invert")) v = lower_op1(l, LOOP_NOT, v);
    return lower_give(l, lower_value(l, TY_BOOL, out->rank, out->sizes, v));
}

/* histc: each element adds one to its bin; those outside add nothing to the first. */
static fe_status histc(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    ty_dtype d = lower_compute_dtype(out->dtype);
    int64_t bins = lower_int_or(l, "bins", 100);
    double low = lower_number_or(l, "min", 0), high = lower_number_or(l, "max", 0);
    if (!ty_is_floating(d)) return lower_fail(l, "a histogram of %s", ty_dtype_name(d));
    tensor x = lower_cast(l, lower_tensor_of(l, &n->args[0]), d);
    sym_expr size = lower_numel(l, x);
    x = lower_reshape(l, x, 1, &size);
    loop_program *p = l->program;
    loop_value least = loop_const_float(p, d, low), most = loop_const_float(p, d, high),
               one = loop_const_float(p, d, 1);
    if (low == high) {
        lower_share(l, x);
        least = lower_at(l, lower_total(l, LOOP_REDUCE_MIN, x), NULL);
        most = lower_at(l, lower_total(l, LOOP_REDUCE_MAX, x), NULL);
        loop_value flat = lower_op2(l, LOOP_EQ, least, most);
        loop_value down = lower_op2(l, LOOP_SUB, least, one),
                   up = lower_op2(l, LOOP_ADD, most, one);
        least = loop_where(p, flat, down, least);
        most = loop_where(p, flat, up, most);
    }
    tensor counts = lower_value(l, d, 1, out->sizes, loop_const_float(p, d, 0));
    lower_realise(l, counts.box, NULL);
    loop_value v = lower_here(l, x), width = lower_op2(l, LOOP_SUB, most, least);
    loop_value inside =
        lower_op2(l, LOOP_AND, lower_op2(l, LOOP_LE, least, v), lower_op2(l, LOOP_LE, v, most));
    loop_value part = lower_op2(l, LOOP_DIV, lower_op2(l, LOOP_SUB, v, least), width);
    part = lower_op2(l, LOOP_MUL, part, loop_const_float(p, d, (double)bins));
    loop_value bin =
        lower_op2(l, LOOP_MIN, loop_cast(p, TY_I64, part), loop_const_int(p, TY_I64, bins - 1));
    bin = loop_where(p, inside, bin, loop_const_int(p, TY_I64, 0));
    sym_expr at = loop_indirect(p, bin, lower_const(l, bins));
    loop_op *op = lower_nest(l, 1, &size, 0, NULL);
    lower_store(l, op,
                (loop_store){.buffer = counts.box->view.buffer,
                             .index = at,
                             .value = loop_cast(p, d, inside),
                             .mode = LOOP_ADD_INTO});
    return lower_give(l, lower_cast(l, counts, out->dtype));
}

/* How many of a flat mask's elements before each are set. */
tensor lower_count_before(lowering *l, tensor mask)
{
    loop_value before = lower_op2(l, LOOP_LT, loop_index(l->program, l->reduce_axes[0]),
                                  loop_index(l->program, l->axes[0]));
    loop_value v = lower_element_at(l, mask, 0, l->reduce_axes[0], before,
                                    loop_const_int(l->program, TY_BOOL, 0));
    return lower_reduced_by(l, mask, LOOP_SUM, mask.sizes[0], loop_cast(l->program, TY_I64, v));
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
    if (!lower_is_short(l, mask, 0)) return lower_too_long(l, mask, 0);
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
    tensor mask = lower_reshape(l, lower_cast(l, x, TY_BOOL), 1, &size);
    if (!lower_is_short(l, mask, 0)) return lower_too_long(l, mask, 0);
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
    COUNT(aten_histc_default, histc),
    COUNT(aten_masked_scatter_default, masked_scatter),
    COUNT(aten_nonzero_static_default, nonzero_static),
};
const lower_rows lower_count_rows = {ROWS, COUNT_OF(ROWS)};
