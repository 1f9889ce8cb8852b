/* attention.c -- attention that a program spells out, softmax(q k^T) v with scales and masks on the
 * way, becomes one call.
 *
 * From the softmax back to the product of queries and keys every call is one of the steps below,
 * each with a single reader. Scales multiply into one factor, or into the queries where they are
 * tensors; masks become one tensor to add, times the scales that stand behind them. What hides
 * positions by a number does so for certain only if nothing that is added to it shows: -inf, or so
 * far down that scores are lost in rounding.
 */
#include "pass/match.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 24, MOST_MASKS = 4 };
#define HIDDEN (-1e9)

typedef enum step_kind {
    STEP_PASS,   /* the same numbers: casts, copies */
    STEP_SHAPE,  /* the same numbers, batch dims cut otherwise */
    STEP_TIMES,  /* times %c */
    STEP_BY,     /* divided by %c */
    STEP_ADD,    /* plus %m */
    STEP_LESS,   /* minus %m */
    STEP_HIDE,   /* %c where %m */
    STEP_SHOW,   /* %c where not %m */
    STEP_PRODUCT /* of %q and %k */
} step_kind;

static const struct {
    const char *pattern;
    step_kind kind;
} STEPS[] = {
    {"matmul|bmm(%q, %k)", STEP_PRODUCT},
    {"baddbmm(%m, %q, %k, ...)", STEP_PRODUCT},
    {"mul.Tensor|mul.Scalar|multiply.Tensor|multiply.Scalar(%s, %c)", STEP_TIMES},
    {"div.Tensor|div.Scalar|divide.Tensor|true_divide.Tensor(%s, %c)", STEP_BY},
    {"add.Tensor(%s, %m)", STEP_ADD},
    {"sub.Tensor(%s, %m)", STEP_LESS},
    {"masked_fill.Scalar|masked_fill.Tensor(%s, %m, %c)", STEP_HIDE},
    {"where.self|where.ScalarSelf(%m, %c, %s)", STEP_HIDE},
    {"where.self|where.ScalarOther(%m, %s, %c)", STEP_SHOW},
    {"to.dtype|_to_copy|type_as|contiguous|clone(%s, ...)", STEP_PASS},
    {"prims.convert_element_type(%s, _)", STEP_PASS},
    {"view|reshape|_unsafe_view|expand|unflatten.int(%s, ...)", STEP_SHAPE},
    {"unsqueeze|squeeze.dim|squeeze.dims(%s, _)", STEP_SHAPE},
};
enum { STEP_KINDS = sizeof STEPS / sizeof *STEPS };

typedef struct mask {
    fx_node *node;
    double factor;       /* the mask is added times this, ... */
    bool hides;          /* ... or is a bool that hides, by this number */
    bool is_shown;       /* hides where it is not set */
    const ty_tensor *at; /* the scores that it is broadcast to */
} mask;

typedef struct attention {
    rewriting *r;
    match_pattern *const *steps;
    double scale;
    fx_node *q, *k;    /* k as the product has it: [.., d, t] */
    fx_node *q_factor; /* a tensor to multiply into the queries; NULL: none */
    mask masks[MOST_MASKS];
    uint32_t mask_count;
    const ty_tensor *widest; /* the scores with most dims */
    uint32_t split;          /* how many of their batch dims are the batch; the others are heads */
    bool is_safe;            /* rows that see nothing are zeros, else NaN */
    int left;                /* steps that may still be tried */
} attention;

/* ---- from the softmax to the product ---- */

static bool same_size(const fx_graph *g, sym_expr a, sym_expr b)
{
    return sym_known_equal(g->symbols, a, b);
}

/* Are the last two sizes the same, and nothing broadcast? */
static bool keeps_scores(fx_graph *g, const ty_tensor *a, const ty_tensor *b)
{
    for (uint32_t i = 1; i <= 2; i++)
        if (!same_size(g, a->sizes[a->rank - i], b->sizes[b->rank - i])) return false;
    return same_size(g, ty_numel(g->symbols, a), ty_numel(g->symbols, b));
}

static bool find_product(attention *a, fx_node *scores);

static bool add_mask(attention *a, const match *m, const fx_node *at, bool hides, bool is_shown)
{
    fx_node *node = match_named(m, "m");
    const ty_tensor *t = node ? fx_tensor(node) : NULL;
    double factor = 1;
    if (!t || a->mask_count == MOST_MASKS || t->rank > fx_tensor(at)->rank) return false;
    if (a->q_factor) return false; /* which is the products' alone */
    if (hides) {
        const fx_arg *c = match_arg(m, "c");
        if (!fx_arg_number(a->r->g, c, &factor) &&
            (c->kind != FX_ARG_NODE || !pass_known_number(a->r->g, c->node, &factor)))
            return false;
        if (t->dtype != TY_BOOL || !(factor * a->scale <= HIDDEN)) return false;
    } else if (!ty_is_floating(t->dtype)) {
        return false;
    }
    a->masks[a->mask_count++] = (mask){node, factor * a->scale, hides, is_shown, fx_tensor(at)};
    return true;
}

/* A factor of one number, or of one for each row of scores. */
static bool add_factor(attention *a, const match *m, const fx_node *at, bool divides)
{
    const fx_arg *c = match_arg(m, "c");
    double number;
    if (fx_arg_number(a->r->g, c, &number) ||
        (c->kind == FX_ARG_NODE && pass_known_number(a->r->g, c->node, &number))) {
        a->scale *= divides ? 1 / number : number;
        return isfinite(a->scale) && a->scale != 0;
    }
    const ty_tensor *t = fx_arg_tensor(c), *scores = fx_tensor(at);
    int64_t one;
    if (divides || a->q_factor || !t || t->dtype != scores->dtype || t->rank < 1 ||
        t->rank > scores->rank)
        return false;
    a->q_factor = c->node;
    return sym_is_int(a->r->g->symbols, t->sizes[t->rank - 1], &one) && one == 1;
}

static bool add_baddbmm(attention *a, const match *m, const fx_node *n)
{
    double beta, alpha;
    if (!fx_arg_number(a->r->g, &n->args[3], &beta) || !fx_arg_number(a->r->g, &n->args[4], &alpha))
        return false;
    if (beta != 0) {
        if (!add_mask(a, m, n, false, false)) return false;
        a->masks[a->mask_count - 1].factor *= beta;
    }
    a->scale *= alpha;
    return alpha != 0;
}

static bool take_step(attention *a, step_kind kind, const match *m, fx_node *n)
{
    fx_node *s = match_named(m, "s");
    const ty_tensor *before = s ? fx_tensor(s) : NULL, *here = fx_tensor(n);
    if (kind == STEP_PRODUCT) {
        a->q = match_named(m, "q");
        a->k = match_named(m, "k");
        return !fx_is(n, OP_aten_baddbmm_default) || add_baddbmm(a, m, n);
    }
    if (!before || before->rank < 2 || !ty_is_floating(before->dtype)) return false;
    if (!keeps_scores(a->r->g, here, before)) return false;
    if (kind != STEP_SHAPE && before->rank != here->rank) return false;
    /* a cast that rounds the scores is not of the same numbers */
    if (ty_dtype_size(here->dtype) < ty_dtype_size(before->dtype)) return false;
    switch (kind) {
    case STEP_TIMES: return add_factor(a, m, n, false);
    case STEP_BY: return add_factor(a, m, n, true);
    case STEP_ADD: return add_mask(a, m, n, false, false);
    case STEP_LESS:
        if (!add_mask(a, m, n, false, false)) return false;
        a->masks[a->mask_count - 1].factor *= -1;
        return true;
    case STEP_HIDE: return add_mask(a, m, n, true, false);
    case STEP_SHOW: return add_mask(a, m, n, true, true);
    default: return true;
    }
}

/* Of two operands that are added or multiplied either may be the scores: both are tried. */
static bool find_behind(attention *a, step_kind kind, match *m, fx_node *n)
{
    attention before = *a;
    if (take_step(a, kind, m, n) && (kind == STEP_PRODUCT || find_product(a, match_named(m, "s"))))
        return true;
    int left = a->left;
    *a = before;
    a->left = left;
    return false;
}

static bool find_product(attention *a, fx_node *n)
{
    const ty_tensor *t = n ? fx_tensor(n) : NULL;
    if (!t || t->rank < 2 || a->left-- <= 0 || n->users.count != 1) return false;
    if (!fx_may_join(n, a->r->root)) return false;
    const ty_tensor *widest = a->widest;
    if (!widest || t->rank > widest->rank) a->widest = t;
    for (uint32_t i = 0; i < STEP_KINDS; i++) {
        match m;
        if (!match_node(a->r->g, a->steps[i], n, &m)) continue;
        if (find_behind(a, STEPS[i].kind, &m, n)) return true;
        if (STEPS[i].kind != STEP_ADD && STEPS[i].kind != STEP_TIMES) continue;
        const fx_arg *other = match_arg(&m, STEPS[i].kind == STEP_ADD ? "m" : "c");
        if (other->kind != FX_ARG_NODE) continue;
        match swapped = m; /* slot 0 is %s, slot 1 the other */
        swapped.bound[0] = m.bound[1];
        swapped.bound[1] = m.bound[0];
        if (find_behind(a, STEPS[i].kind, &swapped, n)) return true;
    }
    a->widest = widest;
    return false;
}

/* ---- what is made of it ---- */

/* x's rows [.., a, b] as [batch, head, a, b]: the batch dims of the widest scores, cut at `split`. */
static fx_node *as_heads(attention *a, fx_node *x)
{
    fx_graph *g = a->r->g;
    const ty_tensor *t = x ? fx_tensor(x) : NULL, *w = a->widest;
    if (!t) return NULL;
    sym_expr sizes[4] = {sym_product(g->symbols, w->sizes, a->split),
                         sym_product(g->symbols, w->sizes + a->split, w->rank - 2 - a->split),
                         t->sizes[t->rank - 2], t->sizes[t->rank - 1]};
    bool same = t->rank == 4;
    for (uint32_t i = 0; same && i < 4; i++) same = same_size(g, t->sizes[i], sizes[i]);
    if (same) return x;
    return REWRITE(a->r, aten_reshape_default, fx_of(x), fx_int_list(g, sizes, 4));
}

/* [.., d, t] as [.., t, d] */
static fx_node *turned(attention *a, fx_node *x)
{
    fx_graph *g = a->r->g;
    return REWRITE(a->r, aten_transpose_int, fx_of(x), fx_int(g, -2), fx_int(g, -1));
}

/* The mask's numbers as float32, at the shape that it was given. */
static fx_node *mask_numbers(attention *a, const mask *m)
{
    fx_arg at = fx_of(m->node);
    if (m->hides) {
        fx_arg low = fx_float(m->factor), none = fx_float(0);
        return REWRITE(a->r, aten_where_Scalar, at, m->is_shown ? none : low,
                       m->is_shown ? low : none);
    }
    fx_node *made = m->node;
    if (fx_tensor(made)->dtype != TY_F32)
        made = REWRITE(a->r, aten_to_dtype, at, fx_dtype(TY_F32), fx_bool(false), fx_bool(false),
                       fx_none());
    if (made && m->factor != 1)
        made = REWRITE(a->r, aten_mul_Tensor, fx_of(made), fx_float(m->factor));
    return made;
}

static bool is_one(const fx_graph *g, sym_expr e)
{
    int64_t value;
    return sym_is_int(g->symbols, e, &value) && value == 1;
}

/* The mask as it broadcasts to the widest scores. */
static fx_node *mask_as_widest(attention *a, const mask *m)
{
    fx_graph *g = a->r->g;
    fx_node *x = mask_numbers(a, m);
    const ty_tensor *t = x ? fx_tensor(x) : NULL, *w = a->widest;
    if (!t || m->at->rank == w->rank) return x;
    uint32_t batch = t->rank > 2 ? t->rank - 2 : 0, ones = 0;
    while (ones < batch && is_one(g, t->sizes[ones])) ones++;
    bool same_heads = m->at->rank > 2 && w->rank > 2 &&
                      same_size(g, m->at->sizes[m->at->rank - 3], w->sizes[w->rank - 3]);
    if (batch == ones || (batch - ones == 1 && same_heads)) {
        if (!ones) return x;
        return REWRITE(a->r, aten_reshape_default, fx_of(x),
                       fx_int_list(g, t->sizes + ones, t->rank - ones));
    }
    /* written out for every batch and head, then cut as the scores are */
    x = REWRITE(a->r, aten_expand_default, fx_of(x), fx_int_list(g, m->at->sizes, m->at->rank),
                fx_bool(false));
    return REWRITE(a->r, aten_reshape_default, fx_of(x), fx_int_list(g, w->sizes, w->rank));
}

/* Of more than two batch dims the leading ones that the mask is the same for become the batch, the
 * others the heads. */
static fx_node *mask_as_heads(attention *a, fx_node *x)
{
    fx_graph *g = a->r->g;
    const ty_tensor *t = x ? fx_tensor(x) : NULL, *w = a->widest;
    if (!t || w->rank <= 4 || t->rank <= 2) return x;
    sym_expr sizes[TY_MAX_RANK];
    uint32_t missing = w->rank - t->rank;
    a->split = missing;
    while (a->split < w->rank - 3 && is_one(g, t->sizes[a->split - missing])) a->split++;
    memcpy(sizes, t->sizes, t->rank * sizeof *sizes);
    for (uint32_t i = a->split; i + 2 < w->rank; i++) sizes[i - missing] = w->sizes[i];
    x = REWRITE(a->r, aten_expand_default, fx_of(x), fx_int_list(g, sizes, t->rank),
                fx_bool(false));
    sym_expr flat[] = {sym_int(g->symbols, 1),
                       sym_product(g->symbols, w->sizes + a->split, w->rank - 2 - a->split),
                       sizes[t->rank - 2], sizes[t->rank - 1]};
    return REWRITE(a->r, aten_reshape_default, fx_of(x), fx_int_list(g, flat, 4));
}

/* One mask that hides by -inf stays the bools that it is. */
static bool is_bool_mask(const attention *a)
{
    const mask *m = &a->masks[0];
    return a->mask_count == 1 && m->hides && m->factor == -(double)INFINITY &&
           a->widest->rank <= 4 && m->at->rank == a->widest->rank;
}

/* A mask of keys alone, or of one number, is the same for all queries. */
static fx_node *mask_with_queries(attention *a, fx_node *x)
{
    const ty_tensor *t = x ? fx_tensor(x) : NULL;
    fx_graph *g = a->r->g;
    sym_expr one = sym_int(g->symbols, 1), sizes[] = {one, t && t->rank ? t->sizes[0] : one};
    if (!t || t->rank >= 2) return x;
    return REWRITE(a->r, aten_reshape_default, fx_of(x), fx_int_list(g, sizes, COUNT_OF(sizes)));
}

static bool sum_masks(attention *a, fx_arg *out)
{
    fx_node *sum = NULL;
    *out = fx_none();
    a->split = a->widest->rank > 3 ? a->widest->rank - 3 : 0;
    if (is_bool_mask(a)) {
        sum = a->masks[0].node;
        if (!a->masks[0].is_shown) sum = REWRITE(a->r, aten_logical_not_default, fx_of(sum));
    } else {
        for (uint32_t i = a->mask_count; i-- > 0;) { /* in the order of the program */
            fx_node *x = mask_as_widest(a, &a->masks[i]);
            if (x && sum)
                x = REWRITE(a->r, aten_add_Tensor, fx_of(sum), fx_of(x), fx_int(a->r->g, 1));
            if (!x) return false;
            sum = x;
        }
        sum = mask_as_heads(a, sum);
    }
    sum = mask_with_queries(a, sum);
    if (sum) *out = fx_of(sum);
    return sum || !a->mask_count;
}

/* Batch dims that the product does not broadcast, and sizes that fit. */
static bool is_plain(attention *a, const fx_node *v)
{
    fx_graph *g = a->r->g;
    const ty_tensor *q = fx_tensor(a->q), *k = fx_tensor(a->k), *x = fx_tensor(v);
    if (!q || !k || !x || q->rank < 2 || k->rank != q->rank || x->rank < 2) return false;
    bool low = ty_is_half(q->dtype);
    if ((q->dtype != TY_F32 && !low) || k->dtype != q->dtype || x->dtype != q->dtype) return false;
    for (uint32_t i = 0; i + 2 < q->rank; i++)
        if (!same_size(g, q->sizes[i], k->sizes[i])) return false;
    sym_expr heads = sym_product(g->symbols, q->sizes, q->rank - 2);
    return same_size(g, heads, sym_product(g->symbols, x->sizes, x->rank - 2)) &&
           same_size(g, heads, sym_product(g->symbols, a->widest->sizes, a->widest->rank - 2)) &&
           same_size(g, x->sizes[x->rank - 2], k->sizes[k->rank - 1]);
}

static fx_node *attended(attention *a, fx_node *v)
{
    fx_graph *g = a->r->g;
    const ty_tensor *out = fx_tensor(a->r->root);
    fx_arg masks;
    if (!is_plain(a, v)) return NULL;
    fx_node *q = a->q;
    if (a->q_factor) {
        q = REWRITE(a->r, aten_mul_Tensor, fx_of(q), fx_of(a->q_factor));
        if (!q || fx_tensor(q)->rank != fx_tensor(a->q)->rank) return NULL;
    }
    fx_node *k = turned(a, a->k);
    if (!k || !sum_masks(a, &masks)) return NULL;
    fx_node *made =
        REWRITE(a->r, ferrite_attention_default, fx_of(as_heads(a, q)), fx_of(as_heads(a, k)),
                fx_of(as_heads(a, v)), masks, fx_float(a->scale), fx_bool(a->is_safe));
    bool same = made && out->rank == 4;
    for (uint32_t i = 0; same && i < 4; i++)
        same = same_size(g, out->sizes[i], fx_tensor(made)->sizes[i]);
    if (!made || same) return made;
    return REWRITE(a->r, aten_reshape_default, fx_of(made), fx_int_list(g, out->sizes, out->rank));
}

/* Queries or keys that are scaled for the product alone. */
static const char *const SCALED[] = {
    "mul.Tensor|mul.Scalar(%x, %c)",
    "div.Tensor|div.Scalar(%x, %c)",
    "transpose.int|permute(%y=mul.Tensor|mul.Scalar(%x, %c), ...)",
    "transpose.int|permute(%y=div.Tensor|div.Scalar(%x, %c), ...)",
};

static void unscale(attention *a, match_pattern *const *scaled, fx_node **operand)
{
    for (uint32_t i = 0; i < COUNT_OF(SCALED); i++) {
        match m;
        double number;
        if ((*operand)->users.count != 1 || !fx_may_join(*operand, a->r->root) ||
            !match_node(a->r->g, scaled[i], *operand, &m))
            continue;
        fx_node *x = match_named(&m, "x"), *y = match_named(&m, "y");
        const fx_arg *c = match_arg(&m, "c");
        const ty_tensor *t = x ? fx_tensor(x) : NULL;
        if (!t || !fx_arg_number(a->r->g, c, &number) || number == 0 ||
            t->dtype != fx_tensor(*operand)->dtype ||
            !keeps_scores(a->r->g, t, fx_tensor(y ? y : *operand)))
            continue;
        if (y) {
            fx_arg args[3];
            memcpy(args, (*operand)->args, (*operand)->arg_count * sizeof *args);
            args[0] = fx_of(x);
            x = rewrite_call(a->r, (op_id)(*operand)->op->id, (*operand)->arg_count, args);
            if (!x) return;
        }
        a->scale *= i % 2 ? 1 / number : number;
        *operand = x;
        return;
    }
}

static bool is_last(const rewriting *r, const char *dim, const fx_node *n)
{
    uint32_t at, rank = fx_tensor(n) ? fx_tensor(n)->rank : 0;
    return rank >= 2 && rewrite_dim(r, dim, rank, &at) && at == rank - 1;
}

/* What the pass keeps of its patterns. */
typedef struct forms {
    match_pattern *steps[STEP_KINDS], *scaled[COUNT_OF(SCALED)], *row;
} forms;

/* Back over casts, copies and shapes between the softmax and the product with the values. */
static fx_node *softmax_before(rewriting *r, const forms *f, fx_node *weights)
{
    for (int times = 0; times < 4; times++) {
        match m;
        fx_node *behind = NULL;
        for (uint32_t i = 0; i < STEP_KINDS && !behind && weights->users.count == 1; i++)
            if ((STEPS[i].kind == STEP_PASS || STEPS[i].kind == STEP_SHAPE) &&
                match_node(r->g, f->steps[i], weights, &m))
                behind = match_named(&m, "s");
        const ty_tensor *t = behind ? fx_tensor(behind) : NULL;
        if (!t || t->rank < 2 || !ty_is_floating(t->dtype) || !fx_may_join(weights, r->root) ||
            !keeps_scores(r->g, t, fx_tensor(weights)))
            break;
        weights = behind;
    }
    return weights;
}

static fx_node *find_attention(rewriting *r)
{
    forms *f = r->data;
    fx_node *weights = rewrite_node(r, "p"), *v = rewrite_node(r, "v");
    match m;
    if (!weights || !v || !fx_tensor(weights)) return NULL;
    fx_node *softmax = softmax_before(r, f, weights);
    if (softmax->users.count != 1 || !fx_may_join(softmax, r->root) ||
        !match_node(r->g, f->row, softmax, &m))
        return NULL;
    rewriting inner = {.g = r->g, .m = &m};
    attention a = {.r = r, .steps = f->steps, .scale = 1, .left = MOST_STEPS};
    a.is_safe = fx_is(softmax, OP_aten__safe_softmax_default);
    if (!is_last(&inner, "dim", softmax) || !ty_is_floating(fx_tensor(softmax)->dtype) ||
        !find_product(&a, match_named(&m, "s")))
        return NULL;
    unscale(&a, f->scaled, &a.q);
    unscale(&a, f->scaled, &a.k);
    return attended(&a, v);
}

static bool is_softmax(const fx_node *n)
{
    return fx_is(n, OP_aten_softmax_int) || fx_is(n, OP_aten__softmax_default) ||
           fx_is(n, OP_aten__safe_softmax_default);
}

/* Does the value go to a softmax, as scores do, by steps with a single reader? */
static bool goes_to_softmax(const fx_node *n)
{
    for (int left = MOST_STEPS; left > 0 && n->users.count == 1; left--) {
        n = n->users.at[0];
        if (n->kind != FX_CALL || is_softmax(n)) return n->kind == FX_CALL;
    }
    return false;
}

/* einsum before or behind a softmax is a product like the others. */
static fx_node *einsum_product(rewriting *r)
{
    const fx_arg *equation = match_arg(r->m, "equation");
    fx_node *a = rewrite_node(r, "a"), *b = rewrite_node(r, "b");
    if (equation->kind != FX_ARG_STRING || !a || !b || !fx_tensor(a) || !fx_tensor(b)) return NULL;
    bool is_behind =
        is_softmax(softmax_before(r, r->data, a)) || is_softmax(softmax_before(r, r->data, b));
    if (!is_behind && !goes_to_softmax(r->root)) return NULL;
    return pass_einsum_as_matmul(r, equation->string, a, b);
}

static const rewrite_rule PRODUCTS[] = {
    {"einsum(%equation, [%a, %b], ...)", einsum_product},
};
static const rewrite_rule RULES[] = {
    {"matmul|bmm(%p, %v)", find_attention},
};

fe_status pass_attention(fx_graph *g, bool *changed)
{
    arena *memory = arena_new(g->session);
    forms f;
    for (uint32_t i = 0; i < STEP_KINDS; i++)
        f.steps[i] = match_compile(g, memory, STEPS[i].pattern);
    for (uint32_t i = 0; i < COUNT_OF(SCALED); i++)
        f.scaled[i] = match_compile(g, memory, SCALED[i]);
    f.row = match_compile(g, memory, "softmax.int|_softmax|_safe_softmax(%s, %dim, ...)");
    fe_status status = rewrite_run(g, PRODUCTS, COUNT_OF(PRODUCTS), &f, changed);
    if (status == FE_OK) status = rewrite_run(g, RULES, COUNT_OF(RULES), &f, changed);
    arena_free(memory);
    return status;
}
