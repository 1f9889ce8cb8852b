/* products.c -- matrix products as they were meant: sums behind them become their bias or their
 * addend, weights that are turned for them a linear map, batched products of broadcast operands the
 * product of these, and attention to heads that were repeated attention by groups.
 */
#include "pass/match.h"

#include <math.h>
#include <string.h>

static bool is_float(const ty_tensor *t)
{
    return t && (t->dtype == TY_F32 || t->dtype == TY_F64);
}

/* One number for each of the product's columns. */
static bool is_bias(rewriting *r, const ty_tensor *bias, const ty_tensor *out)
{
    return is_float(bias) && bias->dtype == out->dtype && bias->rank == 1 && out->rank >= 1 &&
           sym_known_equal(r->g->symbols, bias->sizes[0], out->sizes[out->rank - 1]);
}

static fx_node *to_addmm(rewriting *r)
{
    const ty_tensor *bias = rewrite_tensor(r, "bias"), *out = fx_tensor(r->root);
    if (!out || !is_bias(r, bias, out)) return NULL;
    return REWRITE(r, aten_addmm_default, fx_of(rewrite_node(r, "bias")), *match_arg(r->m, "a"),
                   *match_arg(r->m, "b"));
}

static fx_node *to_biased_linear(rewriting *r)
{
    const ty_tensor *bias = rewrite_tensor(r, "bias"), *out = fx_tensor(r->root);
    if (!out || !is_bias(r, bias, out)) return NULL;
    return REWRITE(r, aten_linear_default, *match_arg(r->m, "x"), *match_arg(r->m, "w"),
                   fx_of(rewrite_node(r, "bias")));
}

/* Does the addend broadcast to the product, and not the reverse? */
static bool is_addend(rewriting *r, const ty_tensor *c, const ty_tensor *out)
{
    if (!is_float(c) || !out || c->dtype != out->dtype || c->rank > out->rank) return false;
    for (uint32_t k = 1; k <= c->rank; k++) {
        int64_t one;
        sym_expr size = c->sizes[c->rank - k];
        if (!sym_known_equal(r->g->symbols, size, out->sizes[out->rank - k]) &&
            !(sym_is_int(r->g->symbols, size, &one) && one == 1))
            return false;
    }
    return true;
}

/* A sum or difference of a batched product, which may be scaled, and something else. */
static fx_node *to_baddbmm(rewriting *r)
{
    const fx_node *root = r->root,
                  *term = rewrite_node(r, match_arg(r->m, "term") ? "term" : "product");
    double of_second, scale = 1;
    if (!is_addend(r, rewrite_tensor(r, "c"), rewrite_tensor(r, "product")) ||
        !rewrite_number(r, "factor", &of_second) ||
        (match_arg(r->m, "scale") && !rewrite_number(r, "scale", &scale)))
        return NULL;
    if (fx_is(root, OP_aten_sub_Tensor)) of_second = -of_second;
    bool is_first = root->args[0].kind == FX_ARG_NODE && root->args[0].node == term;
    double beta = is_first ? of_second : 1, alpha = is_first ? scale : scale * of_second;
    /* what is multiplied by 0 may be NaN or infinite; baddbmm would not read it */
    if (beta == 0 || alpha == 0 || !isfinite(alpha) || !isfinite(beta)) return NULL;
    return REWRITE(r, aten_baddbmm_default, *match_arg(r->m, "c"), *match_arg(r->m, "a"),
                   *match_arg(r->m, "b"), fx_float(beta), fx_float(alpha));
}

/* addmm(bias, x, w^T), matmul(x, w^T) of a weight */
static fx_node *to_linear(rewriting *r)
{
    const fx_node *turned = rewrite_node(r, "turned"), *w = rewrite_node(r, "w");
    const ty_tensor *bias = rewrite_tensor(r, "bias"), *x = rewrite_tensor(r, "x"), *weight;
    if (!turned || !w || !x || x->rank < 2 || !rewrite_turns(r, turned)) return NULL;
    weight = fx_tensor(w);
    if (!is_float(weight) || !pass_is_constant(r->g, w)) return NULL;
    if (match_arg(r->m, "bias") && !is_bias(r, bias, fx_tensor(r->root))) return NULL;
    return REWRITE(r, aten_linear_default, *match_arg(r->m, "x"), fx_of(rewrite_node(r, "w")),
                   bias ? fx_of(rewrite_node(r, "bias")) : fx_none());
}

/* Is `wide` x with its batch dims broadcast to those of `out`? */
static bool is_broadcast(rewriting *r, const ty_tensor *x, const ty_tensor *wide,
                         const ty_tensor *out)
{
    if (!x || !wide || x->rank < 2 || wide->rank != out->rank) return false;
    for (uint32_t k = 0; k + 2 < out->rank; k++)
        if (!sym_known_equal(r->g->symbols, wide->sizes[k], out->sizes[k])) return false;
    for (uint32_t k = 1; k <= 2; k++)
        if (!sym_known_equal(r->g->symbols, wide->sizes[wide->rank - k], x->sizes[x->rank - k]))
            return false;
    return true;
}

/* What PyTorch takes matmul apart into. */
static fx_node *to_matmul(rewriting *r)
{
    const ty_tensor *out = fx_tensor(r->root);
    const ty_tensor *product = rewrite_tensor(r, "product");
    const ty_tensor *flat_a = rewrite_tensor(r, "fa"), *flat_b = rewrite_tensor(r, "fb");
    if (!out || out->rank < 3 || !product || !flat_a || !flat_b || flat_a->rank != 3 ||
        flat_b->rank != 3)
        return NULL;
    for (uint32_t k = 1; k <= 2; k++) /* the batch alone is cut otherwise */
        if (!sym_known_equal(r->g->symbols, product->sizes[3 - k], out->sizes[out->rank - k]) ||
            !sym_known_equal(r->g->symbols, flat_a->sizes[3 - k],
                             rewrite_tensor(r, "wa")->sizes[out->rank - k]) ||
            !sym_known_equal(r->g->symbols, flat_b->sizes[3 - k],
                             rewrite_tensor(r, "wb")->sizes[out->rank - k]))
            return NULL;
    if (!is_broadcast(r, rewrite_tensor(r, "a"), rewrite_tensor(r, "wa"), out) ||
        !is_broadcast(r, rewrite_tensor(r, "b"), rewrite_tensor(r, "wb"), out))
        return NULL;
    return REWRITE(r, aten_matmul_default, *match_arg(r->m, "a"), *match_arg(r->m, "b"));
}

/* ---- heads that were repeated ---- */

/* Is the operand x with each head (dim 1 of 4) `times` times in a row? */
static fx_node *repeated(rewriting *r, match_pattern *const *forms, const fx_arg *a, int64_t *times)
{
    match m;
    fx_node *n = a->kind == FX_ARG_NODE ? a->node : NULL;
    for (uint32_t i = 0; n && i < 2; i++) {
        if (!fx_may_join(n, r->root) || !match_node(r->g, forms[i], n, &m)) continue;
        fx_node *x = match_named(&m, "x");
        const ty_tensor *t = x ? fx_tensor(x) : NULL, *out = fx_tensor(n);
        const fx_node *wide = match_named(&m, "wide");
        if (!t || !out || t->rank != 4 || out->rank != 4) continue;
        if (wide) {
            const ty_tensor *w = fx_tensor(wide);
            if (!w || w->rank != 5 || !sym_is_int(r->g->symbols, w->sizes[2], times)) continue;
        } else if (!fx_arg_int(r->g, match_arg(&m, "n"), times)) {
            continue;
        }
        bool fits = *times > 0 && sym_known_equal(r->g->symbols, out->sizes[1],
                                                  sym_mul_int(r->g->symbols, t->sizes[1], *times));
        for (uint32_t k = 0; k < 4; k++)
            fits &= k == 1 || sym_known_equal(r->g->symbols, t->sizes[k], out->sizes[k]);
        if (fits) return x;
    }
    return NULL;
}

static fx_node *by_groups(rewriting *r)
{
    const fx_node *root = r->root;
    fx_arg args[8];
    int64_t k_times, v_times;
    if (root->arg_count > 8) return NULL;
    fx_node *k = repeated(r, r->data, &root->args[1], &k_times),
            *v = repeated(r, r->data, &root->args[2], &v_times);
    if (!k || !v || k_times != v_times || k_times == 1) return NULL;
    memcpy(args, root->args, root->arg_count * sizeof *args);
    args[1] = fx_of(k);
    args[2] = fx_of(v);
    int grouped = op_param_index(root->op, "enable_gqa");
    if (grouped >= 0) args[grouped] = fx_bool(true);
    return rewrite_call(r, (op_id)root->op->id, root->arg_count, args);
}

static const char *const REPEATED[] = {
    "view|reshape(%wide=&expand(&unsqueeze(%x, 2), _, ...), _)",
    "repeat_interleave.self_int(%x, %n, 1, ...)",
};

#define TURNED "%turned=&t|transpose.int|permute(%w, ...)"
#define VIEWS "view|reshape|_unsafe_view"
#define SCALED "%term=mul.Tensor|mul.Scalar(%product=bmm(%a, %b), %scale)"
static const rewrite_rule RULES[] = {
    {"add.Tensor(mm(%a, %b), %bias)", to_addmm},
    {"add.Tensor(" SCALED ", %c, %factor)", to_baddbmm},
    {"sub.Tensor(" SCALED ", %c, %factor)", to_baddbmm},
    {"sub.Tensor(%c, " SCALED ", %factor)", to_baddbmm},
    {"add.Tensor(%product=bmm(%a, %b), %c, %factor)", to_baddbmm},
    {"sub.Tensor(%product=bmm(%a, %b), %c, %factor)", to_baddbmm},
    {"sub.Tensor(%c, %product=bmm(%a, %b), %factor)", to_baddbmm},
    {"add.Tensor(linear(%x, %w), %bias)", to_biased_linear},
    {"addmm(%bias, %x, " TURNED ")", to_linear},
    {"mm|matmul(%x, " TURNED ")", to_linear},
    {VIEWS "(%product=bmm(%fa=&" VIEWS "(%wa=&expand(%a, _), _), %fb=&" VIEWS
           "(%wb=&expand(%b, _), _)), _)",
     to_matmul},
    {"scaled_dot_product_attention(...)", by_groups},
    {"ferrite.attention(...)", by_groups},
};

fe_status pass_products(fx_graph *g, bool *changed)
{
    arena *memory = arena_new(g->session);
    match_pattern *forms[COUNT_OF(REPEATED)];
    for (uint32_t i = 0; i < COUNT_OF(REPEATED); i++)
        forms[i] = match_compile(g, memory, REPEATED[i]);
    fe_status status = rewrite_run(g, RULES, COUNT_OF(RULES), forms, changed);
    arena_free(memory);
    return status;
}
