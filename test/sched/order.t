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
