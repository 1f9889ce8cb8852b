# subgraphs that run once take the place of the call: operands for placeholders, a write to an operand, results that are operands or numbers, calls within
--run-- ferrite inspect - --stage fx --verify
--in--
graph main {
  placeholder %x user "x" : f32[4]
  %sin = aten.sin.default(%x)
  %wrapped = higher_order.wrap_with_set_grad_enabled(False, @submod, %sin, %x)
  %sum = _operator.getitem(%wrapped, 0)
  %same = _operator.getitem(%wrapped, 1)
  %three = _operator.getitem(%wrapped, 2)
  %full = aten.full.default([%three], 1.0)
  output (user %sum, user %same, user %sin, user %full, user %three)
}
graph submod {
  placeholder %a user "" : f32[4]
  placeholder %b user "" : f32[4]
  %add_ = aten.add_.Tensor(%a, 1, 1)
  %inner = higher_order.strict_mode(@deeper, %add_)
  %exp = _operator.getitem(%inner, 0)
  output (user %exp, user %b, user 3)
}
graph deeper {
  placeholder %a user "" : f32[4]
  %exp = aten.exp.default(%a)
  output (user %exp)
}
--out--
graph main {
  functional
  placeholder %x user "x" : f32[4]{1}@1
  %sin = aten.sin.default(%x) : f32[4]{1}@2
  %add = aten.add.Tensor(%sin, 1, 1) : f32[4]{1}@7
  %exp_1 = aten.exp.default(%add) : f32[4]{1}@5
  %full = aten.full.default([3], 1.0, None, None, None, None) : f32[3]{1}@4
  output (user %exp_1, user %x, user %add, user %full, user 3)
}
--run-- ferrite inspect - --stage fx --verify
--in--
graph an_autocast_region_casts {
  placeholder %x user "x" : f32[4,4]
  placeholder %w param "w" : f32[4,4]
  %region = higher_order.wrap_with_autocast("cpu", torch.bfloat16, True, False, @submod, %x, %w)
  %matmul = _operator.getitem(%region, 0)
  %loss = _operator.getitem(%region, 1)
  %cat = _operator.getitem(%region, 2)
  %plain = _operator.getitem(%region, 3)
  output (user %matmul, user %loss, user %cat, user %plain)
}
graph submod {
  placeholder %x user "" : f32[4,4]
  placeholder %w user "" : f32[4,4]
  %matmul = aten.matmul.default(%x, %w)
  %loss = aten.mse_loss.default(%matmul, %x, 1)
  %cat = aten.cat.default([%matmul, %x], 0)
  %off = higher_order.wrap_with_autocast("cpu", torch.bfloat16, False, False, @deeper, %x, %w)
  %plain = _operator.getitem(%off, 0)
  output (user %matmul, user %loss, user %cat, user %plain)
}
graph deeper {
  placeholder %x user "" : f32[4,4]
  placeholder %w user "" : f32[4,4]
  %matmul = aten.matmul.default(%x, %w)
  output (user %matmul)
}
--out--
graph an_autocast_region_casts {
  functional
  placeholder %x user "x" : f32[4,4]{4,1}@1
  placeholder %w param "w" : f32[4,4]{4,1}@2
  %_to_copy = aten._to_copy.default(%x, torch.bfloat16, None, None, None, False, None) : bf16[4,4]{4,1}@7
  %_to_copy_1 = aten._to_copy.default(%w, torch.bfloat16, None, None, None, False, None) : bf16[4,4]{4,1}@8
  %matmul_1 = aten.matmul.default(%_to_copy, %_to_copy_1) : bf16[4,4]{4,1}@9
  %_to_copy_2 = aten._to_copy.default(%matmul_1, torch.float32, None, None, None, False, None) : f32[4,4]{4,1}@10
  %loss_1 = aten.mse_loss.default(%_to_copy_2, %x, 1) : f32[]{}@11
  %cat_1 = aten.cat.default([%_to_copy_2, %x], 0) : f32[8,4]{4,1}@13
  %matmul = aten.matmul.default(%x, %w) : f32[4,4]{4,1}@14
  output (user %matmul_1, user %loss_1, user %cat_1, user %matmul)
}
--run-- ferrite inspect - --stage fx --verify
--in--
graph another_devices_region_casts_nothing {
  placeholder %x user "x" : f32[4,4]
  %region = higher_order.wrap_with_autocast("cuda", torch.float16, True, False, @submod, %x)
  %matmul = _operator.getitem(%region, 0)
  output (user %matmul)
}
graph submod {
  placeholder %x user "" : f32[4,4]
  %matmul = aten.matmul.default(%x, %x)
  output (user %matmul)
}
--out--
graph another_devices_region_casts_nothing {
  functional
  placeholder %x user "x" : f32[4,4]{4,1}@1
  %matmul_1 = aten.matmul.default(%x, %x) : f32[4,4]{4,1}@3
  output (user %matmul_1)
}
--run-- ferrite inspect - --stage fx
--in--
graph what_a_region_casts_inside_is_not_known {
  placeholder %x user "x" : f32[4,4]
  %region = higher_order.wrap_with_autocast("cpu", None, True, False, @submod, %x) : (f32[4,4])
  %einsum = _operator.getitem(%region, 0)
  output (user %einsum)
}
graph submod {
  placeholder %x user "" : f32[4,4]
  %einsum = aten.einsum.default("ij,jk->ik", [%x, %x], None)
  output (user %einsum)
}
--err--
error: infer: cannot infer aten.einsum.default: which parts of aten.einsum.default an autocast region casts is not known
  at %einsum in graph submod
  help: leave the autocast region around it, or cast its operands by hand
--status-- 1
# a branch and a loop run their subgraphs as the data has it, and stay
--run-- ferrite inspect - --dump-after inline --verify | grep higher_order
--in--
graph main {
  placeholder %x user "x" : f32[4]
  %p = aten.any.default(%x)
  %cond = higher_order.cond(%p, @yes, @no, [%x])
  %y = _operator.getitem(%cond, 0)
  output (user %y)
}
graph yes {
  placeholder %x user "" : f32[4]
  %a = aten.exp.default(%x)
  output (user %a)
}
graph no {
  placeholder %x user "" : f32[4]
  %a = aten.sin.default(%x)
  output (user %a)
}
--out--
  %cond = higher_order.cond(%p, @yes, @no, [%x]) : (f32[4]{1}@3)
