# sizes that values decide: one artifact for every count, none among them; the caller's memory; assertions; no
# allocation in a second call of the same sizes
--run-- ferrite compile rows.fx -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -rdynamic -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so
--file rows.fx--
graph main {
  placeholder %x user "x" : f32[4,3]
  %m = aten.gt.Scalar(%x, 0) : bool[4,3]
  %n = aten.nonzero.default(%m) : i64[u0,2]{1,u0}
  %v = aten.masked_select.default(%x, %m) : f32[u1]
  %e = aten.exp.default(%v) : f32[u1]
  %s = aten.sum.default(%e) : f32[]
  %d = aten.div.Tensor(%e, %s) : f32[u1]
  output (user %n, user %d)
}
--in--
in 0 f32 [4,3] = 1 0 0 0 2 0 0 0 0 0 0 1
run
show out 0
show out 1
in 0 f32 [4,3] = 0 0 0 0 0 0 0 0 0 0 0 0
run
show out 0
show out 1
in 0 f32 [4,3] = 1 1 1 1 1 1 1 1 1 1 1 1
run
show out 0
in 0 f32 [4,3] = 1 0 0 0 2 0 0 0 0 0 0 1
allocates
allocates
show out 1
out 0 i64 [3,2]
out 1 f32 [12]
run
show out 0
show out 1
out 0 i64 [4,4] {2,1}
run
out 0 i64 [4,2] {2,1}
run
show out 0
in 0 f32 [4,3] = 1 1 0 0 1 0 0 1 0 1 0 0
run
out 0 i32 [9,9]
run
--out--
out 0 [3,2]{1,3}: 0.000 0.000 1.000 1.000 3.000 2.000
out 1 [3]{1}: 0.212 0.576 0.212
out 0 [0,2]{1,0}:
out 1 [0]{1}:
out 0 [12,2]{1,12}: 0.000 0.000 0.000 1.000 0.000 2.000 1.000 0.000 1.000 1.000 1.000 2.000 2.000 0.000 2.000 1.000 2.000 2.000 3.000 0.000 3.000 1.000 3.000 2.000
no allocation
no allocation
out 1 [3]{1}: 0.212 0.576 0.212
out 0 [3,2]{2,1}: 0.000 0.000 1.000 1.000 3.000 2.000
out 1 [3]{1}: 0.212 0.576 0.212
out 0 [3,2]{2,1}: 0.000 0.000 1.000 1.000 3.000 2.000
failed 2: the memory given for output 'output_0' has room for 4 in dimension 0, the result has 5: int64 [u0, 2]
failed 2: the memory given for output 'output_0' is not int64 [u0, 2]
--run-- ferrite compile item.fx -o m.so --quiet && ./call ./m.so
--file item.fx--
symbols {
  u0 unbacked in [0, 6]
}
graph main {
  placeholder %x user "x" : f32[6,2]
  placeholder %i user "i" : i64[]
  %k = aten.item.default(%i) : int u0
  %c = _operator.ge(%k, 0) : bool 1
  %a = aten._assert_scalar.default(%c, "k counts rows")
  %h = aten.slice.Tensor(%x, 0, None, %k) : f32[u0,2]
  %s = aten.sum.dim_IntList(%h, [0]) : f32[2]
  %z = aten.arange.default(%k) : i64[u0]
  %r = aten.select.int(%x, 0, %k) : f32[2]{1}+2*u0
  %q = aten.mul.Tensor(%r, 1) : f32[2]
  output (user %s, user %z, user %q, user %k)
}
--in--
in 0 f32 [6,2]
in 1 i64 [] = 3
run
show out 0
show out 1
show out 2
show out 3
in 1 i64 [] = 0
run
show out 0
show out 1
in 1 i64 [] = -1
run
in 1 i64 [] = 7
run
in 1 i64 [] = 6
run
in 1 i64 [] = 5
run
show out 2
--out--
out 0 [2]{1}: 0.750 0.500
out 1 [3]{1}: 0.000 1.000 2.000
out 2 [2]{1}: -1.000 0.750
out 3 []{}: 3.000
out 0 [2]{1}: 0.000 0.000
out 1 [0]{1}:
failed 4: k counts rows: 0 <= u0 (a): u0 = -1
failed 4: an index is out of range: u0 < 6 (r): u0 = 7
failed 4: an index is out of range: u0 < 6 (r): u0 = 6
out 2 [2]{1}: 0.500 -0.500
--run-- ferrite compile sizes.fx -o m.so --quiet && ./call ./m.so
--file sizes.fx--
graph main {
  placeholder %i user "i" : i64[2]
  %a = aten.select.int(%i, 0, 0) : i64[]
  %b = aten.select.int(%i, 0, 1) : i64[]+1
  %u = aten.item.default(%a) : int u0
  %v = aten.item.default(%b) : int u1
  %z = aten.ones.default([%u, %v], torch.float32) : f32[u0,u1]{u1,1}
  %e = aten.exp.default(%z) : f32[u0,u1]{u1,1}
  %s = aten.sum.default(%e) : f32[]
  %q = _operator.floordiv(%u, %v) : int u0 // u1
  output (user %s, user %q)
}
--in--
in 0 i64 [2] = 3 2
run
show out 0
show out 1
in 0 i64 [2] = 0 5
run
show out 0
in 0 i64 [2] = -1 5
run
in 0 i64 [2] = 5 0
run
in 0 i64 [2] = 4000000000 4000000000
run
in 0 i64 [2] = 4611686018427387904 4
run
in 0 i64 [2] = 2 1
run
show out 0
--out--
out 0 []{}: 16.310
out 1 []{}: 1.000
out 0 []{}: 0.000
failed 4: a size is negative: 0 <= u0 (z): u0 = -1
failed 4: a division by zero: u1 (q): u1 = 0
failed 3: the sizes of this run are too large
failed 3: the sizes of this run are too large
out 0 []{}: 5.437
--run-- ferrite compile room.fx -o m.so --quiet && ASAN_OPTIONS=allocator_may_return_null=1 ./call ./m.so
--file room.fx--
graph main {
  placeholder %i user "i" : i64[]
  %u = aten.item.default(%i) : int u0
  %z = aten.arange.default(%u) : i64[u0]
  %n = aten.nonzero.default(%z) : i64[u1,1]{1,u1}
  output (user %n)
}
--in--
in 0 i64 [] = 3
run
show out 0
in 0 i64 [] = 1000000000000000000
run
in 0 i64 [] = 3
run
show out 0
allocates
--out--
out 0 [2,1]{1,2}: 1.000 2.000
failed 3: no memory for 1000000327904133184 bytes of buffers
out 0 [2,1]{1,2}: 1.000 2.000
no allocation
