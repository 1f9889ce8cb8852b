# sums widen integers, indices are i64, results are contiguous
--run-- ferrite inspect --stage fx --no-passes -
--in--
graph main {
  placeholder %x user "x" : f32[2,3,4]{1,2,6}
  placeholder %i user "i" : i32[5]
  placeholder %b user "b" : bool[5]
  %total = aten.sum.default(%i)
  %rows = aten.sum.dim_IntList(%x, [-1, 0], True)
  %all = aten.mean.dim(%x, None)
  %typed = aten.sum.default(%i, dtype=torch.float64)
  %any = aten.any.default(%b)
  %amax = aten.amax.default(%x)
  %argmax = aten.argmax.default(%x, 1)
  %max = aten.max.dim(%x, 1)
  %where = _operator.getitem(%max, 1)
  %var_mean = aten.var_mean.correction(%x, [1], correction=0, keepdim=True)
  %norm = aten.linalg_vector_norm.default(%x, 2, [0])
  %cumsum = aten.cumsum.default(%b, 0)
  %softmax = aten._softmax.default(%x, -1, False)
  %sort = aten.sort.default(%x, 0)
  %topk = aten.topk.default(%x, 2, 1)
  output (user %total)
}
--out--
graph main {
  placeholder %x user "x" : f32[2,3,4]{1,2,6}@1
  placeholder %i user "i" : i32[5]{1}@2
  placeholder %b user "b" : bool[5]{1}@3
  %total = aten.sum.default(%i, None) : i64[]{}@4
  %rows = aten.sum.dim_IntList(%x, [-1, 0], True, None) : f32[1,3,1]{3,1,1}@5
  %all = aten.mean.dim(%x, None, False, None) : f32[]{}@6
  %typed = aten.sum.default(%i, torch.float64) : f64[]{}@7
  %any = aten.any.default(%b) : bool[]{}@8
  %amax = aten.amax.default(%x, [], False) : f32[]{}@9
  %argmax = aten.argmax.default(%x, 1, False) : i64[2,4]{4,1}@10
  %max = aten.max.dim(%x, 1, False) : (f32[2,4]{4,1}@11, i64[2,4]{4,1}@12)
  %where = _operator.getitem(%max, 1) : i64[2,4]{4,1}@12
  %var_mean = aten.var_mean.correction(%x, [1], 0, True) : (f32[2,1,4]{4,4,1}@13, f32[2,1,4]{4,4,1}@14)
  %norm = aten.linalg_vector_norm.default(%x, 2, [0], False, None) : f32[3,4]{4,1}@15
  %cumsum = aten.cumsum.default(%b, 0, None) : i64[5]{1}@16
  %softmax = aten._softmax.default(%x, -1, False) : f32[2,3,4]{12,4,1}@17
  %sort = aten.sort.default(%x, 0, False) : (f32[2,3,4]{1,2,6}@18, i64[2,3,4]{1,2,6}@19)
  %topk = aten.topk.default(%x, 2, 1, True, True) : (f32[2,2,4]{8,4,1}@20, i64[2,2,4]{8,4,1}@21)
  output (user %total)
}
