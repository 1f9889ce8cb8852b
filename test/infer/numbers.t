# sizes and arithmetic on them, as expressions over the program's symbols
--run-- ferrite inspect --stage fx --no-passes -
--in--
symbols {
  s0 in [2, 64]
}
graph main {
  placeholder %x user "x" : f32[s0,4]
  %size = aten.sym_size.int(%x, 0)
  %twice = _operator.mul(%size, 2)
  %half = _operator.floordiv(%size, 2)
  %rest = _operator.mod(%twice, 2)
  %less = _operator.le(%size, 64)
  %open = _operator.lt(%size, 8)
  %numel = aten.sym_numel.default(%x)
  %ratio = _operator.truediv(%size, 2)
  %known = _operator.truediv(3, 2)
  %up = math.ceil(%known)
  %root = torch.sym_sqrt(16)
  %most = torch.sym_max(%size, 8)
  %sum = torch.sym_sum([%size, %numel, 1])
  %flat = aten.view.default(%x, [-1])
  %rows = aten.slice.Tensor(%x, 0, 1, 9223372036854775807)
  %wide = aten.expand.default(%x, [%twice, -1, -1])
  %joined = aten.cat.default([%x, %x, %rows])
  %chunks = aten.chunk.default(%x, 2, 1)
  output (user %twice)
}
--out--
symbols {
  s0 in [2, 64]
}
graph main {
  placeholder %x user "x" : f32[s0,4]{4,1}@1
  %size = aten.sym_size.int(%x, 0) : int s0
  %twice = _operator.mul(%size, 2) : int 2*s0
  %half = _operator.floordiv(%size, 2) : int s0 // 2
  %rest = _operator.mod(%twice, 2) : int 0
  %less = _operator.le(%size, 64) : bool 1
  %open = _operator.lt(%size, 8) : bool s0 <= 7
  %numel = aten.sym_numel.default(%x) : int 4*s0
  %ratio = _operator.truediv(%size, 2) : float ?
  %known = _operator.truediv(3, 2) : float 1.5
  %up = math.ceil(%known) : int 2
  %root = torch.sym_sqrt(16) : float 4.0
  %most = torch.sym_max(%size, 8) : int max(s0, 8)
  %sum = torch.sym_sum([%size, %numel, 1]) : int 5*s0 + 1
  %flat = aten.view.default(%x, [-1]) : f32[4*s0]{1}@1
  %rows = aten.slice.Tensor(%x, 0, 1, 9223372036854775807, 1) : f32[s0 - 1,4]{4,1}+4@1
  %wide = aten.expand.default(%x, [%twice, -1, -1], False) : f32[2*s0,s0,4]{0,4,1}@1
  %joined = aten.cat.default([%x, %x, %rows], 0) : f32[3*s0 - 1,4]{4,1}@2
  %chunks = aten.chunk.default(%x, 2, 1) : (f32[s0,2]{4,1}@1, f32[s0,2]{4,1}+2@1)
  output (user %twice)
}
