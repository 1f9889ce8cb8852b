# 154371: what an operator's arguments need is made where it is called: in the arm that runs, and nowhere before
--run-- cc -shared -fPIC -I$ROOT/include $ROOT/test/custom_ops/bag.c -o libbag.so && ferrite inspect arms.fx --ops ./libbag.so --stage c | sed -n '/^static int run/,/^}/p' | grep -o -e '^    if (.*{' -e 'fe_tensor in' -e 'fe_arg args' -e 'rt_custom' -e '} else {' -e '^    rt_output'; ferrite inspect arms.fx --ops ./libbag.so --stage python | sed -n '/^def lines/,/^program/p' | grep -o -e 'if f.*:$' -e 'ins = ' -e 'f.custom' -e 'else:' -e 'f.returns'
--file arms.fx--
operators { "bag::sums(Tensor[] xs) -> Tensor[]" }
graph main {
  placeholder %p user "p" : bool[]
  placeholder %x user "x" : f32[2,3]
  %r = higher_order.cond(%p, @yes, @no, [%x]) : (f32[2])
  %y = _operator.getitem(%r, 0) : f32[2]
  output (user %y)
}
graph yes {
  placeholder %x user "x" : f32[2,3]
  %e = aten.exp.default(%x) : f32[2,3]
  %s = bag.sums.default([%e, %x]) : (f32[2], f32[2])
  %a = _operator.getitem(%s, 0) : f32[2]
  output (user %a)
}
graph no {
  placeholder %x user "x" : f32[2,3]
  %s = aten.sum.dim_IntList(%x, [1]) : f32[2]
  output (user %s)
}
--out--
    if (*(buf2 + 0)) {
fe_tensor in
fe_arg args
rt_custom
} else {
    rt_output
if f.load(buf2 + 0, rt.BOOL):
ins = 
f.custom
else:
f.returns
--run-- ferrite compile arms.fx --ops ./libbag.so -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -rdynamic -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so
--in--
in 0 bool [] = 1
in 1 f32 [2,3] = 0 0 0 0 0 1
run
release quietly
run
release quietly
run
show out 0
in 0 bool [] = 0
run
show out 0
allocates
release
--out--
out 0 [2]{1}: 3.000 4.718
out 0 [2]{1}: 0.000 1.000
no allocation
0 blocks and 0 files are left
