# a short sum of elements that are looked up goes across the rows: a lane whose index bends costs as much along
# the loop
--run-- ferrite inspect --from loop --stage kern --isa x86-64-v3 -
--in--
program bent
input  @x : f32[20,224] strides [224,1]
input  @at : i64[112] strides [1]
input  @w : f32[112,6] strides [1,112]
temp   @y : f32[20,112] strides [112,1]
nest [i0 < 20, i1 < 112] reduce [r0 < 6] {
  %0 = load i64 @at[i1]
  %1 = index r0 : i64
  %2 = add %0, %1 : i64
  %3 = const 223 : i64
  %4 = min %2, %3 : i64
  j0 = indirect %4 < 224
  %5 = load f32 @x[224*i0 + j0]
  %6 = load f32 @w[i1 + 112*r0]
  %7 = mul %5, %6 : f32
  @y[112*i0 + i1] = sum %7
}
output @y[20,112]{112,1}
--out--
kernel k_sum_add_min_mul group 0 lanes 4 ints [20, 112, 224]
  buffer b0 : f32 in @x
  buffer b1 : i64 in @at
  buffer b2 : f32 in @w
  buffer b3 : f32 out @y
  rows vector (i0 < p0, i1 < p1) {
    acc a0 : f32x4 sum
    v1 : i64x4 = load b1[i1]
    loop r0 < 6 {
      v2 : i64 = index r0
      v3 : i64x4 = splat v2
      v4 : i64x4 = add v1, v3
      v7 : i64x4 = min v4, 223
      check 0 v7 < p2
      v8 : f32x4 = load lanes b0[p2*i0 + v7]
      v9 : f32x4 = load b2[p1*r0 + i1]
      v10 : f32x4 = mul v8, v9
      a0 += v10
    }
    v11 : f32x4 = result a0
    store b3[p1*i0 + i1] : f32x4 = v11
  }
