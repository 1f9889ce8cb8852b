/* check_layer.c -- what losses, norms and attention ask of ranks and of arguments that go together. */
#include "infer/infer_priv.h"

/* ---- losses ---- */

/* One loss for each pair of rows: a target of no dimensions goes with vectors, one of one with matrices. */
void infer_check_cosine(infer_call *c)
{
    const ty_tensor *a = infer_tensor(c, "input1"), *b = infer_tensor(c, "input2");
    const ty_tensor *target = infer_tensor(c, "target");
    if (!a || !b || !target) return;
    if (target->rank > 1)
        infer_fail(c, "0D or 1D target tensor expected, multi-target not supported");
    else if (a->rank != target->rank + 1 || b->rank != target->rank + 1)
        infer_fail(c, "%uD target tensor expects %uD input tensors, but found inputs %s and %s.",
                   target->rank, target->rank + 1, infer_shape(c, a), infer_shape(c, b));
}

void infer_check_triplet(infer_call *c)
{
    const ty_tensor *a = infer_tensor(c, "anchor"), *p = infer_tensor(c, "positive");
    const ty_tensor *n = infer_tensor(c, "negative");
    if (a && p && n && (a->rank != p->rank || a->rank != n->rank))
        infer_fail(c,
                   "The anchor, positive, and negative tensors are expected to have the same "
                   "number of dimensions, but got %s, %s, %s",
                   infer_shape(c, a), infer_shape(c, p), infer_shape(c, n));
}

/* ---- norms ---- */

/* Both running statistics or none; what is not in training needs them. */
void infer_check_statistics(infer_call *c)
{
    bool mean = infer_tensor(c, "running_mean"), variance = infer_tensor(c, "running_var");
    bool is_own = infer_flag(c, "training", infer_flag(c, "use_input_stats", true));
    if (mean != variance)
        infer_fail(c, "running_mean and running_var must either both be None or neither be None");
    else if (!is_own && !mean)
        infer_fail(c, "running_mean must be defined in evaluation mode");
}

/* The argument has one element for each row of x, which is of the last `inner` dimensions, in any shape. */
void infer_require_one_a_row(infer_call *c, const char *name, const ty_tensor *x, uint32_t inner)
{
    const ty_tensor *t = infer_tensor(c, name);
    sym_expr rows = infer_number(c, 1);
    for (uint32_t d = 0; d + inner < x->rank; d++) rows = sym_mul(c->symbols, rows, x->sizes[d]);
    if (t)
        (void)INFER_REQUIRE_EQUAL(c, ty_numel(c->symbols, t), rows,
                                  "%s is %s, which is not one for each row of %s", name,
                                  infer_shape(c, t), infer_shape(c, x));
}

/* A mean and a deviation for each row that is normalised. */
void infer_check_row_statistics(infer_call *c)
{
    static const char *const names[] = {"mean", "rstd"};
    sym_expr shape[TY_MAX_RANK];
    const ty_tensor *x = infer_tensor(c, "input");
    uint32_t inner = infer_sizes(c, "normalized_shape", 0, shape);
    if (!x || inner > x->rank || c->status != FE_OK) return;
    for (uint32_t i = 0; i < COUNT_OF(names); i++) infer_require_one_a_row(c, names[i], x, inner);
}

/* ---- attention ---- */

/* Kernels that are not asked for groups of heads always take them. */
static bool takes_groups(const infer_call *c)
{
    return infer_flag(c, "enable_gqa", op_param_index(c->op, "enable_gqa") < 0);
}

/* The same batches and heads for all, or one of them for all queries, where the query may lack leading ones;
 * PyTorch broadcasts any. */
static void same_batches(infer_call *c, const ty_tensor *q, const ty_tensor *k)
{
    bool same = q->rank <= k->rank, grouped = takes_groups(c);
    if (grouped && q->rank < 3)
        infer_fail(c, "enable_gqa wants heads, but the query is %s", infer_shape(c, q));
    for (uint32_t d = 0; same && d + 2 < q->rank; d++) {
        sym_expr one = q->sizes[d], other = k->sizes[d + k->rank - q->rank];
        if ((grouped && d + 3 == q->rank) || (k->rank <= 4 && infer_is_one(c, other))) continue;
        same = infer_may_equal(c, one, other);
        if (same)
            (void)INFER_REQUIRE_EQUAL(c, one, other, "attention of %s to %s", infer_shape(c, q),
                                      infer_shape(c, k));
    }
    if (!same && c->status == FE_OK)
        c->status =
            fx_fail(c->graph, c->node, "infer", FE_UNSUPPORTED,
                    "expand queries, keys and values to the same batch before",
                    "cannot broadcast attention of %s to %s", infer_shape(c, q), infer_shape(c, k));
}

/* Heads of keys and of values go into those of the query. */
static void whole_groups(infer_call *c, const ty_tensor *q, const ty_tensor *k)
{
    sym_expr zero = infer_number(c, 0);
    if (c->status != FE_OK || q->rank < 3 || k->rank < 3) return;
    sym_expr heads = q->sizes[q->rank - 3], others = k->sizes[k->rank - 3];
    if (infer_is(c, others, 0) || sym_same(heads, others)) return;
    (void)INFER_REQUIRE_EQUAL(c, sym_mod(c->symbols, heads, others), zero,
                              "Number of heads in key and value must divide the number of heads "
                              "in query, but got %s and %s",
                              infer_shape(c, k), infer_shape(c, q));
}

/* The mask is for queries and keys, holds bools or what is added, and is not there beside a causal one. */
void infer_check_attention(infer_call *c)
{
    const ty_tensor *q = infer_tensor(c, "query"), *k = infer_tensor(c, "key");
    const ty_tensor *v = infer_tensor(c, "value"), *mask = infer_tensor(c, "attn_mask");
    if (!q || !k || !v || q->rank < 2 || k->rank < 2) return;
    same_batches(c, q, k);
    same_batches(c, k, v);
    same_batches(c, v, k);
    if (takes_groups(c)) {
        whole_groups(c, q, k);
        whole_groups(c, q, v);
    }
    if (!mask || c->status != FE_OK) return;
    if (infer_flag(c, "is_causal", false))
        infer_fail(c, "Explicit attn_mask should not be set when is_causal=True");
    else if (mask->dtype != TY_BOOL && mask->dtype != TY_F32 && mask->dtype != q->dtype)
        infer_fail(c,
                   "Expected attn_mask dtype to be bool or float or to match query dtype: %s, %s",
                   infer_shape(c, mask), infer_shape(c, q));
    else if (mask->rank < 2)
        infer_fail(c, "attn_mask is %s, which has no queries and keys", infer_shape(c, mask));
    if (c->status != FE_OK) return;
    sym_expr sizes[TY_MAX_RANK];
    for (uint32_t d = 0; d < q->rank; d++) sizes[d] = q->sizes[d];
    sizes[q->rank - 1] = k->sizes[k->rank - 2];
    (void)infer_require_fits(c, mask, q->rank, sizes, "attn_mask");
}

/* A mask of scores: over queries and keys (0), over the keys of each batch (1), or one for each score (2). */
void infer_check_masked_scores(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *mask = infer_tensor(c, "mask");
    if (!x || !mask || c->status != FE_OK) return;
    int64_t type = infer_int(c, "mask_type", -1);
    if (mask->rank != 2 || x->rank != 4) type = 2;
    if (type < 0 || type > 2 || (type == 2 && mask->rank != x->rank)) {
        infer_fail(c, "mask_type %lld of %s for %s", (long long)type, infer_shape(c, mask),
                   infer_shape(c, x));
        return;
    }
    for (uint32_t d = 0; d < mask->rank; d++) {
        uint32_t at = type == 2 ? d : type == 1 && d == 0 ? 0 : d + 2;
        (void)INFER_REQUIRE_EQUAL(c, mask->sizes[d], x->sizes[at],
                                  "Mask shape should match input. mask: %s input: %s",
                                  infer_shape(c, mask), infer_shape(c, x));
    }
}

/* ---- integrals ---- */

/* A vector has a place for each sample along the dimension; of none there is an integral, which is 0. */
void infer_check_trapezoid(infer_call *c)
{
    const ty_tensor *y = infer_tensor(c, "y"), *x = infer_tensor(c, "x");
    if (!y || !x || !y->rank || x->rank != 1) return;
    uint32_t dim = infer_dim(c, "dim", y->rank);
    if (c->status == FE_OK && (c->param || !infer_is(c, y->sizes[dim], 0)))
        (void)INFER_REQUIRE_EQUAL(c, x->sizes[0], y->sizes[dim],
                                  "trapezoid: There must be one `x` value for each sample point");
}

/* A mask of attention that says over what it is: of queries and keys (0), of the keys of each batch (1), of
 * each score (2). */
void infer_check_heads_mask(infer_call *c)
{
    const ty_tensor *mask = infer_tensor(c, "mask"), *x = infer_tensor(c, "query");
    if (!x) x = infer_tensor(c, "src");
    if (!mask || !x || x->rank != 3) return;
    bool is_layer = op_param_index(c->op, "num_heads") >= 0;
    sym_expr heads = infer_expr(c, is_layer ? "num_heads" : "num_head", 1);
    sym_expr of[][4] = {{x->sizes[1], x->sizes[1]},
                        {x->sizes[0], x->sizes[1]},
                        {x->sizes[0], heads, x->sizes[1], x->sizes[1]}};
    static const uint32_t RANKS[] = {2, 2, 4};
    int64_t kind = infer_int(c, "mask_type", 2);
    if (kind < 0 || kind >= (int64_t)COUNT_OF(RANKS))
        infer_fail(c, "mask_type is %lld, which is none that there is", (long long)kind);
    else
        (void)infer_require_sizes(c, mask, RANKS[kind], of[kind], "mask");
}
