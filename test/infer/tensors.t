# an argument that the schema has as a tensor is one, or a number in its place
--run-- ferrite inspect - --stage loop
--in--
graph named {
  placeholder %x user "x" : f32[4]
  %y = aten.add.Tensor("x", %x)
  output (user %y)
}
--err--
error: infer: aten.add.Tensor: expected a tensor for argument 'self'
  at %y in graph named
  help: PyTorch refuses such arguments too: is the program whole?
--status-- 1
--run-- ferrite inspect - --stage loop
--in--
graph flag {
  placeholder %x user "x" : f32[4]
  %y = aten.diff.default(%x, 1, 0, True)
  output (user %y)
}
--err--
error: lower: cannot lower aten.diff.default: what stands before or behind has another rank
  at %y in graph flag
  help: replace it in the model, or register the operator as a custom operator with its own kernel
--status-- 1
--run-- sed 's/ORDER/4294967296/' >p.fx; ferrite inspect p.fx --stage loop
--in--
graph order {
  placeholder %x user "x" : f32[4]
  %y = aten.mvlgamma.default(%x, ORDER)
  output (user %y)
}
--err--
error: lower: cannot lower aten.mvlgamma.default: it is a sum of p terms, 4294967296; at most 1000 are supported
  at %y in graph order
  help: replace it in the model, or register the operator as a custom operator with its own kernel
--status-- 1
--run-- ferrite inspect - --stage loop
--in--
graph number {
  placeholder %a user "a" : f32[3,4,4]
  %f = aten.linalg_lu_factor.default(%a)
  %lu = _operator.getitem(%f, 0)
  %y = aten.linalg_lu_solve.default(%lu, 2, %a)
  output (user %y)
}
--err--
error: infer: aten.linalg_lu_solve.default: pivots is f32[] where [..p,n] is wanted
  at %y in graph number
  help: PyTorch refuses such arguments too: is the program whole?
--status-- 1
--run-- ferrite inspect --stage loop - 2>&1 | head -1
--in--
graph main {
  placeholder %x user "x" : f32[1,2,1,3,2]
  %v = aten.max_unpool3d.default(%x, 3, [3, 6, 5], [2, 2, 2], [0, 0, 0])
  output (user %v)
}
--out--
error: infer: aten.max_unpool3d.default: indices is f32[] and self is f32[1,2,1,3,2]: they have to be of the same size
