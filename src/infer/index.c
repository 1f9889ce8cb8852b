/* index.c -- indexing by tensors, gathering, scattering, embeddings.
 *
 * The indexed dimensions of x[i, :, j] give way to the shape that the indices broadcast to: where
 * they stood when they stand side by side, in front otherwise. A bool mask counts as one index
 * vector for each of its dimensions, of a length that only the run knows.
 */
#include "infer/infer_priv.h"

#include <string.h>

/* ---- index.Tensor ---- */

/* The indices with bool masks taken apart: a mask of n dimensions stands for n index vectors of a
 * length that only the run knows. */
typedef struct index_list {
    const ty_tensor *at[TY_MAX_RANK]; /* NULL: the whole dimension */
    uint32_t count;
} index_list;

static void add_index(infer_call *c, index_list *list, const ty_tensor *x, const sym_expr *length)
{
    bool is_mask = x && (x->dtype == TY_BOOL || x->dtype == TY_U8);
    uint32_t times = is_mask ? x->rank : 1;
    if (is_mask) x = infer_fresh(c, x, TY_I64, 1, length);
    for (uint32_t i = 0; i < times; i++) {
        if (list->count == TY_MAX_RANK) {
            infer_fail(c, "too many indices");
            return;
        }
        list->at[list->count++] = x;
    }
}

static void add_indices(infer_call *c, index_list *list, const fx_arg *a, sym_expr length)
{
    list->count = 0;
    for (uint32_t i = 0; i < a->list.count; i++)
        add_index(c, list, fx_arg_tensor(&a->list.items[i]), &length);
}

/* Do the tensors among the indices stand side by side? */
static bool are_adjacent(const index_list *list)
{
    uint32_t runs = 0;
    for (uint32_t i = 0; i < list->count; i++) runs += list->at[i] && (i == 0 || !list->at[i - 1]);
    return runs <= 1;
}

/* The length of the masks' index vectors: the last of the dimensions that the indices give. */
static sym_expr masked_length(infer_call *c, const index_list *list)
{
    uint32_t first = 0;
    uint32_t rank = 1;
    while (are_adjacent(list) && first < list->count && !list->at[first]) first++;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i] && list->at[i]->rank > rank) rank = list->at[i]->rank;
    return infer_unbacked(c, 0, first + rank - 1);
}

static bool has_mask(const fx_arg *a)
{
    for (uint32_t i = 0; i < a->list.count; i++) {
        const ty_tensor *x = fx_arg_tensor(&a->list.items[i]);
        if (x && (x->dtype == TY_BOOL || x->dtype == TY_U8)) return true;
    }
    return false;
}

/* A mask is as large as the dimensions that it stands for. */
static void check_masks(infer_call *c, const ty_tensor *x, const fx_arg *a)
{
    uint32_t dim = 0;
    for (uint32_t i = 0; x && i < a->list.count && c->status == FE_OK; i++) {
        const ty_tensor *m = fx_arg_tensor(&a->list.items[i]);
        bool is_mask = m && (m->dtype == TY_BOOL || m->dtype == TY_U8);
        for (uint32_t d = 0; is_mask && d < m->rank && dim + d < x->rank; d++)
            (void)INFER_REQUIRE_EQUAL(
                c, m->sizes[d], x->sizes[dim + d],
                "The shape of the mask %s at index %u does not match the shape of the indexed "
                "tensor %s at index %u",
                infer_shape(c, m), d, infer_shape(c, x), dim + d);
        dim += is_mask ? m->rank : 1;
        if (dim > x->rank)
            infer_fail(c, "too many indices for tensor of dimension %u (got %u)", x->rank, dim);
    }
}

static void read_indices(infer_call *c, index_list *list)
{
    const fx_arg *a = infer_arg(c, "indices");
    list->count = 0;
    if (!a || a->kind != FX_ARG_LIST) {
        infer_fail(c, "no list of indices");
        return;
    }
    check_masks(c, infer_tensor(c, "self"), a);
    add_indices(c, list, a, infer_number(c, 1));
    if (c->status == FE_OK && has_mask(a)) add_indices(c, list, a, masked_length(c, list));
}

/* The shape that the indices broadcast to. */
static uint32_t broadcast_indices(infer_call *c, const index_list *list, sym_expr *sizes)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const ty_tensor *x = list->at[i];
        if (!x || infer_broadcast(c, x, x->rank, &rank, sizes)) continue;
        infer_fail(c, "the indices do not broadcast: %s with others", infer_shape(c, x));
        return 0;
    }
    return rank;
}

/* x with `count` dimensions from `first` on replaced; strides in the order of those that stay. */
static ty_tensor *replaced(infer_call *c, const ty_tensor *x, uint32_t first, uint32_t count,
                           uint32_t rank, const sym_expr *sizes)
{
    sym_expr all[2 * TY_MAX_RANK];
    sym_expr strides[2 * TY_MAX_RANK];
    uint32_t total = x->rank - count + rank;
    if (total > TY_MAX_RANK) {
        infer_fail(c, "a result of %u dimensions", total);
        return NULL;
    }
    for (uint32_t i = 0; i < total; i++) {
        bool is_new = i >= first && i < first + rank;
        uint32_t from = i < first ? i : i - rank + count;
        all[i] = is_new ? sizes[i - first] : x->sizes[from];
        strides[i] = is_new ? infer_number(c, 0) : x->strides[from];
    }
    if (infer_is(c, ty_numel(c->symbols, x), 0)) return infer_fresh(c, x, x->dtype, total, all);
    return infer_empty_like(c, infer_view_as(c, x, total, all, strides, x->offset), x->dtype);
}

ty_tensor *infer_indexed(infer_call *c, const ty_tensor *x, uint32_t dim, uint32_t rank,
                         const sym_expr *sizes)
{
    return replaced(c, x, dim, 1, rank, sizes);
}

/* x[indices]: the indexed dimensions give way to those of the indices, in front when they do not
 * stand side by side. */
static ty_tensor *indexed(infer_call *c, const ty_tensor *x, const index_list *list)
{
    uint32_t order[TY_MAX_RANK];
    sym_expr sizes[TY_MAX_RANK];
    uint32_t count = 0;
    uint32_t first = 0;
    uint32_t rank = broadcast_indices(c, list, sizes);
    if (c->status != FE_OK) return NULL;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i]) order[count++] = i;
    if (count == 0) return infer_empty_like(c, x, x->dtype);
    if (are_adjacent(list)) {
        first = order[0];
        return replaced(c, x, first, count, rank, sizes);
    }
    uint32_t placed = count;
    for (uint32_t d = 0; d < x->rank; d++)
        if (d >= list->count || !list->at[d]) order[placed++] = d;
    return replaced(c, infer_permute(c, x, order), 0, count, rank, sizes);
}

void rule_index(infer_call *c)
{
    index_list list;
    ty_tensor *x = infer_tensor(c, "self");
    if (!x) return;
    read_indices(c, &list);
    if (c->status == FE_OK && list.count > x->rank)
        infer_fail(c, "%u indices of %s", list.count, infer_shape(c, x));
    if (c->status != FE_OK) return;
    infer_give(c, indexed(c, x, &list));
}

/* What is put broadcasts to what the indices name. */
void infer_check_index_put(infer_call *c)
{
    index_list list;
    const ty_tensor *x = infer_tensor(c, "self"), *values = infer_tensor(c, "values");
    const fx_arg *a = infer_arg(c, "indices");
    if (!x || !values || !a || a->kind != FX_ARG_LIST) return;
    bool fills = a->list.count == 1 && has_mask(a) && values->rank == 0 &&
                 !infer_flag(c, "accumulate", false); /* as masked_fill, which casts */
    if (a->list.count == 0)
        infer_fail(c, "at least one index must be provided");
    else if (values->dtype != x->dtype && !fills)
        infer_fail(c, "Index put requires the source and destination dtypes match, got %s and %s",
                   infer_shape(c, x), infer_shape(c, values));
    if (fills && ty_is_complex(values->dtype) && !ty_is_complex(x->dtype))
        infer_fail(c, "value cannot be converted to type %s without overflow",
                   ty_dtype_name(x->dtype));
    if (c->status != FE_OK) return;
    if (has_mask(a)) {
        check_masks(c, x, a);
        return;
    }
    read_indices(c, &list);
    if (c->status == FE_OK && list.count > x->rank)
        infer_fail(c, "too many indices for tensor of dimension %u (got %u)", x->rank, list.count);
    if (c->status != FE_OK) return;
    const ty_tensor *named = indexed(c, x, &list);
    if (named) infer_require_fits(c, values, named->rank, named->sizes, "the value");
}

/* The mask is for what the indices name, and so is what is put there. */
void infer_check_masked_index(infer_call *c)
{
    index_list list;
    const ty_tensor *x = infer_tensor(c, "self"), *mask = infer_tensor(c, "mask");
    const ty_tensor *values =
        op_param_index(c->op, "values") >= 0 ? infer_tensor(c, "values") : NULL;
    if (!x || !mask) return;
    read_indices(c, &list);
    if (c->status == FE_OK && list.count > x->rank)
        infer_fail(c, "too many indices for tensor of dimension %u (got %u)", x->rank, list.count);
    if (c->status != FE_OK) return;
    const ty_tensor *named = indexed(c, x, &list);
    if (!named) return;
    infer_require_fits(c, mask, named->rank, named->sizes, "the mask");
    if (values) infer_require_fits(c, values, named->rank, named->sizes, "the value");
}

/* self where the mask is false: broadcast against it. */
void rule_masked_scatter(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "self");
    const ty_tensor *operands[] = {x, infer_tensor(c, "mask")};
    if (!x) return;
    ty_tensor *both = infer_elementwise(c, x->dtype, operands, 2);
    infer_give(c, infer_clone(c, both, TY_CONTIGUOUS));
}

/* ---- one dimension ---- */

/* Like x, but of other sizes in one dimension. */
void rule_index_select(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_tensor(c, "self");
    ty_tensor *index = infer_tensor(c, "index");
    if (!x || !index) return;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    if (index->rank > 1) infer_fail(c, "index_select by %s", infer_shape(c, index));
    sym_expr least = sym_min(c->symbols, ty_numel(c->symbols, index), infer_number(c, 1));
    (void)INFER_REQUIRE(c, SYM_LE, least, infer_size_along(c, x, dim),
                        "index_select(): self indexing axis dim should be positive");
    memcpy(sizes, x->sizes, x->rank * sizeof *sizes);
    if (x->rank) sizes[dim] = index->rank ? index->sizes[0] : infer_number(c, 1);
    if (c->status == FE_OK) infer_give(c, infer_fresh(c, x, x->dtype, x->rank, sizes));
}

/* One element for each index. */
void rule_gather(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "self");
    ty_tensor *index = infer_tensor(c, "index");
    if (!x || !index) return;
    infer_give(c, infer_fresh(c, x, x->dtype, index->rank, index->sizes));
}

void rule_take_along_dim(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    uint32_t rank = 0;
    ty_tensor *x = infer_tensor(c, "self");
    ty_tensor *index = infer_tensor(c, "indices");
    if (!x || !index) return;
    if (!infer_arg(c, "dim")) {
        sym_expr count = ty_numel(c->symbols, index);
        infer_give(c, infer_fresh(c, x, x->dtype, 1, &count));
        return;
    }
    uint32_t dim = infer_dim(c, "dim", x->rank);
    sym_expr sizes_of[TY_MAX_RANK];
    if (index->rank != x->rank) infer_fail(c, "%s by %s", infer_shape(c, x), infer_shape(c, index));
    if (c->status != FE_OK) return;
    ty_tensor others = *x;
    others.sizes = sizes_of;
    memcpy(sizes_of, x->sizes, x->rank * sizeof *sizes_of);
    sizes_of[dim] = index->sizes[dim];
    if (!infer_broadcast(c, &others, x->rank, &rank, sizes) ||
        !infer_broadcast(c, index, index->rank, &rank, sizes))
        infer_fail(c, "%s by %s", infer_shape(c, x), infer_shape(c, index));
    if (c->status == FE_OK) infer_give(c, infer_fresh(c, x, x->dtype, rank, sizes));
}

void rule_embedding(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *weight = infer_tensor(c, "weight");
    ty_tensor *indices = infer_tensor(c, "indices");
    if (!weight || !indices || weight->rank != 2 || indices->rank >= TY_MAX_RANK) {
        infer_fail(c, "an embedding of %s by %s", infer_shape(c, weight), infer_shape(c, indices));
        return;
    }
    memcpy(sizes, indices->sizes, indices->rank * sizeof *sizes);
    sizes[indices->rank] = weight->sizes[1];
    infer_give(c, infer_fresh(c, weight, weight->dtype, indices->rank + 1, sizes));
}

/* Filled along a dimension: dense layouts stay. */
void rule_index_fill(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "self");
    if (!x) return;
    bool dense = ty_is_non_overlapping_and_dense(c->symbols, x);
    infer_give(c, infer_clone(c, x, dense ? TY_PRESERVE : TY_CONTIGUOUS));
}
