# products of one row with several constants become one product and its pieces, biases likewise, in the order of the program
--run-- ferrite inspect - --dump-after merge_products --verify
--in--
graph joined {
  placeholder %a constant "a" : f32[2,3] data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  placeholder %b constant "b" : f32[1,3] data [7.0, 8.0, 9.0]
  placeholder %c constant "c" : f32[3,2] data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  placeholder %d constant "d" : f32[3,1] data [7.0, 8.0, 9.0]
  placeholder %e constant "e" : f32[2,3] data [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
  placeholder %f constant "f" : f32[2,3] data [0.0, 0.0, 1.0, 0.0, 1.0, 0.0]
  placeholder %be constant "be" : f32[2] data [0.5, 0.25]
  placeholder %x user "x" : f32[1,1,3]
  placeholder %y user "y" : f32[1,3]
  %q = aten.linear.default(%x, %a, None)
  %w = aten.linear.default(%x, %e, %be)
  %k = aten.linear.default(%x, %b, None)
  %v = aten.linear.default(%x, %f, %be)
  %p = aten.mm.default(%y, %c)
  %r = aten.mm.default(%y, %d)
  %s = aten.mul.Tensor(%q, %k)
  %t = aten.mul.Tensor(%v, %w)
  %u = aten.mul.Tensor(%p, %r)
  output (user %s, user %t, user %u)
}
# left alone: several rows, a matrix that the program is given or that is read elsewhere, results that are returned, another input, factors
--out--
# after merge_products
graph joined {
  functional
  placeholder %a constant "a" : f32[2,3]{3,1}@1 data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  placeholder %b constant "b" : f32[1,3]{3,1}@2 data [7.0, 8.0, 9.0]
  placeholder %c constant "c" : f32[3,2]{2,1}@3 data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  placeholder %d constant "d" : f32[3,1]{1,1}@4 data [7.0, 8.0, 9.0]
  placeholder %e constant "e" : f32[2,3]{3,1}@5 data [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
  placeholder %f constant "f" : f32[2,3]{3,1}@6 data [0.0, 0.0, 1.0, 0.0, 1.0, 0.0]
  placeholder %be constant "be" : f32[2]{1}@7 data [0.5, 0.25]
  placeholder %x user "x" : f32[1,1,3]{3,3,1}@8
  placeholder %y user "y" : f32[1,3]{3,1}@9
  placeholder %joined_weight constant "joined_weight" : f32[3,3]{3,1}@19 data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
  placeholder %joined_weight_1 constant "joined_weight_1" : f32[4,3]{3,1}@21 data [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0]
  placeholder %joined_bias constant "joined_bias" : f32[4]{1}@22 data [0.5, 0.25, 0.5, 0.25]
  placeholder %joined_weight_2 constant "joined_weight_2" : f32[3,3]{3,1}@24 data [1.0, 2.0, 7.0, 3.0, 4.0, 8.0, 5.0, 6.0, 9.0]
  %linear = aten.linear.default(%x, %joined_weight, None) : f32[1,1,3]{3,3,1}@20
  %as_strided = aten.as_strided.default(%linear, [1, 1, 2], [2, 2, 1], 0) : f32[1,1,2]{2,2,1}@20
  %as_strided_1 = aten.as_strided.default(%linear, [1, 1, 1], [1, 1, 1], 2) : f32[1,1,1]{1,1,1}+2@20
  %linear_1 = aten.linear.default(%x, %joined_weight_1, %joined_bias) : f32[1,1,4]{4,4,1}@23
  %as_strided_2 = aten.as_strided.default(%linear_1, [1, 1, 2], [2, 2, 1], 0) : f32[1,1,2]{2,2,1}@23
  %as_strided_3 = aten.as_strided.default(%linear_1, [1, 1, 2], [2, 2, 1], 2) : f32[1,1,2]{2,2,1}+2@23
  %mm = aten.mm.default(%y, %joined_weight_2) : f32[1,3]{3,1}@25
  %as_strided_4 = aten.as_strided.default(%mm, [1, 2], [2, 1], 0) : f32[1,2]{2,1}@25
  %as_strided_5 = aten.as_strided.default(%mm, [1, 1], [1, 1], 2) : f32[1,1]{1,1}+2@25
  %s = aten.mul.Tensor(%as_strided, %as_strided_1) : f32[1,1,2]{2,2,1}@16
  %t = aten.mul.Tensor(%as_strided_3, %as_strided_2) : f32[1,1,2]{2,2,1}@17
  %u = aten.mul.Tensor(%as_strided_4, %as_strided_5) : f32[1,2]{2,1}@18
  output (user %s, user %t, user %u)
}
--run-- ferrite inspect - --dump-after merge_products --verify | grep 'joined\|linear\|mm'
--in--
graph kept {
  placeholder %a constant "a" : f32[2,3] data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  placeholder %b constant "b" : f32[2,3] data [7.0, 8.0, 9.0, 1.0, 2.0, 3.0]
  placeholder %c constant "c" : f32[2,3] data [7.0, 8.0, 9.0, 1.0, 1.0, 3.0]
  placeholder %d constant "d" : f32[2,3] data [7.0, 8.0, 9.0, 1.0, 0.0, 3.0]
  placeholder %m constant "m" : f32[3,2] data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  placeholder %n constant "n" : f32[3,2] data [1.0, 2.0, 3.0, 4.0, 5.0, 7.0]
  placeholder %bias constant "bias" : f32[2] data [1.0, 2.0]
  placeholder %g user "g" : f32[2,3]
  placeholder %x user "x" : f32[1,3]
  placeholder %y user "y" : f32[1,3]
  placeholder %z user "z" : f32[2,3]
  %rows0 = aten.linear.default(%z, %a, None)
  %rows1 = aten.linear.default(%z, %b, None)
  %given = aten.linear.default(%x, %g, None)
  %twice = aten.linear.default(%x, %a, None)
  %here = aten.linear.default(%x, %c, None)
  %there = aten.linear.default(%y, %d, None)
  %f0 = aten.addmm.default(%bias, %y, %m, beta=2)
  %f1 = aten.addmm.default(%bias, %y, %n, alpha=3)
  %sum = aten.add.Tensor(%rows0, %rows1, 1)
  %s1 = aten.add.Tensor(%given, %twice, 1)
  %s2 = aten.add.Tensor(%s1, %there, 1)
  %s3 = aten.add.Tensor(%f0, %f1, 1)
  output (user %sum, user %s2, user %here, user %s3)
}
--out--
  %rows0 = aten.linear.default(%z, %a, None) : f32[2,2]{2,1}@12
  %rows1 = aten.linear.default(%z, %b, None) : f32[2,2]{2,1}@13
  %given = aten.linear.default(%x, %g, None) : f32[1,2]{2,1}@14
  %twice = aten.linear.default(%x, %a, None) : f32[1,2]{2,1}@15
  %here = aten.linear.default(%x, %c, None) : f32[1,2]{2,1}@16
  %there = aten.linear.default(%y, %d, None) : f32[1,2]{2,1}@17
  %f0 = aten.addmm.default(%bias, %y, %m, 2, 1) : f32[1,2]{2,1}@18
  %f1 = aten.addmm.default(%bias, %y, %n, 1, 3) : f32[1,2]{2,1}@19
--run-- ferrite inspect - --dump-after merge_products --verify | grep 'joined\|linear'
--in--
graph returned {
  placeholder %a constant "a" : f32[2,3] data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  placeholder %b constant "b" : f32[2,3] data [7.0, 8.0, 9.0, 1.0, 2.0, 3.0]
  placeholder %c constant "c" : f32[2,3] data [7.0, 8.0, 9.0, 1.0, 1.0, 3.0]
  placeholder %x user "x" : f32[1,3]
  %one = aten.linear.default(%x, %a, None)
  %two = aten.linear.default(%x, %b, None)
  %three = aten.linear.default(%x, %c, None)
  %sum = aten.add.Tensor(%two, %three, 1)
  %flat = aten.view.default(%one, [2])
  output (user %sum, user %flat)
}
--out--
  placeholder %joined_weight constant "joined_weight" : f32[4,3]{3,1}@9 data [7.0, 8.0, 9.0, 1.0, 2.0, 3.0, 7.0, 8.0, 9.0, 1.0, 1.0, 3.0]
  %one = aten.linear.default(%x, %a, None) : f32[1,2]{2,1}@5
  %linear = aten.linear.default(%x, %joined_weight, None) : f32[1,4]{4,1}@10
  %as_strided = aten.as_strided.default(%linear, [1, 2], [2, 1], 0) : f32[1,2]{2,1}@10
  %as_strided_1 = aten.as_strided.default(%linear, [1, 2], [2, 1], 2) : f32[1,2]{2,1}+2@10
--run-- ferrite inspect - --dump-after merge_products --verify | grep 'joined\|linear\|strided'
--in--
# weights of integers that have the same bits and groups, with their scales and zeros
graph integers {
  functional
  placeholder %a constant "a" : i8[2,16] data [1, 2, 3, 4, 5, 6, 7, -8, 1, 2, 3, 4, 5, 6, 7, -8, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]
  placeholder %b constant "b" : i8[1,16] data [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2]
  placeholder %c constant "c" : i8[1,16] data [3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2]
  placeholder %d constant "d" : i8[1,16] data [4, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2]
  placeholder %e constant "e" : i8[1,16] data [5, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2]
  placeholder %f constant "f" : i8[1,16] data [6, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2]
  placeholder %as constant "as" : f32[2,2] data [1.0, 2.0, 3.0, 4.0]
  placeholder %az constant "az" : f32[2,2] data [0.5, 0.25, 0.125, 0.0]
  placeholder %bs constant "bs" : f32[2,1] data [5.0, 6.0]
  placeholder %bz constant "bz" : f32[2,1] data [7.0, 8.0]
  placeholder %one constant "one" : f32[1,1] data [1.0]
  placeholder %bias constant "bias" : f32[1] data [9.0]
  placeholder %x user "x" : f32[1,16]
  %q = ferrite.quantised_linear.default(%x, %a, %as, %az, None, 4) : f32[1,2]
  %k = ferrite.quantised_linear.default(%x, %b, %bs, %bz, None, 4) : f32[1,1]
  %without = ferrite.quantised_linear.default(%x, %c, %bs, None, None, 4) : f32[1,1]
  %whole = ferrite.quantised_linear.default(%x, %d, %one, None, %bias, 8) : f32[1,1]
  %bytes = ferrite.quantised_linear.default(%x, %e, %one, None, %bias, 8) : f32[1,1]
  %other = ferrite.quantised_linear.default(%x, %f, %one, None, %bias, 4) : f32[1,1]
  %s = aten.mul.Tensor(%q, %k)
  %t = aten.mul.Tensor(%without, %whole)
  %u = aten.mul.Tensor(%bytes, %other)
  output (user %s, user %t, user %u)
}
--out--
  placeholder %joined_weight constant "joined_weight" : i8[3,16]{16,1}@23
  placeholder %joined_scales constant "joined_scales" : f32[2,3]{3,1}@24 data [1.0, 2.0, 5.0, 3.0, 4.0, 6.0]
  placeholder %joined_zeros constant "joined_zeros" : f32[2,3]{3,1}@25 data [0.5, 0.25, 7.0, 0.125, 0.0, 8.0]
  placeholder %joined_weight_1 constant "joined_weight_1" : i8[2,16]{16,1}@27 data [4, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 5, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2]
  placeholder %joined_bias constant "joined_bias" : f32[2]{1}@28 data [9.0, 9.0]
  placeholder %joined_scales_1 constant "joined_scales_1" : f32[1,2]{2,1}@29 data [1.0, 1.0]
  %quantised_linear = ferrite.quantised_linear.default(%x, %joined_weight, %joined_scales, %joined_zeros, None, 4) : f32[1,3]{3,1}@26
  %as_strided = aten.as_strided.default(%quantised_linear, [1, 2], [2, 1], 0) : f32[1,2]{2,1}@26
  %as_strided_1 = aten.as_strided.default(%quantised_linear, [1, 1], [1, 1], 2) : f32[1,1]{1,1}+2@26
  %without = ferrite.quantised_linear.default(%x, %c, %bs, None, None, 4) : f32[1,1]{1,1}@16
  %quantised_linear_1 = ferrite.quantised_linear.default(%x, %joined_weight_1, %joined_scales_1, None, %joined_bias, 8) : f32[1,2]{2,1}@30
  %as_strided_2 = aten.as_strided.default(%quantised_linear_1, [1, 1], [1, 1], 0) : f32[1,1]{1,1}@30
  %as_strided_3 = aten.as_strided.default(%quantised_linear_1, [1, 1], [1, 1], 1) : f32[1,1]{1,1}+1@30
  %other = ferrite.quantised_linear.default(%x, %f, %one, None, %bias, 4) : f32[1,1]{1,1}@19
  %s = aten.mul.Tensor(%as_strided, %as_strided_1) : f32[1,2]{2,1}@20
  %t = aten.mul.Tensor(%without, %as_strided_2) : f32[1,1]{1,1}@21
  %u = aten.mul.Tensor(%as_strided_3, %other) : f32[1,1]{1,1}@22
