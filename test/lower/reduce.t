# a reduction is one nest with memory of its own; what follows a mean or a maximum stays pointwise
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : f32[4,8]
  placeholder %n user "n" : i32[4,8]
  %mean = aten.mean.dim(%x, [1], True) : f32[4,1]
  %sub = aten.sub.Tensor(%x, %mean) : f32[4,8]
  %amax = aten.amax.default(%sub, [0]) : f32[8]
  %sum = aten.sum.default(%n) : i64[]
  %max = aten.max.dim(%x, 1) : (f32[4], i64[4])
  %places = _operator.getitem(%max, 1) : i64[4]
  output (user %amax, user %sum, user %places)
}
--out--
program stdin
input  @x : f32[4,8] strides [8,1] origin 0
input  @n : i32[4,8] strides [8,1] origin 1
temp   @buf2 : f32[4] strides [1] origin 2
temp   @buf3 : f32[8] strides [1] origin 4
temp   @buf4 : i64[] strides [] origin 5
temp   @buf5 : f32[4] strides [1] origin 6
temp   @buf6 : i64[4] strides [1] origin 6
nest [i0 < 4] reduce [r0 < 8] origin 2 {
  %0 = load f32 @x[8*i0 + r0]
  @buf2[i0] = sum %0
}
nest [i0 < 8] reduce [r0 < 4] origin 4 {
  %0 = load f32 @x[i0 + 8*r0]
  %1 = load f32 @buf2[r0]
  %2 = const 8.0 : f32
  %3 = div %1, %2 : f32
  %4 = sub %0, %3 : f32
  @buf3[i0] = max_of %4
}
nest [] reduce [r0 < 4, r1 < 8] origin 5 {
  %0 = load i32 @n[8*r0 + r1]
  %1 = cast %0 : i64
  @buf4[0] = sum %1
}
nest [i0 < 4] reduce [r0 < 8] origin 6 {
  %0 = load f32 @x[8*i0 + r0]
  @buf5[i0] = max_of %0
}
nest [i0 < 4] reduce [r0 < 8] origin 6 {
  %0 = load f32 @x[8*i0 + r0]
  @buf6[i0] = argmax %0
}
output @buf3[8]{1}
output @buf4[]{}
output @buf6[4]{1}
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : f16[3,4]
  %h = aten.hash_tensor.default(%x, [1]) : u64[3]
  output (user %h)
}
--out--
program stdin
input  @x : f16[3,4] strides [4,1] origin 0
temp   @buf1 : i64[3] strides [1] origin 1
temp   @buf2 : u64[3] strides [1] origin 1
nest [i0 < 3] reduce [r0 < 4] origin 1 {
  %0 = load f16 @x[4*i0 + r0]
  %1 = cast %0 : f64
  %2 = bitcast %1 : i64
  @buf1[i0] = xor_of %2
}
nest [i0 < 3] origin 1 {
  %0 = load i64 @buf1[i0]
  %1 = cast %0 : u64
  @buf2[i0] = %1
}
output @buf2[3]{1}
