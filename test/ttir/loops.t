# a loop that only adds up is one more axis of a reduction
--run-- awk -f $ROOT/test/ttir/embed.awk sums.ttir sums.fx >g.fx; ferrite inspect g.fx --stage loop
--file sums.ttir--
#loc = loc("kernels.py":19:0)
#loc2 = loc(unknown)
#loc15 = loc("kernels.py":25:35)
#loc19 = loc("x_ptr"(#loc))
#loc20 = loc("out_ptr"(#loc))
#loc21 = loc("columns"(#loc))
#loc33 = loc(callsite(#loc2 at #loc15))
module {
  tt.func public @sums(%x_ptr: !tt.ptr<f32> loc("x_ptr"(#loc)), %out_ptr: !tt.ptr<f32> loc("out_ptr"(#loc)), %columns: i32 loc("columns"(#loc))) attributes {noinline = false} {
    %c4_i32 = arith.constant 4 : i32 loc(#loc1)
    %c0_i32 = arith.constant 0 : i32 loc(#loc1)
    %cst = arith.constant dense<0.000000e+00> : tensor<4xf32> loc(#loc2)
    %row = tt.get_program_id x : i32 loc(#loc22)
    %total = scf.for %start = %c0_i32 to %columns step %c4_i32 iter_args(%total_0 = %cst) -> (tensor<4xf32>)  : i32 {
      %place = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32> loc(#loc24)
      %place_1 = tt.splat %start : i32 -> tensor<4xi32> loc(#loc25)
      %place_2 = arith.addi %place_1, %place : tensor<4xi32> loc(#loc25)
      %total_3 = tt.splat %columns : i32 -> tensor<4xi32> loc(#loc26)
      %total_4 = arith.cmpi slt, %place_2, %total_3 : tensor<4xi32> loc(#loc26)
      %total_5 = arith.muli %row, %columns : i32 loc(#loc27)
      %total_6 = tt.addptr %x_ptr, %total_5 : !tt.ptr<f32>, i32 loc(#loc28)
      %total_7 = tt.splat %total_6 : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>> loc(#loc29)
      %total_8 = tt.addptr %total_7, %place_2 : tensor<4x!tt.ptr<f32>>, tensor<4xi32> loc(#loc29)
      %total_9 = tt.load %total_8, %total_4, %cst : tensor<4x!tt.ptr<f32>> loc(#loc30)
      %total_10 = arith.addf %total_0, %total_9 : tensor<4xf32> loc(#loc31)
      scf.yield %total_10 : tensor<4xf32> loc(#loc12)
    } loc(#loc23)
    %0 = tt.addptr %out_ptr, %row : !tt.ptr<f32>, i32 loc(#loc13)
    %1 = "tt.reduce"(%total) <{axis = 0 : i32}> ({
    ^bb0(%arg3: f32 loc(callsite(#loc2 at #loc15)), %arg4: f32 loc(callsite(#loc2 at #loc15))):
      %2 = arith.addf %arg3, %arg4 : f32 loc(#loc34)
      tt.reduce.return %2 : f32 loc(#loc32)
    }) : (tensor<4xf32>) -> f32 loc(#loc32)
    tt.store %0, %1 : !tt.ptr<f32> loc(#loc17)
    tt.return loc(#loc18)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("kernels.py":22:35)
#loc3 = loc("kernels.py":20:24)
#loc4 = loc("kernels.py":23:37)
#loc5 = loc("kernels.py":23:24)
#loc6 = loc("kernels.py":24:69)
#loc7 = loc("kernels.py":24:39)
#loc8 = loc("kernels.py":24:33)
#loc9 = loc("kernels.py":24:49)
#loc10 = loc("kernels.py":24:25)
#loc11 = loc("kernels.py":24:17)
#loc12 = loc("kernels.py":24:8)
#loc13 = loc("kernels.py":25:23)
#loc14 = loc("standard.py":293:36)
#loc16 = loc("standard.py":263:15)
#loc17 = loc("kernels.py":25:28)
#loc18 = loc("kernels.py":25:4)
#loc22 = loc("row"(#loc3))
#loc23 = loc("total"(#loc1))
#loc24 = loc("place"(#loc4))
#loc25 = loc("place"(#loc5))
#loc26 = loc("total"(#loc6))
#loc27 = loc("total"(#loc7))
#loc28 = loc("total"(#loc8))
#loc29 = loc("total"(#loc9))
#loc30 = loc("total"(#loc10))
#loc31 = loc("total"(#loc11))
#loc32 = loc(callsite(#loc14 at #loc15))
#loc34 = loc(callsite(#loc16 at #loc32))
--file sums.fx--
graph sums {
  %x = aten.arange.default(30, dtype=torch.float32, device=cpu)
  %v = aten.view.default(%x, [3, 10])
  %out = aten.empty.memory_format([3], dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%v, %out], KERNEL, [3, 1, 1], [10], [], [1])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
program g
temp   @buf0 : f32[30] strides [1] origin 0
temp   @buf1 : f32[3] strides [1] origin 2
temp   @buf2 : f32[3] strides [1] origin 3
temp   @buf3 : f32[3] strides [1] origin 3
nest [i0 < 30] origin 0 {
  %0 = index i0 : i64
  %1 = cast %0 : f64
  %2 = cast %1 : f32
  @buf0[i0] = %2
}
nest [i0 < 3] origin 2 {
  %0 = const 0.0 : f32
  @buf1[i0] = %0
}
nest [i0 < 3] reduce [r0 < 10] origin 3 {
  %0 = load f32 @buf0[10*i0 + r0]
  @buf2[i0] = sum %0
}
nest [i0 < 3] origin 3 {
  %0 = load f32 @buf2[i0]
  @buf3[i0] = %0
}
output @buf3[3]{1}
--run-- awk -f $ROOT/test/ttir/embed.awk sums.ttir sums.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 12 out/0.npy | od -An -v -w12 -tf4; done
--out--
              45             145             245
              45             145             245
              45             145             245
              45             145             245
              45             145             245
--run-- awk -f $ROOT/test/ttir/embed.awk steps.ttir steps.fx >g.fx; ferrite inspect g.fx --stage loop
--file steps.ttir--
#loc = loc("kernels.py":27:0)
#loc13 = loc("x_ptr"(#loc))
#loc14 = loc("out_ptr"(#loc))
#loc15 = loc("n"(#loc))
module {
  tt.func public @steps(%x_ptr: !tt.ptr<f32> loc("x_ptr"(#loc)), %out_ptr: !tt.ptr<f32> loc("out_ptr"(#loc)), %n: i32 loc("n"(#loc))) attributes {noinline = false} {
    %c1_i32 = arith.constant 1 : i32 loc(#loc1)
    %c3_i32 = arith.constant 3 : i32 loc(#loc1)
    %c0_i32 = arith.constant 0 : i32 loc(#loc1)
    %cst = arith.constant dense<2.000000e+00> : tensor<8xf32> loc(#loc2)
    %place = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32> loc(#loc16)
    %x = tt.splat %n : i32 -> tensor<8xi32> loc(#loc17)
    %x_0 = arith.cmpi slt, %place, %x : tensor<8xi32> loc(#loc17)
    %x_1 = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>> loc(#loc18)
    %x_2 = tt.addptr %x_1, %place : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc(#loc18)
    %x_3 = tt.load %x_2, %x_0 : tensor<8x!tt.ptr<f32>> loc(#loc19)
    %x_4 = scf.for %step = %c0_i32 to %c3_i32 step %c1_i32 iter_args(%x_5 = %x_3) -> (tensor<8xf32>)  : i32 {
      %x_6 = arith.mulf %x_5, %cst : tensor<8xf32> loc(#loc21)
      %x_7 = arith.sitofp %step : i32 to f32 loc(#loc22)
      %x_8 = tt.splat %x_7 : f32 -> tensor<8xf32> loc(#loc22)
      %x_9 = arith.subf %x_6, %x_8 : tensor<8xf32> loc(#loc22)
      scf.yield %x_9 : tensor<8xf32> loc(#loc9)
    } loc(#loc20)
    %0 = tt.splat %out_ptr : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>> loc(#loc10)
    %1 = tt.addptr %0, %place : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc(#loc10)
    tt.store %1, %x_4, %x_0 : tensor<8x!tt.ptr<f32>> loc(#loc11)
    tt.return loc(#loc12)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("kernels.py":30:22)
#loc2 = loc(unknown)
#loc3 = loc("kernels.py":28:25)
#loc4 = loc("kernels.py":29:44)
#loc5 = loc("kernels.py":29:24)
#loc6 = loc("kernels.py":29:16)
#loc7 = loc("kernels.py":31:16)
#loc8 = loc("kernels.py":31:20)
#loc9 = loc("kernels.py":31:8)
#loc10 = loc("kernels.py":32:23)
#loc11 = loc("kernels.py":32:30)
#loc12 = loc("kernels.py":32:4)
#loc16 = loc("place"(#loc3))
#loc17 = loc("x"(#loc4))
#loc18 = loc("x"(#loc5))
#loc19 = loc("x"(#loc6))
#loc20 = loc("x"(#loc1))
#loc21 = loc("x"(#loc7))
#loc22 = loc("x"(#loc8))
--file steps.fx--
graph steps {
  %x = aten.arange.default(6, dtype=torch.float32, device=cpu)
  %out = aten.empty_like.default(%x)
  %k = ferrite.triton_kernel.default([%x, %out], KERNEL, [1, 1, 1], [6], [], [1])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
program g
temp   @buf0 : f32[6] strides [1] origin 0
temp   @buf1 : f32[6] strides [1] origin 1
temp   @buf2 : f32[6] strides [1] origin 2
nest [i0 < 6] origin 0 {
  %0 = index i0 : i64
  %1 = cast %0 : f64
  %2 = cast %1 : f32
  @buf0[i0] = %2
}
nest [i0 < 6] origin 1 {
  %0 = const 0.0 : f32
  @buf1[i0] = %0
}
nest [i0 < 6] origin 2 {
  %0 = load f32 @buf0[i0]
  %1 = const 2.0 : f32
  %2 = mul %0, %1 : f32
  %3 = mul %2, %1 : f32
  %4 = const 1.0 : f32
  %5 = sub %3, %4 : f32
  %6 = mul %5, %1 : f32
  %7 = sub %6, %1 : f32
  @buf2[i0] = %7
}
output @buf2[6]{1}
--run-- awk -f $ROOT/test/ttir/embed.awk steps.ttir steps.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 24 out/0.npy | od -An -v -w24 -tf4; done
--out--
              -4               4              12              20              28              36
              -4               4              12              20              28              36
              -4               4              12              20              28              36
              -4               4              12              20              28              36
              -4               4              12              20              28              36
