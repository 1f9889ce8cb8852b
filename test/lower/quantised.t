# a product with integers is a call of the runtime, in float32: half types are widened before it and rounded behind it
--run-- ferrite inspect --stage loop - | grep -v "^const"
--in--
graph main {
  placeholder %w constant "w" : i8[2,8] data [1, -2, 3, 4, 5, 6, 7, -8, 1, 2, 3, 4, 5, 6, 7, -8]
  placeholder %s constant "s" : f32[1,2] data [0.5, 2.0]
  placeholder %b constant "b" : bf16[2] data [0.5, 2.0]
  placeholder %x user "x" : bf16[3,4,8]
  %y = ferrite.quantised_linear.default(%x, %w, %s, None, %b, 4)
  output (user %y)
}
--out--
program stdin
input  @x : bf16[3,4,8] strides [32,8,1] origin 3
temp   @buf5 : f32[3,4,8] strides [32,8,1] origin 4
temp   @buf6 : f32[12,2] strides [2,1] origin 4
temp   @buf7 : bf16[3,4,2] strides [8,2,1] origin 4
nest [i0 < 3, i1 < 4, i2 < 8] origin 4 {
  %0 = load bf16 @x[32*i0 + 8*i1 + i2]
  %1 = cast %0 : f32
  @buf5[32*i0 + 8*i1 + i2] = %1
}
extern quantised_gemm (@buf5[12,8]{8,1}, @w[8,2]{1,8}, @s[1,2]{2,1}, none, @b.f32_4[2]{1}) -> (@buf6[12,2]{2,1}) ints [4] floats [] origin 4
nest [i0 < 3, i1 < 4, i2 < 2] origin 4 {
  %0 = load f32 @buf6[8*i0 + 2*i1 + i2]
  %1 = cast %0 : bf16
  @buf7[8*i0 + 2*i1 + i2] = %1
}
output @buf7[3,4,2]{8,2,1}
--run-- ferrite inspect --stage wrap - | grep 'weight\|extern\|scratch'
--in--
# packed ahead by each one's bits; only more rows than a few need an area
graph main {
  placeholder %w constant "w" : i8[2,16] data [1, -2, 3, 4, 5, 6, 7, -8, 1, 2, 3, 4, 5, 6, 7, -8, 1, -2, 3, 4, 5, 6, 7, -8, 1, 2, 3, 4, 5, 6, 7, -8]
  placeholder %s constant "s" : f32[2,2] data [0.5, 2.0, 1.0, 3.0]
  placeholder %z constant "z" : f32[2,2] data [0.5, 2.0, 1.0, 3.0]
  placeholder %x user "x" : f32[s0,16]
  placeholder %one user "one" : f32[1,16]
  %y = ferrite.quantised_linear.default(%x, %w, %s, %z, None, 4)
  %v = ferrite.quantised_linear.default(%one, %w, %s, %z, None, 4)
  output (user %y, user %v)
}
--out--
wrapper arena -1 bound -1 weights 384 kernels 0 calls 2 scratch 2048
weight 0 @w at 0 bytes 256 packed quantised_gemm 1
weight 1 @s at 256 bytes 16
weight 2 @z at 320 bytes 16
extern quantised_gemm (@x[s0,16]{16,1}, @w[16,2]{1,16} packed 0, @s[2,2]{2,1}, @z[2,2]{2,1}, none) -> (@buf5[s0,2]{2,1}) workspace @buf7 ints [4] floats []
extern quantised_gemm (@one[1,16]{16,1}, @w[16,2]{1,16} packed 0, @s[2,2]{2,1}, @z[2,2]{2,1}, none) -> (@buf6[1,2]{2,1}) workspace @buf8 ints [4] floats []
