/* jagged.c -- rows of different lengths one behind another, as nested tensors of layout jagged hold them:
 * row b is values[offsets[b]] up to values[offsets[b + 1]]. To rows padded to one length, and back.
 */
#include "lower/compose.h"
#include "lower/ops/order.h"
#include "lower/ragged.h"

static tensor offsets_of(lowering *l, fx_node *n)
{
    tensor offsets = lower_tensor_of(l, &fx_get(l->graph, n, "offsets")->list.items[0]);
    offsets = lower_cast(l, offsets, TY_I64);
    lower_share(l, offsets);
    return offsets;
}

static loop_value offset_at(lowering *l, tensor offsets, sym_expr row, int64_t behind)
{
    sym_expr at = sym_add_int(l->symbols, row, behind);
    return lower_at(l, offsets, &at);
}

/* padded[b, t] is values[offsets[b] + t], or the fill where row b has ended; what is longer is cut. */
fe_status lower_op_jagged_to_padded(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    tensor values = lower_arg(l, "values"), offsets = offsets_of(l, n);
    sym_expr at[LOWER_MAX_RANK];
    lower_share(l, values);
    loop_value place = lower_op2(l, LOOP_ADD, offset_at(l, offsets, l->axes[0], 0),
                                 loop_index(l->program, l->axes[1]));
    loop_value inside = lower_op2(l, LOOP_LT, place, offset_at(l, offsets, l->axes[0], 1));
    for (uint32_t k = 1; k < values.rank; k++) at[k] = l->axes[k + 1];
    at[0] = lower_lookup(l, place, values.sizes[0], 0);
    loop_value fill = lower_scalar(l, fx_get(l->graph, n, "padding_value"), out->dtype);
    loop_value v = loop_masked(l->program, inside, lower_at(l, values, at), fill);
    return lower_give(l, lower_value(l, out->dtype, out->rank, out->sizes, v));
}

/* All that the offsets say is a size: of the result, which the run may first learn here. */
static void define_total(lowering *l, tensor offsets, sym_expr total)
{
    int64_t most;
    sym_expr end = sym_add_int(l->symbols, offsets.sizes[0], -1);
    tensor last = lower_select(l, offsets, 0, end);
    if (lower_is_open(l, total)) {
        lower_define(l, total, last);
        return;
    }
    sym_range(l->symbols, total, NULL, &(int64_t){0}, &most);
    lower_assert(l, lower_read_int(l, last, 0, most), SYM_EQ, total,
                 "_padded_dense_to_jagged_forward: final offset should match total_L value");
}

/* values[i] is dense[b, i - offsets[b]] of the last row b that begins at i or before. */
fe_status lower_op_padded_to_jagged(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    tensor dense = lower_arg(l, "dense"), offsets = offsets_of(l, n);
    sym_expr at[LOWER_MAX_RANK];
    lower_share(l, dense);
    define_total(l, offsets, out->sizes[0]);
    tensor places = lower_value(l, TY_I64, 1, out->sizes, loop_index(l->program, l->axes[0]));
    tensor behind = lower_search(l, offsets, places, (tensor){0}, LOWER_BEHIND_EQUALS, NULL);
    loop_value one = loop_const_int(l->program, TY_I64, 1);
    loop_value b = lower_op2(l, LOOP_SUB, lower_at(l, behind, &l->axes[0]), one);
    at[0] = lower_lookup(l, b, sym_add_int(l->symbols, offsets.sizes[0], -1), 0);
    loop_value begin = lower_at(l, offsets, &at[0]);
    loop_value t = lower_op2(l, LOOP_SUB, loop_index(l->program, l->axes[0]), begin);
    at[1] = lower_lookup(l, t, dense.sizes[1], 1);
    for (uint32_t k = 2; k < dense.rank; k++) at[k] = l->axes[k - 1];
    return lower_give(l, lower_value(l, out->dtype, out->rank, out->sizes, lower_at(l, dense, at)));
}
