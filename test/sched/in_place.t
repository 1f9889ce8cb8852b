# a result lies where an operand lies that dies there, when every element is read before it is overwritten
# an input that only a loop of no steps writes to keeps its value: no line has to give it a new one
--run-- ferrite inspect - --from loop --stage sched | sed -n '/in_place/p; /^live/p'
--in--
program a_chain_in_one_place
input  @x : f32[24] strides [1]
temp   @a : f32[24] strides [1]
temp   @b : f32[24] strides [1]
temp   @c : f32[24] strides [1]
temp   @y : f32[8] strides [1]
extern copy (@x[24]{1}) -> (@a[24]{1}) ints [0] floats []
nest [i0 < 24] {
  %0 = load f32 @a[i0]
  %1 = load f32 @x[23 - i0]
  %2 = mul %0, %1 : f32
  @b[i0] = %2
}
nest [i0 < 24] {
  %0 = load f32 @x[23 - i0]
  @x[i0] = %0
}
nest [i0 < 24] {
  %0 = load f32 @b[i0]
  %1 = load f32 @x[i0]
  %2 = add %0, %1 : f32
  @c[i0] = %2
}
extern copy (@c[8]{3}) -> (@y[8]{1}) ints [0] floats []
output @y[8]{1}
--out--
  in_place @a -> @b
  in_place @b -> @c
live @a [0, 2) in @c
live @b [1, 3) in @c
live @c [2, 4)
live @y [3, 5) output
--run-- ferrite inspect - --from loop --stage sched | sed -n '/in_place/p; /^live/p'
--in--
program reversed_transposed_or_broadcast_operands_stay
input  @x : f32[8,8] strides [8,1]
temp   @a : f32[8,8] strides [8,1]
temp   @b : f32[8,8] strides [8,1]
temp   @c : f32[8,8] strides [8,1]
temp   @d : f32[8,8] strides [8,1]
temp   @y : f32[4,4] strides [4,1]
extern copy (@x[8,8]{8,1}) -> (@a[8,8]{8,1}) ints [0] floats []
nest [i0 < 64] {
  %0 = load f32 @a[63 - i0]
  @b[i0] = %0
}
extern copy (@b[8,8]{8,1}) -> (@c[8,8]{1,8}) ints [0] floats []
nest [i0 < 8, i1 < 8] {
  %0 = load f32 @c[i0 + 8*i1]
  %1 = load f32 @c[8*i0 + i1]
  %2 = add %0, %1 : f32
  @d[8*i0 + i1] = %2
}
extern copy (@d[4,4]{8,1}) -> (@y[4,4]{4,1}) ints [0] floats []
output @y[4,4]{4,1}
--out--
live @a [0, 2)
live @b [1, 3)
live @c [2, 4)
live @d [3, 5)
live @y [4, 6) output
--run-- ferrite inspect - --from loop --stage sched | sed -n '/in_place/p; /^live/p'
--in--
program a_row_is_read_whole_before_it_is_overwritten
input  @x : f32[16,8] strides [8,1]
temp   @a : f32[16,8] strides [8,1]
temp   @total : f32[16] strides [1]
temp   @b : f32[16,8] strides [8,1]
temp   @y : f32[4,4] strides [4,1]
extern copy (@x[16,8]{8,1}) -> (@a[16,8]{8,1}) ints [0] floats []
nest [i0 < 16] reduce [r0 < 8] {
  %0 = load f32 @a[8*i0 + r0]
  @total[i0] = sum %0
}
nest [i0 < 16, i1 < 8] {
  %0 = load f32 @total[i0]
  %1 = load f32 @a[8*i0 + i1]
  %2 = div %1, %0 : f32
  @b[8*i0 + i1] = %2
}
extern copy (@b[4,4]{8,1}) -> (@y[4,4]{4,1}) ints [0] floats []
output @y[4,4]{4,1}
--out--
  in_place @a -> @b
live @a [0, 2) in @b
live @b [1, 3)
live @y [2, 4) output
--run-- ferrite inspect - --from loop --stage sched | sed -n '/in_place/p; /^live/p'
--in--
program not_when_a_later_nest_of_the_kernel_reads_it
input  @x : f32[24] strides [1]
temp   @a : f32[24] strides [1]
temp   @b : f32[24] strides [1]
temp   @c : f32[24] strides [1]
temp   @y : f32[8] strides [1]
temp   @z : f32[8] strides [1]
extern copy (@x[24]{1}) -> (@a[24]{1}) ints [0] floats []
nest [i0 < 24] {
  %0 = load f32 @a[i0]
  %1 = exp %0 : f32
  @b[i0] = %1
}
nest [i0 < 24] {
  %0 = load f32 @a[i0]
  %1 = load f32 @b[i0]
  %2 = mul %0, %1 : f32
  @c[i0] = %2
}
extern copy (@c[8]{3}) -> (@y[8]{1}) ints [0] floats []
extern copy (@b[8]{3}) -> (@z[8]{1}) ints [0] floats []
output @y[8]{1}
output @z[8]{1}
--out--
  in_place @a -> @c
live @a [0, 2) in @c
live @b [1, 4)
live @c [1, 3)
live @y [2, 5) output
live @z [3, 5) output
--run-- ferrite inspect - --from loop --stage sched | sed -n '/in_place/p; /^live/p'
--in--
program not_into_another_type_or_size
input  @x : f32[24] strides [1]
temp   @a : f32[24] strides [1]
temp   @b : i32[24] strides [1]
temp   @c : i32[16] strides [1]
temp   @y : i32[8] strides [1]
extern copy (@x[24]{1}) -> (@a[24]{1}) ints [0] floats []
nest [i0 < 24] {
  %0 = load f32 @a[i0]
  %1 = cast %0 : i32
  @b[i0] = %1
}
nest [i0 < 16] {
  %0 = load i32 @b[i0]
  %1 = neg %0 : i32
  @c[i0] = %1
}
extern copy (@c[8]{2}) -> (@y[8]{1}) ints [0] floats []
output @y[8]{1}
--out--
live @a [0, 2)
live @b [1, 3)
live @c [2, 4)
live @y [3, 5) output
--run-- ferrite inspect - --from loop --stage sched | sed -n '/local/p; /^live/p'
--in--
program a_value_that_only_travels_in_registers_has_no_memory
symbol s0 in [2, 4096]
input  @x : f32[s0] strides [1]
temp   @a : f32[s0] strides [1]
temp   @b : f32[s0] strides [1]
nest [i0 < s0] {
  %0 = load f32 @x[i0]
  %1 = exp %0 : f32
  @a[i0] = %1
}
nest [i0 < s0] {
  %0 = load f32 @a[i0]
  %1 = mul %0, %0 : f32
  @b[i0] = %1
}
output @b[s0]{1}
--out--
  local @a
live @b [0, 2) output
--run-- ferrite inspect - --from loop --stage sched | sed -n '/in_place/p; /^live/p'
--in--
program a_condition_makes_it_the_element_that_is_stored_to
input  @x : f32[8,8] strides [8,1]
temp   @a : f32[8,8] strides [8,1]
temp   @b : f32[8,8] strides [8,1]
temp   @y : f32[4,4] strides [4,1]
extern copy (@x[8,8]{8,1}) -> (@a[8,8]{8,1}) ints [0] floats []
nest [i0 < 8, i1 < 8] {
  %0 = index i0 : i64
  %1 = const 3 : i64
  %2 = eq %0, %1 : bool
  %3 = load f32 @a[i1 + 24]
  %4 = const 2.0 : f32
  %5 = mul %3, %4 : f32
  %6 = load f32 @a[8*i0 + i1]
  %7 = masked %2, %5, %6 : f32
  @b[8*i0 + i1] = %7
}
extern copy (@b[4,4]{8,1}) -> (@y[4,4]{4,1}) ints [0] floats []
output @y[4,4]{4,1}
--out--
  in_place @a -> @b
live @a [0, 2) in @b
live @b [1, 3)
live @y [2, 4) output
--run-- ferrite inspect - --from loop --stage sched | sed -n '/in_place/p; /^live/p'
--in--
program not_where_it_is_another_row_s_condition
input  @x : f32[8,8] strides [8,1]
temp   @a : f32[8,8] strides [8,1]
temp   @b : f32[8,8] strides [8,1]
temp   @y : f32[4,4] strides [4,1]
extern copy (@x[8,8]{8,1}) -> (@a[8,8]{8,1}) ints [0] floats []
nest [i0 < 8, i1 < 8] {
  %0 = index i0 : i64
  %1 = const 2 : i64
  %2 = eq %0, %1 : bool
  %3 = load f32 @a[i1 + 24]
  %4 = load f32 @a[8*i0 + i1]
  %5 = masked %2, %3, %4 : f32
  @b[8*i0 + i1] = %5
}
extern copy (@b[4,4]{8,1}) -> (@y[4,4]{4,1}) ints [0] floats []
output @y[4,4]{4,1}
--out--
live @a [0, 2)
live @b [1, 3)
live @y [2, 4) output
--run-- ferrite inspect - --from loop --stage sched | sed -n '/in_place/p; /^live/p'
--in--
program not_where_it_is_used_without_the_condition_too
input  @x : f32[8,8] strides [8,1]
temp   @a : f32[8,8] strides [8,1]
temp   @b : f32[8,8] strides [8,1]
temp   @y : f32[4,4] strides [4,1]
extern copy (@x[8,8]{8,1}) -> (@a[8,8]{8,1}) ints [0] floats []
nest [i0 < 8, i1 < 8] {
  %0 = index i0 : i64
  %1 = const 3 : i64
  %2 = eq %0, %1 : bool
  %3 = load f32 @a[i1 + 24]
  %4 = load f32 @a[8*i0 + i1]
  %5 = masked %2, %3, %4 : f32
  %6 = add %5, %3 : f32
  @b[8*i0 + i1] = %6
}
extern copy (@b[4,4]{8,1}) -> (@y[4,4]{4,1}) ints [0] floats []
output @y[4,4]{4,1}
--out--
live @a [0, 2)
live @b [1, 3)
live @y [2, 4) output
--run-- ferrite inspect none.fx --stage loop | grep input; ferrite inspect none.fx --stage wrap | grep -e '^input' -e '^output'
--file none.fx--
graph main {
  placeholder %x user "x" : f32[3,3]
  placeholder %i user "i" : i64[0,3]
  %v = aten.scatter_.value(%x, 0, %i, 2.5)
  output (user %v)
}
--out--
input  @x : f32[3,3] strides [3,1] mutated origin 0
input  @i : i64[0,3] strides [3,1] origin 1
input  @x : f32[3,3] strides [3,1] origin 0
input  @i : i64[0,3] strides [3,1] origin 1
output 0 @x[3,3]{3,1}
