/* rt_ops_halves.c - runtime operators on matrices of numbers of 16 bits: from views of the program to the
 * kernels of rt_kernels.h.
 */
#include "rt_ops.h"

/* As kept_b() of rt_ops_real.c. */
static const uint32_t *kept_halves(rt_frame *frame, const rt_halves *g, const fe_tensor *b)
{
    const rt_weight_key key = {{-1 - g->is_bf16, g->n, g->k, b->strides[1], b->strides[0]}};
    int is_packed;
    uint32_t *packed =
        rt_weight_of(frame, b->data, &key, rt_halves_packed_bytes(g->n, g->k), &is_packed);
    if (packed && !is_packed)
        rt_halves_pack(frame->pool, g->is_bf16, g->n, g->k, b->data, b->strides[1], b->strides[0],
                       packed);
    return packed;
}

int rt_op_half_gemm(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *a = &call->in[0], *b = &call->in[1], *bias = &call->in[2], *c = &call->out[0];
    rt_after epilogue;
    rt_post post = rt_post_of(call, &epilogue, bias->data, RT_ACT_NONE);
    rt_halves g = {.m = a->sizes[0],
                   .n = b->sizes[1],
                   .k = a->sizes[1],
                   .is_bf16 = a->dtype == FE_BF16,
                   .a = a->data,
                   .a_row = a->strides[0],
                   .a_col = a->sizes[1] == 1 ? 1 : a->strides[1],
                   .b = b->data,
                   .b_row = b->strides[0],
                   .b_col = b->strides[1],
                   .c = c->data,
                   .ldc = c->strides[0]};
    int may_read_b = g.m <= RT_HALVES_PLACE_ROWS && (g.b_row == 1 || g.b_col == 1);
    if (g.m == 0 || g.n == 0) return 0;
    rt_team team = rt_team_of(frame, call);
    rt_scratch scratch;
    g.packed = call->packed & 2 ? b->data : kept_halves(frame, &g, b);
    if (g.packed || may_read_b)
        return rt_halves_f32(&team, &g, &post) ? rt_no_room(frame, &team) : 0;
    if (rt_scratch_take(&team, rt_halves_packed_bytes(g.n, g.k), 0, &scratch))
        return rt_no_room(frame, &team);
    uint32_t *packed = rt_scratch_shared(&scratch);
    rt_halves_pack(frame->pool, g.is_bf16, g.n, g.k, b->data, b->strides[1], b->strides[0], packed);
    g.packed = packed;
    int failed = rt_halves_f32(&team, &g, &post);
    rt_scratch_drop(&team, &scratch);
    return failed ? rt_no_room(frame, &team) : 0;
}

int rt_op_half_bmm(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *a = &call->in[0], *b = &call->in[1], *c = &call->out[0];
    rt_after epilogue;
    rt_post post = rt_post_of(call, &epilogue, NULL, RT_ACT_NONE);
    rt_half_bmm g = {.batch = c->sizes[0],
                     .m = c->sizes[1],
                     .n = c->sizes[2],
                     .k = a->sizes[2],
                     .is_bf16 = a->dtype == FE_BF16,
                     .a = a->data,
                     .a_batch = a->strides[0],
                     .a_row = a->strides[1],
                     .a_col = a->strides[2],
                     .b = b->data,
                     .b_batch = b->strides[0],
                     .b_row = b->strides[1],
                     .b_col = b->strides[2],
                     .c = c->data,
                     .c_batch = c->strides[0],
                     .ldc = c->strides[1],
                     .epilogue = post.epilogue,
                     .context = post.context};
    rt_team team = rt_team_of(frame, call);
    return rt_half_bmm_f32(&team, &g) ? rt_no_room(frame, &team) : 0;
}
