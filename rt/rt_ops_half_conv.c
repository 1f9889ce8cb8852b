/* rt_ops_half_conv.c - convolutions of bf16: by their kernel where this processor has one, else as floats,
 * with weights that are made floats once and kept.
 */
#include "rt_half.h"
#include "rt_ops.h"

#include <string.h>

_Static_assert((int)RT_HALF_CONV_GROUPS == (int)RT_CONV_GROUPS &&
                   (int)RT_HALF_CONV_TRANSPOSED == (int)RT_CONV_TRANSPOSED &&
                   (int)RT_HALF_CONV_LIST == (int)RT_CONV_LIST,
               "rt_conv_of() reads both");

static size_t whole_lines(size_t bytes)
{
    return (bytes + RT_LINE - 1) / RT_LINE * RT_LINE;
}

/* ---- by the kernel ---- */

enum { KEY_HALVES = -3, KEY_FLOATS = -4 }; /* less the size of tiles */

static const uint32_t *kept_halves(rt_frame *frame, const rt_conv *conv, const fe_tensor *w,
                                   const int64_t *strides)
{
    const rt_weight_key key = rt_conv_key(conv, strides, KEY_HALVES);
    int is_packed;
    uint32_t *packed =
        rt_weight_of(frame, w->data, &key, rt_half_conv_packed_bytes(conv), &is_packed);
    if (packed && !is_packed) rt_half_conv_pack(frame->pool, conv, w->data, strides, packed);
    return packed;
}

static int by_halves(rt_frame *frame, const rt_call *call, const rt_conv *conv)
{
    const fe_tensor *x = &call->in[0], *w = &call->in[1], *bias = &call->in[2], *y = &call->out[0];
    rt_after epilogue;
    rt_post post = rt_post_of(call, &epilogue, bias->data, RT_ACT_NONE);
    rt_team team = rt_team_of(frame, call);
    rt_scratch scratch = {0};
    int64_t strides[5], pixels = conv->batch * conv->out[0] * conv->out[1] * conv->out[2];
    rt_weight_strides(w, strides);
    const uint32_t *packed = call->packed & 2 ? w->data : kept_halves(frame, conv, w, strides);
    int is_leased = !packed;
    if (is_leased) {
        if (rt_scratch_take(&team, rt_half_conv_packed_bytes(conv), 0, &scratch))
            return rt_no_room(frame, &team);
        uint32_t *panels = rt_scratch_shared(&scratch);
        rt_half_conv_pack(frame->pool, conv, w->data, strides, panels);
        packed = panels;
    }
    if (conv->transposed) post.epilogue = NULL;
    int failed = rt_half_conv(&team, conv, x->data, packed, y->data, &post);
    if (!failed && call->epilogue && !post.epilogue)
        call->epilogue(call->epilogue_args, 0, pixels, 0, conv->out_channels);
    if (is_leased) rt_scratch_drop(&team, &scratch);
    return failed ? rt_no_room(frame, &team) : 0;
}

/* ---- as floats ---- */

static size_t weight_bytes(const rt_conv *conv)
{
    int64_t taps = conv->kernel[0] * conv->kernel[1] * conv->kernel[2];
    return (size_t)(conv->out_channels * (conv->in_channels / conv->groups) * taps) * sizeof(float);
}

/* A weight that lies as it comes, contiguous. */
static void widen_weight(const fe_tensor *w, float *to)
{
    const uint16_t *from = w->data;
    int64_t at[RT_MAX_RANK] = {0}, count = 1;
    for (uint32_t d = 0; d < w->rank; d++) count *= w->sizes[d];
    for (int64_t i = 0; i < count; i++) {
        int64_t place = 0;
        for (uint32_t d = 0; d < w->rank; d++) place += at[d] * w->strides[d];
        to[i] = rt_float_of_bf16(from[place]);
        for (uint32_t d = w->rank; d-- > 0 && ++at[d] == w->sizes[d];) at[d] = 0;
    }
}

/* Panels of floats of a constant, made by the first call. NULL: there is no memory. */
static const float *floats_of_constant(rt_frame *frame, const rt_conv *conv, const uint32_t *packed)
{
    const rt_weight_key key = rt_conv_key(conv, (int64_t[5]){0}, KEY_FLOATS - conv->tile);
    int is_there;
    float *panels = rt_constant_of(frame, packed, &key, rt_conv_packed_bytes_f32(conv), &is_there);
    if (!panels || is_there) return panels;
    float *weight = rt_memory_new(weight_bytes(conv));
    if (!weight) {
        rt_forget(frame, panels);
        return NULL;
    }
    rt_half_conv_unpack(frame->pool, conv, packed, weight);
    rt_conv_pack_f32(frame->pool, conv, weight, NULL, panels);
    rt_memory_free(weight);
    return panels;
}

/* x and w: floats, w as panels. The operator of floats works in what this one has left. */
static int run_floats(rt_frame *frame, const rt_call *call, const rt_team *team, rt_conv conv,
                      float *x, const float *w)
{
    int64_t strides[RT_MAX_RANK], step = conv.in_channels;
    fe_tensor in[3] = {call->in[0], call->in[1], call->in[2]};
    strides[1] = conv.x_channel = 1;
    for (uint32_t d = in[0].rank; d-- > 2; step *= in[0].sizes[d]) strides[d] = step;
    strides[0] = conv.x_batch = step;
    conv.x[2] = conv.in_channels;
    conv.x[1] = conv.x[2] * conv.in[2];
    conv.x[0] = conv.x[1] * conv.in[1];
    in[0].data = x;
    in[0].strides = strides;
    in[1].data = (void *)(uintptr_t)w;
    in[0].dtype = in[1].dtype = FE_F32;
    rt_call floats = *call;
    floats.in = in;
    floats.in_count = 3;
    floats.packed |= 2;
    floats.work = team->shared;
    floats.work_bytes = (int64_t)team->shared_bytes;
    return rt_convolve_f32(frame, &floats, conv, RT_ACT_NONE);
}

static int by_floats(rt_frame *frame, const rt_call *call, const rt_conv *conv)
{
    const fe_tensor *x = &call->in[0], *w = &call->in[1];
    rt_team team = rt_team_of(frame, call);
    rt_scratch scratch;
    int is_constant = (call->packed & 2) != 0;
    size_t x_bytes = whole_lines(
               (size_t)(conv->batch * conv->in[0] * conv->in[1] * conv->in[2] * conv->in_channels) *
               sizeof(float)),
           weight = is_constant ? 0 : whole_lines(weight_bytes(conv)),
           panels = is_constant ? 0 : whole_lines(rt_conv_packed_bytes_f32(conv));
    const float *packed = is_constant ? floats_of_constant(frame, conv, w->data) : NULL;
    if ((is_constant && !packed) || rt_scratch_take(&team, x_bytes + weight + panels, 0, &scratch))
        return rt_no_room(frame, &team);
    char *shared = rt_scratch_shared(&scratch);
    if (!packed) {
        float *plain = (float *)(shared + x_bytes), *to = (float *)(shared + x_bytes + weight);
        widen_weight(w, plain);
        rt_conv_pack_f32(frame->pool, conv, plain, NULL, to);
        packed = to;
    }
    rt_half_conv_floats(frame->pool, conv, x->data, (float *)shared);
    int failed = run_floats(frame, call, &team, *conv, (float *)shared, packed);
    rt_scratch_drop(&team, &scratch);
    return failed;
}

int rt_op_half_conv(rt_frame *frame, const rt_call *call)
{
    rt_conv conv = rt_conv_of(call);
    if (rt_is_larger_than_input(&call->out[0]))
        return rt_fail(frame, FE_RUN_ASSERTION,
                       "a convolution's kernel is larger than its padded input");
    if (conv.batch * conv.out[0] * conv.out[1] * conv.out[2] == 0 || conv.out_channels == 0)
        return 0;
    if (rt_half_conv_here(&conv)) return by_halves(frame, call, &conv);
    conv.tile = (int)call->ints[RT_HALF_CONV_TILE];
    return by_floats(frame, call, &conv);
}
