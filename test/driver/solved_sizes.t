# sizes that symbols are solved for: a negative coefficient, several unknowns in several sizes, products, powers
--run-- ferrite compile sizes.fx -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so
--file sizes.fx--
graph main {
  range s0 in [1, 9]
  placeholder %x user "x" : f32[10 - s0]
  placeholder %y user "y" : f32[2*s1 + s2,s1 + s2]
  placeholder %z user "z" : f32[s3*s3*s3]
  placeholder %t user "t" : f32[s4*s5 + s4,s4*s5]
  %v = aten.full.default([s0, s1, s2, s3, s4, s5], 0)
  output (user %v)
}
--in--
in 0 f32 [8]
in 1 f32 [6,4]
in 2 f32 [8]
in 3 f32 [4,2]
run
show out 0
in 2 f32 [9]
run
in 2 f32 [8]
in 1 f32 [5,2]
run
in 1 f32 [6,4]
in 0 f32 [10]
run
in 0 f32 [8]
in 3 f32 [5,3]
run
in 3 f32 [5,2]
run
--out--
out 0 [2,2,2,2,2,1]{16,8,4,2,1,1}: 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000
failed 1: input 'z' has size 9 in dimension 0, expected s3*s3*s3 = 8
failed 1: input 'y' has size 5 in dimension 0, so s2 is -1: s2 must be at least 0
failed 1: input 'x' has size 10 in dimension 0, so s0 is 0: s0 must be in [1, 9]
failed 1: input 't' has size 5 in dimension 0, expected s4*s5 + s4 = 4
failed 1: input 't' has size 5 in dimension 0, expected s4*s5 + s4 = 3
