# blocks of two dimensions, transposed
--run-- awk -f $ROOT/test/ttir/embed.awk transpose.ttir transpose.fx >g.fx; ferrite inspect g.fx --stage loop
--file transpose.ttir--
#loc = loc("kernels.py":46:0)
#loc29 = loc("x_ptr"(#loc))
#loc30 = loc("out_ptr"(#loc))
#loc31 = loc("rows"(#loc))
#loc32 = loc("columns"(#loc))
module {
  tt.func public @transpose(%x_ptr: !tt.ptr<f32> loc("x_ptr"(#loc)), %out_ptr: !tt.ptr<f32> loc("out_ptr"(#loc)), %rows: i32 loc("rows"(#loc)), %columns: i32 loc("columns"(#loc))) attributes {noinline = false} {
    %c4_i32 = arith.constant 4 : i32 loc(#loc1)
    %r = tt.get_program_id x : i32 loc(#loc33)
    %r_0 = arith.muli %r, %c4_i32 : i32 loc(#loc34)
    %r_1 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32> loc(#loc35)
    %r_2 = tt.splat %r_0 : i32 -> tensor<4xi32> loc(#loc36)
    %r_3 = arith.addi %r_2, %r_1 : tensor<4xi32> loc(#loc36)
    %c = tt.get_program_id y : i32 loc(#loc37)
    %c_4 = arith.muli %c, %c4_i32 : i32 loc(#loc38)
    %c_5 = tt.splat %c_4 : i32 -> tensor<4xi32> loc(#loc39)
    %c_6 = arith.addi %c_5, %r_1 : tensor<4xi32> loc(#loc39)
    %x = tt.expand_dims %r_3 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32> loc(#loc40)
    %x_7 = tt.splat %rows : i32 -> tensor<4x1xi32> loc(#loc41)
    %x_8 = arith.cmpi slt, %x, %x_7 : tensor<4x1xi32> loc(#loc41)
    %x_9 = tt.expand_dims %c_6 {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32> loc(#loc42)
    %x_10 = tt.splat %columns : i32 -> tensor<1x4xi32> loc(#loc43)
    %x_11 = arith.cmpi slt, %x_9, %x_10 : tensor<1x4xi32> loc(#loc43)
    %x_12 = tt.broadcast %x_8 : tensor<4x1xi1> -> tensor<4x4xi1> loc(#loc44)
    %x_13 = tt.broadcast %x_11 : tensor<1x4xi1> -> tensor<4x4xi1> loc(#loc44)
    %x_14 = arith.andi %x_12, %x_13 : tensor<4x4xi1> loc(#loc44)
    %x_15 = tt.splat %columns : i32 -> tensor<4x1xi32> loc(#loc45)
    %x_16 = arith.muli %x, %x_15 : tensor<4x1xi32> loc(#loc45)
    %x_17 = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<4x1x!tt.ptr<f32>> loc(#loc46)
    %x_18 = tt.addptr %x_17, %x_16 : tensor<4x1x!tt.ptr<f32>>, tensor<4x1xi32> loc(#loc46)
    %x_19 = tt.broadcast %x_18 : tensor<4x1x!tt.ptr<f32>> -> tensor<4x4x!tt.ptr<f32>> loc(#loc47)
    %x_20 = tt.broadcast %x_9 : tensor<1x4xi32> -> tensor<4x4xi32> loc(#loc47)
    %x_21 = tt.addptr %x_19, %x_20 : tensor<4x4x!tt.ptr<f32>>, tensor<4x4xi32> loc(#loc47)
    %x_22 = tt.load %x_21, %x_14 : tensor<4x4x!tt.ptr<f32>> loc(#loc48)
    %0 = tt.expand_dims %c_6 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32> loc(#loc18)
    %1 = arith.cmpi slt, %0, %x_15 : tensor<4x1xi32> loc(#loc19)
    %2 = tt.expand_dims %r_3 {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32> loc(#loc20)
    %3 = tt.splat %rows : i32 -> tensor<1x4xi32> loc(#loc21)
    %4 = arith.cmpi slt, %2, %3 : tensor<1x4xi32> loc(#loc21)
    %5 = tt.broadcast %1 : tensor<4x1xi1> -> tensor<4x4xi1> loc(#loc22)
    %6 = tt.broadcast %4 : tensor<1x4xi1> -> tensor<4x4xi1> loc(#loc22)
    %7 = arith.andi %5, %6 : tensor<4x4xi1> loc(#loc22)
    %8 = arith.muli %0, %x_7 : tensor<4x1xi32> loc(#loc23)
    %9 = tt.splat %out_ptr : !tt.ptr<f32> -> tensor<4x1x!tt.ptr<f32>> loc(#loc24)
    %10 = tt.addptr %9, %8 : tensor<4x1x!tt.ptr<f32>>, tensor<4x1xi32> loc(#loc24)
    %11 = tt.broadcast %10 : tensor<4x1x!tt.ptr<f32>> -> tensor<4x4x!tt.ptr<f32>> loc(#loc25)
    %12 = tt.broadcast %2 : tensor<1x4xi32> -> tensor<4x4xi32> loc(#loc25)
    %13 = tt.addptr %11, %12 : tensor<4x4x!tt.ptr<f32>>, tensor<4x4xi32> loc(#loc25)
    %14 = tt.trans %x_22 {order = array<i32: 1, 0>} : tensor<4x4xf32> -> tensor<4x4xf32> loc(#loc26)
    tt.store %13, %14, %7 : tensor<4x4x!tt.ptr<f32>> loc(#loc27)
    tt.return loc(#loc28)
  } loc(#loc)
} loc(#loc)
#loc1 = loc(unknown)
#loc2 = loc("kernels.py":47:22)
#loc3 = loc("kernels.py":47:27)
#loc4 = loc("kernels.py":47:44)
#loc5 = loc("kernels.py":47:31)
#loc6 = loc("kernels.py":48:22)
#loc7 = loc("kernels.py":48:27)
#loc8 = loc("kernels.py":48:31)
#loc9 = loc("kernels.py":49:67)
#loc10 = loc("kernels.py":49:78)
#loc11 = loc("kernels.py":49:89)
#loc12 = loc("kernels.py":49:100)
#loc13 = loc("kernels.py":49:87)
#loc14 = loc("kernels.py":49:37)
#loc15 = loc("kernels.py":49:24)
#loc16 = loc("kernels.py":49:47)
#loc17 = loc("kernels.py":49:16)
#loc18 = loc("kernels.py":50:76)
#loc19 = loc("kernels.py":50:87)
#loc20 = loc("kernels.py":50:101)
#loc21 = loc("kernels.py":50:112)
#loc22 = loc("kernels.py":50:99)
#loc23 = loc("kernels.py":50:36)
#loc24 = loc("kernels.py":50:23)
#loc25 = loc("kernels.py":50:43)
#loc26 = loc("kernels.py":50:64)
#loc27 = loc("kernels.py":50:55)
#loc28 = loc("kernels.py":50:4)
#loc33 = loc("r"(#loc2))
#loc34 = loc("r"(#loc3))
#loc35 = loc("r"(#loc4))
#loc36 = loc("r"(#loc5))
#loc37 = loc("c"(#loc6))
#loc38 = loc("c"(#loc7))
#loc39 = loc("c"(#loc8))
#loc40 = loc("x"(#loc9))
#loc41 = loc("x"(#loc10))
#loc42 = loc("x"(#loc11))
#loc43 = loc("x"(#loc12))
#loc44 = loc("x"(#loc13))
#loc45 = loc("x"(#loc14))
#loc46 = loc("x"(#loc15))
#loc47 = loc("x"(#loc16))
#loc48 = loc("x"(#loc17))
--file transpose.fx--
graph transpose {
  %x = aten.arange.default(35, dtype=torch.float32, device=cpu)
  %v = aten.view.default(%x, [5, 7])
  %out = aten.empty.memory_format([7, 5], dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%v, %out], KERNEL, [2, 2, 1], [5, 7], [], [1])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
program g
temp   @buf0 : f32[35] strides [1] origin 0
temp   @buf1 : f32[7,5] strides [5,1] origin 2
temp   @buf2 : f32[7,5] strides [5,1] origin 3
nest [i0 < 35] origin 0 {
  %0 = index i0 : i64
  %1 = cast %0 : f64
  %2 = cast %1 : f32
  @buf0[i0] = %2
}
nest [i0 < 7, i1 < 5] origin 2 {
  %0 = const 0.0 : f32
  @buf1[5*i0 + i1] = %0
}
nest [i0 < 7, i1 < 5] origin 3 {
  %0 = load f32 @buf0[i0 + 7*i1]
  @buf2[5*i0 + i1] = %0
}
output @buf2[7,5]{5,1}
--run-- awk -f $ROOT/test/ttir/embed.awk transpose.ttir transpose.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 140 out/0.npy | od -An -v -w20 -tf4; done
--out--
               0               7              14              21              28
               1               8              15              22              29
               2               9              16              23              30
               3              10              17              24              31
               4              11              18              25              32
               5              12              19              26              33
               6              13              20              27              34
               0               7              14              21              28
               1               8              15              22              29
               2               9              16              23              30
               3              10              17              24              31
               4              11              18              25              32
               5              12              19              26              33
               6              13              20              27              34
               0               7              14              21              28
               1               8              15              22              29
               2               9              16              23              30
               3              10              17              24              31
               4              11              18              25              32
               5              12              19              26              33
               6              13              20              27              34
               0               7              14              21              28
               1               8              15              22              29
               2               9              16              23              30
               3              10              17              24              31
               4              11              18              25              32
               5              12              19              26              33
               6              13              20              27              34
               0               7              14              21              28
               1               8              15              22              29
               2               9              16              23              30
               3              10              17              24              31
               4              11              18              25              32
               5              12              19              26              33
               6              13              20              27              34
--run-- awk -f $ROOT/test/ttir/embed.awk counts.ttir counts.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 16 out/0.npy | od -An -v -w16 -td4; done
--file counts.ttir--
module {
  tt.func public @counts(%i_ptr: !tt.ptr<i32>, %out_ptr: !tt.ptr<i32>) attributes {noinline = false} {
    %at = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %bins = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %c13 = arith.constant dense<13> : tensor<16xi32>
    %c3 = arith.constant dense<3> : tensor<4xi32>
    %p = tt.splat %i_ptr : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
    %q = tt.addptr %p, %at : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
    %i = tt.load %q : tensor<16x!tt.ptr<i32>>
    %mask = arith.cmpi slt, %at, %c13 : tensor<16xi32>
    %h = tt.histogram %i, %mask : tensor<16xi32>, tensor<16xi1> -> tensor<4xi32>
    %back = arith.subi %c3, %bins : tensor<4xi32>
    %g = tt.gather %h[%back] {axis = 0 : i32} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %u = tt.splat %out_ptr : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
    %v = tt.addptr %u, %bins : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
    tt.store %v, %g : tensor<4x!tt.ptr<i32>>
    tt.return
  }
}
--file counts.fx--
graph counts {
  %r = aten.arange.default(16, dtype=torch.int32, device=cpu)
  %x = aten.remainder.Scalar(%r, 5)
  %out = aten.empty.memory_format([4], dtype=torch.int32, device=cpu)
  %k = ferrite.triton_kernel.default([%x, %out], KERNEL, [1, 1, 1], [], [], [1])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
           2           3           3           3
           2           3           3           3
           2           3           3           3
           2           3           3           3
           2           3           3           3
--run-- awk -f $ROOT/test/ttir/embed.awk halves.ttir halves.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 32 out/0.npy | od -An -v -w32 -td8; done
--file halves.ttir--
module {
  tt.func public @halves(%i_ptr: !tt.ptr<i64>, %out_ptr: !tt.ptr<i64>) attributes {noinline = false} {
    %at = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
    %both = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %c = arith.constant dense<-7046029254386353131> : tensor<2xi64>
    %p = tt.splat %i_ptr : !tt.ptr<i64> -> tensor<2x!tt.ptr<i64>>
    %q = tt.addptr %p, %at : tensor<2x!tt.ptr<i64>>, tensor<2xi32>
    %i = tt.load %q : tensor<2x!tt.ptr<i64>>
    %h = tt.mulhiui %i, %c : tensor<2xi64>
    %g = tt.cat %h, %i : tensor<2xi64> -> tensor<4xi64>
    %u = tt.splat %out_ptr : !tt.ptr<i64> -> tensor<4x!tt.ptr<i64>>
    %v = tt.addptr %u, %both : tensor<4x!tt.ptr<i64>>, tensor<4xi32>
    tt.store %v, %g : tensor<4x!tt.ptr<i64>>
    tt.return
  }
}
--file halves.fx--
graph halves {
  %r = aten.arange.start_step(-3, 6, 7, dtype=torch.int64, device=cpu)
  %out = aten.empty.memory_format([4], dtype=torch.int64, device=cpu)
  %k = ferrite.triton_kernel.default([%r, %out], KERNEL, [1, 1, 1], [], [], [1])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
 -7046029254386353133                    2                   -3                    4
 -7046029254386353133                    2                   -3                    4
 -7046029254386353133                    2                   -3                    4
 -7046029254386353133                    2                   -3                    4
 -7046029254386353133                    2                   -3                    4
--run-- awk -f $ROOT/test/ttir/embed.awk cube.ttir cube.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 24 out/0.npy | od -An -v -w24 -tf4; done
--file cube.ttir--
module {
  tt.func public @cube_kernel(%x_ptr: !tt.ptr<f32>, %out_ptr: !tt.ptr<f32>) attributes {noinline = false} {
    %o = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %h = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %h_0 = tt.addptr %h, %o : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %h_1 = tt.load %h_0 : tensor<128x!tt.ptr<f32>>
    %h_2 = tt.reshape %h_1 : tensor<128xf32> -> tensor<2x2x2x2x2x2x2xf32>
    %y = "tt.reduce"(%h_2) <{axis = 3 : i32}> ({
    ^bb0(%y_7: f32, %y_8: f32):
      %y_9 = arith.maxnumf %y_7, %y_8 : f32
      tt.reduce.return %y_9 : f32
    }) : (tensor<2x2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2xf32>
    %y_3 = tt.expand_dims %y {axis = 3 : i32} : tensor<2x2x2x2x2x2xf32> -> tensor<2x2x2x1x2x2x2xf32>
    %y_4 = tt.trans %h_2 {order = array<i32: 6, 5, 4, 3, 2, 1, 0>} : tensor<2x2x2x2x2x2x2xf32> -> tensor<2x2x2x2x2x2x2xf32>
    %y_5 = tt.broadcast %y_3 : tensor<2x2x2x1x2x2x2xf32> -> tensor<2x2x2x2x2x2x2xf32>
    %y_6 = arith.subf %y_5, %y_4 : tensor<2x2x2x2x2x2x2xf32>
    %0 = tt.splat %out_ptr : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %1 = tt.addptr %0, %o : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %2 = tt.reshape %y_6 : tensor<2x2x2x2x2x2x2xf32> -> tensor<128xf32>
    tt.store %1, %2 : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}
--file cube.fx--
graph cube {
  %x = aten.arange.default(128, dtype=torch.float32, device=cpu)
  %out = aten.empty.memory_format([128], dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%x, %out], KERNEL, [1, 1, 1], [], [], [1])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
              75              12              93              30              63               0
              75              12              93              30              63               0
              75              12              93              30              63               0
              75              12              93              30              63               0
              75              12              93              30              63               0
--run-- awk -f $ROOT/test/ttir/embed.awk order.ttir order.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 64 out/0.npy | od -An -v -w32 -tf4; done
--file order.ttir--
module {
  tt.func public @order_kernel(%x_ptr: !tt.ptr<f32>, %out_ptr: !tt.ptr<f32>) attributes {noinline = false} {
    %ret = arith.constant dense<0> : tensor<1x2x2xi32>
    %ret_0 = arith.constant dense<0> : tensor<2x1x2xi32>
    %ret_1 = arith.constant dense<0> : tensor<2x2x1xi32>
    %ret_2 = arith.constant dense<0> : tensor<1x1x2xi32>
    %ret_3 = arith.constant dense<0> : tensor<1x2x1xi32>
    %ret_4 = arith.constant dense<0> : tensor<2x1x1xi32>
    %o = arith.constant 8 : i32
    %o_5 = tt.get_program_id x : i32
    %o_6 = arith.muli %o_5, %o : i32
    %o_7 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %o_8 = tt.splat %o_6 : i32 -> tensor<8xi32>
    %o_9 = arith.addi %o_8, %o_7 : tensor<8xi32>
    %0 = tt.splat %out_ptr : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %1 = tt.addptr %0, %o_9 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %2 = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %3 = tt.addptr %2, %o_9 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %4 = tt.load %3 : tensor<8x!tt.ptr<f32>>
    %h = tt.reshape %4 : tensor<8xf32> -> tensor<2x2x2xf32>
    %ar = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
    %ar_10 = tt.reshape %ar : tensor<2xi32> -> tensor<1x2x1xi32>
    %ix = tt.bitcast %h : tensor<2x2x2xf32> -> tensor<2x2x2xi32>
    %iy = "tt.reduce"(%ix) <{axis = 2 : i32}> ({
    ^bb0(%iy_85: i32, %iy_86: i32):
      %iy_87 = arith.xori %iy_85, %iy_86 : i32
      tt.reduce.return %iy_87 : i32
    }) : (tensor<2x2x2xi32>) -> tensor<2x2xi32>
    %iy_11 = tt.expand_dims %iy {axis = 2 : i32} : tensor<2x2xi32> -> tensor<2x2x1xi32>
    %iy_12 = tt.broadcast %iy_11 : tensor<2x2x1xi32> -> tensor<2x2x2xi32>
    %iy_13 = arith.xori %ix, %iy_12 : tensor<2x2x2xi32>
    %y = tt.bitcast %iy_13 : tensor<2x2x2xi32> -> tensor<2x2x2xf32>
    %ar_14 = tt.reshape %ar : tensor<2xi32> -> tensor<1x1x2xi32>
    %ret_15 = arith.cmpf ogt, %h, %y : tensor<2x2x2xf32>
    %ret_16 = tt.broadcast %ar_10 : tensor<1x2x1xi32> -> tensor<1x2x2xi32>
    %ret_17 = tt.broadcast %ar_14 : tensor<1x1x2xi32> -> tensor<1x2x2xi32>
    %ret_18 = arith.xori %ret_16, %ret_17 : tensor<1x2x2xi32>
    %ret_19 = arith.cmpi ne, %ret_18, %ret : tensor<1x2x2xi32>
    %ret_20 = tt.broadcast %ret_19 : tensor<1x2x2xi1> -> tensor<2x2x2xi1>
    %ret_21 = arith.cmpi ne, %ret_15, %ret_20 : tensor<2x2x2xi1>
    %ret_22 = arith.select %ret_21, %y, %h : tensor<2x2x2xi1>, tensor<2x2x2xf32>
    %ar_23 = tt.reshape %ar : tensor<2xi32> -> tensor<2x1x1xi32>
    %ix_24 = tt.bitcast %ret_22 : tensor<2x2x2xf32> -> tensor<2x2x2xi32>
    %iy_25 = "tt.reduce"(%ix_24) <{axis = 1 : i32}> ({
    ^bb0(%iy_85: i32, %iy_86: i32):
      %iy_87 = arith.xori %iy_85, %iy_86 : i32
      tt.reduce.return %iy_87 : i32
    }) : (tensor<2x2x2xi32>) -> tensor<2x2xi32>
    %iy_26 = tt.expand_dims %iy_25 {axis = 1 : i32} : tensor<2x2xi32> -> tensor<2x1x2xi32>
    %iy_27 = tt.broadcast %iy_26 : tensor<2x1x2xi32> -> tensor<2x2x2xi32>
    %iy_28 = arith.xori %ix_24, %iy_27 : tensor<2x2x2xi32>
    %y_29 = tt.bitcast %iy_28 : tensor<2x2x2xi32> -> tensor<2x2x2xf32>
    %ret_30 = arith.cmpf ogt, %ret_22, %y_29 : tensor<2x2x2xf32>
    %ret_31 = tt.broadcast %ar_23 : tensor<2x1x1xi32> -> tensor<2x2x1xi32>
    %ret_32 = tt.broadcast %ar_10 : tensor<1x2x1xi32> -> tensor<2x2x1xi32>
    %ret_33 = arith.xori %ret_31, %ret_32 : tensor<2x2x1xi32>
    %ret_34 = arith.cmpi ne, %ret_33, %ret_1 : tensor<2x2x1xi32>
    %ret_35 = tt.broadcast %ret_34 : tensor<2x2x1xi1> -> tensor<2x2x2xi1>
    %ret_36 = arith.cmpi ne, %ret_30, %ret_35 : tensor<2x2x2xi1>
    %ret_37 = arith.select %ret_36, %y_29, %ret_22 : tensor<2x2x2xi1>, tensor<2x2x2xf32>
    %ix_38 = tt.bitcast %ret_37 : tensor<2x2x2xf32> -> tensor<2x2x2xi32>
    %iy_39 = "tt.reduce"(%ix_38) <{axis = 2 : i32}> ({
    ^bb0(%iy_85: i32, %iy_86: i32):
      %iy_87 = arith.xori %iy_85, %iy_86 : i32
      tt.reduce.return %iy_87 : i32
    }) : (tensor<2x2x2xi32>) -> tensor<2x2xi32>
    %iy_40 = tt.expand_dims %iy_39 {axis = 2 : i32} : tensor<2x2xi32> -> tensor<2x2x1xi32>
    %iy_41 = tt.broadcast %iy_40 : tensor<2x2x1xi32> -> tensor<2x2x2xi32>
    %iy_42 = arith.xori %ix_38, %iy_41 : tensor<2x2x2xi32>
    %y_43 = tt.bitcast %iy_42 : tensor<2x2x2xi32> -> tensor<2x2x2xf32>
    %ret_44 = arith.cmpf ogt, %ret_37, %y_43 : tensor<2x2x2xf32>
    %ret_45 = tt.broadcast %ar_23 : tensor<2x1x1xi32> -> tensor<2x1x2xi32>
    %ret_46 = tt.broadcast %ar_14 : tensor<1x1x2xi32> -> tensor<2x1x2xi32>
    %ret_47 = arith.xori %ret_45, %ret_46 : tensor<2x1x2xi32>
    %ret_48 = arith.cmpi ne, %ret_47, %ret_0 : tensor<2x1x2xi32>
    %ret_49 = tt.broadcast %ret_48 : tensor<2x1x2xi1> -> tensor<2x2x2xi1>
    %ret_50 = arith.cmpi ne, %ret_44, %ret_49 : tensor<2x2x2xi1>
    %ret_51 = arith.select %ret_50, %y_43, %ret_37 : tensor<2x2x2xi1>, tensor<2x2x2xf32>
    %ix_52 = tt.bitcast %ret_51 : tensor<2x2x2xf32> -> tensor<2x2x2xi32>
    %iy_53 = "tt.reduce"(%ix_52) <{axis = 0 : i32}> ({
    ^bb0(%iy_85: i32, %iy_86: i32):
      %iy_87 = arith.xori %iy_85, %iy_86 : i32
      tt.reduce.return %iy_87 : i32
    }) : (tensor<2x2x2xi32>) -> tensor<2x2xi32>
    %iy_54 = tt.expand_dims %iy_53 {axis = 0 : i32} : tensor<2x2xi32> -> tensor<1x2x2xi32>
    %iy_55 = tt.broadcast %iy_54 : tensor<1x2x2xi32> -> tensor<2x2x2xi32>
    %iy_56 = arith.xori %ix_52, %iy_55 : tensor<2x2x2xi32>
    %y_57 = tt.bitcast %iy_56 : tensor<2x2x2xi32> -> tensor<2x2x2xf32>
    %ret_58 = arith.cmpf ogt, %ret_51, %y_57 : tensor<2x2x2xf32>
    %ret_59 = arith.cmpi ne, %ar_23, %ret_4 : tensor<2x1x1xi32>
    %ret_60 = tt.broadcast %ret_59 : tensor<2x1x1xi1> -> tensor<2x2x2xi1>
    %ret_61 = arith.cmpi ne, %ret_58, %ret_60 : tensor<2x2x2xi1>
    %ret_62 = arith.select %ret_61, %y_57, %ret_51 : tensor<2x2x2xi1>, tensor<2x2x2xf32>
    %ix_63 = tt.bitcast %ret_62 : tensor<2x2x2xf32> -> tensor<2x2x2xi32>
    %iy_64 = "tt.reduce"(%ix_63) <{axis = 1 : i32}> ({
    ^bb0(%iy_85: i32, %iy_86: i32):
      %iy_87 = arith.xori %iy_85, %iy_86 : i32
      tt.reduce.return %iy_87 : i32
    }) : (tensor<2x2x2xi32>) -> tensor<2x2xi32>
    %iy_65 = tt.expand_dims %iy_64 {axis = 1 : i32} : tensor<2x2xi32> -> tensor<2x1x2xi32>
    %iy_66 = tt.broadcast %iy_65 : tensor<2x1x2xi32> -> tensor<2x2x2xi32>
    %iy_67 = arith.xori %ix_63, %iy_66 : tensor<2x2x2xi32>
    %y_68 = tt.bitcast %iy_67 : tensor<2x2x2xi32> -> tensor<2x2x2xf32>
    %ret_69 = arith.cmpf ogt, %ret_62, %y_68 : tensor<2x2x2xf32>
    %ret_70 = arith.cmpi ne, %ar_10, %ret_3 : tensor<1x2x1xi32>
    %ret_71 = tt.broadcast %ret_70 : tensor<1x2x1xi1> -> tensor<2x2x2xi1>
    %ret_72 = arith.cmpi ne, %ret_69, %ret_71 : tensor<2x2x2xi1>
    %ret_73 = arith.select %ret_72, %y_68, %ret_62 : tensor<2x2x2xi1>, tensor<2x2x2xf32>
    %ix_74 = tt.bitcast %ret_73 : tensor<2x2x2xf32> -> tensor<2x2x2xi32>
    %iy_75 = "tt.reduce"(%ix_74) <{axis = 2 : i32}> ({
    ^bb0(%iy_85: i32, %iy_86: i32):
      %iy_87 = arith.xori %iy_85, %iy_86 : i32
      tt.reduce.return %iy_87 : i32
    }) : (tensor<2x2x2xi32>) -> tensor<2x2xi32>
    %iy_76 = tt.expand_dims %iy_75 {axis = 2 : i32} : tensor<2x2xi32> -> tensor<2x2x1xi32>
    %iy_77 = tt.broadcast %iy_76 : tensor<2x2x1xi32> -> tensor<2x2x2xi32>
    %iy_78 = arith.xori %ix_74, %iy_77 : tensor<2x2x2xi32>
    %y_79 = tt.bitcast %iy_78 : tensor<2x2x2xi32> -> tensor<2x2x2xf32>
    %ret_80 = arith.cmpf ogt, %ret_73, %y_79 : tensor<2x2x2xf32>
    %ret_81 = arith.cmpi ne, %ar_14, %ret_2 : tensor<1x1x2xi32>
    %ret_82 = tt.broadcast %ret_81 : tensor<1x1x2xi1> -> tensor<2x2x2xi1>
    %ret_83 = arith.cmpi ne, %ret_80, %ret_82 : tensor<2x2x2xi1>
    %ret_84 = arith.select %ret_83, %y_79, %ret_73 : tensor<2x2x2xi1>, tensor<2x2x2xf32>
    %x = tt.reshape %ret_84 : tensor<2x2x2xf32> -> tensor<8xf32>
    tt.store %1, %x : tensor<8x!tt.ptr<f32>>
    tt.return
  }
}
--file order.fx--
graph order {
  %r = aten.arange.default(16, dtype=torch.float32, device=cpu)
  %s = aten.mul.Tensor(%r, 5)
  %x = aten.remainder.Scalar(%s, 7)
  %out = aten.empty.memory_format([16], dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%x, %out], KERNEL, [2, 1, 1], [], [], [1])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
               0               0               1               2               3               4               5               6
               0               1               2               3               4               5               5               6
               0               0               1               2               3               4               5               6
               0               1               2               3               4               5               5               6
               0               0               1               2               3               4               5               6
               0               1               2               3               4               5               5               6
               0               0               1               2               3               4               5               6
               0               1               2               3               4               5               5               6
               0               0               1               2               3               4               5               6
               0               1               2               3               4               5               5               6
--run-- awk -f $ROOT/test/ttir/embed.awk order.ttir order.fx >g.fx; ferrite inspect g.fx --stage loop | grep -c -e nest -e xor_of
--out--
8
