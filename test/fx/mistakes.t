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

--run-- ferrite inspect --stage read -
--in--
graph main {
  placeholder %x user "x" : f32[4]
  placeholder %p user "p" : bool[]
  %c = higher_order.cond(%p, @yes, @no, [%x]) : (f32[4])
  %y = _operator.getitem(%c, 0) : f32[4]
  output (user %y)
}
graph yes {
  placeholder %x user "x" : f32[4]
  %r = aten.relu.default(%x) : f32[4]
  output (user %r)
}
graph no {
  placeholder %x user "x" : f32[4]
}
--err--
error: fx: a graph that is called ends in its output (found '}')
  at line 15, column 1
--status-- 1

--run-- ferrite inspect --stage read -
--in--
symbols {
  s0 in [2, 9]
}
graph main {
  placeholder %w param "w" : f32[6,4]{s0,1}
  placeholder %x user "x" : f32[s0,4]
  output (user %w)
}
--err--
error: fx: sizes and strides of a weight are numbers, not s0
  at %w in graph main
  help: give what differs from run to run as a user input
--status-- 1

--run-- ferrite inspect b.fx --stage read; sed 's/true/1/' b.fx | ferrite inspect - --stage read
--file b.fx--
graph main {
  placeholder %x user "x" : f32[2,3]
  %y = aten.sum.dim_IntList(%x, [1], true) : f32[2,1]
  output (user %y)
}
--out--
graph main {
  placeholder %x user "x" : f32[2,3]
  %y = aten.sum.dim_IntList(%x, [1], True, None) : f32[2,1]
  output (user %y)
}
--err--
error: fx: no symbol has this name: constants are True, False and None (found 'true')
  at line 3, column 38

--run-- ferrite inspect a.fx --stage read; sed 's/s1/u0/' a.fx | ferrite inspect - --stage read; sed 's/s1/s0/; s/u0/s0/' a.fx | ferrite inspect - --stage read | grep -c full
--file a.fx--
symbols {
  s0 in [1, 9]
  s1 in [1, 9]
}
graph main {
  placeholder %x user "x" : f32[s0]
  %a = aten.full.default([s1], 1)
  %b = aten.full.default([u0], 1)
  output (user %a, user %b)
}
--out--
2
--err--
error: fx: aten.full.default: its size s1 is one that no input has
  at %a in graph main
  help: symbols that a run computes are called u0, u1, ...
error: fx: aten.full.default: it speaks of the size u0, which nothing before it binds
  at %a in graph main
  help: it is bound where an input's or call's metadata has it
