# an index is an indirect symbol: of a load to gather, of a store to scatter into a copy
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %table param "table" : f32[10,4]
  placeholder %ids user "ids" : i64[3]
  placeholder %x user "x" : f32[10,4]
  %embedding = aten.embedding.default(%table, %ids) : f32[3,4]
  %put = aten.index_put.default(%x, [%ids], %embedding, True) : f32[10,4]
  %slice = aten.slice_scatter.default(%x, %embedding, 0, 2, 5) : f32[10,4]
  output (user %put, user %slice)
}
--out--
program stdin
input  @ids : i64[3] strides [1] origin 1
input  @x : f32[10,4] strides [4,1] origin 2
const  @table : f32[10,4] strides [4,1] origin 0
temp   @buf3 : f32[3,4] strides [4,1] origin 3
temp   @buf4 : f32[10,4] strides [4,1] origin 4
temp   @buf5 : f32[10,4] strides [4,1] origin 5
nest [i0 < 3, i1 < 4] origin 3 {
  %0 = load i64 @ids[i0]
  j0 = indirect %0 < 10 dim 0 origin 3
  %1 = load f32 @table[4*j0 + i1]
  @buf3[4*i0 + i1] = %1
}
nest [i0 < 10, i1 < 4] origin 4 {
  %0 = load f32 @x[4*i0 + i1]
  @buf4[4*i0 + i1] = %0
}
nest [i0 < 3, i1 < 4] origin 4 {
  %0 = load f32 @buf3[4*i0 + i1]
  %1 = load i64 @ids[i0]
  %2 = const 0 : i64
  %3 = lt %1, %2 : bool
  %4 = const 10 : i64
  %5 = add %1, %4 : i64
  %6 = where %3, %5, %1 : i64
  j0 = indirect %6 < 10 dim 0 wraps origin 4
  @buf4[4*j0 + i1] add= %0
}
nest [i0 < 10, i1 < 4] origin 5 {
  %0 = const 2 : i64
  %1 = index i0 : i64
  %2 = le %0, %1 : bool
  %3 = const 5 : i64
  %4 = lt %1, %3 : bool
  %5 = and %2, %4 : bool
  %6 = load f32 @buf3[4*i0 + i1 - 8]
  %7 = load f32 @x[4*i0 + i1]
  %8 = masked %5, %6, %7 : f32
  @buf5[4*i0 + i1] = %8
}
output @buf4[10,4]{4,1}
output @buf5[10,4]{4,1}
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %g user "g" : f32[5,4]
  placeholder %i user "i" : i64[5]
  %e = aten.embedding_dense_backward.default(%g, %i, 7, 2, False) : f32[7,4]
  output (user %e)
}
--out--
program stdin
input  @g : f32[5,4] strides [4,1] origin 0
input  @i : i64[5] strides [1] origin 1
temp   @buf2 : f32[7,4] strides [4,1] origin 2
nest [i0 < 7, i1 < 4] origin 2 {
  %0 = const 0.0 : f32
  @buf2[4*i0 + i1] = %0
}
nest [i0 < 5, i1 < 4] origin 2 {
  %0 = const 0 : i64
  %1 = load i64 @i[i0]
  %2 = le %0, %1 : bool
  %3 = const 7 : i64
  %4 = lt %1, %3 : bool
  %5 = and %2, %4 : bool
  %6 = const 2 : i64
  %7 = eq %1, %6 : bool
  %8 = const 0.0 : f32
  %9 = load f32 @g[4*i0 + i1]
  %10 = where %7, %8, %9 : f32
  %11 = where %5, %10, %8 : f32
  %12 = const 6 : i64
  %13 = min %1, %12 : i64
  %14 = max %13, %0 : i64
  j0 = indirect %14 < 7 dim 0 origin 2
  @buf2[4*j0 + i1] add= %11
}
output @buf2[7,4]{4,1}
--run-- ferrite inspect --stage loop -
--in--
graph the_last_of_many_that_go_to_one_place_stays {
  placeholder %x user "x" : f32[4,3]
  placeholder %s user "s" : f32[2,3]
  %i = aten.zeros.default([2,3], torch.int64, None, None, None)
  %y = aten.scatter.src(%x, 0, %i, %s)
  output (user %y)
}
--out--
program stdin
input  @x : f32[4,3] strides [3,1] origin 0
input  @s : f32[2,3] strides [3,1] origin 1
temp   @buf2 : f32[4,3] strides [3,1] origin 3
nest [i0 < 4, i1 < 3] origin 3 {
  %0 = load f32 @x[3*i0 + i1]
  @buf2[3*i0 + i1] = %0
}
nest [i0 < 1, i1 < 3] origin 3 {
  %0 = load f32 @s[i1 + 3]
  @buf2[i1] = %0
}
output @buf2[4,3]{3,1}
--run-- ferrite inspect - --stage loop | grep 'load f32 @b'
--in--
graph main {
  placeholder %c constant "c" : f32[1,1,2,2] data [0.0, 1.0, 2.0, 3.0]
  placeholder %b user "b" : f32[5,5]{1,12}
  placeholder %i user "i" : i64[3]
  %up = aten.upsample_bilinear2d.vec(%c, [3, 3], False, None) : f32[1,1,3,3]
  %some = aten.take.default(%b, %i) : f32[3]
  %shown = aten.add.Tensor(%some, %up) : f32[1,1,3,3]
  output (user %shown)
}
--out--
  %6 = load f32 @b[j0 // 5 + 12*(j0 % 5)]
--run-- for o in '' --no-cc '--isa scalar'; do ferrite run z.fx $o --output-dir out >log && for k in 0 1; do tail -c 12 out/$k.npy | od -An -tx4; done; done
--file z.fx--
graph main {
  placeholder %x constant "x" : f32[3] data [0.0, -0.0, nan]
  placeholder %i constant "i" : i64[4] data [0, 1, 2, 1]
  placeholder %s constant "s" : f32[4] data [-0.0, 0.0, 1.0, 0.0]
  %a = aten.scatter_reduce.two(%x, 0, %i, %s, "amax")
  %b = aten.scatter_reduce.two(%x, 0, %i, %s, "amin")
  output (user %a, user %b)
}
--out--
 00000000 80000000 7fc00000
 00000000 80000000 7fc00000
 00000000 80000000 7fc00000
 00000000 80000000 7fc00000
 00000000 80000000 7fc00000
 00000000 80000000 7fc00000
