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
extern copy (@new[16,2]{1,16}) -> (@y[16,2]{2,1}) ints [] floats []
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
extern copy (@k[16,2]{1,16}) -> (@y[16,2]{2,1}) ints [] floats []
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
