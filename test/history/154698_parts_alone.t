# 154698: each part compiles alone, with all that its code needs: one after another they give what the whole gives
--run-- ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl; w='f32 [4,4] = 1 0 0 -2 0 3 0 0 -4 0 0 1 0 -1 1 1'; x='f32 [2,4] = 1 -2 3 -4 -5 6 -7 8'; give() { for i; do echo "in $n $i"; n=$((n + 1)); done; printf 'run\nshow out 0\n'; }; part() { ferrite compile chain.fx --split op=relu --part $1 -o part.so --quiet; ./call ./part.so >out; x=$(sed 's/out 0 \(.*\){.*:\(.*\)/f32 \1 =\2/' out); }; ferrite compile chain.fx -o whole.so --quiet; n=0; give "$x" "$w" >s; ./call ./whole.so <s; part 0 <s; n=0; give "$x" >s; part 1 <s; n=0; give "$w" "$x" >s; part 2 <s; n=0; give "$x" >s; part 3 <s; cat out
--file chain.fx--
graph main {
  placeholder %x user "x" : f32[2,4]
  placeholder %w user "w" : f32[4,4]
  %a = aten.mm.default(%x, %w) : f32[2,4]
  %b = aten.relu.default(%a) : f32[2,4]
  %c = aten.mm.default(%b, %w) : f32[2,4]
  %d = aten.neg.default(%c) : f32[2,4]
  %e = aten.relu.default(%d) : f32[2,4]
  output (user %e)
}
--out--
out 0 [2,4]{4,1}: 0.000 0.000 0.000 0.000 9.000 0.000 0.000 27.000
out 0 [2,4]{4,1}: 0.000 0.000 0.000 0.000 9.000 0.000 0.000 27.000
