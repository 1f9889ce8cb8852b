# a call with several results goes with its items, and what stands behind them is decomposed too
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
  %linalg_slogdet = aten.linalg_slogdet.default(%x) : (f32[]{}@10, f32[]{}@11)
  %getitem = _operator.getitem(%linalg_slogdet, 0) : f32[]{}@10
  %getitem_1 = _operator.getitem(%linalg_slogdet, 1) : f32[]{}@11
  %linalg_det = aten.linalg_det.default(%x) : f32[]{}@12
  %linalg_inv = aten.linalg_inv.default(%x) : f32[3,3]{1,3}@13
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
  %sub = aten.sub.Tensor(%x, %y, 1) : f16[3,4]{4,1}@21
  %abs = aten.abs.default(%sub) : f16[3,4]{4,1}@22
  %mean = aten.mean.default(%abs, None) : f16[]{}@23
  %sub_1 = aten.sub.Tensor(%y, %x, 1) : f16[3,4]{4,1}@24
  %exp = aten.exp.default(%y) : f16[3,4]{4,1}@25
  %mul = aten.mul.Tensor(%exp, %sub_1) : f16[3,4]{4,1}@26
  %sum = aten.sum.default(%mul, None) : f16[]{}@27
  %broadcast_tensors = aten.broadcast_tensors.default([%x, %y]) : (f16[3,4]{4,1}@1, f16[3,4]{4,1}@2)
  %getitem = _operator.getitem(%broadcast_tensors, 0) : f16[3,4]{4,1}@1
  %linalg_vector_norm = aten.linalg_vector_norm.default(%getitem, 2, [1], True, None) : f16[3,1]{1,1}@28
  %clamp_min = aten.clamp_min.default(%linalg_vector_norm, 1e-08) : f16[3,1]{1,1}@29
  %div = aten.div.Tensor(%getitem, %clamp_min) : f16[3,4]{4,1}@30
  %getitem_1 = _operator.getitem(%broadcast_tensors, 1) : f16[3,4]{4,1}@2
  %linalg_vector_norm_1 = aten.linalg_vector_norm.default(%getitem_1, 2, [1], True, None) : f16[3,1]{1,1}@31
  %clamp_min_1 = aten.clamp_min.default(%linalg_vector_norm_1, 1e-08) : f16[3,1]{1,1}@32
  %div_1 = aten.div.Tensor(%getitem_1, %clamp_min_1) : f16[3,4]{4,1}@33
  %mul_1 = aten.mul.Tensor(%div, %div_1) : f16[3,4]{4,1}@34
  %sum_1 = aten.sum.dim_IntList(%mul_1, [1], False, None) : f16[3]{1}@35
  output (user %mean, user %sum, user %sum_1)
}
