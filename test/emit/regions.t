# regions as C: if, else, for, break
--run-- ferrite inspect - --from wrap --stage c | sed -n '/^static int run/,/^}/p'
--in--
program laws
symbol s0 in [2, 64]
input  @x : f32[s0,8] strides [8,1]
input  @p : bool[] strides []
temp   @a : f32[16,8] strides [8,1]
temp   @b : f32[16,8] strides [8,1]
temp   @more : bool[] strides []
temp   @y : f32[16,8] strides [8,1]
wrapper arena 1088 bound 1088 weights 0 kernels 2 calls 5
memory @y output 0
symbol s0 = size 0 0
alloc @a live [0, 7) at 0 bytes 512
kernel k_exp (@x, @a) ints [s0] m 1 n 128 cost 100
if @p[]{} -> (@y[16,8]{8,1})
alloc @b live [2, 4) at 512 bytes 512
kernel k_neg (@a, @b) ints [] m 1 n 128 cost 100
kernel k_abs (@b, @y) ints [] m 1 n 128 cost 100
free @b
else
kernel k_abs (@a, @y) ints [] m 1 n 128 cost 100
repeat u0 < s0
alloc @more live [5, 6) at 512 bytes 1
kernel k_test (@a, @more) ints [u0] m 1 cost 100
while @more[]{}
free @more
kernel k_neg (@a, @y) ints [] m 1 n 128 cost 100
end
end
free @a
output 0 @y[16,8]{8,1}
--out--
static int run(rt_frame *f)
{
    const int64_t s0 = f->symbols[0] = f->in[0].sizes[0];
    (void)s0;
    if (s0 < 2LL || s0 > 64LL)
        return rt_fail(f, FE_RUN_BAD_INPUT, "input '%s' has size %lld in dimension 0: s0 must be in [2, 64]", "x", (long long)f->in[0].sizes[0]);
    if (f->in[0].sizes[0] != s0)
        return rt_fail(f, FE_RUN_BAD_INPUT, "input '%s' has size %lld in dimension 0, expected s0 = %lld", "x",
                       (long long)f->in[0].sizes[0], (long long)(s0));
    char *const arena = f->segments[0].memory;
    (void)arena;
    float *const x = f->inputs[0];
    uint8_t *const p = f->inputs[1];
    float *const y = rt_output_memory(f, 0, 512);
    if (!y) return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for an output");
    (void)x;
    (void)p;
    (void)y;
    float *const a = (void *)(arena + 0);
    (void)a;
    RT_TRY(rt_launch(f, k_exp, &(fe_kernel_args){(void *const[]){x, a}, (const int64_t[]){s0}, 0}, 1, 128, 1, 100));
    if (*(p + 0)) {
    float *const b = (void *)(arena + 512);
    (void)b;
    RT_TRY(rt_launch(f, k_neg, &(fe_kernel_args){(void *const[]){a, b}, (const int64_t[]){0}, 0}, 1, 128, 1, 100));
    RT_TRY(rt_launch(f, k_abs, &(fe_kernel_args){(void *const[]){b, y}, (const int64_t[]){0}, 0}, 1, 128, 1, 100));
    /* b ends here */
    } else {
    RT_TRY(rt_launch(f, k_abs, &(fe_kernel_args){(void *const[]){a, y}, (const int64_t[]){0}, 0}, 1, 128, 1, 100));
    for (int64_t u0 = 0; u0 < s0; u0++) {
    uint8_t *const more = (void *)(arena + 512);
    (void)more;
    RT_TRY(rt_launch(f, k_test, &(fe_kernel_args){(void *const[]){a, more}, (const int64_t[]){u0}, 0}, 1, 0, 0, 100));
    if (!(*(more + 0))) break;
    /* more ends here */
    RT_TRY(rt_launch(f, k_neg, &(fe_kernel_args){(void *const[]){a, y}, (const int64_t[]){0}, 0}, 1, 128, 1, 100));
    }
    }
    /* a ends here */
    rt_output(f, 0, y + 0, (const int64_t[]){16, 8}, (const int64_t[]){8, 1});
    return 0;
}
