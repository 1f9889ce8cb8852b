# convolutions of one input that are added become one, with the smaller window within the larger; so does a batch norm
# of the input. Not where windows do not lie within each other, inputs differ, or they are wide and over all channels
--run-- ferrite inspect - --dump-after merge_convolutions --verify
--in--
graph branches {
  placeholder %w constant "w" : f32[2,1,1,3] data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  placeholder %v constant "v" : f32[2,1,1,1] data [10.0, 20.0]
  placeholder %b constant "b" : f32[2] data [0.5, 0.25]
  placeholder %mean constant "mean" : f32[2] data [1.0, 0.0]
  placeholder %var constant "var" : f32[2] data [4.0, 1.0]
  placeholder %x user "x" : f32[1,2,3,3]
  %small = aten.conv2d.default(%x, %v, %b, [1, 1], [0, 0], [1, 1], 2)
  %norm = aten.batch_norm.default(%x, None, None, %mean, %var, False, 0.1, 0.0, True)
  %sum = aten.add.Tensor(%small, %norm)
  %large = aten.conv2d.default(%x, %w, None, [1, 1], [0, 1], [1, 1], 2)
  %all = aten.add.Tensor(%sum, %large)
  output (user %all)
}
--out--
# after merge_convolutions
graph branches {
  functional
  placeholder %w constant "w" : f32[2,1,1,3]{3,3,3,1}@1 data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  placeholder %v constant "v" : f32[2,1,1,1]{1,1,1,1}@2 data [10.0, 20.0]
  placeholder %b constant "b" : f32[2]{1}@3 data [0.5, 0.25]
  placeholder %mean constant "mean" : f32[2]{1}@4 data [1.0, 0.0]
  placeholder %var constant "var" : f32[2]{1}@5 data [4.0, 1.0]
  placeholder %x user "x" : f32[1,2,3,3]{18,9,3,1}@6
  placeholder %small_merged constant "small_merged" : f32[2,1,1,1]{1,1,1,1}@12 data [10.5, 21.0]
  placeholder %small_merged_bias constant "small_merged_bias" : f32[2]{1}@13 data [0.0, 0.25]
  placeholder %large_merged constant "large_merged" : f32[2,1,1,3]{3,3,3,1}@15 data [1.0, 12.5, 3.0, 4.0, 26.0, 6.0]
  placeholder %large_merged_bias constant "large_merged_bias" : f32[2]{1}@16 data [0.0, 0.25]
  %small = aten.conv2d.default(%x, %v, %b, [1, 1], [0, 0], [1, 1], 2) : f32[1,2,3,3]{18,9,3,1}@7
  %norm = aten.batch_norm.default(%x, None, None, %mean, %var, False, 0.1, 0.0, True) : f32[1,2,3,3]{18,9,3,1}@8
  %conv2d = aten.conv2d.default(%x, %small_merged, %small_merged_bias, [1, 1], [0, 0], [1, 1], 2) : f32[1,2,3,3]{18,9,3,1}@14
  %large = aten.conv2d.default(%x, %w, None, [1, 1], [0, 1], [1, 1], 2) : f32[1,2,3,3]{18,9,3,1}@10
  %conv2d_1 = aten.conv2d.default(%x, %large_merged, %large_merged_bias, [1, 1], [0, 1], [1, 1], 2) : f32[1,2,3,3]{18,9,3,1}@17
  output (user %conv2d_1)
}
--run-- ferrite inspect - --dump-after merge_convolutions --verify | grep aten
--in--
graph apart {
  placeholder %w constant "w" : f32[2,1,1,3] data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  placeholder %u constant "u" : f32[2,1,3,1] data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  placeholder %v constant "v" : f32[2,2,1,1] data [1.0, 2.0, 3.0, 4.0]
  placeholder %t constant "t" : f32[2,2,1,1] data [1.0, 2.0, 3.0, 4.0]
  placeholder %s constant "s" : f32[2,2,1,1] data [1.0, 2.0, 3.0, 4.0]
  placeholder %d constant "d" : f32[2,2,1,3] data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]
  placeholder %x user "x" : f32[1,2,4,4]
  placeholder %y user "y" : f32[1,2,4,4]
  %wide = aten.conv2d.default(%x, %w, None, [1, 1], [0, 1], [1, 1], 2)
  %tall = aten.conv2d.default(%x, %u, None, [1, 1], [1, 0], [1, 1], 2)
  %cross = aten.add.Tensor(%wide, %tall)
  %read = aten.conv2d.default(%x, %v, None, [1, 1], [0, 0], [1, 1], 1)
  %other = aten.conv2d.default(%y, %t, None, [1, 1], [0, 0], [1, 1], 1)
  %sum = aten.add.Tensor(%read, %other)
  %dense = aten.conv2d.default(%x, %d, None, [1, 1], [0, 1], [1, 1], 1)
  %pixel = aten.conv2d.default(%x, %s, None, [1, 1], [0, 0], [1, 1], 1)
  %both = aten.add.Tensor(%dense, %pixel)
  output (user %cross, user %sum, user %both)
}
--out--
  %wide = aten.conv2d.default(%x, %w, None, [1, 1], [0, 1], [1, 1], 2) : f32[1,2,4,4]{32,16,4,1}@9
  %tall = aten.conv2d.default(%x, %u, None, [1, 1], [1, 0], [1, 1], 2) : f32[1,2,4,4]{32,16,4,1}@10
  %cross = aten.add.Tensor(%wide, %tall, 1) : f32[1,2,4,4]{32,16,4,1}@11
  %read = aten.conv2d.default(%x, %v, None, [1, 1], [0, 0], [1, 1], 1) : f32[1,2,4,4]{32,16,4,1}@12
  %other = aten.conv2d.default(%y, %t, None, [1, 1], [0, 0], [1, 1], 1) : f32[1,2,4,4]{32,16,4,1}@13
  %sum = aten.add.Tensor(%read, %other, 1) : f32[1,2,4,4]{32,16,4,1}@14
  %dense = aten.conv2d.default(%x, %d, None, [1, 1], [0, 1], [1, 1], 1) : f32[1,2,4,4]{32,16,4,1}@15
  %pixel = aten.conv2d.default(%x, %s, None, [1, 1], [0, 0], [1, 1], 1) : f32[1,2,4,4]{32,16,4,1}@16
  %both = aten.add.Tensor(%dense, %pixel, 1) : f32[1,2,4,4]{32,16,4,1}@17
