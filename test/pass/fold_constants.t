# calls on constants are computed once; views of what is computed stay views; a product, a gather
--run-- ferrite inspect - --dump-after fold_constants --verify
--in--
graph folded {
  placeholder %w constant "w" : f32[2,2] data [1.0, 2.0, 3.0, 4.0]
  placeholder %b constant "b" : i64[3] data [1, 0, 1]
  placeholder %x user "x" : f32[2,2]
  %half = aten.to.dtype(%w, torch.float16)
  %rows = aten.index.Tensor(%w, [%b])
  %product = aten.mm.default(%w, %w)
  %exp = aten.neg.default(%product)
  %turned = aten.t.default(%exp)
  %y = aten.mul.Tensor(%x, %half)
  %z = aten.mm.default(%rows, %x)
  %r = aten.add.Tensor(%y, %turned, 1)
  output (user %r, user %z)
}
# left alone: what grows, what is written, returned, random, or made of nothing
--out--
# after fold_constants
graph folded {
  functional
  placeholder %w constant "w" : f32[2,2]{2,1}@1 data [1.0, 2.0, 3.0, 4.0]
  placeholder %b constant "b" : i64[3]{1}@2 data [1, 0, 1]
  placeholder %x user "x" : f32[2,2]{2,1}@3
  placeholder %half_folded constant "half_folded" : f16[2,2]{2,1}@11 data [1.0, 2.0, 3.0, 4.0]
  placeholder %rows_folded constant "rows_folded" : f32[3,2]{2,1}@12 data [3.0, 4.0, 1.0, 2.0, 3.0, 4.0]
  placeholder %exp_folded constant "exp_folded" : f32[2,2]{2,1}@13 data [-7.0, -10.0, -15.0, -22.0]
  placeholder %turned_folded constant "turned_folded" : f32[2,2]{1,2}@14 data [-7.0, -15.0, -10.0, -22.0]
  %half = aten.to.dtype(%w, torch.float16, False, False, None) : f16[2,2]{2,1}@4
  %rows = aten.index.Tensor(%w, [%b]) : f32[3,2]{2,1}@5
  %product = aten.mm.default(%w, %w) : f32[2,2]{2,1}@6
  %exp = aten.neg.default(%product) : f32[2,2]{2,1}@7
  %turned = aten.t.default(%exp_folded) : f32[2,2]{1,2}@13
  %y = aten.mul.Tensor(%x, %half_folded) : f32[2,2]{2,1}@8
  %z = aten.mm.default(%rows_folded, %x) : f32[3,2]{2,1}@9
  %r = aten.add.Tensor(%y, %turned_folded, 1) : f32[2,2]{2,1}@10
  output (user %r, user %z)
}
--run-- ferrite inspect - --dump-after fold_constants --verify | grep _folded
--in--
graph kept {
  placeholder %w constant "w" : f32[2,2] data [1.0, 2.0, 3.0, 4.0]
  placeholder %state buffer "state" : f32[2]
  placeholder %x user "x" : f32[2,2]
  %big = aten.repeat.default(%w, [300, 300])
  %sum = aten.sum.default(%big)
  %y = aten.mul.Tensor(%x, %sum)
  %big2 = aten.neg.default(%big)
  %first = aten.slice.Tensor(%big2, 0, 0, 2)
  %z = aten.mul.Tensor(%state, 2.0)
  %new = aten.add_.Tensor(%state, %z, 1)
  %back = aten.neg.default(%w)
  %same = aten.t.default(%back)
  %noise = aten.bernoulli.p(%w, 0.5)
  %ramp = aten.arange.default(2, dtype=torch.float32)
  %u = aten.mul.Tensor(%x, %noise)
  %v = aten.mul.Tensor(%x, %ramp)
  output (user %y, user %first, user %same, user %u, user %v)
}
--out--
  placeholder %sum_folded constant "sum_folded" : f32[]{}@15 data [900000.0]
  %y = aten.mul.Tensor(%x, %sum_folded) : f32[2,2]{2,1}@6
--run-- ferrite inspect - --dump-after fold_constants --verify | grep -e _folded -e '%y'
--in--
graph wide {
  placeholder %w constant "w" : f32[2,2] data [1.0, 2.0, 3.0, 4.0]
  placeholder %x user "x" : f32[2,2]
  %big = aten.repeat.default(%w, [300, 300])
  %product = aten.mm.default(%big, %big)
  %sum = aten.sum.default(%product)
  %y = aten.mul.Tensor(%x, %sum)
  output (user %y)
}
--out--
  placeholder %sum_folded constant "sum_folded" : f32[]{}@7 data [1458000000.0]
  %y = aten.mul.Tensor(%x, %sum_folded) : f32[2,2]{2,1}@6
  output (user %y)
