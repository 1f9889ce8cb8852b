# bytes by a constant matrix of bytes are a call of the runtime, what is done to the sums its epilogue; so are many rows by one that
# is packed first, and a few are a nest
--run-- ferrite inspect - --stage wrap --isa x86-64-v3 | grep 'weight 0\|extern\|kernel'
--in--
graph main {
  placeholder %w constant "w" : i8[2,5] data [1, -2, 3, 127, -128, 6, 7, 8, 9, 10]
  placeholder %v user "v" : i8[5,2]
  placeholder %x user "x" : u8[s0,5]
  placeholder %m user "m" : u8[16,5]
  placeholder %s user "s" : f32[s0,1]
  %t = aten.t.default(%w)
  %p = aten._int_mm.default(%x, %t)
  %f = aten.to.dtype(%p, float32)
  %y = aten.mul.Tensor(%f, %s)
  %z = aten._int_mm.default(%x, %v)
  %many = aten._int_mm.default(%m, %v)
  output (user %y, user %z, user %many)
}
--out--
wrapper arena -1 bound -1 weights 256 kernels 2 calls 3
weight 0 @w at 0 bytes 256 packed integer_gemm 1
kernel k_sum_mul_ea1c9c (@x, @v, @buf6) ints [] m 2*s0 cost 5910
extern integer_gemm (@m[16,5]{5,1}, @v[5,2]{2,1}) -> (@buf7[16,2]{2,1}) workspace @buf10 ints [] floats []
extern integer_gemm (@x[s0,5]{5,1}, @w[5,2]{1,5} packed 0) -> (@buf5[s0,2]{2,1}) workspace @buf9 ints [] floats [] then k_mul_f6ab2c (@buf5, @s, @buf8) ints [] m s0 n 2 cost 180
