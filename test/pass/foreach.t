# operators on lists become calls on the elements, in place where the list's is; what joins a list is left alone
--run-- ferrite inspect - --dump-after foreach --verify | grep -v placeholder
--in--
graph lists {
  placeholder %a buffer "a" : f32[4]
  placeholder %x user "x" : f32[4]
  placeholder %y user "y" : f32[2,3]
  %sum = aten._foreach_add.List([%x, %y], [%x, %y], 2) : (f32[4], f32[2,3])
  %sum0 = _operator.getitem(%sum, 0)
  %sum1 = _operator.getitem(%sum, 1)
  %neg = aten._foreach_neg.default([%sum0, %sum1]) : (f32[4], f32[2,3])
  %neg1 = _operator.getitem(%neg, 1)
  %scaled = aten._foreach_mul_.Scalar([%a, %neg1], 0.5)
  %powers = aten._foreach_pow.ScalarAndTensor(2, [%x]) : (f32[4])
  %power = _operator.getitem(%powers, 0)
  %least = aten._foreach_clamp_min.Scalar([%power], 1) : (f32[4])
  %low = _operator.getitem(%least, 0)
  %norms = aten._foreach_norm.Scalar([%x, %y], 1) : (f32[], f32[])
  %norm = _operator.getitem(%norms, 1)
  %cat = aten.cat.default([%low, %x], 0)
  %stack = aten.stack.default([%norm, %norm], 0)
  output (user %cat, user %stack, user %neg1)
}
--out--
# after foreach
graph lists {
  %add = aten.add.Tensor(%x, %x, 2) : f32[4]{1}@14
  %add_1 = aten.add.Tensor(%y, %y, 2) : f32[2,3]{3,1}@15
  %neg_1 = aten.neg.default(%add) : f32[4]{1}@16
  %neg_2 = aten.neg.default(%add_1) : f32[2,3]{3,1}@17
  %mul_ = aten.mul_.Scalar(%a, 0.5) : f32[4]{1}@1
  %mul__1 = aten.mul_.Scalar(%neg_2, 0.5) : f32[2,3]{3,1}@17
  %pow = aten.pow.Scalar(2, %x) : f32[4]{1}@18
  %clamp_min = aten.clamp_min.default(%pow, 1) : f32[4]{1}@19
  %linalg_vector_norm = aten.linalg_vector_norm.default(%x, 1, None, False, None) : f32[]{}@20
  %linalg_vector_norm_1 = aten.linalg_vector_norm.default(%y, 1, None, False, None) : f32[]{}@21
  %cat = aten.cat.default([%clamp_min, %x], 0) : f32[8]{1}@12
  %stack = aten.stack.default([%linalg_vector_norm_1, %linalg_vector_norm_1], 0) : f32[2]{1}@13
  output (user %cat, user %stack, user %neg_2)
}
