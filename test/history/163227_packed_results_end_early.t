# 163227: where an operator gives several tensors and changes an argument, each of them has memory of its own, and it ends with its
# own last reader
--run-- cc -shared -fPIC -I$ROOT/include $ROOT/test/custom_ops/returns.c -o libreturns.so && ferrite inspect pair.fx --ops ./libreturns.so --stage wrap | grep -e '^extern' -e '^alloc' -e '^free' -e '^reuse'
--file pair.fx--
operators { "returns::seen(Tensor x, Tensor(a!)? seen=None) -> (Tensor, Tensor)" }
graph pair {
  placeholder %x user "x" : f32[4,3]
  placeholder %n user "n" : i64[]
  placeholder %w user "w" : f32[3,3]
  %pair = returns.seen.default(%x, %n) : (f32[4,3], f32[4])
  %more = _operator.getitem(%pair, 0)
  %sums = _operator.getitem(%pair, 1)
  %m = aten.mm.default(%more, %w) : f32[4,3]
  %k = aten.mm.default(%m, %w) : f32[4,3]
  %s = aten.sum.dim_IntList(%k, [1]) : f32[4]
  %y = aten.add.Tensor(%s, %sums) : f32[4]
  output (user %y)
}
--out--
alloc @buf3 live [0, 2) at 64 bytes 48
extern custom (@x[4,3]{3,1}, @n[]{}) -> (@n[]{}, @buf3[4,3]{3,1}, @buf4[4]{1}) ints [] floats [] calls "returns_seen" "TM" effect
alloc @buf6 live [1, 3) at 0 bytes 48
extern bmm (@buf3[1,4,3]{0,3,1}, @w[1,3,3]{0,3,1}, none) -> (@buf6[1,4,3]{12,3,1}) ints [] floats [1.0, 0.0]
free @buf3
alloc @buf7 live [2, 4) at 64 bytes 48
extern bmm (@buf6[1,4,3]{0,3,1}, @w[1,3,3]{0,3,1}, none) -> (@buf7[1,4,3]{12,3,1}) ints [] floats [1.0, 0.0]
free @buf6
free @buf7
