# a run that ends at an assertion between two epochs, or at any allocation for which there is no memory, leaves nothing
# behind, and the next one is as any other
--run-- ferrite compile late.fx -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/epochs.c -o t -ldl && ./t ./m.so
--file late.fx--
symbols {
  s0 in [0, 100]
}
graph main {
  placeholder %x user "x" : f32[s0,3]
  placeholder %n user "n" : i64[]
  %m = aten.gt.Scalar(%x, 0) : bool[s0,3]
  %v = aten.masked_select.default(%x, %m) : f32[u0]
  %w = aten.cumsum.default(%v, 0) : f32[u0]
  %u = aten.sym_size.int(%w, 0) : int u0
  %some = _operator.ge(%u, 1) : bool u0 >= 1
  %a = aten._assert_scalar.default(%some, "there are some")
  %k = aten.item.default(%n) : int u1
  %low = _operator.ge(%k, 0) : bool u1 >= 0
  %b = aten._assert_scalar.default(%low, "k is a count")
  %r = aten.arange.default(%k) : i64[u1]
  %e = aten.exp.default(%w) : f32[u0]
  %p = aten.cumsum.default(%r, 0) : i64[u1]
  %few = _operator.le(%k, 100) : bool u1 <= 100
  %c = aten._assert_scalar.default(%few, "not too many")
  %f = aten._to_copy.default(%p, dtype=torch.float32) : f32[u1]
  %q = aten.cumsum.default(%f, 0) : f32[u1]
  %o = aten.cat.default([%w, %q]) : f32[u0 + u1]
  output (user %o)
}
--out--
sum 2826955.0
sum 53.0
failed 4: k is a count: 0 <= u1 (b): u1 = -2
failed 4: there are some: 1 <= u0 (a): u0 = 0
failed 4: not too many: u1 <= 100 (c): u1 = 200
failed 4: there are some: 1 <= u0 (a): u0 = 0
--run-- ferrite compile late.fx -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -rdynamic -I$ROOT/include $ROOT/test/artifact/no_memory.c -o t -ldl && ./t ./m.so
--out--
sum 169.0
sum 2797394.0
sum 6.0
sum 4269671.0
sum 169.0
--run-- ferrite compile rooms.fx -o m.so --quiet && ferrite inspect rooms.fx --stage wrap | grep -c ^scratch && ./t ./m.so
--file rooms.fx--
symbols {
  s0 in [0, 100]
}
graph main {
  placeholder %x user "x" : f32[s0,3]
  placeholder %n user "n" : i64[]
  %t = aten.permute.default(%x, [1, 0]) : f32[3,s0]
  %s = aten.sort.default(%t, 1) : (f32[3,s0], i64[3,s0])
  %v = _operator.getitem(%s, 0) : f32[3,s0]
  %w = aten.sum.dim_IntList(%v, [0]) : f32[s0]
  %k = aten.item.default(%n) : int u1
  %low = _operator.ge(%k, 0) : bool u1 >= 0
  %b = aten._assert_scalar.default(%low, "k is a count")
  %r = aten.arange.default(%k) : i64[u1]
  %f = aten._to_copy.default(%r, dtype=torch.float32) : f32[u1]
  %g = aten.neg.default(%f) : f32[u1]
  %c = aten.stack.default([%f, %g]) : f32[2,u1]
  %d = aten.sort.default(%c, 1) : (f32[2,u1], i64[2,u1])
  %e = _operator.getitem(%d, 0) : f32[2,u1]
  %h = aten.sum.dim_IntList(%e, [0]) : f32[u1]
  %o = aten.cat.default([%w, %h]) : f32[s0 + u1]
  output (user %o)
}
--out--
2
sum 13.0
sum 81.0
sum 1.0
sum 197.0
sum 13.0
