# a program in parts: their signatures; a host runs one of them; parts that stand alone, also with sizes that another finds;
# a budget, for which a value is made again in a later part; what is refused
--run-- ferrite compile $ROOT/demo/digits.pt2 --split op=relu -o digits.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/examples/parts.c -ldl -o parts && ./parts ./digits.so 3
--out--
0 rest: reads x [1, 1, 8, 8]; makes buf11 [1, 16, 8, 8]
1 relu: reads buf11 [1, 16, 8, 8]; makes buf12 [1, 16, 8, 8]
2 rest: reads buf12 [1, 16, 8, 8]; makes buf13 [1, 32, 8, 8]
3 relu: reads buf13 [1, 32, 8, 8]; makes buf14 [1, 32, 8, 8]
4 rest: reads buf14 [1, 32, 8, 8]; makes buf16 [1, 32, 4, 4]
5 relu: reads buf16 [1, 32, 4, 4]; makes buf17 [1, 32, 4, 4]
6 rest: reads buf17 [1, 32, 4, 4]; makes buf20 [1, 32]
7 relu: reads buf20 [1, 32]; makes buf21 [1, 32]
8 rest: reads buf21 [1, 32]; makes buf22 [1, 10]
relu of the host: 2048 elements
first value -35.02
first value -35.02
--run-- ./parts ./digits.so 9 | tail -1
--err--
digits has no part 9
--out--
8 rest: reads buf21 [1, 32]; makes buf22 [1, 10]
--status-- 1
--run-- ferrite compile rows.fx --split op=mm --part 1 -o rows.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./rows.so
--file rows.fx--
graph main {
  range s0 in [2, 100]
  placeholder %a user "a" : f32[s0,2]
  placeholder %w user "w" : f32[2,3]
  %m = aten.mm.default(%a, %w) : f32[s0,3]
  %e = aten.neg.default(%a) : f32[s0,2]
  %r = aten.relu.default(%m) : f32[s0,3]
  output (user %r, user %e)
}
--in--
in 0 i64 [] = 2
in 1 f32 [2,2]
in 2 f32 [1,2,3]
run
show out 0
show out 1
in 0 i64 [] = 3
run
--out--
out 0 [2,2]{2,1}: 0.500 -1.250 -0.250 0.750
out 1 [2,3]{3,1}: 0.000 1.250 0.250 0.000 1.000 0.000
failed 1: input 'a' has size 2 in dimension 0, expected s0 = 3
--run-- ferrite compile rows.fx --split op=mm --part 2 -o rows.so --quiet
--err--
error: sched: the program has no part 2; the last is 1
--status-- 1
--run-- ferrite compile rows.fx --split op --quiet -o rows.so
--err--
error: sched: split: 'op' is no place to cut at
  help: nodes=N, op=PATTERN,..., module=PATTERN,..., tag=PATTERN,..., device or observer
--status-- 1
--run-- ferrite compile rows.fx --split nodes=no --quiet -o rows.so
--err--
error: sched: split: nodes=no is no number of nodes
--status-- 1
--run-- ferrite compile late.fx --split nodes=1 --part 1 --quiet -o late.so && ./call ./late.so
--file late.fx--
graph main {
  range u0 in [0, 16]
  placeholder %a user "a" : f32[16]
  %z = aten.nonzero.default(%a) : i64[u0,1]
  %n = aten.neg.default(%z) : i64[u0,1]
  output (user %n)
}
--in--
in 0 i64 [] = 3
in 1 i64 [3,1] = 4 5 6
run
show out 0
in 0 i64 [] = 2
run
--out--
out 0 [3,1]{1,1}: -4.000 -5.000 -6.000
failed 1: input 'buf3' has size 3 in dimension 0, expected u0_given = 2
--run-- for s in nodes=1 op=relu,exp; do for b in 64K 20K; do ferrite inspect twice.fx --split $s --memory-budget $b --stage wrap | grep -e '^wrapper' -e '^part'; done; done; printf 'in 0 f32 [64,4] = 0.5 1 2 -1\nin 1 f32 [4,64] = 1 2 3 -1\nin 2 f32 [64,4] = 0.25 -1 0.5\nrun\nshow out 0\n' >script; for o in '' '--split nodes=1 --memory-budget 20K'; do ferrite compile twice.fx $o -o twice.so --quiet && ./call ./twice.so <script | sum; done | uniq | wc -l
--file twice.fx--
graph main {
  placeholder %x user "x" : f32[64,4]
  placeholder %w user "w" : f32[4,64]
  placeholder %v user "v" : f32[64,4]
  %p = aten.mm.default(%x, %w) : f32[64,64]
  %q = aten.mm.default(%p, %v) : f32[64,4]
  %h = aten.relu.default(%q) : f32[64,4]
  %r = aten.mm.default(%h, %w) : f32[64,64]
  %s = aten.mm.default(%r, %v) : f32[64,4]
  %e = aten.exp.default(%s) : f32[64,4]
  %t = aten.mm.default(%p, %e) : f32[64,4]
  output (user %t)
}
--err--
--out--
wrapper arena 33792 bound 33792 weights 0 kernels 2 calls 7 scratch 8768
partition "nodes 0" reads [@x, @w] makes [@buf3]
partition "nodes 1" reads [@v, @buf3] makes [@buf4]
partition "nodes 2" reads [@buf4] makes [@buf5] ends [@buf4]
partition "nodes 3" reads [@w, @buf5] makes [@buf6] ends [@buf5]
partition "nodes 4" reads [@v, @buf6] makes [@buf7] ends [@buf6]
partition "nodes 5" reads [@buf7] makes [@buf8] ends [@buf7]
partition "nodes 6" reads [@buf3, @buf8] makes [@buf9] ends [@buf3, @buf8]
wrapper arena 17408 bound 17408 weights 0 kernels 2 calls 8 scratch 8768
partition "nodes 0" reads [@x, @w] makes [@buf3]
partition "nodes 1" reads [@v, @buf3] makes [@buf4] ends [@buf3]
partition "nodes 2" reads [@buf4] makes [@buf5] ends [@buf4]
partition "nodes 3" reads [@w, @buf5] makes [@buf6] ends [@buf5]
partition "nodes 4" reads [@v, @buf6] makes [@buf7] ends [@buf6]
partition "nodes 5" reads [@buf7] makes [@buf8] ends [@buf7]
partition "nodes 6" reads [@x, @w, @buf8] makes [@buf9] ends [@buf8]
wrapper arena 34816 bound 34816 weights 0 kernels 2 calls 7 scratch 8768
partition "rest" reads [@x, @w, @v] makes [@buf3, @buf4]
partition "relu,exp" reads [@buf4] makes [@buf5] ends [@buf4]
partition "rest" reads [@w, @v, @buf5] makes [@buf7] ends [@buf5]
partition "relu,exp" reads [@buf7] makes [@buf8] ends [@buf7]
partition "rest" reads [@buf3, @buf8] makes [@buf9] ends [@buf3, @buf8]
wrapper arena 18432 bound 18432 weights 0 kernels 2 calls 8 scratch 8768
partition "rest" reads [@x, @w, @v] makes [@buf4]
partition "relu,exp" reads [@buf4] makes [@buf5] ends [@buf4]
partition "rest" reads [@w, @v, @buf5] makes [@buf7] ends [@buf5]
partition "relu,exp" reads [@buf7] makes [@buf8] ends [@buf7]
partition "rest" reads [@x, @w, @buf8] makes [@buf9] ends [@buf8]
1
--run-- ferrite compile late.fx --split nodes=1 --quiet -o late.so && ./parts ./late.so 0
--err--
late has no part 0 that can be replaced
--status-- 1
--out--
0 nodes 0: reads a [16]; makes buf3 [u0, 1]; sizes known only then
1 nodes 1: reads buf3 [u0, 1]; makes buf4 [u0, 1]
