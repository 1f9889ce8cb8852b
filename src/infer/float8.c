/* float8.c -- which operators take floats of 8 bits: those that move elements, cast them or make new
 * ones, and the few in which PyTorch computes with them. For all others it has no kernel.
 */
#include "infer/infer_priv.h"

static const op_id TAKES[] = {
    OP_aten__assert_tensor_metadata_default,
    OP_aten__local_scalar_dense_default,
    OP_aten__scaled_mm_default,
    OP_aten__to_copy_default,
    OP_aten__unsafe_index_Tensor,
    OP_aten__unsafe_index_put_default,
    OP_aten__unsafe_view_default,
    OP_aten_abs_default,
    OP_aten_abs__default,
    OP_aten_alias_copy_default,
    OP_aten_block_diag_default,
    OP_aten_cat_default,
    OP_aten_clone_default,
    OP_aten_constant_pad_nd_default,
    OP_aten_contiguous_default,
    OP_aten_copy_default,
    OP_aten_copy__default,
    OP_aten_detach_copy_default,
    OP_aten_diagonal_scatter_default,
    OP_aten_dstack_default,
    OP_aten_embedding_default,
    OP_aten_empty_like_default,
    OP_aten_eq_Scalar,
    OP_aten_eq_Tensor,
    OP_aten_expand_copy_default,
    OP_aten_fill_Scalar,
    OP_aten_fill_Tensor,
    OP_aten_fill__Scalar,
    OP_aten_fill__Tensor,
    OP_aten_flip_default,
    OP_aten_fliplr_default,
    OP_aten_flipud_default,
    OP_aten_full_like_default,
    OP_aten_hstack_default,
    OP_aten_index_Tensor,
    OP_aten_index_put_default,
    OP_aten_index_put__default,
    OP_aten_index_select_default,
    OP_aten_is_floating_point_default,
    OP_aten_isnan_default,
    OP_aten_item_default,
    OP_aten_lift_fresh_copy_default,
    OP_aten_masked_select_default,
    OP_aten_mul_Tensor,
    OP_aten_mul__Tensor,
    OP_aten_narrow_copy_default,
    OP_aten_ne_Scalar,
    OP_aten_ne_Tensor,
    OP_aten_new_empty_default,
    OP_aten_new_empty_strided_default,
    OP_aten_new_full_default,
    OP_aten_new_ones_default,
    OP_aten_new_zeros_default,
    OP_aten_ones_like_default,
    OP_aten_pad_default,
    OP_aten_permute_copy_default,
    OP_aten_repeat_default,
    OP_aten_roll_default,
    OP_aten_rot90_default,
    OP_aten_select_copy_int,
    OP_aten_select_scatter_default,
    OP_aten_slice_copy_Tensor,
    OP_aten_slice_scatter_default,
    OP_aten_squeeze_copy_default,
    OP_aten_stack_default,
    OP_aten_sym_numel_default,
    OP_aten_sym_size_int,
    OP_aten_sym_storage_offset_default,
    OP_aten_sym_stride_int,
    OP_aten_tile_default,
    OP_aten_to_dtype,
    OP_aten_to_dtype_layout,
    OP_aten_to_device,
    OP_aten_to_other,
    OP_aten_transpose_copy_int,
    OP_aten_type_as_default,
    OP_aten_unsafe_chunk_default,
    OP_aten_unsafe_split_Tensor,
    OP_aten_unsafe_split_with_sizes_default,
    OP_aten_unsqueeze_copy_default,
    OP_aten_view_copy_default,
    OP_aten_view_copy_dtype,
    OP_aten_vstack_default,
    OP_aten_where_self,
    OP_aten_zero_default,
    OP_aten_zero__default,
    OP_aten_zeros_like_default,
    OP_ferrite_triton_kernel_default,
};

static bool takes(const op_info *op)
{
    if (op->custom || op->is_view || op->flags & (OPF_HIGHER_ORDER | OPF_SYMBOLIC)) return true;
    for (size_t i = 0; i < COUNT_OF(TAKES); i++)
        if (op->id == (uint32_t)TAKES[i]) return true;
    return false;
}

static void find_float8(void *data, fx_node *n)
{
    ty_dtype *found = data;
    const ty_tensor *t = fx_tensor(n);
    if (t && ty_is_float8(t->dtype)) *found = t->dtype;
}

bool infer_keeps_float8(infer_call *c)
{
    ty_dtype found = TY_NO_DTYPE;
    for (uint32_t i = 0; i < c->node->arg_count; i++)
        fx_arg_each_node(&c->node->args[i], find_float8, &found);
    if (found != TY_NO_DTYPE && !takes(c->op))
        infer_fail(c, "\"%s\" not implemented for '%s'", c->op->base, ty_dtype_torch_name(found));
    return c->status == FE_OK;
}
