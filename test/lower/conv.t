# float convolutions work in channels-last memory, and what is resampled keeps it; an output that the caller sees
# keeps its own strides; the gradient of a weight is stored as the copy of it that is returned lies
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %w1 param "w1" : f32[8,3,3,3]
  placeholder %w2 param "w2" : f32[4,8,1,1]
  placeholder %x user "x" : f32[1,3,6,6]
  %c1 = aten.conv2d.default(%x, %w1, None, [2, 2], [1, 1]) : f32[1,8,3,3]
  %act = aten.hardswish.default(%c1) : f32[1,8,3,3]
  %c2 = aten.convolution.default(%act, %w2, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1) : f32[1,4,3,3]
  output (user %c2)
}
--out--
program stdin
input  @x : f32[1,3,6,6] strides [108,36,6,1] origin 2
const  @w1 : f32[8,3,3,3] strides [27,9,3,1] origin 0
const  @w2 : f32[4,8,1,1] strides [8,1,1,1] origin 1
temp   @buf3 : f32[1,8,3,3] strides [72,1,24,8] origin 3
temp   @buf4 : f32[1,8,3,3] strides [72,1,24,8] origin 4
temp   @buf5 : f32[1,4,3,3] strides [36,9,3,1] origin 5
extern conv (@x[1,3,6,6]{108,36,6,1}, @w1[8,3,3,3]{27,9,3,1}, none) -> (@buf3[1,8,3,3]{72,1,24,8}) ints [2,1,0,0,2,2,1,1,1,1,0,0] floats [0.0,0.0] origin 3
nest [i0 < 1, i1 < 8, i2 < 3, i3 < 3] origin 4 {
  %0 = load f32 @buf3[i1 + 24*i2 + 8*i3]
  %1 = const 3.0 : f32
  %2 = add %0, %1 : f32
  %3 = const 0.0 : f32
  %4 = max %2, %3 : f32
  %5 = const 6.0 : f32
  %6 = min %4, %5 : f32
  %7 = mul %0, %6 : f32
  %8 = div %7, %5 : f32
  @buf4[i1 + 24*i2 + 8*i3] = %8
}
extern conv (@buf4[1,8,3,3]{72,1,24,8}, @w2[4,8,1,1]{8,1,1,1}, none) -> (@buf5[1,4,3,3]{36,9,3,1}) ints [2,1,0,0,1,1,0,0,1,1,0,0] floats [0.0,0.0] origin 5
output @buf5[1,4,3,3]{36,9,3,1}

--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %w1 param "w1" : f32[8,2,3]
  placeholder %w2 param "w2" : f32[4,8,1]
  placeholder %v1 param "v1" : f32[6,2,1,1,1]
  placeholder %v2 param "v2" : f32[4,6,2,2,2]
  placeholder %x user "x" : f32[2,2,6]
  placeholder %y user "y" : f32[2,2,3,3,3]
  %c1 = aten.conv1d.default(%x, %w1) : f32[2,8,4]
  %act = aten.relu.default(%c1) : f32[2,8,4]
  %c2 = aten.conv1d.default(%act, %w2) : f32[2,4,4]
  %t = aten.transpose.int(%c2, 1, 2) : f32[2,4,4]
  %line = aten.softmax.int(%t, -1) : f32[2,4,4]
  %d1 = aten.conv3d.default(%y, %v1) : f32[2,6,3,3,3]
  %d2 = aten.conv3d.default(%d1, %v2) : f32[2,4,2,2,2]
  %room = aten.relu.default(%d2) : f32[2,4,2,2,2]
  output (user %line, user %room)
}
--out--
program stdin
input  @x : f32[2,2,6] strides [12,6,1] origin 4
input  @y : f32[2,2,3,3,3] strides [54,27,9,3,1] origin 5
const  @w1 : f32[8,2,3] strides [6,3,1] origin 0
const  @w2 : f32[4,8,1] strides [8,1,1] origin 1
const  @v1 : f32[6,2,1,1,1] strides [2,1,1,1,1] origin 2
const  @v2 : f32[4,6,2,2,2] strides [48,8,4,2,1] origin 3
temp   @buf6 : f32[2,8,4] strides [32,1,8] origin 6
temp   @buf7 : f32[2,8,4] strides [32,1,8] origin 7
temp   @buf8 : f32[2,4,4] strides [16,1,4] origin 8
temp   @buf9 : f32[2,4] strides [4,1] origin 10
temp   @buf10 : f32[2,4,4] strides [16,4,1] origin 10
temp   @buf11 : f32[2,4] strides [4,1] origin 10
temp   @buf12 : f32[2,6,3,3,3] strides [162,1,54,18,6] origin 11
temp   @buf13 : f32[2,4,2,2,2] strides [32,1,16,8,4] origin 12
temp   @buf14 : f32[2,4,4] strides [16,4,1] origin 10
temp   @buf15 : f32[2,4,2,2,2] strides [32,8,4,2,1] origin 13
extern conv (@x[2,2,6]{12,6,1}, @w1[8,2,3]{6,3,1}, none) -> (@buf6[2,8,4]{32,1,8}) ints [1,1,0,0,1,0,1,0] floats [0.0,0.0] origin 6
nest [i0 < 2, i1 < 8, i2 < 4] origin 7 {
  %0 = load f32 @buf6[32*i0 + i1 + 8*i2]
  %1 = const 0.0 : f32
  %2 = max %0, %1 : f32
  @buf7[32*i0 + i1 + 8*i2] = %2
}
extern conv (@buf7[2,8,4]{32,1,8}, @w2[4,8,1]{8,1,1}, none) -> (@buf8[2,4,4]{16,1,4}) ints [1,1,0,0,1,0,1,0] floats [0.0,0.0] origin 8
nest [i0 < 2, i1 < 4] reduce [r0 < 4] origin 10 {
  %0 = load f32 @buf8[16*i0 + 4*i1 + r0]
  @buf9[4*i0 + i1] = max_of %0
}
nest [i0 < 2, i1 < 4, i2 < 4] origin 10 {
  %0 = load f32 @buf8[16*i0 + 4*i1 + i2]
  %1 = load f32 @buf9[4*i0 + i1]
  %2 = sub %0, %1 : f32
  %3 = exp %2 : f32
  @buf10[16*i0 + 4*i1 + i2] = %3
}
nest [i0 < 2, i1 < 4] reduce [r0 < 4] origin 10 {
  %0 = load f32 @buf10[16*i0 + 4*i1 + r0]
  @buf11[4*i0 + i1] = sum %0
}
extern conv (@y[2,2,3,3,3]{54,27,9,3,1}, @v1[6,2,1,1,1]{2,1,1,1,1}, none) -> (@buf12[2,6,3,3,3]{162,1,54,18,6}) ints [3,1,0,0,1,1,1,0,0,0,1,1,1,0,0,0] floats [0.0,0.0] origin 11
extern conv (@buf12[2,6,3,3,3]{162,1,54,18,6}, @v2[4,6,2,2,2]{48,8,4,2,1}, none) -> (@buf13[2,4,2,2,2]{32,1,16,8,4}) ints [3,1,0,0,1,1,1,0,0,0,1,1,1,0,0,0] floats [0.0,0.0] origin 12
nest [i0 < 2, i1 < 4, i2 < 4] origin 10 {
  %0 = load f32 @buf10[16*i0 + 4*i1 + i2]
  %1 = load f32 @buf11[4*i0 + i1]
  %2 = div %0, %1 : f32
  @buf14[16*i0 + 4*i1 + i2] = %2
}
nest [i0 < 2, i1 < 4, i2 < 2, i3 < 2, i4 < 2] origin 13 {
  %0 = load f32 @buf13[32*i0 + i1 + 16*i2 + 8*i3 + 4*i4]
  %1 = const 0.0 : f32
  %2 = max %0, %1 : f32
  @buf15[32*i0 + 8*i1 + 4*i2 + 2*i3 + i4] = %2
}
output @buf14[2,4,4]{16,4,1}
output @buf15[2,4,2,2,2]{32,8,4,2,1}

--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %w1 param "w1" : f32[4,2,1,1]
  placeholder %w2 param "w2" : f32[3,8,1,1]
  placeholder %x user "x" : f32[1,2,3,3]
  %c1 = aten.conv2d.default(%x, %w1) : f32[1,4,3,3]
  %wide = aten.upsample_nearest2d.vec(%c1, [5, 5], None) : f32[1,4,5,5]
  %both = aten.cat.default([%wide, %wide], 1) : f32[1,8,5,5]
  %c2 = aten.conv2d.default(%both, %w2) : f32[1,3,5,5]
  %y = aten.relu.default(%c2) : f32[1,3,5,5]
  output (user %y)
}
--out--
program stdin
input  @x : f32[1,2,3,3] strides [18,9,3,1] origin 2
const  @w1 : f32[4,2,1,1] strides [2,1,1,1] origin 0
const  @w2 : f32[3,8,1,1] strides [8,1,1,1] origin 1
temp   @buf3 : f32[1,4,3,3] strides [36,1,12,4] origin 3
temp   @buf4 : f32[1,4,5,5] strides [100,1,20,4] origin 4
temp   @buf5 : f32[1,8,5,5] strides [200,1,40,8] origin 5
temp   @buf6 : f32[1,3,5,5] strides [75,1,15,3] origin 6
temp   @buf7 : f32[1,3,5,5] strides [75,25,5,1] origin 7
extern conv (@x[1,2,3,3]{18,9,3,1}, @w1[4,2,1,1]{2,1,1,1}, none) -> (@buf3[1,4,3,3]{36,1,12,4}) ints [2,1,0,0,1,1,0,0,1,1,0,0] floats [0.0,0.0] origin 3
nest [i0 < 1, i1 < 4, i2 < 5, i3 < 5] origin 4 {
  %0 = index i2 : i64
  %1 = cast %0 : f32
  %2 = const 0.6000000238418579 : f32
  %3 = mul %1, %2 : f32
  %4 = floor %3 : f32
  %5 = cast %4 : i64
  %6 = const 2 : i64
  %7 = min %5, %6 : i64
  %8 = index i3 : i64
  %9 = cast %8 : f32
  %10 = mul %9, %2 : f32
  %11 = floor %10 : f32
  %12 = cast %11 : i64
  %13 = min %12, %6 : i64
  j0 = indirect %7 < 3 dim 2 origin 4
  j1 = indirect %13 < 3 dim 3 origin 4
  %14 = load f32 @buf3[12*j0 + 4*j1 + i1]
  @buf4[i1 + 20*i2 + 4*i3] = %14
}
nest [i0 < 1, i1 < 4, i2 < 5, i3 < 5] origin 5 {
  %0 = load f32 @buf4[i1 + 20*i2 + 4*i3]
  @buf5[i1 + 40*i2 + 8*i3] = %0
}
nest [i0 < 1, i1 < 4, i2 < 5, i3 < 5] origin 5 {
  %0 = load f32 @buf4[i1 + 20*i2 + 4*i3]
  @buf5[i1 + 40*i2 + 8*i3 + 4] = %0
}
extern conv (@buf5[1,8,5,5]{200,1,40,8}, @w2[3,8,1,1]{8,1,1,1}, none) -> (@buf6[1,3,5,5]{75,1,15,3}) ints [2,1,0,0,1,1,0,0,1,1,0,0] floats [0.0,0.0] origin 6
nest [i0 < 1, i1 < 3, i2 < 5, i3 < 5] origin 7 {
  %0 = load f32 @buf6[i1 + 15*i2 + 3*i3]
  %1 = const 0.0 : f32
  %2 = max %0, %1 : f32
  @buf7[25*i1 + 5*i2 + i3] = %2
}
output @buf7[1,3,5,5]{75,25,5,1}
--run-- ferrite inspect --stage loop - | grep -e '^extern' -e '^nest' -e '@b\['
--in--
graph main {
  placeholder %w param "w" : f32[3,2,2]
  placeholder %v param "v" : f32[2,3]{1,2}
  placeholder %x user "x" : f32[1,2,4]
  placeholder %b user "b" : f32[6]
  %every = aten.slice.Tensor(%b, 0, 0, 9223372036854775807, 2) : f32[3]{2}@4
  %c1 = aten.conv1d.default(%x, %w, %every) : f32[1,3,3]
  %one = aten.slice.Tensor(%b, 0, 1, 2) : f32[1]{1}+1@4
  %same = aten.expand.default(%one, [3]) : f32[3]{0}+1@4
  %c2 = aten.conv1d.default(%x, %w, %same) : f32[1,3,3]
  %rows = aten.reshape.default(%x, [4, 2]) : f32[4,2]@3
  %c3 = aten.addmm.default(%same, %rows, %v) : f32[4,3]
  output (user %c1, user %c2, user %c3)
}
--out--
nest [i0 < 3] origin 5 {
  %0 = load f32 @b[2*i0]
extern conv (@x[1,2,4]{8,4,1}, @w[3,2,2]{4,2,1}, @buf5[3]{1}) -> (@buf4[1,3,3]{9,3,1}) ints [1,1,0,0,1,0,1,0] floats [0.0,0.0] origin 5
nest [i0 < 3] origin 8 {
  %0 = load f32 @b[1]
extern conv (@x[1,2,4]{8,4,1}, @w[3,2,2]{4,2,1}, @buf7[3]{1}) -> (@buf6[1,3,3]{9,3,1}) ints [1,1,0,0,1,0,1,0] floats [0.0,0.0] origin 8
nest [i0 < 3] origin 10 {
  %0 = load f32 @b[1]
extern gemm (@x[4,2]{2,1}, @v[2,3]{1,2}, @buf9[3]{1}) -> (@buf8[4,3]{3,1}) ints [0] floats [0.0,0.0] origin 10
--run-- ferrite inspect - --stage loop | grep extern
--in--
symbols {
  s0 in [2, 4] hint 2
}
graph main {
  placeholder %x user "x" : f32[s0,1,16,20]
  placeholder %w user "w" : f32[1,1,5,5]
  %n = aten.sym_size.int(%x, 0)
  %c = aten.convolution.default(%x, %w, None, [1, 1], [0, 0], [%n], False, [0, 0], 1)
  %s = aten.sum.default(%c)
  output (user %s)
}
--out--
extern conv (@x[s0,1,16,20]{320,320,20,1}, @w[1,1,5,5]{25,25,5,1}, none) -> (@buf2[s0,1,-4*s0 + 16,-4*s0 + 20]{16*s0*s0 - 144*s0 + 320,1,-4*s0 + 20,1}) ints [2,1,0,0,1,1,0,0,s0,s0,0,0] floats [0.0,0.0] origin 3
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %g user "g" : f32[2,16,3,3]
  placeholder %x user "x" : f32[2,3,5,5]
  placeholder %w user "w" : f32[16,3,3,3]
  placeholder %v user "v" : f32[8,8,2]
  placeholder %p user "p" : f32[1,8,6]
  placeholder %q user "q" : f32[1,8,3]
  placeholder %u user "u" : bf16[8,8,2]
  placeholder %h user "h" : bf16[1,8,6]
  %both = aten.convolution_backward.default(%g, %x, %w, None, [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [False, True, True])
  %by_w = _operator.getitem(%both, 1)
  %by_b = _operator.getitem(%both, 2)
  %back = aten.convolution_backward.default(%h, %h, %u, None, [2], [3], [1], True, [0], 1, [False, True, False])
  %by_u = _operator.getitem(%back, 1)
  %more = aten.convolution_backward.default(%p, %q, %v, None, [1], [0], [2], True, [1], 1, [False, True, False])
  %by_v = _operator.getitem(%more, 1)
  output (user %by_w, user %by_b, user %by_u, user %by_v)
}
--out--
program stdin
input  @g : f32[2,16,3,3] strides [144,9,3,1] origin 0
input  @x : f32[2,3,5,5] strides [75,25,5,1] origin 1
input  @w : f32[16,3,3,3] strides [27,9,3,1] origin 2
input  @v : f32[8,8,2] strides [16,2,1] origin 3
input  @p : f32[1,8,6] strides [48,6,1] origin 4
input  @q : f32[1,8,3] strides [24,3,1] origin 5
input  @u : bf16[8,8,2] strides [16,2,1] origin 6
input  @h : bf16[1,8,6] strides [48,6,1] origin 7
temp   @buf8 : f32[16,3,3,3] strides [27,9,3,1] origin 16
temp   @buf9 : f32[16] strides [1] origin 18
temp   @buf10 : f32[1,8,6] strides [48,1,8] origin 11
temp   @buf11 : f32[1,8,6] strides [48,1,8] origin 11
temp   @buf12 : f32[8,8,2] strides [16,2,1] origin 11
temp   @buf13 : f32[8,8,2] strides [16,2,1] origin 23
temp   @buf14 : bf16[8,8,2] strides [16,2,1] origin 11
temp   @buf15 : f32[8,8,2] strides [16,2,1] origin 15
extern conv_weight (@x[2,3,5,5]{75,25,5,1}, @g[2,16,3,3]{144,9,3,1}) -> (@buf8[16,3,3,3]{27,9,3,1}) ints [2,1,2,2,1,1,1,1] floats [] origin 16
nest [i0 < 16] reduce [r0 < 2, r1 < 3, r2 < 3] origin 18 {
  %0 = load f32 @g[9*i0 + 144*r0 + 3*r1 + r2]
  @buf9[i0] = sum %0
}
nest [i0 < 1, i1 < 8, i2 < 6] origin 11 {
  %0 = load bf16 @h[6*i1 + i2]
  %1 = cast %0 : f32
  @buf10[i1 + 8*i2] = %1
}
nest [i0 < 1, i1 < 8, i2 < 6] origin 11 {
  %0 = load bf16 @h[6*i1 + i2]
  %1 = cast %0 : f32
  @buf11[i1 + 8*i2] = %1
}
extern conv_weight (@buf10[1,8,6]{48,1,8}, @buf11[1,8,6]{48,1,8}) -> (@buf12[8,8,2]{16,2,1}) ints [1,1,2,3,1] floats [] origin 11
extern conv (@p[8,1,6]{6,6,1}, @q[8,1,3]{3,0,1}, none) -> (@buf13[8,8,2]{16,2,1}) ints [1,1,0,0,2,0,1,0] floats [0.0,0.0] origin 23
nest [i0 < 8, i1 < 8, i2 < 2] origin 11 {
  %0 = load f32 @buf12[16*i0 + 2*i1 + i2]
  %1 = cast %0 : bf16
  @buf14[16*i0 + 2*i1 + i2] = %1
}
nest [i0 < 8, i1 < 8, i2 < 2] origin 15 {
  %0 = load f32 @buf13[2*i0 + 16*i1 + i2]
  @buf15[16*i0 + 2*i1 + i2] = %0
}
output @buf8[16,3,3,3]{27,9,3,1}
output @buf9[16]{1}
output @buf14[8,8,2]{16,2,1}
output @buf15[8,8,2]{16,2,1}

--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %g user "g" : f32[2,8,4,4]{128,1,32,8}
  placeholder %x user "x" : f32[2,8,4,4]{128,1,32,8}
  placeholder %w user "w" : f32[8,8,3,3]{72,1,24,8}
  %all = aten.convolution_backward.default(%g, %x, %w, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [False, True, False])
  %gradient = _operator.getitem(%all, 1)
  %copy = aten.clone.default(%gradient, memory_format=torch.contiguous_format)
  output (user %copy)
}
--out--
program stdin
input  @g : f32[2,8,4,4] strides [128,1,32,8] origin 0
input  @x : f32[2,8,4,4] strides [128,1,32,8] origin 1
input  @w : f32[8,8,3,3] strides [72,1,24,8] origin 2
temp   @buf3 : f32[8,8,3,3] strides [72,9,3,1] origin 3
extern conv_weight (@x[2,8,4,4]{128,1,32,8}, @g[2,8,4,4]{128,1,32,8}) -> (@buf3[8,8,3,3]{72,9,3,1}) ints [2,1,1,1,1,1,1,1] floats [] origin 3
output @buf3[8,8,3,3]{72,9,3,1}
