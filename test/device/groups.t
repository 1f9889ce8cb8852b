# few rows, or long ones, are a work-group's: its loops are dealt out, accumulators joined in local memory, the first work-item stores
--run-- ferrite inspect k.fx --device opencl --isa baseline --stage kern
--file k.fx--
graph main {
  placeholder %x user "x" : f32[64,1000]
  placeholder %w user "w" : f32[64,1]
  %c = aten.sub.Tensor(%x, %w) : f32[64,1000]
  %s = aten.softmax.int(%c, 1) : f32[64,1000]
  %i = aten.argmax.default(%x) : i64[]
  %t = aten.cumsum.default(%x, 1) : f32[64,1000]
  output (user %s, user %i, user %t)
}
--out--
kernel k_argmax group 2 lanes 1 ints [64000]
  buffer b0 : f32 in @buf2
  buffer b1 : i64 out @buf7
  rows () by groups {
    acc a0 : f32 argmax places i32 shared
    loop r0 < p0 shared blocks of 32768 {
      v1 : f32 = load b0[r0]
      a0 += v1 at r0
    }
    v2 : i64 = result a0
    store b1[0] : i64 = v2
  }
kernel k_sum group 4 lanes 1 ints [64, 1000]
  buffer b0 : f32 in @buf2
  buffer b1 : f32 out @buf8
  rows (i0 < p0) {
    acc a0 : f64 sum running
    loop r0 < p1 blocks of 32 {
      v1 : f32 = load b0[p1*i0 + r0]
      v2 : f64 = cast v1
      a0 += v2
      v3 : f64 = result a0
      v4 : f32 = cast v3
      store b1[p1*i0 + r0] : f32 = v4
    }
  }
kernel k_max_sum_sub_exp group 6 lanes 1 ints [1000]
  buffer b0 : f32 in @buf2
  buffer b1 : f32 in @buf3
  buffer b2 : f32 inout @buf5
  buffer b3 : f32 out @buf9
  rows (i0) by groups {
    acc a0 : f32 max_of shared
    v2 : f32 = load b1[i0]
    v3 : f32 = cast v2
    loop r0 < p0 shared {
      v1 : f32 = load b0[p0*i0 + r0]
      v4 : f32 = sub v1, v3
      a0 += v4
    }
    v5 : f32 = result a0
    acc a1 : f32 sum shared
    v8 : f32 = cast v5
    loop r0 < p0 shared blocks of 8192 {
      v6 : f32 = load b0[p0*i0 + r0]
      v7 : f32 = sub v6, v3
      v9 : f32 = sub v7, v8
      v10 : f32 = exp v9
      store b2[p0*i0 + r0] : f32 = v10
      a1 += v10
    }
    v11 : f32 = result a1
    v13 : f32 = cast v11
    loop i1 < p0 shared {
      v12 : f32 = load b2[p0*i0 + i1]
      v14 : f32 = div v12, v13
      store b3[p0*i0 + i1] : f32 = v14
    }
  }
--run-- ferrite inspect k.fx --device opencl --isa baseline --stage c | sed -n '/^static const char opencl_source/,/^    "";/p' | sed 's/\(k_[a-z_]*\)_[0-9a-f]*/\1/; s/^    "\(.*\)\\n"$/\1/' | sed -n '/^FE_GROUP_KERNEL/,/^}/p'
--file k.fx--
graph main {
  placeholder %x user "x" : f32[64,1000]
  %i = aten.argmax.default(%x, 1) : i64[64]
  output (user %i)
}
--out--
FE_GROUP_KERNEL void k_argmax(FE_CALL, FE_BUFFER(0), FE_BUFFER(1), FE_INT(p0, 2))
{
  FE_GROUP_BEGIN;
  const i64 m0 = FE_ITEM / FE_GROUP, m1 = m0 + 1;
  FE_LOCAL f32 s12[FE_GROUP];
  FE_LOCAL i32 s19[FE_GROUP];
  FE_GLOBAL const f32 *const b0 = FE_AT(const f32, 0);
  FE_GLOBAL i64 *const b1 = FE_AT(i64, 1);
  for (i64 i0 = m0; i0 < m1; i0++) {
    f32 v3 = (-INFINITY);
    i32 v4 = (-1);
    for (i64 r0_all = 0; r0_all < p0; r0_all += FE_GROUP) {
      const i64 r0 = r0_all + FE_MEMBER;
      if (r0 < p0) {
        f32 v1 = b0[((p0 * i0) + r0)];
        int v5 = v1 <= v3;
        int v6 = !v5;
        int v7 = v3 == v3;
        int v8 = (int)(v6 & v7);
        i32 v9 = r0;
        f32 v10 = v8 ? v1 : v3;
        v3 = v10;
        i32 v11 = v8 ? v9 : v4;
        v4 = v11;
      }
    }
    s12[FE_MEMBER] = v3;
    FE_BARRIER;
    for (i64 width = FE_GROUP / 2; width > 0; width /= 2) {
      if (FE_MEMBER < width) {
        const f32 a = s12[FE_MEMBER], b = s12[FE_MEMBER + width];
        s12[FE_MEMBER] = (a != a ? a : a > b ? a : b);
      }
      FE_BARRIER;
    }
    f32 v12 = s12[0];
    int v13 = v3 == v12;
    int v14 = v3 != v3;
    int v15 = (int)(v13 | v14);
    int v16 = (0) <= v4;
    int v17 = (int)(v15 & v16);
    i32 v18 = v17 ? v4 : (2147483647);
    s19[FE_MEMBER] = v18;
    FE_BARRIER;
    for (i64 width = FE_GROUP / 2; width > 0; width /= 2) {
      if (FE_MEMBER < width) {
        const i32 a = s19[FE_MEMBER], b = s19[FE_MEMBER + width];
        s19[FE_MEMBER] = (a < b ? a : b);
      }
      FE_BARRIER;
    }
    i32 v19 = s19[0];
    int v20 = v19 == (2147483647);
    i32 v21 = v20 ? (0) : v19;
    i32 v22 = (v21 > (0) ? v21 : (0));
    i64 v2 = (i64)v22;
    if (FE_MEMBER == 0) {
      b1[i0] = v2;
    }
  }
}
--run-- ferrite inspect k.fx --device privateuseone --isa baseline --stage kern
--file k.fx--
graph main {
  placeholder %x user "x" : f32[64,1000]
  %i = aten.amax.default(%x, [1]) : f32[64]
  output (user %i)
}
--out--
kernel k_max group 1 lanes 1 ints [1000]
  buffer b0 : f32 in @buf1
  buffer b1 : f32 out @buf2
  rows (i0) {
    acc a0 : f32 max_of
    loop r0 < p0 {
      v1 : f32 = load b0[p0*i0 + r0]
      a0 += v1
    }
    v2 : f32 = result a0
    store b1[i0] : f32 = v2
  }
--run-- ferrite inspect k.fx --device opencl --isa baseline --stage kern | ferrite inspect - --from kern --isa baseline --stage kern | sed -n 1,12p
--file k.fx--
graph main {
  placeholder %x user "x" : f32[64,1000]
  %i = aten.amax.default(%x, [1]) : f32[64]
  output (user %i)
}
--out--
kernel k_max group 1 lanes 1 ints [1000]
  buffer b0 : f32 in @buf1
  buffer b1 : f32 out @buf2
  rows (i0) by groups {
    acc a0 : f32 max_of shared
    loop r0 < p0 shared {
      v1 : f32 = load b0[p0*i0 + r0]
      a0 += v1
    }
    v2 : f32 = result a0
    store b1[i0] : f32 = v2
  }
