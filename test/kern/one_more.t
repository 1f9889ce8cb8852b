# 1 + e^x is one function where processors do not scale by powers of 2, unless something else reads e^x
--run-- for isa in x86-64-v3 x86-64-v4; do ferrite inspect main.fx --isa $isa --stage legal | sed -n '/^kernel/,$p' | grep -E '^kernel|call|div|add'; done
--file main.fx--
graph main {
  placeholder %x user "x" : f32[100]
  placeholder %y user "y" : f32[200]
  %silu = aten.silu.default(%x)
  %e = aten.exp.default(%y)
  %more = aten.add.Tensor(%e, 1.0)
  %ratio = aten.div.Tensor(%e, %more)
  output (user %silu, user %ratio)
}
--out--
kernel k_neg_exp_add_div group 0 lanes 8 ints []
      v6 : f32x8 = call exponemore_f32x8 v3
      v7 : f32x8 = div v1, v6
kernel k_exp_add_div group 1 lanes 8 ints []
      v2 : f32x8 = call exp_f32x8 v1
      v5 : f32x8 = add v2, 1.0
      v6 : f32x8 = div v2, v5
kernel k_neg_exp_add_div group 0 lanes 16 ints []
      v4 : f32x16 = call exp_f32x16 v3
      v6 : f32x16 = add 1.0, v4
      v7 : f32x16 = div v1, v6
kernel k_exp_add_div group 1 lanes 16 ints []
      v2 : f32x16 = call exp_f32x16 v1
      v5 : f32x16 = add v2, 1.0
      v6 : f32x16 = div v2, v5
