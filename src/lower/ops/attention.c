/* attention.c -- scaled dot product attention: the extern kernel `sdpa` for float32 and numbers of 16
 * bits, matrix products and a softmax otherwise.
 *
 * The output is laid out as [batch, position, head, channel], so that the transpose and reshape
 * that follow are views.
 */
#include "lower/ragged.h"
#include "lower/rows.h"

#include <math.h>
#include <string.h>

/* What a second result is. */

typedef struct attention {
    lower_tensor q, k, v, mask; /* of rank 4, [b, h, s, d]; the mask additive or bool, or absent */
    lower_tensor stored[3];     /* these as `sdpa` takes them, which may be of 16 bits */
    bool causal, masked_nan;    /* a row that sees nothing is NaN, else zeros */
    bool replaces; /* a bool mask has -inf in the place of scores, else it is added to them */
    double scale, dropout;
    sym_expr groups, value_groups; /* query heads a key head, and a head of values */
    ty_dtype out;
} attention;

/* [.., s, d] as [b, h, s, d] */
static lower_tensor as_rank_4(lowering *l, lower_tensor t)
{
    while (t.rank < 4) t = lower_unsqueeze(l, t, 0);
    if (t.rank == 4) return t;
    sym_expr sizes[4];
    sizes[0] = sym_product(l->symbols, t.sizes, t.rank - 3);
    memcpy(sizes + 1, t.sizes + t.rank - 3, 3 * sizeof *sizes);
    return lower_reshape(l, t, 4, sizes);
}

/* The mask broadcast to [b, h, s, t], as numbers to add. */
static lower_tensor full_mask(lowering *l, const attention *a, ty_dtype d)
{
    sym_expr sizes[4] = {a->q.sizes[0], a->q.sizes[1], a->q.sizes[2], a->k.sizes[2]};
    lower_tensor mask = a->mask;
    if (lower_absent(mask)) return mask;
    if (lower_dtype(mask) == TY_BOOL) {
        loop_value none = loop_const_float(l->program, d, -(double)INFINITY),
                   all = loop_const_float(l->program, d, 0);
        mask = lower_value(l, d, mask.rank, mask.sizes,
                           loop_where(l->program, lower_here(l, mask), all, none));
    }
    return lower_expand(l, lower_cast(l, mask, d), 4, sizes);
}

/* The mask as the kernel takes it: bools as they are, others as float32. What is the same for all
 * batches, heads or rows is stored for one. */
static lower_tensor stored_mask(lowering *l, const attention *a)
{
    if (lower_absent(a->mask)) return a->mask;
    sym_expr sizes[4] = {a->q.sizes[0], a->q.sizes[1], a->q.sizes[2], a->k.sizes[2]};
    bool is_bool = lower_dtype(a->mask) == TY_BOOL;
    lower_tensor mask = is_bool ? a->mask : lower_cast(l, a->mask, TY_F32);
    lower_realise_each_once(l, mask.box);
    return lower_expand(l, mask, 4, sizes);
}

static lower_tensor sdpa_extern(lowering *l, const attention *a, const sym_expr *wanted)
{
    sym_expr sizes[4] = {a->q.sizes[0], a->q.sizes[1], a->q.sizes[2], a->v.sizes[3]}, strides[4];
    lower_tensor mask = stored_mask(l, a);
    loop_view views[4] = {lower_strided(l, a->stored[0]), lower_strided(l, a->stored[1]),
                          lower_strided(l, a->stored[2]), lower_no_view(l)};
    if (!lower_absent(mask)) views[3] = lower_strided(l, mask);
    if (!wanted) {
        strides[3] = l->one;
        strides[1] = sizes[3];
        strides[2] = sym_mul(l->symbols, strides[1], sizes[1]);
        strides[0] = sym_mul(l->symbols, strides[2], sizes[2]);
        wanted = strides;
    }
    lower_tensor out = lower_temp_tensor(l, lower_dtype(a->stored[0]), 4, sizes, wanted);
    const loop_int ints[] = {{"causal", lower_const(l, a->causal)},
                             {"groups", a->groups},
                             {"masked_nan", lower_const(l, a->masked_nan)},
                             {"replaces", lower_const(l, a->replaces)}};
    lower_extern(l, "sdpa", 4, views, out.box->view, COUNT_OF(ints), ints, 1,
                 &(loop_float){"scale", a->scale});
    return out;
}

/* Key and value heads are repeated for each group of query heads. */
static lower_tensor repeat_heads(lowering *l, const attention *a, lower_tensor t, sym_expr groups)
{
    if (sym_same(groups, l->one)) return t;
    sym_expr sizes[4], exprs[4];
    memcpy(sizes, t.sizes, sizeof sizes);
    memcpy(exprs, l->axes, sizeof exprs);
    sizes[1] = a->q.sizes[1];
    exprs[1] = sym_floordiv(l->symbols, l->axes[1], groups);
    return lower_remap(l, t, 4, sizes, exprs);
}

static lower_tensor hidden_unless(lowering *l, lower_tensor scores, loop_value seen)
{
    ty_dtype d = lower_dtype(scores);
    loop_value hidden = loop_const_float(l->program, d, -(double)INFINITY);
    return lower_value(l, d, 4, scores.sizes,
                       loop_where(l->program, seen, lower_here(l, scores), hidden));
}

/* [b, h, s, t]: what the softmax is of */
static lower_tensor attention_scores(lowering *l, const attention *a)
{
    lower_tensor k = repeat_heads(l, a, a->k, a->groups), none = {0};
    lower_tensor scores = lower_matmul(l, a->q, lower_transpose(l, k, 2, 3), none, NULL);
    scores = lower_scale(l, scores, a->scale);
    if (a->causal)
        scores = hidden_unless(l, scores,
                               lower_op2(l, LOOP_LE, loop_index(l->program, l->axes[3]),
                                         loop_index(l->program, l->axes[2])));
    if (lower_absent(a->mask)) return scores;
    if (a->replaces && lower_dtype(a->mask) == TY_BOOL)
        return hidden_unless(l, scores, lower_broadcast(l, a->mask, 4, scores.sizes));
    return lower_binary(l, LOOP_ADD, scores, full_mask(l, a, lower_dtype(a->q)));
}

static lower_tensor attention_weights(lowering *l, const attention *a, lower_tensor scores)
{
    bool may_be_empty = !a->masked_nan && (a->causal || !lower_absent(a->mask));
    lower_tensor weights =
        may_be_empty ? lower_safe_softmax(l, scores, 3) : lower_softmax(l, scores, 3, false);
    return a->dropout > 0 ? lower_dropped(l, weights, a->dropout) : weights;
}

static lower_tensor weigh(lowering *l, const attention *a, lower_tensor weights)
{
    lower_tensor none = {0};
    return lower_matmul(l, weights, repeat_heads(l, a, a->v, a->value_groups), none, NULL);
}

/* What training keeps of a row, [b, h, s]: 0 of one that sees nothing, whose weights are 0 then. */
static lower_tensor row_sums(lowering *l, lower_tensor scores)
{
    static const bool LAST[TY_MAX_RANK] = {[3] = true};
    lower_tensor sums = lower_reshape(l, lower_logsumexp(l, scores, LAST), 3, scores.sizes);
    ty_dtype d = lower_dtype(sums);
    loop_value sum = lower_here(l, sums), none = loop_const_float(l->program, d, -(double)INFINITY),
               seen = lower_op2(l, LOOP_NE, sum, none);
    return lower_value(l, d, sums.rank, sums.sizes,
                       loop_where(l->program, seen, sum, loop_const_float(l->program, d, 0)));
}

/* The scale that is given, else 1 / sqrt(width). A width that the run knows scales the queries. */
static void set_scale(lowering *l, attention *a)
{
    loop_program *p = l->program;
    sym_expr size = a->q.sizes[3];
    int64_t width = 1;
    bool known = sym_is_int(l->symbols, size, &width),
         given = !isnan(lower_number_or(l, "scale", NAN));
    a->scale = lower_number_or(l, "scale", 1 / sqrt((double)width));
    if (known || given) return;
    loop_value root = lower_op1(l, LOOP_SQRT, loop_cast(p, TY_F64, loop_index(p, size)));
    loop_value scale = lower_op2(l, LOOP_DIV, loop_const_float(p, TY_F64, 1), root);
    loop_value q =
        lower_op2(l, LOOP_MUL, lower_here(l, a->q), loop_cast(p, lower_dtype(a->q), scale));
    a->q = a->stored[0] = lower_value(l, lower_dtype(a->q), a->q.rank, a->q.sizes, q);
}

/* How many heads of the query go with a head of t; one that broadcasts is left to do so. Where only the
 * run knows, operators that have groups divide. */
static sym_expr groups_of(lowering *l, const attention *a, lower_tensor t)
{
    sym_expr heads = a->q.sizes[1], others = t.sizes[1];
    int64_t whole, part = 0;
    bool part_known = sym_is_int(l->symbols, others, &part),
         known = sym_is_int(l->symbols, heads, &whole) && part_known,
         grouped =
             op_param_index(l->node->op, "enable_gqa") >= 0
                 ? lower_bool(l, "enable_gqa")
                 : fx_is(l->node, OP_aten__scaled_dot_product_flash_attention_for_cpu_default);
    if (known && part > 0 && whole % part == 0) return lower_const(l, whole / part);
    if (known || !grouped || part == 1 || sym_known_equal(l->symbols, heads, others)) return l->one;
    sym_expr groups = sym_floordiv(l->symbols, heads, others);
    lower_require_equal(l, heads, sym_mul(l->symbols, others, groups));
    return groups;
}

static fe_status begin(lowering *l, attention *a)
{
    ty_dtype out = lower_meta(l, 0)->dtype, d = lower_compute_dtype(out);
    *a = (attention){.out = out};
    lower_tensor q = lower_arg(l, "query"), k = lower_arg(l, "key"), v = lower_arg(l, "value");
    if (q.rank > 4 && (k.rank != q.rank || v.rank != q.rank))
        return lower_fail(l, "attention over operands of different ranks");
    a->mask =
        lower_arg(l, op_param_index(l->node->op, "attn_mask") >= 0 ? "attn_mask" : "attn_bias");
    if (!lower_absent(a->mask) && a->mask.rank > 4) a->mask = as_rank_4(l, a->mask);
    if (!lower_absent(a->mask) && q.rank == 3 && a->mask.rank == 3)
        a->mask = lower_unsqueeze(l, a->mask, 0);
    q = as_rank_4(l, q);
    k = as_rank_4(l, k);
    v = as_rank_4(l, v);
    a->q = lower_cast(l, q, d);
    a->k = lower_cast(l, k, d);
    a->v = lower_cast(l, v, d);
    bool are_halves = ty_is_half(lower_dtype(k)) && lower_dtype(v) == lower_dtype(k);
    a->stored[0] = are_halves && lower_dtype(q) == out && lower_dtype(k) == out ? q : a->q;
    a->stored[1] = are_halves ? k : a->k;
    a->stored[2] = are_halves ? v : a->v;
    a->replaces = fx_is(l->node, OP_ferrite_attention_default);
    a->masked_nan = a->replaces && !lower_bool(l, "safe");
    a->causal = !a->replaces && lower_bool(l, "is_causal");
    a->dropout = a->replaces ? 0 : lower_number_or(l, "dropout_p", 0);
    set_scale(l, a);
    a->groups = groups_of(l, a, a->k);
    a->value_groups = groups_of(l, a, a->v);
    return FE_OK;
}

/* Do batch and head sizes agree without broadcasting? */
static bool is_regular(lowering *l, const attention *a)
{
    const lower_tensor *const all[] = {&a->k, &a->v};
    bool fine = true;
    for (uint32_t t = 0; t < 2; t++)
        fine &= sym_known_equal(l->symbols, all[t]->sizes[0], a->q.sizes[0]);
    fine &= sym_known_equal(l->symbols, a->k.sizes[1], a->v.sizes[1]);
    for (uint32_t k = 0; k < 4; k++)
        fine &= !lower_is_zero(l, a->q.sizes[k]) && !lower_is_zero(l, a->k.sizes[k]) &&
                !lower_is_zero(l, a->v.sizes[k]);
    /* which groups that only the run knows are, as it has been asked to make sure */
    sym_expr heads = sym_mul(l->symbols, a->k.sizes[1], a->groups);
    return fine && (sym_known_equal(l->symbols, heads, a->q.sizes[1]) ||
                    !sym_is_int(l->symbols, a->groups, NULL));
}

/* The values and a second result that somebody reads: by products and a softmax, whose parts these are. */
static fe_status attention_pair(lowering *l, const attention *a, int second)
{
    const ty_tensor *out = lower_meta(l, 0), *other = lower_meta(l, 1);
    if (second == NO_SECOND) return lower_fail(l, "the log-sum-exp of an attention");
    lower_tensor scores = attention_scores(l, a);
    lower_share(l, scores);
    lower_tensor weights = attention_weights(l, a, scores), items[2];
    lower_share(l, weights);
    items[0] = lower_cast(l, lower_reshape(l, weigh(l, a, weights), out->rank, out->sizes), a->out);
    items[1] = second == WEIGHTS ? lower_reshape(l, weights, other->rank, other->sizes)
                                 : row_sums(l, scores);
    items[1] = lower_cast(l, items[1], other->dtype);
    return lower_give_items(l, items, 2);
}

fe_status lower_op_attention(lowering *l, fx_node *n, const lower_row *row)
{
    attention a;
    FE_TRY(begin(l, &a));
    const ty_tensor *out = lower_meta(l, 0);
    if (n->value.kind == FX_TUPLE && lower_is_used(l, 1))
        return attention_pair(l, &a, row->parameter);
    lower_tensor y;
    if (lower_dtype(a.q) == TY_F32 && a.dropout == 0 && is_regular(l, &a) && lower_has_operators(l))
        y = sdpa_extern(
            l, &a,
            out->rank == 4 && out->dtype == lower_dtype(a.stored[0]) ? lower_wanted(l, 0) : NULL);
    else
        y = weigh(l, &a, attention_weights(l, &a, attention_scores(l, &a)));
    y = lower_cast(l, lower_reshape(l, y, out->rank, out->sizes), a.out);
    if (n->value.kind != FX_TUPLE) return lower_give(l, y);
    lower_tensor *items = NEW_ARRAY(l->memory, lower_tensor, n->value.count);
    items[0] = y;
    return lower_give_items(l, items, n->value.count);
}
