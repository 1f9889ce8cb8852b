# half types are widened for each operator and rounded after it
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : bf16[8]
  %mul = aten.mul.Tensor(%x, 3.0) : bf16[8]
  %exp = aten.exp.default(%mul) : bf16[8]
  output (user %exp)
}
--out--
program stdin
input  @x : bf16[8] strides [1] origin 0
temp   @buf1 : bf16[8] strides [1] origin 2
nest [i0 < 8] origin 2 {
  %0 = load bf16 @x[i0]
  %1 = cast %0 : f32
  %2 = const 3.0 : f32
  %3 = mul %1, %2 : f32
  %4 = cast %3 : bf16
  %5 = cast %4 : f32
  %6 = exp %5 : f32
  %7 = cast %6 : bf16
  @buf1[i0] = %7
}
output @buf1[8]{1}
