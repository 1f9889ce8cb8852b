# 164948: what a pass puts in the place of a write into a part whose place the run computes knows that place: where it is
# read, how far it may lie, and each node's shape
--run-- ferrite inspect put.fx --stage fx && ferrite compile put.fx --verify -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so
--file put.fx--
graph main {
  placeholder %x user "x" : f32[2,3]
  placeholder %i user "i" : i64[]
  placeholder %n user "n" : i64[]
  %k = aten.item.default(%i) : int u0
  %c = aten.clone.default(%x) : f32[2,3]
  %row = aten.select.int(%c, 1, %k) : f32[2]
  %f = aten.fill_.Scalar(%row, 9) : f32[2]
  %e = aten.exp.default(%c) : f32[2,3]
  output (user %c, user %e)
}
--in--
in 0 f32 [2,3] = 0 0 0 0 0 0
in 1 i64 [] = 1
in 2 i64 [] = 1
run
show out 0
in 1 i64 [] = -1
run
show out 0
in 1 i64 [] = 3
run
--out--
symbols {
  u0 unbacked in [-inf, inf]
}
graph main {
  functional
  placeholder %x user "x" : f32[2,3]{3,1}@1
  placeholder %i user "i" : i64[]{}@2
  placeholder %n user "n" : i64[]{}@3
  %k = aten.item.default(%i) : int u0
  %row = aten.select.int(%x, 1, %k) : f32[2]{3}@1
  %fill = aten.fill.Scalar(%row, 9) : f32[2]{1}@6
  %select_scatter = aten.select_scatter.default(%x, %fill, 1, %k) : f32[2,3]{3,1}@7
  %e = aten.exp.default(%select_scatter) : f32[2,3]{3,1}@5
  output (user %select_scatter, user %e)
}
out 0 [2,3]{3,1}: 0.000 9.000 0.000 0.000 9.000 0.000
out 0 [2,3]{3,1}: 0.000 0.000 9.000 0.000 0.000 9.000
failed 4: an index is out of range: u0 < 3 (row): u0 = 3
