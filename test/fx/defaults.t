# by hand, trailing arguments may be left to their defaults or given by name; printed, all are there
--run-- ferrite inspect --stage read -
--in--
graph main {
  placeholder %x user "x" : f32[1,3,8,8]   # what follows is a comment
  %add = aten.add.Tensor(%x, %x, alpha=2) : f32[1,3,8,8]
  %pool = aten.max_pool2d.default(%add, [2, 2], padding=1) : f32[1,3,5,5]
  %gelu = aten.gelu.default(%pool) : f32[1,3,5,5]
  %sum = aten.sum.dim_IntList(%gelu, [-1]) : f32[1,3,5]
  output (user %sum)
}
--out--
graph main {
  placeholder %x user "x" : f32[1,3,8,8]
  %add = aten.add.Tensor(%x, %x, 2) : f32[1,3,8,8]
  %pool = aten.max_pool2d.default(%add, [2, 2], [], 1, [1, 1], False) : f32[1,3,5,5]
  %gelu = aten.gelu.default(%pool, "none") : f32[1,3,5,5]
  %sum = aten.sum.dim_IntList(%gelu, [-1], False, None) : f32[1,3,5]
  output (user %sum)
}
