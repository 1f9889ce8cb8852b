/* test_kernels.c - every kernel of rt_kernels.h against naive loops in a wider type, over odd shapes, on
 * every instruction set this machine has, with one thread and two. Prints "N passed, N failed";
 * exits nonzero on a failure. test_kernels_f64.c is this for doubles.
 */
#include "rt_half.h"
#include "rt_kernels.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is a rounding error of one operation, roughly. */
#ifdef RT_F64
typedef long double exact;
static const double PRECISION = 2e-15;
#else
typedef double exact;
static const double PRECISION = 1e-6;
#endif

static int passed, failed;
static rt_pool *pool;
static char label[256];

static uint32_t random_state = 12345;

static float random_float(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (float)(random_state >> 8) / (1 << 23) - 1.0f;
}

static rt_real random_real(void)
{
    rt_real number = random_float();
    return sizeof number == sizeof(float) ? number : number + (rt_real)random_float() / (1 << 24);
}

/* Exactly as many numbers as asked for, so that a sanitizer sees any step outside. */
static rt_real *make(int64_t count)
{
    rt_real *p = malloc((size_t)(count ? count : 1) * sizeof *p);
    for (int64_t i = 0; i < count; i++) p[i] = random_real();
    return p;
}

static rt_real *make_packed(size_t bytes)
{
    return aligned_alloc(64, (bytes + 127) / 64 * 64);
}

static void check(const rt_real *got, const exact *want, int64_t count, double depth)
{
    double bound = PRECISION * (4 + sqrt(depth) * 4);
    for (int64_t i = 0; i < count; i++) {
        double error = fabs((double)(got[i] - want[i]));
        if (isnan(want[i]) && isnan(got[i])) continue;
        if (got[i] == want[i] || error <= bound * (1 + fabs((double)want[i]))) continue;
        failed++;
        printf("FAIL %s %s threads=%d: [%lld] got %g want %g\n", rt_isa(), label,
               rt_pool_threads(pool), (long long)i, (double)got[i], (double)want[i]);
        return;
    }
    passed++;
}

static void expect(int ok, const char *what)
{
    if (ok) {
        passed++;
        return;
    }
    failed++;
    printf("FAIL %s threads=%d: %s\n", rt_isa(), rt_pool_threads(pool), what);
}

/* An epilogue that doubles its block and counts how often each element is visited. */
typedef struct doubler {
    rt_real *c;
    int64_t ldc, n_total;
    _Atomic int visits[1 << 16];
} doubler;

static void double_block(void *context, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    doubler *d = context;
    for (int64_t m = m0; m < m1; m++)
        for (int64_t n = n0; n < n1; n++) {
            d->c[m * d->ldc + n] *= 2;
            if (m * d->n_total + n < 1 << 16) atomic_fetch_add(&d->visits[m * d->n_total + n], 1);
        }
}

static doubler *doubler_make(rt_real *c, int64_t ldc, int64_t n)
{
    doubler *d = calloc(1, sizeof *d);
    d->c = c;
    d->ldc = ldc;
    d->n_total = n;
    return d;
}

/* What rt_post asks for, in double. */
static exact post_value(const rt_post *post, exact sum, exact old, int64_t n)
{
    if (post->bias) sum += post->bias[n];
    if (post->accumulate) sum += old;
    if (post->clamp) sum = sum < post->low ? post->low : sum > post->high ? post->high : sum;
    return post->epilogue ? 2 * sum : sum;
}

/* ---- GEMM ---- */

static void test_gemm(int64_t m, int64_t n, int64_t k, int variant)
{
    int transposed = variant & 1;
    int64_t lda = k + (variant & 2 ? 3 : 0), ldc = n + (variant & 4 ? 5 : 0);
    snprintf(label, sizeof label, "gemm m=%lld n=%lld k=%lld variant=%d", (long long)m,
             (long long)n, (long long)k, variant);
    rt_real *a = make((m - 1) * lda + k), *b = make(n * k), *bias = make(n),
            *c = make((m - 1) * ldc + n);
    exact *want = malloc((size_t)((m - 1) * ldc + n) * sizeof *want);
    int64_t stride_n = transposed ? k : 1, stride_k = transposed ? 1 : n;
    rt_real *packed = make_packed(RT_TYPED(rt_gemm_packed_bytes)(n, k));
    RT_TYPED(rt_gemm_pack)(pool, n, k, b, stride_n, stride_k, packed);
    doubler *d = doubler_make(c, ldc, n);
    rt_post post = {.bias = variant & 8 ? bias : NULL,
                    .clamp = variant & 16,
                    .low = -0.5f,
                    .high = 0.75f,
                    .accumulate = variant & 32,
                    .epilogue = variant & 64 ? double_block : NULL,
                    .context = d};
    for (int64_t i = 0; i < (m - 1) * ldc + n; i++) want[i] = c[i];
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            exact sum = 0;
            for (int64_t s = 0; s < k; s++)
                sum += (exact)a[i * lda + s] * b[j * stride_n + s * stride_k];
            want[i * ldc + j] = post_value(&post, sum, c[i * ldc + j], j);
        }
    expect(RT_TYPED(rt_gemm)(&(rt_team){.pool = pool}, m, n, k, a, lda, packed, c, ldc,
                             variant ? &post : NULL) == 0,
           label);
    check(c, want, (m - 1) * ldc + n, (double)k);
    int once = 1;
    for (int64_t i = 0; i < m * n && i < 1 << 16; i++)
        once &= d->visits[i] == (variant & 64 ? 1 : 0);
    expect(once, "epilogue visits each element once");
    free(a), free(b), free(bias), free(c), free(want), free(packed), free(d);
}

static void test_gemms(void)
{
    static const int64_t sizes[][3] = {
        {1, 1, 1},     {1, 5, 3},      {1, 33, 7},    {1, 768, 100},  {2, 32, 16},
        {3, 31, 1},    {5, 17, 300},   {6, 64, 257},  {7, 48, 513},   {12, 32, 64},
        {13, 40, 65},  {24, 96, 10},   {25, 100, 33}, {49, 512, 600}, {100, 8, 9},
        {128, 24, 70}, {130, 130, 2},  {197, 65, 31}, {400, 33, 5},   {16, 1000, 700},
        {14, 40, 300}, {20, 100, 200}, {9, 24, 130},  {17, 72, 600},  {3, 41, 290}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int variant = 0; variant < 128; variant += i % 3 == 0 ? 5 : 11)
            test_gemm(sizes[i][0], sizes[i][1], sizes[i][2], variant);
    rt_real c[4] = {1, 2, 3, 4}, bias[2] = {7, 8};
    rt_post post = {.bias = bias};
    expect(RT_TYPED(rt_gemm)(&(rt_team){.pool = pool}, 0, 2, 2, c, 2, c, c, 2, NULL) == 0 &&
               c[0] == 1,
           "m = 0 leaves C alone");
    expect(RT_TYPED(rt_gemm)(&(rt_team){.pool = pool}, 2, 2, 0, c, 0, c, c, 2, &post) == 0 &&
               c[0] == 7 && c[3] == 8,
           "k = 0 gives bias");
    rt_real nan_a[2] = {NAN, 1}, nan_c[2], one[64] = {1, 0};
    rt_post relu = {.clamp = 1, .low = 0, .high = INFINITY};
    RT_TYPED(rt_gemm)(&(rt_team){.pool = pool}, 2, 1, 1, nan_a, 1, one, nan_c, 1, &relu);
    expect(isnan(nan_c[0]) && nan_c[1] == 1, "relu keeps NaN");
}

#ifndef RT_F64
/* ---- GEMM with weights of 8 or 4 bits ---- */

static int8_t *make_integers(int64_t count, int bits)
{
    int8_t *p = malloc((size_t)count);
    for (int64_t i = 0; i < count; i++)
        p[i] = (int8_t)((int)((random_float() + 1) * 128) - 128) >> (8 - bits);
    return p;
}

static void test_quantised(int64_t m, int64_t n, int64_t k, int64_t groups, int variant)
{
    int bits = variant & 1 ? 4 : 8, by_depth = variant & 2;
    snprintf(label, sizeof label, "quantised m=%lld n=%lld k=%lld groups=%lld variant=%d",
             (long long)m, (long long)n, (long long)k, (long long)groups, variant);
    float *a = make(m * k), *scales = make(groups * n), *zeros = make(groups * n), *bias = make(n),
          *c = make(m * n);
    int8_t *b = make_integers(n * k, bits);
    int64_t stride_n = by_depth ? k : 1, stride_k = by_depth ? 1 : n;
    uint32_t *packed = (uint32_t *)make_packed(rt_quantised_packed_bytes(bits, n, k));
    double *want = calloc((size_t)(m * n), sizeof *want);
    rt_quantised_pack(pool, bits, n, k, b, stride_n, stride_k, packed);
    doubler *d = doubler_make(c, n, n);
    rt_post post = {.bias = variant & 4 ? bias : NULL,
                    .epilogue = variant & 8 ? double_block : NULL,
                    .context = d};
    rt_quantised g = {.m = m, .n = n, .k = k, .a = a, .lda = k, .bits = bits, .packed = packed};
    g.groups = groups, g.scales = scales, g.scales_row = g.zeros_row = n, g.c = c, g.ldc = n;
    g.zeros = variant & 16 ? zeros : NULL;
    for (int64_t i = 0; i < m * n; i++) {
        double sum = 0;
        for (int64_t s = 0; s < k; s++) {
            int64_t at = s / (k / groups) * n + i % n;
            double q = b[i % n * stride_n + s * stride_k];
            sum += a[i / n * k + s] * (q - (g.zeros ? zeros[at] : 0)) * scales[at];
        }
        want[i] = post_value(&post, sum, 0, i % n);
    }
    expect(rt_quantised_f32(&(rt_team){.pool = pool}, &g, &post) == 0, label);
    check(c, want, m * n, 128.0 * 128 * (double)k);
    free(a), free(scales), free(zeros), free(bias), free(c), free(b), free(packed), free(want),
        free(d);
}

/* Integers of 4 bits: infinity in a row stays what it is, though other rows go another way. */
static void test_quantised_infinity(void)
{
    enum { N = 3, K = 16 };
    int8_t b[N * K];
    float a[2 * K], c[2 * N], scales[N] = {1, 2, 3}, zeros[N] = {-3, 9, 1};
    uint32_t *packed = (uint32_t *)make_packed(rt_quantised_packed_bytes(4, N, K));
    for (int i = 0; i < N * K; i++) b[i] = 1;
    for (int i = 0; i < 2 * K; i++) a[i] = 1;
    a[5] = INFINITY;
    rt_quantised_pack(pool, 4, N, K, b, K, 1, packed);
    rt_quantised g = {.m = 2, .n = N, .k = K, .a = a, .lda = K, .bits = 4, .packed = packed};
    g.groups = 1, g.scales = scales, g.zeros = zeros, g.c = c, g.ldc = N;
    expect(rt_quantised_f32(&(rt_team){.pool = pool}, &g, &(rt_post){0}) == 0, "infinity");
    expect(c[0] == INFINITY && c[1] == -INFINITY && isnan(c[2]), "infinity times a weight");
    expect(c[3] == 4 * K && c[4] == -16 * K && c[5] == 0, "the row beside infinity");
    free(packed);
}

/* Rows so small that a part of them would be subnormal are as precise as others. */
static void test_quantised_tiny(void)
{
    enum { N = 20, K = 64 };
    const float tiny = 0x1p-120f;
    float a[K], small[K], c[N], small_c[N], scales[N];
    int8_t b[N * K];
    uint32_t *packed = (uint32_t *)make_packed(rt_quantised_packed_bytes(4, N, K));
    for (int i = 0; i < K; i++) a[i] = random_float();
    for (int i = 0; i < K; i++) small[i] = a[i] * tiny;
    for (int i = 0; i < N * K; i++) b[i] = (int8_t)(i * 7 % 16 - 8);
    rt_quantised_pack(pool, 4, N, K, b, K, 1, packed);
    rt_quantised g = {.m = 1, .n = N, .k = K, .a = a, .lda = K, .bits = 4, .packed = packed};
    for (int i = 0; i < N; i++) scales[i] = 1;
    g.groups = 1, g.scales = scales, g.c = c, g.ldc = N;
    expect(rt_quantised_f32(&(rt_team){.pool = pool}, &g, &(rt_post){0}) == 0, "rows");
    g.a = small, g.c = small_c;
    expect(rt_quantised_f32(&(rt_team){.pool = pool}, &g, &(rt_post){0}) == 0, "tiny rows");
    for (int i = 0; i < N; i++)
        expect(fabs((double)small_c[i] / tiny - (double)c[i]) <= 1e-4, "a tiny row times a weight");
    free(packed);
}

static void test_quantiseds(void)
{
    static const int64_t sizes[][4] = {
        {1, 1, 1, 1},     {1, 5, 3, 1},       {1, 70, 256, 4},   {1, 64, 515, 1},
        {2, 33, 96, 3},   {3, 40, 300, 1},    {4, 96, 128, 4},   {7, 65, 72, 1},
        {9, 31, 80, 5},   {5, 31, 64, 2},     {6, 64, 7, 1},     {13, 17, 200, 25},
        {30, 64, 417, 1}, {49, 100, 384, 3},  {130, 40, 512, 4}, {400, 33, 40, 5},
        {3, 1, 64, 2},    {1, 33, 4096, 128}, {8, 31, 96, 12},   {31, 3, 33, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int variant = 0; variant < 32; variant += i % 2 ? 1 : 3)
            test_quantised(sizes[i][0], sizes[i][1], sizes[i][2], sizes[i][3], variant);
    test_quantised_infinity();
    test_quantised_tiny();
}

/* Counts each element of C that is in a block, and says where it was not there yet. */
typedef struct counter {
    const int32_t *c, *want;
    int64_t ldc, n;
    _Atomic int64_t elements, wrong;
} counter;

static void count_block(void *context, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    counter *d = context;
    for (int64_t i = m0; i < m1; i++)
        for (int64_t j = n0; j < n1; j++)
            if (d->c[i * d->ldc + j] != d->want[i * d->n + j]) d->wrong++;
    d->elements += (m1 - m0) * (n1 - n0);
}

/* variant: 1 unsigned, 2 pairs where there are bytes, 4 the largest magnitudes alone */
static void test_integers(int64_t m, int64_t n, int64_t k, int variant)
{
    snprintf(label, sizeof label, "integers m=%lld n=%lld k=%lld variant=%d", (long long)m,
             (long long)n, (long long)k, variant);
    int64_t lda = k + 3, ldc = n + 2;
    int8_t *a = make_integers(m * lda, 8), *b = make_integers(n * k, 8);
    if (variant & 4) memset(a, variant & 1 ? 255 : -128, (size_t)(m * lda));
    if (variant & 4) memset(b, -128, (size_t)(n * k));
    int32_t *c = calloc((size_t)(m * ldc), sizeof *c), *want = calloc((size_t)(m * n), sizeof *c);
    uint32_t *packed = (uint32_t *)make_packed(rt_quantised_packed_bytes(8, n, k));
    rt_quantised_pack(pool, 8, n, k, b, k, 1, packed);
    for (int64_t i = 0; i < m * n; i++)
        for (int64_t s = 0; s < k; s++) {
            int8_t left = a[i / n * lda + s];
            want[i] += (variant & 1 ? (uint8_t)left : left) * b[i % n * k + s];
        }
    counter d = {.c = c, .want = want, .ldc = ldc, .n = n};
    rt_post post = {.epilogue = count_block, .context = &d};
    rt_integers g = {.m = m, .n = n, .k = k, .a = a, .lda = lda, .packed = packed, .c = c};
    g.ldc = ldc, g.is_unsigned = variant & 1, g.by_pairs = variant & 2;
    expect(rt_integers_i32(&(rt_team){.pool = pool}, &g, &post) == 0, label);
    expect(d.wrong == 0 && d.elements == m * n, label);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = n; j < ldc; j++) expect(c[i * ldc + j] == 0, label);
    free(a), free(b), free(c), free(want), free(packed);
}

static void test_products_of_integers(void)
{
    static const int64_t sizes[][3] = {{1, 1, 1},    {1, 31, 3},    {3, 33, 4},    {31, 3, 67},
                                       {33, 1, 33},  {2, 32, 64},   {4, 17, 65},   {5, 9, 255},
                                       {13, 64, 31}, {70, 40, 129}, {300, 70, 68}, {7, 5, 4100}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int variant = 0; variant < 8; variant++)
            test_integers(sizes[i][0], sizes[i][1], sizes[i][2], variant);
    for (int64_t m = 1; m < 30; m++) test_integers(m, 34, 21, (int)m % 4);
}

#endif

/* Long sums are made in parts: the root of the mean square error stays below what one running sum has,
 * 2e-5 over 4096 products of numbers in [-1, 1]. */
static void expect_more_precise(const rt_real *c, const exact *want, int64_t count, double most,
                                const char *what)
{
    double square = 0;
    for (int64_t i = 0; i < count; i++) square += (double)((c[i] - want[i]) * (c[i] - want[i]));
    double error = sqrt(square / (double)count);
    snprintf(label, sizeof label, "%s: error %g", what, error);
    expect(error < most, label);
}

static void expect_precise(const rt_real *c, const exact *want, int64_t count, const char *what)
{
    expect_more_precise(c, want, count, 10 * PRECISION, what);
}

static void test_long_sums(int64_t m, int64_t n)
{
    enum { K = 4096 };
    rt_real *a = make(m * K), *b = make(K * n), *c = make(m * n), *at = make(K * n);
    rt_real *packed = make_packed(RT_TYPED(rt_gemm_packed_bytes)(n, K));
    exact *want = calloc((size_t)(m * n), sizeof *want);
    for (int64_t k = 0; k < K; k++)
        for (int64_t j = 0; j < n; j++) at[j * K + k] = b[k * n + j];
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < K; k++)
            for (int64_t j = 0; j < n; j++) want[i * n + j] += (exact)a[i * K + k] * b[k * n + j];
    rt_team team = {.pool = pool};
    RT_TYPED(rt_gemm_pack)(pool, n, K, b, 1, n, packed);
    RT_TYPED(rt_gemm)(&team, m, n, K, a, K, packed, c, n, NULL);
    expect_precise(c, want, m * n, "gemm");
    rt_bmm g = {.batch = 1, .m = m, .n = n, .k = K, .alpha = 1, .a = a, .a_row = K, .a_col = 1};
    g.b = b, g.b_row = n, g.b_col = 1, g.c = c, g.c_row = n, g.c_col = 1;
    RT_TYPED(rt_bmm)(&team, &g);
    expect_precise(c, want, m * n, "bmm by columns");
    g.b = at, g.b_row = 1, g.b_col = K;
    RT_TYPED(rt_bmm)(&team, &g);
    expect_precise(c, want, m * n, "bmm by depth");
    rt_conv v = {.batch = 1, .in_channels = 512, .out_channels = n, .groups = 1, .x_channel = 1};
    for (int i = 0; i < 3; i++) v.in[i] = v.kernel[i] = v.stride[i] = v.dilation[i] = v.out[i] = 1;
    v.in[2] = 8 * m, v.kernel[2] = v.stride[2] = 8, v.out[2] = m;
    v.x[2] = 512, v.x_batch = v.x[0] = v.x[1] = m * K, v.y_row = n;
    const int64_t strides[] = {1, n, 0, 0, n * 512};
    rt_real *filter = make_packed(RT_TYPED(rt_conv_packed_bytes)(&v));
    RT_TYPED(rt_conv_pack)(pool, &v, b, strides, filter);
    RT_TYPED(rt_conv)(&team, &v, a, filter, c, NULL);
    expect_precise(c, want, m * n, "convolution");
    v.in_channels = 8, v.in[2] = 512 * m, v.kernel[2] = v.stride[2] = 512, v.x[2] = 8;
    const int64_t wide[] = {1, n, 0, 0, n * 8};
    RT_TYPED(rt_conv_pack)(pool, &v, b, wide, filter);
    RT_TYPED(rt_conv)(&team, &v, a, filter, c, NULL);
    expect_more_precise(c, want, m * n, 4 * PRECISION,
                        "convolution with a window as large as an image");
    free(a), free(b), free(c), free(at), free(packed), free(want), free(filter);
}

/* ---- batched GEMM ---- */

static void test_bmm(int64_t batch, int64_t m, int64_t n, int64_t k, int variant)
{
    snprintf(label, sizeof label, "bmm b=%lld m=%lld n=%lld k=%lld variant=%d", (long long)batch,
             (long long)m, (long long)n, (long long)k, variant);
    rt_bmm g = {.batch = batch, .m = m, .n = n, .k = k, .alpha = variant & 8 ? 0.125f : 1.0f};
    g.a_row = variant & 1 ? 1 : k;
    g.a_col = variant & 1 ? m : 1;
    g.b_row = variant & 2 ? 1 : n;
    g.b_col = variant & 2 ? k : 1;
    g.c_row = variant & 4 ? 1 : n;
    g.c_col = variant & 4 ? m : 1;
    g.a_batch = variant & 16 ? 0 : m * k;
    g.b_batch = variant & 32 ? 0 : k * n;
    g.c_batch = m * n;
    rt_real *a = make(batch * m * k), *b = make(batch * n * k), *c = make(batch * m * n);
    exact *want = malloc((size_t)(batch * m * n + 1) * sizeof *want);
    for (int64_t p = 0; p < batch; p++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                exact sum = 0;
                for (int64_t s = 0; s < k; s++)
                    sum += (exact)a[p * g.a_batch + i * g.a_row + s * g.a_col] *
                           b[p * g.b_batch + s * g.b_row + j * g.b_col];
                want[p * g.c_batch + i * g.c_row + j * g.c_col] =
                    g.alpha * sum * (variant & 64 && !(variant & 4) ? 2 : 1);
            }
    g.a = a;
    g.b = b;
    g.c = c;
    doubler *d = doubler_make(c, n, n);
    if (variant & 64 && !(variant & 4)) {
        g.epilogue = double_block;
        g.context = d;
    }
    expect(RT_TYPED(rt_bmm)(&(rt_team){.pool = pool}, &g) == 0, label);
    check(c, want, batch * m * n, (double)k);
    free(a), free(b), free(c), free(want), free(d);
}

static void test_bmms(void)
{
    static const int64_t sizes[][4] = {{1, 1, 1, 1},     {3, 1, 7, 5},    {2, 5, 33, 17},
                                       {4, 128, 64, 32}, {5, 13, 40, 70}, {1, 200, 90, 3},
                                       {12, 6, 16, 9},   {2, 1, 300, 64}, {1, 300, 70, 600},
                                       {2, 3, 1, 40},    {0, 3, 3, 3},    {2, 4, 4, 0}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int variant = 0; variant < 128; variant += i == 8 ? 7 : 1)
            test_bmm(sizes[i][0], sizes[i][1], sizes[i][2], sizes[i][3], variant);
}

/* ---- convolution ---- */

typedef struct conv_shape {
    int64_t batch, in_channels, out_channels, groups;
    int64_t in[3], kernel[3], stride[3], pad[3], dilation[3];
} conv_shape;

/* The input position under an output position, -1 where there is none. */
static int64_t conv_source(const rt_conv *g, int axis, int64_t out, int64_t tap)
{
    int64_t at = g->transposed ? out + g->pad[axis] - tap * g->dilation[axis]
                               : out * g->stride[axis] - g->pad[axis] + tap * g->dilation[axis];
    if (at < 0 || (g->transposed && at % g->stride[axis])) return -1;
    if (g->transposed) at /= g->stride[axis];
    return at < g->in[axis] ? at : -1;
}

static exact conv_value(const rt_conv *g, const rt_real *x, const rt_real *weight, int64_t image,
                        int64_t o, const int64_t *out)
{
    int64_t group_in = g->in_channels / g->groups, group_out = g->out_channels / g->groups,
            taps = g->kernel[0] * g->kernel[1] * g->kernel[2],
            from = image * g->x_batch + o / group_out * group_in * g->x_channel,
            filter =
                g->transposed ? o / group_out * group_in * group_out + o % group_out : o * group_in,
            step = taps * (g->transposed ? group_out : 1);
    exact sum = 0;
    /* taps outside: where one reads is the same for all channels */
    for (int64_t tap = 0; tap < taps; tap++) {
        int64_t place[3] = {tap / g->kernel[2] / g->kernel[1], tap / g->kernel[2] % g->kernel[1],
                            tap % g->kernel[2]};
        int64_t at = from;
        int inside = 1;
        for (int axis = 0; axis < 3; axis++) {
            int64_t source = conv_source(g, axis, out[axis], place[axis]);
            inside &= source >= 0;
            at += source * g->x[axis];
        }
        if (!inside) continue;
        const rt_real *w = weight + filter * taps + tap;
        for (int64_t i = 0; i < group_in; i++) sum += (exact)w[i * step] * x[at + i * g->x_channel];
    }
    return sum;
}

static rt_conv conv_of(const conv_shape *shape, int transposed)
{
    rt_conv g = {.batch = shape->batch,
                 .in_channels = shape->in_channels,
                 .out_channels = shape->out_channels,
                 .groups = shape->groups,
                 .transposed = transposed};
    for (int axis = 0; axis < 3; axis++) {
        g.in[axis] = shape->in[axis];
        g.kernel[axis] = shape->kernel[axis];
        g.stride[axis] = shape->stride[axis];
        g.pad[axis] = shape->pad[axis];
        g.dilation[axis] = shape->dilation[axis];
        int64_t window = g.dilation[axis] * (g.kernel[axis] - 1) + 1;
        g.out[axis] = transposed ? (g.in[axis] - 1) * g.stride[axis] + window - 2 * g.pad[axis]
                                 : (g.in[axis] + 2 * g.pad[axis] - window) / g.stride[axis] + 1;
    }
    return g;
}

/* tile: of Winograd's algorithm, or 0. */
static void test_conv(const conv_shape *shape, int transposed, int tile, int variant)
{
    rt_conv g = conv_of(shape, transposed);
    g.tile = tile;
    int first_channels = variant & 1;
    int64_t spatial = g.in[0] * g.in[1] * g.in[2];
    int64_t step = first_channels ? 1 : g.in_channels;
    g.x_channel = first_channels ? spatial : 1;
    for (int axis = 2; axis >= 0; axis--) {
        g.x[axis] = step;
        step *= g.in[axis];
    }
    g.x_batch = spatial * g.in_channels;
    g.y_row = g.out_channels + (variant & 2 ? 3 : 0);
    g.y_channel = 1;
    g.y[2] = g.y_row;
    g.y[1] = g.y[2] * g.out[2];
    g.y[0] = g.y[1] * g.out[1];
    g.y_batch = g.y[0] * g.out[0];
    snprintf(label, sizeof label,
             "conv%s b=%lld c=%lld>%lld g=%lld in=%lldx%lldx%lld k=%lldx%lldx%lld s=%lld tile=%d "
             "variant=%d",
             transposed ? " transposed" : "", (long long)g.batch, (long long)g.in_channels,
             (long long)g.out_channels, (long long)g.groups, (long long)g.in[0], (long long)g.in[1],
             (long long)g.in[2], (long long)g.kernel[0], (long long)g.kernel[1],
             (long long)g.kernel[2], (long long)g.stride[2], tile, variant);
    int64_t group_in = g.in_channels / g.groups, taps = g.kernel[0] * g.kernel[1] * g.kernel[2];
    int64_t pixels = g.batch * g.out[0] * g.out[1] * g.out[2],
            size = (pixels - 1) * g.y_row + g.out_channels;
    rt_real *x = make(g.batch * g.x_batch), *weight = make(g.out_channels * group_in * taps);
    rt_real *bias = make(g.out_channels), *y = make(size),
            *packed = make_packed(RT_TYPED(rt_conv_packed_bytes)(&g));
    exact *want = malloc((size_t)size * sizeof *want);
    RT_TYPED(rt_conv_pack)(pool, &g, weight, NULL, packed);
    doubler *d = doubler_make(y, g.y_row, g.out_channels);
    rt_post post = {.bias = variant & 4 ? bias : NULL,
                    .clamp = variant & 8,
                    .low = -1.0f,
                    .high = 1.5f,
                    .accumulate = variant & 16,
                    .epilogue = variant & 32 ? double_block : NULL,
                    .context = d};
    for (int64_t i = 0; i < size; i++) want[i] = y[i];
    for (int64_t m = 0; m < pixels; m++) {
        int64_t out[3] = {m / g.out[2] / g.out[1] % g.out[0], m / g.out[2] % g.out[1],
                          m % g.out[2]};
        int64_t image = m / g.out[2] / g.out[1] / g.out[0];
        for (int64_t o = 0; o < g.out_channels; o++)
            want[m * g.y_row + o] =
                post_value(&post, conv_value(&g, x, weight, image, o, out), y[m * g.y_row + o], o);
    }
    expect(RT_TYPED(rt_conv)(&(rt_team){.pool = pool}, &g, x, packed, y, &post) == 0, label);
    check(y, want, size, (double)(group_in * taps));
    int once = 1;
    for (int64_t i = 0; i < pixels * g.out_channels && i < 1 << 16; i++)
        once &= d->visits[i] == (variant & 32 ? 1 : 0);
    expect(once, "epilogue visits each pixel and channel once");
    free(x), free(weight), free(bias), free(y), free(packed), free(want), free(d);
}

#ifndef RT_F64
/* One number of the gradient of a weight whose output has pixels in order, channels last. */
static double conv_weight_value(const rt_conv *g, const float *x, const float *grad, int64_t o,
                                int64_t i, const int64_t *tap)
{
    int64_t group_in = g->in_channels / g->groups, group_out = g->out_channels / g->groups;
    int64_t out[3], at[3];
    double sum = 0;
    x += (o / group_out * group_in + i) * g->x_channel;
    for (int64_t image = 0; image < g->batch; image++, x += g->x_batch)
        for (out[0] = 0; out[0] < g->out[0]; out[0]++)
            for (out[1] = 0; out[1] < g->out[1]; out[1]++)
                for (out[2] = 0; out[2] < g->out[2]; out[2]++, grad += g->out_channels) {
                    int inside = 1;
                    for (int axis = 0; axis < 3; axis++) {
                        at[axis] = conv_source(g, axis, out[axis], tap[axis]);
                        inside &= at[axis] >= 0;
                    }
                    if (!inside) continue;
                    sum += (double)grad[o] * x[at[0] * g->x[0] + at[1] * g->x[1] + at[2] * g->x[2]];
                }
    return sum;
}

/* first_channels: of x; the weight's last two axes are exchanged in memory. */
/* first_channels: of the input; last_channels: of the weight's gradient */
static void test_conv_weight(const conv_shape *shape, int first_channels, int last_channels)
{
    rt_conv g = conv_of(shape, 0);
    int64_t spatial = g.in[0] * g.in[1] * g.in[2], step = first_channels ? 1 : g.in_channels;
    int64_t pixels = g.batch * g.out[0] * g.out[1] * g.out[2];
    g.x_channel = first_channels ? spatial : 1;
    g.x_batch = spatial * g.in_channels;
    g.y_channel = 1;
    g.y_batch = g.out[0] * g.out[1] * g.out[2] * g.out_channels;
    g.y[2] = g.out_channels;
    g.y[1] = g.y[2] * g.out[2];
    g.y[0] = g.y[1] * g.out[1];
    for (int axis = 2; axis >= 0; axis--) {
        g.x[axis] = step;
        step *= g.in[axis];
    }
    snprintf(label, sizeof label, "conv_weight c=%lld>%lld g=%lld in=%lldx%lldx%lld k=%lldx%lld",
             (long long)g.in_channels, (long long)g.out_channels, (long long)g.groups,
             (long long)g.in[0], (long long)g.in[1], (long long)g.in[2], (long long)g.kernel[1],
             (long long)g.kernel[2]);
    int64_t group_in = g.in_channels / g.groups, taps = g.kernel[0] * g.kernel[1] * g.kernel[2];
    int64_t size = g.out_channels * group_in * taps, tap[3];
    int64_t each = last_channels ? group_in : 1;
    int64_t strides[5] = {group_in * taps, last_channels ? 1 : taps,
                          g.kernel[1] * g.kernel[2] * each, each, g.kernel[1] * each};
    float *x = make(g.batch * g.x_batch), *grad = make(pixels * g.out_channels), *w = make(size);
    double *want = malloc((size_t)size * sizeof *want);
    for (int64_t o = 0; o < g.out_channels; o++)
        for (int64_t i = 0; i < group_in; i++)
            for (tap[0] = 0; tap[0] < g.kernel[0]; tap[0]++)
                for (tap[1] = 0; tap[1] < g.kernel[1]; tap[1]++)
                    for (tap[2] = 0; tap[2] < g.kernel[2]; tap[2]++)
                        want[o * strides[0] + i * strides[1] + tap[0] * strides[2] +
                             tap[1] * strides[3] + tap[2] * strides[4]] =
                            conv_weight_value(&g, x, grad, o, i, tap);
    expect(rt_conv_weight_f32(&(rt_team){.pool = pool}, &g, x, grad, w, strides) == 0, label);
    check(w, want, size, (double)pixels);
    free(x), free(grad), free(w), free(want);
}

#endif

static void test_convs(void)
{
    static const conv_shape shapes[] = {
        /* batch, in, out, groups, input, kernel, stride, pad, dilation */
        {1, 3, 16, 1, {1, 20, 21}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}},
        {2, 3, 24, 1, {1, 19, 23}, {1, 7, 7}, {1, 2, 2}, {0, 3, 3}, {1, 1, 1}},
        {1, 3, 40, 1, {1, 32, 32}, {1, 16, 16}, {1, 16, 16}, {0, 0, 0}, {1, 1, 1}},
        {1, 1, 5, 1, {1, 9, 9}, {1, 5, 3}, {1, 1, 1}, {0, 2, 0}, {1, 1, 2}},
        {1, 16, 32, 1, {1, 13, 13}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
        {2, 20, 33, 1, {1, 7, 7}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
        {1, 70, 100, 1, {1, 7, 7}, {1, 3, 3}, {1, 1, 1}, {0, 2, 2}, {1, 2, 2}},
        {2, 12, 31, 1, {1, 8, 8}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}},
        {1, 300, 17, 1, {1, 5, 4}, {1, 1, 1}, {1, 2, 2}, {0, 0, 0}, {1, 1, 1}},
        {1, 320, 20, 1, {1, 4, 4}, {1, 2, 2}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
        {1, 16, 24, 4, {1, 8, 8}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
        {1, 24, 48, 2, {1, 8, 8}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}},
        {1, 6, 12, 6, {1, 8, 8}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
        {1, 4, 6, 1, {3, 6, 5}, {2, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
        {1, 10, 6, 1, {4, 6, 5}, {3, 3, 3}, {2, 1, 1}, {1, 1, 1}, {1, 1, 1}},
        {2, 9, 14, 1, {1, 1, 50}, {1, 1, 5}, {1, 1, 2}, {0, 0, 2}, {1, 1, 1}},
        {1, 2, 14, 1, {1, 1, 50}, {1, 1, 5}, {1, 1, 1}, {0, 0, 4}, {1, 1, 3}},
        {1, 16, 16, 16, {1, 14, 14}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
        {2, 72, 72, 72, {1, 9, 13}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}},
        {1, 40, 40, 40, {1, 14, 14}, {1, 5, 5}, {1, 1, 1}, {0, 2, 2}, {1, 1, 1}},
        {1, 120, 120, 120, {1, 7, 7}, {1, 5, 5}, {1, 2, 2}, {0, 2, 2}, {1, 1, 1}},
        {1, 5, 5, 5, {1, 7, 7}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
        {1, 33, 33, 33, {1, 12, 11}, {1, 4, 7}, {1, 1, 1}, {0, 3, 3}, {1, 1, 1}},
        {1, 35, 35, 35, {1, 12, 11}, {1, 3, 3}, {1, 1, 1}, {0, 2, 2}, {1, 2, 2}},
        {1, 20, 20, 20, {3, 5, 6}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
        {1, 16, 16, 16, {1, 2, 2}, {1, 5, 5}, {1, 1, 1}, {0, 2, 2}, {1, 1, 1}},
        {1, 1, 1, 1, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}},
        {3, 64, 64, 1, {1, 6, 6}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
        {1, 5, 9, 1, {1, 1, 600}, {1, 1, 3}, {1, 1, 1}, {0, 0, 1}, {1, 1, 2}},
        {1, 3, 8, 1, {1, 9, 77}, {1, 3, 2}, {1, 1, 1}, {0, 1, 0}, {1, 1, 1}},
        {2, 40, 2, 1, {1, 11, 9}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}},
        {2, 13, 3, 1, {1, 37, 41}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}},
        {1, 6, 12, 6, {3, 9, 8}, {2, 3, 3}, {2, 1, 3}, {0, 2, 1}, {1, 3, 2}},
        {1, 4, 12, 4, {1, 1, 2300}, {1, 1, 5}, {1, 1, 2}, {0, 0, 3}, {1, 1, 2}},
        {2, 7, 7, 7, {1, 70, 30}, {1, 3, 5}, {1, 3, 1}, {0, 0, 2}, {1, 2, 1}},
        {1, 12, 12, 3, {1, 9, 10}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
        {2, 60, 60, 15, {1, 9, 7}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}},
        {1, 36, 36, 9, {1, 8, 9}, {1, 5, 5}, {1, 1, 1}, {0, 4, 4}, {1, 2, 2}},
        {1, 24, 24, 6, {3, 5, 6}, {2, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
        {1, 20, 20, 5, {1, 9, 9}, {1, 7, 7}, {1, 1, 1}, {0, 3, 3}, {1, 1, 1}},
        {1, 128, 128, 32, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}},
        {1, 40, 40, 5, {1, 14, 14}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
        {2, 48, 48, 3, {1, 11, 9}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}},
        {1, 48, 48, 2, {1, 7, 7}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
        {1, 64, 64, 2, {1, 7, 7}, {1, 9, 9}, {1, 1, 1}, {0, 4, 4}, {1, 1, 1}},
        {1, 24, 24, 3, {1, 9, 9}, {1, 9, 9}, {1, 1, 1}, {0, 4, 4}, {1, 1, 1}},
        {1, 16, 32, 4, {1, 9, 9}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
        {1, 4, 4, 4, {1, 5, 13}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
        {1, 7, 7, 7, {1, 6, 21}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}},
        {1, 12, 12, 12, {1, 6, 13}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
        {1, 15, 15, 15, {1, 8, 11}, {1, 5, 5}, {1, 1, 1}, {0, 2, 2}, {1, 1, 1}},
        {1, 28, 28, 28, {1, 8, 15}, {1, 5, 5}, {1, 2, 2}, {0, 2, 2}, {1, 1, 1}},
        {1, 26, 26, 26, {1, 9, 10}, {1, 7, 7}, {1, 1, 1}, {0, 3, 3}, {1, 1, 1}},
        {1, 22, 22, 22, {1, 10, 10}, {1, 9, 9}, {1, 1, 1}, {0, 4, 4}, {1, 1, 1}},
        {1, 40, 40, 40, {1, 10, 33}, {1, 9, 9}, {1, 1, 1}, {0, 4, 4}, {1, 1, 1}},
        {2, 23, 23, 23, {1, 12, 40}, {1, 7, 7}, {1, 2, 2}, {0, 3, 3}, {1, 1, 1}},
        {1, 19, 19, 19, {3, 6, 37}, {2, 2, 3}, {1, 1, 3}, {1, 0, 2}, {1, 1, 2}},
        {2, 24, 48, 24, {1, 12, 31}, {1, 7, 7}, {1, 2, 2}, {0, 3, 3}, {1, 1, 1}},
        {1, 33, 66, 33, {1, 9, 15}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
        {1, 10, 40, 10, {1, 9, 20}, {1, 3, 5}, {1, 1, 1}, {0, 1, 4}, {1, 1, 2}},
        {1, 2, 8, 2, {3, 5, 14}, {2, 3, 3}, {1, 2, 1}, {1, 1, 1}, {1, 1, 1}},
        {2, 3, 6, 3, {1, 6, 13}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
        {1, 16, 64, 16, {1, 1, 90}, {1, 1, 9}, {1, 1, 4}, {0, 0, 4}, {1, 1, 1}},
    };
#ifndef RT_F64
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int first_channels = 0; first_channels < 2; first_channels++)
            for (int last_channels = 0; last_channels < 2; last_channels++)
                test_conv_weight(&shapes[i], first_channels, last_channels);
#endif
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int variant = 0; variant < 64; variant += 3) {
            test_conv(&shapes[i], 0, 0, variant);
            if (!(variant & 32) && shapes[i].stride[2] < 16) test_conv(&shapes[i], 1, 0, variant);
        }
}

#ifndef RT_F64
/* By Winograd's algorithm: sizes that no tile divides, or less than one; more tiles than are in work at a
 * time. */
static void test_tiles(void)
{
    static const struct {
        int64_t batch, in, out, height, width, pad;
    } shapes[] = {{1, 32, 32, 8, 8, 1},  {2, 33, 31, 7, 9, 1},  {1, 16, 64, 5, 6, 0},
                  {3, 20, 100, 3, 3, 0}, {1, 40, 33, 1, 1, 1},  {2, 64, 40, 6, 11, 2},
                  {1, 3, 1, 13, 10, 1},  {1, 36, 48, 4, 50, 1}, {1, 70, 16, 2, 23, 2},
                  {5, 64, 3, 28, 28, 1}, {1, 512, 5, 25, 17, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int variant = 0; variant < 64; variant += i >= 9 ? 31 : 3) {
            conv_shape shape = {shapes[i].batch,
                                shapes[i].in,
                                shapes[i].out,
                                1,
                                {1, shapes[i].height, shapes[i].width},
                                {1, 3, 3},
                                {1, 1, 1},
                                {0, shapes[i].pad, shapes[i].pad},
                                {1, 1, 1}};
            test_conv(&shape, 0, 2, variant);
            test_conv(&shape, 0, 4, variant);
        }
}

/* Of results that are 16 in the root of the mean square; direct ones are 4e-6 off. */
static void test_precision_of_tiles(int tile, double most)
{
    enum { CHANNELS = 256, OUT = 32, SIDE = 12 };
    const conv_shape shape = {1,         CHANNELS,  OUT,       1,        {1, SIDE, SIDE},
                              {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}};
    rt_conv g = conv_of(&shape, 0);
    g.tile = tile, g.x_channel = 1, g.y_row = OUT;
    g.x[2] = CHANNELS, g.x[1] = SIDE * CHANNELS;
    float *x = make(SIDE * SIDE * CHANNELS), *weight = make(OUT * CHANNELS * 9),
          *y = make(SIDE * SIDE * OUT), *packed = make_packed(rt_conv_packed_bytes_f32(&g));
    double *want = malloc(SIDE * SIDE * OUT * sizeof *want);
    for (int64_t m = 0; m < SIDE * SIDE; m++)
        for (int64_t o = 0; o < OUT; o++)
            want[m * OUT + o] = conv_value(&g, x, weight, 0, o, (int64_t[]){0, m / SIDE, m % SIDE});
    rt_conv_pack_f32(pool, &g, weight, NULL, packed);
    rt_conv_f32(&(rt_team){.pool = pool}, &g, x, packed, y, NULL);
    expect_more_precise(y, want, SIDE * SIDE * OUT, most, tile == 4 ? "F(4x4,3x3)" : "F(2x2,3x3)");
    free(x), free(weight), free(y), free(packed), free(want);
}

/* ---- attention ---- */

static double mask_value(const rt_sdpa *g, int64_t b, int64_t h, int64_t s, int64_t t)
{
    if (g->causal && t > s) return -INFINITY;
    int64_t at = b * g->mask_stride[0] + h * g->mask_stride[1] + s * g->mask_stride[2] +
                 t * g->mask_stride[3];
    if (g->mask_kind == RT_MASK_BOOL) return ((const unsigned char *)g->mask)[at] ? 0 : -INFINITY;
    return g->mask_kind == RT_MASK_FLOAT ? (double)((const float *)g->mask)[at] : 0;
}

static void sdpa_row(const rt_sdpa *g, int64_t b, int64_t h, int64_t s, double *weights,
                     double *out)
{
    int64_t kv = h / (g->heads / g->kv_heads);
    double max = -INFINITY, sum = 0;
    for (int64_t t = 0; t < g->kv_len; t++) {
        double score = 0;
        for (int64_t d = 0; d < g->head_dim; d++)
            score += (double)g->q[b * g->q_stride[0] + h * g->q_stride[1] + s * g->q_stride[2] +
                                  d * g->q_stride[3]] *
                     ((const float *)g->k)[b * g->k_stride[0] + kv * g->k_stride[1] +
                                           t * g->k_stride[2] + d * g->k_stride[3]];
        weights[t] = g->scale * score + mask_value(g, b, h, s, t);
        if (g->replaces && g->mask_kind == RT_MASK_BOOL && mask_value(g, b, h, s, t) != 0)
            weights[t] = -INFINITY;
        max = weights[t] > max ? weights[t] : max;
    }
    for (int64_t t = 0; t < g->kv_len; t++) {
        weights[t] = max == -INFINITY && !isnan(weights[t]) ? 0 : exp(weights[t] - max);
        sum += weights[t];
    }
    for (int64_t d = 0; d < g->value_dim; d++) {
        double value = 0;
        for (int64_t t = 0; t < g->kv_len; t++)
            value += weights[t] * ((const float *)g->v)[b * g->v_stride[0] + kv * g->v_stride[1] +
                                                        t * g->v_stride[2] + d * g->v_stride[3]];
        out[d] = sum == 0 ? (g->masked_nan ? (double)NAN : value) : value / sum;
    }
}

/* x cut to 16 bits, and what these are; of f16 what is small is 0. */
static uint16_t cut_to_half(float *x, int is_bf16)
{
    uint32_t bits;
    memcpy(&bits, x, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff, half = bits >> 16;
    if (!is_bf16)
        half = sign | (size > 0x7f800000    ? 0x7e00
                       : size == 0x7f800000 ? 0x7c00
                       : size < 0x38800000  ? 0
                                            : (size - 0x38000000) >> 13);
    *x = rt_float_of_half((uint16_t)half, is_bf16);
    return (uint16_t)half;
}

/* Exactly as many as there are. */
static uint16_t *cut_to_halves(float *x, int64_t count, int is_bf16)
{
    uint16_t *halves = malloc((size_t)(count ? count : 1) * sizeof *halves);
    for (int64_t i = 0; i < count; i++) halves[i] = cut_to_half(x + i, is_bf16);
    return halves;
}

/* Strides of [b, h, s, d] stored in one of three orders. */
static void layout(int64_t *stride, int64_t heads, int64_t length, int64_t dim, int order)
{
    int64_t plain[4] = {heads * length * dim, length * dim, dim, 1};
    int64_t by_token[4] = {length * heads * dim, dim, heads * dim, 1};
    int64_t by_dim[4] = {heads * length * dim, length * dim, 1, length};
    memcpy(stride, order == 0 ? plain : order == 1 ? by_token : by_dim, sizeof plain);
}

/* Hides the keys of [t] outside of a band around each of [s] query rows, and all from the last. */
static void hide_by_band(float *mask, unsigned char *bytes, int64_t s, int64_t t)
{
    for (int64_t i = 0; i < s * t; i++) {
        int64_t row = i / t, middle = t / 3 + row, far = i % t - middle;
        bytes[i] = far > -20 && far < 20 && row != s - 1;
        mask[i] = bytes[i] ? random_float() : -INFINITY;
    }
}

enum { SDPA_BAND = 72, SDPA_BAND_BAD_VALUE = 144, SDPA_VARIANTS = 216 };

static void test_sdpa(int64_t batch, int64_t heads, int64_t kv_heads, int64_t s, int64_t t,
                      int64_t d, int64_t dv, int variant)
{
    snprintf(label, sizeof label, "sdpa b=%lld h=%lld/%lld s=%lld t=%lld d=%lld/%lld variant=%d",
             (long long)batch, (long long)heads, (long long)kv_heads, (long long)s, (long long)t,
             (long long)d, (long long)dv, variant);
    int order = variant % 3, kind = variant / 3 % 3;
    float *q = make(batch * heads * s * d), *k = make(batch * kv_heads * t * d);
    float *v = make(batch * kv_heads * t * dv), *out = make(batch * heads * s * dv);
    float *mask = make(s * t);
    unsigned char *bytes = malloc((size_t)(s * t + 1));
    for (int64_t i = 0; i < s * t; i++) {
        bytes[i] = random_float() > 0 && i / (t ? t : 1) != 1;
        if (random_float() > 0.5f || i / (t ? t : 1) == 2) mask[i] = -INFINITY;
    }
    if (variant >= SDPA_BAND && t) hide_by_band(mask, bytes, s, t);
    rt_sdpa g = {.batch = batch,
                 .heads = heads,
                 .kv_heads = kv_heads,
                 .q_len = s,
                 .kv_len = t,
                 .head_dim = d,
                 .value_dim = dv,
                 .q = q,
                 .k = k,
                 .v = v,
                 .out = out,
                 .causal = variant / 9 % 2,
                 .scale = 3.0f / sqrtf((float)d),
                 .mask_kind = kind,
                 .mask_stride = {0, 0, t, 1},
                 .replaces = (variant / 18 + variant / 36) % 2,
                 .masked_nan = variant / 18 % 2};
    g.mask = kind == RT_MASK_BOOL ? (void *)bytes : kind == RT_MASK_FLOAT ? (void *)mask : NULL;
    if (variant / 36 % 2) g.mask_stride[2] = 0; /* one row for all */
    layout(g.q_stride, heads, s, d, order);
    layout(g.k_stride, kv_heads, t, d, order);
    layout(g.v_stride, kv_heads, t, dv, order);
    layout(g.out_stride, heads, s, dv, order);
    if (variant >= SDPA_BAND_BAD_VALUE && t && !g.causal) {
        v[(t - 1) * g.v_stride[2]] = NAN;
        k[(t - 1) / 2 * g.k_stride[2]] = INFINITY;
    }
    int keys_kind = (int)(variant / 2 + s) % 3; /* the halves make floats of what they are */
    uint16_t *half_k = cut_to_halves(k, batch * kv_heads * t * d, keys_kind == RT_KEYS_BF16),
             *half_v = cut_to_halves(v, batch * kv_heads * t * dv, keys_kind == RT_KEYS_BF16);
    double *weights = malloc((size_t)(t + 1) * sizeof *weights),
           *row = malloc((size_t)dv * sizeof *row);
    double *want = malloc((size_t)(batch * heads * s * dv) * sizeof *want);
    for (int64_t i = 0; i < batch * heads * s; i++) {
        int64_t at[3] = {i / s / heads, i / s % heads, i % s};
        sdpa_row(&g, at[0], at[1], at[2], weights, row);
        for (int64_t x = 0; x < dv; x++)
            want[at[0] * g.out_stride[0] + at[1] * g.out_stride[1] + at[2] * g.out_stride[2] +
                 x * g.out_stride[3]] = row[x];
    }
    expect(rt_sdpa_f32(&(rt_team){.pool = pool}, &g) == 0, label);
    check(out, want, batch * heads * s * dv, (double)(d + t));
    g.k = half_k, g.v = half_v, g.keys_kind = keys_kind;
    if (keys_kind != RT_KEYS_FLOAT) {
        expect(rt_sdpa_f32(&(rt_team){.pool = pool}, &g) == 0, label);
        check(out, want, batch * heads * s * dv, (double)(d + t));
    }
    free(q), free(k), free(v), free(out), free(mask), free(bytes), free(weights), free(row),
        free(want), free(half_k), free(half_v);
}

static void test_sdpas(void)
{
    static const int64_t sizes[][7] = {
        {1, 1, 1, 1, 1, 1, 1},      {2, 3, 3, 5, 7, 16, 16},    {1, 4, 2, 1, 40, 33, 20},
        {1, 2, 1, 60, 60, 64, 64},  {1, 2, 2, 17, 1100, 8, 12}, {1, 1, 1, 3, 700, 24, 40},
        {2, 2, 2, 100, 33, 32, 48}, {1, 1, 1, 4, 0, 8, 8},      {1, 1, 1, 9, 0, 8, 8}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int variant = 0; variant < SDPA_VARIANTS; variant++) {
            const int64_t *z = sizes[i];
            if (variant >= SDPA_BAND && variant / 3 % 3 == RT_MASK_NONE) continue;
            test_sdpa(z[0], z[1], z[2], z[3], z[4], z[5], z[6], variant);
        }
}

void test_pool(rt_pool *threads, int *good, int *bad);
void test_doubles(rt_pool *threads, int *good, int *bad);
void test_halves(rt_pool *threads, int *good, int *bad);

/* --isas: the names of those that are tested, from the best on. */
static void test_all(int threads)
{
    pool = rt_pool_get(threads);
    test_pool(pool, &passed, &failed);
    test_gemms();
    test_quantiseds();
    test_products_of_integers();
    test_bmms();
    test_convs();
    test_tiles();
    test_precision_of_tiles(2, 5e-6);
    test_precision_of_tiles(4, 1.4e-5);
    test_sdpas();
    test_long_sums(1, 40);
    test_long_sums(30, 70);
    if (threads < 3) test_halves(pool, &passed, &failed);
    if (threads == 2) test_doubles(pool, &passed, &failed);
}

/* --isas: says which instruction sets there are. [ISA [THREADS]]: of that one alone, with so many threads. */
int main(int count, char **arguments)
{
    static const char *const isas[] = {"x86-64-v4", "x86-64-v3", "baseline"};
    const char *only = count > 1 ? arguments[1] : "";
    int wanted = count > 2 ? atoi(arguments[2]) : 0;
    for (int isa = 0; isa < 3; isa++) {
        if (rt_isa_force(isas[isa]) != 0) continue;
        if (strcmp(only, "--isas") == 0) puts(isas[isa]);
        if (*only && strcmp(only, isas[isa]) != 0) continue;
        for (int threads = 1; threads <= 3; threads++)
            if (!wanted || threads == wanted) test_all(threads);
    }
    if (strcmp(only, "--isas") == 0) return 0;
    rt_pool_shutdown();
    pool = rt_pool_get(2);
    test_pool(pool, &passed, &failed);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

#else

void test_doubles(rt_pool *threads, int *good, int *bad);
void test_doubles(rt_pool *threads, int *good, int *bad)
{
    pool = threads;
    passed = failed = 0;
    test_gemms();
    test_bmms();
    test_convs();
    test_long_sums(1, 40);
    test_long_sums(30, 70);
    *good += passed;
    *bad += failed;
}

#endif
