# a program in parts: their signatures; a host runs one of them; a part that stands alone; what is refused
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
first value -35.0214
first value -35.0214
--run-- ./parts ./digits.so 9 | tail -1
--err--
digits has no part 9
--out--
8 rest: reads buf21 [1, 32]; makes buf22 [1, 10]
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
out 0 [2,3]{3,1}: 0.000 1.250 0.250 0.000 1.000 0.000
out 1 [2,2]{2,1}: 0.500 -1.250 -0.250 0.750
failed 1: input 'a' has size 2 in dimension 0, expected s0 = 3
--run-- ferrite compile rows.fx --split op=mm --part 2 -o rows.so --quiet
--err--
error: sched: the program has no part 2; the last is 1
--status-- 1
--run-- ferrite compile rows.fx --split op --quiet -o rows.so
--err--
error: sched: split: 'op' is no place to cut at
  help: nodes=N, op=PATTERN,..., module=PATTERN,..., device or observer
--status-- 1
--run-- ferrite compile rows.fx --split nodes=no --quiet -o rows.so
--err--
error: sched: split: nodes=no is no number of nodes
--status-- 1
--run-- ferrite compile late.fx --split nodes=1 --part 1 --quiet -o late.so
--file late.fx--
graph main {
  range u0 in [0, 16]
  placeholder %a user "a" : f32[16]
  %z = aten.nonzero.default(%a) : i64[u0,1]
  %n = aten.neg.default(%z) : i64[u0,1]
  output (user %n)
}
--err--
error: sched: part 'nodes 1' cannot stand alone: another part defines u0
--status-- 1
--run-- ferrite compile late.fx --split nodes=1 --quiet -o late.so && ./parts ./late.so 0
--err--
late has no part 0 that can be replaced
--status-- 1
--out--
0 nodes 0: reads a [16]; makes buf3 [u0, 1]; sizes known only then
1 nodes 1: reads buf3 [u0, 1]; makes buf4 [u0, 1]
