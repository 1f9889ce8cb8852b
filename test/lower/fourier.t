# transforms are extern calls: one a dimension, the last one to be done divides; they pad, cut and take windows
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : f32[3,10,32]
  %fft = aten.fft_fft.default(%x, 20, 1) : c64[3,20,32]
  %rfft = aten.fft_rfft2.default(%x, [12, 40], [-2, -1], "ortho") : c64[3,12,21]
  %irfft = aten.fft_irfft.default(%rfft, None, -1) : f32[3,12,40]
  %hfft = aten.fft_hfft.default(%x, 9, 2, "forward") : f32[3,10,9]
  output (user %fft, user %irfft, user %hfft)
}
--out--
program stdin
input  @x : f32[3,10,32] strides [320,32,1] origin 0
temp   @buf1 : c64[3,20,32] strides [640,1,20] origin 1
temp   @buf2 : c64[3,10,21] strides [210,21,1] origin 2
temp   @buf3 : c64[3,12,21] strides [252,21,1] origin 2
temp   @buf4 : f32[3,12,40] strides [480,40,1] origin 3
temp   @buf5 : c128[3,10,32] strides [320,32,1] origin 4
temp   @buf6 : f64[3,10,9] strides [90,9,1] origin 4
temp   @buf7 : f32[3,10,9] strides [90,9,1] origin 4
extern fourier (@x[3,10,32]{320,32,1}, none) -> (@buf1[3,20,32]{640,1,20}) ints [1,0,20,0,1] floats [] origin 1
extern fourier (@x[3,10,32]{320,32,1}, none) -> (@buf2[3,10,21]{210,21,1}) ints [2,0,40,0,1] floats [] origin 2
extern fourier (@buf2[3,10,21]{210,21,1}, none) -> (@buf3[3,12,21]{252,21,1}) ints [1,0,12,1,480] floats [] origin 2
extern fourier (@buf3[3,12,21]{252,21,1}, none) -> (@buf4[3,12,40]{480,40,1}) ints [2,1,40,2,40] floats [] origin 3
nest [i0 < 3, i1 < 10, i2 < 32] origin 4 {
  %0 = load f32 @x[320*i0 + 32*i1 + i2]
  %1 = cast %0 : c128
  @buf5[320*i0 + 32*i1 + i2] = %1
}
extern fourier (@buf5[3,10,32]{320,32,1}, none) -> (@buf6[3,10,9]{90,9,1}) ints [2,0,9,2,9] floats [] origin 4
nest [i0 < 3, i1 < 10, i2 < 9] origin 4 {
  %0 = load f64 @buf6[90*i0 + 9*i1 + i2]
  %1 = cast %0 : f32
  @buf7[90*i0 + 9*i1 + i2] = %1
}
output @buf1[3,20,32]{640,1,20}
output @buf4[3,12,40]{480,40,1}
output @buf7[3,10,9]{90,9,1}
--run-- ferrite inspect --stage loop -
--in--
symbols {
  s0 in [2, 100]
  s1 in [8, 4096]
}
graph main {
  placeholder %x user "x" : f32[s0,s1]
  placeholder %w user "w" : f32[8]
  %c = aten._fft_r2c.default(%x, [0, 1], 2, True) : c64[s0,s1 // 2 + 1]
  %back = aten._fft_c2r.default(%c, [0, 1], 0, s1) : f32[s0,s1]
  %stft = aten.stft.default(%x, 8, 2, None, %w, False, None, True) : c64[s0,5,(s1 - 8) // 2 + 1]{5*((s1 - 8) // 2 + 1),1,5}
  output (user %back, user %stft)
}
--out--
program stdin
symbol s0 in [2, 100]
symbol s1 in [8, 4096]
input  @x : f32[s0,s1] strides [s1,1] origin 0
input  @w : f32[8] strides [1] origin 1
temp   @buf2 : c64[s0,s1 // 2 + 1] strides [s1 // 2 + 1,1] origin 2
temp   @buf3 : c64[s0,s1 // 2 + 1] strides [s1 // 2 + 1,1] origin 2
temp   @buf4 : c64[s0,s1 // 2 + 1] strides [s1 // 2 + 1,1] origin 3
temp   @buf5 : f32[s0,s1] strides [s1,1] origin 3
temp   @buf6 : c64[s0,s1 // 2 - 3,5] strides [5*(s1 // 2) - 15,5,1] origin 4
extern fourier (@x[s0,s1]{s1,1}, none) -> (@buf2[s0,s1 // 2 + 1]{s1 // 2 + 1,1}) ints [1,0,s1,0,1] floats [] origin 2
extern fourier (@buf2[s0,s1 // 2 + 1]{s1 // 2 + 1,1}, none) -> (@buf3[s0,s1 // 2 + 1]{s1 // 2 + 1,1}) ints [0,0,s0,2,s0*s1] floats [] origin 2
extern fourier (@buf3[s0,s1 // 2 + 1]{s1 // 2 + 1,1}, none) -> (@buf4[s0,s1 // 2 + 1]{s1 // 2 + 1,1}) ints [0,1,s0,0,1] floats [] origin 3
extern fourier (@buf4[s0,s1 // 2 + 1]{s1 // 2 + 1,1}, none) -> (@buf5[s0,s1]{s1,1}) ints [1,1,s1,0,1] floats [] origin 3
extern fourier (@x[s0,s1 // 2 - 3,8]{s1,2,1}, @w[8]{1}) -> (@buf6[s0,s1 // 2 - 3,5]{5*(s1 // 2) - 15,5,1}) ints [2,0,8,0,1] floats [] origin 4
output @buf5[s0,s1]{s1,1}
output @buf6[s0,5,s1 // 2 - 3]{5*(s1 // 2) - 15,1,5}
--run-- ferrite inspect --stage loop -
# a few numbers are transformed in f64
--in--
graph main {
  placeholder %x user "x" : i64[6]
  %fft = aten.fft_ifft.default(%x) : c64[6]
  output (user %fft)
}
--out--
program stdin
input  @x : i64[6] strides [1] origin 0
temp   @buf1 : f64[6] strides [1] origin 1
temp   @buf2 : c128[6] strides [1] origin 1
temp   @buf3 : c64[6] strides [1] origin 1
nest [i0 < 6] origin 1 {
  %0 = load i64 @x[i0]
  %1 = cast %0 : f64
  @buf1[i0] = %1
}
extern fourier (@buf1[6]{1}, none) -> (@buf2[6]{1}) ints [0,1,6,2,6] floats [] origin 1
nest [i0 < 6] origin 1 {
  %0 = load c128 @buf2[i0]
  %1 = cast %0 : c64
  @buf3[i0] = %1
}
output @buf3[6]{1}
