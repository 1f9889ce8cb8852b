/* rt_draw.c - random bits, and one number of a distribution that no formula gives: by rejection,
 * from a stream of its own that `bits` begins, so that the number depends on these alone.
 *
 * Poisson and binomial: few expected events are counted one by one; many are drawn from a hat over
 * a ratio of uniforms (Hoermann 1993, PTRS and BTRS). Gamma: Marsaglia and Tsang 2000.
 */
#include "rt_special.h"

#include <math.h>
#include <string.h>

/* Philox 2x32 with ten rounds over the counter, keyed by both halves of the seed in turn. */
uint64_t fe_random_bits(uint64_t seed, uint64_t counter)
{
    uint32_t low = (uint32_t)counter, high = (uint32_t)(counter >> 32) ^ (uint32_t)(seed >> 32);
    uint32_t key = (uint32_t)seed;
    for (int round = 0; round < 10; round++) {
        uint64_t product = (uint64_t)low * 0xD256D193u;
        low = (uint32_t)(product >> 32) ^ key ^ high;
        high = (uint32_t)product;
        key += 0x9E3779B9u;
    }
    return (uint64_t)high << 32 | low;
}

typedef struct stream {
    uint64_t seed, next;
} stream;

static stream stream_of(double bits)
{
    stream s = {0};
    memcpy(&s.seed, &bits, sizeof s.seed);
    return s;
}

/* in (0, 1) */
static double uniform(stream *s)
{
    return ((double)(fe_random_bits(s->seed, s->next++) >> 11) + 0.5) * 0x1p-53;
}

/* Box and Muller */
static double normal(stream *s)
{
    double radius = sqrt(-2 * log(uniform(s)));
    return radius * cos(6.28318530717958647693 * uniform(s));
}

/* ---- a hat over a ratio of uniforms ---- */

typedef struct hat {
    double a, b, centre, sure; /* below `sure` a draw from the middle needs no test */
} hat;

typedef struct candidate {
    double k, height; /* the logarithm of what the distribution must reach, but for its scale */
    int is_sure;
} candidate;

static candidate from_hat(const hat *h, stream *s, double scale)
{
    double u = uniform(s) - 0.5, v = uniform(s), edge = 0.5 - fabs(u);
    candidate c = {.k = floor((2 * h->a / edge + h->b) * u + h->centre)};
    c.is_sure = edge >= 0.07 && v <= h->sure;
    if (!c.is_sure) c.height = log(v * scale / (h->a / (edge * edge) + h->b));
    return c;
}

static double many_events(double rate, stream *s)
{
    hat h = {.b = 0.931 + 2.53 * sqrt(rate), .centre = rate + 0.43};
    h.a = -0.059 + 0.02483 * h.b;
    h.sure = 0.9277 - 3.6224 / (h.b - 2);
    double scale = 1.1239 + 1.1328 / (h.b - 3.4), log_rate = log(rate);
    for (;;) {
        candidate c = from_hat(&h, s, scale);
        if (c.is_sure) return c.k;
        if (c.k >= 0 && c.height <= c.k * log_rate - rate - lgamma(c.k + 1)) return c.k;
    }
}

double fe_drawpoisson(double bits, double rate)
{
    stream s = stream_of(bits);
    if (!(rate >= 0) || isinf(rate)) return NAN;
    if (rate >= 10) return many_events(rate, &s);
    double least = exp(-rate), product = uniform(&s), k = 0;
    for (; product > least; product *= uniform(&s)) k++;
    return k;
}

/* ---- binomial, p <= 1/2 ---- */

/* log of how often k comes, but for what does not depend on k */
static double log_weight(double n, double k, double log_odds)
{
    return k * log_odds - lgamma(k + 1) - lgamma(n - k + 1);
}

static double many_successes(double n, double p, stream *s)
{
    double deviation = sqrt(n * p * (1 - p)), log_odds = log(p / (1 - p));
    hat h = {.b = 1.15 + 2.53 * deviation, .centre = n * p + 0.5};
    h.a = -0.0873 + 0.0248 * h.b + 0.01 * p;
    h.sure = 0.92 - 4.2 / h.b;
    double scale = (2.83 + 5.1 / h.b) * deviation;
    double top = log_weight(n, floor((n + 1) * p), log_odds);
    for (;;) {
        candidate c = from_hat(&h, s, scale);
        if (c.is_sure) return c.k;
        if (c.k >= 0 && c.k <= n && c.height <= log_weight(n, c.k, log_odds) - top) return c.k;
    }
}

/* Trials up to the next success, until there are no more. */
static double few_successes(double n, double p, stream *s)
{
    double log_failure = log1p(-p), tried = 0, k = 0;
    for (;; k++) {
        tried += ceil(log(uniform(s)) / log_failure);
        if (tried > n) return k;
    }
}

double fe_drawbinomial(double bits, double n, double p)
{
    stream s = stream_of(bits);
    if (isnan(n) || isnan(p) || isinf(n)) return NAN;
    if (n <= 0 || p <= 0) return 0;
    if (p >= 1) return n;
    double q = p <= 0.5 ? p : 1 - p;
    double k = n * q >= 10 ? many_successes(n, q, &s) : few_successes(n, q, &s);
    return p <= 0.5 ? k : n - k;
}

/* ---- gamma ---- */

double fe_drawgamma(double bits, double shape)
{
    stream s = stream_of(bits);
    if (shape == 0) return 0;
    if (!(shape > 0) || isinf(shape)) return NAN;
    double scale = shape < 1 ? pow(uniform(&s), 1 / shape) : 1;
    double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = normal(&s), root = 1 + c * x, v = root * root * root;
        if (v > 0 && log(uniform(&s)) < 0.5 * x * x + d - d * v + d * log(v)) return scale * d * v;
    }
}
