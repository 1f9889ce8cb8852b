# adding at positions along a row leaves the other rows alone: vectors go along the positions, and rows are
# shared out among threads; where positions go over all rows there is one call, which keeps their order
--run-- ferrite inspect --from loop --stage kern --isa x86-64-v3 -
--in--
program rows_apart
input  @row : f32[20,40] strides [40,1]
input  @at : i64[20,40] strides [40,1]
temp   @apart : f32[20,32] strides [32,1]
temp   @all : f32[640] strides [1]
nest [i0 < 640] {
  %0 = const 0.0 : f32
  @apart[i0] = %0
}
nest [i0 < 20, i1 < 40] {
  %0 = load f32 @row[40*i0 + i1]
  %1 = load i64 @at[40*i0 + i1]
  j0 = indirect %1 < 32
  @apart[32*i0 + j0] add= %0
}
nest [i0 < 640] {
  %0 = const 0.0 : f32
  @all[i0] = %0
}
nest [i0 < 20, i1 < 40] {
  %0 = load f32 @row[40*i0 + i1]
  %1 = load i64 @at[40*i0 + i1]
  j0 = indirect %1 < 640
  @all[j0] add= %0
}
output @apart[20,32]{32,1}
output @all[640]{1}
--out--
kernel k_copy group 0 lanes 8 ints []
  buffer b0 : f32 out @apart
  rows () {
    vector i0 in columns {
      store b0[i0] : f32x8 = 0.0
    }
  }
kernel k_copy group 1 lanes 4 ints [40, 32]
  buffer b0 : f32 in @row
  buffer b1 : f32 out @apart
  buffer b2 : i64 in @at
  rows (i0) {
    vector i1 < p0 exact {
      v1 : f32x4 = load b0[p0*i0 + i1]
      v2 : i64x4 = load b2[p0*i0 + i1]
      check 0 v2 < p1
      store lanes b1[p1*i0 + v2] : f32x4 add= v1
    }
  }
kernel k_copy group 2 lanes 8 ints []
  buffer b0 : f32 out @all
  rows () {
    vector i0 in columns {
      store b0[i0] : f32x8 = 0.0
    }
  }
kernel k_copy group 3 lanes 4 ints [800, 640]
  buffer b0 : f32 in @row
  buffer b1 : f32 out @all
  buffer b2 : i64 in @at
  rows () {
    vector i0 < p0 exact {
      v1 : f32x4 = load b0[i0]
      v2 : i64x4 = load b2[i0]
      check 0 v2 < p1
      store lanes b1[v2] : f32x4 add= v1
    }
  }
