# what is written stays between its readers: mutation keeps the order of the program
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^schedule/,$p'
--in--
program input_written_after_its_last_reader
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
  @x[i0] = %0
}
nest [i0 < 24] {
  %0 = load f32 @x[i0]
  %1 = sin %0 : f32
  @b[i0] = %1
}
output @a[24]{1}
output @b[24]{1}
--out--
schedule
group 0 kernel outer [] vector inner
  phase inner [i0 < 24] { op 0 }
group 1 kernel outer [] vector inner
  phase inner [i0 < 24] { op 1 op 2 }
refuse 0 1 not_same_index
live @a [0, 3) output
live @b [1, 3) output
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^schedule/,$p'
--in--
program pieces_of_one_buffer
input  @x : f32[24] strides [1]
temp   @a : f32[24] strides [1]
temp   @b : f32[24] strides [1]
nest [i0 < 12] {
  %0 = load f32 @x[i0]
  @a[i0] = %0
}
nest [i0 < 12] {
  %0 = load f32 @x[i0 + 12]
  %1 = neg %0 : f32
  @a[i0 + 12] = %1
}
nest [i0 < 24] {
  %0 = load f32 @a[i0]
  %1 = exp %0 : f32
  @b[i0] = %1
}
output @b[24]{1}
--out--
schedule
group 0 kernel outer [] vector inner
  phase inner [i0 < 12] { op 0 }
group 1 kernel outer [] vector inner
  phase inner [i0 < 12] { op 1 }
group 2 kernel outer [] vector inner
  phase inner [i0 < 24] { op 2 }
  in_place @a -> @b
refuse 0 1 mutation
refuse 1 2 not_same_outer
refuse 0 2 cycle
live @a [0, 3) in @b output
live @b [2, 4) output
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^group/p; /^live/p'
--in--
program the_branch_with_the_higher_peak_goes_first
input  @x : f32[16] strides [1]
temp   @a : f32[16] strides [1]
temp   @big : f32[4096] strides [1]
temp   @b : f32[16] strides [1]
temp   @c : f32[16] strides [1]
temp   @y : f32[16] strides [1]
extern copy (@x[16]{1}) -> (@a[16]{1}) ints [0] floats []
extern copy (@a[256,16]{0,1}) -> (@big[256,16]{16,1}) ints [0] floats []
extern copy (@x[16]{1}) -> (@c[16]{1}) ints [0] floats []
extern copy (@big[16]{256}) -> (@b[16]{1}) ints [0] floats []
nest [i0 < 16] {
  %0 = load f32 @b[15 - i0]
  %1 = load f32 @c[15 - i0]
  %2 = add %0, %1 : f32
  @y[i0] = %2
}
output @y[16]{1}
--out--
group 0 extern op 0 copy
group 1 extern op 1 copy
group 2 extern op 3 copy
group 3 extern op 2 copy
group 4 kernel outer [] vector inner
live @a [0, 2) in @y output
live @big [1, 3)
live @b [2, 5)
live @c [3, 5)
live @y [4, 6) output
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^group/p'
--in--
program equal_branches_stay
input  @x : f32[16] strides [1]
temp   @a : f32[16] strides [1]
temp   @b : f32[16] strides [1]
temp   @c : f32[16] strides [1]
temp   @d : f32[16] strides [1]
temp   @y : f32[4] strides [1]
extern copy (@x[16]{1}) -> (@a[16]{1}) ints [0] floats []
extern copy (@x[16]{1}) -> (@b[16]{1}) ints [0] floats []
extern copy (@a[16]{1}) -> (@c[16]{1}) ints [0] floats []
extern copy (@b[16]{1}) -> (@d[16]{1}) ints [0] floats []
nest [i0 < 4] {
  %0 = load f32 @c[15 - i0]
  %1 = load f32 @d[15 - i0]
  %2 = add %0, %1 : f32
  @y[i0] = %2
}
output @y[4]{1}
--out--
group 0 extern op 0 copy
group 1 extern op 1 copy
group 2 extern op 2 copy
group 3 extern op 3 copy
group 4 kernel outer [] vector inner
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^group/p'
--in--
program a_branch_in_the_output_first
input  @x : f32[16] strides [1]
temp   @a : f32[16] strides [1]
temp   @b : f32[16] strides [1]
temp   @c : f32[16] strides [1]
temp   @d : f32[16] strides [1]
temp   @y : f32[16] strides [1]
extern copy (@x[16]{1}) -> (@a[16]{1}) ints [0] floats []
extern copy (@x[16]{1}) -> (@b[16]{1}) ints [0] floats []
extern copy (@a[16]{1}) -> (@c[16]{1}) ints [0] floats []
extern copy (@b[16]{1}) -> (@d[16]{1}) ints [0] floats []
nest [i0 < 16] {
  %0 = load f32 @c[15 - i0]
  %1 = load f32 @d[15 - i0]
  %2 = add %0, %1 : f32
  @y[i0] = %2
}
output @y[16]{1}
--out--
group 0 extern op 0 copy
group 1 extern op 1 copy
group 2 extern op 2 copy
group 3 extern op 3 copy
group 4 kernel outer [] vector inner
