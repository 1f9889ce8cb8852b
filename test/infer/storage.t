# places counted from the start of an input's storage: that storage is an input, and what else is read of the input a view of it
--run-- ferrite inspect --stage fx --no-passes - | sed 's/@.*//'
--in--
graph main {
  placeholder %x user "x" : f32[6]{1}+4
  %v = aten.as_strided.default(%x, [3], [1], 2)
  %w = aten.as_strided.default(%x, [2], [1])
  %n = aten.neg.default(%x)
  %s = aten.as_strided_scatter.default(%n, %w, [2], [1], 1)
  %r = aten.as_strided_scatter.default(%x, %w, [2], [1], 1)
  output (user_input_mutation "x" %n, user %v, user %r, user %s)
}
--out--
symbols {
  storage0 in [0, inf] hint 6
  start0 in [0, inf] hint 0
}
graph main {
  require 5 <= storage0 "aten.as_strided.default: sizes, strides and storage offset are out of bounds for the storage of x (v)"
  require start0 + 2 <= storage0 "aten.as_strided.default: sizes, strides and storage offset are out of bounds for the storage of x (w)"
  require start0 + 6 <= storage0 "aten.as_strided_scatter.default: setStorage: sizes and strides of f32[6]{1}+start0 are out of bounds for storage of f32[storage0] (as_strided_scatter)"
  require 3 <= storage0 "aten.as_strided_scatter.default: setStorage: sizes and strides of f32[2]{1}+1 are out of bounds for storage of f32[storage0] (as_strided_scatter_1)"
  placeholder %x user "x" : f32[6]{1}
  placeholder %x_storage user "x.storage" storage_of "x" : f32[storage0]{1}
  placeholder %x_start user "x.start" start_of "x" : int start0
  %as_strided = aten.as_strided.default(%x_storage, [6], [1], start0) : f32[6]{1}+start0
  %v = aten.as_strided.default(%as_strided, [3], [1], 2) : f32[3]{1}+2
  %w = aten.as_strided.default(%as_strided, [2], [1], None) : f32[2]{1}+start0
  %n = aten.neg.default(%as_strided) : f32[6]{1}
  %s = aten.as_strided_scatter.default(%n, %w, [2], [1], 1) : f32[6]{1}
  %as_strided_scatter_1 = aten.as_strided_scatter.default(%x_storage, %w, [2], [1], 1) : f32[storage0]{1}
  %as_strided_1 = aten.as_strided.default(%as_strided_scatter_1, [6], [1], start0) : f32[6]{1}+start0
  %as_strided_scatter = aten.as_strided_scatter.default(%x_storage, %n, [6], [1], start0) : f32[storage0]{1}
  output (user_input_mutation "x.storage" %as_strided_scatter, user %v, user %as_strided_1, user %s)
}
--run-- ferrite inspect --stage fx --no-passes - | grep 'require\|start0'
--in--
operators { "mylib::touch(Tensor(a!) x) -> ()" }
graph main {
  placeholder %x user "x" : f32[6]
  placeholder %y user "y" : f32[6]
  %v = aten.view.default(%x, [2, 3])
  %h = higher_order.auto_functionalized_v2("torch.ops.mylib.touch.default", ["_x_base_index", 1], ["_x_size", [2]], ["_x_stride", [3]], ["_x_storage_offset", 2], ["_all_bases", [%y, %v]]) : (none, f32[6], f32[2,3])
  %z = _operator.getitem(%h, 2)
  output (user %z)
}
--out--
  start0 in [0, inf] hint 0
  require start0 == 0 "higher_order.auto_functionalized_v2 counts from the start of the storage of x, which is given from a later element on: a clone is needed (h)"
  placeholder %x_start user "x.start" start_of "x" : int start0
--run-- ferrite inspect --stage loop - >x.loop && ferrite inspect --from loop --stage loop x.loop | diff x.loop - && grep _of x.loop
--in--
graph main {
  placeholder %x user "x" : f32[6]
  %v = aten.as_strided.default(%x, [3], [1], 2)
  output (user %v)
}
--out--
input  @x.storage : f32[storage0] strides [1] storage_of 0 origin 3
scalar "x.start" = start0 start_of 0
--run-- ferrite inspect --stage loop --from loop -
--in--
program p
symbol n in [0, ] hint 6
scalar "k" = n start_of 0
output int n
--status-- 1
# what passes make of a window on an input counts from where that begins, after a trip through text too: no storage is taken
--run-- ferrite inspect --stage fx - >a.fx && ferrite inspect --stage fx --no-passes a.fx | sed 's/@.*//' >b.fx && sed 's/@.*//' a.fx | diff - b.fx && grep -e storage_of -e start_of a.fx
--in--
graph main {
  placeholder %k user "k" : u8[2,2]
  %wide = aten.expand.default(%k, [3, 2, 2])
  %row = aten.narrow.default(%wide, 1, 0, 1)
  %fill = aten.fill_.Scalar(%row, 2)
  %to = aten.to.dtype(%wide, torch.int16)
  output (user %to)
}
--out--
--status-- 1
