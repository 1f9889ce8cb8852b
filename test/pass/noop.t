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
--run-- ferrite inspect - --dump-after noop --verify | grep -v placeholder
--in--
graph nothing_done {
  placeholder %x user "x" : f32[4,6]
  placeholder %i user "i" : i32[3]
  %repeat = aten.repeat.default(%x, [1, 1])
  %pad = aten.constant_pad_nd.default(%repeat, [0, 0, 0, 0], 7)
  %cat = aten.cat.default([%pad], 1)
  %pow = aten.pow.Tensor_Scalar(%cat, 1)
  %exp = aten.exp.default(%pow)
  %floor = aten.floor.default(%i)
  %ceil = aten.ceil.default(%floor)
  %round = aten.round.default(%ceil)
  %trunc = aten.trunc.default(%round)
  %neg = aten.neg.default(%trunc)
  output (user %exp, user %neg)
}
--out--
# after noop
graph nothing_done {
  functional
  %exp = aten.exp.default(%x) : f32[4,6]{6,1}@7
  %neg = aten.neg.default(%i) : i32[3]{1}@12
  output (user %exp, user %neg)
}
--run-- ferrite inspect - --dump-after noop --verify | grep -v placeholder
--in--
graph something_done {
  placeholder %x user "x" : f32[4,6]
  placeholder %i user "i" : i32[3]
  %repeat = aten.repeat.default(%x, [2, 1])
  %longer = aten.repeat.default(%x, [1, 1, 1])
  %pad = aten.constant_pad_nd.default(%repeat, [1, -1], 7)
  %pow = aten.pow.Tensor_Scalar(%pad, 2)
  %floor = aten.floor.default(%pow)
  %whole = aten.floor.default(%i)
  %same = aten.pow.Tensor_Scalar(%x, 1.0)
  %cat = aten.cat.default([%x], 0)
  %abs = aten.abs.default(%floor)
  output (user %longer, user %abs, user %whole, user %same, user %cat)
}
--out--
# after noop
graph something_done {
  functional
  %repeat = aten.repeat.default(%x, [2, 1]) : f32[8,6]{6,1}@3
  %longer = aten.repeat.default(%x, [1, 1, 1]) : f32[1,4,6]{24,6,1}@4
  %pad = aten.constant_pad_nd.default(%repeat, [1, -1], 7) : f32[8,6]{6,1}@5
  %pow = aten.pow.Tensor_Scalar(%pad, 2) : f32[8,6]{6,1}@6
  %floor = aten.floor.default(%pow) : f32[8,6]{6,1}@7
  %whole = aten.floor.default(%i) : i32[3]{1}@8
  %same = aten.pow.Tensor_Scalar(%x, 1.0) : f32[4,6]{6,1}@9
  %cat = aten.cat.default([%x], 0) : f32[4,6]{6,1}@10
  %abs = aten.abs.default(%floor) : f32[8,6]{6,1}@11
  output (user %longer, user %abs, user %whole, user %same, user %cat)
}
