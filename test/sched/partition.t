# nodes of one class go to one part where that needs no more memory: the second product does not wait for the first relu
--run-- ferrite inspect free.fx --split op=mm --stage sched | sed -n '/^schedule/,$p' | grep -E '^(group|live)'
--file free.fx--
graph main {
  placeholder %a user "a" : f32[16,8]
  placeholder %w user "w" : f32[8,8]
  %m = aten.mm.default(%a, %w) : f32[16,8]
  %r = aten.relu.default(%a) : f32[16,8]
  %n = aten.mm.default(%m, %w) : f32[16,8]
  %s = aten.add.Tensor(%n, %r) : f32[16,8]
  output (user %s, user %r)
}
--out--
group 0 control op 0 partition
group 1 extern op 1 bmm
group 2 extern op 2 bmm
group 3 control op 3 partition
group 4 kernel outer [] vector inner
live @buf2 [1, 3)
live @buf3 [3, 6) output
live @buf4 [0, 5)
live @buf5 [3, 6) output
--run-- ferrite inspect tight.fx --split op=mm --stage sched | sed -n '/^schedule/,$p' | grep -E '^(group|live)'
--file tight.fx--
graph main {
  placeholder %a user "a" : f32[16,8]
  placeholder %b user "b" : f32[16,8]
  placeholder %w user "w" : f32[8,8]
  %m = aten.mm.default(%a, %w) : f32[16,8]
  %r = aten.relu.default(%m) : f32[16,8]
  %n = aten.mm.default(%b, %w) : f32[16,8]
  %s = aten.sigmoid.default(%n) : f32[16,8]
  output (user %r, user %s)
}
--out--
group 0 control op 0 partition
group 1 extern op 1 bmm
group 2 control op 2 partition
group 3 kernel outer [] vector inner
group 4 control op 4 partition
group 5 extern op 5 bmm
group 6 control op 6 partition
group 7 kernel outer [] vector inner
live @buf3 [0, 4)
live @buf4 [2, 9) output
live @buf5 [4, 8)
live @buf6 [6, 9) output
--run-- ferrite inspect late.fx --split nodes=1 --stage sched | sed -n '/^schedule/,$p' | grep -E '^(group|live)'
--file late.fx--
graph main {
  range u0 in [0, 16]
  placeholder %a user "a" : f32[16]
  %z = aten.nonzero.default(%a) : i64[u0,1]
  %n = aten.neg.default(%z) : i64[u0,1]
  %s = aten.sum.default(%n) : i64[]
  output (user %n, user %s)
}
--out--
group 0 control op 0 partition
group 1 kernel outer [] vector inner
group 2 define op 3
group 3 assert op 4
group 4 assert op 5
group 5 extern op 6 nonzero
group 6 control op 7 partition
group 7 kernel outer [] vector inner
group 8 control op 9 partition
group 9 kernel outer [] vector inner
live @buf1 [1, 6)
live @buf2 [1, 3)
live @buf3 [5, 8)
live @buf4 [6, 11) output
live @buf5 [8, 11) output
