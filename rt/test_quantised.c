/* test_quantised.c - products with weights that are integers of 8 or 4 bits, and of integers. */
#include "test_kernels.h"

#include <string.h>

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
    snprintf(tests.label, sizeof tests.label,
             "quantised m=%lld n=%lld k=%lld groups=%lld variant=%d", (long long)m, (long long)n,
             (long long)k, (long long)groups, variant);
    float *a = make(m * k), *scales = make(groups * n), *zeros = make(groups * n), *bias = make(n),
          *c = make(m * n);
    int8_t *b = make_integers(n * k, bits);
    int64_t stride_n = by_depth ? k : 1, stride_k = by_depth ? 1 : n;
    uint32_t *packed = (uint32_t *)make_packed(rt_quantised_packed_bytes(bits, n, k));
    double *want = calloc((size_t)(m * n), sizeof *want);
    rt_quantised_pack(tests.pool, bits, n, k, b, stride_n, stride_k, packed);
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
    expect(rt_quantised_f32(&(rt_team){.pool = tests.pool}, &g, &post) == 0, tests.label);
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
    rt_quantised_pack(tests.pool, 4, N, K, b, K, 1, packed);
    rt_quantised g = {.m = 2, .n = N, .k = K, .a = a, .lda = K, .bits = 4, .packed = packed};
    g.groups = 1, g.scales = scales, g.zeros = zeros, g.c = c, g.ldc = N;
    expect(rt_quantised_f32(&(rt_team){.pool = tests.pool}, &g, &(rt_post){0}) == 0, "infinity");
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
    rt_quantised_pack(tests.pool, 4, N, K, b, K, 1, packed);
    rt_quantised g = {.m = 1, .n = N, .k = K, .a = a, .lda = K, .bits = 4, .packed = packed};
    for (int i = 0; i < N; i++) scales[i] = 1;
    g.groups = 1, g.scales = scales, g.c = c, g.ldc = N;
    expect(rt_quantised_f32(&(rt_team){.pool = tests.pool}, &g, &(rt_post){0}) == 0, "rows");
    g.a = small, g.c = small_c;
    expect(rt_quantised_f32(&(rt_team){.pool = tests.pool}, &g, &(rt_post){0}) == 0, "tiny rows");
    for (int i = 0; i < N; i++)
        expect(fabs((double)small_c[i] / tiny - (double)c[i]) <= 1e-4, "a tiny row times a weight");
    free(packed);
}

void test_quantiseds(void)
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
    snprintf(tests.label, sizeof tests.label, "integers m=%lld n=%lld k=%lld variant=%d",
             (long long)m, (long long)n, (long long)k, variant);
    int64_t lda = k + 3, ldc = n + 2;
    int8_t *a = make_integers(m * lda, 8), *b = make_integers(n * k, 8);
    if (variant & 4) memset(a, variant & 1 ? 255 : -128, (size_t)(m * lda));
    if (variant & 4) memset(b, -128, (size_t)(n * k));
    int32_t *c = calloc((size_t)(m * ldc), sizeof *c), *want = calloc((size_t)(m * n), sizeof *c);
    uint32_t *packed = (uint32_t *)make_packed(rt_quantised_packed_bytes(8, n, k));
    rt_quantised_pack(tests.pool, 8, n, k, b, k, 1, packed);
    for (int64_t i = 0; i < m * n; i++)
        for (int64_t s = 0; s < k; s++) {
            int8_t left = a[i / n * lda + s];
            want[i] += (variant & 1 ? (uint8_t)left : left) * b[i % n * k + s];
        }
    counter d = {.c = c, .want = want, .ldc = ldc, .n = n};
    rt_post post = {.epilogue = count_block, .context = &d};
    rt_integers g = {.m = m, .n = n, .k = k, .a = a, .lda = lda, .packed = packed, .c = c};
    g.ldc = ldc, g.is_unsigned = variant & 1, g.by_pairs = variant & 2;
    expect(rt_integers_i32(&(rt_team){.pool = tests.pool}, &g, &post) == 0, tests.label);
    expect(d.wrong == 0 && d.elements == m * n, tests.label);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = n; j < ldc; j++) expect(c[i * ldc + j] == 0, tests.label);
    free(a), free(b), free(c), free(want), free(packed);
}

void test_products_of_integers(void)
{
    static const int64_t sizes[][3] = {{1, 1, 1},    {1, 31, 3},    {3, 33, 4},    {31, 3, 67},
                                       {33, 1, 33},  {2, 32, 64},   {4, 17, 65},   {5, 9, 255},
                                       {13, 64, 31}, {70, 40, 129}, {300, 70, 68}, {7, 5, 4100}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int variant = 0; variant < 8; variant++)
            test_integers(sizes[i][0], sizes[i][1], sizes[i][2], variant);
    for (int64_t m = 1; m < 30; m++) test_integers(m, 34, 21, (int)m % 4);
}
