# an index that was loaded is a scalar where all lanes share it, and lane by lane where they do not;
# adding at such an index runs over all rows in one call
--run-- ferrite inspect --from loop --stage kern --isa x86-64-v3 -
--in--
program lookup
input  @table : f32[50,32] strides [32,1]
input  @row : i64[20] strides [1]
input  @column : i64[20,40] strides [40,1]
temp   @a : f32[20,32] strides [32,1]
temp   @b : f32[20,40] strides [40,1]
temp   @c : f32[50,32] strides [32,1]
nest [i0 < 20, i1 < 32] {
  %0 = load i64 @row[i0]
  j0 = indirect %0 < 50
  %1 = load f32 @table[32*j0 + i1]
  @a[32*i0 + i1] = %1
}
nest [i0 < 20, i1 < 40] {
  %0 = load i64 @column[40*i0 + i1]
  j0 = indirect %0 < 32
  %1 = load f32 @table[32*i0 + j0]
  @b[40*i0 + i1] = %1
}
nest [i0 < 1600] {
  %0 = const 0.0 : f32
  @c[i0] = %0
}
nest [i0 < 20, i1 < 32] {
  %0 = load i64 @row[i0]
  j0 = indirect %0 < 50
  %1 = load f32 @a[32*i0 + i1]
  @c[32*j0 + i1] add= %1
}
output @a[20,32]{32,1}
output @b[20,40]{40,1}
output @c[50,32]{32,1}
--out--
kernel k_copy group 0 lanes 8 ints [50, 32]
  buffer b0 : f32 in @table
  buffer b1 : i64 in @row
  buffer b2 : f32 out @a
  rows (i0) {
    v1 : i64 = load b1[i0]
    check 0 v1 < p0
    vector i1 in columns {
      v2 : f32x8 = load b0[p1*v1 + i1]
      store b2[p1*i0 + i1] : f32x8 = v2
    }
  }
kernel k_copy group 1 lanes 4 ints [40, 32]
  buffer b0 : f32 in @table
  buffer b1 : i64 in @column
  buffer b2 : f32 out @b
  rows (i0) {
    vector i1 in columns {
      v1 : i64x4 = load b1[p0*i0 + i1]
      check 0 v1 < p1
      v2 : f32x4 = load lanes b0[p1*i0 + v1]
      store b2[p0*i0 + i1] : f32x4 = v2
    }
  }
kernel k_copy group 2 lanes 8 ints []
  buffer b0 : f32 out @c
  rows () {
    vector i0 in columns {
      store b0[i0] : f32x8 = 0.0
    }
  }
kernel k_copy group 3 lanes 8 ints [20, 32, 50]
  buffer b0 : f32 in @a
  buffer b1 : f32 out @c
  buffer b2 : i64 in @row
  rows (i0) serial of p0 {
    v2 : i64 = load b2[i0]
    check 0 v2 < p2
    vector i1 < p1 exact {
      v1 : f32x8 = load b0[p1*i0 + i1]
      store b1[p1*v2 + i1] : f32x8 add= v1
    }
  }
