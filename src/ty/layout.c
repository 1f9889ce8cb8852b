/* layout.c -- tensors, memory formats and what can be said of strides.
 *
 * The predicates are those of c10/core/Contiguity.h and MemoryFormat.h. They answer true when it
 * is proved for all values of the symbols, but for tensors without elements, whose strides do not
 * matter.
 */
#include "ty/ty_priv.h"

#include <string.h>

ty_tensor *ty_tensor_new(arena *a, sym_table *t, ty_dtype dtype, ty_device device, uint32_t rank,
                         const sym_expr *sizes)
{
    ty_tensor *x = NEW(a, ty_tensor);
    CHECK(arena_session(a), rank <= TY_MAX_RANK);
    x->dtype = dtype;
    x->device = device;
    x->rank = rank;
    x->sizes = arena_copy(a, sizes, rank * sizeof *sizes);
    x->strides = NEW_ARRAY(a, sym_expr, rank);
    x->offset = sym_int(t, 0);
    ty_contiguous_strides(t, rank, sizes, x->strides);
    return x;
}

ty_tensor *ty_tensor_copy(arena *a, const ty_tensor *src)
{
    ty_tensor *x = arena_copy(a, src, sizeof *src);
    x->sizes = arena_copy(a, src->sizes, src->rank * sizeof *src->sizes);
    x->strides = arena_copy(a, src->strides, src->rank * sizeof *src->strides);
    return x;
}

/* A constant that 64 bits do not hold stays an expression. */
static bool is_beyond_64_bits(const sym_table *t, sym_expr e)
{
    int64_t value;
    return !sym_is_int(t, e, &value) && !sym_has_kind(t, e, SYM_SIZE) &&
           !sym_has_kind(t, e, SYM_UNBACKED);
}

bool ty_fits_memory(const sym_table *symbols, const ty_tensor *t)
{
    int64_t numel = 1, reach = 0, size, stride, term;
    const int64_t limit = INT64_MAX / 32;
    sym_is_int(symbols, t->offset, &reach);
    for (uint32_t i = 0; i < t->rank; i++) {
        if (is_beyond_64_bits(symbols, t->sizes[i])) return false;
        if (!sym_is_int(symbols, t->sizes[i], &size)) continue;
        if (size <= 0) return size == 0;
        if (__builtin_mul_overflow(numel, size, &numel) || numel > limit) return false;
        if (!sym_is_int(symbols, t->strides[i], &stride)) continue;
        if (__builtin_mul_overflow(size - 1, stride, &term)) return false;
        if (__builtin_add_overflow(reach, term, &reach) || reach > limit) return false;
    }
    return reach <= limit;
}

sym_expr ty_numel(sym_table *t, const ty_tensor *x)
{
    return sym_product(t, x->sizes, x->rank);
}

bool ty_known_empty(const sym_table *t, uint32_t rank, const sym_expr *sizes)
{
    for (uint32_t i = 0; i < rank; i++)
        if (ty_is_int(t, sizes[i], 0)) return true;
    return false;
}

bool ty_is_repeated_along(const sym_table *t, const ty_tensor *x, uint32_t d)
{
    return ty_is_int(t, x->strides[d], 0) && !ty_is_int(t, x->sizes[d], 1);
}

bool ty_is_repeated(const sym_table *t, const ty_tensor *x)
{
    for (uint32_t d = 0; d < x->rank; d++)
        if (ty_is_repeated_along(t, x, d)) return true;
    return false;
}

/* ---- comparing strides ---- */

/* The one argument that is no number; none: there are more. */
static sym_expr varying_arg(sym_table *t, sym_expr e, int64_t *number)
{
    sym_expr found = {0};
    *number = sym_op_of(t, e) == SYM_MUL;
    for (uint32_t i = 0; i < sym_arg_count(t, e); i++) {
        int64_t value;
        bool is_number = sym_is_int(t, sym_arg(t, e, i), &value);
        if (!is_number && !sym_is_none(found)) return (sym_expr){0};
        if (!is_number) found = sym_arg(t, e, i);
        if (!is_number) continue;
        bool overflows = sym_op_of(t, e) == SYM_MUL
                             ? __builtin_mul_overflow(*number, value, number)
                             : __builtin_add_overflow(*number, value, number);
        if (overflows) return (sym_expr){0};
    }
    return found;
}

/* Is v at least 1 wherever e is at least `least`? */
static bool implies_filled(sym_table *t, sym_expr e, int64_t least, sym_expr v)
{
    int64_t number;
    sym_expr rest;
    if (sym_same(e, v)) return least >= 1;
    switch (sym_op_of(t, e)) {
    case SYM_ADD:
        rest = varying_arg(t, e, &number);
        return !sym_is_none(rest) && !__builtin_sub_overflow(least, number, &least) &&
               implies_filled(t, rest, least, v);
    case SYM_MUL:
        rest = varying_arg(t, e, &number);
        return !sym_is_none(rest) && number > 0 && least > 0 &&
               implies_filled(t, rest, (least - 1) / number + 1, v);
    case SYM_MIN:
        return implies_filled(t, sym_arg(t, e, 0), least, v) ||
               implies_filled(t, sym_arg(t, e, 1), least, v);
    case SYM_MAX:
        for (uint32_t i = 0; i < 2; i++)
            if (sym_is_int(t, sym_arg(t, e, i), &number) && number < least)
                return implies_filled(t, sym_arg(t, e, 1 - i), least, v);
        return false;
    default: return false;
    }
}

/* Is v at least 1 wherever numel is? It divides numel, or one of the sizes that numel is the product of says
 * so: min(3*s0, 31) - 8 of s0. */
static bool is_filled_with(sym_table *t, sym_expr v, sym_expr numel)
{
    if (implies_filled(t, numel, 1, v)) return true;
    for (uint32_t i = 0; sym_op_of(t, numel) == SYM_MUL && i < sym_arg_count(t, numel); i++)
        if (implies_filled(t, sym_arg(t, numel, i), 1, v)) return true;
    return sym_known_divisible(t, numel, v, NULL);
}

sym_expr ty_when_filled(sym_table *t, sym_expr e, sym_expr numel)
{
    int64_t min;
    int64_t max;
    sym_op op = sym_op_of(t, e);
    if (op == SYM_ADD || op == SYM_MUL) {
        uint32_t same = 0; /* leading arguments that stay */
        uint32_t count = sym_arg_count(t, e);
        while (same < count &&
               sym_same(ty_when_filled(t, sym_arg(t, e, same), numel), sym_arg(t, e, same)))
            same++;
        if (same == count) return e;
        sym_expr total = sym_int(t, op == SYM_MUL);
        for (uint32_t i = 0; i < count; i++) {
            sym_expr arg = sym_arg(t, e, i);
            if (i >= same) arg = ty_when_filled(t, arg, numel);
            total = op == SYM_MUL ? sym_mul(t, total, arg) : sym_add(t, total, arg);
        }
        return total;
    }
    if (op != SYM_MAX || !ty_is_int(t, sym_arg(t, e, 1), 1)) return e;
    sym_expr v = sym_arg(t, e, 0);
    sym_range(t, v, NULL, &min, &max);
    return min >= 0 && is_filled_with(t, v, numel) ? v : e;
}

bool ty_same_stride(sym_table *t, sym_expr a, sym_expr b, sym_expr numel)
{
    if (sym_same(a, b)) return true;
    if (sym_is_int(t, a, NULL) && sym_is_int(t, b, NULL)) return false;
    return sym_known_equal(t, ty_when_filled(t, a, numel), ty_when_filled(t, b, numel));
}

/* Also where b is a times something that divides numel, hence is not 0. */
bool ty_stride_less_equal(sym_table *t, sym_expr a, sym_expr b, sym_expr numel)
{
    int64_t x;
    int64_t y;
    if (sym_is_int(t, a, &x) && sym_is_int(t, b, &y)) return x <= y;
    a = ty_when_filled(t, a, numel);
    b = ty_when_filled(t, b, numel);
    if (sym_known_less_equal(t, a, b, NULL)) return true;
    sym_range(t, a, NULL, &x, &y);
    if (x < 0 || ty_is_int(t, a, 0) || !sym_known_divisible(t, b, a, NULL)) return false;
    sym_expr quotient = sym_floordiv(t, b, a);
    sym_range(t, quotient, NULL, &x, &y);
    return x >= 1 || (x >= 0 && sym_known_divisible(t, numel, quotient, NULL));
}

/* ---- formats ---- */

/* Dimensions from the fastest, as channels-last formats lay them out. */
static const uint32_t CHANNELS_LAST_2D[] = {1, 3, 2, 0};
static const uint32_t CHANNELS_LAST_3D[] = {1, 4, 3, 2, 0};

static const uint32_t *channels_last_order(uint32_t rank)
{
    return rank == 4 ? CHANNELS_LAST_2D : rank == 5 ? CHANNELS_LAST_3D : NULL;
}

void ty_contiguous_strides(sym_table *t, uint32_t rank, const sym_expr *sizes, sym_expr *strides)
{
    sym_expr one = sym_int(t, 1);
    sym_expr stride = one;
    for (uint32_t i = rank; i-- > 0;) {
        strides[i] = stride;
        if (i > 0) stride = sym_mul(t, stride, sym_max(t, sizes[i], one));
    }
}

void ty_format_strides(sym_table *t, ty_memory_format f, uint32_t rank, const sym_expr *sizes,
                       sym_expr *strides)
{
    const uint32_t *order = channels_last_order(rank);
    bool fits = (f == TY_CHANNELS_LAST && rank == 4) || (f == TY_CHANNELS_LAST_3D && rank == 5);
    if (!fits) {
        ty_contiguous_strides(t, rank, sizes, strides);
        return;
    }
    sym_expr stride = sym_int(t, 1);
    for (uint32_t i = 0; i < rank; i++) {
        strides[order[i]] = stride;
        stride = sym_mul(t, stride, sizes[order[i]]);
    }
}

bool ty_at_most_one(const sym_table *t, sym_expr size)
{
    int64_t min, max;
    sym_range(t, size, NULL, &min, &max);
    return min >= 0 && max == 1;
}

/* Without gaps when walked in this order, fastest first? */
static bool is_dense_in_order(sym_table *t, const ty_tensor *x, const uint32_t *order)
{
    sym_expr numel = ty_numel(t, x);
    sym_expr expected = sym_int(t, 1);
    for (uint32_t i = 0; i < x->rank; i++) {
        uint32_t d = order ? order[i] : x->rank - 1 - i;
        if (ty_at_most_one(t, x->sizes[d])) continue;
        if (!ty_same_stride(t, x->strides[d], expected, numel)) return false;
        expected = sym_mul(t, expected, x->sizes[d]);
    }
    return true;
}

bool ty_is_contiguous(sym_table *t, const ty_tensor *x)
{
    sym_expr strides[TY_MAX_RANK];
    CHECK(sym_session(t), x->rank <= TY_MAX_RANK);
    ty_contiguous_strides(t, x->rank, x->sizes, strides);
    bool plain = true; /* what most tensors are, and quick to see */
    for (uint32_t i = 0; i < x->rank; i++) plain = plain && sym_same(strides[i], x->strides[i]);
    return plain || ty_known_empty(t, x->rank, x->sizes) || is_dense_in_order(t, x, NULL);
}

bool ty_is_channels_last(sym_table *t, const ty_tensor *x)
{
    const uint32_t *order = channels_last_order(x->rank);
    return order && is_dense_in_order(t, x, order);
}

/* is_channels_last_strides_2d and _3d: gaps are fine, ambiguous cases are not channels last. */
static bool is_like_channels_last(sym_table *t, const ty_tensor *x, const uint32_t *order)
{
    sym_expr numel = ty_numel(t, x);
    sym_expr least = sym_int(t, 0);
    if (ty_is_int(t, x->strides[1], 0)) return false;
    for (uint32_t i = 0; i < x->rank; i++) {
        uint32_t d = order[i];
        if (ty_is_int(t, x->sizes[d], 0)) return false;
        if (!ty_stride_less_equal(t, least, x->strides[d], numel)) return false;
        if (d == 0 && ty_same_stride(t, least, x->strides[1], numel)) return false;
        least = sym_mul(t, x->strides[d], x->sizes[d]);
    }
    return true;
}

ty_memory_format ty_suggested_format(sym_table *t, const ty_tensor *x)
{
    const uint32_t *order = channels_last_order(x->rank);
    if (!order || !is_like_channels_last(t, x, order)) return TY_CONTIGUOUS;
    return x->rank == 4 ? TY_CHANNELS_LAST : TY_CHANNELS_LAST_3D;
}

/* The dimension that continues a dense walk with this stride; rank when there is none. Surely more
 * than one element is best: a size that may be 1 must not hide the dimension that has the stride
 * by right. */
static uint32_t find_next(sym_table *t, const ty_tensor *x, const bool *taken, sym_expr stride,
                          sym_expr numel)
{
    uint32_t found = x->rank;
    for (uint32_t d = 0; d < x->rank; d++) {
        int64_t min;
        int64_t max;
        if (taken[d] || !ty_same_stride(t, x->strides[d], stride, numel)) continue;
        sym_range(t, x->sizes[d], NULL, &min, &max);
        if (min >= 2) return d;
        if (found == x->rank) found = d;
    }
    return found;
}

bool ty_is_non_overlapping_and_dense(sym_table *t, const ty_tensor *x)
{
    bool taken[TY_MAX_RANK] = {false};
    uint32_t left = x->rank;
    CHECK(sym_session(t), x->rank <= TY_MAX_RANK);
    if (ty_known_empty(t, x->rank, x->sizes)) return true;
    for (uint32_t d = 0; d < x->rank; d++) {
        taken[d] = ty_at_most_one(t, x->sizes[d]);
        left -= taken[d];
    }
    sym_expr numel = ty_numel(t, x);
    for (sym_expr stride = sym_int(t, 1); left > 0; left--) {
        uint32_t d = find_next(t, x, taken, stride, numel);
        if (d == x->rank) return false;
        taken[d] = true;
        stride = sym_mul(t, stride, x->sizes[d]);
    }
    return true;
}

/* ---- the rest ---- */

bool ty_known_same_layout(sym_table *t, const ty_tensor *a, const ty_tensor *b)
{
    bool alike = a->dtype == b->dtype && ty_same_device(a->device, b->device) && a->rank == b->rank;
    if (!alike || !sym_known_equal(t, a->offset, b->offset)) return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (!sym_known_equal(t, a->sizes[i], b->sizes[i])) return false;
    sym_expr numel = ty_numel(t, a);
    for (uint32_t i = 0; i < a->rank; i++)
        if (!ty_same_stride(t, a->strides[i], b->strides[i], numel)) return false;
    return true;
}

sym_expr ty_reach(sym_table *t, uint32_t rank, const sym_expr *sizes, const sym_expr *strides)
{
    sym_expr reach = sym_int(t, 1);
    for (uint32_t d = 0; d < rank; d++)
        reach = sym_add(t, reach, sym_mul(t, sym_add_int(t, sizes[d], -1), strides[d]));
    return reach;
}

sym_expr ty_storage_bytes(sym_table *t, const ty_tensor *x)
{
    if (ty_known_empty(t, x->rank, x->sizes)) return sym_int(t, 0);
    sym_expr numel = ty_numel(t, x);
    sym_expr reach = sym_add_int(t, x->offset, 1);
    for (uint32_t i = 0; i < x->rank; i++) {
        sym_expr stride = ty_when_filled(t, x->strides[i], numel);
        reach = sym_add(t, reach, sym_mul(t, sym_add_int(t, x->sizes[i], -1), stride));
    }
    return sym_mul_int(t, reach, ty_dtype_size(x->dtype));
}
