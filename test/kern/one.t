# an element that is the same for all lanes, of which a mask chooses some: it is loaded as it is where it is
# there for certain, and else once, if a lane asks for it
--run-- ferrite inspect --from loop --stage legal --isa x86-64-v3 -
--in--
program one
input  @x : f32[30] strides [1]
temp   @y : f32[30,40] strides [40,1]
temp   @z : f32[30,40] strides [40,1]
nest [i0 < 30, i1 < 40] {
  %0 = index i0 : i64
  %1 = index i1 : i64
  %2 = lt %0, %1 : bool
  %3 = load f32 @x[i0]
  %4 = const 0.0 : f32
  %5 = masked %2, %3, %4 : f32
  @y[40*i0 + i1] = %5
}
nest [i0 < 30, i1 < 40] {
  %0 = index i0 : i64
  %1 = index i1 : i64
  %2 = lt %1, %0 : bool
  %3 = load f32 @x[i0 - 1]
  %4 = const 0.0 : f32
  %5 = masked %2, %3, %4 : f32
  @z[40*i0 + i1] = %5
}
output @y[30,40]{40,1}
output @z[30,40]{40,1}
--out--
kernel k_below_not group 0 lanes 8 ints [40]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  rows (i0) {
    v3 : f32 = load b0[i0]
    v5 : f32x8 = splat v3
    vector i1 in columns count v8 {
      v1 : boolx8 = below i0 - i1 + 1
      v2 : boolx8 = not v1
      v7 : f32x8 = where v2, v5, 0.0
      store b1[p0*i0 + i1] first v8 : f32x8 = v7
    }
  }
kernel k_below group 1 lanes 8 ints [40]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @z
  rows (i0) {
    vector i1 in columns count v6 mask v7 {
      v1 : boolx8 = below i0 - i1
      var v2 : f32x8 = 0.0
      v8 : boolx8 = and v1, v7
      v9 : bool = any v8
      v10 : f32 = load b0[i0 - 1] if v9
      v11 : f32x8 = splat v10
      set v2 = v11
      v5 : f32x8 = where v1, v2, 0.0
      store b1[p0*i0 + i1] first v6 : f32x8 = v5
    }
  }
