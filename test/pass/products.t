# biases, turned weights, what matmul is taken apart into, repeated heads
--run-- ferrite inspect - --dump-after products --verify | grep -v placeholder
--in--
graph meant {
  placeholder %w constant "w" : f32[2,3] data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  placeholder %b user "b" : f32[2]
  placeholder %x user "x" : f32[5,3]
  placeholder %u user "u" : f32[3,2]
  placeholder %p user "p" : f32[4,1,5,3]
  placeholder %q user "q" : f32[6,3,2]
  placeholder %heads user "heads" : f32[1,4,7,8]
  placeholder %k user "k" : f32[1,2,7,8]
  %t = aten.t.default(%w)
  %one = aten.addmm.default(%b, %x, %t)
  %mm = aten.mm.default(%x, %t)
  %two = aten.add.Tensor(%b, %mm, 1)
  %mm3 = aten.mm.default(%x, %u)
  %three = aten.add.Tensor(%mm3, %b, 1)
  %pe = aten.expand.default(%p, [4, 6, 5, 3])
  %pv = aten.reshape.default(%pe, [24, 5, 3])
  %qe = aten.expand.default(%q, [4, 6, 3, 2])
  %qv = aten.reshape.default(%qe, [24, 3, 2])
  %bmm = aten.bmm.default(%pv, %qv)
  %four = aten.view.default(%bmm, [4, 6, 5, 2])
  %ku = aten.unsqueeze.default(%k, 2)
  %ke = aten.expand.default(%ku, [1, 2, 2, 7, 8])
  %kr = aten.reshape.default(%ke, [1, 4, 7, 8])
  %kv = aten.repeat_interleave.self_int(%k, 2, 1)
  %five = aten.scaled_dot_product_attention.default(%heads, %kr, %kv)
  output (user %one, user %two, user %three, user %four, user %five)
}
# left alone: a full addend, another factor, a weight that the program is given, heads repeated the other way round
--out--
# after products
graph meant {
  functional
  %t = aten.t.default(%w) : f32[3,2]{1,3}@1
  %linear = aten.linear.default(%x, %w, %b) : f32[5,2]{2,1}@20
  %linear_1 = aten.linear.default(%x, %w, None) : f32[5,2]{2,1}@21
  %linear_2 = aten.linear.default(%x, %w, %b) : f32[5,2]{2,1}@22
  %mm3 = aten.mm.default(%x, %u) : f32[5,2]{2,1}@12
  %addmm = aten.addmm.default(%b, %x, %u, 1, 1) : f32[5,2]{2,1}@23
  %pe = aten.expand.default(%p, [4, 6, 5, 3], False) : f32[4,6,5,3]{15,0,3,1}@5
  %pv = aten.reshape.default(%pe, [24, 5, 3]) : f32[24,5,3]{15,3,1}@14
  %qe = aten.expand.default(%q, [4, 6, 3, 2], False) : f32[4,6,3,2]{0,6,2,1}@6
  %qv = aten.reshape.default(%qe, [24, 3, 2]) : f32[24,3,2]{6,2,1}@15
  %bmm = aten.bmm.default(%pv, %qv) : f32[24,5,2]{10,2,1}@16
  %matmul = aten.matmul.default(%p, %q) : f32[4,6,5,2]{60,10,2,1}@24
  %ku = aten.unsqueeze.default(%k, 2) : f32[1,2,1,7,8]{112,56,56,8,1}@8
  %ke = aten.expand.default(%ku, [1, 2, 2, 7, 8], False) : f32[1,2,2,7,8]{112,56,0,8,1}@8
  %kr = aten.reshape.default(%ke, [1, 4, 7, 8]) : f32[1,4,7,8]{224,56,8,1}@17
  %kv = aten.repeat_interleave.self_int(%k, 2, 1, None) : f32[1,4,7,8]{224,56,8,1}@18
  %scaled_dot_product_attention = aten.scaled_dot_product_attention.default(%heads, %k, %k, None, 0.0, False, None, True) : f32[1,4,7,8]{224,56,8,1}@25
  output (user %linear, user %linear_2, user %addmm, user %matmul, user %scaled_dot_product_attention)
}
--run-- ferrite inspect - --dump-after products --verify | sed -n '/mm\|linear\|attention/p'
--in--
graph kept {
  placeholder %u user "u" : f32[2,3]
  placeholder %b user "b" : f32[2]
  placeholder %c user "c" : f32[5,2]
  placeholder %x user "x" : f32[5,3]
  placeholder %heads user "heads" : f32[1,4,7,8]
  placeholder %k user "k" : f32[1,2,7,8]
  %t = aten.t.default(%u)
  %one = aten.addmm.default(%b, %x, %t)
  %mm = aten.mm.default(%x, %t)
  %two = aten.add.Tensor(%mm, %c, 1)
  %mm3 = aten.mm.default(%x, %t)
  %three = aten.add.Tensor(%mm3, %b, alpha=2)
  %ku = aten.unsqueeze.default(%k, 1)
  %ke = aten.expand.default(%ku, [1, 2, 2, 7, 8])
  %kr = aten.reshape.default(%ke, [1, 4, 7, 8])
  %four = aten.scaled_dot_product_attention.default(%heads, %kr, %kr)
  output (user %one, user %two, user %three, user %four)
}
--out--
  %one = aten.addmm.default(%b, %x, %t, 1, 1) : f32[5,2]{2,1}@7
  %mm = aten.mm.default(%x, %t) : f32[5,2]{2,1}@8
  %two = aten.add.Tensor(%mm, %c, 1) : f32[5,2]{2,1}@9
  %mm3 = aten.mm.default(%x, %t) : f32[5,2]{2,1}@10
  %three = aten.add.Tensor(%mm3, %b, 2) : f32[5,2]{2,1}@11
  %four = aten.scaled_dot_product_attention.default(%heads, %kr, %kr, None, 0.0, False, None, False) : f32[1,4,7,8]{224,56,8,1}@13
