# sizes of kernels and dilations are symbols: the result is dense whatever the signs of its strides' terms
--run-- ferrite inspect --stage loop - | grep '^call\|^extern\|^nest\|load'
--in--
symbols {
  s13 in [2, inf] hint 16
  s25 in [2, inf] hint 3
  s32 in [2, inf] hint 4
  s33 in [2, inf] hint 16
  s86 in [2, inf] hint 2
  s9 in [1, 2] hint 2
}
graph main {
  placeholder %x user "x" : f32[s86,s33,s13,s13]{s33*s13*s13,s13*s13,s13,1}
  placeholder %w user "w" : f32[s33,1,s25,s32]{s25*s32,s25*s32,s32,1}
  placeholder %n user "n" : int s9
  %y = aten.convolution.default(%x, %w, None, [1, 1], [0, 0], [%n, 1], False, [0, 0], s33)
  %sum = aten.sum.default(%y)
  output (user %sum)
}
--out--
extern conv (@x[s86,s33,s13,s13]{s13*s13*s33,s13*s13,s13,1}, @w[s33,1,s25,s32]{s25*s32,s25*s32,s32,1}, none) -> (@buf2[s86,s33,-s9*s25 + s9 + s13,s13 - s32 + 1]{-s9*s13*s25*s33 + s9*s25*s32*s33 + s9*s13*s33 - s9*s25*s33 - s9*s32*s33 + s13*s13*s33 - s13*s32*s33 + s9*s33 + s13*s33,1,s13*s33 - s32*s33 + s33,s33}) ints [2,s33,0,0,1,1,0,0,s9,1,0,0] floats [0.0,0.0] origin 3
nest [] reduce [r0 < s86, r1 < s33, r2 < -s9*s25 + s9 + s13, r3 < s13 - s32 + 1] origin 4 {
  %0 = load f32 @buf2[-s9*s13*s25*s33*r0 + s9*s25*s32*s33*r0 + s9*s13*s33*r0 - s9*s25*s33*r0 - s9*s32*s33*r0 + s13*s13*s33*r0 - s13*s32*s33*r0 + s9*s33*r0 + s13*s33*r0 + s13*s33*r2 - s32*s33*r2 + s33*r2 + s33*r3 + r1]
