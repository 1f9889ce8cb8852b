# sizes that were met before cost no allocation and no plan, whatever came between; a buffer of constant size whose parts the run cuts
--run-- ferrite compile mix.fx -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -rdynamic -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so
--file mix.fx--
symbols {
  s0 in [0, 2000]
  s1 in [0, 2000]
}
graph main {
  placeholder %x user "x" : f32[s0,4]
  placeholder %y user "y" : f32[s1,4]
  %e = aten.exp.default(%x) : f32[s0,4]
  %a = aten.sin.default(%x) : f32[s0,4]
  %s = aten.cumsum.default(%a, 0) : f32[s0,4]
  %c = aten.cat.default([%e, %y, %s]) : f32[2*s0 + s1,4]
  %f = aten.flip.default(%c, [0]) : f32[2*s0 + s1,4]
  %r = aten.cumsum.default(%f, 0) : f32[2*s0 + s1,4]
  %t = aten.sum.dim_IntList(%r, [1]) : f32[2*s0 + s1]
  output (user %t)
}
--in--
in 0 f32 [2,4]
in 1 f32 [1,4]
run
show out 0
in 0 f32 [0,4]
in 1 f32 [3,4]
run
show out 0
in 0 f32 [1,4]
in 1 f32 [0,4]
run
show out 0
in 0 f32 [2,4]
in 1 f32 [1,4]
allocates
show out 0
in 0 f32 [0,4]
in 1 f32 [3,4]
allocates
show out 0
in 0 f32 [0,4]
in 1 f32 [0,4]
run
show out 0
in 0 f32 [7,4]
in 1 f32 [5,4]
run
in 0 f32 [2,4]
in 1 f32 [1,4]
allocates
show out 0
--out--
out 0 [5]{1}: 0.717 0.752 1.002 7.205 13.059
out 0 [3]{1}: -1.500 -0.750 -0.500
out 0 [2]{1}: 0.035 5.889
no allocation
out 0 [5]{1}: 0.717 0.752 1.002 7.205 13.059
no allocation
out 0 [3]{1}: -1.500 -0.750 -0.500
out 0 [0]{1}:
no allocation
out 0 [5]{1}: 0.717 0.752 1.002 7.205 13.059
--run-- ferrite inspect cut.fx --stage c | grep 'arena +' && ferrite compile cut.fx -o m.so --quiet && ./call ./m.so
--file cut.fx--
symbols {
  u0 unbacked in [0, 8]
}
graph main {
  placeholder %x user "x" : f32[8,4]
  placeholder %i user "i" : i64[]
  %k = aten.item.default(%i) : int u0
  %h = aten.slice.Tensor(%x, 0, 0, %k) : f32[u0,4]
  %t = aten.slice.Tensor(%x, 0, %k, 8) : f32[8 - u0,4]
  %e = aten.cumsum.default(%h, 0) : f32[u0,4]
  %f = aten.cumsum.default(%t, 0) : f32[8 - u0,4]
  %c = aten.cat.default([%e, %f]) : f32[8,4]
  %r = aten.cumsum.default(%c, 1) : f32[8,4]
  %q = aten.flip.default(%r, [1]) : f32[8,4]
  output (user %q)
}
--in--
in 0 f32 [8,4]
in 1 i64 [] = 3
run
show out 0
in 1 i64 [] = 8
run
in 1 i64 [] = 0
run
show out 0
--out--
    float *const buf2 = (void *)(arena + 0);
    float *const buf3 = (void *)(arena + 0 + ((4 * u0)) * 4);
    float *const buf4 = (void *)(arena + 0);
    float *const buf5 = (void *)(arena + 0);
out 0 [8,4]{4,1}: 0.250 1.000 0.750 -0.500 1.000 1.000 1.750 0.500 -0.500 0.000 0.250 0.250 1.750 0.750 1.500 1.250 1.250 0.500 0.500 1.250 1.250 -0.750 -0.250 0.000 1.750 -0.250 -0.750 0.250 0.000 -0.750 -1.000 -0.750
out 0 [8,4]{4,1}: 0.250 1.000 0.750 -0.500 1.000 1.000 1.750 0.500 -0.500 0.000 0.250 0.250 1.250 0.750 1.750 1.500 0.750 0.500 0.750 1.500 0.750 -0.750 0.000 0.250 1.250 -0.250 -0.500 0.500 -0.500 -0.750 -0.750 -0.500
