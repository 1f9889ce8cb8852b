# a loop whose steps depend on each other repeats a region: what it hands on has memory, and it stores in place
--run-- awk -f $ROOT/test/ttir/embed.awk recurrence.ttir recurrence.fx >g.fx; ferrite inspect g.fx --stage loop
--file recurrence.ttir--
module {
  tt.func public @recurrence_kernel(%a_ptr: !tt.ptr<f32>, %x_ptr: !tt.ptr<f32>, %out_ptr: !tt.ptr<f32>, %last_ptr: !tt.ptr<f32>, %steps: i32, %columns: i32) attributes {noinline = false} {
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<4xf32>
    %c4_i32 = arith.constant 4 : i32
    %place = tt.get_program_id y : i32
    %place_0 = arith.muli %place, %c4_i32 : i32
    %place_1 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %place_2 = tt.splat %place_0 : i32 -> tensor<4xi32>
    %place_3 = arith.addi %place_2, %place_1 : tensor<4xi32>
    %0 = tt.get_program_id x : i32
    %1 = tt.splat %columns : i32 -> tensor<4xi32>
    %2 = arith.cmpi slt, %place_3, %1 : tensor<4xi32>
    %a = tt.splat %a_ptr : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
    %a_4 = tt.addptr %a, %place_3 : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    %a_5 = tt.load %a_4, %2, %cst : tensor<4x!tt.ptr<f32>>
    %h = scf.for %step = %c0_i32 to %steps step %c1_i32 iter_args(%h_6 = %cst) -> (tensor<4xf32>)  : i32 {
      %at = arith.muli %0, %steps : i32
      %at_7 = arith.addi %at, %step : i32
      %at_8 = arith.muli %at_7, %columns : i32
      %at_9 = tt.splat %at_8 : i32 -> tensor<4xi32>
      %at_10 = arith.addi %at_9, %place_3 : tensor<4xi32>
      %h_11 = arith.mulf %a_5, %h_6 : tensor<4xf32>
      %h_12 = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
      %h_13 = tt.addptr %h_12, %at_10 : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
      %h_14 = tt.load %h_13, %2, %cst : tensor<4x!tt.ptr<f32>>
      %h_15 = arith.addf %h_11, %h_14 : tensor<4xf32>
      %7 = tt.splat %out_ptr : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
      %8 = tt.addptr %7, %at_10 : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
      tt.store %8, %h_15, %2 : tensor<4x!tt.ptr<f32>>
      scf.yield %h_15 : tensor<4xf32>
    }
    %3 = arith.muli %0, %columns : i32
    %4 = tt.addptr %last_ptr, %3 : !tt.ptr<f32>, i32
    %5 = tt.splat %4 : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
    %6 = tt.addptr %5, %place_3 : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    tt.store %6, %h, %2 : tensor<4x!tt.ptr<f32>>
    tt.return
  }
}
--file recurrence.fx--
graph steps {
  %a = aten.full.default([6], 0.5, dtype=torch.float32, device=cpu)
  %r = aten.arange.default(1200, dtype=torch.float32, device=cpu)
  %x = aten.view.default(%r, [2, 100, 6])
  %out = aten.empty.memory_format([2, 100, 6], dtype=torch.float32, device=cpu)
  %last = aten.empty.memory_format([2, 6], dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%a, %x, %out, %last], KERNEL, [2, 2, 1], [100, 6], [], [2, 3])
  %o = _operator.getitem(%k, 0)
  %p = _operator.getitem(%k, 1)
  output (user %o, user %p)
}
--out--
program g
temp   @buf0 : f32[6] strides [1] origin 0
temp   @buf1 : f32[1200] strides [1] origin 1
temp   @buf2 : f32[2,100,6] strides [600,6,1] origin 3
temp   @buf3 : f32[2,6] strides [6,1] origin 4
temp   @buf4 : f32[2,2,4] strides [8,4,1] origin 5
temp   @buf5 : f32[2,2,4] strides [8,4,1] origin 5
temp   @buf6 : f32[2,100,6] strides [600,6,1] origin 5
temp   @buf7 : f32[2,2,4] strides [8,4,1] origin 5
temp   @buf8 : f32[2,6] strides [6,1] origin 5
nest [i0 < 6] origin 0 {
  %0 = const 0.5 : f32
  @buf0[i0] = %0
}
nest [i0 < 1200] origin 1 {
  %0 = index i0 : i64
  %1 = cast %0 : f64
  %2 = cast %1 : f32
  @buf1[i0] = %2
}
nest [i0 < 2, i1 < 100, i2 < 6] origin 3 {
  %0 = const 0.0 : f32
  @buf2[600*i0 + 6*i1 + i2] = %0
}
nest [i0 < 2, i1 < 6] origin 4 {
  %0 = const 0.0 : f32
  @buf3[6*i0 + i1] = %0
}
nest [i0 < 2, i1 < 2, i2 < 4] origin 5 {
  %0 = const 0.0 : f32
  @buf4[8*i0 + 4*i1 + i2] = %0
}
nest [i0 < 2, i1 < 2, i2 < 4] origin 5 {
  %0 = index 4*i1 + i2 : i64
  %1 = const 6 : i64
  %2 = lt %0, %1 : bool
  %3 = load f32 @buf0[4*i1 + i2]
  %4 = const 0.0 : f32
  %5 = masked %2, %3, %4 : f32
  @buf5[8*i0 + 4*i1 + i2] = %5
}
nest [i0 < 2, i1 < 100, i2 < 6] origin 5 {
  %0 = load f32 @buf2[600*i0 + 6*i1 + i2]
  @buf6[600*i0 + 6*i1 + i2] = %0
}
repeat u0 < 100 origin 5
nest [i0 < 2, i1 < 2, i2 < 4] origin 5 {
  %0 = load f32 @buf5[8*i0 + 4*i1 + i2]
  %1 = load f32 @buf4[8*i0 + 4*i1 + i2]
  %2 = mul %0, %1 : f32
  %3 = index 4*i1 + i2 : i64
  %4 = const 6 : i64
  %5 = lt %3, %4 : bool
  %6 = load f32 @buf1[6*u0 + 600*i0 + 4*i1 + i2]
  %7 = const 0.0 : f32
  %8 = masked %5, %6, %7 : f32
  %9 = add %2, %8 : f32
  @buf7[8*i0 + 4*i1 + i2] = %9
}
nest [i0 < 2, i1 < 6] origin 5 {
  %0 = load f32 @buf7[8*i0 + i1]
  @buf6[6*u0 + 600*i0 + i1] = %0
}
nest [i0 < 2, i1 < 2, i2 < 4] origin 5 {
  %0 = load f32 @buf7[8*i0 + 4*i1 + i2]
  @buf4[8*i0 + 4*i1 + i2] = %0
}
end origin 5
nest [i0 < 2, i1 < 6] origin 5 {
  %0 = load f32 @buf4[8*i0 + i1]
  @buf8[6*i0 + i1] = %0
}
output @buf6[2,100,6]{600,6,1}
output @buf8[2,6]{6,1}
--run-- awk -f $ROOT/test/ttir/embed.awk recurrence.ttir recurrence.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 48 out/1.npy | od -An -v -w24 -tf4; done
--out--
            1176            1178            1180            1182            1184            1186
            2376            2378            2380            2382            2384            2386
            1176            1178            1180            1182            1184            1186
            2376            2378            2380            2382            2384            2386
            1176            1178            1180            1182            1184            1186
            2376            2378            2380            2382            2384            2386
            1176            1178            1180            1182            1184            1186
            2376            2378            2380            2382            2384            2386
            1176            1178            1180            1182            1184            1186
            2376            2378            2380            2382            2384            2386
--run-- awk -f $ROOT/test/ttir/embed.awk chain.ttir chain.fx >g.fx; ferrite inspect g.fx --stage loop
--file chain.ttir--
module {
  tt.func public @chain_kernel(%x_ptr: !tt.ptr<f32>, %next_ptr: !tt.ptr<i64>, %first_ptr: !tt.ptr<i64>, %out_ptr: !tt.ptr<f32>, %count_ptr: !tt.ptr<i64>) attributes {noinline = false} {
    %c0_i64 = arith.constant 0 : i64
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant 0.000000e+00 : f32
    %at = tt.get_program_id x : i32
    %at_0 = tt.addptr %first_ptr, %at : !tt.ptr<i64>, i32
    %at_1 = tt.load %at_0 : !tt.ptr<i64>
    %count:3 = scf.while (%at_2 = %at_1, %total = %cst, %count_3 = %c0_i32) : (i64, f32, i32) -> (i64, f32, i32) {
      %3 = arith.cmpi sge, %at_2, %c0_i64 : i64
      scf.condition(%3) %at_2, %total, %count_3 : i64, f32, i32
    } do {
    ^bb0(%at_2: i64, %total: f32, %count_3: i32):
      %total_4 = tt.addptr %x_ptr, %at_2 : !tt.ptr<f32>, i64
      %total_5 = tt.load %total_4 : !tt.ptr<f32>
      %total_6 = arith.addf %total, %total_5 : f32
      %at_7 = tt.addptr %next_ptr, %at_2 : !tt.ptr<i64>, i64
      %at_8 = tt.load %at_7 : !tt.ptr<i64>
      %count_9 = arith.addi %count_3, %c1_i32 : i32
      scf.yield %at_8, %total_6, %count_9 : i64, f32, i32
    }
    %0 = tt.addptr %out_ptr, %at : !tt.ptr<f32>, i32
    tt.store %0, %count#1 : !tt.ptr<f32>
    %1 = tt.addptr %count_ptr, %at : !tt.ptr<i64>, i32
    %2 = arith.extsi %count#2 : i32 to i64
    tt.store %1, %2 : !tt.ptr<i64>
    tt.return
  }
}
--file chain.fx--
graph chain {
  %r = aten.arange.default(10, dtype=torch.float32, device=cpu)
  %s = aten.add.Scalar(%r, 1)
  %n = aten.arange.start_step(1, 11, 1, dtype=torch.int64, device=cpu)
  %m = aten.remainder.Scalar(%n, 4)
  %z = aten.eq.Scalar(%m, 0)
  %next = aten.masked_fill.Scalar(%n, %z, -1)
  %last = aten.eq.Scalar(%next, 10)
  %next_1 = aten.masked_fill.Scalar(%next, %last, -1)
  %f = aten.arange.start_step(0, 12, 3, dtype=torch.int64, device=cpu)
  %out = aten.empty.memory_format([4], dtype=torch.float32, device=cpu)
  %count = aten.empty.memory_format([4], dtype=torch.int64, device=cpu)
  %k = ferrite.triton_kernel.default([%s, %next_1, %f, %out, %count], KERNEL, [4, 1, 1], [], [], [3, 4])
  %o = _operator.getitem(%k, 0)
  %p = _operator.getitem(%k, 1)
  output (user %o, user %p)
}
--out--
program g
temp   @buf0 : f32[10] strides [1] origin 1
temp   @buf1 : i64[10] strides [1] origin 7
temp   @buf2 : i64[4] strides [1] origin 8
temp   @buf3 : f32[4] strides [1] origin 9
temp   @buf4 : i64[4] strides [1] origin 10
temp   @buf5 : bool[4] strides [1] origin 11
temp   @buf6 : i64[4] strides [1] origin 11
temp   @buf7 : f32[4] strides [1] origin 11
temp   @buf8 : i32[4] strides [1] origin 11
temp   @buf9 : bool[4] strides [1] origin 11
temp   @buf10 : bool[] strides [] origin 11
temp   @buf11 : bool[] strides [] origin 11
temp   @buf12 : i64[4] strides [1] origin 11
temp   @buf13 : f32[4] strides [1] origin 11
temp   @buf14 : i32[4] strides [1] origin 11
temp   @buf15 : f32[4] strides [1] origin 11
temp   @buf16 : i64[4] strides [1] origin 11
nest [i0 < 10] origin 1 {
  %0 = index i0 : i64
  %1 = cast %0 : f64
  %2 = cast %1 : f32
  %3 = const 1.0 : f32
  %4 = add %2, %3 : f32
  @buf0[i0] = %4
}
nest [i0 < 10] origin 7 {
  %0 = index (i0 + 1) % 4 : i64
  %1 = const 0 : i64
  %2 = eq %0, %1 : bool
  %3 = const -1 : i64
  %4 = index i0 + 1 : i64
  %5 = where %2, %3, %4 : i64
  %6 = const 10 : i64
  %7 = eq %5, %6 : bool
  %8 = where %7, %3, %5 : i64
  @buf1[i0] = %8
}
nest [i0 < 4] origin 8 {
  %0 = index 3*i0 : i64
  @buf2[i0] = %0
}
nest [i0 < 4] origin 9 {
  %0 = const 0.0 : f32
  @buf3[i0] = %0
}
nest [i0 < 4] origin 10 {
  %0 = const 0 : i64
  @buf4[i0] = %0
}
nest [i0 < 4] origin 11 {
  %0 = const 1 : bool
  @buf5[i0] = %0
}
nest [i0 < 4] origin 11 {
  %0 = load i64 @buf2[i0]
  @buf6[i0] = %0
}
nest [i0 < 4] origin 11 {
  %0 = const 0.0 : f32
  @buf7[i0] = %0
}
nest [i0 < 4] origin 11 {
  %0 = const 0 : i32
  @buf8[i0] = %0
}
repeat forever origin 11
nest [i0 < 4] origin 11 {
  %0 = load bool @buf5[i0]
  %1 = const 0 : i64
  %2 = load i64 @buf6[i0]
  %3 = le %1, %2 : bool
  %4 = and %0, %3 : bool
  @buf9[i0] = %4
}
nest [] reduce [r0 < 4] origin 11 {
  %0 = load bool @buf9[r0]
  @buf10[0] = any %0
}
nest [] origin 11 {
  %0 = load bool @buf10[0]
  @buf11[0] = %0
}
while @buf11[]{} origin 11
nest [i0 < 4] origin 11 {
  %0 = load bool @buf9[i0]
  @buf5[i0] = %0
}
nest [i0 < 4] origin 11 {
  %0 = load bool @buf5[i0]
  %1 = load i64 @buf6[i0]
  j0 = indirect %1 < 10 origin 11
  %2 = load i64 @buf1[j0]
  %3 = const 0 : i64
  %4 = masked %0, %2, %3 : i64
  %5 = where %0, %4, %1 : i64
  @buf12[i0] = %5
}
nest [i0 < 4] origin 11 {
  %0 = load bool @buf5[i0]
  %1 = load f32 @buf7[i0]
  %2 = load i64 @buf6[i0]
  j0 = indirect %2 < 10 origin 11
  %3 = load f32 @buf0[j0]
  %4 = const 0.0 : f32
  %5 = masked %0, %3, %4 : f32
  %6 = add %1, %5 : f32
  %7 = where %0, %6, %1 : f32
  @buf13[i0] = %7
}
nest [i0 < 4] origin 11 {
  %0 = load bool @buf5[i0]
  %1 = load i32 @buf8[i0]
  %2 = const 1 : i32
  %3 = add %1, %2 : i32
  %4 = where %0, %3, %1 : i32
  @buf14[i0] = %4
}
nest [i0 < 4] origin 11 {
  %0 = load i64 @buf12[i0]
  @buf6[i0] = %0
}
nest [i0 < 4] origin 11 {
  %0 = load f32 @buf13[i0]
  @buf7[i0] = %0
}
nest [i0 < 4] origin 11 {
  %0 = load i32 @buf14[i0]
  @buf8[i0] = %0
}
end origin 11
nest [i0 < 4] origin 11 {
  %0 = load f32 @buf7[i0]
  @buf15[i0] = %0
}
nest [i0 < 4] origin 11 {
  %0 = load i32 @buf8[i0]
  %1 = cast %0 : i64
  @buf16[i0] = %1
}
output @buf15[4]{1}
output @buf16[4]{1}
--run-- awk -f $ROOT/test/ttir/embed.awk chain.ttir chain.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 16 out/0.npy | od -An -v -w16 -tf4; done
--out--
              10               4              15              10
              10               4              15              10
              10               4              15              10
              10               4              15              10
              10               4              15              10
--run-- awk -f $ROOT/test/ttir/embed.awk sift.ttir sift.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 80 out/0.npy | od -An -v -w40 -tf4; done
--file sift.ttir--
module {
  tt.func public @sift_kernel(%x_ptr: !tt.ptr<f32>, %n: i32) attributes {noinline = false} {
    %cst = arith.constant 0xFF800000 : f32
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %row = tt.get_program_id x : i32
    %row_0 = arith.muli %row, %n : i32
    %row_1 = tt.addptr %x_ptr, %row_0 : !tt.ptr<f32>, i32
    scf.for %i = %c1_i32 to %n step %c1_i32  : i32 {
      %key = tt.addptr %row_1, %i : !tt.ptr<f32>, i32
      %key_2 = tt.load %key : !tt.ptr<f32>
      %j = arith.subi %i, %c1_i32 : i32
      %above = tt.addptr %row_1, %j : !tt.ptr<f32>, i32
      %above_3 = tt.load %above : !tt.ptr<f32>
      %above_4:2 = scf.while (%j_5 = %j, %above_6 = %above_3) : (i32, f32) -> (i32, f32) {
        %2 = arith.cmpi sge, %j_5, %c0_i32 : i32
        %3 = arith.cmpf ogt, %above_6, %key_2 : f32
        %4 = arith.andi %2, %3 : i1
        scf.condition(%4) %j_5, %above_6 : i32, f32
      } do {
      ^bb0(%j_5: i32, %above_6: f32):
        %2 = tt.addptr %row_1, %j_5 : !tt.ptr<f32>, i32
        %3 = tt.addptr %2, %c1_i32 : !tt.ptr<f32>, i32
        tt.store %3, %above_6 : !tt.ptr<f32>
        %j_7 = arith.subi %j_5, %c1_i32 : i32
        %above_8 = arith.cmpi sge, %j_7, %c0_i32 : i32
        %above_9 = tt.addptr %row_1, %j_7 : !tt.ptr<f32>, i32
        %above_10 = tt.load %above_9, %above_8, %cst : !tt.ptr<f32>
        scf.yield %j_7, %above_10 : i32, f32
      }
      %0 = tt.addptr %row_1, %above_4#0 : !tt.ptr<f32>, i32
      %1 = tt.addptr %0, %c1_i32 : !tt.ptr<f32>, i32
      tt.store %1, %key_2 : !tt.ptr<f32>
    }
    tt.return
  }
}
--file sift.fx--
graph sift {
  %r = aten.arange.default(20, dtype=torch.float32, device=cpu)
  %s = aten.mul.Scalar(%r, 7)
  %m = aten.remainder.Scalar(%s, 20)
  %x = aten.view.default(%m, [2, 10])
  %k = ferrite.triton_kernel.default([%x], KERNEL, [2, 1, 1], [10], [], [0])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
               0               1               2               3               7               8               9              14              15              16
               4               5               6              10              11              12              13              17              18              19
               0               1               2               3               7               8               9              14              15              16
               4               5               6              10              11              12              13              17              18              19
               0               1               2               3               7               8               9              14              15              16
               4               5               6              10              11              12              13              17              18              19
               0               1               2               3               7               8               9              14              15              16
               4               5               6              10              11              12              13              17              18              19
               0               1               2               3               7               8               9              14              15              16
               4               5               6              10              11              12              13              17              18              19
--run-- awk -f $ROOT/test/ttir/embed.awk turn.ttir turn.fx >g.fx; ferrite inspect g.fx --stage loop
--file turn.ttir--
module {
  tt.func public @turn(%out_ptr: !tt.ptr<f32>, %n: i32) attributes {noinline = false} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    scf.for %step = %c0 to %n step %c1  : i32 {
      %m = arith.remsi %step, %c3 : i32
      %p = tt.addptr %out_ptr, %m : !tt.ptr<f32>, i32
      %v = arith.sitofp %step : i32 to f32
      tt.store %p, %v : !tt.ptr<f32>
    }
    tt.return
  }
}
--file turn.fx--
graph turn {
  %out = aten.full.default([3], 7.0, dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%out], KERNEL, [1, 1, 1], [1000], [], [0])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
program g
temp   @buf0 : f32[3] strides [1] origin 0
temp   @buf1 : f32[3] strides [1] origin 1
nest [i0 < 3] origin 0 {
  %0 = const 7.0 : f32
  @buf0[i0] = %0
}
nest [i0 < 3] origin 1 {
  %0 = load f32 @buf0[i0]
  @buf1[i0] = %0
}
repeat u0 < 1000 origin 1
nest [] origin 1 {
  %0 = index u0 : i64
  %1 = cast %0 : i32
  %2 = cast %1 : f32
  @buf1[u0 % 3] = %2
}
end origin 1
output @buf1[3]{1}
--run-- awk -f $ROOT/test/ttir/embed.awk turn.ttir turn.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 12 out/0.npy | od -An -v -w12 -tf4; done
--out--
             999             997             998
             999             997             998
             999             997             998
             999             997             998
             999             997             998
--run-- awk -f $ROOT/test/ttir/embed.awk two.ttir two.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 20 out/0.npy | od -An -v -w20 -tf4; done
--file two.ttir--
module {
  tt.func public @two(%out_ptr: !tt.ptr<f32>, %n: i32) attributes {noinline = false} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %f = arith.constant 0.5 : f32
    scf.for %step = %c0 to %n step %c1  : i32 {
      %p = tt.addptr %out_ptr, %step : !tt.ptr<f32>, i32
      %q = tt.addptr %p, %c1 : !tt.ptr<f32>, i32
      %v = arith.sitofp %step : i32 to f32
      tt.store %p, %v : !tt.ptr<f32>
      %w = arith.addf %v, %f : f32
      tt.store %q, %w : !tt.ptr<f32>
    }
    tt.return
  }
}
--file two.fx--
graph two {
  %out = aten.full.default([5], 7.0, dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%out], KERNEL, [1, 1, 1], [4], [], [0])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
               0               1               2               3             3.5
               0               1               2               3             3.5
               0               1               2               3             3.5
               0               1               2               3             3.5
               0               1               2               3             3.5
--run-- awk -f $ROOT/test/ttir/embed.awk walk.ttir walk.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 16 out/0.npy | od -An -v -w16 -tf4; done
--file walk.ttir--
module {
  tt.func public @walk_kernel(%x_ptr: !tt.ptr<f32>, %out_ptr: !tt.ptr<f32>, %n: i32) attributes {noinline = false} {
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant 5.000000e-01 : f32
    %c1_i32 = arith.constant 1 : i32
    %h = arith.constant 0.000000e+00 : f32
    %x_ptr_0 = tt.get_program_id x : i32
    %x_ptr_1 = arith.muli %x_ptr_0, %n : i32
    %x_ptr_2 = tt.addptr %x_ptr, %x_ptr_1 : !tt.ptr<f32>, i32
    %out_ptr_3 = tt.addptr %out_ptr, %x_ptr_1 : !tt.ptr<f32>, i32
    %h_4:3 = scf.for %_ = %c0_i32 to %n step %c1_i32 iter_args(%x_ptr_5 = %x_ptr_2, %out_ptr_6 = %out_ptr_3, %h_7 = %h) -> (!tt.ptr<f32>, !tt.ptr<f32>, f32)  : i32 {
      %h_8 = arith.mulf %h_7, %cst : f32
      %h_9 = tt.load %x_ptr_5 : !tt.ptr<f32>
      %h_10 = arith.addf %h_8, %h_9 : f32
      tt.store %out_ptr_6, %h_10 : !tt.ptr<f32>
      %x_ptr_11 = tt.addptr %x_ptr_5, %c1_i32 : !tt.ptr<f32>, i32
      %out_ptr_12 = tt.addptr %out_ptr_6, %c1_i32 : !tt.ptr<f32>, i32
      scf.yield %x_ptr_11, %out_ptr_12, %h_10 : !tt.ptr<f32>, !tt.ptr<f32>, f32
    }
    tt.return
  }
}
--file walk.fx--
graph walk {
  %r = aten.arange.default(400, dtype=torch.float32, device=cpu)
  %x = aten.view.default(%r, [2, 200])
  %out = aten.empty.memory_format([2, 200], dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%x, %out], KERNEL, [2, 1, 1], [200], [], [1])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
             790             792             794             796
             790             792             794             796
             790             792             794             796
             790             792             794             796
             790             792             794             796
