/* rt_ops.c - runtime operators on matrices and images: from views of the program to the kernels of
 * rt_kernels.h. What there is for floats and for doubles is in rt_ops_real.c.
 */
#include "rt_ops.h"

#include <string.h>

/* ---- gemm with weights of integers ---- */

int rt_op_quantised_gemm(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *a = &call->in[0], *b = &call->in[1], *scales = &call->in[2],
                    *zeros = &call->in[3], *bias = &call->in[4], *c = &call->out[0];
    rt_after epilogue;
    rt_post post = rt_post_of(call, &epilogue, bias->data, RT_ACT_NONE);
    rt_quantised g = {.m = a->sizes[0],
                      .n = b->sizes[1],
                      .k = b->sizes[0],
                      .a = a->data,
                      .lda = a->strides[0],
                      .bits = (int)call->ints[RT_QUANTISED_GEMM_BITS],
                      .packed = b->data,
                      .groups = scales->sizes[0],
                      .scales = scales->data,
                      .zeros = zeros->data,
                      .scales_row = scales->strides[0],
                      .c = c->data,
                      .ldc = c->strides[0]};
    if (g.zeros) g.zeros_row = zeros->strides[0];
    if (g.m == 0 || g.n == 0) return 0;
    rt_team team = rt_team_of(frame, call);
    rt_scratch scratch;
    if (call->packed & 2) return rt_quantised_f32(&team, &g, &post) ? rt_no_room(frame, &team) : 0;
    if (rt_scratch_take(&team, rt_quantised_packed_bytes(g.bits, g.n, g.k), 0, &scratch))
        return rt_no_room(frame, &team);
    uint32_t *packed = rt_scratch_shared(&scratch);
    rt_quantised_pack(frame->pool, g.bits, g.n, g.k, b->data, b->strides[1], b->strides[0], packed);
    g.packed = packed;
    int failed = rt_quantised_f32(&team, &g, &post);
    rt_scratch_drop(&team, &scratch);
    return failed ? rt_no_room(frame, &team) : 0;
}

/* ---- gemm of integers ---- */

/* As kept_b(). */
static const uint32_t *kept_integers(rt_frame *frame, const rt_integers *g, const fe_tensor *b)
{
    const rt_weight_key key = {{0, g->n, g->k, b->strides[1], b->strides[0]}};
    int is_packed;
    uint32_t *packed =
        rt_weight_of(frame, b->data, &key, rt_quantised_packed_bytes(8, g->n, g->k), &is_packed);
    if (packed && !is_packed)
        rt_quantised_pack(frame->pool, 8, g->n, g->k, b->data, b->strides[1], b->strides[0],
                          packed);
    return packed;
}

int rt_op_integer_gemm(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *a = &call->in[0], *b = &call->in[1], *c = &call->out[0];
    rt_after epilogue;
    rt_post post = rt_post_of(call, &epilogue, NULL, RT_ACT_NONE);
    rt_integers g = {.m = a->sizes[0],
                     .n = b->sizes[1],
                     .k = b->sizes[0],
                     .a = a->data,
                     .is_unsigned = a->dtype == FE_U8,
                     .lda = a->strides[0],
                     .c = c->data,
                     .ldc = c->strides[0]};
    if (g.m == 0 || g.n == 0) return 0;
    rt_team team = rt_team_of(frame, call);
    rt_scratch scratch;
    g.packed = call->packed & 2 ? b->data : kept_integers(frame, &g, b);
    if (g.packed) return rt_integers_i32(&team, &g, &post) ? rt_no_room(frame, &team) : 0;
    if (rt_scratch_take(&team, rt_quantised_packed_bytes(8, g.n, g.k), 0, &scratch))
        return rt_no_room(frame, &team);
    uint32_t *packed = rt_scratch_shared(&scratch);
    rt_quantised_pack(frame->pool, 8, g.n, g.k, b->data, b->strides[1], b->strides[0], packed);
    g.packed = packed;
    int failed = rt_integers_i32(&team, &g, &post);
    rt_scratch_drop(&team, &scratch);
    return failed ? rt_no_room(frame, &team) : 0;
}

/* ---- convolution ---- */

/* Geometry from the views and ints (see "conv" in extern.def), stride, padding and dilation being in `lists`;
 * spatial axes are right-aligned in rt_conv's three. */
static rt_conv conv_of(const fe_tensor *x, const fe_tensor *w, const fe_tensor *y, int64_t groups,
                       const int64_t *lists)
{
    int spatial = (int)x->rank - 2;
    rt_conv conv = {
        .batch = x->sizes[0],
        .in_channels = x->sizes[1],
        .out_channels = y->sizes[1],
        .groups = groups,
        .x_batch = x->strides[0],
        .x_channel = x->strides[1],
        .y_row = y->sizes[1],
        .y_batch = y->strides[0],
        .y_channel = y->strides[1],
    };
    for (int d = 0; d < 3; d++) {
        conv.in[d] = conv.kernel[d] = conv.stride[d] = conv.dilation[d] = conv.out[d] = 1;
        conv.pad[d] = conv.x[d] = conv.y[d] = 0;
    }
    for (int d = 0; d < spatial; d++) {
        int to = 3 - spatial + d;
        conv.in[to] = x->sizes[2 + d];
        conv.x[to] = x->strides[2 + d];
        conv.out[to] = y->sizes[2 + d];
        conv.y[to] = y->strides[2 + d];
        conv.kernel[to] = w->sizes[2 + d];
        conv.stride[to] = lists[d];
        conv.pad[to] = lists[spatial + d];
        conv.dilation[to] = lists[2 * spatial + d];
    }
    return conv;
}

void rt_weight_strides(const fe_tensor *w, int64_t *strides)
{
    memset(strides, 0, 5 * sizeof *strides);
    strides[0] = w->strides[0];
    strides[1] = w->strides[1];
    for (uint32_t d = 2; d < w->rank; d++) strides[5 - w->rank + d] = w->strides[d];
}

rt_weight_key rt_conv_key(const rt_conv *conv, const int64_t *strides, int64_t kind)
{
    rt_weight_key key = {
        {kind, conv->transposed, conv->groups, conv->in_channels, conv->out_channels}};
    memcpy(key.numbers + 5, conv->kernel, 3 * sizeof *key.numbers);
    memcpy(key.numbers + 8, conv->stride, 3 * sizeof *key.numbers);
    memcpy(key.numbers + 11, conv->dilation, 3 * sizeof *key.numbers);
    memcpy(key.numbers + 14, strides, 5 * sizeof *key.numbers);
    return key;
}

int rt_is_larger_than_input(const fe_tensor *y)
{
    for (uint32_t d = 2; d < y->rank; d++)
        if (y->sizes[d] < 0) return 1;
    return 0;
}

rt_conv rt_conv_of(const rt_call *call)
{
    rt_conv conv = conv_of(&call->in[0], &call->in[1], &call->out[0], call->ints[RT_CONV_GROUPS],
                           call->ints + RT_CONV_LIST);
    conv.transposed = call->ints[RT_CONV_TRANSPOSED] != 0;
    return conv;
}

int rt_op_winograd(rt_frame *frame, const rt_call *call)
{
    const int64_t *ints = call->ints,
                  lists[] = {1, 1, ints[RT_WINOGRAD_ABOVE], ints[RT_WINOGRAD_LEFT], 1, 1};
    rt_conv conv = conv_of(&call->in[0], &call->in[1], &call->out[0], 1, lists);
    conv.tile = (int)ints[RT_WINOGRAD_TILE];
    return rt_convolve_f32(frame, call, conv, (int)ints[RT_WINOGRAD_ACTIVATION]);
}

int rt_op_conv_weight(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *x = &call->in[0], *grad = &call->in[1], *out = &call->out[0];
    rt_conv conv =
        conv_of(x, out, grad, call->ints[RT_CONV_WEIGHT_GROUPS], call->ints + RT_CONV_WEIGHT_LIST);
    int64_t strides[5];
    rt_weight_strides(out, strides);
    rt_team team = rt_team_of(frame, call);
    int failed = rt_conv_weight_f32(&team, &conv, x->data, grad->data, out->data, strides);
    return failed ? rt_no_room(frame, &team) : 0;
}

/* ---- attention ---- */

static int kind_of(const fe_tensor *t)
{
    return t->dtype == FE_BF16 ? RT_KEYS_BF16 : t->dtype == FE_F16 ? RT_KEYS_F16 : RT_KEYS_FLOAT;
}

/* Is it one element for all that neither hides nor adds anything? */
static int is_idle(const fe_tensor *mask)
{
    float number = 0;
    for (uint32_t d = 0; d < mask->rank; d++)
        if (mask->strides[d] != 0 && mask->sizes[d] != 1) return 0;
    if (mask->dtype == FE_BOOL) return *(const unsigned char *)mask->data != 0;
    memcpy(&number, mask->data, sizeof number);
    return number == 0;
}

int rt_op_sdpa(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *q = &call->in[0], *k = &call->in[1], *v = &call->in[2], *mask = &call->in[3];
    const fe_tensor *out = &call->out[0];
    rt_sdpa args = {
        .batch = q->sizes[0],
        .heads = q->sizes[1],
        .kv_heads = k->sizes[1],
        .q_len = q->sizes[2],
        .kv_len = k->sizes[2],
        .head_dim = q->sizes[3],
        .value_dim = v->sizes[3],
        .q = q->data,
        .queries_kind = kind_of(q),
        .k = k->data,
        .v = v->data,
        .keys_kind = kind_of(k),
        .out = out->data,
        .mask = mask->data,
        .mask_kind = !mask->data              ? RT_MASK_NONE
                     : mask->dtype == FE_BOOL ? RT_MASK_BOOL
                                              : RT_MASK_FLOAT,
        .causal = (int)call->ints[RT_SDPA_CAUSAL],
        .masked_nan = (int)call->ints[RT_SDPA_MASKED_NAN],
        .replaces = (int)call->ints[RT_SDPA_REPLACES],
        .scale = (float)call->floats[RT_SDPA_SCALE],
    };
    memcpy(args.q_stride, q->strides, sizeof args.q_stride);
    memcpy(args.k_stride, k->strides, sizeof args.k_stride);
    memcpy(args.v_stride, v->strides, sizeof args.v_stride);
    memcpy(args.out_stride, out->strides, sizeof args.out_stride);
    if (mask->data) memcpy(args.mask_stride, mask->strides, sizeof args.mask_stride);
    if (args.batch == 0 || args.heads == 0 || args.q_len == 0 || args.value_dim == 0) return 0;
    if (mask->data && args.kv_len > 0 && is_idle(mask)) args.mask_kind = RT_MASK_NONE;
    rt_team team = rt_team_of(frame, call);
    return rt_sdpa_f32(&team, &args) ? rt_no_room(frame, &team) : 0;
}

/* ---- copy ---- */

void rt_copy_any(char *to, const int64_t *to_strides, const char *from, const int64_t *from_strides,
                 const int64_t *sizes, uint32_t rank, int64_t element)
{
    int is_row = rank == 1 && to_strides[0] == 1 && from_strides[0] == 1;
    if (rank == 0 || is_row) {
        memcpy(to, from, (size_t)(is_row ? sizes[0] * element : element));
        return;
    }
    for (int64_t i = 0; i < sizes[0]; i++)
        rt_copy_any(to + i * to_strides[0] * element, to_strides + 1,
                    from + i * from_strides[0] * element, from_strides + 1, sizes + 1, rank - 1,
                    element);
}

int rt_op_copy(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *from = &call->in[0], *to = &call->out[0];
    (void)frame;
    rt_copy_any(to->data, to->strides, from->data, from->strides, to->sizes, to->rank,
                (int64_t)rt_dtype_bytes(to->dtype));
    return 0;
}
