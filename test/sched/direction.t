# which way vectors go: along an inner loop where its neighbours are neighbours in memory, though the one store of a
# row lies across the rows; across the rows where inner loops are short, or go over rows in memory
--run-- ferrite inspect direction.loop --from loop --stage sched | sed -n '/^schedule/,$p' | grep group
--file direction.loop--
program direction
input  @x : f32[1024,1024] strides [1024,1]
input  @p : f32[4096,3] strides [3,1]
temp   @s : f32[1024] strides [1]
temp   @norm : f32[1024] strides [1]
temp   @c : f32[1024] strides [1]
temp   @t : f32[4096,3] strides [3,1]
temp   @m : f32[512,7,7] strides [49,7,1]
temp   @q : f32[4096] strides [1]
nest [i0 < 1024] reduce [r0 < 1024] {
  %0 = load f32 @x[1024*i0 + r0]
  %1 = mul %0, %0 : f32
  @s[i0] = sum %1
}
nest [i0 < 1024] {
  %0 = load f32 @s[i0]
  %1 = sqrt %0 : f32
  @norm[i0] = %1
}
nest [i0 < 1024] reduce [r0 < 1024] {
  %0 = load f32 @x[i0 + 1024*r0]
  @c[i0] = sum %0
}
nest [i0 < 4096, i1 < 3] {
  %0 = load f32 @p[3*i0 + (i1 + 1) % 3]
  @t[3*i0 + i1] = %0
}
nest [i0 < 512, i1 < 7, i2 < 7] reduce [r0 < 8, r1 < 8] {
  %0 = load f32 @x[448*i0 + 56*i1 + 8*i2 + 56*r0 + r1]
  @m[49*i0 + 7*i1 + i2] = sum %0
}
nest [i0 < 4096] reduce [r0 < 3] {
  %0 = load f32 @p[3*i0 + r0]
  @q[i0] = sum %0
}
output @norm[1024]{1}
output @c[1024]{1}
output @t[4096,3]{3,1}
output @m[512,7,7]{49,7,1}
output @q[4096]{1}
--out--
group 0 kernel outer [i0 < 1024] vector inner
group 1 kernel outer [i0 < 1024] vector outer
group 2 kernel outer [i0 < 4096] vector outer
group 3 kernel outer [i0 < 512, i1 < 49] vector inner
group 4 kernel outer [i0 < 4096] vector outer
--status-- 0
