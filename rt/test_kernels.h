/* test_kernels.h - what tests of kernels share: numbers by chance, the comparison with what naive loops
 * computed in a wider type, an epilogue; and the tests, a file for each family of kernels.
 */
#ifndef TEST_KERNELS_H
#define TEST_KERNELS_H

#include "rt_kernels.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* PRECISION: what is a rounding error of one operation, roughly. */
#ifdef RT_F64
typedef long double exact;
#define PRECISION 2e-15
#else
typedef double exact;
#define PRECISION 1e-6
#endif

/* Of all files: of numbers of either type. */
extern struct tests {
    rt_pool *pool;
    int passed, failed;
    char label[256]; /* what is tested just now */
    uint32_t random;
} tests;

static inline float random_float(void)
{
    tests.random = tests.random * 1664525u + 1013904223u;
    return (float)(tests.random >> 8) / (1 << 23) - 1.0f;
}

static inline rt_real random_real(void)
{
    rt_real number = random_float();
    return sizeof number == sizeof(float) ? number : number + (rt_real)random_float() / (1 << 24);
}

/* Exactly as many numbers as asked for, so that a sanitizer sees any step outside. */
static inline rt_real *make(int64_t count)
{
    rt_real *p = malloc((size_t)(count ? count : 1) * sizeof *p);
    for (int64_t i = 0; i < count; i++) p[i] = random_real();
    return p;
}

static inline rt_real *make_packed(size_t bytes)
{
    return aligned_alloc(64, (bytes + 127) / 64 * 64);
}

static inline void check(const rt_real *got, const exact *want, int64_t count, double depth)
{
    double bound = PRECISION * (4 + sqrt(depth) * 4);
    for (int64_t i = 0; i < count; i++) {
        double error = fabs((double)(got[i] - want[i]));
        if (isnan(want[i]) && isnan(got[i])) continue;
        if (got[i] == want[i] || error <= bound * (1 + fabs((double)want[i]))) continue;
        tests.failed++;
        printf("FAIL %s %s threads=%d: [%lld] got %g want %g\n", rt_isa(), tests.label,
               rt_pool_threads(tests.pool), (long long)i, (double)got[i], (double)want[i]);
        return;
    }
    tests.passed++;
}

static inline void expect(int ok, const char *what)
{
    if (ok) {
        tests.passed++;
        return;
    }
    tests.failed++;
    printf("FAIL %s threads=%d: %s\n", rt_isa(), rt_pool_threads(tests.pool), what);
}

/* An epilogue that doubles its block and counts how often each element is visited. */
typedef struct doubler {
    rt_real *c;
    int64_t ldc, n_total;
    _Atomic int visits[1 << 16];
} doubler;

static inline void double_block(void *context, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    doubler *d = context;
    for (int64_t m = m0; m < m1; m++)
        for (int64_t n = n0; n < n1; n++) {
            d->c[m * d->ldc + n] *= 2;
            if (m * d->n_total + n < 1 << 16) atomic_fetch_add(&d->visits[m * d->n_total + n], 1);
        }
}

static inline doubler *doubler_make(rt_real *c, int64_t ldc, int64_t n)
{
    doubler *d = calloc(1, sizeof *d);
    d->c = c;
    d->ldc = ldc;
    d->n_total = n;
    return d;
}

/* What rt_post asks for, in double. */
static inline exact post_value(const rt_post *post, exact sum, exact old, int64_t n)
{
    if (post->bias) sum += post->bias[n];
    if (post->accumulate) sum += old;
    if (post->clamp) sum = sum < post->low ? post->low : sum > post->high ? post->high : sum;
    return post->epilogue ? 2 * sum : sum;
}

/* Long sums are made in parts: the root of the mean square error stays below what one running sum has,
 * 2e-5 over 4096 products of numbers in [-1, 1]. */
static inline void expect_more_precise(const rt_real *c, const exact *want, int64_t count,
                                       double most, const char *what)
{
    double square = 0;
    for (int64_t i = 0; i < count; i++) square += (double)((c[i] - want[i]) * (c[i] - want[i]));
    double error = sqrt(square / (double)count);
    snprintf(tests.label, sizeof tests.label, "%s: error %g", what, error);
    expect(error < most, tests.label);
}

static inline void expect_precise(const rt_real *c, const exact *want, int64_t count,
                                  const char *what)
{
    expect_more_precise(c, want, count, 10 * PRECISION, what);
}

void RT_TYPED(test_products)(void);
void RT_TYPED(test_long_sums)(void);
void RT_TYPED(test_convs)(void);
void test_quantiseds(void);
void test_products_of_integers(void);
void test_conv_weights(void);
void test_tiles(void);
void test_sdpas(void);
void test_half_convs(void);
void test_halves(rt_pool *threads, int *good, int *bad);
void test_pool(rt_pool *threads, int *good, int *bad);

#endif
