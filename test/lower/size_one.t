# sizes that may be 1: what would then have other dimensions, or be a view of what is written beside it, is asked for
--run-- for f in squeeze border copy apart still both; do ferrite inspect $f.fx --stage fx | grep require; done; ferrite inspect ends.fx --stage fx | grep -c require
--file squeeze.fx--
graph main {
  placeholder %x user "x" : f32[s0,1,6]
  %a = aten.squeeze.default(%x)
  %b = aten.squeeze.dims(%x, [0])
  output (user %a, user %b)
}
--file border.fx--
graph main {
  placeholder %x user "x" : f32[2,s0,4]
  %a = aten.pad.default(%x, [1, 1, 2, 0], "reflect")
  %b = aten.pad.default(%x, [1, 1], "replicate")
  %c = aten.pad.default(%x, [1, 1])
  output (user %a, user %b, user %c)
}
--file copy.fx--
graph main {
  placeholder %x user "x" : f32[3,s0,2]
  %t = aten.transpose.int(%x, 0, 1)
  %c = aten.contiguous.default(%t)
  %w = aten.mul_.Tensor(%c, 2)
  output (user %w, user %x)
}
--file apart.fx--
graph main {
  placeholder %x user "x" : f32[s0,6]
  %y = aten.relu.default(%x)
  %t = aten.t.default(%y)
  %c = aten.reshape.default(%t, [-1])
  %w = aten.mul_.Tensor(%y, 2)
  %z = aten.add.Tensor(%c, 1)
  output (user %w, user %z)
}
--file still.fx--
graph main {
  placeholder %x user "x" : f32[s0,3,4]
  %t = aten.transpose.int(%x, 1, 2)
  %c = aten.contiguous.default(%t)
  %r = aten.reshape.default(%t, [-1])
  %w = aten.mul_.Tensor(%c, 2)
  %v = aten.mul_.Tensor(%r, 2)
  output (user %w, user %v, user %x)
}
--file both.fx--
graph main {
  placeholder %x user "x" : f32[s0,s1,6]
  %t = aten.transpose.int(%x, 0, 2)
  %c = aten.contiguous.default(%t)
  %w = aten.mul_.Tensor(%c, 2)
  output (user %w, user %x)
}
--file ends.fx--
graph main {
  placeholder %x user "x" : f32[s0,6]
  %y = aten.relu.default(%x)
  %t = aten.t.default(%y)
  %c = aten.reshape.default(%t, [-1])
  %w = aten.mul_.Tensor(%c, 2)
  output (user %w)
}
--out--
  require s0 != 1 "aten.squeeze.default: dimension 0 of f32[s0,1,6], which goes where its size is 1, was not in the example that the program was made from (a)"
  require 0 < s0 "aten.pad.default: Expected a tensor with possibly 0 batch size and other non-zero dimensions for input, but got: f32[2,s0,4] (a)"
  require 2 < s0 "aten.pad.default: Padding size should be less than the corresponding input dimension, but got 2 at dimension 1 of input f32[2,s0,4] (a)"
  require s0 != 1 "aten.contiguous.default: what is written where dimension 0 has size 1 is a view, of what the program is made to copy (c)"
  require s0 != 1 "aten.reshape.default: what is written where dimension 1 has size 1 is a view, of what the program is made to copy (c)"
  require 1 < max(s0, s1) "aten.contiguous.default: what is written where dimension 1 has size 1 is a view, of what the program is made to copy (c)"
0
--status-- 1
