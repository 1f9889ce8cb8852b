# old values of atomics are used: program instances run one after the other; extremes of floats are of their bits
--run-- awk -f $ROOT/test/ttir/embed.awk tickets.ttir tickets.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 16 out/0.npy | od -An -v -w16 -tf4; done
--file tickets.ttir--
module {
  tt.func public @tickets(%x_ptr: !tt.ptr<f32>, %parts_ptr: !tt.ptr<f32>, %ticket_ptr: !tt.ptr<i32>, %out_ptr: !tt.ptr<f32>, %high_ptr: !tt.ptr<f32>, %bits_ptr: !tt.ptr<i32>, %n: i32) attributes {noinline = false} {
    %c3_i32 = arith.constant 3 : i32
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %c31_i32 = arith.constant 31 : i32
    %true = arith.constant true
    %x = arith.constant dense<0.000000e+00> : tensor<32xf32>
    %c32_i32 = arith.constant 32 : i32
    %pid = tt.get_program_id x : i32
    %place = arith.muli %pid, %c32_i32 : i32
    %place_0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %place_1 = tt.splat %place : i32 -> tensor<32xi32>
    %place_2 = arith.addi %place_1, %place_0 : tensor<32xi32>
    %x_3 = tt.splat %n : i32 -> tensor<32xi32>
    %x_4 = arith.cmpi slt, %place_2, %x_3 : tensor<32xi32>
    %x_5 = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %x_6 = tt.addptr %x_5, %place_2 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %x_7 = tt.load %x_6, %x_4, %x : tensor<32x!tt.ptr<f32>>
    %0 = tt.addptr %parts_ptr, %pid : !tt.ptr<f32>, i32
    %1 = "tt.reduce"(%x_7) <{axis = 0 : i32}> ({
    ^bb0(%arg7: f32, %arg8: f32):
      %14 = arith.addf %arg7, %arg8 : f32
      tt.reduce.return %14 : f32
    }) : (tensor<32xf32>) -> f32
    tt.store %0, %1 : !tt.ptr<f32>
    %2 = "tt.reduce"(%x_7) <{axis = 0 : i32}> ({
    ^bb0(%arg7: f32, %arg8: f32):
      %14 = arith.maxnumf %arg7, %arg8 : f32
      tt.reduce.return %14 : f32
    }) : (tensor<32xf32>) -> f32
    %3 = tt.bitcast %2 : f32 -> i32
    %4 = tt.bitcast %high_ptr : !tt.ptr<f32> -> !tt.ptr<i32>
    %5 = arith.shrui %3, %c31_i32 : i32
    %6 = arith.cmpi ne, %5, %c0_i32 : i32
    %7 = arith.cmpi eq, %5, %c0_i32 : i32
    %8 = tt.atomic_rmw max, acq_rel, gpu, %4, %3, %7 : (!tt.ptr<i32>, i32, i1) -> i32
    %9 = tt.atomic_rmw umin, acq_rel, gpu, %4, %3, %6 : (!tt.ptr<i32>, i32, i1) -> i32
    %10 = arith.shli %c1_i32, %pid : i32
    %11 = tt.atomic_rmw or, acq_rel, gpu, %bits_ptr, %10, %true : (!tt.ptr<i32>, i32, i1) -> i32
    %12 = tt.atomic_rmw add, acq_rel, gpu, %ticket_ptr, %c1_i32, %true : (!tt.ptr<i32>, i32, i1) -> i32
    %13 = arith.cmpi eq, %12, %c3_i32 : i32
    scf.if %13 {
      %parts = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
      %parts_8 = tt.splat %parts_ptr : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
      %parts_9 = tt.addptr %parts_8, %parts : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
      %parts_10 = tt.load %parts_9 : tensor<4x!tt.ptr<f32>>
      %14 = "tt.reduce"(%parts_10) <{axis = 0 : i32}> ({
      ^bb0(%arg7: f32, %arg8: f32):
        %15 = arith.addf %arg7, %arg8 : f32
        tt.reduce.return %15 : f32
      }) : (tensor<4xf32>) -> f32
      tt.store %out_ptr, %14 : !tt.ptr<f32>
    }
    tt.return
  }
}
--file tickets.fx--
graph tickets {
  %x = aten.arange.default(120, dtype=torch.float32, device=cpu)
  %y = aten.sub.Scalar(%x, 200)
  %parts = aten.empty.memory_format([4], dtype=torch.float32, device=cpu)
  %ticket = aten.full.default([1], 0, dtype=torch.int32, device=cpu)
  %out = aten.empty.memory_format([1], dtype=torch.float32, device=cpu)
  %high = aten.full.default([1], -1000.0, dtype=torch.float32, device=cpu)
  %bits = aten.full.default([1], 0, dtype=torch.int32, device=cpu)
  %k = ferrite.triton_kernel.default([%y, %parts, %ticket, %out, %high, %bits], KERNEL, [4, 1, 1], [120], [], [1, 2, 3, 4, 5])
  %t = _operator.getitem(%k, 1)
  %o = _operator.getitem(%k, 2)
  %h = _operator.getitem(%k, 3)
  %b = _operator.getitem(%k, 4)
  %tf = aten._to_copy.default(%t, dtype=torch.float32)
  %bf = aten._to_copy.default(%b, dtype=torch.float32)
  %all = aten.cat.default([%tf, %o, %h, %bf])
  output (user %all)
}
--out--
               4          -16860               0              15
               4          -16860               0              15
               4          -16860               0              15
               4          -16860               0              15
               4          -16860               0              15
--run-- awk -f $ROOT/test/ttir/embed.awk locked.ttir locked.fx >g.fx; ferrite inspect g.fx --stage loop
--file locked.ttir--
module {
  tt.func public @locked(%x_ptr: !tt.ptr<f32>, %lock_ptr: !tt.ptr<i32>, %sum_ptr: !tt.ptr<f32>) attributes {noinline = false} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %pid = tt.get_program_id x : i32
    %p = tt.addptr %x_ptr, %pid : !tt.ptr<f32>, i32
    %x = tt.load %p : !tt.ptr<f32>
    scf.while : () -> () {
      %old = tt.atomic_cas acq_rel, gpu, %lock_ptr, %c0, %c1 : (!tt.ptr<i32>, i32, i32) -> i32
      %more = arith.cmpi eq, %old, %c1 : i32
      scf.condition(%more)
    } do {
      scf.yield
    }
    %sum = tt.load %sum_ptr : !tt.ptr<f32>
    %half = arith.mulf %sum, %sum : f32
    %new = arith.addf %half, %x : f32
    tt.store %sum_ptr, %new : !tt.ptr<f32>
    ttg.barrier local
    %free = tt.atomic_rmw exch, acq_rel, gpu, %lock_ptr, %c0, %true : (!tt.ptr<i32>, i32, i1) -> i32
    tt.return
  }
}
--file locked.fx--
graph locked {
  %x = aten.arange.default(5, dtype=torch.float32, device=cpu)
  %lock = aten.full.default([1], 0, dtype=torch.int32, device=cpu)
  %sum = aten.full.default([1], 1.0, dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%x, %lock, %sum], KERNEL, [5, 1, 1], [], [], [1, 2])
  %o = _operator.getitem(%k, 1)
  output (user %o)
}
--out--
program g
temp   @buf0 : f32[5] strides [1] origin 0
temp   @buf1 : i32[1] strides [1] origin 1
temp   @buf2 : f32[1] strides [1] origin 2
temp   @buf3 : i32[1] strides [1] origin 3
temp   @buf4 : f32[1] strides [1] origin 3
temp   @buf5 : bool[] strides [] origin 3
temp   @buf6 : i32[] strides [] origin 3
temp   @buf7 : bool[] strides [] origin 3
temp   @buf8 : bool[] strides [] origin 3
temp   @buf9 : f32[] strides [] origin 3
temp   @buf10 : i32[] strides [] origin 3
nest [i0 < 5] origin 0 {
  %0 = index i0 : i64
  %1 = cast %0 : f64
  %2 = cast %1 : f32
  @buf0[i0] = %2
}
nest [i0 < 1] origin 1 {
  %0 = const 0 : i32
  @buf1[0] = %0
}
nest [i0 < 1] origin 2 {
  %0 = const 1.0 : f32
  @buf2[0] = %0
}
nest [i0 < 1] origin 3 {
  %0 = load i32 @buf1[0]
  @buf3[0] = %0
}
nest [i0 < 1] origin 3 {
  %0 = load f32 @buf2[0]
  @buf4[0] = %0
}
repeat u0 < 5 origin 3
nest [] origin 3 {
  %0 = const 1 : bool
  @buf5[0] = %0
}
repeat forever origin 3
nest [] origin 3 {
  %0 = load bool @buf5[0]
  %1 = load i32 @buf3[0]
  %2 = const 0 : i32
  %3 = masked %0, %1, %2 : i32
  @buf6[0] = %3
}
nest [] origin 3 {
  %0 = load bool @buf5[0]
  %1 = load i32 @buf6[0]
  %2 = const 0 : i32
  %3 = eq %1, %2 : bool
  %4 = const 1 : i32
  %5 = where %3, %4, %1 : i32
  %6 = load i32 @buf3[0]
  %7 = where %0, %5, %6 : i32
  @buf3[0] = %7
}
nest [] origin 3 {
  %0 = load bool @buf5[0]
  %1 = load i32 @buf6[0]
  %2 = const 1 : i32
  %3 = eq %1, %2 : bool
  %4 = and %0, %3 : bool
  @buf7[0] = %4
}
nest [] origin 3 {
  %0 = load bool @buf7[0]
  @buf8[0] = %0
}
while @buf8[]{} origin 3
nest [] origin 3 {
  %0 = load bool @buf7[0]
  @buf5[0] = %0
}
end origin 3
nest [] origin 3 {
  %0 = load f32 @buf4[0]
  @buf9[0] = %0
}
nest [] origin 3 {
  %0 = load f32 @buf9[0]
  %1 = mul %0, %0 : f32
  %2 = load f32 @buf0[u0]
  %3 = add %1, %2 : f32
  @buf4[0] = %3
}
nest [] origin 3 {
  %0 = load i32 @buf3[0]
  @buf10[0] = %0
}
nest [] origin 3 {
  %0 = const 0 : i32
  @buf3[0] = %0
}
end origin 3
output @buf4[1]{1}
--run-- awk -f $ROOT/test/ttir/embed.awk locked.ttir locked.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 4 out/0.npy | od -An -v -w4 -tf4; done
--out--
            1525
            1525
            1525
            1525
            1525
--run-- awk -f $ROOT/test/ttir/embed.awk segments.ttir segments.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 32 out/0.npy | od -An -v -w16 -tf4; done
--file segments.ttir--
module {
  tt.func public @segmax_kernel(%x_ptr: !tt.ptr<f32>, %seg_ptr: !tt.ptr<i64>, %out_ptr: !tt.ptr<f32>, %lo_ptr: !tt.ptr<f32>, %n: i32) attributes {noinline = false} {
    %cst = arith.constant dense<true> : tensor<256xi1>
    %cst_0 = arith.constant dense<0> : tensor<256xi32>
    %cst_1 = arith.constant dense<31> : tensor<256xi32>
    %o = arith.constant 256 : i32
    %o_2 = tt.get_program_id x : i32
    %o_3 = arith.muli %o_2, %o : i32
    %o_4 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %o_5 = tt.splat %o_3 : i32 -> tensor<256xi32>
    %o_6 = arith.addi %o_5, %o_4 : tensor<256xi32>
    %mask = tt.splat %n : i32 -> tensor<256xi32>
    %mask_7 = arith.cmpi slt, %o_6, %mask : tensor<256xi32>
    %x = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %x_8 = tt.addptr %x, %o_6 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %x_9 = tt.load %x_8, %mask_7 : tensor<256x!tt.ptr<f32>>
    %s = tt.splat %seg_ptr : !tt.ptr<i64> -> tensor<256x!tt.ptr<i64>>
    %s_10 = tt.addptr %s, %o_6 : tensor<256x!tt.ptr<i64>>, tensor<256xi32>
    %s_11 = tt.load %s_10, %mask_7 : tensor<256x!tt.ptr<i64>>
    %0 = tt.splat %out_ptr : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %1 = tt.addptr %0, %s_11 : tensor<256x!tt.ptr<f32>>, tensor<256xi64>
    %2 = tt.bitcast %x_9 : tensor<256xf32> -> tensor<256xi32>
    %3 = tt.bitcast %1 : tensor<256x!tt.ptr<f32>> -> tensor<256x!tt.ptr<i32>>
    %4 = arith.shrui %2, %cst_1 : tensor<256xi32>
    %5 = arith.cmpi ne, %4, %cst_0 : tensor<256xi32>
    %6 = arith.xori %5, %cst : tensor<256xi1>
    %7 = arith.andi %mask_7, %6 : tensor<256xi1>
    %8 = tt.atomic_rmw max, acq_rel, gpu, %3, %2, %7 : (tensor<256x!tt.ptr<i32>>, tensor<256xi32>, tensor<256xi1>) -> tensor<256xi32>
    %9 = arith.andi %mask_7, %5 : tensor<256xi1>
    %10 = tt.atomic_rmw umin, acq_rel, gpu, %3, %2, %9 : (tensor<256x!tt.ptr<i32>>, tensor<256xi32>, tensor<256xi1>) -> tensor<256xi32>
    %11 = tt.splat %lo_ptr : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %12 = tt.addptr %11, %s_11 : tensor<256x!tt.ptr<f32>>, tensor<256xi64>
    %13 = tt.bitcast %12 : tensor<256x!tt.ptr<f32>> -> tensor<256x!tt.ptr<i32>>
    %14 = tt.atomic_rmw min, acq_rel, gpu, %13, %2, %7 : (tensor<256x!tt.ptr<i32>>, tensor<256xi32>, tensor<256xi1>) -> tensor<256xi32>
    %15 = tt.atomic_rmw umax, acq_rel, gpu, %13, %2, %9 : (tensor<256x!tt.ptr<i32>>, tensor<256xi32>, tensor<256xi1>) -> tensor<256xi32>
    tt.return
  }
}
--file segments.fx--
graph segments {
  %r = aten.arange.default(1000, dtype=torch.float32, device=cpu)
  %s = aten.mul.Tensor(%r, 0.7)
  %c = aten.cos.default(%s)
  %x = aten.sub.Tensor(%c, 0.999)
  %i = aten.arange.default(1000, dtype=torch.int64, device=cpu)
  %g = aten.remainder.Scalar(%i, 3)
  %out = aten.full.default([4], -5.0, dtype=torch.float32, device=cpu)
  %lo = aten.full.default([4], 5.0, dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%x, %g, %out, %lo], KERNEL, [4, 1, 1], [1000], [], [2, 3])
  %o = _operator.getitem(%k, 0)
  %p = _operator.getitem(%k, 1)
  %b = aten.stack.default([%o, %p])
  output (user %b)
}
--out--
    0.0009999871    0.0009903908    0.0009806752              -5
      -1.9989996       -1.998986      -1.9989748               5
    0.0009999871    0.0009903908    0.0009806752              -5
      -1.9989996       -1.998986      -1.9989748               5
    0.0009999871    0.0009903908    0.0009806752              -5
      -1.9989996       -1.998986      -1.9989748               5
    0.0009999871    0.0009903908    0.0009806752              -5
      -1.9989996       -1.998986      -1.9989748               5
    0.0009999871    0.0009903908    0.0009806752              -5
      -1.9989996       -1.998986      -1.9989748               5
