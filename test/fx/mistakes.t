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
  help: a symbol is bound by an input that has it, or a call that has it as a size
--run-- for f in required indexed ending called; do ferrite inspect $f.fx --stage loop; done
# what is required, sizes called as an index is, a graph that has no end, an output of a called graph that is named as no input is
--file required.fx--
symbols {
  s0 in [1, 9]
  s1 in [1, 9]
}
graph main {
  require 0 < s1 "there is one"
  placeholder %x user "x" : f32[s0]
  output (user %x)
}
--file indexed.fx--
symbols {
  s0 in [1, 9]
  i4 in [1, 9]
}
graph main {
  placeholder %x user "x" : f32[s0]
  %a = aten.full.default([i4], 1)
  output (user %a)
}
--file ending.fx--
graph main {
  placeholder %x user "x" : f32[2]
  %a = aten.clone.default(%x)
}
--file called.fx--
graph main {
  placeholder %x user "x" : f32[2]
  %a = higher_order.wrap_with_set_grad_enabled(False, @inner, %x) : (f32[2])
  %b = _operator.getitem(%a, 0) : f32[2]
  output (user %b)
}
graph inner {
  placeholder %x user "x" : f32[2]
  output (user "z" %x)
}
--err--
error: fx: what is required speaks of the size s1, which no input has
error: fx: aten.full.default: its size i4 is one that no input has
  at %a in graph main
  help: symbols that a run computes are called u0, u1, ...
error: fx: graph main has no output
  help: a graph ends with what it gives: output (...)
error: fx: F4: output 0 is returned as "z", which is no input (graph inner)
  at %output in graph inner
  help: the node is: output (user "z" %x)
--status-- 1
--run-- ferrite inspect m.fx --stage loop
--file m.fx--
symbols {
  storage0 in [0, inf]
  start0 in [0, inf]
}
graph main {
  placeholder %x user "x" : f32[2,40]{40,1}+start0@3
  placeholder %x_storage user "x.storage" start_of "x" : f32[storage0]{1}@3
  placeholder %x_start user "x.start" storage_of "x" : int start0
  output (user %x)
}
--err--
error: fx: a storage offset is an int (found 'placeholder')
  at line 8, column 3
--status-- 1
--run-- ferrite inspect m.fx --stage loop
--file m.fx--
symbols {
  i4 in [1, 9]
}
graph main {
  placeholder %x user "x" : f32[i4]
  output (user %x)
}
--err--
error: fx: its size i4 is called as the index of a loop is
  at %x in graph main
  help: sizes are called s0, s1, ...
--status-- 1
--run-- ferrite inspect m.fx --stage loop
# a stride that only the run would know, which nothing tells
--file m.fx--
symbols {
  u0 unbacked in [0, 25]
  u1 unbacked in [0, 25]
}
graph main {
  placeholder %x user "x" : bool[5,5]
  %n = aten.nonzero.default(%x) : i64[u0,2]{1,u1}
  output (user %n)
}
--err--
error: fx: aten.nonzero.default: it speaks of the size u1, which nothing before it binds
  at %n in graph main
  help: a symbol is bound by an input that has it, or a call that has it as a size
--status-- 1
--run-- ferrite inspect m.fx --stage loop
# a size in a called graph that no input has
--file m.fx--
graph main {
  placeholder %p user "p" : bool[]
  placeholder %x user "x" : f32[4]
  %c = higher_order.cond(%p, @yes, @no, [%x]) : (f32[4])
  %y = _operator.getitem(%c, 0)
  output (user %y)
}
graph yes {
  placeholder %x user "x" : f32[n]
  %s = aten.sin.default(%x)
  output (user %s)
}
graph no {
  placeholder %x user "x" : f32[4]
  %s = aten.cos.default(%x)
  output (user %s)
}
--err--
error: fx: its size n is one that no input has
  at %x in graph yes
  help: symbols that a run computes are called u0, u1, ...
--status-- 1
