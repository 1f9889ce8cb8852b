# a view as larger elements needs sizes, strides and an offset that they divide
--run-- ferrite inspect --stage fx --no-passes -
--in--
graph main {
  placeholder %x user "x" : f32[4,6]
  %y = aten.slice.Tensor(%x, 1, 1, 5)
  %v = aten.view.dtype(%y, torch.int64)
  output (user %v)
}
--err--
error: infer: aten.view.dtype: the storage offset of f32[4,4]{6,1}+1 must be divisible by 2, which is how much larger the elements are
  at %v in graph main
  help: PyTorch refuses such arguments too: is the program whole?
--status-- 1
--run-- ferrite inspect --stage fx --no-passes -
--in--
graph main {
  placeholder %x user "x" : f32[4,7]
  %y = aten.slice.Tensor(%x, 1, 0, 6)
  %v = aten.view.dtype(%y, torch.int64)
  output (user %v)
}
--err--
error: infer: aten.view.dtype: each stride of f32[4,6]{7,1} must be divisible by 2, which is how much larger the elements are
  at %v in graph main
  help: PyTorch refuses such arguments too: is the program whole?
--status-- 1
--run-- ferrite inspect --stage fx --no-passes -
--in--
graph main {
  placeholder %x user "x" : u8[4,6]
  %v = aten.view.dtype(%x, torch.float32)
  output (user %v)
}
--err--
error: infer: aten.view.dtype: the last size of u8[4,6] must be divisible by 4, which is how much larger the elements are
  at %v in graph main
  help: PyTorch refuses such arguments too: is the program whole?
--status-- 1
