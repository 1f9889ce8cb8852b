# complex numbers are two reals each: pairs are taken apart and stored together as two vectors of memory, of which the last may be a part; sums have an accumulator for each; what has no such form stays complex, a number at a time
--once--
--run-- ferrite inspect p.fx --stage kern --isa x86-64-v3
--file p.fx--
graph main {
  placeholder %a user "a" : c64[3,50]
  placeholder %b user "b" : c64[3,50]
  %m = aten.mul.Tensor(%a, %b) : c64[3,50]
  %s = aten.sum.dim_IntList(%a, [1]) : c64[3]
  %e = aten.exp.default(%s) : c64[3]
  output (user %m, user %s, user %e)
}
--out--
kernel k_mul_sub_add group 0 lanes 8 ints []
  buffer b0 : f32 in @a
  buffer b1 : f32 in @b
  buffer b2 : f32 out @buf3
  rows () {
    vector i0 in columns {
      v1 : f32x8 = load firsts b0[2*i0]
      v2 : f32x8 = load firsts b1[2*i0]
      v3 : f32x8 = mul v1, v2
      v4 : f32x8 = load seconds b0[2*i0 + 1]
      v5 : f32x8 = load seconds b1[2*i0 + 1]
      v6 : f32x8 = mul v4, v5
      v7 : f32x8 = sub v3, v6
      v8 : f32x8 = mul v1, v5
      v9 : f32x8 = mul v4, v2
      v10 : f32x8 = add v8, v9
      store lanes b2[2*i0] : f32x8 = v7
      store lanes b2[2*i0 + 1] : f32x8 = v10
    }
  }
kernel k_sum_exp group 1 lanes 1 ints [50]
  buffer b0 : c64 in @a
  buffer b1 : c64 out @buf2
  buffer b2 : c64 out @buf4
  rows (i0) {
    acc a0 : c64 sum
    loop r0 < p0 {
      v1 : c64 = load b0[p0*i0 + r0]
      a0 += v1
    }
    v2 : c64 = result a0
    store b1[i0] : c64 = v2
    v3 : c64 = exp v2
    store b2[i0] : c64 = v3
  }
--run-- ferrite inspect p.fx --stage legal --isa x86-64-v3 | sed -n '/^kernel k_mul/,/^kernel/p' | sed '$d'; ferrite inspect p.fx --stage legal --isa x86-64-v3 >legal; ferrite inspect legal --from kern --stage legal --isa x86-64-v3 | cmp - legal && echo same
--file p.fx--
graph main {
  placeholder %a user "a" : c64[50]
  %m = aten.mul.Tensor(%a, %a) : c64[50]
  output (user %m)
}
--out--
kernel k_mul_sub_add group 0 lanes 8 ints []
  buffer b0 : f32 in @a
  buffer b1 : f32 out @buf1
  rows () {
    vector i0 in columns count v9 {
      var v1 : f32x8 = 0.0
      v10 : i64 = half 0 of v9
      v11 : f32x8 = load run b0[2*i0] first v10
      v12 : i64 = half 1 of v9
      v13 : f32x8 = load run b0[2*i0 + 8] first v12
      v14 : f32x8 = call firsts_f32x8 v11, v13
      set v1 = v14
      v2 : f32x8 = mul v1, v1
      var v3 : f32x8 = 0.0
      v15 : i64 = half 0 of v9
      v16 : f32x8 = load run b0[2*i0] first v15
      v17 : i64 = half 1 of v9
      v18 : f32x8 = load run b0[2*i0 + 8] first v17
      v19 : f32x8 = call seconds_f32x8 v16, v18
      set v3 = v19
      v4 : f32x8 = mul v3, v3
      v5 : f32x8 = sub v2, v4
      v6 : f32x8 = mul v1, v3
      v7 : f32x8 = mul v3, v1
      v8 : f32x8 = add v6, v7
      v20 : f32x8 = call lows_f32x8 v5, v8
      v21 : i64 = half 0 of v9
      store run b1[2*i0] first v21 : f32x8 = v20
      v22 : f32x8 = call highs_f32x8 v5, v8
      v23 : i64 = half 1 of v9
      store run b1[2*i0 + 8] first v23 : f32x8 = v22
    }
same
