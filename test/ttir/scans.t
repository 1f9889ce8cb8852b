# running sums, and the places of extremes, of which the first one counts
--run-- awk -f $ROOT/test/ttir/embed.awk scans.ttir scans.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 72 out/0.npy | od -An -v -w24 -tf4; done
--file scans.ttir--
#loc = loc("kernels.py":78:0)
#loc10 = loc("standard.py":198:26)
#loc11 = loc("kernels.py":82:42)
#loc12 = loc(unknown)
#loc25 = loc("kernels.py":83:60)
#loc29 = loc("x_ptr"(#loc))
#loc30 = loc("high_ptr"(#loc))
#loc31 = loc("sums_ptr"(#loc))
#loc32 = loc("columns"(#loc))
#loc38 = loc(callsite(#loc10 at #loc11))
#loc47 = loc(callsite(#loc12 at #loc25))
#loc49 = loc(callsite(#loc12 at #loc38))
module {
  tt.func public @scans(%x_ptr: !tt.ptr<f32> loc("x_ptr"(#loc)), %high_ptr: !tt.ptr<i64> loc("high_ptr"(#loc)), %sums_ptr: !tt.ptr<f32> loc("sums_ptr"(#loc)), %columns: i32 loc("columns"(#loc))) attributes {noinline = false} {
    %x = arith.constant dense<0.000000e+00> : tensor<8xf32> loc(#loc33)
    %0 = tt.get_program_id x : i32 loc(#loc2)
    %1 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32> loc(#loc3)
    %mask = tt.splat %columns : i32 -> tensor<8xi32> loc(#loc34)
    %mask_0 = arith.cmpi slt, %1, %mask : tensor<8xi32> loc(#loc34)
    %x_1 = arith.muli %0, %columns : i32 loc(#loc35)
    %x_2 = tt.addptr %x_ptr, %x_1 : !tt.ptr<f32>, i32 loc(#loc36)
    %x_3 = tt.splat %x_2 : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>> loc(#loc37)
    %x_4 = tt.addptr %x_3, %1 : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc(#loc37)
    %x_5 = tt.load %x_4, %mask_0, %x : tensor<8x!tt.ptr<f32>> loc(#loc33)
    %2 = tt.addptr %high_ptr, %0 : !tt.ptr<i64>, i32 loc(#loc8)
    %3:2 = "tt.reduce"(%x_5, %1) <{axis = 0 : i32}> ({
    ^bb0(%arg4: f32 loc(callsite(#loc12 at #loc38)), %arg5: i32 loc(callsite(#loc12 at #loc38)), %arg6: f32 loc(callsite(#loc12 at #loc38)), %arg7: i32 loc(callsite(#loc12 at #loc38))):
      %tie = arith.cmpf oeq, %arg4, %arg6 : f32 loc(#loc52)
      %tie_6 = arith.cmpi slt, %arg5, %arg7 : i32 loc(#loc53)
      %tie_7 = arith.andi %tie, %tie_6 : i1 loc(#loc54)
      %gt = arith.cmpf ogt, %arg4, %arg6 : f32 loc(#loc55)
      %gt_8 = arith.ori %gt, %tie_7 : i1 loc(#loc56)
      %v_ret = arith.select %gt_8, %arg4, %arg6 : f32 loc(#loc57)
      %i_ret = arith.select %gt_8, %arg5, %arg7 : i32 loc(#loc58)
      tt.reduce.return %v_ret, %i_ret : f32, i32 loc(#loc48)
    }) : (tensor<8xf32>, tensor<8xi32>) -> (f32, i32) loc(#loc48)
    %4 = arith.extsi %3#1 : i32 to i64 loc(#loc21)
    tt.store %2, %4 : !tt.ptr<i64> loc(#loc21)
    %5 = tt.addptr %sums_ptr, %x_1 : !tt.ptr<f32>, i32 loc(#loc22)
    %6 = tt.splat %5 : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>> loc(#loc23)
    %7 = tt.addptr %6, %1 : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc(#loc23)
    %8 = "tt.scan"(%x_5) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%arg4: f32 loc(callsite(#loc12 at #loc25)), %arg5: f32 loc(callsite(#loc12 at #loc25))):
      %9 = arith.addf %arg4, %arg5 : f32 loc(#loc50)
      tt.scan.return %9 : f32 loc(#loc46)
    }) : (tensor<8xf32>) -> tensor<8xf32> loc(#loc46)
    tt.store %7, %8, %mask_0 : tensor<8x!tt.ptr<f32>> loc(#loc27)
    tt.return loc(#loc28)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("kernels.py":81:16)
#loc2 = loc("kernels.py":79:31)
#loc3 = loc("kernels.py":79:48)
#loc4 = loc("kernels.py":80:19)
#loc5 = loc("kernels.py":81:30)
#loc6 = loc("kernels.py":81:24)
#loc7 = loc("kernels.py":81:40)
#loc8 = loc("kernels.py":82:24)
#loc9 = loc("standard.py":181:58)
#loc13 = loc("standard.py":149:24)
#loc14 = loc("standard.py":160:59)
#loc15 = loc("standard.py":149:44)
#loc16 = loc("standard.py":149:35)
#loc17 = loc("standard.py":152:18)
#loc18 = loc("standard.py":152:28)
#loc19 = loc("standard.py":153:35)
#loc20 = loc("standard.py":154:35)
#loc21 = loc("kernels.py":82:29)
#loc22 = loc("kernels.py":83:24)
#loc23 = loc("kernels.py":83:40)
#loc24 = loc("standard.py":343:60)
#loc26 = loc("standard.py":263:15)
#loc27 = loc("kernels.py":83:47)
#loc28 = loc("kernels.py":83:4)
#loc33 = loc("x"(#loc1))
#loc34 = loc("mask"(#loc4))
#loc35 = loc("x"(#loc5))
#loc36 = loc("x"(#loc6))
#loc37 = loc("x"(#loc7))
#loc39 = loc("tie"(#loc13))
#loc40 = loc("tie"(#loc15))
#loc41 = loc("tie"(#loc16))
#loc42 = loc("gt"(#loc17))
#loc43 = loc("gt"(#loc18))
#loc44 = loc("v_ret"(#loc19))
#loc45 = loc("i_ret"(#loc20))
#loc46 = loc(callsite(#loc24 at #loc25))
#loc48 = loc(callsite(#loc9 at #loc38))
#loc50 = loc(callsite(#loc26 at #loc46))
#loc51 = loc(callsite(#loc14 at #loc48))
#loc52 = loc(callsite(#loc39 at #loc51))
#loc53 = loc(callsite(#loc40 at #loc51))
#loc54 = loc(callsite(#loc41 at #loc51))
#loc55 = loc(callsite(#loc42 at #loc51))
#loc56 = loc(callsite(#loc43 at #loc51))
#loc57 = loc(callsite(#loc44 at #loc51))
#loc58 = loc(callsite(#loc45 at #loc51))
--file scans.fx--
graph scans {
  %a = aten.arange.default(15, dtype=torch.float32, device=cpu)
  %b = aten.remainder.Scalar(%a, 4)
  %x = aten.view.default(%b, [3, 5])
  %h = aten.empty.memory_format([3], dtype=torch.int64, device=cpu)
  %s = aten.empty_like.default(%x)
  %k = ferrite.triton_kernel.default([%x, %h, %s], KERNEL, [3, 1, 1], [5], [], [1, 2])
  %high = _operator.getitem(%k, 0)
  %sums = _operator.getitem(%k, 1)
  %c = aten.view.default(%high, [3, 1])
  %o = aten.cat.default([%c, %sums], 1)
  output (user %o)
}
--out--
               3               6               6               5               3               0
               2               7               6               4               1               1
               1               8               6               3               3               2
               3               6               6               5               3               0
               2               7               6               4               1               1
               1               8               6               3               3               2
               3               6               6               5               3               0
               2               7               6               4               1               1
               1               8               6               3               3               2
               3               6               6               5               3               0
               2               7               6               4               1               1
               1               8               6               3               3               2
               3               6               6               5               3               0
               2               7               6               4               1               1
               1               8               6               3               3               2
