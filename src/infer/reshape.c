/* reshape.c -- the same elements in other sizes.
 *
 * Whether that is a view follows from the strides (ty_view_strides). Which strides the view has
 * is ambiguous where sizes are 1: there PyTorch's fake tensors make the new dimensions from left
 * to right, each of as few of the old ones as it takes, and so does this.
 */
#include "infer/infer_priv.h"

#include <string.h>

static const char *sizes_text(infer_call *c, uint32_t rank, const sym_expr *sizes)
{
    text wanted;
    text_init(&wanted, c->memory);
    for (uint32_t i = 0; i < rank; i++) {
        if (i) text_char(&wanted, ',');
        sym_print(c->symbols, sizes[i], &wanted);
    }
    return wanted.at;
}

/* Without -1; the numbers of elements are the same. */
static bool settle_sizes(infer_call *c, const ty_tensor *x, uint32_t rank, const sym_expr *given,
                         sym_expr *sizes)
{
    sym_expr elements = ty_numel(c->symbols, x);
    for (uint32_t i = 0; i < rank; i++) sizes[i] = given[i];
    if (!ty_infer_view_size(c->symbols, elements, rank, sizes)) {
        infer_fail(c, "%s cannot be viewed as [%s]: another number of elements", infer_shape(c, x),
                   sizes_text(c, rank, given));
        return false;
    }
    return INFER_REQUIRE_EQUAL(c, elements, sym_product(c->symbols, sizes, rank),
                               "shape [%s] is invalid for input of sizes %s",
                               sizes_text(c, rank, given), infer_shape(c, x));
}

/* The dimensions while they are merged and split. */
typedef struct shape {
    sym_expr sizes[2 * TY_MAX_RANK + 1], strides[2 * TY_MAX_RANK + 1];
    uint32_t rank;
} shape;

static bool equals(infer_call *c, sym_expr a, sym_expr b)
{
    return sym_same(a, b) || infer_assumes(c, SYM_EQ, a, b);
}

/* Dimensions first..last as one. False when memory has gaps between them. */
static bool merge(infer_call *c, shape *s, uint32_t first, uint32_t last)
{
    sym_table *t = c->symbols;
    sym_expr one = infer_number(c, 1);
    sym_expr length = s->sizes[last];
    sym_expr stride = s->strides[last];
    for (uint32_t i = last; i-- > first;) {
        bool single = equals(c, s->sizes[i], one);
        bool dense = equals(c, s->strides[i], sym_mul(t, s->strides[i + 1], s->sizes[i + 1]));
        if (!single && !equals(c, s->sizes[i + 1], one) && !dense) return false;
        if (!single) stride = sym_min(t, stride, s->strides[i]);
        length = sym_mul(t, length, s->sizes[i]);
    }
    s->sizes[first] = length;
    s->strides[first] = stride;
    uint32_t gone = last - first;
    s->rank -= gone;
    for (uint32_t i = first + 1; i < s->rank; i++) {
        s->sizes[i] = s->sizes[i + gone];
        s->strides[i] = s->strides[i + gone];
    }
    return true;
}

/* Dimension d as two, the outer one of this length. */
static void split(infer_call *c, shape *s, uint32_t d, sym_expr outer)
{
    sym_expr inner = sym_floordiv(c->symbols, s->sizes[d], outer);
    for (uint32_t i = s->rank++; i > d; i--) {
        s->sizes[i] = s->sizes[i - 1];
        s->strides[i] = s->strides[i - 1];
    }
    s->sizes[d] = outer;
    s->sizes[d + 1] = inner;
    s->strides[d] = sym_mul(c->symbols, s->strides[d], inner);
}

static bool divides(infer_call *c, sym_expr length, sym_expr size)
{
    if (infer_is(c, length, 0)) return false;
    return equals(c, sym_mod(c->symbols, size, length), infer_number(c, 0));
}

/* Sets the strides of x, which has dimensions and elements, as a view of these sizes; where a size
 * is that of a dimension of x, it is written as there. Leaves them when there is no way. */
static void strides_from_left(infer_call *c, const ty_tensor *x, uint32_t rank, sym_expr *sizes,
                              sym_expr *strides)
{
    shape s = {.rank = x->rank};
    memcpy(s.sizes, x->sizes, x->rank * sizeof *sizes);
    memcpy(s.strides, x->strides, x->rank * sizeof *sizes);
    for (uint32_t d = 0; d < rank; d++) {
        if (d >= s.rank) { /* ones at the end */
            split(c, &s, s.rank - 1, s.sizes[s.rank - 1]);
            continue;
        }
        if (equals(c, sizes[d], s.sizes[d])) continue;
        sym_expr gathered = s.sizes[d];
        uint32_t end = d;
        while (!divides(c, sizes[d], gathered)) {
            if (++end >= s.rank) return;
            gathered = sym_mul(c->symbols, gathered, s.sizes[end]);
        }
        if (end != d && !merge(c, &s, d, end)) return;
        if (!equals(c, gathered, sizes[d])) split(c, &s, d, sizes[d]);
        if (s.rank > 2 * TY_MAX_RANK) return;
    }
    memcpy(sizes, s.sizes, rank * sizeof *sizes);
    memcpy(strides, s.strides, rank * sizeof *strides);
}

/* Chooses among the strides that are right those that PyTorch has. */
static void choose_strides(infer_call *c, const ty_tensor *x, uint32_t rank, sym_expr *sizes,
                           sym_expr *strides)
{
    bool contiguous = ty_is_contiguous(c->symbols, x);
    if (x->rank == 0 || rank == 0) return;
    if (infer_prefers(c, SYM_EQ, ty_numel(c->symbols, x), infer_number(c, 0)) ||
        (contiguous && rank == 1 && x->rank > 1) || (contiguous && rank == 2 && x->rank == 1)) {
        ty_contiguous_strides(c->symbols, rank, sizes, strides);
        return;
    }
    if (infer_has_unbacked(c, x->rank, x->sizes) || infer_has_unbacked(c, x->rank, x->strides) ||
        infer_has_unbacked(c, rank, sizes)) {
        if (contiguous) ty_contiguous_strides(c->symbols, rank, sizes, strides);
        return;
    }
    sym_expr own[TY_MAX_RANK];
    memcpy(own, strides, rank * sizeof *own);
    strides_from_left(c, x, rank, sizes, strides);
    /* fake tensors have other strides of sizes 1 than the views of tensors */
    for (uint32_t d = 0; d < rank; d++)
        if (infer_is(c, sizes[d], 1)) strides[d] = own[d];
}

ty_tensor *infer_reshape(infer_call *c, const ty_tensor *x, uint32_t rank, const sym_expr *sizes)
{
    sym_expr settled[TY_MAX_RANK];
    sym_expr strides[TY_MAX_RANK];
    if (x && rank > TY_MAX_RANK) infer_fail(c, "a view of %u dimensions", rank);
    if (!x || rank > TY_MAX_RANK || c->status != FE_OK || !settle_sizes(c, x, rank, sizes, settled))
        return NULL;
    if (!ty_view_strides(c->symbols, x, rank, settled, strides))
        return infer_fresh(c, x, x->dtype, rank, settled);
    choose_strides(c, x, rank, settled, strides);
    return infer_view_as(c, x, rank, settled, strides, x->offset);
}
