# a buffer that is a piece of another: what the verifier of loops says, and that the text comes back
--run-- ferrite inspect parts.loop --from loop --stage loop | cmp - parts.loop
--file parts.loop--
program parts
input  @x : f32[2,4] strides [4,1]
temp   @a : f32[2,4] strides [8,1]
temp   @b : f32[2,8] strides [8,1]
part @a in @b at 4
nest [i0 < 2, i1 < 4] {
  %0 = load f32 @x[4*i0 + i1]
  @a[8*i0 + i1] = %0
}
nest [i0 < 2, i1 < 4] {
  %0 = load f32 @x[4*i0 + i1]
  %1 = exp %0 : f32
  @b[8*i0 + i1] = %1
}
output @b[2,8]{8,1}
--run-- sed 's/@b\[8\*i0 + i1\]/@b[8*i0 + i1 + 1]/' parts.loop | ferrite inspect - --from loop --stage loop
--err--
error: loop: law L8: what is written into a buffer that has parts may meet: @b
  at reading
--status-- 1
--run-- sed 's/at 4/at 5/' parts.loop | ferrite inspect - --from loop --stage loop
--err--
error: loop: law L8: a part reaches beyond its whole: @a
  at reading
--status-- 1
--run-- sed 's/^part.*/part @a in @a at 0/' parts.loop | ferrite inspect - --from loop --stage loop
--err--
error: loop: law L8: a part is inside itself: @a
  at reading
--status-- 1
--run-- sed 's/^part.*/part @a in @x at 0/' parts.loop | ferrite inspect - --from loop --stage loop
--err--
error: loop: law L8: a part is not of its whole's kind: @a
  at reading
--status-- 1
--run-- sed 's/@b : f32\[2,8\]/@b : f64[2,8]/; s/%1 = exp %0 : f32/%2 = exp %0 : f32\n  %1 = cast %2 : f64/' parts.loop | ferrite inspect - --from loop --stage loop
--err--
error: loop: law L8: a part is not of its whole's kind: @a
  at reading
--status-- 1
