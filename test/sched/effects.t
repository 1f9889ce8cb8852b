# calls with an effect keep their order, whatever an order by memory would like
--run-- ferrite inspect effects.loop --from loop --stage loop | cmp - effects.loop
--file effects.loop--
program effects
input  @x : f32[64] strides [1]
input  @y : f32[64] strides [1]
temp   @a : f32[4096] strides [1]
temp   @b : f32[4096] strides [1]
temp   @p : f32[1] strides [1]
temp   @q : f32[1] strides [1]
extern custom (@x[64]{1}) -> (@a[4096]{1}) ints [] floats [] calls "draw" "T" effect
extern custom (@y[64]{1}) -> (@b[4096]{1}) ints [] floats [] calls "draw" "T" effect
extern custom (@x[64]{1}) -> () ints [] floats [] calls "say" "T" effect
extern custom (@b[4096]{1}) -> (@q[1]{1}) ints [] floats [] calls "use" "T"
extern custom (@a[4096]{1}) -> (@p[1]{1}) ints [] floats [] calls "use" "T"
output @p[1]{1}
output @q[1]{1}
--run-- ferrite inspect effects.loop --from loop --stage sched | grep '^group'
--out--
group 0 extern op 0 custom
group 1 extern op 4 custom
group 2 extern op 1 custom
group 3 extern op 2 custom
group 4 extern op 3 custom
--run-- sed 's/ effect$//' effects.loop | ferrite inspect - --from loop --stage sched > free.sched; grep '^group' free.sched
--out--
group 0 extern op 2 custom
group 1 extern op 0 custom
group 2 extern op 4 custom
group 3 extern op 1 custom
group 4 extern op 3 custom
--run-- sed 's/"draw" "T"\|"say" "T"/& effect/' free.sched | ferrite inspect - --from sched --stage sched
--status-- 1
--err--
error: sched: law S2: an op comes before one that it depends on: op 2 before op 1
  help: this is a fault of ferrite's own: please report it with the program
