# what the C printer is given: an operation without an instruction is a call, of a function in the same words
--run-- ferrite inspect --from loop --stage legal --isa x86-64-v4 tanh.loop | tee tanh.legal
--file tanh.loop--
program tanh
input  @x : f64[50] strides [1]
temp   @y : f64[50] strides [1]
nest [i0 < 50] {
  %0 = load f64 @x[i0]
  %1 = tanh %0 : f64
  @y[i0] = %1
}
output @y[50]{1}
--out--
function exprest_f64x8 (v1 : f64x8) {
  v2 : f64x8 = mul v1, v1
  v3 : f64x8 = mul v2, 2.510520637395701e-08
  v4 : f64x8 = add v3, 2.7557255425746435e-06
  v5 : f64x8 = mul v4, v2
  v6 : f64x8 = add v5, 0.00019841269874800493
  v7 : f64x8 = mul v6, v2
  v8 : f64x8 = add v7, 0.008333333333326141
  v9 : f64x8 = mul v2, 2.0914679376583935e-09
  v10 : f64x8 = add v9, 2.7557273661348637e-07
  v11 : f64x8 = mul v10, v2
  v12 : f64x8 = add v11, 2.4801587325533363e-05
  v13 : f64x8 = mul v12, v2
  v14 : f64x8 = add v13, 0.0013888888888883752
  v15 : f64x8 = mul v14, v1
  v16 : f64x8 = add v15, v8
  v17 : f64x8 = mul v16, v1
  v18 : f64x8 = add v17, 0.04166666666666667
  v19 : f64x8 = mul v18, v1
  v20 : f64x8 = add v19, 0.1666666666666667
  v21 : f64x8 = mul v20, v1
  v22 : f64x8 = add v21, 0.5
  return v22
}
function expm1_f64x8 (v1 : f64x8) {
  v2 : f64x8 = min 710.0, v1
  v3 : f64x8 = max -40.0, v2
  v4 : f64x8 = mul v3, 1.4426950408889634
  v5 : f64x8 = add v4, 6755399441055744.0
  v6 : f64x8 = sub v5, 6755399441055744.0
  v7 : f64x8 = mul v6, 0.6931471803691238
  v8 : f64x8 = sub v3, v7
  v9 : f64x8 = mul v6, 1.9082149292705877e-10
  v10 : f64x8 = sub v8, v9
  v11 : f64x8 = call exprest_f64x8 v10
  v12 : f64x8 = mul v10, v10
  v13 : f64x8 = mul v11, v12
  v14 : f64x8 = add v13, v10
  v15 : f64x8 = min 1023.0, v6
  v16 : f64x8 = add v15, 6755399441055744.0
  v17 : i64x8 = bitcast v16
  v18 : i64x8 = shl v17, 52
  v19 : i64x8 = add v18, 4607182418800017408
  v20 : f64x8 = bitcast v19
  v21 : f64x8 = mul v14, v20
  v22 : f64x8 = sub v20, 1.0
  v23 : f64x8 = add v21, v22
  v24 : boolx8 = lt f64 1023.0, v6
  v25 : f64x8 = where v24, v23, 0.0
  v26 : f64x8 = add v23, v25
  v27 : i64x8 = bitcast v1
  v28 : i64x8 = and v27, -9223372036854775808
  v29 : i64x8 = bitcast v26
  v30 : i64x8 = or v29, v28
  v31 : f64x8 = bitcast v30
  return v31
}
function tanh_f64x8 (v1 : f64x8) {
  v2 : f64x8 = abs v1
  v3 : f64x8 = min 22.0, v2
  v4 : f64x8 = add v3, v3
  v5 : f64x8 = call expm1_f64x8 v4
  v6 : f64x8 = add v5, 2.0
  v7 : f64x8 = div v5, v6
  v8 : i64x8 = bitcast v1
  v9 : i64x8 = and v8, -9223372036854775808
  v10 : i64x8 = bitcast v7
  v11 : i64x8 = or v10, v9
  v12 : f64x8 = bitcast v11
  return v12
}
kernel k_tanh group 0 lanes 8 ints []
  buffer b0 : f64 in @x
  buffer b1 : f64 out @y
  rows () {
    vector i0 in columns {
      v1 : f64x8 = load b0[i0]
      v2 : f64x8 = call tanh_f64x8 v1
      store b1[i0] : f64x8 = v2
    }
  }
--run-- ferrite inspect --from kern --stage legal --isa x86-64-v4 tanh.legal | cmp - tanh.legal
--out--
--run-- ferrite inspect --from loop --stage legal --isa x86-64-v3 tanh.loop | grep -c shl
--out--
1
--run-- ferrite inspect sin.kern --from kern --stage legal | cmp - sin.kern
--file sin.kern--
function farsin_f32x8 (v1 : f32x8) rare {
  v2 : f32x8 = each sin v1
  return v2
}
function sin_f32x8 (v1 : f32x8) {
  v2 : f32x8 = abs v1
  v3 : boolx8 = lt f32 1000.0, v2
  leave v3 with call farsin_f32x8 v1
  v4 : f32x8 = fused v1, v2, 0.5
  v5 : f32x8 = scale v4, 3.0
  return v5
}
kernel k_sin group 0 lanes 8 ints [200]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  rows (i0) {
    vector r0 < p0 {
      v1 : f32x8 = load b0[p0*i0 + r0]
      v2 : f32x8 = call sin_f32x8 v1
      store b1[p0*i0 + r0] : f32x8 = v2
    }
  }
--run-- sed 's/^function farsin/function sin/' sin.kern | ferrite inspect - --from kern --stage legal
--err--
error: kern: the function is there, or its name says another (found 'sin_f32x8')
  at line 5, column 10
--status-- 1
--run-- sed 's/call sin_f32x8/call cos_f32x8/' sin.kern | ferrite inspect - --from kern --stage legal
--err--
error: kern: expected a function that stands before (found 'cos_f32x8')
  at line 19, column 25
--status-- 1
--run-- sed '1s/f32x8 (v1 : f32x8)/f32 (v1 : f32)/; 1,4s/f32x8/f32/; s/farsin_f32x8/farsin_f32/' sin.kern | ferrite inspect - --from kern --stage legal
--err--
error: kern: law K8: farsin_f32 is of 1 lanes
  at function sin_f32x8: leave v3 with call farsin_f32 v1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/  leave v3 with call farsin_f32x8 v1/  leave v3 with fused v1, v2, v1/' sin.kern | ferrite inspect - --from kern --stage legal
--err--
error: kern: law K8: a function is left with a call that gives its result
  at function sin_f32x8: leave v3 with fused v1, v2, v1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed '/return v5/d' sin.kern | ferrite inspect - --from kern --stage legal
--err--
error: kern: law K8: a function ends where it returns
  at function sin_f32x8: v5 : f32x8 = scale v4, 3.0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^  v5.*/&\n  return v4/' sin.kern | ferrite inspect - --from kern --stage legal
--err--
error: kern: law K8: a function ends where it returns
  at function sin_f32x8: return v4
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/v2 : f32x8 = abs v1/v2 : f32x8 = load b0[7]/' sin.kern | ferrite inspect - --from kern --stage legal
--err--
error: kern: there is no such buffer (found 'b0')
  at line 6, column 21
--status-- 1
--run-- sed 's/call sin_f32x8 v1/each sin v1/' sin.kern | ferrite inspect - --from kern --stage legal
--err--
error: kern: expected an operation (found 'each')
  at line 19, column 20
--status-- 1
--run-- sed 's/(v1 : f32x8) rare/(v1 : f64x8) rare/' sin.kern | ferrite inspect - --from kern --stage legal
--err--
error: kern: law K2: an operand is f64, not f32
  at function farsin_f32x8: v2 : f32x8 = each sin v1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/v3 : boolx8 = lt f32 1000.0, v2/v3 : i32x8 = bitcast v2/' sin.kern | ferrite inspect - --from kern --stage legal
--err--
error: kern: law K2: an operand is i32, not bool
  at function sin_f32x8: leave v3 with call farsin_f32x8 v1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
# one lane has the operations themselves
--run-- ferrite inspect sin.kern --from kern --stage c --isa scalar | grep -c sinf
--out--
1
