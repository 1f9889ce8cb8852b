# a loop that indices take apart into rows and columns is cut there, also where rows are sums; a roll of all
# elements is one loop; a mask of indices is no value to be made in front
--run-- ferrite inspect --from loop --stage sched --isa x86-64-v3 - | grep -E 'group|phase|load|@y'
--in--
program unfold
input  @x : f32[96,28,32] strides [896,32,1]
temp   @y : f32[96,896] strides [896,1]
nest [i0 < 96, i1 < 896] {
  %0 = index i1 % 32 - 1 : i64
  %1 = const 0 : i64
  %2 = le %1, %0 : bool
  %3 = load f32 @x[896*i0 + i1 - 1]
  %4 = const 0.0 : f32
  %5 = masked %2, %3, %4 : f32
  @y[896*i0 + i1] = %5
}
output @y[96,896]{896,1}
--out--
temp   @y : f32[96,896] strides [896,1]
  %3 = load f32 @x[896*i0 + i1 - 1]
  @y[896*i0 + i1] = %5
output @y[96,896]{896,1}
group 0 kernel outer [i0 < 2688] vector inner
  phase inner [i1 < 32] {
      %3 = load f32 @x[32*i0 + i1 - 1]
      @y[32*i0 + i1] = %5
live @y [0, 2) output
--run-- ferrite inspect --from loop --stage sched --isa x86-64-v3 - | grep -E 'group|phase|load|@y'
--in--
program roll
input  @x : f32[30,50] strides [50,1]
temp   @y : f32[30,50] strides [50,1]
nest [i0 < 30, i1 < 50] {
  %0 = load f32 @x[(50*i0 + i1 + 1400) % 1500]
  @y[50*i0 + i1] = %0
}
output @y[30,50]{50,1}
--out--
temp   @y : f32[30,50] strides [50,1]
  %0 = load f32 @x[(50*i0 + i1 + 1400) % 1500]
  @y[50*i0 + i1] = %0
output @y[30,50]{50,1}
group 0 kernel outer [] vector inner
  phase inner [i0 < 1500] {
      %0 = load f32 @x[(i0 + 1400) % 1500]
      @y[i0] = %0
live @y [0, 2) output
--run-- ferrite inspect --from loop --stage sched --isa x86-64-v3 - | grep -c group
--in--
program mask
input  @x : f32[2000,4096] strides [4096,1]
temp   @y : f32[2000,4096] strides [4096,1]
nest [i0 < 2000, i1 < 4096] {
  %0 = index i1 : i64
  %1 = const 70 : i64
  %2 = lt %0, %1 : bool
  %3 = const 4000 : i64
  %4 = lt %3, %0 : bool
  %5 = or %2, %4 : bool
  %6 = load f32 @x[4096*i0 + i1]
  %7 = const 2.0 : f32
  %8 = masked %5, %6, %7 : f32
  @y[4096*i0 + i1] = %8
}
output @y[2000,4096]{4096,1}
--out--
1
--run-- ferrite inspect --from loop --stage sched --isa x86-64-v3 - | sed -n '/^group/,/^live/p'
--in--
program sums
input  @x : f32[8,8,240] strides [1920,240,1]
input  @c : f32[8] strides [1]
temp   @y : f32[1920] strides [1]
nest [i0 < 1920] reduce [r0 < 8] {
  %0 = load f32 @x[240*r0 + 1920*(i0 // 240) + i0 % 240]
  %1 = load f32 @c[r0]
  %2 = mul %0, %1 : f32
  @y[i0] = sum %2
}
output @y[1920]{1}
--out--
group 0 kernel outer [i0 < 8, i1 < 240] vector outer
  phase reduce [r0 < 8] {
    op 0 nest [i0 < 8, i1 < 240] reduce [r0 < 8] {
      %0 = load f32 @x[1920*i0 + i1 + 240*r0]
      %1 = load f32 @c[r0]
      %2 = mul %0, %1 : f32
      @y[240*i0 + i1] = sum %2
    }
  }
live @y [0, 2) output
