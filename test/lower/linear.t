# a product with a weight is a gemm with its bias; its epilogue stays pointwise; leading dims become rows; a weight of one dimension is a row
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %w param "w" : f32[16,8]
  placeholder %b param "b" : f32[16]
  placeholder %x user "x" : f32[2,3,8]
  %linear = aten.linear.default(%x, %w, %b) : f32[2,3,16]
  %relu = aten.relu.default(%linear) : f32[2,3,16]
  %t = aten.transpose.int(%relu, 1, 2) : f32[2,16,3]{48,1,16}
  %bmm = aten.bmm.default(%relu, %t) : f32[2,3,3]
  output (user %bmm)
}
--out--
program stdin
input  @x : f32[2,3,8] strides [24,8,1] origin 2
const  @w : f32[16,8] strides [8,1] origin 0
const  @b : f32[16] strides [1] origin 1
temp   @buf3 : f32[6,16] strides [16,1] origin 3
temp   @buf4 : f32[2,3,16] strides [48,16,1] origin 4
temp   @buf5 : f32[2,3,3] strides [9,3,1] origin 6
extern gemm (@x[6,8]{8,1}, @w[8,16]{1,8}, @b[16]{1}) -> (@buf3[6,16]{16,1}) ints [0] floats [0.0,0.0] origin 3
nest [i0 < 2, i1 < 3, i2 < 16] origin 4 {
  %0 = load f32 @buf3[48*i0 + 16*i1 + i2]
  %1 = const 0.0 : f32
  %2 = max %0, %1 : f32
  @buf4[48*i0 + 16*i1 + i2] = %2
}
extern bmm (@buf4[2,3,16]{48,16,1}, @buf4[2,16,3]{48,1,16}, none) -> (@buf5[2,3,3]{9,3,1}) ints [] floats [1.0,0.0] origin 6
output @buf5[2,3,3]{9,3,1}
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : f32[3,4]
  placeholder %w user "w" : f32[4]
  %y = aten.linear.default(%x, %w)
  output (user %y)
}
--out--
program stdin
input  @x : f32[3,4] strides [4,1] origin 0
input  @w : f32[4] strides [1] origin 1
temp   @buf2 : f32[3,1] strides [1,1] origin 2
nest [i0 < 3, i1 < 1] reduce [r0 < 4] origin 2 {
  %0 = load f32 @x[4*i0 + r0]
  %1 = load f32 @w[r0]
  %2 = mul %0, %1 : f32
  @buf2[i0] = sum %2
}
output @buf2[3]{1}
--run-- ferrite inspect --stage loop - 2>&1 | grep -e extern -e add -e error
--in--
# a bias that is not one number a column is added behind the product
graph main {
  placeholder %x user "x" : f32[2,3]
  placeholder %w constant "w" : f32[3,3] data [1, 2, 3, 4, 5, 6, 7, 8, 9]
  placeholder %b user "b" : f32[2,3]
  placeholder %c user "c" : f32[1]
  %y = aten.linear.default(%x, %w, %b)
  %z = aten.linear.default(%x, %w, %c)
  output (user %y, user %z)
}
--out--
extern gemm (@x[2,3]{3,1}, @w[3,3]{1,3}, none) -> (@buf4[2,3]{3,1}) ints [0] floats [0.0,0.0] origin 4
extern gemm (@x[2,3]{3,1}, @w[3,3]{1,3}, none) -> (@buf5[2,3]{3,1}) ints [0] floats [0.0,0.0] origin 5
  %2 = add %0, %1 : f32
  %2 = add %0, %1 : f32
