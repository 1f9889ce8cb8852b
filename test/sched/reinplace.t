# a state is changed where it lies: no copy before, none after
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^nest/,$p'
--in--
program part_of_a_state
input  @x : f32[4] strides [1]
state  @k : f32[16] strides [1]
temp   @new : f32[16] strides [1]
temp   @y : f32[16] strides [1]
nest [i0 < 16] {
  %0 = load f32 @k[i0]
  @new[i0] = %0
}
nest [i0 < 4] {
  %0 = load f32 @x[i0]
  @new[3*i0 + 1] = %0
}
nest [i0 < 16] {
  %0 = load f32 @new[15 - i0]
  @y[i0] = %0
}
nest [i0 < 16] {
  %0 = load f32 @new[i0]
  @k[i0] = %0
}
output @y[16]{1}
--out--
nest [i0 < 4] {
  %0 = load f32 @x[i0]
  @k[3*i0 + 1] = %0
}
nest [i0 < 16] {
  %0 = load f32 @k[-i0 + 15]
  @y[i0] = %0
}
output @y[16]{1}
schedule
group 0 kernel outer [] vector inner
  phase inner [i0 < 4] { op 0 }
group 1 kernel outer [] vector inner
  phase inner [i0 < 16] { op 1 }
refuse 0 1 not_same_outer
live @y [1, 3) output
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^nest/,/^output/p'
--in--
program a_slice_of_a_state
input  @x : f32[2,4] strides [4,1]
state  @k : f32[2,16] strides [16,1]
temp   @new : f32[2,16] strides [16,1]
temp   @y : f32[16,2] strides [2,1]
nest [i0 < 2, i1 < 16] {
  %0 = index i1 : i64
  %1 = const 3 : i64
  %2 = le %1, %0 : bool
  %3 = const 7 : i64
  %4 = lt %0, %3 : bool
  %5 = and %2, %4 : bool
  %6 = load f32 @x[4*i0 + i1 - 3]
  %7 = load f32 @k[16*i0 + i1]
  %8 = masked %5, %6, %7 : f32
  @new[16*i0 + i1] = %8
}
extern copy (@new[16,2]{1,16}) -> (@y[16,2]{2,1}) ints [0] floats []
nest [i0 < 2, i1 < 16] {
  %0 = load f32 @new[16*i0 + i1]
  @k[16*i0 + i1] = %0
}
output @y[16,2]{2,1}
--out--
nest [i0 < 2, i1 < 4] {
  %0 = load f32 @x[4*i0 + i1]
  @k[16*i0 + i1 + 3] = %0
}
extern copy (@k[16,2]{1,16}) -> (@y[16,2]{2,1}) ints [0] floats []
output @y[16,2]{2,1}
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^nest/,/^output/p'
--in--
program the_old_value_is_read_after_the_new_one_is_begun
input  @x : f32[4] strides [1]
state  @k : f32[16] strides [1]
temp   @new : f32[16] strides [1]
temp   @y : f32[16] strides [1]
nest [i0 < 16] {
  %0 = load f32 @k[i0]
  @new[i0] = %0
}
nest [i0 < 4] {
  %0 = load f32 @x[i0]
  @new[i0] = %0
}
nest [i0 < 16] {
  %0 = load f32 @k[i0]
  %1 = load f32 @new[15 - i0]
  %2 = add %0, %1 : f32
  @y[i0] = %2
}
nest [i0 < 16] {
  %0 = load f32 @new[i0]
  @k[i0] = %0
}
output @y[16]{1}
--out--
nest [i0 < 16] {
  %0 = load f32 @k[i0]
  @new[i0] = %0
}
nest [i0 < 4] {
  %0 = load f32 @x[i0]
  @new[i0] = %0
}
nest [i0 < 16] {
  %0 = load f32 @k[i0]
  %1 = load f32 @new[-i0 + 15]
  %2 = add %0, %1 : f32
  @y[i0] = %2
}
nest [i0 < 16] {
  %0 = load f32 @new[i0]
  @k[i0] = %0
}
output @y[16]{1}
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^nest/,/^output/p'
--in--
program reversed_in_place_would_read_what_it_has_written
state  @k : f32[16] strides [1]
temp   @new : f32[16] strides [1]
temp   @y : f32[16] strides [1]
nest [i0 < 16] {
  %0 = load f32 @k[15 - i0]
  @new[i0] = %0
}
nest [i0 < 16] {
  %0 = load f32 @new[i0]
  %1 = exp %0 : f32
  @y[i0] = %1
}
nest [i0 < 16] {
  %0 = load f32 @new[i0]
  @k[i0] = %0
}
output @y[16]{1}
--out--
nest [i0 < 16] {
  %0 = load f32 @k[-i0 + 15]
  @new[i0] = %0
}
nest [i0 < 16] {
  %0 = load f32 @new[i0]
  %1 = exp %0 : f32
  @y[i0] = %1
}
nest [i0 < 16] {
  %0 = load f32 @new[i0]
  @k[i0] = %0
}
output @y[16]{1}
--run-- ferrite inspect - --from fx --stage sched | sed -n '/^state/p;/^nest/,/^}/p'
--in--
graph two_writes_one_after_the_other_and_a_view_of_a_view {
  placeholder %cache buffer "cache" : f32[8,6]
  placeholder %k buffer "k" : f32[8,6,4]
  placeholder %i user "i" : i64[3]
  placeholder %x user "x" : f32[3,6]
  placeholder %y user "y" : f32[2,4]
  %put = aten.index_put_.default(%cache, [%i], %x)
  %add = aten.index_add_.default(%cache, 0, %i, %x)
  %rows = aten.slice.Tensor(%k, 0, 2, 4)
  %column = aten.select.int(%rows, 1, 3)
  %copy_ = aten.copy_.default(%column, %y)
  output ()
}
--out--
state  @cache : f32[8,6] strides [6,1] origin 0
state  @k : f32[8,6,4] strides [24,4,1] origin 1
nest [i0 < 3, i1 < 6] origin 11 {
  %0 = load f32 @x[6*i0 + i1]
  %1 = load i64 @i[i0]
  %2 = const 0 : i64
  %3 = lt %1, %2 : bool
  %4 = const 8 : i64
  %5 = add %1, %4 : i64
  %6 = where %3, %5, %1 : i64
  j0 = indirect %6 < 8 dim 0 wraps origin 11
  @cache[6*j0 + i1] = %0
}
nest [i0 < 3, i1 < 6] origin 12 {
  %0 = load f32 @x[6*i0 + i1]
  %1 = load i64 @i[i0]
  j0 = indirect %1 < 8 dim 0 origin 12
  @cache[6*j0 + i1] add= %0
}
nest [i0 < 2, i1 < 1, i2 < 4] origin 10 {
  %0 = load f32 @y[4*i0 + i2]
  @k[24*i0 + 4*i1 + i2 + 60] = %0
}
--run-- ferrite inspect - --from fx --stage sched | sed -n '/^state/p;/^nest/,/^}/p'
--in--
graph the_value_between_two_writes_is_read_before_the_second {
  placeholder %cache buffer "cache" : f32[8]
  placeholder %i user "i" : i64[3]
  placeholder %x user "x" : f32[3]
  placeholder %y user "y" : f32[8]
  %put = aten.index_put.default(%cache, [%i], %x)
  %next = aten.mul.Tensor(%put, 2)
  %copy_ = aten.copy_.default(%cache, %next)
  %back = aten.flip.default(%put, [0])
  %sum = aten.matmul.default(%back, %y)
  output (user %sum)
}
--out--
state  @cache : f32[8] strides [1] origin 0
nest [i0 < 3] origin 4 {
  %0 = load f32 @x[i0]
  %1 = load i64 @i[i0]
  %2 = const 0 : i64
  %3 = lt %1, %2 : bool
  %4 = const 8 : i64
  %5 = add %1, %4 : i64
  %6 = where %3, %5, %1 : i64
  j0 = indirect %6 < 8 dim 0 wraps origin 4
  @cache[j0] = %0
}
nest [i0 < 1, i1 < 1] reduce [r0 < 8] origin 8 {
  %0 = load f32 @cache[-r0 + 7]
  %1 = load f32 @y[r0]
  %2 = mul %0, %1 : f32
  @buf5[0] = sum %2
}
nest [i0 < 8] origin 9 {
  %0 = load f32 @cache[i0]
  %1 = const 2.0 : f32
  %2 = mul %0, %1 : f32
  @cache[i0] = %2
}
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^nest/,/^output/p'
--in--
program the_value_between_two_writes_is_read_behind_both
input  @x : f32[4] strides [1]
state  @k : f32[16] strides [1]
temp   @new : f32[16] strides [1]
temp   @y : f32[16] strides [1]
nest [i0 < 16] {
  %0 = load f32 @k[i0]
  @new[i0] = %0
}
nest [i0 < 4] {
  %0 = load f32 @x[i0]
  @new[3*i0 + 1] = %0
}
nest [i0 < 16] {
  %0 = load f32 @new[i0]
  %1 = exp %0 : f32
  @k[i0] = %1
}
nest [i0 < 16] {
  %0 = load f32 @new[15 - i0]
  @y[i0] = %0
}
output @y[16]{1}
--out--
nest [i0 < 16] {
  %0 = load f32 @k[i0]
  @new[i0] = %0
}
nest [i0 < 4] {
  %0 = load f32 @x[i0]
  @new[3*i0 + 1] = %0
}
nest [i0 < 16] {
  %0 = load f32 @new[i0]
  %1 = exp %0 : f32
  @k[i0] = %1
}
nest [i0 < 16] {
  %0 = load f32 @new[-i0 + 15]
  @y[i0] = %0
}
output @y[16]{1}
--run-- ferrite inspect - --stage wrap --isa x86-64-v3 | grep -v "^note\|^program"
--in--
graph divided_by_one {
  placeholder %w param "w" : f32[64,64]
  placeholder %x user "x" : f32[2,64]
  %d = aten.div_.Tensor(%w, 1)
  %y = aten.linear.default(%x, %w)
  output (user %y)
}
--out--
input  @x : f32[2,64] strides [64,1] origin 1
const  @w : f32[64,64] strides [64,1] origin 0
temp   @buf2 : f32[64,64] strides [64,1] origin 5
temp   @buf3 : f32[1,2,64] strides [128,64,1] origin 3
wrapper arena 0 bound 0 weights 16384 kernels 0 calls 1
weight 0 @w at 0 bytes 16384
memory @buf3 output 0
extern bmm (@x[1,2,64]{0,64,1}, @w[1,64,64]{0,1,64}, none) -> (@buf3[1,2,64]{128,64,1}) ints [] floats [1.0, 0.0]
output 0 @buf3[2,64]{64,1}
