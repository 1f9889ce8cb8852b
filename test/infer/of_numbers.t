# operands that are all numbers are made tensors, with the dtype that PyTorch gives them; beside a tensor they stay numbers
--run-- ferrite inspect --stage fx --no-passes -
--in--
graph main {
  placeholder %x user "x" : i8[3]
  %a = aten.add.Tensor(4, 3.5)
  %b = aten.div.Tensor_mode(1024, 100, rounding_mode="floor")
  %c = aten._to_copy.default(2, dtype=torch.float64)
  %d = aten.mul.Tensor(%x, 300)
  %e = aten.sub.Tensor(1, complex(2.0, 3.0))
  output (user %a, user %b, user %c, user %d, user %e)
}
--out--
graph main {
  placeholder %x user "x" : i8[3]{1}@1
  %scalar_tensor = aten.scalar_tensor.default(4, torch.int64, None, None, None) : i64[]{}@2
  %scalar_tensor_1 = aten.scalar_tensor.default(3.5, torch.float32, None, None, None) : f32[]{}@3
  %a = aten.add.Tensor(%scalar_tensor, %scalar_tensor_1, 1) : f32[]{}@4
  %scalar_tensor_2 = aten.scalar_tensor.default(1024, torch.int64, None, None, None) : i64[]{}@5
  %scalar_tensor_3 = aten.scalar_tensor.default(100, torch.int64, None, None, None) : i64[]{}@6
  %b = aten.div.Tensor_mode(%scalar_tensor_2, %scalar_tensor_3, "floor") : i64[]{}@7
  %scalar_tensor_4 = aten.scalar_tensor.default(2, torch.int64, None, None, None) : i64[]{}@8
  %c = aten._to_copy.default(%scalar_tensor_4, torch.float64, None, None, None, False, None) : f64[]{}@9
  %d = aten.mul.Tensor(%x, 300) : i8[3]{1}@10
  %scalar_tensor_5 = aten.scalar_tensor.default(1, torch.int64, None, None, None) : i64[]{}@11
  %scalar_tensor_6 = aten.scalar_tensor.default(complex(2.0, 3.0), torch.complex64, None, None, None) : c64[]{}@12
  %e = aten.sub.Tensor(%scalar_tensor_5, %scalar_tensor_6, 1) : c64[]{}@13
  output (user %a, user %b, user %c, user %d, user %e)
}
