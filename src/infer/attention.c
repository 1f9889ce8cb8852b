/* attention.c -- attention kernels and their composition. */
#include "infer/infer_priv.h"

/* The heads' results stand in memory as [batch, length, head, dim] when the kernel is the CPU's fused
 * one, which takes four dimensions. */
static ty_tensor *attended(infer_call *c, const ty_tensor *query, const ty_tensor *value, bool fused)
{
    sym_expr sizes[TY_MAX_RANK];
    if (!query || !value || query->rank < 2 || value->rank < 2) {
        infer_fail(c, "attention of %s to %s", infer_shape(c, query), infer_shape(c, value));
        return NULL;
    }
    for (uint32_t i = 0; i < query->rank; i++) sizes[i] = query->sizes[i];
    sizes[query->rank - 1] = value->sizes[value->rank - 1];
    if (!fused || query->rank != 4) return infer_fresh(c, query, query->dtype, query->rank, sizes);
    sym_expr swapped[] = {sizes[0], sizes[2], sizes[1], sizes[3]};
    return infer_transpose(c, infer_fresh(c, query, query->dtype, 4, swapped), 1, 2);
}

void rule_attention(infer_call *c)
{
    infer_give(c, attended(c, infer_tensor(c, "query"), infer_tensor(c, "value"), true));
}

void rule_flash_attention_cpu(infer_call *c)
{
    ty_tensor *query = infer_tensor(c, "query");
    ty_tensor *out = attended(c, query, infer_tensor(c, "value"), true);
    if (!out) return;
    sym_expr sizes[] = {out->sizes[0], out->sizes[2], out->sizes[1]};
    ty_dtype dtype = query->dtype == TY_F64 ? TY_F64 : TY_F32;
    ty_tensor *sums = infer_transpose(c, infer_fresh(c, query, dtype, 3, sizes), 1, 2);
    infer_give_pair(c, out, sums);
}

/* The composition's results: the values and the weights. */
void rule_attention_math(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *query = infer_tensor(c, "query");
    ty_tensor *key = infer_tensor(c, "key");
    ty_tensor *out = attended(c, query, infer_tensor(c, "value"), false);
    if (!out || !key || key->rank != query->rank) return;
    for (uint32_t i = 0; i < query->rank; i++) sizes[i] = query->sizes[i];
    sizes[query->rank - 1] = key->sizes[key->rank - 2];
    infer_give_pair(c, out, infer_fresh(c, query, query->dtype, query->rank, sizes));
}
