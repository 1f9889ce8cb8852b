# one arena for all sizes that the ranges allow: no run allocates, not even the first; what has no bound is refused
--run-- ferrite compile $ROOT/test/cases/programs/ragged_rows.pt2 -o m.so --max-arena | sed -n '/^arena/p' && ${FERRITE_TEST_CC:-cc} -rdynamic -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl
--out--
arena: 128 bytes, lower bound 128
--run-- ferrite compile mix.fx -o m.so --max-arena | sed -n '/^arena/p' && ./call ./m.so
--file mix.fx--
symbols {
  s0 in [0, 20]
  u0 unbacked in [0, 30]
}
graph main {
  placeholder %x user "x" : f32[s0,4]
  placeholder %i user "i" : i64[]
  %k = aten.item.default(%i) : int u0
  %z = aten.arange.default(%k) : i64[u0]
  %e = aten.exp.default(%x) : f32[s0,4]
  %s = aten.cumsum.default(%x, 0) : f32[s0,4]
  %c = aten.cat.default([%e, %s]) : f32[2*s0,4]
  %r = aten.cumsum.default(%c, 0) : f32[2*s0,4]
  %t = aten.sum.dim_IntList(%r, [1]) : f32[2*s0]
  %q = aten.cumsum.default(%z, 0) : i64[u0]
  %p = aten.cumsum.default(%q, 0) : i64[u0]
  output (user %t, user %p)
}
--in--
in 0 f32 [1,4]
in 1 i64 [] = 3
context 1
ready
allocates
show out 0
show out 1
in 0 f32 [20,4]
in 1 i64 [] = 30
allocates
in 0 f32 [0,4]
in 1 i64 [] = 0
allocates
in 0 f32 [2,4]
in 1 i64 [] = 4
allocates
show out 0
show out 1
in 1 i64 [] = 31
run
in 1 i64 [] = -1
run
in 0 f32 [21,4]
run
--out--
arena: 640 bytes, lower bound 640
no allocation
out 0 [2]{1}: 5.853 6.103
out 1 [3]{1}: 0.000 1.000 4.000
no allocation
no allocation
no allocation
out 0 [4]{1}: 5.853 12.056 12.306 13.306
out 1 [4]{1}: 0.000 1.000 4.000 10.000
failed 4: u0 <= 30 does not hold (k): u0 = 31
failed 4: 0 <= u0 does not hold (k): u0 = -1
failed 1: input 'x' has size 21 in dimension 0: s0 must be in [0, 20]
--run-- ferrite run $ROOT/test/cases/programs/dynamic_mlp.pt2 --max-arena --json | sed 's/.*\("arena_bytes.*\), "weights.*/\1/'
--out--
"arena_bytes": 10240, "arena_lower_bound": 10240
--run-- cd $ROOT/test/cases/programs && ferrite check ragged_rows.pt2 dynamic_mlp.pt2 dynamic_derived.pt2 --max-arena
--out--
3 passed, 0 failed, 0 unsupported
--run-- ferrite inspect mix.fx --max-arena --stage wrap | sed -n '/^wrapper/p; /^memory/p; /^alloc/p'
--out--
wrapper arena 640 bound 640 weights 0 kernels 4 calls 5 bounded
memory @buf2 in @buf4 at 4*s0
memory @buf3 in @buf4
memory @buf5 output 0
alloc @buf2 live [3, 6) at 0 bytes 16*s0
alloc @buf3 live [4, 6) at 0 bytes 32*s0
alloc @buf7 output 1 bytes 8*u0
--run-- ferrite inspect mix.fx --max-arena --stage wrap >m.wrap && ferrite inspect m.wrap --from wrap --stage wrap | cmp - m.wrap; ferrite inspect mix.fx --stage wrap | ferrite inspect - --from wrap --stage c --max-arena
--err--
error: wrap: max-arena: the arena of this text is made already, and not for that
--status-- 1
--run-- sed 's/s0 in .*/s0 in [0, 4611686018427387904]/' mix.fx | ferrite compile - -o m.so --max-arena
--err--
error: wrap: max-arena: no memory holds the largest size of @buf5, 8*s0 bytes
  help: export the program with smaller ranges, or leave max-arena out
--status-- 1
--run-- sed '/s0 in/d' mix.fx | ferrite compile - -o m.so --max-arena
--err--
error: wrap: max-arena: s0 (dimension 0 of input 'x') has no upper bound, and @buf5 takes 8*s0 bytes
  help: give it a maximum where the program is exported, Dim(..., max=...), or leave max-arena out
--status-- 1
--run-- sed '/u0 un/d' mix.fx | ferrite compile - -o m.so --max-arena
--err--
error: wrap: max-arena: u0 (k) has no upper bound, and @buf7 takes 8*u0 bytes
  help: bound it in the program, torch._check(n <= ...), or leave max-arena out
--status-- 1
--run-- ferrite compile order.fx -o m.so --max-arena --quiet && ./call ./m.so
--file order.fx--
symbols {
  s0 in [2, 50]
}
graph main {
  placeholder %x user "x" : f32[s0]
  placeholder %y user "y" : f32[4,s0]
  placeholder %z user "z" : f32[2,3,4,s0]
  %s = aten.sort.default(%x) : (f32[s0], i64[s0])
  %v = _operator.getitem(%s, 0) : f32[s0]
  %t = aten.topk.default(%y, 1) : (f32[4,1], i64[4,1])
  %k = _operator.getitem(%t, 1) : i64[4,1]
  %a = aten.scaled_dot_product_attention.default(%z, %z, %z) : f32[2,3,4,s0]
  output (user %v, user %k, user %a)
}
--in--
in 0 f32 [3]
in 1 f32 [4,3]
in 2 f32 [2,3,4,3]
context 2
ready
allocates
show out 0
show out 1
in 0 f32 [50]
in 1 f32 [4,50]
in 2 f32 [2,3,4,50]
allocates
--out--
no allocation
out 0 [3]{1}: -0.500 0.250 1.250
out 1 [4,1]{1,1}: 1.000 1.000 1.000 1.000
no allocation
--run-- ferrite inspect sizes.fx --stage wrap --max-arena | grep -c "extern sort"
--file sizes.fx--
symbols {
  u0 unbacked in [0, 7]
}
graph main {
  placeholder %x user "x" : f32[30,40]
  placeholder %y user "y" : i64[7]
  %n = aten.nonzero.default(%y) : i64[u0,1]
  %a = aten.add.Tensor(%x, 1)
  %s = aten.sort.default(%a, 1)
  %v = _operator.getitem(%s, 0)
  output (user %n, user %v)
}
--out--
1
