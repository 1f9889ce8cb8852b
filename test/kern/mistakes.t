# what the text of kernels must hold, and what is said when it does not
--run-- ferrite inspect ok.kern --from kern --stage kern | cmp - ok.kern
--file ok.kern--
kernel k_sum group 0 lanes 8 ints [200]
  buffer b0 : f32 in @x
  tile t0 : f32[p0]
  buffer b1 : f32 out @y
  rows (i0) {
    acc a0 : f32x8 sum copies 2
    vector r0 < p0 unroll 2 {
      v1 : f32x8 = load b0[p0*i0 + r0]
      v2 : boolx8 = lt v1, f32 0.5
      v3 : f32x8 = where v2, v1, 0.5
      store t0[r0] : f32x8 = v3
      a0 += v3
    }
    v4 : f32 = result a0
    store b1[i0] : f32 = v4
  }
--run-- sed 's/^kernel/kernels/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected 'kernel' (found 'kernels')
  at line 1, column 1
--status-- 1
--run-- sed 's/k_sum/k.sum/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected a name as C has them (found 'k.sum')
  at line 1, column 8
--status-- 1
--run-- sed 's/group 0/group -1/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected a number from 0 to 4294967295 (found '-1')
  at line 1, column 20
--status-- 1
--run-- sed 's/lanes 8/lanes 65/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected a number from 1 to 16 (found '65')
  at line 1, column 28
--status-- 1
--run-- sed 's/ints \[200\]/ints [200/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected ',' (found 'buffer')
  at line 2, column 3
--status-- 1
--run-- sed 's/buffer b0/buffer b1/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected 'b0' (found 'b1')
  at line 2, column 10
--status-- 1
--run-- sed 's/buffer b0 : f32/buffer b0 : float33/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected a dtype (found 'float33')
  at line 2, column 15
--status-- 1
--run-- sed 's/f32 in @x/f32 @x/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected in, out or inout (found '@x')
  at line 2, column 19
--status-- 1
--run-- sed 's/f32 in @x/f32 in x/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected a @buffer (found 'x')
  at line 2, column 22
--status-- 1
--run-- sed 's/tile t0 : f32\[p0\]/tile t0 : f32[p3]/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: p3 is neither an axis nor an int nor a value here (found 'p3')
  at line 3, column 17
--status-- 1
--run-- sed 's/f32\[p0\]/f32/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected '[' (found 'buffer')
  at line 4, column 3
--status-- 1
--run-- sed 's/rows (i0)/rows (x)/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected an axis (found 'x')
  at line 5, column 9
--status-- 1
--run-- sed 's/rows (i0)/rows i0/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected '(' (found 'i0')
  at line 5, column 8
--status-- 1
--run-- sed 's/acc a0/acc a1/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected 'a0' (found 'a1')
  at line 6, column 9
--status-- 1
--run-- sed 's/x8 sum/x8 total/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected a reduction (found 'total')
  at line 6, column 20
--status-- 1
--run-- sed 's/f32x8 sum/f32x4 sum/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: the kernel has 8 lanes (found 'f32x4')
  at line 6, column 14
--status-- 1
--run-- sed 's/f32x8 sum/g32x8 sum/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected a dtype (found 'g32x8')
  at line 6, column 14
--status-- 1
--run-- sed 's/copies 2/copies 5/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected a number from 1 to 4 (found '5')
  at line 6, column 31
--status-- 1
--run-- sed 's/copies 2/places i32/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected a line of a kernel (found 'places')
  at line 6, column 24
--status-- 1
--run-- sed 's/x8 sum/x8 argmin/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected 'places' (found 'copies')
  at line 6, column 27
--status-- 1
--run-- sed 's/vector r0/vector p0/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected an axis (found 'p0')
  at line 7, column 12
--status-- 1
--run-- sed 's/r0 < p0 unroll/r0 <= p0 unroll/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected '<' (found '<=')
  at line 7, column 15
--status-- 1
--run-- sed 's/unroll 2/unroll 0/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected a number from 1 to 4 (found '0')
  at line 7, column 27
--status-- 1
--run-- sed 's/unroll 2/blocks of 0/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected a number from 1 to 9223372036854775807 (found '0')
  at line 7, column 30
--status-- 1
--run-- sed 's/unroll 2/drain a1/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: there is no such accumulator (found 'a1')
  at line 7, column 26
--status-- 1
--run-- sed 's/load b0/load b2/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: there is no such buffer (found 'b2')
  at line 8, column 25
--status-- 1
--run-- sed 's/load b0/load t1/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: there is no such tile (found 't1')
  at line 8, column 25
--status-- 1
--run-- sed 's/load b0/load @x/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected a buffer (found '@x')
  at line 8, column 25
--status-- 1
--run-- sed 's/p0\*i0 + r0/p1*i0 + r0/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: p1 is neither an axis nor an int nor a value here (found 'p1')
  at line 8, column 28
--status-- 1
--run-- sed 's/p0\*i0 + r0/p0*i0 + v1/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: v1 is neither an axis nor an int nor a value here (found 'p0')
  at line 8, column 28
--status-- 1
--run-- sed 's/p0\*i0 + r0/s0 + r0/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: s0 is neither an axis nor an int nor a value here (found 's0')
  at line 8, column 28
--status-- 1
--run-- sed 's/p0\*i0 + r0/p0*i0 +/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected an integer expression (found ']')
  at line 8, column 35
--status-- 1
--run-- sed 's/load b0/fetch b0/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected an operation (found 'fetch')
  at line 8, column 20
--status-- 1
--run-- sed 's/load b0/const 0.0/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected an operation (found 'const')
  at line 8, column 20
--status-- 1
--run-- sed 's/lt v1, f32 0.5/lt v1/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected ',' (found 'v3')
  at line 10, column 7
--status-- 1
--run-- sed 's/lt v1/lt v9/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: the value is not defined (found 'v9')
  at line 9, column 24
--status-- 1
--run-- sed 's/f32 0.5/0.5/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected an integer (found '0.5')
  at line 9, column 28
--status-- 1
--run-- sed 's/f32 0.5/"half"/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected an integer (found 'half')
  at line 9, column 28
--status-- 1
--run-- sed 's/^      v3/      v1/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: the value is defined twice (found 'v1')
  at line 10, column 7
--status-- 1
--run-- sed 's/^      v3/      v0/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: values have numbers from 1 to 65535 (found 'v0')
  at line 10, column 7
--status-- 1
--run-- sed 's/^      v3/      v99999/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: values have numbers from 1 to 65535 (found 'v99999')
  at line 10, column 7
--status-- 1
--run-- sed 's/t0\[r0\] : f32x8/t0[r0] : f64x8/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: the memory is of f32 (found 'f64x8')
  at line 11, column 22
--status-- 1
--run-- sed 's/store t0/store lanes t0/; s/t0\[r0\] : f32x8/t0[r0] : f32/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: a scalar has no lanes (found 'f32')
  at line 11, column 28
--status-- 1
--run-- sed 's/load b0/load lanes b0/; s/v1 : f32x8/v1 : f32/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: a scalar has no lanes (found 'b0')
  at line 8, column 29
--status-- 1
--run-- sed 's/= v3/div= v3/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected '=' (found 'div')
  at line 11, column 28
--status-- 1
--run-- sed 's/a0 += v3/a1 += v3/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: there is no such accumulator (found 'a1')
  at line 12, column 7
--status-- 1
--run-- sed 's/a0 += v3/a0 = v3/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected '+' (found '=')
  at line 12, column 10
--status-- 1
--run-- sed 's/result a0/result a1/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: there is no such accumulator (found 'a1')
  at line 14, column 23
--status-- 1
--run-- sed 's/result a0/result v0/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected an accumulator (found 'v0')
  at line 14, column 23
--status-- 1
--run-- sed 's/^  }$/  ]/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected a line of a kernel (found ']')
  at line 16, column 3
--status-- 1
--run-- sed '$d' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected '}' (found the end)
  at line 16, column 1
--status-- 1
--run-- sed '$s/$/\n  nonnegative [q0]/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: q0 is neither an axis nor an int nor a value here (found 'q0')
  at line 17, column 16
--status-- 1
--run-- sed '$s/$/\n  }/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected 'kernel' (found '}')
  at line 17, column 3
--status-- 1
--run-- sed 's/store b1/put b1/' ok.kern | ferrite inspect - --from kern --stage kern
--err--
error: kern: expected a line of a kernel (found 'put')
  at line 15, column 5
--status-- 1
--run-- ferrite inspect ok.kern --from kern --stage sched
--err--
error: read: a program that begins as the text of stage kern has no stage before it
--status-- 1
--run-- ferrite inspect ok.kern --from kern --stage wrap
--err--
error: read: the text of stage kern has no program around it
--status-- 1
--run-- ferrite inspect ok.kern --from kern --stage plan
--err--
error: read: the text of stage kern has no program around it
--status-- 1
--run-- sed 's/x8 sum/x8 any/' ok.kern | ferrite inspect - --from kern --stage c
--err--
error: kern: cannot generate any of f32
--status-- 1
--run-- sed 's/buffer b1 : f32/buffer b1 : f16/; s/store b1.*/v5 : f16 = cast v4\n    store b1[i0] : f16 add= v5/' ok.kern | ferrite inspect - --from kern --stage c
--err--
error: kern: cannot generate add of f16
--status-- 1
--run-- sed 's/^      v2/      v5 : i32x8 = cast v1\n      v6 : i32x8 = erf v5\n&/' ok.kern | ferrite inspect - --from kern --stage c
--err--
error: kern: cannot generate erf of i32
--status-- 1
