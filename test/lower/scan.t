# running reductions store at every step, f32 added up in f64; a long row is cut into blocks; of a zero and its negative the later
# one is the extreme: all stand as they came, in rows, in columns and in blocks of a row
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : f32[4,8]
  %cumsum = aten.cumsum.default(%x, 1) : f32[4,8]
  %cummax = aten.cummax.default(%x, 0) : (f32[4,8], i64[4,8])
  %places = _operator.getitem(%cummax, 1) : i64[4,8]
  output (user %cumsum, user %places)
}
--out--
program stdin
input  @x : f32[4,8] strides [8,1] origin 0
temp   @buf1 : f32[4,8] strides [8,1] origin 1
temp   @buf2 : f32[4,8] strides [8,1] origin 2
temp   @buf3 : i64[4,8] strides [8,1] origin 2
nest [i0 < 4] reduce [r0 < 8] origin 1 {
  %0 = load f32 @x[8*i0 + r0]
  %1 = cast %0 : f64
  @buf1[8*i0 + r0] = scan sum %1
}
nest [i0 < 8] reduce [r0 < 4] origin 2 {
  %0 = load f32 @x[i0 + 8*r0]
  @buf2[i0 + 8*r0] = scan max_of %0
}
nest [i0 < 8] reduce [r0 < 4] origin 2 {
  %0 = load f32 @x[i0 + 8*r0]
  %1 = load f32 @buf2[i0 + 8*r0]
  %2 = eq %0, %1 : bool
  %3 = isnan %0 : bool
  %4 = or %2, %3 : bool
  %5 = index r0 : i64
  %6 = cast %5 : i32
  %7 = const 0 : i32
  %8 = where %4, %6, %7 : i32
  @buf3[i0 + 8*r0] = scan max_of %8
}
output @buf1[4,8]{8,1}
output @buf3[4,8]{8,1}
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : i64[100000]
  %cumsum = aten.cumsum.default(%x, 0) : i64[100000]
  output (user %cumsum)
}
--out--
program stdin
input  @x : i64[100000] strides [1] origin 0
temp   @buf1 : i64[100000] strides [1] origin 1
temp   @buf2 : i64[24] strides [1] origin 1
temp   @buf3 : i64[24] strides [1] origin 1
temp   @buf4 : i64[24,4096] strides [4096,1] origin 1
temp   @buf5 : i64[1,1696] strides [1696,1] origin 1
nest [i0 < 24] reduce [r0 < 4096] origin 1 {
  %0 = load i64 @x[4096*i0 + r0]
  @buf2[i0] = sum %0
}
nest [] reduce [r0 < 24] origin 1 {
  %0 = load i64 @buf2[r0]
  @buf3[r0] = scan sum %0
}
nest [i0 < 24] reduce [r0 < 4096] origin 1 {
  %0 = load i64 @x[4096*i0 + r0]
  @buf4[4096*i0 + r0] = scan sum %0
}
nest [i0 < 24, i1 < 4096] origin 1 {
  %0 = const 0 : i64
  %1 = index i0 - 1 : i64
  %2 = le %0, %1 : bool
  %3 = load i64 @buf3[i0 - 1]
  %4 = load i64 @buf4[4096*i0 + i1]
  %5 = add %3, %4 : i64
  %6 = masked %2, %5, %4 : i64
  @buf1[4096*i0 + i1] = %6
}
nest [i0 < 1] reduce [r0 < 1696] origin 1 {
  %0 = load i64 @x[r0 + 98304]
  @buf5[r0] = scan sum %0
}
nest [i0 < 1, i1 < 1696] origin 1 {
  %0 = load i64 @buf3[23]
  %1 = load i64 @buf5[i1]
  %2 = add %0, %1 : i64
  @buf1[i1 + 98304] = %2
}
output @buf1[100000]{1}
--run-- for o in '' '--isa baseline' '--isa scalar'; do ferrite run z.fx $o --output-dir out >log && for k in 0 1; do tail -c 8 out/$k.npy | od -An -td8; done; done
--file z.fx--
graph main {
  %i = aten.arange.default(70000, dtype=i32)
  %odd = aten.__and__.Scalar(%i, 1)
  %sign = aten.__lshift__.Scalar(%odd, 31)
  %row = aten.view.dtype(%sign, dtype=f32)
  %table = aten.reshape.default(%row, [200, 350])
  %part = aten.slice.Tensor(%table, 1, 0, 37)
  %a = aten.cummax.default(%row, 0)
  %a0 = _operator.getitem(%a, 0)
  %b = aten.cummin.default(%part, 1)
  %b0 = _operator.getitem(%b, 0)
  %c = aten.cummax.default(%part, 0)
  %c0 = _operator.getitem(%c, 0)
  %ab = aten.view.dtype(%a0, dtype=i32)
  %bb = aten.view.dtype(%b0, dtype=i32)
  %cb = aten.view.dtype(%c0, dtype=i32)
  %as = aten.ne.Tensor(%ab, %sign)
  %bits = aten.view.dtype(%part, dtype=i32)
  %bs = aten.ne.Tensor(%bb, %bits)
  %cs = aten.ne.Tensor(%cb, %bits)
  %bc = aten.add.Tensor(%bs, %cs)
  %x = aten.sum.default(%as)
  %y = aten.sum.default(%bc)
  output (user %x, user %y)
}
--out--
                    0
                    0
                    0
                    0
                    0
                    0
