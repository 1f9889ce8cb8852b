/* test_gemm.c - products of matrices, one and batches of them. test_gemm_f64.c is this for doubles. */
#include "test_kernels.h"

enum { MOST_OF_ONE_TILE = 12 }; /* rows, whatever the instruction set */

static void test_gemm(int64_t m, int64_t n, int64_t k, int variant)
{
    int transposed = variant & 1;
    int64_t lda = k + (variant & 2 ? 3 : 0), ldc = n + (variant & 4 ? 5 : 0);
    snprintf(tests.label, sizeof tests.label, "gemm m=%lld n=%lld k=%lld variant=%d", (long long)m,
             (long long)n, (long long)k, variant);
    rt_real *a = make((m - 1) * lda + k), *b = make(n * k), *bias = make(n),
            *c = make((m - 1) * ldc + n);
    exact *want = malloc((size_t)((m - 1) * ldc + n) * sizeof *want);
    int64_t stride_n = transposed ? k : 1, stride_k = transposed ? 1 : n;
    rt_real *packed = make_packed(RT_TYPED(rt_gemm_packed_bytes)(n, k));
    RT_TYPED(rt_gemm_pack)(tests.pool, n, k, b, stride_n, stride_k, packed);
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
    rt_team team = {.pool = tests.pool, .from_end = variant >> 7 & 1};
    expect(RT_TYPED(rt_gemm)(&team, m, n, k, a, lda, packed, c, ldc, variant ? &post : NULL) == 0,
           tests.label);
    check(c, want, (m - 1) * ldc + n, (double)k);
    int once = 1;
    for (int64_t i = 0; i < m * n && i < 1 << 16; i++)
        once &= d->visits[i] == (variant & 64 ? 1 : 0);
    expect(once, "epilogue visits each element once");
    free(a), free(b), free(bias), free(c), free(want), free(packed), free(d);
}

/* Numbers of any size beside each other: of what kind, see sized(). */
enum { ORDINARY, SMALL_TIMES_LARGE, LARGE_TIMES_SMALL, SUBNORMAL, NOT_FINITE, MOSTLY_ZERO, SIZES };

static rt_real sized(int kind, int is_b)
{
    rt_real x = random_real();
    int often = (int)(20 * random_float()), rare = random_float() > 0.99f;
    switch (kind) {
    case SMALL_TIMES_LARGE: return (rt_real)ldexp(x, is_b ? 100 : -115 + often);
    case LARGE_TIMES_SMALL: return (rt_real)ldexp(x, is_b ? -120 : 127);
    case SUBNORMAL: return (rt_real)ldexp(x, is_b ? 20 : -130);
    case NOT_FINITE: return !rare ? x : often > 0 ? (rt_real)INFINITY : (rt_real)NAN;
    case MOSTLY_ZERO: return rare ? (rt_real)ldexp(x, often * 3) : 0;
    default: return (rt_real)ldexp(x, often);
    }
}

/* Each result to the digits that its own products allow. */
static void test_magnitudes(int kind)
{
    enum { M = 110, N = 101, K = 300 };
    static rt_real a[M * K], b[N * K], c[M * N];
    snprintf(tests.label, sizeof tests.label, "gemm of numbers of all sizes, %d", kind);
    rt_real *packed = make_packed(RT_TYPED(rt_gemm_packed_bytes)(N, K));
    for (int i = 0; i < M * K; i++) a[i] = sized(kind, 0);
    for (int i = 0; i < N * K; i++) b[i] = sized(kind, 1);
    RT_TYPED(rt_gemm_pack)(tests.pool, N, K, b, K, 1, packed);
    expect(RT_TYPED(rt_gemm)(&(rt_team){.pool = tests.pool}, M, N, K, a, K, packed, c, N, NULL) ==
               0,
           tests.label);
    int good = 1;
    for (int i = 0; i < M * N; i++) {
        exact sum = 0, size = 0;
        for (int k = 0; k < K; k++) {
            exact product = (exact)a[i / N * K + k] * b[i % N * K + k];
            sum += product;
            size += product < 0 ? -product : product;
        }
        exact error = c[i] > sum ? c[i] - sum : sum - c[i];
        int same = isnan(sum) ? isnan(c[i]) : c[i] == sum || error <= (PRECISION * size + 1e-44);
        if (good && !same) printf("  [%d]: %g, not %g\n", i, (double)c[i], (double)sum);
        good &= same;
    }
    expect(good, tests.label);
    free(packed);
}

static void test_gemms(void)
{
    static const int64_t sizes[][3] = {
        {1, 1, 1},     {1, 5, 3},      {1, 33, 7},     {1, 768, 100},  {2, 32, 16},
        {3, 31, 1},    {5, 17, 300},   {6, 64, 257},   {7, 48, 513},   {12, 32, 64},
        {13, 40, 65},  {24, 96, 10},   {25, 100, 33},  {49, 512, 600}, {100, 8, 9},
        {128, 24, 70}, {130, 130, 2},  {197, 65, 31},  {400, 33, 5},   {16, 1000, 700},
        {14, 40, 300}, {20, 100, 200}, {9, 24, 130},   {17, 72, 600},  {3, 41, 290},
        {6, 6000, 5},  {41, 90, 97},   {63, 129, 260}, {450, 700, 130}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int variant = 0; variant < (sizes[i][0] <= MOST_OF_ONE_TILE ? 256 : 128);
             variant += i % 3 == 0 ? 5 : 11)
            test_gemm(sizes[i][0], sizes[i][1], sizes[i][2], variant);
    for (int kind = 0; kind < SIZES; kind++) test_magnitudes(kind);
    rt_real c[4] = {1, 2, 3, 4}, bias[2] = {7, 8};
    rt_post post = {.bias = bias};
    expect(RT_TYPED(rt_gemm)(&(rt_team){.pool = tests.pool}, 0, 2, 2, c, 2, c, c, 2, NULL) == 0 &&
               c[0] == 1,
           "m = 0 leaves C alone");
    expect(RT_TYPED(rt_gemm)(&(rt_team){.pool = tests.pool}, 2, 2, 0, c, 0, c, c, 2, &post) == 0 &&
               c[0] == 7 && c[3] == 8,
           "k = 0 gives bias");
    rt_real nan_a[2] = {NAN, 1}, nan_c[2], one[64] = {1, 0};
    rt_post relu = {.clamp = 1, .low = 0, .high = INFINITY};
    RT_TYPED(rt_gemm)(&(rt_team){.pool = tests.pool}, 2, 1, 1, nan_a, 1, one, nan_c, 1, &relu);
    expect(isnan(nan_c[0]) && nan_c[1] == 1, "relu keeps NaN");
}

static void test_bmm(int64_t batch, int64_t m, int64_t n, int64_t k, int variant)
{
    snprintf(tests.label, sizeof tests.label, "bmm b=%lld m=%lld n=%lld k=%lld variant=%d",
             (long long)batch, (long long)m, (long long)n, (long long)k, variant);
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
    expect(RT_TYPED(rt_bmm)(&(rt_team){.pool = tests.pool}, &g) == 0, tests.label);
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

void RT_TYPED(test_products)(void)
{
    test_gemms();
    test_bmms();
}

static void sums_of(int64_t m, int64_t n)
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
    rt_team team = {.pool = tests.pool};
    RT_TYPED(rt_gemm_pack)(tests.pool, n, K, b, 1, n, packed);
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
    RT_TYPED(rt_conv_pack)(tests.pool, &v, b, strides, filter);
    RT_TYPED(rt_conv)(&team, &v, a, filter, c, NULL);
    expect_precise(c, want, m * n, "convolution");
    v.in_channels = 8, v.in[2] = 512 * m, v.kernel[2] = v.stride[2] = 512, v.x[2] = 8;
    const int64_t wide[] = {1, n, 0, 0, n * 8};
    RT_TYPED(rt_conv_pack)(tests.pool, &v, b, wide, filter);
    RT_TYPED(rt_conv)(&team, &v, a, filter, c, NULL);
    expect_more_precise(c, want, m * n, 4 * PRECISION,
                        "convolution with a window as large as an image");
    free(a), free(b), free(c), free(at), free(packed), free(want), free(filter);
}

void RT_TYPED(test_long_sums)(void)
{
    sums_of(1, 40);
    sums_of(30, 70);
}
