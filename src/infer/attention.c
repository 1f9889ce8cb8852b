/* attention.c -- attention kernels and their composition.
 *
 * Which of the two scaled_dot_product_attention runs decides the layout of its result: the fused
 * kernel's is that of the query, the composition's is contiguous. is_fused() has the conditions
 * under which PyTorch takes the former on the CPU.
 */
#include "infer/infer_priv.h"

static bool known_same(infer_call *c, sym_expr a, sym_expr b)
{
    return infer_prefers(c, SYM_EQ, a, b);
}

/* Does the mask broadcast to [batch, heads, queries, keys] in two or four dimensions? */
static bool is_fused_mask(infer_call *c, const ty_tensor *mask, const ty_tensor *q,
                          const ty_tensor *k)
{
    sym_expr one = infer_number(c, 1);
    sym_expr wanted[] = {q->sizes[0], q->sizes[1], q->sizes[2], k->sizes[2]};
    if (!mask) return true;
    if (mask->requires_grad || (mask->rank != 2 && mask->rank != 4)) return false;
    for (uint32_t i = 0; i < mask->rank; i++) {
        sym_expr size = mask->sizes[mask->rank - 1 - i];
        if (!known_same(c, size, wanted[3 - i]) && !known_same(c, size, one)) return false;
    }
    return true;
}

/* Does the CPU's fused kernel take the call? */
static bool is_fused(infer_call *c, const ty_tensor *q, const ty_tensor *k, const ty_tensor *v)
{
    double dropout = 0;
    const fx_arg *p = infer_arg(c, "dropout_p");
    const ty_tensor *all[] = {q, k, v};
    if (p) fx_arg_number(c->graph, p, &dropout);
    if (dropout > 0 || !ty_is_floating(q->dtype)) return false;
    for (uint32_t i = 0; i < 3; i++) {
        const ty_tensor *x = all[i];
        if (x->rank != 4 || !known_same(c, x->strides[3], infer_number(c, 1))) return false;
        if (!known_same(c, x->sizes[0], q->sizes[0]) || !known_same(c, x->sizes[3], q->sizes[3]))
            return false;
        if (known_same(c, x->sizes[2], infer_number(c, 0))) return false;
        bool grouped = infer_flag(c, "enable_gqa", false);
        if (!grouped && !known_same(c, x->sizes[1], q->sizes[1])) return false;
    }
    return is_fused_mask(c, infer_tensor(c, "attn_mask"), q, k);
}

/* What the products give: contiguous, batch dimensions broadcast. */
static ty_tensor *attended(infer_call *c, const ty_tensor *q, const ty_tensor *v)
{
    sym_expr sizes[TY_MAX_RANK + 2];
    uint32_t rank = 0;
    if (q && v && q->rank > 2 && q->rank == v->rank && infer_flag(c, "enable_gqa", false)) {
        ty_tensor *grouped = infer_alias(c, v); /* heads repeated to those of the query */
        grouped->sizes[v->rank - 3] = q->sizes[q->rank - 3];
        v = grouped;
    }
    if (!q || !v || q->rank < 2 || v->rank < 2 ||
        !infer_broadcast(c, q, q->rank - 2, &rank, sizes) ||
        !infer_broadcast(c, v, v->rank - 2, &rank, sizes)) {
        infer_fail(c, "attention of %s to %s", infer_shape(c, q), infer_shape(c, v));
        return NULL;
    }
    sizes[rank++] = q->sizes[q->rank - 2];
    sizes[rank++] = v->sizes[v->rank - 1];
    return infer_fresh(c, q, q->dtype, rank, sizes);
}

/* The fused kernel's result is laid out as the query is. */
void rule_attention(infer_call *c)
{
    ty_tensor *q = infer_tensor(c, "query");
    ty_tensor *k = infer_tensor(c, "key");
    ty_tensor *v = infer_tensor(c, "value");
    if (!q || !k || !v) return;
    bool grouped = infer_flag(c, "enable_gqa", false);
    ty_tensor batch_q = *q, batch_k = *k, batch_v = *v;
    batch_q.rank = q->rank > 2 ? q->rank - 2 : 0;
    batch_k.rank = k->rank > 2 ? k->rank - 2 : 0;
    batch_v.rank = v->rank > 2 ? v->rank - 2 : 0;
    if (!grouped && (!infer_require_broadcast(c, &batch_q, &batch_k) ||
                     !infer_require_broadcast(c, &batch_k, &batch_v)))
        return;
    infer_give(c, is_fused(c, q, k, v) ? infer_empty_like(c, q, q->dtype) : attended(c, q, v));
}

/* Heads of keys and values may be fewer than those of queries, as many times as they go into them. */
void rule_attention_of_heads(infer_call *c)
{
    const ty_tensor *q = infer_tensor(c, "query"), *k = infer_tensor(c, "key"),
                    *v = infer_tensor(c, "value");
    if (!q || !k || !v || q->rank != 4 || k->rank != 4 || v->rank != 4) {
        infer_fail(c, "attention of %s to %s", infer_shape(c, q), infer_shape(c, k));
        return;
    }
    sym_expr sizes[] = {q->sizes[0], q->sizes[1], q->sizes[2], v->sizes[3]};
    infer_give(c, infer_fresh(c, q, q->dtype, 4, sizes));
}

static bool heads_divide(infer_call *c, const ty_tensor *query, const ty_tensor *key)
{
    return key && INFER_REQUIRE_EQUAL(c, sym_mod(c->symbols, query->sizes[1], key->sizes[1]),
                                      infer_number(c, 0),
                                      "Number of heads in key must divide those in query: %s, %s",
                                      infer_shape(c, query), infer_shape(c, key));
}

void rule_flash_attention_cpu(infer_call *c)
{
    ty_tensor *query = infer_tensor(c, "query");
    if (!query || query->rank != 4) {
        infer_fail(c, "attention of %s", infer_shape(c, query));
        return;
    }
    if (!heads_divide(c, query, infer_tensor(c, "key"))) return;
    ty_tensor *out = infer_empty_like(c, query, query->dtype);
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
    ty_tensor *out = attended(c, query, infer_tensor(c, "value"));
    if (!out || !key || key->rank != query->rank) return;
    for (uint32_t i = 0; i < query->rank; i++) sizes[i] = query->sizes[i];
    sizes[query->rank - 1] = key->sizes[key->rank - 2];
    infer_give_pair(c, out, infer_fresh(c, query, query->dtype, query->rank, sizes));
}

/* By query, key and value, laid out as [batch, length, head, dim]. */
void rule_flash_backward(infer_call *c)
{
    static const char *const NAMES[] = {"query", "key", "value"};
    ty_tensor *items[3];
    for (uint32_t i = 0; i < 3; i++) {
        ty_tensor *x = infer_tensor(c, NAMES[i]);
        if (!x || x->rank != 4) {
            infer_fail(c, "attention of %s", infer_shape(c, x));
            return;
        }
        sym_expr sizes[] = {x->sizes[0], x->sizes[2], x->sizes[1], x->sizes[3]};
        items[i] = infer_transpose(c, infer_fresh(c, x, x->dtype, 4, sizes), 1, 2);
    }
    if (heads_divide(c, infer_tensor(c, "query"), infer_tensor(c, "key")))
        infer_give_items(c, items, 3);
}

/* The result, as wide as the projection makes it, and the weights, averaged over heads or not. */
void rule_multi_head_attention(infer_call *c)
{
    ty_tensor *q = infer_tensor(c, "query");
    ty_tensor *k = infer_tensor(c, "key");
    ty_tensor *projection = infer_tensor(c, "proj_weight");
    if (!q || !k || q->rank != 3 || k->rank != 3 || !projection || projection->rank != 2) {
        infer_fail(c, "attention of %s to %s", infer_shape(c, q), infer_shape(c, k));
        return;
    }
    sym_expr none = infer_number(c, 0);
    sym_expr sizes[] = {q->sizes[0], infer_expr(c, "num_head", 1), q->sizes[1], k->sizes[1]};
    ty_tensor *weights = infer_fresh(c, q, q->dtype, 4, sizes);
    if (infer_flag(c, "average_attn_weights", true))
        weights = infer_reduced(c, weights, q->dtype, 2, false);
    if (!infer_flag(c, "need_weights", true)) weights = infer_fresh(c, q, q->dtype, 1, &none);
    sym_expr wide[] = {q->sizes[0], q->sizes[1], projection->sizes[0]};
    infer_give_pair(c, infer_fresh(c, q, q->dtype, 3, wide), weights);
}

/* The maximum and the sum of exponentials over a dimension. */
void rule_online_softmax(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint64_t dim = (uint64_t)1 << infer_dim(c, "dim", x->rank);
    infer_give_pair(c, infer_reduced(c, x, x->dtype, dim, true),
                    infer_reduced(c, x, x->dtype, dim, true));
}
