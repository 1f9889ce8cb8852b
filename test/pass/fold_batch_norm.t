# batch norm over constants goes into the convolution before it; not when the statistics change or somebody else reads
# the convolution
--run-- ferrite inspect - --dump-after fold_batch_norm --verify
--in--
graph fold {
  placeholder %w constant "w" : f32[2,1,1,1] data [1.0, 2.0]
  placeholder %weight constant "bn.weight" : f32[2] data [3.0, 1.0]
  placeholder %bias constant "bn.bias" : f32[2] data [0.5, -0.5]
  placeholder %mean constant "bn.mean" : f32[2] data [1.0, 0.0]
  placeholder %var constant "bn.var" : f32[2] data [4.0, 1.0]
  placeholder %x user "x" : f32[1,1,3,3]
  %conv = aten.conv2d.default(%x, %w, None, [1, 1], [0, 0], [1, 1], 1)
  %norm = aten.batch_norm.default(%conv, %weight, %bias, %mean, %var, False, 0.1, 0.0, True)
  output (user %norm)
}
--out--
# after fold_batch_norm
graph fold {
  functional
  placeholder %w constant "w" : f32[2,1,1,1]{1,1,1,1}@1 data [1.0, 2.0]
  placeholder %weight constant "bn.weight" : f32[2]{1}@2 data [3.0, 1.0]
  placeholder %bias constant "bn.bias" : f32[2]{1}@3 data [0.5, -0.5]
  placeholder %mean constant "bn.mean" : f32[2]{1}@4 data [1.0, 0.0]
  placeholder %var constant "bn.var" : f32[2]{1}@5 data [4.0, 1.0]
  placeholder %x user "x" : f32[1,1,3,3]{9,9,3,1}@6
  placeholder %w_folded constant "w_folded" : f32[2,1,1,1]{1,1,1,1}@9 data [1.5, 2.0]
  placeholder %conv_folded_bias constant "conv_folded_bias" : f32[2]{1}@10 data [-1.0, -0.5]
  %conv = aten.conv2d.default(%x, %w_folded, %conv_folded_bias, [1, 1], [0, 0], [1, 1], 1) : f32[1,2,3,3]{18,9,3,1}@7
  output (user %conv)
}
--run-- ferrite inspect - --dump-after fold_batch_norm --verify
--in--
graph stay {
  placeholder %w constant "w" : f32[2,1,1,1] data [1.0, 2.0]
  placeholder %mean constant "bn.mean" : f32[2] data [1.0, 0.0]
  placeholder %var constant "bn.var" : f32[2] data [4.0, 1.0]
  placeholder %moving constant "moving" : f32[2] data [4.0, 1.0]
  placeholder %x user "x" : f32[1,1,3,3]
  %conv = aten.conv2d.default(%x, %w, None, [1, 1], [0, 0], [1, 1], 1)
  %changes = aten.batch_norm.default(%conv, None, None, %moving, %var, False, 0.1, 0.0, True)
  %add_ = aten.add_.Tensor(%moving, 1, 1)
  %conv_1 = aten.conv2d.default(%changes, %w, None, [1, 1], [0, 0], [1, 1], 2)
  %shared = aten.batch_norm.default(%conv_1, None, None, %mean, %var, False, 0.1, 0.0, True)
  %sum = aten.add.Tensor(%conv_1, %shared, 1)
  output (user %sum)
}
--out--
# after fold_batch_norm
graph stay {
  functional
  placeholder %w constant "w" : f32[2,1,1,1]{1,1,1,1}@1 data [1.0, 2.0]
  placeholder %mean constant "bn.mean" : f32[2]{1}@2 data [1.0, 0.0]
  placeholder %var constant "bn.var" : f32[2]{1}@3 data [4.0, 1.0]
  placeholder %moving buffer "moving" non_persistent : f32[2]{1}@4
  placeholder %x user "x" : f32[1,1,3,3]{9,9,3,1}@5
  %conv = aten.conv2d.default(%x, %w, None, [1, 1], [0, 0], [1, 1], 1) : f32[1,2,3,3]{18,9,3,1}@6
  %changes = aten.batch_norm.default(%conv, None, None, %moving, %var, False, 0.1, 0.0, True) : f32[1,2,3,3]{18,9,3,1}@7
  %add = aten.add.Tensor(%moving, 1, 1) : f32[2]{1}@11
  %conv_1 = aten.conv2d.default(%changes, %w, None, [1, 1], [0, 0], [1, 1], 2) : f32[1,2,3,3]{18,9,3,1}@8
  %shared = aten.batch_norm.default(%conv_1, None, None, %mean, %var, False, 0.1, 0.0, True) : f32[1,2,3,3]{18,9,3,1}@9
  %sum = aten.add.Tensor(%conv_1, %shared, 1) : f32[1,2,3,3]{18,9,3,1}@10
  output (buffer_mutation "moving" %add, user %sum)
}
--run-- ferrite inspect - --dump-after fold_batch_norm --verify | grep -v 'placeholder.*"c'
--in--
graph others {
  placeholder %w constant "w" : f32[2,2,1] data [1.0, 2.0, 3.0, 4.0]
  placeholder %four constant "c4" : f32[4,1] data [2.0, 3.0, 4.0, 5.0]
  placeholder %m constant "m" : f32[2,2] data [1.0, 2.0, 3.0, 4.0]
  placeholder %two constant "c2" : f32[2] data [2.0, 4.0]
  placeholder %ones constant "c1" : f32[2] data [1.0, 1.0]
  placeholder %k constant "k" : f64[2,1,1,1] data [1.0, 2.0]
  placeholder %ones64 constant "c64" : f64[2] data [1.0, 4.0]
  placeholder %x user "x" : f32[1,2,5]
  placeholder %y user "y" : f32[2,3,2]
  placeholder %z user "z" : f64[1,1,3,3]
  %conv = aten.conv_transpose1d.default(%x, %w, None, [2], [0], [0], 2, [1])
  %sub = aten.sub.Tensor(%conv, %four)
  %mul = aten.mul.Tensor(%four, %sub)
  %add = aten.add.Tensor(%mul, 1.0, alpha=2)
  %linear = aten.linear.default(%y, %m, %two)
  %rows = aten.view.default(%linear, [-1, 2])
  %norm = aten.batch_norm.default(%rows, %two, None, %ones, %ones, False, 0.1, 0.0, True)
  %conv64 = aten.convolution.default(%z, %k, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
  %all = aten._native_batch_norm_legit_no_training.default(%conv64, None, None, %ones64, %ones64, 0.1, 0.0)
  %first = _operator.getitem(%all, 0)
  output (user %add, user %norm, user %first)
}
# left alone: operands that vary along other dims, weights that another call reads too, channels elsewhere, training
--out--
# after fold_batch_norm
graph others {
  functional
  placeholder %w constant "w" : f32[2,2,1]{2,1,1}@1 data [1.0, 2.0, 3.0, 4.0]
  placeholder %m constant "m" : f32[2,2]{2,1}@3 data [1.0, 2.0, 3.0, 4.0]
  placeholder %k constant "k" : f64[2,1,1,1]{1,1,1,1}@6 data [1.0, 2.0]
  placeholder %x user "x" : f32[1,2,5]{10,5,1}@8
  placeholder %y user "y" : f32[2,3,2]{6,2,1}@9
  placeholder %z user "z" : f64[1,1,3,3]{9,9,3,1}@10
  placeholder %w_folded constant "w_folded" : f32[2,2,1]{2,1,1}@22 data [2.0, 6.0, 12.0, 20.0]
  placeholder %m_folded constant "m_folded" : f32[2,2]{2,1}@25 data [2.0, 4.0, 12.0, 16.0]
  placeholder %linear_folded_bias constant "linear_folded_bias" : f32[2]{1}@26 data [2.0, 12.0]
  placeholder %k_folded constant "k_folded" : f64[2,1,1,1]{1,1,1,1}@27 data [1.0, 1.0]
  %conv = aten.conv_transpose1d.default(%x, %w_folded, %conv_folded_bias_2, [2], [0], [0], 2, [1]) : f32[1,4,9]{36,9,1}@11
  %linear = aten.linear.default(%y, %m_folded, %linear_folded_bias) : f32[2,3,2]{6,2,1}@15
  %rows = aten.view.default(%linear, [-1, 2]) : f32[6,2]{2,1}@15
  %conv64 = aten.convolution.default(%z, %k_folded, %conv64_folded_bias, [1, 1], [0, 0], [1, 1], False, [0, 0], 1) : f64[1,2,3,3]{18,9,3,1}@17
  output (user %conv, user %rows, user %conv64)
}
--run-- ferrite inspect - --dump-after fold_batch_norm --verify | grep -c _folded || true
--in--
graph kept {
  placeholder %m constant "m" : f32[2,2] data [1.0, 2.0, 3.0, 4.0]
  placeholder %two constant "c2" : f32[2] data [2.0, 4.0]
  placeholder %six constant "c6" : f32[3,1] data [2.0, 4.0, 6.0]
  placeholder %own constant "own" : f32[2,2] data [1.0, 2.0, 3.0, 4.0]
  placeholder %y user "y" : f32[2,3,2]
  placeholder %v user "v" : f32[2]
  %l1 = aten.linear.default(%y, %own)
  %a1 = aten.mul.Tensor(%l1, %six)
  %b1 = aten.mul.Tensor(%a1, %v)
  %l2 = aten.linear.default(%y, %m)
  %l3 = aten.linear.default(%y, %m)
  %a2 = aten.mul.Tensor(%l2, %two)
  %l4 = aten.linear.default(%y, %own)
  %turned = aten.transpose.int(%l4, 1, 2)
  %a4 = aten.batch_norm.default(%turned, %two, None, %two, %two, False, 0.1, 0.0, True)
  %l5 = aten.linear.default(%v, %own)
  %wide = aten.view.default(%l5, [1, 2, 1])
  %a5 = aten.batch_norm.default(%wide, None, None, None, None, True, 0.1, 0.0, True)
  output (user %b1, user %a2, user %l3, user %a4, user %a5)
}
--out--
0
--run-- ferrite inspect - --dump-after fold_batch_norm --verify | grep -v placeholder
--in--
graph rows_take_the_shape_of_the_map_again {
  placeholder %m constant "m" : f32[2,2] data [1.0, 2.0, 3.0, 4.0]
  placeholder %two constant "c2" : f32[2] data [2.0, 4.0]
  placeholder %ones constant "c1" : f32[2] data [1.0, 1.0]
  placeholder %y user "y" : f32[s0,3,2]
  %linear = aten.linear.default(%y, %m)
  %n = aten.sym_size.int(%linear, 0)
  %rows = aten.flatten.using_ints(%linear, 0, 1)
  %norm = aten.batch_norm.default(%rows, %two, None, %ones, %ones, False, 0.1, 0.0, True)
  %back = aten.reshape_as.default(%norm, %linear)
  %flat = aten.view.default(%back, [%n, 6])
  output (user %flat)
}
--out--
# after fold_batch_norm
symbols {
  s0 in [0, inf]
}
graph rows_take_the_shape_of_the_map_again {
  functional
  %linear = aten.linear.default(%y, %m_folded, %linear_folded_bias) : f32[s0,3,2]{6,2,1}@5
  %rows = aten.flatten.using_ints(%linear, 0, 1) : f32[3*s0,2]{2,1}@5
  %reshape = aten.reshape.default(%rows, [s0, 3, 2]) : f32[s0,3,2]{6,2,1}@5
  %reshape_1 = aten.reshape.default(%rows, [s0, 6]) : f32[s0,6]{6,1}@5
  output (user %reshape_1)
}
--run-- ferrite inspect - --stage fx --verify | grep -c 'batch_norm\|sub\|aten.mul'
--in--
graph main {
  placeholder %x user "x" : f32[1,2,3,5]
  placeholder %w constant "w" : f32[2,1,2,3] data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]
  placeholder %mean constant "mean" : f32[1] data [1.0]
  placeholder %var constant "var" : f32[1] data [4.0]
  %conv = aten.conv_transpose2d.input(%x, %w, None, [2, 1])
  %norm = aten.batch_norm.default(%conv, None, None, %mean, %var, False, 0.1, 0.0, True)
  output (user %norm)
}
--out--
0
--status-- 1
