# nothing moves into, out of or across a region; what a repeat reads again lives until its end
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^schedule/,$p'
--in--
program arms
input  @x : f32[8] strides [1]
input  @p : bool[] strides []
temp   @a : f32[8] strides [1]
temp   @b : f32[8] strides [1]
temp   @y : f32[8] strides [1]
nest [i0 < 8] {
  %0 = load f32 @x[i0]
  %1 = exp %0 : f32
  @a[i0] = %1
}
if @p[]{} -> (@b[8]{1})
nest [i0 < 8] {
  %0 = load f32 @a[i0]
  %1 = sin %0 : f32
  @b[i0] = %1
}
else
nest [i0 < 8] {
  %0 = load f32 @x[i0]
  @b[i0] = %0
}
end
nest [i0 < 8] {
  %0 = load f32 @b[i0]
  %1 = neg %0 : f32
  @y[i0] = %1
}
output @y[8]{1}
--out--
schedule
order peak 64 bound 64
group 0 kernel outer [] vector inner
  phase inner [i0 < 8] { op 0 }
group 1 control op 1 if
group 2 kernel outer [] vector inner
  phase inner [i0 < 8] { op 2 }
group 3 control op 3 else
group 4 kernel outer [] vector inner
  phase inner [i0 < 8] { op 4 }
group 5 control op 5 end
group 6 kernel outer [] vector inner
  phase inner [i0 < 8] { op 6 }
  in_place @b -> @y
refuse 0 2 other_region
refuse 2 4 other_region
refuse 4 6 other_region
refuse 2 6 other_region
live @a [0, 3)
live @b [1, 7) in @y output
live @y [6, 8) output
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^schedule/,$p'
--in--
program steps
input  @x : f32[5,8] strides [8,1]
temp   @a : f32[8] strides [1]
temp   @c : f32[8] strides [1]
temp   @d : f32[8] strides [1]
temp   @more : bool[] strides []
temp   @ys : f32[5,8] strides [8,1]
temp   @y : f32[8] strides [1]
nest [i0 < 8] {
  %0 = load f32 @x[i0]
  %1 = exp %0 : f32
  @a[i0] = %1
  @c[i0] = %0
}
repeat u0 < 5 -> (@ys[5,8]{8,1})
repeat forever
nest [] reduce [r0 < 8] {
  %0 = load f32 @c[r0]
  %1 = const 9.0 : f32
  %2 = lt %0, %1 : bool
  @more[0] = all %2
}
while @more[]{}
nest [i0 < 8] {
  %0 = load f32 @a[i0]
  %1 = load f32 @c[i0]
  %2 = add %0, %1 : f32
  @d[i0] = %2
}
nest [i0 < 8] {
  %0 = load f32 @d[i0]
  @c[i0] = %0
}
end
nest [i0 < 8] {
  %0 = load f32 @x[8*u0 + i0]
  %1 = load f32 @c[i0]
  %2 = mul %0, %1 : f32
  @ys[8*u0 + i0] = %2
}
end
nest [i0 < 8] {
  %0 = load f32 @ys[i0 + 32]
  @y[i0] = %0
}
output @y[8]{1}
--out--
schedule
order peak 320 bound 320
group 0 kernel outer [] vector inner
  phase inner [i0 < 8] { op 0 }
group 1 control op 1 repeat
group 2 control op 2 repeat
group 3 kernel outer [] vector inner
  phase reduce [r0 < 8] { op 3 }
group 4 control op 4 while
group 5 kernel outer [] vector inner
  phase inner [i0 < 8] { op 5 op 6 }
  local @d
group 6 control op 7 end
group 7 kernel outer [] vector inner
  phase inner [i0 < 8] { op 8 }
group 8 control op 9 end
group 9 kernel outer [] vector inner
  phase inner [i0 < 8] { op 10 }
refuse 0 3 other_region
refuse 0 5 other_region
refuse 6 8 other_region
refuse 0 8 other_region
refuse 8 10 other_region
live @a [0, 9) in @y output
live @c [0, 9)
live @more [3, 5)
live @ys [1, 10)
live @y [9, 11) output
