# 153899: a part neither takes nor makes what lives inside a kernel alone, nor what a call without results gives; a tensor that
# several nodes change is one that the part mutates; the numbers are those of the whole
--run-- cc -shared -fPIC -I$ROOT/include $ROOT/test/custom_ops/bag.c -o libbag.so && ferrite inspect cross.fx --ops ./libbag.so --split 'op=*mm*' --stage wrap | grep -e '^part' -e '^extern' -e '^alloc'
--file cross.fx--
operators { "bag::scale_(Tensor(a!)[] xs, float by, Tensor? mask=None, str mode=\"all\") -> ()" }
graph main {
  placeholder %x user "x" : f32[4,2]
  placeholder %s user "s" : f32[2]
  placeholder %w user "w" : f32[2,2]
  %e = aten.exp.default(%x) : f32[4,2]
  %r = aten.relu.default(%e) : f32[4,2]
  %t = aten.sum.dim_IntList(%r, [0]) : f32[2]
  %c = aten.add_.Tensor(%s, %t) : f32[2]
  %d = aten.mul_.Tensor(%s, 0.5) : f32[2]
  %m = aten.mm.default(%r, %w) : f32[4,2]
  %none = bag.scale_.default([%s], 2.0, None, "all")
  %n = aten.sub.Tensor(%m, %s) : f32[4,2]
  output (user %n)
}
--out--
partition "rest" reads [@x] mutates [@s] makes [@buf3]
alloc @buf3 live [0, 5) at 0 bytes 32
partition "*mm*" reads [@w, @buf3] makes [@buf6] ends [@buf3]
alloc @buf6 live [3, 8) at 64 bytes 32
extern bmm (@buf3[1,4,2]{0,2,1}, @w[1,2,2]{0,2,1}, none) -> (@buf6[1,4,2]{8,2,1}) ints [] floats [1.0, 0.0]
partition "rest" reads [@buf6] mutates [@s] makes [@buf8] ends [@buf6]
extern custom (@s[2]{1}) -> (@s[2]{1}) ints [] floats [2.0] calls "bag_scale" "[M]f-s" effect strings ["all"]
--run-- ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl; for o in '' '--split op=*mm*' '--split nodes=1'; do ferrite compile cross.fx --ops ./libbag.so $o -o m.so --quiet && ./call ./m.so <script; done | sort | uniq -c
--file script--
in 0 f32 [4,2]
in 1 f32 [2]
in 2 f32 [2,2]
run
show out 0
show in 1
--out--
      3 in 1 [2]{1}: 4.477 8.330
      3 out 0 [4,2]{2,1}: -3.907 -10.189 -5.001 -7.079 -5.586 -5.682 -4.131 -9.458
