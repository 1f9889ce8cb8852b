# vmap: calls that work element by element do so on all items; what is the same for all items is expanded; results lie as
# the program says
--run-- ferrite inspect - --from fx --dump-after vmap | sed '/^# foreach/,$d'
--in--
graph main {
  placeholder %x user "x" : f32[4,3]
  placeholder %y user "y" : f32[3,5,4]
  placeholder %b user "b" : f32[5]
  %enter = torch._functorch.predispatch._vmap_increment_nesting(4, "error")
  %row = torch._functorch.predispatch._add_batch_dim(%x, 0, 1) : f32[3]
  %plane = torch._functorch.predispatch._add_batch_dim(%y, 2, 1) : f32[3,5]
  %rows = aten.unsqueeze.default(%b, 0) : f32[1,5]
  %sum = aten.add.Tensor(%plane, %rows) : f32[3,5]
  %twice = aten.mul.Scalar(%row, 2) : f32[3]
  %back = torch._functorch.predispatch._remove_batch_dim(%sum, 1, 4, 1) : f32[3,4,5]
  %back_1 = torch._functorch.predispatch._remove_batch_dim(%twice, 1, 4, 0) : f32[4,3]
  %back_2 = torch._functorch.predispatch._remove_batch_dim(%b, 1, 4, 0) : f32[4,5]{0,1}
  %leave = torch._functorch.predispatch._vmap_decrement_nesting()
  output (user %back, user %back_1, user %back_2)
}
--out--
# after vmap
graph main {
  placeholder %x user "x" : f32[4,3]{3,1}@1
  placeholder %y user "y" : f32[3,5,4]{20,4,1}@2
  placeholder %b user "b" : f32[5]{1}@3
  %rows = aten.unsqueeze.default(%b, 0) : f32[1,5]{5,1}@3
  %movedim = aten.movedim.int(%y, 2, 0) : f32[4,3,5]{1,20,4}@2
  %add = aten.add.Tensor(%movedim, %rows, 1) : f32[4,3,5]{1,20,4}@6
  %movedim_1 = aten.movedim.int(%x, 0, 0) : f32[4,3]{3,1}@1
  %mul = aten.mul.Scalar(%movedim_1, 2) : f32[4,3]{3,1}@7
  %movedim_2 = aten.movedim.int(%add, 0, 1) : f32[3,4,5]{20,1,4}@6
  %empty = aten.empty.memory_format([60], torch.float32, None, None, None, None) : f32[60]{1}@8
  %as_strided_scatter = aten.as_strided_scatter.default(%empty, %movedim_2, [3, 4, 5], [20, 5, 1], 0) : f32[60]{1}@9
  %as_strided = aten.as_strided.default(%as_strided_scatter, [3, 4, 5], [20, 5, 1], 0) : f32[3,4,5]{20,5,1}@9
  %movedim_3 = aten.movedim.int(%mul, 0, 0) : f32[4,3]{3,1}@7
  %expand = aten.expand.default(%b, [4, 5], False) : f32[4,5]{0,1}@3
  %movedim_4 = aten.movedim.int(%expand, 0, 0) : f32[4,5]{0,1}@3
  output (user %as_strided, user %movedim_3, user %movedim_4)
}
--run-- ferrite inspect - --from fx --dump-after vmap | sed '/^# foreach/,$d'
--in--
graph main {
  placeholder %x user "x" : f32[4,3]
  placeholder %y user "y" : f32[5,3]
  %enter = torch._functorch.predispatch._vmap_increment_nesting(4, "error")
  %a = torch._functorch.predispatch._add_batch_dim(%x, 0, 1) : f32[3]
  %enter_1 = torch._functorch.predispatch._vmap_increment_nesting(5, "error")
  %b = torch._functorch.predispatch._add_batch_dim(%y, 0, 2) : f32[3]
  %dot = aten.dot.default(%a, %b) : f32[]
  %back = torch._functorch.predispatch._remove_batch_dim(%dot, 2, 5, 0) : f32[5]
  %leave = torch._functorch.predispatch._vmap_decrement_nesting()
  %back_1 = torch._functorch.predispatch._remove_batch_dim(%back, 1, 4, 1) : f32[5,4]
  %leave_1 = torch._functorch.predispatch._vmap_decrement_nesting()
  output (user %back_1)
}
--out--
# after vmap
graph main {
  placeholder %x user "x" : f32[4,3]{3,1}@1
  placeholder %y user "y" : f32[5,3]{3,1}@2
  %movedim = aten.movedim.int(%x, 0, 0) : f32[4,3]{3,1}@1
  %map_impl = higher_order.map_impl(@back_1_of_one, [%movedim], [%y]) : (f32[4,5]{5,1}@4)
  %getitem = _operator.getitem(%map_impl, 0) : f32[4,5]{5,1}@4
  %movedim_1 = aten.movedim.int(%getitem, 0, 1) : f32[5,4]{1,5}@4
  %empty = aten.empty.memory_format([20], torch.float32, None, None, None, None) : f32[20]{1}@5
  %as_strided_scatter = aten.as_strided_scatter.default(%empty, %movedim_1, [5, 4], [4, 1], 0) : f32[20]{1}@6
  %as_strided = aten.as_strided.default(%as_strided_scatter, [5, 4], [4, 1], 0) : f32[5,4]{4,1}@6
  output (user %as_strided)
}
graph back_1_of_one {
  placeholder %a user "" : f32[3]{1}@1
  placeholder %y user "" : f32[5,3]{3,1}@2
  %movedim = aten.movedim.int(%y, 0, 0) : f32[5,3]{3,1}@2
  %map_impl = higher_order.map_impl(@back_of_one, [%movedim], [%a]) : (f32[5]{1}@5)
  %getitem = _operator.getitem(%map_impl, 0) : f32[5]{1}@5
  %movedim_1 = aten.movedim.int(%getitem, 0, 0) : f32[5]{1}@5
  output (user %movedim_1)
}
graph back_of_one {
  placeholder %b user "" : f32[3]{1}@1
  placeholder %a user "" : f32[3]{1}@2
  %dot = aten.dot.default(%a, %b) : f32[]{}@4
  output (user %dot)
}
--run-- ferrite inspect - --from fx --dump-after vmap | sed '/^# foreach/,$d'
--in--
graph main {
  placeholder %x user "x" : f32[4,3]
  %a = torch._functorch.predispatch._add_batch_dim(%x, 0, 1) : f32[3]
  %c = aten.clone.default(%a) : f32[3]
  %d = aten.add_.Tensor(%c, 1) : f32[3]
  %s = aten.cumsum.default(%c, 0) : f32[3]
  %back = torch._functorch.predispatch._remove_batch_dim(%s, 1, 4, 0) : f32[4,3]
  output (user %back)
}
--out--
# after vmap
graph main {
  placeholder %x user "x" : f32[4,3]{3,1}@1
  %movedim = aten.movedim.int(%x, 0, 0) : f32[4,3]{3,1}@1
  %map_impl = higher_order.map_impl(@back_of_one, [%movedim], []) : (f32[4,3]{3,1}@4)
  %getitem = _operator.getitem(%map_impl, 0) : f32[4,3]{3,1}@4
  %movedim_1 = aten.movedim.int(%getitem, 0, 0) : f32[4,3]{3,1}@4
  output (user %movedim_1)
}
graph back_of_one {
  placeholder %a user "" : f32[3]{1}@1
  %c = aten.clone.default(%a, None) : f32[3]{1}@2
  %d = aten.add_.Tensor(%c, 1, 1) : f32[3]{1}@2
  %s = aten.cumsum.default(%c, 0, None) : f32[3]{1}@3
  output (user %s)
}
--run-- ferrite inspect - --from fx --stage fx
--in--
graph main {
  placeholder %x user "x" : f32[4,3]
  %a = torch._functorch.predispatch._add_batch_dim(%x, 0, 1) : f32[3]
  %d = aten.add_.Tensor(%a, 1) : f32[3]
  %back = torch._functorch.predispatch._remove_batch_dim(%d, 1, 4, 0) : f32[4,3]
  output (user %back)
}
--err--
error: vmap: cannot handle aten.add_.Tensor: vmap of a function that writes to what it is given
  at %d in graph main
  help: write to a clone of it
--status-- 1
--run-- ferrite inspect - --from fx --dump-after vmap | sed '/^# foreach/,$d'
--in--
graph mask {
  placeholder %p user "p" : i64[3]
  %heads = aten.arange.default(2)
  %keys = aten.arange.default(5)
  %enter = torch._functorch.predispatch._vmap_increment_nesting(2, "error")
  %h = torch._functorch.predispatch._add_batch_dim(%heads, 0, 1)
  %enter_1 = torch._functorch.predispatch._vmap_increment_nesting(3, "error")
  %q = torch._functorch.predispatch._add_batch_dim(%p, 0, 2)
  %enter_2 = torch._functorch.predispatch._vmap_increment_nesting(5, "error")
  %k = torch._functorch.predispatch._add_batch_dim(%keys, 0, 3)
  %all = aten.new_ones.default(%q, [], dtype=torch.bool)
  %le = aten.le.Tensor(%k, %q)
  %and = aten.bitwise_and.Tensor(%all, %le)
  %row = torch._functorch.predispatch._remove_batch_dim(%and, 3, 5, 0)
  %leave = torch._functorch.predispatch._vmap_decrement_nesting()
  %rows = torch._functorch.predispatch._remove_batch_dim(%row, 2, 3, 0)
  %leave_1 = torch._functorch.predispatch._vmap_decrement_nesting()
  %mask = torch._functorch.predispatch._remove_batch_dim(%rows, 1, 2, 0)
  %leave_2 = torch._functorch.predispatch._vmap_decrement_nesting()
  output (user %mask)
}
--out--
# after vmap
graph mask {
  placeholder %p user "p" : i64[3]{1}@1
  %heads = aten.arange.default(2, None, None, None, None) : i64[2]{1}@2
  %keys = aten.arange.default(5, None, None, None, None) : i64[5]{1}@3
  %full = aten.full.default([], 1, torch.bool, None, None, None) : bool[]{}@7
  %movedim_1 = aten.movedim.int(%p, 0, 0) : i64[3]{1}@1
  %movedim_3 = aten.movedim.int(%keys, 0, 0) : i64[5]{1}@3
  %unsqueeze = aten.unsqueeze.default(%movedim_3, 1) : i64[5,1]{1,1}@3
  %le = aten.le.Tensor(%unsqueeze, %movedim_1) : bool[5,3]{3,1}@12
  %bitwise_and_1 = aten.bitwise_and.Tensor(%full, %le) : bool[5,3]{3,1}@13
  %movedim_4 = aten.movedim.int(%bitwise_and_1, 0, 1) : bool[3,5]{1,3}@13
  %movedim_2 = aten.movedim.int(%movedim_4, 0, 0) : bool[3,5]{1,3}@13
  %expand = aten.expand.default(%movedim_2, [2, 3, 5], False) : bool[2,3,5]{0,1,3}@13
  %movedim = aten.movedim.int(%expand, 0, 0) : bool[2,3,5]{0,1,3}@13
  %empty = aten.empty.memory_format([30], torch.bool, None, None, None, None) : bool[30]{1}@8
  %as_strided_scatter = aten.as_strided_scatter.default(%empty, %movedim, [2, 3, 5], [15, 5, 1], 0) : bool[30]{1}@9
  %as_strided = aten.as_strided.default(%as_strided_scatter, [2, 3, 5], [15, 5, 1], 0) : bool[2,3,5]{15,5,1}@9
  output (user %as_strided)
}
--run-- ferrite inspect - --from fx --dump-after vmap | sed '/^# foreach/,$d'
--in--
graph unused_within {
  placeholder %x user "x" : f32[4,3]
  %enter = torch._functorch.predispatch._vmap_increment_nesting(4, "error")
  %a = torch._functorch.predispatch._add_batch_dim(%x, 0, 1)
  %enter_1 = torch._functorch.predispatch._vmap_increment_nesting(4, "error")
  %b = torch._functorch.predispatch._add_batch_dim(%x, 0, 2)
  %sum = aten.sum.default(%a)
  %back = torch._functorch.predispatch._remove_batch_dim(%sum, 2, 4, 0)
  %leave = torch._functorch.predispatch._vmap_decrement_nesting()
  %back_1 = torch._functorch.predispatch._remove_batch_dim(%back, 1, 4, 0)
  %leave_1 = torch._functorch.predispatch._vmap_decrement_nesting()
  output (user %back_1)
}
--out--
# after vmap
graph unused_within {
  placeholder %x user "x" : f32[4,3]{3,1}@1
  %movedim = aten.movedim.int(%x, 0, 0) : f32[4,3]{3,1}@1
  %map_impl = higher_order.map_impl(@back_1_of_one, [%movedim], []) : (f32[4,4]{4,1}@3)
  %getitem = _operator.getitem(%map_impl, 0) : f32[4,4]{4,1}@3
  %movedim_1 = aten.movedim.int(%getitem, 0, 0) : f32[4,4]{4,1}@3
  output (user %movedim_1)
}
graph back_1_of_one {
  placeholder %a user "" : f32[3]{1}@1
  %sum = aten.sum.default(%a, None) : f32[]{}@5
  %expand = aten.expand.default(%sum, [4], False) : f32[4]{0}@5
  %movedim = aten.movedim.int(%expand, 0, 0) : f32[4]{0}@5
  %empty = aten.empty.memory_format([4], torch.float32, None, None, None, None) : f32[4]{1}@6
  %as_strided_scatter = aten.as_strided_scatter.default(%empty, %movedim, [4], [1], 0) : f32[4]{1}@7
  %as_strided = aten.as_strided.default(%as_strided_scatter, [4], [1], 0) : f32[4]{1}@7
  output (user %as_strided)
}
--run-- ferrite inspect - --from fx --stage loop
--in--
# what is shown again is as long as what was hidden
graph main {
  placeholder %x user "x" : f32[4,3]
  %enter = torch._functorch.predispatch._vmap_increment_nesting(4, "error")
  %row = torch._functorch.predispatch._add_batch_dim(%x, 0, 1) : f32[3]
  %twice = aten.mul.Scalar(%row, 2) : f32[3]
  %back = torch._functorch.predispatch._remove_batch_dim(%twice, 1, 0, 0) : f32[4,3]
  %leave = torch._functorch.predispatch._vmap_decrement_nesting()
  output (user %back)
}
--err--
error: vmap: torch._functorch.predispatch._remove_batch_dim: it shows a dimension of another length than was hidden
  at %back in graph main
  help: export the program again
--status-- 1
