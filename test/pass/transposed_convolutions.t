# a transposed convolution to few channels, of each group, is a product, added up by col2im or, where windows stand side by side, seen in its place, or of one tap, put at every stride-th pixel; another one of stride 1 is a convolution with the window turned round; others are left
--run-- for n in line image volume apart products channels tap turned groups; do ferrite inspect $n.fx --stage fx --verify; done; for n in many open; do ferrite inspect $n.fx --stage fx | grep -c ' = aten.*convolution.*True'; done
--file line.fx--
graph main {
  placeholder %x user "x" : f32[2,8,10]
  placeholder %w user "w" : f32[8,3,4]
  %y = aten.conv_transpose1d.default(%x, %w, None, [2], [1]) : f32[2,3,20]
  output (user %y)
}
--file image.fx--
symbols { s0 in [1, 9] }
graph main {
  placeholder %x user "x" : f32[s0,8,6,5]
  placeholder %w user "w" : f32[8,2,3,3]
  placeholder %b user "b" : f32[2]
  %y = aten.convolution.default(%x, %w, %b, [2, 2], [1, 1], [1, 1], True, [1, 0], 1) : f32[s0,2,12,9]
  output (user %y)
}
--file volume.fx--
graph main {
  placeholder %x user "x" : f32[1,8,3,4,5]
  placeholder %w user "w" : f32[8,1,2,3,3]
  %y = aten.conv_transpose3d.input(%x, %w, None, [2, 1, 2], [0, 1, 1], [0, 0, 0], 1, [1, 1, 2]) : f32[1,1,6,4,11]
  output (user %y)
}
--file apart.fx--
graph main {
  placeholder %x user "x" : f32[1,8,6,5]
  placeholder %w user "w" : f32[8,2,2,3]
  %y = aten.conv_transpose2d.input(%x, %w, None, [2, 3]) : f32[1,2,12,15]
  output (user %y)
}
--file products.fx--
graph main {
  placeholder %x user "x" : f32[1,8,6,5]
  placeholder %w user "w" : f32[8,2,3,3]
  %y = aten.convolution.default(%x, %w, None, [2, 2], [1, 1], [1, 2], True, [0, 0], 4) : f32[1,8,11,11]
  output (user %y)
}
--file channels.fx--
symbols { s0 in [1, 9] }
graph main {
  placeholder %x user "x" : f32[s0,8,6]
  placeholder %w user "w" : f32[8,2,3]
  %y = aten.conv_transpose1d.default(%x, %w, None, [3], [0], [0], 8, [3]) : f32[s0,16,22]
  output (user %y)
}
--file tap.fx--
symbols { s0 in [1, 9] }
graph main {
  placeholder %x user "x" : f32[s0,8,6,5]
  placeholder %w user "w" : f32[8,40,1,1]
  placeholder %b user "b" : f32[40]
  %y = aten.conv_transpose2d.input(%x, %w, %b, [2, 3], [1, 0], [0, 2]) : f32[s0,40,9,15]
  output (user %y)
}
--file turned.fx--
symbols { s0 in [3, 9] }
graph main {
  placeholder %x user "x" : f32[1,8,s0,5]
  placeholder %w constant "w" : f32[1,2,2,2] data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
  placeholder %b user "b" : f32[16]
  %v = aten.expand.default(%w, [8, 2, 2, 2]) : f32[8,2,2,2]
  %y = aten.convolution.default(%x, %v, %b, [1, 1], [0, 1], [1, 2], True, [0, 0], 8)
  output (user %y)
}
--file many.fx--
graph main {
  placeholder %x user "x" : f32[1,8,6,5]
  placeholder %w user "w" : f32[8,32,3,3]
  %y = aten.convolution.default(%x, %w, None, [2, 1], [1, 1], [1, 1], True, [0, 0], 1) : f32[1,32,11,5]
  output (user %y)
}
--file groups.fx--
graph main {
  placeholder %x user "x" : f32[1,8,6,5]
  placeholder %w user "w" : f32[8,1,3,3]
  %y = aten.convolution.default(%x, %w, None, [1, 1], [1, 1], [1, 1], True, [0, 0], 8) : f32[1,8,6,5]
  output (user %y)
}
--file open.fx--
symbols { s0 in [3, 9] }
graph main {
  placeholder %x user "x" : f32[1,8,s0,5]
  placeholder %w user "w" : f32[8,2,3,3]
  %y = aten.convolution.default(%x, %w, None, [2, 2], [1, 1], [1, 1], True, [0, 0], 1)
  output (user %y)
}
--out--
graph main {
  functional
  placeholder %x user "x" : f32[2,8,10]{80,10,1}@1
  placeholder %w user "w" : f32[8,3,4]{12,4,1}@2
  %reshape = aten.reshape.default(%x, [2, 8, 10]) : f32[2,8,10]{80,10,1}@1
  %reshape_1 = aten.reshape.default(%w, [8, 12]) : f32[8,12]{12,1}@2
  %transpose = aten.transpose.int(%reshape_1, -2, -1) : f32[12,8]{1,12}@2
  %matmul = aten.matmul.default(%transpose, %reshape) : f32[2,12,10]{120,10,1}@4
  %col2im = aten.col2im.default(%matmul, [1, 20], [1, 4], [1, 1], [0, 1], [1, 2]) : f32[2,3,1,20]{60,20,20,1}@5
  %reshape_2 = aten.reshape.default(%col2im, [2, 3, 20]) : f32[2,3,20]{60,20,1}@5
  output (user %reshape_2)
}
symbols {
  s0 in [1, 9]
}
graph main {
  functional
  placeholder %x user "x" : f32[s0,8,6,5]{240,30,5,1}@1
  placeholder %w user "w" : f32[8,2,3,3]{18,9,3,1}@2
  placeholder %b user "b" : f32[2]{1}@3
  %reshape = aten.reshape.default(%x, [s0, 8, 30]) : f32[s0,8,30]{240,30,1}@1
  %reshape_1 = aten.reshape.default(%w, [8, 18]) : f32[8,18]{18,1}@2
  %transpose = aten.transpose.int(%reshape_1, -2, -1) : f32[18,8]{1,18}@2
  %matmul = aten.matmul.default(%transpose, %reshape) : f32[s0,18,30]{540,30,1}@5
  %col2im = aten.col2im.default(%matmul, [12, 9], [3, 3], [1, 1], [1, 1], [2, 2]) : f32[s0,2,12,9]{216,108,9,1}@6
  %reshape_2 = aten.reshape.default(%b, [2, 1, 1]) : f32[2,1,1]{1,1,1}@3
  %add = aten.add.Tensor(%col2im, %reshape_2, 1) : f32[s0,2,12,9]{216,108,9,1}@7
  output (user %add)
}
graph main {
  functional
  placeholder %x user "x" : f32[1,8,3,4,5]{480,60,20,5,1}@1
  placeholder %w user "w" : f32[8,1,2,3,3]{18,18,9,3,1}@2
  %reshape = aten.reshape.default(%x, [1, 8, 60]) : f32[1,8,60]{480,60,1}@1
  %reshape_1 = aten.reshape.default(%w, [8, 18]) : f32[8,18]{18,1}@2
  %transpose = aten.transpose.int(%reshape_1, -2, -1) : f32[18,8]{1,18}@2
  %matmul = aten.matmul.default(%transpose, %reshape) : f32[1,18,60]{1080,60,1}@4
  %reshape_2 = aten.reshape.default(%matmul, [1, 2, 9, 3, 20]) : f32[1,2,9,3,20]{1080,540,60,20,1}@4
  %transpose_1 = aten.transpose.int(%reshape_2, 2, 3) : f32[1,2,3,9,20]{1080,540,20,60,1}@4
  %reshape_3 = aten.reshape.default(%transpose_1, [1, 54, 20]) : f32[1,54,20]{1080,20,1}@5
  %col2im = aten.col2im.default(%reshape_3, [4, 11], [3, 3], [1, 2], [1, 1], [1, 2]) : f32[1,6,4,11]{264,44,11,1}@6
  %reshape_4 = aten.reshape.default(%col2im, [1, 2, 132]) : f32[1,2,132]{264,132,1}@6
  %col2im_1 = aten.col2im.default(%reshape_4, [6, 44], [2, 1], [1, 1], [0, 0], [2, 1]) : f32[1,1,6,44]{264,264,44,1}@7
  %reshape_5 = aten.reshape.default(%col2im_1, [1, 1, 6, 4, 11]) : f32[1,1,6,4,11]{264,264,44,11,1}@7
  output (user %reshape_5)
}
graph main {
  functional
  placeholder %x user "x" : f32[1,8,6,5]{240,30,5,1}@1
  placeholder %w user "w" : f32[8,2,2,3]{12,6,3,1}@2
  %reshape = aten.reshape.default(%x, [1, 8, 30]) : f32[1,8,30]{240,30,1}@1
  %reshape_1 = aten.reshape.default(%w, [8, 12]) : f32[8,12]{12,1}@2
  %transpose = aten.transpose.int(%reshape_1, -2, -1) : f32[12,8]{1,12}@2
  %matmul = aten.matmul.default(%transpose, %reshape) : f32[1,12,30]{360,30,1}@4
  %reshape_2 = aten.reshape.default(%matmul, [1, 2, 2, 3, 6, 5]) : f32[1,2,2,3,6,5]{360,180,90,30,5,1}@4
  %permute = aten.permute.default(%reshape_2, [0, 1, 4, 2, 5, 3]) : f32[1,2,6,2,5,3]{360,180,5,90,1,30}@4
  %reshape_3 = aten.reshape.default(%permute, [1, 2, 12, 15]) : f32[1,2,12,15]{360,180,15,1}@5
  output (user %reshape_3)
}
graph main {
  functional
  placeholder %x user "x" : f32[1,8,6,5]{240,30,5,1}@1
  placeholder %w user "w" : f32[8,2,3,3]{18,9,3,1}@2
  %reshape = aten.reshape.default(%x, [1, 4, 2, 30]) : f32[1,4,2,30]{240,60,30,1}@1
  %reshape_1 = aten.reshape.default(%w, [4, 2, 18]) : f32[4,2,18]{36,18,1}@2
  %transpose = aten.transpose.int(%reshape_1, -2, -1) : f32[4,18,2]{36,1,18}@2
  %matmul = aten.matmul.default(%transpose, %reshape) : f32[1,4,18,30]{2160,540,30,1}@4
  %reshape_2 = aten.reshape.default(%matmul, [1, 72, 30]) : f32[1,72,30]{2160,30,1}@4
  %col2im = aten.col2im.default(%reshape_2, [11, 11], [3, 3], [1, 2], [1, 1], [2, 2]) : f32[1,8,11,11]{968,121,11,1}@5
  output (user %col2im)
}
symbols {
  s0 in [1, 9]
}
graph main {
  functional
  placeholder %x user "x" : f32[s0,8,6]{48,6,1}@1
  placeholder %w user "w" : f32[8,2,3]{6,3,1}@2
  %reshape = aten.reshape.default(%x, [s0, 8, 1, 6]) : f32[s0,8,1,6]{48,6,6,1}@1
  %reshape_1 = aten.reshape.default(%w, [8, 1, 6]) : f32[8,1,6]{6,6,1}@2
  %transpose = aten.transpose.int(%reshape_1, -2, -1) : f32[8,6,1]{6,1,6}@2
  %mul = aten.mul.Tensor(%transpose, %reshape) : f32[s0,8,6,6]{288,36,6,1}@4
  %reshape_2 = aten.reshape.default(%mul, [s0, 48, 6]) : f32[s0,48,6]{288,6,1}@4
  %col2im = aten.col2im.default(%reshape_2, [1, 22], [1, 3], [1, 3], [0, 0], [1, 3]) : f32[s0,16,1,22]{352,22,22,1}@5
  %reshape_3 = aten.reshape.default(%col2im, [s0, 16, 22]) : f32[s0,16,22]{352,22,1}@5
  output (user %reshape_3)
}
symbols {
  s0 in [1, 9]
}
graph main {
  functional
  placeholder %x user "x" : f32[s0,8,6,5]{240,30,5,1}@1
  placeholder %w user "w" : f32[8,40,1,1]{40,1,1,1}@2
  placeholder %b user "b" : f32[40]{1}@3
  %reshape = aten.reshape.default(%x, [s0, 8, 30]) : f32[s0,8,30]{240,30,1}@1
  %reshape_1 = aten.reshape.default(%w, [8, 40]) : f32[8,40]{40,1}@2
  %transpose = aten.transpose.int(%reshape_1, -2, -1) : f32[40,8]{1,40}@2
  %matmul = aten.matmul.default(%transpose, %reshape) : f32[s0,40,30]{1200,30,1}@5
  %reshape_2 = aten.reshape.default(%matmul, [s0, 40, 6, 5]) : f32[s0,40,6,5]{1200,30,5,1}@5
  %reshape_3 = aten.reshape.default(%b, [40, 1, 1]) : f32[40,1,1]{1,1,1}@3
  %add = aten.add.Tensor(%reshape_2, %reshape_3, 1) : f32[s0,40,6,5]{1200,30,5,1}@6
  %slice = aten.slice.Tensor(%add, 2, 1, 5, 1) : f32[s0,40,4,5]{1200,30,5,1}+5@6
  %new_zeros = aten.new_zeros.default(%x, [s0, 40, 9, 15], None, None, None, None) : f32[s0,40,9,15]{5400,135,15,1}@7
  %add_1 = aten.add.Tensor(%new_zeros, %reshape_3, 1) : f32[s0,40,9,15]{5400,135,15,1}@8
  %as_strided_scatter = aten.as_strided_scatter.default(%add_1, %slice, [s0, 40, 4, 5], [5400, 135, 30, 3], 15) : f32[s0,40,9,15]{5400,135,15,1}@9
  output (user %as_strided_scatter)
}
symbols {
  s0 in [3, 9]
}
graph main {
  functional
  placeholder %x user "x" : f32[1,8,s0,5]{40*s0,5*s0,5,1}@1
  placeholder %w constant "w" : f32[1,2,2,2]{8,4,2,1}@2 data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
  placeholder %b user "b" : f32[16]{1}@3
  placeholder %flip_folded constant "flip_folded" : f32[8,2,2,2]{8,4,2,1}@7
  placeholder %reshape_folded constant "reshape_folded" : f32[8,1,2,2,2]{8,8,4,2,1}@8
  placeholder %transpose_folded constant "transpose_folded" : f32[8,2,1,2,2]{8,4,8,2,1}@9
  placeholder %reshape_1_folded constant "reshape_1_folded" : f32[16,1,2,2]{4,4,2,1}@10
  %convolution = aten.convolution.default(%x, %reshape_1_folded, %b, [1, 1], [1, 1], [1, 2], False, [0, 0], 8) : f32[1,16,s0 + 1,5]{80*s0 + 80,5*s0 + 5,5,1}@6
  output (user %convolution)
}
graph main {
  functional
  placeholder %x user "x" : f32[1,8,6,5]{240,30,5,1}@1
  placeholder %w user "w" : f32[8,1,3,3]{9,9,3,1}@2
  %flip = aten.flip.default(%w, [2, 3]) : f32[8,1,3,3]{9,9,3,1}@4
  %reshape = aten.reshape.default(%flip, [8, 1, 1, 3, 3]) : f32[8,1,1,3,3]{9,9,9,3,1}@4
  %transpose = aten.transpose.int(%reshape, 1, 2) : f32[8,1,1,3,3]{9,9,9,3,1}@4
  %reshape_1 = aten.reshape.default(%transpose, [8, 1, 3, 3]) : f32[8,1,3,3]{9,9,3,1}@4
  %convolution = aten.convolution.default(%x, %reshape_1, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 8) : f32[1,8,6,5]{240,30,5,1}@5
  output (user %convolution)
}
1
1
