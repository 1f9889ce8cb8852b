# subgraphs between control ops: what they read has memory before, what they give is copied to buffers that the region names
--run-- ferrite inspect --stage loop -
--in--
graph one_arm_or_the_other {
  placeholder %x user "x" : f32[4]
  %sum = aten.sum.default(%x, None)
  %gt = aten.gt.Scalar(%sum, 0)
  %e = aten.exp.default(%x)
  %cond = higher_order.cond(%gt, @yes, @no, [%e, %x])
  %y = _operator.getitem(%cond, 0)
  output (user %y)
}
graph yes {
  placeholder %e user ""
  placeholder %x user ""
  %sin = aten.sin.default(%e)
  output (user %sin)
}
graph no {
  placeholder %e user ""
  placeholder %x user ""
  %z = aten.clone.default(%x, None)
  %add_ = aten.add_.Tensor(%z, 1, 1)
  output (user %z)
}
--out--
program stdin
input  @x : f32[4] strides [1] origin 0
temp   @buf1 : f32[] strides [] origin 1
temp   @buf2 : f32[4] strides [1] origin 3
temp   @buf3 : bool[] strides [] origin 4
temp   @buf4 : f32[4] strides [1] origin 4
nest [] reduce [r0 < 4] origin 1 {
  %0 = load f32 @x[r0]
  @buf1[0] = sum %0
}
nest [i0 < 4] origin 3 {
  %0 = load f32 @x[i0]
  %1 = exp %0 : f32
  @buf2[i0] = %1
}
nest [] origin 4 {
  %0 = const 0.0 : f32
  %1 = load f32 @buf1[0]
  %2 = lt %0, %1 : bool
  @buf3[0] = %2
}
if @buf3[]{} -> (@buf4[4]{1}) origin 4
nest [i0 < 4] origin 4 {
  %0 = load f32 @buf2[i0]
  %1 = sin %0 : f32
  @buf4[i0] = %1
}
else origin 4
nest [i0 < 4] origin 4 {
  %0 = load f32 @x[i0]
  %1 = const 1.0 : f32
  %2 = add %0, %1 : f32
  @buf4[i0] = %2
}
end origin 4
output @buf4[4]{1}
--run-- ferrite inspect --stage loop -
--in--
graph what_is_carried_is_computed_before_it_is_overwritten {
  placeholder %a user "a" : f32[4]
  placeholder %b user "b" : f32[4]
  placeholder %n user "n" : i64[]
  %zero = aten.zeros.default([], torch.int64, None, None, None)
  %loop = higher_order.while_loop(@more, @body, [%zero, %a, %b], [%n])
  %x = _operator.getitem(%loop, 1)
  %y = _operator.getitem(%loop, 2)
  output (user %x, user %y)
}
graph more {
  placeholder %i user ""
  placeholder %a user ""
  placeholder %b user ""
  placeholder %n user ""
  %lt = aten.lt.Tensor(%i, %n)
  output (user %lt)
}
graph body {
  placeholder %i user ""
  placeholder %a user ""
  placeholder %b user ""
  placeholder %n user ""
  %next = aten.add.Tensor(%i, 1, 1)
  %c = aten.clone.default(%b, None)
  %d = aten.mul.Tensor(%a, 2)
  output (user %next, user %c, user %d)
}
--out--
program stdin
input  @a : f32[4] strides [1] origin 0
input  @b : f32[4] strides [1] origin 1
input  @n : i64[] strides [] origin 2
temp   @buf3 : i64[] strides [] origin 4
temp   @buf4 : f32[4] strides [1] origin 4
temp   @buf5 : f32[4] strides [1] origin 4
temp   @buf6 : bool[] strides [] origin 4
temp   @buf7 : i64[] strides [] origin 4
temp   @buf8 : f32[4] strides [1] origin 4
temp   @buf9 : f32[4] strides [1] origin 4
nest [] origin 4 {
  %0 = const 0 : i64
  @buf3[0] = %0
}
nest [i0 < 4] origin 4 {
  %0 = load f32 @a[i0]
  @buf4[i0] = %0
}
nest [i0 < 4] origin 4 {
  %0 = load f32 @b[i0]
  @buf5[i0] = %0
}
repeat forever origin 4
nest [] origin 4 {
  %0 = load i64 @buf3[0]
  %1 = load i64 @n[0]
  %2 = lt %0, %1 : bool
  @buf6[0] = %2
}
while @buf6[]{} origin 4
nest [] origin 4 {
  %0 = load i64 @buf3[0]
  %1 = const 1 : i64
  %2 = add %0, %1 : i64
  @buf7[0] = %2
}
nest [i0 < 4] origin 4 {
  %0 = load f32 @buf5[i0]
  @buf8[i0] = %0
}
nest [i0 < 4] origin 4 {
  %0 = load f32 @buf4[i0]
  %1 = const 2.0 : f32
  %2 = mul %0, %1 : f32
  @buf9[i0] = %2
}
nest [] origin 4 {
  %0 = load i64 @buf7[0]
  @buf3[0] = %0
}
nest [i0 < 4] origin 4 {
  %0 = load f32 @buf8[i0]
  @buf4[i0] = %0
}
nest [i0 < 4] origin 4 {
  %0 = load f32 @buf9[i0]
  @buf5[i0] = %0
}
end origin 4
output @buf4[4]{1}
output @buf5[4]{1}
--run-- ferrite inspect --stage loop -
--in--
symbols {
  s0 in [2, 9] hint 3
}
graph row_by_row {
  placeholder %x user "x" : f32[s0,4]
  placeholder %h user "h" : f32[4]
  %scan = higher_order.scan(@step, [%h], [%x], [])
  %last = _operator.getitem(%scan, 0)
  %all = _operator.getitem(%scan, 1)
  %map = higher_order.map_impl(@row, [%all], [%last])
  %y = _operator.getitem(%map, 0)
  output (user %y)
}
graph step {
  placeholder %h user ""
  placeholder %x user ""
  %next = aten.add.Tensor(%h, %x, 1)
  %twice = aten.mul.Tensor(%x, 2)
  output (user %next, user %twice)
}
graph row {
  placeholder %r user ""
  placeholder %h user ""
  %sub = aten.sub.Tensor(%r, %h, 1)
  %sum = aten.sum.default(%sub, None)
  output (user %sum)
}
--out--
program stdin
symbol s0 in [2, 9] hint 3
input  @x : f32[s0,4] strides [4,1] origin 0
input  @h : f32[4] strides [1] origin 1
temp   @buf2 : f32[4] strides [1] origin 2
temp   @buf3 : f32[s0,4] strides [4,1] origin 2
temp   @buf4 : f32[4] strides [1] origin 2
temp   @buf5 : f32[s0] strides [1] origin 5
temp   @buf6 : f32[] strides [] origin 5
nest [i0 < 4] origin 2 {
  %0 = load f32 @h[i0]
  @buf2[i0] = %0
}
repeat u0 < s0 -> (@buf3[s0,4]{4,1}) origin 2
nest [i0 < 4] origin 2 {
  %0 = load f32 @x[4*u0 + i0]
  %1 = const 2.0 : f32
  %2 = mul %0, %1 : f32
  @buf3[4*u0 + i0] = %2
}
nest [i0 < 4] origin 2 {
  %0 = load f32 @buf2[i0]
  %1 = load f32 @x[4*u0 + i0]
  %2 = add %0, %1 : f32
  @buf4[i0] = %2
}
nest [i0 < 4] origin 2 {
  %0 = load f32 @buf4[i0]
  @buf2[i0] = %0
}
end origin 2
repeat u1 < s0 -> (@buf5[s0]{1}) origin 5
nest [] reduce [r0 < 4] origin 5 {
  %0 = load f32 @buf3[4*u1 + r0]
  %1 = load f32 @buf2[r0]
  %2 = sub %0, %1 : f32
  @buf6[0] = sum %2
}
nest [] origin 5 {
  %0 = load f32 @buf6[0]
  @buf5[u1] = %0
}
end origin 5
output @buf5[s0]{1}
--run-- ferrite inspect --stage loop -
--in--
symbols {
  s0 in [2, 9] hint 3
}
graph sizes_decide {
  placeholder %x user "x" : f32[s0]
  %n = aten.sym_size.int(%x, 0)
  %ge = _operator.ge(%n, 4)
  %cond = higher_order.cond(%ge, @yes, @no, [%x])
  %y = _operator.getitem(%cond, 0)
  output (user %y)
}
graph yes {
  placeholder %x user ""
  %sin = aten.sin.default(%x)
  output (user %sin)
}
graph no {
  placeholder %x user ""
  %cos = aten.cos.default(%x)
  output (user %cos)
}
--out--
program stdin
symbol s0 in [2, 9] hint 3
input  @x : f32[s0] strides [1] origin 0
temp   @buf1 : f32[s0] strides [1] origin 3
if 4 <= s0 -> (@buf1[s0]{1}) origin 3
nest [i0 < s0] origin 3 {
  %0 = load f32 @x[i0]
  %1 = sin %0 : f32
  @buf1[i0] = %1
}
else origin 3
nest [i0 < s0] origin 3 {
  %0 = load f32 @x[i0]
  %1 = cos %0 : f32
  @buf1[i0] = %1
}
end origin 3
output @buf1[s0]{1}
--run-- ferrite inspect --stage loop -
--in--
graph every_step_draws_other_numbers {
  placeholder %x user "x" : f32[3,4]
  %map = higher_order.map_impl(@row, [%x], [])
  %y = _operator.getitem(%map, 0)
  output (user %y)
}
graph row {
  placeholder %x user ""
  %r = aten.rand_like.default(%x)
  output (user %r)
}
--out--
program stdin
input  @x : f32[3,4] strides [4,1] origin 0
temp   @buf1 : f32[3,4] strides [4,1] origin 1
state  @random.seed : i64[] strides []
temp   @buf3 : i64[] strides [] origin 1
temp   @buf4 : f32[4] strides [1] origin 1
nest [] origin 1 {
  %0 = const 4354685564936845354 : i64
  @buf3[0] = %0
}
repeat u0 < 3 -> (@buf1[3,4]{4,1}) origin 1
nest [i0 < 4] origin 1 {
  %0 = load i64 @random.seed[0]
  %1 = const 7320616247664522889 : i64
  %2 = add %0, %1 : i64
  %3 = load i64 @buf3[0]
  %4 = randbits %2, %3 : i64
  %5 = index i0 : i64
  %6 = randbits %4, %5 : i64
  %7 = const 40 : i64
  %8 = shr %6, %7 : i64
  %9 = const 16777215 : i64
  %10 = and %8, %9 : i64
  %11 = cast %10 : i32
  %12 = cast %11 : f32
  %13 = const 5.960464477539063e-08 : f32
  %14 = mul %12, %13 : f32
  %15 = const 0.0 : f32
  %16 = add %14, %15 : f32
  @buf4[i0] = %16
}
nest [i0 < 4] origin 1 {
  %0 = load f32 @buf4[i0]
  @buf1[4*u0 + i0] = %0
}
nest [] origin 1 {
  %0 = load i64 @buf3[0]
  %1 = const 1 : i64
  %2 = add %0, %1 : i64
  @buf3[0] = %2
}
end origin 1
nest [] origin 3 {
  %0 = load i64 @random.seed[0]
  %1 = const 1 : i64
  %2 = add %0, %1 : i64
  @random.seed[0] = %2
}
output @buf1[3,4]{4,1}
--run-- ferrite inspect --stage loop - | sed -n '/^nest/,$p'
--in--
symbols {
  s0 in [2, 9] hint 5
}
graph arms_of_two_sizes_and_numbers {
  placeholder %x user "x" : f32[s0]
  placeholder %p user "p" : bool[]
  %cond = higher_order.cond(%p, @yes, @no, [%x]) : (f32[u0]{1}, int u1)
  %y = _operator.getitem(%cond, 0) : f32[u0]{1}
  %k = _operator.getitem(%cond, 1) : int u1
  output (user %y, user %k)
}
graph yes {
  placeholder %x user "" : f32[s0]
  %part = aten.slice.Tensor(%x, 0, 1, 9223372036854775807, 1) : f32[s0 - 1]
  output (user %part, user 3)
}
graph no {
  placeholder %x user "" : f32[s0]
  %z = aten.neg.default(%x) : f32[s0]
  output (user %z, user 5)
}
--out--
nest [] origin 2 {
  %0 = load bool @p[0]
  @buf2[0] = %0
}
nest [] origin 2 {
  %0 = load bool @buf2[0]
  %1 = index s0 - 1 : i64
  %2 = index s0 : i64
  %3 = where %0, %1, %2 : i64
  @buf3[0] = %3
}
define u0 = @buf3[]{} origin 2
assert 0 <= u0 "a size is negative: 0 <= u0 (cond)" origin 2
if @buf2[]{} -> (@buf4[u0]{1}, @buf5[]{}) origin 2
assert s0 - 1 == u0 "s0 - 1 == u0 does not hold (cond)" origin 2
nest [i0 < s0 - 1] origin 2 {
  %0 = load f32 @x[i0 + 1]
  @buf4[i0] = %0
}
nest [] origin 2 {
  %0 = const 3 : i64
  @buf5[0] = %0
}
else origin 2
assert s0 == u0 "s0 == u0 does not hold (cond)" origin 2
nest [i0 < s0] origin 2 {
  %0 = load f32 @x[i0]
  %1 = neg %0 : f32
  @buf4[i0] = %1
}
nest [] origin 2 {
  %0 = const 5 : i64
  @buf5[0] = %0
}
end origin 2
define u1 = @buf5[]{} origin 2
output @buf4[u0]{1}
output int u1
--run-- ferrite inspect --stage loop - | sed -n '/^define\|^if/,$p'
--in--
graph what_an_arm_asserts_is_asserted_in_it {
  placeholder %x user "x" : f32[4]
  placeholder %at user "at" : i64[]
  placeholder %p user "p" : bool[]
  %n = aten.item.default(%at) : int u0
  %low = _operator.ge(%n, -9) : bool u0 >= -9
  %_ = aten._assert_scalar.default(%low, "out here")
  %cond = higher_order.cond(%p, @yes, @no, [%x, %n]) : (f32[4])
  %y = _operator.getitem(%cond, 0) : f32[4]
  output (user %y)
}
graph yes {
  placeholder %x user "" : f32[4]
  placeholder %n user "" : int u0
  %few = _operator.le(%n, 3) : bool u0 <= 3
  %_ = aten._assert_scalar.default(%few, "in the arm")
  %z = aten.mul.Tensor(%x, %n) : f32[4]
  output (user %z)
}
graph no {
  placeholder %x user "" : f32[4]
  placeholder %n user "" : int u0
  %few = _operator.le(%n, 3) : bool u0 <= 3
  %_ = aten._assert_scalar.default(%few, "in the arm")
  %z = aten.neg.default(%x) : f32[4]
  output (user %z)
}
--out--
define u0 = @at[]{} origin 3
assert -9 <= u0 "out here: -9 <= u0 (_)" origin 5
nest [] origin 6 {
  %0 = load bool @p[0]
  @buf3[0] = %0
}
if @buf3[]{} -> (@buf4[4]{1}) origin 6
assert u0 <= 3 "in the arm: u0 <= 3 (_)" origin 6
nest [i0 < 4] origin 6 {
  %0 = load f32 @x[i0]
  %1 = load i64 @at[0]
  %2 = cast %1 : f32
  %3 = mul %0, %2 : f32
  @buf4[i0] = %3
}
else origin 6
assert u0 <= 3 "in the arm: u0 <= 3 (_)" origin 6
nest [i0 < 4] origin 6 {
  %0 = load f32 @x[i0]
  %1 = neg %0 : f32
  @buf4[i0] = %1
}
end origin 6
output @buf4[4]{1}
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : f32[4]
  placeholder %p user "p" : bool[]
  %a = higher_order.cond(%p, @many, @many, [%x])
  %y = _operator.getitem(%a, 0)
  output (user %y)
}
graph many {
  placeholder %x user ""
  %gt = aten.gt.Scalar(%x, 0)
  %large = aten.index.Tensor(%x, [%gt])
  %sum = aten.sum.default(%large, None)
  output (user %sum)
}
--out--
program stdin
symbol u0 in [0, ]
symbol u1 in [0, ]
input  @x : f32[4] strides [1] origin 0
input  @p : bool[] strides [] origin 1
temp   @buf2 : bool[] strides [] origin 2
temp   @buf3 : f32[] strides [] origin 2
temp   @buf4 : bool[4] strides [1] origin 2
temp   @buf5 : i64[] strides [] origin 2
temp   @buf6 : i64[u0,1] strides [1,u0] origin 2
temp   @buf7 : f32[] strides [] origin 2
temp   @buf8 : bool[4] strides [1] origin 2
temp   @buf9 : i64[] strides [] origin 2
temp   @buf10 : i64[u1,1] strides [1,u1] origin 2
temp   @buf11 : f32[] strides [] origin 2
nest [] origin 2 {
  %0 = load bool @p[0]
  @buf2[0] = %0
}
if @buf2[]{} -> (@buf3[]{}) origin 2
nest [i0 < 4] origin 2 {
  %0 = const 0.0 : f32
  %1 = load f32 @x[i0]
  %2 = lt %0, %1 : bool
  @buf4[i0] = %2
}
nest [] reduce [r0 < 4] origin 2 {
  %0 = load bool @buf4[r0]
  %1 = cast %0 : i64
  @buf5[0] = sum %1
}
define u0 = @buf5[]{} origin 2
assert 0 <= u0 "0 <= u0 does not hold (a)" origin 2
extern nonzero (@buf4[4]{1}) -> (@buf6[u0,1]{1,u0}) ints [0] floats [] origin 2
nest [] reduce [r0 < u0] origin 2 {
  %0 = load i64 @buf6[r0]
  %1 = const 0 : i64
  %2 = lt %0, %1 : bool
  %3 = const 4 : i64
  %4 = add %0, %3 : i64
  %5 = where %2, %4, %0 : i64
  j0 = indirect %5 < 4 dim 0 wraps origin 2
  %6 = load f32 @x[j0]
  @buf7[0] = sum %6
}
nest [] origin 2 {
  %0 = load f32 @buf7[0]
  @buf3[0] = %0
}
else origin 2
nest [i0 < 4] origin 2 {
  %0 = const 0.0 : f32
  %1 = load f32 @x[i0]
  %2 = lt %0, %1 : bool
  @buf8[i0] = %2
}
nest [] reduce [r0 < 4] origin 2 {
  %0 = load bool @buf8[r0]
  %1 = cast %0 : i64
  @buf9[0] = sum %1
}
define u1 = @buf9[]{} origin 2
assert 0 <= u1 "0 <= u1 does not hold (a)" origin 2
extern nonzero (@buf8[4]{1}) -> (@buf10[u1,1]{1,u1}) ints [0] floats [] origin 2
nest [] reduce [r0 < u1] origin 2 {
  %0 = load i64 @buf10[r0]
  %1 = const 0 : i64
  %2 = lt %0, %1 : bool
  %3 = const 4 : i64
  %4 = add %0, %3 : i64
  %5 = where %2, %4, %0 : i64
  j0 = indirect %5 < 4 dim 0 wraps origin 2
  %6 = load f32 @x[j0]
  @buf11[0] = sum %6
}
nest [] origin 2 {
  %0 = load f32 @buf11[0]
  @buf3[0] = %0
}
end origin 2
output @buf3[]{}
--run-- ferrite inspect --stage loop -
--in--
graph what_the_taken_arm_finds {
  placeholder %x user "x" : f32[4]
  placeholder %p user "p" : bool[]
  %cond = higher_order.cond(%p, @found, @known, [%x]) : (f32[u9])
  %y = _operator.getitem(%cond, 0) : f32[u9]
  output (user %y)
}
graph found {
  placeholder %x user "" : f32[4]
  %gt = aten.gt.Scalar(%x, 0) : bool[4]
  %large = aten.index.Tensor(%x, [%gt]) : f32[u0]
  output (user %large)
}
graph known {
  placeholder %x user "" : f32[4]
  %neg = aten.neg.default(%x) : f32[4]
  output (user %neg)
}
--out--
program stdin
input  @x : f32[4] strides [1] origin 0
input  @p : bool[] strides [] origin 1
temp   @buf2 : bool[] strides [] origin 2
temp   @buf3 : i64[] strides [] origin 2
temp   @buf4 : bool[4] strides [1] origin 2
temp   @buf5 : i64[] strides [] origin 2
temp   @buf6 : i64[u0,1] strides [1,u0] origin 2
temp   @buf7 : f32[u9] strides [1] origin 2
temp   @buf8 : bool[4] strides [1] origin 2
temp   @buf9 : i64[] strides [] origin 2
temp   @buf10 : i64[u10,1] strides [1,u10] origin 2
nest [] origin 2 {
  %0 = load bool @p[0]
  @buf2[0] = %0
}
if @buf2[]{} -> (@buf3[]{}) origin 2
nest [i0 < 4] origin 2 {
  %0 = const 0.0 : f32
  %1 = load f32 @x[i0]
  %2 = lt %0, %1 : bool
  @buf4[i0] = %2
}
nest [] reduce [r0 < 4] origin 2 {
  %0 = load bool @buf4[r0]
  %1 = cast %0 : i64
  @buf5[0] = sum %1
}
define u0 = @buf5[]{} origin 2
assert 0 <= u0 "a size is negative: 0 <= u0 (large)" origin 2
extern nonzero (@buf4[4]{1}) -> (@buf6[u0,1]{1,u0}) ints [0] floats [] origin 2
nest [] origin 2 {
  %0 = index u0 : i64
  @buf3[0] = %0
}
else origin 2
nest [] origin 2 {
  %0 = const 4 : i64
  @buf3[0] = %0
}
end origin 2
define u9 = @buf3[]{} origin 2
assert 0 <= u9 "a size is negative: 0 <= u9 (cond)" origin 2
if @buf2[]{} -> (@buf7[u9]{1}) origin 2
nest [i0 < 4] origin 2 {
  %0 = const 0.0 : f32
  %1 = load f32 @x[i0]
  %2 = lt %0, %1 : bool
  @buf8[i0] = %2
}
nest [] reduce [r0 < 4] origin 2 {
  %0 = load bool @buf8[r0]
  %1 = cast %0 : i64
  @buf9[0] = sum %1
}
define u10 = @buf9[]{} origin 2
assert 0 <= u10 "a size is negative: 0 <= u10 (large)" origin 2
assert u10 == u9 "u10 == u9 does not hold (cond)" origin 2
extern nonzero (@buf8[4]{1}) -> (@buf10[u10,1]{1,u10}) ints [0] floats [] origin 2
nest [i0 < u10] origin 2 {
  %0 = load i64 @buf10[i0]
  %1 = const 0 : i64
  %2 = lt %0, %1 : bool
  %3 = const 4 : i64
  %4 = add %0, %3 : i64
  %5 = where %2, %4, %0 : i64
  j0 = indirect %5 < 4 dim 0 wraps origin 2
  %6 = load f32 @x[j0]
  @buf7[i0] = %6
}
else origin 2
assert 4 == u9 "4 == u9 does not hold (cond)" origin 2
nest [i0 < 4] origin 2 {
  %0 = load f32 @x[i0]
  %1 = neg %0 : f32
  @buf7[i0] = %1
}
end origin 2
output @buf7[u9]{1}
--run-- ferrite inspect - --stage loop | grep -e '^nest' -e output -e '@buf3.*='
--in--
# what branches give expanded has each element once
graph main {
  placeholder %x user "x" : f32[3,4]{4,1}@1
  placeholder %p user "p" : bool[]{}@2
  %c = higher_order.cond(%p, @one, @one, [%x]) : (f32[3,4]{1,0}@3)
  %y = _operator.getitem(%c, 0) : f32[3,4]{1,0}@3
  output (user %y)
}
graph one {
  placeholder %x user "x" : f32[3,4]{4,1}@1
  %sum = aten.sum.dim_IntList(%x, [1], True) : f32[3,1]{1,1}@2
  %rows = aten.expand.default(%sum, [3, 4]) : f32[3,4]{1,0}@2
  output (user %rows)
}
--out--
nest [] origin 2 {
nest [i0 < 3] reduce [r0 < 4] origin 2 {
nest [i0 < 3, i1 < 1] origin 2 {
  @buf3[i0] = %0
nest [i0 < 3] reduce [r0 < 4] origin 2 {
nest [i0 < 3, i1 < 1] origin 2 {
  @buf3[i0] = %0
output @buf3[3,4]{1,0}
