# the verifier of the schedule: what breaks each of the laws S1 to S6, and what it says
--run-- ferrite inspect laws.sched --from sched --stage sched | cmp - laws.sched
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
live @product [1, 2) in @z
live @z [1, 3)
live @copy [2, 4) output
--run-- sed 's/{ op 1 }/{ op 1 op 1 }/' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S1: an op is scheduled twice: op 1
  at group 0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/  phase inner \[i1 < 8\] { op 1 }//' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S1: an op is in no group: op 1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/{ op 1 }/{\n op 1 nest [i0 < 16, i1 < 8] {\n %0 = load f32 @total[i0]\n }\n}/' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S1: a nest does not store what its op does: op 1
  at group 0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/{ op 1 }/{\n op 1 nest [i0 < 16, i1 < 8] {\n %0 = load f32 @total[i0]\n @z[8*i0 + i1] = %0\n }\n}/' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S1: a nest does not store what its op does: op 1
  at group 0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed '/in_place/d; s/ in @z//; s/\[[0-9], [0-9])/[0, 4)/; s/^group 2 .*//; s/^group 1/group 1 extern op 4 copy\ngroup 2/' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S2: an op comes before one that it depends on: op 4 before op 3
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed '/phase reduce/d; s/phase inner \[i1 < 8\] { op 1 }/&\n  phase reduce [r0 < 8] { op 0 }/' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S2: an op comes before one that it depends on: op 1 before op 0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/i0 < 16\] vector inner/i0 < 15] vector inner/' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S3: a nest does not have the loops of its phase: op 0
  at group 0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/load f32 @total\[i0\]/load f32 @total[15 - i0]/' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S3: a fused nest reads what its iteration has not written: total
  at group 0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/{ op 0 }/{ op 0 nest [i0 < 16] reduce [r0 < 8] { %0 = load f32 @x[8*i0 + r0]\n @total[r0] = sum %0 } }/' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S3: a result is stored within its reduction: total
  at group 0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/load f32 @product\[8\*i0 + i1\]/load f32 @product[8*i0 - i1 + 7]/' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S3: an epilogue uses another element than the one at hand: product
  at group 1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^  local .*/  local @total @y/; /^live @y/d' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S4: a local buffer is used by another group: y
  at group 1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/live @z \[1, 3)/live @z [1, 2)/; s/live @product \[1, 3)/live @product [1, 2)/' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S5: a buffer is used outside its lifetime: z
  at group 2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/live @copy \[2, 4)/live @copy [2, 3)/' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S5: a buffer is used outside its lifetime: copy
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/live @z \[1, 3)/live @z [1, 3) output/; s/in @z/in @z output/' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S5: a buffer has no memory: product
  at group 1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/live @product \[1, 2)/live @product [1, 3)/' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S6: a buffer's memory is taken over while it lives: product
  at group 1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed '/in_place/d' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S6: a buffer lies in memory that it does not hand on: product
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/in_place @product -> @z/in_place @y -> @z/; s/live @y \[0, 2)/& in @z/; s/live @product.*/live @product [1, 2)/' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S6: a buffer is overwritten before its last reader: y
  at group 1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/in_place @product -> @z/& in_place @product -> @z/' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S6: a buffer's memory is taken over twice: product
  at group 1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^schedule/& order peak 64 bound 128/' laws.sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S11: the order's peak is below its bound: 64 of 128
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
