# an archive as an fx graph: defaults filled in, numbers and None among inputs and outputs
--run-- ferrite inspect --stage read $ROOT/test/cases/programs/constant_arguments.pt2 | grep -v _spec
--out--
graph main {
  inputs "x", "power", "scale", "mode", "flag", "nothing"
  placeholder %x user "x" : f32[2,3]
  placeholder %power constant_input "power" : int 3
  placeholder %scale constant_input "scale" : float 0.5
  placeholder %mode constant_input "mode" : opaque
  placeholder %flag constant_input "flag" : bool 1
  placeholder %nothing constant_input "nothing"
  %pow_1 = aten.pow.Tensor_Scalar(%x, 3) : f32[2,3]
  %mul = aten.mul.Tensor(%pow_1, 0.5) : f32[2,3]
  output (user %mul, user 3, user None, user 2.5, user %mul)
}
--run-- ferrite inspect --stage read $ROOT/test/cases/programs/dynamic_derived.pt2 | grep -v _spec
--out--
symbols {
  s63 in [0, 16] hint 2
  s68 in [0, 4] hint 3
}
graph main {
  range 4*s63 in [4, 64]
  range s68 in [0, 4]
  range s63 in [0, 16]
  guard "((6*L['x'].size()[0]) % (4*(L['x'].size()[0] // 4))) == 0"
  guard "(6*L['x'].size()[0]) == (4*(L['x'].size()[0] // 4)*((3*L['x'].size()[0]) // (2*(L['x'].size()[0] // 4))))"
  guard "(L['x'].size()[0] // 4) != L['x'].size()[0]"
  guard "(L['x'].size()[0] % (L['x'].size()[0] // 4)) == 0"
  guard "(L['x'].size()[0] // (L['x'].size()[0] // 4)) == 4"
  guard "((3*L['x'].size()[0]) // (2*(L['x'].size()[0] // 4))) == 6"
  guard "6*(L['x'].size()[0] // 4)*(L['x'].size()[0] // (L['x'].size()[0] // 4)) >= 2"
  guard "(L['x'].size()[0] // (L['x'].size()[0] // 4)) != 1"
  guard "(L['x'].size()[0] // 4) != 1"
  inputs "x", "y", "z"
  placeholder %x user "x" : f32[4*s63,6]
  placeholder %y user "y" : f32[4*s63,6]
  placeholder %z user "z" : f32[s68,6]
  %sym_size_int_5 = aten.sym_size.int(%z, 0) : int s68
  %sym_size_int = aten.sym_size.int(%x, 0) : int 4*s63
  %floordiv = _operator.floordiv(%sym_size_int, 4) : int s63
  %reshape = aten.reshape.default(%x, [%floordiv, 4, -1]) : f32[s63,4,6]
  %sum_1 = aten.sum.dim_IntList(%reshape, [1], False, None) : f32[s63,6]
  %cat = aten.cat.default([%y, %z], 0) : f32[4*s63 + s68,6]
  %mul = aten.mul.Tensor(%cat, %sym_size_int) : f32[4*s63 + s68,6]
  %slice_1 = aten.slice.Tensor(%x, 0, None, %sym_size_int_5, 1) : f32[s68,6]
  %add = aten.add.Tensor(%slice_1, 1, 1) : f32[s68,6]
  output (user %sum_1, user %mul, user %add)
}
