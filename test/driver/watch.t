# nan-check: one message that names the input, or the node whose result holds NaN; infinity only where it is asked for
--run-- for o in --nan-check '--nan-check --no-cc --no-passes' --inf-check; do ferrite run n.fx $o; done; sed 's/start(-1, 5/start(0, 6/' n.fx >i.fx; ferrite run i.fx --nan-check >log && ferrite run i.fx --inf-check; sed 's/user %x, user %r/user %r/' i.fx >o.fx; ferrite run o.fx --inf-check
--file n.fx--
graph main {
  %a = aten.arange.start(-1, 5, dtype=f32) : f32[6]
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
error: run: infinity in the result of %r (buffer buf0): 1 of 6 elements, the first at [0, 0]
--status-- 1
# ... with the module and the line of the model where the archive records them
# memory that nobody wrote to, states, regions, sizes that values decide and masks raise no alarm (one program gives NaN, as eager does)
--run-- ({ printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 8, 8), }"; head -c 256 /dev/zero | tr '\0' '\177'; } >big.npy; d=$ROOT/demo/digits.pt2; ferrite run $d --input big.npy --inf-check; ferrite run $d --nan-check >log; n=$ROOT/test/cases/ops/nan_rules; ferrite run $n.pt2 --inputs $n.safetensors --nan-check --target c) 2>&1 | sed 's/: [0-9]* of/: N of/'
--out--
error: run: infinity in the result of %conv2d (features.0), conv.py:565 in forward: N of 1024 elements, the first at [0, 0, 0, 0]
error: run: NaN in input 'a': N of 7 elements, the first at [1]
--run-- ferrite check --nan-check $ROOT/test/cases/programs | grep -o -e '^FAIL.*' -e 'NaN.*' | sed 's,/.*/,,'
--out--
FAIL: spelled_out_attention.pt2
NaN in the result of %attention_3, cases_passes.py:29 in forward: 24 of 336 elements, the first at [0, 0, 3, 0]
