/* rt_ops_real.c - runtime operators on matrices and images of floats, or of doubles (rt_real.h): from views
 * of the program to the kernels of rt_kernels.h.
 *
 * The compiler arranges operands so that the fast form applies; what it cannot arrange (a
 * transposed left operand, weights that are inputs) is copied or packed into scratch here, so every
 * operator takes every layout.
 */
#include "rt_ops.h"
#include "rt_turn.h"

#include <string.h>

/* ---- copies ---- */

static void copy_rows(rt_real *to, const fe_tensor *from)
{
    int64_t rows = from->sizes[0], columns = from->sizes[1];
    const rt_real *data = from->data;
    if (from->strides[0] == 1) {
        rt_turn(data, from->strides[1], rows, columns, to, columns);
        return;
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            to[i * columns + j] = data[i * from->strides[0] + j * from->strides[1]];
}

/* What is added to the sums, operand ADDEND, is put where they go: it mostly lies there. */
enum { ADDEND = 3 };

static void add_to(const rt_call *call, rt_post *post, char *to, const int64_t *strides)
{
    const fe_tensor *addend = &call->in[ADDEND];
    if (call->in_count <= ADDEND || !addend->data) return;
    post->accumulate = 1;
    if (addend->data != to)
        rt_copy_any(to, strides, addend->data, addend->strides, addend->sizes, addend->rank,
                    sizeof(rt_real));
}

/* ---- gemm ---- */

/* B as panels where they are kept from call to call; else NULL. `b` is what is packed. */
static const rt_real *kept_b(rt_frame *frame, int64_t n, int64_t k, const rt_real *b,
                             int64_t stride_n, int64_t stride_k)
{
    const rt_weight_key key = {{1, n, k, stride_n, stride_k, RT_REAL_BYTES}};
    int is_packed;
    rt_real *packed =
        rt_weight_of(frame, b, &key, RT_TYPED(rt_gemm_packed_bytes)(n, k), &is_packed);
    if (packed && !is_packed)
        RT_TYPED(rt_gemm_pack)(frame->pool, n, k, b, stride_n, stride_k, packed);
    return packed;
}

/* Steps of a loop go through the same panels, there and back: each begins with what the one before has left
 * in the cache. */
static int turns_round(rt_frame *frame, const void *panels)
{
    frame->from_end = frame->last_panels == panels && !frame->from_end;
    frame->last_panels = panels;
    return frame->from_end;
}

int RT_TYPED(rt_op_gemm)(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *a = &call->in[0], *b = &call->in[1], *bias = &call->in[2], *c = &call->out[0];
    int64_t m = a->sizes[0], k = a->sizes[1], n = b->sizes[1];
    rt_after epilogue;
    rt_post post = rt_post_of(call, &epilogue, bias->data, (int)call->ints[RT_GEMM_ACTIVATION]);
    int a_ready = a->strides[1] == 1 || k == 1;
    rt_team team = rt_team_of(frame, call);
    if (m == 0 || n == 0) return 0;
    const rt_real *b_data =
        call->packed & 2 ? b->data : kept_b(frame, n, k, b->data, b->strides[1], b->strides[0]);
    int b_ready = b_data != NULL;
    add_to(call, &post, c->data, c->strides);
    if (b_ready) team.from_end = turns_round(frame, b_data);
    if (a_ready && b_ready) {
        int failed = RT_TYPED(rt_gemm)(&team, m, n, k, a->data, a->strides[0], b_data, c->data,
                                       c->strides[0], &post);
        return failed ? rt_no_room(frame, &team) : 0;
    }
    size_t a_bytes = a_ready ? 0 : ((size_t)(m * k) * sizeof(rt_real) + 63) / 64 * 64;
    size_t b_bytes = b_ready ? 0 : RT_TYPED(rt_gemm_packed_bytes)(n, k);
    rt_scratch scratch;
    if (rt_scratch_take(&team, a_bytes + b_bytes, 0, &scratch)) return rt_no_room(frame, &team);
    char *shared = rt_scratch_shared(&scratch);
    const rt_real *a_data = a->data;
    int64_t lda = a->strides[0];
    if (!a_ready) {
        copy_rows((rt_real *)shared, a);
        a_data = (rt_real *)shared;
        lda = k;
    }
    if (!b_ready) {
        rt_real *packed = (rt_real *)(shared + a_bytes);
        RT_TYPED(rt_gemm_pack)(frame->pool, n, k, b->data, b->strides[1], b->strides[0], packed);
        b_data = packed;
    }
    int failed =
        RT_TYPED(rt_gemm)(&team, m, n, k, a_data, lda, b_data, c->data, c->strides[0], &post);
    rt_scratch_drop(&team, &scratch);
    return failed ? rt_no_room(frame, &team) : 0;
}

/* ---- bmm ---- */

/* out += beta * c, elementwise with c broadcast by zero strides. */
static void add_scaled(const fe_tensor *out, const fe_tensor *c, rt_real beta)
{
    rt_real *to = out->data;
    const rt_real *from = c->data;
    for (int64_t b = 0; b < out->sizes[0]; b++)
        for (int64_t i = 0; i < out->sizes[1]; i++)
            for (int64_t j = 0; j < out->sizes[2]; j++)
                to[b * out->strides[0] + i * out->strides[1] + j * out->strides[2]] +=
                    beta * from[b * c->strides[0] + i * c->strides[1] + j * c->strides[2]];
}

/* One matrix whose B is kept as panels is as `gemm` is. */
static int multiply(rt_frame *frame, rt_team *team, const rt_bmm *g)
{
    const rt_real *packed = NULL;
    if (g->batch == 1 && g->alpha == 1 && (g->a_col == 1 || g->k == 1) && g->c_col == 1)
        packed = kept_b(frame, g->n, g->k, g->b, g->b_col, g->b_row);
    if (!packed) return RT_TYPED(rt_bmm)(team, g);
    rt_post post = {.epilogue = g->epilogue, .context = g->context};
    return RT_TYPED(rt_gemm)(team, g->m, g->n, g->k, g->a, g->a_row, packed, g->c, g->c_row, &post);
}

int RT_TYPED(rt_op_bmm)(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *a = &call->in[0], *b = &call->in[1], *c = &call->in[2], *out = &call->out[0];
    rt_after epilogue;
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
        .alpha = (rt_real)call->floats[RT_BMM_ALPHA],
    };
    if (call->epilogue && !adds) {
        epilogue = (rt_after){call->epilogue, call->epilogue_args};
        args.epilogue = rt_run_epilogue;
        args.context = &epilogue;
    }
    if (args.batch == 0 || args.m == 0 || args.n == 0) return 0;
    rt_team team = rt_team_of(frame, call);
    int failed = multiply(frame, &team, &args);
    if (failed) return rt_no_room(frame, &team);
    if (adds) {
        add_scaled(out, c, (rt_real)call->floats[RT_BMM_BETA]);
        if (call->epilogue) call->epilogue(call->epilogue_args, 0, args.batch * args.m, 0, args.n);
    }
    return 0;
}

/* ---- convolution ---- */

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

/* The weight as panels where they are kept from call to call; else NULL. */
static const rt_real *kept_weight(rt_frame *frame, const rt_conv *conv, const fe_tensor *w,
                                  const int64_t *strides)
{
    rt_weight_key key = rt_conv_key(conv, strides, 2 + conv->tile);
    int is_packed;
    key.numbers[19] = RT_REAL_BYTES;
    rt_real *packed =
        rt_weight_of(frame, w->data, &key, RT_TYPED(rt_conv_packed_bytes)(conv), &is_packed);
    if (packed && !is_packed) RT_TYPED(rt_conv_pack)(frame->pool, conv, w->data, strides, packed);
    return packed;
}

/* ---- a result with channels last, to where its channels have planes of their own ---- */

typedef struct planes {
    const fe_tensor *y;
    const rt_real *from;
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
        rt_real *to = (rt_real *)y->data + image * y->strides[0] + channel * y->strides[1];
        for (uint32_t d = s->outer; d-- > 2; left /= y->sizes[d])
            to += left % y->sizes[d] * y->strides[d];
        rt_turn(s->from + (image * s->pixels + run * s->run) * s->channels + channel, s->channels,
                some, s->run, to, y->strides[1]);
    }
}

/* False: y has no runs of pixels. */
static int copy_to_planes(rt_pool *pool, const fe_tensor *y, const rt_real *from)
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

int RT_TYPED(rt_convolve)(rt_frame *frame, const rt_call *call, rt_conv conv, int activation)
{
    const fe_tensor *x = &call->in[0], *w = &call->in[1], *bias = &call->in[2], *y = &call->out[0];
    rt_after epilogue;
    rt_post post = rt_post_of(call, &epilogue, bias->data, activation);
    rt_team team = rt_team_of(frame, call);
    int64_t y_stride = pixel_stride(y);
    int y_ready = y_stride > 0 || conv.transposed; /* which takes any strides */
    if (y_stride > 0) conv.y_row = y_stride;
    int64_t pixels = conv.batch * conv.out[0] * conv.out[1] * conv.out[2];
    if (rt_is_larger_than_input(y))
        return rt_fail(frame, FE_RUN_ASSERTION,
                       "a convolution's kernel is larger than its padded input");
    if (pixels == 0 || conv.out_channels == 0) return 0;
    if (!y_ready || conv.transposed) post.epilogue = NULL;
    int64_t strides[5];
    rt_weight_strides(w, strides);
    const rt_real *packed = call->packed & 2 ? w->data : kept_weight(frame, &conv, w, strides);
    int w_ready = packed != NULL;
    size_t w_bytes = w_ready ? 0 : (RT_TYPED(rt_conv_packed_bytes)(&conv) + 63) / 64 * 64;
    size_t y_bytes = y_ready ? 0 : (size_t)(pixels * conv.out_channels) * sizeof(rt_real);
    rt_scratch scratch = {0};
    int leased = w_bytes + y_bytes > 0;
    if (leased && rt_scratch_take(&team, w_bytes + y_bytes, 0, &scratch))
        return rt_no_room(frame, &team);
    char *shared = leased ? rt_scratch_shared(&scratch) : NULL;
    if (!w_ready) {
        RT_TYPED(rt_conv_pack)(frame->pool, &conv, w->data, strides, (rt_real *)shared);
        packed = (const rt_real *)shared;
    }
    rt_real *result = y_ready ? y->data : (rt_real *)(shared + w_bytes);
    int64_t from[RT_MAX_RANK], stride = conv.out_channels;
    from[1] = 1;
    for (uint32_t d = y->rank; d-- > 2; stride *= y->sizes[d]) from[d] = stride;
    from[0] = stride;
    add_to(call, &post, (char *)result, y_ready ? y->strides : from);
    int failed = RT_TYPED(rt_conv)(&team, &conv, x->data, packed, result, &post);
    if (!failed && !y_ready && !copy_to_planes(frame->pool, y, (const rt_real *)result))
        rt_copy_any(y->data, y->strides, (char *)result, from, y->sizes, y->rank, sizeof(rt_real));
    if (!failed && call->epilogue && !post.epilogue)
        call->epilogue(call->epilogue_args, 0, pixels, 0, conv.out_channels);
    if (leased) rt_scratch_drop(&team, &scratch);
    return failed ? rt_no_room(frame, &team) : 0;
}

int RT_TYPED(rt_op_conv)(rt_frame *frame, const rt_call *call)
{
    return RT_TYPED(rt_convolve)(frame, call, rt_conv_of(call),
                                 (int)call->ints[RT_CONV_ACTIVATION]);
}
