# convolutions of bf16 stay so, with sums of float32, and a weight that is packed as it is; what follows is their epilogue, and channels
# are innermost between them; those of groups of few channels, and of float16, are of float32
--run-- ferrite inspect - --stage wrap --isa x86-64-v3 | grep 'packed\|extern' | sed 's/ workspace @buf[0-9]*//; s/ then .*//'
--in--
graph main {
  placeholder %w constant "w" : bf16[32,16,3,3]
  placeholder %t constant "t" : bf16[32,8,2,2]
  placeholder %g constant "g" : bf16[32,4,1,1]
  placeholder %f constant "f" : f16[8,16,1,1]
  placeholder %b user "b" : bf16[32]
  placeholder %x user "x" : bf16[s0,16,20,20]
  placeholder %v user "v" : bf16[6,16,1,1]
  placeholder %h user "h" : f16[1,16,9,9]
  %c = aten.conv2d.default(%x, %w, %b, [1, 1], [1, 1])
  %r = aten.relu.default(%c)
  %y = aten.conv_transpose2d.input(%r, %t, None, [2, 2])
  %z = aten.conv2d.default(%r, %g, None, [1, 1], [0, 0], [1, 1], 8)
  %u = aten.conv2d.default(%x, %v)
  %k = aten.conv2d.default(%h, %f)
  output (user %y, user %z, user %u, user %k)
}
--out--
weight 0 @w at 0 bytes 9216 packed half_conv 1
weight 2 @t at 9472 bytes 8192 packed half_conv 1
extern half_conv (@x[s0,16,20,20]{6400,400,20,1}, @w[32,16,3,3]{144,9,3,1} packed 0, @buf8[32]{1}) -> (@buf9[s0,32,20,20]{12800,1,640,32}) ints [2, 1, 0, 4, 1, 1, 1, 1, 1, 1, 0, 0] floats []
extern conv (@buf12[s0,32,20,20]{12800,1,640,32}, @buf13[32,4,1,1]{4,1,1,1}, none) -> (@buf14[s0,32,20,20]{12800,1,640,32}) ints [2, 8, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0] floats [0.0, 0.0]
extern half_conv (@buf10[s0,32,20,20]{12800,1,640,32}, @t[32,8,2,2]{32,4,2,1} packed 2, none) -> (@buf11[s0,8,40,40]{12800,1,320,8}) ints [2, 1, 1, 0, 2, 2, 0, 0, 1, 1, 0, 0] floats []
extern half_conv (@x[s0,16,20,20]{6400,400,20,1}, @v[6,16,1,1]{16,1,1,1}, none) -> (@buf15[s0,6,20,20]{2400,1,120,6}) ints [2, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0] floats []
extern conv (@buf16[1,16,9,9]{1296,1,144,16}, @buf17[8,16,1,1]{16,1,1,1}, none) -> (@buf18[1,8,9,9]{648,1,72,8}) ints [2, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0] floats [0.0, 0.0] scratch @buf22 0 bytes 1216
