# graphs as arguments stand behind the graph that calls for them, each once
--run-- ferrite inspect --stage read -
--in--
graph main {
  placeholder %p user "p" : bool[]
  placeholder %x user "x" : f32[4]
  %cond = higher_order.cond(%p, @true_graph_0, @false_graph_0, [%x]) : (f32[4])
  %getitem = _operator.getitem(%cond, 0) : f32[4]
  output (user %getitem)
}
graph true_graph_0 {
  placeholder %x user "" : f32[4]
  %sin = aten.sin.default(%x) : f32[4]
  output (user %sin)
}
graph false_graph_0 {
  placeholder %x user "" : f32[4]
  %cos = aten.cos.default(%x) : f32[4]
  output (user %cos)
}
--out--
graph main {
  placeholder %p user "p" : bool[]
  placeholder %x user "x" : f32[4]
  %cond = higher_order.cond(%p, @true_graph_0, @false_graph_0, [%x]) : (f32[4])
  %getitem = _operator.getitem(%cond, 0) : f32[4]
  output (user %getitem)
}
graph true_graph_0 {
  placeholder %x user "" : f32[4]
  %sin = aten.sin.default(%x) : f32[4]
  output (user %sin)
}
graph false_graph_0 {
  placeholder %x user "" : f32[4]
  %cos = aten.cos.default(%x) : f32[4]
  output (user %cos)
}
