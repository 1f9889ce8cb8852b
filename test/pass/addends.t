# a sum or difference of a batched product, which may be scaled, and what broadcasts to it is one call with its factors; left
# alone: a product that somebody else reads, an addend that is larger, of another dtype, or whose factor is 0 (NaN and infinity
# show through 0 times x, a beta of 0 hides them), whole numbers
--run-- ferrite inspect - --dump-after products --verify | grep baddbmm
--in--
graph meant {
  placeholder %a user "a" : f32[4,5,3]
  placeholder %b user "b" : f32[4,3,s0]
  placeholder %c user "c" : f32[5,s0]
  placeholder %d user "d" : f32[4,1,1]
  %p1 = aten.bmm.default(%a, %b)
  %one = aten.add.Tensor(%p1, %c)
  %p2 = aten.bmm.default(%a, %b)
  %two = aten.add.Tensor(%p2, %c, alpha=2)
  %p3 = aten.bmm.default(%a, %b)
  %three = aten.add.Tensor(%d, %p3, alpha=2)
  %p4 = aten.bmm.default(%a, %b)
  %s4 = aten.mul.Tensor(%p4, 0.5)
  %four = aten.sub.Tensor(%c, %s4, alpha=3)
  %p5 = aten.bmm.default(%a, %b)
  %five = aten.sub.Tensor(%p5, %c)
  %p6 = aten.bmm.default(%a, %b)
  %s6 = aten.mul.Scalar(%p6, 0.5)
  %six = aten.add.Tensor(%d, %s6)
  output (user %one, user %two, user %three, user %four, user %five, user %six)
}
--out--
  %baddbmm = aten.baddbmm.default(%c, %a, %b, 1.0, 1.0) : f32[4,5,s0]{5*max(s0, 1),max(s0, 1),1}@19
  %baddbmm_1 = aten.baddbmm.default(%c, %a, %b, 2.0, 1.0) : f32[4,5,s0]{5*max(s0, 1),max(s0, 1),1}@20
  %baddbmm_2 = aten.baddbmm.default(%d, %a, %b, 1.0, 2.0) : f32[4,5,s0]{5*max(s0, 1),max(s0, 1),1}@21
  %baddbmm_3 = aten.baddbmm.default(%c, %a, %b, 1.0, -1.5) : f32[4,5,s0]{5*max(s0, 1),max(s0, 1),1}@22
  %baddbmm_4 = aten.baddbmm.default(%c, %a, %b, -1.0, 1.0) : f32[4,5,s0]{5*max(s0, 1),max(s0, 1),1}@23
  %baddbmm_5 = aten.baddbmm.default(%d, %a, %b, 1.0, 0.5) : f32[4,5,s0]{5*max(s0, 1),max(s0, 1),1}@24
  output (user %baddbmm, user %baddbmm_1, user %baddbmm_2, user %baddbmm_3, user %baddbmm_4, user %baddbmm_5)
--run-- ferrite inspect - --dump-after products --verify | sed -n 's/ : .*//; /placeholder/d; / = /p'
--in--
graph kept {
  placeholder %a user "a" : f32[4,5,3]
  placeholder %b user "b" : f32[4,3,2]
  placeholder %c user "c" : f32[5,2]
  placeholder %large user "large" : f32[2,4,5,2]
  placeholder %wide user "wide" : f64[4,5,2]
  placeholder %i user "i" : i64[4,5,3]
  placeholder %j user "j" : i64[4,3,2]
  placeholder %k user "k" : i64[5,2]
  %p1 = aten.bmm.default(%a, %b)
  %one = aten.add.Tensor(%p1, %c)
  %p2 = aten.bmm.default(%a, %b)
  %two = aten.add.Tensor(%p2, %large)
  %p3 = aten.bmm.default(%a, %b)
  %three = aten.add.Tensor(%p3, %wide)
  %p4 = aten.bmm.default(%a, %b)
  %four = aten.add.Tensor(%p4, %c, alpha=0)
  %p5 = aten.bmm.default(%i, %j)
  %five = aten.add.Tensor(%p5, %k)
  output (user %p1, user %one, user %two, user %three, user %four, user %five)
}
--out--
  %p1 = aten.bmm.default(%a, %b)
  %one = aten.add.Tensor(%p1, %c, 1)
  %p2 = aten.bmm.default(%a, %b)
  %two = aten.add.Tensor(%p2, %large, 1)
  %p3 = aten.bmm.default(%a, %b)
  %three = aten.add.Tensor(%p3, %wide, 1)
  %p4 = aten.bmm.default(%a, %b)
  %four = aten.add.Tensor(%p4, %c, 0)
  %p5 = aten.bmm.default(%i, %j)
  %five = aten.add.Tensor(%p5, %k, 1)
