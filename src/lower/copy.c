/* copy.c -- copies, conversions, and operators that leave values as they are. In a functional
 * graph a copy is its operand: what must be memory of its own (an output that does not alias) is
 * copied where the output is made.
 */
#include "lower/lower_priv.h"

/* Converted to the recorded dtype; the layout is the business of whoever gives it memory. */
static fe_status convert(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    return lower_give(l, lower_cast(l, lower_tensor_of(l, &n->args[0]), fx_tensor(n)->dtype));
}

/* copy(self, src): src in self's shape and dtype. */
static fe_status copy(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    lower_tensor t = lower_expand(l, lower_arg(l, "src"), out->rank, out->sizes);
    return lower_give(l, lower_cast(l, t, out->dtype));
}

/* dropout and its like, outside training */
static fe_status dropout(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    bool draws = lower_bool(l, "train") && lower_number_or(l, "p", 1) != 0;
    if (draws && fx_is(n, OP_aten_dropout_default)) return lower_random_dropout(l, n, "p");
    if (draws) return lower_fail(l, "dropout in training");
    return lower_give(l, lower_tensor_of(l, &n->args[0]));
}

static fe_status native_dropout(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    bool train = lower_is_none(l, "train") || lower_bool(l, "train");
    if (train && lower_number_or(l, "p", 1) != 0) return lower_random_dropout(l, n, "p");
    const ty_tensor *mask = lower_meta(l, 1);
    lower_tensor items[2] = {lower_arg(l, "input")};
    items[1] = lower_value(l, mask->dtype, mask->rank, mask->sizes,
                           loop_const_int(l->program, mask->dtype, 1));
    return lower_give_items(l, items, 2);
}

/* What export leaves to say about metadata: checked already when the graph was read. */
static fe_status nothing(lowering *l, fx_node *n, const lower_row *row)
{
    (void)l;
    (void)n;
    (void)row;
    return FE_OK;
}

static fe_status assert_scalar(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    sym_expr condition;
    int64_t truth;
    if (!fx_arg_expr(l->graph, &n->args[0], &condition) || sym_is_none(condition)) return FE_OK;
    if (sym_is_int(l->symbols, condition, &truth) && truth) return FE_OK;
    if (sym_prove(l->symbols, condition, NULL) == SYM_TRUE) return FE_OK;
    loop_op *op = loop_add_op(l->program, LOOP_ASSERT);
    op->condition = condition;
    op->message =
        n->args[1].kind == FX_ARG_STRING ? n->args[1].string : "an assertion of the program failed";
    op->origin = n->id;
    return FE_OK;
}

#define SAME(op)                                 \
    {                                            \
        OP_##op, convert, 0, NULL, 0, NULL, true \
    }
#define NOTHING(op)                               \
    {                                             \
        OP_##op, nothing, 0, NULL, 0, NULL, false \
    }
static const lower_row ROWS[] = {
    SAME(aten_clone_default),
    SAME(aten_contiguous_default),
    SAME(aten__to_copy_default),
    SAME(aten_to_dtype),
    SAME(aten_to_dtype_layout),
    SAME(aten_to_device),
    SAME(aten_to_other),
    SAME(aten_type_as_default),
    SAME(aten__to_dense_default),
    SAME(aten_to_dense_default),
    SAME(prims_convert_element_type_default),
    SAME(prims_device_put_default),
    SAME(prims_inductor_force_stride_order_default),
    {OP_aten_copy_default, copy, 0, NULL, 0, NULL, true},
    {OP_aten_dropout_default, dropout, 0, NULL, 0, NULL, true},
    {OP_aten_feature_dropout_default, dropout, 0, NULL, 0, NULL, true},
    {OP_aten_alpha_dropout_default, dropout, 0, NULL, 0, NULL, true},
    {OP_aten_feature_alpha_dropout_default, dropout, 0, NULL, 0, NULL, true},
    {OP_aten_native_dropout_default, native_dropout, 0, NULL, 0, NULL, false},
    NOTHING(aten__assert_tensor_metadata_default),
    NOTHING(aten_sym_constrain_range_default),
    NOTHING(aten_sym_constrain_range_for_size_default),
    NOTHING(aten__assert_async_default),
    NOTHING(aten__assert_async_msg),
    {OP_aten__assert_scalar_default, assert_scalar, 0, NULL, 0, NULL, false},
};
const lower_rows lower_copy_rows = {ROWS, COUNT_OF(ROWS)};
