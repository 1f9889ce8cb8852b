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
--run-- ferrite inspect - --stage loop 2>&1
--in--
# numbers that hang on what is not supported are not reported again
graph main {
  placeholder %x user "x" : f32[3]{1}
  %w = higher_order.wrap_with_autocast(%x, 0, 2) : (f32[]{})
  %a = _operator.getitem(%w, 0) : f32[]{}
  %f = aten.item.default(%a) : float ?
  %g = _operator.mul(%f, 2.0) : float ?
  %le = _operator.le(%f, %g) : bool ?
  %c = aten._assert_scalar.default(%le, "ordered")
  output (user %x)
}
--out--
error: lower: cannot lower higher_order.wrap_with_autocast: there is no lowering for this operator yet
  at %w in graph main
  help: replace it in the model, or register the operator as a custom operator with its own kernel
--status-- 1
--run-- ferrite inspect - --stage loop 2>&1
--in--
# a loop gives what it carries
graph main {
  placeholder %x user "x" : f32[2]{1}
  placeholder %n user "n" : i64[]{}
  %w = higher_order.while_loop(@test, @body, [%n, %x], []) : (i64[]{})
  %a = _operator.getitem(%w, 0) : i64[]{}
  output (user %a)
}
graph test {
  placeholder %n user "n" : i64[]{}
  placeholder %x user "x" : f32[2]{1}
  %lt = aten.lt.Scalar(%n, 3) : bool[]{}
  output (user %lt)
}
graph body {
  placeholder %n user "n" : i64[]{}
  placeholder %x user "x" : f32[2]{1}
  %m = aten.add.Scalar(%n, 1) : i64[]{}
  %y = aten.mul.Scalar(%x, 2) : f32[2]{1}
  output (user %m, user %y)
}
--out--
error: lower: cannot lower higher_order.while_loop: it gives 1 results, and carries more
  at %w in graph main
  help: replace it in the model, or register the operator as a custom operator with its own kernel
--status-- 1
