# operators that return views of their arguments: a part that is recorded or declared needs no call; what is written through it reaches the argument, which lives as long
--run-- cc -shared -fPIC -I$ROOT/include $ROOT/test/custom_ops/views.c -o libviews.so; ferrite inspect written.fx --ops libviews.so --stage fx --verify
--file written.fx--
operators {
  "views::tail(Tensor(a) x, int n) -> Tensor(a)"
  "views::turned(Tensor(a) x) -> (Tensor(a), Tensor)"
  "views::raise_(Tensor(a!) x) -> Tensor(a!)"
  "views::tap(Tensor(a) x, Tensor(b!) seen) -> (Tensor(a), SymInt)"
}
symbols { s0 in [2, 64] }
graph written {
  range s0 in [2, 64]
  placeholder %x user "x" : f32[s0,3]
  placeholder %seen user "seen" : i64[]
  %value = aten.mul.Tensor(%x, 2.0)
  %part = views.tail.default(%value, 1)
  %one = aten.add_.Tensor(%part, 1, 1)
  %pair = views.turned.default(%part)
  %turned = _operator.getitem(%pair, 0)
  %sums = _operator.getitem(%pair, 1)
  %two = aten.mul_.Tensor(%turned, 3.0)
  %raised = views.raise_.default(%value) : f32[3,s0]{1,3}
  %rest = views.tap.default(%raised, %seen) : (f32[s0]{3}, int 3)
  %line = _operator.getitem(%rest, 0)
  %three = aten.neg_.default(%line)
  output (user %value, user %sums)
}
--out--
operators {
  "views::turned(Tensor(a) x) -> (Tensor(a), Tensor)"
  "views::raise_(Tensor(a!) x) -> Tensor(a!)"
  "views::tap(Tensor(a) x, Tensor(b!) seen) -> (Tensor(a), SymInt)"
}
symbols {
  s0 in [2, 64]
}
graph written {
  functional
  range s0 in [2, 64]
  placeholder %x user "x" : f32[s0,3]{3,1}@1
  placeholder %seen user "seen" : i64[]{}@2
  %value = aten.mul.Tensor(%x, 2.0) : f32[s0,3]{3,1}@3
  %as_strided = aten.as_strided.default(%value, [s0 - 1, 3], [3, 1], 3) : f32[s0 - 1,3]{3,1}+3@3
  %add = aten.add.Tensor(%as_strided, 1, 1) : f32[s0 - 1,3]{3,1}@5
  %as_strided_scatter = aten.as_strided_scatter.default(%value, %add, [s0 - 1, 3], [3, 1], 3) : f32[s0,3]{3,1}@6
  %as_strided_2 = aten.as_strided.default(%as_strided_scatter, [s0 - 1, 3], [3, 1], 3) : f32[s0 - 1,3]{3,1}+3@6
  %turned = views.turned.functional(%as_strided_2) : (f32[s0 - 1]{1}@4)
  %as_strided_1 = aten.as_strided.default(%as_strided_2, [3, s0 - 1], [1, 3], 3) : f32[3,s0 - 1]{1,3}+3@6
  %sums = _operator.getitem(%turned, 0) : f32[s0 - 1]{1}@4
  %mul = aten.mul.Tensor(%as_strided_1, 3.0) : f32[3,s0 - 1]{1,3}@7
  %as_strided_scatter_1 = aten.as_strided_scatter.default(%as_strided_scatter, %mul, [3, s0 - 1], [1, 3], 3) : f32[s0,3]{3,1}@8
  %raise_ = views.raise_.functional(%as_strided_scatter_1) : (f32[s0,3]{3,1}@9)
  %getitem = _operator.getitem(%raise_, 0) : f32[s0,3]{3,1}@9
  %as_strided_3 = aten.as_strided.default(%getitem, [3, s0], [1, 3], 0) : f32[3,s0]{1,3}@9
  %tap = views.tap.functional(%as_strided_3, %seen) : (int 3, i64[]{}@10)
  %getitem_1 = _operator.getitem(%tap, 1) : i64[]{}@10
  %as_strided_4 = aten.as_strided.default(%as_strided_3, [s0], [3], 0) : f32[s0]{3}@9
  %neg = aten.neg.default(%as_strided_4) : f32[s0]{1}@11
  %as_strided_scatter_2 = aten.as_strided_scatter.default(%getitem, %neg, [s0], [3], 0) : f32[s0,3]{3,1}@12
  output (user_input_mutation "seen" %getitem_1, user %as_strided_scatter_2, user %sums)
}
--run-- ferrite inspect written.fx --ops libviews.so --stage wrap | sed -n '/^note/,$p' | grep '^extern\|^output'
--out--
extern custom (@buf3[s0 - 1,3]{3,1} + 3) -> (@buf4[s0 - 1]{1}) ints [] floats [] calls "views_turned" "T"
extern custom (@buf5[s0,3]{3,1}) -> (@buf5[s0,3]{3,1}) ints [] floats [] calls "views_raise" "M" effect
extern custom (@buf5[3,s0]{1,3}, @seen[]{}) -> (@seen[]{}, @buf6[]{}) ints [] floats [] calls "views_tap" "TM" effect
output 0 @buf8[s0,3]{3,1}
output 1 @buf4[s0 - 1]{1}
--run-- ferrite inspect alive.fx --ops libviews.so --stage wrap | sed -n '/^note/,$p'
--file alive.fx--
operators { "views::tail(Tensor(a) x, int n) -> Tensor(a)" "views::turned(Tensor(a) x) -> (Tensor(a), Tensor)" }
graph alive {
  placeholder %x user "x" : f32[8,8]
  %base = aten.mm.default(%x, %x) : f32[8,8]
  %part = views.tail.default(%base, 6) : f32[2,8]{8,1}+48
  %other = aten.mm.default(%x, %x) : f32[8,8]
  %more = aten.mm.default(%other, %x) : f32[8,8]
  %all = aten.mm.default(%part, %more) : f32[2,8]
  %shown = views.tail.default(%more, 7) : f32[1,8]{8,1}+56
  output (user %all, user %shown)
}
--out--
note "base"
extern bmm (@x[1,8,8]{0,8,1}, @x[1,8,8]{0,8,1}, none) -> (@buf1[1,8,8]{64,8,1}) ints [] floats [1.0, 0.0]
alloc @buf2 live [1, 4) at 256 bytes 256
note "more"
extern bmm (@buf1[1,8,8]{0,8,1}, @x[1,8,8]{0,8,1}, none) -> (@buf2[1,8,8]{64,8,1}) ints [] floats [1.0, 0.0]
note "all"
extern bmm (@buf1[1,2,8]{0,8,1} + 48, @buf2[1,8,8]{0,8,1}, none) -> (@buf3[1,2,8]{16,8,1}) ints [] floats [1.0, 0.0]
free @buf1
output 0 @buf3[2,8]{8,1}
output 1 @buf2[1,8]{8,1} + 56
--run-- for n in several unknown declared absent; do ferrite inspect $n.fx --ops libviews.so --stage loop 2>&1; done
--file several.fx--
operators { "a::one_of(Tensor(a) x, Tensor(a) y) -> Tensor(a)" }
graph several {
  placeholder %x user "x" : f32[4]
  placeholder %y user "y" : f32[4]
  %z = a.one_of.default(%x, %y) : f32[4]
  output (user %z)
}
--file unknown.fx--
operators { "a::some(Tensor(a) x) -> Tensor(a)" }
symbols { u0 unbacked in [0, 4] }
graph unknown {
  range u0 in [0, 4]
  placeholder %x user "x" : f32[4]
  %z = a.some.default(%x) : f32[u0]
  output (user %z)
}
--file declared.fx--
operators { "views::tail(Tensor(a) x, int n) -> Tensor(a)" }
graph declared {
  placeholder %x user "x" : f32[4,3]
  %z = views.tail.default(%x, 1) : f32[3,3]{3,1}
  output (user %z)
}
--file absent.fx--
operators { "a::maybe(Tensor(a)? x) -> Tensor(a)" }
graph absent {
  %z = a.maybe.default(None) : f32[4]
  output (user %z)
}
--out--
error: functionalise: cannot handle a.one_of.default: return 0 of "a::one_of(Tensor(a) x, Tensor(a) y) -> Tensor(a)" is a view, and the schema does not say of which of several tensors
  at %z in graph several
  help: give each argument an alias letter of its own
error: functionalise: cannot handle a.some.default: return 0 of "a::some(Tensor(a) x) -> Tensor(a)" is a view, and only the function knows what it shows
  at %z in graph unknown
  help: return a copy, and take the alias out of the schema
error: infer: views.tail.default: the shapes declared for it give f32[3,3]{3,1}+3, the program records f32[3,3] (offset differ)
  at %z in graph declared
  help: correct the shapes in the operator's row, or export the program again
error: functionalise: cannot handle a.maybe.default: return 0 of "a::maybe(Tensor(a)? x) -> Tensor(a)" is a view, and no argument that it may show is given
  at %z in graph absent
  help: return a tensor of its own where no argument is given
--status-- 1
