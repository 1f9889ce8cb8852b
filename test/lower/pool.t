# a small window is unrolled; what overlapping windows read has been stored; the mean over all is a reduction
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : f32[1,2,4,4]
  %relu = aten.relu.default(%x) : f32[1,2,4,4]
  %pool = aten.max_pool2d.default(%relu, [3, 3], [2, 2], [1, 1]) : f32[1,2,2,2]
  %avg = aten.adaptive_avg_pool2d.default(%relu, [1, 1]) : f32[1,2,1,1]
  output (user %pool, user %avg)
}
--out--
program stdin
input  @x : f32[1,2,4,4] strides [32,16,4,1] origin 0
temp   @buf1 : f32[1,2,4,4] strides [32,16,4,1] origin 1
temp   @buf2 : f32[1,2,2,5] strides [20,10,5,1] origin 2
temp   @buf3 : f32[1,2,2,2] strides [8,4,2,1] origin 2
temp   @buf4 : f32[1,2] strides [2,1] origin 3
temp   @buf5 : f32[1,2,1,1] strides [2,1,1,1] origin 3
nest [i0 < 1, i1 < 2, i2 < 4, i3 < 4] origin 1 {
  %0 = load f32 @x[16*i1 + 4*i2 + i3]
  %1 = const 0.0 : f32
  %2 = max %0, %1 : f32
  @buf1[16*i1 + 4*i2 + i3] = %2
}
nest [i0 < 1, i1 < 2, i2 < 2, i3 < 5] origin 2 {
  %0 = const 0 : i64
  %1 = index i3 - 1 : i64
  %2 = le %0, %1 : bool
  %3 = load f32 @buf1[16*i1 + 8*i2 + i3 + 3]
  %4 = const -inf : f32
  %5 = masked %2, %3, %4 : f32
  %6 = load f32 @buf1[16*i1 + 8*i2 + i3 - 1]
  %7 = masked %2, %6, %4 : f32
  %8 = index 2*i2 - 1 : i64
  %9 = le %0, %8 : bool
  %10 = and %9, %2 : bool
  %11 = load f32 @buf1[16*i1 + 8*i2 + i3 - 5]
  %12 = masked %10, %11, %4 : f32
  %13 = max %7, %12 : f32
  %14 = max %5, %13 : f32
  @buf2[10*i1 + 5*i2 + i3] = %14
}
nest [i0 < 1, i1 < 2, i2 < 2, i3 < 2] origin 2 {
  %0 = load f32 @buf2[10*i1 + 5*i2 + 2*i3 + 2]
  %1 = load f32 @buf2[10*i1 + 5*i2 + 2*i3 + 1]
  %2 = load f32 @buf2[10*i1 + 5*i2 + 2*i3]
  %3 = max %1, %2 : f32
  %4 = max %0, %3 : f32
  @buf3[4*i1 + 2*i2 + i3] = %4
}
nest [i0 < 1, i1 < 2] reduce [r0 < 4, r1 < 4] origin 3 {
  %0 = load f32 @buf1[16*i1 + 4*r0 + r1]
  @buf4[i1] = sum %0
}
nest [i0 < 1, i1 < 2, i2 < 1, i3 < 1] origin 3 {
  %0 = load f32 @buf4[i1]
  %1 = const 16.0 : f32
  %2 = div %0, %1 : f32
  @buf5[i1] = %2
}
output @buf3[1,2,2,2]{8,4,2,1}
output @buf5[1,2,1,1]{2,1,1,1}
