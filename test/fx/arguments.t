# every kind of argument that a schema knows, small constants with their data, an operator that the user declared
--run-- ferrite inspect --stage read -
--in--
operators {
  "mylib::blend(Tensor x, Tensor? mask, float strength) -> Tensor" pointwise
}
graph main {
  placeholder %c constant "c" : f32[2,2] data [1.0, -0.5, inf, 3.0]
  placeholder %i constant "i" : i64[2] data [0, 1]
  placeholder %x user "x" : f32[2,2]
  %full = aten.full.default([2, 2], 0.1, torch.float32, torch.strided, cpu, False) : f32[2,2]
  %clone = aten.clone.default(%full, torch.contiguous_format) : f32[2,2]
  %index = aten.index.Tensor(%clone, [None, %i]) : f32[2,2]
  %cat = aten.cat.default([%index, %c], 0) : f32[4,2]
  %gelu = aten.gelu.default(%cat, "tanh") : f32[4,2]
  %blend = mylib.blend.default(%gelu, None, 1e-05) : f32[4,2]
  output (user %blend, user complex(0.0, -1.0), user "text", user [1, 2.5, True])
}
--out--
operators {
  "mylib::blend(Tensor x, Tensor? mask, float strength) -> Tensor" pointwise
}
graph main {
  placeholder %c constant "c" : f32[2,2] data [1.0, -0.5, inf, 3.0]
  placeholder %i constant "i" : i64[2] data [0, 1]
  placeholder %x user "x" : f32[2,2]
  %full = aten.full.default([2, 2], 0.1, torch.float32, torch.strided, cpu, False) : f32[2,2]
  %clone = aten.clone.default(%full, torch.contiguous_format) : f32[2,2]
  %index = aten.index.Tensor(%clone, [None, %i]) : f32[2,2]
  %cat = aten.cat.default([%index, %c], 0) : f32[4,2]
  %gelu = aten.gelu.default(%cat, "tanh") : f32[4,2]
  %blend = mylib.blend.default(%gelu, None, 1e-05) : f32[4,2]
  output (user %blend, user complex(0.0, -1.0), user "text", user [1, 2.5, True])
}
