# loops are not merged where an index that goes straight along the outer one would have to be divided
--run-- ferrite inspect --from loop --stage sched --isa x86-64-v3 - | grep -E 'group|phase|load|@y'
--in--
program joined
input  @x : f32[3,60] strides [60,1]
temp   @y : f32[3,250] strides [250,1]
nest [i0 < 3, i1 < 50, i2 < 5] {
  %0 = load f32 @x[60*i0 + i1 + (i2 + 1) // 5]
  @y[250*i0 + 5*i1 + i2] = %0
}
output @y[3,250]{250,1}
--out--
temp   @y : f32[3,250] strides [250,1]
  %0 = load f32 @x[60*i0 + i1 + (i2 + 1) // 5]
  @y[250*i0 + 5*i1 + i2] = %0
output @y[3,250]{250,1}
group 0 kernel outer [i0 < 3, i1 < 50] vector outer
  phase inner [i2 < 5] { op 0 }
live @y [0, 2) output
