# windows over rows that a kernel has just written: the rows stay in a tile where there is much of them, and go through memory where caches hold all
--run-- for n in 112 56; do sed "s/SIZE/$n/; s/HALF/$((n / 2))/" pool.fx | ferrite inspect - --stage sched --isa x86-64-v3 | grep -E '^group|^  phase|^  local|^refuse'; done
--file pool.fx--
graph main {
  placeholder %x user "x" : f32[1,64,112,SIZE]
  %y = aten.max_pool2d.default(%x, [3, 3], [2, 2], [1, 1]) : f32[1,64,56,HALF]
  output (user %y)
}
--out--
group 0 kernel outer [i0 < 64, i1 < 56] vector inner
  phase inner [i2 < 113] {
  phase inner [i2 < 56] {
  local @buf1
group 0 kernel outer [i0 < 64, i1 < 56] vector inner
  phase inner [i2 < 57] {
group 1 kernel outer [i0 < 3584] vector inner
  phase inner [i1 < 28] {
refuse 0 1 short
