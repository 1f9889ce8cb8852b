# who shares memory with whom stays as eager has it: copies stay copies, values stay what they were when they were taken
--run-- ferrite inspect - --stage fx --verify
--in--
graph a_clone_is_returned {
  placeholder %x user "x" : f32[4]
  %clone = aten.clone.default(%x, None)
  output (user %clone)
}
--out--
graph a_clone_is_returned {
  functional
  placeholder %x user "x" : f32[4]{1}@1
  %clone = aten.clone.default(%x, None) : f32[4]{1}@2
  output (user %clone)
}
--run-- ferrite inspect - --stage fx --verify
--in--
graph an_input_gets_back_its_clone {
  placeholder %x user "x" : f32[4]
  %y = aten.clone.default(%x, None)
  %copy_ = aten.copy_.default(%x, %y, False)
  output (user %y)
}
--out--
graph an_input_gets_back_its_clone {
  functional
  placeholder %x user "x" : f32[4]{1}@1
  %y = aten.clone.default(%x, None) : f32[4]{1}@2
  output (user_input_mutation "x" %y, user %y)
}
--run-- ferrite inspect - --stage fx --verify
--in--
graph two_clones_of_one_value {
  placeholder %x user "x" : f32[4]
  %a = aten.add.Tensor(%x, 1, 1)
  %b = aten.clone.default(%a, None)
  %c = aten.clone.default(%a, None)
  output (user %b, user %c)
}
--out--
graph two_clones_of_one_value {
  functional
  placeholder %x user "x" : f32[4]{1}@1
  %a = aten.add.Tensor(%x, 1, 1) : f32[4]{1}@2
  %b = aten.clone.default(%a, None) : f32[4]{1}@3
  %c = aten.clone.default(%a, None) : f32[4]{1}@4
  output (user %b, user %c)
}
--run-- ferrite inspect - --stage fx --verify
--in--
graph a_view_beside_its_base {
  placeholder %x user "x" : f32[4,6]
  %a = aten.mul.Tensor(%x, 2)
  %row = aten.select.int(%a, 0, 0)
  %flat = aten.view.default(%a, [-1])
  %zero_ = aten.zero_.default(%row)
  output (user %a, user %flat, user %row)
}
--out--
graph a_view_beside_its_base {
  functional
  placeholder %x user "x" : f32[4,6]{6,1}@1
  %a = aten.mul.Tensor(%x, 2) : f32[4,6]{6,1}@2
  %row = aten.select.int(%a, 0, 0) : f32[6]{1}@2
  %zero = aten.zero.default(%row) : f32[6]{1}@3
  %select_scatter = aten.select_scatter.default(%a, %zero, 0, 0) : f32[4,6]{6,1}@4
  %view = aten.view.default(%select_scatter, [-1]) : f32[24]{1}@4
  %select = aten.select.int(%select_scatter, 0, 0) : f32[6]{1}@4
  output (user %select_scatter, user %view, user %select)
}
--run-- ferrite inspect - --stage fx --verify
--in--
graph one_value_copied_to_another {
  placeholder %x user "x" : f32[4]
  %y = aten.clone.default(%x, None)
  %add_ = aten.add_.Tensor(%y, 1, 1)
  %z = aten.empty_like.default(%y, None, None, None, None, None)
  %copy_ = aten.copy_.default(%z, %y, False)
  output (user %y, user %z)
}
--out--
graph one_value_copied_to_another {
  functional
  placeholder %x user "x" : f32[4]{1}@1
  %add = aten.add.Tensor(%x, 1, 1) : f32[4]{1}@4
  %z = aten.empty_like.default(%add, None, None, None, None, None) : f32[4]{1}@3
  %copy = aten.copy.default(%z, %add, False) : f32[4]{1}@5
  output (user %add, user %copy)
}
--run-- ferrite inspect - --stage fx --verify
--in--
graph two_inputs_swapped {
  placeholder %x user "x" : f32[4]
  placeholder %y user "y" : f32[4]
  %t = aten.clone.default(%x, None)
  %copy_ = aten.copy_.default(%x, %y, False)
  %copy__1 = aten.copy_.default(%y, %t, False)
  output (user %x)
}
--out--
graph two_inputs_swapped {
  functional
  placeholder %x user "x" : f32[4]{1}@1
  placeholder %y user "y" : f32[4]{1}@2
  %copy = aten.copy.default(%x, %y, False) : f32[4]{1}@4
  output (user_input_mutation "x" %copy, user_input_mutation "y" %x, user "x" %copy)
}
--run-- ferrite inspect - --stage fx --verify
--in--
graph a_copy_keeps_the_layout_of_what_it_overwrites {
  placeholder %x user "x" : f32[4,6]
  placeholder %y user "y" : f32[6,4]
  %z = aten.clone.default(%x, None)
  %t = aten.t.default(%y)
  %copy_ = aten.copy_.default(%z, %t, False)
  %flat = aten.view.default(%z, [24])
  output (user %z, user %flat)
}
--out--
graph a_copy_keeps_the_layout_of_what_it_overwrites {
  functional
  placeholder %x user "x" : f32[4,6]{6,1}@1
  placeholder %y user "y" : f32[6,4]{4,1}@2
  %t = aten.t.default(%y) : f32[4,6]{1,4}@2
  %copy = aten.copy.default(%x, %t, False) : f32[4,6]{6,1}@4
  %flat = aten.view.default(%copy, [24]) : f32[24]{1}@4
  output (user %copy, user %flat)
}
--run-- ferrite inspect - --stage fx --verify
--in--
graph a_part_is_resized_and_the_whole_then_grows {
  placeholder %x user "x" : f32[3,4]
  %y = aten.add.Tensor(%x, 1, 1)
  %row = aten.select.int(%y, 0, 1)
  %few = aten.resize_.default(%row, [2], None)
  %zero_ = aten.zero_.default(%few)
  %more = aten.resize_.default(%y, [5, 3], None)
  %neg_ = aten.neg_.default(%row)
  output (user %y, user %row)
}
--out--
graph a_part_is_resized_and_the_whole_then_grows {
  functional
  placeholder %x user "x" : f32[3,4]{4,1}@1
  %y = aten.add.Tensor(%x, 1, 1) : f32[3,4]{4,1}@2
  %few = aten.as_strided.default(%y, [2], [1], 4) : f32[2]{1}+4@2
  %zero = aten.zero.default(%few) : f32[2]{1}@3
  %as_strided_scatter = aten.as_strided_scatter.default(%y, %zero, [2], [1], 4) : f32[3,4]{4,1}@4
  %as_strided = aten.as_strided.default(%as_strided_scatter, [12], [1], 0) : f32[12]{1}@4
  %new_empty = aten.new_empty.default(%as_strided, [3], None, None, None, None) : f32[3]{1}@5
  %cat = aten.cat.default([%as_strided, %new_empty], 0) : f32[15]{1}@6
  %as_strided_1 = aten.as_strided.default(%as_strided_scatter, [2], [1], 4) : f32[2]{1}+4@4
  %neg = aten.neg.default(%as_strided_1) : f32[2]{1}@7
  %as_strided_scatter_1 = aten.as_strided_scatter.default(%cat, %neg, [2], [1], 4) : f32[15]{1}@8
  %as_strided_2 = aten.as_strided.default(%as_strided_scatter_1, [5, 3], [3, 1], 0) : f32[5,3]{3,1}@8
  %as_strided_3 = aten.as_strided.default(%as_strided_scatter_1, [3, 4], [4, 1], 0) : f32[3,4]{4,1}@8
  %as_strided_4 = aten.as_strided.default(%as_strided_3, [2], [1], 4) : f32[2]{1}+4@8
  output (user %as_strided_2, user %as_strided_4)
}
