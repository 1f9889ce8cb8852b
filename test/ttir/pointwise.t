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
