# 158034: kernels are timed on the device that they run on: those of another one are not timed here, unless all is
# the cpu's
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
