# vmap: calls that work element by element do so on all items; what is the same for all items is expanded; results lie as
# the program says
--run-- ferrite inspect - --from fx --dump-after unbatch | sed '/^# lists/,$d'
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
# after unbatch
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
--run-- ferrite inspect - --from fx --dump-after unbatch | sed '/^# lists/,$d'
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
# after unbatch
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
--run-- ferrite inspect - --from fx --dump-after unbatch | sed '/^# lists/,$d'
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
# after unbatch
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
error: unbatch: cannot handle aten.add_.Tensor: vmap of a function that writes to what it is given
  at %d in graph main
  help: write to a clone of it
--status-- 1
