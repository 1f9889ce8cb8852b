# orders of dims, views of views, casts that lose nothing
--run-- ferrite inspect - --stage fx --verify | grep -v placeholder
--in--
graph undone {
  placeholder %x user "x" : f32[2,3,4]
  placeholder %h user "h" : f16[4]
  placeholder %i user "i" : i32[4]
  %a = aten.transpose.int(%x, 0, 2)
  %b = aten.permute.default(%a, [2, 1, 0])
  %c = aten.neg.default(%b)
  %d = aten.permute.default(%x, [1, 2, 0])
  %e = aten.transpose.int(%d, 0, 1)
  %f = aten.exp.default(%e)
  %g = aten.view.default(%x, [6, 4])
  %k = aten.reshape.default(%g, [3, 8])
  %l = aten.abs.default(%k)
  %m = aten.to.dtype(%h, torch.float32)
  %n = aten.to.dtype(%m, torch.float16)
  %o = aten.neg.default(%n)
  %p = aten.to.dtype(%i, torch.float32)
  %q = aten.to.dtype(%p, torch.int32)
  %r = aten.neg.default(%q)
  output (user %c, user %f, user %l, user %o, user %r)
}
# pieces put together again, items of what was put together; writes over all of it, over another write, at the places of a ramp
--out--
graph undone {
  functional
  %c = aten.neg.default(%x) : f32[2,3,4]{12,4,1}@4
  %permute = aten.permute.default(%x, [2, 1, 0]) : f32[4,3,2]{1,4,12}@1
  %f = aten.exp.default(%permute) : f32[4,3,2]{1,4,12}@5
  %reshape = aten.reshape.default(%x, [3, 8]) : f32[3,8]{8,1}@1
  %l = aten.abs.default(%reshape) : f32[3,8]{8,1}@6
  %o = aten.neg.default(%h) : f16[4]{1}@9
  %p = aten.to.dtype(%i, torch.float32, False, False, None) : f32[4]{1}@10
  %q = aten.to.dtype(%p, torch.int32, False, False, None) : i32[4]{1}@11
  %r = aten.neg.default(%q) : i32[4]{1}@12
  output (user %c, user %f, user %l, user %o, user %r)
}
--run-- ferrite inspect - --dump-after simplify --verify | grep -v placeholder
--in--
graph pieces {
  placeholder %x user "x" : f32[4,6]
  placeholder %y user "y" : f32[4,2]
  placeholder %v user "v" : f32[6]
  %s = aten.split.Tensor(%x, 2, 1)
  %s0 = _operator.getitem(%s, 0)
  %s1 = _operator.getitem(%s, 1)
  %s2 = _operator.getitem(%s, 2)
  %all = aten.cat.default([%s0, %s1, %s2], -1)
  %a = aten.exp.default(%all)
  %ab = aten.cat.default([%x, %y], 1)
  %second = aten.slice.Tensor(%ab, 1, 6, 8)
  %b = aten.neg.default(%second)
  %parts = aten.split_with_sizes.default(%ab, [6, 2], 1)
  %p0 = _operator.getitem(%parts, 0)
  %c = aten.abs.default(%p0)
  %st = aten.stack.default([%v, %v], 0)
  %one = aten.select.int(%st, 0, -1)
  %d = aten.sin.default(%one)
  %w1 = aten.slice_scatter.default(%x, %y, 1, 0, 2)
  %w2 = aten.slice_scatter.default(%w1, %y, 1, 0, 2)
  %n = aten.neg.default(%x)
  %w3 = aten.slice_scatter.default(%x, %n, 0, 0, 9223372036854775807)
  %ramp = aten.arange.start(1, 3)
  %w4 = aten.index_put.default(%x, [%ramp], %v)
  output (user %a, user %b, user %c, user %d, user %w2, user %w3, user %w4)
}
# left alone: casts that round, an order that differs, items out of order, a piece that is returned or viewed, accumulation
--out--
# after simplify
graph pieces {
  functional
  %s = aten.split.Tensor(%x, 2, 1) : (f32[4,2]{6,1}@1, f32[4,2]{6,1}+2@1, f32[4,2]{6,1}+4@1)
  %s0 = _operator.getitem(%s, 0) : f32[4,2]{6,1}@1
  %s1 = _operator.getitem(%s, 1) : f32[4,2]{6,1}+2@1
  %s2 = _operator.getitem(%s, 2) : f32[4,2]{6,1}+4@1
  %a = aten.exp.default(%x) : f32[4,6]{6,1}@5
  %ab = aten.cat.default([%x, %y], 1) : f32[4,8]{8,1}@6
  %b = aten.neg.default(%y) : f32[4,2]{2,1}@7
  %parts = aten.split_with_sizes.default(%ab, [6, 2], 1) : (f32[4,6]{8,1}@6, f32[4,2]{8,1}+6@6)
  %c = aten.abs.default(%x) : f32[4,6]{6,1}@8
  %st = aten.stack.default([%v, %v], 0) : f32[2,6]{6,1}@9
  %d = aten.sin.default(%v) : f32[6]{1}@10
  %w1 = aten.slice_scatter.default(%x, %y, 1, 0, 2, 1) : f32[4,6]{6,1}@11
  %slice_scatter = aten.slice_scatter.default(%x, %y, 1, 0, 2, 1) : f32[4,6]{6,1}@17
  %n = aten.neg.default(%x) : f32[4,6]{6,1}@13
  %w3 = aten.slice_scatter.default(%x, %n, 0, 0, 9223372036854775807, 1) : f32[4,6]{6,1}@14
  %ramp = aten.arange.start(1, 3, None, None, None, None) : i64[2]{1}@15
  %expand = aten.expand.default(%v, [2, 6], False) : f32[2,6]{0,1}@3
  %slice_scatter_1 = aten.slice_scatter.default(%x, %expand, 0, 1, 3, 1) : f32[4,6]{6,1}@18
  output (user %a, user %b, user %c, user %d, user %slice_scatter, user %w3, user %slice_scatter_1)
}
--run-- ferrite inspect - --dump-after simplify --verify <in.fx | grep -v placeholder | sed 's/@[0-9]*//g' >after; ferrite inspect - --dump-after noop <in.fx | sed 's/@[0-9]*//g' | grep -v placeholder | sed 's/noop/simplify/' | diff - after
--file in.fx--
graph kept {
  placeholder %x user "x" : f32[4,6]
  placeholder %y user "y" : f32[4,2]
  placeholder %v user "v" : f32[6]
  %h = aten.to.dtype(%x, torch.float16)
  %f = aten.to.dtype(%h, torch.float32)
  %s = aten.split.Tensor(%x, 2, 1)
  %s0 = _operator.getitem(%s, 0)
  %s1 = _operator.getitem(%s, 1)
  %s2 = _operator.getitem(%s, 2)
  %all = aten.cat.default([%s1, %s0, %s2], 1)
  %ab = aten.cat.default([%x, %y], 1)
  %second = aten.slice.Tensor(%ab, 1, 6, 8)
  %part = aten.slice.Tensor(%ab, 1, 1, 3)
  %n = aten.neg.default(%part)
  %first = aten.slice.Tensor(%ab, 1, 0, 6)
  %flat = aten.reshape.default(%first, [-1])
  %ramp = aten.arange.start(1, 3)
  %w = aten.index_put.default(%x, [%ramp], %v, True)
  output (user %f, user %all, user %second, user %n, user %flat, user %w)
}
--run-- ferrite inspect - --stage fx --verify | grep -e cat -e output
--in--
graph slices_put_together {
  placeholder %x user "x" : f32[4,6]
  placeholder %y user "y" : f32[4,6]
  %a = aten.slice.Tensor(%x, 1, None, 2)
  %b = aten.slice.Tensor(%x, 1, 2, -1)
  %c = aten.slice.Tensor(%x, -1, -1, 9223372036854775807)
  %whole = aten.cat.default([%a, %b, %c], 1)
  %gone = aten.exp.default(%whole)
  %gap = aten.cat.default([%a, %c], 1)
  %back = aten.cat.default([%b, %a, %c], 1)
  %other = aten.slice.Tensor(%y, 1, 2, -1)
  %mixed = aten.cat.default([%a, %other, %c], 1)
  %even = aten.slice.Tensor(%x, 1, 0, 6, 2)
  %odd = aten.slice.Tensor(%x, 1, 3, 6)
  %steps = aten.cat.default([%even, %odd], 1)
  %copy = aten.cat.default([%x], 0)
  %up = aten.slice.Tensor(%y, 0, 0, 2)
  %low = aten.slice.Tensor(%y, 0, 2, 4)
  %returned = aten.cat.default([%up, %low], 0)
  output (user %gone, user %gap, user %back, user %mixed, user %steps, user %copy, user %returned)
}
--out--
  %gap = aten.cat.default([%a, %c], 1) : f32[4,3]{3,1}@5
  %back = aten.cat.default([%b, %a, %c], 1) : f32[4,6]{6,1}@6
  %mixed = aten.cat.default([%a, %other, %c], 1) : f32[4,6]{6,1}@7
  %steps = aten.cat.default([%even, %odd], 1) : f32[4,6]{6,1}@8
  %copy = aten.cat.default([%x], 0) : f32[4,6]{6,1}@9
  %returned = aten.cat.default([%up, %low], 0) : f32[4,6]{6,1}@10
  output (user %gone, user %gap, user %back, user %mixed, user %steps, user %copy, user %returned)
