# the verifier of kernel IR: what breaks each of the laws K1 to K6, and what it says
--run-- ferrite inspect laws.kern --from kern --stage kern | cmp - laws.kern
--file laws.kern--
kernel k_softmax group 0 lanes 8 ints [200, 256]
  buffer b0 : f32 in @x
  tile t0 : f32[p1]
  buffer b1 : f32 out @y
  rows (i0) {
    acc a0 : f32x8 max_of copies 2
    vector r0 < p0 unroll 2 {
      v1 : f32x8 = load b0[p0*i0 + r0]
      a0 += v1
    }
    v2 : f32 = result a0
    v4 : f32x8 = splat v2
    acc a1 : f32x8 sum compensated
    vector r0 < p0 exact blocks of 2048 drain a1 {
      v3 : f32x8 = load b0[p0*i0 + r0]
      v5 : f32x8 = sub v3, v4
      store whole t0[r0] : f32x8 = v5
      a1 += v5
    }
    v7 : f32 = result a1
    v8 : f32 = div 1.0, v7
    v9 : f32x8 = splat v8
    vector i1 < p0 {
      v10 : f32x8 = load t0[i1]
      v11 : f32x8 = mul v10, v9
      store b1[p0*i0 + i1] : f32x8 = v11
    }
  }
--file rows.kern--
kernel k_rows group 1 lanes 8 ints [100]
  buffer b0 : f32 in @x
  buffer b1 : i64 out @y
  rows vector (i0, i1 < p0) unroll 2 {
    acc a0 : f32x8 argmin places i32 copies 2
    loop r0 < p0 {
      v1 : f32x8 = load b0[p0*r0 + i1]
      a0 += v1 at r0
    }
    v2 : i64x8 = result a0
    store b1[p0*i0 + i1] : i64x8 = v2
  }
--file columns.kern--
kernel k_columns group 2 lanes 4 ints [100]
  buffer b0 : f32 in @x
  buffer b1 : i64 in @row
  buffer b2 : f32 out @y
  rows (i0) {
    vector i1 in columns {
      v1 : i64x4 = load b1[i1]
      check 0 v1 < p0
      v2 : f32x4 = load lanes b0[p0*i0 + v1]
      v3 : f32x4 = load pairs b0[2*i1]
      v4 : boolx4 = lt v2, v3
      v5 : f32x4 = where v4, v2, 0.5
      store b2[p0*i0 + i1] : f32x4 = v5
    }
  }
--run-- sed 's/mul v10, v9/mul v10, v5/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K1: v5 is not defined here
  at kernel k_softmax group 0: v11 : f32x8 = mul v10, v5
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/load b0\[p0\*i0 + r0\]/load b0[p0*i0 + i1]/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K1: no loop around runs over i1
  at kernel k_softmax group 0: v1 : f32x8 = load b0[p0*i0 + i1]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/load t0\[i1\]/load t0[r0]/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K1: no loop around runs over r0
  at kernel k_softmax group 0: v10 : f32x8 = load t0[r0]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/v7 : f32 = result a1/v7 : f64 = result a1/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K2: the result of a1 is of another type
  at kernel k_softmax group 0: v7 : f64 = result a1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/div 1.0, v7/div f64 1.0, v7/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K2: operands of div are f64 and f32
  at kernel k_softmax group 0: v8 : f32 = div f64 1.0, v7
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/v8 : f32 = div 1.0, v7/v8 : f32 = lt 1.0, v7/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K2: lt gives bool, not f32
  at kernel k_softmax group 0: v8 : f32 = lt 1.0, v7
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/buffer b0 : f32 in/buffer b0 : f32 out/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K2: a buffer is read that is only written
  at kernel k_softmax group 0: v1 : f32x8 = load b0[p0*i0 + r0]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/buffer b1 : f32 out/buffer b1 : f32 in/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K2: a buffer is written that is only read
  at kernel k_softmax group 0: store b1[p0*i0 + i1] : f32x8 = v11
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/buffer b0 : f32 in/buffer b0 : i32 in/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K2: f32 from or to memory of i32
  at kernel k_softmax group 0: v1 : f32x8 = load b0[p0*i0 + r0]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/lt v2, v3/lt v1, v3/' columns.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K2: operands of lt are i64 and f32
  at kernel k_columns group 2: v4 : boolx4 = lt v1, v3
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/where v4, v2/where v2, v3/' columns.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K2: the condition of where is not bool
  at kernel k_columns group 2: v5 : f32x4 = where v2, v3, 0.5
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/v4 : boolx4 = lt v2, v3/v4 : boolx4 = eq v1, i64 0\n      v6 : i32x4 = cast i32 3000000000/' columns.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K2: 3000000000 is no i32
  at kernel k_columns group 2: v6 : i32x4 = cast 3000000000
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/b0\[p0\*i0 + v1\]/b0[p0*i0 + v1]\n      v6 : f32x4 = load lanes b0[v2]/' columns.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K2: v2 is an index, and no integer
  at kernel k_columns group 2: v6 : f32x4 = load lanes b0[v2]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/places i32/places f32/' rows.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K2: places are i32 or i64
  at kernel k_rows group 1: acc a0 : f32x8 argmin places f32 copies 2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/sub v3, v4/sub v3, v2/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: an operand is no vector
  at kernel k_softmax group 0: v5 : f32x8 = sub v3, v2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/v8 : f32 = div 1.0, v7/v8 : f32 = div 1.0, v4/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: an operand is a vector
  at kernel k_softmax group 0: v8 : f32 = div 1.0, v4
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/v4 : f32x8 = splat v2/v4 : f32 = splat v2/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: a splat is a vector
  at kernel k_softmax group 0: v4 : f32 = splat v2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/= load b0\[p0\*i0 + r0\]/= load b0[p0*i0 + 2*r0]/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: lanes are not neighbours
  at kernel k_softmax group 0: v1 : f32x8 = load b0[p0*i0 + 2*r0]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/v1 : f32x8 = load b0/v1 : f32 = load b0/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: one element moves with the lanes
  at kernel k_softmax group 0: v1 : f32 = load b0[p0*i0 + r0]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/store b1\[p0\*i0 + i1\] : f32x8/store b1[p0*i0 + i1] : f32/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: an operand is a vector
  at kernel k_softmax group 0: store b1[p0*i0 + i1] : f32 = v11
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/v2 : f32 = result a0/v2 : f32 = result a0\n    v20 : f32x8 = load b0[i0]/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: the lanes run along no loop here
  at kernel k_softmax group 0: v20 : f32x8 = load b0[i0]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/store b1/store whole b1/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: a store of whole vectors is not to neighbours in a tile
  at kernel k_softmax group 0: store whole b1[p0*i0 + i1] : f32x8 = v11
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/pairs b0\[2\*i1\]/pairs b0[3*i1]/' columns.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: lanes are not every second element
  at kernel k_columns group 2: v3 : f32x4 = load pairs b0[3*i1]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/v3 : f32x4 = load pairs/v3 : f32x4 = load/' columns.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: lanes are not neighbours
  at kernel k_columns group 2: v3 : f32x4 = load b0[2*i1]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/lanes 4/lanes 5/; s/x4/x5/g' columns.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: 5 is no number of lanes
  at kernel k_columns group 2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/v2 : i64x8 = result/v2 : i64 = result/' rows.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K2: the result of a0 is of another type
  at kernel k_rows group 1: v2 : i64 = result a0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--out--
--run-- sed 's/at r0/at i1 + r0/' rows.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: one element moves with the lanes
  at kernel k_rows group 1: a0 += v1 at i1 + r0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/v5 : f32x4 = where.*/&\n      v6 : c64x4 = complex v3, v3/' columns.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: complex numbers have no vectors
  at kernel k_columns group 2: v6 : c64x4 = complex v3, v3
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^    acc a1.*/    v30 : f32 = result a0\n&/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K4: a0 is not there to be read
  at kernel k_softmax group 0: v30 : f32 = result a0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^    v7 : f32.*/    a1 += v4\n&/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: the lanes run along no loop here
  at kernel k_softmax group 0: a1 += v4
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed '/v2 : f32 = result a0/{ s/.*/    a0 += v2/; }' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: the value is not defined (found 'v2')
  at line 11, column 11
--status-- 1
--run-- sed 's/max_of copies 2/max_of/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K4: 2 copies update an accumulator of 1
  at kernel k_softmax group 0: a0 += v1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/a1 += v5/a0 += v5/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K4: a0 is not started, or read already
  at kernel k_softmax group 0: a0 += v5
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/f32x8 sum compensated/f32x8 sum/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K4: a1 is drained, and not compensated
  at kernel k_softmax group 0: vector r0 < p0 exact blocks of 2048 drain a1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/f32x8 max_of copies 2/f32x8 max_of copies 2 compensated/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K4: only sums of floats are compensated
  at kernel k_softmax group 0: acc a0 : f32x8 max_of copies 2 compensated
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^      a0 += v1/&\n      v40 : f32 = result a0/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K4: a0 is read in another loop than it was started in
  at kernel k_softmax group 0: v40 : f32 = result a0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/drain a1/drain a0/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K4: a0 is drained where it is not
  at kernel k_softmax group 0: vector r0 < p0 exact blocks of 2048 drain a0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/vector i1 < p0/vector i1 < p0 + i0/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K5: a size is not made of ints alone
  at kernel k_softmax group 0: vector i1 < p0 + i0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/tile t0 : f32\[p1\]/tile t0 : f32[p1 + i0]/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K1: no loop around runs over i0
  at kernel k_softmax group 0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/ints \[200,/ints [201,/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: an exact loop's extent is not a multiple of its step
  at kernel k_softmax group 0: vector r0 < p0 exact blocks of 2048 drain a1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/blocks of 2048/blocks of 2049/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: blocks are not whole steps of the loop
  at kernel k_softmax group 0: vector r0 < p0 exact blocks of 2049 drain a1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/vector i1 < p0/vector i0 < p0/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: two loops run over i0
  at kernel k_softmax group 0: vector i0 < p0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^    vector i1 < p0 {/&\n      vector i2 < p0 {\n      }/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: a vector loop is inside another
  at kernel k_softmax group 0: vector i2 < p0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed '/^  rows/,$d' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: there is no loop over the rows
  at kernel k_softmax group 0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^  rows.*/  loop i9 < p0 {\n  }\n&/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: a loop is outside the rows
  at kernel k_softmax group 0: loop i9 < p0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/rows (i0)/rows (i0) unroll 2/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: rows one by one are not unrolled
  at kernel k_softmax group 0: rows (i0) unroll 2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/lanes 8/lanes 1/; s/f32x8/f32/' laws.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: there are no lanes for a vector loop
  at kernel k_softmax group 0: vector r0 < p0 unroll 2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/rows vector (i0, i1 < p0)/rows vector (i0, i1)/' rows.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K5: an expression is missing
  at kernel k_rows group 1: rows vector (i0, i1) unroll 2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/rows vector (i0, i1 < p0)/rows vector ()/; s/i1/r0/; s/i1/0/; s/i0/0/' rows.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: there are no rows for the lanes
  at kernel k_rows group 1: rows vector () unroll 2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^  rows/  tile t0 : f32[p0]\n&/' rows.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: unrolled rows share a tile
  at kernel k_rows group 1: rows vector (i0, i1 < p0) unroll 2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/rows (i0)/rows (i0) serial of p0/' columns.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: columns are not right inside the rows, which may be shared out
  at kernel k_columns group 2: vector i1 in columns
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/in columns/in columns exact/' columns.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: an exact loop's extent is not a multiple of its step
  at kernel k_columns group 2: vector i1 in columns exact
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^    vector/    loop r0 < p0 {\n&/; s/^    }/&\n    }/' columns.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K6: columns are not right inside the rows, which may be shared out
  at kernel k_columns group 2: vector i1 in columns
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/lanes 4/lanes 16/; s/x4/x16/g' columns.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: a vector of 128 bytes
  at kernel k_columns group 2: v1 : i64x16 = load b1[i1]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/places i32/places i64/; s/lanes 8/lanes 16/; s/x8/x16/g' rows.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K3: a vector of 128 bytes
  at kernel k_rows group 1: acc a0 : f32x16 argmin places i64 copies 2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed '/check 0/d' columns.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K7: nothing says that v1 is in range
  at kernel k_columns group 2: v2 : f32x4 = load lanes b0[p0*i0 + v1]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/check 0 v1 < p0/check 0 v1 < p0 if bool 1/' columns.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K7: nothing says that v1 is in range
  at kernel k_columns group 2: v2 : f32x4 = load lanes b0[p0*i0 + v1]
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/check 0 v1 < p0/known v1 < v1/' columns.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: law K5: a size is not made of ints alone
  at kernel k_columns group 2: known v1 < v1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
