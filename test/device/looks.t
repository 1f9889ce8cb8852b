# what looks at a run looks at devices too: numbers that are none, results, memory, each kernel against a reference, the time of each step by the device's clock
--run-- ${FERRITE_TEST_CC:-cc} -shared -fPIC -I$ROOT/include $ROOT/examples/device/delayed.c -o delayed.so -lpthread; run() { ferrite run p.fx --device privateuseone --devices ./delayed.so "$@" 2>&1; }; for o in "--target c" "--target process" --no-cc; do run $o --nan-check; run $o --inf-check; done; run --dump-buffers --dump-dir d | grep ^buf; tail -c 16 d/buf3.npy | od -An -f; run --lifecycle-check | grep -c ^call; run --bisect | grep -c ^call
--file p.fx--
graph main {
  placeholder %x buffer "x" : f32[4] data [1.0, 4.0, 0.0, 9.0]
  %n = aten.log.default(%x) : f32[4]
  %m = aten.sub.Tensor(%n, %n) : f32[4]
  %s = aten.sort.default(%m) : (f32[4], i64[4])
  %v = _operator.getitem(%s, 0) : f32[4]
  %y = aten.add.Tensor(%v, 1.0) : f32[4]
  output (user %y)
}
--out--
error: run: NaN in the result of %m (buffer buf3): 1 of 4 elements, the first at [2]
error: run: infinity in the result of %n (buffer buf2): 1 of 4 elements, the first at [2]
error: run: NaN in the result of %m (buffer buf3): 1 of 4 elements, the first at [2]
error: run: infinity in the result of %n (buffer buf2): 1 of 4 elements, the first at [2]
error: run: NaN in the result of %m (buffer buf3): 1 of 4 elements, the first at [2]
error: run: infinity in the result of %n (buffer buf2): 1 of 4 elements, the first at [2]
buf3 f32[4] min 0 max 0 mean 0 nan 1 inf 0  %m, with %n
buf5 f32[4] min 0 max 0 mean 0 nan 1 inf 0  %s
buf7 f32[4] min 1 max 1 mean 1 nan 1 inf 0  %y
               0               0            -nan               0
1
1
--run-- ${FERRITE_TEST_CC:-cc} -shared -fPIC -I$ROOT/include $ROOT/examples/device/delayed.c -o delayed.so -lpthread; ferrite report two.fx --device privateuseone --devices ./delayed.so -o r.html >report && sed -n 's/^<tr><td class="n" data-v="[0-9]*">[0-9]*<\/td><td class="s">\(_to_copy[_1]*\)<\/td><td class="s"><\/td><td class="n" data-v="\([0-9]*\).*/\1 \2/p' r.html | awk '{ print $1, int($2 / 128) * 128 }'
--file two.fx--
graph main {
  placeholder %x user "x" : f32[64,32]
  %s = aten.sum.dim_IntList(%x, [1]) : f32[64]
  %e = aten.exp.default(%s) : f32[64]
  output (user %e)
}
--out--
_to_copy 8192
_to_copy_1 256
