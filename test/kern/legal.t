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
    vector i0 in columns count v3 {
      v1 : f64x8 = load b0[i0] first v3
      v2 : f64x8 = call tanh_f64x8 v1
      store b1[i0] first v3 : f64x8 = v2
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
    vector r0 < p0 count v3 {
      v1 : f32x8 = load b0[p0*i0 + r0] first v3
      v2 : f32x8 = call sin_f32x8 v1
      store b1[p0*i0 + r0] first v3 : f32x8 = v2
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
0
--status-- 1
--run-- ferrite inspect --from loop --stage legal --isa x86-64-v3 sums.loop | tee sums.legal | sed '/^function/,/^}/d'
--file sums.loop--
program sums
input  @x : f32[50,100003] strides [100003,1]
temp   @y : f32[50] strides [1]
temp   @z : f32[50] strides [1]
nest [i0 < 50] reduce [r0 < 100003] {
  %0 = load f32 @x[100003*i0 + r0]
  %1 = mul %0, %0 : f32
  @y[i0] = sum %1
}
nest [i0 < 50] reduce [r0 < 100003] {
  %0 = load f32 @x[100003*i0 + r0]
  @z[i0] = max_of %0
}
output @y[50]{1}
output @z[50]{1}
--out--
kernel k_sum_mul group 0 lanes 8 ints [100003]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  rows (i0) {
    var v4 : f32x8 copies 4 = 0.0
    var v5 : f32x8 = 0.0
    var v6 : f32x8 = 0.0
    blocks r0 < p0 by 1024 {
      vector r0 in block unroll 4 count v7 mask v8 {
        v1 : f32x8 = load b0[p0*i0 + r0] first v7
        v2 : f32x8 = mul v1, v1
        v9 : f32x8 = where v8, v2, 0.0
        v10 : f32x8 = add v4, v9
        set v4 = v10
      }
      v11 : f32x8 = read v4 copy 0
      v12 : f32x8 = read v4 copy 1
      v13 : f32x8 = read v4 copy 2
      v14 : f32x8 = read v4 copy 3
      v15 : f32x8 = add v11, v12
      v16 : f32x8 = add v13, v14
      v17 : f32x8 = add v15, v16
      v18 : f32x8 = add v5, v17
      v19 : f32x8 = sub v18, v5
      v20 : f32x8 = sub v18, v19
      v21 : f32x8 = sub v5, v20
      v22 : f32x8 = sub v17, v19
      v23 : f32x8 = add v21, v22
      v24 : f32x8 = add v6, v23
      set v6 = v24
      set v5 = v18
      set v4 = 0.0
    }
    v25 : f32x8 = read v4 copy 0
    v26 : f32x8 = read v4 copy 1
    v27 : f32x8 = read v4 copy 2
    v28 : f32x8 = read v4 copy 3
    v29 : f32x8 = add v25, v26
    v30 : f32x8 = add v27, v28
    v31 : f32x8 = add v29, v30
    v32 : f32x8 = call known_f32x8 v6
    v33 : f32x8 = add v31, v32
    v34 : f32x8 = add v5, v33
    v3 : f32 = call joinadd_f32x8 v34
    store b1[i0] : f32 = v3
  }
kernel k_max group 1 lanes 8 ints [100003]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @z
  rows (i0) {
    var v3 : f32x8 copies 4 = -inf
    blocks r0 < p0 by 1024 {
      vector r0 in block unroll 4 count v4 mask v5 {
        v1 : f32x8 = load b0[p0*i0 + r0] first v4
        v6 : f32x8 = where v5, v1, -inf
        v7 : f32x8 = max v6, v3
        set v3 = v7
      }
    }
    v8 : f32x8 = read v3 copy 0
    v9 : f32x8 = read v3 copy 1
    v10 : f32x8 = read v3 copy 2
    v11 : f32x8 = read v3 copy 3
    v12 : f32x8 = max v8, v9
    v13 : f32x8 = max v10, v11
    v14 : f32x8 = max v12, v13
    v2 : f32 = call joinmax_f32x8 v14
    store b1[i0] : f32 = v2
  }
--run-- ferrite inspect --from kern --stage legal --isa x86-64-v3 sums.legal | cmp - sums.legal
--out--
--run-- ferrite inspect --from loop --stage legal --isa x86-64-v3 places.loop | tee places.legal | sed '/^function/,/^}/d'
--file places.loop--
program places
input  @x : f32[50,30] strides [30,1]
temp   @y : i64[50] strides [1]
temp   @c : f64[50,30] strides [30,1]
nest [i0 < 50] reduce [r0 < 30] {
  %0 = load f32 @x[30*i0 + r0]
  @y[i0] = argmax %0
}
nest [i0 < 50] reduce [r0 < 30] {
  %0 = load f32 @x[30*i0 + r0]
  %1 = cast %0 : f64
  @c[30*i0 + r0] = scan sum %1
}
output @y[50]{1}
output @c[50,30]{30,1}
--out--
kernel k_argmax group 0 lanes 8 ints [30]
  buffer b0 : f32 in @x
  buffer b1 : i64 out @y
  rows (i0) {
    var v3 : f32x8 = -inf
    var v4 : i32x8 = -1
    vector r0 < p0 count v5 mask v6 {
      v1 : f32x8 = load b0[p0*i0 + r0] first v5
      v7 : boolx8 = le v1, v3
      v8 : boolx8 = not v7
      v9 : boolx8 = eq v3, v3
      v10 : boolx8 = and v8, v9
      v11 : boolx8 = and v10, v6
      v12 : i32x8 = index r0
      v13 : f32x8 = where v11, v1, v3
      set v3 = v13
      v14 : i32x8 = where v11, v12, v4
      set v4 = v14
    }
    v15 : f32 = call joinmax_f32x8 v3
    v16 : f32x8 = splat v15
    v17 : boolx8 = eq v3, v16
    v18 : boolx8 = isnan v3
    v19 : boolx8 = or v17, v18
    v20 : i32x8 = where v19, v4, 2147483647
    v21 : i32 = call joinmin_i32x8 v20
    v22 : i32 = max v21, 0
    v2 : i64 = cast v22
    store b1[i0] : i64 = v2
  }
kernel k_sum group 1 lanes 4 ints [30]
  buffer b0 : f32 in @x
  buffer b1 : f64 out @c
  rows (i0) {
    var v4 : f64x4 = 0.0
    vector r0 < p0 count v5 mask v6 {
      v1 : f32x4 = load b0[p0*i0 + r0] first v5
      v2 : f64x4 = cast v1
      v7 : f64x4 = where v6, v2, 0.0
      v8 : f64x4 = call scanadd_f64x4 v7, 0.0
      v9 : f64x4 = add v4, v8
      v10 : f64x4 = call last_f64x4 v8
      v11 : f64x4 = add v4, v10
      set v4 = v11
      v3 : f64x4 = read v9
      store b1[p0*i0 + r0] first v5 : f64x4 = v3
    }
  }
--run-- ferrite inspect --from kern --stage legal --isa x86-64-v3 places.legal | cmp - places.legal
--out--
--run-- ferrite inspect sum.kern --from kern --stage legal --isa x86-64-v3 | cmp - sum.kern
--file sum.kern--
function joinadd_f32x8 (v1 : f32x8) : f32 {
  v2 : f32 = first v1
  return v2
}
kernel k_sum group 0 lanes 8 ints [100]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  rows (i0) {
    var v1 : f32x8 copies 2 = 0.0
    blocks r0 < p0 by 64 {
      vector r0 in block unroll 2 count v10 mask v2 {
        v3 : f32x8 = load b0[p0*i0 + r0] first v10
        v4 : f32x8 = where v2, v3, 0.0
        v5 : f32x8 = add v1, v4
        set v1 = v5
      }
    }
    v6 : f32x8 = read v1 copy 0
    v7 : f32x8 = read v1 copy 1
    v8 : f32x8 = add v6, v7
    v9 : f32 = call joinadd_f32x8 v8
    store b1[i0] : f32 = v9
  }
--out--
--run-- sed 's/copy 1/copy 2/' sum.kern | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K4: there is no copy 2
  at kernel k_sum group 0: v7 : f32x8 = read v1 copy 2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/read v1 copy 1/add v1, v1/' sum.kern | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K4: copies of v1 are taken together
  at kernel k_sum group 0: v7 : f32x8 = add v1, v1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/unroll 2/unroll 4/' sum.kern | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K4: copies of v1 are taken together
  at kernel k_sum group 0: v5 : f32x8 = add v1, v4
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/ copies 2//; s/ copy [01]//' sum.kern | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K4: 2 copies set one variable
  at kernel k_sum group 0: set v1 = v5
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/set v1/set v4/' sum.kern | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K4: v4 is no variable
  at kernel k_sum group 0: set v4 = v5
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/unroll 2 count/exact unroll 2 count/; s/ints .100./ints [96]/' sum.kern | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K6: no step of the loop has fewer lanes
  at kernel k_sum group 0: vector r0 in block exact unroll 2 count v10 mask v2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/add v6, v7/where v2, v6, v7/' sum.kern | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K1: v2 is not defined here
  at kernel k_sum group 0: v8 : f32x8 = where v2, v6, v7
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/vector r0 in block/vector r1 in block/' sum.kern | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K6: a loop is not over the block that it is in
  at kernel k_sum group 0: blocks r0 < p0 by 64
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/by 64/by 24/' sum.kern | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K6: blocks are not whole steps of the loop
  at kernel k_sum group 0: blocks r0 < p0 by 24
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed '/blocks/d; 0,/^    }$/{/^    }$/d}' sum.kern | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K6: a loop is over a block, and in none
  at kernel k_sum group 0: vector r0 in block unroll 2 count v10 mask v2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/ count v10 mask v2/ mask v2/' sum.kern | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: expected '{' (found 'mask')
  at line 11, column 35
--status-- 1
--run-- sed 's/first v10/first v2/' sum.kern | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K3: v2 is no number of lanes
  at kernel k_sum group 0: v3 : f32x8 = load b0[p0*i0 + r0] first v2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
# lanes that are joined cannot be taken apart
--run-- ferrite inspect sum.kern --from kern --stage legal --isa scalar
--err--
error: kern: k_sum is lowered for 8 lanes, and cannot have one
  help: give --isa for a target with so many lanes, or the text of --stage kern
--status-- 1
# as many lanes are read, checked and stored as a step has; a row of tiles has room for all
--run-- ferrite inspect --from loop --stage legal --isa x86-64-v3 - | sed '/^function/,/^}/d'
--in--
program take
input  @x : f32[50] strides [1]
input  @at : i64[40] strides [1]
temp   @y : f32[40] strides [1]
nest [i0 < 40] {
  %0 = load i64 @at[i0]
  j0 = indirect %0 < 50
  %1 = load f32 @x[j0]
  @y[i0] = %1
}
output @y[40]{1}
--out--
kernel k_copy group 0 lanes 4 ints [50]
  buffer b0 : f32 in @x
  buffer b1 : i64 in @at
  buffer b2 : f32 out @y
  rows () {
    vector i0 in columns count v3 mask v4 {
      v1 : i64x4 = load b1[i0] first v3
      check 0 v1 < p0 among v4
      var v2 : f32x4 = 0.0
      lanes r0 first v3 unroll {
        v5 : i64 = load lane v1[r0]
        v6 : f32 = load b0[v5]
        set v2[r0] = v6
      }
      store b2[i0] first v3 : f32x4 = v2
    }
  }
--file lanes.kern--
kernel k_lanes group 0 lanes 4 ints [40, 6]
  buffer b0 : f32 in @x
  buffer b1 : f32 inout @y
  rows (i0) {
    vector i1 < p0 {
      v1 : i64x4 = index lanes i1 // 7
      v2 : boolx4 = lt v1, i64 3
      v3 : f32x4 = load lanes b0[p1*i1 + i0] if v2
      known v1 < p0
      store lanes b1[v1] : f32x4 add= v3
    }
  }
--run-- ferrite inspect lanes.kern --from kern --stage legal --isa x86-64-v3 | tee lanes.legal
--out--
kernel k_lanes group 0 lanes 4 ints [40, 6]
  buffer b0 : f32 in @x
  buffer b1 : f32 inout @y
  rows (i0) {
    vector i1 < p0 count v4 {
      var v1 : i64x4 = 0
      lanes r0 first v4 {
        v5 : i64 = index (i1 + r0) // 7
        set v1[r0] = v5
      }
      v2 : boolx4 = lt v1, i64 3
      var v3 : f32x4 = 0.0
      lanes r0 first v4 unroll {
        v6 : bool = lane v2[r0]
        v7 : f32 = load b0[p1*i1 + p1*r0 + i0] if v6
        set v3[r0] = v7
      }
      known v1 < p0
      lanes r0 first v4 unroll {
        v8 : i64 = lane v1[r0]
        v9 : f32 = lane v3[r0]
        store b1[v8] : f32 add= v9
      }
    }
  }
--run-- ferrite inspect lanes.legal --from kern --stage legal --isa x86-64-v3 | cmp - lanes.legal
--run-- ferrite inspect lanes.kern --from kern --stage c --isa x86-64-v3 | sed -n '/^void/,$p' | sed -n '/v4 = /,$p'
--out--
      const i64 v4 = n;
      for (; i1 + n <= p0; i1 += n) {
        i64x4 v1 = (0 - (i64x4){0});
        for (int r0 = 0; r0 < v4; r0++) {
          i64 v5 = (i64)((u64)((i1 + r0)) / 7u);
          v1[r0] = v5;
        }
        i32x4 v2 = __builtin_convertvector(v1 < (3 - (i64x4){0}), i32x4);
        f32x4 v3 = (0.0f - (f32x4){0});
        fe_lanes(r0, v4, 4, {
          int v6 = v2[r0] & 1;
          f32 v7 = v6 ? b0[((p1 * i1) + (p1 * r0) + i0)] : (f32)0;
          v3[r0] = v7;
        })
        fe_lanes(r0, v4, 4, {
          i64 v8 = v1[r0];
          f32 v9 = v3[r0];
          b1[v8] = b1[v8] + v9;
        })
      }
    }
  }
}
--run-- ferrite inspect lanes.legal --from kern --stage c --isa scalar
--err--
error: kern: k_lanes is lowered for 4 lanes, and cannot have one
  help: give --isa for a target with so many lanes, or the text of --stage kern
--status-- 1
--run-- sed 's/lane v2\[r0\]/lane v2[i1]/' lanes.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K3: this is no lane at hand of a vector
  at kernel k_lanes group 0: v6 : bool = lane v2[i1]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/ + p1\*r0/ + r0/' lanes.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K3: one element moves with the lanes
  at kernel k_lanes group 0: v7 : f32 = load b0[p1*i1 + i0 + r0] if v6
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/set v1\[r0\] = v5/set v1 = v1/' lanes.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K3: a lane sets all of v1
  at kernel k_lanes group 0: set v1 = v1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed '/known/d' lanes.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K7: nothing says that v8 is in range
  at kernel k_lanes group 0: store b1[v8] : f32 add= v9
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/lane v1\[r0\]/lane v4[r0]/' lanes.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K3: an operand is no vector
  at kernel k_lanes group 0: v8 : i64 = lane v4[r0]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/lanes r0 first v4 unroll/loop r0 < 4/' lanes.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K3: this is no lane at hand of a vector
  at kernel k_lanes group 0: v6 : bool = lane v2[r0]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/v9 : f32 = lane v3\[r0\]/v9 : f32x4 = add v3, v3/' lanes.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K3: one lane has no vectors
  at kernel k_lanes group 0: v9 : f32x4 = add v3, v3
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- ferrite inspect --from loop --stage legal --isa x86-64-v3 gather.loop | tee gather.legal | sed '/^function/,/^}/d'
--file gather.loop--
program gather
input  @x : f32[50,70] strides [70,1]
input  @at : i64[40] strides [1]
temp   @y : f32[40] strides [1]
nest [i0 < 40] {
  %0 = load i64 @at[i0]
  %1 = const 0 : i64
  %2 = le %1, %0 : bool
  j0 = indirect %0 < 50
  %3 = load f32 @x[70*j0 + i0]
  %4 = const 0.5 : f32
  %5 = masked %2, %3, %4 : f32
  @y[i0] = %5
}
output @y[40]{1}
--out--
kernel k_le group 0 lanes 4 ints [50, 70]
  buffer b0 : i64 in @at
  buffer b1 : f32 in @x
  buffer b2 : f32 out @y
  rows () {
    vector i0 in columns count v9 mask v10 {
      v2 : i64x4 = load b0[i0] first v9
      v4 : boolx4 = le i64 0, v2
      check 0 v2 < p0 if v4 among v10
      v11 : i64 = index p1
      v12 : i64x4 = splat v11
      v13 : i64x4 = mul v12, v2
      v14 : i64x4 = index i0
      v15 : i64x4 = add v13, v14
      v5 : f32x4 = load gather b1[v15] first v9 if v4
      v8 : f32x4 = where v4, v5, 0.5
      store b2[i0] first v9 : f32x4 = v8
    }
  }
--run-- ferrite inspect --from kern --stage legal --isa x86-64-v3 gather.legal | cmp - gather.legal
--out--
--run-- sed '/check/d' gather.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K7: nothing says that v2 is in range
  at kernel k_le group 0: v5 : f32x4 = load gather b1[v15] first v9 if v4
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/gather b1.v15. first v9 if v4/gather b1[v15] first v9/' gather.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K3: no mask says which lanes are gathered
  at kernel k_le group 0: v5 : f32x4 = load gather b1[v15] first v9
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- ferrite inspect --from loop --stage legal --isa x86-64-v3 short.loop | tee short.legal | sed '/^function/,/^}/d'
--file short.loop--
program short
input  @x : f32[4,9,64] strides [576,64,1]
input  @at : f32[32,2] strides [2,1]
temp   @y : f32[4,32] strides [32,1]
nest [i0 < 4, i1 < 32] {
  %0 = load f32 @at[2*i1]
  %1 = const 0.0 : f32
  %2 = le %1, %0 : bool
  %3 = const 9.0 : f32
  %4 = lt %0, %3 : bool
  %5 = and %2, %4 : bool
  %6 = cast %0 : i64
  j0 = indirect %6 < 9 dim 1
  %7 = load f32 @at[2*i1 + 1]
  %8 = abs %7 : f32
  %9 = const 63.0 : f32
  %10 = fmin %8, %9 : f32
  %11 = le %10, %9 : bool
  %12 = le %1, %10 : bool
  %13 = and %11, %12 : bool
  %14 = cast %10 : i64
  j1 = indirect %14 < 64 dim 2
  %15 = load f32 @x[576*i0 + 64*j0 + j1]
  %16 = and %5, %13 : bool
  %17 = masked %16, %15, %1 : f32
  @y[32*i0 + i1] = %17
}
output @y[4,32]{32,1}
--out--
kernel k_le_lt_abs_fmin group 0 lanes 8 ints [64, 576, 32]
  buffer b0 : f32 in @at
  buffer b1 : f32 in @x
  buffer b2 : f32 out @y
  rows (i0) {
    vector i1 in columns count v26 {
      var v2 : f32x8 = 0.0
      v27 : bool = eq v26, i64 8
      when v27 {
        v28 : f32x8 = load run b0[2*i1]
        v29 : f32x8 = load run b0[2*i1 + 7]
        v30 : f32x8 = call evens_f32x8 v28, v29
        set v2 = v30
      }
      otherwise {
        lanes r0 first v26 unroll {
          v31 : f32 = load b0[2*i1 + 2*r0]
          set v2[r0] = v31
        }
      }
      v4 : boolx8 = le f32 0.0, v2
      v7 : boolx8 = lt v2, f32 9.0
      v8 : boolx8 = and v4, v7
      var v9 : f32x8 = 0.0
      v32 : bool = eq v26, i64 8
      when v32 {
        v33 : f32x8 = load run b0[2*i1 + 1]
        v34 : f32x8 = load run b0[2*i1 + 8]
        v35 : f32x8 = call evens_f32x8 v33, v34
        set v9 = v35
      }
      otherwise {
        lanes r0 first v26 unroll {
          v36 : f32 = load b0[2*i1 + 2*r0 + 1]
          set v9[r0] = v36
        }
      }
      v10 : f32x8 = abs v9
      v13 : f32x8 = fmin v10, 63.0
      v14 : boolx8 = le v13, f32 63.0
      v15 : boolx8 = le f32 0.0, v13
      v16 : boolx8 = and v14, v15
      v17 : boolx8 = and v8, v16
      v18 : i32x8 = cast v2
      known v18 < 9 if v17
      v19 : i32x8 = cast v13
      known v19 < p0 if v17
      v22 : i32x8 = mul v18, 64
      v23 : i32x8 = add v22, v19
      v24 : f32x8 = load gather b1[p1*i0][v23] first v26 if v17
      v25 : f32x8 = where v17, v24, 0.0
      store b2[p2*i0 + i1] first v26 : f32x8 = v25
    }
  }
--run-- ferrite inspect --from kern --stage legal --isa x86-64-v3 short.legal | cmp - short.legal
--out--
--run-- sed '0,/known/s/.*known.*//' short.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K7: nothing says that v18 is in range
  at kernel k_le_lt_abs_fmin group 0: v24 : f32x8 = load gather b1[p1*i0][v23] first v26 if v17
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/\[p1\*i0\]\[/[p1*i1][/' short.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K3: one element moves with the lanes
  at kernel k_le_lt_abs_fmin group 0: v24 : f32x8 = load gather b1[p1*i1][v23] first v26 if v17
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- ferrite inspect --from kern --stage legal --isa x86-64-v3 again.kern | tee again.legal | sed '/^function/,/^}/d'
--file again.kern--
kernel k_again group 0 lanes 4 ints [40, 6]
  buffer b0 : f32 in @x
  buffer b1 : i64 in @at
  buffer b2 : f32 out @y
  rows (i0) {
    vector i1 < p0 {
      v1 : i64x4 = load b1[i1]
      known v1 < p1
      v2 : f32x4 = load lanes b0[p1*i0 + v1]
      store b2[p0*i0 + i1] : f32x4 = v2
    }
  }
--out--
kernel k_again group 0 lanes 4 ints [40, 6]
  buffer b0 : f32 in @x
  buffer b1 : i64 in @at
  buffer b2 : f32 out @y
  rows (i0) {
    vector i1 < p0 count v3 {
      v1 : i64x4 = load b1[i1] first v3
      known v1 < p1
      var v2 : f32x4 = 0.0
      lanes r0 first v3 unroll {
        v4 : i64 = load lane v1[r0]
        v5 : f32 = load b0[p1*i0 + v4]
        set v2[r0] = v5
      }
      store b2[p0*i0 + i1] first v3 : f32x4 = v2
    }
  }
--run-- ferrite inspect --from kern --stage legal --isa x86-64-v3 again.legal | cmp - again.legal
--out--
--run-- sed 's/b1 : i64 in/b1 : i64 inout/' again.legal | ferrite inspect - --from kern --stage legal --isa x86-64-v3
--err--
error: kern: law K3: v1 does not stay in memory as it was loaded
  at kernel k_again group 0: v4 : i64 = load lane v1[r0]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
