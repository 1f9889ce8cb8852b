# a kernel that returns early: what is behind the label is bounded by what led there
--run-- awk -f $ROOT/test/ttir/embed.awk early.ttir early.fx >g.fx; ferrite inspect g.fx --stage loop
--file early.ttir--
#loc = loc("kernels.py":88:0)
#loc15 = loc("x_ptr"(#loc))
#loc16 = loc("out_ptr"(#loc))
#loc17 = loc("n"(#loc))
#loc18 = loc("last"(#loc))
module {
  tt.func public @early(%x_ptr: !tt.ptr<f32> loc("x_ptr"(#loc)), %out_ptr: !tt.ptr<f32> loc("out_ptr"(#loc)), %n: i32 loc("n"(#loc)), %last: i32 loc("last"(#loc))) attributes {noinline = false} {
    %cst = arith.constant dense<1.000000e+02> : tensor<4xf32> loc(#loc1)
    %c4_i32 = arith.constant 4 : i32 loc(#loc1)
    %0 = tt.get_program_id x : i32 loc(#loc2)
    %1 = arith.cmpi sge, %0, %last : i32 loc(#loc3)
    cf.cond_br %1, ^bb1, ^bb2 loc(#loc3)
  ^bb1:  // pred: ^bb0
    tt.return loc(#loc4)
  ^bb2:  // pred: ^bb0
    %place = arith.muli %0, %c4_i32 : i32 loc(#loc19)
    %place_0 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32> loc(#loc20)
    %place_1 = tt.splat %place : i32 -> tensor<4xi32> loc(#loc21)
    %place_2 = arith.addi %place_1, %place_0 : tensor<4xi32> loc(#loc21)
    %x = tt.splat %n : i32 -> tensor<4xi32> loc(#loc22)
    %x_3 = arith.cmpi slt, %place_2, %x : tensor<4xi32> loc(#loc22)
    %x_4 = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>> loc(#loc23)
    %x_5 = tt.addptr %x_4, %place_2 : tensor<4x!tt.ptr<f32>>, tensor<4xi32> loc(#loc23)
    %x_6 = tt.load %x_5, %x_3 : tensor<4x!tt.ptr<f32>> loc(#loc24)
    %2 = tt.splat %out_ptr : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>> loc(#loc11)
    %3 = tt.addptr %2, %place_2 : tensor<4x!tt.ptr<f32>>, tensor<4xi32> loc(#loc11)
    %4 = arith.addf %x_6, %cst : tensor<4xf32> loc(#loc12)
    tt.store %3, %4, %x_3 : tensor<4x!tt.ptr<f32>> loc(#loc13)
    tt.return loc(#loc14)
  } loc(#loc)
} loc(#loc)
#loc1 = loc(unknown)
#loc2 = loc("kernels.py":89:21)
#loc3 = loc("kernels.py":89:27)
#loc4 = loc("kernels.py":90:8)
#loc5 = loc("kernels.py":91:31)
#loc6 = loc("kernels.py":91:52)
#loc7 = loc("kernels.py":91:39)
#loc8 = loc("kernels.py":92:44)
#loc9 = loc("kernels.py":92:24)
#loc10 = loc("kernels.py":92:16)
#loc11 = loc("kernels.py":93:23)
#loc12 = loc("kernels.py":93:34)
#loc13 = loc("kernels.py":93:30)
#loc14 = loc("kernels.py":93:4)
#loc19 = loc("place"(#loc5))
#loc20 = loc("place"(#loc6))
#loc21 = loc("place"(#loc7))
#loc22 = loc("x"(#loc8))
#loc23 = loc("x"(#loc9))
#loc24 = loc("x"(#loc10))
--file early.fx--
graph early {
  %x = aten.arange.default(10, dtype=torch.float32, device=cpu)
  %out = aten.zeros_like.default(%x)
  %k = ferrite.triton_kernel.default([%x, %out], KERNEL, [3, 1, 1], [10, 2], [], [1])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
program g
temp   @buf0 : f32[10] strides [1] origin 0
temp   @buf1 : f32[10] strides [1] origin 1
temp   @buf2 : f32[10] strides [1] origin 2
nest [i0 < 10] origin 0 {
  %0 = index i0 : i64
  %1 = cast %0 : f64
  %2 = cast %1 : f32
  @buf0[i0] = %2
}
nest [i0 < 10] origin 1 {
  %0 = const 0.0 : f32
  @buf1[i0] = %0
}
nest [i0 < 10] origin 2 {
  %0 = load f32 @buf1[i0]
  @buf2[i0] = %0
}
nest [i0 < 8] origin 2 {
  %0 = load f32 @buf0[i0]
  %1 = const 100.0 : f32
  %2 = add %0, %1 : f32
  @buf2[i0] = %2
}
output @buf2[10]{1}
--run-- awk -f $ROOT/test/ttir/embed.awk early.ttir early.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 40 out/0.npy | od -An -v -w40 -tf4; done
--out--
             100             101             102             103             104             105             106             107               0               0
             100             101             102             103             104             105             106             107               0               0
             100             101             102             103             104             105             106             107               0               0
             100             101             102             103             104             105             106             107               0               0
             100             101             102             103             104             105             106             107               0               0
