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
temp   @buf2 : f32[1,2,2,2] strides [8,4,2,1] origin 2
temp   @buf3 : f32[1,2] strides [2,1] origin 3
temp   @buf4 : f32[1,2,1,1] strides [2,1,1,1] origin 3
nest [i0 < 1, i1 < 2, i2 < 4, i3 < 4] origin 1 {
  %0 = load f32 @x[16*i1 + 4*i2 + i3]
  %1 = const 0.0 : f32
  %2 = max %0, %1 : f32
  @buf1[16*i1 + 4*i2 + i3] = %2
}
nest [i0 < 1, i1 < 2, i2 < 2, i3 < 2] origin 2 {
  %0 = const 0 : i64
  %1 = index 2*i2 - 1 : i64
  %2 = le %0, %1 : bool
  %3 = index 2*i3 - 1 : i64
  %4 = le %0, %3 : bool
  %5 = and %2, %4 : bool
  %6 = load f32 @buf1[16*i1 + 8*i2 + 2*i3 - 5]
  %7 = const -inf : f32
  %8 = masked %5, %6, %7 : f32
  %9 = load f32 @buf1[16*i1 + 8*i2 + 2*i3 - 4]
  %10 = masked %2, %9, %7 : f32
  %11 = max %8, %10 : f32
  %12 = load f32 @buf1[16*i1 + 8*i2 + 2*i3 - 3]
  %13 = masked %2, %12, %7 : f32
  %14 = max %11, %13 : f32
  %15 = load f32 @buf1[16*i1 + 8*i2 + 2*i3 - 1]
  %16 = masked %4, %15, %7 : f32
  %17 = max %14, %16 : f32
  %18 = load f32 @buf1[16*i1 + 8*i2 + 2*i3]
  %19 = max %17, %18 : f32
  %20 = load f32 @buf1[16*i1 + 8*i2 + 2*i3 + 1]
  %21 = max %19, %20 : f32
  %22 = load f32 @buf1[16*i1 + 8*i2 + 2*i3 + 3]
  %23 = masked %4, %22, %7 : f32
  %24 = max %21, %23 : f32
  %25 = load f32 @buf1[16*i1 + 8*i2 + 2*i3 + 4]
  %26 = max %24, %25 : f32
  %27 = load f32 @buf1[16*i1 + 8*i2 + 2*i3 + 5]
  %28 = max %26, %27 : f32
  @buf2[4*i1 + 2*i2 + i3] = %28
}
nest [i0 < 1, i1 < 2] reduce [r0 < 4, r1 < 4] origin 3 {
  %0 = load f32 @buf1[16*i1 + 4*r0 + r1]
  @buf3[i1] = sum %0
}
nest [i0 < 1, i1 < 2, i2 < 1, i3 < 1] origin 3 {
  %0 = load f32 @buf3[i1]
  %1 = const 16.0 : f32
  %2 = div %0, %1 : f32
  @buf4[i1] = %2
}
output @buf2[1,2,2,2]{8,4,2,1}
output @buf4[1,2,1,1]{2,1,1,1}
