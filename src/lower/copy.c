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

/* What export leaves to say about metadata: checked already when the graph was read. */
static fe_status nothing(lowering *l, fx_node *n, const lower_row *row)
{
    (void)l;
    (void)n;
    (void)row;
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
    SAME(prims_copy_strided_default),
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
    NOTHING(aten__assert_tensor_metadata_default),
};
const lower_rows lower_copy_rows = {ROWS, COUNT_OF(ROWS)};
