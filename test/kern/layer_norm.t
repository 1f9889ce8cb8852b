# three phases under one loop over rows share a kernel; sums have several accumulators; sizes are ints
--run-- ferrite inspect --from loop --stage kern --isa x86-64-v3 -
--in--
program norm
input  @x : f32[64,96] strides [96,1]
input  @w : f32[96] strides [1]
temp   @sum : f32[64] strides [1]
temp   @squares : f32[64] strides [1]
temp   @y : f32[64,96] strides [96,1]
nest [i0 < 64] reduce [r0 < 96] {
  %0 = load f32 @x[96*i0 + r0]
  @sum[i0] = sum %0
}
nest [i0 < 64] reduce [r0 < 96] {
  %0 = load f32 @x[96*i0 + r0]
  %1 = load f32 @sum[i0]
  %2 = const 0.010416667 : f32
  %3 = mul %1, %2 : f32
  %4 = sub %0, %3 : f32
  %5 = mul %4, %4 : f32
  @squares[i0] = sum %5
}
nest [i0 < 64, i1 < 96] {
  %0 = load f32 @x[96*i0 + i1]
  %1 = load f32 @squares[i0]
  %2 = rsqrt %1 : f32
  %3 = mul %0, %2 : f32
  %4 = load f32 @w[i1]
  %5 = mul %3, %4 : f32
  @y[96*i0 + i1] = %5
}
output @y[64,96]{96,1}
--out--
kernel k_sum_mul_sub_rsqrt group 0 lanes 8 ints [96]
  buffer b0 : f32 in @x
  buffer b1 : f32 in @w
  buffer b2 : f32 out @y
  rows (i0) {
    acc a0 : f32x8 sum copies 4
    vector r0 < p0 exact unroll 4 {
      v1 : f32x8 = load b0[p0*i0 + r0]
      a0 += v1
    }
    v2 : f32 = result a0
    acc a1 : f32x8 sum copies 4
    v5 : f32 = mul v2, 0.010416667
    v6 : f32x8 = splat v5
    vector r0 < p0 exact unroll 4 {
      v3 : f32x8 = load b0[p0*i0 + r0]
      v7 : f32x8 = sub v3, v6
      v8 : f32x8 = mul v7, v7
      a1 += v8
    }
    v9 : f32 = result a1
    v11 : f32 = rsqrt v9
    v12 : f32x8 = splat v11
    vector i1 < p0 exact {
      v10 : f32x8 = load b0[p0*i0 + i1]
      v13 : f32x8 = mul v10, v12
      v14 : f32x8 = load b1[i1]
      v15 : f32x8 = mul v13, v14
      store b2[p0*i0 + i1] : f32x8 = v15
    }
  }
