# a chain of elementwise operators is one nest; types are promoted as PyTorch does, numbers stay weak
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : f32[4,8]
  placeholder %i user "i" : i64[8]
  %add = aten.add.Tensor(%x, %i, alpha=2) : f32[4,8]
  %gt = aten.gt.Scalar(%add, 0.5) : bool[4,8]
  %silu = aten.silu.default(%add) : f32[4,8]
  %where = aten.where.self(%gt, %silu, %x) : f32[4,8]
  %div = aten.div.Tensor(%i, 2) : f32[8]
  %and = aten.bitwise_and.Scalar(%i, 3) : i64[8]
  output (user %where, user %div, user %and)
}
--out--
program stdin
input  @x : f32[4,8] strides [8,1] origin 0
input  @i : i64[8] strides [1] origin 1
temp   @buf2 : f32[4,8] strides [8,1] origin 5
temp   @buf3 : f32[8] strides [1] origin 6
temp   @buf4 : i64[8] strides [1] origin 7
nest [i0 < 4, i1 < 8] origin 5 {
  %0 = const 0.5 : f32
  %1 = load f32 @x[8*i0 + i1]
  %2 = load i64 @i[i1]
  %3 = cast %2 : f32
  %4 = const 2.0 : f32
  %5 = mul %3, %4 : f32
  %6 = add %1, %5 : f32
  %7 = lt %0, %6 : bool
  %8 = const 1.0 : f32
  %9 = neg %6 : f32
  %10 = exp %9 : f32
  %11 = add %8, %10 : f32
  %12 = div %6, %11 : f32
  %13 = where %7, %12, %1 : f32
  @buf2[8*i0 + i1] = %13
}
nest [i0 < 8] origin 6 {
  %0 = load i64 @i[i0]
  %1 = cast %0 : f32
  %2 = const 2.0 : f32
  %3 = div %1, %2 : f32
  @buf3[i0] = %3
}
nest [i0 < 8] origin 7 {
  %0 = load i64 @i[i0]
  %1 = const 3 : i64
  %2 = and %0, %1 : i64
  @buf4[i0] = %2
}
output @buf2[4,8]{8,1}
output @buf3[8]{1}
output @buf4[8]{1}
