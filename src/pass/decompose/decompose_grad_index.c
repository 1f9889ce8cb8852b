/* decompose_grad_index.c -- bags of embeddings with what their derivatives ask for, these, and those
 * of masked writes. */
#include "pass/decompose/decompose_arith.h"

enum bag_mode { BAG_SUM, BAG_MEAN, BAG_MAX };

/* Which of the ranges that end at `ends` the places 0, 1, ... are in. */
static fx_arg range_of(decomposing *d, fx_arg ends, fx_arg places)
{
    return CALL(aten_searchsorted_Tensor, ends, places, fx_bool(false), fx_bool(true));
}

/* ---- bags ---- */

/* The bag of each index: the last that begins at or before it. */
static fx_arg bag_of_each(decomposing *d, fx_arg indices)
{
    const ty_tensor *t = fx_arg_tensor(&indices);
    fx_arg offsets = cast(d, arg(d, "offsets"), TY_I64);
    if (decompose_flag(d, "include_last_offset")) offsets = decompose_slice(d, offsets, 0, 0, -1);
    return sub(d, range_of(d, offsets, counted(d, t->sizes[0])), decompose_of(d, 1));
}

/* The index that counts for nothing, or below 0: none. embedding_bag counts it from the end; the operators
 * that it calls do not, and take any number that is no row for none. */
static int64_t padding_of(decomposing *d)
{
    int64_t padding = decompose_int(d, "padding_idx", -1), rows;
    bool is_public = fx_is(d->n, OP_aten_embedding_bag_padding_idx);
    const fx_arg *table = decompose_arg(d, "weight");
    const ty_tensor *weight = table ? fx_arg_tensor(table) : NULL;
    bool is_known = weight && sym_is_int(d->g->symbols, weight->sizes[0], &rows);
    if (!is_public && is_known && padding >= rows) return -1;
    if (padding >= 0 || !is_public || !decompose_arg(d, "padding_idx")) return padding;
    if (is_known) return padding + rows;
    decompose_fail(d, "a padding index from the end of a table of unknown size");
    return -1;
}

static fx_arg counts(decomposing *d, fx_arg indices)
{
    return CALL(aten_ne_Scalar, indices, decompose_of(d, padding_of(d)));
}

/* Each index's share of its bag's gradient, added up in the rows of the weight. */
static fx_arg bag_sums(decomposing *d, int64_t mode, fx_arg zeros, sym_expr rows)
{
    fx_arg indices = arg(d, "indices"), dim = decompose_of(d, 0),
           each = arg(d, "per_sample_weights");
    fx_arg bag = bag_of_each(d, indices), live = counts(d, indices);
    fx_arg g = CALL(aten_index_select_default, arg(d, "grad"), dim, bag), share = fx_none();
    if (mode == BAG_MEAN) {
        const ty_tensor *bags = fx_arg_tensor(decompose_arg(d, "grad"));
        fx_arg ones = cast(d, live, TY_I64);
        fx_arg size =
            CALL(aten_index_add_default, zeros_of(d, ones, 1, bags->sizes), dim, bag, ones);
        share = CALL(aten_reciprocal_default, CALL(aten_index_select_default, size, dim, bag));
    }
    if (each.kind != FX_ARG_NONE) share = each;
    if (decompose_flag(d, "scale_grad_by_freq")) {
        fx_arg ones = CALL(aten_ones_like_default, cast(d, indices, TY_I64));
        fx_arg often =
            CALL(aten_index_add_default, zeros_of(d, ones, 1, &rows), dim, indices, ones);
        often = CALL(aten_reciprocal_default, CALL(aten_index_select_default, often, dim, indices));
        share = share.kind == FX_ARG_NONE ? often : mul(d, share, often);
    }
    if (share.kind != FX_ARG_NONE)
        g = mul(d, g, unsqueezed(d, cast(d, share, fx_tensor(d->n)->dtype), 1));
    return CALL(aten_index_add_default, zeros, dim, indices, or_zero(d, unsqueezed(d, live, 1), g));
}

void decompose_op_embedding_bag_backward(decomposing *d)
{
    int64_t mode = decompose_int(d, "mode", BAG_SUM);
    sym_expr sizes[2];
    fx_arg grad = arg(d, "grad");
    const ty_tensor *g = fx_arg_tensor(&grad);
    if (decompose_flag(d, "sparse")) decompose_fail(d, "a sparse gradient");
    if (!g || g->rank != 2 || !fx_arg_expr(d->g, decompose_arg(d, "num_weights"), &sizes[0]))
        return;
    sizes[1] = g->sizes[1];
    fx_arg zeros = zeros_of(d, grad, 2, sizes);
    if (mode != BAG_MAX) {
        decompose_give(d, bag_sums(d, mode, zeros, sizes[0]));
        return;
    }
    fx_arg none = CALL(aten_le_Scalar, unsqueezed(d, arg(d, "bag_size"), 1), decompose_of(d, 0));
    fx_arg at = CALL(aten_clamp_min_default, cast(d, arg(d, "maximum_indices"), TY_I64),
                     decompose_of(d, 0));
    grad = CALL(aten_masked_fill_Scalar, grad, none, decompose_of(d, 0));
    decompose_give(d, CALL(aten_scatter_add_default, zeros, decompose_of(d, 0), at, grad));
}

void decompose_op_bag_weights_backward(decomposing *d)
{
    fx_arg indices = arg(d, "indices"), dim = decompose_of(d, 0);
    fx_arg g = CALL(aten_index_select_default, arg(d, "grad"), dim, bag_of_each(d, indices));
    fx_arg rows = CALL(aten_index_select_default, arg(d, "weight"), dim, indices);
    decompose_give(d, or_zero(d, counts(d, indices), summed(d, mul(d, g, rows), 1, false)));
}

static const ty_tensor *item_of(const decomposing *d, uint32_t k)
{
    return d->n->value.items[k].tensor;
}

/* Of each bag and column the index whose row is greatest, the first of equals; 0 without any. */
static fx_arg greatest_indices(decomposing *d, fx_arg bags, fx_arg bag, fx_arg live)
{
    fx_arg indices = arg(d, "indices"), dim = decompose_of(d, 0);
    sym_expr count = fx_arg_tensor(&indices)->sizes[0];
    fx_arg rows = CALL(aten_index_select_default, arg(d, "weight"), dim, indices);
    fx_arg most = CALL(aten_index_select_default, bags, dim, bag);
    fx_arg is_most = both(d, CALL(aten_eq_Tensor, rows, most), unsqueezed(d, live, 1));
    fx_arg places = unsqueezed(d, counted(d, count), 1);
    places = CALL(aten_where_ScalarOther, is_most, places, fx_expr(count));
    const ty_tensor *out = item_of(d, 3);
    fx_arg first = CALL(aten_full_default, fx_int_list(d->g, out->sizes, out->rank), fx_expr(count),
                        fx_dtype(TY_I64));
    first = CALL(aten_index_reduce_default, first, dim, bag, places, fx_string("amin"));
    sym_expr none = sym_int(d->g->symbols, 1);
    fx_arg padded[] = {indices, zeros_of(d, indices, 1, &none)};
    padded[0] = CALL(aten_cat_default, fx_list(d->g, padded, 2));
    return CALL(aten_index_Tensor, padded[0], fx_list(d->g, &first, 1));
}

static bool are_bags_all(const fx_graph *g, const fx_node *n)
{
    int64_t number;
    for (uint32_t k = 0; k < n->users.count; k++)
        if (!fx_is(n->users.at[k], OP_operator_getitem) ||
            !fx_arg_int(g, &n->users.at[k]->args[1], &number) || number != 0)
            return false;
    return true;
}

/* The bags; the bag of each index; how many of its indices count; which of them is greatest. */
void decompose_op_embedding_bag(decomposing *d)
{
    int64_t mode = decompose_int(d, "mode", BAG_SUM), none, padding = padding_of(d);
    const fx_arg *a = d->n->args;
    bool is_public = fx_is(d->n, OP_aten_embedding_bag_padding_idx) ||
                     fx_is(d->n, OP_aten_embedding_bag_default);
    if (is_public && are_bags_all(d->g, d->n)) {
        d->stays = true;
        return;
    }
    fx_arg all = CALL(aten_embedding_bag_padding_idx, a[0], a[1], a[2], a[3], a[4], a[5], a[6],
                      a[7], padding >= 0 ? decompose_of(d, padding) : fx_none());
    fx_arg bags = CALL(operator_getitem, all, decompose_of(d, 0)), indices = arg(d, "indices");
    fx_arg bag = bag_of_each(d, indices), live = counts(d, indices), dim = decompose_of(d, 0);
    fx_arg zeros = zeros_of(d, bag, 1, item_of(d, 2)->sizes), size = zeros;
    if (mode != BAG_SUM)
        size = CALL(aten_index_add_default, zeros, dim, bag, cast(d, live, TY_I64));
    if (sym_is_int(d->g->symbols, item_of(d, 1)->sizes[0], &none) && none == 0)
        bag = decompose_slice(d, bag, 0, 0, 0);
    fx_arg most = mode == BAG_MAX ? greatest_indices(d, bags, bag, live) : size;
    decompose_give(d, bags);
    decompose_give(d, cast(d, bag, item_of(d, 1)->dtype));
    decompose_give(d, cast(d, size, item_of(d, 2)->dtype));
    decompose_give(d, cast(d, most, item_of(d, 3)->dtype));
}

/* ---- writes where a mask is set: the k-th that is written came from place k ---- */

void decompose_op_masked_scatter_backward(decomposing *d)
{
    sym_table *s = d->g->symbols;
    const ty_tensor *out = fx_tensor(d->n);
    fx_arg g = arg(d, "grad_output"), mask = arg(d, "mask"), dim = decompose_of(d, 0);
    const ty_tensor *t = fx_arg_tensor(&g);
    mask = CALL(aten_expand_default, mask, fx_int_list(d->g, t->sizes, t->rank));
    sym_expr count = sym_product(s, t->sizes, t->rank),
             room = sym_product(s, out->sizes, out->rank), more = sym_add_int(s, room, 1);
    mask = reshaped(d, mask, 1, &count);
    g = or_zero(d, mask, reshaped(d, g, 1, &count));
    /* What is not written goes to a place in front; more than there is room for, beyond the end. */
    fx_arg at = mul(d, CALL(aten_cumsum_default, mask, dim), mask);
    fx_arg made = CALL(aten_index_add_default, zeros_of(d, g, 1, &more), dim, at, g);
    made = CALL(aten_slice_Tensor, made, dim, decompose_of(d, 1), fx_expr(more));
    decompose_give(d, reshaped(d, made, out->rank, out->sizes));
}
