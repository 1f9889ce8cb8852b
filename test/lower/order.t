# rows are put in order by extern kernels: only results that are read are asked for; sizes may be symbols
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : f32[4,8]
  %sort = aten.sort.default(%x, 0, True) : (f32[4,8], i64[4,8])
  %values = _operator.getitem(%sort, 0) : f32[4,8]
  %topk = aten.topk.default(%x, 3) : (f32[4,3], i64[4,3])
  %best = _operator.getitem(%topk, 0) : f32[4,3]
  %places = _operator.getitem(%topk, 1) : i64[4,3]
  %median = aten.median.default(%x) : f32[]
  %mode = aten.mode.default(%x, 1, True) : (f32[4,1], i64[4,1])
  %most = _operator.getitem(%mode, 0) : f32[4,1]
  output (user %values, user %best, user %places, user %median, user %most)
}
--out--
program stdin
input  @x : f32[4,8] strides [8,1] origin 0
temp   @buf1 : f32[4,8] strides [8,1] origin 1
temp   @buf2 : f32[4,3] strides [3,1] origin 3
temp   @buf3 : i64[4,3] strides [3,1] origin 3
temp   @buf4 : f32[1] strides [1] origin 6
temp   @buf5 : f32[4,1] strides [1,1] origin 7
extern sort (@x[4,8]{8,1}) -> (@buf1[4,8]{8,1}, none) ints [0,1] floats [] origin 1
extern topk (@x[4,8]{8,1}) -> (@buf2[4,3]{3,1}, @buf3[4,3]{3,1}) ints [1,1,3] floats [] origin 3
extern select (@x[32]{1}) -> (@buf4[1]{1}, none) ints [0,1,0] floats [] origin 6
extern mode (@x[4,8]{8,1}) -> (@buf5[4,1]{1,1}, none) ints [1] floats [] origin 7
output @buf1[4,8]{8,1}
output @buf2[4,3]{3,1}
output @buf3[4,3]{3,1}
output @buf4[]{}
output @buf5[4,1]{1,1}
--run-- ferrite inspect --stage loop -
--in--
symbols {
  s0 in [2, 1000]
}
graph main {
  range s0 in [2, 1000]
  placeholder %x user "x" : f32[s0]
  placeholder %v user "v" : f32[s0]
  %kth = aten.kthvalue.default(%x, 2) : (f32[], i64[])
  %value = _operator.getitem(%kth, 0) : f32[]
  %place = aten.searchsorted.Tensor(%x, %v, right=True) : i64[s0]
  output (user %value, user %place)
}
--out--
program stdin
symbol s0 in [2, 1000]
input  @x : f32[s0] strides [1] origin 0
input  @v : f32[s0] strides [1] origin 1
temp   @buf2 : f32[1] strides [1] origin 2
temp   @buf3 : i64[s0] strides [1] origin 4
extern select (@x[s0]{1}) -> (@buf2[1]{1}, none) ints [0,0,1] floats [] origin 2
extern search (@x[s0]{1}, @v[s0]{1}, none) -> (@buf3[s0]{1}) ints [1] floats [] origin 4
output @buf2[]{}
output @buf3[s0]{1}
