# what LAPACK does is a call, what PyTorch composes of it is composed: an inverse is a solution, a checked one
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : f32[2,3,3]
  %inv = aten.linalg_inv.default(%x) : f32[2,3,3]{9,1,3}
  output (user %inv)
}
--out--
program stdin
input  @x : f32[2,3,3] strides [9,3,1] origin 0
temp   @buf1 : f32[2,3,3] strides [9,1,3] origin 1
temp   @buf2 : i32[2,3] strides [3,1] origin 1
temp   @buf3 : i32[2] strides [1] origin 1
temp   @buf4 : f32[2,3,3] strides [9,1,3] origin 1
temp   @buf5 : f32[2,3,3] strides [9,3,1] origin 1
extern lu_factor (@x[2,3,3]{9,3,1}) -> (@buf1[2,3,3]{9,1,3}, @buf2[2,3]{3,1}, @buf3[2]{1}) ints [] floats [] origin 1
nest [i0 < 2, i1 < 3, i2 < 3] origin 1 {
  %0 = index -i1 + i2 : i64
  %1 = const 0 : i64
  %2 = eq %0, %1 : bool
  %3 = cast %2 : f32
  @buf5[9*i0 + 3*i1 + i2] = %3
}
extern lu_solve (@buf1[2,3,3]{9,1,3}, @buf2[2,3]{3,1}, @buf5[2,3,3]{9,3,1}) -> (@buf4[2,3,3]{9,1,3}) ints [0] floats [] origin 1
extern check_info (@buf3[2]{1}) -> () ints [1] floats [] text "linalg.inv" origin 1
output @buf4[2,3,3]{9,1,3}
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : f64[4,2]
  %qr = aten.linalg_qr.default(%x, "complete") : (f64[4,4]{1,4}, f64[4,2]{1,4})
  %q = _operator.getitem(%qr, 0) : f64[4,4]{1,4}
  %r = _operator.getitem(%qr, 1) : f64[4,2]{1,4}
  output (user %q, user %r)
}
--out--
program stdin
input  @x : f64[4,2] strides [2,1] origin 0
temp   @buf1 : f64[4,2] strides [1,4] origin 1
temp   @buf2 : f64[2] strides [1] origin 1
temp   @buf3 : f64[4,4] strides [1,4] origin 1
temp   @buf4 : f64[4,2] strides [1,4] origin 1
extern qr_factor (@x[4,2]{2,1}) -> (@buf1[4,2]{1,4}, @buf2[2]{1}) ints [] floats [] origin 1
extern householder_product (@buf1[4,2]{1,4}, @buf2[2]{1}) -> (@buf3[4,4]{1,4}) ints [] floats [] origin 1
nest [i0 < 4, i1 < 2] origin 1 {
  %0 = const 0 : i64
  %1 = index -i0 + i1 : i64
  %2 = le %0, %1 : bool
  %3 = load f64 @buf1[i0 + 4*i1]
  %4 = const 0.0 : f64
  %5 = where %2, %3, %4 : f64
  @buf4[i0 + 4*i1] = %5
}
output @buf3[4,4]{1,4}
output @buf4[4,2]{1,4}
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %b user "b" : f32[3,1]
  placeholder %l user "l" : f32[2,3,3]
  %x = aten.cholesky_solve.default(%b, %l, True) : f32[2,3,1]{3,1,3}
  output (user %x)
}
--out--
program stdin
input  @b : f32[3,1] strides [1,1] origin 0
input  @l : f32[2,3,3] strides [9,3,1] origin 1
temp   @buf2 : f32[2,3,1] strides [3,1,3] origin 2
temp   @buf3 : f32[2,3,1] strides [3,1,3] origin 2
extern triangular_solve (@l[2,3,3]{9,1,3}, @b[2,3,1]{0,1,0}) -> (@buf2[2,3,1]{3,1,3}) ints [0,0] floats [] origin 2
extern triangular_solve (@l[2,3,3]{9,3,1}, @buf2[2,3,1]{3,1,3}) -> (@buf3[2,3,1]{3,1,3}) ints [1,0] floats [] origin 2
output @buf3[2,3,1]{3,1,3}
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : f32[3,3]
  %lu = aten.linalg_lu_factor.default(%x, pivot=False) : (f32[3,3]{1,3}, i32[3])
  %a = _operator.getitem(%lu, 0) : f32[3,3]{1,3}
  output (user %a)
}
--out--
--err--
error: lower: cannot lower aten.linalg_lu_factor.default: LU factors without pivoting, which PyTorch has no CPU kernel for either
  at %lu in graph main
  help: replace it in the model, or register the operator as a custom operator with its own kernel
--status-- 1
