# a check between tokens, of which nothing is recorded: a token again, and nothing
--run-- ferrite inspect --stage fx --no-passes -
--in--
graph main {
  placeholder %token user "token" : f32[0]
  placeholder %info user "info" : i32[]
  %with_effects = higher_order.with_effects(%token, "torch.ops.aten._linalg_check_errors.default", %info, "torch.linalg.solve", ["is_matrix", True])
  %next = _operator.getitem(%with_effects, 0)
  output (user %next)
}
--out--
graph main {
  placeholder %token user "token" : f32[0]{1}@1
  placeholder %info user "info" : i32[]{}@2
  %with_effects = higher_order.with_effects(%token, "torch.ops.aten._linalg_check_errors.default", %info, "torch.linalg.solve", ["is_matrix", True]) : (f32[0]{1}@1, none)
  %next = _operator.getitem(%with_effects, 0) : f32[0]{1}@1
  output (user %next)
}
