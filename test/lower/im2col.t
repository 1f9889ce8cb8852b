# windows are stored by loops over kernel and windows, with nothing to divide; those of an image whose size only the run knows by what a reader asks for; those that stand side by side are what they fill of the image, seen otherwise
--run-- for n in one open tiles; do ferrite inspect $n.fx --stage loop --verify | sed -n '/^nest/,$p'; done
--file one.fx--
graph main {
  placeholder %x user "x" : f32[2,3,8,9]
  %y = aten.im2col.default(%x, [3, 2], [1, 1], [1, 0], [2, 1]) : f32[2,18,32]
  output (user %y)
}
--file open.fx--
symbols {
  s0 in [4, 90]
  s1 in [4, 90]
}
graph main {
  placeholder %x user "x" : f32[3,s0,s1]
  %y = aten.im2col.default(%x, [2, 2], [1, 1], [0, 0], [2, 2])
  output (user %y)
}
--file tiles.fx--
graph main {
  placeholder %x user "x" : f32[2,3,9,6]
  %y = aten.im2col.default(%x, [4, 3], [1, 1], [0, 0], [4, 3])
  output (user %y)
}
--out--
nest [i0 < 2, i1 < 3, i2 < 3, i3 < 2, i4 < 4, i5 < 8] origin 1 {
  %0 = const 0 : i64
  %1 = index i2 + 2*i4 - 1 : i64
  %2 = le %0, %1 : bool
  %3 = load f32 @x[216*i0 + 72*i1 + 9*i2 + i3 + 18*i4 + i5 - 9]
  %4 = const 0.0 : f32
  %5 = masked %2, %3, %4 : f32
  @buf1[576*i0 + 192*i1 + 64*i2 + 32*i3 + 8*i4 + i5] = %5
}
output @buf1[2,18,32]{576,32,1}
nest [i0 < 12, i1 < (s0 // 2)*(s1 // 2)] origin 1 {
  %0 = load f32 @x[s0*s1*(i0 // 4) + 2*s1*(i1 // (s1 // 2)) + s1*((i0 // 2) % 2) + i0 % 2 + 2*(i1 % (s1 // 2))]
  @buf1[i0*(s0 // 2)*(s1 // 2) + i1] = %0
}
output @buf1[12,(s0 // 2)*(s1 // 2)]{(s0 // 2)*(s1 // 2),1}
nest [i0 < 2, i1 < 36, i2 < 4] origin 2 {
  %0 = load f32 @x[162*i0 + 54*(i1 // 12) + 24*(i2 // 2) + i1 % 3 + 3*(i2 % 2) + 6*((i1 // 3) % 4)]
  @buf1[144*i0 + 4*i1 + i2] = %0
}
output @buf1[2,36,4]{144,4,1}
