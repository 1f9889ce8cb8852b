# what reads rows that are columns of it joins them, with their loops outermost: a softmax along a dimension in
# the middle is one kernel; but not where they are far apart: lines of memory would leave the cache before the
# next rows come
--run-- ferrite inspect --from loop --stage sched - --isa x86-64-v3 | sed -n '/^schedule/,$p'
--in--
program near
input  @x : f32[64,21,8] strides [168,8,1]
temp   @most : f32[64,8] strides [8,1]
temp   @e : f32[64,21,8] strides [168,8,1]
temp   @sum : f32[64,8] strides [8,1]
temp   @y : f32[64,21,8] strides [168,8,1]
nest [i0 < 64, i1 < 8] reduce [r0 < 21] {
  %0 = load f32 @x[168*i0 + 8*r0 + i1]
  @most[8*i0 + i1] = max_of %0
}
nest [i0 < 64, i1 < 21, i2 < 8] {
  %0 = load f32 @x[168*i0 + 8*i1 + i2]
  %1 = load f32 @most[8*i0 + i2]
  %2 = sub %0, %1 : f32
  %3 = exp %2 : f32
  @e[168*i0 + 8*i1 + i2] = %3
}
nest [i0 < 64, i1 < 8] reduce [r0 < 21] {
  %0 = load f32 @e[168*i0 + 8*r0 + i1]
  @sum[8*i0 + i1] = sum %0
}
nest [i0 < 64, i1 < 21, i2 < 8] {
  %0 = load f32 @e[168*i0 + 8*i1 + i2]
  %1 = load f32 @sum[8*i0 + i2]
  %2 = div %0, %1 : f32
  @y[168*i0 + 8*i1 + i2] = %2
}
output @y[64,21,8]{168,8,1}
--out--
schedule
group 0 kernel outer [i0 < 64, i1 < 8] vector outer
  phase reduce [r0 < 21] { op 0 }
  phase reduce [r0 < 21] {
    op 1 nest [i0 < 64, i1 < 8] reduce [r0 < 21] {
      %0 = load f32 @x[168*i0 + i1 + 8*r0]
      %1 = load f32 @most[8*i0 + i1]
      %2 = sub %0, %1 : f32
      %3 = exp %2 : f32
      @e[168*i0 + i1 + 8*r0] = %3
    }
    op 2
  }
  phase inner [i2 < 21] {
    op 3 nest [i0 < 64, i1 < 8, i2 < 21] {
      %0 = load f32 @e[168*i0 + i1 + 8*i2]
      %1 = load f32 @sum[8*i0 + i1]
      %2 = div %0, %1 : f32
      @y[168*i0 + i1 + 8*i2] = %2
    }
  }
  local @most @e @sum
live @y [0, 2) output
--run-- ferrite inspect --from loop --stage sched - --isa x86-64-v3 | grep -E 'group|refuse'
--in--
program far
input  @x : f32[21,16384] strides [16384,1]
temp   @most : f32[16384] strides [1]
temp   @y : f32[21,16384] strides [16384,1]
nest [i0 < 16384] reduce [r0 < 21] {
  %0 = load f32 @x[16384*r0 + i0]
  @most[i0] = max_of %0
}
nest [i0 < 21, i1 < 16384] {
  %0 = load f32 @x[16384*i0 + i1]
  %1 = load f32 @most[i1]
  %2 = sub %0, %1 : f32
  @y[16384*i0 + i1] = %2
}
output @y[21,16384]{16384,1}
--out--
group 0 kernel outer [i0 < 16384] vector outer
group 1 kernel outer [i0 < 21] vector inner
refuse 0 1 not_same_outer
