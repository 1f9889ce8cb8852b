/* simplify.c -- what undoes itself goes: orders of dims one after another, views of views, casts that
 * lose nothing on the way, pieces that are cut and put together again, writes that are overwritten.
 *
 * A piece of a concatenation is one of its operands, laid out otherwise; it takes the piece's place
 * only where all readers work element by element, which no layout shows through.
 */
#include "pass/match.h"

#include <string.h>

/* ---- orders of dims ---- */

/* order[k]: the dim of the operand that dim k of the call is. */
static bool order_of(const fx_graph *g, const fx_node *n, uint32_t rank, uint32_t *order)
{
    int64_t a = 0, b = 1;
    sym_expr dims[TY_MAX_RANK];
    for (uint32_t k = 0; k < rank; k++) order[k] = k;
    if (fx_is(n, OP_aten_t_default)) {
        if (rank == 2) order[0] = 1, order[1] = 0;
        return true;
    }
    if (fx_is(n, OP_aten_transpose_int)) {
        if (!fx_arg_int(g, &n->args[1], &a) || !fx_arg_int(g, &n->args[2], &b)) return false;
        if (rank == 0) return true;
        order[a < 0 ? a + rank : a] = (uint32_t)(b < 0 ? b + rank : b);
        order[b < 0 ? b + rank : b] = (uint32_t)(a < 0 ? a + rank : a);
        return true;
    }
    if (fx_arg_ints(g, &n->args[1], dims, TY_MAX_RANK) != (int)rank) return false;
    for (uint32_t k = 0; k < rank; k++) {
        if (!sym_is_int(g->symbols, dims[k], &a)) return false;
        order[k] = (uint32_t)(a < 0 ? a + rank : a);
    }
    return true;
}

static fx_node *join_orders(rewriting *r)
{
    fx_node *x = rewrite_node(r, "x"), *inner = rewrite_node(r, "inner");
    const ty_tensor *t = x ? fx_tensor(x) : NULL;
    uint32_t first[TY_MAX_RANK], second[TY_MAX_RANK];
    sym_expr both[TY_MAX_RANK];
    bool is_identity = true;
    if (!t || !order_of(r->g, inner, t->rank, first) || !order_of(r->g, r->root, t->rank, second))
        return NULL;
    for (uint32_t k = 0; k < t->rank; k++) {
        both[k] = sym_int(r->g->symbols, first[second[k]]);
        is_identity &= first[second[k]] == k;
    }
    if (is_identity) return x;
    return REWRITE(r, aten_permute_default, fx_of(x), fx_int_list(r->g, both, t->rank));
}

/* ---- views of views ---- */

static fx_node *join_views(rewriting *r)
{
    fx_node *x = rewrite_node(r, "x");
    const ty_tensor *t = fx_tensor(r->root), *from = x ? fx_tensor(x) : NULL;
    if (!t || !from) return NULL;
    if (ty_known_same_layout(r->g->symbols, from, t)) return x;
    return REWRITE(r, aten_reshape_default, fx_of(x), fx_int_list(r->g, t->sizes, t->rank));
}

/* ---- casts ---- */

/* Does every number of dtype a have the same value as a b? */
static bool is_exact(ty_dtype a, ty_dtype b)
{
    if (a == b || a == TY_BOOL) return !ty_is_complex(b);
    uint32_t from = ty_dtype_size(a), to = ty_dtype_size(b);
    if (ty_is_floating(a)) return ty_is_floating(b) && to > from;
    if (!ty_is_integral(a, false)) return false;
    if (ty_is_floating(b))
        return (from == 1 && to >= 2 && b != TY_BF16) || (from <= 2 && to >= 4) ||
               (from <= 4 && to == 8);
    bool is_signed = ty_dtype_kind(a) == TY_KIND_SIGNED,
         to_signed = ty_dtype_kind(b) == TY_KIND_SIGNED;
    return ty_is_integral(b, false) && to > from && (to_signed || !is_signed);
}

static fx_node *join_casts(rewriting *r)
{
    fx_node *x = rewrite_node(r, "x"), *inner = rewrite_node(r, "inner");
    const ty_tensor *t = fx_tensor(r->root), *from = x ? fx_tensor(x) : NULL;
    const ty_tensor *between = fx_tensor(inner);
    if (!t || !from || !between || !is_exact(from->dtype, between->dtype)) return NULL;
    if (from->dtype == t->dtype) return x;
    return REWRITE(r, aten_to_dtype, fx_of(x), fx_dtype(t->dtype), fx_bool(false), fx_bool(false),
                   fx_none());
}

/* ---- pieces ---- */

/* Are all readers indifferent to strides? */
static bool may_be_relaid(const fx_node *n)
{
    for (uint32_t i = 0; i < n->users.count; i++) {
        const fx_node *user = n->users.at[i];
        if (user->kind != FX_CALL || !(user->op->flags & OPF_POINTWISE) || user->op->is_mutating)
            return false;
    }
    return n->users.count > 0;
}

/* Element-by-element readers lay their results out as their operands are: rows first in both. */
static fx_node *piece(rewriting *r, fx_node *x)
{
    const ty_tensor *t = fx_tensor(r->root), *from = x ? fx_tensor(x) : NULL;
    if (!t || !from || t->dtype != from->dtype || t->rank != from->rank) return NULL;
    if (ty_known_same_layout(r->g->symbols, from, t)) return x;
    if (!may_be_relaid(r->root) || !ty_is_contiguous(r->g->symbols, from)) return NULL;
    for (uint32_t k = 0; k < t->rank; k++) {
        int64_t here, next;
        if (!sym_known_equal(r->g->symbols, t->sizes[k], from->sizes[k])) return NULL;
        if (k && (!sym_is_int(r->g->symbols, t->strides[k - 1], &here) ||
                  !sym_is_int(r->g->symbols, t->strides[k], &next) || here < next))
            return NULL;
    }
    r->may_relay = true;
    return x;
}

static bool same_dim(rewriting *r, const char *a, const char *b, uint32_t rank, uint32_t *out)
{
    uint32_t other;
    return rewrite_dim(r, a, rank, out) && rewrite_dim(r, b, rank, &other) && *out == other;
}

/* Of cat(list, d): the operand from `start` to `end` of the dim. */
static fx_node *operand_at(rewriting *r, uint32_t dim, int64_t start, int64_t end)
{
    const fx_arg *list = match_arg(r->m, "list");
    int64_t at = 0, size;
    for (uint32_t i = 0; list->kind == FX_ARG_LIST && i < list->list.count; i++) {
        const ty_tensor *x = fx_arg_tensor(&list->list.items[i]);
        if (!x || dim >= x->rank || !sym_is_int(r->g->symbols, x->sizes[dim], &size)) return NULL;
        if (at == start && at + size == end) return list->list.items[i].node;
        at += size;
    }
    return NULL;
}

/* slice(cat(list)) that is one operand */
static fx_node *slice_of_cat(rewriting *r)
{
    const ty_tensor *t = fx_tensor(r->root);
    uint32_t dim;
    int64_t start, size;
    if (!t || !same_dim(r, "d", "dim", t->rank, &dim) || !rewrite_int(r, "start", &start) ||
        start < 0 || !sym_is_int(r->g->symbols, t->sizes[dim], &size))
        return NULL;
    return piece(r, operand_at(r, dim, start, start + size));
}

/* item k of split(cat(list)) that is operand k */
static fx_node *item_of_cat(rewriting *r)
{
    const fx_arg *list = match_arg(r->m, "list");
    const fx_node *split = rewrite_node(r, "split");
    const ty_tensor *t = fx_tensor(r->root);
    int64_t k;
    uint32_t dim, of_split;
    fx_arg at = split->args[split->arg_count - 1];
    int64_t given;
    if (!t || list->kind != FX_ARG_LIST || !rewrite_int(r, "k", &k) || k < 0 ||
        k >= (int64_t)list->list.count || !rewrite_dim(r, "d", t->rank, &dim) ||
        !fx_arg_int(r->g, &at, &given))
        return NULL;
    of_split = (uint32_t)(given < 0 ? given + t->rank : given);
    if (of_split != dim || split->value.count != list->list.count) return NULL;
    for (uint32_t i = 0; i < list->list.count; i++) {
        const ty_tensor *x = fx_arg_tensor(&list->list.items[i]), *y = split->value.items[i].tensor;
        if (!x || x->rank != t->rank ||
            !sym_known_equal(r->g->symbols, x->sizes[dim], y->sizes[dim]))
            return NULL;
    }
    return piece(r, list->list.items[k].node);
}

/* item k of what stacks tensors is the k-th */
static fx_node *item_of_stack(rewriting *r)
{
    const fx_arg *list = match_arg(r->m, "list");
    const ty_tensor *t = fx_tensor(r->root);
    uint32_t dim;
    int64_t k;
    if (!t || list->kind != FX_ARG_LIST || !same_dim(r, "d", "dim", t->rank + 1, &dim) ||
        !rewrite_int(r, "k", &k))
        return NULL;
    if (k < 0) k += list->list.count;
    if (k < 0 || k >= (int64_t)list->list.count) return NULL;
    return piece(r, list->list.items[k].node);
}

/* All items of one split, in order, put together again. */
static fx_node *whole_of_items(rewriting *r, bool is_stack)
{
    const fx_arg *list = match_arg(r->m, "list");
    const ty_tensor *t = fx_tensor(r->root);
    uint32_t dim;
    int64_t given, k;
    const fx_node *split = NULL;
    if (!t || list->kind != FX_ARG_LIST || !rewrite_dim(r, "dim", t->rank, &dim)) return NULL;
    for (uint32_t i = 0; i < list->list.count; i++) {
        const fx_arg *a = &list->list.items[i];
        if (a->kind != FX_ARG_NODE || !fx_is(a->node, OP_operator_getitem) ||
            !fx_may_join(a->node, r->root) || !fx_arg_int(r->g, &a->node->args[1], &k) || k != i)
            return NULL;
        if (split && a->node->args[0].node != split) return NULL;
        split = a->node->args[0].node;
    }
    if (!split || split->kind != FX_CALL || split->value.count != list->list.count ||
        !fx_may_join(split, r->root))
        return NULL;
    bool is_unbind = fx_is(split, OP_aten_unbind_int);
    bool is_split = fx_is(split, OP_aten_split_Tensor) || fx_is(split, OP_aten_chunk_default) ||
                    fx_is(split, OP_aten_split_with_sizes_default);
    if (is_stack ? !is_unbind : !is_split) return NULL;
    if (!fx_arg_int(r->g, &split->args[split->arg_count - 1], &given)) return NULL;
    if ((uint32_t)(given < 0 ? given + t->rank : given) != dim) return NULL;
    fx_node *x = split->args[0].node;
    return ty_known_same_layout(r->g->symbols, fx_tensor(x), t) ? x : NULL;
}

/* Where along `dim` a slice of step 1 begins. */
static bool slice_start(const rewriting *r, const fx_arg *slice, uint32_t dim, int64_t *start)
{
    const fx_node *n = slice->node;
    int64_t given, step, size;
    const ty_tensor *x;
    if (slice->kind != FX_ARG_NODE || !fx_is(n, OP_aten_slice_Tensor) || !fx_may_join(n, r->root))
        return false;
    x = fx_arg_tensor(&n->args[0]);
    *start = 0;
    if (!x || dim >= x->rank || !fx_arg_int(r->g, fx_get(r->g, n, "dim"), &given) ||
        (given < 0 ? given + x->rank : given) != dim ||
        !fx_arg_int(r->g, fx_get(r->g, n, "step"), &step) || step != 1)
        return false;
    const fx_arg *from = fx_get(r->g, n, "start");
    if (from->kind == FX_ARG_NONE) return true;
    if (!fx_arg_int(r->g, from, start)) return false;
    if (*start < 0 && sym_is_int(r->g->symbols, x->sizes[dim], &size)) *start += size;
    return true;
}

/* Slices of one tensor that follow each other from its beginning to its end. */
static fx_node *whole_of_slices(rewriting *r)
{
    const fx_arg *list = match_arg(r->m, "list");
    const ty_tensor *t = fx_tensor(r->root);
    uint32_t dim;
    int64_t start, size, at = 0;
    fx_node *x = NULL;
    if (!t || list->kind != FX_ARG_LIST || !rewrite_dim(r, "dim", t->rank, &dim)) return NULL;
    for (uint32_t i = 0; i < list->list.count; i++) {
        const fx_arg *a = &list->list.items[i];
        if (!slice_start(r, a, dim, &start) || start != at || (x && a->node->args[0].node != x) ||
            !sym_is_int(r->g->symbols, fx_arg_tensor(a)->sizes[dim], &size))
            return NULL;
        x = a->node->args[0].node;
        at += size;
    }
    return x && ty_known_same_layout(r->g->symbols, fx_tensor(x), t) ? x : NULL;
}

static fx_node *whole_of_split(rewriting *r)
{
    return whole_of_items(r, false);
}

static fx_node *whole_of_unbind(rewriting *r)
{
    return whole_of_items(r, true);
}

/* ---- writes ---- */

static fx_node *over_all(rewriting *r)
{
    const ty_tensor *t = fx_tensor(r->root), *source = rewrite_tensor(r, "source");
    uint32_t dim;
    int64_t start;
    if (!t || !source || !rewrite_dim(r, "dim", t->rank, &dim)) return NULL;
    const fx_arg *from = match_arg(r->m, "start");
    if (from->kind != FX_ARG_NONE && (!rewrite_int(r, "start", &start) || start != 0)) return NULL;
    if (!sym_known_equal(r->g->symbols, source->sizes[dim], t->sizes[dim])) return NULL;
    return ty_known_same_layout(r->g->symbols, source, t) ? rewrite_node(r, "source") : NULL;
}

/* What is written to the same place again is not written before. */
static fx_node *over_again(rewriting *r)
{
    fx_arg args[8];
    CHECK(r->g->session, r->root->arg_count <= 8);
    memcpy(args, r->root->args, r->root->arg_count * sizeof *args);
    args[0] = *match_arg(r->m, "base");
    return rewrite_call(r, (op_id)r->root->op->id, r->root->arg_count, args);
}

/* x[.., a:b, ..] = v, written as places a, a + 1, ... of one dim */
static fx_node *put_of_ramp(rewriting *r)
{
    const fx_arg *list = match_arg(r->m, "places"), *value = match_arg(r->m, "value");
    const ty_tensor *t = fx_tensor(r->root), *v = fx_arg_tensor(value);
    uint32_t dim = UINT32_MAX;
    int64_t start = 0, end, size;
    if (!t || !v || list->kind != FX_ARG_LIST || v->dtype != t->dtype) return NULL;
    for (uint32_t i = 0; i < list->list.count; i++) {
        if (list->list.items[i].kind == FX_ARG_NONE) continue;
        if (dim != UINT32_MAX) return NULL;
        dim = i;
    }
    const fx_node *ramp = dim == UINT32_MAX ? NULL : list->list.items[dim].node;
    if (!ramp || ramp->kind != FX_CALL || !fx_may_join(ramp, r->root)) return NULL;
    uint32_t last = fx_is(ramp, OP_aten_arange_default) ? 0 : 1;
    bool is_ramp = fx_is(ramp, OP_aten_arange_default) || fx_is(ramp, OP_aten_arange_start) ||
                   (fx_is(ramp, OP_aten_arange_start_step) &&
                    fx_arg_int(r->g, &ramp->args[2], &size) && size == 1);
    ty_dtype dtype = fx_tensor(ramp)->dtype; /* bytes are a mask */
    if (!is_ramp || (dtype != TY_I64 && dtype != TY_I32)) return NULL;
    if ((last && !fx_arg_int(r->g, &ramp->args[0], &start)) ||
        !fx_arg_int(r->g, &ramp->args[last], &end) || start < 0 || end <= start ||
        !sym_is_int(r->g->symbols, t->sizes[dim], &size) || end > size)
        return NULL;
    sym_expr sizes[TY_MAX_RANK];
    memcpy(sizes, t->sizes, t->rank * sizeof *sizes);
    sizes[dim] = sym_int(r->g->symbols, end - start);
    fx_node *source =
        REWRITE(r, aten_expand_default, *value, fx_int_list(r->g, sizes, t->rank), fx_bool(false));
    return REWRITE(r, aten_slice_scatter_default, *match_arg(r->m, "base"), fx_of(source),
                   fx_int(r->g, dim), fx_int(r->g, start), fx_int(r->g, end), fx_int(r->g, 1));
}

/* ---- the pass ---- */

#define ORDERS "permute|transpose.int|t"
#define VIEWS "view|reshape|_unsafe_view"
static const rewrite_rule RULES[] = {
    {ORDERS "(%inner=&" ORDERS "(%x, ...), ...)", join_orders},
    {VIEWS "(&" VIEWS "|unsqueeze|squeeze.dim|flatten.using_ints(%x, ...), _)", join_views},
    {"unsqueeze|squeeze.dim(&unsqueeze|squeeze.dim(%x, _), _)", join_views},
    {"to.dtype(%inner=&to.dtype(%x, _, ...), _, ...)", join_casts},
    {"slice.Tensor(&cat(%list, %d), %dim, %start, _, 1)", slice_of_cat},
    {"_operator.getitem(%split=&split.Tensor|split_with_sizes|chunk(&cat(%list, %d), ...), %k)",
     item_of_cat},
    {"_operator.getitem(&unbind.int(&stack(%list, %d), %dim), %k)", item_of_stack},
    {"select.int(&stack(%list, %d), %dim, %k)", item_of_stack},
    {"cat(%list, %dim)", whole_of_split},
    {"cat(%list, %dim)", whole_of_slices},
    {"stack(%list, %dim)", whole_of_unbind},
    {"slice_scatter(_, %source, %dim, %start, _, 1)", over_all},
    {"slice_scatter(slice_scatter(%base, _, %dim, %a, %b, %c), _, %dim, %a, %b, %c)", over_again},
    {"select_scatter(select_scatter(%base, _, %dim, %k), _, %dim, %k)", over_again},
    {"index_put(%base, %places, %value, false)", put_of_ramp},
};

fe_status pass_simplify(fx_graph *g, bool *changed)
{
    return rewrite_run(g, RULES, COUNT_OF(RULES), NULL, changed);
}
