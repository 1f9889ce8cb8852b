# everything that the text of kernels can say reads back as it was
--run-- ferrite inspect all.kern --from kern --stage kern | cmp - all.kern
--file all.kern--
function farsin_f32x8 (v1 : f32x8) rare {
  v2 : f32x8 = each sin v1
  return v2
}
function lost_f64x4 (v1 : f64x4, v2 : f64x4) apart {
  v3 : f64x4 = scale v1, v2
  return v3
}
function half_f32x8 (v1 : f16x8) {
  v2 : u16x8 = bitcast v1
  v3 : f32x8 = cast v2
  return v3
}
function noise_i64x8 (v1 : i64x8) : f64x8 {
  v2 : u64x8 = bitcast v1
  v3 : u64x8 = halves v2, 7
  v4 : f64x8 = bitcast v3
  return v4
}
function joinadd_f32x8 (v1 : f32x8) : f32 {
  v2 : f32x8 = shuffle v1, v1 [4, 5, 6, 7, 8, 9, 10, 11]
  v3 : f32x8 = add v1, v2
  v4 : f32 = first v3
  return v4
}
function sin_f32x8 (v1 : f32x8) {
  v2 : i32x8 = bitcast v1
  v3 : boolx8 = lt i32 1140850688, v2
  leave v3 with call farsin_f32x8 v1
  v4 : f32x8 = fused v1, v1, 0.5
  v5 : f32x8 = call wide lost_f64x4 v4, 3.0
  return v5
}
kernel k_softmax group 0 lanes 8 ints [197, 256]
  buffer b0 : f32 in @x
  tile t0 : f32[p1]
  buffer b1 : f32 out @y
  rows (i0) {
    acc a0 : f32x8 max_of copies 4
    vector r0 < p0 unroll 4 {
      v1 : f32x8 = load b0[p0*i0 + r0]
      a0 += v1
    }
    v2 : f32 = result a0
    v4 : f32x8 = splat v2
    acc a1 : f32x8 sum copies 2 compensated
    vector r0 < p0 unroll 2 blocks of 2048 drain a1 {
      v3 : f32x8 = load b0[p0*i0 + r0]
      v5 : f32x8 = sub v3, v4
      v6 : f32x8 = call sin_f32x8 v5
      store whole t0[r0] : f32x8 = v6
      a1 += v6
    }
    v7 : f32 = result a1
    v9 : f32x8 = splat v7
    vector i1 < p0 {
      v8 : f32x8 = load t0[i1]
      v10 : f32x8 = div v8, v9
      store b1[p0*i0 + i1] : f32x8 = v10
    }
  }
kernel k_columns group 3 lanes 8 ints [s0, 8*s0, 1000]
  buffer b0 : f32 in @layer.0.weight
  buffer b1 : i64 out @place
  buffer b2 : f32 out @sum
  rows vector (i0 < 9, i1 < p0) unroll 4 {
    acc a0 : f32x8 argmax places i32 copies 4
    acc a1 : f32x8 sum copies 4 compensated
    loop r0 < p2 blocks of 128 drain a1 {
      v1 : f32x8 = load b0[p0*i0 + p1*r0 + i1]
      a0 += v1 at r0
      a1 += v1
    }
    v2 : i64x8 = result a0
    store b1[p0*i0 + i1] : i64x8 = v2
    v3 : f32x8 = result a1
    store b2[p0*i0 + i1] : f32x8 = v3
  }
kernel k_lanes group 4 lanes 4 ints [40]
  buffer b0 : i64 in @row
  buffer b1 : f32 in @table
  buffer b2 : f32 inout @total
  buffer b3 : bool out @flag
  v1 : i64 = load b0[7]
  rows (i0, i1 < 12) serial of p0 {
    vector i2 < 12 exact {
      v2 : i64x4 = load b0[12*i0 + i2]
      v3 : i64x4 = index 3*i2 - 5
      v4 : boolx4 = lt v3, v2
      known v1 < 12
      check 0 v2 < p0 if v4
      v5 : f32x4 = load lanes b1[(p0*v1 + v2 + i2) // 7] if v4
      v6 : f32x4 = load pairs b1[2*i2 + 1]
      v7 : f32x4 = where v4, v5, -inf
      v8 : f32x4 = max v7, v6
      v9 : i64x4 = index lanes (i0 + i2) % 5
      v10 : boolx4 = eq v9, i64 3
      check 1 v2 < p0
      store lanes b2[v2] : f32x4 add= v8
      store b3[i2] : boolx4 = v10
      store lanes b2[12*i2] : f32x4 max= 1.5
    }
  }
  nonnegative [p0*v1 + v2 + i2]
kernel k_scalars group 5 lanes 1 ints []
  buffer b0 : c64 in @z
  buffer b1 : c64 inout @w
  buffer b2 : bool in @t
  rows () {
    v1 : bool = load b2[0]
    loop i0 in columns {
      v2 : c64 = load b0[i0] if v1
      v3 : c64 = mul v2, 0.5:-2.0
      v4 : f32 = real v3
      v5 : bool = le v4, f32 nan
      v6 : u8 = cast v5
      v7 : u8 = add v6, 255
      v8 : f32 = cast v7
      v9 : c64 = complex f32 -0.0, v8
      v10 : c64 = where bool 1, v9, v3
      store b1[i0] : c64 mul= v10
      store b1[i0] : c64 = 1.0:0.0
    }
  }
--run-- ferrite inspect all.kern --from kern --stage c --isa x86-64-v3 | sed -n '/^void k_lanes/,/^}/p'
--out--
void k_lanes_05799e(const fe_kernel_args *args, i64 m0, i64 m1, i64 n0, i64 n1)
{
  const i64 p0 = args->ints[0];
  (void)n0, (void)n1;
  const i64 *const b0 = args->buffers[0];
  const f32 *const b1 = args->buffers[1];
  f32 *const b2 = args->buffers[2];
  u8 *const b3 = args->buffers[3];
  if (m0 >= m1) return;
  m0 = 0;
  m1 = p0;
  i64 v1 = b0[7];
  i64 left = m0;
  i64 i1 = left % 12;
  left /= 12;
  i64 i0 = left;
  for (i64 m = m0; m < m1; m++) {
    for (i64 i2 = 0; i2 < 12; i2 += 4) {
      i64x4 v2 = loadall_i64x4(b0 + ((12 * i0) + i2));
      i64x4 v3 = iota_i64x4() * (i64)(3) + (i64)(((3 * i2) + (-5)));
      i32x4 v4 = __builtin_convertvector(v3 < v2, i32x4);
      if (outside_i64x4(v2, p0, (v4 & tail_i32x4(4)))) {
        report_i64x4(args, 0, v2, p0, (v4 & tail_i32x4(4)));
        return;
      }
      f32x4 v5 = (0.0f - (f32x4){0});
      for (int r0 = 0; r0 < 4; r0++) {
        i64 v11 = b0[((12 * i0) + i2 + r0)];
        int v12 = v4[r0] & 1;
        f32 v13 = v12 ? b1[(i64)((u64)(((p0 * v1) + v11 + i2 + r0)) / 7u)] : (f32)0;
        v5[r0] = v13;
      }
      f32x4 v6 = (0.0f - (f32x4){0});
      f32x4 v14 = loadall_f32x4(b1 + ((2 * i2) + 1));
      f32x4 v15 = loadall_f32x4(b1 + ((2 * i2) + 4));
      f32x4 v16 = evens_f32x4(v14, v15);
      v6 = v16;
      f32x4 v7 = (f32x4)((v4 & (i32x4)v5) | (~v4 & (i32x4)(-__builtin_inff() - (f32x4){0})));
      f32x4 v8 = max_f32x4(v6, v7);
      i64x4 v9 = (0 - (i64x4){0});
      for (int r0 = 0; r0 < 4; r0++) {
        i64 v17 = (i64)((u64)((i0 + i2 + r0)) % 5u);
        v9[r0] = v17;
      }
      i32x4 v10 = __builtin_convertvector(v9 == (3 - (i64x4){0}), i32x4);
      if (outside_i64x4(v2, p0, tail_i32x4(4))) {
        report_i64x4(args, 1, v2, p0, tail_i32x4(4));
        return;
      }
      fe_lanes(r0, 4, 4, {
        i64 v18 = b0[((12 * i0) + i2 + r0)];
        f32 v19 = v8[r0];
        b2[v18] = b2[v18] + v19;
      })
      storeall_boolx4(b3 + i2, v10);
      fe_lanes(r0, 4, 4, {
        b2[((12 * i2) + (12 * r0))] = ((1.5f) != (1.5f) ? (1.5f) : (1.5f) > b2[((12 * i2) + (12 * r0))] ? (1.5f) : b2[((12 * i2) + (12 * r0))]);
      })
    }
    i1 += 1;
    if (i1 == 12) i1 = 0, i0++;
  }
}
--run-- ferrite inspect all.kern --from kern --stage c --isa x86-64-v3 | sed 1d | cc -fsyntax-only -xc -
