# several threads of the caller's run one model, each with a context whose pool has threads, and outputs that lie in donated inputs
--run-- ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/threads.c -o t -ldl -lpthread; for o in "--donate all" "--donate p --donate r" ""; do ferrite compile train.fx -o m.so --quiet $o && ./t ./m.so 20; done; ferrite compile train.fx -o m.so --quiet --donate all; grep -c OUTPUT_._INPUT m.h
--file train.fx--
graph train {
  placeholder %p user "p" : f32[96,160]
  placeholder %m user "m" : f32[96,160]
  placeholder %x user "x" : f32[160,96]
  placeholder %r user "r" : f32[160,160]
  %h = aten.mm.default(%x, %p) : f32[160,160]
  %s = aten.sort.default(%h, 1) : (f32[160,160], i64[160,160])
  %v = _operator.getitem(%s, 0) : f32[160,160]
  %e = aten.tanh.default(%v) : f32[160,160]
  %u = aten.add.Tensor(%e, %r) : f32[160,160]
  %g = aten.mm.default(%p, %u) : f32[96,160]
  %m1 = aten.mul.Tensor(%m, 0.5) : f32[96,160]
  %m2 = aten.add.Tensor(%m1, %g) : f32[96,160]
  %d = aten.mul.Tensor(%m2, 0.0009765625) : f32[96,160]
  %p2 = aten.sub.Tensor(%p, %d) : f32[96,160]
  %c = aten.cumsum.default(%u, 1) : f32[160,160]
  %n = aten.neg.default(%x) : f32[160,96]
  output (user %p2, user %m2, user %c, user %n)
}
--out--
callers with other numbers than one thread: 0 of 4
callers with other numbers than one thread: 0 of 4
callers with other numbers than one thread: 0 of 4
3
