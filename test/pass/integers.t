# activations that are integers too: (q - zero) * scale of a number, of one element, of each row; what is read elsewhere stays
--run-- ferrite inspect - --dump-after integers --verify | sed -n '/^graph main/,$p' | grep 'integer_linear\.d\|quantised_linear\.d\|sum\|sub\|mul\|output\|convert\|reshape'
--in--
graph main {
  placeholder %w constant "w" : i8[2,3] data [1, -2, 3, 127, -128, 6]
  placeholder %s constant "s" : f32[2,1] data [0.5, 2.0]
  placeholder %b constant "b" : f32[2] data [1.0, -1.0]
  placeholder %x user "x" : u8[5,4,3]
  placeholder %t user "t" : f64[5,4,1]
  placeholder %z user "z" : i64[5,4,1]
  %g = aten.to.dtype(%x, float32)
  %whole = aten.sub.Tensor(%g, 3)
  %whole.1 = aten.mul.Tensor(%whole, 0.25)
  %row = aten.sub.Tensor(%x, %z)
  %row.1 = aten.mul.Tensor(%row, %t)
  %row.2 = aten.to.dtype(%row.1, float32)
  %plain = aten.mul.Tensor(%g, 0.5)
  %f = aten.to.dtype(%w, float32)
  %v = aten.mul.Tensor(%f, %s)
  %y = aten.linear.default(%whole.1, %v, %b)
  %f.1 = aten.to.dtype(%w, float32)
  %v.1 = aten.mul.Tensor(%f.1, %s)
  %y.1 = aten.linear.default(%row.2, %v.1, None)
  %f.2 = aten.to.dtype(%w, float32)
  %v.2 = aten.mul.Tensor(%f.2, %s)
  %y.2 = aten.linear.default(%plain, %v.2, None)
  output (user %y, user %y.1, user %y.2, user %plain)
}
--out--
  %whole = aten.sub.Tensor(%g, 3, 1) : f32[5,4,3]{12,3,1}@8
  %whole.1 = aten.mul.Tensor(%whole, 0.25) : f32[5,4,3]{12,3,1}@9
  %row = aten.sub.Tensor(%x, %z, 1) : i64[5,4,3]{12,3,1}@10
  %row.1 = aten.mul.Tensor(%row, %t) : f64[5,4,3]{12,3,1}@11
  %plain = aten.mul.Tensor(%g, 0.5) : f32[5,4,3]{12,3,1}@13
  %v = aten.mul.Tensor(%f, %s) : f32[2,3]{3,1}@15
  %integer_linear = ferrite.integer_linear.default(%x, %w) : i32[5,4,2]{8,2,1}@27
  %reshape = aten.reshape.default(%scales, [2]) : f32[2]{1}@23
  %sum = aten.sum.dim_IntList(%w, [1], False, torch.int32) : i32[2]{1}@28
  %mul = aten.mul.Tensor(%sum, 3) : i32[2]{1}@29
  %sub = aten.sub.Tensor(%integer_linear, %mul, 1) : i32[5,4,2]{8,2,1}@30
  %convert_element_type = prims.convert_element_type.default(%sub, torch.float32) : f32[5,4,2]{8,2,1}@31
  %mul_1 = aten.mul.Tensor(%convert_element_type, 0.25) : f32[5,4,2]{8,2,1}@32
  %mul_2 = aten.mul.Tensor(%mul_1, %reshape) : f32[5,4,2]{8,2,1}@33
  %add = aten.add.Tensor(%mul_2, %b, 1) : f32[5,4,2]{8,2,1}@34
  %v.1 = aten.mul.Tensor(%f.1, %s) : f32[2,3]{3,1}@18
  %integer_linear_1 = ferrite.integer_linear.default(%x, %w) : i32[5,4,2]{8,2,1}@35
  %reshape_1 = aten.reshape.default(%scales, [2]) : f32[2]{1}@23
  %sum_1 = aten.sum.dim_IntList(%w, [1], False, torch.int32) : i32[2]{1}@36
  %convert_element_type_1 = prims.convert_element_type.default(%z, torch.int32) : i32[5,4,1]{4,1,1}@37
  %mul_3 = aten.mul.Tensor(%sum_1, %convert_element_type_1) : i32[5,4,2]{8,2,1}@38
  %sub_1 = aten.sub.Tensor(%integer_linear_1, %mul_3, 1) : i32[5,4,2]{8,2,1}@39
  %convert_element_type_2 = prims.convert_element_type.default(%sub_1, torch.float32) : f32[5,4,2]{8,2,1}@40
  %convert_element_type_3 = prims.convert_element_type.default(%t, torch.float32) : f32[5,4,1]{4,1,1}@41
  %mul_4 = aten.mul.Tensor(%convert_element_type_2, %convert_element_type_3) : f32[5,4,2]{8,2,1}@42
  %mul_5 = aten.mul.Tensor(%mul_4, %reshape_1) : f32[5,4,2]{8,2,1}@43
  %v.2 = aten.mul.Tensor(%f.2, %s) : f32[2,3]{3,1}@21
  %integer_linear_2 = ferrite.integer_linear.default(%x, %w) : i32[5,4,2]{8,2,1}@44
  %reshape_2 = aten.reshape.default(%scales, [2]) : f32[2]{1}@23
  %convert_element_type_4 = prims.convert_element_type.default(%integer_linear_2, torch.float32) : f32[5,4,2]{8,2,1}@45
  %mul_6 = aten.mul.Tensor(%convert_element_type_4, 0.5) : f32[5,4,2]{8,2,1}@46
  %mul_7 = aten.mul.Tensor(%mul_6, %reshape_2) : f32[5,4,2]{8,2,1}@47
  output (user %add, user %mul_5, user %mul_7, user %plain)
--run-- ferrite inspect - --dump-after integers --verify | sed -n '/^graph main/,$p' | grep 'integer_linear.d'
--in--
# floats that no scale makes, halves, zeros that are fractions, scales by columns, groups and zeros of the weight stay;
# a difference that wraps is what it is, integers
graph main {
  placeholder %w constant "w" : i8[2,32] data [1, -2, 3, 127, -128, 6, 7, 8, 1, -2, 3, 127, -128, 6, 7, 8, 1, -2, 3, 127, -128, 6, 7, 8, 1, -2, 3, 127, -128, 6, 7, 8, 1, -2, 3, 127, -128, 6, 7, 8, 1, -2, 3, 127, -128, 6, 7, 8, 1, -2, 3, 127, -128, 6, 7, 8, 1, -2, 3, 127, -128, 6, 7, 8]
  placeholder %s constant "s" : f32[1,2] data [0.5, 2.0]
  placeholder %sg constant "sg" : f32[2,2] data [0.5, 2.0, 1.0, 4.0]
  placeholder %zg constant "zg" : f32[1,2] data [1.0, 2.0]
  placeholder %x user "x" : i8[4,32]
  placeholder %h user "h" : f16[4,1]
  placeholder %c user "c" : f32[32]
  %f = aten.to.dtype(%x, float32)
  %columns = aten.mul.Tensor(%f, %c)
  %scaled = aten.mul.Tensor(%f, 0.5)
  %wraps = aten.sub.Tensor(%x, 3)
  %wraps.1 = aten.to.dtype(%wraps, float32)
  %wraps.2 = aten.mul.Tensor(%wraps.1, 0.5)
  %half = aten.to.dtype(%x, float16)
  %half.1 = aten.mul.Tensor(%half, %h)
  %half.2 = aten.to.dtype(%half.1, float32)
  %fraction = aten.sub.Tensor(%f, 0.5)
  %fraction.1 = aten.mul.Tensor(%fraction, 0.5)
  %y = ferrite.quantised_linear.default(%f, %w, %s, None, None, 8)
  %y.1 = ferrite.quantised_linear.default(%columns, %w, %s, None, None, 8)
  %y.2 = ferrite.quantised_linear.default(%wraps.2, %w, %s, None, None, 8)
  %y.3 = ferrite.quantised_linear.default(%half.2, %w, %s, None, None, 8)
  %y.4 = ferrite.quantised_linear.default(%fraction.1, %w, %s, None, None, 8)
  %y.5 = ferrite.quantised_linear.default(%scaled, %w, %sg, None, None, 8)
  %y.6 = ferrite.quantised_linear.default(%scaled, %w, %s, %zg, None, 8)
  output (user %y, user %y.1, user %y.2, user %y.3, user %y.4, user %y.5, user %y.6)
}
--out--
  %integer_linear = ferrite.integer_linear.default(%wraps, %w) : i32[4,2]{2,1}@26
--run-- ferrite inspect - --dump-after integers --verify | sed -n '/^graph main/,$p' | grep 'integer_linear\.d\|quantised_linear\.d\|conv\|permute\|contiguous\|output'
--in--
# convolutions of one tap with an activation that one scale has made; of more taps, steps, groups, or scales by rows they stay
graph main {
  placeholder %w constant "w" : i8[2,3,1,1] data [1, -2, 3, 127, -128, 6]
  placeholder %s constant "s" : f32[2,1,1,1] data [0.5, 2.0]
  placeholder %b constant "b" : f32[2] data [1.0, -1.0]
  placeholder %x user "x" : i8[s0,3,4,5]
  placeholder %r user "r" : f32[s0,3,4,1]
  placeholder %f user "f" : f32[s0,3,4,5]
  %g = aten.to.dtype(%x, float32)
  %zero = aten.sub.Tensor(%g, 3)
  %one = aten.mul.Tensor(%zero, 0.25)
  %rows = aten.mul.Tensor(%g, %r)
  %w.1 = aten.to.dtype(%w, float32)
  %v.1 = aten.mul.Tensor(%w.1, %s)
  %y.1 = aten.conv2d.default(%one, %v.1, %b)
  %w.2 = aten.to.dtype(%w, float32)
  %v.2 = aten.mul.Tensor(%w.2, %s)
  %y.2 = aten.convolution.default(%one, %v.2, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
  %w.3 = aten.to.dtype(%w, float32)
  %v.3 = aten.mul.Tensor(%w.3, %s)
  %y.3 = aten.conv2d.default(%one, %v.3, %b, [2, 2])
  %w.4 = aten.to.dtype(%w, float32)
  %v.4 = aten.mul.Tensor(%w.4, %s)
  %y.4 = aten.conv2d.default(%rows, %v.4, %b)
  %w.5 = aten.to.dtype(%w, float32)
  %v.5 = aten.mul.Tensor(%w.5, %s)
  %y.5 = aten.conv2d.default(%f, %v.5, %b)
  output (user %y.1, user %y.2, user %y.3, user %y.4, user %y.5)
}
--out--
  %permute = aten.permute.default(%x, [0, 2, 3, 1]) : i8[s0,4,5,3]{60,5,1,20}@4
  %integer_linear = ferrite.integer_linear.default(%permute, %integers) : i32[s0,4,5,2]{40,10,2,1}@28
  %convert_element_type = prims.convert_element_type.default(%sub, torch.float32) : f32[s0,4,5,2]{40,10,2,1}@32
  %mul_1 = aten.mul.Tensor(%convert_element_type, 0.25) : f32[s0,4,5,2]{40,10,2,1}@33
  %permute_1 = aten.permute.default(%add, [0, 3, 1, 2]) : f32[s0,2,4,5]{40,1,10,2}@35
  %contiguous = aten.contiguous.default(%permute_1, torch.contiguous_format) : f32[s0,2,4,5]{40,20,5,1}@36
  %permute_2 = aten.permute.default(%x, [0, 2, 3, 1]) : i8[s0,4,5,3]{60,5,1,20}@4
  %integer_linear_1 = ferrite.integer_linear.default(%permute_2, %integers) : i32[s0,4,5,2]{40,10,2,1}@37
  %convert_element_type_1 = prims.convert_element_type.default(%sub_1, torch.float32) : f32[s0,4,5,2]{40,10,2,1}@41
  %mul_4 = aten.mul.Tensor(%convert_element_type_1, 0.25) : f32[s0,4,5,2]{40,10,2,1}@42
  %permute_3 = aten.permute.default(%mul_5, [0, 3, 1, 2]) : f32[s0,2,4,5]{40,1,10,2}@43
  %contiguous_1 = aten.contiguous.default(%permute_3, torch.contiguous_format) : f32[s0,2,4,5]{40,20,5,1}@44
  %y.3 = aten.conv2d.default(%one, %v.3, %b, [2, 2], [0, 0], [1, 1], 1) : f32[s0,2,2,3]{12,6,3,1}@19
  %y.4 = aten.conv2d.default(%rows, %v.4, %b, [1, 1], [0, 0], [1, 1], 1) : f32[s0,2,4,5]{40,20,5,1}@22
  %y.5 = aten.conv2d.default(%f, %v.5, %b, [1, 1], [0, 0], [1, 1], 1) : f32[s0,2,4,5]{40,20,5,1}@25
  output (user %contiguous, user %contiguous_1, user %y.3, user %y.4, user %y.5)
