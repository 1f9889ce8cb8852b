/* index.c -- reading at positions that other tensors hold: an index becomes an indirect symbol in
 * the load. */
#include "lower/ops/index_priv.h"
#include "lower/ragged.h"

#include <string.h>

loop_bound lower_below(const lowering *l, sym_expr size, int32_t dimension)
{
    return (loop_bound){.size = size, .dimension = dimension, .origin = lower_origin(l)};
}

sym_expr lower_lookup(lowering *l, loop_value v, sym_expr size, int32_t dimension)
{
    return loop_indirect(l->program, v, lower_below(l, size, dimension), NULL);
}

sym_expr lower_position(lowering *l, lower_tensor index, const sym_expr *at, lower_tensor t,
                        uint32_t dim, lower_reach reach, uint32_t rank, const sym_expr *sizes)
{
    sym_bound bounds[LOWER_MAX_RANK];
    sym_env env = {bounds, rank};
    loop_bound bound = lower_below(l, t.sizes[dim], (int32_t)dim);
    bound.wraps = reach == LOWER_WRAPS;
    for (uint32_t k = 0; k < rank; k++) bounds[k] = (sym_bound){l->axes[k], sizes[k]};
    return loop_indirect(l->program, loop_cast(l->program, TY_I64, lower_at(l, index, at)), bound,
                         &env);
}

/* ---- advanced indexing ---- */

bool lower_is_mask(lower_tensor t)
{
    return !lower_absent(t) && (lower_dtype(t) == TY_BOOL || lower_dtype(t) == TY_U8);
}

/* Where the dims of self that the indices take begin in the result, and how many dims the indices
 * broadcast to: a mask takes its own rank of dims and gives one. */
static fe_status survey(lowering *l, indexing *ix, const fx_arg *list)
{
    uint32_t dim = 0, last = 0;
    bool gap = false, any = false;
    for (uint32_t k = 0; k < list->list.count; k++) {
        lower_tensor t = lower_item(l, list, k);
        uint32_t takes = lower_is_mask(t) ? t.rank : 1, gives = lower_is_mask(t) ? 1 : t.rank;
        if (!takes) return lower_fail(l, "a mask without dimensions as index");
        if (dim + takes > ix->self.rank) return lower_fail(l, "more indices than dimensions");
        if (!lower_absent(t)) {
            if (!any) ix->first = dim;
            gap |= any && dim != last + 1;
            any = true;
            last = dim + takes - 1;
            if (gives > ix->rank) ix->rank = gives;
        }
        dim += takes;
    }
    if (gap || !any) ix->first = 0;
    return FE_OK;
}

/* The places that a mask takes, a vector for each of its dims. */
static void add_mask(lowering *l, indexing *ix, uint32_t dim, lower_tensor mask,
                     const ty_tensor *out)
{
    sym_expr count = out ? out->sizes[ix->first + ix->rank - 1] : (sym_expr){0};
    for (uint32_t k = 0; k < mask.rank; k++)
        lower_require_equal(l, mask.sizes[k], ix->self.sizes[dim + k]);
    lower_tensor places = lower_positions(l, mask, &count);
    for (uint32_t k = 0; k < mask.rank; k++)
        ix->tensors[dim + k] = lower_select(l, places, 1, lower_const(l, k));
    ix->count += mask.rank;
}

/* The indices' sizes must agree where both are known only during the run. */
static void require_agreement(lowering *l, const indexing *ix, lower_tensor t)
{
    for (uint32_t k = 0; k < t.rank; k++) {
        sym_expr size = ix->sizes[ix->rank - t.rank + k];
        if (!lower_is_one(l, t.sizes[k])) lower_require_equal(l, t.sizes[k], size);
    }
}

fe_status lower_indexing_begin(lowering *l, indexing *ix, lower_tensor self, const fx_arg *list,
                               const ty_tensor *out)
{
    *ix = (indexing){.self = self};
    FE_TRY(survey(l, ix, list));
    for (uint32_t k = 0, dim = 0; k < list->list.count; k++) {
        lower_tensor t = lower_item(l, list, k);
        if (lower_is_mask(t)) {
            add_mask(l, ix, dim, t, out);
            dim += t.rank;
            continue;
        }
        if (!lower_absent(t)) {
            lower_share(l, t);
            ix->tensors[dim] = t;
            ix->count++;
        }
        dim++;
    }
    ix->rank = 0;
    for (uint32_t k = 0; k < self.rank; k++) {
        lower_tensor t = ix->tensors[k];
        sym_expr sizes[TY_MAX_RANK];
        uint32_t rank;
        if (lower_absent(t)) continue;
        if (!ty_broadcast(l->symbols, ix->rank, ix->sizes, t.rank, t.sizes, &rank, sizes) ||
            rank > LOWER_MAX_RANK)
            return lower_fail(l, "indices that do not broadcast");
        memcpy(ix->sizes, sizes, rank * sizeof *sizes);
        ix->rank = rank;
    }
    for (uint32_t k = 0; k < self.rank; k++)
        if (!lower_absent(ix->tensors[k])) require_agreement(l, ix, ix->tensors[k]);
    return FE_OK;
}

/* The sizes of self[indices]: the indexed dims are replaced by the broadcast shape at `first`. */
uint32_t lower_indexing_sizes(const indexing *ix, sym_expr *sizes)
{
    uint32_t rank = 0;
    for (uint32_t k = 0; k <= ix->self.rank; k++) {
        if (rank == ix->first)
            for (uint32_t j = 0; j < ix->rank; j++) sizes[rank++] = ix->sizes[j];
        if (k < ix->self.rank && lower_absent(ix->tensors[k])) sizes[rank++] = ix->self.sizes[k];
    }
    return rank;
}

/* Positions in self of element (i0, i1, ...) of self[indices]. */
void lower_indexing_exprs(lowering *l, const indexing *ix, sym_expr *exprs)
{
    uint32_t next = ix->first == 0 ? ix->rank : 0;
    sym_expr sizes[LOWER_MAX_RANK * 2];
    uint32_t rank = lower_indexing_sizes(ix, sizes);
    for (uint32_t k = 0; k < ix->self.rank; k++) {
        lower_tensor t = ix->tensors[k];
        if (lower_absent(t)) {
            exprs[k] = l->axes[next++];
            if (next == ix->first) next += ix->rank;
            continue;
        }
        sym_expr at[LOWER_MAX_RANK];
        for (uint32_t j = 0; j < t.rank; j++) {
            uint32_t axis = ix->rank - t.rank + j;
            bool stays =
                ty_at_most_one(l->symbols, t.sizes[j]) && !lower_is_one(l, ix->sizes[axis]);
            at[j] = stays ? l->zero : l->axes[ix->first + axis];
        }
        exprs[k] = lower_position(l, t, at, ix->self, k, LOWER_WRAPS, rank, sizes);
    }
}

fe_status lower_op_index_tensor(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    indexing ix;
    sym_expr exprs[LOWER_MAX_RANK];
    FE_TRY(lower_indexing_begin(l, &ix, lower_arg(l, "self"), fx_get(l->graph, n, "indices"), out));
    lower_share(l, ix.self);
    lower_indexing_exprs(l, &ix, exprs);
    return lower_give(
        l, lower_value(l, out->dtype, out->rank, out->sizes, lower_at(l, ix.self, exprs)));
}

/* Loads happen only where the mask holds; elsewhere `fill`. */
fe_status lower_op_masked_index(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    indexing ix;
    sym_expr exprs[LOWER_MAX_RANK];
    FE_TRY(lower_indexing_begin(l, &ix, lower_arg(l, "self"), fx_get(l->graph, n, "indices"), out));
    lower_indexing_exprs(l, &ix, exprs);
    loop_value mask = lower_broadcast(l, lower_arg(l, "mask"), out->rank, out->sizes);
    loop_value fill = lower_scalar(l, fx_get(l->graph, n, "fill"), out->dtype);
    loop_value v = loop_masked(l->program, loop_cast(l->program, TY_BOOL, mask),
                               lower_at(l, ix.self, exprs), fill);
    return lower_give(l, lower_value(l, out->dtype, out->rank, out->sizes, v));
}

/* ---- along one dimension ---- */

fe_status lower_op_index_select(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    lower_tensor self = lower_arg(l, "self"), index = lower_arg(l, "index");
    sym_expr exprs[LOWER_MAX_RANK];
    if (self.rank == 0) return lower_give(l, self);
    uint32_t d = lower_dim(l, lower_int_or(l, "dim", 0), self.rank);
    lower_share(l, self);
    memcpy(exprs, l->axes, self.rank * sizeof *exprs);
    exprs[d] = lower_position(l, index, &l->axes[d], self, d, LOWER_NATURAL, out->rank, out->sizes);
    return lower_give(l,
                      lower_value(l, out->dtype, out->rank, out->sizes, lower_at(l, self, exprs)));
}

fe_status lower_op_gather(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    lower_tensor self = lower_arg(l, "self"), index = lower_arg(l, "index");
    sym_expr exprs[LOWER_MAX_RANK];
    if (self.rank == 0) return lower_give(l, lower_expand(l, self, out->rank, out->sizes));
    if (index.rank == 0) index = lower_reshape(l, index, 1, &l->one);
    uint32_t d = lower_dim(l, lower_int_or(l, "dim", 0), self.rank);
    lower_share(l, self);
    memcpy(exprs, l->axes, self.rank * sizeof *exprs);
    exprs[d] = lower_position(l, index, l->axes, self, d, LOWER_NATURAL, out->rank, out->sizes);
    return lower_give(l,
                      lower_value(l, out->dtype, out->rank, out->sizes, lower_at(l, self, exprs)));
}

/* lower_op_take (flattened), take_along_dim with a dim: gather after broadcasting. */
fe_status lower_op_take(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    lower_tensor self = lower_arg(l, "self"),
                 index = lower_arg(l, row->parameter ? "indices" : "index");
    sym_expr exprs[LOWER_MAX_RANK];
    bool flat = !row->parameter || lower_is_none(l, "dim");
    if (flat) {
        sym_expr size = lower_numel(l, self), index_size = lower_numel(l, index);
        lower_share(l, self);
        self = lower_reshape(l, self, 1, &size);
        if (row->parameter) index = lower_reshape(l, index, 1, &index_size);
        lower_reach reach = row->parameter ? LOWER_NATURAL : LOWER_WRAPS;
        exprs[0] = lower_position(l, index, l->axes, self, 0, reach, out->rank, out->sizes);
        return lower_give(
            l, lower_value(l, out->dtype, out->rank, out->sizes, lower_at(l, self, exprs)));
    }
    uint32_t d = lower_dim(l, lower_int_or(l, "dim", 0), self.rank);
    for (uint32_t k = 0; k < self.rank; k++) {
        bool stays = k != d && lower_is_one(l, self.sizes[k]);
        exprs[k] = stays ? l->zero : l->axes[k];
    }
    /* any number is taken, by its remainder */
    index = lower_cast(l, lower_expand(l, index, out->rank, out->sizes), TY_I64);
    loop_value at =
        lower_op2(l, LOOP_REM, lower_here(l, index), loop_index(l->program, self.sizes[d]));
    exprs[d] = lower_lookup(l, at, self.sizes[d], (int32_t)d);
    return lower_give(l,
                      lower_value(l, out->dtype, out->rank, out->sizes, lower_at(l, self, exprs)));
}

fe_status lower_op_embedding(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    lower_tensor weight = lower_arg(l, "weight"), indices = lower_arg(l, "indices");
    sym_expr exprs[LOWER_MAX_RANK];
    exprs[0] = lower_position(l, indices, l->axes, weight, 0, LOWER_NATURAL, out->rank, out->sizes);
    for (uint32_t k = 1; k < weight.rank; k++) exprs[k] = l->axes[indices.rank + k - 1];
    return lower_give(
        l, lower_value(l, out->dtype, out->rank, out->sizes, lower_at(l, weight, exprs)));
}
