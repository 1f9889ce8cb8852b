/* remap.c -- views of tensors as builders: index maps composed, or new strides on the same memory.
 *
 * A reshape is a stride computation where the tensor lies in memory and the sizes allow it.
 * Elsewhere dimensions are matched from the right in groups of equal products, so that only what
 * really changes is divided and taken modulo.
 */
#include "lower/lower_priv.h"

#include <string.h>

sym_expr lower_wrapped(lowering *l, sym_expr place, sym_expr size)
{
    sym_table *t = l->symbols;
    int64_t least, most;
    sym_range(t, place, NULL, &least, &most);
    if (least >= 0) return place;
    if (most < 0) return sym_add(t, place, size);
    sym_expr if_negative = sym_max(t, sym_min(t, place, l->zero), lower_const(l, -1)); /* -1 or 0 */
    return sym_sub(t, place, sym_mul(t, if_negative, size));
}

sym_expr lower_bound(lowering *l, sym_expr bound, sym_expr size, sym_expr fallback)
{
    if (sym_is_none(bound)) return fallback;
    bound = sym_max(l->symbols, lower_wrapped(l, bound, size), l->zero);
    if (lower_is_zero(l, bound)) return bound; /* no size is below 0, though it may not look so */
    return sym_min(l->symbols, bound, size);
}

static bool is_heavy(lowering *l, const sym_expr *exprs, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (sym_weight(l->symbols, exprs[k], LOWER_HEAVY_INDEX) >= LOWER_HEAVY_INDEX) return true;
    return false;
}

lower_tensor lower_remap(lowering *l, lower_tensor t, uint32_t rank, const sym_expr *sizes,
                         const sym_expr *exprs)
{
    lower_tensor out = {.box = t.box, .rank = rank, .sizes = lower_sizes_copy(l, sizes, rank)};
    sym_expr *m = NEW_ARRAY(l->memory, sym_expr, t.box->rank);
    for (uint32_t k = 0; k < t.box->rank; k++) {
        sym_expr e =
            t.map ? sym_substitute(l->symbols, t.map[k], l->axes, exprs, t.rank) : exprs[k];
        m[k] = lower_simplified(l, e, rank, sizes);
    }
    out.map = m;
    if (t.map && is_heavy(l, m, t.box->rank))
        return lower_remap(l, lower_copied(l, t, NULL), rank, sizes, exprs);
    return out;
}

lower_tensor lower_on_strides(lowering *l, loop_view v, uint32_t rank, const sym_expr *sizes,
                              const sym_expr *strides, sym_expr offset)
{
    v.rank = rank;
    v.sizes = lower_sizes_copy(l, sizes, rank);
    v.strides = lower_sizes_copy(l, strides, rank);
    v.offset = offset;
    return lower_viewed(l, v);
}

/* The new view on the same memory, when t is strided and the sizes allow it. */
static bool reshape_strided(lowering *l, lower_tensor t, uint32_t rank, const sym_expr *sizes,
                            lower_tensor *out)
{
    loop_view v;
    sym_expr strides[LOWER_MAX_RANK];
    if (!lower_try_strided(l, t, &v)) return false;
    ty_tensor meta = {.dtype = v.dtype, .rank = v.rank};
    meta.sizes = lower_sizes_copy(l, v.sizes, v.rank);
    meta.strides = lower_sizes_copy(l, v.strides, v.rank);
    meta.offset = v.offset;
    if (!ty_view_strides(l->symbols, &meta, rank, sizes, strides)) return false;
    *out = lower_on_strides(l, v, rank, sizes, strides, v.offset);
    return true;
}

/* One group of dimensions on both sides with equal products: from the right, as few as possible. */
typedef struct dim_group {
    uint32_t old_first, old_end, new_first, new_end;
} dim_group;

static sym_expr range_product(lowering *l, const sym_expr *sizes, uint32_t first, uint32_t end)
{
    return sym_product(l->symbols, sizes + first, end - first);
}

static dim_group next_group(lowering *l, lower_tensor t, uint32_t old_end, const sym_expr *sizes,
                            uint32_t new_end)
{
    dim_group g = {
        .old_first = old_end, .old_end = old_end, .new_first = new_end, .new_end = new_end};
    if (g.old_first) g.old_first--;
    if (g.new_first) g.new_first--;
    for (;;) {
        sym_expr was = range_product(l, t.sizes, g.old_first, old_end),
                 is = range_product(l, sizes, g.new_first, new_end);
        bool at_end = g.old_first == 0 && g.new_first == 0;
        if (at_end || sym_known_equal(l->symbols, was, is)) return g;
        bool old_is_less = sym_hint(l->symbols, was, 7) < sym_hint(l->symbols, is, 7);
        if (g.old_first && (old_is_less || !g.new_first))
            g.old_first--;
        else if (g.new_first)
            g.new_first--;
        else
            g.old_first--;
    }
}

/* Index expressions of the old dims of one group from the new axes. */
static void map_group(lowering *l, lower_tensor t, const dim_group *g, const sym_expr *sizes,
                      sym_expr *exprs)
{
    sym_table *s = l->symbols;
    sym_expr flat = l->zero, inner = l->one;
    for (uint32_t k = g->new_end; k-- > g->new_first;) {
        if (!lower_is_one(l, sizes[k])) flat = sym_add(s, flat, sym_mul(s, l->axes[k], inner));
        inner = sym_mul(s, inner, sizes[k]);
    }
    uint32_t wide = 0, first_wide = g->old_end;
    for (uint32_t k = g->old_end; k-- > g->old_first;) {
        exprs[k] = l->zero;
        if (lower_is_one(l, t.sizes[k])) continue;
        wide++;
        first_wide = k;
    }
    if (wide == 1) {
        exprs[first_wide] = flat;
        return;
    }
    inner = l->one;
    for (uint32_t k = g->old_end; k-- > g->old_first;) {
        if (lower_is_one(l, t.sizes[k])) continue;
        sym_expr e = sym_floordiv(s, flat, inner);
        exprs[k] = k == first_wide ? e : sym_mod(s, e, t.sizes[k]);
        inner = sym_mul(s, inner, t.sizes[k]);
    }
}

static bool is_empty(lowering *l, uint32_t rank, const sym_expr *sizes)
{
    for (uint32_t k = 0; k < rank; k++)
        if (lower_is_zero(l, sizes[k])) return true;
    return false;
}

/* Where both are numbers. */
static bool holds_as_many(lowering *l, lower_tensor t, uint32_t rank, const sym_expr *sizes)
{
    int64_t had, has;
    return !sym_is_int(l->symbols, lower_numel(l, t), &had) ||
           !sym_is_int(l->symbols, sym_product(l->symbols, sizes, rank), &has) || had == has;
}

lower_tensor lower_reshape(lowering *l, lower_tensor t, uint32_t rank, const sym_expr *sizes)
{
    lower_tensor out;
    sym_expr exprs[LOWER_MAX_RANK];
    bool same = rank == t.rank;
    CHECK(l->session, holds_as_many(l, t, rank, sizes));
    for (uint32_t k = 0; k < rank && same; k++) same = sym_same(sizes[k], t.sizes[k]);
    if (same) return t;
    if (reshape_strided(l, t, rank, sizes, &out)) return out;
    for (uint32_t k = 0; k < t.rank; k++) exprs[k] = l->zero;
    uint32_t old_end = t.rank, new_end = rank;
    while (!is_empty(l, rank, sizes) && (old_end || new_end)) {
        dim_group g = next_group(l, t, old_end, sizes, new_end);
        map_group(l, t, &g, sizes, exprs);
        old_end = g.old_first;
        new_end = g.new_first;
    }
    return lower_remap(l, t, rank, sizes, exprs);
}

lower_tensor lower_expand(lowering *l, lower_tensor t, uint32_t rank, const sym_expr *sizes)
{
    sym_expr exprs[LOWER_MAX_RANK];
    bool same = rank == t.rank;
    CHECK(l->session, t.rank <= rank);
    for (uint32_t k = 0; k < t.rank; k++) {
        uint32_t axis = k + rank - t.rank;
        bool stays = ty_at_most_one(l->symbols, t.sizes[k]) && !lower_is_one(l, sizes[axis]);
        exprs[k] = stays ? l->zero : l->axes[axis];
        same &= !stays;
    }
    return same ? t : lower_remap(l, t, rank, sizes, exprs);
}

lower_tensor lower_permute(lowering *l, lower_tensor t, const uint32_t *order)
{
    sym_expr sizes[LOWER_MAX_RANK], exprs[LOWER_MAX_RANK];
    bool same = true;
    for (uint32_t k = 0; k < t.rank; k++) {
        sizes[k] = t.sizes[order[k]];
        exprs[order[k]] = l->axes[k];
        same &= order[k] == k;
    }
    return same ? t : lower_remap(l, t, t.rank, sizes, exprs);
}

lower_tensor lower_transpose(lowering *l, lower_tensor t, uint32_t a, uint32_t b)
{
    uint32_t order[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < t.rank; k++) order[k] = k == a ? b : k == b ? a : k;
    return lower_permute(l, t, order);
}

lower_tensor lower_slice(lowering *l, lower_tensor t, uint32_t dim, sym_expr start, sym_expr length,
                         sym_expr step)
{
    sym_expr sizes[LOWER_MAX_RANK], exprs[LOWER_MAX_RANK];
    if (lower_is_zero(l, start) && sym_same(length, t.sizes[dim]) && lower_is_one(l, step))
        return t;
    memcpy(sizes, t.sizes, t.rank * sizeof *sizes);
    memcpy(exprs, l->axes, t.rank * sizeof *exprs);
    sizes[dim] = length;
    exprs[dim] = sym_add(l->symbols, start, sym_mul(l->symbols, l->axes[dim], step));
    return lower_remap(l, t, t.rank, sizes, exprs);
}

lower_tensor lower_select(lowering *l, lower_tensor t, uint32_t dim, sym_expr index)
{
    sym_expr sizes[LOWER_MAX_RANK], exprs[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < t.rank; k++) {
        if (k != dim) sizes[k - (k > dim)] = t.sizes[k];
        exprs[k] = k == dim ? index : l->axes[k - (k > dim)];
    }
    return lower_remap(l, t, t.rank - 1, sizes, exprs);
}

lower_tensor lower_unsqueeze(lowering *l, lower_tensor t, uint32_t dim)
{
    sym_expr sizes[LOWER_MAX_RANK], exprs[LOWER_MAX_RANK];
    CHECK(l->session, t.rank < LOWER_MAX_RANK && dim <= t.rank);
    for (uint32_t k = 0; k < t.rank; k++) {
        sizes[k + (k >= dim)] = t.sizes[k];
        exprs[k] = l->axes[k + (k >= dim)];
    }
    sizes[dim] = l->one;
    return lower_remap(l, t, t.rank + 1, sizes, exprs);
}

lower_tensor lower_squeeze(lowering *l, lower_tensor t, uint32_t dim)
{
    return lower_select(l, t, dim, l->zero);
}
