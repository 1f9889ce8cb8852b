# in-place calls become values: a chain, writes through views, split items; what they return is what they wrote
--run-- ferrite inspect - --dump-after functionalise --verify
--in--
graph chain {
  placeholder %x user "x" : f32[4,6]
  %y = aten.add.Tensor(%x, 1, 1)
  %mul_ = aten.mul_.Tensor(%y, 2)
  %relu_ = aten.relu_.default(%mul_)
  %sum = aten.sum.default(%y, None)
  output (user %relu_, user %y, user %sum)
}
--out--
# after functionalise
graph chain {
  functional
  placeholder %x user "x" : f32[4,6]{6,1}@1
  %y = aten.add.Tensor(%x, 1, 1) : f32[4,6]{6,1}@2
  %mul = aten.mul.Tensor(%y, 2) : f32[4,6]{6,1}@4
  %relu = aten.relu.default(%mul) : f32[4,6]{6,1}@5
  %sum = aten.sum.default(%relu, None) : f32[]{}@3
  output (user %relu, user %relu, user %sum)
}
--run-- ferrite inspect - --dump-after functionalise --verify
--in--
graph views {
  placeholder %x user "x" : f32[4,6]
  %y = aten.clone.default(%x, None)
  %row = aten.select.int(%y, 0, 1)
  %t = aten.t.default(%y)
  %part = aten.slice.Tensor(%t, 0, 2, 4, 1)
  %add_ = aten.add_.Tensor(%part, 1, 1)
  %zero_ = aten.zero_.default(%row)
  %read = aten.mul.Tensor(%part, 2)
  output (user %y, user %read, user %row)
}
--out--
# after functionalise
graph views {
  functional
  placeholder %x user "x" : f32[4,6]{6,1}@1
  %y = aten.clone.default(%x, None) : f32[4,6]{6,1}@2
  %row = aten.select.int(%y, 0, 1) : f32[6]{1}+6@2
  %t = aten.t.default(%y) : f32[6,4]{1,6}@2
  %part = aten.slice.Tensor(%t, 0, 2, 4, 1) : f32[2,4]{1,6}+2@2
  %add = aten.add.Tensor(%part, 1, 1) : f32[2,4]{1,2}@4
  %slice_scatter = aten.slice_scatter.default(%t, %add, 0, 2, 4, 1) : f32[6,4]{1,6}@5
  %t_1 = aten.t.default(%slice_scatter) : f32[4,6]{6,1}@5
  %select = aten.select.int(%t_1, 0, 1) : f32[6]{1}+6@5
  %zero = aten.zero.default(%select) : f32[6]{1}@6
  %select_scatter = aten.select_scatter.default(%t_1, %zero, 0, 1) : f32[4,6]{6,1}@7
  %t_2 = aten.t.default(%select_scatter) : f32[6,4]{1,6}@7
  %slice = aten.slice.Tensor(%t_2, 0, 2, 4, 1) : f32[2,4]{1,6}+2@7
  %read = aten.mul.Tensor(%slice, 2) : f32[2,4]{1,2}@3
  %select_1 = aten.select.int(%select_scatter, 0, 1) : f32[6]{1}+6@7
  output (user %select_scatter, user %read, user %select_1)
}
--run-- ferrite inspect - --dump-after functionalise --verify
--in--
graph items {
  placeholder %x user "x" : f32[4,6]
  %y = aten.clone.default(%x, None)
  %split = aten.split.Tensor(%y, 4, 1)
  %a = _operator.getitem(%split, 0)
  %b = _operator.getitem(%split, 1)
  %add_ = aten.add_.Tensor(%b, 1, 1)
  %x_row = aten.select.int(%x, 0, 0)
  %unbind = aten.unbind.int(%y, 0)
  %r = _operator.getitem(%unbind, 2)
  %fill_ = aten.copy_.default(%r, %x_row, False)
  output (user %y, user %a, user %b)
}
--out--
# after functionalise
graph items {
  functional
  placeholder %x user "x" : f32[4,6]{6,1}@1
  %y = aten.clone.default(%x, None) : f32[4,6]{6,1}@2
  %split = aten.split.Tensor(%y, 4, 1) : (f32[4,4]{6,1}@2, f32[4,2]{6,1}+4@2)
  %a = _operator.getitem(%split, 0) : f32[4,4]{6,1}@2
  %b = _operator.getitem(%split, 1) : f32[4,2]{6,1}+4@2
  %add = aten.add.Tensor(%b, 1, 1) : f32[4,2]{2,1}@3
  %slice_scatter = aten.slice_scatter.default(%y, %add, 1, 4, 6, 1) : f32[4,6]{6,1}@4
  %x_row = aten.select.int(%x, 0, 0) : f32[6]{1}@1
  %unbind = aten.unbind.int(%slice_scatter, 0) : (f32[6]{1}@4, f32[6]{1}+6@4, f32[6]{1}+12@4, f32[6]{1}+18@4)
  %r = _operator.getitem(%unbind, 2) : f32[6]{1}+12@4
  %select_scatter = aten.select_scatter.default(%slice_scatter, %x_row, 0, 2) : f32[4,6]{6,1}@5
  %split_1 = aten.split.Tensor(%select_scatter, 4, 1) : (f32[4,4]{6,1}@5, f32[4,2]{6,1}+4@5)
  %getitem = _operator.getitem(%split_1, 0) : f32[4,4]{6,1}@5
  %getitem_1 = _operator.getitem(%split_1, 1) : f32[4,2]{6,1}+4@5
  output (user %select_scatter, user %getitem, user %getitem_1)
}
--run-- ferrite inspect - --dump-after functionalise --verify
--in--
graph in_place_views {
  placeholder %x user "x" : f32[4,6]
  %y = aten.clone.default(%x, None)
  %t_ = aten.t_.default(%y)
  %add_ = aten.add_.Tensor(%t_, 1, 1)
  %unsqueeze_ = aten.unsqueeze_.default(%add_, 0)
  output (user %unsqueeze_)
}
--out--
# after functionalise
graph in_place_views {
  functional
  placeholder %x user "x" : f32[4,6]{6,1}@1
  %y = aten.clone.default(%x, None) : f32[4,6]{6,1}@2
  %t_ = aten.t.default(%y) : f32[6,4]{1,6}@2
  %add = aten.add.Tensor(%t_, 1, 1) : f32[6,4]{1,6}@3
  %t = aten.t.default(%add) : f32[4,6]{6,1}@3
  %t_1 = aten.t.default(%t) : f32[6,4]{1,6}@3
  %unsqueeze_ = aten.unsqueeze.default(%t_1, 0) : f32[1,6,4]{6,1,6}@3
  output (user %unsqueeze_)
}
--run-- ferrite inspect - --dump-after functionalise --verify
--in--
graph dtypes {
  placeholder %x user "x" : f32[4]
  placeholder %y user "y" : f64[]
  %i = aten.zeros.default([4], torch.int64, None, None, None)
  %copy_ = aten.copy_.default(%i, %x, False)
  %z = aten.clone.default(%x, None)
  %mul_ = aten.mul_.Tensor(%z, %y)
  output (user %i, user %z)
}
--out--
# after functionalise
graph dtypes {
  functional
  placeholder %x user "x" : f32[4]{1}@1
  placeholder %y user "y" : f64[]{}@2
  %i = aten.zeros.default([4], torch.int64, None, None, None) : i64[4]{1}@3
  %_to_copy = aten._to_copy.default(%x, torch.int64, None, None, None, False, None) : i64[4]{1}@5
  %z = aten.clone.default(%x, None) : f32[4]{1}@4
  %mul = aten.mul.Tensor(%z, %y) : f32[4]{1}@6
  output (user %_to_copy, user %mul)
}
--run-- ferrite inspect - --stage fx --verify
--in--
graph diagonals_are_filled {
  placeholder %x user "x" : f32[2,3,3]
  placeholder %y user "y" : f32[9,3]
  %a = aten.clone.default(%x, None)
  %cube = aten.select.int(%a, 0, 1)
  %fill = aten.fill_diagonal_.default(%cube, 2.0, False)
  %b = aten.clone.default(%y, None)
  %wrapped = aten.fill_diagonal_.default(%b, 1.0, True)
  output (user %a, user %wrapped)
}
--out--
graph diagonals_are_filled {
  functional
  placeholder %x user "x" : f32[2,3,3]{9,3,1}@1
  placeholder %y user "y" : f32[9,3]{3,1}@2
  %cube = aten.select.int(%x, 0, 1) : f32[3,3]{3,1}+9@1
  %as_strided = aten.as_strided.default(%cube, [3], [4], 9) : f32[3]{4}+9@1
  %fill = aten.fill.Scalar(%as_strided, 2.0) : f32[3]{1}@5
  %as_strided_scatter = aten.as_strided_scatter.default(%x, %fill, [3], [4], 9) : f32[2,3,3]{9,3,1}@6
  %as_strided_1 = aten.as_strided.default(%y, [3], [4], 0) : f32[3]{4}@2
  %fill_1 = aten.fill.Scalar(%as_strided_1, 1.0) : f32[3]{1}@7
  %as_strided_scatter_1 = aten.as_strided_scatter.default(%y, %fill_1, [3], [4], 0) : f32[9,3]{3,1}@8
  %as_strided_2 = aten.as_strided.default(%as_strided_scatter_1, [4], [4], 12) : f32[4]{4}+12@8
  %fill_2 = aten.fill.Scalar(%as_strided_2, 1.0) : f32[4]{1}@9
  %as_strided_scatter_2 = aten.as_strided_scatter.default(%as_strided_scatter_1, %fill_2, [4], [4], 12) : f32[9,3]{3,1}@10
  output (user %as_strided_scatter, user %as_strided_scatter_2)
}
--run-- ferrite inspect - --dump-after functionalise --verify
--in--
graph numbers {
  placeholder %x user "x" : f32[4,3]
  placeholder %n user "n" : f32[]
  %y = aten.clone.default(%x, None)
  %row = aten.select.int(%y, 0, 1)
  %copy_ = aten.copy_.default(%row, 7, False)
  %item = aten.item.default(%n)
  %col = aten.select.int(%y, 1, 0)
  %copy__1 = aten.copy_.default(%col, %item, False)
  output (user %y)
}
--out--
# after functionalise
graph numbers {
  functional
  placeholder %x user "x" : f32[4,3]{3,1}@1
  placeholder %n user "n" : f32[]{}@2
  %y = aten.clone.default(%x, None) : f32[4,3]{3,1}@3
  %row = aten.select.int(%y, 0, 1) : f32[3]{1}+3@3
  %fill = aten.fill.Scalar(%row, 7) : f32[3]{1}@4
  %select_scatter = aten.select_scatter.default(%y, %fill, 0, 1) : f32[4,3]{3,1}@5
  %item = aten.item.default(%n) : float ?
  %col = aten.select.int(%select_scatter, 1, 0) : f32[4]{3}@5
  %fill_1 = aten.fill.Scalar(%col, %item) : f32[4]{1}@6
  %select_scatter_1 = aten.select_scatter.default(%select_scatter, %fill_1, 1, 0) : f32[4,3]{3,1}@7
  output (user %select_scatter_1)
}
--run-- ferrite inspect - --dump-after functionalise --verify
--in--
graph views_by_any_operator {
  placeholder %x user "x" : f32[2,3]
  %y = aten.mul.Tensor(%x, 2)
  %turned = aten.einsum.default("ij->ji", [%y])
  %scaled = aten.mul_.Tensor(%turned, 3)
  %cut = aten.hsplit.int(%x, 3)
  %middle = _operator.getitem(%cut, 1)
  %negated = aten.neg_.default(%middle)
  %row = aten.select.int(%y, 0, 0)
  %flat = aten.select.int(%middle, 1, 0)
  %both = aten.meshgrid.default([%row, %flat])
  %wide = _operator.getitem(%both, 0)
  %column = aten.select.int(%wide, 1, 0)
  %filled = aten.fill_.Scalar(%column, 7)
  output (user %turned, user %wide, user %x)
}
--out--
# after functionalise
graph views_by_any_operator {
  functional
  placeholder %x user "x" : f32[2,3]{3,1}@1
  %y = aten.mul.Tensor(%x, 2) : f32[2,3]{3,1}@2
  %turned = aten.einsum.default("ij->ji", [%y], None) : f32[3,2]{1,3}@2
  %mul = aten.mul.Tensor(%turned, 3) : f32[3,2]{1,3}@3
  %as_strided_scatter = aten.as_strided_scatter.default(%y, %mul, [3, 2], [1, 3], 0) : f32[2,3]{3,1}@4
  %cut = aten.hsplit.int(%x, 3) : (f32[2,1]{3,1}@1, f32[2,1]{3,1}+1@1, f32[2,1]{3,1}+2@1)
  %middle = _operator.getitem(%cut, 1) : f32[2,1]{3,1}+1@1
  %neg = aten.neg.default(%middle) : f32[2,1]{1,1}@5
  %slice_scatter = aten.slice_scatter.default(%x, %neg, 1, 1, 2, 1) : f32[2,3]{3,1}@6
  %row = aten.select.int(%as_strided_scatter, 0, 0) : f32[3]{1}@4
  %hsplit = aten.hsplit.int(%slice_scatter, 3) : (f32[2,1]{3,1}@6, f32[2,1]{3,1}+1@6, f32[2,1]{3,1}+2@6)
  %getitem = _operator.getitem(%hsplit, 1) : f32[2,1]{3,1}+1@6
  %flat = aten.select.int(%getitem, 1, 0) : f32[2]{3}+1@6
  %both = aten.meshgrid.default([%row, %flat]) : (f32[3,2]{1,0}@4, f32[3,2]{0,3}+1@6)
  %wide = _operator.getitem(%both, 0) : f32[3,2]{1,0}@4
  %column = aten.select.int(%wide, 1, 0) : f32[3]{1}@4
  %fill = aten.fill.Scalar(%column, 7) : f32[3]{1}@7
  %as_strided_scatter_1 = aten.as_strided_scatter.default(%as_strided_scatter, %fill, [3], [1], 0) : f32[2,3]{3,1}@8
  %einsum = aten.einsum.default("ij->ji", [%as_strided_scatter_1], None) : f32[3,2]{1,3}@8
  %as_strided = aten.as_strided.default(%as_strided_scatter_1, [3, 2], [1, 0], 0) : f32[3,2]{1,0}@8
  output (user_input_mutation "x" %slice_scatter, user %einsum, user %as_strided, user "x" %slice_scatter)
}
--run-- ferrite inspect -
--in--
graph other_values_than_lie_there {
  placeholder %z user "z" : c64[2]
  %conjugate = aten._conj.default(%z)
  %first = aten.as_strided.default(%conjugate, [1], [1], 0)
  %filled = aten.fill_.Scalar(%first, 7)
  output (user %z)
}
--err--
error: functionalise: cannot handle aten.as_strided.default: a write through this view cannot be turned into a value
  at %first in graph other_values_than_lie_there
  help: copy the tensor before writing to it (x = x.clone())
--status-- 1
