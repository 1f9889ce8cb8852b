# what gives back its input goes; a copy that leaves the graph, a conversion and a dropout that trains stay
--run-- ferrite inspect - --dump-after noop --verify
--in--
graph go {
  placeholder %x user "x" : f32[4,6]
  %alias = aten.alias.default(%x)
  %detach = aten.detach.default(%alias)
  %expand = aten.expand.default(%detach, [4, -1], False)
  %view = aten.view.default(%expand, [4, 6])
  %clone = aten.clone.default(%view, None)
  %to = aten._to_copy.default(%clone, torch.float32, None, None, None, False, None)
  %contiguous = aten.contiguous.default(%to, torch.contiguous_format)
  %dropout = aten.dropout.default(%contiguous, 0.5, False)
  %dropout_1 = aten.dropout.default(%dropout, 0.0, True)
  %permute = aten.permute.default(%dropout_1, [0, 1])
  %relu = aten.relu.default(%permute)
  output (user %relu)
}
--out--
# after noop
graph go {
  functional
  placeholder %x user "x" : f32[4,6]{6,1}@1
  %relu = aten.relu.default(%x) : f32[4,6]{6,1}@4
  output (user %relu)
}
--run-- ferrite inspect - --dump-after noop --verify
--in--
graph stay {
  placeholder %x user "x" : f32[4,6]
  %clone = aten.clone.default(%x, None)
  %t = aten.t.default(%x)
  %contiguous = aten.contiguous.default(%t, torch.contiguous_format)
  %relu = aten.relu.default(%contiguous)
  %to = aten._to_copy.default(%relu, torch.float64, None, None, None, False, None)
  %exp = aten.exp.default(%to)
  %dropout = aten.dropout.default(%exp, 0.5, True)
  %row = aten.clone.default(%dropout, None)
  %select = aten.select.int(%row, 0, 1)
  %view = aten.view.default(%exp, [4, 6])
  output (user %clone, user %select, user %view)
}
--out--
# after noop
graph stay {
  functional
  placeholder %x user "x" : f32[4,6]{6,1}@1
  %clone = aten.clone.default(%x, None) : f32[4,6]{6,1}@2
  %t = aten.t.default(%x) : f32[6,4]{1,6}@1
  %contiguous = aten.contiguous.default(%t, torch.contiguous_format) : f32[6,4]{4,1}@3
  %relu = aten.relu.default(%contiguous) : f32[6,4]{4,1}@4
  %to = aten._to_copy.default(%relu, torch.float64, None, None, None, False, None) : f64[6,4]{4,1}@5
  %exp = aten.exp.default(%to) : f64[6,4]{4,1}@6
  %dropout = aten.dropout.default(%exp, 0.5, True) : f64[6,4]{4,1}@7
  %row = aten.clone.default(%dropout, None) : f64[6,4]{4,1}@8
  %select = aten.select.int(%row, 0, 1) : f64[4]{1}+4@8
  %view = aten.view.default(%exp, [4, 6]) : f64[4,6]{6,1}@6
  output (user %clone, user %select, user %view)
}
