# mutated inputs are written after everything that reads them
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %n buffer "n" : f32[4]
  placeholder %x user "x" : f32[4]
  %add = aten.add.Tensor(%n, %x) : f32[4]
  %mul = aten.mul.Tensor(%n, 2.0) : f32[4]
  output (buffer_mutation "n" %add, user %mul)
}
--out--
program stdin
input  @x : f32[4] strides [1] origin 1
state  @n : f32[4] strides [1] origin 0
temp   @buf2 : f32[4] strides [1] origin 3
nest [i0 < 4] origin 3 {
  %0 = load f32 @n[i0]
  %1 = const 2.0 : f32
  %2 = mul %0, %1 : f32
  @buf2[i0] = %2
}
nest [i0 < 4] origin 4 {
  %0 = load f32 @n[i0]
  %1 = load f32 @x[i0]
  %2 = add %0, %1 : f32
  @n[i0] = %2
}
output @buf2[4]{1}
--run-- ferrite inspect --stage loop - | grep -B3 '@b.i1. ='
--in--
graph main {
  placeholder %b buffer "b" : f32[3,5]{0,1}
  placeholder %x user "x" : f32[5]
  %z = aten.fill_.Scalar(%b, 3.0)
  %y = aten.add.Tensor(%z, %x)
  output (user %y)
}
--out--
}
nest [i0 < 1, i1 < 5] origin 4 {
  %0 = const 3.0 : f32
  @b[i1] = %0
--run-- ferrite inspect --stage loop - | grep -B3 '@x.i1. ='
--in--
symbols {
  s0 in [0, inf] hint 3
}
graph main {
  placeholder %x user "x" : f32[s0,5]{0,1}
  %z = aten.fill_.Scalar(%x, 3.0)
  output ()
}
--out--
input  @x : f32[s0,5] strides [0,1] mutated origin 0
nest [i0 < min(s0, 1), i1 < 5] origin 2 {
  %0 = const 3.0 : f32
  @x[i1] = %0
--run-- ferrite inspect - --from loop --stage loop 2>&1 | grep law
--in--
program none
symbol s0 in [0, ]
input  @x : f32[s0,5] strides [0,1] mutated
nest [i0 < 1, i1 < 5] {
  %0 = const 3.0 : f32
  @x[i1] = %0
}
--out--
error: loop: law L1: a store of @x[i1], between 0 and 4, is not known to be in [0, 5*min(s0, 1)) in
--status-- 1
