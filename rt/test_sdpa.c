/* test_sdpa.c - attention: orders in memory, masks, keys and values of 16 bits, all of 16 bits. */
#include "rt_half.h"
#include "test_kernels.h"

#include <string.h>

static double mask_value(const rt_sdpa *g, int64_t b, int64_t h, int64_t s, int64_t t)
{
    if (g->causal && t > s) return -INFINITY;
    int64_t at = b * g->mask_stride[0] + h * g->mask_stride[1] + s * g->mask_stride[2] +
                 t * g->mask_stride[3];
    if (g->mask_kind == RT_MASK_BOOL) return ((const unsigned char *)g->mask)[at] ? 0 : -INFINITY;
    return g->mask_kind == RT_MASK_FLOAT ? (double)((const float *)g->mask)[at] : 0;
}

/* sizes: the same of the values' magnitudes. */
static void sdpa_row(const rt_sdpa *g, int64_t b, int64_t h, int64_t s, double *weights,
                     double *out, double *sizes)
{
    int64_t kv = h / (g->heads / g->kv_heads);
    double max = -INFINITY, sum = 0;
    for (int64_t t = 0; t < g->kv_len; t++) {
        double score = 0;
        for (int64_t d = 0; d < g->head_dim; d++)
            score += (double)((const float *)g->q)[b * g->q_stride[0] + h * g->q_stride[1] +
                                                   s * g->q_stride[2] + d * g->q_stride[3]] *
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
        double value = 0, size = 0;
        for (int64_t t = 0; t < g->kv_len; t++) {
            double v = (double)((const float *)g->v)[b * g->v_stride[0] + kv * g->v_stride[1] +
                                                     t * g->v_stride[2] + d * g->v_stride[3]];
            value += weights[t] * v;
            size += weights[t] * fabs(v);
        }
        sizes[d] = sum == 0 ? 0 : size / sum;
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

/* Results of 16 bits, which are rounded. So are weights of bf16 on processors with AMX. */
static void check_halves(const uint16_t *got, const double *want, const double *sizes,
                         int64_t count, int is_bf16)
{
    double bound = is_bf16 ? 0x1.02p-7 : 0x1p-10;
    for (int64_t i = 0; i < count; i++) {
        double value = (double)rt_float_of_half(got[i], is_bf16);
        if (isnan(want[i]) && isnan(value)) continue;
        if (fabs(value - want[i]) <= 1e-5 + bound * sizes[i]) continue;
        printf("  [%lld] got %g want %g\n", (long long)i, value, want[i]);
        expect(0, tests.label);
        return;
    }
    expect(1, tests.label);
}

enum { SDPA_BAND = 72, SDPA_BAND_BAD_VALUE = 144, SDPA_VARIANTS = 216 };

static void test_sdpa(int64_t batch, int64_t heads, int64_t kv_heads, int64_t s, int64_t t,
                      int64_t d, int64_t dv, int variant)
{
    snprintf(tests.label, sizeof tests.label,
             "sdpa b=%lld h=%lld/%lld s=%lld t=%lld d=%lld/%lld variant=%d", (long long)batch,
             (long long)heads, (long long)kv_heads, (long long)s, (long long)t, (long long)d,
             (long long)dv, variant);
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
    int64_t count = batch * heads * s * dv;
    uint16_t *half_q = cut_to_halves(q, batch * heads * s * d, keys_kind == RT_KEYS_BF16),
             *half_k = cut_to_halves(k, batch * kv_heads * t * d, keys_kind == RT_KEYS_BF16),
             *half_v = cut_to_halves(v, batch * kv_heads * t * dv, keys_kind == RT_KEYS_BF16),
             *half_out = malloc((size_t)count * sizeof *half_out);
    double *weights = malloc((size_t)(t + 1) * sizeof *weights),
           *row = malloc((size_t)dv * sizeof *row), *row_sizes = malloc((size_t)dv * sizeof *row);
    double *want = malloc((size_t)count * sizeof *want),
           *sizes = malloc((size_t)count * sizeof *sizes);
    for (int64_t i = 0; i < batch * heads * s; i++) {
        int64_t at[3] = {i / s / heads, i / s % heads, i % s};
        sdpa_row(&g, at[0], at[1], at[2], weights, row, row_sizes);
        for (int64_t x = 0; x < dv; x++) {
            int64_t to = at[0] * g.out_stride[0] + at[1] * g.out_stride[1] +
                         at[2] * g.out_stride[2] + x * g.out_stride[3];
            want[to] = row[x];
            sizes[to] = row_sizes[x];
        }
    }
    expect(rt_sdpa_f32(&(rt_team){.pool = tests.pool}, &g) == 0, tests.label);
    check(out, want, count, (double)(d + t));
    g.k = half_k, g.v = half_v, g.keys_kind = keys_kind;
    if (keys_kind != RT_KEYS_FLOAT) {
        expect(rt_sdpa_f32(&(rt_team){.pool = tests.pool}, &g) == 0, tests.label);
        check(out, want, count, (double)(d + t));
        g.q = half_q, g.out = half_out, g.queries_kind = keys_kind;
        expect(rt_sdpa_f32(&(rt_team){.pool = tests.pool}, &g) == 0, tests.label);
        check_halves(half_out, want, sizes, count, keys_kind == RT_KEYS_BF16);
    }
    free(q), free(k), free(v), free(out), free(mask), free(bytes), free(weights), free(row),
        free(row_sizes), free(want), free(sizes);
    free(half_q), free(half_k), free(half_v), free(half_out);
}

void test_sdpas(void)
{
    static const int64_t sizes[][7] = {{1, 1, 1, 1, 1, 1, 1},      {2, 3, 3, 5, 7, 16, 16},
                                       {1, 4, 2, 1, 40, 33, 20},   {1, 2, 1, 60, 60, 64, 64},
                                       {1, 2, 2, 17, 1100, 8, 12}, {1, 1, 1, 3, 700, 24, 40},
                                       {2, 2, 2, 100, 33, 32, 48}, {1, 1, 1, 4, 0, 8, 8},
                                       {1, 1, 1, 9, 0, 8, 8},      {1, 2, 1, 37, 300, 80, 70}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int variant = 0; variant < SDPA_VARIANTS; variant++) {
            const int64_t *z = sizes[i];
            if (variant >= SDPA_BAND && variant / 3 % 3 == RT_MASK_NONE) continue;
            test_sdpa(z[0], z[1], z[2], z[3], z[4], z[5], z[6], variant);
        }
}
