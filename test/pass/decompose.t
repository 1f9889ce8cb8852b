# a call with several results goes with its items, and what stands behind them is decomposed too; a size that only the run
# knew, and that the parts of a call tell
--run-- ferrite inspect --stage fx -
--in--
graph main {
  placeholder %x user "x" : f32[3,3]
  %slogdet = aten.slogdet.default(%x) : (f32[], f32[])
  %sign = _operator.getitem(%slogdet, 0) : f32[]
  %log = _operator.getitem(%slogdet, 1) : f32[]
  %det = aten.det.default(%x) : f32[]
  %inverse = aten.inverse.default(%x) : f32[3,3]{1,3}
  output (user %sign, user %log, user %det, user %inverse)
}
--out--
graph main {
  functional
  placeholder %x user "x" : f32[3,3]{3,1}@1
  %linalg_slogdet = aten.linalg_slogdet.default(%x) : (f32[]{}@6, f32[]{}@7)
  %getitem = _operator.getitem(%linalg_slogdet, 0) : f32[]{}@6
  %getitem_1 = _operator.getitem(%linalg_slogdet, 1) : f32[]{}@7
  %linalg_det = aten.linalg_det.default(%x) : f32[]{}@8
  %linalg_inv = aten.linalg_inv.default(%x) : f32[3,3]{1,3}@9
  output (user %getitem, user %getitem_1, user %linalg_det, user %linalg_inv)
}
--run-- ferrite inspect --stage fx -
--in--
graph main {
  placeholder %x user "x" : f16[3,4]
  placeholder %y user "y" : f16[3,4]
  %l1 = aten.l1_loss.default(%x, %y) : f16[]
  %kl = aten.kl_div.default(%x, %y, 2, True) : f16[]
  %cos = aten.cosine_similarity.default(%x, %y, -1) : f16[3]
  output (user %l1, user %kl, user %cos)
}
--out--
graph main {
  functional
  placeholder %x user "x" : f16[3,4]{4,1}@1
  placeholder %y user "y" : f16[3,4]{4,1}@2
  %sub = aten.sub.Tensor(%x, %y, 1) : f16[3,4]{4,1}@6
  %abs = aten.abs.default(%sub) : f16[3,4]{4,1}@7
  %mean = aten.mean.default(%abs, None) : f16[]{}@8
  %sub_1 = aten.sub.Tensor(%y, %x, 1) : f16[3,4]{4,1}@9
  %exp = aten.exp.default(%y) : f16[3,4]{4,1}@10
  %mul = aten.mul.Tensor(%exp, %sub_1) : f16[3,4]{4,1}@11
  %sum = aten.sum.default(%mul, None) : f16[]{}@12
  %broadcast_tensors = aten.broadcast_tensors.default([%x, %y]) : (f16[3,4]{4,1}@1, f16[3,4]{4,1}@2)
  %getitem = _operator.getitem(%broadcast_tensors, 0) : f16[3,4]{4,1}@1
  %linalg_vector_norm = aten.linalg_vector_norm.default(%getitem, 2, [1], True, None) : f16[3,1]{1,1}@13
  %clamp_min = aten.clamp_min.default(%linalg_vector_norm, 1e-08) : f16[3,1]{1,1}@14
  %div = aten.div.Tensor(%getitem, %clamp_min) : f16[3,4]{4,1}@15
  %getitem_1 = _operator.getitem(%broadcast_tensors, 1) : f16[3,4]{4,1}@2
  %linalg_vector_norm_1 = aten.linalg_vector_norm.default(%getitem_1, 2, [1], True, None) : f16[3,1]{1,1}@16
  %clamp_min_1 = aten.clamp_min.default(%linalg_vector_norm_1, 1e-08) : f16[3,1]{1,1}@17
  %div_1 = aten.div.Tensor(%getitem_1, %clamp_min_1) : f16[3,4]{4,1}@18
  %mul_1 = aten.mul.Tensor(%div, %div_1) : f16[3,4]{4,1}@19
  %sum_1 = aten.sum.dim_IntList(%mul_1, [1], False, None) : f16[3]{1}@20
  output (user %mean, user %sum, user %sum_1)
}
--run-- ferrite inspect - --dump-after decompose --verify
--in--
graph a_permutation_and_derivatives {
  placeholder %g user "g" : f64[2,6,3]
  placeholder %x user "x" : f64[2,4,5]
  placeholder %w user "w" : f64[6,2,3]
  %order = aten.randperm.default(7, torch.int32, None, None, None)
  %both = aten.convolution_backward.default(%g, %x, %w, None, [2], [1], [1], False, [0], 2, [True, True, False])
  %by_x = _operator.getitem(%both, 0)
  %by_w = _operator.getitem(%both, 1)
  %near = aten.upsample_nearest1d_backward.default(%g, [3], [2, 6, 7], None)
  output (user %order, user %by_x, user %by_w, user %near)
}
--out--
# after decompose
graph a_permutation_and_derivatives {
  functional
  placeholder %g user "g" : f64[2,6,3]{18,3,1}@1
  placeholder %x user "x" : f64[2,4,5]{20,5,1}@2
  placeholder %w user "w" : f64[6,2,3]{6,3,1}@3
  %rand = aten.rand.default([7], torch.float64, None, None, None) : f64[7]{1}@8
  %sort = aten.sort.default(%rand, -1, False) : (f64[7]{1}@9, i64[7]{1}@10)
  %getitem = _operator.getitem(%sort, 1) : i64[7]{1}@10
  %_to_copy = aten._to_copy.default(%getitem, torch.int32, None, None, None, False, None) : i32[7]{1}@11
  %convolution = aten.convolution.default(%g, %w, None, [2], [1], [1], True, [0], 2) : f64[2,4,5]{20,5,1}@12
  %reshape = aten.reshape.default(%x, [2, 2, 2, 5]) : f64[2,2,2,5]{20,10,5,1}@2
  %transpose = aten.transpose.int(%reshape, 0, 2) : f64[2,2,2,5]{5,10,20,1}@2
  %reshape_1 = aten.reshape.default(%transpose, [2, 4, 5]) : f64[2,4,5]{20,5,1}@13
  %transpose_1 = aten.transpose.int(%g, 0, 1) : f64[6,2,3]{3,18,1}@1
  %convolution_1 = aten.convolution.default(%reshape_1, %transpose_1, None, [1], [1], [2], False, [0], 2) : f64[2,6,3]{18,3,1}@14
  %transpose_2 = aten.transpose.int(%convolution_1, 0, 1) : f64[6,2,3]{3,18,1}@14
  %copy_strided = prims.copy_strided.default(%transpose_2, [6, 3, 1]) : f64[6,2,3]{6,3,1}@15
  %arange = aten.arange.default(7, None, None, None, None) : i64[7]{1}@16
  %_to_copy_1 = aten._to_copy.default(%arange, torch.float64, None, None, None, False, None) : f64[7]{1}@17
  %reshape_2 = aten.reshape.default(%_to_copy_1, [1, 1, 7]) : f64[1,1,7]{7,7,1}@17
  %upsample_nearest1d = aten.upsample_nearest1d.default(%reshape_2, [3], None) : f64[1,1,3]{3,3,1}@18
  %reshape_3 = aten.reshape.default(%upsample_nearest1d, [3]) : f64[3]{1}@18
  %_to_copy_2 = aten._to_copy.default(%reshape_3, torch.int64, None, None, None, False, None) : i64[3]{1}@19
  %new_zeros = aten.new_zeros.default(%g, [2, 6, 7], None, None, None, None) : f64[2,6,7]{42,7,1}@20
  %index_add = aten.index_add.default(%new_zeros, 2, %_to_copy_2, %g, 1) : f64[2,6,7]{42,7,1}@21
  output (user %_to_copy, user %convolution, user %copy_strided, user %index_add)
}
--run-- ferrite inspect --stage fx -
--in--
graph main {
  placeholder %x user "x" : f32[]
  %powers = aten.linalg_vander.default(%x, N=2) : f32[1,2]
  output (user %powers)
}
--out--
graph main {
  functional
  placeholder %x user "x" : f32[]{}@1
  %reshape = aten.reshape.default(%x, [1, 1]) : f32[1,1]{1,1}@1
  %ones_like = aten.ones_like.default(%reshape, None, None, None, None, None) : f32[1,1]{1,1}@3
  %cumprod = aten.cumprod.default(%reshape, 1, None) : f32[1,1]{1,1}@4
  %cat = aten.cat.default([%ones_like, %cumprod], 1) : f32[1,2]{2,1}@5
  output (user %cat)
}
--run-- ferrite inspect - --stage fx --verify
--in--
symbols {
  u0 unbacked in [0, 100]
}
graph pairs {
  placeholder %x user "x" : i64[3]
  %combinations = aten.combinations.default(%x) : i64[u0,2]
  output (user %combinations)
}
--out--
graph pairs {
  functional
  placeholder %x user "x" : i64[3]{1}@1
  placeholder %combinations_1 constant "combinations_1" : i64[3]{1}@4 data [0, 0, 1]
  placeholder %combinations_2 constant "combinations_2" : i64[3]{1}@7 data [1, 2, 2]
  %index_select = aten.index_select.default(%x, 0, %combinations_1) : i64[3]{1}@5
  %index_select_1 = aten.index_select.default(%x, 0, %combinations_2) : i64[3]{1}@8
  %stack = aten.stack.default([%index_select, %index_select_1], 1) : i64[3,2]{2,1}@9
  output (user %stack)
}
--run-- ferrite inspect --stage fx - | grep -c convolution_backward
--in--
# the gradient of a weight is a product of its own in single precision: %wide is a convolution
graph main {
  placeholder %g user "g" : f32[2,16,8,8]
  placeholder %x user "x" : f32[2,16,8,8]
  placeholder %w user "w" : f32[16,4,3,3]
  placeholder %y user "y" : f64[2,16,8,8]
  placeholder %h user "h" : f64[2,12,8,8]
  placeholder %v user "v" : f64[12,4,3,3]
  %by = aten.convolution_backward.default(%g, %x, %w, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 4, [False, True, False])
  %single = _operator.getitem(%by, 1)
  %by_v = aten.convolution_backward.default(%h, %y, %v, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 4, [False, True, False])
  %wide = _operator.getitem(%by_v, 1)
  output (user %single, user %wide)
}
--out--
1
