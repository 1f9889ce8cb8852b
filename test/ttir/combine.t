# a scan by a function of the kernel's: each element takes in what stands 1, 2, 4, ... before it
--run-- awk -f $ROOT/test/ttir/embed.awk joined.ttir joined.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 24 out/0.npy | od -An -v -w24 -tf4; done
--file joined.ttir--
module {
  tt.func public @associative_kernel(%a_ptr: !tt.ptr<f32>, %x_ptr: !tt.ptr<f32>, %out_ptr: !tt.ptr<f32>, %n: i32) attributes {noinline = false} {
    %x = arith.constant dense<0.000000e+00> : tensor<64xf32>
    %a = arith.constant dense<1.000000e+00> : tensor<64xf32>
    %0 = tt.get_program_id x : i32
    %1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %a_0 = tt.splat %n : i32 -> tensor<64xi32>
    %a_1 = arith.cmpi slt, %1, %a_0 : tensor<64xi32>
    %a_2 = arith.muli %0, %n : i32
    %a_3 = tt.addptr %a_ptr, %a_2 : !tt.ptr<f32>, i32
    %a_4 = tt.splat %a_3 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %a_5 = tt.addptr %a_4, %1 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %a_6 = tt.load %a_5, %a_1, %a : tensor<64x!tt.ptr<f32>>
    %x_7 = tt.addptr %x_ptr, %a_2 : !tt.ptr<f32>, i32
    %x_8 = tt.splat %x_7 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %x_9 = tt.addptr %x_8, %1 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %x_10 = tt.load %x_9, %a_1, %x : tensor<64x!tt.ptr<f32>>
    %2:2 = "tt.scan"(%a_6, %x_10) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%arg4: f32, %arg5: f32, %arg6: f32, %arg7: f32):
      %6 = arith.mulf %arg4, %arg6 : f32
      %7 = arith.mulf %arg6, %arg5 : f32
      %8 = arith.addf %7, %arg7 : f32
      tt.scan.return %6, %8 : f32, f32
    }) : (tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
    %3 = tt.addptr %out_ptr, %a_2 : !tt.ptr<f32>, i32
    %4 = tt.splat %3 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %5 = tt.addptr %4, %1 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %5, %2#1, %a_1 : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
--file joined.fx--
graph joined {
  %a = aten.full.default([2, 50], 0.5, dtype=torch.float32, device=cpu)
  %r = aten.arange.default(100, dtype=torch.float32, device=cpu)
  %x = aten.view.default(%r, [2, 50])
  %out = aten.empty.memory_format([2, 50], dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%a, %x, %out], KERNEL, [2, 1, 1], [50], [], [2])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--out--
             186             188             190             192             194             196
             186             188             190             192             194             196
             186             188             190             192             194             196
             186             188             190             192             194             196
             186             188             190             192             194             196
--run-- awk -f $ROOT/test/ttir/embed.awk fold.ttir fold.fx >g.fx; for how in '--isa native' '--isa x86-64-v3' '--isa baseline' '--isa scalar' --no-cc; do ferrite run g.fx $how --output-dir out >log && tail -c 36 out/0.npy | od -An -v -w36 -tf4; done
--file fold.ttir--
module {
  tt.func public @fold(%x_ptr: !tt.ptr<f32>, %out_ptr: !tt.ptr<f32>, %back_ptr: !tt.ptr<f32>) attributes {noinline = false} {
    %at = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %p = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %q = tt.addptr %p, %at : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %x = tt.load %q : tensor<8x!tt.ptr<f32>>
    %r:2 = "tt.reduce"(%x, %at) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
      %c = arith.subi %j, %i : i32
      %f = arith.sitofp %c : i32 to f32
      %s = arith.mulf %f, %b : f32
      %t = arith.addf %a, %s : f32
      tt.reduce.return %t, %i : f32, i32
    }) : (tensor<8xf32>, tensor<8xi32>) -> (f32, i32)
    tt.store %out_ptr, %r#0 : !tt.ptr<f32>
    %m = "tt.scan"(%x) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%a: f32, %b: f32):
      %g = arith.cmpf ogt, %a, %b : f32
      %h = arith.select %g, %a, %b : f32
      tt.scan.return %h : f32
    }) : (tensor<8xf32>) -> tensor<8xf32>
    %u = tt.splat %back_ptr : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %v = tt.addptr %u, %at : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %v, %m : tensor<8x!tt.ptr<f32>>
    tt.return
  }
}
--file fold.fx--
graph fold {
  %r = aten.arange.default(8, dtype=torch.float32, device=cpu)
  %s = aten.mul.Scalar(%r, 3)
  %x = aten.remainder.Scalar(%s, 8)
  %out = aten.empty.memory_format([1], dtype=torch.float32, device=cpu)
  %back = aten.empty.memory_format([8], dtype=torch.float32, device=cpu)
  %k = ferrite.triton_kernel.default([%x, %out, %back], KERNEL, [1, 1, 1], [], [], [1, 2])
  %o = _operator.getitem(%k, 0)
  %b = _operator.getitem(%k, 1)
  %all = aten.cat.default([%o, %b])
  output (user %all)
}
--out--
             117               7               7               7               7               7               7               5               5
             117               7               7               7               7               7               7               5               5
             117               7               7               7               7               7               7               5               5
             117               7               7               7               7               7               7               5               5
             117               7               7               7               7               7               7               5               5
