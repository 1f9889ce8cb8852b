# attention is one call: heads are strides, a bool mask becomes numbers to add, the result's transpose is a view
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %qkv user "qkv" : f32[2,5,24]
  placeholder %m user "m" : bool[2,1,1,5]
  %split = aten.split.Tensor(%qkv, 8, 2) : (f32[2,5,8]{120,24,1}, f32[2,5,8]{120,24,1}+8, f32[2,5,8]{120,24,1}+16)
  %q = _operator.getitem(%split, 0) : f32[2,5,8]{120,24,1}
  %k = _operator.getitem(%split, 1) : f32[2,5,8]{120,24,1}+8
  %v = _operator.getitem(%split, 2) : f32[2,5,8]{120,24,1}+16
  %q1 = aten.view.default(%q, [2, 5, 2, 4]) : f32[2,5,2,4]{120,24,4,1}
  %k1 = aten.view.default(%k, [2, 5, 2, 4]) : f32[2,5,2,4]{120,24,4,1}+8
  %v1 = aten.view.default(%v, [2, 5, 2, 4]) : f32[2,5,2,4]{120,24,4,1}+16
  %q2 = aten.transpose.int(%q1, 1, 2) : f32[2,2,5,4]{120,4,24,1}
  %k2 = aten.transpose.int(%k1, 1, 2) : f32[2,2,5,4]{120,4,24,1}+8
  %v2 = aten.transpose.int(%v1, 1, 2) : f32[2,2,5,4]{120,4,24,1}+16
  %sdpa = aten.scaled_dot_product_attention.default(%q2, %k2, %v2, %m) : f32[2,2,5,4]{40,4,8,1}
  %back = aten.transpose.int(%sdpa, 1, 2) : f32[2,5,2,4]
  %rows = aten.view.default(%back, [2, 5, 8]) : f32[2,5,8]
  output (user %rows)
}
--out--
program stdin
input  @qkv : f32[2,5,24] strides [120,24,1] origin 0
input  @m : bool[2,1,1,5] strides [5,5,5,1] origin 1
temp   @buf2 : f32[2,2,5,4] strides [40,4,8,1] origin 12
extern sdpa (@qkv[2,2,5,4]{120,4,24,1}, @qkv[2,2,5,4]{120,4,24,1} + 8, @qkv[2,2,5,4]{120,4,24,1} + 16, @m[2,2,5,5]{5,0,0,1}) -> (@buf2[2,2,5,4]{40,4,8,1}) ints [0,1,0,0] floats [0.5] origin 12
output @buf2[2,5,8]{40,8,1}
--run-- ferrite inspect --stage loop -
--in--
graph a_mask_that_is_computed_is_stored_for_one_head {
  placeholder %q user "q" : f32[2,3,5,8]
  placeholder %k user "k" : f32[2,3,7,8]
  placeholder %v user "v" : f32[2,3,7,8]
  placeholder %row user "row" : i64[5,1]
  placeholder %column user "column" : i64[7]
  %seen = aten.le.Tensor(%column, %row)
  %all = aten.expand.default(%seen, [2, 3, 5, 7])
  %turned = aten.logical_not.default(%all)
  %out = aten.scaled_dot_product_attention.default(%q, %k, %v, %turned)
  output (user %out)
}
--out--
program stdin
input  @q : f32[2,3,5,8] strides [120,40,8,1] origin 0
input  @k : f32[2,3,7,8] strides [168,56,8,1] origin 1
input  @v : f32[2,3,7,8] strides [168,56,8,1] origin 2
input  @row : i64[5,1] strides [1,1] origin 3
input  @column : i64[7] strides [1] origin 4
temp   @buf5 : bool[1,1,5,7] strides [35,35,7,1] origin 7
temp   @buf6 : f32[2,3,5,8] strides [120,40,8,1] origin 8
nest [i0 < 1, i1 < 1, i2 < 5, i3 < 7] origin 7 {
  %0 = load i64 @column[i3]
  %1 = load i64 @row[i2]
  %2 = le %0, %1 : bool
  %3 = not %2 : bool
  @buf5[7*i2 + i3] = %3
}
extern sdpa (@q[2,3,5,8]{120,40,8,1}, @k[2,3,7,8]{168,56,8,1}, @v[2,3,7,8]{168,56,8,1}, @buf5[2,3,5,7]{0,0,7,1}) -> (@buf6[2,3,5,8]{120,40,8,1}) ints [0,1,0,0] floats [0.35355339059327373] origin 8
output @buf6[2,3,5,8]{120,40,8,1}
