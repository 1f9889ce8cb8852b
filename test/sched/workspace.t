# what runtime operators work in: a buffer of bytes for each call, as large as the operator states, for that group alone (law
# S12); none where nothing is needed, one of the largest size where a symbol decides
--run-- ferrite inspect work.fx --stage sched | sed -n '/u8/p; /^extern/p; /^live/p'
--file work.fx--
symbols {
  s0 in [2, 50]
}
graph main {
  placeholder %x user "x" : f32[s0]
  placeholder %y user "y" : f32[30]
  %e = aten.exp.default(%x) : f32[s0]
  %s = aten.sort.default(%e) : (f32[s0], i64[s0])
  %v = _operator.getitem(%s, 0) : f32[s0]
  %n = aten.neg.default(%v) : f32[s0]
  %t = aten.sort.default(%y) : (f32[30], i64[30])
  %i = _operator.getitem(%t, 1) : i64[30]
  output (user %n, user %i)
}
--out--
temp   @buf6 : u8[-64*((-s0) // 4)] strides [1] origin 3
temp   @buf7 : u8[512] strides [1] origin 6
extern sort (@buf2[s0]{1}) -> (@buf3[s0]{1}, none) workspace @buf6 ints [0,0] floats [] origin 3
extern sort (@y[30]{1}) -> (none, @buf4[30]{1}) workspace @buf7 ints [0,0] floats [] origin 6
live @buf2 [0, 2) in @buf4 output
live @buf3 [1, 4) in @buf5 output
live @buf4 [2, 5) output
live @buf5 [3, 5) output
live @buf6 [1, 2)
live @buf7 [2, 3)
--run-- ferrite inspect work.fx --stage sched >work.sched && ferrite inspect work.sched --from sched --stage sched | cmp - work.sched; sed 's/live @buf7 \[2, 3)/live @buf7 [1, 3)/' work.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: law S12: what an operator works in lives for its group alone, in memory of its own: buf7
  at group 2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/@buf7 : u8\[512\]/@buf7 : u8[448]/' work.sched | ferrite inspect - --from sched --stage sched
--err--
error: loop: law L10: its working memory is not as large as the operator states in
extern sort (@y[30]{1}) -> (none, @buf4[30]{1}) workspace @buf7 ints [0,0] floats [] origin 6

  at reading
--status-- 1
--run-- sed 's/ workspace @buf7//; /@buf7/d' work.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: law S12: an operator has nothing to work in: sort
  at group 2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/workspace @buf7/workspace @buf6/; /@buf7/d' work.sched | ferrite inspect - --from sched --stage sched
--err--
error: loop: law L10: its working memory is not as large as the operator states in
extern sort (@y[30]{1}) -> (none, @buf4[30]{1}) workspace @buf6 ints [0,0] floats [] origin 6

  at reading
--status-- 1
--run-- sed 's/(none, @buf4\[30\]{1}) workspace/(none, @buf7[30]{1} as i64) workspace/' work.sched | ferrite inspect - --from sched --stage sched
--err--
error: loop: law L10: a result lies in the working memory of an operator in
extern sort (@y[30]{1}) -> (none, @buf7[30]{1} as i64) workspace @buf7 ints [0,0] floats [] origin 6

  at reading
--status-- 1
# law L11: an operator is given what its row says
--run-- sed 's/(@y\[30\]{1}) -> (none, @buf4\[30\]{1})/(@y[30]{1}) -> (none, @buf4[29]{1})/' work.sched | ferrite inspect - --from sched --stage sched
--err--
error: loop: law L11: sort: size 0 of places is 29, and ..s is 30 in
extern sort (@y[30]{1}) -> (none, @buf4[29]{1}) workspace @buf7 ints [0,0] floats [] origin 6

  at reading
--status-- 1
