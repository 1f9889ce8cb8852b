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
  %conv = aten.conv2d.default(%x, %w_folded, %conv_folded_bias, [1, 1], [0, 0], [1, 1], 1) : f32[1,2,3,3]{18,9,3,1}@11
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
  %conv = aten.conv2d.default(%x, %w, None, [1, 1], [0, 0], [1, 1], 1) : f32[1,2,3,3]{18,9,3,1}@12
  %changes = aten.batch_norm.default(%conv, None, None, %moving, %var, False, 0.1, 0.0, True) : f32[1,2,3,3]{18,9,3,1}@13
  %add = aten.add.Tensor(%moving, 1, 1) : f32[2]{1}@14
  %conv_1 = aten.conv2d.default(%changes, %w, None, [1, 1], [0, 0], [1, 1], 2) : f32[1,2,3,3]{18,9,3,1}@15
  %shared = aten.batch_norm.default(%conv_1, None, None, %mean, %var, False, 0.1, 0.0, True) : f32[1,2,3,3]{18,9,3,1}@16
  %sum = aten.add.Tensor(%conv_1, %shared, 1) : f32[1,2,3,3]{18,9,3,1}@17
  output (buffer_mutation "moving" %add, user %sum)
}
