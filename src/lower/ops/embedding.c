/* embedding.c -- the gradient of rows that were looked up, by their table. */
#include "lower/compose.h"

/* The index tensor as one dimension of i64. */
static tensor flat_indices(lowering *l)
{
    tensor indices = lower_arg(l, "indices");
    sym_expr count = lower_numel(l, indices);
    return lower_cast(l, lower_reshape(l, indices, 1, &count), TY_I64);
}

/* Numbers of rows that there are none of are left out: the nearest row gets nothing. */
static sym_expr row_of(lowering *l, loop_value index, sym_expr rows)
{
    loop_value last = loop_index(l->program, sym_add_int(l->symbols, rows, -1));
    index = lower_op2(l, LOOP_MAX, lower_op2(l, LOOP_MIN, index, last),
                      loop_const_int(l->program, TY_I64, 0));
    return lower_lookup(l, index, rows, 0);
}

static loop_value where_there(lowering *l, loop_value index, sym_expr rows, loop_value v)
{
    loop_value natural = lower_op2(l, LOOP_LE, loop_const_int(l->program, TY_I64, 0), index),
               below = lower_op2(l, LOOP_LT, index, loop_index(l->program, rows));
    loop_value zero = loop_const_float(l->program, loop_at(l->program, v)->dtype, 0);
    return loop_where(l->program, lower_op2(l, LOOP_AND, natural, below), v, zero);
}

/* How often each row is looked up, as floats. */
static tensor frequencies(lowering *l, tensor indices, sym_expr rows, ty_dtype d)
{
    tensor count = lower_zeros(l, d, 1, &rows, NULL);
    loop_value index = lower_here(l, indices), one = loop_const_float(l->program, d, 1);
    sym_expr at = row_of(l, index, rows);
    lower_scatter(l, count, 1, indices.sizes, &at, where_there(l, index, rows, one), LOOP_ADD_INTO);
    return count;
}

/* Each gradient is added to the row that was looked up, unless that is the padding's; with
 * scale_grad_by_freq a row gets the mean of its gradients. */
fe_status lower_op_embedding_backward(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    loop_program *p = l->program;
    ty_dtype d = lower_compute_dtype(out->dtype);
    tensor grad = lower_cast(l, lower_tensor_of(l, &n->args[0]), d), indices = flat_indices(l);
    sym_expr sizes[2] = {indices.sizes[0], out->sizes[1]}, at[2] = {{0}, l->axes[1]};
    grad = lower_reshape(l, grad, 2, sizes);
    loop_value index = lower_at(l, indices, l->axes), v = lower_here(l, grad);
    loop_value padding = lower_scalar(l, fx_get(l->graph, n, "padding_idx"), TY_I64);
    at[0] = row_of(l, index, out->sizes[0]);
    if (lower_bool(l, "scale_grad_by_freq")) {
        tensor count = frequencies(l, indices, out->sizes[0], d);
        v = lower_op2(l, LOOP_DIV, v, lower_at(l, count, at));
    }
    v = loop_where(p, lower_op2(l, LOOP_EQ, index, padding), loop_const_float(p, d, 0), v);
    v = where_there(l, index, out->sizes[0], v);
    tensor sum = lower_zeros(l, d, 2, out->sizes, d == out->dtype ? lower_wanted(l, 0) : NULL);
    lower_scatter(l, sum, 2, sizes, at, v, LOOP_ADD_INTO);
    return lower_give(l, lower_cast(l, sum, out->dtype));
}
