# auto_functionalized_v2: the operator writes again, to copies of its bases; what cannot be read so is one diagnostic, and a call that writes
# already is left alone
--run-- ferrite inspect - --dump-after custom_calls --verify | grep '^  %' && sed -i 's/mylib.touch/mylib.none/' two.fx; ferrite inspect two.fx --stage fx
--file two.fx--
operators { "mylib::touch(Tensor(a!) x) -> ()" }
graph two {
  placeholder %x user "x" : f32[4]
  %h = higher_order.auto_functionalized_v2("torch.ops.mylib.touch.default", ["_x_base_index", 0], ["_all_bases", [%x]]) : (none, f32[4])
  %y = _operator.getitem(%h, 1) : f32[4]
  output (user %y)
}
--in--
operators { "mylib::bump(Tensor(a!)[] xs, Tensor y, Tensor(b!)? count=None) -> (Tensor, Tensor)" }
graph main {
  functional
  placeholder %x user "x" : f32[4,4]
  placeholder %y user "y" : f32[4]
  placeholder %n user "n" : i64[]
  %c = aten.clone.default(%x, None) : f32[4,4]
  %h = higher_order.auto_functionalized_v2("torch.ops.mylib.bump.default", ["y", %y], ["_xs_length", 3], ["_xs_0_base_index", 0], ["_xs_1_base_index", 1], ["_xs_1_slice_dim", 0], ["_xs_1_slice_start", 1], ["_xs_1_slice_end", 3], ["_xs_2_base_index", 1], ["_xs_2_size", [4]], ["_xs_2_stride", [1]], ["_xs_2_storage_offset", 4], ["_count_base_index", None], ["_all_bases", [%y, %x]]) : (f32[4], f32[2], f32[4], f32[4,4])
  %one = _operator.getitem(%h, 0) : f32[4]
  %two = _operator.getitem(%h, 1) : f32[2]
  %y1 = _operator.getitem(%h, 2) : f32[4]
  %x1 = _operator.getitem(%h, 3) : f32[4,4]
  output (user_input_mutation "x" %x1, user %one, user %two, user %y1, user %c)
}
--out--
  %c = aten.clone.default(%x, None) : f32[4,4]{4,1}@4
  %clone = aten.clone.default(%y, None) : f32[4]{1}@9
  %clone_1 = aten.clone.default(%x, None) : f32[4,4]{4,1}@10
  %slice = aten.slice.Tensor(%clone_1, 0, 1, 3, 1) : f32[2,4]{4,1}+4@10
  %as_strided = aten.as_strided.default(%clone_1, [4], [1], 4) : f32[4]{1}+4@10
  %bump = mylib.bump.default([%clone, %slice, %as_strided], %y, None) : (f32[4]{1}@5, f32[2]{1}@6)
  %getitem = _operator.getitem(%bump, 1) : f32[2]{1}@6
  %getitem_1 = _operator.getitem(%bump, 0) : f32[4]{1}@5
--err--
error: custom_calls: cannot handle higher_order.auto_functionalized_v2: it calls mylib.none.default, which nobody has declared
  at %h in graph two
  help: declare it: a library of --ops has its schema
--status-- 1
--run-- ferrite inspect plain.fx --stage read >1; ferrite inspect plain.fx --dump-after all >all; for p in foreach custom_calls; do sed -n "/^# after $p/,/^# after /p" all | grep '^  %'; done | sort | uniq -c | grep -c ' 2 '; grep -c '^  %' 1
--file plain.fx--
operators { "mylib::touch(Tensor(a!) x) -> ()" }
graph plain {
  placeholder %x user "x" : f32[4]
  %c = aten.clone.default(%x, None) : f32[4]
  %t = mylib.touch.default(%c) : none
  %y = aten.exp.default(%c) : f32[4]
  output (user %y)
}
--out--
3
3
