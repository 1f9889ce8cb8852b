# a result that a lowering does not compute may not be read: without decompositions, the gradient of a weight alone is known
--run-- ferrite inspect --no-passes --stage loop - 2>&1 | grep error
--in--
graph main {
  placeholder %g user "g" : f32[2,6,5,6]
  placeholder %x user "x" : f32[2,4,7,8]
  placeholder %w user "w" : f32[6,4,3,3]
  %both = aten.convolution_backward.default(%g, %x, %w, [6], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, True, True])
  %dx = _operator.getitem(%both, 0)
  %db = _operator.getitem(%both, 2)
  output (user %dx, user %db)
}
--out--
error: lower: cannot lower aten.convolution_backward.default: its result 0
--status-- 1
--run-- ferrite inspect --no-passes --stage loop - 2>&1 | grep -c conv_weight
--in--
graph main {
  placeholder %g user "g" : f32[2,6,5,6]
  placeholder %x user "x" : f32[2,4,7,8]
  placeholder %w user "w" : f32[6,4,3,3]
  %both = aten.convolution_backward.default(%g, %x, %w, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [False, True, False])
  %dw = _operator.getitem(%both, 1)
  output (user %dw)
}
--out--
1
