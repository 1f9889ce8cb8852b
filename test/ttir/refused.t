# an operation that is not read is told by name, with the line of the kernel that it comes from, not the library's
--run-- cat places kernel >k.ttir; awk -f $ROOT/test/ttir/embed.awk k.ttir g.fx >h.fx; ferrite inspect h.fx --stage loop
--file places--
#loc = loc("kernels.py":5:0)
#loc2 = loc("folder/kernels.py":7:24)
#loc3 = loc("x"(#loc2))
#loc4 = loc("standard.py":99:2)
#loc5 = loc(callsite(#loc4 at #loc3))
--file kernel--
module {
  tt.func public @k(%p: !tt.ptr<f32>) {
    %h = tt.elementwise_inline_asm "nop" {constraints = "=r,r"} %p : i32 -> i32 loc(#loc5)
    tt.return loc(#loc2)
  } loc(#loc)
} loc(#loc)
--file g.fx--
graph g {
  placeholder %x user "x" : f32[3]
  %k = ferrite.triton_kernel.default([%x], KERNEL, [1], [], [], [0])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--err--
error: lower: cannot lower ferrite.triton_kernel.default: its kernel: tt.elementwise_inline_asm at kernels.py:7
  at %k in graph g
  help: replace it in the model, or register the operator as a custom operator with its own kernel
--status-- 1

# arguments are those of the kernel
--run-- cat places kernel >k.ttir; awk -f $ROOT/test/ttir/embed.awk k.ttir g.fx >h.fx; ferrite inspect h.fx --stage loop
--file kernel--
module {
  tt.func public @k(%p: !tt.ptr<f32>, %n: i32) {
    tt.return loc(#loc2)
  } loc(#loc)
} loc(#loc)
--err--
error: lower: cannot lower ferrite.triton_kernel.default: its kernel k takes another number of integers
  at %k in graph g
  help: replace it in the model, or register the operator as a custom operator with its own kernel
--status-- 1

# and of its types
--run-- cat places kernel >k.ttir; awk -f $ROOT/test/ttir/embed.awk k.ttir g.fx >h.fx; ferrite inspect h.fx --stage loop
--file kernel--
module {
  tt.func public @k(%p: !tt.ptr<f64>) {
    tt.return loc(#loc2)
  } loc(#loc)
} loc(#loc)
--err--
error: lower: cannot lower ferrite.triton_kernel.default: its kernel k takes another dtype than that of tensor 0
  at %k in graph g
  help: replace it in the model, or register the operator as a custom operator with its own kernel
--status-- 1

# what is written must be said
--run-- cat places kernel >k.ttir; awk -f $ROOT/test/ttir/embed.awk k.ttir g.fx >h.fx; ferrite inspect h.fx --stage loop
--file kernel--
module {
  tt.func public @k(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
    %c = arith.constant 2.0 : f32 loc(#loc5)
    tt.store %p, %c : !tt.ptr<f32> loc(#loc5)
    tt.return loc(#loc2)
  } loc(#loc)
} loc(#loc)
--file g.fx--
graph g {
  placeholder %x user "x" : f32[3]
  placeholder %y user "y" : f32[3]
  %k = ferrite.triton_kernel.default([%x, %y], KERNEL, [1], [], [], [1])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--err--
error: lower: cannot lower ferrite.triton_kernel.default: its kernel k writes to tensor 0, which is not said to be written
  at %k in graph g
  help: replace it in the model, or register the operator as a custom operator with its own kernel
--status-- 1

# of what is there
--run-- cat places kernel >k.ttir; awk -f $ROOT/test/ttir/embed.awk k.ttir g.fx >h.fx; ferrite inspect h.fx --stage loop
--file kernel--
module {
  tt.func public @k(%p: !tt.ptr<f32>) {
    tt.return loc(#loc2)
  } loc(#loc)
} loc(#loc)
--file g.fx--
graph g {
  placeholder %x user "x" : f32[3]
  %k = ferrite.triton_kernel.default([%x], KERNEL, [1], [], [], [1])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--err--
error: infer: ferrite.triton_kernel.default: there is no tensor 1 to be written
  at %k in graph g
  help: PyTorch refuses such arguments too: is the program whole?
--status-- 1

# a type that is not known
--run-- cat places kernel >k.ttir; awk -f $ROOT/test/ttir/embed.awk k.ttir g.fx >h.fx; ferrite inspect h.fx --stage loop
--file kernel--
module {
  tt.func public @k(%p: !tt.ptr<f32>) {
    %c = arith.constant 2.0 : f6E3M2FN loc(#loc5)
    tt.return loc(#loc2)
  } loc(#loc)
} loc(#loc)
--file g.fx--
graph g {
  placeholder %x user "x" : f32[3]
  %k = ferrite.triton_kernel.default([%x], KERNEL, [1], [], [], [0])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--err--
error: lower: cannot lower ferrite.triton_kernel.default: its kernel: arith.constant at kernels.py:7: a type that is not supported
  at %k in graph g
  help: replace it in the model, or register the operator as a custom operator with its own kernel
--status-- 1

# a loop that counts on by another number in each program
--run-- cat places kernel >k.ttir; awk -f $ROOT/test/ttir/embed.awk k.ttir g.fx >h.fx; ferrite inspect h.fx --stage loop
--file kernel--
module {
  tt.func public @k(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32 loc(#loc5)
    %c1 = arith.constant 1 : i32 loc(#loc5)
    %s = tt.get_program_id x : i32 loc(#loc5)
    %f = arith.constant 2.0 : f32 loc(#loc5)
    %r = scf.for %i = %c0 to %n step %s iter_args(%a = %f) -> (f32) : i32 {
    %b = arith.mulf %a, %a : f32 loc(#loc5)
    scf.yield %b : f32 loc(#loc5)
    } loc(#loc5)
    tt.store %p, %r : !tt.ptr<f32> loc(#loc5)
    tt.return loc(#loc2)
  } loc(#loc)
} loc(#loc)
--file g.fx--
graph g {
  placeholder %x user "x" : f32[3]
  placeholder %n user "n" : int s0
  %k = ferrite.triton_kernel.default([%x], KERNEL, [2], [%n], [], [0])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--err--
error: lower: cannot lower ferrite.triton_kernel.default: its kernel k: scf.for at kernels.py:7: a step that is not the same for all programs
  at %k in graph g
  help: replace it in the model, or register the operator as a custom operator with its own kernel
--status-- 1

# a text that is none
--run-- awk -f $ROOT/test/ttir/embed.awk k.ttir g.fx >h.fx; ferrite inspect h.fx --stage loop
--file k.ttir--
nothing
--file g.fx--
graph g {
  placeholder %x user "x" : f32[3]
  %k = ferrite.triton_kernel.default([%x], KERNEL, [1], [], [], [0])
  %o = _operator.getitem(%k, 0)
  output (user %o)
}
--err--
error: lower: cannot lower ferrite.triton_kernel.default: its kernel: its text: it has no public function
  at %k in graph g
  help: replace it in the model, or register the operator as a custom operator with its own kernel
--status-- 1

# a value that nothing defines
--run-- cat places kernel >k.ttir; awk -f $ROOT/test/ttir/embed.awk k.ttir g.fx >h.fx; ferrite inspect h.fx --stage loop
--file kernel--
module {
  tt.func public @k(%p: !tt.ptr<f32>) {
    %c = arith.addf %a, %b : f32 loc(#loc5)
    tt.return loc(#loc2)
  } loc(#loc)
} loc(#loc)
--err--
error: lower: cannot lower ferrite.triton_kernel.default: its kernel: its text: %a has not been defined
  at %k in graph g
  help: replace it in the model, or register the operator as a custom operator with its own kernel
--status-- 1
