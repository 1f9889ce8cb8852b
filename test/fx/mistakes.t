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
