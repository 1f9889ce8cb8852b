# symbols that the run defines: what reads one comes after its definition and after all that is asserted of it; the
# nest that counts shares no kernel with one that reads the count
--run-- ferrite inspect definitions.loop --from loop --stage sched | sed -n '/^schedule/,$p'
--file definitions.loop--
program definitions
input  @x : f32[8] strides [1]
temp   @y : f32[8] strides [1]
temp   @count : i64[] strides []
temp   @z : f32[u0] strides [1]
temp   @w : f32[8] strides [1]
nest [i0 < 8] {
  %0 = load f32 @x[i0]
  %1 = exp %0 : f32
  @y[i0] = %1
}
nest [] reduce [r0 < 8] {
  %0 = load f32 @y[r0]
  %1 = const 1.0 : f32
  %2 = lt %1, %0 : bool
  %3 = cast %2 : i64
  @count[0] = sum %3
}
nest [i0 < 8] {
  %0 = load f32 @y[i0]
  %1 = neg %0 : f32
  @w[i0] = %1
}
define u0 = @count[]{}
assert 0 <= u0 "a count"
assert u0 <= 8 "of eight"
define u1 = 2*u0
nest [i0 < u0] {
  %0 = load f32 @y[i0]
  @z[i0] = %0
}
output @z[u0]{1}
output @w[8]{1}
output int u1
--out--
schedule
order peak 128 bound 128
group 0 kernel outer [] vector inner
  phase reduce [r0 < 8] {
    op 0 nest [] reduce [r0 < 8] {
      %0 = load f32 @x[r0]
      %1 = exp %0 : f32
      @y[r0] = %1
    }
    op 1
    op 2 nest [] reduce [r0 < 8] {
      %0 = load f32 @y[r0]
      %1 = neg %0 : f32
      @w[r0] = %1
    }
  }
group 1 define op 3
group 2 assert op 4
group 3 assert op 5
group 4 define op 6
group 5 kernel outer [] vector inner
  phase inner [i0 < u0] { op 7 }
refuse 2 7 definition
live @y [0, 6)
live @count [0, 2)
live @z [5, 7) output
live @w [0, 7) output
--run-- ferrite inspect definitions.loop --from loop --stage sched | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--out--
schedule
order peak 128 bound 128
group 0 kernel outer [] vector inner
  phase reduce [r0 < 8] {
    op 0 nest [] reduce [r0 < 8] {
      %0 = load f32 @x[r0]
      %1 = exp %0 : f32
      @y[r0] = %1
    }
    op 1
    op 2 nest [] reduce [r0 < 8] {
      %0 = load f32 @y[r0]
      %1 = neg %0 : f32
      @w[r0] = %1
    }
  }
group 1 define op 3
group 2 assert op 4
group 3 assert op 5
group 4 define op 6
group 5 kernel outer [] vector inner
  phase inner [i0 < u0] { op 7 }
refuse 2 7 definition
live @y [0, 6)
live @count [0, 2)
live @z [5, 7) output
live @w [0, 7) output
--run-- ferrite inspect definitions.loop --from loop --stage sched | sed 's/^group 2 assert op 4/group 2 assert op 5/; s/^group 3 assert op 5/group 3 assert op 4/' | ferrite inspect - --from sched --stage sched | sed -n '/^schedule/,$p'
--err--
error: sched: law S2: an op comes before one that it depends on: op 5 before op 4
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^define u1 = 2.u0/define u0 = @count[]{}/' definitions.loop | ferrite inspect - --from loop --stage sched | sed -n '/^schedule/,$p'
--err--
error: loop: law L6: symbol u0 is defined twice in
define u0 = @count[]{}

  at reading
--status-- 1
--run-- sed '/^define u0/d' definitions.loop | ferrite inspect - --from loop --stage sched | sed -n '/^schedule/,$p'
--err--
error: loop: law L6: symbol u0 is not known here in
assert 0 <= u0 "a count"

  at reading
--status-- 1
--run-- sed 's/^define u0 = @count/define u0 = @y/; s/y\[\]{}/y[]{} + 3/' definitions.loop | ferrite inspect - --from loop --stage sched | sed -n '/^schedule/,$p'
--err--
error: loop: law L2: a symbol is defined by one integer in
define u0 = @y[]{} + 3

  at reading
--status-- 1
--run-- sed 's/^define u0 = @count..{}/define u0 = @y[8]{1}/' definitions.loop | ferrite inspect - --from loop --stage sched | sed -n '/^schedule/,$p'
--err--
error: loop: expected one element (found 'assert')
  at line 25, column 1
--status-- 1
