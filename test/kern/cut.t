# loops are cut where indices bend: a reflection is a copy and a few elements at its ends, a roll two copies;
# pieces print and are read back; a mask that rows decide stays; sizes of the caller's; what stays whole
--run-- ferrite inspect --from loop --stage kern --isa x86-64-v3 -
--in--
program reflect
input  @x : f32[400,60] strides [60,1]
temp   @y : f32[400,63] strides [63,1]
nest [i0 < 400, i1 < 63] {
  %0 = load f32 @x[60*i0 - max(max(i1 - 1, -i1 + 1) - 59, -max(i1 - 1, -i1 + 1) + 59) + 59]
  @y[63*i0 + i1] = %0
}
output @y[400,63]{63,1}
--out--
kernel k_copy group 0 lanes 8 ints [60, 63, 61, 58]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  rows (i0) {
    v1 : f32 = load b0[p0*i0 + 1]
    loop i1 < 1 in columns at 0 {
      store b1[p1*i0] : f32 = v1
    }
    vector i1 < p0 in columns at 1 {
      v2 : f32x8 = load b0[p0*i0 + i1]
      store b1[p1*i0 + i1 + 1] : f32x8 = v2
    }
    loop i1 < 2 in columns at p2 {
      v3 : f32 = load b0[p0*i0 + p3 - i1]
      store b1[p1*i0 + p2 + i1] : f32 = v3
    }
  }
--run-- ferrite inspect --from loop --stage kern --isa x86-64-v3 roll.loop > roll.kern && ferrite inspect --from kern --stage kern roll.kern | cmp - roll.kern && cat roll.kern && ferrite inspect --from kern --stage c --isa x86-64-v3 roll.kern | grep 'i64 i[01] = '
--file roll.loop--
program roll
input  @x : f32[200,120] strides [120,1]
temp   @y : f32[200,120] strides [120,1]
nest [i0 < 200, i1 < 120] {
  %0 = load f32 @x[120*i0 + (i1 + 80) % 120]
  %1 = neg %0 : f32
  @y[120*i0 + i1] = %1
}
output @y[200,120]{120,1}
--out--
kernel k_neg group 0 lanes 8 ints [40, 120, 80]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  rows (i0) {
    vector i1 < p0 in columns at 0 {
      v1 : f32x8 = load b0[p1*i0 + p2 + i1]
      v2 : f32x8 = neg v1
      store b1[p1*i0 + i1] : f32x8 = v2
    }
    vector i1 < p2 in columns at p0 {
      v3 : f32x8 = load b0[p1*i0 + i1]
      v4 : f32x8 = neg v3
      store b1[p1*i0 + p0 + i1] : f32x8 = v4
    }
  }
  for (i64 i0 = m0; i0 < m1; i0++) {
      i64 i1 = fe_max(n0 - (0), 0);
      i64 i1 = fe_max(n0 - (p0), 0);
--run-- ferrite inspect --from loop --stage kern --isa x86-64-v4 -
--in--
program masks
input  @x : f32[3000,100] strides [100,1]
temp   @y : f32[3000,100] strides [100,1]
nest [i0 < 3000, i1 < 100] {
  %0 = index i1 : i64
  %1 = const 70 : i64
  %2 = lt %0, %1 : bool
  %3 = index i0 : i64
  %4 = le %0, %3 : bool
  %5 = load f32 @x[100*i0 + i1]
  %6 = const 2.0 : f32
  %7 = masked %4, %5, %6 : f32
  %8 = mul %5, %6 : f32
  %9 = where %2, %7, %8 : f32
  @y[100*i0 + i1] = %9
}
output @y[3000,100]{100,1}
--out--
kernel k_below_mul group 0 lanes 16 ints [70, 100, 30]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  rows (i0) {
    vector i1 < p0 in columns at 0 {
      v1 : boolx16 = below i0 - i1 + 1
      v2 : f32x16 = load b0[p1*i0 + i1] if v1
      v5 : f32x16 = where v1, v2, 2.0
      store b1[p1*i0 + i1] : f32x16 = v5
    }
    vector i1 < p2 in columns at p0 {
      v6 : f32x16 = load b0[p1*i0 + p0 + i1]
      v7 : f32x16 = mul v6, 2.0
      store b1[p1*i0 + p0 + i1] : f32x16 = v7
    }
  }
--run-- ferrite inspect --from loop --stage kern --isa x86-64-v3 -
--in--
program sizes
symbol s0 in [2, 1000] hint 600
symbol s1 in [5, 9000] hint 100
input  @x : f32[s0,s1] strides [s1,1]
temp   @y : f32[s0,s1 + 3] strides [s1 + 3,1]
nest [i0 < s0, i1 < s1 + 3] {
  %0 = index i1 - 3 : i64
  %1 = const 0 : i64
  %2 = le %1, %0 : bool
  %3 = load f32 @x[s1*i0 + i1 - 3]
  %4 = const 7.0 : f32
  %5 = masked %2, %3, %4 : f32
  @y[s1*i0 + 3*i0 + i1] = %5
}
output @y[s0,s1 + 3]{s1 + 3,1}
--out--
kernel k_copy group 0 lanes 8 ints [s1]
  buffer b0 : f32 out @y
  buffer b1 : f32 in @x
  rows (i0) {
    loop i1 < 3 in columns at 0 {
      store b0[p0*i0 + 3*i0 + i1] : f32 = 7.0
    }
    vector i1 < p0 in columns at 3 {
      v2 : f32x8 = load b1[p0*i0 + i1]
      store b0[p0*i0 + 3*i0 + i1 + 3] : f32x8 = v2
    }
  }
--run-- ferrite inspect --from loop --stage kern --isa x86-64-v3 - | grep 'vector\|load'
--in--
program whole
input  @x : f32[2,63] strides [63,1]
input  @z : f32[900,63] strides [63,1]
temp   @y : f32[2,63] strides [63,1]
temp   @w : f32[900,600] strides [600,1]
nest [i0 < 2, i1 < 63] {
  %0 = load f32 @x[63*i0 + (i1 + 5) % 63]
  @y[63*i0 + i1] = %0
}
nest [i0 < 900, i1 < 600] {
  %0 = load f32 @z[63*i0 + (i1 + 5) % 11]
  @w[600*i0 + i1] = %0
}
output @y[2,63]{63,1}
output @w[900,600]{600,1}
--out--
    vector i1 in columns {
      v1 : f32x8 = load runs b0[p0*i0 + (i1 + 5) % 63]
    vector i1 in columns {
      v1 : f32x8 = load runs b0[p0*i0 + (i1 + 5) % 11]
