# a sum over columns: lanes are neighbouring columns; long float sums are compensated
--run-- ferrite inspect --from loop --stage kern --isa x86-64-v3 -
--in--
program columns
input  @x : f32[1000,256] strides [256,1]
temp   @y : f32[256] strides [1]
nest [i0 < 256] reduce [r0 < 1000] {
  %0 = load f32 @x[256*r0 + i0]
  @y[i0] = sum %0
}
output @y[256]{1}
--out--
kernel k_sum group 0 lanes 8 ints [256, 1000]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  rows vector (i0 < p0) unroll 4 {
    acc a0 : f32x8 sum copies 4 compensated
    loop r0 < p1 blocks of 32 drain a0 {
      v1 : f32x8 = load b0[p0*r0 + i0]
      a0 += v1
    }
    v2 : f32x8 = result a0
    store b1[i0] : f32x8 = v2
  }
