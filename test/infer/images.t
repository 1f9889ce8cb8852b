# convolutions, pools, resampling: sizes, and channels last where the input or the weight is
--run-- ferrite inspect --stage fx --no-passes -
--in--
graph main {
  placeholder %x user "x" : f32[2,3,8,8]
  placeholder %cl user "cl" : f32[2,3,8,8]{192,1,24,3}
  placeholder %w param "w" : f32[6,3,3,3]
  placeholder %d param "d" : f32[3,1,3,3]
  placeholder %s param "s" : f32[3]
  placeholder %l user "l" : f32[2,3,9]
  placeholder %w1 param "w1" : f32[4,3,2]
  %conv = aten.conv2d.default(%x, %w, None, [2, 2], [1, 1])
  %last = aten.conv2d.default(%cl, %w)
  %deep = aten.convolution.default(%cl, %d, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 3)
  %back = aten.conv_transpose2d.input(%x, %d, None, [2, 2], groups=3)
  %line = aten.conv1d.default(%l, %w1, None, dilation=[2])
  %same = aten.conv2d.padding(%x, %w, None, [1, 1], "same")
  %norm = aten.batch_norm.default(%last, None, None, None, None, True, 0.1, 1e-05, False)
  %pool = aten.max_pool2d.default(%cl, [3, 3], [2, 2], [1, 1])
  %up = aten.avg_pool2d.default(%x, [3, 3], [2, 2], 0, True)
  %global = aten.adaptive_avg_pool2d.default(%cl, [1, 1])
  %twice = aten.upsample_nearest2d.vec(%cl, None, [2.0, 2.0])
  %pad = aten.constant_pad_nd.default(%x, [1, 2, 0, 1])
  %layer = aten.native_layer_norm.default(%x, [8, 8], None, None, 1e-05)
  %group = aten.native_group_norm.default(%x, None, None, 2, 3, 64, 1, 1e-05)
  output (user %conv)
}
--out--
graph main {
  placeholder %x user "x" : f32[2,3,8,8]{192,64,8,1}@1
  placeholder %cl user "cl" : f32[2,3,8,8]{192,1,24,3}@2
  placeholder %w param "w" : f32[6,3,3,3]{27,9,3,1}@3
  placeholder %d param "d" : f32[3,1,3,3]{9,9,3,1}@4
  placeholder %s param "s" : f32[3]{1}@5
  placeholder %l user "l" : f32[2,3,9]{27,9,1}@6
  placeholder %w1 param "w1" : f32[4,3,2]{6,2,1}@7
  %conv = aten.conv2d.default(%x, %w, None, [2, 2], [1, 1], [1, 1], 1) : f32[2,6,4,4]{96,16,4,1}@8
  %last = aten.conv2d.default(%cl, %w, None, [1, 1], [0, 0], [1, 1], 1) : f32[2,6,6,6]{216,1,36,6}@9
  %deep = aten.convolution.default(%cl, %d, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 3) : f32[2,3,8,8]{192,1,24,3}@10
  %back = aten.conv_transpose2d.input(%x, %d, None, [2, 2], [0, 0], [0, 0], 3, [1, 1]) : f32[2,3,17,17]{867,289,17,1}@11
  %line = aten.conv1d.default(%l, %w1, None, [1], [0], [2], 1) : f32[2,4,7]{28,7,1}@12
  %same = aten.conv2d.padding(%x, %w, None, [1, 1], "same", [1, 1], 1) : f32[2,6,8,8]{384,64,8,1}@13
  %norm = aten.batch_norm.default(%last, None, None, None, None, True, 0.1, 1e-05, False) : f32[2,6,6,6]{216,1,36,6}@14
  %pool = aten.max_pool2d.default(%cl, [3, 3], [2, 2], [1, 1], [1, 1], False) : f32[2,3,4,4]{48,1,12,3}@15
  %up = aten.avg_pool2d.default(%x, [3, 3], [2, 2], 0, True, True, None) : f32[2,3,4,4]{48,16,4,1}@16
  %global = aten.adaptive_avg_pool2d.default(%cl, [1, 1]) : f32[2,3,1,1]{3,1,3,3}@17
  %twice = aten.upsample_nearest2d.vec(%cl, None, [2.0, 2.0]) : f32[2,3,16,16]{768,1,48,3}@18
  %pad = aten.constant_pad_nd.default(%x, [1, 2, 0, 1], 0) : f32[2,3,9,11]{297,99,11,1}@19
  %layer = aten.native_layer_norm.default(%x, [8, 8], None, None, 1e-05) : (f32[2,3,8,8]{192,64,8,1}@20, f32[2,3,1,1]{3,1,1,1}@21, f32[2,3,1,1]{3,1,1,1}@22)
  %group = aten.native_group_norm.default(%x, None, None, 2, 3, 64, 1, 1e-05) : (f32[2,3,8,8]{192,64,8,1}@23, f32[2,1]{1,1}@24, f32[2,1]{1,1}@25)
  output (user %conv)
}
--run-- ferrite inspect --stage fx --no-passes - | sed -n '/aten/p'
--in--
# contiguous whatever the format: means of volumes, small convolutions of volumes, rows made longer, edges repeated
graph main {
  placeholder %v user "v" : f32[1,4,5,5,5]{500,1,100,20,4}
  placeholder %two user "two" : f32[2,4,5,5,5]{500,1,100,20,4}
  placeholder %w user "w" : f32[4,4,3,3,3]
  placeholder %half user "half" : f32[4,2,3,3,3]
  placeholder %big user "big" : f32[1,4,80,80,5]{128000,1,1600,20,4}
  placeholder %row user "row" : f32[2,3,4]{1,8,2}
  placeholder %image user "image" : f32[8,1,5,5]{5,5,1,40}
  placeholder %chances user "chances" : f32[3,4,5]{4,1,12}
  placeholder %one user "one" : f32[]
  %mean = aten.avg_pool3d.default(%two, [2, 2, 2])
  %back = aten.avg_pool3d_backward.default(%mean, %two, [2, 2, 2], [2, 2, 2], [0, 0, 0], False, True, None)
  %small = aten.convolution.default(%v, %w, None, [1, 1, 1], [0, 0, 0], [1, 1, 1], False, [0, 0, 0], 1)
  %batch = aten.convolution.default(%two, %w, None, [1, 1, 1], [0, 0, 0], [1, 1, 1], False, [0, 0, 0], 1)
  %large = aten.convolution.default(%big, %w, None, [1, 1, 1], [0, 0, 0], [1, 1, 1], False, [0, 0, 0], 1)
  %grouped = aten.convolution.default(%v, %half, None, [1, 1, 1], [0, 0, 0], [1, 1, 1], True, [0, 0, 0], 2)
  %beyond = aten.convolution.default(%v, %half, None, [2, 2, 2], [0, 0, 0], [3, 3, 3], True, [2, 0, 0], 2)
  %longer = aten.upsample_nearest1d.default(%row, [5], None)
  %edges = aten.replication_pad2d.default(%image, [-2, -1, -1, -3])
  %drawn = aten.bernoulli.Tensor(%chances, %one)
  %number = aten.scalar_tensor.default(3)
  output (user %back, user %small, user %batch, user %large, user %grouped, user %beyond, user %longer, user %edges, user %drawn, user %number)
}
--out--
  %mean = aten.avg_pool3d.default(%two, [2, 2, 2], [], [0, 0, 0], False, True, None) : f32[2,4,2,2,2]{32,8,4,2,1}@10
  %back = aten.avg_pool3d_backward.default(%mean, %two, [2, 2, 2], [2, 2, 2], [0, 0, 0], False, True, None) : f32[2,4,5,5,5]{500,125,25,5,1}@11
  %small = aten.convolution.default(%v, %w, None, [1, 1, 1], [0, 0, 0], [1, 1, 1], False, [0, 0, 0], 1) : f32[1,4,3,3,3]{108,27,9,3,1}@12
  %batch = aten.convolution.default(%two, %w, None, [1, 1, 1], [0, 0, 0], [1, 1, 1], False, [0, 0, 0], 1) : f32[2,4,3,3,3]{108,1,36,12,4}@13
  %large = aten.convolution.default(%big, %w, None, [1, 1, 1], [0, 0, 0], [1, 1, 1], False, [0, 0, 0], 1) : f32[1,4,78,78,3]{73008,1,936,12,4}@14
  %grouped = aten.convolution.default(%v, %half, None, [1, 1, 1], [0, 0, 0], [1, 1, 1], True, [0, 0, 0], 2) : f32[1,4,7,7,7]{1372,1,196,28,4}@15
  %beyond = aten.convolution.default(%v, %half, None, [2, 2, 2], [0, 0, 0], [3, 3, 3], True, [2, 0, 0], 2) : f32[1,4,17,15,15]{15300,3825,225,15,1}@16
  %longer = aten.upsample_nearest1d.default(%row, [5], None) : f32[2,3,5]{15,5,1}@17
  %edges = aten.replication_pad2d.default(%image, [-2, -1, -1, -3]) : f32[8,1,1,2]{2,2,2,1}@18
  %drawn = aten.bernoulli.Tensor(%chances, %one, None) : f32[3,4,5]{4,1,12}@19
  %number = aten.scalar_tensor.default(3, None, None, None, None) : f32[]{}@20
