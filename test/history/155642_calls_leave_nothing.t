# 155642: the results of operators that no kernel is made for, of the runtime and of the user, are released: what is held does not
# grow with the calls, and is nothing at the end
--run-- cc -shared -fPIC -I$ROOT/include $ROOT/test/custom_ops/returns.c -o libreturns.so && ferrite compile many.fx --ops ./libreturns.so -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -rdynamic -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && { echo 'in 0 f32 [3,4]'; for i in 1 2; do printf 'run\nrelease quietly\n'; done; echo run; i=0; while [ $i -lt 100 ]; do echo allocates; i=$((i + 1)); done; printf 'show out 0\nrelease\n'; } | ./call ./m.so | uniq -c
--file many.fx--
operators { "returns::two(Tensor x) -> (Tensor, Tensor)" "returns::seen(Tensor x, Tensor(a!)? seen=None) -> (Tensor, Tensor)" }
graph many {
  placeholder %x user "x" : f32[3,4]
  %pair = returns.two.default(%x) : (f32[3,4], f32[3])
  %more = _operator.getitem(%pair, 0)
  %other = returns.seen.default(%more, None) : (f32[3,4], f32[3])
  %sums = _operator.getitem(%other, 1)
  %sorted = aten.sort.default(%more, 1, False) : (f32[3,4], i64[3,4])
  %values = _operator.getitem(%sorted, 0)
  %top = aten.topk.default(%values, 2, 1) : (f32[3,2], i64[3,2])
  %most = _operator.getitem(%top, 0)
  %y = aten.mul.Tensor(%most, 2) : f32[3,2]
  output (user %y, user %sums)
}
--out--
    100 no allocation
      1 out 0 [3,2]{2,1}: 4.500 2.500 4.000 3.500 3.000 1.500
      1 0 blocks and 0 files are left
