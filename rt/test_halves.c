/* test_halves.c - the kernels for numbers of 16 bits against sums in double, over odd shapes: a part of
 * test_kernels.c. */
#include "rt_half.h"
#include "rt_kernels.h"

#include <stdio.h>
#include <stdlib.h>

static int passed, failed;
static rt_pool *pool;
static uint32_t random_state = 1;

static void expect(int ok, const char *what)
{
    passed += ok;
    failed += !ok;
    if (!ok) printf("FAIL %s threads=%d: %s\n", rt_isa(), rt_pool_threads(pool), what);
}

static double widened(uint16_t x, int is_bf16)
{
    return (double)rt_float_of_half(x, is_bf16);
}

/* Of magnitudes about 1, either sign; of f16 a few that are subnormal. Exactly as many as asked for, so that
 * a sanitizer sees any step outside. */
static uint16_t *make(int64_t count, int is_bf16)
{
    uint16_t *p = malloc((size_t)(count ? count : 1) * sizeof *p);
    for (int64_t i = 0; i < count; i++) {
        random_state = random_state * 1664525u + 1013904223u;
        uint32_t bits = random_state >> 8;
        p[i] = (uint16_t)(is_bf16 ? 0x3f00 + bits % 256 : 0x3800 + bits % 2048);
        if (!is_bf16 && bits % 37 == 0) p[i] = (uint16_t)(bits % 1024);
        if (bits >> 20 & 1) p[i] |= 0x8000;
    }
    return p;
}

/* An epilogue that adds 1 to its block. */
typedef struct adder {
    float *c;
    int64_t ldc;
} adder;

static void add_one(void *context, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    const adder *d = context;
    for (int64_t m = m0; m < m1; m++)
        for (int64_t n = n0; n < n1; n++) d->c[m * d->ldc + n] += 1;
}

enum { BF16 = 1, BY_DEPTH = 2, A_TURNED = 4, MORE = 8, BY_FLOATS = 16, VARIANTS = 32 };

typedef struct product {
    rt_halves g;
    const uint16_t *b;
    int64_t stride_n, stride_k;
    const float *bias;
} product;

static void check(const product *p, const char *label)
{
    const rt_halves *g = &p->g;
    for (int64_t m = 0; m < g->m; m++)
        for (int64_t n = 0; n < g->n; n++) {
            double sum = p->bias ? (double)p->bias[n] + 1 : 0, size = 1,
                   got = (double)g->c[m * g->ldc + n];
            for (int64_t k = 0; k < g->k; k++) {
                double one = widened(g->a[m * g->a_row + k * g->a_col], g->is_bf16) *
                             widened(p->b[n * p->stride_n + k * p->stride_k], g->is_bf16);
                sum += one;
                size += fabs(one);
            }
            if (fabs(got - sum) <= 4e-7 * size) continue;
            printf("  [%lld, %lld] got %.9g want %.9g\n", (long long)m, (long long)n, got, sum);
            expect(0, label);
            return;
        }
    expect(1, label);
}

static void test_product(int64_t m, int64_t n, int64_t k, int variant)
{
    char label[128];
    int is_bf16 = variant & BF16, more = variant & MORE ? 3 : 0;
    snprintf(label, sizeof label, "halves m=%lld n=%lld k=%lld variant=%d", (long long)m,
             (long long)n, (long long)k, variant);
    int64_t a_row = variant & A_TURNED ? 1 : k + more, a_col = variant & A_TURNED ? m + more : 1,
            ldc = n + more;
    int64_t stride_n = variant & BY_DEPTH ? k + more : 1,
            stride_k = variant & BY_DEPTH ? 1 : n + more;
    uint16_t *a = make((m - 1) * a_row + (k - 1) * a_col + 1, is_bf16),
             *b = make((n - 1) * stride_n + (k - 1) * stride_k + 1, is_bf16);
    size_t bytes = rt_halves_packed_bytes(n, k);
    uint32_t *packed = aligned_alloc(64, (bytes + 63) / 64 * 64);
    float *c = malloc((size_t)((m - 1) * ldc + n) * sizeof *c),
          *bias = malloc((size_t)n * sizeof *bias);
    for (int64_t i = 0; i < n; i++) bias[i] = (float)(i % 7) / 7;
    rt_halves_pack(pool, is_bf16, n, k, b, stride_n, stride_k, packed);
    product p = {.g = {.m = m,
                       .n = n,
                       .k = k,
                       .is_bf16 = is_bf16,
                       .a = a,
                       .a_row = a_row,
                       .a_col = a_col,
                       .packed = packed,
                       .c = c,
                       .ldc = ldc,
                       .by_floats = variant & BY_FLOATS},
                 .b = b,
                 .stride_n = stride_n,
                 .stride_k = stride_k,
                 .bias = more ? bias : NULL};
    adder d = {c, ldc};
    rt_post post = {.bias = p.bias, .epilogue = more ? add_one : NULL, .context = &d};
    expect(rt_halves_f32(&(rt_team){.pool = pool}, &p.g, &post) == 0, label);
    check(&p, label);
    p.g.packed = NULL;
    p.g.b = b, p.g.b_row = stride_k, p.g.b_col = stride_n;
    if (m <= RT_HALVES_PLACE_ROWS) {
        expect(rt_halves_f32(&(rt_team){.pool = pool}, &p.g, &post) == 0, label);
        check(&p, label);
    }
    free(a), free(b), free(packed), free(c), free(bias);
}

static void test_products(void)
{
    static const int64_t sizes[][3] = {{1, 1, 1},    {1, 40, 2},     {1, 64, 300}, {2, 33, 7},
                                       {3, 70, 513}, {4, 31, 385},   {5, 96, 129}, {9, 17, 64},
                                       {12, 32, 33}, {13, 100, 400}, {40, 65, 70}, {70, 130, 801}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int variant = 0; variant < VARIANTS; variant++)
            test_product(sizes[i][0], sizes[i][1], sizes[i][2], variant);
}

/* ---- batches ---- */

enum { BATCH = 3, SHARED_B = 64, BATCH_VARIANTS = 128 };

static void test_batch(int64_t m, int64_t n, int64_t k, int variant)
{
    char label[128];
    int is_bf16 = variant & BF16, more = variant & MORE ? 3 : 0, is_any = variant & 32;
    snprintf(label, sizeof label, "batch of halves m=%lld n=%lld k=%lld variant=%d", (long long)m,
             (long long)n, (long long)k, variant);
    int64_t a_row = variant & A_TURNED ? 1 : k + more, a_col = variant & A_TURNED ? m + more : 1;
    int64_t b_col = variant & BY_DEPTH ? k + more : 1, b_row = variant & BY_DEPTH ? 1 : n + more;
    if (is_any) a_row *= 2, a_col *= 2, b_col *= 2, b_row *= 2;
    int64_t a_batch = (m - 1) * a_row + (k - 1) * a_col + 1 + more,
            b_batch = variant & SHARED_B ? 0 : (n - 1) * b_col + (k - 1) * b_row + 1 + more,
            ldc = n + more, c_batch = m * ldc + more,
            c_count = (BATCH - 1) * c_batch + (m - 1) * ldc + n;
    uint16_t *a = make((BATCH - 1) * a_batch + (m - 1) * a_row + (k - 1) * a_col + 1, is_bf16),
             *b = make((BATCH - 1) * b_batch + (n - 1) * b_col + (k - 1) * b_row + 1, is_bf16);
    float *c = malloc((size_t)c_count * sizeof *c);
    float *zeros = calloc((size_t)n, sizeof *zeros);
    adder d = {c, ldc};
    rt_half_bmm g = {.batch = BATCH,
                     .m = m,
                     .n = n,
                     .k = k,
                     .is_bf16 = is_bf16,
                     .a = a,
                     .a_batch = a_batch,
                     .a_row = a_row,
                     .a_col = a_col,
                     .b = b,
                     .b_batch = b_batch,
                     .b_row = b_row,
                     .b_col = b_col,
                     .c = c,
                     .c_batch = more ? c_batch : m * ldc,
                     .ldc = ldc,
                     .epilogue = more ? NULL : add_one,
                     .context = &d,
                     .by_floats = variant & BY_FLOATS};
    expect(rt_half_bmm_f32(&(rt_team){.pool = pool}, &g) == 0, label);
    for (int64_t i = 0; i < BATCH; i++) {
        product p = {.g = {.m = m,
                           .n = n,
                           .k = k,
                           .is_bf16 = is_bf16,
                           .a = a + i * a_batch,
                           .a_row = a_row,
                           .a_col = a_col,
                           .c = c + i * g.c_batch,
                           .ldc = ldc},
                     .b = b + i * b_batch,
                     .stride_n = b_col,
                     .stride_k = b_row,
                     .bias = more ? NULL : zeros};
        check(&p, label);
    }
    free(a), free(b), free(c), free(zeros);
}

static void test_batches(void)
{
    static const int64_t sizes[][3] = {{1, 1, 1},    {1, 40, 33},  {2, 300, 5},   {3, 33, 70},
                                       {4, 31, 17},  {6, 64, 64},  {7, 96, 129},  {33, 17, 64},
                                       {65, 50, 80}, {200, 70, 7}, {40, 130, 301}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int variant = 0; variant < BATCH_VARIANTS; variant++)
            test_batch(sizes[i][0], sizes[i][1], sizes[i][2], variant);
}

/* What is not finite stays so: a column of infinities, one of NaN. */
static void test_not_finite(int is_bf16, int by_floats)
{
    enum { M = 10, N = 34, K = 5 };
    uint16_t a[M * K], b[N * K], one = is_bf16 ? 0x3f80 : 0x3c00,
                                 infinite = is_bf16 ? 0x7f80 : 0x7c00;
    uint32_t packed[2 * RT_PANEL * 3];
    float c[M * N];
    for (int i = 0; i < M * K; i++) a[i] = one;
    for (int i = 0; i < N * K; i++) b[i] = one;
    b[3 * K] = infinite;
    b[33 * K + 4] = infinite + 1;
    rt_halves_pack(pool, is_bf16, N, K, b, K, 1, packed);
    for (int m = 1; m <= M; m += M - 1) {
        rt_halves g = {.m = m,
                       .n = N,
                       .k = K,
                       .is_bf16 = is_bf16,
                       .a = a,
                       .a_row = K,
                       .a_col = 1,
                       .packed = packed,
                       .c = c,
                       .ldc = N,
                       .by_floats = by_floats};
        expect(rt_halves_f32(&(rt_team){.pool = pool}, &g, &(rt_post){0}) == 0, "not finite");
        expect(c[0] == K && c[32] == K && isinf(c[3]) && isnan(c[33]),
               "what is not finite stays in its column");
    }
}

void test_halves(rt_pool *threads, int *good, int *bad);
void test_halves(rt_pool *threads, int *good, int *bad)
{
    pool = threads;
    passed = failed = 0;
    test_products();
    test_batches();
    for (int variant = 0; variant < 4; variant++) test_not_finite(variant & 1, variant >> 1);
    *good += passed;
    *bad += failed;
}
