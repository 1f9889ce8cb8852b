# products of 16 bits are calls of the runtime with sums of float32, a constant matrix packed as it is; what follows is their epilogue,
# which rounds once; many matrices are products of floats; keys and values of attention stay as they are
--run-- ferrite inspect - --stage wrap --isa x86-64-v3 | grep 'weight 0\|extern\|kernel'
--in--
graph main {
  placeholder %w constant "w" : bf16[2,5] data [1, -2, 3, 127, -128, 6, 7, 8, 9, 10]
  placeholder %b constant "b" : bf16[2] data [1, 2]
  placeholder %x user "x" : bf16[s0,3,5]
  placeholder %h user "h" : f16[4,9]
  placeholder %v user "v" : f16[9,7]
  placeholder %m user "m" : bf16[s0,5,4]
  %l = aten.linear.default(%x, %w, %b)
  %y = aten.relu.default(%l)
  %z = aten.mm.default(%h, %v)
  %many = aten.bmm.default(%x, %m)
  %q = aten.view.default(%x, [s0, 1, 3, 5])
  %k = aten.view.default(%m, [s0, 1, 4, 5])
  %a = aten.scaled_dot_product_attention.default(%q, %k, %k)
  output (user %y, user %z, user %many, user %a)
}
--out--
wrapper arena -1 bound -1 weights 448 kernels 3 calls 4 scratch 24768
weight 0 @w at 0 bytes 384 packed half_gemm 1
extern sdpa (@x[s0,1,3,5]{15,15,5,1}, @m[s0,1,4,5]{20,20,5,1}, @m[s0,1,4,5]{20,20,5,1}, none) -> (@buf10[s0,1,3,5]{15,15,5,1}) ints [0, 1, 0, 0] floats [0.4472135954999579]
extern half_gemm (@x[3*s0,5]{5,1}, @w[5,2]{1,5} packed 0, @b.f32_6[2]{1}) -> (@buf7[3*s0,2]{2,1}) workspace @buf14 ints [] floats [] then k_roundbf_max_a3878e (@buf7, @buf11) ints [] m 3*s0 n 2 cost 138
extern half_gemm (@h[4,9]{9,1}, @v[9,7]{7,1}, none) -> (@buf8[4,7]{7,1}) workspace @buf15 ints [] floats [] then k_copy_2cdaa6 (@buf8, @buf12) ints [] m 4 n 7 cost 108
extern half_bmm (@x[s0,3,5]{15,5,1}, @m[s0,5,4]{20,4,1}) -> (@buf9[s0,3,4]{12,4,1}) ints [] floats [] then k_copy_b76af2 (@buf9, @buf13) ints [] m 3*s0 n 4 cost 108
