# sizes and dtypes of computed values become what they are, so that nobody reads the values for them; left alone: those of
# inputs, and sizes that only the run knows
--run-- ferrite inspect - --dump-after facts --verify | grep -v placeholder
--in--
graph known {
  placeholder %x user "x" : f32[s0,6]
  placeholder %h user "h" : f16[4]
  %a = aten.exp.default(%x)
  %n = aten.sym_size.int(%a, 0)
  %all = aten.sym_numel.default(%a)
  %step = aten.sym_stride.int(%a, 0)
  %flat = aten.view.default(%a, [%all])
  %one = aten.reshape_as.default(%flat, %a)
  %two = aten.view_as.default(%flat, %a)
  %row = aten.select.int(%a, 0, 0)
  %three = aten.expand_as.default(%row, %a)
  %sum = aten.add.Tensor(%h, 1)
  %four = aten.type_as.default(%h, %a)
  %five = aten.full.default([%n, %step], 1.0)
  output (user %one, user %two, user %three, user %four, user %five, user %sum)
}
--out--
# after facts
symbols {
  s0 in [0, inf]
}
graph known {
  functional
  require 0 < s0 "aten.select.int: select(): index 0 out of range for tensor of size f32[s0,6] at dimension 0 (row)"
  %a = aten.exp.default(%x) : f32[s0,6]{6,1}@3
  %flat = aten.view.default(%a, [6*s0]) : f32[6*s0]{1}@3
  %reshape = aten.reshape.default(%flat, [s0, 6]) : f32[s0,6]{6,1}@3
  %view = aten.view.default(%flat, [s0, 6]) : f32[s0,6]{6,1}@3
  %row = aten.select.int(%a, 0, 0) : f32[6]{1}@3
  %expand = aten.expand.default(%row, [s0, 6], False) : f32[s0,6]{0,1}@3
  %sum = aten.add.Tensor(%h, 1, 1) : f16[4]{1}@4
  %to = aten.to.dtype(%h, torch.float32, False, False, None) : f32[4]{1}@7
  %five = aten.full.default([s0, 6], 1.0, None, None, None, None) : f32[s0,6]{6,1}@6
  output (user %reshape, user %view, user %expand, user %to, user %five, user %sum)
}
--run-- ferrite inspect - --dump-after facts --verify | grep 'sym_size\|_as'
--in--
symbols {
  u0 unbacked in [0, inf]
}
graph kept {
  placeholder %x user "x" : f32[s0,6]
  placeholder %y user "y" : f64[s0,6]
  placeholder %m user "m" : bool[s0,6]
  %n = aten.sym_size.int(%x, 0)
  %flat = aten.view.default(%x, [-1])
  %one = aten.view_as.default(%flat, %x)
  %two = aten.type_as.default(%x, %y)
  %few = aten.masked_select.default(%x, %m) : f32[u0]
  %k = aten.sym_size.int(%few, 0)
  %three = aten.zeros.default([%k, %n])
  %neg = aten.neg.default(%few)
  %four = aten.view_as.default(%neg, %few)
  output (user %one, user %two, user %three, user %four)
}
--out--
  %n = aten.sym_size.int(%x, 0) : int s0
  %one = aten.view_as.default(%flat, %x) : f32[s0,6]{6,1}@1
  %two = aten.type_as.default(%x, %y) : f64[s0,6]{6,1}@4
  %k = aten.sym_size.int(%few, 0) : int u0
  %four = aten.view_as.default(%neg, %few) : f32[u0]{1}@7
