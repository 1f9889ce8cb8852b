# loads outside the source do not happen: they are guarded lane by lane, or all at once
--run-- ferrite inspect --from loop --stage kern --isa x86-64-v3 -
--in--
program pad
input  @x : f32[6,60] strides [60,1]
temp   @y : f32[8,60] strides [60,1]
nest [i0 < 8, i1 < 60] {
  %0 = const 0 : i64
  %1 = index i0 - 1 : i64
  %2 = le %0, %1 : bool
  %3 = const 6 : i64
  %4 = lt %1, %3 : bool
  %5 = and %2, %4 : bool
  %6 = load f32 @x[60*i0 + i1 - 60]
  %7 = const 0.0 : f32
  %8 = masked %5, %6, %7 : f32
  @y[60*i0 + i1] = %8
}
output @y[8,60]{60,1}
--out--
kernel k_le_lt group 0 lanes 8 ints [60, -60]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  rows (i0) {
    v2 : i64 = index i0 - 1
    v3 : bool = le i64 0, v2
    v5 : bool = lt v2, i64 6
    v6 : bool = and v3, v5
    vector i1 in columns {
      v7 : f32x8 = load b0[p0*i0 + p1 + i1] if v6
      v10 : f32x8 = where v6, v7, 0.0
      store b1[p0*i0 + i1] : f32x8 = v10
    }
  }
