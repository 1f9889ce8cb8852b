/* rt_conv_transpose.c - transposed convolution: every input pixel adds weight[i, o, taps] into the
 * output it reaches.
 *
 * A group's columns = X[pixels, I/g] x W[I/g, O/g * taps] by one batched product, then each column
 * is added to its output pixel. Output rows are split among threads so that no two add to the same
 * place.
 */
#include "rt_entry.h"
#include "rt_kernels.h"
#include "rt_ops.h"
#include "rt_team.h"

#include <string.h>

typedef struct transpose {
    const rt_conv
        *conv; /* in, out, kernel, stride, pad, dilation of the transposed operator itself */
    const float *columns;     /* [input pixels of one image and group][O/g * taps] */
    float *y;                 /* first element of this image and group */
    const int64_t *y_strides; /* channel, depth, height, width */
    int64_t channels, taps;
} transpose;

/* The input position that reaches output position `at` through `tap`, or -1. */
static int64_t source(const rt_conv *c, int axis, int64_t at, int64_t tap)
{
    int64_t moved = at + c->pad[axis] - tap * c->dilation[axis];
    if (moved < 0 || moved % c->stride[axis]) return -1;
    moved /= c->stride[axis];
    return moved < c->in[axis] ? moved : -1;
}

static void add_pixel(const transpose *t, int64_t od, int64_t oh, int64_t ow)
{
    const rt_conv *c = t->conv;
    float *y = t->y + od * t->y_strides[1] + oh * t->y_strides[2] + ow * t->y_strides[3];
    for (int64_t kd = 0; kd < c->kernel[0]; kd++) {
        int64_t id = source(c, 0, od, kd);
        if (id < 0) continue;
        for (int64_t kh = 0; kh < c->kernel[1]; kh++) {
            int64_t ih = source(c, 1, oh, kh);
            if (ih < 0) continue;
            for (int64_t kw = 0; kw < c->kernel[2]; kw++) {
                int64_t iw = source(c, 2, ow, kw);
                if (iw < 0) continue;
                int64_t pixel = (id * c->in[1] + ih) * c->in[2] + iw,
                        tap = (kd * c->kernel[1] + kh) * c->kernel[2] + kw;
                const float *column = t->columns + pixel * t->channels * t->taps + tap;
                for (int64_t o = 0; o < t->channels; o++)
                    y[o * t->y_strides[0]] += column[o * t->taps];
            }
        }
    }
}

static void add_rows(void *context, int64_t begin, int64_t end, int worker)
{
    const transpose *t = context;
    (void)worker;
    for (int64_t row = begin; row < end; row++)
        for (int64_t ow = 0; ow < t->conv->out[2]; ow++)
            add_pixel(t, row / t->conv->out[1], row % t->conv->out[1], ow);
}

static void fill_bias(const fe_tensor *y, const float *bias, const int64_t *y_strides,
                      const rt_conv *c)
{
    float *data = y->data;
    for (int64_t b = 0; b < c->batch; b++)
        for (int64_t o = 0; o < c->out_channels; o++)
            for (int64_t od = 0; od < c->out[0]; od++)
                for (int64_t oh = 0; oh < c->out[1]; oh++)
                    for (int64_t ow = 0; ow < c->out[2]; ow++)
                        data[b * y->strides[0] + o * y_strides[0] + od * y_strides[1] +
                             oh * y_strides[2] + ow * y_strides[3]] = bias ? bias[o] : 0;
}

int rt_conv_transpose(rt_frame *frame, const rt_call *call, const rt_conv *conv)
{
    const fe_tensor *x = &call->in[0], *w = &call->in[1], *bias = &call->in[2], *y = &call->out[0];
    int64_t taps = conv->kernel[0] * conv->kernel[1] * conv->kernel[2];
    int64_t pixels = conv->in[0] * conv->in[1] * conv->in[2];
    int64_t in_each = conv->in_channels / conv->groups,
            out_each = conv->out_channels / conv->groups;
    int64_t y_strides[4] = {y->strides[1], 0, 0, 0};
    for (uint32_t d = 2; d < y->rank; d++) y_strides[4 - y->rank + d] = y->strides[d];
    size_t x_bytes = ((size_t)(pixels * in_each) * sizeof(float) + 63) / 64 * 64;
    size_t column_bytes = (size_t)(pixels * out_each * taps) * sizeof(float);
    rt_team team = rt_team_of(frame, call);
    rt_scratch scratch;
    if (rt_scratch_take(&team, x_bytes + column_bytes, 0, &scratch))
        return rt_no_room(frame, &team);
    float *image = rt_scratch_shared(&scratch);
    float *columns = (float *)((char *)image + x_bytes);
    int failed = 0;
    fill_bias(y, bias->data, y_strides, conv);
    for (int64_t b = 0; b < conv->batch && !failed; b++)
        for (int64_t g = 0; g < conv->groups && !failed; g++) {
            const float *from =
                (const float *)x->data + b * conv->x_batch + g * in_each * conv->x_channel;
            for (int64_t i = 0; i < pixels; i++)
                for (int64_t k = 0; k < in_each; k++)
                    image[i * in_each + k] =
                        from[i / (conv->in[1] * conv->in[2]) * conv->x[0] +
                             i / conv->in[2] % conv->in[1] * conv->x[1] +
                             i % conv->in[2] * conv->x[2] + k * conv->x_channel];
            rt_bmm product = {.batch = 1,
                              .m = pixels,
                              .n = out_each * taps,
                              .k = in_each,
                              .alpha = 1,
                              .a = image,
                              .a_row = in_each,
                              .a_col = 1,
                              .b = (const float *)w->data + g * in_each * out_each * taps,
                              .b_row = out_each * taps,
                              .b_col = 1,
                              .c = columns,
                              .c_row = out_each * taps,
                              .c_col = 1};
            failed = rt_bmm_f32(&team, &product);
            transpose t = {conv,
                           columns,
                           (float *)y->data + b * y->strides[0] + g * out_each * y->strides[1],
                           y_strides,
                           out_each,
                           taps};
            if (!failed) rt_parallel(frame->pool, add_rows, &t, conv->out[0] * conv->out[1], 1);
        }
    rt_scratch_drop(&team, &scratch);
    return failed ? rt_no_room(frame, &team) : 0;
}
