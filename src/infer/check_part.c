/* check_part.c -- what operators ask of the parts of a tensor that they show, cut or put together. */
#include "infer/infer_priv.h"

#include <string.h>

/* What a copy of x that is laid out as x takes; where elements of x stand in several places it is dense. */
static sym_expr memory_of_copy(const infer_call *c, const ty_tensor *x)
{
    bool is_dense = ty_known_empty(c->symbols, x->rank, x->sizes) ||
                    ty_is_non_overlapping_and_dense(c->symbols, x) || ty_is_repeated(c->symbols, x);
    if (is_dense) return ty_numel(c->symbols, x);
    return ty_reach(c->symbols, x->rank, x->sizes, x->strides);
}

/* The part lies within it. */
static void check_reach(infer_call *c, const ty_tensor *x, const ty_tensor *shown)
{
    sym_table *t = c->symbols;
    if (!shown || c->status != FE_OK || ty_known_empty(t, shown->rank, shown->sizes)) return;
    sym_expr reach = ty_reach(t, shown->rank, shown->sizes, shown->strides);
    (void)INFER_REQUIRE(c, SYM_LE, sym_add(t, shown->offset, reach), memory_of_copy(c, x),
                        "setStorage: sizes and strides of %s are out of bounds for storage of %s",
                        infer_shape(c, shown), infer_shape(c, x));
}

/* The source is sized as the part of self that it takes the place of. */
static void need_source_of(infer_call *c, const ty_tensor *shown)
{
    static const char *const SAID =
        "expected src to have a size equal to the slice of self. src is %s, slice is %s";
    const ty_tensor *source = infer_tensor(c, "src");
    if (!shown || !source || c->status != FE_OK) return;
    if (shown->rank != source->rank)
        infer_fail(c, SAID, infer_shape(c, source), infer_shape(c, shown));
    for (uint32_t d = 0; d < shown->rank && c->status == FE_OK; d++)
        (void)INFER_REQUIRE_EQUAL(c, source->sizes[d], shown->sizes[d], SAID,
                                  infer_shape(c, source), infer_shape(c, shown));
}

void infer_check_sliced(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (x) need_source_of(c, infer_slice(c, x));
}

void infer_check_selected(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (!x) return;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    need_source_of(c, infer_select(c, x, dim, infer_expr(c, "index", 0)));
}

void infer_check_diagonal(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (!x) return;
    uint32_t a = infer_dim(c, "dim1", x->rank), b = infer_dim(c, "dim2", x->rank);
    need_source_of(c, infer_diagonal(c, x, infer_int(c, "offset", 0), a, b));
}

void infer_check_strided(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK], strides[TY_MAX_RANK];
    const ty_tensor *x = infer_tensor(c, "self");
    if (!x) return;
    uint32_t rank = infer_sizes(c, "size", 0, sizes), steps = infer_sizes(c, "stride", 0, strides);
    if (rank != steps) infer_fail(c, "mismatch in length of strides and shape");
    const ty_tensor *shown =
        infer_view_as(c, x, rank, sizes, strides, infer_expr(c, "storage_offset", 0));
    check_reach(c, x, shown);
    need_source_of(c, shown);
}

void infer_check_select(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (!x || !infer_arg(c, "index")) return;
    if (x->rank == 0) infer_fail(c, "select() cannot be applied to a 0-dim tensor.");
    uint32_t dim = infer_dim(c, "dim", x->rank);
    sym_expr index = infer_expr(c, "index", 0);
    if (c->status != FE_OK || infer_has_unbacked(c, 1, &index))
        return; /* the run checks what it reads */
    sym_expr size = x->sizes[dim], least = sym_mul_int(c->symbols, size, -1);
    if (INFER_REQUIRE(c, SYM_LT, index, size,
                      "select(): index %s out of range for tensor of size %s at dimension %u",
                      infer_written(c, index), infer_shape(c, x), dim))
        (void)INFER_REQUIRE(c, SYM_LE, least, index,
                            "select(): index %s out of range for tensor of size %s at dimension %u",
                            infer_written(c, index), infer_shape(c, x), dim);
}

void infer_check_narrow(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (!x || infer_tensor(c, "start")) return;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    sym_expr start = infer_expr(c, "start", 0), size = infer_size_along(c, x, dim);
    if (c->status != FE_OK || infer_has_unbacked(c, 1, &start)) return;
    if (INFER_REQUIRE(c, SYM_LE, start, size, "start out of range for %s: %s", infer_shape(c, x),
                      infer_written(c, start)))
        (void)INFER_REQUIRE(c, SYM_LE, sym_mul_int(c->symbols, size, -1), start,
                            "start out of range for %s: %s", infer_shape(c, x),
                            infer_written(c, start));
}

/* As many shifts as dimensions, or one over all elements. */
void infer_check_roll(infer_call *c)
{
    sym_expr numbers[TY_MAX_RANK];
    const fx_arg *shifts = infer_arg(c, "shifts"), *dims = infer_arg(c, "dims");
    int by = shifts ? fx_arg_ints(c->graph, shifts, numbers, TY_MAX_RANK) : 0;
    int along = dims ? fx_arg_ints(c->graph, dims, numbers, TY_MAX_RANK) : 0;
    if (by < 1 || (by != along && !(along == 0 && by == 1)))
        infer_fail(c, "shifts and dimensions must align. shifts: %d, dims:%d", by, along);
    const ty_tensor *x = infer_tensor(c, "self");
    if (x && x->rank == 0 && along)
        infer_fail(c, "Dimension specified as %s but tensor has no dimensions",
                   infer_written(c, numbers[0]));
}

/* split_with_sizes: all of the dimension, no more. */
void infer_check_pieces(infer_call *c)
{
    enum { MOST = 65536 };
    const ty_tensor *x = infer_tensor(c, "self");
    const fx_arg *list = infer_arg(c, "split_sizes");
    if (!x || !x->rank || !list || list->kind != FX_ARG_LIST || list->list.count > MOST) return;
    sym_expr sum = infer_number(c, 0), *lengths = NEW_ARRAY(c->memory, sym_expr, list->list.count);
    int count = fx_arg_ints(c->graph, list, lengths, list->list.count);
    sym_expr size = x->sizes[infer_dim(c, "dim", x->rank)];
    for (int i = 0; i < count; i++) sum = sym_add(c->symbols, sum, lengths[i]);
    if (count >= 0 && !infer_has_unbacked(c, 1, &sum))
        (void)INFER_REQUIRE_EQUAL(c, sum, size,
                                  "split_with_sizes expects split_sizes to sum exactly to %s, "
                                  "but they sum to %s",
                                  infer_written(c, size), infer_written(c, sum));
}

static void must_divide(infer_call *c, sym_expr size, sym_expr by, const char *says)
{
    (void)INFER_REQUIRE_EQUAL(c, sym_mod(c->symbols, size, by), infer_number(c, 0), "%s. Got %s",
                              says, infer_written(c, size));
}

/* hsplit, vsplit, dsplit: sections of one length. */
static void check_sections(infer_call *c, uint32_t dim)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (x && c->status == FE_OK)
        must_divide(c, x->sizes[dim], infer_expr(c, "sections", 1),
                    "the size of the dimension is not divisible by the sections");
}

void infer_check_cut_across(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    check_sections(c, x && x->rank == 1 ? 0 : 1);
}
void infer_check_cut_down(infer_call *c)
{
    check_sections(c, 0);
}
void infer_check_cut_deep(infer_call *c)
{
    check_sections(c, 2);
}

void infer_check_shuffle(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (x)
        must_divide(c, x->sizes[1], infer_expr(c, "groups", 1),
                    "Number of channels must be divisible by groups");
}

void infer_check_halves(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (x && x->rank)
        must_divide(c, x->sizes[infer_dim(c, "dim", x->rank)], infer_number(c, 2),
                    "Halving dimension must be even");
}

/* The extreme of nothing is none. */
void infer_check_reducible(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (!x || x->rank == 0) return;
    uint64_t dims = infer_dim_set(c, "dim", x->rank);
    for (uint32_t d = 0; d < x->rank && c->status == FE_OK; d++)
        if (dims >> d & 1)
            (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), x->sizes[d],
                                "%s(): Expected reduction dim %u to have non-zero size",
                                c->op->base, d);
}

/* One slope, or one for each channel. */
void infer_check_slopes(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *weight = infer_tensor(c, "weight");
    if (!x || !weight) return;
    sym_expr count = ty_numel(c->symbols, weight);
    if (weight->rank > 1)
        infer_fail(c, "prelu: Expected `weight` to be a scalar or 1D tensor, but got %s",
                   infer_shape(c, weight));
    if (c->status != FE_OK || infer_is_one(c, count)) return;
    sym_expr channels = x->rank > 1 ? x->sizes[1] : infer_number(c, 1);
    (void)INFER_REQUIRE_EQUAL(
        c, count, channels,
        "Mismatch of parameter numbers and input channel size. Found parameter numbers = %s "
        "and channel size = %s",
        infer_written(c, count), infer_written(c, channels));
}

void infer_check_repeats(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *repeats = infer_tensor(c, "repeats");
    if (!x || !repeats || repeats->rank == 0 || infer_is(c, ty_numel(c->symbols, repeats), 1))
        return;
    bool flat = !infer_arg(c, "dim");
    sym_expr size =
        flat ? ty_numel(c->symbols, x) : infer_size_along(c, x, infer_dim(c, "dim", x->rank));
    if (repeats->rank != 1) infer_fail(c, "repeats must be 0-dim or 1-dim tensor");
    if (c->status == FE_OK)
        (void)INFER_REQUIRE_EQUAL(
            c, repeats->sizes[0], size,
            "repeats must have the same size as input along dim, but got %s and %s",
            infer_shape(c, repeats), infer_shape(c, x));
}

/* One sequence for all, or one for each row. */
void infer_check_sorted(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *sorted = infer_tensor(c, "sorted_sequence");
    if (x && sorted && x->dtype == TY_BOOL && sorted->dtype == TY_BOOL)
        infer_fail(c, "searchsorted of bools among bools");
    if (!x || !sorted || sorted->rank == 1) return;
    if (x->rank != sorted->rank)
        infer_fail(c,
                   "boundaries tensor should be 1 dimension or the first N-1 dimensions of "
                   "boundaries tensor "
                   "and input value tensor must match, but we got %s and %s",
                   infer_shape(c, sorted), infer_shape(c, x));
    for (uint32_t d = 0; c->status == FE_OK && d + 1 < x->rank; d++)
        (void)INFER_REQUIRE_EQUAL(
            c, x->sizes[d], sorted->sizes[d],
            "the first N-1 dimensions of boundaries tensor and input value tensor must match, "
            "but we got %s and %s",
            infer_shape(c, sorted), infer_shape(c, x));
}
