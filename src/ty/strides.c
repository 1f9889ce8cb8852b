/* strides.c -- the strides of results: empty_like, pointwise operations, broadcasting, views.
 *
 * The algorithms are PyTorch's, step for step: at::infer_dense_strides (ATen/ExpandUtils.cpp),
 * TensorIterator's fast set-up, compute_strides, reorder_dimensions and compatible_stride
 * (ATen/TensorIterator.cpp), computeStride (ATen/TensorUtils.cpp). A comparison of symbolic
 * strides that cannot be decided counts as ambiguous, as PyTorch treats equal ones, which keeps
 * the dimensions in their order.
 */
#include "ty/ty_priv.h"

#include <string.h>

/* ---- the order of dimensions ---- */

/* Should dimension 0 come after dimension 1 (1), before (-1), or can the operand not tell (0)? */
static int compare_dimensions(sym_table *t, sym_expr stride0, sym_expr stride1, sym_expr size0,
                              sym_expr size1, sym_expr numel)
{
    if (ty_is_int(t, stride0, 0) || ty_is_int(t, stride1, 0)) return 0;
    if (ty_same_stride(t, stride0, stride1, numel)) {
        bool larger = !sym_same(size0, size1) &&
                      sym_known_less_equal(t, sym_add_int(t, size1, 1), size0, NULL);
        return larger ? 1 : 0;
    }
    if (ty_stride_less_equal(t, stride0, stride1, numel)) return -1;
    return ty_stride_less_equal(t, stride1, stride0, numel) ? 1 : 0;
}

/* An operand's strides, broadcast to the result: a dimension that it does not have or repeats has
 * stride 0. */
typedef struct operand {
    sym_expr strides[TY_MAX_RANK];
} operand;

/* Sorts dimensions by stride, fastest first: an insertion sort that knows of ambiguous comparisons.
 */
static void sort_dimensions(sym_table *t, const operand *operands, uint32_t count,
                            bool first_decides, uint32_t rank, const sym_expr *sizes,
                            uint32_t *order)
{
    sym_expr numel = sym_product(t, sizes, rank);
    for (uint32_t i = 0; i < rank; i++) order[i] = rank - 1 - i;
    for (uint32_t i = 1; i < rank; i++) {
        uint32_t moving = i;
        for (uint32_t j = i; j-- > 0;) {
            int comparison = 0;
            for (uint32_t k = 0; k < count && comparison == 0; k++) {
                const sym_expr *strides = operands[k].strides;
                comparison = compare_dimensions(t, strides[order[j]], strides[order[moving]],
                                                sizes[order[j]], sizes[order[moving]], numel);
                if (first_decides) break;
            }
            if (comparison < 0) break;
            if (comparison == 0) continue;
            uint32_t swapped = order[j];
            order[j] = order[moving];
            order[moving] = swapped;
            moving = j;
        }
    }
}

void ty_preserved_strides(sym_table *t, const ty_tensor *x, sym_expr *strides)
{
    CHECK(sym_session(t), x->rank <= TY_MAX_RANK);
    if (ty_is_non_overlapping_and_dense(t, x)) {
        for (uint32_t i = 0; i < x->rank; i++) strides[i] = x->strides[i];
        return;
    }
    operand self;
    uint32_t order[TY_MAX_RANK];
    memcpy(self.strides, x->strides, x->rank * sizeof *x->strides);
    sort_dimensions(t, &self, 1, true, x->rank, x->sizes, order);
    sym_expr one = sym_int(t, 1);
    sym_expr stride = one;
    for (uint32_t i = 0; i < x->rank; i++) {
        strides[order[i]] = stride;
        stride = sym_mul(t, stride, sym_max(t, x->sizes[order[i]], one));
    }
}

/* ---- pointwise operations ---- */

static bool same_sizes(sym_table *t, uint32_t rank, const sym_expr *sizes, const ty_tensor *x)
{
    if (x->rank != rank) return false;
    for (uint32_t i = 0; i < rank; i++)
        if (!sym_known_equal(t, sizes[i], x->sizes[i])) return false;
    return true;
}

static bool same_strides(const ty_tensor *a, const ty_tensor *b)
{
    for (uint32_t i = 0; i < a->rank; i++)
        if (!sym_same(a->strides[i], b->strides[i])) return false;
    return true;
}

/* compute_fast_setup_type: operands of one shape that are all contiguous, channels last, or dense
 * in one way. */
static bool fast_strides(sym_table *t, const ty_tensor *const *operands, uint32_t count,
                         uint32_t rank, const sym_expr *sizes, sym_expr *strides)
{
    bool contiguous = true;
    bool channels_last = rank == 4;
    bool dense = true;
    for (uint32_t i = 0; i < count; i++) {
        if (!same_sizes(t, rank, sizes, operands[i])) return false;
        contiguous = contiguous && ty_is_contiguous(t, operands[i]);
        dense = dense && same_strides(operands[i], operands[0]);
    }
    for (uint32_t i = 0; i < count && !contiguous; i++)
        channels_last = channels_last && ty_is_channels_last(t, operands[i]);
    if (contiguous || channels_last) {
        ty_format_strides(t, contiguous ? TY_CONTIGUOUS : TY_CHANNELS_LAST, rank, sizes, strides);
        return true;
    }
    dense = dense && ty_is_non_overlapping_and_dense(t, operands[0]);
    for (uint32_t i = 0; dense && i < rank; i++) strides[i] = operands[0]->strides[i];
    return dense;
}

static void broadcast_operand(sym_table *t, const ty_tensor *x, uint32_t rank,
                              const sym_expr *sizes, operand *out)
{
    uint32_t missing = rank - x->rank;
    for (uint32_t i = 0; i < rank; i++) {
        bool repeated = i < missing ||
                        (ty_at_most_one(t, x->sizes[i - missing]) && !ty_at_most_one(t, sizes[i]));
        out->strides[i] = repeated ? sym_int(t, 0) : x->strides[i - missing];
    }
}

void ty_pointwise_strides(sym_table *t, const ty_tensor *const *operands, uint32_t count,
                          uint32_t rank, const sym_expr *sizes, sym_expr *strides)
{
    enum { MOST_OPERANDS = 32 };
    CHECK(sym_session(t), rank <= TY_MAX_RANK);
    if (count == 0) {
        ty_contiguous_strides(t, rank, sizes, strides);
        return;
    }
    if (fast_strides(t, operands, count, rank, sizes, strides)) return;
    operand broadcast[MOST_OPERANDS];
    uint32_t used = 0;
    for (uint32_t i = 0; i < count && used < MOST_OPERANDS; i++)
        if (operands[i]->rank > 0)
            broadcast_operand(t, operands[i], rank, sizes, &broadcast[used++]);

    uint32_t order[TY_MAX_RANK];
    sort_dimensions(t, broadcast, used, false, rank, sizes, order);
    bool in_order = true;
    for (uint32_t i = 0; i < rank; i++) in_order = in_order && order[i] == rank - 1 - i;
    if (in_order) {
        ty_contiguous_strides(t, rank, sizes, strides);
        return;
    }
    sym_expr stride = sym_int(t, 1);
    for (uint32_t i = 0; i < rank; i++) {
        strides[order[i]] = stride;
        stride = sym_mul(t, stride, sizes[order[i]]);
    }
}

/* The size that a and b broadcast to. What cannot be decided counts as equal, what is 0 or 1 as 1:
 * PyTorch guards on that. */
static bool broadcast_size(sym_table *t, sym_expr a, sym_expr b, sym_expr *out)
{
    sym_expr one = sym_int(t, 1);
    *out = a;
    if (sym_same(a, b) || ty_is_int(t, b, 1)) return true;
    if (ty_is_int(t, a, 1) || (ty_at_most_one(t, a) && !ty_at_most_one(t, b))) {
        *out = b;
        return true;
    }
    if (ty_at_most_one(t, b) && !ty_at_most_one(t, a)) return true;
    sym_expr possible = sym_compare(
        t, SYM_OR, sym_compare(t, SYM_EQ, a, b),
        sym_compare(t, SYM_OR, sym_compare(t, SYM_EQ, a, one), sym_compare(t, SYM_EQ, b, one)));
    if (sym_is_int(t, b, NULL)) *out = b; /* then a is that or 1 */
    return !ty_is_int(t, possible, 0);
}

bool ty_broadcast(sym_table *t, uint32_t rank_a, const sym_expr *a, uint32_t rank_b,
                  const sym_expr *b, uint32_t *rank, sym_expr *sizes)
{
    uint32_t most = rank_a > rank_b ? rank_a : rank_b;
    if (most > TY_MAX_RANK) return false;
    *rank = most;
    for (uint32_t i = most; i-- > 0;) { /* backwards, so that sizes may be one of the operands */
        uint32_t from_end = most - i;
        if (from_end > rank_a)
            sizes[i] = b[rank_b - from_end];
        else if (from_end > rank_b)
            sizes[i] = a[rank_a - from_end];
        else if (!broadcast_size(t, a[rank_a - from_end], b[rank_b - from_end], &sizes[i]))
            return false;
    }
    return true;
}

/* ---- views ---- */

/* May the product of view dimensions still grow to the chunk's? */
static bool is_below(sym_table *t, sym_expr view, sym_expr chunk)
{
    int64_t x;
    int64_t y;
    if (sym_is_int(t, view, &x) && sym_is_int(t, chunk, &y)) return x < y;
    return !sym_known_equal(t, view, chunk);
}

/* The new dimensions that end before *view_d and make up one chunk of memory of this many elements.
 */
static bool fill_chunk(sym_table *t, sym_expr elements, sym_expr base, const sym_expr *sizes,
                       sym_expr *strides, uint32_t *view_d)
{
    sym_expr filled = sym_int(t, 1);
    while (*view_d > 0 && (is_below(t, filled, elements) || ty_is_int(t, sizes[*view_d - 1], 1))) {
        --*view_d;
        strides[*view_d] = sym_mul(t, filled, base);
        filled = sym_mul(t, filled, sizes[*view_d]);
    }
    return sym_known_equal(t, filled, elements);
}

bool ty_view_strides(sym_table *t, const ty_tensor *x, uint32_t rank, const sym_expr *sizes,
                     sym_expr *strides)
{
    if (x->rank == 0) {
        for (uint32_t i = 0; i < rank; i++) strides[i] = sym_int(t, 1);
        return sym_known_equal(t, sym_product(t, sizes, rank), sym_int(t, 1));
    }
    if (ty_known_empty(t, x->rank, x->sizes)) { /* any strides do */
        if (same_sizes(t, rank, sizes, x))
            for (uint32_t i = 0; i < rank; i++) strides[i] = x->strides[i];
        else
            ty_contiguous_strides(t, rank, sizes, strides);
        return ty_known_empty(t, rank, sizes);
    }
    sym_expr numel = ty_numel(t, x);
    sym_expr base = x->strides[x->rank - 1];
    sym_expr elements = sym_int(t, 1);
    uint32_t view_d = rank;
    for (uint32_t d = x->rank; d-- > 0;) {
        elements = sym_mul(t, elements, x->sizes[d]);
        bool goes_on =
            d > 0 && (ty_is_int(t, x->sizes[d - 1], 1) ||
                      ty_same_stride(t, x->strides[d - 1], sym_mul(t, elements, base), numel));
        if (goes_on) continue;
        if (!fill_chunk(t, elements, base, sizes, strides, &view_d)) return false;
        if (d == 0) break;
        base = x->strides[d - 1];
        elements = sym_int(t, 1);
    }
    return view_d == 0;
}

bool ty_infer_view_size(sym_table *t, sym_expr numel, uint32_t rank, sym_expr *sizes)
{
    sym_expr others = sym_int(t, 1);
    uint32_t inferred = rank;
    for (uint32_t i = 0; i < rank; i++) {
        if (!ty_is_int(t, sizes[i], -1)) {
            others = sym_mul(t, others, sizes[i]);
        } else {
            if (inferred < rank) return false;
            inferred = i;
        }
    }
    if (inferred == rank) return !ty_is_int(t, sym_compare(t, SYM_EQ, numel, others), 0);
    if (ty_is_int(t, others, 0)) return false;
    sym_expr rest = sym_mod(t, numel, others);
    if (ty_is_int(t, sym_compare(t, SYM_EQ, rest, sym_int(t, 0)), 0)) return false;
    sizes[inferred] = sym_floordiv(t, numel, others);
    return true;
}
