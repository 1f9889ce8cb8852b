# a slice from 0 begins at 0, also of a size that conditions alone keep from being negative
--run-- ferrite inspect --stage loop - | grep -v assert
--in--
symbols {
  s0 in [2, inf] hint 2
  s1 in [2, inf] hint 4
  s2 in [2, inf] hint 8
  s3 in [2, inf] hint 3
  s4 in [2, inf] hint 2
}
graph main {
  placeholder %x user "x" : f32[s0,s1,s2,s2]
  placeholder %w user "w" : f32[s3,s1,s4,s4]
  %v = aten.convolution.default(%x, %w, None, [1, 2], [0, 0], [2, 1], False, [0, 0], 1)
  %a = aten.slice.Tensor(%v, 2, 0, 2)
  %b = aten.slice.Tensor(%a, 3, 0, s4)
  output (user %b)
}
--out--
program stdin
symbol s0 in [2, ] hint 2
symbol s1 in [2, ] hint 4
symbol s2 in [2, ] hint 8
symbol s3 in [2, ] hint 3
symbol s4 in [2, ] hint 2
input  @x : f32[s0,s1,s2,s2] strides [s1*s2*s2,s2*s2,s2,1] origin 0
input  @w : f32[s3,s1,s4,s4] strides [s1*s4*s4,s4*s4,s4,1] origin 1
temp   @buf2 : f32[s0,s3,s2 - 2*s4 + 2,(s2 - s4) // 2 + 1] strides [s3*max(s2 - 2*s4 + 2, 1)*max((s2 - s4) // 2 + 1, 1),max(s2 - 2*s4 + 2, 1)*max((s2 - s4) // 2 + 1, 1),max((s2 - s4) // 2 + 1, 1),1] origin 2
extern conv (@x[s0,s1,s2,s2]{s1*s2*s2,s2*s2,s2,1}, @w[s3,s1,s4,s4]{s1*s4*s4,s4*s4,s4,1}, none) -> (@buf2[s0,s3,s2 - 2*s4 + 2,(s2 - s4) // 2 + 1]{s3*max(s2 - 2*s4 + 2, 1)*max((s2 - s4) // 2 + 1, 1),max(s2 - 2*s4 + 2, 1)*max((s2 - s4) // 2 + 1, 1),max((s2 - s4) // 2 + 1, 1),1}) ints [2,1,0,0,1,2,0,0,2,1,0,0] floats [0.0,0.0] origin 2
output @buf2[s0,s3,max(min(s2 - 2*s4 + 2, 2), 0),max(min(s4, (s2 - s4) // 2 + 1), 0)]{s3*max(s2 - 2*s4 + 2, 1)*max((s2 - s4) // 2 + 1, 1),max(s2 - 2*s4 + 2, 1)*max((s2 - s4) // 2 + 1, 1),max((s2 - s4) // 2 + 1, 1),1}
--run-- ferrite inspect --stage loop - | grep -e assert -e extern
--in--
symbols {
  s0 in [0, 37] hint 15
  s1 in [0, 37] hint 10
  s2 in [0, 37] hint 12
}
graph main {
  placeholder %x user "x" : f32[48,8]
  placeholder %a user "a" : int s0
  placeholder %b user "b" : int s1
  placeholder %c user "c" : int s2
  placeholder %w user "w" : f32[8,4]
  %parts = aten.split_with_sizes.default(%x, [11, %a, %b, %c])
  %second = _operator.getitem(%parts, 2)
  %v = aten.mm.default(%second, %w)
  output (user %v)
}
--out--
assert s0 + s1 + s2 + 11 == 48 "aten.split_with_sizes.default: split_with_sizes expects split_sizes to sum exactly to 48, but they sum to s0 + s1 + s2 + 11 (parts): s0 + s1 + s2 + 11 == 48"
extern bmm (@x[1,s1,8]{0,8,1} + 8*s0 + 88, @w[1,8,4]{0,4,1}, none) -> (@buf2[1,s1,4]{4*s1,4,1}) ints [] floats [1.0,0.0] origin 7
