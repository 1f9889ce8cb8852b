# operands of a concatenation are made where they end up: parts of the result
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^temp/p; /^part/p; /^nest/p; /^extern/p; /^live/p; /in_place/p'
--in--
program along_the_outermost_dimension
input  @x : f32[4,8] strides [8,1]
const  @w : f32[8,8] strides [8,1]
temp   @a : f32[4,8] strides [8,1]
temp   @b : f32[4,8] strides [8,1]
temp   @c : f32[12,8] strides [8,1]
temp   @y : f32[12,8] strides [1,12]
extern gemm (@x[4,8]{8,1}, @w[8,8]{8,1}, none) -> (@a[4,8]{8,1}) ints [0] floats [0.0,0.0]
extern gemm (@a[4,8]{8,1}, @w[8,8]{8,1}, none) -> (@b[4,8]{8,1}) ints [0] floats [0.0,0.0]
nest [i0 < 4, i1 < 8] {
  %0 = load f32 @a[8*i0 + i1]
  @c[8*i0 + i1] = %0
}
nest [i0 < 4, i1 < 8] {
  %0 = load f32 @b[8*i0 + i1]
  @c[8*i0 + i1 + 32] = %0
}
nest [i0 < 4, i1 < 8] {
  %0 = load f32 @x[8*i0 + i1]
  %1 = exp %0 : f32
  @c[8*i0 + i1 + 64] = %1
}
extern copy (@c[12,8]{8,1}) -> (@y[12,8]{1,12}) ints [0] floats []
output @y[12,8]{1,12}
--out--
temp   @a : f32[4,8] strides [8,1]
temp   @b : f32[4,8] strides [8,1]
temp   @c : f32[12,8] strides [8,1]
temp   @y : f32[12,8] strides [1,12]
part @a in @c at 0
part @b in @c at 32
extern gemm (@x[4,8]{8,1}, @w[8,8]{8,1}, none) -> (@a[4,8]{8,1}) ints [0] floats [0.0,0.0]
extern gemm (@a[4,8]{8,1}, @w[8,8]{8,1}, none) -> (@b[4,8]{8,1}) ints [0] floats [0.0,0.0]
nest [i0 < 4, i1 < 8] {
extern copy (@c[12,8]{8,1}) -> (@y[12,8]{1,12}) ints [0] floats []
live @a [0, 4) in @c
live @b [1, 4) in @c at 32
live @c [2, 4)
live @y [3, 5) output
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^temp/p; /^part/p; /^nest/,/^}/p; /^extern/p; /^live/p; /in_place/p'
--in--
program along_an_inner_dimension_with_the_raw_result
input  @x : f32[4,16] strides [16,1]
const  @w : f32[16,16] strides [16,1]
temp   @raw : f32[4,16] strides [16,1]
temp   @a : f32[4,16] strides [16,1]
temp   @rawer : f32[4,16] strides [16,1]
temp   @c : f32[4,32] strides [32,1]
temp   @t : f32[16,4] strides [4,1]
temp   @y : f32[4,32] strides [1,4]
extern gemm (@x[4,16]{16,1}, @w[16,16]{16,1}, none) -> (@raw[4,16]{16,1}) ints [0] floats [0.0,0.0]
nest [i0 < 4, i1 < 16] {
  %0 = load f32 @raw[16*i0 + i1]
  %1 = exp %0 : f32
  @a[16*i0 + i1] = %1
}
extern gemm (@a[4,16]{16,1}, @w[16,16]{16,1}, none) -> (@rawer[4,16]{16,1}) ints [0] floats [0.0,0.0]
nest [i0 < 4, i1 < 16] {
  %0 = load f32 @rawer[16*i0 + i1]
  %1 = sin %0 : f32
  @c[32*i0 + i1 + 16] = %1
}
nest [i0 < 4, i1 < 16] {
  %0 = load f32 @a[16*i0 + i1]
  @c[32*i0 + i1] = %0
}
extern copy (@c[4,32]{32,1}) -> (@y[4,32]{1,4}) ints [0] floats []
extern copy (@a[16,4]{1,16}) -> (@t[16,4]{4,1}) ints [0] floats []
output @y[4,32]{1,4}
output @t[16,4]{4,1}
--out--
temp   @raw : f32[4,16] strides [32,1]
temp   @a : f32[4,16] strides [32,1]
temp   @rawer : f32[4,16] strides [32,1]
temp   @c : f32[4,32] strides [32,1]
temp   @t : f32[16,4] strides [4,1]
temp   @y : f32[4,32] strides [1,4]
temp   @buf8 : f32[4,16] strides [32,1]
part @a in @c at 0
part @buf8 in @c at 16
extern gemm (@x[4,16]{16,1}, @w[16,16]{16,1}, none) -> (@raw[4,16]{32,1}) ints [0] floats [0.0,0.0]
nest [i0 < 4, i1 < 16] {
  %0 = load f32 @raw[32*i0 + i1]
  %1 = exp %0 : f32
  @a[32*i0 + i1] = %1
}
extern gemm (@a[4,16]{32,1}, @w[16,16]{16,1}, none) -> (@rawer[4,16]{32,1}) ints [0] floats [0.0,0.0]
nest [i0 < 4, i1 < 16] {
  %0 = load f32 @rawer[32*i0 + i1]
  %1 = sin %0 : f32
  @buf8[32*i0 + i1] = %1
}
extern copy (@c[4,32]{32,1}) -> (@y[4,32]{1,4}) ints [0] floats []
extern copy (@a[16,4]{1,32}) -> (@t[16,4]{4,1}) ints [0] floats []
  in_place @raw -> @a
  in_place @rawer -> @buf8
live @raw [0, 1) in @c
live @a [0, 4) in @c
live @rawer [1, 2) in @c at 16
live @c [2, 3)
live @t [3, 5) output
live @y [2, 5) output
live @buf8 [1, 3) in @c at 16
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^part/p; /^live/p'
--in--
program short_rows_and_what_is_returned_are_copied
input  @x : f32[4,8] strides [8,1]
const  @w : f32[8,8] strides [8,1]
temp   @a : f32[4,8] strides [8,1]
temp   @b : f32[4,8] strides [8,1]
temp   @c : f32[4,16] strides [16,1]
temp   @d : f32[8,8] strides [8,1]
temp   @y : f32[4,16] strides [1,4]
temp   @z : f32[8,8] strides [1,8]
extern gemm (@x[4,8]{8,1}, @w[8,8]{8,1}, none) -> (@a[4,8]{8,1}) ints [0] floats [0.0,0.0]
extern gemm (@a[4,8]{8,1}, @w[8,8]{8,1}, none) -> (@b[4,8]{8,1}) ints [0] floats [0.0,0.0]
nest [i0 < 4, i1 < 8] {
  %0 = load f32 @a[8*i0 + i1]
  @c[16*i0 + i1] = %0
}
nest [i0 < 4, i1 < 8] {
  %0 = load f32 @b[8*i0 + i1]
  @c[16*i0 + i1 + 8] = %0
}
nest [i0 < 4, i1 < 8] {
  %0 = load f32 @b[8*i0 + i1]
  @d[8*i0 + i1] = %0
}
nest [i0 < 4, i1 < 8] {
  %0 = load f32 @b[8*i0 + i1]
  @d[8*i0 + i1 + 32] = %0
}
extern copy (@c[4,16]{16,1}) -> (@y[4,16]{1,4}) ints [0] floats []
extern copy (@d[8,8]{8,1}) -> (@z[8,8]{1,8}) ints [0] floats []
output @y[4,16]{1,4}
output @z[8,8]{1,8}
output @b[4,8]{8,1}
--out--
live @a [0, 2) in @y output
live @b [1, 6) output
live @c [0, 4) in @z output
live @d [1, 5)
live @y [3, 6) output
live @z [4, 6) output
