/* view.c -- operators that move nothing: each composes an index map, or, on memory, new strides. */
#include "lower/ops/linalg.h"

#include <string.h>

fe_status lower_op_give_same(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    return lower_give(l, lower_arg(l, l->node->op->params[0].name));
}

/* Any operator whose output has the input's elements in the same order. */
fe_status lower_op_reshape(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    return lower_give(l, lower_reshape(l, lower_first(l), out->rank, out->sizes));
}

fe_status lower_op_expand(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    return lower_give(l, lower_expand(l, lower_first(l), out->rank, out->sizes));
}

fe_status lower_op_permute(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    lower_tensor t = lower_first(l);
    int64_t dims[LOWER_MAX_RANK];
    uint32_t order[LOWER_MAX_RANK];
    if (lower_constants(l, "dims", dims, LOWER_MAX_RANK) != (int)t.rank)
        return lower_fail(l, "permute of other dims");
    for (uint32_t k = 0; k < t.rank; k++) order[k] = lower_dim(l, dims[k], t.rank);
    return lower_give(l, lower_permute(l, t, order));
}

fe_status lower_op_transpose(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    lower_tensor t = lower_first(l);
    if (t.rank == 0) return lower_give(l, t);
    int64_t a, b;
    if (!fx_arg_int(l->graph, &n->args[1], &a) || !fx_arg_int(l->graph, &n->args[2], &b))
        return lower_fail(l, "the dimensions are not constants");
    return lower_give(l, lower_transpose(l, t, lower_dim(l, a, t.rank), lower_dim(l, b, t.rank)));
}

/* t, mT, mH, numpy_T, adjoint: the last two dims (or all) reversed. */
fe_status lower_op_reverse_dims(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    lower_tensor t = lower_first(l);
    uint32_t order[LOWER_MAX_RANK], kept = row->parameter && t.rank > 2 ? t.rank - 2 : 0;
    if (t.rank < 2) return lower_give(l, t);
    for (uint32_t k = 0; k < t.rank; k++) order[k] = k < kept ? k : t.rank - 1 - k + kept;
    return lower_give(l, lower_permute(l, t, order));
}

/* mH, adjoint: transposed and conjugated. */
fe_status lower_op_hermitian(lowering *l, fx_node *n, const lower_row *row)
{
    lower_tensor t = lower_first(l);
    if (!ty_is_complex(lower_dtype(t))) return lower_op_reverse_dims(l, n, row);
    t = lower_transpose(l, t, t.rank - 2, t.rank - 1);
    return lower_give(l, lower_conjugate(l, t));
}

/* atleast_1d and so on, of a list */
fe_status lower_op_reshape_list(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    uint32_t count = n->value.count;
    lower_tensor *items = NEW_ARRAY(l->memory, lower_tensor, count);
    for (uint32_t k = 0; k < count; k++) {
        const ty_tensor *out = n->value.items[k].tensor;
        items[k] = lower_reshape(l, lower_item(l, &n->args[0], k), out->rank, out->sizes);
    }
    return lower_give_items(l, items, count);
}

/* movedim, moveaxis: to[] of the result come from from[]; the others keep their order. */
fe_status lower_op_movedim(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    lower_tensor t = lower_first(l);
    int64_t from[LOWER_MAX_RANK], to[LOWER_MAX_RANK];
    uint32_t order[LOWER_MAX_RANK], next = 0;
    bool used[LOWER_MAX_RANK] = {false}, filled[LOWER_MAX_RANK] = {false};
    int count = lower_constants(l, "source", from, LOWER_MAX_RANK);
    if (count < 0 || lower_constants(l, "destination", to, LOWER_MAX_RANK) != count)
        return lower_fail(l, "movedim of other dims");
    for (int k = 0; k < count; k++) {
        uint32_t source = lower_dim(l, from[k], t.rank), target = lower_dim(l, to[k], t.rank);
        order[target] = source;
        used[source] = filled[target] = true;
    }
    for (uint32_t k = 0; k < t.rank; k++) {
        if (filled[k]) continue;
        while (used[next]) next++;
        order[k] = next++;
    }
    return lower_give(l, lower_permute(l, t, order));
}

/* diagonal: the two dims become one, last. */
fe_status lower_op_diagonal(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    lower_tensor t = lower_first(l);
    const ty_tensor *out = fx_tensor(n);
    bool linalg = op_param_index(n->op, "A") >= 0;
    uint32_t a = lower_dim(l, lower_int_or(l, "dim1", linalg ? -2 : 0), t.rank);
    uint32_t b = lower_dim(l, lower_int_or(l, "dim2", linalg ? -1 : 1), t.rank), next = 0;
    int64_t offset = lower_int_or(l, "offset", 0);
    sym_expr exprs[LOWER_MAX_RANK], along = l->axes[t.rank - 2];
    for (uint32_t k = 0; k < t.rank; k++)
        if (k != a && k != b) exprs[k] = l->axes[next++];
    exprs[a] = sym_add_int(l->symbols, along, offset < 0 ? -offset : 0);
    exprs[b] = sym_add_int(l->symbols, along, offset > 0 ? offset : 0);
    return lower_give(l, lower_remap(l, t, out->rank, out->sizes, exprs));
}

fe_status lower_op_unfold(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    lower_tensor t = lower_first(l);
    const ty_tensor *out = fx_tensor(n);
    sym_expr exprs[LOWER_MAX_RANK], step = lower_size(l, "step");
    if (t.rank == 0) return lower_give(l, lower_remap(l, t, 1, out->sizes, exprs));
    uint32_t d = lower_dim(l, lower_int_or(l, "dimension", 0), t.rank);
    memcpy(exprs, l->axes, t.rank * sizeof *exprs);
    exprs[d] = sym_add(l->symbols, sym_mul(l->symbols, l->axes[d], step), l->axes[t.rank]);
    return lower_give(l, lower_remap(l, t, out->rank, out->sizes, exprs));
}

fe_status lower_op_flip(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    lower_tensor t = lower_first(l);
    sym_expr exprs[LOWER_MAX_RANK];
    bool flipped[LOWER_MAX_RANK] = {false};
    if (row->parameter >= 0)
        flipped[row->parameter] = true; /* flipud 0, fliplr 1 */
    else {
        int64_t dims[LOWER_MAX_RANK];
        int count = lower_constants(l, "dims", dims, LOWER_MAX_RANK);
        for (int k = 0; k < count && t.rank; k++) flipped[lower_dim(l, dims[k], t.rank)] = true;
    }
    for (uint32_t k = 0; k < t.rank; k++) {
        sym_expr last = sym_add_int(l->symbols, t.sizes[k], -1);
        exprs[k] = flipped[k] ? sym_sub(l->symbols, last, l->axes[k]) : l->axes[k];
    }
    return lower_give(l, lower_remap(l, t, t.rank, t.sizes, exprs));
}

/* roll: element i comes from (i - shift) mod size; without dims over the flattened tensor. */
fe_status lower_op_roll(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    lower_tensor t = lower_first(l);
    sym_expr shifts[LOWER_MAX_RANK], exprs[LOWER_MAX_RANK], flat_size = lower_numel(l, t);
    int64_t dims[LOWER_MAX_RANK];
    int count = lower_ints(l, "shifts", shifts, LOWER_MAX_RANK),
        dim_count = lower_constants(l, "dims", dims, LOWER_MAX_RANK);
    if (count < 1 || t.rank == 0 || lower_is_zero(l, flat_size)) return lower_give(l, t);
    lower_tensor source = dim_count > 0 ? t : lower_reshape(l, t, 1, &flat_size);
    memcpy(exprs, l->axes, source.rank * sizeof *exprs);
    for (int k = 0; k < count; k++) {
        uint32_t d = dim_count > 0 ? lower_dim(l, dims[k], t.rank) : 0;
        exprs[d] = sym_mod(l->symbols, sym_sub(l->symbols, exprs[d], shifts[k]), source.sizes[d]);
    }
    lower_tensor rolled = lower_remap(l, source, source.rank, source.sizes, exprs);
    return lower_give(l, lower_reshape(l, rolled, t.rank, t.sizes));
}

/* repeat, tile: element i is element i mod size; new leading dims repeat the whole. */
fe_status lower_op_repeat(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    lower_tensor t = lower_first(l);
    const ty_tensor *out = fx_tensor(n);
    sym_expr exprs[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < t.rank; k++) {
        uint32_t axis = k + out->rank - t.rank;
        bool same = sym_same(t.sizes[k], out->sizes[axis]);
        exprs[k] = same || lower_is_zero(l, t.sizes[k])
                       ? l->axes[axis]
                       : sym_mod(l->symbols, l->axes[axis], t.sizes[k]);
        if (lower_is_one(l, t.sizes[k])) exprs[k] = l->zero;
    }
    return lower_give(l, lower_remap(l, t, out->rank, out->sizes, exprs));
}

fe_status lower_op_rot90(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    lower_tensor t = lower_first(l);
    const ty_tensor *out = fx_tensor(n);
    int64_t dims[2], times = ((lower_int_or(l, "k", 1) % 4) + 4) % 4;
    if (lower_constants(l, "dims", dims, 2) != 2)
        return lower_fail(l, "the dimensions are not constants");
    uint32_t a = lower_dim(l, dims[0], t.rank), b = lower_dim(l, dims[1], t.rank);
    sym_expr exprs[LOWER_MAX_RANK];
    memcpy(exprs, l->axes, t.rank * sizeof *exprs);
    sym_expr last_a = sym_add_int(l->symbols, t.sizes[a], -1),
             last_b = sym_add_int(l->symbols, t.sizes[b], -1);
    if (times == 1) {
        exprs[a] = l->axes[b];
        exprs[b] = sym_sub(l->symbols, last_b, l->axes[a]);
    } else if (times == 2) {
        exprs[a] = sym_sub(l->symbols, last_a, l->axes[a]);
        exprs[b] = sym_sub(l->symbols, last_b, l->axes[b]);
    } else if (times == 3) {
        exprs[a] = sym_sub(l->symbols, last_a, l->axes[b]);
        exprs[b] = l->axes[a];
    }
    return lower_give(l, lower_remap(l, t, out->rank, out->sizes, exprs));
}

/* The argument that lies in the storage: of an item, the one of the call with several results. */
static fx_node *argument_on(const fx_node *n, uint32_t storage)
{
    if (n->kind != FX_CALL || !storage) return NULL;
    for (uint32_t k = 0; k < n->arg_count; k++) {
        const ty_tensor *x = fx_arg_tensor(&n->args[k]);
        if (x && x->storage == storage) return n->args[k].node;
    }
    return fx_is(n, OP_operator_getitem) ? argument_on(n->args[0].node, storage) : NULL;
}

/* The node that made the storage which n looks at. */
fx_node *lower_storage_base(fx_node *n)
{
    const ty_tensor *t = fx_tensor(n);
    for (fx_node *from; t && (from = argument_on(n, t->storage)); n = from) continue;
    return n;
}

/* Do sizes and strides from the offset on reach beyond the memory? */
static bool reaches_beyond(lowering *l, const loop_view *v, const ty_tensor *out,
                           const sym_expr *strides, sym_expr offset)
{
    if (ty_known_empty(l->symbols, out->rank, out->sizes)) return false;
    sym_expr reach = ty_reach(l->symbols, out->rank, out->sizes, strides);
    sym_expr last = sym_add_int(l->symbols, sym_add(l->symbols, offset, reach), -1);
    sym_expr elements = l->program->buffers.at[v->buffer].elements;
    return sym_known_less_equal(l->symbols, elements, last, NULL) ||
           sym_known_less_equal(l->symbols, sym_add_int(l->symbols, offset, 1), l->zero, NULL);
}

/* as_strided counts in the storage that eager PyTorch would have: the memory of the tensor that
 * made it, in the recorded layout. */
fe_status lower_op_as_strided(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    fx_node *base = n->args[0].kind == FX_ARG_NODE ? lower_storage_base(n->args[0].node) : NULL;
    if (!base || l->results[base->id].count != 1)
        return lower_fail(l, "as_strided of what has no memory of its own");
    const ty_tensor *in = fx_tensor(base);
    if (in->dtype != out->dtype) return lower_fail(l, "as_strided of a view in another dtype");
    lower_tensor t = l->results[base->id].items[0];
    sym_expr offset = lower_size(l, "storage_offset"), strides[LOWER_MAX_RANK];
    if (lower_ints(l, "stride", strides, LOWER_MAX_RANK) != (int)out->rank)
        return lower_fail(l, "as_strided of other strides");
    if (sym_is_none(offset)) offset = fx_arg_tensor(&n->args[0])->offset;
    loop_view v;
    bool fits = lower_try_strided(l, t, &v);
    for (uint32_t k = 0; fits && k < v.rank; k++)
        fits = sym_known_equal(l->symbols, v.strides[k], in->strides[k]);
    if (!fits) v = lower_copied(l, t, in->strides).box->view;
    offset = sym_add(l->symbols, v.offset, sym_sub(l->symbols, offset, in->offset));
    if (reaches_beyond(l, &v, out, strides, offset))
        return lower_fail(l, "as_strided beyond the memory of %s", base->name);
    return lower_give(l, lower_on_strides(l, v, out->rank, out->sizes, strides, offset));
}

/* repeat_interleave.self_int */
fe_status lower_op_repeat_interleave(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    lower_tensor t = lower_first(l);
    const ty_tensor *out = fx_tensor(n);
    sym_expr exprs[LOWER_MAX_RANK], count = lower_size(l, "repeats"), flat = lower_numel(l, t);
    if (lower_is_none(l, "dim")) t = lower_reshape(l, t, 1, &flat);
    uint32_t d = lower_dim(l, lower_int_or(l, "dim", 0), t.rank);
    if (sym_is_none(count)) return lower_fail(l, "the number of repeats is not known");
    memcpy(exprs, l->axes, t.rank * sizeof *exprs);
    exprs[d] = lower_is_zero(l, count) ? l->zero : sym_floordiv(l->symbols, l->axes[d], count);
    return lower_give(l, lower_remap(l, t, out->rank, out->sizes, exprs));
}

fe_status lower_op_broadcast_tensors(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    uint32_t count = n->value.count;
    lower_tensor *items = NEW_ARRAY(l->memory, lower_tensor, count);
    for (uint32_t k = 0; k < count; k++) {
        const ty_tensor *out = n->value.items[k].tensor;
        items[k] = lower_expand(l, lower_item(l, &n->args[0], k), out->rank, out->sizes);
    }
    return lower_give_items(l, items, count);
}

/* meshgrid: operand k varies along one axis: k, or with "xy" the first two swapped. */
fe_status lower_op_meshgrid(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    uint32_t count = n->value.count;
    const fx_arg *indexing = n->arg_count > 1 ? &n->args[1] : NULL;
    bool swapped = indexing && indexing->kind == FX_ARG_STRING &&
                   strcmp(indexing->string, "xy") == 0 && count > 1;
    lower_tensor *items = NEW_ARRAY(l->memory, lower_tensor, count);
    for (uint32_t k = 0; k < count; k++) {
        const ty_tensor *out = n->value.items[k].tensor;
        lower_tensor t = lower_item(l, &n->args[0], k);
        uint32_t axis = swapped && k < 2 ? 1 - k : k;
        items[k] = lower_remap(l, t, out->rank, out->sizes, t.rank ? &l->axes[axis] : NULL);
    }
    return lower_give_items(l, items, count);
}
