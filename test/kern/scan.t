# a running sum takes a vector's prefixes, and what follows it stays in the loop; along columns lanes are rows
--run-- ferrite inspect --from loop --stage kern --isa x86-64-v3 -
--in--
program scan
input  @x : f32[64,197] strides [197,1]
temp   @c : f32[64,197] strides [197,1]
temp   @y : f32[64,197] strides [197,1]
nest [i0 < 64] reduce [r0 < 197] {
  %0 = load f32 @x[197*i0 + r0]
  %1 = cast %0 : f64
  @c[197*i0 + r0] = scan sum %1
}
nest [i0 < 64, i1 < 197] {
  %0 = load f32 @c[197*i0 + i1]
  %1 = exp %0 : f32
  @y[197*i0 + i1] = %1
}
output @y[64,197]{197,1}
--out--
kernel k_sum_exp group 0 lanes 4 ints [197]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  rows (i0) {
    acc a0 : f64x4 sum running
    vector r0 < p0 {
      v1 : f32x4 = load b0[p0*i0 + r0]
      v2 : f64x4 = cast v1
      a0 += v2
      v3 : f64x4 = result a0
      v4 : f32x4 = cast v3
      v5 : f32x4 = exp v4
      store b1[p0*i0 + r0] : f32x4 = v5
    }
  }
--run-- ferrite inspect --from loop --stage kern --isa x86-64-v3 -
--in--
program scan
input  @x : i64[97,64] strides [64,1]
temp   @c : i64[97,64] strides [64,1]
nest [i0 < 64] reduce [r0 < 97] {
  %0 = load i64 @x[i0 + 64*r0]
  @c[i0 + 64*r0] = scan max_of %0
}
output @c[97,64]{64,1}
--out--
kernel k_max group 0 lanes 4 ints [64, 97]
  buffer b0 : i64 in @x
  buffer b1 : i64 out @c
  rows vector (i0 < p0) unroll 4 {
    acc a0 : i64x4 max_of copies 4 running
    loop r0 < p1 {
      v1 : i64x4 = load b0[p0*r0 + i0]
      a0 += v1
      v2 : i64x4 = result a0
      store b1[p0*r0 + i0] : i64x4 = v2
    }
  }
--file scan.kern--
kernel k_sum_exp group 0 lanes 4 ints [197]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  rows (i0) {
    acc a0 : f64x4 sum running
    vector r0 < p0 {
      v1 : f32x4 = load b0[p0*i0 + r0]
      v2 : f64x4 = cast v1
      a0 += v2
      v3 : f64x4 = result a0
      v4 : f32x4 = cast v3
      v5 : f32x4 = exp v4
      store b1[p0*i0 + r0] : f32x4 = v5
    }
  }
--run-- ferrite inspect - --from kern --stage kern <scan.kern | diff - scan.kern
--run-- sed 's/ running//' scan.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K4: a0 is read in another loop than it was started in
  at kernel k_sum_exp group 0: v3 : f64x4 = result a0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/ sum running/ sum copies 2 running/' scan.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K4: copies of a0 would run on their own
  at kernel k_sum_exp group 0: acc a0 : f64x4 sum copies 2 running
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/ sum running/ sum compensated running/' scan.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K4: a0 cannot be read as it runs
  at kernel k_sum_exp group 0: acc a0 : f64x4 sum compensated running
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed -e '/a0 += v2/d' -e 's/v3 : f64x4 = result a0/&\n      a0 += v2/' scan.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K4: a0 is read in another loop than it moves on in
  at kernel k_sum_exp group 0: v3 : f64x4 = result a0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
