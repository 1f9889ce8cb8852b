# a graph in the text form comes back as it is: placeholders, calls, several returns, outputs of all kinds
--run-- ferrite inspect --stage read -
--in--
graph main {
  placeholder %p_weight param "fc.weight" : f32[64,32]
  placeholder %b_mean buffer "bn.running_mean" : f32[64]
  placeholder %b_rope buffer "rope" non_persistent : f32[64]
  placeholder %x user "x" : f32[8,32]
  %linear = aten.linear.default(%x, %p_weight, None) : f32[8,64]
  %max_1 = aten.max.dim(%linear, -1, False) : (f32[8], i64[8])
  %getitem = _operator.getitem(%max_1, 0) : f32[8]
  output (buffer_mutation "bn.running_mean" %b_rope, user_input_mutation "x" %x, user %getitem, user 3, user None)
}
--out--
graph main {
  placeholder %p_weight param "fc.weight" : f32[64,32]
  placeholder %b_mean buffer "bn.running_mean" : f32[64]
  placeholder %b_rope buffer "rope" non_persistent : f32[64]
  placeholder %x user "x" : f32[8,32]
  %linear = aten.linear.default(%x, %p_weight, None) : f32[8,64]
  %max_1 = aten.max.dim(%linear, -1, False) : (f32[8], i64[8])
  %getitem = _operator.getitem(%max_1, 0) : f32[8]
  output (buffer_mutation "bn.running_mean" %b_rope, user_input_mutation "x" %x, user %getitem, user 3, user None)
}
