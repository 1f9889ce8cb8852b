# a transposed convolution may have a result without elements, known or at the run's sizes; another one, and fewer, may not
--run-- for n in 2 3; do printf "\\223NUMPY\\1\\0\\166\\0%-117s\\n%*s" "{'descr': '|u1', 'fortran_order': False, 'shape': ($n,)}" $n '' >s$n.npy; done; for n in known open; do ferrite inspect $n.fx --stage fx | grep ' = aten.conv'; for o in '' --no-cc; do for s in 2 3; do ferrite run $n.fx $o --input s$s.npy --output-dir out >log && head -c 120 out/0.npy | grep -ao "'shape'.*)"; done; done; done; for n in fewer other; do ferrite inspect $n.fx --stage fx 2>&1 | head -1; done
--file known.fx--
symbols { s0 in [1, 9] }
graph main {
  placeholder %s user "s" : u8[s0]
  %x = aten.ones.default([2, 4, 2, 5])
  %w = aten.ones.default([4, 3, 1, 1])
  %b = aten.ones.default([3])
  %y = aten.conv_transpose2d.input(%x, %w, %b, [1, 1], [1, 1]) : f32[2,3,0,3]
  %z = aten.relu.default(%y)
  output (user %z)
}
--file open.fx--
symbols { s0 in [1, 9] }
graph main {
  placeholder %s user "s" : u8[s0]
  %n = aten.sym_size.int(%s, 0)
  %x = aten.ones.default([2, 4, %n])
  %w = aten.ones.default([4, 3, 1])
  %y = aten.conv_transpose1d.default(%x, %w, None, [1], [1])
  output (user %y)
}
--file fewer.fx--
graph main {
  placeholder %x user "x" : f32[2,4,1,5]
  placeholder %w user "w" : f32[4,3,1,1]
  %y = aten.conv_transpose2d.input(%x, %w, None, [1, 1], [1, 1])
  output (user %y)
}
--file other.fx--
graph main {
  placeholder %x user "x" : f32[2,4,2,5]
  placeholder %w user "w" : f32[3,4,3,3]
  %y = aten.conv2d.default(%x, %w, None)
  output (user %y)
}
--out--
  %y = aten.conv_transpose2d.input(%x, %w, %b, [1, 1], [1, 1], [0, 0], 1, [1, 1]) : f32[2,3,0,3]{9,3,3,1}@5
'shape': (2, 3, 0, 3)
'shape': (2, 3, 0, 3)
'shape': (2, 3, 0, 3)
'shape': (2, 3, 0, 3)
  %y = aten.conv_transpose1d.default(%x, %w, None, [1], [1], [0], 1, [1]) : f32[2,3,s0 - 2]{3*max(s0 - 2, 1),max(s0 - 2, 1),1}@4
'shape': (2, 3, 0)
'shape': (2, 3, 1)
'shape': (2, 3, 0)
'shape': (2, 3, 1)
error: infer: aten.conv_transpose2d.input: calculated output size of f32[2,4,1,5] with weight f32[4,3,1,1] is too small
error: infer: aten.conv2d.default: calculated output size of f32[2,4,2,5] with weight f32[3,4,3,3] is too small
--status-- 1
