# law L1: each load, store and view is proven to be inside, from axes, masks, assertions before it, and what
# indices out of data keep; a program that gives one of these up is refused, with the access and its bounds: first those that are off by one along an axis, at either end
--run-- ferrite inspect accesses.loop --from loop --stage loop | cmp - accesses.loop
--file accesses.loop--
program accesses
symbol s0 in [2, 64]
symbol s1 in [3, 64]
symbol u0 in [0, ]
input  @x : f32[4,8] strides [8,1]
input  @d : f32[s0,s1] strides [s1,1]
input  @i : i64[4] strides [1]
input  @n : i64[] strides []
temp   @padded : f32[4,11] strides [11,1]
temp   @mirror : f32[s0,s1 + 2] strides [s1 + 2,1]
temp   @every : f32[8] strides [1]
temp   @rows : f32[4,8] strides [8,1]
temp   @turned : f32[s0*s1] strides [1]
temp   @first : f32[u0] strides [1]
temp   @last : f32[u0] strides [1]
nest [i0 < 4, i1 < 11] {
  %0 = const 2 : i64
  %1 = index i1 : i64
  %2 = le %0, %1 : bool
  %3 = const 10 : i64
  %4 = lt %1, %3 : bool
  %5 = and %2, %4 : bool
  %6 = load f32 @x[8*i0 + i1 - 2]
  %7 = const 0.0 : f32
  %8 = masked %5, %6, %7 : f32
  @padded[11*i0 + i1] = %8
}
nest [i0 < s0, i1 < s1 + 2] {
  %0 = load f32 @d[s1*i0 + s1 - max(s1 - max(i1 - 1, -i1 + 1) - 1, -s1 + max(i1 - 1, -i1 + 1) + 1) - 1]
  @mirror[s1*i0 + 2*i0 + i1] = %0
}
nest [i0 < 8] {
  %0 = const 2 : i64
  %1 = index i0 : i64
  %2 = le %0, %1 : bool
  %3 = index i0 % 2 : i64
  %4 = const 0 : i64
  %5 = eq %3, %4 : bool
  %6 = and %2, %5 : bool
  %7 = load f32 @x[i0 // 2 - 1]
  %8 = const 0.0 : f32
  %9 = masked %6, %7, %8 : f32
  @every[i0] = %9
}
nest [i0 < 4, i1 < 8] {
  %0 = load i64 @i[i0]
  j0 = indirect %0 < 4 dim 0
  %1 = load f32 @x[8*j0 + i1]
  @rows[8*i0 + i1] = %1
}
nest [i0 < s0*s1] {
  %0 = load f32 @d[s1*(i0 % s0) + i0 // s0]
  @turned[i0] = %0
}
define u0 = @n[]{}
assert 0 <= u0 "a count"
assert u0 <= 30 "at most thirty"
nest [i0 < u0] {
  %0 = load f32 @x[i0 + 2]
  @first[i0] = %0
}
extern copy (@x[u0]{1} + 2) -> (@last[u0]{1}) ints [0] floats []
output @padded[4,11]{11,1}
output @mirror[s0,s1 + 2]{s1 + 2,1}
output @every[8]{1}
output @rows[4,8]{8,1}
output @turned[s0*s1]{1}
output @first[u0]{1}
output @last[u0]{1}
output @x[4,7]{8,1} + 1
--run-- for w in 's/i1 - 2\]/i1 - 3]/' 's/i1 - 2\]/i1 - 1]/' 's/@rows\[8\*i0/@rows[9*i0/' 's/@turned\[i0\]/@turned[i0 + 1]/' 's/\[4,7\]/[4,8]/' 's/s1 + 2\] {/s1 + 3] {/; s/s1 + 2\] strides \[s1 + 2/s1 + 3] strides [s1 + 3/; s/2\*i0/3*i0/; s/mirror\[s0,s1 + 2\]{s1 + 2/mirror[s0,s1 + 3]{s1 + 3/; s/s1 in \[3/s1 in [2/'; do sed "$w" accesses.loop | ferrite inspect - --from loop --stage loop 2>&1 | grep law; done
--out--
error: loop: law L1: a load of @x[8*i0 + i1 - 3], between -3 and 31, is not known to be in [0, 32) in
error: loop: law L1: a load of @x[8*i0 + i1 - 1], between -1 and 33, is not known to be in [0, 32) in
error: loop: law L1: a store of @rows[9*i0 + i1], between 0 and 34, is not known to be in [0, 32) in
error: loop: law L1: a store of @turned[i0 + 1], between 1 and 4096, is not known to be in [0, s0*s1) in
error: loop: law L1: a view of @x[8*i0 + i1 + 1], between 1 and 32, is not known to be in [0, 32)
error: loop: law L1: a load of @d[s1*i0 + s1 - max(s1 - max(i1 - 1, -i1 + 1) - 1, -s1 + max(i1 - 1, -i1 + 1) + 1) - 1], between -63 and 4095, is not known to be in [0, s0*s1) in
--status-- 1
--run-- for w in 's/masked %5/where %5/' 's/masked %5/masked %2/' 's/masked %5/masked %4/' 's/%8 = masked %5, %6, %7/%8 = masked %5, %6, %6/' 's/%5 = and %2, %4/%5 = or %2, %4/' 's/%0 = const 2 : i64/%0 = const 1 : i64/' 's/%2 = le %0, %1/%2 = lt %1, %0/'; do sed "$w" accesses.loop | ferrite inspect - --from loop --stage loop 2>&1 | grep law; done
--out--
error: loop: law L1: a load of @x[8*i0 + i1 - 2], between -2 and 32, is not known to be in [0, 32) in
error: loop: law L1: a load of @x[8*i0 + i1 - 2], between -2 and 32, is not known to be in [0, 32) in
error: loop: law L1: a load of @x[8*i0 + i1 - 2], between -2 and 32, is not known to be in [0, 32) in
error: loop: law L1: a load of @x[8*i0 + i1 - 2], between -2 and 32, is not known to be in [0, 32) in
error: loop: law L1: a load of @x[8*i0 + i1 - 2], between -2 and 32, is not known to be in [0, 32) in
error: loop: law L1: a load of @x[8*i0 + i1 - 2], between -2 and 32, is not known to be in [0, 32) in
error: loop: law L1: a load of @x[8*i0 + i1 - 2], between -2 and 32, is not known to be in [0, 32) in
--status-- 1
--run-- for w in 's/%0 < 4/%0 < 5/' '/^assert u0/d' 's/u0 <= 30/u0 <= 31/' 's/^assert u0.*/assert u0 != 31 "another"/' 's/u0 <= 30/s0 <= 30/'; do sed "$w" accesses.loop | ferrite inspect - --from loop --stage loop 2>&1 | grep law; done; sed '/^assert u0/{h;d}; /^output @padded/{x;p;x}' accesses.loop | ferrite inspect - --from loop --stage loop 2>&1 | grep law
--out--
error: loop: law L1: a load of @x[8*indirect0 + i1], between 0 and 39, is not known to be in [0, 32) in
error: loop: law L1: a load of @x[i0 + 2], between 2 and anything, is not known to be in [0, 32) in
error: loop: law L1: a load of @x[i0 + 2], between 2 and anything, is not known to be in [0, 32) in
error: loop: law L1: a load of @x[i0 + 2], between 2 and anything, is not known to be in [0, 32) in
error: loop: law L1: a load of @x[i0 + 2], between 2 and anything, is not known to be in [0, 32) in
error: loop: law L1: a load of @x[i0 + 2], between 2 and anything, is not known to be in [0, 32) in
--status-- 1
--run-- for w in 's/i1 - 2\]/9223372036854775807*i1 - 2]/' 's/8\*j0/4611686018427387904*j0/' 's/i1 - 2\]/i1 - 9223372036854775807]/' 's/i1 - 2\]/9223372036854775807*i0 + 9223372036854775807*i1 + 2]/' 's/\[i0 + 2\]/[9223372036854775807*i0*i0 + 2]/' 's/\[u0\]{1} + 2/[u0]{9223372036854775807} + 2/' 's/\[4,7\]{8,1} + 1/[4,7]{-9223372036854775808,1} + 1/'; do sed "$w" accesses.loop | ferrite inspect - --from loop --stage loop 2>&1 | grep law; done
--out--
error: loop: law L1: a load of @x[8*i0 + 9223372036854775807*i1 - 2], between -2 and anything, is not known to be in [0, 32) in
error: loop: law L1: a load of @x[4611686018427387904*indirect0 + i1], between 0 and anything, is not known to be in [0, 32) in
error: loop: law L1: a load of @x[8*i0 + i1 - 9223372036854775807], between -9223372036854775807 and -9223372036854775773, is not known to be in [0, 32) in
error: loop: law L1: a load of @x[8*i0 + 9223372036854775807*i0 + 9223372036854775807*i1 + 2], between 2 and anything, is not known to be in [0, 32) in
error: loop: law L1: a load of @x[9223372036854775807*i0*i0 + 2], between 2 and anything, is not known to be in [0, 32) in
error: loop: law L1: a view of @x[9223372036854775807*i0 + 2], between 2 and anything, is not known to be in [0, 32) in
error: loop: law L1: a view of @x[-9223372036854775808*i0 + i1 + 1], between anything and 7, is not known to be in [0, 32)
--status-- 1
--run-- for w in s,a,a, '/^assert 0/d' 's/^assert 0 <= u0/assert -1 <= u0/' '/^assert u0/d' 's/u0 <= 4/u0 <= 5/' 's/u0 <= 4/u0 < 6/' 's/u0 <= 4/u0 <= s0/' 's/u0 <= 4/u0 <= u0/' 's/u0 <= 4/4 <= u0/' 's/u0 <= 4/u0 != 5/' '/^assert u0/{h;d}; /^output @y/{x;p;x}' 's/= 2.u0/= 3*u0/' 's/= 2.u0/= u0 - 1/' 's/u2 in .0, 2./u2 in [0, 1]/' 's/u2 in .0, 2./u2 in [1, 2]/' 's/^repeat u2 < 3/repeat u2 < s0/'; do sed "$w" defined.loop | ferrite inspect - --from loop --stage loop 2>&1 | grep law; done; for w in 's/u0 <= 4/u0 < 5/' 's/u0 <= 4/u0 == 3/' 's/4. "/s0] "/; s/u0 <= 4/u0 <= s0/; s/s0 in .2, 64./s0 in [2, 4]/'; do sed "$w" defined.loop | ferrite inspect - --from loop --stage loop 2>&1 | grep law; done
--file defined.loop--
program defined
symbol s0 in [2, 64]
symbol u0 in [0, 4]
symbol u1 in [0, 8]
symbol u2 in [0, 2]
input  @x : f32[s0] strides [1]
input  @d : f32[8] strides [1]
input  @n : i64[] strides []
temp   @y : f32[u0] strides [1]
temp   @z : f32[u1] strides [1]
temp   @a : f32[8] strides [1]
define u0 = @n[]{}
assert 0 <= u0 "a count"
assert u0 <= 4 "of four"
define u1 = 2*u0
nest [i0 < u0] {
  %0 = load f32 @d[i0]
  @y[i0] = %0
}
nest [i0 < u1] {
  %0 = load f32 @d[i0]
  @z[i0] = %0
}
repeat u2 < 3 -> (@a[8]{1})
nest [i0 < 8] {
  %0 = load f32 @d[i0]
  @a[i0] = %0
}
end
output @y[u0]{1}
output @z[u1]{1}
output @a[8]{1}
--out--
error: loop: law L6: nothing keeps u0 in its range: it wants an assertion behind it in
error: loop: law L6: nothing keeps u0 in its range: it wants an assertion behind it in
error: loop: law L6: nothing keeps u0 in its range: it wants an assertion behind it in
error: loop: law L6: nothing keeps u0 in its range: it wants an assertion behind it in
error: loop: law L6: nothing keeps u0 in its range: it wants an assertion behind it in
error: loop: law L6: nothing keeps u0 in its range: it wants an assertion behind it in
error: loop: law L6: nothing keeps u0 in its range: it wants an assertion behind it in
error: loop: law L6: nothing keeps u0 in its range: it wants an assertion behind it in
error: loop: law L6: nothing keeps u0 in its range: it wants an assertion behind it in
error: loop: law L6: nothing keeps u0 in its range: it wants an assertion behind it in
error: loop: law L6: nothing keeps u1 in its range: it wants an assertion behind it in
error: loop: law L6: nothing keeps u1 in its range: it wants an assertion behind it in
error: loop: law L6: the steps leave the range of u2 in
error: loop: law L6: the steps leave the range of u2 in
error: loop: law L6: the steps leave the range of u2 in
--status-- 1
--run-- ferrite inspect - --stage loop | grep -e ^assert -e '^  %1'
--in--
symbols {
  s0 in [0, 2000]
}
graph main {
  placeholder %w user "w" : f32[4,s0]
  %p = aten.narrow.default(%w, 1, 1, 3)
  %a = aten.add_.Tensor(%w, %p)
  output (user %a)
}
--out--
assert 4 <= s0 "narrow: the end lies behind the dimension: 4 <= s0 (p)" origin 1
assert 1 <= s0 "aten.narrow.default: start out of range for f32[4,s0]: 1 (p): 1 <= s0"
assert s0 == 3 "aten.add_.Tensor: The size of tensor a (s0) must match the size of tensor b (3) at non-singleton dimension 1 (a): s0 == 3"
  %1 = load f32 @w[s0*i0 + i1 + 1]
--run-- ferrite inspect - --from loop --stage sched
--in--
# the shape of a buffer does not move with a loop
program shaped
symbol s0 in [0, 9] hint 2
input  @x : f32[s0] strides [1]
temp   @y : f32[s0,i0] strides [max(s0, 1),1]
nest [i0 < s0] {
  %0 = load f32 @x[i0]
  @y[i0] = %0
}
output @y[s0,i0]{max(s0, 1),1}
--err--
error: loop: law L6: the shape of @y has the index i0
  at reading
--status-- 1
