# matrix products, linear layers, attention, einsum
--run-- ferrite inspect --stage fx --no-passes -
--in--
graph main {
  placeholder %x user "x" : f32[2,5,8]
  placeholder %w param "w" : f32[16,8]
  placeholder %v user "v" : f32[8]
  placeholder %m user "m" : f32[5,8]
  placeholder %b user "b" : f32[2,8,3]
  placeholder %q user "q" : f32[2,4,5,8]{160,8,32,1}
  placeholder %mask user "mask" : f32[2,1,5,5]
  placeholder %one user "one" : i32[1]
  %t = aten.t.default(%w)
  %mm = aten.mm.default(%m, %t)
  %bmm = aten.bmm.default(%x, %b)
  %linear = aten.linear.default(%x, %w)
  %rows = aten.matmul.default(%m, %b)
  %vector = aten.matmul.default(%v, %b)
  %mv = aten.mv.default(%m, %v)
  %dot = aten.dot.default(%v, %v)
  %outer = aten.outer.default(%v, %v)
  %einsum = aten.einsum.default("bik,bkj->jib", [%x, %b])
  %sums = aten.einsum.default("...i->...", [%x])
  %count = aten.einsum.default("i->", [%one])
  %fused = aten.scaled_dot_product_attention.default(%q, %q, %q, %mask)
  output (user %mm)
}
--out--
graph main {
  placeholder %x user "x" : f32[2,5,8]{40,8,1}@1
  placeholder %w param "w" : f32[16,8]{8,1}@2
  placeholder %v user "v" : f32[8]{1}@3
  placeholder %m user "m" : f32[5,8]{8,1}@4
  placeholder %b user "b" : f32[2,8,3]{24,3,1}@5
  placeholder %q user "q" : f32[2,4,5,8]{160,8,32,1}@6
  placeholder %mask user "mask" : f32[2,1,5,5]{25,25,5,1}@7
  placeholder %one user "one" : i32[1]{1}@8
  %t = aten.t.default(%w) : f32[8,16]{1,8}@2
  %mm = aten.mm.default(%m, %t) : f32[5,16]{16,1}@9
  %bmm = aten.bmm.default(%x, %b) : f32[2,5,3]{15,3,1}@10
  %linear = aten.linear.default(%x, %w, None) : f32[2,5,16]{80,16,1}@11
  %rows = aten.matmul.default(%m, %b) : f32[2,5,3]{15,3,1}@12
  %vector = aten.matmul.default(%v, %b) : f32[2,3]{3,1}@13
  %mv = aten.mv.default(%m, %v) : f32[5]{1}@14
  %dot = aten.dot.default(%v, %v) : f32[]{}@15
  %outer = aten.outer.default(%v, %v) : f32[8,8]{8,1}@16
  %einsum = aten.einsum.default("bik,bkj->jib", [%x, %b], None) : f32[3,5,2]{5,1,15}@17
  %sums = aten.einsum.default("...i->...", [%x], None) : f32[2,5]{5,1}@18
  %count = aten.einsum.default("i->", [%one], None) : i64[]{}@19
  %fused = aten.scaled_dot_product_attention.default(%q, %q, %q, %mask, 0.0, False, None, False) : f32[2,4,5,8]{160,8,32,1}@20
  output (user %mm)
}
