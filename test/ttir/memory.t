# a mask that data decide keeps the old elements; the tensor is another one afterwards, as of any call that changes an argument
--run-- awk -f $ROOT/test/ttir/embed.awk some.ttir some.fx >g.fx; ferrite inspect g.fx --stage loop
--file some.ttir--
#loc = loc("kernels.py":34:0)
#loc14 = loc("x_ptr"(#loc))
#loc15 = loc("n"(#loc))
module {
  tt.func public @some(%x_ptr: !tt.ptr<f32> loc("x_ptr"(#loc)), %n: i32 loc("n"(#loc))) attributes {noinline = false} {
    %cst = arith.constant dense<5.000000e+00> : tensor<4xf32> loc(#loc1)
    %cst_0 = arith.constant dense<1.000000e+01> : tensor<4xf32> loc(#loc2)
    %c4_i32 = arith.constant 4 : i32 loc(#loc3)
    %place = tt.get_program_id x : i32 loc(#loc16)
    %place_1 = arith.muli %place, %c4_i32 : i32 loc(#loc17)
    %place_2 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32> loc(#loc18)
    %place_3 = tt.splat %place_1 : i32 -> tensor<4xi32> loc(#loc19)
    %place_4 = arith.addi %place_3, %place_2 : tensor<4xi32> loc(#loc19)
    %x = tt.splat %n : i32 -> tensor<4xi32> loc(#loc20)
    %x_5 = arith.cmpi slt, %place_4, %x : tensor<4xi32> loc(#loc20)
    %x_6 = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>> loc(#loc21)
    %x_7 = tt.addptr %x_6, %place_4 : tensor<4x!tt.ptr<f32>>, tensor<4xi32> loc(#loc21)
    %x_8 = tt.load %x_7, %x_5 : tensor<4x!tt.ptr<f32>> loc(#loc22)
    %0 = arith.cmpf ogt, %x_8, %cst : tensor<4xf32> loc(#loc1)
    %1 = arith.andi %x_5, %0 : tensor<4xi1> loc(#loc11)
    %2 = arith.mulf %x_8, %cst_0 : tensor<4xf32> loc(#loc2)
    tt.store %x_7, %2, %1 : tensor<4x!tt.ptr<f32>> loc(#loc12)
    tt.return loc(#loc13)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("kernels.py":37:60)
#loc2 = loc("kernels.py":37:32)
#loc3 = loc(unknown)
#loc4 = loc("kernels.py":35:26)
#loc5 = loc("kernels.py":35:31)
#loc6 = loc("kernels.py":35:52)
#loc7 = loc("kernels.py":35:39)
#loc8 = loc("kernels.py":36:44)
#loc9 = loc("kernels.py":36:24)
#loc10 = loc("kernels.py":36:16)
#loc11 = loc("kernels.py":37:56)
#loc12 = loc("kernels.py":37:28)
#loc13 = loc("kernels.py":37:4)
#loc16 = loc("place"(#loc4))
#loc17 = loc("place"(#loc5))
#loc18 = loc("place"(#loc6))
#loc19 = loc("place"(#loc7))
#loc20 = loc("x"(#loc8))
#loc21 = loc("x"(#loc9))
#loc22 = loc("x"(#loc10))
--file some.fx--
graph some {
  %x = aten.arange.default(10, dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%x], KERNEL, [3, 1, 1], [10], [], [0])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
program g
temp   @buf0 : f32[10] strides [1] origin 0
temp   @buf1 : f32[10] strides [1] origin 1
nest [i0 < 10] origin 0 {
  %0 = index i0 : i64
  %1 = cast %0 : f64
  %2 = cast %1 : f32
  @buf0[i0] = %2
}
nest [i0 < 10] origin 1 {
  %0 = const 5.0 : f32
  %1 = load f32 @buf0[i0]
  %2 = lt %0, %1 : bool
  %3 = const 10.0 : f32
  %4 = mul %1, %3 : f32
  %5 = where %2, %4, %1 : f32
  @buf1[i0] = %5
}
output @buf1[10]{1}
--run-- awk -f $ROOT/test/ttir/embed.awk some.ttir some.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 40 out/0.npy | od -An -v -w40 -tf4; done
--out--
               0               1               2               3               4               5              60              70              80              90
               0               1               2               3               4               5              60              70              80              90
               0               1               2               3               4               5              60              70              80              90
               0               1               2               3               4               5              60              70              80              90
               0               1               2               3               4               5              60              70              80              90
--run-- awk -f $ROOT/test/ttir/embed.awk reverse.ttir reverse.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 40 out/0.npy | od -An -v -w40 -tf4; done
--file reverse.ttir--
#loc = loc("kernels.py":39:0)
#loc14 = loc("x_ptr"(#loc))
#loc15 = loc("n"(#loc))
module {
  tt.func public @reverse(%x_ptr: !tt.ptr<f32> loc("x_ptr"(#loc)), %n: i32 loc("n"(#loc))) attributes {noinline = false} {
    %x = arith.constant -1 : i32 loc(#loc16)
    %cst = arith.constant dense<1.000000e+02> : tensor<8xf32> loc(#loc2)
    %x_0 = arith.constant dense<0> : tensor<8xi32> loc(#loc17)
    %place = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32> loc(#loc18)
    %x_1 = tt.splat %n : i32 -> tensor<8xi32> loc(#loc19)
    %x_2 = arith.cmpi slt, %place, %x_1 : tensor<8xi32> loc(#loc19)
    %x_3 = tt.addptr %x_ptr, %n : !tt.ptr<f32>, i32 loc(#loc20)
    %x_4 = tt.addptr %x_3, %x : !tt.ptr<f32>, i32 loc(#loc16)
    %x_5 = tt.splat %x_4 : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>> loc(#loc17)
    %x_6 = arith.subi %x_0, %place : tensor<8xi32> loc(#loc17)
    %x_7 = tt.addptr %x_5, %x_6 : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc(#loc17)
    %x_8 = tt.load %x_7, %x_2 : tensor<8x!tt.ptr<f32>> loc(#loc21)
    %0 = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>> loc(#loc8)
    %1 = tt.addptr %0, %place : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc(#loc8)
    tt.store %1, %x_8, %x_2 : tensor<8x!tt.ptr<f32>> loc(#loc9)
    %y = tt.load %1, %x_2 : tensor<8x!tt.ptr<f32>> loc(#loc22)
    %2 = tt.splat %x_3 : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>> loc(#loc11)
    %3 = tt.addptr %2, %place : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc(#loc11)
    %4 = arith.addf %y, %cst : tensor<8xf32> loc(#loc2)
    tt.store %3, %4, %x_2 : tensor<8x!tt.ptr<f32>> loc(#loc12)
    tt.return loc(#loc13)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("kernels.py":41:28)
#loc2 = loc("kernels.py":44:36)
#loc3 = loc("kernels.py":41:32)
#loc4 = loc("kernels.py":40:25)
#loc5 = loc("kernels.py":41:52)
#loc6 = loc("kernels.py":41:24)
#loc7 = loc("kernels.py":41:16)
#loc8 = loc("kernels.py":42:21)
#loc9 = loc("kernels.py":42:28)
#loc10 = loc("kernels.py":43:16)
#loc11 = loc("kernels.py":44:25)
#loc12 = loc("kernels.py":44:32)
#loc13 = loc("kernels.py":44:4)
#loc16 = loc("x"(#loc1))
#loc17 = loc("x"(#loc3))
#loc18 = loc("place"(#loc4))
#loc19 = loc("x"(#loc5))
#loc20 = loc("x"(#loc6))
#loc21 = loc("x"(#loc7))
#loc22 = loc("y"(#loc10))
--file reverse.fx--
graph reverse {
  %x = aten.arange.default(10, dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%x], KERNEL, [1, 1, 1], [5], [], [0])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
               4               3               2               1               0             104             103             102             101             100
               4               3               2               1               0             104             103             102             101             100
               4               3               2               1               0             104             103             102             101             100
               4               3               2               1               0             104             103             102             101             100
               4               3               2               1               0             104             103             102             101             100
--run-- awk -f $ROOT/test/ttir/embed.awk count.ttir count.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 16 out/0.npy | od -An -v -w16 -tf4; done
--file count.ttir--
#loc = loc("kernels.py":52:0)
#loc12 = loc("i_ptr"(#loc))
#loc13 = loc("out_ptr"(#loc))
#loc14 = loc("n"(#loc))
module {
  tt.func public @count(%i_ptr: !tt.ptr<i64> loc("i_ptr"(#loc)), %out_ptr: !tt.ptr<f32> loc("out_ptr"(#loc)), %n: i32 loc("n"(#loc))) attributes {noinline = false} {
    %cst = arith.constant dense<0> : tensor<4xi64> loc(#loc1)
    %cst_0 = arith.constant dense<1.000000e+00> : tensor<4xf32> loc(#loc2)
    %c4_i32 = arith.constant 4 : i32 loc(#loc3)
    %place = tt.get_program_id x : i32 loc(#loc15)
    %place_1 = arith.muli %place, %c4_i32 : i32 loc(#loc16)
    %place_2 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32> loc(#loc17)
    %place_3 = tt.splat %place_1 : i32 -> tensor<4xi32> loc(#loc18)
    %place_4 = arith.addi %place_3, %place_2 : tensor<4xi32> loc(#loc18)
    %0 = tt.splat %n : i32 -> tensor<4xi32> loc(#loc8)
    %1 = arith.cmpi slt, %place_4, %0 : tensor<4xi32> loc(#loc8)
    %2 = tt.splat %i_ptr : !tt.ptr<i64> -> tensor<4x!tt.ptr<i64>> loc(#loc9)
    %3 = tt.addptr %2, %place_4 : tensor<4x!tt.ptr<i64>>, tensor<4xi32> loc(#loc9)
    %4 = tt.load %3, %1, %cst : tensor<4x!tt.ptr<i64>> loc(#loc1)
    %5 = tt.splat %out_ptr : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>> loc(#loc10)
    %6 = tt.addptr %5, %4 : tensor<4x!tt.ptr<f32>>, tensor<4xi64> loc(#loc10)
    %7 = tt.atomic_rmw fadd, acq_rel, gpu, %6, %cst_0, %1 : (tensor<4x!tt.ptr<f32>>, tensor<4xf32>, tensor<4xi1>) -> tensor<4xf32> loc(#loc2)
    tt.return loc(#loc11)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("kernels.py":54:36)
#loc2 = loc("kernels.py":54:77)
#loc3 = loc(unknown)
#loc4 = loc("kernels.py":53:26)
#loc5 = loc("kernels.py":53:31)
#loc6 = loc("kernels.py":53:52)
#loc7 = loc("kernels.py":53:39)
#loc8 = loc("kernels.py":54:95)
#loc9 = loc("kernels.py":54:44)
#loc10 = loc("kernels.py":54:28)
#loc11 = loc("kernels.py":54:4)
#loc15 = loc("place"(#loc4))
#loc16 = loc("place"(#loc5))
#loc17 = loc("place"(#loc6))
#loc18 = loc("place"(#loc7))
--file count.fx--
graph count {
  %a = aten.arange.default(10, dtype=torch.int64, device=cpu)
  %i = aten.remainder.Scalar(%a, 4)
  %z = aten.zeros.default([4], dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%i, %z], KERNEL, [3, 1, 1], [10], [], [1])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
               3               3               2               2
               3               3               2               2
               3               3               2               2
               3               3               2               2
               3               3               2               2
--run-- awk -f $ROOT/test/ttir/embed.awk halves.ttir halves.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 40 out/0.npy | od -An -v -w40 -tf4; done
--file halves.ttir--
#loc = loc("kernels.py":56:0)
#loc18 = loc("x_ptr"(#loc))
#loc19 = loc("out_ptr"(#loc))
#loc20 = loc("n"(#loc))
#loc21 = loc("limit"(#loc))
module {
  tt.func public @halves(%x_ptr: !tt.ptr<f32> loc("x_ptr"(#loc)), %out_ptr: !tt.ptr<f16> loc("out_ptr"(#loc)), %n: i32 loc("n"(#loc)), %limit: f32 loc("limit"(#loc))) attributes {noinline = false} {
    %cst = arith.constant dense<0.000000e+00> : tensor<4xf32> loc(#loc1)
    %c1_i32 = arith.constant 1 : i32 loc(#loc2)
    %c4_i32 = arith.constant 4 : i32 loc(#loc1)
    %place = tt.get_program_id x : i32 loc(#loc22)
    %place_0 = arith.muli %place, %c4_i32 : i32 loc(#loc23)
    %place_1 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32> loc(#loc24)
    %place_2 = tt.splat %place_0 : i32 -> tensor<4xi32> loc(#loc25)
    %place_3 = arith.addi %place_2, %place_1 : tensor<4xi32> loc(#loc25)
    %x = tt.splat %n : i32 -> tensor<4xi32> loc(#loc26)
    %x_4 = arith.cmpi slt, %place_3, %x : tensor<4xi32> loc(#loc26)
    %x_5 = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>> loc(#loc27)
    %x_6 = tt.addptr %x_5, %place_3 : tensor<4x!tt.ptr<f32>>, tensor<4xi32> loc(#loc27)
    %x_7 = tt.load %x_6, %x_4 : tensor<4x!tt.ptr<f32>> loc(#loc30)
    %0 = arith.cmpi eq, %place, %c1_i32 : i32 loc(#loc2)
    %1 = scf.if %0 -> (tensor<4xf32>) {
      %x_8 = arith.subf %cst, %x_7 : tensor<4xf32> loc(#loc31)
      scf.yield %x_8 : tensor<4xf32> loc(#loc31)
    } else {
      scf.yield %x_7 : tensor<4xf32> loc(#loc10)
    } loc(#loc10)
    %2 = tt.splat %out_ptr : !tt.ptr<f16> -> tensor<4x!tt.ptr<f16>> loc(#loc12)
    %3 = tt.addptr %2, %place_3 : tensor<4x!tt.ptr<f16>>, tensor<4xi32> loc(#loc12)
    %4 = tt.splat %limit : f32 -> tensor<4xf32> loc(#loc13)
    %5 = arith.cmpf olt, %1, %4 : tensor<4xf32> loc(#loc13)
    %6 = arith.select %5, %4, %1 : tensor<4xi1>, tensor<4xf32> loc(#loc14)
    %7 = arith.truncf %6 : tensor<4xf32> to tensor<4xf16> loc(#loc15)
    tt.store %3, %7, %x_4 : tensor<4x!tt.ptr<f16>> loc(#loc16)
    tt.return loc(#loc17)
  } loc(#loc)
} loc(#loc)
#loc1 = loc(unknown)
#loc2 = loc("kernels.py":59:27)
#loc3 = loc("kernels.py":57:26)
#loc4 = loc("kernels.py":57:31)
#loc5 = loc("kernels.py":57:52)
#loc6 = loc("kernels.py":57:39)
#loc7 = loc("kernels.py":58:44)
#loc8 = loc("kernels.py":58:24)
#loc9 = loc("kernels.py":58:16)
#loc10 = loc("kernels.py":59:7)
#loc11 = loc("kernels.py":60:13)
#loc12 = loc("kernels.py":61:23)
#loc13 = loc("kernels.py":61:43)
#loc14 = loc("kernels.py":61:57)
#loc15 = loc("kernels.py":61:63)
#loc16 = loc("kernels.py":61:30)
#loc17 = loc("kernels.py":61:4)
#loc22 = loc("place"(#loc3))
#loc23 = loc("place"(#loc4))
#loc24 = loc("place"(#loc5))
#loc25 = loc("place"(#loc6))
#loc26 = loc("x"(#loc7))
#loc27 = loc("x"(#loc8))
#loc28 = loc("x"(#loc9))
#loc29 = loc("x"(#loc11))
#loc30 = loc("x"(#loc28))
#loc31 = loc("x"(#loc29))
--file halves.fx--
graph halves {
  %a = aten.arange.default(10, dtype=torch.float32, device=cpu)
  %out = aten.empty.memory_format([10], dtype=torch.float16, device=cpu)
  %k = ferrite.triton_kernel.default([%a, %out], KERNEL, [3, 1, 1], [10], [-4.5], [1])
  %o = _operator.getitem(%k, 0)
  %f = aten.to.dtype(%o, torch.float32)
  output (user %f)
}
--out--
               0               1               2               3              -4            -4.5            -4.5            -4.5               8               9
               0               1               2               3              -4            -4.5            -4.5            -4.5               8               9
               0               1               2               3              -4            -4.5            -4.5            -4.5               8               9
               0               1               2               3              -4            -4.5            -4.5            -4.5               8               9
               0               1               2               3              -4            -4.5            -4.5            -4.5               8               9
--run-- awk -f $ROOT/test/ttir/embed.awk places.ttir places.fx >g.fx; ferrite inspect g.fx --stage loop
--file places.ttir--
#loc = loc("kernels.py":70:0)
#loc11 = loc("x_ptr"(#loc))
module {
  tt.func public @places(%x_ptr: !tt.ptr<f32> loc("x_ptr"(#loc))) attributes {noinline = false} {
    %mask = arith.constant dense<81> : tensor<16xi32> loc(#loc12)
    %mask_0 = arith.constant dense<1> : tensor<16xi32> loc(#loc13)
    %mask_1 = arith.constant dense<3> : tensor<16xi32> loc(#loc14)
    %place = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32> loc(#loc15)
    %mask_2 = arith.remsi %place, %mask_1 : tensor<16xi32> loc(#loc14)
    %mask_3 = arith.cmpi eq, %mask_2, %mask_0 : tensor<16xi32> loc(#loc13)
    %mask_4 = arith.muli %place, %place : tensor<16xi32> loc(#loc16)
    %mask_5 = arith.cmpi slt, %mask_4, %mask : tensor<16xi32> loc(#loc12)
    %mask_6 = arith.andi %mask_3, %mask_5 : tensor<16xi1> loc(#loc17)
    %0 = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>> loc(#loc7)
    %1 = tt.addptr %0, %place : tensor<16x!tt.ptr<f32>>, tensor<16xi32> loc(#loc7)
    %2 = arith.sitofp %place : tensor<16xi32> to tensor<16xf32> loc(#loc8)
    tt.store %1, %2, %mask_6 : tensor<16x!tt.ptr<f32>> loc(#loc9)
    tt.return loc(#loc10)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("kernels.py":72:47)
#loc2 = loc("kernels.py":72:25)
#loc3 = loc("kernels.py":72:20)
#loc4 = loc("kernels.py":71:25)
#loc5 = loc("kernels.py":72:39)
#loc6 = loc("kernels.py":72:31)
#loc7 = loc("kernels.py":73:21)
#loc8 = loc("kernels.py":73:36)
#loc9 = loc("kernels.py":73:28)
#loc10 = loc("kernels.py":73:4)
#loc12 = loc("mask"(#loc1))
#loc13 = loc("mask"(#loc2))
#loc14 = loc("mask"(#loc3))
#loc15 = loc("place"(#loc4))
#loc16 = loc("mask"(#loc5))
#loc17 = loc("mask"(#loc6))
--file places.fx--
graph places {
  %x = aten.zeros.default([10], dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%x], KERNEL, [1, 1, 1], [], [], [0])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
program g
temp   @buf0 : f32[10] strides [1] origin 0
temp   @buf1 : f32[10] strides [1] elements 11 origin 1
nest [i0 < 10] origin 0 {
  %0 = const 0.0 : f32
  @buf0[i0] = %0
}
nest [i0 < 10] origin 1 {
  %0 = load f32 @buf0[i0]
  @buf1[i0] = %0
}
nest [i0 < 16] origin 1 {
  %0 = index i0 : i64
  %1 = cast %0 : i32
  %2 = cast %1 : f32
  %3 = index i0 % 3 : i64
  %4 = const 1 : i64
  %5 = eq %3, %4 : bool
  %6 = index i0*i0 : i64
  %7 = const 81 : i64
  %8 = lt %6, %7 : bool
  %9 = and %5, %8 : bool
  %10 = const 10 : i64
  %11 = where %9, %0, %10 : i64
  j0 = indirect %11 < 11 origin 1
  @buf1[j0] = %2
}
output @buf1[10]{1}
--run-- awk -f $ROOT/test/ttir/embed.awk places.ttir places.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 40 out/0.npy | od -An -v -w40 -tf4; done
--out--
               0               1               0               0               4               0               0               7               0               0
               0               1               0               0               4               0               0               7               0               0
               0               1               0               0               4               0               0               7               0               0
               0               1               0               0               4               0               0               7               0               0
               0               1               0               0               4               0               0               7               0               0
--run-- awk -f $ROOT/test/ttir/embed.awk reverse.ttir far.fx >g.fx; ferrite run g.fx
--file far.fx--
graph far {
  %x = aten.arange.default(10, dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%x], KERNEL, [1, 1, 1], [8], [], [0])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--err--
error: run: ferrite.triton_kernel.default (%k): index 10 is out of bounds for 10 elements
--status-- 1

# a store of one program alone; one of those that a condition lets, to one place
--run-- awk -f $ROOT/test/ttir/embed.awk once.ttir once.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 12 out/0.npy | od -An -v -w12 -tf4; done
--file once.ttir--
module {
  tt.func public @once(%x_ptr: !tt.ptr<f32>, %out_ptr: !tt.ptr<f32>) attributes {noinline = false} {
    %c2 = arith.constant 2 : i32
    %pid = tt.get_program_id x : i32
    %is = arith.cmpi eq, %pid, %c2 : i32
    %p = tt.addptr %x_ptr, %pid : !tt.ptr<f32>, i32
    %x = tt.load %p : !tt.ptr<f32>
    scf.if %is {
      tt.store %out_ptr, %x : !tt.ptr<f32>
    }
    tt.return
  }
}
--file once.fx--
graph once {
  %x = aten.arange.default(5, dtype=torch.float32, device=cpu)
  %out = aten.full.default([3], 7.0, dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%x, %out], KERNEL, [5, 1, 1], [], [], [1])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
               2               7               7
               2               7               7
               2               7               7
               2               7               7
               2               7               7
--run-- awk -f $ROOT/test/ttir/embed.awk greater.ttir greater.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 12 out/0.npy | od -An -v -w12 -tf4; done
--file greater.ttir--
module {
  tt.func public @once(%x_ptr: !tt.ptr<f32>, %out_ptr: !tt.ptr<f32>) attributes {noinline = false} {
    %c2 = arith.constant 2 : i32
    %pid = tt.get_program_id x : i32
    %is = arith.cmpi sgt, %pid, %c2 : i32
    %p = tt.addptr %x_ptr, %pid : !tt.ptr<f32>, i32
    %x = tt.load %p : !tt.ptr<f32>
    scf.if %is {
      tt.store %out_ptr, %x : !tt.ptr<f32>
    }
    tt.return
  }
}
--file greater.fx--
graph once {
  %x = aten.arange.default(5, dtype=torch.float32, device=cpu)
  %out = aten.full.default([3], 7.0, dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%x, %out], KERNEL, [5, 1, 1], [], [], [1])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
               4               7               7
               4               7               7
               4               7               7
               4               7               7
               4               7               7
--run-- awk -f $ROOT/test/ttir/embed.awk never.ttir never.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 32 out/0.npy | od -An -v -w32 -tf4; done
--file never.ttir--
module {
  tt.func public @never(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
    %c4 = arith.constant 4 : i32
    %c9 = arith.constant dense<9> : tensor<4xi32>
    %pid = tt.get_program_id x : i32
    %at = arith.muli %pid, %c4 : i32
    %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %s = tt.splat %at : i32 -> tensor<4xi32>
    %o = arith.addi %s, %r : tensor<4xi32>
    %never = arith.cmpi sgt, %o, %c9 : tensor<4xi32>
    %p = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
    %q = tt.addptr %p, %o : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    %v = tt.load %q : tensor<4x!tt.ptr<f32>>
    %a = tt.splat %out : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
    %b = tt.addptr %a, %o : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    tt.store %b, %v : tensor<4x!tt.ptr<f32>>
    %false = arith.constant dense<false> : tensor<4xi1>
    %never2 = arith.andi %never, %false : tensor<4xi1>
    %w = arith.addf %v, %v : tensor<4xf32>
    %far = arith.muli %o, %c9 : tensor<4xi32>
    %d = tt.addptr %a, %far : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    tt.store %d, %w, %never2 : tensor<4x!tt.ptr<f32>>
    tt.return
  }
}
--file never.fx--
graph never {
  %x = aten.arange.default(8, dtype=torch.float32, device=cpu)
  %out = aten.empty.memory_format([8], dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%x, %out], KERNEL, [2, 1, 1], [], [], [1])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
               0               1               2               3               4               5               6               7
               0               1               2               3               4               5               6               7
               0               1               2               3               4               5               6               7
               0               1               2               3               4               5               6               7
               0               1               2               3               4               5               6               7
