/* bench_kernels.c - speed of the kernels on the shapes of well-known models, one thread and two.
 * bench_kernels [filter] [seconds a line]: GFLOP/s (or GB/s of weights where one row makes it a
 * matter of memory), best and median of many samples. "cold": enough copies of the weights are
 * visited in turn to defeat the caches.
 */
#include "rt_kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_SAMPLES = 20000 };
static const char *filter = "";
static double seconds = 0.3;
static int threads_list[2] = {1, 2};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static float *filled(size_t bytes)
{
    size_t count = (bytes + 127) / 64 * 16;
    float *p = aligned_alloc(64, count * sizeof *p);
    for (size_t i = 0; i < count; i++) p[i] = (float)(i * 2654435761u % 1000) / 1000.0f - 0.5f;
    return p;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Times `call` until the time is up and prints a line; `work` is what one call does, in units of
 * 1e9. */
static void measure(const char *name, int threads, double work, const char *unit,
                    void (*call)(void *, int), void *args)
{
    static double samples[MAX_SAMPLES];
    int count = 0;
    for (int i = 0; i < 3; i++) call(args, i);
    double stop = now() + seconds;
    while (count < MAX_SAMPLES && (count < 5 || now() < stop)) {
        double t = now();
        call(args, count);
        samples[count++] = now() - t;
    }
    qsort(samples, (size_t)count, sizeof *samples, by_value);
    double best = samples[0], median = samples[count / 2];
    printf("%-34s %dT  %8.1f best %8.1f median %s   %9.1f us\n", name, threads, work / best,
           work / median, unit, best * 1e6);
    fflush(stdout);
}

static int wanted(const char *name)
{
    return strstr(name, filter) != NULL;
}

/* ---- GEMM ---- */

typedef struct gemm_args {
    rt_pool *pool;
    int64_t m, n, k, copies;
    const float *a;
    float *c;
    const float *packed;
    size_t floats;
} gemm_args;

static void gemm_call(void *context, int index)
{
    gemm_args *g = context;
    rt_gemm_f32(&(rt_team){.pool = g->pool}, g->m, g->n, g->k, g->a, g->k,
                g->packed + (size_t)(index % g->copies) * g->floats, g->c, g->n, NULL);
}

static void bench_gemm(int64_t m, int64_t k, int64_t n, int cold)
{
    char name[64];
    snprintf(name, sizeof name, "gemm %lldx%lldx%lld%s", (long long)m, (long long)k, (long long)n,
             cold ? " cold" : "");
    if (!wanted(name)) return;
    size_t bytes = rt_gemm_packed_bytes_f32(n, k);
    int64_t copies = cold ? (int64_t)((size_t)200000000 / bytes + 1) : 1;
    gemm_args g = {.m = m, .n = n, .k = k, .copies = copies, .floats = bytes / sizeof(float)};
    float *a = filled((size_t)(m * k) * 4), *packed = filled(bytes * (size_t)copies),
          *c = filled((size_t)(m * n) * 4);
    g.a = a;
    g.packed = packed;
    g.c = c;
    for (int i = 0; i < 2; i++) {
        g.pool = rt_pool_get(threads_list[i]);
        double flop = 2e-9 * (double)m * (double)n * (double)k;
        measure(name, threads_list[i], flop, "GFLOP/s", gemm_call, &g);
        if (m == 1) measure(name, threads_list[i], (double)bytes * 1e-9, "GB/s", gemm_call, &g);
    }
    free(a), free(packed), free(c);
}

typedef struct quantised_args {
    rt_pool *pool;
    rt_quantised call;
    int64_t copies;
    const uint32_t *packed;
    size_t words;
} quantised_args;

static void quantised_call(void *context, int index)
{
    quantised_args *g = context;
    rt_quantised call = g->call;
    call.packed = g->packed + (size_t)(index % g->copies) * g->words;
    rt_quantised_f32(&(rt_team){.pool = g->pool}, &call, &(rt_post){0});
}

static void bench_quantised(int bits, int64_t m, int64_t k, int64_t n, int64_t groups, int zeros)
{
    char name[80];
    snprintf(name, sizeof name, "quantised %d %lldx%lldx%lld by %lld%s", bits, (long long)m,
             (long long)k, (long long)n, (long long)groups, zeros ? " zeros" : "");
    if (!wanted(name)) return;
    size_t bytes = rt_quantised_packed_bytes(bits, n, k);
    quantised_args g = {.copies = (int64_t)((size_t)200000000 / bytes + 1), .words = bytes / 4};
    float *a = filled((size_t)(m * k) * 4), *packed = filled(bytes * (size_t)g.copies),
          *c = filled((size_t)(m * n) * 4), *scales = filled((size_t)(groups * n) * 4);
    g.packed = (const uint32_t *)packed;
    g.call = (rt_quantised){.m = m, .n = n, .k = k, .a = a, .lda = k, .bits = bits, .c = c};
    g.call.groups = groups, g.call.scales = scales, g.call.scales_row = g.call.zeros_row = n;
    g.call.zeros = zeros ? scales : NULL, g.call.ldc = n;
    for (int i = 0; i < 2; i++) {
        g.pool = rt_pool_get(threads_list[i]);
        double flop = 2e-9 * (double)m * (double)n * (double)k;
        measure(name, threads_list[i], flop, "GFLOP/s", quantised_call, &g);
        if (m == 1)
            measure(name, threads_list[i], (double)bytes * 1e-9, "GB/s", quantised_call, &g);
    }
    free(a), free(packed), free(c), free(scales);
}

typedef struct integers_args {
    rt_pool *pool;
    rt_integers call;
    int64_t copies;
    size_t words;
} integers_args;

static void integers_call(void *context, int index)
{
    integers_args *g = context;
    rt_integers call = g->call;
    call.packed += (size_t)(index % g->copies) * g->words;
    rt_integers_i32(&(rt_team){.pool = g->pool}, &call, &(rt_post){0});
}

static void bench_integers(int64_t m, int64_t k, int64_t n, int by_pairs)
{
    char name[80];
    snprintf(name, sizeof name, "integers %lldx%lldx%lld%s", (long long)m, (long long)k,
             (long long)n, by_pairs ? " by pairs" : "");
    if (!wanted(name)) return;
    size_t bytes = rt_quantised_packed_bytes(8, n, k);
    integers_args g = {.copies = m == 1 ? (int64_t)((size_t)200000000 / bytes + 1) : 1,
                       .words = bytes / 4};
    float *a = filled((size_t)(m * k)), *packed = filled(bytes * (size_t)g.copies),
          *c = filled((size_t)(m * n) * 4);
    g.call = (rt_integers){.m = m, .n = n, .k = k, .a = a, .lda = k, .ldc = n};
    g.call.packed = (const uint32_t *)packed, g.call.c = (int32_t *)c, g.call.by_pairs = by_pairs;
    for (int i = 0; i < 2; i++) {
        g.pool = rt_pool_get(threads_list[i]);
        double work = 2e-9 * (double)m * (double)n * (double)k;
        measure(name, threads_list[i], work, "GOP/s", integers_call, &g);
        if (m == 1) measure(name, threads_list[i], (double)bytes * 1e-9, "GB/s", integers_call, &g);
    }
    free(a), free(packed), free(c);
}

typedef struct pack_args {
    rt_pool *pool;
    int64_t n, k;
    const float *from;
    float *to;
} pack_args;

static void pack_call(void *context, int index)
{
    (void)index;
    pack_args *p = context;
    rt_gemm_pack_f32(p->pool, p->n, p->k, p->from, p->k, 1, p->to);
}

static void bench_pack(int64_t n, int64_t k)
{
    char name[64];
    snprintf(name, sizeof name, "pack %lldx%lld", (long long)n, (long long)k);
    if (!wanted(name)) return;
    size_t bytes = rt_gemm_packed_bytes_f32(n, k);
    float *from = filled((size_t)(n * k) * 4), *to = filled(bytes);
    for (int i = 0; i < 2; i++) {
        pack_args p = {rt_pool_get(threads_list[i]), n, k, from, to};
        measure(name, threads_list[i], (double)bytes * 1e-9, "GB/s", pack_call, &p);
    }
    free(from), free(to);
}

/* ---- batched ---- */

typedef struct bmm_args {
    rt_pool *pool;
    rt_bmm g;
} bmm_args;

static void bmm_call(void *context, int index)
{
    (void)index;
    bmm_args *b = context;
    rt_bmm_f32(&(rt_team){.pool = b->pool}, &b->g);
}

static void bench_bmm(int64_t batch, int64_t m, int64_t n, int64_t k, int transposed)
{
    char name[64];
    snprintf(name, sizeof name, "bmm %lldx%lldx%lldx%lld%s", (long long)batch, (long long)m,
             (long long)k, (long long)n, transposed ? " BT" : "");
    if (!wanted(name)) return;
    float *a = filled((size_t)(batch * m * k) * 4), *b = filled((size_t)(batch * n * k) * 4);
    float *c = filled((size_t)(batch * m * n) * 4);
    bmm_args args = {NULL,
                     {.batch = batch,
                      .m = m,
                      .n = n,
                      .k = k,
                      .a = a,
                      .a_batch = m * k,
                      .a_row = k,
                      .a_col = 1,
                      .b = b,
                      .b_batch = n * k,
                      .b_row = transposed ? 1 : n,
                      .b_col = transposed ? k : 1,
                      .c = c,
                      .c_batch = m * n,
                      .c_row = n,
                      .c_col = 1,
                      .alpha = 1}};
    for (int i = 0; i < 2; i++) {
        args.pool = rt_pool_get(threads_list[i]);
        double flop = 2e-9 * (double)batch * (double)m * (double)n * (double)k;
        measure(name, threads_list[i], flop, "GFLOP/s", bmm_call, &args);
    }
    free(a), free(b), free(c);
}

/* ---- convolution ---- */

typedef struct conv_args {
    rt_pool *pool;
    rt_conv g;
    const float *x, *packed;
    float *y;
    rt_post post;
    int64_t copies;
    size_t floats;
} conv_args;

static void conv_call(void *context, int index)
{
    conv_args *c = context;
    rt_conv_f32(&(rt_team){.pool = c->pool}, &c->g, c->x,
                c->packed + (size_t)(index % c->copies) * c->floats, c->y, &c->post);
}

/* Of planes or, if it is `deep`, of cubes. */
static void bench_conv(int64_t batch, int64_t in, int64_t out, int64_t groups, int64_t size,
                       int64_t kernel, int64_t stride, int64_t pad, int nchw, int cold, int tile,
                       int deep)
{
    char name[96], in_groups[32] = "";
    if (groups > 1) snprintf(in_groups, sizeof in_groups, " g%lld", (long long)groups);
    snprintf(name, sizeof name, "conv%s%lldx%lld s%lld %lld>%lld%s @%lld b%lld%s%s%s",
             deep ? "3d " : "", (long long)kernel, (long long)kernel, (long long)stride,
             (long long)in, (long long)out, groups == in && in > 1 ? " dw" : in_groups,
             (long long)size, (long long)batch, nchw ? " nchw" : "", cold ? " cold" : "",
             tile == 4   ? " F(4,3)"
             : tile == 2 ? " F(2,3)"
                         : "");
    if (!wanted(name)) return;
    int64_t result = (size + 2 * pad - kernel) / stride + 1;
    int64_t planes = deep ? size : 1, pixels = (deep ? result : 1) * result * result;
    conv_args c = {.g = {.batch = batch,
                         .in_channels = in,
                         .out_channels = out,
                         .groups = groups,
                         .in = {planes, size, size},
                         .kernel = {deep ? kernel : 1, kernel, kernel},
                         .stride = {deep ? stride : 1, stride, stride},
                         .pad = {deep ? pad : 0, pad, pad},
                         .dilation = {1, 1, 1},
                         .out = {deep ? result : 1, result, result},
                         .x_batch = planes * size * size * in,
                         .y_row = out,
                         .tile = tile}};
    c.g.x_channel = nchw ? planes * size * size : 1;
    c.g.x[2] = nchw ? 1 : in;
    c.g.x[1] = c.g.x[2] * size;
    c.g.x[0] = c.g.x[1] * size;
    size_t bytes = rt_conv_packed_bytes_f32(&c.g);
    c.copies = cold ? (int64_t)((size_t)200000000 / bytes + 1) : 1;
    c.floats = bytes / sizeof(float);
    float *x = filled((size_t)(batch * c.g.x_batch) * 4),
          *packed = filled(bytes * (size_t)c.copies);
    float *bias = filled((size_t)out * 4), *y = filled((size_t)(batch * pixels * out) * 4);
    c.x = x;
    c.packed = packed;
    c.y = y;
    c.post = (rt_post){.bias = bias, .clamp = 1, .low = 0, .high = INFINITY};
    double flop = 2e-9 * (double)(batch * pixels * out) * (double)(in / groups) *
                  (double)(c.g.kernel[0] * kernel * kernel);
    for (int i = 0; i < 2; i++) {
        c.pool = rt_pool_get(threads_list[i]);
        measure(name, threads_list[i], flop, "GFLOP/s", conv_call, &c);
    }
    free(x), free(packed), free(bias), free(y);
}

/* ---- attention ---- */

typedef struct sdpa_args {
    rt_pool *pool;
    rt_sdpa g;
} sdpa_args;

static void sdpa_call(void *context, int index)
{
    (void)index;
    sdpa_args *s = context;
    rt_sdpa_f32(&(rt_team){.pool = s->pool}, &s->g);
}

static void bench_sdpa(int64_t heads, int64_t q_len, int64_t kv_len, int64_t dim, int causal)
{
    char name[64];
    snprintf(name, sizeof name, "sdpa h%lld s%lld t%lld d%lld%s", (long long)heads,
             (long long)q_len, (long long)kv_len, (long long)dim, causal ? " causal" : "");
    if (!wanted(name)) return;
    float *q = filled((size_t)(heads * q_len * dim) * 4),
          *k = filled((size_t)(heads * kv_len * dim) * 4);
    float *v = filled((size_t)(heads * kv_len * dim) * 4),
          *out = filled((size_t)(heads * q_len * dim) * 4);
    sdpa_args s = {NULL,
                   {.batch = 1,
                    .heads = heads,
                    .kv_heads = heads,
                    .q_len = q_len,
                    .kv_len = kv_len,
                    .head_dim = dim,
                    .value_dim = dim,
                    .q = q,
                    .k = k,
                    .v = v,
                    .out = out,
                    .q_stride = {0, dim, heads * dim, 1},
                    .k_stride = {0, dim, heads * dim, 1},
                    .v_stride = {0, dim, heads * dim, 1},
                    .out_stride = {0, dim, heads * dim, 1},
                    .causal = causal,
                    .scale = 0.125f}};
    double flop =
        4e-9 * (double)heads * (double)q_len * (double)kv_len * (double)dim / (causal ? 2 : 1);
    for (int i = 0; i < 2; i++) {
        s.pool = rt_pool_get(threads_list[i]);
        measure(name, threads_list[i], flop, "GFLOP/s", sdpa_call, &s);
    }
    free(q), free(k), free(v), free(out);
}

/* ---- the pool ---- */

static void nothing(void *context, int64_t begin, int64_t end, int worker)
{
    (void)context, (void)begin, (void)end, (void)worker;
}

static void region_call(void *context, int index)
{
    (void)index;
    for (int i = 0; i < 100; i++) rt_parallel(context, nothing, NULL, 100, 1);
}

int main(int argc, char **argv)
{
    filter = argc > 1 ? argv[1] : "";
    seconds = argc > 2 ? atof(argv[2]) : 0.3;
    printf("instruction set %s\n", rt_isa());
    if (wanted("empty region"))
        for (int i = 0; i < 2; i++)
            measure("empty region", threads_list[i], 100e-9, "region/s e9", region_call,
                    rt_pool_get(threads_list[i]));
    static const int64_t gemms[][4] = {
        {1, 768, 3072, 0},    {1, 768, 3072, 1},   {1, 4096, 4096, 1},  {4, 768, 3072, 0},
        {8, 4096, 4096, 1},   {16, 768, 3072, 0},  {16, 768, 3072, 1},  {128, 768, 768, 0},
        {128, 768, 768, 1},   {128, 768, 3072, 0}, {128, 768, 3072, 1}, {128, 3072, 768, 0},
        {128, 3072, 768, 1},  {197, 192, 768, 0},  {197, 768, 192, 0},  {512, 512, 512, 0},
        {3136, 576, 64, 0},   {3136, 64, 256, 0},  {64, 64, 64, 0},     {12544, 16, 64, 0},
        {128, 768, 50257, 0}, {1, 768, 50257, 0}};
    for (size_t i = 0; i < sizeof gemms / sizeof *gemms; i++)
        bench_gemm(gemms[i][0], gemms[i][1], gemms[i][2], (int)gemms[i][3]);
    static const int64_t quantiseds[][6] = {
        {8, 1, 4096, 4096, 1, 0},   {8, 1, 4096, 4096, 32, 1},   {4, 1, 4096, 4096, 128, 1},
        {4, 1, 4096, 4096, 32, 0},  {8, 1, 768, 3072, 1, 0},     {8, 4, 4096, 4096, 1, 0},
        {8, 8, 4096, 4096, 1, 0},   {8, 9, 4096, 4096, 1, 0},    {8, 16, 4096, 4096, 1, 0},
        {8, 128, 4096, 4096, 1, 0}, {4, 128, 4096, 4096, 32, 1}, {8, 128, 768, 3072, 1, 0}};
    for (size_t i = 0; i < sizeof quantiseds / sizeof *quantiseds; i++) {
        const int64_t *q = quantiseds[i];
        bench_quantised((int)q[0], q[1], q[2], q[3], q[4], (int)q[5]);
    }
    static const int64_t sides[] = {768, 2048, 4096}, rows[] = {1, 32, 512};
    for (int i = 0; i < 18; i++) bench_integers(rows[i / 2 % 3], sides[i / 6], sides[i / 6], i % 2);
    bench_pack(768, 3072);
    bench_pack(50257, 768);
    bench_bmm(12, 128, 128, 64, 1);
    bench_bmm(12, 128, 64, 128, 0);
    bench_bmm(1, 512, 512, 512, 0);
    bench_bmm(12, 1, 1024, 64, 1);
    static const int64_t convs[][10] = {
        /* batch, in, out, groups, size, kernel, stride, pad, nchw, cold */
        {1, 3, 64, 1, 224, 7, 2, 3, 0, 0},     {1, 3, 64, 1, 224, 7, 2, 3, 1, 0},
        {1, 3, 16, 1, 224, 3, 2, 1, 0, 0},     {1, 3, 16, 1, 224, 3, 2, 1, 1, 0},
        {1, 3, 192, 1, 224, 16, 16, 0, 1, 0},  {1, 64, 64, 1, 56, 3, 1, 1, 0, 0},
        {1, 64, 128, 1, 56, 3, 2, 1, 0, 0},    {1, 128, 128, 1, 28, 3, 1, 1, 0, 0},
        {1, 256, 256, 1, 14, 3, 1, 1, 0, 0},   {1, 256, 256, 1, 14, 3, 1, 1, 0, 1},
        {1, 512, 512, 1, 7, 3, 1, 1, 0, 0},    {1, 512, 512, 1, 7, 3, 1, 1, 0, 1},
        {1, 256, 64, 1, 56, 1, 1, 0, 0, 0},    {1, 64, 128, 1, 56, 1, 2, 0, 0, 0},
        {1, 3, 32, 1, 224, 3, 2, 1, 1, 0},     {1, 64, 40, 1, 28, 3, 1, 1, 0, 0},
        {1, 16, 16, 1, 112, 1, 1, 0, 0, 0},    {1, 64, 24, 1, 56, 1, 1, 0, 0, 0},
        {1, 72, 24, 1, 56, 1, 1, 0, 0, 0},     {1, 96, 96, 96, 112, 3, 1, 1, 0, 0},
        {1, 16, 16, 16, 112, 3, 1, 1, 0, 0},   {1, 64, 64, 64, 112, 3, 2, 1, 0, 0},
        {1, 72, 72, 72, 56, 3, 1, 1, 0, 0},    {1, 120, 120, 120, 28, 5, 1, 2, 0, 0},
        {1, 240, 240, 240, 28, 3, 2, 1, 0, 0}, {1, 480, 480, 480, 14, 3, 1, 1, 0, 0},
        {1, 672, 672, 672, 14, 5, 2, 2, 0, 0}, {1, 960, 960, 960, 7, 5, 1, 2, 0, 0},
        {8, 64, 64, 1, 56, 3, 1, 1, 0, 0},     {8, 96, 96, 96, 112, 3, 1, 1, 0, 0},
        {1, 72, 72, 1, 56, 1, 1, 0, 0, 0},     {1, 168, 168, 1, 28, 1, 1, 0, 0, 0},
        {1, 408, 408, 1, 14, 1, 1, 0, 0, 0},   {1, 912, 912, 1, 7, 1, 1, 0, 0, 0},
        {1, 96, 576, 1, 7, 1, 1, 0, 0, 0},     {1, 576, 96, 1, 7, 1, 1, 0, 0, 0},
        {1, 40, 240, 1, 14, 1, 1, 0, 0, 0},    {1, 240, 40, 1, 14, 1, 1, 0, 0, 0},
        {1, 16, 96, 1, 112, 1, 1, 0, 0, 0},    {1, 96, 24, 1, 56, 1, 1, 0, 0, 0},
        {1, 72, 72, 3, 56, 3, 1, 1, 0, 0},     {1, 168, 168, 7, 28, 3, 1, 1, 0, 0},
        {1, 408, 408, 17, 14, 3, 1, 1, 0, 0},  {1, 912, 912, 38, 7, 3, 1, 1, 0, 0},
        {1, 128, 128, 8, 56, 3, 1, 1, 0, 0},   {1, 256, 256, 16, 28, 3, 1, 1, 0, 0},
        {1, 256, 256, 32, 28, 3, 1, 1, 0, 0},  {1, 512, 512, 32, 14, 3, 1, 1, 0, 0},
        {1, 1024, 1024, 32, 7, 3, 1, 1, 0, 0}, {1, 32, 32, 1, 112, 3, 1, 1, 0, 0},
        {1, 32, 32, 1, 112, 3, 2, 1, 0, 0},    {1, 32, 96, 1, 56, 3, 2, 1, 0, 0},
        {1, 16, 32, 1, 112, 3, 1, 1, 0, 0},    {1, 16, 64, 1, 112, 3, 2, 1, 0, 0},
        {1, 24, 48, 1, 56, 3, 2, 1, 0, 0}};
    for (size_t i = 0; i < sizeof convs / sizeof *convs; i++) {
        const int64_t *c = convs[i];
        bench_conv(c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], (int)c[8], (int)c[9], 0, 0);
    }
    static const int64_t cubes[][3] = {{1, 16, 32}, {1, 32, 16}, {16, 32, 16}, {32, 64, 8}};
    for (size_t i = 0; i < sizeof cubes / sizeof *cubes; i++)
        bench_conv(1, cubes[i][0], cubes[i][1], 1, cubes[i][2], 3, 1, 1, 1, 0, 0, 1);
    static const int64_t tiled[][3] = {/* batch, channels, size */
                                       {1, 32, 112}, {1, 64, 56},  {1, 128, 28}, {1, 256, 14},
                                       {1, 512, 7},  {8, 32, 112}, {8, 64, 56},  {8, 128, 28},
                                       {8, 256, 14}, {8, 512, 7}};
    for (size_t i = 0; i < 3 * sizeof tiled / sizeof *tiled; i++) {
        const int64_t *t = tiled[i / 3];
        bench_conv(t[0], t[1], t[1], 1, t[2], 3, 1, 1, 0, 0, (int)(i % 3) * 2, 0);
    }
    bench_sdpa(12, 128, 128, 64, 0);
    bench_sdpa(12, 128, 128, 64, 1);
    bench_sdpa(12, 1024, 1024, 64, 1);
    bench_sdpa(3, 197, 197, 64, 0);
    bench_sdpa(12, 1, 1024, 64, 0);
    return 0;
}
