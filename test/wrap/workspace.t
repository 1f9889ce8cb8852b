# what runtime operators work in (law W12): memory of the arena for their line alone, and scratch for each thread, for which
# a line makes room where symbols say how large it must be
--run-- ferrite inspect work.fx --stage wrap --max-arena | sed -n '/^wrapper/p; /^alloc/p; /^free/p; /^extern/p'
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
wrapper arena 832 bound 832 weights 0 kernels 2 calls 4 bounded
alloc @buf6 live [1, 2) at 0 bytes -64*((-s0) // 4)
extern sort (@buf2[s0]{1}) -> (@buf3[s0]{1}, none) workspace @buf6 ints [0, 0] floats []
free @buf6
alloc @buf7 live [2, 3) at 0 bytes 512
extern sort (@y[30]{1}) -> (none, @buf4[30]{1}) workspace @buf7 ints [0, 0] floats []
free @buf7
--run-- ferrite inspect work.fx --stage wrap --max-arena >work.wrap && ferrite inspect work.wrap --from wrap --stage wrap | cmp - work.wrap; sed 's/live \[2, 3) at 0/live [2, 4) at 0/; /^free @buf7/d; s/^output 0/free @buf7\n&/' work.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W12: what an operator works in lives for its line alone, in memory of its own: sort
  at line 10: extern sort (@y[30]{1}) -> (none, @buf4[30]{1}) workspace @buf7 ints [0, 0] floats []
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/ workspace @buf7//; /@buf7/d' work.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W12: an operator has nothing to work in: sort
  at line 9: extern sort (@y[30]{1}) -> (none, @buf4[30]{1}) ints [0, 0] floats []
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/bounded/bounded scratch 64/' work.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W12: threads have other scratch than operators state: 
  at line 15: output 1 @buf4[30]{1}
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- ferrite inspect rows.fx --stage wrap >rows.wrap && ferrite inspect rows.wrap --from wrap --stage wrap | cmp - rows.wrap; sed /^scratch/d rows.wrap | ferrite inspect - --from wrap --stage wrap
--file rows.fx--
symbols {
  s0 in [2, 50]
}
graph rows {
  placeholder %x user "x" : f32[4,s0]
  %s = aten.sort.default(%x) : (f32[4,s0], i64[4,s0])
  %v = _operator.getitem(%s, 0) : f32[4,s0]
  output (user %v)
}
--err--
error: wrap: law W12: threads have other scratch than operators state: 
  at line 2: note "s"
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^scratch .*/scratch 64*s0/' rows.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W12: threads have other scratch than operators state: 
  at line 2: scratch 64*s0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^scratch .*/&\n&/' rows.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W12: scratch is made that no operator wants: 
  at line 3: scratch -64*((-s0) // 4)
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- ferrite inspect rows.fx --stage wrap | grep -e ^wrapper -e ^scratch; ferrite inspect rows.fx --stage wrap --max-arena | grep ^wrapper; ferrite inspect rows.fx --stage plan --max-arena | sed -n 1p; ferrite compile rows.fx -o rows.so --max-arena | grep ^threads
--out--
wrapper arena 0 bound 0 weights 0 kernels 0 calls 1
scratch -64*((-s0) // 4)
wrapper arena 0 bound 0 weights 0 kernels 0 calls 1 bounded scratch 832
plan rows: arena 0 bytes + 832 a thread, bound 0, 0 in use at once (step 0), 0 buffers
threads: 832 bytes each
