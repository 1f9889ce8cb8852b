# with LAPACK: factors of a batch, and the matrix that has none; a later call is not hurt by a failed one
--skip-if-missing-- /usr/share/doc/liblapack-dev
--run-- ferrite compile solve.fx -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so && readelf -d m.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v -e ^ld-linux -e ^libm.so | sort
--file solve.fx--
graph main {
  placeholder %a user "a" : f64[2,2,2]
  placeholder %b user "b" : f64[2,2]
  %x = aten.linalg_solve.default(%a, %b) : f64[2,2]
  %s = aten.linalg_svdvals.default(%a) : f64[2,2]
  output (user %x, user %s)
}
--in--
in 0 f64 [2,2,2] = 2 0 0 4 1 1 0 1
in 1 f64 [2,2] = 2 4 3 1
run
show out 0
show out 1
in 0 f64 [2,2,2] = 2 0 0 4 1 1 1 1
run
in 0 f64 [2,2,2] = 2 0 0 4 1 1 0 2
run
show out 0
--out--
out 0 [2,2]{1,2}: 1.000 1.000 2.000 1.000
out 1 [2,2]{2,1}: 4.000 2.000 1.618 0.618
failed 4: linalg.solve: matrix 1 of the batch is singular, so its system has no unique solution: pivot 2 is zero
out 0 [2,2]{1,2}: 1.000 1.000 2.500 0.500
libc.so.6
liblapack.so.3
