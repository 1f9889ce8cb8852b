# 154455: with a check for NaN, what is returned is looked at last, views of inputs and of buffers among it; the message names it
--run-- ferrite inspect views.fx --nan-check --stage wrap | grep -e '^check' && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl; for o in --nan-check '--inf-check --split nodes=1' ''; do ferrite compile views.fx $o -o m.so --quiet && ./call ./m.so <script; done
--file views.fx--
graph main {
  placeholder %x user "x" : f32[6]
  %y = aten.log.default(%x) : f32[6]
  %m = aten.reshape.default(%y, [2, 3]) : f32[2,3]
  %r = aten.select.int(%m, 0, 1) : f32[3]
  %n = aten.slice.Tensor(%x, 0, 1, 3) : f32[2]
  output (user %r, user %n)
}
--file script--
in 0 f32 [6] = 1 2 3 4 5 6
run
show out 0
in 0 f32 [6] = 1 2 3 4 -5 6
run
show out 0
in 0 f32 [6] = 1 2 nan 4 5 6
run
in 0 f32 [6] = 1 2 3 0 5 6
run
--out--
check @x[6]{1} no_nan "input 'x'"
check @buf1[6]{1} no_nan "the result of %y (buffer buf1)"
check output @buf1[3]{1} + 3 no_nan "output 0"
check output @x[2]{1} + 1 no_nan "output 1"
out 0 [3]{1}: 1.386 1.609 1.792
failed 4: NaN in the result of %y (buffer buf1): 1 of 6 elements, the first at [4]
out 0: nothing
failed 4: NaN in input 'x': 1 of 6 elements, the first at [2]
out 0 [3]{1}: 1.386 1.609 1.792
failed 4: NaN in the result of %y (buffer buf1): 1 of 6 elements, the first at [4]
out 0: nothing
failed 4: NaN in input 'x': 1 of 6 elements, the first at [2]
failed 4: infinity in the result of %y (buffer buf1): 1 of 6 elements, the first at [3]
out 0 [3]{1}: 1.386 1.609 1.792
out 0 [3]{1}: 1.386 nan 1.792
--run-- ferrite check $ROOT/test/cases/programs/aliasing_outputs.pt2 --nan-check && ferrite compile own.fx --nan-check -o m.so --quiet && ./call ./m.so
--file own.fx--
graph main {
  placeholder %x user "x" : f32[2]
  %y = aten.copy_.default(%x, %x) : f32[2]
  %n = aten.log_.default(%x) : f32[2]
  output (user %n)
}
--in--
in 0 f32 [2] = 1 -1
run
--out--
1 passed, 0 failed, 0 unsupported
failed 4: NaN in the result of %log (buffer x): 1 of 2 elements, the first at [1]
