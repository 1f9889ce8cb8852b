# outputs that lie in donated inputs: an optimizer's step, a cache, a chain of states; and memory given where others lie
--run-- ferrite inspect step.fx --donate all --stage plan | tail -4; ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/returned.c -o t -ldl; for o in "" "--donate p --donate m" "--donate g"; do ferrite compile step.fx -o m.so --quiet $o && ./t ./m.so; done; grep 'DONATED\|OUTPUT_._INPUT' m.h
--file step.fx--
graph main {
  placeholder %p user "p" : f32[16]
  placeholder %m user "m" : f32[16]
  placeholder %g user "g" : f32[16]
  %m1 = aten.mul.Tensor(%m, 0.5) : f32[16]
  %m2 = aten.add.Tensor(%m1, %g) : f32[16]
  %s = aten.mul.Tensor(%m2, 0.25) : f32[16]
  %p2 = aten.sub.Tensor(%p, %s) : f32[16]
  output (user %p2, user %m2)
}
--out--
plan step: arena 0 bytes + donated 128, bound 0, 0 in use at once (step 0), 0 buffers
step 0 live 0 m2, p2
@buf3 live [0, 2) at 0 bytes 64 in input @m, if no memory is given
@buf4 live [0, 2) at 0 bytes 64 in input @p, if no memory is given
outputs in: none, none
nothing given: 53.9 in context 204.5 in context
memory of their own: 53.9 in own 204.5 in own
with gaps: 53.9 in own 204.5 in own
output 0 in p: 53.9 in p 204.5 in context
output 1 in p: 53.9 in context 204.5 in p
output 0 in m: 53.9 in m 204.5 in context
output 1 in m: 53.9 in context 204.5 in m
output 0 in g: 53.9 in g 204.5 in context
output 1 in g: 53.9 in context 204.5 in g
the context holds 128 bytes
outputs in: p, m
nothing given: 53.9 in p 204.5 in m
memory of their own: 53.9 in own 204.5 in own
with gaps: 53.9 in own 204.5 in own
output 0 in p: 53.9 in p 204.5 in m
output 1 in p: 53.9 in context 204.5 in p
output 0 in m: 53.9 in m 204.5 in context
output 1 in m: 53.9 in p 204.5 in m
output 0 in g: 53.9 in g 204.5 in m
output 1 in g: 53.9 in p 204.5 in g
the context holds 128 bytes
outputs in: none, g
nothing given: 53.9 in context 204.5 in g
memory of their own: 53.9 in own 204.5 in own
with gaps: 53.9 in own 204.5 in own
output 0 in p: 53.9 in p 204.5 in g
output 1 in p: 53.9 in context 204.5 in p
output 0 in m: 53.9 in m 204.5 in g
output 1 in m: 53.9 in context 204.5 in m
output 0 in g: 53.9 in g 204.5 in context
output 1 in g: 53.9 in context 204.5 in g
the context holds 128 bytes
#define STEP_INPUT_2_DONATED 1
#define STEP_OUTPUT_1_INPUT 2
--run-- for o in "" "--donate cache"; do ferrite compile cache.fx -o m.so --quiet $o && ./t ./m.so; done; ferrite inspect cache.fx --donate all --stage wrap --isa x86-64-v4 | grep '^kernel\|^output'
--file cache.fx--
graph main {
  placeholder %cache user "cache" : f32[16]
  placeholder %k user "k" : f32[16]
  %one = aten.slice.Tensor(%k, 0, 3, 5) : f32[2]
  %new = aten.slice_scatter.default(%cache, %one, 0, 7, 9) : f32[16]
  %all = aten.cumsum.default(%new, 0) : f32[16]
  output (user %new, user %all)
}
--out--
outputs in: none, none
nothing given: 136.0 in context 1766.0 in context
memory of their own: 136.0 in own 1766.0 in own
with gaps: 136.0 in own 1766.0 in own
output 0 in cache: 136.0 in cache 1766.0 in context
output 1 in cache: 136.0 in context 1766.0 in cache
output 0 in k: 136.0 in k 1766.0 in context
output 1 in k: 136.0 in context 1766.0 in k
the context holds 128 bytes
outputs in: cache, none
nothing given: 136.0 in cache 1766.0 in context
memory of their own: 136.0 in own 1766.0 in own
with gaps: 136.0 in own 1766.0 in own
output 0 in cache: 136.0 in cache 1766.0 in context
output 1 in cache: failed 2: the memory given for output 'output_1' is where output 'output_0' lies
output 0 in k: 136.0 in k 1766.0 in context
output 1 in k: 136.0 in cache 1766.0 in k
the context holds 64 bytes
kernel k_copy_dd07a4 (@k, @cache) ints [] m 1 n 2 cost 46
kernel k_sum_9eb29b (@cache, @buf3) ints [16] m 1 cost 3280
output 0 @cache[16]{1}
output 1 @buf3[16]{1}
--run-- for o in "" "--donate all"; do ferrite compile turned.fx -o m.so --quiet $o && ./t ./m.so; done
--file turned.fx--
graph main {
  placeholder %x user "x" : f32[16]
  placeholder %y user "y" : f32[16]
  %a = aten.flip.default(%x, [0]) : f32[16]
  %b = aten.add.Tensor(%a, %y) : f32[16]
  %c = aten.flip.default(%b, [0]) : f32[16]
  output (user %b, user %c, user %b)
}
--out--
outputs in: none, none, none
nothing given: 251.0 in context 208.0 in context 251.0 in context
memory of their own: 251.0 in own 208.0 in own 251.0 in own
with gaps: 251.0 in own 208.0 in own 251.0 in own
output 0 in x: 251.0 in x 208.0 in context 251.0 in context
output 1 in x: 251.0 in context 208.0 in x 251.0 in context
output 2 in x: 251.0 in context 208.0 in context 251.0 in x
output 0 in y: 251.0 in y 208.0 in context 251.0 in context
output 1 in y: 251.0 in context 208.0 in y 251.0 in context
output 2 in y: 251.0 in context 208.0 in context 251.0 in y
the context holds 128 bytes
outputs in: y, x, y
nothing given: 251.0 in y 208.0 in x 251.0 in y
memory of their own: 251.0 in own 208.0 in own 251.0 in own
with gaps: 251.0 in own 208.0 in own 251.0 in own
output 0 in x: 251.0 in x 208.0 in context 251.0 in y
output 1 in x: 251.0 in y 208.0 in x 251.0 in y
output 2 in x: 251.0 in y 208.0 in context 251.0 in x
output 0 in y: 251.0 in y 208.0 in x 251.0 in y
output 1 in y: 251.0 in context 208.0 in y 251.0 in context
output 2 in y: 251.0 in y 208.0 in x 251.0 in y
the context holds 128 bytes
--run-- ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/chained.c -o c -ldl; for p in turned piece; do ferrite compile $p.fx -o m.so --quiet && ./c ./m.so; done
--file piece.fx--
graph main {
  placeholder %x user "x" : f32[16]
  %a = aten.constant_pad_nd.default(%x, [2, 2], 1.0) : f32[20]
  %b = aten.cumsum.default(%a, 0) : f32[20]
  %c = aten.slice.Tensor(%b, 0, 1, 17) : f32[16]
  %d = aten.flip.default(%x, [0]) : f32[16]
  output (user %c, user %d)
}
--out--
0 of 3 differ
0 of 2 differ
--run-- ferrite inspect step.fx --donate all --stage python | grep ' = f.input\|^program'; ferrite compile step.fx --emit fx -o step.json --donate all --quiet; grep -o '"donated.*\|"target": "ferrite.view".*' step.json
--out--
    p = f.input(0)
    m = f.input(1)
    g = f.input(2)
    buf3 = f.input(1)
    buf4 = f.input(0)
program = rt.Program("step", library, INPUTS, OUTPUTS, lines, WEIGHTS, 0, STATES, PARTS, donated=(0, 1,))
"donated": [0, 1],
"target": "ferrite.view", "args": [{"node": "m"}, {"dtype": "torch.float32"}, [16], [1], 0]},
"target": "ferrite.view", "args": [{"node": "p"}, {"dtype": "torch.float32"}, [16], [1], 0]},
