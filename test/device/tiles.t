# products are a work-group's in tiles where they are large enough; text says so, has the lines that it had, and is read as that kernel; a law
--run-- ferrite inspect k.fx --device opencl --isa baseline --stage kern
--file k.fx--
graph main {
  placeholder %x user "x" : f16[100,48]
  placeholder %w user "w" : f16[60,48]
  placeholder %b user "b" : f16[60]
  %y = aten.linear.default(%x, %w, %b) : f16[100,60]
  %r = aten.relu.default(%y) : f16[100,60]
  output (user %r)
}
--out--
kernel k_sum_mul_add_max group 3 lanes 1 ints [60, 48, 100]
  buffer b0 : f16 in @buf3
  buffer b1 : f16 in @buf4
  buffer b2 : f16 in @buf5
  buffer b3 : f16 out @buf7
  rows (i0 < p2, i1 < p0) by tiles 64 x 64 x 16 each 8 x 8 {
    acc a0 : f32 sum
    loop r0 < p1 {
      v1 : f16 = load b0[p1*i0 + r0]
      v2 : f32 = cast v1
      v3 : f16 = load b1[p1*i1 + r0]
      v4 : f32 = cast v3
      v5 : f32 = mul v2, v4
      a0 += v5
    }
    v6 : f32 = result a0
    v7 : f16 = load b2[i1]
    v8 : f32 = cast v7
    v9 : f32 = add v6, v8
    v10 : f16 = cast v9
    v11 : f32 = cast v10
    v13 : f32 = max v11, 0.0
    v14 : f16 = cast v13
    store b3[p0*i0 + i1] : f16 = v14
  }
--run-- ferrite inspect k.fx --device mps --isa baseline --stage legal | sed -n '/by tiles/,/^  }/p'
--file k.fx--
graph main {
  placeholder %x user "x" : f32[2,24,20,20]
  placeholder %w user "w" : f32[32,24,3,3]
  %y = aten.convolution.default(%x, %w, None, [2,2], [1,1], [1,1], False, [0,0], 1) : f32[2,32,10,10]
  output (user %y)
}
--out--
  rows (i0 < 2, i1 < p0, i2 < 10, i3 < 10) by tiles 64 x 64 x 16 each 4 x 4 {
    var v17 : f32 = 0.0
    loop r0 < p1 {
      loop r1 < 3 {
        v2 : i64 = index 2*i2 + r1 - 1
        v3 : bool = le i64 0, v2
        v7 : bool = cast v3
        loop r2 < 3 {
          v4 : i64 = index 2*i3 + r2 - 1
          v6 : bool = le i64 0, v4
          v8 : bool = and v7, v6
          v9 : f32 = load b0[p2*i0 + p3*i2 + p4*r0 + p5*r1 + p6 + 2*i3 + r2] if v8
          v12 : f32 = where v8, v9, 0.0
          v13 : f32 = load b1[p7*i1 + 9*r0 + 3*r1 + r2]
          v14 : f32 = cast v13
          v18 : f32 = fused v12, v14, v17
          set v17 = v18
        }
      }
    }
    v16 : f32 = read v17
    store b2[p8*i0 + p9*i1 + 10*i2 + i3] : f32 = v16
  }
--run-- ferrite inspect k.fx --device opencl --isa baseline --stage kern | ferrite inspect - --from kern --device opencl --isa baseline --stage kern | grep 'rows\|acc'
--file k.fx--
graph main {
  placeholder %x user "x" : f32[100,48]
  placeholder %w user "w" : f32[48,60]
  %y = aten.mm.default(%x, %w) : f32[100,60]
  output (user %y)
}
--out--
  rows (i0 < p0, i1 < p1) by tiles 64 x 64 x 16 each 8 x 8 {
    acc a0 : f32 sum
--run-- ferrite inspect k.fx --device cuda --isa baseline --stage kern | grep 'rows'
--file k.fx--
graph main {
  placeholder %x user "x" : f32[8,48]
  placeholder %y user "y" : f32[64,5]
  placeholder %w user "w" : f32[48,60]
  placeholder %v user "v" : f32[5,64]
  %a = aten.mm.default(%x, %w) : f32[8,60]
  %b = aten.mm.default(%y, %v) : f32[64,64]
  output (user %a, user %b)
}
--out--
  rows (i0 < 8, i1 < p0) {
  rows (i0 < p0, i1 < p0) {
--run-- ferrite inspect k.txt --from kern --isa scalar --stage kern 2>&1 | grep law
--file k.txt--
kernel k_sum group 0 lanes 1 ints [64, 48]
  buffer b0 : f32 in @x
  buffer b1 : f32 out @y
  rows (i0 < p0, i1 < p0) by tiles 64 x 64 x 16 each 8 x 8 {
    acc a0 : f32 sum
    loop r0 < p1 {
      v1 : f32 = load b0[p1*i0 + r0]
      a0 += v1
    }
    v2 : f32 = result a0
    store b1[p0*i0 + i1] : f32 = v2
  }
--out--
error: kern: law K10: rows are not those of a product
--status-- 1
--run-- ferrite inspect k.fx --device cuda --isa baseline --stage wrap | grep tiles | sed 's/k_[a-z_]*_[0-9a-f]*/k/'
--file k.fx--
symbols {
  s0 in [2, 1000]
}
graph main {
  placeholder %x user "x" : f32[s0,48]
  placeholder %w user "w" : f32[48,130]
  %y = aten.mm.default(%x, %w) : f32[s0,130]
  output (user %y)
}
--out--
kernel k (@buf2, @buf3, @buf4) ints [s0, 130, 48] m 130*s0 tiles -3*((-s0) // 64) cost 50920
--run-- ferrite inspect k.fx --device cuda --isa baseline --stage legal >legal && ferrite inspect legal --from kern --device cuda --stage legal | diff legal - && grep -h 'tiles\|fused' legal
--file k.fx--
graph main {
  placeholder %x user "x" : i64[3,70,40]
  placeholder %w user "w" : i64[3,40,70]
  placeholder %y user "y" : f64[70,40]
  placeholder %v user "v" : f64[40,70]
  %a = aten.bmm.default(%x, %w) : i64[3,70,70]
  %b = aten.mm.default(%y, %v) : f64[70,70]
  output (user %a, user %b)
}
--out--
  rows (i0 < 3, i1 < p0, i2 < p0) by tiles 64 x 64 x 16 each 4 x 4 {
  rows (i0 < p0, i1 < p0) by tiles 64 x 64 x 16 each 4 x 4 {
      v7 : f64 = fused v3, v2, v6
