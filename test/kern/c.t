# the C of a small kernel: one body, whole vectors first, then what is left
--run-- ferrite inspect --from loop --stage c --isa x86-64-v3 - | sed -n '/^void k_.*n1)$/,/^}/p'
--in--
program relu
input  @x : f32[8,50] strides [50,1]
input  @bias : f32[50] strides [1]
temp   @y : f32[8,50] strides [50,1]
nest [i0 < 8, i1 < 50] {
  %0 = load f32 @x[50*i0 + i1]
  %1 = load f32 @bias[i1]
  %2 = add %0, %1 : f32
  %3 = const 0.0 : f32
  %4 = max %2, %3 : f32
  @y[50*i0 + i1] = %4
}
output @y[8,50]{50,1}
--out--
void k_add_max_72d84b(const fe_kernel_args *args, i64 m0, i64 m1, i64 n0, i64 n1)
{
  const i64 p0 = args->ints[0];
  const f32 *const b0 = args->buffers[0];
  const f32 *const b1 = args->buffers[1];
  f32 *const b2 = args->buffers[2];
  for (i64 i0 = m0; i0 < m1; i0++) {
    {
      i64 i1 = n0;
      for (const i64 n = 8; i1 + n <= n1; i1 += n) {
        const i64 v7 = n;
        f32x8 v1 = load_f32x8(b0 + ((p0 * i0) + i1), v7);
        f32x8 v2 = load_f32x8(b1 + i1, v7);
        f32x8 v3 = v1 + v2;
        f32x8 v6 = maxk_f32x8((0.0f - (f32x8){0}), v3);
        store_f32x8(b2 + ((p0 * i0) + i1), v6, v7);
      }
      if (i1 < n1) {
        const i64 n = n1 - i1;
        const i64 v7 = n;
        f32x8 v1 = load_f32x8(b0 + ((p0 * i0) + i1), v7);
        f32x8 v2 = load_f32x8(b1 + i1, v7);
        f32x8 v3 = v1 + v2;
        f32x8 v6 = maxk_f32x8((0.0f - (f32x8){0}), v3);
        store_f32x8(b2 + ((p0 * i0) + i1), v6, v7);
      }
    }
  }
}
