# each argument is of the kind that the schema says; a number stands for a tensor where torch.ops takes it
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
error: infer: aten.diff.default: expected a tensor for argument 'prepend'
  at %y in graph flag
  help: PyTorch refuses such arguments too: is the program whole?
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
error: infer: aten.linalg_lu_solve.default: expected a tensor for argument 'pivots'
  at %y in graph number
  help: PyTorch refuses such arguments too: is the program whole?
--status-- 1
--run-- ferrite inspect --stage loop - 2>&1 | sed -n 1p
--in--
graph main {
  placeholder %x user "x" : f32[1,2,1,3,2]
  %v = aten.max_unpool3d.default(%x, 3, [3, 6, 5], [2, 2, 2], [0, 0, 0])
  output (user %v)
}
--out--
error: infer: aten.max_unpool3d.default: expected a tensor for argument 'indices'
--status-- 1
--run-- ferrite inspect --stage loop - 2>&1 | sed -n 1p
--in--
symbols {
  s0 in [2, inf] hint 4
}
graph main {
  placeholder %x user "x" : f32[s0,4]
  %n = aten.sym_size.int(%x, 0)
  %v = aten.select_scatter.default(%n, %x, 1, -1)
  output (user %v)
}
--out--
error: infer: aten.select_scatter.default: expected a tensor for argument 'self'
--status-- 1
--run-- ferrite inspect --stage loop - 2>&1 | sed -n 1p
--in--
symbols {
  s0 in [2, inf] hint 4
}
graph main {
  placeholder %x user "x" : f32[s0,4]
  %n = aten.sym_size.int(%x, 0)
  %v = aten.cat.default([%x, %n], 1)
  output (user %v)
}
--out--
error: infer: aten.cat.default: expected tensors for argument 'tensors'
--status-- 1
--run-- ferrite inspect --stage fx - 2>&1 | grep %v
--in--
symbols {
  s0 in [2, inf] hint 4
}
graph main {
  placeholder %x user "x" : f32[s0,4]
  %n = aten.sym_size.int(%x, 0)
  %v = aten.add.Tensor(%x, %n)
  output (user %v)
}
--out--
  %v = aten.add.Tensor(%x, %n, 1) : f32[s0,4]{4,1}@2
  output (user %v)
--run-- ferrite inspect --stage loop - 2>&1 | sed -n 1p
--in--
graph main {
  placeholder %x user "x" : f32[3,4]
  %v = aten.sum.dim_IntList(%x, %x)
  output (user %v)
}
--out--
error: infer: aten.sum.dim_IntList: argument 'dim' is not of the kind that is wanted: aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
--status-- 1
