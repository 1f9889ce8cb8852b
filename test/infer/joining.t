# cat, stack, repeat; tensors out of nothing and like others
--run-- ferrite inspect --stage fx --no-passes -
--in--
graph main {
  placeholder %a user "a" : f32[2,3]
  placeholder %b user "b" : f64[2,4]
  placeholder %none user "none" : f32[0]
  placeholder %img user "img" : f32[2,3,4,4]{48,1,12,3}
  placeholder %t user "t" : f32[2,3]{1,2}
  %cat = aten.cat.default([%a, %b, %none], 1)
  %images = aten.cat.default([%img, %img], 1)
  %stack = aten.stack.default([%img, %img], 1)
  %repeat = aten.repeat.default(%a, [2, 1, 3])
  %flip = aten.flip.default(%t, [0])
  %tril = aten.tril.default(%t)
  %full = aten.full.default([2, 3], True)
  %arange = aten.arange.start_step(1, 10, 4)
  %floats = aten.arange.default(2.5)
  %like = aten.zeros_like.default(%t, dtype=torch.int64)
  %new = aten.new_ones.default(%b, [3])
  %empty = aten.empty.memory_format([2, 3, 4, 4], memory_format=torch.channels_last)
  %permuted = aten.empty_permuted.default([2, 3, 4], [1, 0, 2])
  %corners = aten.tril_indices.default(3, 4, 1)
  %scalar = aten.scalar_tensor.default(3, dtype=torch.int32)
  %mesh = aten.meshgrid.indexing([%arange, %arange], indexing="xy")
  output (user %cat)
}
--out--
graph main {
  placeholder %a user "a" : f32[2,3]{3,1}@1
  placeholder %b user "b" : f64[2,4]{4,1}@2
  placeholder %none user "none" : f32[0]{1}@3
  placeholder %img user "img" : f32[2,3,4,4]{48,1,12,3}@4
  placeholder %t user "t" : f32[2,3]{1,2}@5
  %cat = aten.cat.default([%a, %b, %none], 1) : f64[2,7]{7,1}@6
  %images = aten.cat.default([%img, %img], 1) : f32[2,6,4,4]{96,1,24,6}@7
  %stack = aten.stack.default([%img, %img], 1) : f32[2,2,3,4,4]{96,3,1,24,6}@8
  %repeat = aten.repeat.default(%a, [2, 1, 3]) : f32[2,2,9]{18,9,1}@9
  %flip = aten.flip.default(%t, [0]) : f32[2,3]{1,2}@10
  %tril = aten.tril.default(%t, 0) : f32[2,3]{3,1}@11
  %full = aten.full.default([2, 3], True, None, None, None, None) : bool[2,3]{3,1}@12
  %arange = aten.arange.start_step(1, 10, 4, None, None, None, None) : i64[3]{1}@13
  %floats = aten.arange.default(2.5, None, None, None, None) : f32[3]{1}@14
  %like = aten.zeros_like.default(%t, torch.int64, None, None, None, None) : i64[2,3]{1,2}@15
  %new = aten.new_ones.default(%b, [3], None, None, None, None) : f64[3]{1}@16
  %empty = aten.empty.memory_format([2, 3, 4, 4], None, None, None, None, torch.channels_last) : f32[2,3,4,4]{48,1,12,3}@17
  %permuted = aten.empty_permuted.default([2, 3, 4], [1, 0, 2], None, None, None, None) : f32[2,3,4]{4,8,1}@18
  %corners = aten.tril_indices.default(3, 4, 1, torch.int64, None, None, None) : i64[2,9]{9,1}@19
  %scalar = aten.scalar_tensor.default(3, torch.int32, None, None, None) : i32[]{}@20
  %mesh = aten.meshgrid.indexing([%arange, %arange], "xy") : (i64[3,3]{0,1}@13, i64[3,3]{1,0}@13)
  output (user %cat)
}
--run-- ferrite inspect --stage fx --no-passes - | grep %
--in--
graph main {
  placeholder %x user "x" : f32[2,1,3]
  %a = aten.block_diag.default([])
  %b = prims.copy_strided.default(%x, [9, -1, 2])
  output (user %a, user %b)
}
--out--
  placeholder %x user "x" : f32[2,1,3]{3,3,1}@1
  %a = aten.block_diag.default([]) : f32[1,0]{1,1}@2
  %b = prims.copy_strided.default(%x, [9, -1, 2]) : f32[2,1,3]{9,6,2}@3
  output (user %a, user %b)
