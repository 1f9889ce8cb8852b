# passes of one's own, from a library: two of them, one on the graph as exported, one among those that clean up
--run-- cc -shared -fPIC -I$ROOT/include $ROOT/examples/passes/quick_gelu.c -o libgelu.so && ferrite inspect - --passes ./libgelu.so
--in--
graph main {
  placeholder %x user "x" : f32[4,8]
  %d = aten.dropout.default(%x, 0.5, True)
  %m = aten.mul.Tensor(%d, 1.702)
  %s = aten.sigmoid.default(%m)
  %y = aten.mul.Tensor(%s, %d)
  output (user %y)
}
# their names are names of passes; a graph that they find nothing in stays
--out--
graph main {
  functional
  placeholder %x user "x" : f32[4,8]{8,1}@1
  %gelu = aten.gelu.default(%x, "none") : f32[4,8]{8,1}@8
  output (user %gelu)
}
--run-- cc -shared -fPIC -I$ROOT/include $ROOT/examples/passes/quick_gelu.c -o libgelu.so && ferrite inspect $ROOT/demo/digits.pt2 --passes libgelu.so --dump-after all 2>&1 | grep '^#' | sed -n 1,2p
# what a pass may not do ends the compilation and names it

--out--
# after no_dropout
# after inline
--run-- for n in 1 2 3 4 5 6 7 8 9 10 11 12 13; do echo "-- $n"; cc -shared -fPIC -DMISTAKE=$n -I$ROOT/include $ROOT/test/passes/wrong.c -o w.so; ferrite inspect main.fx --passes ./w.so --stage fx 2>&1 >/dev/null; done
--file main.fx--
graph main {
  placeholder %x user "x" : f32[4,8]
  %y = aten.clone.default(%x)
  %z = aten.sin.default(%y)
  output (user %y, user %z)
}
--out--
-- 1
error: pass: output 0 is another value than it was: dtype
  at wrong
error: pass: the pass leaves a graph that is not valid, as said above
  at wrong
  help: mend the pass, or leave it out
-- 2
error: pass: output 0 shares storage that it did not share before
  at wrong
error: pass: the pass leaves a graph that is not valid, as said above
  at wrong
  help: mend the pass, or leave it out
-- 3
error: fx: aten.exp.default: F1: %exp uses %z, which comes later (graph main, after wrong)
  at %exp in graph main
  help: the node is: %exp = aten.exp.default(%z) : f32[4,8]{8,1}@4
error: pass: the pass leaves a graph that is not valid, as said above
  at wrong
  help: mend the pass, or leave it out
-- 4
error: fx: aten.add_.Tensor: F6: %add_ = aten.add_.Tensor writes to its argument in a functional graph (graph main, after wrong)
  at %add_ in graph main
  help: the node is: %add_ = aten.add_.Tensor(%x, 1, 1) : f32[4,8]{8,1}@1
error: pass: the pass leaves a graph that is not valid, as said above
  at wrong
  help: mend the pass, or leave it out
-- 5
error: pass: there is no operator aten.frobnicate.default to call
  at wrong
-- 6
error: pass: operand other of aten.add.Tensor is of another kind
  at wrong
-- 7
error: infer: aten.mm.default: mat2 is f32[4,8] where [k,m] is wanted: its size in dimension 0 is not 8
  at %mm in graph main
  help: PyTorch refuses such arguments too: is the program whole?
error: pass: the pass leaves a graph that is not valid, as said above
  at wrong
  help: mend the pass, or leave it out
-- 8
error: pass: this one will not
  at wrong
-- 9
-- 10
error: pass: there is a pass of this name
  at noop
-- 11
error: pass: it is to run behind nothing, and there is no such pass; there are inline, vmap, foreach, custom_calls, functionalise, decompose, facts, noop, simplify, quantised, integers, transposed_convolutions, fold_constants, fold_batch_norm, merge_convolutions, transposed_products, attention, products, quantise, cse, merge_products, nest_cat, dce
  at wrong
-- 12
error: pass: the pass needs a graph without mutation, which no pass has made or an earlier one has broken
  at wrong
-- 13
error: pass: the pass needs a graph without mutation, which no pass has made or an earlier one has broken
  at facts
--status-- 1
