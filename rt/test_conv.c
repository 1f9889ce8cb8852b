/* test_conv.c - convolutions, transposed ones too. test_conv_f64.c is this for doubles. */
#include "test_conv.h"

exact *RT_TYPED(conv_filters)(const rt_conv *g, const rt_real *weight)
{
    int64_t group_in = g->in_channels / g->groups, group_out = g->out_channels / g->groups,
            taps = g->kernel[0] * g->kernel[1] * g->kernel[2];
    exact *filters = malloc((size_t)(taps * g->out_channels * group_in) * sizeof *filters),
          *f = filters;
    for (int64_t tap = 0; tap < taps; tap++)
        for (int64_t group = 0; group < g->groups; group++)
            for (int64_t i = 0; i < group_in; i++)
                for (int64_t o = 0; o < group_out; o++) {
                    int64_t filter = g->transposed ? (group * group_in + i) * group_out + o
                                                   : (group * group_out + o) * group_in + i;
                    *f++ = weight[filter * taps + tap];
                }
    return filters;
}

/* All channels at once: these sums do not wait for each other. */
void RT_TYPED(conv_pixel)(const rt_conv *g, const rt_real *x, const exact *filters, int64_t image,
                          const int64_t *out, exact *sums)
{
    int64_t group_in = g->in_channels / g->groups, group_out = g->out_channels / g->groups,
            taps = g->kernel[0] * g->kernel[1] * g->kernel[2];
    for (int64_t o = 0; o < g->out_channels; o++) sums[o] = 0;
    for (int64_t tap = 0; tap < taps; tap++) {
        int64_t place[3] = {tap / g->kernel[2] / g->kernel[1], tap / g->kernel[2] % g->kernel[1],
                            tap % g->kernel[2]};
        const exact *f = filters + tap * g->out_channels * group_in;
        int64_t at = image * g->x_batch;
        int inside = 1;
        for (int axis = 0; axis < 3; axis++) {
            int64_t source = conv_source(g, axis, out[axis], place[axis]);
            inside &= source >= 0;
            at += source * g->x[axis];
        }
        if (!inside) continue;
        for (int64_t i = 0; i < g->in_channels; i++, f += group_out) {
            exact value = x[at + i * g->x_channel], *s = sums + i / group_in * group_out;
            for (int64_t o = 0; o < group_out; o++) s[o] += f[o] * value;
        }
    }
}

void RT_TYPED(test_conv)(const conv_shape *shape, int transposed, int tile, int variant)
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
    snprintf(tests.label, sizeof tests.label,
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
    RT_TYPED(rt_conv_pack)(tests.pool, &g, weight, NULL, packed);
    doubler *d = doubler_make(y, g.y_row, g.out_channels);
    rt_post post = {.bias = variant & 4 ? bias : NULL,
                    .clamp = variant & 8,
                    .low = -1.0f,
                    .high = 1.5f,
                    .accumulate = variant & 16,
                    .epilogue = variant & 32 ? double_block : NULL,
                    .context = d};
    exact *filters = RT_TYPED(conv_filters)(&g, weight),
          *sums = malloc((size_t)g.out_channels * sizeof *sums);
    for (int64_t i = 0; i < size; i++) want[i] = y[i];
    for (int64_t m = 0; m < pixels; m++) {
        int64_t out[3] = {m / g.out[2] / g.out[1] % g.out[0], m / g.out[2] % g.out[1],
                          m % g.out[2]};
        int64_t image = m / g.out[2] / g.out[1] / g.out[0];
        RT_TYPED(conv_pixel)(&g, x, filters, image, out, sums);
        for (int64_t o = 0; o < g.out_channels; o++)
            want[m * g.y_row + o] = post_value(&post, sums[o], y[m * g.y_row + o], o);
    }
    expect(RT_TYPED(rt_conv)(&(rt_team){.pool = tests.pool}, &g, x, packed, y, &post) == 0,
           tests.label);
    check(y, want, size, (double)(group_in * taps));
    int once = 1;
    for (int64_t i = 0; i < pixels * g.out_channels && i < 1 << 16; i++)
        once &= d->visits[i] == (variant & 32 ? 1 : 0);
    expect(once, "epilogue visits each pixel and channel once");
    free(x), free(weight), free(bias), free(y), free(packed), free(want), free(d), free(filters),
        free(sums);
}

void RT_TYPED(test_convs)(void)
{
    for (size_t i = 0; i < conv_shape_count; i++)
        for (int variant = 0; variant < 64; variant += 3) {
            RT_TYPED(test_conv)(&conv_shapes[i], 0, 0, variant);
            if (!(variant & 32) && conv_shapes[i].stride[2] < 16)
                RT_TYPED(test_conv)(&conv_shapes[i], 1, 0, variant);
        }
}
