# what the text of a schedule must hold, and what is said when it does not
--run-- sed 's/group 1/group 7/' laws.sched | ferrite inspect - --from sched --stage sched
--file laws.sched--
program laws
input  @x : f32[16,8] strides [8,1]
const  @w : f32[8,8] strides [8,1]
temp   @total : f32[16] strides [1]
temp   @y : f32[16,8] strides [8,1]
temp   @product : f32[16,8] strides [8,1]
temp   @z : f32[16,8] strides [8,1]
temp   @copy : f32[16,8] strides [8,1]
nest [i0 < 16] reduce [r0 < 8] {
  %0 = load f32 @x[8*i0 + r0]
  @total[i0] = sum %0
}
nest [i0 < 16, i1 < 8] {
  %0 = load f32 @x[8*i0 + i1]
  %1 = load f32 @total[i0]
  %2 = sub %0, %1 : f32
  @y[8*i0 + i1] = %2
}
extern gemm (@y[16,8]{8,1}, @w[8,8]{1,8}, none) -> (@product[16,8]{8,1}) ints [0] floats [0.0,0.0]
nest [i0 < 16, i1 < 8] {
  %0 = load f32 @product[8*i0 + i1]
  %1 = exp %0 : f32
  @z[8*i0 + i1] = %1
}
extern copy (@z[16,8]{8,1}) -> (@copy[16,8]{8,1}) ints [0] floats []
output @copy[16,8]{8,1}
schedule
group 0 kernel outer [i0 < 16] vector inner
  phase reduce [r0 < 8] { op 0 }
  phase inner [i1 < 8] { op 1 }
  local @total
group 1 extern op 2 gemm epilogue outer [i0 < 16] vector inner
  phase inner [i1 < 8] { op 3 }
  in_place @product -> @z
group 2 extern op 4 copy
live @y [0, 2)
live @product [1, 3) in @z
live @z [1, 3)
live @copy [2, 4) output
--err--
error: sched: expected group 1 (found 'extern')
  at line 32, column 9
--status-- 1
--run-- sed 's/extern op 4 copy/extern op 1 copy/' laws.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: the op is of another kind (found '1')
  at line 35, column 19
--status-- 1
--run-- sed 's/op 4 copy/op 4 gemm/' laws.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: expected 'copy' (found 'gemm')
  at line 35, column 21
--status-- 1
--run-- sed 's/{ op 3 }/{ op 9 }/' laws.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: there is no such op (found '9')
  at line 33, column 29
--status-- 1
--run-- sed 's/phase inner \[i1 < 8\] { op 3 }/phase reduce [r0 < 8] { op 3 }/' laws.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: op 3 does not have the loops of its phase (found '}')
  at line 33, column 32
--status-- 1
--run-- sed 's/^group 2.*/&\nrefuse 0 1 tired/' laws.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: expected a reason (found 'tired')
  at line 36, column 12
--status-- 1
--run-- sed 's/local @total/local @sum/' laws.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: there is no such buffer (found '@sum')
  at line 31, column 9
--status-- 1
--run-- sed 's/^live @y.*/dead @y/' laws.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: expected order, group, refuse or live (found 'dead')
  at line 36, column 1
--status-- 1
--run-- sed '/^schedule/,$d' laws.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: expected 'schedule' (found the end)
  at line 27, column 1
--status-- 1
--run-- sed 's/= exp/= expo/' laws.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: expected an operation (found 'expo')
  at line 22, column 8
--status-- 1
