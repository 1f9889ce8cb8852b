# copies beside kernels: what the device of delayed.c does when, by its clock of a machine whose queues work side by side (a microsecond for each work-item, and for each byte): how much of the copies is done beside kernels; one queue for both where the driver cannot follow; nothing is read or taken over too early, however the queues go on
--run-- ${FERRITE_TEST_CC:-cc} -shared -fPIC -I$ROOT/include $ROOT/examples/device/delayed.c -o delayed.so -lpthread; ${FERRITE_TEST_CC:-cc} -DONE_QUEUE -shared -fPIC -I$ROOT/include $ROOT/examples/device/delayed.c -o one.so -lpthread; for d in delayed one; do ferrite report early.fx --device privateuseone --devices ./$d.so --trace t.json >/dev/null; sed -n 's/.*"tid": \([12]\), "ts": \([0-9]*\)[0-9.]*, "dur": \([0-9]*\).000, "name": "\([^"]*\)".*/\1 \2 \3 \4/p' t.json >events; awk '{begin[NR] = $2; end[NR] = $2 + $3; queue[NR] = $1} END {for (i = 1; i <= NR; i++) for (k = 1; k <= NR; k++) if (queue[i] == 1 && queue[k] == 2) {a = begin[i] > begin[k] ? begin[i] : begin[k]; b = end[i] < end[k] ? end[i] : end[k]; if (b > a) both += b - a}; print int((both + 500) / 1000), "ms"}' events; done
--file early.fx--
graph main {
  placeholder %x user "x" : f32[256,64]
  placeholder %y user "y" : f32[64,256]
  placeholder %w user "w" : f32[64,64]
  %a = aten.mm.default(%x, %w) : f32[256,64]
  %b = aten.mm.default(%a, %w) : f32[256,64]
  %c = aten.mm.default(%b, %w) : f32[256,64]
  %d = aten.mm.default(%c, %y) : f32[256,256]
  output (user %a, user %d)
}
--out--
49 ms
0 ms
