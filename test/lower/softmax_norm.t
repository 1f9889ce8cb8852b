# softmax and layer norm are stable: the greatest element first, the variance in a second pass
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %w param "w" : f32[8]
  placeholder %x user "x" : f32[4,8]
  %norm = aten.layer_norm.default(%x, [8], %w, None, 1e-05, True) : f32[4,8]
  %softmax = aten.softmax.int(%norm, -1, None) : f32[4,8]
  output (user %softmax)
}
--out--
program stdin
input  @x : f32[4,8] strides [8,1] origin 1
const  @w : f32[8] strides [1] origin 0
temp   @buf2 : f32[4] strides [1] origin 2
temp   @buf3 : f32[4] strides [1] origin 2
temp   @buf4 : f32[4,8] strides [8,1] origin 2
temp   @buf5 : f32[4] strides [1] origin 3
temp   @buf6 : f32[4,8] strides [8,1] origin 3
temp   @buf7 : f32[4] strides [1] origin 3
temp   @buf8 : f32[4,8] strides [8,1] origin 3
nest [i0 < 4] reduce [r0 < 8] origin 2 {
  %0 = load f32 @x[8*i0 + r0]
  @buf2[i0] = sum %0
}
nest [i0 < 4] reduce [r0 < 8] origin 2 {
  %0 = load f32 @x[8*i0 + r0]
  %1 = load f32 @buf2[i0]
  %2 = const 8.0 : f32
  %3 = div %1, %2 : f32
  %4 = sub %0, %3 : f32
  %5 = mul %4, %4 : f32
  @buf3[i0] = sum %5
}
nest [i0 < 4, i1 < 8] origin 2 {
  %0 = load f32 @x[8*i0 + i1]
  %1 = load f32 @buf2[i0]
  %2 = const 8.0 : f32
  %3 = div %1, %2 : f32
  %4 = sub %0, %3 : f32
  %5 = load f32 @buf3[i0]
  %6 = div %5, %2 : f32
  %7 = const 9.999999747378752e-06 : f32
  %8 = add %6, %7 : f32
  %9 = rsqrt %8 : f32
  %10 = mul %4, %9 : f32
  %11 = load f32 @w[i1]
  %12 = mul %10, %11 : f32
  @buf4[8*i0 + i1] = %12
}
nest [i0 < 4] reduce [r0 < 8] origin 3 {
  %0 = load f32 @buf4[8*i0 + r0]
  @buf5[i0] = max_of %0
}
nest [i0 < 4, i1 < 8] origin 3 {
  %0 = load f32 @buf4[8*i0 + i1]
  %1 = load f32 @buf5[i0]
  %2 = sub %0, %1 : f32
  %3 = exp %2 : f32
  @buf6[8*i0 + i1] = %3
}
nest [i0 < 4] reduce [r0 < 8] origin 3 {
  %0 = load f32 @buf6[8*i0 + r0]
  @buf7[i0] = sum %0
}
nest [i0 < 4, i1 < 8] origin 3 {
  %0 = load f32 @buf6[8*i0 + i1]
  %1 = load f32 @buf7[i0]
  %2 = div %0, %1 : f32
  @buf8[8*i0 + i1] = %2
}
output @buf8[4,8]{8,1}
