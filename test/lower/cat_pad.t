# operands of cat are stored into slices of one buffer; padding is a masked load
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : f32[2,3]
  placeholder %y user "y" : f32[2,2]
  %neg = aten.neg.default(%y) : f32[2,2]
  %cat = aten.cat.default([%x, %neg], 1) : f32[2,5]
  %pad = aten.constant_pad_nd.default(%cat, [1, 0], 7.0) : f32[2,6]
  output (user %pad)
}
--out--
program stdin
input  @x : f32[2,3] strides [3,1] origin 0
input  @y : f32[2,2] strides [2,1] origin 1
temp   @buf2 : f32[2,5] strides [5,1] origin 3
temp   @buf3 : f32[2,6] strides [6,1] origin 4
nest [i0 < 2, i1 < 3] origin 3 {
  %0 = load f32 @x[3*i0 + i1]
  @buf2[5*i0 + i1] = %0
}
nest [i0 < 2, i1 < 2] origin 3 {
  %0 = load f32 @y[2*i0 + i1]
  %1 = neg %0 : f32
  @buf2[5*i0 + i1 + 3] = %1
}
nest [i0 < 2, i1 < 6] origin 4 {
  %0 = const 0 : i64
  %1 = index i1 - 1 : i64
  %2 = le %0, %1 : bool
  %3 = load f32 @buf2[5*i0 + i1 - 1]
  %4 = const 7.0 : f32
  %5 = masked %2, %3, %4 : f32
  @buf3[6*i0 + i1] = %5
}
output @buf3[2,6]{6,1}
--run-- ferrite inspect - --stage loop | grep -c -e indirect -e load
--in--
graph main {
  placeholder %x user "x" : f32[1,8,20,7,20]
  %y = aten.reflection_pad3d.default(%x, [0, 1, 0, 1, 3, 1])
  output (user %y)
}
--out--
1
