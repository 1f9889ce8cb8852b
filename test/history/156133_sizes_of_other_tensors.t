# 156133: what a kernel is timed with where only the run knows a size: the size of the other tensors in that
# dimension, or their largest, within its range; where there are no others a usual one
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
