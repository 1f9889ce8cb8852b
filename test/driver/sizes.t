# one artifact for all sizes in range; what does not fit is refused by name, with the bound
--run-- ferrite compile $ROOT/test/cases/programs/dynamic_mlp.pt2 -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so
--in--
in 0 f32 [1,20]
run
show out 0
in 0 f32 [3,20]
run
show out 0
in 0 f32 [1,20]
run
show out 0
in 0 f32 [65,20]
run
in 0 f32 [0,20]
run
in 0 f32 [3,21]
run
in 0 f32 [20]
run
in 0 f64 [3,20]
run
in 0 f32 [3,20] {1,3}
run
in 0 f32 [3,20] null
run
in 0 f32 [3,20] odd
run
in 0 f32 [3,20]
inputs 2
run
inputs 1
outputs 0
run
outputs 1
run
show out 0
--out--
out 0 [1,7]{7,1}: -0.816 0.045 -0.389 -0.592 0.092 -0.563 0.030
out 0 [3,7]{7,1}: -0.816 0.045 -0.389 -0.592 0.092 -0.563 0.030 0.589 0.254 0.352 0.205 1.198 0.196 0.094 -0.501 0.287 -0.102 0.933 -1.006 -0.631 0.588
out 0 [1,7]{7,1}: -0.816 0.045 -0.389 -0.592 0.092 -0.563 0.030
failed 1: input 'input' has size 65 in dimension 0: s31 must be in [0, 64]
failed 1: input 'input' has size 21 in dimension 1, expected [s31, 20]
failed 1: input 'input' has 1 dimensions, expected 2: [s31, 20]
failed 1: input 'input' is float64, expected float32
failed 1: input 'input' has stride 1 in dimension 0, expected 20
failed 1: input 'input' has no data
failed 1: input 'input' is not aligned to 4 bytes
failed 1: 2 inputs given, dynamic_mlp takes 1
failed 2: 0 outputs asked for, dynamic_mlp gives 1
out 0 [3,7]{7,1}: -0.816 0.045 -0.389 -0.592 0.092 -0.563 0.030 0.589 0.254 0.352 0.205 1.198 0.196 0.094 -0.501 0.287 -0.102 0.933 -1.006 -0.631 0.588
--run-- ferrite compile $ROOT/test/cases/programs/dynamic_derived.pt2 -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so
--in--
in 0 f32 [8,6]
in 1 f32 [8,6]
in 2 f32 [3,6]
run
show out 0
in 0 f32 [12,6]
in 1 f32 [12,6]
in 2 f32 [2,6]
run
show out 2
in 1 f32 [8,6]
run
in 0 f32 [7,6]
run
in 0 f32 [8,6]
in 2 f32 [5,6]
run
--out--
out 0 [2,6]{6,1}: 0.500 2.000 -2.000 -0.500 1.000 -0.250 -2.000 -0.500 1.000 -0.250 1.250 0.000
out 2 [2,6]{6,1}: 0.500 2.250 1.250 0.250 2.000 1.000 0.000 1.750 0.750 -0.250 1.500 0.500
failed 1: input 'y' has size 8 in dimension 0, expected 4*s63 = 12
failed 1: input 'x' has size 7 in dimension 0, expected 4*s63 = 4
failed 1: input 'z' has size 5 in dimension 0: s68 must be in [0, 4]
--run-- ferrite compile g.fx -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so
--file g.fx--
symbols {
  s0 in [0, inf]
  s1 in [0, inf]
}
graph main {
  guard "(L['x'].size()[0] % (L['y'].size()[0] // 2)) == 0"
  guard "L['y'].size()[0] <= L['x'].size()[0] and max(2, L['x'].size()[0]) <= 64"
  guard "L['y'].size()[0] != 6 or (not L['x'].size()[0] == 12)"
  guard "L['x']._base.size()[0] != 3"
  placeholder %x user "x" : f32[s0]
  placeholder %y user "y" : f32[s1]
  %a = aten.sum.default(%x) : f32[]
  %b = aten.add.Tensor(%y, %a) : f32[s1]
  output (user %b)
}
--in--
in 0 f32 [4]
in 1 f32 [4]
run
show out 0
in 0 f32 [5]
run
in 0 f32 [2]
run
in 1 f32 [1]
run
in 0 f32 [66]
in 1 f32 [4]
run
in 0 f32 [12]
in 1 f32 [6]
run
--out--
out 0 [4]{1}: -0.250 1.500 0.500 -0.500
failed 4: the program was exported for inputs with (x.size()[0] % (y.size()[0] // 2)) == 0: s0 = 5, s1 = 4
failed 4: the program was exported for inputs with y.size()[0] <= x.size()[0] and max(2, x.size()[0]) <= 64: s1 = 4, s0 = 2
failed 4: the program was exported for inputs with (x.size()[0] % (y.size()[0] // 2)) == 0: s1 = 1
failed 4: the program was exported for inputs with y.size()[0] <= x.size()[0] and max(2, x.size()[0]) <= 64: s0 = 66
failed 4: the program was exported for inputs with y.size()[0] != 6 or (not x.size()[0] == 12): s0 = 12, s1 = 6
--status-- 0
--run-- ferrite inspect s.fx --stage wrap | grep '^symbol' && ferrite compile s.fx -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so
--file s.fx--
symbols {
  s0 in [0, inf]
  s1 in [0, inf]
  s2 in [0, 100]
  s3 in [1, inf]
}
graph main {
  placeholder %x user "x" : f32[s0,s1]{s2,1}
  placeholder %y user "y" : f32[s0,2,s1]{4*s1*s3 + s1,s1*s3,s3}
  %a = aten.sum.dim_IntList(%x, [1]) : f32[s0]
  %b = aten.sum.dim_IntList(%y, [1, 2]) : f32[s0]
  output (user %a, user %b)
}
--in--
in 0 f32 [2,3] {7,1}
in 1 f32 [2,2,3] {27,6,2}
run
show out 0
show out 1
in 0 f32 [2,3]
run
show out 0
in 1 f32 [2,2,3] {27,6,3}
run
in 1 f32 [2,2,3] {26,6,2}
run
in 0 f32 [2,3] {101,1}
run
in 0 f32 [2,3] {7,2}
in 1 f32 [2,2,3] {27,6,2}
run
in 0 f32 [0,3] {101,1}
run
in 0 f32 [1,3] {50,1}
in 1 f32 [1,2,3] {0,3,1}
run
show out 0
in 0 f32 [2,0] {1,1}
in 1 f32 [2,2,0] {1,1,1}
run
show out 0
--out--
symbol s0 in [0, ]
symbol s1 in [0, ]
symbol s0 = size 0 0
symbol s1 = size 0 1
symbol s2 = stride 0 0
symbol s3 = stride 1 2
out 0 [2]{1}: 1.000 0.250
out 1 [2]{1}: 1.250 -1.750
out 0 [2]{1}: 1.000 0.250
failed 1: input 'y' has stride 27 in dimension 0, expected 4*s1*s3 + s1 = 39
failed 1: input 'y' has stride 26 in dimension 0, expected 4*s1*s3 + s1 = 27
failed 1: input 'x' has stride 101 in dimension 0: s2 must be in [0, 100]
failed 1: input 'x' has stride 2 in dimension 1, expected 1
failed 1: input 'x' has stride 101 in dimension 0: s2 must be in [0, 100]
out 0 [1]{1}: 1.000
out 0 [2]{1}: 0.000 0.000
--status-- 0
