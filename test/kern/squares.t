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
  const i64 m_to = m1, n_to = n1;
  for (i64 m_from = m0, m_end; m_from < m_to; m_from = m_end) {
    m_end = fe_min(m_from + 8, m_to);
    m_end = fe_min(m_end, m_from + p2 - m_from % p2);
    for (i64 n_from = n0; n_from < n_to; n_from += 8) {
      const i64 m0 = m_from, m1 = m_end;
      const i64 n0 = n_from, n1 = fe_min(n_from + 8, n_to);
      f32 q1[8 * 8] __attribute__((aligned(64)));
      {
        i64 left = m0;
        i64 i0 = left % p2;
        left /= p2;
        i64 i1 = left;
        const i64 i2 = n0;
        for (i64 l = 0; l < n1 - n0; l++)
          storeall_f32x8(q1 + l * 8, load_f32x8(b0 + ((p1 * (i2 + l)) + (p2 * i1) + i0), m1 - m0));
        transpose_f32x8(q1);
      }
      i64 left = m0;
      i64 i0 = left % p2;
      left /= p2;
      i64 i1 = left;
      for (i64 m = m0; m < m1; m++) {
        for (i64 i2 = n0, n = 8; i2 < n1; n = n1 - i2) {
          const i64 v2 = n;
          for (; i2 + n <= n1; i2 += n) {
            f32x8 v1 = loadall_f32x8(q1 + (m - m0) * 8);
            store_f32x8(b1 + ((40 * p0 * i0) + (40 * i1) + i2), v1, v2);
          }
        }
        i0 += 1;
        if (i0 == p2) i0 = 0, i1++;
      }
    }
  }
}
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
