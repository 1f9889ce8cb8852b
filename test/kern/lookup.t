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
--run-- ferrite inspect moved.loop --from loop --stage kern --isa x86-64-v3 | grep -e rows -e tile -e t0
--file moved.loop--
program main
input  @x : f32[8,8] strides [8,1]
input  @t : i64[8] strides [1]
temp   @top : f32[8] strides [1]
temp   @sum : f32[8] strides [1]
temp   @log : f32[8,8] strides [8,1]
temp   @y : f32[8] strides [1]
nest [i0 < 8] reduce [r0 < 8] {
  %0 = load f32 @x[8*i0 + r0]
  @top[i0] = max_of %0
}
nest [i0 < 8] reduce [r0 < 8] {
  %0 = load f32 @x[8*i0 + r0]
  %1 = load f32 @top[i0]
  %2 = sub %0, %1 : f32
  %3 = exp %2 : f32
  @sum[i0] = sum %3
}
nest [i0 < 8, i1 < 8] {
  %0 = load f32 @x[8*i0 + i1]
  %1 = load f32 @sum[i0]
  %2 = div %0, %1 : f32
  @log[8*i0 + i1] = %2
}
nest [i0 < 8] {
  %0 = load i64 @t[i0]
  j0 = indirect %0 < 8 dim 1
  %1 = load f32 @log[j0 + 8*i0]
  @y[i0] = %1
}
output @y[8]{1}
--out--
  tile t0 : f32[12]
  rows (i0) {
      store t0[i1] : f32 = v8
    v10 : f32 = load t0[v9]
