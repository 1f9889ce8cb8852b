# inputs and buffers that are written to become outputs before the program's own, and what is returned of them is a value of its own
--run-- ferrite inspect - --dump-after functionalise --verify
--in--
graph buffers {
  placeholder %count buffer "count" : i64[]
  placeholder %mean buffer "mean" : f32[6]
  placeholder %cache buffer "cache" non_persistent : f32[5,6]
  placeholder %x user "x" : f32[2,6]
  %add_ = aten.add_.Tensor(%count, 1, 1)
  %m = aten.mean.dim(%x, [0], False, None)
  %lerp_ = aten.lerp_.Scalar(%mean, %m, 0.1)
  %row = aten.select.int(%cache, 0, 3)
  %copy_ = aten.copy_.default(%row, %m, False)
  %sub = aten.sub.Tensor(%x, %mean, 1)
  output (user %sub, user %cache)
}
--out--
# after functionalise
graph buffers {
  functional
  placeholder %count buffer "count" : i64[]{}@1
  placeholder %mean buffer "mean" : f32[6]{1}@2
  placeholder %cache buffer "cache" non_persistent : f32[5,6]{6,1}@3
  placeholder %x user "x" : f32[2,6]{6,1}@4
  %add = aten.add.Tensor(%count, 1, 1) : i64[]{}@7
  %m = aten.mean.dim(%x, [0], False, None) : f32[6]{1}@5
  %lerp = aten.lerp.Scalar(%mean, %m, 0.1) : f32[6]{1}@8
  %row = aten.select.int(%cache, 0, 3) : f32[6]{1}+18@3
  %select_scatter = aten.select_scatter.default(%cache, %m, 0, 3) : f32[5,6]{6,1}@9
  %sub = aten.sub.Tensor(%x, %lerp, 1) : f32[2,6]{6,1}@6
  output (buffer_mutation "count" %add, buffer_mutation "mean" %lerp, buffer_mutation "cache" %select_scatter, user %sub, user %select_scatter)
}
--run-- ferrite inspect - --dump-after functionalise --verify
--in--
graph inputs {
  placeholder %x user "x" : f32[3,5]
  placeholder %y user "y" : f32[3,5]
  %head = aten.slice.Tensor(%x, 0, 0, 2, 1)
  %add_ = aten.add_.Tensor(%head, 1, 1)
  %copy_ = aten.copy_.default(%y, %x, False)
  output (user %x, user %y, user %head)
}
--out--
# after functionalise
graph inputs {
  functional
  placeholder %x user "x" : f32[3,5]{5,1}@1
  placeholder %y user "y" : f32[3,5]{5,1}@2
  %head = aten.slice.Tensor(%x, 0, 0, 2, 1) : f32[2,5]{5,1}@1
  %add = aten.add.Tensor(%head, 1, 1) : f32[2,5]{5,1}@3
  %slice_scatter = aten.slice_scatter.default(%x, %add, 0, 0, 2, 1) : f32[3,5]{5,1}@4
  %copy = aten.copy.default(%y, %slice_scatter, False) : f32[3,5]{5,1}@5
  %slice = aten.slice.Tensor(%slice_scatter, 0, 0, 2, 1) : f32[2,5]{5,1}@4
  output (user_input_mutation "x" %slice_scatter, user_input_mutation "y" %copy, user "x" %slice_scatter, user "y" %copy, user %slice)
}
--run-- ferrite inspect - --dump-after functionalise --verify
--in--
graph two_names_of_one_storage {
  placeholder %a buffer "a" : f32[6]{1}@1
  placeholder %b buffer "b" : f32[2]{3}+1@1
  placeholder %x user "x" : f32[6]
  %add_ = aten.add_.Tensor(%a, %x, 1)
  %mul_ = aten.mul_.Tensor(%b, 2)
  %sum = aten.sum.default(%a, None)
  output (user %sum)
}
--out--
# after functionalise
graph two_names_of_one_storage {
  functional
  placeholder %a buffer "a" : f32[6]{1}@1
  placeholder %b buffer "b" : f32[2]{3}+1@1
  placeholder %x user "x" : f32[6]{1}@2
  %add = aten.add.Tensor(%a, %x, 1) : f32[6]{1}@4
  %as_strided = aten.as_strided.default(%add, [2], [3], 1) : f32[2]{3}+1@4
  %mul = aten.mul.Tensor(%as_strided, 2) : f32[2]{1}@5
  %as_strided_scatter = aten.as_strided_scatter.default(%add, %mul, [2], [3], 1) : f32[6]{1}@6
  %sum = aten.sum.default(%as_strided_scatter, None) : f32[]{}@3
  %as_strided_1 = aten.as_strided.default(%as_strided_scatter, [2], [3], 1) : f32[2]{3}+1@6
  output (buffer_mutation "a" %as_strided_scatter, buffer_mutation "b" %as_strided_1, user %sum)
}
