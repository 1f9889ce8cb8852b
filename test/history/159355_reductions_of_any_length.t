# 159355: one kernel reduces rows of any length, also of lengths that are no whole number of vectors, and of none
--run-- for isa in native baseline scalar; do ferrite compile rows.fx --isa $isa -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so <script; done | sort | uniq -c
--file rows.fx--
graph main {
  range s0 in [0, 4096]
  placeholder %x user "x" : f32[s0,5]
  placeholder %y user "y" : f32[2,s0]
  %a = aten.sum.dim_IntList(%x, [0]) : f32[5]
  %b = aten.sum.dim_IntList(%y, [1]) : f32[2]
  output (user %a, user %b)
}
--file script--
in 0 f32 [3,5]
in 1 f32 [2,3]
run
show out 0
show out 1
in 0 f32 [0,5]
in 1 f32 [2,0]
run
show out 0
show out 1
in 0 f32 [1,5]
in 1 f32 [2,1]
run
show out 0
show out 1
in 0 f32 [1027,5]
in 1 f32 [2,1027]
run
show out 0
show out 1
--out--
      3 out 0 [5]{1}: -0.500 1.250 0.250 -0.750 1.000
      3 out 0 [5]{1}: 0.000 -0.250 2.250 -0.750 -1.000
      3 out 0 [5]{1}: 0.000 0.000 0.000 0.000 0.000
      3 out 0 [5]{1}: 1.000 -0.250 1.250 0.000 -1.250
      3 out 1 [2]{1}: -0.500 1.250
      3 out 1 [2]{1}: 0.000 0.000
      3 out 1 [2]{1}: 0.250 0.750
      3 out 1 [2]{1}: 1.000 0.250
