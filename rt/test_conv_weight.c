/* test_conv_weight.c - the gradient of a convolution's weight. */
#include "test_conv.h"

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
    snprintf(tests.label, sizeof tests.label,
             "conv_weight c=%lld>%lld g=%lld in=%lldx%lldx%lld k=%lldx%lld",
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
    expect(rt_conv_weight_f32(&(rt_team){.pool = tests.pool}, &g, x, grad, w, strides) == 0,
           tests.label);
    check(w, want, size, (double)pixels);
    free(x), free(grad), free(w), free(want);
}

void test_conv_weights(void)
{
    for (size_t i = 0; i < conv_shape_count; i++)
        for (int first_channels = 0; first_channels < 2; first_channels++)
            for (int last_channels = 0; last_channels < 2; last_channels++)
                test_conv_weight(&conv_shapes[i], first_channels, last_channels);
}
