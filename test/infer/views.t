# views share their base's storage; what cannot be a view is a copy
--run-- ferrite inspect --stage fx --no-passes -
--in--
graph main {
  placeholder %x user "x" : f32[4,6]
  placeholder %y user "y" : f32[1,1,4,8]{32,8,8,1}
  %t = aten.t.default(%x)
  %select = aten.select.int(%x, 0, -1)
  %slice = aten.slice.Tensor(%x, 1, -5, 9223372036854775807, 2)
  %narrow = aten.narrow.default(%x, 1, -2, 2)
  %view = aten.view.default(%x, [2, -1, 3])
  %copied = aten.reshape.default(%t, [-1])
  %ambiguous = aten.reshape.default(%y, [1, 1, 32])
  %flatten = aten.flatten.using_ints(%y, 1)
  %expand = aten.expand.default(%select, [3, 1, -1])
  %unsqueeze = aten.unsqueeze.default(%t, -1)
  %squeeze = aten.squeeze.dims(%y, [0, 1, 2])
  %diagonal = aten.diagonal.default(%x, 1)
  %unfold = aten.unfold.default(%x, 1, 3, 2)
  %strided = aten.as_strided.default(%x, [2, 2], [6, 2])
  %moved = aten.movedim.int(%y, 3, 0)
  %bytes = aten.view.dtype(%x, torch.uint8)
  %chunk = aten.chunk.default(%x, 4, 1)
  %piece = _operator.getitem(%chunk, 2)
  %unbind = aten.unbind.int(%x)
  %row = _operator.getitem(%unbind, 3)
  %same = aten.to.dtype(%t, torch.float32)
  %dense = aten.contiguous.default(%t)
  %already = aten.contiguous.default(%x)
  %copy = aten.permute_copy.default(%x, [1, 0])
  %written = aten.slice_scatter.default(%t, %t, 0, 0, 6)
  output (user %t)
}
--out--
graph main {
  placeholder %x user "x" : f32[4,6]{6,1}@1
  placeholder %y user "y" : f32[1,1,4,8]{32,8,8,1}@2
  %t = aten.t.default(%x) : f32[6,4]{1,6}@1
  %select = aten.select.int(%x, 0, -1) : f32[6]{1}+18@1
  %slice = aten.slice.Tensor(%x, 1, -5, 9223372036854775807, 2) : f32[4,3]{6,2}+1@1
  %narrow = aten.narrow.default(%x, 1, -2, 2) : f32[4,2]{6,1}+4@1
  %view = aten.view.default(%x, [2, -1, 3]) : f32[2,4,3]{12,3,1}@1
  %copied = aten.reshape.default(%t, [-1]) : f32[24]{1}@3
  %ambiguous = aten.reshape.default(%y, [1, 1, 32]) : f32[1,1,32]{32,32,1}@2
  %flatten = aten.flatten.using_ints(%y, 1, -1) : f32[1,32]{32,1}@2
  %expand = aten.expand.default(%select, [3, 1, -1], False) : f32[3,1,6]{0,6,1}+18@1
  %unsqueeze = aten.unsqueeze.default(%t, -1) : f32[6,4,1]{1,6,1}@1
  %squeeze = aten.squeeze.dims(%y, [0, 1, 2]) : f32[4,8]{8,1}@2
  %diagonal = aten.diagonal.default(%x, 1, 0, 1) : f32[4]{7}+1@1
  %unfold = aten.unfold.default(%x, 1, 3, 2) : f32[4,2,3]{6,2,1}@1
  %strided = aten.as_strided.default(%x, [2, 2], [6, 2], None) : f32[2,2]{6,2}@1
  %moved = aten.movedim.int(%y, 3, 0) : f32[8,1,1,4]{1,32,8,8}@2
  %bytes = aten.view.dtype(%x, torch.uint8) : u8[4,24]{24,1}@1
  %chunk = aten.chunk.default(%x, 4, 1) : (f32[4,2]{6,1}@1, f32[4,2]{6,1}+2@1, f32[4,2]{6,1}+4@1)
  %piece = _operator.getitem(%chunk, 2) : f32[4,2]{6,1}+4@1
  %unbind = aten.unbind.int(%x, 0) : (f32[6]{1}@1, f32[6]{1}+6@1, f32[6]{1}+12@1, f32[6]{1}+18@1)
  %row = _operator.getitem(%unbind, 3) : f32[6]{1}+18@1
  %same = aten.to.dtype(%t, torch.float32, False, False, None) : f32[6,4]{1,6}@1
  %dense = aten.contiguous.default(%t, torch.contiguous_format) : f32[6,4]{4,1}@4
  %already = aten.contiguous.default(%x, torch.contiguous_format) : f32[4,6]{6,1}@1
  %copy = aten.permute_copy.default(%x, [1, 0]) : f32[6,4]{4,1}@5
  %written = aten.slice_scatter.default(%t, %t, 0, 0, 6, 1) : f32[6,4]{1,6}@6
  output (user %t)
}
--run-- ferrite inspect --stage fx --no-passes - | grep reshape
--in--
graph main {
  placeholder %x user "x" : f32[1,1]
  %e = aten.expand.default(%x, [1, 5])
  %a = aten.reshape.default(%e, [1, 1, 5])
  %b = aten.reshape.default(%e, [1, 5, 1])
  output (user %a, user %b)
}
--out--
  %a = aten.reshape.default(%e, [1, 1, 5]) : f32[1,1,5]{0,0,0}@1
  %b = aten.reshape.default(%e, [1, 5, 1]) : f32[1,5,1]{0,0,0}@1
