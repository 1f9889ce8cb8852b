# linear algebra that needs no LAPACK: triangular systems, the matrix exponential, pivots; what fails says which matrix
--run-- ferrite compile solve.fx -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so && ! readelf -d m.so | grep lapack
--file solve.fx--
graph main {
  placeholder %a user "a" : f64[2,2]
  placeholder %b user "b" : f64[2,1]
  %x = aten.linalg_solve_triangular.default(%a, %b, upper=True) : f64[2,1]{1,2}
  %e = aten.linalg_matrix_exp.default(%a) : f64[2,2]
  output (user %x, user %e)
}
--in--
in 0 f64 [2,2] = 2 1 0 4
in 1 f64 [2,1] = 5 8
run
show out 0
show out 1
--out--
out 0 [2,1]{1,2}: 1.500 2.000
out 1 [2,2]{2,1}: 7.389 23.605 0.000 54.598
--run-- ferrite compile pivots.fx -o m.so --quiet && ./call ./m.so
--file pivots.fx--
graph main {
  placeholder %lu user "lu" : f32[3,3]
  placeholder %pivots user "pivots" : i32[3]
  %all = aten.lu_unpack.default(%lu, %pivots) : (f32[3,3], f32[3,3], f32[3,3])
  %p = _operator.getitem(%all, 0) : f32[3,3]
  %l = _operator.getitem(%all, 1) : f32[3,3]
  %u = _operator.getitem(%all, 2) : f32[3,3]
  output (user %p, user %l, user %u)
}
--in--
in 0 f32 [3,3] = 1 2 3 4 5 6 7 8 9
in 1 i32 [3] = 3 3 3
run
show out 0
show out 1
show out 2
in 1 i32 [3] = 3 4 3
run
--out--
out 0 [3,3]{3,1}: 0.000 1.000 0.000 0.000 0.000 1.000 1.000 0.000 0.000
out 1 [3,3]{3,1}: 1.000 0.000 0.000 4.000 1.000 0.000 7.000 8.000 1.000
out 2 [3,3]{3,1}: 1.000 2.000 3.000 0.000 5.000 6.000 0.000 0.000 9.000
failed 1: a pivot of a factorisation is 4, which is no row of the matrix
--run-- ferrite compile check.fx -o m.so --quiet && ./call ./m.so
--file check.fx--
graph main {
  placeholder %info user "info" : i32[3]
  placeholder %x user "x" : f32[2]
  %check = aten._linalg_check_errors.default(%info, "linalg.cholesky", is_matrix=False) : ()
  %y = aten.neg.default(%x) : f32[2]
  output (user %y)
}
--in--
in 0 i32 [3] = 0 0 0
in 1 f32 [2] = 1 2
run
show out 0
in 0 i32 [3] = 0 0 2
run
in 0 i32 [3] = 0 -4 0
run
--out--
out 0 [2]{1}: -1.000 -2.000
failed 4: linalg.cholesky: matrix 2 of the batch is not positive-definite: its leading minor of order 2 is not
failed 4: linalg.cholesky: matrix 1 of the batch holds infinities or NaNs
