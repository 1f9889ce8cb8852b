# law S9: what lies in the memory of a donated input, and what breaks the law
--run-- ferrite inspect gift.sched --from sched --stage sched | cmp - gift.sched
--file gift.sched--
program gift
input  @x : f32[8,8] strides [8,1] donated
temp   @a : f32[8,8] strides [8,1]
temp   @b : f32[4,8] strides [8,1]
temp   @c : f32[4,8] strides [8,1]
temp   @y : f32[4,8] strides [8,1]
nest [i0 < 64] {
  %0 = load f32 @x[i0]
  %1 = exp %0 : f32
  @a[i0] = %1
}
extern copy (@a[4,8]{8,1}) -> (@b[4,8]{8,1}) ints [0] floats []
extern copy (@a[4,8]{8,1} + 32) -> (@c[4,8]{8,1}) ints [0] floats []
nest [i0 < 32] {
  %0 = load f32 @b[i0]
  %1 = load f32 @c[-i0 + 31]
  %2 = add %0, %1 : f32
  @y[i0] = %2
}
output @y[4,8]{8,1}
schedule
group 0 kernel outer [] vector inner
  phase inner [i0 < 64] { op 0 }
group 1 extern op 1 copy
group 2 extern op 2 copy
group 3 kernel outer [] vector inner
  phase inner [i0 < 32] { op 3 }
live @x [0, 1) donated
live @a [0, 3)
live @b [1, 4) in @x donated
live @c [2, 4) in @x at 32 donated
live @y [3, 5) output
--out--
--run-- sed 's/^live @c .*/live @c [2, 4) in @x donated/' gift.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: law S9: two buffers that live at once lie in the same bytes: c
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^live @c .*/live @c [2, 4) in @x at 40 donated/' gift.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: law S9: it is not inside the memory that it lies in: c
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^live @x .*/live @x [0, 3) donated/' gift.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: law S9: it overwrites an input that is read later: b
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^output.*/&\noutput @x[8,8]{8,1}/; s/^live @x .*/live @x [0, 5) donated/' gift.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: law S9: an output is a view of it: b
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/f32\[4,8\]/f64[4,8]/; s/(@a\[4,8\]{8,1}[ +32]*)/(@a[4,8]{8,1} as f64)/' gift.sched | sed 's/load f32 @[bc]/load f64 @b/; s/add %0, %1 : f32/add %0, %1 : f64/' | ferrite inspect - --from sched --stage sched
--err--
error: sched: law S9: the memory that it lies in is not aligned for it: b
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
