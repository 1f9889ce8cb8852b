# floats of 8 bits have no overflow; the nearest ones, half to even; or those that are not further from 0, with which none overflows
--run-- awk -f $ROOT/test/ttir/embed.awk narrow.ttir narrow.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 128 out/0.npy | od -An -v -w32 -td4; done
--file narrow.ttir--
module {
  tt.func public @narrow_kernel(%x_ptr: !tt.ptr<f32>, %out_ptr: !tt.ptr<i32>) attributes {noinline = false} {
    %c24_i32 = arith.constant 24 : i32
    %c16_i32 = arith.constant 16 : i32
    %c8_i32 = arith.constant 8 : i32
    %o = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %x = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %x_0 = tt.addptr %x, %o : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %x_1 = tt.load %x_0 : tensor<8x!tt.ptr<f32>>
    %0 = tt.splat %out_ptr : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
    %1 = tt.addptr %0, %o : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
    %2 = tt.fp_to_fp %x_1, rounding = rtne : tensor<8xf32> -> tensor<8xf8E4M3FN>
    %3 = tt.bitcast %2 : tensor<8xf8E4M3FN> -> tensor<8xi8>
    %4 = arith.extui %3 : tensor<8xi8> to tensor<8xi32>
    tt.store %1, %4 : tensor<8x!tt.ptr<i32>>
    %5 = tt.addptr %out_ptr, %c8_i32 : !tt.ptr<i32>, i32
    %6 = tt.splat %5 : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
    %7 = tt.addptr %6, %o : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
    %8 = arith.truncf %x_1 : tensor<8xf32> to tensor<8xf16>
    %9 = tt.fp_to_fp %8, rounding = rtne : tensor<8xf16> -> tensor<8xf8E5M2>
    %10 = tt.bitcast %9 : tensor<8xf8E5M2> -> tensor<8xi8>
    %11 = arith.extsi %10 : tensor<8xi8> to tensor<8xi32>
    tt.store %7, %11 : tensor<8x!tt.ptr<i32>>
    %12 = tt.addptr %out_ptr, %c16_i32 : !tt.ptr<i32>, i32
    %13 = tt.splat %12 : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
    %14 = tt.addptr %13, %o : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
    %15 = tt.fp_to_fp %x_1, rounding = rtz : tensor<8xf32> -> tensor<8xf16>
    %16 = tt.bitcast %15 : tensor<8xf16> -> tensor<8xi16>
    %17 = arith.extsi %16 : tensor<8xi16> to tensor<8xi32>
    tt.store %14, %17 : tensor<8x!tt.ptr<i32>>
    %18 = tt.addptr %out_ptr, %c24_i32 : !tt.ptr<i32>, i32
    %19 = tt.splat %18 : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
    %20 = tt.addptr %19, %o : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
    %21 = tt.fp_to_fp %x_1, rounding = rtz : tensor<8xf32> -> tensor<8xbf16>
    %22 = tt.bitcast %21 : tensor<8xbf16> -> tensor<8xi16>
    %23 = arith.extsi %22 : tensor<8xi16> to tensor<8xi32>
    tt.store %20, %23 : tensor<8x!tt.ptr<i32>>
    tt.return
  }
}
--file narrow.fx--
graph narrow {
  %r = aten.arange.default(8, dtype=torch.float32, device=cpu)
  %s = aten.mul.Tensor(%r, 12345.67)
  %x = aten.sub.Tensor(%s, 300.3)
  %out = aten.empty.memory_format([4, 8], dtype=torch.int32, device=cpu)
  %k = ferrite.triton_kernel.default([%x, %out], KERNEL, [1, 1, 1], [], [], [1])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
         249         126         126         126         126         126         126         126
         -35         114         118         120         122         123         123         123
       -9039       29153       30196       30844       31229       31615       31743       31743
      -15466       17980       18110       18191       18239       18287       18320       18344
         249         126         126         126         126         126         126         126
         -35         114         118         120         122         123         123         123
       -9039       29153       30196       30844       31229       31615       31743       31743
      -15466       17980       18110       18191       18239       18287       18320       18344
         249         126         126         126         126         126         126         126
         -35         114         118         120         122         123         123         123
       -9039       29153       30196       30844       31229       31615       31743       31743
      -15466       17980       18110       18191       18239       18287       18320       18344
         249         126         126         126         126         126         126         126
         -35         114         118         120         122         123         123         123
       -9039       29153       30196       30844       31229       31615       31743       31743
      -15466       17980       18110       18191       18239       18287       18320       18344
         249         126         126         126         126         126         126         126
         -35         114         118         120         122         123         123         123
       -9039       29153       30196       30844       31229       31615       31743       31743
      -15466       17980       18110       18191       18239       18287       18320       18344
--run-- awk -f $ROOT/test/ttir/embed.awk whole.ttir whole.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 96 out/0.npy | od -An -v -w32 -td8; done
--file whole.ttir--
module {
  tt.func public @whole_kernel(%x_ptr: !tt.ptr<f32>, %out_ptr: !tt.ptr<i64>) attributes {noinline = false} {
    %cst = arith.constant dense<3> : tensor<4xi64>
    %c8_i32 = arith.constant 8 : i32
    %cst_0 = arith.constant dense<0x4B800000> : tensor<4xf32>
    %c4_i32 = arith.constant 4 : i32
    %o = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %x = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
    %x_1 = tt.addptr %x, %o : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    %x_2 = tt.load %x_1 : tensor<4x!tt.ptr<f32>>
    %0 = tt.splat %out_ptr : !tt.ptr<i64> -> tensor<4x!tt.ptr<i64>>
    %1 = tt.addptr %0, %o : tensor<4x!tt.ptr<i64>>, tensor<4xi32>
    %2 = arith.fptoui %x_2 : tensor<4xf32> to tensor<4xi32>
    %3 = arith.extui %2 : tensor<4xi32> to tensor<4xi64>
    tt.store %1, %3 : tensor<4x!tt.ptr<i64>>
    %4 = tt.addptr %out_ptr, %c4_i32 : !tt.ptr<i64>, i32
    %5 = tt.splat %4 : !tt.ptr<i64> -> tensor<4x!tt.ptr<i64>>
    %6 = tt.addptr %5, %o : tensor<4x!tt.ptr<i64>>, tensor<4xi32>
    %7 = arith.divf %x_2, %cst_0 : tensor<4xf32>
    %8 = arith.fptoui %7 : tensor<4xf32> to tensor<4xi8>
    %9 = arith.extui %8 : tensor<4xi8> to tensor<4xi64>
    tt.store %6, %9 : tensor<4x!tt.ptr<i64>>
    %10 = tt.addptr %out_ptr, %c8_i32 : !tt.ptr<i64>, i32
    %11 = tt.splat %10 : !tt.ptr<i64> -> tensor<4x!tt.ptr<i64>>
    %12 = tt.addptr %11, %o : tensor<4x!tt.ptr<i64>>, tensor<4xi32>
    %13 = arith.fptoui %x_2 : tensor<4xf32> to tensor<4xi64>
    %14 = arith.divsi %13, %cst : tensor<4xi64>
    tt.store %12, %14 : tensor<4x!tt.ptr<i64>>
    tt.return
  }
}
--file whole.fx--
graph whole {
  %r = aten.arange.default(4, dtype=torch.float32, device=cpu)
  %x = aten.mul.Tensor(%r, 1234567890)
  %out = aten.empty.memory_format([3, 4], dtype=torch.int64, device=cpu)
  %k = ferrite.triton_kernel.default([%x, %out], KERNEL, [1, 1, 1], [], [], [1])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
                    0           1234567936           2469135872           3703703808
                    0                   73                  147                  220
                    0            411522645            823045290           1234567936
                    0           1234567936           2469135872           3703703808
                    0                   73                  147                  220
                    0            411522645            823045290           1234567936
                    0           1234567936           2469135872           3703703808
                    0                   73                  147                  220
                    0            411522645            823045290           1234567936
                    0           1234567936           2469135872           3703703808
                    0                   73                  147                  220
                    0            411522645            823045290           1234567936
                    0           1234567936           2469135872           3703703808
                    0                   73                  147                  220
                    0            411522645            823045290           1234567936
