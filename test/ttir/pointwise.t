# a pointwise kernel is one nest over the elements: its mask is the nest's extent, and what it does fuses with the rest
--run-- awk -f $ROOT/test/ttir/embed.awk add.ttir add.fx >g.fx; ferrite inspect g.fx --stage loop
--file add.ttir--
#loc = loc("kernels.py":6:0)
#loc15 = loc("x_ptr"(#loc))
#loc16 = loc("y_ptr"(#loc))
#loc17 = loc("out_ptr"(#loc))
#loc18 = loc("n"(#loc))
module {
  tt.func public @add(%x_ptr: !tt.ptr<f32> loc("x_ptr"(#loc)), %y_ptr: !tt.ptr<f32> loc("y_ptr"(#loc)), %out_ptr: !tt.ptr<f32> loc("out_ptr"(#loc)), %n: i32 loc("n"(#loc))) attributes {noinline = false} {
    %y = arith.constant dense<2.500000e+00> : tensor<8xf32> loc(#loc19)
    %c8_i32 = arith.constant 8 : i32 loc(#loc2)
    %offsets = tt.get_program_id x : i32 loc(#loc20)
    %offsets_0 = arith.muli %offsets, %c8_i32 : i32 loc(#loc21)
    %offsets_1 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32> loc(#loc22)
    %offsets_2 = tt.splat %offsets_0 : i32 -> tensor<8xi32> loc(#loc23)
    %offsets_3 = arith.addi %offsets_2, %offsets_1 : tensor<8xi32> loc(#loc23)
    %mask = tt.splat %n : i32 -> tensor<8xi32> loc(#loc24)
    %mask_4 = arith.cmpi slt, %offsets_3, %mask : tensor<8xi32> loc(#loc24)
    %x = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>> loc(#loc25)
    %x_5 = tt.addptr %x, %offsets_3 : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc(#loc25)
    %x_6 = tt.load %x_5, %mask_4 : tensor<8x!tt.ptr<f32>> loc(#loc26)
    %y_7 = tt.splat %y_ptr : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>> loc(#loc27)
    %y_8 = tt.addptr %y_7, %offsets_3 : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc(#loc27)
    %y_9 = tt.load %y_8, %mask_4, %y : tensor<8x!tt.ptr<f32>> loc(#loc19)
    %0 = tt.splat %out_ptr : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>> loc(#loc11)
    %1 = tt.addptr %0, %offsets_3 : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc(#loc11)
    %2 = arith.addf %x_6, %y_9 : tensor<8xf32> loc(#loc12)
    tt.store %1, %2, %mask_4 : tensor<8x!tt.ptr<f32>> loc(#loc13)
    tt.return loc(#loc14)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("kernels.py":10:16)
#loc2 = loc(unknown)
#loc3 = loc("kernels.py":7:28)
#loc4 = loc("kernels.py":7:33)
#loc5 = loc("kernels.py":7:54)
#loc6 = loc("kernels.py":7:41)
#loc7 = loc("kernels.py":8:21)
#loc8 = loc("kernels.py":9:24)
#loc9 = loc("kernels.py":9:16)
#loc10 = loc("kernels.py":10:24)
#loc11 = loc("kernels.py":11:23)
#loc12 = loc("kernels.py":11:36)
#loc13 = loc("kernels.py":11:32)
#loc14 = loc("kernels.py":11:4)
#loc19 = loc("y"(#loc1))
#loc20 = loc("offsets"(#loc3))
#loc21 = loc("offsets"(#loc4))
#loc22 = loc("offsets"(#loc5))
#loc23 = loc("offsets"(#loc6))
#loc24 = loc("mask"(#loc7))
#loc25 = loc("x"(#loc8))
#loc26 = loc("x"(#loc9))
#loc27 = loc("y"(#loc10))
--file add.fx--
graph add {
  %x = aten.arange.default(20, dtype=torch.float32, device=cpu)
  %y = aten.mul.Tensor(%x, 10)
  %out = aten.empty_like.default(%x)
  %k = ferrite.triton_kernel.default([%x, %y, %out], KERNEL, [3, 1, 1], [20], [], [2])
  %o = _operator.getitem(%k, 0)
  %r = aten.add.Tensor(%o, 1)
  output (user %r)
}
--out--
program g
temp   @buf0 : f32[20] strides [1] origin 0
temp   @buf1 : f32[20] strides [1] origin 1
temp   @buf2 : f32[20] strides [1] origin 2
temp   @buf3 : f32[20] strides [1] origin 3
temp   @buf4 : f32[20] strides [1] origin 5
nest [i0 < 20] origin 0 {
  %0 = index i0 : i64
  %1 = cast %0 : f64
  %2 = cast %1 : f32
  @buf0[i0] = %2
}
nest [i0 < 20] origin 1 {
  %0 = index i0 : i64
  %1 = cast %0 : f64
  %2 = cast %1 : f32
  %3 = const 10.0 : f32
  %4 = mul %2, %3 : f32
  @buf1[i0] = %4
}
nest [i0 < 20] origin 2 {
  %0 = const 0.0 : f32
  @buf2[i0] = %0
}
nest [i0 < 20] origin 3 {
  %0 = load f32 @buf0[i0]
  %1 = load f32 @buf1[i0]
  %2 = add %0, %1 : f32
  @buf3[i0] = %2
}
nest [i0 < 20] origin 5 {
  %0 = load f32 @buf3[i0]
  %1 = const 1.0 : f32
  %2 = add %0, %1 : f32
  @buf4[i0] = %2
}
output @buf4[20]{1}
--run-- awk -f $ROOT/test/ttir/embed.awk add.ttir add.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 80 out/0.npy | od -An -v -w40 -tf4; done
--out--
               1              12              23              34              45              56              67              78              89             100
             111             122             133             144             155             166             177             188             199             210
               1              12              23              34              45              56              67              78              89             100
             111             122             133             144             155             166             177             188             199             210
               1              12              23              34              45              56              67              78              89             100
             111             122             133             144             155             166             177             188             199             210
               1              12              23              34              45              56              67              78              89             100
             111             122             133             144             155             166             177             188             199             210
               1              12              23              34              45              56              67              78              89             100
             111             122             133             144             155             166             177             188             199             210
--run-- awk -f $ROOT/test/ttir/embed.awk lib.ttir lib.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 736 out/0.npy | od -An -v -w32 -tf4; done
--file lib.ttir--
module {
  tt.func public @lib(%x: !tt.ptr<f32>, %n: !tt.ptr<i32>, %out: !tt.ptr<f32>) {
    %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %p = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %q = tt.addptr %p, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %v = tt.load %q : tensor<8x!tt.ptr<f32>>
    %pn = tt.splat %n : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
    %qn = tt.addptr %pn, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
    %i = tt.load %qn : tensor<8x!tt.ptr<i32>>
    %po = tt.splat %out : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %one = arith.constant dense<1.250000e+00> : tensor<8xf32>
    %w = arith.subf %one, %v : tensor<8xf32>
    %f0 = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_roundf"} : (tensor<8xf32>) -> tensor<8xf32>
    %c0 = arith.constant dense<0> : tensor<8xi32>
    %o0 = arith.addi %r, %c0 : tensor<8xi32>
    %a0 = tt.addptr %po, %o0 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a0, %f0 : tensor<8x!tt.ptr<f32>>
    %f1 = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_rintf"} : (tensor<8xf32>) -> tensor<8xf32>
    %c1 = arith.constant dense<8> : tensor<8xi32>
    %o1 = arith.addi %r, %c1 : tensor<8xi32>
    %a1 = tt.addptr %po, %o1 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a1, %f1 : tensor<8x!tt.ptr<f32>>
    %f2 = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_llroundf"} : (tensor<8xf32>) -> tensor<8xi64>
    %g2 = arith.sitofp %f2 : tensor<8xi64> to tensor<8xf32>
    %c2 = arith.constant dense<16> : tensor<8xi32>
    %o2 = arith.addi %r, %c2 : tensor<8xi32>
    %a2 = tt.addptr %po, %o2 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a2, %g2 : tensor<8x!tt.ptr<f32>>
    %f3 = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_llrintf"} : (tensor<8xf32>) -> tensor<8xi64>
    %g3 = arith.sitofp %f3 : tensor<8xi64> to tensor<8xf32>
    %c3 = arith.constant dense<24> : tensor<8xi32>
    %o3 = arith.addi %r, %c3 : tensor<8xi32>
    %a3 = tt.addptr %po, %o3 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a3, %g3 : tensor<8x!tt.ptr<f32>>
    %f4 = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_float2int_rn"} : (tensor<8xf32>) -> tensor<8xi32>
    %g4 = arith.sitofp %f4 : tensor<8xi32> to tensor<8xf32>
    %c4 = arith.constant dense<32> : tensor<8xi32>
    %o4 = arith.addi %r, %c4 : tensor<8xi32>
    %a4 = tt.addptr %po, %o4 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a4, %g4 : tensor<8x!tt.ptr<f32>>
    %f5 = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_float2int_rz"} : (tensor<8xf32>) -> tensor<8xi32>
    %g5 = arith.sitofp %f5 : tensor<8xi32> to tensor<8xf32>
    %c5 = arith.constant dense<40> : tensor<8xi32>
    %o5 = arith.addi %r, %c5 : tensor<8xi32>
    %a5 = tt.addptr %po, %o5 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a5, %g5 : tensor<8x!tt.ptr<f32>>
    %f6 = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_finitef"} : (tensor<8xf32>) -> tensor<8xi32>
    %g6 = arith.sitofp %f6 : tensor<8xi32> to tensor<8xf32>
    %c6 = arith.constant dense<48> : tensor<8xi32>
    %o6 = arith.addi %r, %c6 : tensor<8xi32>
    %a6 = tt.addptr %po, %o6 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a6, %g6 : tensor<8x!tt.ptr<f32>>
    %f7 = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_isnanf"} : (tensor<8xf32>) -> tensor<8xi32>
    %g7 = arith.sitofp %f7 : tensor<8xi32> to tensor<8xf32>
    %c7 = arith.constant dense<56> : tensor<8xi32>
    %o7 = arith.addi %r, %c7 : tensor<8xi32>
    %a7 = tt.addptr %po, %o7 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a7, %g7 : tensor<8x!tt.ptr<f32>>
    %f8 = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_isinff"} : (tensor<8xf32>) -> tensor<8xi32>
    %g8 = arith.sitofp %f8 : tensor<8xi32> to tensor<8xf32>
    %c8 = arith.constant dense<64> : tensor<8xi32>
    %o8 = arith.addi %r, %c8 : tensor<8xi32>
    %a8 = tt.addptr %po, %o8 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a8, %g8 : tensor<8x!tt.ptr<f32>>
    %f9 = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_signbitf"} : (tensor<8xf32>) -> tensor<8xi32>
    %g9 = arith.sitofp %f9 : tensor<8xi32> to tensor<8xf32>
    %c9 = arith.constant dense<72> : tensor<8xi32>
    %o9 = arith.addi %r, %c9 : tensor<8xi32>
    %a9 = tt.addptr %po, %o9 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a9, %g9 : tensor<8x!tt.ptr<f32>>
    %f10 = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_saturatef"} : (tensor<8xf32>) -> tensor<8xf32>
    %c10 = arith.constant dense<80> : tensor<8xi32>
    %o10 = arith.addi %r, %c10 : tensor<8xi32>
    %a10 = tt.addptr %po, %o10 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a10, %f10 : tensor<8x!tt.ptr<f32>>
    %f11 = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_frcp_rn"} : (tensor<8xf32>) -> tensor<8xf32>
    %c11 = arith.constant dense<88> : tensor<8xi32>
    %o11 = arith.addi %r, %c11 : tensor<8xi32>
    %a11 = tt.addptr %po, %o11 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a11, %f11 : tensor<8x!tt.ptr<f32>>
    %f12 = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_fast_expf"} : (tensor<8xf32>) -> tensor<8xf32>
    %c12 = arith.constant dense<96> : tensor<8xi32>
    %o12 = arith.addi %r, %c12 : tensor<8xi32>
    %a12 = tt.addptr %po, %o12 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a12, %f12 : tensor<8x!tt.ptr<f32>>
    %f13 = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_exp10f"} : (tensor<8xf32>) -> tensor<8xf32>
    %c13 = arith.constant dense<104> : tensor<8xi32>
    %o13 = arith.addi %r, %c13 : tensor<8xi32>
    %a13 = tt.addptr %po, %o13 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a13, %f13 : tensor<8x!tt.ptr<f32>>
    %f14 = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_normcdff"} : (tensor<8xf32>) -> tensor<8xf32>
    %c14 = arith.constant dense<112> : tensor<8xi32>
    %o14 = arith.addi %r, %c14 : tensor<8xi32>
    %a14 = tt.addptr %po, %o14 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a14, %f14 : tensor<8x!tt.ptr<f32>>
    %f15 = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_float_as_int"} : (tensor<8xf32>) -> tensor<8xi32>
    %g15 = arith.sitofp %f15 : tensor<8xi32> to tensor<8xf32>
    %c15 = arith.constant dense<120> : tensor<8xi32>
    %o15 = arith.addi %r, %c15 : tensor<8xi32>
    %a15 = tt.addptr %po, %o15 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a15, %g15 : tensor<8x!tt.ptr<f32>>
    %f16 = tt.extern_elementwise %v, %w {libname = "", libpath = "", pure = true, symbol = "__nv_fdimf"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %c16 = arith.constant dense<128> : tensor<8xi32>
    %o16 = arith.addi %r, %c16 : tensor<8xi32>
    %a16 = tt.addptr %po, %o16 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a16, %f16 : tensor<8x!tt.ptr<f32>>
    %f17 = tt.extern_elementwise %v, %w {libname = "", libpath = "", pure = true, symbol = "__nv_fast_fdividef"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %c17 = arith.constant dense<136> : tensor<8xi32>
    %o17 = arith.addi %r, %c17 : tensor<8xi32>
    %a17 = tt.addptr %po, %o17 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a17, %f17 : tensor<8x!tt.ptr<f32>>
    %f18 = tt.extern_elementwise %v, %w {libname = "", libpath = "", pure = true, symbol = "__nv_nextafterf"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %c18 = arith.constant dense<144> : tensor<8xi32>
    %o18 = arith.addi %r, %c18 : tensor<8xi32>
    %a18 = tt.addptr %po, %o18 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a18, %f18 : tensor<8x!tt.ptr<f32>>
    %f19 = tt.extern_elementwise %i {libname = "", libpath = "", pure = true, symbol = "__nv_popc"} : (tensor<8xi32>) -> tensor<8xi32>
    %g19 = arith.sitofp %f19 : tensor<8xi32> to tensor<8xf32>
    %c19 = arith.constant dense<152> : tensor<8xi32>
    %o19 = arith.addi %r, %c19 : tensor<8xi32>
    %a19 = tt.addptr %po, %o19 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a19, %g19 : tensor<8x!tt.ptr<f32>>
    %f20 = tt.extern_elementwise %i {libname = "", libpath = "", pure = true, symbol = "__nv_clz"} : (tensor<8xi32>) -> tensor<8xi32>
    %g20 = arith.sitofp %f20 : tensor<8xi32> to tensor<8xf32>
    %c20 = arith.constant dense<160> : tensor<8xi32>
    %o20 = arith.addi %r, %c20 : tensor<8xi32>
    %a20 = tt.addptr %po, %o20 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a20, %g20 : tensor<8x!tt.ptr<f32>>
    %f21 = tt.extern_elementwise %i {libname = "", libpath = "", pure = true, symbol = "__nv_ffs"} : (tensor<8xi32>) -> tensor<8xi32>
    %g21 = arith.sitofp %f21 : tensor<8xi32> to tensor<8xf32>
    %c21 = arith.constant dense<168> : tensor<8xi32>
    %o21 = arith.addi %r, %c21 : tensor<8xi32>
    %a21 = tt.addptr %po, %o21 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a21, %g21 : tensor<8x!tt.ptr<f32>>
    %f22 = tt.extern_elementwise %i {libname = "", libpath = "", pure = true, symbol = "__nv_abs"} : (tensor<8xi32>) -> tensor<8xi32>
    %g22 = arith.sitofp %f22 : tensor<8xi32> to tensor<8xf32>
    %c22 = arith.constant dense<176> : tensor<8xi32>
    %o22 = arith.addi %r, %c22 : tensor<8xi32>
    %a22 = tt.addptr %po, %o22 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %a22, %g22 : tensor<8x!tt.ptr<f32>>
    tt.return
  }
}
--file lib.fx--
graph lib {
  %r = aten.arange.default(8, dtype=torch.float32, device=cpu)
  %s = aten.mul.Tensor(%r, 0.5)
  %x = aten.sub.Tensor(%s, 2.5)
  %d = aten.arange.default(8, dtype=torch.int32, device=cpu)
  %e = aten.mul.Tensor(%d, 119304647)
  %n = aten.sub.Scalar(%e, 300000000)
  %out = aten.empty.memory_format([184], dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%x, %n, %out], KERNEL, [1, 1, 1], [], [], [2])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
              -3              -2              -2              -1              -1               0               1               1
              -2              -2              -2              -1              -0               0               0               1
              -3              -2              -2              -1              -1               0               1               1
              -2              -2              -2              -1               0               0               0               1
              -2              -2              -2              -1               0               0               0               1
              -2              -2              -1              -1               0               0               0               1
               1               1               1               1               1               1               1               1
               0               0               0               0               0               0               0               0
               0               0               0               0               0               0               0               0
               1               1               1               1               1               0               0               0
               0               0               0               0               0               0             0.5               1
            -0.4            -0.5      -0.6666667              -1              -2             inf               2               1
        0.082085      0.13533528      0.22313017      0.36787945      0.60653067               1       1.6487212       2.7182817
    0.0031622776            0.01     0.031622775             0.1      0.31622776               1       3.1622777              10
    0.0062096654     0.022750134      0.06680721      0.15865526      0.30853754             0.5      0.69146246       0.8413447
  -1.0716447e+09  -1.0737418e+09  -1.0779361e+09  -1.0821304e+09   -1.090519e+09               0   1.0569646e+09   1.0653532e+09
               0               0               0               0               0               0               0            0.75
      -0.6666667     -0.61538464     -0.54545456     -0.44444445      -0.2857143               0       0.6666667               4
      -2.4999998      -1.9999999      -1.4999999     -0.99999994     -0.49999997           1e-45      0.50000006      0.99999994
              15              20              16              15               9              15              13              19
               0               0               0               6               4               3               3               3
               9               1               2               1               3               1               2               1
           3e+08   1.8069536e+08        61390704    5.791394e+07    1.772186e+08   2.9652323e+08   4.1582787e+08   5.3513254e+08
              -3              -2              -2              -1              -1               0               1               1
              -2              -2              -2              -1              -0               0               0               1
              -3              -2              -2              -1              -1               0               1               1
              -2              -2              -2              -1               0               0               0               1
              -2              -2              -2              -1               0               0               0               1
              -2              -2              -1              -1               0               0               0               1
               1               1               1               1               1               1               1               1
               0               0               0               0               0               0               0               0
               0               0               0               0               0               0               0               0
               1               1               1               1               1               0               0               0
               0               0               0               0               0               0             0.5               1
            -0.4            -0.5      -0.6666667              -1              -2             inf               2               1
        0.082085      0.13533528      0.22313017      0.36787945      0.60653067               1       1.6487212       2.7182817
    0.0031622776            0.01     0.031622775             0.1      0.31622776               1       3.1622777              10
    0.0062096654     0.022750134      0.06680721      0.15865526      0.30853754             0.5      0.69146246       0.8413447
  -1.0716447e+09  -1.0737418e+09  -1.0779361e+09  -1.0821304e+09   -1.090519e+09               0   1.0569646e+09   1.0653532e+09
               0               0               0               0               0               0               0            0.75
      -0.6666667     -0.61538464     -0.54545456     -0.44444445      -0.2857143               0       0.6666667               4
      -2.4999998      -1.9999999      -1.4999999     -0.99999994     -0.49999997           1e-45      0.50000006      0.99999994
              15              20              16              15               9              15              13              19
               0               0               0               6               4               3               3               3
               9               1               2               1               3               1               2               1
           3e+08   1.8069536e+08        61390704    5.791394e+07    1.772186e+08   2.9652323e+08   4.1582787e+08   5.3513254e+08
              -3              -2              -2              -1              -1               0               1               1
              -2              -2              -2              -1              -0               0               0               1
              -3              -2              -2              -1              -1               0               1               1
              -2              -2              -2              -1               0               0               0               1
              -2              -2              -2              -1               0               0               0               1
              -2              -2              -1              -1               0               0               0               1
               1               1               1               1               1               1               1               1
               0               0               0               0               0               0               0               0
               0               0               0               0               0               0               0               0
               1               1               1               1               1               0               0               0
               0               0               0               0               0               0             0.5               1
            -0.4            -0.5      -0.6666667              -1              -2             inf               2               1
        0.082085      0.13533528      0.22313017      0.36787945      0.60653067               1       1.6487212       2.7182817
    0.0031622776            0.01     0.031622775             0.1      0.31622776               1       3.1622777              10
    0.0062096654     0.022750134      0.06680721      0.15865526      0.30853754             0.5      0.69146246       0.8413447
  -1.0716447e+09  -1.0737418e+09  -1.0779361e+09  -1.0821304e+09   -1.090519e+09               0   1.0569646e+09   1.0653532e+09
               0               0               0               0               0               0               0            0.75
      -0.6666667     -0.61538464     -0.54545456     -0.44444445      -0.2857143               0       0.6666667               4
      -2.4999998      -1.9999999      -1.4999999     -0.99999994     -0.49999997           1e-45      0.50000006      0.99999994
              15              20              16              15               9              15              13              19
               0               0               0               6               4               3               3               3
               9               1               2               1               3               1               2               1
           3e+08   1.8069536e+08        61390704    5.791394e+07    1.772186e+08   2.9652323e+08   4.1582787e+08   5.3513254e+08
              -3              -2              -2              -1              -1               0               1               1
              -2              -2              -2              -1              -0               0               0               1
              -3              -2              -2              -1              -1               0               1               1
              -2              -2              -2              -1               0               0               0               1
              -2              -2              -2              -1               0               0               0               1
              -2              -2              -1              -1               0               0               0               1
               1               1               1               1               1               1               1               1
               0               0               0               0               0               0               0               0
               0               0               0               0               0               0               0               0
               1               1               1               1               1               0               0               0
               0               0               0               0               0               0             0.5               1
            -0.4            -0.5      -0.6666667              -1              -2             inf               2               1
        0.082085      0.13533528      0.22313017      0.36787945      0.60653067               1       1.6487212       2.7182817
    0.0031622776            0.01     0.031622775             0.1      0.31622776               1       3.1622777              10
    0.0062096654     0.022750134      0.06680721      0.15865526      0.30853754             0.5      0.69146246       0.8413447
  -1.0716447e+09  -1.0737418e+09  -1.0779361e+09  -1.0821304e+09   -1.090519e+09               0   1.0569646e+09   1.0653532e+09
               0               0               0               0               0               0               0            0.75
      -0.6666667     -0.61538464     -0.54545456     -0.44444445      -0.2857143               0       0.6666667               4
      -2.4999998      -1.9999999      -1.4999999     -0.99999994     -0.49999997           1e-45      0.50000006      0.99999994
              15              20              16              15               9              15              13              19
               0               0               0               6               4               3               3               3
               9               1               2               1               3               1               2               1
           3e+08   1.8069536e+08        61390704    5.791394e+07    1.772186e+08   2.9652323e+08   4.1582787e+08   5.3513254e+08
              -3              -2              -2              -1              -1               0               1               1
              -2              -2              -2              -1              -0               0               0               1
              -3              -2              -2              -1              -1               0               1               1
              -2              -2              -2              -1               0               0               0               1
              -2              -2              -2              -1               0               0               0               1
              -2              -2              -1              -1               0               0               0               1
               1               1               1               1               1               1               1               1
               0               0               0               0               0               0               0               0
               0               0               0               0               0               0               0               0
               1               1               1               1               1               0               0               0
               0               0               0               0               0               0             0.5               1
            -0.4            -0.5      -0.6666667              -1              -2             inf               2               1
        0.082085      0.13533528      0.22313017      0.36787945      0.60653067               1       1.6487212       2.7182817
    0.0031622776            0.01     0.031622775             0.1      0.31622776               1       3.1622777              10
    0.0062096654     0.022750134      0.06680721      0.15865526      0.30853754             0.5      0.69146246       0.8413447
  -1.0716447e+09  -1.0737418e+09  -1.0779361e+09  -1.0821304e+09   -1.090519e+09               0   1.0569646e+09   1.0653532e+09
               0               0               0               0               0               0               0            0.75
      -0.6666667     -0.61538464     -0.54545456     -0.44444445      -0.2857143               0       0.6666667               4
      -2.4999998      -1.9999999      -1.4999999     -0.99999994     -0.49999997           1e-45      0.50000006      0.99999994
              15              20              16              15               9              15              13              19
               0               0               0               6               4               3               3               3
               9               1               2               1               3               1               2               1
           3e+08   1.8069536e+08        61390704    5.791394e+07    1.772186e+08   2.9652323e+08   4.1582787e+08   5.3513254e+08
