# reductions over a block, rows by rows
--run-- awk -f $ROOT/test/ttir/embed.awk softmax.ttir softmax.fx >g.fx; ferrite inspect g.fx --stage loop
--file softmax.ttir--
#loc = loc("kernels.py":13:0)
#loc9 = loc("kernels.py":16:26)
#loc10 = loc(unknown)
#loc17 = loc("kernels.py":17:56)
#loc22 = loc("x_ptr"(#loc))
#loc23 = loc("out_ptr"(#loc))
#loc24 = loc("stride"(#loc))
#loc25 = loc("columns"(#loc))
#loc31 = loc("e"(#loc9))
#loc35 = loc(callsite(#loc10 at #loc17))
#loc37 = loc(callsite(#loc10 at #loc31))
module {
  tt.func public @softmax(%x_ptr: !tt.ptr<f32> loc("x_ptr"(#loc)), %out_ptr: !tt.ptr<f32> loc("out_ptr"(#loc)), %stride: i32 loc("stride"(#loc)), %columns: i32 loc("columns"(#loc))) attributes {noinline = false} {
    %x = arith.constant dense<0xFF800000> : tensor<8xf32> loc(#loc26)
    %0 = tt.get_program_id x : i32 loc(#loc2)
    %1 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32> loc(#loc3)
    %x_0 = tt.splat %columns : i32 -> tensor<8xi32> loc(#loc27)
    %x_1 = arith.cmpi slt, %1, %x_0 : tensor<8xi32> loc(#loc27)
    %x_2 = arith.muli %0, %stride : i32 loc(#loc28)
    %x_3 = tt.addptr %x_ptr, %x_2 : !tt.ptr<f32>, i32 loc(#loc29)
    %x_4 = tt.splat %x_3 : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>> loc(#loc30)
    %x_5 = tt.addptr %x_4, %1 : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc(#loc30)
    %x_6 = tt.load %x_5, %x_1, %x : tensor<8x!tt.ptr<f32>> loc(#loc26)
    %e = "tt.reduce"(%x_6) <{axis = 0 : i32}> ({
    ^bb0(%e_10: f32 loc(callsite(#loc10 at #loc31)), %e_11: f32 loc(callsite(#loc10 at #loc31))):
      %e_12 = arith.maxnumf %e_10, %e_11 : f32 loc(#loc39)
      tt.reduce.return %e_12 : f32 loc(#loc36)
    }) : (tensor<8xf32>) -> f32 loc(#loc36)
    %e_7 = tt.splat %e : f32 -> tensor<8xf32> loc(#loc32)
    %e_8 = arith.subf %x_6, %e_7 : tensor<8xf32> loc(#loc32)
    %e_9 = math.exp %e_8 : tensor<8xf32> loc(#loc33)
    %2 = tt.addptr %out_ptr, %x_2 : !tt.ptr<f32>, i32 loc(#loc14)
    %3 = tt.splat %2 : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>> loc(#loc15)
    %4 = tt.addptr %3, %1 : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc(#loc15)
    %5 = "tt.reduce"(%e_9) <{axis = 0 : i32}> ({
    ^bb0(%arg4: f32 loc(callsite(#loc10 at #loc17)), %arg5: f32 loc(callsite(#loc10 at #loc17))):
      %8 = arith.addf %arg4, %arg5 : f32 loc(#loc38)
      tt.reduce.return %8 : f32 loc(#loc34)
    }) : (tensor<8xf32>) -> f32 loc(#loc34)
    %6 = tt.splat %5 : f32 -> tensor<8xf32> loc(#loc19)
    %7 = arith.divf %e_9, %6 : tensor<8xf32> loc(#loc19)
    tt.store %4, %7, %x_1 : tensor<8x!tt.ptr<f32>> loc(#loc20)
    tt.return loc(#loc21)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("kernels.py":15:16)
#loc2 = loc("kernels.py":14:31)
#loc3 = loc("kernels.py":14:48)
#loc4 = loc("kernels.py":15:59)
#loc5 = loc("kernels.py":15:30)
#loc6 = loc("kernels.py":15:24)
#loc7 = loc("kernels.py":15:39)
#loc8 = loc("standard.py":191:40)
#loc11 = loc("standard.py":170:27)
#loc12 = loc("kernels.py":16:19)
#loc13 = loc("kernels.py":16:15)
#loc14 = loc("kernels.py":17:23)
#loc15 = loc("kernels.py":17:38)
#loc16 = loc("standard.py":293:36)
#loc18 = loc("standard.py":263:15)
#loc19 = loc("kernels.py":17:49)
#loc20 = loc("kernels.py":17:45)
#loc21 = loc("kernels.py":17:4)
#loc26 = loc("x"(#loc1))
#loc27 = loc("x"(#loc4))
#loc28 = loc("x"(#loc5))
#loc29 = loc("x"(#loc6))
#loc30 = loc("x"(#loc7))
#loc32 = loc("e"(#loc12))
#loc33 = loc("e"(#loc13))
#loc34 = loc(callsite(#loc16 at #loc17))
#loc36 = loc(callsite(#loc8 at #loc31))
#loc38 = loc(callsite(#loc18 at #loc34))
#loc39 = loc(callsite(#loc11 at #loc36))
--file softmax.fx--
graph softmax {
  %x = aten.arange.default(15, dtype=torch.float32, device=cpu)
  %v = aten.view.default(%x, [3, 5])
  %out = aten.empty_like.default(%v)
  %k = ferrite.triton_kernel.default([%v, %out], KERNEL, [3, 1, 1], [5, 5], [], [1])
  %o = _operator.getitem(%k, 0)
  %m = aten.mul.Tensor(%o, 10000)
  %r = aten.round.default(%m)
  output (user %r)
}
--out--
program g
temp   @buf0 : f32[15] strides [1] origin 0
temp   @buf1 : f32[3,5] strides [5,1] origin 2
temp   @buf2 : f32[3] strides [1] origin 3
temp   @buf3 : f32[3,8] strides [8,1] origin 3
temp   @buf4 : f32[3] strides [1] origin 3
temp   @buf5 : f32[3,5] strides [5,1] origin 3
temp   @buf6 : f32[3,5] strides [5,1] origin 6
nest [i0 < 15] origin 0 {
  %0 = index i0 : i64
  %1 = cast %0 : f64
  %2 = cast %1 : f32
  @buf0[i0] = %2
}
nest [i0 < 3, i1 < 5] origin 2 {
  %0 = const 0.0 : f32
  @buf1[5*i0 + i1] = %0
}
nest [i0 < 3] reduce [r0 < 5] origin 3 {
  %0 = load f32 @buf0[5*i0 + r0]
  %1 = isnan %0 : bool
  %2 = const -inf : f32
  %3 = where %1, %2, %0 : f32
  @buf2[i0] = max_of %3
}
nest [i0 < 3, i1 < 8] origin 3 {
  %0 = index i1 : i64
  %1 = const 5 : i64
  %2 = lt %0, %1 : bool
  %3 = load f32 @buf0[5*i0 + i1]
  %4 = const -inf : f32
  %5 = masked %2, %3, %4 : f32
  %6 = load f32 @buf2[i0]
  %7 = sub %5, %6 : f32
  %8 = exp %7 : f32
  @buf3[8*i0 + i1] = %8
}
nest [i0 < 3] reduce [r0 < 8] origin 3 {
  %0 = load f32 @buf3[8*i0 + r0]
  @buf4[i0] = sum %0
}
nest [i0 < 3, i1 < 5] origin 3 {
  %0 = load f32 @buf3[8*i0 + i1]
  %1 = load f32 @buf4[i0]
  %2 = div %0, %1 : f32
  @buf5[5*i0 + i1] = %2
}
nest [i0 < 3, i1 < 5] origin 6 {
  %0 = load f32 @buf5[5*i0 + i1]
  %1 = const 10000.0 : f32
  %2 = mul %0, %1 : f32
  %3 = round %2 : f32
  @buf6[5*i0 + i1] = %3
}
output @buf6[3,5]{5,1}
--run-- awk -f $ROOT/test/ttir/embed.awk softmax.ttir softmax.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 60 out/0.npy | od -An -v -w20 -tf4; done
--out--
             117             317             861            2341            6364
             117             317             861            2341            6364
             117             317             861            2341            6364
             117             317             861            2341            6364
             117             317             861            2341            6364
             117             317             861            2341            6364
             117             317             861            2341            6364
             117             317             861            2341            6364
             117             317             861            2341            6364
             117             317             861            2341            6364
             117             317             861            2341            6364
             117             317             861            2341            6364
             117             317             861            2341            6364
             117             317             861            2341            6364
             117             317             861            2341            6364
