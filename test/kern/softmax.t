# what a later phase reads again lives in a tile of the row; the last vector of a row is partial
--run-- ferrite inspect --from loop --stage kern --isa x86-64-v3 -
--in--
program softmax
input  @x : f32[64,197] strides [197,1]
temp   @most : f32[64] strides [1]
temp   @e : f32[64,197] strides [197,1]
temp   @sum : f32[64] strides [1]
temp   @y : f32[64,197] strides [197,1]
nest [i0 < 64] reduce [r0 < 197] {
  %0 = load f32 @x[197*i0 + r0]
  @most[i0] = max_of %0
}
nest [i0 < 64, i1 < 197] {
  %0 = load f32 @x[197*i0 + i1]
  %1 = load f32 @most[i0]
  %2 = sub %0, %1 : f32
  %3 = exp %2 : f32
  @e[197*i0 + i1] = %3
}
nest [i0 < 64] reduce [r0 < 197] {
  %0 = load f32 @e[197*i0 + r0]
  @sum[i0] = sum %0
}
nest [i0 < 64, i1 < 197] {
  %0 = load f32 @e[197*i0 + i1]
  %1 = load f32 @sum[i0]
  %2 = div %0, %1 : f32
  @y[197*i0 + i1] = %2
}
output @y[64,197]{197,1}
--out--
kernel k_max_sum_sub_exp group 0 lanes 8 ints [197, 256]
  buffer b0 : f32 in @x
  tile t0 : f32[p1]
  buffer b1 : f32 out @y
  rows (i0) {
    acc a0 : f32x8 max_of copies 2
    vector r0 < p0 unroll 2 {
      v1 : f32x8 = load b0[p0*i0 + r0]
      a0 += v1
    }
    v2 : f32 = result a0
    acc a1 : f32x8 sum copies 2
    v4 : f32x8 = splat v2
    vector r0 < p0 unroll 2 {
      v3 : f32x8 = load b0[p0*i0 + r0]
      v5 : f32x8 = sub v3, v4
      v6 : f32x8 = exp v5
      store whole t0[r0] : f32x8 = v6
      a1 += v6
    }
    v7 : f32 = result a1
    v9 : f32x8 = splat v7
    vector i1 < p0 {
      v8 : f32x8 = load t0[i1]
      v10 : f32x8 = div v8, v9
      store b1[p0*i0 + i1] : f32x8 = v10
    }
  }
