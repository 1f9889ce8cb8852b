# what few loops of a nest change is made in front of it, where that costs less; the operand of short sums that
# lies along them is turned, since vectors go across: distances of points (last)
# a source and a weight for each column, and one for each row
--run-- ferrite inspect - --from loop --stage sched --isa x86-64-v3
--in--
program columns
input  @x : f32[64,8] strides [8,1]
temp   @y : f32[64,512] strides [512,1]
nest [i0 < 64, i1 < 512] {
  %0 = index i1 : i64
  %1 = cast %0 : f32
  %2 = sin %1 : f32
  %3 = abs %2 : f32
  %4 = const 7.0 : f32
  %5 = mul %3, %4 : f32
  %6 = cast %5 : i64
  j0 = indirect %6 < 8 dim 1
  %7 = load f32 @x[8*i0 + j0]
  %8 = mul %7, %2 : f32
  @y[512*i0 + i1] = %8
}
output @y[64,512]{512,1}
--out--
program columns
input  @x : f32[64,8] strides [8,1]
temp   @y : f32[64,512] strides [512,1]
temp   @buf2 : f32[512] strides [1]
nest [i0 < 512] {
  %0 = index i0 : i64
  %1 = cast %0 : f32
  %2 = sin %1 : f32
  @buf2[i0] = %2
}
nest [i0 < 64, i1 < 512] {
  %0 = load f32 @buf2[i1]
  %1 = abs %0 : f32
  %2 = const 7.0 : f32
  %3 = mul %1, %2 : f32
  %4 = cast %3 : i64
  j0 = indirect %4 < 8 dim 1
  %5 = load f32 @x[j0 + 8*i0]
  %6 = mul %5, %0 : f32
  @y[512*i0 + i1] = %6
}
output @y[64,512]{512,1}
schedule
order peak 2048 bound 2048
group 0 kernel outer [] vector inner
  phase inner [i0 < 512] { op 0 }
group 1 kernel outer [i0 < 64] vector inner
  phase inner [i1 < 512] { op 1 }
refuse 0 1 not_same_outer
live @y [1, 3) output
live @buf2 [0, 2)
--run-- ferrite inspect - --from loop --stage sched --isa x86-64-v3 | sed -n '/^schedule/,$p'
--in--
program stay
input  @x : f32[64,512] strides [512,1]
input  @w : f32[512] strides [1]
temp   @y : f32[64,512] strides [512,1]
temp   @z : f32[2,512] strides [512,1]
nest [i0 < 64, i1 < 512] {
  %0 = load f32 @x[512*i0 + i1]
  %1 = load f32 @w[i1]
  %2 = add %1, %1 : f32
  %3 = mul %0, %2 : f32
  @y[512*i0 + i1] = %3
}
nest [i0 < 2, i1 < 512] {
  %0 = load f32 @x[512*i0 + i1]
  %1 = load f32 @w[i1]
  %2 = tanh %1 : f32
  %3 = mul %0, %2 : f32
  @z[512*i0 + i1] = %3
}
output @y[64,512]{512,1}
output @z[2,512]{512,1}
--out--
schedule
group 0 kernel outer [i0 < 64] vector inner
  phase inner [i1 < 512] { op 0 }
group 1 kernel outer [i0 < 2] vector inner
  phase inner [i1 < 512] { op 1 }
live @y [0, 3) output
live @z [1, 3) output
--run-- ferrite inspect - --from loop --stage sched --isa x86-64-v3 | sed -n '/^schedule/,$p'
--in--
program masks
input  @x : f32[64,512] strides [512,1]
input  @v : f32[514] strides [1]
input  @w : f32[512] strides [1]
temp   @y : f32[64,514] strides [514,1]
nest [i0 < 64, i1 < 514] {
  %0 = index i1 : i64
  %1 = const 512 : i64
  %2 = lt %0, %1 : bool
  %3 = load f32 @x[512*i0 + i1]
  %4 = load f32 @w[i1]
  %5 = exp %4 : f32
  %6 = load f32 @v[i1]
  %7 = erf %6 : f32
  %8 = mul %5, %7 : f32
  %9 = mul %3, %8 : f32
  %10 = const 0.0 : f32
  %11 = masked %2, %9, %10 : f32
  @y[514*i0 + i1] = %11
}
output @y[64,514]{514,1}
--out--
schedule
order peak 2112 bound 2112
group 0 kernel outer [] vector inner
  phase inner [i0 < 514] { op 0 }
group 1 kernel outer [i0 < 64] vector inner
  phase inner [i1 < 514] { op 1 }
refuse 0 1 not_same_outer
live @y [1, 3) output
live @buf4 [0, 2)
--run-- ferrite inspect - --from loop --stage sched --isa x86-64-v3 | sed -n '/^schedule/,$p'
--in--
program own
input  @x : f32[512] strides [1]
state  @s : f32[64,512] strides [512,1]
nest [i0 < 64, i1 < 512] {
  %0 = load f32 @s[512*i0 + i1]
  %1 = load f32 @x[i1]
  %2 = exp %1 : f32
  %3 = mul %0, %2 : f32
  %4 = load f32 @s[i1]
  %5 = tanh %4 : f32
  %6 = add %3, %5 : f32
  @s[512*i0 + i1] = %6
}
output @x[512]{1}
--out--
schedule
order peak 2048 bound 2048
group 0 kernel outer [] vector inner
  phase inner [i0 < 512] { op 0 }
group 1 kernel outer [i0 < 64] vector inner
  phase inner [i1 < 512] { op 1 }
refuse 0 1 not_same_outer
live @buf2 [0, 2)
--run-- ferrite inspect - --from loop --stage sched --isa x86-64-v3
--in--
program distances
input  @a : f32[300,3] strides [3,1]
input  @b : f32[256,3] strides [3,1]
temp   @y : f32[300,256] strides [256,1]
nest [i0 < 300, i1 < 256] reduce [r0 < 3] {
  %0 = load f32 @a[3*i0 + r0]
  %1 = load f32 @b[3*i1 + r0]
  %2 = sub %0, %1 : f32
  %3 = abs %2 : f32
  @y[256*i0 + i1] = sum %3
}
output @y[300,256]{256,1}
--out--
program distances
input  @a : f32[300,3] strides [3,1]
input  @b : f32[256,3] strides [3,1]
temp   @y : f32[300,256] strides [256,1]
temp   @buf3 : f32[256,3] strides [1,256]
nest [i0 < 256, i1 < 3] {
  %0 = load f32 @b[3*i0 + i1]
  @buf3[i0 + 256*i1] = %0
}
nest [i0 < 300, i1 < 256] reduce [r0 < 3] {
  %0 = load f32 @a[3*i0 + r0]
  %1 = load f32 @buf3[i1 + 256*r0]
  %2 = sub %0, %1 : f32
  %3 = abs %2 : f32
  @y[256*i0 + i1] = sum %3
}
output @y[300,256]{256,1}
schedule
order peak 3072 bound 3072
group 0 kernel outer [i0 < 3] vector inner
  phase inner [i1 < 256] {
    op 0 nest [i0 < 3, i1 < 256] {
      %0 = load f32 @b[i0 + 3*i1]
      @buf3[256*i0 + i1] = %0
    }
  }
group 1 kernel outer [i0 < 300, i1 < 256] vector outer
  phase reduce [r0 < 3] { op 1 }
refuse 0 1 not_same_outer
live @y [1, 3) output
live @buf3 [0, 2)
