# a view of an input that is given out is still that input's memory; what is computed of it crosses
--run-- ferrite inspect p.fx --device opencl --stage loop | grep -e ^output -e ^extern
--file p.fx--
graph main {
  placeholder %x user "x" : f32[6,6]
  %t = aten.permute.default(%x, [1, 0]) : f32[6,6]{1,6}
  %d = aten.diagonal.default(%t) : f32[6]{7}
  %e = aten.exp.default(%d) : f32[6]
  output (user %d, user %e)
}
--out--
extern copy (@buf1[6]{1}) -> (@buf2[6]{1}) ints [1] floats [] origin 5
extern copy (@buf3[6]{1}) -> (@buf4[6]{1}) ints [1] floats [] origin 6
output @x[6]{7}
output @buf4[6]{1}
