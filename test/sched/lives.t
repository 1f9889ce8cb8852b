# a buffer lives from the first group that uses it to the last; what is returned lives on, in the memory of its output when it is
# all of it, else in the arena
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^schedule/,$p'
--in--
program lives
input  @x : f32[24] strides [1]
temp   @a : f32[24] strides [1]
temp   @b : f32[24] strides [1]
temp   @c : f32[24] strides [1]
temp   @d : f32[24] strides [1]
extern copy (@x[24]{1}) -> (@a[24]{1}) ints [0] floats []
extern copy (@a[24]{1}) -> (@b[24]{1}) ints [0] floats []
nest [i0 < 24] {
  %0 = load f32 @b[i0]
  %1 = load f32 @a[23 - i0]
  %2 = add %0, %1 : f32
  @c[i0] = %2
}
extern copy (@c[24]{1}) -> (@d[24]{1}) ints [0] floats []
output @d[24]{1}
output @a[5]{1} + 2
--out--
schedule
order peak 256 bound 256
group 0 extern op 0 copy
group 1 extern op 1 copy
group 2 kernel outer [] vector inner
  phase inner [i0 < 24] { op 2 }
  in_place @b -> @c
group 3 extern op 3 copy
refuse 1 2 not_nest
refuse 0 2 cycle
live @a [0, 5)
live @b [1, 3) in @c
live @c [2, 4)
live @d [3, 5) output
