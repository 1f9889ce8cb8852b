# 159839: buffers whose size the run knows late have memory from when it does, beside those placed before; the same memory serves
# call after call, whatever the sizes, and all of it is given back
--run-- ferrite inspect late.fx --stage wrap | grep -e '^wrapper' -e '^alloc' -e '^place' -e '^symbol u0 =' && ferrite compile late.fx -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -rdynamic -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so
--file late.fx--
graph main {
  range u0 in [0, 16]
  placeholder %x user "x" : f32[16]
  %e = aten.exp.default(%x) : f32[16]
  %z = aten.nonzero.default(%x) : i64[u0,1]
  %f = aten._to_copy.default(%z, dtype=f32) : f32[u0,1]
  %t = aten.permute.default(%f, [1, 0]) : f32[1,u0]
  %p = aten.mm.default(%f, %t) : f32[u0,u0]
  %c = aten.cumsum.default(%p, 0) : f32[u0,u0]
  %s = aten.sum.default(%c) : f32[]
  %o = aten.add.Tensor(%e, %s) : f32[16]
  output (user %o)
}
--in--
in 0 f32 [16] = 1 1 1
run
release quietly
run
release quietly
in 0 f32 [16] = 1 1 1 1 1
run
show out 0
in 0 f32 [16] = 0 0 2 1
run
show out 0
in 0 f32 [16] = 0
run
show out 0
in 0 f32 [16] = 1 1 1 1 1
allocates
show out 0
in 0 f32 [16]
run
release
--out--
wrapper arena 128 bound 128 weights 0 kernels 4 calls 6
alloc @buf1 live [0, 5) at 0 bytes 16
alloc @buf2 live [0, 2) at 64 bytes 8
symbol u0 = @buf2[]{}
place 1
alloc @buf3 live [4, 6) segment 1 bytes 8*u0
alloc @buf4 live [5, 7) segment 1 bytes 4*u0
alloc @buf5 live [6, 8) segment 1 bytes 4*u0*max(u0, 1) + 4*u0 - 4*max(u0, 1)
out 0 [16]{1}: 202.718 202.718 202.718 202.718 202.718 201.000 201.000 201.000 201.000 201.000 201.000 201.000 201.000 201.000 201.000 201.000
out 0 [16]{1}: 36.000 36.000 42.389 37.718 36.000 36.000 36.000 36.000 36.000 36.000 36.000 36.000 36.000 36.000 36.000 36.000
out 0 [16]{1}: 1.000 1.000 1.000 1.000 1.000 1.000 1.000 1.000 1.000 1.000 1.000 1.000 1.000 1.000 1.000 1.000
no allocation
out 0 [16]{1}: 202.718 202.718 202.718 202.718 202.718 201.000 201.000 201.000 201.000 201.000 201.000 201.000 201.000 201.000 201.000 201.000
0 blocks and 0 files are left
--run-- for o in '' --no-cc --max-arena '--split nodes=1'; do ferrite check --lifecycle-check $o $ROOT/test/cases/ops/places_of_nonzero.pt2 $ROOT/test/cases/ops/masks_as_indices.pt2 $ROOT/test/cases/ops/unique_values.pt2 | tail -1; done
--out--
3 passed, 0 failed, 0 unsupported
3 passed, 0 failed, 0 unsupported
3 passed, 0 failed, 0 unsupported
3 passed, 0 failed, 0 unsupported
