# how a kernel is made, where there is a choice: its text, what the kernel and its call are like then, what cannot be
--run-- ferrite inspect ways.sched --from sched --stage sched | diff - ways.sched && ferrite inspect ways.sched --from sched --stage kern --isa x86-64-v3 | grep -E 'kernel|acc|rows|vector r0|squares'; ferrite inspect ways.sched --from sched --stage wrap --isa x86-64-v3 | grep -o 'cost.*'
--file ways.sched--
program stdin
input  @x : f32[64,48] strides [48,1] origin 0
temp   @buf1 : f32[64] strides [1] origin 1
temp   @buf2 : f32[48] strides [1] origin 3
temp   @buf3 : f32[48,64] strides [64,1] origin 5
nest [i0 < 64] reduce [r0 < 48] origin 1 {
  %0 = load f32 @x[48*i0 + r0]
  @buf1[i0] = sum %0
}
nest [i0 < 48] reduce [r0 < 64] origin 3 {
  %0 = load f32 @x[i0 + 48*r0]
  %1 = neg %0 : f32
  @buf2[i0] = sum %1
}
nest [i0 < 48, i1 < 64] origin 5 {
  %0 = load f32 @x[i0 + 48*i1]
  %1 = const 1.0 : f32
  %2 = add %0, %1 : f32
  @buf3[64*i0 + i1] = %2
}
output @buf1[64]{1}
output @buf2[48]{1}
output @buf3[48,64]{64,1}
schedule
group 0 kernel outer [i0 < 64] vector inner unroll 1 alone
  phase reduce [r0 < 48] { op 0 }
group 1 kernel outer [i0 < 48] vector outer unroll 2 half
  phase reduce [r0 < 64] { op 1 }
group 2 kernel outer [i0 < 48] vector inner straight fine
  phase inner [i1 < 64] { op 2 }
live @buf1 [0, 4) output
live @buf2 [1, 4) output
live @buf3 [2, 4) output
--out--
kernel k_sum group 0 lanes 8 ints [48]
  rows (i0) {
    acc a0 : f32x8 sum
    vector r0 < p0 exact {
kernel k_sum_neg group 1 lanes 4 ints [48, 64]
  rows vector (i0 < p0) unroll 2 {
    acc a0 : f32x4 sum copies 2
kernel k_add group 2 lanes 8 ints [48, 64]
  rows (i0) {
cost 0
cost 10970
cost 2308
--run-- for w in "unroll 3" "unroll 8" "fine alone" "half 2"; do sed "s/unroll 1 alone/$w/" ways.sched >wrong.sched; ferrite inspect wrong.sched --from sched --stage sched; done
--err--
error: sched: law S10: a variant asks for copies that there cannot be: 3
  at group 0
  help: this is a fault of ferrite's own: please report it with the program
error: sched: copies are 1, 2 or 4 (found '8')
  at line 25, column 52
error: sched: expected a phase (found 'alone')
  at line 25, column 50
error: sched: expected a phase (found '2')
  at line 25, column 50
--status-- 1
