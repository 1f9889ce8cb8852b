# symbols with ranges and example values, expressions over them in shapes and arguments, ranges and guards; a range without a list of
# symbols is the symbol's own
--run-- ferrite inspect --stage read -
--in--
symbols {
  s0 in [2, 64] hint 8
  u0 unbacked in [0, inf]
}
graph main {
  range s0 in [2, 64]
  range 2*s0 + 1 in [5, 129]
  guard "L['x'].size()[0] <= 64"
  inputs "x"
  placeholder %x user "x" : f32[s0,4]
  %sym_size = aten.sym_size.int(%x, 0) : int s0
  %mul = _operator.mul(%sym_size, 2) : int 2*s0
  %le = _operator.le(%sym_size, 8) : bool s0 <= 8
  %view = aten.view.default(%x, [%mul, 2]) : f32[2*s0,2]
  %nonzero = aten.nonzero.default(%x) : i64[u0,2]
  %item = aten.item.default(%x) : float ?
  output (user %view, user %nonzero, user %item)
}
--out--
symbols {
  s0 in [2, 64] hint 8
  u0 unbacked in [0, inf]
}
graph main {
  range s0 in [2, 64]
  range 2*s0 + 1 in [5, 129]
  guard "L['x'].size()[0] <= 64"
  inputs "x"
  placeholder %x user "x" : f32[s0,4]
  %sym_size = aten.sym_size.int(%x, 0) : int s0
  %mul = _operator.mul(%sym_size, 2) : int 2*s0
  %le = _operator.le(%sym_size, 8) : bool s0 <= 8
  %view = aten.view.default(%x, [%mul, 2]) : f32[2*s0,2]
  %nonzero = aten.nonzero.default(%x) : i64[u0,2]
  %item = aten.item.default(%x) : float ?
  output (user %view, user %nonzero, user %item)
}
--run-- ferrite inspect --stage read -
--in--
graph main {
  range s0 in [2, 8]
  range 2*s1 in [2, 8]
  range u0 in [0, 4]
  placeholder %x user "x" : f32[s0,s1]
  %to = aten._to_copy.default(%x, dtype=f64) : f64[s0,s1]
  output (user %to)
}
--out--
symbols {
  s0 in [2, 8]
  s1 in [0, inf]
  u0 unbacked in [0, 4]
}
graph main {
  range s0 in [2, 8]
  range 2*s1 in [2, 8]
  range u0 in [0, 4]
  placeholder %x user "x" : f32[s0,s1]
  %to = aten._to_copy.default(%x, torch.float64, None, None, None, False, None) : f64[s0,s1]
  output (user %to)
}
