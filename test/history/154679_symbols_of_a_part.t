# 154679: a part names the symbols in the sizes of what crosses its border, also where no tensor has them by themselves; alone it
# takes as numbers those that its tensors do not tell
--run-- ferrite inspect even.fx --split nodes=1 --stage wrap | grep '^part'; ferrite inspect even.fx --split nodes=1 --part 1 --stage wrap | grep -e '^input' -e '^symbol' -e '^scalar'
--file even.fx--
graph main {
  range s0 in [2, 100]
  range s1 in [1, 100]
  placeholder %x user "x" : f32[2*s0,3]
  placeholder %y user "y" : f32[3,s0*s1]
  placeholder %z user "z" : f32[s1]
  %p = aten.mm.default(%x, %y) : f32[2*s0,s0*s1]
  %s = aten.sum.dim_IntList(%p, [1]) : f32[2*s0]
  %m = aten.mul.Tensor(%s, 2.0) : f32[2*s0]
  output (user %m)
}
--out--
partition "nodes 0" reads [@x, @y] makes [@buf3] symbols [s0, s1]
partition "nodes 1" reads [@buf3] makes [@buf4] ends [@buf3] symbols [s0, s1]
partition "nodes 2" reads [@buf4] makes [@buf5] ends [@buf4] symbols [s0]
symbol s0 in [2, 100]
symbol s1 in [1, 100]
scalar "s0" = s0
scalar "s1" = s1
input  @buf3 : f32[1,2*s0,s0*s1] strides [2*s0*s0*s1,s0*s1,1] origin 3
symbol s0 = input 0
symbol s1 = input 1
--run-- ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl; for o in '' '--split nodes=1'; do ferrite compile even.fx $o -o m.so --quiet && ./call ./m.so <script; done
--file script--
in 0 f32 [4,3]
in 1 f32 [3,6]
in 2 f32 [3]
run
show out 0
in 0 f32 [5,3]
run
--out--
out 0 [4]{1}: -5.250 -5.375 -5.500 -5.625
failed 1: input 'x' has size 5 in dimension 0, expected 2*s0 = 4
out 0 [4]{1}: -5.250 -5.375 -5.500 -5.625
failed 1: input 'x' has size 5 in dimension 0, expected 2*s0 = 4
--run-- ferrite compile even.fx --split nodes=1 --part 1 -o m.so --quiet && ./call ./m.so
--in--
in 0 i64 [] = 2
in 1 i64 [] = 3
in 2 f32 [1,4,6] = 1 2 3 4 5 6 1
run
show out 0
--out--
out 0 [4]{1}: 21.000 1.000 0.000 0.000
