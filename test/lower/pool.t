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
  %0 = load f32 @buf1[16*i1 + 8*i2 + 2*i3 + 5]
  %1 = load f32 @buf1[16*i1 + 8*i2 + 2*i3 + 4]
  %2 = const 0 : i64
  %3 = index 2*i3 - 1 : i64
  %4 = le %2, %3 : bool
  %5 = load f32 @buf1[16*i1 + 8*i2 + 2*i3 + 3]
  %6 = const -inf : f32
  %7 = masked %4, %5, %6 : f32
  %8 = load f32 @buf1[16*i1 + 8*i2 + 2*i3 + 1]
  %9 = load f32 @buf1[16*i1 + 8*i2 + 2*i3]
  %10 = load f32 @buf1[16*i1 + 8*i2 + 2*i3 - 1]
  %11 = masked %4, %10, %6 : f32
  %12 = index 2*i2 - 1 : i64
  %13 = le %2, %12 : bool
  %14 = load f32 @buf1[16*i1 + 8*i2 + 2*i3 - 3]
  %15 = masked %13, %14, %6 : f32
  %16 = load f32 @buf1[16*i1 + 8*i2 + 2*i3 - 4]
  %17 = masked %13, %16, %6 : f32
  %18 = and %13, %4 : bool
  %19 = load f32 @buf1[16*i1 + 8*i2 + 2*i3 - 5]
  %20 = masked %18, %19, %6 : f32
  %21 = max %17, %20 : f32
  %22 = max %15, %21 : f32
  %23 = max %11, %22 : f32
  %24 = max %9, %23 : f32
  %25 = max %8, %24 : f32
  %26 = max %7, %25 : f32
  %27 = max %1, %26 : f32
  %28 = max %0, %27 : f32
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
