/* rt_ops.c - runtime operators on float32 matrices and images: from views of the program to the
 * kernels of rt_kernels.h.
 *
 * The compiler arranges operands so that the fast form applies; what it cannot arrange (a
 * transposed left operand, weights that are inputs) is copied or packed into scratch here, so every
 * operator takes every layout.
 */
#include "rt_entry.h"
#include "rt_kernels.h"
#include "rt_team.h"
#include "rt_turn.h"

#include <string.h>

enum { RT_ACT_NONE, RT_ACT_RELU, RT_ACT_CLAMP };

/* ---- epilogues: the generated kernel as the kernels' callback ---- */

typedef struct after {
    fe_kernel kernel;
    const fe_kernel_args *args;
} after;

static void run_epilogue(void *context, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    const after *a = context;
    a->kernel(a->args, m0, m1, n0, n1);
}

/* Of all operators that take an activation. */
enum { LOW = RT_GEMM_LOW, HIGH = RT_GEMM_HIGH };
_Static_assert((int)LOW == (int)RT_CONV_LOW && (int)HIGH == (int)RT_CONV_HIGH, "the same places");
_Static_assert((int)LOW == (int)RT_WINOGRAD_LOW && (int)HIGH == (int)RT_WINOGRAD_HIGH,
               "the same places");

static rt_post post_of(const rt_call *call, after *epilogue, const float *bias, int activation)
{
    rt_post post = {.bias = bias};
    if (activation != RT_ACT_NONE) {
        post.clamp = 1;
        post.low = (float)call->floats[LOW];
        post.high = (float)call->floats[HIGH];
    }
    if (call->epilogue) {
        *epilogue = (after){call->epilogue, call->epilogue_args};
        post.epilogue = run_epilogue;
        post.context = epilogue;
    }
    return post;
}

/* ---- strided float copies ---- */

static void copy_rows(float *to, const fe_tensor *from)
{
    int64_t rows = from->sizes[0], columns = from->sizes[1];
    const float *data = from->data;
    if (from->strides[0] == 1) {
        rt_turn(data, from->strides[1], rows, columns, to, columns);
        return;
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            to[i * columns + j] = data[i * from->strides[0] + j * from->strides[1]];
}

static void copy_any(char *to, const int64_t *to_strides, const char *from,
                     const int64_t *from_strides, const int64_t *sizes, uint32_t rank,
                     int64_t element)
{
    int is_row = rank == 1 && to_strides[0] == 1 && from_strides[0] == 1;
    if (rank == 0 || is_row) {
        memcpy(to, from, (size_t)(is_row ? sizes[0] * element : element));
        return;
    }
    for (int64_t i = 0; i < sizes[0]; i++)
        copy_any(to + i * to_strides[0] * element, to_strides + 1,
                 from + i * from_strides[0] * element, from_strides + 1, sizes + 1, rank - 1,
                 element);
}

/* What is added to the sums, operand ADDEND, is put where they go: it mostly lies there. */
enum { ADDEND = 3 };

static void add_to(const rt_call *call, rt_post *post, char *to, const int64_t *strides)
{
    const fe_tensor *addend = &call->in[ADDEND];
    if (call->in_count <= ADDEND || !addend->data) return;
    post->accumulate = 1;
    if (addend->data != to)
        copy_any(to, strides, addend->data, addend->strides, addend->sizes, addend->rank,
                 sizeof(float));
}

/* ---- gemm ---- */

/* B as panels where they are kept from call to call; else NULL. `b` is what rt_gemm_pack_f32 reads. */
static const float *kept_b(rt_frame *frame, int64_t n, int64_t k, const float *b, int64_t stride_n,
                           int64_t stride_k)
{
    const rt_weight_key key = {{1, n, k, stride_n, stride_k}};
    int is_packed;
    float *packed = rt_weight_of(frame, b, &key, rt_gemm_packed_bytes(n, k), &is_packed);
    if (packed && !is_packed) rt_gemm_pack_f32(frame->pool, n, k, b, stride_n, stride_k, packed);
    return packed;
}

int rt_op_gemm(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *a = &call->in[0], *b = &call->in[1], *bias = &call->in[2], *c = &call->out[0];
    int64_t m = a->sizes[0], k = a->sizes[1], n = b->sizes[1];
    after epilogue;
    rt_post post = post_of(call, &epilogue, bias->data, (int)call->ints[RT_GEMM_ACTIVATION]);
    int a_ready = a->strides[1] == 1 || k == 1;
    rt_team team = rt_team_of(frame, call);
    if (m == 0 || n == 0) return 0;
    const float *b_data =
        call->packed & 2 ? b->data : kept_b(frame, n, k, b->data, b->strides[1], b->strides[0]);
    int b_ready = b_data != NULL;
    add_to(call, &post, c->data, c->strides);
    if (a_ready && b_ready) {
        int failed = rt_gemm_f32(&team, m, n, k, a->data, a->strides[0], b_data, c->data,
                                 c->strides[0], &post);
        return failed ? rt_no_room(frame, &team) : 0;
    }
    size_t a_bytes = a_ready ? 0 : ((size_t)(m * k) * sizeof(float) + 63) / 64 * 64;
    size_t b_bytes = b_ready ? 0 : rt_gemm_packed_bytes(n, k);
    rt_scratch scratch;
    if (rt_scratch_take(&team, a_bytes + b_bytes, 0, &scratch)) return rt_no_room(frame, &team);
    char *shared = rt_scratch_shared(&scratch);
    const float *a_data = a->data;
    int64_t lda = a->strides[0];
    if (!a_ready) {
        copy_rows((float *)shared, a);
        a_data = (float *)shared;
        lda = k;
    }
    if (!b_ready) {
        float *packed = (float *)(shared + a_bytes);
        rt_gemm_pack_f32(frame->pool, n, k, b->data, b->strides[1], b->strides[0], packed);
        b_data = packed;
    }
    int failed = rt_gemm_f32(&team, m, n, k, a_data, lda, b_data, c->data, c->strides[0], &post);
    rt_scratch_drop(&team, &scratch);
    return failed ? rt_no_room(frame, &team) : 0;
}

/* ---- gemm with weights of integers ---- */

int rt_op_quantised_gemm(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *a = &call->in[0], *b = &call->in[1], *scales = &call->in[2],
                    *zeros = &call->in[3], *bias = &call->in[4], *c = &call->out[0];
    after epilogue;
    rt_post post = post_of(call, &epilogue, bias->data, RT_ACT_NONE);
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
    after epilogue;
    rt_post post = post_of(call, &epilogue, NULL, RT_ACT_NONE);
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

/* ---- bmm ---- */

/* out += beta * c, elementwise with c broadcast by zero strides. */
static void add_scaled(const fe_tensor *out, const fe_tensor *c, float beta)
{
    float *to = out->data;
    const float *from = c->data;
    for (int64_t b = 0; b < out->sizes[0]; b++)
        for (int64_t i = 0; i < out->sizes[1]; i++)
            for (int64_t j = 0; j < out->sizes[2]; j++)
                to[b * out->strides[0] + i * out->strides[1] + j * out->strides[2]] +=
                    beta * from[b * c->strides[0] + i * c->strides[1] + j * c->strides[2]];
}

/* One matrix whose B is kept as panels is as `gemm` is. */
static int multiply(rt_frame *frame, rt_team *team, const rt_bmm *g)
{
    const float *packed = NULL;
    if (g->batch == 1 && g->alpha == 1 && (g->a_col == 1 || g->k == 1) && g->c_col == 1)
        packed = kept_b(frame, g->n, g->k, g->b, g->b_col, g->b_row);
    if (!packed) return rt_bmm_f32(team, g);
    rt_post post = {.epilogue = g->epilogue, .context = g->context};
    return rt_gemm_f32(team, g->m, g->n, g->k, g->a, g->a_row, packed, g->c, g->c_row, &post);
}

int rt_op_bmm(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *a = &call->in[0], *b = &call->in[1], *c = &call->in[2], *out = &call->out[0];
    after epilogue;
    int adds = c->data && call->floats[RT_BMM_BETA] != 0;
    rt_bmm args = {
        .batch = out->sizes[0],
        .m = out->sizes[1],
        .n = out->sizes[2],
        .k = a->sizes[2],
        .a = a->data,
        .a_batch = a->strides[0],
        .a_row = a->strides[1],
        .a_col = a->strides[2],
        .b = b->data,
        .b_batch = b->strides[0],
        .b_row = b->strides[1],
        .b_col = b->strides[2],
        .c = out->data,
        .c_batch = out->strides[0],
        .c_row = out->strides[1],
        .c_col = out->strides[2],
        .alpha = (float)call->floats[RT_BMM_ALPHA],
    };
    if (call->epilogue && !adds) {
        epilogue = (after){call->epilogue, call->epilogue_args};
        args.epilogue = run_epilogue;
        args.context = &epilogue;
    }
    if (args.batch == 0 || args.m == 0 || args.n == 0) return 0;
    rt_team team = rt_team_of(frame, call);
    int failed = multiply(frame, &team, &args);
    if (failed) return rt_no_room(frame, &team);
    if (adds) {
        add_scaled(out, c, (float)call->floats[RT_BMM_BETA]);
        if (call->epilogue) call->epilogue(call->epilogue_args, 0, args.batch * args.m, 0, args.n);
    }
    return 0;
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

/* The stride between pixels where these lie in order, images as well, with channels innermost; else
 * 0. */
static int64_t pixel_stride(const fe_tensor *y)
{
    int64_t row = 0, expected = 0;
    if (y->sizes[1] > 1 && y->strides[1] != 1) return 0;
    for (uint32_t d = y->rank; d-- > 2;) {
        if (y->sizes[d] == 1) continue;
        if (!expected) row = expected = y->strides[d];
        if (y->strides[d] != expected) return 0;
        expected *= y->sizes[d];
    }
    if (!expected) row = expected = y->sizes[1];
    return y->sizes[0] == 1 || y->strides[0] == expected ? row : 0;
}

/* The sizes of a result that the run alone knows may be less than nothing. */
static int is_larger_than_input(const fe_tensor *y)
{
    for (uint32_t d = 2; d < y->rank; d++)
        if (y->sizes[d] < 0) return 1;
    return 0;
}

/* Strides of a weight, spatial axes right-aligned. */
static void weight_strides(const fe_tensor *w, int64_t *strides)
{
    memset(strides, 0, 5 * sizeof *strides);
    strides[0] = w->strides[0];
    strides[1] = w->strides[1];
    for (uint32_t d = 2; d < w->rank; d++) strides[5 - w->rank + d] = w->strides[d];
}

/* The weight as panels where they are kept from call to call; else NULL. */
static const float *kept_weight(rt_frame *frame, const rt_conv *conv, const fe_tensor *w,
                                const int64_t *strides)
{
    rt_weight_key key = {
        {2 + conv->tile, conv->transposed, conv->groups, conv->in_channels, conv->out_channels}};
    int is_packed;
    memcpy(key.numbers + 5, conv->kernel, 3 * sizeof *key.numbers);
    memcpy(key.numbers + 8, conv->stride, 3 * sizeof *key.numbers);
    memcpy(key.numbers + 11, conv->dilation, 3 * sizeof *key.numbers);
    memcpy(key.numbers + 14, strides, 5 * sizeof *key.numbers);
    float *packed = rt_weight_of(frame, w->data, &key, rt_conv_packed_bytes(conv), &is_packed);
    if (packed && !is_packed) rt_conv_pack_f32(frame->pool, conv, w->data, strides, packed);
    return packed;
}

/* ---- a result with channels last, to where its channels have planes of their own ---- */

typedef struct planes {
    const fe_tensor *y;
    const float *from;
    int64_t channels, pixels;
    int64_t run;         /* pixels that lie one behind the other in y */
    uint32_t outer;      /* axes of y before those */
    int64_t parts, runs; /* of the channels, of an image */
} planes;

enum { PLANES = 16 }; /* channels of a task: a cache line of them */

static void planes_task(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    const planes *s = context;
    const fe_tensor *y = s->y;
    for (int64_t task = begin; task < end; task++) {
        int64_t part = task % s->parts, run = task / s->parts % s->runs;
        int64_t image = task / s->parts / s->runs, channel = part * PLANES, left = run;
        int64_t some = s->channels - channel < PLANES ? s->channels - channel : PLANES;
        float *to = (float *)y->data + image * y->strides[0] + channel * y->strides[1];
        for (uint32_t d = s->outer; d-- > 2; left /= y->sizes[d])
            to += left % y->sizes[d] * y->strides[d];
        rt_turn(s->from + (image * s->pixels + run * s->run) * s->channels + channel, s->channels,
                some, s->run, to, y->strides[1]);
    }
}

/* False: y has no runs of pixels. */
static int copy_to_planes(rt_pool *pool, const fe_tensor *y, const float *from)
{
    planes s = {.y = y, .from = from, .channels = y->sizes[1], .pixels = 1, .run = 1};
    for (uint32_t d = 2; d < y->rank; d++) s.pixels *= y->sizes[d];
    for (s.outer = y->rank; s.outer > 2; s.outer--) {
        uint32_t d = s.outer - 1;
        if (y->sizes[d] != 1 && y->strides[d] != s.run) break;
        s.run *= y->sizes[d];
    }
    if (s.run == 1) return 0;
    s.parts = (s.channels + PLANES - 1) / PLANES;
    s.runs = s.pixels / s.run;
    rt_parallel(pool, planes_task, &s, y->sizes[0] * s.runs * s.parts, 1);
    return 1;
}

static int convolve(rt_frame *frame, const rt_call *call, rt_conv conv, int activation)
{
    const fe_tensor *x = &call->in[0], *w = &call->in[1], *bias = &call->in[2], *y = &call->out[0];
    after epilogue;
    rt_post post = post_of(call, &epilogue, bias->data, activation);
    rt_team team = rt_team_of(frame, call);
    int64_t y_stride = pixel_stride(y);
    int y_ready = y_stride > 0 || conv.transposed; /* which takes any strides */
    if (y_stride > 0) conv.y_row = y_stride;
    int64_t pixels = conv.batch * conv.out[0] * conv.out[1] * conv.out[2];
    if (is_larger_than_input(y))
        return rt_fail(frame, FE_RUN_ASSERTION,
                       "a convolution's kernel is larger than its padded input");
    if (pixels == 0 || conv.out_channels == 0) return 0;
    if (!y_ready || conv.transposed) post.epilogue = NULL;
    int64_t strides[5];
    weight_strides(w, strides);
    const float *packed = call->packed & 2 ? w->data : kept_weight(frame, &conv, w, strides);
    int w_ready = packed != NULL;
    size_t w_bytes = w_ready ? 0 : (rt_conv_packed_bytes(&conv) + 63) / 64 * 64;
    size_t y_bytes = y_ready ? 0 : (size_t)(pixels * conv.out_channels) * sizeof(float);
    rt_scratch scratch = {0};
    int leased = w_bytes + y_bytes > 0;
    if (leased && rt_scratch_take(&team, w_bytes + y_bytes, 0, &scratch))
        return rt_no_room(frame, &team);
    char *shared = leased ? rt_scratch_shared(&scratch) : NULL;
    if (!w_ready) {
        rt_conv_pack_f32(frame->pool, &conv, w->data, strides, (float *)shared);
        packed = (const float *)shared;
    }
    float *result = y_ready ? y->data : (float *)(shared + w_bytes);
    int64_t from[RT_MAX_RANK], stride = conv.out_channels;
    from[1] = 1;
    for (uint32_t d = y->rank; d-- > 2; stride *= y->sizes[d]) from[d] = stride;
    from[0] = stride;
    add_to(call, &post, (char *)result, y_ready ? y->strides : from);
    int failed = rt_conv_f32(&team, &conv, x->data, packed, result, &post);
    if (!failed && !y_ready && !copy_to_planes(frame->pool, y, (const float *)result))
        copy_any(y->data, y->strides, (char *)result, from, y->sizes, y->rank, sizeof(float));
    if (!failed && call->epilogue && !post.epilogue)
        call->epilogue(call->epilogue_args, 0, pixels, 0, conv.out_channels);
    if (leased) rt_scratch_drop(&team, &scratch);
    return failed ? rt_no_room(frame, &team) : 0;
}

int rt_op_conv(rt_frame *frame, const rt_call *call)
{
    rt_conv conv = conv_of(&call->in[0], &call->in[1], &call->out[0], call->ints[RT_CONV_GROUPS],
                           call->ints + RT_CONV_LIST);
    conv.transposed = call->ints[RT_CONV_TRANSPOSED] != 0;
    return convolve(frame, call, conv, (int)call->ints[RT_CONV_ACTIVATION]);
}

int rt_op_winograd(rt_frame *frame, const rt_call *call)
{
    const int64_t *ints = call->ints,
                  lists[] = {1, 1, ints[RT_WINOGRAD_ABOVE], ints[RT_WINOGRAD_LEFT], 1, 1};
    rt_conv conv = conv_of(&call->in[0], &call->in[1], &call->out[0], 1, lists);
    conv.tile = (int)ints[RT_WINOGRAD_TILE];
    return convolve(frame, call, conv, (int)ints[RT_WINOGRAD_ACTIVATION]);
}

int rt_op_conv_weight(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *x = &call->in[0], *grad = &call->in[1], *out = &call->out[0];
    rt_conv conv =
        conv_of(x, out, grad, call->ints[RT_CONV_WEIGHT_GROUPS], call->ints + RT_CONV_WEIGHT_LIST);
    int64_t strides[5];
    weight_strides(out, strides);
    rt_team team = rt_team_of(frame, call);
    int failed = rt_conv_weight_f32(&team, &conv, x->data, grad->data, out->data, strides);
    return failed ? rt_no_room(frame, &team) : 0;
}

/* ---- attention ---- */

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
        .k = k->data,
        .v = v->data,
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
    rt_team team = rt_team_of(frame, call);
    return rt_sdpa_f32(&team, &args) ? rt_no_room(frame, &team) : 0;
}

/* ---- copy ---- */

int rt_op_copy(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *from = &call->in[0], *to = &call->out[0];
    (void)frame;
    copy_any(to->data, to->strides, from->data, from->strides, to->sizes, to->rank,
             (int64_t)rt_dtype_bytes(to->dtype));
    return 0;
}
