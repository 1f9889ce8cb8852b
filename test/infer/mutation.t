# operators in place give what they write to; some change its shape
--run-- ferrite inspect --stage fx --no-passes -
--in--
graph main {
  placeholder %x user "x" : f32[2,3]
  placeholder %y user "y" : f32[3]
  %row = aten.select.int(%x, 0, 1)
  %add_ = aten.add_.Tensor(%row, %y)
  %copy_ = aten.copy_.default(%x, %y)
  %relu_ = aten.relu_.default(%copy_)
  %t_ = aten.t_.default(%x)
  %unsqueeze_ = aten.unsqueeze_.default(%y, 0)
  %dropout = aten.dropout.default(%x, 0.5, False)
  %detach = aten.detach.default(%dropout)
  output (user %x)
}
--out--
graph main {
  placeholder %x user "x" : f32[2,3]{3,1}@1
  placeholder %y user "y" : f32[3]{1}@2
  %row = aten.select.int(%x, 0, 1) : f32[3]{1}+3@1
  %add_ = aten.add_.Tensor(%row, %y, 1) : f32[3]{1}+3@1
  %copy_ = aten.copy_.default(%x, %y, False) : f32[2,3]{3,1}@1
  %relu_ = aten.relu_.default(%copy_) : f32[2,3]{3,1}@1
  %t_ = aten.t_.default(%x) : f32[3,2]{1,3}@1
  %unsqueeze_ = aten.unsqueeze_.default(%y, 0) : f32[1,3]{3,1}@2
  %dropout = aten.dropout.default(%x, 0.5, False) : f32[2,3]{3,1}@1
  %detach = aten.detach.default(%dropout) : f32[2,3]{3,1}@1
  output (user %x)
}
--run-- ferrite inspect --stage fx --no-passes - | sed -n '/scatter/p'
--in--
graph written_parts_lie_as_the_whole_does_unless_it_repeats {
  placeholder %x user "x" : f32[2,3,4]{0,4,1}
  placeholder %t user "t" : f32[2,3,8]{6,2,12}
  %d = aten.diagonal.default(%x)
  %a = aten.diagonal_scatter.default(%x, %d)
  %s = aten.slice.Tensor(%x, 0, 0, 1)
  %b = aten.slice_scatter.default(%x, %s, 0, 0, 1)
  %e = aten.select.int(%t, 0, 0)
  %c = aten.select_scatter.default(%t, %e, 0, 0)
  output (user %a, user %b, user %c)
}
--out--
  %a = aten.diagonal_scatter.default(%x, %d, 0, 0, 1) : f32[2,3,4]{12,4,1}@3
  %b = aten.slice_scatter.default(%x, %s, 0, 0, 1, 1) : f32[2,3,4]{12,4,1}@4
  %c = aten.select_scatter.default(%t, %e, 0, 0) : f32[2,3,8]{6,2,12}@5
