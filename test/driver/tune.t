# 156133: what a kernel is timed with where only the run knows a size: the size of the other tensors in that
# dimension, or their largest, within its range; where there are no others a usual one
# 158034: kernels are timed on the device that they run on: those of another one are not timed here, unless all is
# the cpu's
# what becomes of it: a summary, the same bytes from what the cache keeps, a program that is right; records that are
# no good; what cannot be
--run-- ferrite inspect late.fx --stage variants --isa x86-64-v3 | grep -v variant
--file late.fx--
symbols {
  u0 in [0, 1000]
  u1 in [0, 40]
}
graph main {
  placeholder %m user "m" : bool[24]
  placeholder %k user "k" : bool[100]
  placeholder %w user "w" : f32[96,16]
  %i = aten.nonzero.default(%m) : i64[u0,1]
  %z = aten.mul.Tensor(%i, 2) : i64[u0,1]
  %s = aten.squeeze.dim(%i, 1) : i64[u0]
  %t = aten.index_select.default(%w, 0, %s) : f32[u0,16]
  %e = aten.exp.default(%t) : f32[u0,16]
  %j = aten.nonzero.default(%k) : i64[u1,1]
  %l = aten.squeeze.dim(%j, 1) : i64[u1]
  %q = aten.index_select.default(%w, 0, %l) : f32[u1,16]
  %a = aten.cos.default(%q) : f32[u1,16]
  output (user %z, user %e, user %a)
}
--out--
kernel k_exp 1 call on cpu
  u0 = 96
  rows 96 columns 16 ints [96, 16] memory [6144, 768, 6144]
kernel k_cos 1 call on cpu
  u1 = 40
  rows 40 columns 16 ints [96, 16] memory [6144, 320, 2560]
kernel k_sum 1 call on cpu
  rows 1 columns 1 ints [100] memory [100, 8]
kernel k_mul 1 call on cpu
  u0 = 64
  rows 1 columns 64 ints [] memory [512, 512]
kernel k_sum 1 call on cpu
  rows 1 columns 1 ints [24] memory [24, 8]
--status-- 0
--run-- ferrite inspect devices.fx --stage variants --isa x86-64-v3; echo; ferrite inspect devices.fx --stage variants --isa x86-64-v3 --device cpu
--file devices.fx--
graph main {
  placeholder %x user "x" : f32[64,32]
  %h = aten.exp.default(%x) : f32[64,32]
  %d = aten._to_copy.default(%h, device=cuda:0) : f32[64,32]:cuda0
  %s = aten.sum.dim_IntList(%d, [1]) : f32[64]:cuda0
  output (user %s)
}
--out--
kernel k_exp 1 call on cpu
  rows 1 columns 2048 ints [] memory [8192, 8192]
  variant vector inner
  variant vector inner half
  variant vector inner alone
  variant vector inner fine
kernel k_sum 1 call not timed: it runs on cuda0, not here

kernel k_sum_exp 1 call on cpu
  rows 64 columns 1 ints [32] memory [8192, 256]
  variant vector inner
  variant vector inner unroll 1
  variant vector inner unroll 4
  variant vector inner half
  variant vector outer
  variant vector outer unroll 2
  variant vector outer unroll 4
  variant vector outer half
  variant vector inner alone
  variant vector inner fine
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
