# what is read across its neighbours: rows go in squares, the axis of the neighbours last among them; a bool and what
# is read where a mask allows it go lane by lane
--run-- ferrite inspect --from loop --stage kern --isa x86-64-v3 - | grep -e rows -e load
--in--
program squares
input  @x : f32[40,30,20] strides [600,20,1]
input  @m : bool[40,30] strides [30,1]
temp   @y : f32[20,30,40] strides [1200,40,1]
temp   @n : bool[30,40] strides [40,1]
nest [i0 < 20, i1 < 30, i2 < 40] {
  %0 = load f32 @x[600*i2 + 20*i1 + i0]
  @y[1200*i0 + 40*i1 + i2] = %0
}
nest [i0 < 30, i1 < 40] {
  %0 = load bool @m[30*i1 + i0]
  @n[40*i0 + i1] = %0
}
output @y[20,30,40]{1200,40,1}
output @n[30,40]{40,1}
--out--
  rows (i1, i0 < p0) in squares {
      v1 : f32x8 = load turned b0[p0*i1 + p1*i2 + i0]
  rows (i0) {
      v1 : boolx8 = load lanes b0[p0*i1 + i0]
--file turned.kern--
kernel k_turned group 0 lanes 8 ints [30, 600, 20]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  rows (i1, i0 < p2) in squares {
    vector i2 in columns {
      v1 : f32x8 = load turned b0[p1*i2 + p2*i1 + i0]
      store b1[40*p0*i0 + 40*i1 + i2] : f32x8 = v1
    }
  }
--run-- ferrite inspect turned.kern --from kern --stage c | sed -n '/^void/,$p'
--out--
void k_turned_533d6c(const fe_kernel_args *args, i64 m0, i64 m1, i64 n0, i64 n1)
{
  const i64 p0 = args->ints[0];
  const i64 p1 = args->ints[1];
  const i64 p2 = args->ints[2];
  const f32 *const b0 = args->buffers[0];
  f32 *const b1 = args->buffers[1];
  f32 *const t0 = __builtin_alloca_with_align(64 * sizeof(f32), 512);
  i64 left = m0;
  i64 i0 = left % p2;
  left /= p2;
  i64 i1 = left;
  for (i64 m = m0, n; m < m1; m += n) {
    n = fe_min(8, fe_min(m1 - m, p2 - i0));
    const i64 i0_from = i0, i0_to = i0 + n;
    for (i64 i2_from = n0; i2_from < n1; i2_from += 8) {
      const i64 i2_to = fe_min(i2_from + 8, n1);
      for (i64 i2 = i2_from, r0 = 0; i2 < i2_to; i2++, r0++) {
        {
          const i64 i0 = i0_from, n = i0_to - i0_from;
          const i64 v2 = n;
          f32x8 v3 = load_f32x8(b0 + ((p1 * i2) + (p2 * i1) + i0), v2);
          storeall_f32x8(t0 + (8 * r0), v3);
        }
      }
      transpose_f32x8(t0);
      for (i64 i0 = i0_from, r0 = 0; i0 < i0_to; i0++, r0++) {
        {
          const i64 i2 = i2_from, n = i2_to - i2_from;
          const i64 v4 = n;
          f32x8 v1 = loadall_f32x8(t0 + (8 * r0));
          store_f32x8(b1 + ((40 * p0 * i0) + (40 * i1) + i2), v1, v4);
        }
      }
    }
    i0 += n;
    if (i0 == p2) i0 = 0, i1++;
  }
}
--run-- ferrite inspect turned.kern --from kern --stage legal | tee turned.legal
--out--
kernel k_turned group 0 lanes 8 ints [30, 600, 20]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  tile t0 : f32[64]
  squares (i1, i0 < p2) by i2 {
    loop i2 in block number r0 {
      vector i0 in block count v2 {
        v3 : f32x8 = load b0[p1*i2 + p2*i1 + i0] first v2
        store whole t0[8*r0] : f32x8 = v3
      }
    }
    transpose t0
    loop i0 in block number r0 {
      vector i2 in block count v4 {
        v1 : f32x8 = load t0[8*r0]
        store b1[40*p0*i0 + 40*i1 + i2] first v4 : f32x8 = v1
      }
    }
  }
--run-- ferrite inspect turned.legal --from kern --stage legal | diff turned.legal -
--run-- sed '/transpose/d; s/squares.*{/rows (i1, i0 < p2) {/' turned.legal | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: a loop is over a block, and in none
  at kernel k_turned group 0: loop i2 in block number r0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/f32\[64\]/f32[56]/' turned.legal | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: this is no tile of 8 rows of a square
  at kernel k_turned group 0: transpose t0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/loop i0 in block number r0/loop i0 < 8/' turned.legal | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: a loop is over a block, and in none
  at kernel k_turned group 0: loop i0 < 8
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/ in block number r0/ in block number i1/' turned.legal | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: two loops run over i1
  at kernel k_turned group 0: loop i2 in block number i1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/vector i2 in block/vector i2 in block unroll 2/' turned.legal | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: a loop over a square is cut, or more than one step
  at kernel k_turned group 0: vector i2 in block unroll 2 count v4
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/by i2/by i0/' turned.legal | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: rows are columns as well
  at kernel k_turned group 0: squares (i1, i0 < p2) by i0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/ in squares//' turned.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: the rows of a square are not neighbours
  at kernel k_turned group 0: v1 : f32x8 = load turned b0[p1*i2 + p2*i1 + i0]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/ + i0\]/ + 2*i0]/' turned.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: the rows of a square are not neighbours
  at kernel k_turned group 0: v1 : f32x8 = load turned b0[p1*i2 + p2*i1 + 2*i0]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/in columns/< 40/' turned.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: there are no columns to take in squares
  at kernel k_turned group 0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
