# what has no functional form is one diagnostic that names the call
--run-- ferrite inspect - --stage fx --verify
--in--
graph resized {
  placeholder %x user "x" : f32[4]
  %y = aten.clone.default(%x, None)
  %resize_ = aten.resize_.default(%y, [2], None)
  output (user %y)
}
--err--
error: functionalise: cannot handle aten.resize_.default: the in-place operator has no functional form
  at %resize_ in graph resized
  help: rewrite the program without this in-place call
--status-- 1
--run-- ferrite inspect - --stage fx --verify
--in--
operators {
  "mylib::bump(Tensor(a!)[] xs) -> ()"
}
graph a_list_is_written {
  placeholder %x user "x" : f32[4]
  %y = aten.clone.default(%x, None)
  %z = aten.clone.default(%x, None)
  %none = mylib.bump.default([%y, %z])
  output (user %y)
}
--err--
error: functionalise: cannot handle mylib.bump.default: an operator that mutates several arguments, or an optional or list argument, has no functional form yet
  at %none in graph a_list_is_written
  help: rewrite the program without this in-place call
--status-- 1
--run-- ferrite inspect - --dump-after frobnicate
--in--
graph g {
  placeholder %x user "x" : f32[4]
  output (user %x)
}
--err--
error: pass: there is no pass 'frobnicate'; there are functionalise, noop, fold_batch_norm, cse, dce
--status-- 1
