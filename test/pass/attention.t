# attention that is spelled out becomes one call: a scale behind the product, a mask that is added
--run-- ferrite inspect - --dump-after attention --verify | grep -v placeholder
--in--
graph plain {
  placeholder %q user "q" : f32[2,4,5,8]
  placeholder %k user "k" : f32[2,4,7,8]
  placeholder %v user "v" : f32[2,4,7,3]
  placeholder %m user "m" : f32[5,7]
  %t = aten.transpose.int(%k, -2, -1)
  %s = aten.matmul.default(%q, %t)
  %d = aten.div.Tensor(%s, 2.0)
  %a = aten.add.Tensor(%d, %m, 1)
  %p = aten.softmax.int(%a, -1)
  %o = aten.matmul.default(%p, %v)
  output (user %o)
}
--out--
# after attention
graph plain {
  functional
  %t = aten.transpose.int(%k, -2, -1) : f32[2,4,8,7]{224,56,1,8}@2
  %s = aten.matmul.default(%q, %t) : f32[2,4,5,7]{140,35,7,1}@5
  %d = aten.div.Tensor(%s, 2.0) : f32[2,4,5,7]{140,35,7,1}@6
  %a = aten.add.Tensor(%d, %m, 1) : f32[2,4,5,7]{140,35,7,1}@7
  %p = aten.softmax.int(%a, -1, None) : f32[2,4,5,7]{140,35,7,1}@8
  %transpose = aten.transpose.int(%t, -2, -1) : f32[2,4,7,8]{224,56,8,1}@2
  %attention = ferrite.attention.default(%q, %transpose, %v, %m, 0.5, False) : f32[2,4,5,3]{60,15,3,1}@10
  output (user %attention)
}
--run-- ferrite inspect - --dump-after attention --verify | grep -v placeholder
--in--
graph scales_on_both_sides_and_bool_masks {
  placeholder %q user "q" : f32[8,5,8]
  placeholder %k user "k" : f32[8,7,8]
  placeholder %v user "v" : f32[8,7,8]
  placeholder %hidden user "hidden" : bool[5,7]
  placeholder %seen user "seen" : bool[8,1,7]
  placeholder %low user "low" : f32[1,5,7]
  %q2 = aten.mul.Tensor(%q, 0.5)
  %k2 = aten.mul.Tensor(%k, 0.5)
  %t = aten.permute.default(%k2, [0, 2, 1])
  %s = aten.baddbmm.default(%low, %q2, %t, beta=2, alpha=3)
  %f = aten.masked_fill.Scalar(%s, %hidden, -inf)
  %none = aten.full.default([], -inf)
  %w = aten.where.self(%seen, %f, %none)
  %p = aten._softmax.default(%w, 2, False)
  %o = aten.bmm.default(%p, %v)
  output (user %o)
}
--out--
# after attention
graph scales_on_both_sides_and_bool_masks {
  functional
  %q2 = aten.mul.Tensor(%q, 0.5) : f32[8,5,8]{40,8,1}@7
  %k2 = aten.mul.Tensor(%k, 0.5) : f32[8,7,8]{56,8,1}@8
  %t = aten.permute.default(%k2, [0, 2, 1]) : f32[8,8,7]{56,1,8}@8
  %s = aten.baddbmm.default(%low, %q2, %t, 2, 3) : f32[8,5,7]{35,7,1}@9
  %f = aten.masked_fill.Scalar(%s, %hidden, -inf) : f32[8,5,7]{35,7,1}@10
  %none = aten.full.default([], -inf, None, None, None, None) : f32[]{}@11
  %w = aten.where.self(%seen, %f, %none) : f32[8,5,7]{35,7,1}@12
  %p = aten._softmax.default(%w, 2, False) : f32[8,5,7]{35,7,1}@13
  %permute = aten.permute.default(%k, [0, 2, 1]) : f32[8,8,7]{56,1,8}@2
  %transpose = aten.transpose.int(%permute, -2, -1) : f32[8,7,8]{56,8,1}@2
  %mul = aten.mul.Tensor(%low, 2.0) : f32[1,5,7]{35,7,1}@15
  %where = aten.where.Scalar(%hidden, -inf, 0.0) : f32[5,7]{7,1}@16
  %add = aten.add.Tensor(%mul, %where, 1) : f32[1,5,7]{35,7,1}@17
  %where_1 = aten.where.Scalar(%seen, 0.0, -inf) : f32[8,1,7]{7,7,1}@18
  %add_1 = aten.add.Tensor(%add, %where_1, 1) : f32[8,5,7]{35,7,1}@19
  %reshape = aten.reshape.default(%q, [1, 8, 5, 8]) : f32[1,8,5,8]{320,40,8,1}@1
  %reshape_1 = aten.reshape.default(%transpose, [1, 8, 7, 8]) : f32[1,8,7,8]{448,56,8,1}@2
  %reshape_2 = aten.reshape.default(%v, [1, 8, 7, 8]) : f32[1,8,7,8]{448,56,8,1}@3
  %attention = ferrite.attention.default(%reshape, %reshape_1, %reshape_2, %add_1, 0.75, False) : f32[1,8,5,8]{320,40,8,1}@20
  %reshape_3 = aten.reshape.default(%attention, [8, 5, 8]) : f32[8,5,8]{40,8,1}@20
  output (user %reshape_3)
}
--run-- ferrite inspect - --dump-after attention --verify | grep -v placeholder
--in--
graph cut_otherwise_in_between {
  placeholder %q user "q" : f32[8,s0,8]
  placeholder %k user "k" : f32[8,s0,8]
  placeholder %v user "v" : f32[8,s0,8]
  placeholder %hidden user "hidden" : bool[2,1,1,s0]
  placeholder %factor user "factor" : f32[8,1,1]
  %t = aten.transpose.int(%k, 1, 2)
  %s = aten.bmm.default(%q, %t)
  %c = aten.mul.Tensor(%s, %factor)
  %n = aten.sym_size.int(%q, 1)
  %four = aten.view.default(%c, [2, 4, %n, %n])
  %f = aten.masked_fill.Scalar(%four, %hidden, -1e30)
  %p = aten.softmax.int(%f, -1)
  %three = aten.view.default(%p, [8, %n, %n])
  %o = aten.bmm.default(%three, %v)
  output (user %o)
}
# left alone: weights that somebody else reads, another dimension, a mask that shows through, double precision, products
# that broadcast
--out--
# after attention
symbols {
  s0 in [0, inf]
}
graph cut_otherwise_in_between {
  functional
  %t = aten.transpose.int(%k, 1, 2) : f32[8,8,s0]{8*max(s0, 1),1,8}@2
  %s = aten.bmm.default(%q, %t) : f32[8,s0,s0]{max(s0, 1)*max(s0, 1),max(s0, 1),1}@6
  %c = aten.mul.Tensor(%s, %factor) : f32[8,s0,s0]{max(s0, 1)*max(s0, 1),max(s0, 1),1}@7
  %n = aten.sym_size.int(%q, 1) : int s0
  %four = aten.view.default(%c, [2, 4, %n, %n]) : f32[2,4,s0,s0]{4*max(s0, 1)*max(s0, 1),max(s0, 1)*max(s0, 1),max(s0, 1),1}@7
  %f = aten.masked_fill.Scalar(%four, %hidden, -1e+30) : f32[2,4,s0,s0]{4*max(s0, 1)*max(s0, 1),max(s0, 1)*max(s0, 1),max(s0, 1),1}@8
  %p = aten.softmax.int(%f, -1, None) : f32[2,4,s0,s0]{4*max(s0, 1)*max(s0, 1),max(s0, 1)*max(s0, 1),max(s0, 1),1}@9
  %three = aten.view.default(%p, [8, %n, %n]) : f32[8,s0,s0]{max(s0, 1)*max(s0, 1),max(s0, 1),1}@9
  %mul = aten.mul.Tensor(%q, %factor) : f32[8,s0,8]{8*max(s0, 1),8,1}@11
  %transpose = aten.transpose.int(%t, -2, -1) : f32[8,s0,8]{8*max(s0, 1),8,1}@2
  %where = aten.where.Scalar(%hidden, -1e+30, 0.0) : f32[2,1,1,s0]{max(s0, 1),max(s0, 1),max(s0, 1),1}@12
  %reshape = aten.reshape.default(%mul, [2, 4, s0, 8]) : f32[2,4,s0,8]{32*max(s0, 1),8*max(s0, 1),8,1}@11
  %reshape_1 = aten.reshape.default(%transpose, [2, 4, s0, 8]) : f32[2,4,s0,8]{32*max(s0, 1),8*max(s0, 1),8,1}@2
  %reshape_2 = aten.reshape.default(%v, [2, 4, s0, 8]) : f32[2,4,s0,8]{32*max(s0, 1),8*max(s0, 1),8,1}@3
  %attention = ferrite.attention.default(%reshape, %reshape_1, %reshape_2, %where, 1.0, False) : f32[2,4,s0,8]{32*max(s0, 1),8*max(s0, 1),8,1}@13
  %reshape_3 = aten.reshape.default(%attention, [8, s0, 8]) : f32[8,s0,8]{8*max(s0, 1),8,1}@13
  output (user %reshape_3)
}
--run-- ferrite inspect - --dump-after attention --verify | grep -c ferrite.attention || true
--in--
graph others {
  placeholder %q user "q" : f32[2,4,5,8]
  placeholder %t user "t" : f32[2,4,8,5]
  placeholder %one user "one" : f32[4,8,5]
  placeholder %v user "v" : f32[2,4,5,3]
  placeholder %hidden user "hidden" : bool[5,5]
  placeholder %x user "x" : f64[2,5,8]
  placeholder %y user "y" : f64[2,8,5]
  placeholder %z user "z" : f64[2,5,5]
  %s1 = aten.matmul.default(%q, %t)
  %p1 = aten.softmax.int(%s1, -1)
  %o1 = aten.matmul.default(%p1, %v)
  %s2 = aten.matmul.default(%q, %t)
  %p2 = aten.softmax.int(%s2, 2)
  %o2 = aten.matmul.default(%p2, %v)
  %s3 = aten.matmul.default(%q, %t)
  %f3 = aten.masked_fill.Scalar(%s3, %hidden, -100.0)
  %p3 = aten.softmax.int(%f3, -1)
  %o3 = aten.matmul.default(%p3, %v)
  %s4 = aten.bmm.default(%x, %y)
  %p4 = aten.softmax.int(%s4, -1)
  %o4 = aten.bmm.default(%p4, %z)
  %s5 = aten.matmul.default(%q, %one)
  %p5 = aten.softmax.int(%s5, -1)
  %o5 = aten.matmul.default(%p5, %v)
  output (user %o1, user %p1, user %o2, user %o3, user %o4, user %o5)
}
--out--
0
--run-- ferrite inspect - --dump-after attention --verify | grep -v placeholder
--in--
graph spelled_with_einsum {
  placeholder %q user "q" : f32[2,5,4,8]
  placeholder %k user "k" : f32[2,7,4,8]
  placeholder %v user "v" : f32[2,7,4,8]
  placeholder %x user "x" : f32[2,3,5,8]
  %s = aten.einsum.default("bqhd,bkhd->bhqk", [%q, %k], None)
  %t = aten.mul.Tensor(%s, 0.35)
  %p = aten.softmax.int(%t, -1, None)
  %o = aten.einsum.default("bhqk,bkhd->bqhd", [%p, %v], None)
  %s1 = aten.einsum.default("...id,...jd->...ij", [%x, %x], None)
  %p1 = aten.softmax.int(%s1, -1, None)
  %o1 = aten.einsum.default("...ij,...jd->...id", [%p1, %x], None)
  output (user %o, user %o1)
}
--out--
# after attention
graph spelled_with_einsum {
  functional
  %permute = aten.permute.default(%q, [0, 2, 1, 3]) : f32[2,4,5,8]{160,8,32,1}@1
  %permute_1 = aten.permute.default(%k, [0, 2, 3, 1]) : f32[2,4,8,7]{224,8,1,32}@2
  %matmul = aten.matmul.default(%permute, %permute_1) : f32[2,4,5,7]{140,35,7,1}@12
  %t = aten.mul.Tensor(%matmul, 0.35) : f32[2,4,5,7]{140,35,7,1}@6
  %p = aten.softmax.int(%t, -1, None) : f32[2,4,5,7]{140,35,7,1}@7
  %permute_2 = aten.permute.default(%v, [0, 2, 1, 3]) : f32[2,4,7,8]{224,8,32,1}@3
  %transpose = aten.transpose.int(%permute_1, -2, -1) : f32[2,4,7,8]{224,8,32,1}@2
  %attention = ferrite.attention.default(%permute, %transpose, %permute_2, None, 0.35, False) : f32[2,4,5,8]{160,40,8,1}@16
  %permute_3 = aten.permute.default(%attention, [0, 2, 1, 3]) : f32[2,5,4,8]{160,8,40,1}@16
  %permute_4 = aten.permute.default(%x, [0, 1, 3, 2]) : f32[2,3,8,5]{120,40,1,8}@4
  %matmul_2 = aten.matmul.default(%x, %permute_4) : f32[2,3,5,5]{75,25,5,1}@14
  %p1 = aten.softmax.int(%matmul_2, -1, None) : f32[2,3,5,5]{75,25,5,1}@10
  %transpose_1 = aten.transpose.int(%permute_4, -2, -1) : f32[2,3,5,8]{120,40,8,1}@4
  %attention_1 = ferrite.attention.default(%x, %transpose_1, %x, None, 1.0, False) : f32[2,3,5,8]{120,40,8,1}@17
  output (user %permute_3, user %attention_1)
}
--run-- ferrite inspect - --dump-after attention --verify | grep 'einsum\|matmul'
--in--
graph kept {
  placeholder %q user "q" : f32[2,5,4]
  placeholder %k user "k" : f32[2,7,4]
  placeholder %one user "one" : f32[1,7,4]
  %far = aten.einsum.default("bqd,bkd->bqk", [%q, %k], None)
  %relu = aten.relu.default(%far)
  %summed = aten.einsum.default("bqd,bke->bqk", [%q, %k], None)
  %p1 = aten.softmax.int(%summed, -1, None)
  %wide = aten.einsum.default("bqd,bkd->bqk", [%q, %one], None)
  %p2 = aten.softmax.int(%wide, -1, None)
  %outer = aten.einsum.default("bqd,bqd->bqd", [%q, %q], None)
  %p3 = aten.softmax.int(%outer, -1, None)
  output (user %relu, user %p1, user %p2, user %p3)
}
--out--
  %far = aten.einsum.default("bqd,bkd->bqk", [%q, %k], None) : f32[2,5,7]{35,7,1}@4
  %summed = aten.einsum.default("bqd,bke->bqk", [%q, %k], None) : f32[2,5,7]{35,7,1}@6
  %wide = aten.einsum.default("bqd,bkd->bqk", [%q, %one], None) : f32[2,5,7]{35,7,1}@8
  %outer = aten.einsum.default("bqd,bqd->bqd", [%q, %q], None) : f32[2,5,4]{20,4,1}@10
--run-- ferrite inspect - --dump-after attention --verify | grep -v placeholder
--in--
graph windows_with_a_mask_and_a_bias_of_their_own {
  placeholder %q user "q" : f32[6,2,5,8]
  placeholder %k user "k" : f32[6,2,8,5]
  placeholder %v user "v" : f32[6,2,5,8]
  placeholder %bias user "bias" : f32[1,2,5,5]
  placeholder %mask user "mask" : f32[1,3,1,5,5]
  %s = aten.matmul.default(%q, %k)
  %b = aten.add.Tensor(%s, %bias, 1)
  %w = aten.view.default(%b, [2, 3, 2, 5, 5])
  %m = aten.add.Tensor(%w, %mask, 1)
  %r = aten.view.default(%m, [6, 2, 5, 5])
  %p = aten.softmax.int(%r, -1)
  %o = aten.matmul.default(%p, %v)
  output (user %o)
}
--out--
# after attention
graph windows_with_a_mask_and_a_bias_of_their_own {
  functional
  %s = aten.matmul.default(%q, %k) : f32[6,2,5,5]{50,25,5,1}@6
  %b = aten.add.Tensor(%s, %bias, 1) : f32[6,2,5,5]{50,25,5,1}@7
  %w = aten.view.default(%b, [2, 3, 2, 5, 5]) : f32[2,3,2,5,5]{150,50,25,5,1}@7
  %m = aten.add.Tensor(%w, %mask, 1) : f32[2,3,2,5,5]{150,50,25,5,1}@8
  %r = aten.view.default(%m, [6, 2, 5, 5]) : f32[6,2,5,5]{50,25,5,1}@8
  %p = aten.softmax.int(%r, -1, None) : f32[6,2,5,5]{50,25,5,1}@9
  %transpose = aten.transpose.int(%k, -2, -1) : f32[6,2,5,8]{80,40,1,5}@2
  %reshape = aten.reshape.default(%bias, [2, 5, 5]) : f32[2,5,5]{25,5,1}@4
  %add = aten.add.Tensor(%reshape, %mask, 1) : f32[1,3,2,5,5]{150,50,25,5,1}@11
  %expand = aten.expand.default(%add, [1, 3, 2, 5, 5], False) : f32[1,3,2,5,5]{150,50,25,5,1}@11
  %reshape_1 = aten.reshape.default(%expand, [1, 6, 5, 5]) : f32[1,6,5,5]{150,25,5,1}@11
  %reshape_2 = aten.reshape.default(%q, [2, 6, 5, 8]) : f32[2,6,5,8]{240,40,8,1}@1
  %reshape_3 = aten.reshape.default(%transpose, [2, 6, 5, 8]) : f32[2,6,5,8]{240,40,1,5}@2
  %reshape_4 = aten.reshape.default(%v, [2, 6, 5, 8]) : f32[2,6,5,8]{240,40,8,1}@3
  %attention = ferrite.attention.default(%reshape_2, %reshape_3, %reshape_4, %reshape_1, 1.0, False) : f32[2,6,5,8]{240,40,8,1}@12
  %reshape_5 = aten.reshape.default(%attention, [6, 2, 5, 8]) : f32[6,2,5,8]{80,40,8,1}@12
  output (user %reshape_5)
}
--run-- ferrite inspect - --dump-after attention --verify | grep 'attention.default\|expand'
--in--
graph rows_that_see_nothing_are_zeros {
  placeholder %q user "q" : f32[2,4,5,8]
  placeholder %k user "k" : f32[2,4,7,8]
  placeholder %v user "v" : f32[2,4,7,3]
  placeholder %seen user "seen" : bool[5,7]
  %low = aten.full.default([], -inf, dtype=f32)
  %all = aten.expand.default(%seen, [2, 4, 5, 7])
  %t = aten.transpose.int(%k, -2, -1)
  %s = aten.matmul.default(%q, %t)
  %w = aten.where.self(%all, %s, %low)
  %p = aten._safe_softmax.default(%w, -1)
  %o = aten.matmul.default(%p, %v)
  output (user %o)
}
--out--
  %all = aten.expand.default(%seen, [2, 4, 5, 7], False) : bool[2,4,5,7]{0,0,7,1}@4
  %attention = ferrite.attention.default(%q, %transpose, %v, %all, 1.0, True) : f32[2,4,5,3]{60,15,3,1}@10
