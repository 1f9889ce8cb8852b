# what the text of a wrapper must hold, and what is said when it does not
--run-- sed 's/^weight 0/weight 1/' laws.wrap | ferrite inspect - --from wrap --stage wrap
--file laws.wrap--
program laws
symbol s0 in [2, 64]
input  @x : f32[s0,8] strides [8,1]
const  @w : f32[8,8] strides [8,1]
temp   @a : f32[16,8] strides [8,1]
temp   @b : f32[16,8] strides [8,1]
temp   @c : f32[16,8] strides [8,1]
temp   @y : f32[16,8] strides [8,1]
wrapper arena 1024 bound 1024 weights 256 kernels 2 calls 4
weight 0 @w at 0 bytes 256
memory @y output 0
symbol s0 = size 0 0
assert s0 == 16 "sixteen rows"
alloc @a live [0, 2) at 0 bytes 512
note "first"
kernel k_exp (@x, @w, @a) ints [s0] m 1 n 128 cost 100
alloc @b live [1, 3) at 512 bytes 512
extern copy (@a[8,16]{1,8}) -> (@b[8,16]{16,1}) ints [0] floats []
reuse @a -> @c live [2, 4) at 0 bytes 512
kernel k_neg (@b, @c) ints [] m 1 n 128 cost 100
free @b
extern copy (@c[8,16]{1,8}) -> (@y[8,16]{16,1}) ints [0] floats []
free @c
output 0 @y[16,8]{8,1}
--err--
error: wrap: expected weight 0 (found '@w')
  at line 10, column 10
--status-- 1
--run-- sed 's/extern copy (@a/extern copies (@a/' laws.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: there is no extern kernel copies (found '(')
  at line 18, column 15
--status-- 1
--run-- sed 's/^output 0/output 1/' laws.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: expected output 0 (found '@y')
  at line 24, column 10
--status-- 1
--run-- sed 's/symbol s0 = size 0 0/symbol s0 = size 3 0/' laws.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: there is no such input (found '3')
  at line 12, column 18
--status-- 1
--run-- sed 's/m 1 n 128/n 128/' laws.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: expected 'm' (found 'n')
  at line 16, column 37
--status-- 1
--run-- sed 's/^free @b/free @d/' laws.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: there is no such buffer (found '@d')
  at line 21, column 6
--status-- 1
--run-- sed 's/^free @b/drop @b/' laws.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: expected a line of the wrapper (found 'drop')
  at line 21, column 1
--status-- 1
--run-- sed 's/^note "first"/note first/' laws.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: expected a "string" (found 'first')
  at line 15, column 6
--status-- 1
--run-- sed 's/ cost 100//' laws.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: expected 'cost' (found 'alloc')
  at line 17, column 1
--status-- 1
--run-- sed 's/{1,8}) -> (@b/{1,8} packed 4) -> (@b/' laws.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: there is no such weight (found '4')
  at line 18, column 35
--status-- 1
--run-- ferrite inspect laws.wrap --from wrap --stage sched
--err--
error: read: a program that begins as the text of stage wrap has no stage before it
--status-- 1
--run-- ferrite inspect laws.wrap --from wrapper --stage wrap
--err--
error: option: from is one of fx, loop, sched, kern, wrap, not 'wrapper'
  help: did you mean 'wrap'?
--status-- 2
--run-- for to in 'so -o l.so' 'c -o src' 'python -o l.py' 'fx -o l.json'; do ferrite compile laws.wrap --from wrap --emit $to; done; ferrite run laws.wrap --from wrap; ls; ferrite inspect laws.wrap --from wrap --stage c | grep -c 'k_exp,'
--err--
error: emit: the text of a wrapper does not hold its kernels, and calls k_exp
  help: compile from the text of an earlier stage (sched, loop, fx), or the program itself
error: emit: the text of a wrapper does not hold its kernels, and calls k_exp
  help: compile from the text of an earlier stage (sched, loop, fx), or the program itself
error: emit: the text of a wrapper does not hold its kernels, and calls k_exp
  help: compile from the text of an earlier stage (sched, loop, fx), or the program itself
error: emit: the text of a wrapper does not hold its kernels, and calls k_exp
  help: compile from the text of an earlier stage (sched, loop, fx), or the program itself
error: emit: the text of a wrapper does not hold its kernels, and calls k_exp
  help: compile from the text of an earlier stage (sched, loop, fx), or the program itself
--out--
laws.wrap
1
