# custom operators that write: the functional form returns what its written arguments become
--run-- ferrite inspect - --stage fx --verify
--in--
operators {
  "mylib::bump(Tensor(a!)[] xs, Tensor(b!)? count=None) -> Tensor"
  "mylib::fill(Tensor(a!) x, Tensor(b!) y) -> (Tensor, Tensor(b!))"
}
graph written_values_go_on {
  placeholder %x user "x" : f32[4]
  placeholder %n user "n" : i64[2]
  %y = aten.clone.default(%x, None)
  %part = aten.slice.Tensor(%y, 0, 1, 3, 1)
  %none = mylib.bump.default([%x, %part], %n) : f32[2]
  %pair = mylib.fill.default(%y, %n) : (f32[1], i64[2]@2)
  %fresh = _operator.getitem(%pair, 0)
  %same = _operator.getitem(%pair, 1)
  %sum = aten.add.Tensor(%fresh, %none, 1)
  %back = aten.add.Tensor(%same, %n, 1)
  output (user %y, user %sum, user %back)
}
--out--
operators {
  "mylib::bump(Tensor(a!)[] xs, Tensor(b!)? count=None) -> Tensor"
  "mylib::fill(Tensor(a!) x, Tensor(b!) y) -> (Tensor, Tensor(b!))"
}
graph written_values_go_on {
  functional
  placeholder %x user "x" : f32[4]{1}@3
  placeholder %n user "n" : i64[2]{1}@4
  %y = aten.clone.default(%x, None) : f32[4]{1}@5
  %part = aten.slice.Tensor(%y, 0, 1, 3, 1) : f32[2]{1}+1@5
  %bump = mylib.bump.functional([%x, %part], %n) : (f32[2]{1}@6, f32[4]{1}@10, f32[2]{1}+1@11, i64[2]{1}@12)
  %getitem = _operator.getitem(%bump, 0) : f32[2]{1}@6
  %getitem_1 = _operator.getitem(%bump, 1) : f32[4]{1}@10
  %getitem_2 = _operator.getitem(%bump, 2) : f32[2]{1}+1@11
  %slice_scatter = aten.slice_scatter.default(%y, %getitem_2, 0, 1, 3, 1) : f32[4]{1}@13
  %getitem_3 = _operator.getitem(%bump, 3) : i64[2]{1}@12
  %fill = mylib.fill.functional(%slice_scatter, %getitem_3) : (f32[1]{1}@7, f32[4]{1}@14, i64[2]{1}@15)
  %getitem_4 = _operator.getitem(%fill, 1) : f32[4]{1}@14
  %getitem_5 = _operator.getitem(%fill, 2) : i64[2]{1}@15
  %fresh = _operator.getitem(%fill, 0) : f32[1]{1}@7
  %sum = aten.add.Tensor(%fresh, %getitem, 1) : f32[2]{1}@8
  %back = aten.add.Tensor(%getitem_5, %getitem_5, 1) : i64[2]{1}@9
  output (user_input_mutation "x" %getitem_1, user_input_mutation "n" %getitem_5, user %getitem_4, user %sum, user %back)
}
