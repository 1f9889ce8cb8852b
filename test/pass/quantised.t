# a weight of integers that is made floats by scales of rows: before the product, or behind it; bias and columns
--run-- ferrite inspect - --dump-after quantised --verify | grep -v '^  %.* = aten.[^a]' | grep 'scales\|integers\|quantised\|output'
--in--
graph rows {
  placeholder %w constant "w" : i8[2,3] data [1, -2, 3, 100, 5, -128]
  placeholder %s constant "s" : f32[2] data [0.5, 2.0]
  placeholder %b constant "b" : f32[2] data [1.0, 2.0]
  placeholder %x user "x" : f32[4,3]
  %f = aten.to.dtype(%w, torch.float32)
  %column = aten.unsqueeze.default(%s, 1)
  %scaled = aten.mul.Tensor(%f, %column)
  %before = aten.linear.default(%x, %scaled, %b)
  %g = aten._to_copy.default(%w, dtype=torch.float32)
  %plain = aten.linear.default(%x, %g)
  %behind = aten.mul.Tensor(%plain, %s)
  %biased = aten.add.Tensor(%behind, %b)
  %h = aten._to_copy.default(%w, dtype=torch.float32)
  %turned = aten.t.default(%h)
  %mm = aten.addmm.default(%b, %x, %turned)
  output (user %before, user %biased, user %mm)
}
--out--
# after quantised
  placeholder %scales constant "scales" : f32[1,2]{2,1}@14 data [0.5, 2.0]
  placeholder %scales_1 constant "scales_1" : f32[1,2]{2,1}@16 data [1.0, 1.0]
  %quantised_linear = ferrite.quantised_linear.default(%x, %w, %scales, None, %b, 8) : f32[4,2]{2,1}@15
  %quantised_linear_1 = ferrite.quantised_linear.default(%x, %w, %scales_1, None, None, 8) : f32[4,2]{2,1}@17
  %quantised_linear_2 = ferrite.quantised_linear.default(%x, %w, %scales, None, None, 8) : f32[4,2]{2,1}@18
  %quantised_linear_3 = ferrite.quantised_linear.default(%x, %w, %scales, None, %b, 8) : f32[4,2]{2,1}@19
  %quantised_linear_4 = ferrite.quantised_linear.default(%x, %w, %scales_1, None, %b, 8) : f32[4,2]{2,1}@20
  output (user %quantised_linear, user %quantised_linear_3, user %quantised_linear_4)
--run-- ferrite inspect - --dump-after quantised --verify | grep 'scales\|integers\|zeros\|quantised\|output'
--in--
# groups of a row with zeros of their own; 4 bits where the integers are few; nibbles of bytes; a number for all
graph groups {
  placeholder %w constant "w" : u8[1,16] data [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
  placeholder %s constant "s" : f32[1,2] data [0.5, 2.0]
  placeholder %z constant "z" : u8[1,2] data [8, 9]
  placeholder %x user "x" : f32[4,16]
  %f = aten.to.dtype(%w, torch.float32)
  %r = aten.reshape.default(%f, [1, 2, 8])
  %zc = aten.unsqueeze.default(%z, 2)
  %d = aten.sub.Tensor(%r, %zc)
  %sc = aten.unsqueeze.default(%s, 2)
  %m = aten.mul.Tensor(%d, %sc)
  %v = aten.reshape.default(%m, [1, 16])
  %grouped = aten.linear.default(%x, %v)
  placeholder %p constant "p" : u8[1,8] data [128, 145, 162, 179, 196, 213, 230, 247]
  %low = aten.__and__.Scalar(%p, 15)
  %high = aten.__rshift__.Scalar(%p, 4)
  %both = aten.stack.default([%low, %high], -1)
  %row = aten.reshape.default(%both, [1, 16])
  %i = aten.to.dtype(%row, torch.int8)
  %c = aten.sub.Tensor(%i, 8)
  %fl = aten.to.dtype(%c, torch.float32)
  %half = aten.mul.Tensor(%fl, 0.25)
  %nibbles = aten.linear.default(%x, %half)
  output (user %grouped, user %nibbles)
}
--out--
# after quantised
  placeholder %zeros constant "zeros" : f32[2,1]{1,1}@18 data [0.0, 1.0]
  placeholder %integers constant "integers" : i8[1,16]{16,1}@19 data [-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7]
  placeholder %scales constant "scales" : f32[2,1]{1,1}@20 data [0.5, 2.0]
  placeholder %integers_1 constant "integers_1" : i8[1,16]{16,1}@22 data [-8, 0, -7, 1, -6, 2, -5, 3, -4, 4, -3, 5, -2, 6, -1, 7]
  placeholder %scales_1 constant "scales_1" : f32[1,1]{1,1}@23 data [0.25]
  %quantised_linear = ferrite.quantised_linear.default(%x, %integers, %scales, %zeros, None, 4) : f32[4,1]{1,1}@21
  %quantised_linear_1 = ferrite.quantised_linear.default(%x, %integers_1, %scales_1, None, None, 4) : f32[4,1]{1,1}@24
  output (user %quantised_linear, user %quantised_linear_1)
--run-- ferrite inspect - --dump-after quantised --verify | grep -c quantised_linear
--in--
# left alone: integers that wrap, groups that are no multiple of 8, a weight that is read elsewhere, one that is given,
# a float64 product
graph alone {
  placeholder %w constant "w" : i8[1,8] data [1, -2, 3, 100, 5, -128, 7, 8]
  placeholder %s constant "s" : f32[1,2] data [0.5, 2.0]
  placeholder %given user "given" : i8[1,8]
  placeholder %x user "x" : f32[4,8]
  placeholder %xd user "xd" : f64[4,8]
  %moved = aten.sub.Tensor(%w, 100)
  %fm = aten.to.dtype(%moved, torch.float32)
  %wraps = aten.linear.default(%x, %fm)
  %f = aten.to.dtype(%w, torch.float32)
  %r = aten.reshape.default(%f, [1, 2, 4])
  %sc = aten.unsqueeze.default(%s, 2)
  %m = aten.mul.Tensor(%r, %sc)
  %v = aten.reshape.default(%m, [1, 8])
  %small = aten.linear.default(%x, %v)
  %shared = aten.to.dtype(%w, torch.float32)
  %read = aten.linear.default(%x, %shared)
  %again = aten.mul.Tensor(%x, %shared)
  %fg = aten.to.dtype(%given, torch.float32)
  %input = aten.linear.default(%x, %fg)
  %fd = aten.to.dtype(%w, torch.float64)
  %double = aten.linear.default(%xd, %fd)
  output (user %wraps, user %small, user %read, user %again, user %input, user %double)
}
--out--
0
--status-- 1
--run-- ferrite inspect - --dump-after quantised --verify | grep 'scales\|integers\|zeros\|quantised\|output'
--in--
# a weight that lies the other way round: scales of its columns, of groups of its rows; one that is turned on the way; left
# alone: scales along the depth, a matrix that is turned in another shape
graph columns {
  placeholder %w constant "w" : i8[16,2] data [1, -2, 3, 4, 5, 6, 7, -8, 1, 2, 3, 4, 5, 6, 7, -8, 1, -2, 3, 4, 5, 6, 7, -8, 1, 2, 3, 4, 5, 6, 7, 99]
  placeholder %s constant "s" : f32[2] data [0.5, 2.0]
  placeholder %g constant "g" : f32[2,1,2] data [1.0, 2.0, 3.0, 4.0]
  placeholder %d constant "d" : f32[16,1] data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
  placeholder %x user "x" : f32[4,16]
  %f = aten.to.dtype(%w, torch.float32)
  %m = aten.mul.Tensor(%f, %s)
  %a = aten.matmul.default(%x, %m)
  %f2 = aten.to.dtype(%w, torch.float32)
  %r = aten.reshape.default(%f2, [2, 8, 2])
  %mg = aten.mul.Tensor(%r, %g)
  %v = aten.reshape.default(%mg, [16, 2])
  %b = aten.mm.default(%x, %v)
  %f3 = aten.to.dtype(%w, torch.float32)
  %t = aten.t.default(%f3)
  %c = aten.linear.default(%x, %t)
  %f4 = aten.to.dtype(%w, torch.float32)
  %along = aten.mul.Tensor(%f4, %d)
  %e = aten.mm.default(%x, %along)
  %f5 = aten.to.dtype(%w, torch.float32)
  %r5 = aten.reshape.default(%f5, [4, 8])
  %t5 = aten.t.default(%r5)
  %v5 = aten.reshape.default(%t5, [16, 2])
  %h = aten.mm.default(%x, %v5)
  output (user %a, user %b, user %c, user %e, user %h)
}
--out--
# after quantised
  placeholder %integers constant "integers" : i8[2,16]{16,1}@20 data [1, 3, 5, 7, 1, 3, 5, 7, 1, 3, 5, 7, 1, 3, 5, 7, -2, 4, 6, -8, 2, 4, 6, -8, -2, 4, 6, -8, 2, 4, 6, 99]
  placeholder %scales constant "scales" : f32[1,2]{2,1}@21 data [0.5, 2.0]
  placeholder %scales_1 constant "scales_1" : f32[2,2]{2,1}@23 data [1.0, 2.0, 3.0, 4.0]
  placeholder %scales_2 constant "scales_2" : f32[1,2]{2,1}@25 data [1.0, 1.0]
  %quantised_linear = ferrite.quantised_linear.default(%x, %integers, %scales, None, None, 8) : f32[4,2]{2,1}@22
  %quantised_linear_1 = ferrite.quantised_linear.default(%x, %integers, %scales_1, None, None, 8) : f32[4,2]{2,1}@24
  %quantised_linear_2 = ferrite.quantised_linear.default(%x, %integers, %scales_2, None, None, 8) : f32[4,2]{2,1}@26
  output (user %quantised_linear, user %quantised_linear_1, user %quantised_linear_2, user %e, user %h)
