# what no output needs goes; inputs and assertions stay
--run-- ferrite inspect - --dump-after dce --verify
--in--
graph dead {
  placeholder %w param "w" : f32[4,6]
  placeholder %x user "x" : f32[4,6]
  %a = aten.exp.default(%x)
  %b = aten.mul.Tensor(%a, %w)
  %max = aten.max.dim(%b, 1, False)
  %values = _operator.getitem(%max, 0)
  %indices = _operator.getitem(%max, 1)
  %n = aten.sym_size.int(%x, 0)
  %c = aten.relu.default(%values)
  %d = aten.sin.default(%x)
  output (user %d)
}
--out--
# after dce
graph dead {
  functional
  placeholder %w param "w" : f32[4,6]{6,1}@1
  placeholder %x user "x" : f32[4,6]{6,1}@2
  %d = aten.sin.default(%x) : f32[4,6]{6,1}@8
  output (user %d)
}
--run-- ferrite inspect - --dump-after dce --verify
--in--
graph alive {
  placeholder %a buffer "a" : f32[4]
  placeholder %x user "x" : f32[4]
  %ge = aten.ge.Scalar(%x, 0)
  %all = aten.all.default(%ge)
  %checked = aten._assert_async.msg(%all, "negative")
  %sum = aten.sum.default(%x)
  %copy_ = aten.mul_.Tensor(%a, %sum)
  output ()
}
--out--
# after dce
graph alive {
  functional
  placeholder %a buffer "a" : f32[4]{1}@1
  placeholder %x user "x" : f32[4]{1}@2
  %ge = aten.ge.Scalar(%x, 0) : bool[4]{1}@3
  %all = aten.all.default(%ge) : bool[]{}@4
  %checked = aten._assert_async.msg(%all, "negative")
  %sum = aten.sum.default(%x, None) : f32[]{}@5
  %mul = aten.mul.Tensor(%a, %sum) : f32[4]{1}@6
  output (buffer_mutation "a" %mul)
}
