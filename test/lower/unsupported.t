# every operator that cannot be lowered is named, once, with its place in the program
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : f32[3,3]
  %poisson = aten.poisson.default(%x) : f32[3,3]
  %relu = aten.relu.default(%poisson) : f32[3,3]
  %binomial = aten.binomial.default(%x, %x) : f32[3,3]
  %add = aten.add.Tensor(%relu, %binomial) : f32[3,3]
  output (user %add)
}
--out--
--err--
error: lower: cannot lower aten.poisson.default: there is no lowering for this operator yet
  at %poisson in graph main
  help: replace it in the model, or register the operator as a custom operator with its own kernel
error: lower: cannot lower aten.binomial.default: there is no lowering for this operator yet
  at %binomial in graph main
  help: replace it in the model, or register the operator as a custom operator with its own kernel
--status-- 1
