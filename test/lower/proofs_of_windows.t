# that a window of repeated columns lies inside: its loop runs, so there are columns; a quotient is at most what x < n*(q + 1) says
--run-- ferrite inspect - --stage loop | grep -e '^error' -e '^output'
--in--
symbols {
  s0 in [0, inf] hint 3
  s1 in [0, inf] hint 4
  s2 in [0, inf] hint 17
}
graph main {
  range s0 in [0, inf]
  range s1 in [0, inf]
  range s2 in [0, inf]
  placeholder %x user "x" : f32[s1,s2,s0]
  %n = aten.sym_size.int(%x, 2)
  %soft = aten.softmax.int(%x, 0)
  %wide = aten.repeat_interleave.self_int(%soft, 3, 1)
  %ramp = aten.arange.default(%n)
  %moved = aten.add.Tensor(%ramp, 2)
  %round = aten.remainder.Scalar(%moved, %n)
  %turned = aten.index.Tensor(%wide, [None, None, %round])
  %cut = aten.slice.Tensor(%turned, 1, 8, 31, 1)
  output (user %cut)
}
--out--
output @buf5[s1,max(min(3*s2, 31) - 8, 0),s0]{max(s0, 1)*max(3*s2, 1),max(s0, 1),1}
