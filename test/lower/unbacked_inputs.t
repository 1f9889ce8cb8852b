# sizes that an earlier graph's values have decided: an input tells them
--run-- ferrite inspect --stage wrap --isa x86-64-v4 - | grep -v note
--in--
symbols {
  u0 unbacked in [0, inf]
  u1 unbacked in [0, inf]
}
graph main {
  placeholder %x user "x" : f32[u0,4]
  placeholder %n user "n" : int u1
  %r = aten.relu.default(%x)
  %z = aten.full.default([u1, 2], 1.5)
  output (user %r, user %z)
}
--out--
program stdin
symbol u0 in [0, ]
symbol u1 in [0, ]
input  @x : f32[u0,4] strides [4,1] origin 0
scalar "n" = u1
temp   @buf1 : f32[u0,4] strides [4,1] origin 2
temp   @buf2 : f32[u1,2] strides [2,1] origin 3
wrapper arena 0 bound 0 weights 0 kernels 2 calls 2
symbol u0 = size 0 0
symbol u1 = input 1
alloc @buf1 output 0 bytes 16*u0
kernel k_max_a55a61 (@x, @buf1) ints [] m 1 n 4*u0 cost 54
alloc @buf2 output 1 bytes 8*u1
kernel k_copy_1aa250 (@buf2) ints [] m 1 n 2*u1 cost 31
output 0 @buf1[u0,4]{4,1}
output 1 @buf2[u1,2]{2,1}
