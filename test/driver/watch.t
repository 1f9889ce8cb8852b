# nan-check: one message that names the input, or the node whose result holds NaN; infinity only where it is asked for
--once--
--run-- for o in --nan-check '--nan-check --no-cc --no-passes' --inf-check; do ferrite run n.fx $o; done; sed 's/start(-1, 5/start(0, 6/' n.fx >i.fx; ferrite run i.fx --nan-check >log && ferrite run i.fx --inf-check; sed 's/user %x, user %r/user %r/' i.fx >o.fx; ferrite run o.fx --inf-check
--file n.fx--
graph main {
  %a = aten.arange.start(-1, 5, dtype=torch.float32) : f32[6]
  %m = aten.reshape.default(%a, [2, 3]) : f32[2,3]
  %r = aten.log.default(%m) : f32[2,3]
  %i = aten.full.default([2, 3], -inf) : f32[2,3]
  %x = aten.maximum.default(%i, %m) : f32[2,3]
  output (user %x, user %r)
}
--err--
error: run: NaN in the result of %r (buffer buf1): 1 of 6 elements, the first at [0, 0]
error: run: NaN in the result of %r (buffer buf1): 1 of 6 elements, the first at [0, 0]
error: run: NaN in the result of %r (buffer buf1): 1 of 6 elements, the first at [0, 0]
error: run: infinity in the result of %r (buffer buf1): 1 of 6 elements, the first at [0, 0]
error: run: infinity in the result of %r (buffer buf1): 1 of 6 elements, the first at [0, 0]
--status-- 1
# of what runs in one kernel else, each node is looked at: the first that makes NaN is named, not the last that has it
# ... with the module and the line of the model where the archive records them
# dump-buffers: a line for each result, integers and truths too; what an epilogue changes in place is shown as it leaves it
# memory that nobody wrote to, states, regions, sizes that values decide and masks raise no alarm (one program gives NaN, as eager does)
# a weight that holds NaN is named, not what reads it first
# what is compiled with a check says the same, in parts too; without one it goes on
--run-- ({ printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 8, 8), }"; head -c 256 /dev/zero | tr '\0' '\177'; } >big.npy; d=$ROOT/demo/digits.pt2; ferrite run $d --input big.npy --inf-check; ferrite run $d --nan-check >log; n=$ROOT/test/cases/ops/nan_rules; ferrite run $n.pt2 --inputs $n.safetensors --nan-check --target c) 2>&1 | sed 's/: [0-9]* of/: N of/'
--out--
error: run: infinity in the result of %conv2d (features.0), make_digits.py:47 in forward: N of 1024 elements, the first at [0, 0, 0, 0]
error: run: NaN in input 'a': N of 7 elements, the first at [1]
--status-- 1
--run-- ferrite check --nan-check $ROOT/test/cases/programs | grep -o -e '^FAIL.*' -e 'NaN.*' | sed 's,/.*/,,'
--out--
FAIL: bounded_products.pt2
NaN in input 'x': 1 of 91 elements, the first at [3, 2]
FAIL: parts_of_given_lengths.pt2
NaN in the result of %mean, cases_programs.py:426 in forward (buffer buf7): 2 of 2 elements, the first at [0]
FAIL: products_in_tiles.pt2
NaN in input 'x': 1 of 2590 elements, the first at [69, 36]
FAIL: spelled_out_attention.pt2
NaN in the result of %attention_3, cases_passes.py:29 in forward: 24 of 336 elements, the first at [0, 0, 3, 0]
--status-- 1
--run-- ferrite run d.fx --dump-buffers --no-passes >log; ferrite run d.fx --no-cc --dump-dir out 2>lines >log; sort lines | cut -d ' ' -f 2-; ls out | wc -l; ferrite run $ROOT/demo/digits.pt2 --dump-dir npy 2>&1 >log | grep -c 'relu.*with %conv2d'; touch file; ferrite run $ROOT/demo/digits.pt2 --dump-dir file 2>&1 | grep error | cut -c -40
--file d.fx--
graph main {
  %a = aten.arange.start(-1, 5, dtype=torch.float32) : f32[6]
  %m = aten.reshape.default(%a, [2, 3]) : f32[2,3]
  %r = aten.log.default(%m) : f32[2,3]
  %c = aten.cumsum.default(%m, 1) : f32[2,3]
  %p = aten.gt.Scalar(%c, 0) : bool[2,3]
  %n = aten.mul.Tensor(%r, inf) : f32[2,3]
  %h = aten.arange.default(3) : i64[3]
  %e = aten.add.Tensor(%h, 4) : i64[3]
  output (user %p, user %n, user %e)
}
--out--
bool[2,3] min 0 max 1 mean 0.5 nan 0 inf 0  %p, with %c
f32[2,3] min -inf max inf mean nan nan 2 inf 4  %n
i64[3] min 4 max 6 mean 5 nan 0 inf 0  %e
3
3
error: run: buf12.npy: cannot make folde
--err--
buf1 bool[2,3] min 0 max 1 mean 0.5 nan 0 inf 0  %p, with %c
buf2 f32[2,3] min -inf max inf mean nan nan 2 inf 4  %n
buf3 i64[3] min 4 max 6 mean 5 nan 0 inf 0  %e
--status-- 1
--run-- ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl; echo run >script; for o in --nan-check '--inf-check --split nodes=1' ''; do ferrite compile n.fx $o -o n.so --quiet && ./call ./n.so <script; done
--out--
failed 4: NaN in the result of %r (buffer buf1): 1 of 6 elements, the first at [0, 0]
failed 4: NaN in the result of %r (buffer buf1): 1 of 6 elements, the first at [0, 0]
--run-- for o in --nan-check '--nan-check --no-cc' --inf-check; do ferrite run w.fx $o; done; sed 's/nan, 4/inf, 4/' w.fx >b.fx; ferrite run b.fx --nan-check; sed 's/nan/inf/' b.fx >i.fx; ferrite run i.fx --nan-check >log
--file w.fx--
graph main {
  placeholder %w constant "w" : f32[3,2] data [1, 2, nan, 4, 5, 6]
  placeholder %b constant "b" : bf16[2] data [1, nan]
  %k = aten.arange.start(1, 13, dtype=torch.float32) : f32[12]
  %x = aten.reshape.default(%k, [4, 3]) : f32[4,3]
  %m = aten.mm.default(%x, %w) : f32[4,2]
  %y = aten.add.Tensor(%m, %b) : f32[4,2]
  output (user %y)
}
--err--
error: run: NaN in weight 'w': 1 of 6 elements, the first at [1, 0]
error: run: NaN in weight 'w': 1 of 6 elements, the first at [1, 0]
error: run: NaN in weight 'w': 1 of 6 elements, the first at [1, 0]
error: run: NaN in weight 'b': 1 of 2 elements, the first at [1]
--run-- for t in f8e4m3fn f8e5m2 f8e4m3fnuz f8e5m2fnuz f8e8m0fnu; do sed "s/f8/$t/" w8.fx >t.fx; for o in '' --no-cc; do ferrite run t.fx --nan-check $o; done; sed 's/nan/4/' t.fx >g.fx; ferrite run g.fx --nan-check >log; done; sed 's/f8/f8e5m2/; s/nan/inf/' w8.fx >i.fx; ferrite run i.fx --nan-check >log
--file w8.fx--
graph main {
  placeholder %w constant "w" : f8[4] data [1.0, nan, 2.0, 0.5]
  %f = aten._to_copy.default(%w, dtype=torch.float32)
  %r = aten.add.Tensor(%f, 1)
  output (user %r)
}
--err--
error: run: NaN in weight 'w': 1 of 4 elements, the first at [1]
error: run: NaN in weight 'w': 1 of 4 elements, the first at [1]
error: run: NaN in weight 'w': 1 of 4 elements, the first at [1]
error: run: NaN in weight 'w': 1 of 4 elements, the first at [1]
error: run: NaN in weight 'w': 1 of 4 elements, the first at [1]
error: run: NaN in weight 'w': 1 of 4 elements, the first at [1]
error: run: NaN in weight 'w': 1 of 4 elements, the first at [1]
error: run: NaN in weight 'w': 1 of 4 elements, the first at [1]
error: run: NaN in weight 'w': 1 of 4 elements, the first at [1]
error: run: NaN in weight 'w': 1 of 4 elements, the first at [1]
--run-- ferrite run chain.fx --nan-check; ferrite run chain.fx >log && echo runs; ferrite inspect chain.fx --stage sched | grep -c '^group'; ferrite inspect chain.fx --stage sched --nan-check | grep -c '^group'
--file chain.fx--
graph main {
  %a = aten.arange.start(-1, 5, dtype=torch.float32)
  %b = aten.mul.Tensor(%a, 2)
  %r = aten.log.default(%b)
  %e = aten.add.Tensor(%r, 1)
  %f = aten.exp.default(%e)
  %s = aten.sum.default(%f)
  output (user %s, user %f)
}
--out--
runs
2
6
--err--
error: run: NaN in the result of %r (buffer buf2): 1 of 6 elements, the first at [0]
