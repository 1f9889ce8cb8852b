# a guard about floats is calls that compute it and an assertion, in programs that are given as text too; printed, they
# parse back as such
--run-- ferrite inspect --stage fx --no-passes - | sed 's/@.*//' >a.fx && ferrite inspect --stage fx --no-passes a.fx | sed 's/@.*//' | diff a.fx - && cat a.fx && ferrite inspect --stage loop a.fx | grep assert
--in--
symbols {
  s0 in [0, inf] hint 6
}
graph main {
  guard "math.trunc(0.5*torch.sym_float(L['x'].size()[0])) == 3"
  guard "L['x'].size()[0] != 1"
  inputs "x"
  placeholder %x user "x" : f32[s0,4]
  %y = aten.relu.default(%x)
  output (user %y)
}
--out--
symbols {
  s0 in [0, inf] hint 6
}
graph main {
  guard "L['x'].size()[0] != 1"
  inputs "x"
  placeholder %x user "x" : f32[s0,4]{4,1}
  %sym_float = torch.sym_float(s0) : float ?
  %mul = _operator.mul(0.5, %sym_float) : float ?
  %trunc = math.trunc(%mul) : int ?
  %eq = _operator.eq(%trunc, 3) : bool ?
  %_assert_scalar = aten._assert_scalar.default(%eq, "the program was exported for inputs with math.trunc(0.5*torch.sym_float(x.size()[0])) == 3")
  %y = aten.relu.default(%x) : f32[s0,4]{4,1}
  output (user %y)
}
assert s0 != 1 "the program was exported for inputs with x.size()[0] != 1"
assert u0 "the program was exported for inputs with math.trunc(0.5*torch.sym_float(x.size()[0])) == 3: u0 (_assert_scalar)" origin 5
assert 0 <= u0 "0 <= u0 does not hold (_assert_scalar)" origin 5
assert u0 <= 1 "u0 <= 1 does not hold (_assert_scalar)" origin 5
