# sizes that are symbols stay expressions
--run-- ferrite inspect --stage loop -
--in--
symbols {
  s0 in [2, 64]
}
graph main {
  range s0 in [2, 64]
  placeholder %x user "x" : f32[s0,8]
  %view = aten.view.default(%x, [2*s0, 4]) : f32[2*s0,4]
  %sum = aten.sum.dim_IntList(%view, [0]) : f32[4]
  %arange = aten.arange.default(s0) : i64[s0]
  output (user %sum, user %arange)
}
--out--
program stdin
symbol s0 in [2, 64]
input  @x : f32[s0,8] strides [8,1] origin 0
temp   @buf1 : f32[4] strides [1] origin 2
temp   @buf2 : i64[s0] strides [1] origin 3
nest [i0 < 4] reduce [r0 < 2*s0] origin 2 {
  %0 = load f32 @x[i0 + 4*r0]
  @buf1[i0] = sum %0
}
nest [i0 < s0] origin 3 {
  %0 = index i0 : i64
  @buf2[i0] = %0
}
output @buf1[4]{1}
output @buf2[s0]{1}
