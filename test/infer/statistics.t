# statistics of 16-bit floats beside parameters of single precision are of single precision, as PyTorch's kernels have them;
# of what is recorded otherwise, the graph returns what is recorded
--run-- ferrite inspect --stage fx --no-passes - | grep -v placeholder
--in--
graph main {
  placeholder %x user "x" : bf16[2,4,6]
  placeholder %w user "w" : f32[6]
  placeholder %c user "c" : f32[4]
  placeholder %m user "m" : bf16[4]
  %layer = aten.native_layer_norm.default(%x, [6], %w, None, 1e-5)
  %mean = _operator.getitem(%layer, 1) : bf16[2,4,1]
  %root = _operator.getitem(%layer, 2)
  %plain = aten.native_layer_norm.default(%x, [6], None, None, 1e-5)
  %group = aten.native_group_norm.default(%x, None, %c, 2, 4, 6, 2, 1e-5)
  %batch = aten._native_batch_norm_legit_no_training.default(%x, None, None, %c, %c, 0.1, 1e-5)
  %half = aten.native_batch_norm.default(%x, %m, %m, %m, %m, True, 0.1, 1e-5)
  output (user %mean, user %root, user %plain, user %group, user %batch, user %half)
}
--out--
graph main {
  %layer = aten.native_layer_norm.default(%x, [6], %w, None, 1e-05) : (bf16[2,4,6]{24,6,1}@5, f32[2,4,1]{4,1,1}@6, f32[2,4,1]{4,1,1}@7)
  %mean = _operator.getitem(%layer, 1) : f32[2,4,1]{4,1,1}@6
  %root = _operator.getitem(%layer, 2) : f32[2,4,1]{4,1,1}@7
  %plain = aten.native_layer_norm.default(%x, [6], None, None, 1e-05) : (bf16[2,4,6]{24,6,1}@8, bf16[2,4,1]{4,1,1}@9, bf16[2,4,1]{4,1,1}@10)
  %group = aten.native_group_norm.default(%x, None, %c, 2, 4, 6, 2, 1e-05) : (bf16[2,4,6]{24,6,1}@11, f32[2,2]{2,1}@12, f32[2,2]{2,1}@13)
  %batch = aten._native_batch_norm_legit_no_training.default(%x, None, None, %c, %c, 0.1, 1e-05) : (bf16[2,4,6]{24,6,1}@14, f32[0]{1}@15, f32[0]{1}@16)
  %half = aten.native_batch_norm.default(%x, %m, %m, %m, %m, True, 0.1, 1e-05) : (bf16[2,4,6]{24,6,1}@17, bf16[4]{1}@18, bf16[4]{1}@19)
  %_to_copy = aten._to_copy.default(%mean, torch.bfloat16, None, None, None, False, None) : bf16[2,4,1]{4,1,1}@20
  output (user %_to_copy, user %root, user %plain, user %group, user %batch, user %half)
}
--run-- ferrite inspect --stage loop - 2>&1 | sed -n 1p
--in--
graph main {
  placeholder %x user "x" : f32[3,4,6]
  placeholder %m user "m" : f32[3,4]
  %v = aten.native_layer_norm_backward.default(%x, %x, [4, 6], %m, %m, None, None, [True, False, False])
  %a = _operator.getitem(%v, 0)
  output (user %a)
}
--out--
error: infer: aten.native_layer_norm_backward.default: mean is f32[3,4], which is not one for each row of f32[3,4,6]
--status-- 1
