# graphs as arguments stand behind the graph that calls for them, each once; none calls for itself, through others either
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
--run-- ferrite inspect --stage read a.fx; ferrite inspect --stage read b.fx; ferrite inspect --stage read c.fx
--file a.fx--
graph main {
  placeholder %p user "p" : bool[]
  placeholder %x user "x" : f32[4]
  %cond = higher_order.cond(%p, @one, @other, [%p, %x])
  %getitem = _operator.getitem(%cond, 0)
  output (user %getitem)
}
graph one {
  placeholder %p user "" : bool[]
  placeholder %x user "" : f32[4]
  %cond = higher_order.cond(%p, @one, @other, [%p, %x])
  %getitem = _operator.getitem(%cond, 0)
  output (user %getitem)
}
graph other {
  placeholder %p user "" : bool[]
  placeholder %x user "" : f32[4]
  %cos = aten.cos.default(%x)
  output (user %cos)
}
--file b.fx--
graph main {
  placeholder %x user "x" : f32[4]
  %called = higher_order.invoke_subgraph(@one, "one", %x)
  %getitem = _operator.getitem(%called, 0)
  output (user %getitem)
}
graph one {
  placeholder %x user "" : f32[4]
  %called = higher_order.invoke_subgraph(@main, "main", %x)
  %getitem = _operator.getitem(%called, 0)
  output (user %getitem)
}
--file c.fx--
graph main {
  placeholder %x user "x" : f32[4]
  %called = higher_order.invoke_subgraph(@one, "one", %x)
  %getitem = _operator.getitem(%called, 0)
  %again = higher_order.invoke_subgraph(@two, "two", %getitem)
  %item = _operator.getitem(%again, 0)
  output (user %item)
}
graph one {
  placeholder %x user "" : f32[4]
  %cos = aten.cos.default(%x)
  output (user %cos)
}
graph two {
  placeholder %x user "" : f32[4]
  %called = higher_order.invoke_subgraph(@one, "one", %x)
  %getitem = _operator.getitem(%called, 0)
  output (user %getitem)
}
--out--
graph main {
  placeholder %x user "x" : f32[4]
  %called = higher_order.invoke_subgraph(@one, "one", %x)
  %getitem = _operator.getitem(%called, 0)
  %again = higher_order.invoke_subgraph(@two, "two", %getitem)
  %item = _operator.getitem(%again, 0)
  output (user %item)
}
graph one {
  placeholder %x user "" : f32[4]
  %cos = aten.cos.default(%x)
  output (user %cos)
}
graph two {
  placeholder %x user "" : f32[4]
  %called = higher_order.invoke_subgraph(@one, "one", %x)
  %getitem = _operator.getitem(%called, 0)
  output (user %getitem)
}
--err--
error: fx: graph other is called without an end, or through more than 64 graphs (found the end)
  at line 21, column 1
error: fx: graph one is called without an end, or through more than 64 graphs (found the end)
  at line 13, column 1
--status-- 0
