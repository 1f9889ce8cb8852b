# what a loop does not depend on is loaded in front of it where the loop takes a step at every size, or something is there to
# load: a sum over no rows, or over one, reads nothing of an input that has none
--run-- ferrite inspect - --from loop --stage kern --isa scalar | grep -e '^ .*load' -e loop -e ^kernel
--in--
program idle
symbol s0 in [0, ] hint 8
input  @x : f32[s0,6] strides [6,1]
input  @w : f32[6] strides [1]
temp   @first : f32[6] strides [1]
temp   @times : f32[6] strides [1]
nest [i0 < 6] reduce [r0 < min(s0, 1)] {
  %0 = load f32 @x[i0]
  @first[i0] = sum %0
}
nest [i0 < 6] reduce [r0 < s0] {
  %0 = load f32 @w[i0]
  @times[i0] = sum %0
}
output @first[6]{1}
output @times[6]{1}
--out--
kernel k_sum group 0 lanes 1 ints [min(s0, 1)]
    loop r0 < p0 {
      v1 : f32 = load b0[i0]
kernel k_sum group 1 lanes 1 ints [s0]
    v1 : f32 = load b0[i0]
    loop r0 < p0 {
--run-- ferrite inspect - --from loop --stage wrap --isa baseline | grep -e ^kernel
--in--
# what a kernel costs has an end, whatever the example's sizes
program long
symbol s0 in [0, ] hint 9223372036854775807
input  @x : f32[s0,6] strides [6,1]
temp   @sum : f32[6] strides [1]
nest [i0 < 6] reduce [r0 < s0] {
  %0 = load f32 @x[6*r0 + i0]
  @sum[i0] = sum %0
}
output @sum[6]{1}
--out--
kernel k_sum_95d4fa (@x, @sum) ints [s0] m 6 cost 38702809297715450
