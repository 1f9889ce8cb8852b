# whole numbers may be negative where their range says so; which way a range of numbers leads is seen at the call
--run-- ferrite compile steps.fx -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so
--file steps.fx--
symbols {
  s5 in [-inf, 4] hint -2
}
graph main {
  placeholder %n user "n" : int s5
  %r = aten.arange.start_step(8, -8, %n, dtype=torch.float32, device=cpu)
  %a = builtins.abs(%n)
  %m = _operator.mod(%n, 3)
  output (user %r, user %a, user %m)
}
--in--
in 0 i64 [] = -3
outputs 3
run
show out 0
show out 1
show out 2
in 0 i64 [] = -16
run
show out 0
show out 1
show out 2
in 0 i64 [] = 3
run
in 0 i64 [] = 5
run
in 0 i64 [] = 0
run
--out--
out 0 [6]{1}: 8.000 5.000 2.000 -1.000 -4.000 -7.000
out 1 []{}: 3.000
out 2 []{}: 0.000
out 0 [1]{1}: 8.000
out 1 []{}: 16.000
out 2 []{}: 2.000
failed 4: upper bound and lower bound inconsistent with step sign: 0 <= -(16 // s5) (r): s5 = 3
failed 1: input 'n' is 5: s5 must be at most 4
failed 4: step must be nonzero: s5 (r): s5 = 0
