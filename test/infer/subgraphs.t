# what subgraphs give, with metadata of their own; results alias what they alias inside
--run-- ferrite inspect --stage fx --no-passes -
--in--
graph main {
  placeholder %p user "p" : bool[]
  placeholder %x user "x" : f32[4,3]
  %cond = higher_order.cond(%p, @yes, @no, [%x])
  %chosen = _operator.getitem(%cond, 0)
  %wrap = higher_order.wrap_with_set_grad_enabled(False, @view, %x)
  %viewed = _operator.getitem(%wrap, 0)
  %map = higher_order.map_impl(@row, [%x], [])
  %rows = _operator.getitem(%map, 0)
  output (user %chosen, user %viewed, user %rows)
}
graph yes {
  placeholder %x user ""
  %sin = aten.sin.default(%x)
  output (user %sin)
}
graph no {
  placeholder %x user ""
  %cos = aten.cos.default(%x)
  output (user %cos)
}
graph view {
  placeholder %x user ""
  %t = aten.t.default(%x)
  output (user %t)
}
graph row {
  placeholder %x user ""
  %sum = aten.cumsum.default(%x, 0)
  output (user %sum)
}
--out--
graph main {
  placeholder %p user "p" : bool[]{}@1
  placeholder %x user "x" : f32[4,3]{3,1}@2
  %cond = higher_order.cond(%p, @yes, @no, [%x]) : (f32[4,3]{3,1}@3)
  %chosen = _operator.getitem(%cond, 0) : f32[4,3]{3,1}@3
  %wrap = higher_order.wrap_with_set_grad_enabled(False, @view, %x) : (f32[3,4]{1,3}@2)
  %viewed = _operator.getitem(%wrap, 0) : f32[3,4]{1,3}@2
  %map = higher_order.map_impl(@row, [%x], []) : (f32[4,3]{3,1}@4)
  %rows = _operator.getitem(%map, 0) : f32[4,3]{3,1}@4
  output (user %chosen, user %viewed, user %rows)
}
graph yes {
  placeholder %x user "" : f32[4,3]{3,1}@1
  %sin = aten.sin.default(%x) : f32[4,3]{3,1}@2
  output (user %sin)
}
graph no {
  placeholder %x user "" : f32[4,3]{3,1}@1
  %cos = aten.cos.default(%x) : f32[4,3]{3,1}@2
  output (user %cos)
}
graph view {
  placeholder %x user "" : f32[4,3]{3,1}@1
  %t = aten.t.default(%x) : f32[3,4]{1,3}@1
  output (user %t)
}
graph row {
  placeholder %x user "" : f32[3]{1}@1
  %sum = aten.cumsum.default(%x, 0, None) : f32[3]{1}@2
  output (user %sum)
}
