# float convolutions work in channels-last memory; an output that the caller sees keeps its own strides
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
