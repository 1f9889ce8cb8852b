# donated inputs: what lies in their memory, what the artifact says of them, which cannot be donated
--run-- for o in "" "--donate x" "--donate x --donate y" "--donate all"; do ferrite compile mix.fx -o m.so $o | sed -n '/^arena/p; /^donated/p'; done; grep -c DONATED m.h
--file mix.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  placeholder %y user "y" : f32[8,8]
  %a = aten.exp.default(%x) : f32[8,8]
  %b = aten.cumsum.default(%a, 0) : f32[8,8]
  %m = aten.mm.default(%b, %y) : f32[8,8]
  %n = aten.mm.default(%m, %b) : f32[8,8]
  %c = aten.cumsum.default(%n, 1) : f32[8,8]
  %s = aten.cumsum.default(%c, 0) : f32[8,8]
  %t = aten.flip.default(%s, [0]) : f32[8,8]
  output (user %t)
}
--out--
arena: 512 bytes, lower bound 512
arena: 256 bytes, lower bound 256
donated inputs: 256 bytes more
arena: 0 bytes, lower bound 0
donated inputs: 512 bytes more
arena: 0 bytes, lower bound 0
donated inputs: 512 bytes more
2
--run-- ferrite inspect mix.fx --donate all --stage plan; ferrite inspect mix.fx --donate all --stage wrap --isa x86-64-v4 | sed -n '/donated/p; /^memory/p'
--out--
plan mix: arena 0 bytes + 1152 a thread + donated 512, bound 0, 0 in use at once (step 0), 0 buffers
step 0 live 0 b
step 1 live 0 m
step 2 live 0 n
step 3 live 0 c
step 4 live 0 s
step 5 live 0 output
@buf2 live [0, 3) at 0 bytes 256 in input @x
@buf4 live [2, 4) at 0 bytes 256 in input @y
@buf5 live [3, 5) at 0 bytes 256 in input @y
@buf6 live [4, 6) at 0 bytes 256 in input @y
input  @x : f32[8,8] strides [8,1] donated origin 0
input  @y : f32[8,8] strides [8,1] donated origin 1
memory @buf2 in @x
memory @buf3 in @buf7
memory @buf4 in @y
memory @buf5 in @y
memory @buf6 in @y
memory @buf7 output 0
--run-- for s in loop sched wrap; do ferrite inspect mix.fx --donate all --stage $s >m.$s; ferrite inspect m.$s --from $s --stage $s | cmp - m.$s; done; ferrite inspect m.wrap --from wrap --stage wrap --isa x86-64-v4 --donate x
--err--
error: donate: the memory of this text is planned already: it says what is donated
--status-- 1
--run-- ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/donated.c -o t -ldl; for o in "" "--donate all"; do ferrite compile mix.fx -o m.so --quiet $o && ./t ./m.so; done
--out--
arena 512, donated:
apart: 176504, x as it was, y as it was
again: 176504, x as it was, y as it was
the output in x: 176504, x changed, y as it was
the output in y: 176504, x as it was, y changed
x and y in one: 236464, x as it was, y as it was
chained: 0 differ
arena 0, donated: x y
apart: 176504, x changed, y changed
again: 176504, x changed, y changed
the output in x: 176504, x changed, y changed
the output in y: 176504, x changed, y changed
x and y in one: failed 1: input 'x' is donated, and input 'y' lies in its memory
chained: 0 differ
--run-- ferrite compile wide.fx -o m.so --donate all | sed -n '/^arena/p; /^donated/p'; ferrite inspect wide.fx --donate all --stage wrap --isa x86-64-v4 | sed -n '/^memory/p'
--file wide.fx--
symbols {
  s0 in [2, 100]
}
graph main {
  placeholder %x user "x" : f32[2*s0,4]
  placeholder %y user "y" : f32[3,4]
  %a = aten.sum.dim_IntList(%x, [0]) : f32[4]
  %b = aten.slice.Tensor(%y, 0, 0, 2) : f32[2,4]
  %w = aten.slice.Tensor(%x, 0, 0, 9223372036854775807, 2) : f32[s0,4]{8,1}
  %e = aten.mul.Tensor(%w, %a) : f32[s0,4]
  %c = aten.cumsum.default(%e, 0) : f32[s0,4]
  %k = aten.flip.default(%c, [0]) : f32[s0,4]
  %d = aten.cumsum.default(%k, 0) : f32[s0,4]
  %f = aten.sum.dim_IntList(%d, [0]) : f32[4]
  %g = aten.add.Tensor(%f, %b) : f32[2,4]
  output (user %g)
}
--out--
arena: by the sizes of the inputs
donated inputs: 16 bytes more
memory @buf5 in @x
memory @buf6 output 0
--run-- for o in z a; do ferrite compile kept.fx -o m.so --donate $o; done; ferrite inspect kept.fx --donate 'view?' --donate 'free?' --stage loop | grep donated; for o in view changed gaps n; do ferrite compile kept.fx -o m.so --donate $o 2>&1 | sed -n 1p; done; ferrite inspect kept.fx --donate all --stage loop | grep donated
--file kept.fx--
graph main {
  placeholder %view user "view" : f32[4,4]
  placeholder %changed user "changed" : f32[4]
  placeholder %gaps user "gaps" : f32[4,4]{8,1}
  placeholder %free user "free" : f32[4,4]
  %v = aten.t.default(%view) : f32[4,4]{1,4}
  %c = aten.add.Tensor(%changed, 1.0) : f32[4]
  %g = aten.add.Tensor(%gaps, %free) : f32[4,4]
  output (user_input_mutation "changed" %c, user %v, user %g)
}
--out--
input  @free : f32[4,4] strides [4,1] donated origin 3
error: donate: input 'view' cannot be donated: an output is a view of it
error: donate: input 'changed' cannot be donated: the program changes it in place
error: donate: input 'gaps' cannot be donated: its strides leave gaps, which are not its own
error: donate: the program has no input 'n'
input  @free : f32[4,4] strides [4,1] donated origin 3
--run-- ferrite inspect pieces.fx --stage wrap --isa x86-64-v4 | grep '^memory'
--file pieces.fx--
graph main {
  placeholder %x user "x" : f32[1,3,4]
  placeholder %w user "w" : f32[1,4,2]
  placeholder %c user "c" : f32[2]
  placeholder %k user "k" : f32[1,1,2]
  placeholder %g user "g" : f32[1,2,8]
  placeholder %h user "h" : f32[1,8,64]
  %k2 = aten.exp.default(%k)
  %bmm = aten.bmm.default(%x, %w)
  %add = aten.add.Tensor(%bmm, %c)
  %cat = aten.cat.default([%k2, %add], 1)
  %t = aten.bmm.default(%cat, %g)
  %out = aten.bmm.default(%t, %h)
  output (user %out)
}
--out--
memory @buf6 in @buf9 at 2
memory @buf7 in @buf9
memory @buf9 output 0
memory @buf10 in @buf9 at 2
