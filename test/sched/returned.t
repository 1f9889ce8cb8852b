# law S9: an output that may lie in a donated input, and what breaks the law; which outputs and inputs are paired
--run-- ferrite inspect step.sched --from sched --stage sched | cmp - step.sched
--file step.sched--
program step
input  @x : f32[64] strides [1] donated
input  @z : f32[64] strides [1] donated
temp   @a : f32[64] strides [1]
temp   @y : f32[64] strides [1]
nest [i0 < 64] {
  %0 = load f32 @x[i0]
  %1 = load f32 @z[-i0 + 63]
  %2 = add %0, %1 : f32
  @a[i0] = %2
}
nest [i0 < 64] {
  %0 = load f32 @a[-i0 + 63]
  %1 = exp %0 : f32
  @y[i0] = %1
}
output @a[64]{1}
output @y[64]{1}
schedule
group 0 kernel outer [] vector inner
  phase inner [i0 < 64] { op 0 }
group 1 kernel outer [] vector inner
  phase inner [i0 < 64] { op 1 }
live @x [0, 1) donated
live @z [0, 1) donated
live @a [0, 3) output else in @x
live @y [1, 3) output else in @z
--out--
--run-- sed 's/else in @x/else in @z/; s/^\(live @y.*\) else.*/\1/' step.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: law S9: it overwrites an input that is read later: a
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/else in @z/else in @x/' step.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: law S9: two outputs lie in one input: y
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^live @x .*/live @x [0, 2) donated/' step.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: law S9: it overwrites an input that is read later: a
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^\(input  @z.*\) donated/\1/; /^live @z/d' step.sched | ferrite inspect - --from sched --stage sched
--err--
error: sched: law S9: it lies in an input that is not donated: y
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^\(input  @z.*\)64/\163/' step.sched | sed 's/@z\[-i0 + 63\]/@z[0]/' | ferrite inspect - --from sched --stage sched
--err--
error: sched: law S9: it is not inside the memory that it lies in: y
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- ferrite inspect pairs.fx --donate all --stage sched | sed -n '/^live/p'
--file pairs.fx--
graph main {
  placeholder %p user "p" : f64[64]
  placeholder %q user "q" : f32[129]
  %a = aten.cumsum.default(%p, 0) : f64[64]
  %b = aten.cumsum.default(%q, 0) : f32[129]
  %c = aten.slice.Tensor(%b, 0, 0, 128) : f32[128]
  %d = aten.flip.default(%c, [0]) : f32[128]
  %e = aten.cumsum.default(%d, 0) : f32[128]
  %f = aten.flip.default(%a, [0]) : f64[64]
  %g = aten.cumsum.default(%f, 0) : f64[64]
  output (user %e, user %g)
}
--out--
live @p [0, 1) donated
live @q [0, 3) donated
live @buf2 [0, 2)
live @buf3 [2, 4)
live @buf4 [3, 5) output else in @q
live @buf5 [1, 5) output else in @p
--run-- ferrite inspect cache.fx --donate cache --stage sched | sed -n '/^nest/,/^}/p; /^output/p; /^live/p'; ferrite inspect read.fx --donate cache --stage sched | sed -n '/^live/p'
--file cache.fx--
graph main {
  placeholder %cache user "cache" : f32[2,16,4]
  placeholder %k user "k" : f32[2,1,4]
  placeholder %i user "pos" : i64[1]
  %n = aten.index_copy.default(%cache, 1, %i, %k) : f32[2,16,4]
  %s = aten.sum.dim_IntList(%n, [1]) : f32[2,4]
  output (user %n, user %s)
}
--file read.fx--
graph main {
  placeholder %cache user "cache" : f32[2,16,4]
  placeholder %k user "k" : f32[2,1,4]
  placeholder %i user "pos" : i64[1]
  %n = aten.index_copy.default(%cache, 1, %i, %k) : f32[2,16,4]
  %f = aten.flip.default(%cache, [1]) : f32[2,16,4]
  %s = aten.add.Tensor(%n, %f) : f32[2,16,4]
  output (user %n, user %s)
}
--out--
nest [i0 < 2, i1 < 1, i2 < 4] origin 3 {
  %0 = load f32 @k[4*i0 + i2]
  %1 = load i64 @pos[i1]
  j0 = indirect %1 < 16 dim 1 origin 3
  @cache[4*j0 + 64*i0 + i2] = %0
}
nest [i0 < 2, i1 < 4] reduce [r0 < 16] origin 4 {
  %0 = load f32 @cache[64*i0 + i1 + 4*r0]
  @buf4[4*i0 + i1] = sum %0
}
output @cache[2,16,4]{64,4,1}
output @buf4[2,4]{4,1}
live @cache [0, 3) donated
live @buf4 [1, 3) output
live @cache [0, 3) donated
live @buf3 [0, 4) output
live @buf4 [2, 4) output
