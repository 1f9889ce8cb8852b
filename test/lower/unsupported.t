# every operator that cannot be lowered is named, once, with its place in the program
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : f32[3,3]
  %reduced = _c10d_functional.all_reduce.default(%x, "sum", "0") : f32[3,3]
  %relu = aten.relu.default(%reduced) : f32[3,3]
  %arrived = _c10d_functional.wait_tensor.default(%x) : f32[3,3]
  %add = aten.add.Tensor(%relu, %arrived) : f32[3,3]
  output (user %add)
}
--out--
--err--
error: lower: cannot lower _c10d_functional.all_reduce.default: there is no lowering for this operator yet
  at %reduced in graph main
  help: replace it in the model, or register the operator as a custom operator with its own kernel
error: lower: cannot lower _c10d_functional.wait_tensor.default: there is no lowering for this operator yet
  at %arrived in graph main
  help: replace it in the model, or register the operator as a custom operator with its own kernel
--status-- 1
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : float ?
  placeholder %y user "y" : f32[4]
  %r = builtins.round(%x, 30)
  %o = aten.add.Tensor(%y, %r)
  output (user %o)
}
--err--
error: lower: cannot lower builtins.round: rounding to so many digits
  at %r in graph main
  help: replace it in the model, or register the operator as a custom operator with its own kernel
--status-- 1
