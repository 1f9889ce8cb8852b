# a kernel of a device: a work-item takes one element, or one row where there is a sum, by macros that the dialect's head defines
--run-- ferrite inspect k.fx --device opencl --stage c | sed -n '/^static const char opencl_source/,/^    "";/p' | sed 's/\(k_[a-z_]*\)_[0-9a-f]*/\1/; s/^    "\(.*\)\\n"$/\1/' | sed -n '/^FE_KERNEL/,/^}/p'
--file k.fx--
graph main {
  placeholder %x user "x" : f32[64,100]
  placeholder %i user "i" : i64[64]
  %s = aten.sum.dim_IntList(%x, [1]) : f32[64]
  %t = aten.index.Tensor(%x, [%i]) : f32[64,100]
  output (user %s, user %t)
}
--out--
FE_KERNEL void k_sum(FE_CALL, FE_BUFFER(0), FE_BUFFER(1), FE_INT(p0, 2))
{
  FE_BEGIN;
  const i64 item = FE_ITEM;
  if (item >= rows) return;
  const i64 m0 = item, m1 = m0 + 1;
  FE_GLOBAL const f32 *const b0 = FE_AT(const f32, 0);
  FE_GLOBAL f32 *const b1 = FE_AT(f32, 1);
  for (i64 i0 = m0; i0 < m1; i0++) {
    f64 v3 = (0.0);
    for (i64 r0 = 0; r0 < p0; r0++) {
      f32 v1 = b0[((p0 * i0) + r0)];
      f64 v4 = (f64)v1;
      f64 v5 = v3 + v4;
      v3 = v5;
    }
    f32 v2 = (f32)v3;
    b1[i0] = v2;
  }
}
FE_KERNEL void k_lt_add(FE_CALL, FE_BUFFER(0), FE_BUFFER(1), FE_BUFFER(2), FE_INT(p0, 3), FE_INT(p1, 4), FE_INT(first, 5))
{
  FE_BEGIN;
  const i64 item = FE_ITEM;
  if (item >= rows * columns) return;
  const i64 m0 = item / columns, m1 = m0 + 1;
  const i64 n0 = item - m0 * columns, n1 = n0 + 1;
  FE_GLOBAL const f32 *const b0 = FE_AT(const f32, 0);
  FE_GLOBAL const i64 *const b1 = FE_AT(const i64, 1);
  FE_GLOBAL f32 *const b2 = FE_AT(f32, 2);
  for (i64 i0 = m0; i0 < m1; i0++) {
    i64 v1 = b1[i0];
    int v3 = v1 < (0);
    i64 v5 = (i64)((u64)v1 + (u64)(64));
    i64 v6 = v3 ? v5 : v1;
    if ((u64)v6 >= (u64)p0) {
      rt_outside(fault, first + 0, v6, p0);
      return;
    }
    for (i64 i1 = n0; i1 < n1; i1++) {
      f32 v7 = b0[((p1 * v6) + i1)];
      b2[((p1 * i0) + i1)] = v7;
    }
  }
}
