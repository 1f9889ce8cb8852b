# what has no functional form is one diagnostic that names the call
--run-- ferrite inspect - --stage fx --verify
--in--
graph emptied {
  placeholder %x user "x" : f32[4]
  %y = aten.clone.default(%x, None)
  %set_ = aten.set_.default(%y)
  output (user %y)
}
--err--
error: functionalise: cannot handle aten.set_.default: the in-place operator has no functional form
  at %set_ in graph emptied
  help: rewrite the program without this in-place call
--status-- 1
--run-- ferrite inspect - --dump-after frobnicate
--in--
graph g {
  placeholder %x user "x" : f32[4]
  output (user %x)
}
--err--
error: option: dump-after is one of inline, vmap, foreach, custom_calls, functionalise, decompose, facts, noop, simplify, quantised, integers, transposed_convolutions, fold_constants, fold_batch_norm, merge_convolutions, transposed_products, attention, products, quantise, cse, merge_products, nest_cat, dce, all, not 'frobnicate'
--status-- 2
