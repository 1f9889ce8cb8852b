# numbers drawn by rejection are values like others: random bits and the parameters in, a number out
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %n user "n" : f32[3]
  placeholder %p user "p" : f32[3]
  %a = aten.binomial.default(%n, %p) : f32[3]
  output (user %a)
}
--out--
program stdin
input  @n : f32[3] strides [1] origin 0
input  @p : f32[3] strides [1] origin 1
state  @random.seed : i64[] strides []
temp   @buf3 : f32[3] strides [1] origin 2
nest [i0 < 3] origin 2 {
  %0 = load i64 @random.seed[0]
  %1 = const 45125407937 : i64
  %2 = add %0, %1 : i64
  %3 = index i0 : i64
  %4 = randbits %2, %3 : i64
  %5 = bitcast %4 : f64
  %6 = load f32 @n[i0]
  %7 = cast %6 : f64
  %8 = load f32 @p[i0]
  %9 = cast %8 : f64
  %10 = drawbinomial %5, %7, %9 : f64
  %11 = cast %10 : f32
  @buf3[i0] = %11
}
nest [] origin 3 {
  %0 = load i64 @random.seed[0]
  %1 = const 1 : i64
  %2 = add %0, %1 : i64
  @random.seed[0] = %2
}
output @buf3[3]{1}
