# sizes that values decide: count, define, assert, fill; an index that the run decides is wrapped, clamped and checked
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : f32[4,5]
  %m = aten.gt.Scalar(%x, 0.5) : bool[4,5]
  %n = aten.nonzero.default(%m) : i64[u0,2]{1,u0}
  output (user %n)
}
--out--
program stdin
input  @x : f32[4,5] strides [5,1] origin 0
temp   @buf1 : bool[4,5] strides [5,1] origin 1
temp   @buf2 : i64[] strides [] origin 2
temp   @buf3 : i64[u0,2] strides [1,u0] origin 2
nest [i0 < 4, i1 < 5] origin 1 {
  %0 = const 0.5 : f32
  %1 = load f32 @x[5*i0 + i1]
  %2 = lt %0, %1 : bool
  @buf1[5*i0 + i1] = %2
}
nest [] reduce [r0 < 4, r1 < 5] origin 2 {
  %0 = load bool @buf1[5*r0 + r1]
  %1 = cast %0 : i64
  @buf2[0] = sum %1
}
define u0 = @buf2[]{} origin 2
assert 0 <= u0 "a size is negative: 0 <= u0 (n)" origin 2
extern nonzero (@buf1[4,5]{5,1}) -> (@buf3[u0,2]{1,u0}) ints [0] floats [] origin 2
output @buf3[u0,2]{1,u0}
--run-- ferrite inspect --stage loop -
--in--
symbols {
  u0 unbacked in [2, 9]
}
graph main {
  placeholder %x user "x" : i32[1,1]
  %n = aten.item.default(%x) : int u0
  %g = _operator.ge(%n, 2) : bool 1
  %a = aten._assert_scalar.default(%g, "at least two")
  %e = _operator.mod(%n, 3) : int u0 % 3
  %q = _operator.eq(%e, 1) : bool u0 % 3 == 1
  %b = aten._assert_scalar.default(%q, "one more than threes")
  %z = aten.ones.default([%n], torch.float32) : f32[u0]
  %s = aten.mul.Tensor(%z, %n) : f32[u0]
  output (user %s, user %e)
}
--out--
program stdin
symbol u0 in [2, 9]
input  @x : i32[1,1] strides [1,1] origin 0
temp   @buf1 : f32[u0] strides [1] origin 8
define u0 = @x[]{} origin 1
assert 2 <= u0 "at least two: 2 <= u0 (a)" origin 3
assert u0 % 3 == 1 "one more than threes: u0 % 3 == 1 (b)" origin 6
assert u0 <= 9 "u0 <= 9 does not hold (n)" origin 1
nest [i0 < u0] origin 8 {
  %0 = load i32 @x[0]
  %1 = cast %0 : f32
  @buf1[i0] = %1
}
output @buf1[u0]{1}
output int u0 % 3
--run-- ferrite inspect --stage loop - | grep -v '^[ni}% ]'
--in--
graph main {
  placeholder %x user "x" : f32[6,5]
  placeholder %i user "i" : i64[]
  %k = aten.item.default(%i) : int u0
  %r = aten.select.int(%x, 0, %k) : f32[5]{1}+u1
  %h = aten.slice.Tensor(%x, 0, None, %k) : f32[u2,5]
  %t = aten.slice.Tensor(%x, 0, %k, None) : f32[u3,5]{5,1}+u4
  %w = aten.narrow.default(%x, 1, %k, 2) : f32[6,2]{5,1}+u5
  output (user %r, user %h, user %t, user %w)
}
--out--
program stdin
define u0 = @i[]{} origin 2
assert -6 <= u0 "an index is out of range: -6 <= u0 (r)" origin 3
assert u0 < 6 "an index is out of range: u0 < 6 (r)" origin 3
assert 0 <= u0 - 5*max(min(u0, 0), -1) "narrow: the start lies before the dimension: 0 <= u0 - 5*max(min(u0, 0), -1) (w)" origin 6
assert u0 - 5*max(min(u0, 0), -1) + 2 <= 5 "narrow: the end lies behind the dimension: u0 - 5*max(min(u0, 0), -1) + 2 <= 5 (w)" origin 6
define u2 = min(max(u0 - 6*max(min(u0, 0), -1), 0), 6) origin 4
assert 0 <= u2 "a size is negative: 0 <= u2 (h)" origin 4
define u3 = -min(max(u0 - 6*max(min(u0, 0), -1), 0), 6) + 6 origin 5
assert 0 <= u3 "a size is negative: 0 <= u3 (t)" origin 5
output @x[5]{1} + 5*u0 - 30*max(min(u0, 0), -1)
output @x[u2,5]{5,1}
output @x[u3,5]{5,1} + 5*min(max(u0 - 6*max(min(u0, 0), -1), 0), 6)
output @x[6,2]{5,1} + u0 - 5*max(min(u0, 0), -1)
--run-- ferrite inspect --stage loop - | grep -v '^[i}% ]'
--in--
graph main {
  placeholder %x user "x" : f32[6,5]
  placeholder %m user "m" : bool[6]
  %y = aten.index.Tensor(%x, [%m]) : f32[u0,5]
  %s = aten.sum.dim_IntList(%y, [0]) : f32[5]
  output (user %s)
}
--out--
program stdin
temp   @buf2 : i64[] strides [] origin 2
temp   @buf3 : i64[u0,1] strides [1,u0] origin 2
temp   @buf4 : f32[5] strides [1] origin 3
nest [] reduce [r0 < 6] origin 2 {
define u0 = @buf2[]{} origin 2
assert 0 <= u0 "a size is negative: 0 <= u0 (y)" origin 2
extern nonzero (@m[6]{1}) -> (@buf3[u0,1]{1,u0}) ints [0] floats [] origin 2
nest [i0 < 5] reduce [r0 < u0] origin 3 {
output @buf4[5]{1}
--run-- ferrite inspect --stage loop - | grep -v '^[i}% ]'
--in--
graph main {
  placeholder %x user "x" : i64[7]
  %u = aten._unique2.default(%x, True, True, False) : (i64[u0], i64[7], i64[0])
  %v = _operator.getitem(%u, 0) : i64[u0]
  %j = _operator.getitem(%u, 1) : i64[7]
  %c = aten.bincount.default(%x) : i64[u1]
  %k = aten.repeat_interleave.Tensor(%x) : i64[u2]
  output (user %v, user %j, user %c, user %k)
}
--out--
program stdin
temp   @buf1 : i64[7] strides [1] origin 1
temp   @buf2 : i64[1] strides [1] origin 1
temp   @buf3 : i64[7] strides [1] origin 1
temp   @buf4 : i64[] strides [] origin 4
temp   @buf5 : i64[] strides [] origin 4
temp   @buf6 : i64[] strides [] origin 4
temp   @buf7 : i64[] strides [] origin 4
temp   @buf8 : i64[u1] strides [1] origin 4
temp   @buf9 : i64[] strides [] origin 5
temp   @buf10 : i64[] strides [] origin 5
temp   @buf11 : i64[] strides [] origin 5
temp   @buf12 : i64[u2] strides [1] origin 5
temp   @buf13 : i64[u0] strides [1] origin 1
extern unique (@x[7,1]{1,1}) -> (@buf3[7]{1}, @buf1[7]{1}, none, @buf2[1]{1}) ints [0] floats [] origin 1
define u0 = @buf2[]{} origin 1
assert u0 <= 7 "there are more groups than rows: u0 <= 7 (u)" origin 1
assert 0 <= u0 "a size is negative: 0 <= u0 (u)" origin 1
nest [] reduce [r0 < 7] origin 4 {
nest [] origin 4 {
define u3 = @buf5[]{} origin 4
assert 0 <= u3 "bincount: a number is negative: 0 <= u3 (c)" origin 4
nest [] reduce [r0 < 7] origin 4 {
nest [] origin 4 {
define u1 = @buf7[]{} origin 4
assert 0 <= u1 "a size is negative: 0 <= u1 (c)" origin 4
nest [i0 < u1] origin 4 {
nest [i0 < 7] origin 4 {
nest [] reduce [r0 < 7] origin 5 {
nest [] origin 5 {
define u4 = @buf10[]{} origin 5
assert 0 <= u4 "repeat_interleave: a number of repeats is negative: 0 <= u4 (k)" origin 5
nest [] reduce [r0 < 7] origin 5 {
define u2 = @buf11[]{} origin 5
assert 0 <= u2 "a size is negative: 0 <= u2 (k)" origin 5
extern repeat (@x[7]{1}) -> (@buf12[u2]{1}) ints [] floats [] origin 5
nest [i0 < u0] origin 1 {
output @buf13[u0]{1}
output @buf3[7]{1}
output @buf8[u1]{1}
output @buf12[u2]{1}
--run-- ferrite inspect --stage loop - | grep -v '^[i}% ]'
--in--
graph main {
  placeholder %a user "a" : i64[]
  placeholder %b user "b" : i64[]
  %u = aten.item.default(%a) : int 2*u1
  %v = aten.item.default(%b) : int u1
  %z = aten.zeros.default([%u]) : f32[2*u1]
  output (user %z)
}
--out--
program stdin
temp   @buf2 : f32[2*u1] strides [1] origin 4
define u2 = @a[]{} origin 2
define u1 = u2 // 2 origin 2
assert u2 == 2*u1 "u2 == 2*u1 does not hold (u)" origin 2
assert 0 <= 2*u1 "a size is negative: 0 <= 2*u1 (z)" origin 4
nest [i0 < 2*u1] origin 4 {
output @buf2[2*u1]{1}
--run-- ferrite inspect --stage loop - | grep -v '^[i}% ]'
--in--
graph main {
  placeholder %a user "a" : i64[2]
  placeholder %x user "x" : f32[4]
  %s = aten.sum.default(%a) : i64[]
  %u = aten.item.default(%s) : int u0
  %y = aten.mul.Tensor(%x, %u) : f32[4]
  output (user %y)
}
--out--
program stdin
temp   @buf2 : i64[] strides [] origin 2
temp   @buf3 : f32[4] strides [1] origin 4
nest [] reduce [r0 < 2] origin 2 {
nest [i0 < 4] origin 4 {
output @buf3[4]{1}
