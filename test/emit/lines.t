# each kind of line as C: memory, kernels, extern calls, symbols with their checks and assertions, outputs
--run-- ferrite inspect - --from wrap --stage c | sed -n '/^static int run/,/^}/p'
--in--
program memory
input  @x : f32[16] strides [1]
temp   @a : f32[16] strides [1]
temp   @b : f64[8] strides [1]
temp   @y : f32[16] strides [1]
wrapper arena 128 bound 128 weights 0 kernels 0 calls 1
memory @y output 0
alloc @a live [0, 1) at 64 bytes 64
reuse @a -> @b live [1, 2) at 64 bytes 64
free @b
extern copy (@x[16]{1}) -> (@y[16]{1}) ints [0] floats []
output 0 @y[16]{1}
--out--
static int run(rt_frame *f)
{
    char *const arena = f->segments[0].memory;
    (void)arena;
    float *const x = f->inputs[0];
    float *const y = rt_output_memory(f, 0, 64);
    if (!y) return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for an output");
    (void)x;
    (void)y;
    float *const a = (void *)(arena + 64);
    (void)a;
    /* b takes the place of a */
    double *const b = (void *)(arena + 64);
    (void)b;
    /* b ends here */
    RT_TRY(rt_op_copy(f, &(rt_call){
        .in = (const fe_tensor[]){{x, 7, 1, (const int64_t[]){16}, (const int64_t[]){1}}},
        .in_count = 1,
        .out = (const fe_tensor[]){{y, 7, 1, (const int64_t[]){16}, (const int64_t[]){1}}},
        .out_count = 1,
        .ints = (const int64_t[]){0},
        .floats = (const double[]){0},
    }));
    rt_output(f, 0, y + 0, (const int64_t[]){16}, (const int64_t[]){1});
    return 0;
}
--run-- ferrite inspect - --from wrap --stage c | sed -n '/^static int run/,/^}/p'
--in--
program kernels
input  @x : f32[16] strides [1]
const  @w : f32[4] strides [1]
state  @s : f32[4] strides [1]
temp   @y : f32[16] strides [1]
wrapper arena 0 bound 0 weights 128 kernels 2 calls 3
weight 0 @s at 0 bytes 16
weight 1 @w at 64 bytes 16
memory @y output 0
note "relu (a /* comment */ in the program)"
kernel k_rows (@x, @y) ints [4, 16] m 4 cost 700
kernel k_columns (@x, none, @w, @s, @y) ints [] m 4 n 16 cost 12
output 0 @y[4,2]{4,2} + 1
--out--
static int run(rt_frame *f)
{
    char *const arena = f->segments[0].memory;
    (void)arena;
    float *const x = f->inputs[0];
    float *const w = f->weights[1];
    float *const s = f->states[0];
    float *const y = rt_output_memory(f, 0, 64);
    if (!y) return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for an output");
    (void)x;
    (void)s;
    (void)y;

    /* relu (a /* comment * / in the program) */
    RT_TRY(rt_launch(f, k_rows, &(fe_kernel_args){(void *const[]){x, y}, (const int64_t[]){4, 16}, 0}, 4, 0, 0, 700));
    RT_TRY(rt_launch(f, k_columns, &(fe_kernel_args){(void *const[]){x, 0, w, s, y}, (const int64_t[]){0}, 0}, 4, 16, 1, 12));
    rt_output(f, 0, y + 1, (const int64_t[]){4, 2}, (const int64_t[]){4, 2});
    return 0;
}
--run-- ferrite inspect - --from wrap --stage c | sed -n '/^static int run/,/^}/p'
--in--
program extern_calls
input  @x : f32[8,32] strides [32,1]
const  @w : f32[64,32] strides [32,1]
temp   @p : f32[8,64] strides [64,1]
temp   @y : f32[8,64] strides [64,1]
wrapper arena 2048 bound 2048 weights 8192 kernels 1 calls 2
weight 0 @w at 0 bytes 8192 packed gemm 1
memory @y output 0
alloc @p live [0, 2) at 0 bytes 2048
extern gemm (@x[8,32]{32,1} + 0, @w[32,64]{1,32} packed 0, none) -> (@p[8,64]{64,1}) ints [1] floats [0.0, inf] then k_gelu (@p, @y) ints [64] m 8 n 64 cost 5
extern copy (@p[4,64]{64,1} + 256) -> (@y[4,64]{64,1}) ints [0] floats []
free @p
output 0 @y[8,64]{64,1}
--out--
static int run(rt_frame *f)
{
    char *const arena = f->segments[0].memory;
    (void)arena;
    float *const x = f->inputs[0];
    float *const y = rt_output_memory(f, 0, 2048);
    if (!y) return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for an output");
    (void)x;
    (void)y;
    float *const p = (void *)(arena + 0);
    (void)p;
    RT_TRY(rt_op_gemm_f32(f, &(rt_call){
        .in = (const fe_tensor[]){{x, 7, 2, (const int64_t[]){8, 32}, (const int64_t[]){32, 1}},
            {f->weights[0], 7, 2, (const int64_t[]){32, 64}, (const int64_t[]){1, 32}},
            {0}},
        .in_count = 3,
        .out = (const fe_tensor[]){{p, 7, 2, (const int64_t[]){8, 64}, (const int64_t[]){64, 1}}},
        .out_count = 1,
        .packed = 2,
        .ints = (const int64_t[]){1},
        .floats = (const double[]){0.0, FE_INFINITY},
        .epilogue = k_gelu,
        .epilogue_args = &(fe_kernel_args){(void *const[]){p, y}, (const int64_t[]){64}, 0},
    }));
    RT_TRY(rt_op_copy(f, &(rt_call){
        .in = (const fe_tensor[]){{p + 256, 7, 2, (const int64_t[]){4, 64}, (const int64_t[]){64, 1}}},
        .in_count = 1,
        .out = (const fe_tensor[]){{y, 7, 2, (const int64_t[]){4, 64}, (const int64_t[]){64, 1}}},
        .out_count = 1,
        .ints = (const int64_t[]){0},
        .floats = (const double[]){0},
    }));
    /* p ends here */
    rt_output(f, 0, y + 0, (const int64_t[]){8, 64}, (const int64_t[]){64, 1});
    return 0;
}
--run-- ferrite inspect - --from wrap --stage c | sed -n '/^static int run/,/^}/p'
--in--
program symbols
symbol s0 in [2, 64]
symbol s1 in [0, ]
input  @x : f32[s0,2*s1 + 3] strides [2*s1 + 3,1]
scalar "n" = s2
temp   @a : f32[s0,s0] strides [s0,1]
wrapper arena -1 bound -1 weights 0 kernels 0 calls 0
symbol s0 = size 0 0
symbol s2 = input 1
symbol s1 = size 0 1 less 3 by 2
assert s0 <= s2 && !(s1 == 4) "s0 is \"too large\""
symbol s3 = s0*s1 // 4 + min(s0, s2) % 3
alloc @a live [0, 1) bytes 4*s0*s0
free @a
output 0 int s3 - 1
output 1 bool s0 < s1
--out--
static int run(rt_frame *f)
{
    const int64_t s0 = f->symbols[0] = f->in[0].sizes[0];
    (void)s0;
    const int64_t s2 = f->symbols[1] = *(const int64_t *)f->inputs[1];
    (void)s2;
    const int64_t s1 = f->symbols[2] = fe_solve(f->in[0].sizes[1], 3, 2, 1);
    (void)s1;
    if (s0 < 2LL || s0 > 64LL)
        return rt_fail(f, FE_RUN_BAD_INPUT, "input '%s' has size %lld in dimension 0: s0 must be in [2, 64]", "x", (long long)f->in[0].sizes[0]);
    if (s2 < 0LL || s2 > 9223372036854775807LL)
        return rt_fail(f, FE_RUN_BAD_INPUT, "input '%s' is %lld: s2 must be at least 0", "n", (long long)s2);
    if (s1 < 0LL || s1 > 9223372036854775807LL)
        return rt_fail(f, FE_RUN_BAD_INPUT, "input '%s' has size %lld in dimension 1, so s1 is %lld: s1 must be at least 0", "x", (long long)f->in[0].sizes[1], (long long)s1);
    if (f->in[0].sizes[0] != s0)
        return rt_fail(f, FE_RUN_BAD_INPUT, "input '%s' has size %lld in dimension 0, expected s0 = %lld", "x",
                       (long long)f->in[0].sizes[0], (long long)(s0));
    if (f->in[0].sizes[1] != ((2 * s1) + 3))
        return rt_fail(f, FE_RUN_BAD_INPUT, "input '%s' has size %lld in dimension 1, expected 2*s1 + 3 = %lld", "x",
                       (long long)f->in[0].sizes[1], (long long)(((2 * s1) + 3)));
    RT_TRY(rt_check_stride(f, 0, 0, ((2 * s1) + 3), "2*s1 + 3"));
    if (!(((s1 != 4) && (s0 <= s2)) != 0))
        return rt_fail(f, FE_RUN_ASSERTION, "%s: s1 = %lld, s0 = %lld, s2 = %lld", "s0 is \"too large\"", (long long)s1, (long long)s0, (long long)s2);
    RT_TRY(rt_place(f, 0));
    char *const arena = f->segments[0].memory;
    (void)arena;
    float *const x = f->inputs[0];
    (void)x;
    const int64_t s3 = f->symbols[3] = (((s0 * s1) / 4) + (fe_min(s0, s2) % 3));
    (void)s3;
    float *const a = (void *)(arena + f->segments[0].offsets[0]);
    (void)a;
    /* a ends here */
    {
        int64_t *const number = rt_output_memory(f, 0, 8);
        if (!number) return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for an output");
        *number = (s3 + (-1));
        rt_output(f, 0, number, 0, 0);
    }
    {
        uint8_t *const number = rt_output_memory(f, 1, 8);
        if (!number) return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for an output");
        *number = (s0 < s1);
        rt_output(f, 1, number, 0, 0);
    }
    return 0;
}
--run-- ferrite inspect - --from wrap --stage c | sed -n '/^static int run/,/^}/p'
--in--
program outputs
input  @x : i64[4] strides [1]
wrapper arena 0 bound 0 weights 0 kernels 0 calls 0
output 0 @x[2]{2} + 1
output 1 int -7
output 2 bool 1
output 3 float -inf
output 4 "text"
output 5 none
--out--
static int run(rt_frame *f)
{
    char *const arena = f->segments[0].memory;
    (void)arena;
    int64_t *const x = f->inputs[0];
    (void)x;
    rt_output(f, 0, x + 1, (const int64_t[]){2}, (const int64_t[]){2});
    {
        int64_t *const number = rt_output_memory(f, 1, 8);
        if (!number) return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for an output");
        *number = (-7);
        rt_output(f, 1, number, 0, 0);
    }
    {
        uint8_t *const number = rt_output_memory(f, 2, 8);
        if (!number) return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for an output");
        *number = 1;
        rt_output(f, 2, number, 0, 0);
    }
    {
        double *const number = rt_output_memory(f, 3, 8);
        if (!number) return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for an output");
        *number = -FE_INFINITY;
        rt_output(f, 3, number, 0, 0);
    }
    {
        int64_t *const number = rt_output_memory(f, 4, 8);
        if (!number) return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for an output");
        *number = 0;
        rt_output(f, 4, number, 0, 0);
    }
    {
        int64_t *const number = rt_output_memory(f, 5, 8);
        if (!number) return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for an output");
        *number = 0;
        rt_output(f, 5, number, 0, 0);
    }
    return 0;
}
--run-- ferrite inspect - --from wrap --stage c | sed -n '/^static int run/,/^}/p'
--in--
program numbers
input  @x : f32[4] strides [1]
temp   @a : c64[4] strides [1]
temp   @y : f32[2,4] strides [4,1]
wrapper arena 64 bound 64 weights 0 kernels 1 calls 1
memory @y output 0
check @x[4]{1} no_nan "input 'x'"
alloc @a live [0, 1) at 0 bytes 32
clear @a[4]{1}
kernel k_rows (@x, @a, @y) ints [] m 4 cost 700
check @a[4]{1} no_nan "the result of %a, \"m.py\":3"
free @a
check output @y[2,2]{4,1} + 2 finite "output 0"
output 0 @y[2,2]{4,1} + 2
--out--
static int run(rt_frame *f)
{
    char *const arena = f->segments[0].memory;
    (void)arena;
    float *const x = f->inputs[0];
    float *const y = rt_output_memory(f, 0, 32);
    if (!y) return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for an output");
    (void)x;
    (void)y;
    RT_TRY(rt_check_numbers(f, &(fe_tensor){x, 7, 1, (const int64_t[]){4}, (const int64_t[]){1}}, 0, "input 'x'"));
    fe_c64 *const a = (void *)(arena + 0);
    (void)a;
    rt_clear(&(fe_tensor){a, 10, 1, (const int64_t[]){4}, (const int64_t[]){1}});
    RT_TRY(rt_launch(f, k_rows, &(fe_kernel_args){(void *const[]){x, a, y}, (const int64_t[]){0}, 0}, 4, 0, 0, 700));
    RT_TRY(rt_check_numbers(f, &(fe_tensor){a, 10, 1, (const int64_t[]){4}, (const int64_t[]){1}}, 0, "the result of %a, \"m.py\":3"));
    /* a ends here */
    RT_TRY(rt_check_numbers(f, &(fe_tensor){y + 2, 7, 2, (const int64_t[]){2, 2}, (const int64_t[]){4, 1}}, 1, "output 0"));
    rt_output(f, 0, y + 2, (const int64_t[]){2, 2}, (const int64_t[]){4, 1});
    return 0;
}
--run-- ferrite inspect - --from wrap --stage c | sed -n '/^static int run/,/^}/p'
--in--
program devices
input  @x : f32[8] strides [1]
temp   @d : f32[8] strides [1] cuda 0
temp   @e : f32[8] strides [1] cuda 0
temp   @h : f32[8] strides [1] pinned
temp   @y : f32[8] strides [1]
wrapper arena 0 bound 0 weights 0 kernels 2 calls 2
memory @y output 0
place 1 cuda 0
alloc @d live [0, 2) segment 1 bytes 32
copy @x[8]{1} -> @d[8]{1}
alloc @e live [1, 3) segment 1 bytes 32
device cuda 0
kernel k_relu (@d, @e) ints [] m 1 n 8 cost 54
mark 0 cuda 0 kernels
free @d
place 2 pinned
alloc @h live [2, 4) segment 2 bytes 32
after 0 cuda 0 copies
copy @e[8]{1} -> @h[8]{1} async
free @e
wait @h
device cpu
kernel k_neg (@h, @y) ints [] m 1 n 8 cost 54
free @h
output 0 @y[8]{1}
--out--
static int run(rt_frame *f)
{
    char *const arena = f->segments[0].memory;
    (void)arena;
    float *const x = f->inputs[0];
    float *const y = rt_output_memory(f, 0, 32);
    if (!y) return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for an output");
    (void)x;
    (void)y;
    RT_TRY(rt_place(f, 1));
    float *const d = (void *)(f->segments[1].memory + f->segments[1].offsets[0]);
    (void)d;
    RT_TRY(rt_transfer(f, &(fe_tensor){x, 7, 1, (const int64_t[]){8}, (const int64_t[]){1}}, 0, &(fe_tensor){d, 7, 1, (const int64_t[]){8}, (const int64_t[]){1}}, 1, 0));
    float *const e = (void *)(f->segments[1].memory + f->segments[1].offsets[1]);
    (void)e;
    /* on cuda:0 */
    RT_TRY(rt_launch_on(f, 1, 0 /* k_relu */, &(fe_kernel_args){(void *const[]){d, e}, (const int64_t[]){0}, 0}, 2, 0, 1, 8));
    RT_TRY(rt_mark(f, 1, RT_KERNELS, 0));
    /* d ends here */
    RT_TRY(rt_place(f, 2));
    float *const h = (void *)(f->segments[2].memory + f->segments[2].offsets[0]);
    (void)h;
    RT_TRY(rt_after(f, 1, RT_COPIES, 0));
    RT_TRY(rt_transfer(f, &(fe_tensor){e, 7, 1, (const int64_t[]){8}, (const int64_t[]){1}}, 1, &(fe_tensor){h, 7, 1, (const int64_t[]){8}, (const int64_t[]){1}}, 0, h));
    /* e ends here */
    RT_TRY(rt_wait(f, h));
    /* on cpu */
    RT_TRY(rt_launch(f, k_neg, &(fe_kernel_args){(void *const[]){h, y}, (const int64_t[]){0}, 0}, 1, 8, 1, 54));
    /* h ends here */
    rt_output(f, 0, y + 0, (const int64_t[]){8}, (const int64_t[]){1});
    return 0;
}
--run-- ferrite inspect - --from wrap --stage c | sed -n '/^static int run/,/^}/p'
--in--
program rows
symbol s0 in [2, 50]
input  @x : f32[4,s0] strides [s0,1] origin 0
temp   @buf1 : f32[4,s0] strides [s0,1] origin 1
wrapper arena 0 bound 0 weights 0 kernels 0 calls 1
memory @buf1 output 0
symbol s0 = size 0 1
scratch -64*((-s0) // 4)
note "s"
extern sort (@x[4,s0]{s0,1}) -> (@buf1[4,s0]{s0,1}, none) ints [1, 0] floats []
output 0 @buf1[4,s0]{s0,1}
--out--
static int run(rt_frame *f)
{
    const int64_t s0 = f->symbols[0] = f->in[0].sizes[1];
    (void)s0;
    if (s0 < 2LL || s0 > 50LL)
        return rt_fail(f, FE_RUN_BAD_INPUT, "input '%s' has size %lld in dimension 1: s0 must be in [2, 50]", "x", (long long)f->in[0].sizes[1]);
    if (f->in[0].sizes[1] != s0)
        return rt_fail(f, FE_RUN_BAD_INPUT, "input '%s' has size %lld in dimension 1, expected s0 = %lld", "x",
                       (long long)f->in[0].sizes[1], (long long)(s0));
    RT_TRY(rt_check_stride(f, 0, 0, s0, "s0"));
    char *const arena = f->segments[0].memory;
    (void)arena;
    float *const x = f->inputs[0];
    float *const buf1 = rt_output_memory(f, 0, fe_times(16, s0));
    if (!buf1) return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for an output");
    (void)x;
    (void)buf1;
    RT_TRY(rt_make_area(f, fe_times((-64), fe_over(fe_times((-1), s0), 4))));

    /* s */
    RT_TRY(rt_op_sort(f, &(rt_call){
        .in = (const fe_tensor[]){{x, 7, 2, (const int64_t[]){4, s0}, (const int64_t[]){s0, 1}}},
        .in_count = 1,
        .out = (const fe_tensor[]){{buf1, 7, 2, (const int64_t[]){4, s0}, (const int64_t[]){s0, 1}},
            {0}},
        .out_count = 2,
        .ints = (const int64_t[]){1, 0},
        .floats = (const double[]){0},
    }));
    rt_output(f, 0, buf1 + 0, (const int64_t[]){4, s0}, (const int64_t[]){s0, 1});
    return 0;
}
