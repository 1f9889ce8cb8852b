# every operator that cannot be lowered is named, once, with its place in the program
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : f32[3,3]
  %inv = aten.linalg_inv.default(%x) : f32[3,3]
  %relu = aten.relu.default(%inv) : f32[3,3]
  %det = aten.linalg_det.default(%x) : f32[]
  %add = aten.add.Tensor(%relu, %det) : f32[3,3]
  output (user %add)
}
--out--
--err--
error: lower: cannot lower aten.linalg_inv.default: there is no lowering for this operator yet
  at %inv in graph main
  help: replace it in the model, or register the operator as a custom operator with its own kernel
error: lower: cannot lower aten.linalg_det.default: there is no lowering for this operator yet
  at %det in graph main
  help: replace it in the model, or register the operator as a custom operator with its own kernel
--status-- 1
