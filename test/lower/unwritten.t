# memory that nothing writes holds NaN or the largest integer where the graph says so, and zeros where it does not
--run-- ferrite inspect --stage loop a.fx | grep const; sed /fills_unwritten/d a.fx | ferrite inspect --stage loop - | grep const; ferrite inspect --stage read a.fx | sed -n 1,2p
--file a.fx--
graph main {
  fills_unwritten
  placeholder %x user "x" : f32[2]
  %a = aten.empty.memory_format([3])
  %b = aten.new_empty.default(%x, [3], dtype=torch.int32)
  %c = aten.empty_like.default(%x, dtype=torch.uint8)
  %d = aten.empty_strided.default([2], [1], dtype=torch.bool)
  %e = aten.empty_permuted.default([2], [0], dtype=torch.complex64)
  %f = aten.resize.default(%x, [3])
  output (user %a, user %b, user %c, user %d, user %e, user %f)
}
--out--
  %0 = const nan : f32
  %0 = const nan : f32
  %0 = const 2147483647 : i32
  %0 = const 255 : u8
  %0 = const 1 : bool
  %0 = const nan 0.0 : c64
  %0 = const 0.0 : f32
  %0 = const 0.0 : f32
  %0 = const 0 : i32
  %0 = const 0 : u8
  %0 = const 0 : bool
  %0 = const 0.0 0.0 : c64
graph main {
  fills_unwritten
