/* test_half_conv.c - convolutions of bf16 against sums in double, on processors that have kernels for them;
 * their packed weights on all. */
#include "rt_half.h"
#include "test_conv.h"

#include <string.h>

static uint16_t half_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (uint16_t)(bits >> 16);
}

/* Numbers by chance, and the same as floats. */
static uint16_t *make_halves(int64_t count, float **floats)
{
    uint16_t *halves = malloc((size_t)(count ? count : 1) * sizeof *halves);
    *floats = make(count);
    for (int64_t i = 0; i < count; i++) {
        halves[i] = half_of((*floats)[i]);
        (*floats)[i] = rt_float_of_bf16(halves[i]);
    }
    return halves;
}

typedef struct sample {
    rt_conv g;
    uint16_t *x, *weight;
    float *x_floats, *weight_floats, *bias, *y;
    uint32_t *packed;
    int64_t pixels, y_size;
} sample;

enum { PLANES_IN = 1, PLANES_OUT = 2, BIAS = 4, MORE = 8, EPILOGUE = 16, VARIANTS = 32 };

static void lay_out(rt_conv *g, int variant)
{
    int64_t in = g->in[0] * g->in[1] * g->in[2], out = g->out[0] * g->out[1] * g->out[2],
            more = variant & MORE ? 3 : 0, step = variant & PLANES_IN ? 1 : g->in_channels + more;
    g->x_channel = variant & PLANES_IN ? in + more : 1;
    for (int d = 2; d >= 0; step *= g->in[d--]) g->x[d] = step;
    g->x_batch = variant & PLANES_IN ? g->x_channel * g->in_channels : step;
    step = variant & PLANES_OUT ? 1 : g->out_channels + more;
    g->y_channel = variant & PLANES_OUT ? out : 1;
    for (int d = 2; d >= 0; step *= g->out[d--]) g->y[d] = step;
    g->y_batch = variant & PLANES_OUT ? out * g->out_channels : step;
    g->y_row = g->out_channels + more;
}

static sample sample_of(const conv_shape *shape, int transposed, int variant)
{
    sample s = {.g = conv_of(shape, transposed)};
    rt_conv *g = &s.g;
    lay_out(g, variant);
    int64_t last[2] = {g->in_channels - 1, g->out_channels - 1}, taps = 1;
    last[0] *= g->x_channel, last[1] *= g->y_channel;
    for (int d = 0; d < 3; d++) {
        last[0] += (g->in[d] - 1) * g->x[d];
        last[1] += (g->out[d] - 1) * g->y[d];
        taps *= g->kernel[d];
    }
    s.pixels = g->batch * g->out[0] * g->out[1] * g->out[2];
    s.y_size = last[1] + (g->batch - 1) * g->y_batch + 1;
    s.x = make_halves(last[0] + (g->batch - 1) * g->x_batch + 1, &s.x_floats);
    s.weight = make_halves(g->out_channels * (g->in_channels / g->groups) * taps, &s.weight_floats);
    s.bias = make(g->out_channels);
    s.y = make(s.y_size);
    s.packed = (uint32_t *)make_packed(rt_half_conv_packed_bytes(g));
    rt_half_conv_pack(tests.pool, g, s.weight, NULL, s.packed);
    return s;
}

static void drop(sample *s)
{
    free(s->x), free(s->weight), free(s->x_floats), free(s->weight_floats);
    free(s->bias), free(s->y), free(s->packed);
}

typedef struct places {
    const rt_conv *g;
    float *y;
} places;

static int64_t place_of(const rt_conv *g, int64_t m, int64_t o, int64_t *out)
{
    out[2] = m % g->out[2], m /= g->out[2];
    out[1] = m % g->out[1], m /= g->out[1];
    out[0] = m % g->out[0], m /= g->out[0];
    return m * g->y_batch + out[0] * g->y[0] + out[1] * g->y[1] + out[2] * g->y[2] +
           o * g->y_channel;
}

static void add_one(void *context, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    const places *p = context;
    int64_t out[3];
    for (int64_t m = m0; m < m1; m++)
        for (int64_t n = n0; n < n1; n++) p->y[place_of(p->g, m, n, out)] += 1;
}

static void test_unpacked(const sample *s)
{
    const rt_conv *g = &s->g;
    int64_t size =
        g->out_channels * (g->in_channels / g->groups) * g->kernel[0] * g->kernel[1] * g->kernel[2];
    float *weight = make(size);
    rt_half_conv_unpack(tests.pool, g, s->packed, weight);
    expect(memcmp(weight, s->weight_floats, (size_t)size * sizeof *weight) == 0, tests.label);
    free(weight);
}

static void test_floats(const sample *s)
{
    const rt_conv *g = &s->g;
    int64_t numbers = g->batch * g->in[0] * g->in[1] * g->in[2] * g->in_channels;
    float *floats = make(numbers);
    int same = 1;
    rt_half_conv_floats(tests.pool, g, s->x, floats);
    for (int64_t i = 0; i < numbers; i++) {
        int64_t c = i % g->in_channels, w = i / g->in_channels, h = w / g->in[2], d = h / g->in[1];
        same &= floats[i] ==
                s->x_floats[d / g->in[0] * g->x_batch + d % g->in[0] * g->x[0] +
                            h % g->in[1] * g->x[1] + w % g->in[2] * g->x[2] + c * g->x_channel];
    }
    expect(same, tests.label);
    free(floats);
}

static void test_one(const conv_shape *shape, int transposed, int variant)
{
    sample s = sample_of(shape, transposed, variant);
    const rt_conv *g = &s.g;
    snprintf(tests.label, sizeof tests.label,
             "half conv%s b=%lld c=%lld>%lld g=%lld in=%lldx%lldx%lld k=%lldx%lldx%lld s=%lld "
             "variant=%d",
             transposed ? " transposed" : "", (long long)g->batch, (long long)g->in_channels,
             (long long)g->out_channels, (long long)g->groups, (long long)g->in[0],
             (long long)g->in[1], (long long)g->in[2], (long long)g->kernel[0],
             (long long)g->kernel[1], (long long)g->kernel[2], (long long)g->stride[2], variant);
    test_unpacked(&s);
    test_floats(&s);
    places p = {g, s.y};
    int has_epilogue = variant & EPILOGUE && !transposed;
    rt_post post = {.bias = variant & BIAS ? s.bias : NULL,
                    .epilogue = has_epilogue ? add_one : NULL,
                    .context = &p};
    if (rt_half_conv_here(g)) {
        double *want = malloc((size_t)s.y_size * sizeof *want),
               *sums = malloc((size_t)g->out_channels * sizeof *sums),
               *filters = conv_filters_f32(g, s.weight_floats);
        for (int64_t i = 0; i < s.y_size; i++) want[i] = (double)s.y[i];
        for (int64_t m = 0; m < s.pixels; m++) {
            int64_t out[3];
            place_of(g, m, 0, out);
            conv_pixel_f32(g, s.x_floats, filters, m / (g->out[0] * g->out[1] * g->out[2]), out,
                           sums);
            for (int64_t o = 0; o < g->out_channels; o++)
                want[place_of(g, m, o, out)] =
                    sums[o] + (post.bias ? (double)s.bias[o] : 0) + (has_epilogue ? 1 : 0);
        }
        expect(rt_half_conv(&(rt_team){.pool = tests.pool}, g, s.x, s.packed, s.y, &post) == 0,
               tests.label);
        check(s.y, want, s.y_size,
              (double)(g->in_channels / g->groups * g->kernel[0] * g->kernel[1] * g->kernel[2]));
        free(want), free(sums), free(filters);
    }
    drop(&s);
}

/* One pixel of one channel that is not finite reaches the outputs whose windows it is in, and no other, also
 * where a tile of depth is more than the window. */
static void test_not_finite(const conv_shape *shape, int transposed, float value)
{
    sample s = sample_of(shape, transposed, 0);
    const rt_conv *g = &s.g;
    if (!rt_half_conv_here(g)) {
        drop(&s);
        return;
    }
    int64_t at[3] = {g->in[0] / 2, g->in[1] / 2, g->in[2] / 2}, channel = g->in_channels / 2,
            each = g->in_channels / g->groups, out_each = g->out_channels / g->groups;
    int right = 1;
    s.x[at[0] * g->x[0] + at[1] * g->x[1] + at[2] * g->x[2] + channel] = half_of(value);
    rt_half_conv(&(rt_team){.pool = tests.pool}, g, s.x, s.packed, s.y, &(rt_post){0});
    for (int64_t m = 0; m < s.pixels; m++)
        for (int64_t o = 0; o < g->out_channels; o++) {
            int64_t out[3], place = place_of(g, m, o, out);
            int reaches =
                m / (g->out[0] * g->out[1] * g->out[2]) == 0 && o / out_each == channel / each;
            for (int d = 0; d < 3; d++) {
                int meets = 0;
                for (int64_t k = 0; k < g->kernel[d]; k++)
                    meets |= conv_source(g, d, out[d], k) == at[d];
                reaches &= meets;
            }
            right &= isfinite(s.y[place]) == !reaches;
        }
    snprintf(tests.label, sizeof tests.label, "half conv%s c=%lld>%lld g=%lld: %g where it belongs",
             transposed ? " transposed" : "", (long long)g->in_channels, (long long)g->out_channels,
             (long long)g->groups, (double)value);
    expect(right, tests.label);
    drop(&s);
}

/* Long rows, which are cut; bands of several strips of rows; more panels than stay in the cache. */
static const conv_shape large[] = {
    {1, 200, 40, 1, {1, 1, 1500}, {1, 1, 3}, {1, 1, 1}, {0, 0, 1}, {1, 1, 1}},
    {1, 64, 33, 1, {1, 60, 60}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
    {1, 300, 160, 1, {1, 9, 9}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
    {1, 3, 64, 1, {1, 90, 91}, {1, 7, 7}, {1, 2, 2}, {0, 3, 3}, {1, 1, 1}},
    {2, 80, 24, 1, {1, 31, 33}, {1, 3, 5}, {1, 3, 2}, {0, 1, 2}, {1, 2, 3}},
    {1, 48, 48, 1, {5, 20, 21}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}},
};

void test_half_convs(void)
{
    for (size_t i = 0; i < conv_shape_count; i++)
        for (int variant = 0; variant < VARIANTS; variant += 3)
            for (int transposed = 0; transposed < 2; transposed++)
                if (!transposed || conv_shapes[i].stride[2] < 16)
                    test_one(&conv_shapes[i], transposed, variant);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        for (int variant = 0; variant < VARIANTS; variant += 9)
            for (int transposed = 0; transposed < 2; transposed++)
                test_one(&large[i], transposed, variant);
    for (size_t i = 0; i < conv_shape_count; i++)
        for (int transposed = 0; transposed < 2; transposed++) {
            test_not_finite(&conv_shapes[i], transposed, NAN);
            test_not_finite(&conv_shapes[i], transposed, INFINITY);
        }
}
