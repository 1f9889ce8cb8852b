# a text that cannot be read is told the line and the column
--run-- ferrite inspect --stage read -
--in--
graph main {
  placeholder %x user "x" : f32[4]
  %y = aten.relo.default(%x) : f32[4]
  output (user %y)
}
--err--
error: fx: unknown operator (found 'aten.relo.default')
  at line 3, column 8
--status-- 1

--run-- ferrite inspect --stage read -
--in--
graph main {
  placeholder %x user "x" : f32[4]
  %y = aten.add.Tensor(%x) : f32[4]
  output (user %y)
}
--err--
error: fx: aten.add.Tensor lacks its argument other (found ':')
  at line 3, column 28
--status-- 1
--run-- ferrite inspect m.fx --stage read
--file m.fx--
symbols {
  s0 in [1, 10]
  s1 in [1, 10]
}
graph main {
  placeholder %x user "x" : f32[s0]
  %z = aten.zeros.default([s1]) : f32[s1]
  output (user %z)
}
--err--
error: fx: aten.zeros.default: its size s1 is one that no input has
  at %z in graph main
  help: symbols that a run computes are called u0, u1, ...
--status-- 1
