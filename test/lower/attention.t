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
temp   @buf2 : f32[2,1,1,5] strides [5,5,5,1] origin 12
temp   @buf3 : f32[2,2,5,4] strides [40,4,8,1] origin 12
nest [i0 < 2, i1 < 1, i2 < 1, i3 < 5] origin 12 {
  %0 = load bool @m[5*i0 + i3]
  %1 = const 0.0 : f32
  %2 = const -inf : f32
  %3 = where %0, %1, %2 : f32
  @buf2[5*i0 + i3] = %3
}
extern sdpa (@qkv[2,2,5,4]{120,4,24,1}, @qkv[2,2,5,4]{120,4,24,1} + 8, @qkv[2,2,5,4]{120,4,24,1} + 16, @buf2[2,2,5,5]{5,0,0,1}) -> (@buf3[2,2,5,4]{40,4,8,1}) ints [0,1,0] floats [0.5] origin 12
output @buf3[2,5,8]{40,8,1}
