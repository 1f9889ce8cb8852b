# equal calls become one, but not two that are both returned, nor random ones
--run-- ferrite inspect - --dump-after cse --verify
--in--
graph merge {
  placeholder %x user "x" : f32[4,6]
  %a = aten.exp.default(%x)
  %b = aten.exp.default(%x)
  %c = aten.sum.dim_IntList(%a, [1], False, None)
  %d = aten.sum.dim_IntList(%b, [1], False, None)
  %e = aten.add.Tensor(%c, %d, 1)
  %f = aten.add.Tensor(%c, %d, 2)
  output (user %e, user %f, user %b)
}
--out--
# after cse
graph merge {
  functional
  placeholder %x user "x" : f32[4,6]{6,1}@1
  %a = aten.exp.default(%x) : f32[4,6]{6,1}@2
  %c = aten.sum.dim_IntList(%a, [1], False, None) : f32[4]{1}@4
  %e = aten.add.Tensor(%c, %c, 1) : f32[4]{1}@6
  %f = aten.add.Tensor(%c, %c, 2) : f32[4]{1}@7
  output (user %e, user %f, user %a)
}
--run-- ferrite inspect - --dump-after cse --verify
--in--
graph stay {
  placeholder %x user "x" : f32[4,6]
  %a = aten.exp.default(%x)
  %b = aten.exp.default(%x)
  %flat = aten.view.default(%b, [24])
  %r = aten.rand_like.default(%x, None, None, None, None, None)
  %s = aten.rand_like.default(%x, None, None, None, None, None)
  %t = aten.sub.Tensor(%r, %s, 1)
  output (user %a, user %flat, user %t)
}
--out--
# after cse
graph stay {
  functional
  placeholder %x user "x" : f32[4,6]{6,1}@1
  %a = aten.exp.default(%x) : f32[4,6]{6,1}@2
  %b = aten.exp.default(%x) : f32[4,6]{6,1}@3
  %flat = aten.view.default(%b, [24]) : f32[24]{1}@3
  %r = aten.rand_like.default(%x, None, None, None, None, None) : f32[4,6]{6,1}@4
  %s = aten.rand_like.default(%x, None, None, None, None, None) : f32[4,6]{6,1}@5
  %t = aten.sub.Tensor(%r, %s, 1) : f32[4,6]{6,1}@6
  output (user %a, user %flat, user %t)
}
--run-- ferrite inspect - --dump-after cse --verify
--in--
graph three {
  placeholder %x user "x" : f32[4,6]
  %a = aten.exp.default(%x)
  %b = aten.exp.default(%x)
  %c = aten.exp.default(%x)
  %s = aten.sum.default(%a, None)
  %flat = aten.view.default(%b, [24])
  output (user %s, user %flat, user %c)
}
--out--
# after cse
graph three {
  functional
  placeholder %x user "x" : f32[4,6]{6,1}@1
  %a = aten.exp.default(%x) : f32[4,6]{6,1}@2
  %c = aten.exp.default(%x) : f32[4,6]{6,1}@4
  %s = aten.sum.default(%a, None) : f32[]{}@5
  %flat = aten.view.default(%a, [24]) : f32[24]{1}@2
  output (user %s, user %flat, user %c)
}
