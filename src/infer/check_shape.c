/* check_shape.c -- what operators ask of sizes that become others: windows, sums, lists of lengths. */
#include "infer/infer_priv.h"

/* A number has one element to look at. */
void infer_check_unfold(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    int64_t size = infer_int(c, "size", 1);
    if (x && x->rank == 0 && size > 1)
        infer_fail(c, "maximum size for tensor at dimension 0 is 1 but size is %lld",
                   (long long)size);
}

/* unique along a dimension: no other one is empty. */
void infer_check_emptied(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (!x || !x->rank) return;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    for (uint32_t d = 0; d < x->rank && c->status == FE_OK; d++)
        if (d != dim)
            (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), x->sizes[d],
                                "There are 0 sized dimensions, and they aren't selected, so "
                                "unique cannot be applied: %s",
                                infer_shape(c, x));
}

/* sum_to_size: what it is summed to can be expanded to what it was. */
void infer_check_expandable(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    const ty_tensor *x = infer_tensor(c, "self");
    if (!x) return;
    uint32_t rank = infer_sizes(c, "size", 0, sizes);
    const ty_tensor *small = infer_fresh(c, x, x->dtype, rank, sizes);
    (void)infer_require_fits(c, small, x->rank, x->sizes, "what it is summed to");
}

void infer_check_differentiable(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (x && infer_flag(c, "requires_grad", true) && ty_is_integral(x->dtype, true))
        infer_fail(c, "Only Tensors of floating point and complex dtype can require gradients: %s",
                   infer_shape(c, x));
}

/* fftshift over all dimensions wants one. */
void infer_check_shifted(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (x && x->rank == 0 && !infer_arg(c, "dim")) infer_fail(c, "`shifts` required");
}

/* Transforms of several dimensions: a length for each, and of reals at least one dimension. */
void infer_check_lengths(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    const fx_arg *lengths = infer_arg(c, "s"), *dims = infer_arg(c, "dim");
    bool has_lengths = lengths && lengths->kind == FX_ARG_LIST;
    bool has_dims = dims && dims->kind == FX_ARG_LIST;
    if (!x) return;
    if (has_lengths && has_dims && lengths->list.count != dims->list.count)
        infer_fail(c, "When given, dim and shape arguments must have the same length");
    uint32_t count = has_dims ? dims->list.count : has_lengths ? lengths->list.count : x->rank;
    if (count == 0 && c->param != FFT_COMPLEX) infer_fail(c, "must transform at least one axis");
}

/* pad_sequence: rows of each are broadcast to those of the first. */
void infer_check_same_rows(infer_call *c)
{
    enum { MOST = 4096 };
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor **items = NEW_ARRAY(c->memory, ty_tensor *, MOST);
    uint32_t count = infer_list(c, "sequences", items, MOST);
    for (uint32_t i = 1; i < count && items[0] && c->status == FE_OK; i++) {
        if (!items[i] || !items[i]->rank) continue;
        for (uint32_t d = 1; d < items[0]->rank; d++) sizes[d] = items[0]->sizes[d];
        sizes[0] = items[i]->sizes[0];
        (void)infer_require_fits(c, items[i], items[0]->rank, sizes, "sequences");
    }
}

/* clamp by tensors: one limit at least. */
void infer_check_limits(infer_call *c)
{
    const ty_tensor *min = infer_tensor(c, "min"), *max = infer_tensor(c, "max");
    if (!min && !max) infer_fail(c, "torch.clamp: At least one of 'min' or 'max' must not be None");
    if (min && max && infer_promoted(c) == TY_BOOL)
        infer_fail(c, "clamp of bools between two limits");
}

/* affine_grid_generator: of images or of volumes, each with its matrices. */
void infer_check_grid_size(infer_call *c)
{
    const ty_tensor *theta = infer_tensor(c, "theta");
    const fx_arg *size = infer_arg(c, "size");
    if (!theta || !size || size->kind != FX_ARG_LIST || theta->rank != 3) return;
    if (size->list.count != 4 && size->list.count != 5)
        infer_fail(c, "AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.");
    else
        (void)INFER_REQUIRE_EQUAL(c, theta->sizes[1], infer_number(c, size->list.count - 2),
                                  "Expected a batch of %ux%u affine matrices, but got %s",
                                  size->list.count - 2, size->list.count - 1,
                                  infer_shape(c, theta));
}

/* Does each stride step over all that is reached by smaller ones? */
static bool are_apart(infer_call *c, const ty_tensor *x, const sym_expr *strides)
{
    sym_table *t = c->symbols;
    sym_expr one = infer_number(c, 1), reach = one;
    uint64_t seen = 0;
    for (uint32_t k = 0; k < x->rank; k++) {
        uint32_t next = x->rank;
        for (uint32_t d = 0; d < x->rank; d++)
            if (!(seen >> d & 1) &&
                (next == x->rank || infer_holds(c, SYM_LT, strides[d], strides[next])))
                next = d;
        seen |= (uint64_t)1 << next;
        if (infer_holds(c, SYM_LE, x->sizes[next], one)) continue;
        if (!infer_holds(c, SYM_LE, reach, strides[next])) return false;
        reach = sym_add(t, reach, sym_mul(t, sym_add_int(t, x->sizes[next], -1), strides[next]));
    }
    return true;
}

/* copy_strided: no two elements in one place, by strides of 0 or otherwise. */
void infer_check_apart(infer_call *c)
{
    sym_expr strides[TY_MAX_RANK];
    const ty_tensor *x = infer_tensor(c, "a");
    if (!x || ty_known_empty(c->symbols, x->rank, x->sizes) ||
        infer_sizes(c, "stride", 0, strides) != x->rank || c->status != FE_OK)
        return;
    for (uint32_t d = 0; d < x->rank; d++)
        if (!infer_is(c, x->sizes[d], 1))
            (void)INFER_REQUIRE(c, SYM_LE, infer_number(c, 0), strides[d],
                                "stride has to be at least 0");
    for (uint32_t d = 0; d < x->rank; d++)
        if (infer_is(c, strides[d], 0) && infer_holds(c, SYM_LT, infer_number(c, 1), x->sizes[d]))
            infer_fail(c, "unsupported operation: more than one element of the written-to tensor "
                          "refers to a single memory location");
    if (c->status == FE_OK && !are_apart(c, x, strides))
        c->status = fx_fail(c->graph, c->node, "infer", FE_UNSUPPORTED, "choose other strides",
                            "cannot tell whether two elements share a place");
}
