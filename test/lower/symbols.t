# sizes that are symbols stay expressions
--run-- ferrite inspect --stage loop -
--in--
symbols {
  s0 in [2, 64]
}
graph main {
  range s0 in [2, 64]
  placeholder %x user "x" : f32[s0,8]
  %view = aten.view.default(%x, [2*s0, 4]) : f32[2*s0,4]
  %sum = aten.sum.dim_IntList(%view, [0]) : f32[4]
  %arange = aten.arange.default(s0) : i64[s0]
  output (user %sum, user %arange)
}
--out--
program stdin
symbol s0 in [2, 64]
input  @x : f32[s0,8] strides [8,1] origin 0
temp   @buf1 : f32[4] strides [1] origin 2
temp   @buf2 : i64[s0] strides [1] origin 3
nest [i0 < 4] reduce [r0 < 2*s0] origin 2 {
  %0 = load f32 @x[i0 + 4*r0]
  @buf1[i0] = sum %0
}
nest [i0 < s0] origin 3 {
  %0 = index i0 : i64
  @buf2[i0] = %0
}
output @buf1[4]{1}
output @buf2[s0]{1}
--run-- ferrite inspect --stage loop - | grep '^assert'
--in--
symbols {
  s0 in [0, 64]
  s1 in [4, inf]
  u0 unbacked in [0, 64]
}
graph guards_stand_in_front_and_stay_where_ranges_imply_them {
  guard "L['x'].size()[0] >= 0"
  guard "(L['x'].size()[0] % 2) == 0 and L['deep']['Y'][0].size()[1] != 1"
  guard "2 <= L['n'] <= 9"
  guard "(L['x'].size()[0] // L['n']) * max(1, L['n']) == L['x'].size()[0]"
  guard "L['x'].size()[0] == L['x'].size()[0]"
  guard "not (L['n'] == 3 or L['n'] > 7)"
  guard "L['x'].stride()[0] == 1"
  guard "L['unheard'].size()[0] == 1"
  guard "L['x'].size()[0] & 1"
  guard "L['flat_args'][1].size()[1] >= 5"
  placeholder %x user "x" : f32[s0]
  placeholder %deep_y_0 user "deep_y_0" : f32[2,s1]
  placeholder %n user "n" : int s2
  placeholder %j user "j" : i64[]
  %i = aten.item.default(%j) : int u0
  %g = _operator.ge(%i, 0) : bool 1
  %a = aten._assert_scalar.default(%g, "not negative")
  %h = _operator.le(%i, 64) : bool 1
  %b = aten._assert_scalar.default(%h, "at most 64")
  %f = aten.full.default([%i], 1.0) : f32[u0]
  output (user %f)
}
--out--
assert 0 <= s0 "the program was exported for inputs with x.size()[0] >= 0"
assert s0 % 2 == 0 "the program was exported for inputs with (x.size()[0] % 2) == 0 and deep['Y'][0].size()[1] != 1"
assert s1 != 1 "the program was exported for inputs with (x.size()[0] % 2) == 0 and deep['Y'][0].size()[1] != 1"
assert 2 <= s2 "the program was exported for inputs with 2 <= n <= 9"
assert s2 <= 9 "the program was exported for inputs with 2 <= n <= 9"
assert s2 "the program was exported for inputs with (x.size()[0] // n) * max(1, n) == x.size()[0]"
assert (s0 // s2)*max(s2, 1) == s0 "the program was exported for inputs with (x.size()[0] // n) * max(1, n) == x.size()[0]"
assert !(s2 == 3 || 8 <= s2) "the program was exported for inputs with not (n == 3 or n > 7)"
assert 5 <= s1 "the program was exported for inputs with flat_args[1].size()[1] >= 5"
assert 0 <= u0 "not negative: 0 <= u0 (a)" origin 6
assert u0 <= 64 "at most 64: u0 <= 64 (b)" origin 8
--status-- 0
