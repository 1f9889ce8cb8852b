# comparisons of indices that move with the lanes are masks of the first ones: no 64-bit lanes, which would halve their number
--run-- ferrite inspect below.loop --from loop --stage kern --isa x86-64-v3 | tee below.kern
--file below.loop--
program below
input  @x : f32[8,100] strides [100,1]
temp   @pad : f32[8,103] strides [103,1]
temp   @diagonal : f32[8,100] strides [100,1]
temp   @back : f32[8,100] strides [100,1]
nest [i0 < 8, i1 < 103] {
  %0 = index i1 - 2 : i64
  %1 = const 0 : i64
  %2 = le %1, %0 : bool
  %3 = const 100 : i64
  %4 = lt %0, %3 : bool
  %5 = and %2, %4 : bool
  %6 = load f32 @x[100*i0 + i1 - 2]
  %7 = const 0.5 : f32
  %8 = masked %5, %6, %7 : f32
  @pad[103*i0 + i1] = %8
}
nest [i0 < 8, i1 < 100] {
  %0 = index i0 + 3 : i64
  %1 = index i1 : i64
  %2 = eq %0, %1 : bool
  %3 = const 1.0 : f32
  %4 = const 0.0 : f32
  %5 = where %2, %3, %4 : f32
  @diagonal[100*i0 + i1] = %5
}
nest [i0 < 8, i1 < 100] {
  %0 = index 99 - i1 : i64
  %1 = index 2*i0 : i64
  %2 = lt %1, %0 : bool
  %3 = load f32 @x[100*i0 + i1]
  %4 = const -1.0 : f32
  %5 = where %2, %3, %4 : f32
  @back[100*i0 + i1] = %5
}
output @pad[8,103]{103,1}
output @diagonal[8,100]{100,1}
output @back[8,100]{100,1}
--out--
kernel k_below_not group 0 lanes 8 ints [102, 100, 103]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @pad
  rows (i0) {
    vector i1 in columns {
      v1 : boolx8 = below -i1 + 2
      v2 : boolx8 = not v1
      v3 : boolx8 = below p0 - i1
      v4 : boolx8 = and v2, v3
      v5 : f32x8 = load b0[p1*i0 + i1 - 2] if v4
      v8 : f32x8 = where v4, v5, 0.5
      store b1[p2*i0 + i1] : f32x8 = v8
    }
  }
kernel k_below_not group 1 lanes 8 ints [100]
  buffer b0 : f32 out @diagonal
  rows (i0) {
    vector i1 in columns {
      v1 : boolx8 = below i0 - i1 + 3
      v2 : boolx8 = not v1
      v3 : boolx8 = below i0 - i1 + 4
      v4 : boolx8 = and v3, v2
      v9 : f32x8 = where v4, 1.0, 0.0
      store b0[p0*i0 + i1] : f32x8 = v9
    }
  }
kernel k_below group 2 lanes 8 ints [99, 100]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @back
  rows (i0) {
    vector i1 in columns {
      v1 : boolx8 = below p0 - 2*i0 - i1
      v2 : f32x8 = load b0[p1*i0 + i1]
      v5 : f32x8 = where v1, v2, -1.0
      store b1[p1*i0 + i1] : f32x8 = v5
    }
  }
--run-- ferrite inspect below.kern --from kern --stage kern --isa x86-64-v3 | cmp - below.kern
--run-- ferrite inspect below.kern --from kern --stage c --isa x86-64-v3 | grep below_
--out--
FE i32x8 below_i32x8(i64 n) { return iota_i32x8() < (i32)(n < 0 ? 0 : n > 8 ? 8 : n); }
void k_below_not_f798b5(const fe_kernel_args *args, i64 m0, i64 m1, i64 n0, i64 n1)
        i32x8 v1 = below_i32x8((((-1) * i1) + 2));
        i32x8 v3 = below_i32x8((p0 + ((-1) * i1)));
        i32x8 v1 = below_i32x8((((-1) * i1) + 2));
        i32x8 v3 = below_i32x8((p0 + ((-1) * i1)));
void k_below_not_3b8121(const fe_kernel_args *args, i64 m0, i64 m1, i64 n0, i64 n1)
        i32x8 v1 = below_i32x8((i0 + ((-1) * i1) + 3));
        i32x8 v3 = below_i32x8((i0 + ((-1) * i1) + 4));
        i32x8 v1 = below_i32x8((i0 + ((-1) * i1) + 3));
        i32x8 v3 = below_i32x8((i0 + ((-1) * i1) + 4));
void k_below_e15f6a(const fe_kernel_args *args, i64 m0, i64 m1, i64 n0, i64 n1)
        i32x8 v1 = below_i32x8((p0 + ((-2) * i0) + ((-1) * i1)));
        i32x8 v1 = below_i32x8((p0 + ((-2) * i0) + ((-1) * i1)));
--run-- ferrite inspect below.kern --from kern --stage c --isa scalar | grep "> 0"
--out--
      int v1 = (((-1) * i1) + 2) > 0;
      int v3 = (p0 + ((-1) * i1)) > 0;
      int v1 = (i0 + ((-1) * i1) + 3) > 0;
      int v3 = (i0 + ((-1) * i1) + 4) > 0;
      int v1 = (p0 + ((-2) * i0) + ((-1) * i1)) > 0;
--run-- sed 's/boolx8 = below/i32x8 = below/' below.kern | ferrite inspect - --from kern --stage kern --isa x86-64-v3
--err--
error: kern: law K2: whether a lane is below is a bool
  at kernel k_below_not group 0: v1 : i32x8 = below -i1 + 2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/below -i1 + 2/below 2 - r9/' below.kern | ferrite inspect - --from kern --stage kern --isa x86-64-v3
--err--
error: kern: law K1: no loop around runs over r9
  at kernel k_below_not group 0: v1 : boolx8 = below -r9 + 2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
