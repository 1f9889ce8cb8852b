# every reason why two ops do not share a kernel: `refuse PRODUCER CONSUMER REASON`
--run-- ferrite inspect - --from loop --stage sched | grep -e ^group -e ^refuse
--in--
program not_nest
input  @x : f32[24] strides [1]
temp   @a : f32[24] strides [1]
temp   @b : f32[24] strides [1]
extern copy (@x[24]{1}) -> (@a[24]{1}) ints [0] floats []
nest [i0 < 24] {
  %0 = load f32 @a[i0]
  %1 = exp %0 : f32
  @b[i0] = %1
}
output @b[24]{1}
--out--
group 0 extern op 0 copy
group 1 kernel outer [] vector inner
refuse 0 1 not_nest
--run-- ferrite inspect - --from loop --stage sched | grep -e ^group -e ^refuse
--in--
program not_same_outer
input  @x : f32[24] strides [1]
temp   @a : f32[24] strides [1]
temp   @b : f32[5] strides [1]
nest [i0 < 24] {
  %0 = load f32 @x[i0]
  %1 = exp %0 : f32
  @a[i0] = %1
}
nest [i0 < 5] {
  %0 = load f32 @a[i0]
  %1 = sin %0 : f32
  @b[i0] = %1
}
output @b[5]{1}
--out--
group 0 kernel outer [] vector inner
group 1 kernel outer [] vector inner
refuse 0 1 not_same_outer
--run-- ferrite inspect - --from loop --stage sched | grep -e ^group -e ^refuse
--in--
program not_same_index
input  @x : f32[24] strides [1]
temp   @a : f32[24] strides [1]
temp   @b : f32[24] strides [1]
nest [i0 < 24] {
  %0 = load f32 @x[i0]
  %1 = exp %0 : f32
  @a[i0] = %1
}
nest [i0 < 24] {
  %0 = load f32 @a[23 - i0]
  %1 = sin %0 : f32
  @b[i0] = %1
}
output @b[24]{1}
--out--
group 0 kernel outer [] vector inner
group 1 kernel outer [] vector inner
refuse 0 1 not_same_index
--run-- ferrite inspect - --from loop --stage sched | grep -e ^group -e ^refuse
--in--
program cycle
input  @x : f32[24] strides [1]
temp   @a : f32[24] strides [1]
temp   @b : f32[24] strides [1]
temp   @c : f32[24] strides [1]
nest [i0 < 24] {
  %0 = load f32 @x[i0]
  %1 = exp %0 : f32
  @a[i0] = %1
}
extern copy (@a[24]{1}) -> (@b[24]{1}) ints [0] floats []
nest [i0 < 24] {
  %0 = load f32 @a[i0]
  %1 = load f32 @b[i0]
  %2 = add %0, %1 : f32
  @c[i0] = %2
}
output @c[24]{1}
--out--
group 0 kernel outer [] vector inner
group 1 extern op 1 copy
group 2 kernel outer [] vector inner
refuse 1 2 not_nest
refuse 0 2 cycle
--run-- ferrite inspect - --from loop --stage sched | grep -e ^group -e ^refuse
--in--
program mutation
input  @x : f32[24] strides [1]
temp   @a : f32[24] strides [1]
nest [i0 < 24] {
  %0 = load f32 @x[i0]
  %1 = exp %0 : f32
  @a[i0] = %1
}
nest [i0 < 24] {
  %0 = load f32 @x[i0]
  @a[i0] add= %0
}
output @a[24]{1}
--out--
group 0 kernel outer [] vector inner
group 1 kernel outer [] vector inner
refuse 0 1 mutation
--run-- ferrite inspect - --from loop --stage sched | grep -e ^group -e ^refuse
--in--
program few_rows
input  @x : f32[2,100000] strides [100000,1]
temp   @a : f32[2] strides [1]
temp   @b : f32[2,100000] strides [100000,1]
nest [i0 < 2] reduce [r0 < 100000] {
  %0 = load f32 @x[100000*i0 + r0]
  @a[i0] = sum %0
}
nest [i0 < 2, i1 < 100000] {
  %0 = load f32 @x[100000*i0 + i1]
  %1 = load f32 @a[i0]
  %2 = sub %0, %1 : f32
  @b[100000*i0 + i1] = %2
}
output @b[2,100000]{100000,1}
--out--
group 0 kernel outer [i0 < 2] vector inner
group 1 kernel outer [i0 < 2] vector inner
refuse 0 1 few_rows
--run-- ferrite inspect - --from loop --stage sched | grep -e ^group -e ^refuse
--in--
program another_part_of_the_same_buffer
input  @x : f32[8,32] strides [32,1]
input  @r : f32[8,64] strides [64,1]
const  @w : f32[64,32] strides [32,1]
temp   @both : f32[8,128] strides [128,1]
extern gemm (@x[8,32]{32,1}, @w[32,64]{1,32}, none) -> (@both[8,64]{128,1}) ints [0] floats [0.0,0.0]
nest [i0 < 8, i1 < 64] {
  %0 = load f32 @r[64*i0 + i1]
  @both[128*i0 + i1 + 64] = %0
}
output @both[8,128]{128,1}
--out--
group 0 extern op 0 gemm
group 1 kernel outer [i0 < 8] vector inner
refuse 0 1 mutation
--run-- awk 'BEGIN { print "program too_large\ninput @t0 : f32[8] strides [1]"; for (i = 1; i < 27; i++) print "temp @t" i " : f32[8] strides [1]"; for (i = 1; i < 27; i++) print "nest [i0 < 8] {\n %0 = load f32 @t" i - 1 "[i0]\n %1 = exp %0 : f32\n @t" i "[i0] = %1\n}"; print "output @t26[8]{1}" }' | ferrite inspect - --from loop --stage sched | grep -e ^group -e ^refuse
--out--
group 0 kernel outer [] vector inner
group 1 kernel outer [] vector inner
refuse 23 24 too_large

--run-- for rows in 1 40; do sed "s/40/$rows/g" g.fx >h.fx; ferrite inspect h.fx --stage sched | grep -e ^group -e ^refuse; done
--file g.fx--
graph g {
  placeholder %x user "x" : f32[40,60]
  placeholder %y user "y" : f32[60,50]
  placeholder %i user "i" : i64[40]
  %z = aten.zeros.default([9, 50], dtype=torch.float32, device=cpu)
  %p = aten.mm.default(%x, %y)
  %q = aten.mul.Tensor(%p, 2.0)
  %r = aten.index_put.default(%z, [%i], %q)
  output (user %r)
}
--out--
group 0 kernel outer [] vector inner
group 1 extern op 0 bmm epilogue outer [] vector inner
refuse 1 2 mutation
group 0 extern op 0 bmm
group 1 kernel outer [] vector inner
group 2 kernel outer [i0 < 40] vector inner
refuse 1 2 mutation
refuse 0 2 not_same_index
