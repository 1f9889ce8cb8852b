# kernels timed in several variants: a summary, the same bytes from what the cache keeps, a program that is right; records
# that are no good; what cannot be
--run-- export FERRITE_CACHE_DIR=$PWD/cache; for i in 1 2; do ferrite compile sums.fx --tune -o sums$i.so | grep -o '[0-9]* kernels tuned'; done; cmp sums1.so sums2.so; ferrite inspect sums.fx --stage sched --tune >1.sched; for f in cache/*.tuned; do head -c 150 $f >t; mv t $f; done; ferrite compile sums.fx --tune --tune-budget-ms 0 -o sums3.so | grep tuned; ferrite compile sums.fx -o sums4.so --quiet; cmp sums3.so sums4.so; ferrite inspect 1.sched --from sched --stage sched | cmp - 1.sched
--file sums.fx--
graph main {
  placeholder %x user "x" : f32[48,64]
  %a = aten.sum.dim_IntList(%x, [0]) : f32[64]
  %b = aten.sum.dim_IntList(%x, [1]) : f32[48]
  %c = aten.exp.default(%x) : f32[48,64]
  output (user %a, user %b, user %c)
}
--out--
3 kernels tuned
3 kernels tuned
0 kernels tuned, 0 changed, 0.0 us -> 0.0 us
3 kernels not tuned: time was up
--run-- cp $ROOT/test/cases/ops/buckets.* $ROOT/test/cases/programs/dynamic_mlp.* . && ferrite check --tune --cache '' buckets.pt2 dynamic_mlp.pt2
--out--
2 passed, 0 failed, 0 unsupported
--run-- ferrite run sums.fx --tune --no-cc; ferrite inspect 1.sched --from kern --stage c --tune; ferrite compile sums.fx --tune --cc no-such-compiler --cache '' -o x.so; ferrite compile sums.fx --tune-budget-ms soon -o x.so
--err--
error: tune: without a C compiler kernels are interpreted: there is nothing to time
  help: leave tune out
error: tune: the kernels of this text are made already
  help: leave tune out
error: cc: no-such-compiler failed
  at library.c
  help: name a working C compiler with --cc or the CC variable; `ferrite run --no-cc` needs none
error: option: tune-budget-ms is a number, not 'soon'
--status-- 2
