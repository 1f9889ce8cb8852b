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
