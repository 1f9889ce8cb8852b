# 176117: an operator of the user's with several results is called by its out overload, which writes where the memory plan says
--run-- cc -shared -fPIC -I$ROOT/include $ROOT/test/custom_ops/returns.c -o libreturns.so && ferrite inspect pair.fx --ops ./libreturns.so --stage wrap | sed -n '/^symbol s0 =/,$p' && ferrite compile pair.fx --ops ./libreturns.so -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so
--file pair.fx--
operators { "returns::two(Tensor x) -> (Tensor, Tensor)" }
graph pair {
  range s0 in [1, 8]
  placeholder %x user "x" : f32[s0,2]
  %pair = returns.two.default(%x) : (f32[s0,2], f32[s0])
  %more = _operator.getitem(%pair, 0)
  %again = returns.two.default(%more) : (f32[s0,2], f32[s0])
  %most = _operator.getitem(%again, 0)
  output (user %most)
}
--in--
in 0 f32 [2,2] = 1 2 3 4
run
show out 0
--out--
symbol s0 = size 0 0
alloc @buf1 live [0, 2) bytes 8*s0
note "pair"
extern custom (@x[s0,2]{2,1}) -> (@buf1[s0,2]{2,1}, @buf2[s0]{1}) ints [] floats [] calls "returns_two_out" "TOO"
alloc @buf4 live [1, 2) bytes 4*s0
note "again"
extern custom (@buf1[s0,2]{2,1}) -> (@buf3[s0,2]{2,1}, @buf4[s0]{1}) ints [] floats [] calls "returns_two_out" "TOO"
free @buf1
free @buf4
output 0 @buf3[s0,2]{2,1}
out 0 [2,2]{2,1}: 3.000 4.000 5.000 6.000
