# kernels in Metal's language: no double, so that a step of a sum keeps what it has lost, comparisons and swaps of 32 bits alone, all else by macros; constants of doubles are copied to it as bytes; complex numbers are two floats
--once--
--run-- ferrite inspect k.fx --device mps --stage device | sed 's/\(k_[a-z_]*\)_[0-9a-f]*/\1/' | sed -n '/KERNEL void/,$p'; ferrite inspect k.fx --device mps --stage device | grep -c -w -e double -e f64
--file k.fx--
graph main {
  placeholder %x user "x" : f32[64,100]
  placeholder %i user "i" : i64[64]
  %s = aten.sum.dim_IntList(%x, [1]) : f32[64]
  %a = aten.index_add.default(%s, 0, %i, %s) : f32[64]
  output (user %a)
}
--out--
FE_KERNEL void k_sum(FE_CALL, FE_BUFFER(0), FE_BUFFER(1), FE_BUFFER(2), FE_INT(p0, 3))
{
  FE_BEGIN;
  const i64 item = FE_ITEM;
  if (item >= rows) return;
  const i64 m0 = item, m1 = m0 + 1;
  FE_GLOBAL const f32 *const b0 = FE_AT(const f32, 0);
  FE_GLOBAL f32 *const b1 = FE_AT(f32, 1);
  FE_GLOBAL f32 *const b2 = FE_AT(f32, 2);
  for (i64 i0 = m0; i0 < m1; i0++) {
    f32 v3 = (0.0f);
    f32 v4 = (0.0f);
    for (i64 r0 = 0; r0 < p0; r0++) {
      f32 v1 = b0[((p0 * i0) + r0)];
      f32 v5 = v3 + v1;
      f32 v6 = v5 - v3;
      f32 v7 = v5 - v6;
      f32 v8 = v3 - v7;
      f32 v9 = v1 - v6;
      f32 v10 = v8 + v9;
      f32 v11 = v4 + v10;
      v4 = v11;
      v3 = v5;
    }
    int v12 = v4 == v4;
    f32 v13 = v12 ? v4 : (0.0f);
    f32 v14 = v3 + v13;
    f32 v2 = v14;
    b1[i0] = v2;
    b2[i0] = v2;
  }
}

FE_KERNEL void k_copy(FE_CALL, FE_BUFFER(0), FE_BUFFER(1), FE_BUFFER(2), FE_INT(p0, 3), FE_INT(first, 4))
{
  FE_BEGIN;
  const i64 item = FE_ITEM;
  if (item >= rows * columns) return;
  const i64 m0 = item / columns, m1 = m0 + 1;
  const i64 n0 = item - m0 * columns, n1 = n0 + 1;
  FE_GLOBAL const f32 *const b0 = FE_AT(const f32, 0);
  FE_GLOBAL f32 *const b1 = FE_AT(f32, 1);
  FE_GLOBAL const i64 *const b2 = FE_AT(const i64, 2);
  if (m0 < m1) {
    for (i64 i0 = n0; i0 < n1; i0++) {
      f32 v1 = b0[i0];
      i64 v2 = b2[i0];
      if ((u64)v2 >= (u64)p0) {
        rt_outside(fault, first + 0, v2, p0);
        return;
      }
      for (u32 old, seen = FE_BITS(f32, u32, b1[v2]);; seen = old) {
        const f32 there = FE_BITS(u32, f32, seen);
        old = FE_SWAP32(&b1[v2], seen, FE_BITS(f32, u32, there + v1));
        if (old == seen) break;
      }
    }
  }
}

0
--status-- 1
--run-- ferrite inspect k.fx --device mps --stage wrap --isa baseline | sed 's/\(k_[a-z_]*\)_[0-9a-f]* (/\1 (/; s/ cost.*//' | grep -e '^device' -e '^kernel' -e '^copy'
--file k.fx--
graph main {
  placeholder %x user "x" : f32[8]
  %e = aten.exp.default(%x) : f32[8]
  %d = aten._to_copy.default(%e, dtype=f64) : f64[8]
  %s = aten.sin.default(%d) : f64[8]
  %r = aten._to_copy.default(%s, dtype=f32) : f32[8]
  %c = aten.erfc.default(%r) : f32[8]
  %n = aten.erf.default(%c) : f32[8]
  output (user %n)
}
--out--
copy @x[8]{1} -> @buf1[8]{1} async
device mps -1
kernel k_exp (@buf1, @buf2) ints [] m 1 n 8
copy @buf2[8]{1} -> @buf3[8]{1} async
device cpu
kernel k_sin_erfc_erf (@buf3, @buf4) ints [] m 1 n 8
--run-- ferrite compile k.fx --device mps --emit c -o k --quiet && head -n 3 k/kernels.metal; ferrite run k.fx --device mps
--file k.fx--
graph main {
  %r = aten.rand.default([4]) : f32[4]
  %e = aten.exp.default(%r) : f32[4]
  output (user %e)
}
--out--
#define FE_GROUP 256
#include <metal_stdlib>
using namespace metal;
--err--
error: run: mps: there is no Metal on this machine: it is a part of Apple's systems
--status-- 1
--run-- for d in mps opencl; do ferrite inspect d.fx --device $d --device-ports --stage wrap --isa baseline | grep -e '^copy' -e '^kernel'; done
--file d.fx--
graph main {
  placeholder %c constant "c" : f64[2] data [1.5, 2.0]
  placeholder %z constant "z" : c64[2] data [complex(1.5, 0.0), complex(0.0, 2.0)]
  %d = aten.clone.default(%c) : f64[2]
  %y = aten.clone.default(%z) : c64[2]
  output (user %d, user %y)
}
--out--
copy @c[2]{1} -> @buf2[2]{1} async
kernel k_copy_ea7fff (@z.mps, @buf4) ints [] m 1 n 2 cost 1500
kernel k_copy_89004d (@c.opencl, @buf4) ints [] m 1 n 2 cost 750
kernel k_copy_ea7fff (@z.opencl, @buf5) ints [] m 1 n 2 cost 1500
--status-- 0
